//! Markup: HTML and pages with code, XML, Markdown.

use super::super::Language;
use super::super::build::{ESCAPED_CODE, block, escaped, hole, line, quote, string};
use super::super::rule::{At, CloseAt, Elements, Embedded, Fence, Hole, HoleEnd, Markup, Quote};
use super::jvm::JAVA;
use super::ruby::{ELIXIR, RUBY};
use super::styles::{CSS, LESS, SCSS};
use super::web::{JAVASCRIPT, JSON, PHP_CODE, TSX, TYPESCRIPT};

pub(super) static LANGUAGES: &[&Language] =
    &[&HTML, &VUE, &SVELTE, &ASTRO, &PHP, &ERB, &EJS, &EEX, &JSP, &XML, &MARKDOWN];

/// Comments of HTML and of the template languages that pages are written in.
const COMMENTS: &[(&str, &str)] = &[
    ("<!--", "-->"),
    ("{{!--", "--}}"),
    ("{{!", "}}"),
    ("{{--", "--}}"),
    ("{{/*", "*/}}"),
    ("{{- /*", "}}"),
    ("{#", "#}"),
    ("<%--", "--%>"),
    ("<%#", "%>"),
    ("@*", "*@"),
];
const PLAIN_COMMENTS: &[(&str, &str)] = &[("<!--", "-->")];

static DOUBLE: Quote = quote("\"").many();
static SINGLE: Quote = quote("'").many();
const VALUES: [&Quote; 2] = [&DOUBLE, &SINGLE];

/// The text of a template, which is skipped.
static TEXT: Language = Language::new("text", &[]);

const EMBEDDED: &[Embedded] = &[
    Embedded {
        name: "script",
        variants: &[
            ("lang=\"tsx\"", &TSX),
            ("lang='tsx'", &TSX),
            ("lang=\"ts\"", &TYPESCRIPT),
            ("lang='ts'", &TYPESCRIPT),
            ("lang=\"typescript\"", &TYPESCRIPT),
            ("type=\"text/typescript\"", &TYPESCRIPT),
            ("json", &JSON),
            ("importmap", &JSON),
            ("speculationrules", &JSON),
            ("text/template", &TEXT),
            ("text/html", &TEXT),
            ("text/ng-template", &TEXT),
            ("x-handlebars", &TEXT),
            ("x-template", &TEXT),
            ("x-jquery-tmpl", &TEXT),
            ("text/x-", &TEXT),
            ("x-shader", &TEXT),
        ],
        default: &JAVASCRIPT,
    },
    Embedded {
        name: "style",
        variants: &[("scss", &SCSS), ("sass", &SCSS), ("stylus", &SCSS), ("less", &LESS)],
        default: &CSS,
    },
];

/// Between the braces of a template language.
static TEMPLATE: Language = Language::new("template", &[escaped("\"").closed(), escaped("'").closed()]);
const TEMPLATE_HOLES: &[Hole] = &[
    hole("{{", "").until(HoleEnd::Near("}}")).of(&TEMPLATE),
    hole("{%", "").until(HoleEnd::Near("%}")).of(&TEMPLATE),
];
static TEMPLATE_DOUBLE: Quote = quote("\"").many().holes(TEMPLATE_HOLES);
static TEMPLATE_SINGLE: Quote = quote("'").many().holes(TEMPLATE_HOLES);

static HTML_PAGE: Markup = Markup {
    elements: Elements::Page,
    comments: COMMENTS,
    tag_comments: &[],
    holes: TEMPLATE_HOLES,
    values: [&TEMPLATE_DOUBLE, &TEMPLATE_SINGLE],
    embedded: EMBEDDED,
};
static HTML: Language = Language::markup("HTML", &HTML_PAGE).extensions(&[
    "html",
    "htm",
    "xhtml",
    "cshtml",
    "razor",
    "vbhtml",
    "asp",
    "aspx",
    "ascx",
    "marko",
    "hbs",
    "handlebars",
    "mustache",
    "twig",
    "liquid",
    "njk",
]);

const VUE_HOLES: &[Hole] = &[hole("{{", "").until(HoleEnd::Near("}}")).of(&TYPESCRIPT)];
static VUE_PAGE: Markup = Markup {
    elements: Elements::Page,
    comments: PLAIN_COMMENTS,
    tag_comments: &[],
    holes: VUE_HOLES,
    values: VALUES,
    embedded: EMBEDDED,
};
static VUE: Language = Language::markup("Vue", &VUE_PAGE).extensions(&["vue"]);

/// The openers of code in a page with braces. `{/if}` must not start a regular expression.
const BRACES: &[Hole] = &[
    hole("{/", "{}").of(&TYPESCRIPT),
    hole("{#", "{}").of(&TYPESCRIPT),
    hole("{:", "{}").of(&TYPESCRIPT),
    hole("{@", "{}").of(&TYPESCRIPT),
    hole("{", "{}").of(&TYPESCRIPT),
];
static BRACED_DOUBLE: Quote = quote("\"").many().holes(BRACES);
static BRACED_SINGLE: Quote = quote("'").many().holes(BRACES);
static SVELTE_PAGE: Markup = Markup {
    elements: Elements::Page,
    comments: PLAIN_COMMENTS,
    tag_comments: &[],
    holes: BRACES,
    values: [&BRACED_DOUBLE, &BRACED_SINGLE],
    embedded: EMBEDDED,
};
static SVELTE: Language = Language::markup("Svelte", &SVELTE_PAGE).extensions(&["svelte"]);

static ASTRO_PAGE: Markup = Markup {
    elements: Elements::Page,
    comments: PLAIN_COMMENTS,
    tag_comments: &[],
    holes: &[hole("---\n", "").until(HoleEnd::First("\n---")).of(&TYPESCRIPT), hole("{", "{}").of(&TSX)],
    values: VALUES,
    embedded: EMBEDDED,
};
static ASTRO: Language = Language::markup("Astro", &ASTRO_PAGE).extensions(&["astro"]);

const PHP_HOLES: &[Hole] = &[
    hole("<?php", "").until(HoleEnd::At("?>")).of(&PHP_CODE),
    hole("<?PHP", "").until(HoleEnd::At("?>")).of(&PHP_CODE),
    hole("<?=", "").until(HoleEnd::At("?>")).of(&PHP_CODE),
    hole("<?hh", "").until(HoleEnd::At("?>")).of(&PHP_CODE),
];
static PHP_DOUBLE: Quote = quote("\"").many().holes(PHP_HOLES);
static PHP_SINGLE: Quote = quote("'").many().holes(PHP_HOLES);
static PHP_PAGE: Markup = Markup {
    elements: Elements::Page,
    comments: PLAIN_COMMENTS,
    tag_comments: &[],
    holes: PHP_HOLES,
    values: [&PHP_DOUBLE, &PHP_SINGLE],
    embedded: EMBEDDED,
};
static PHP: Language = Language::markup("PHP", &PHP_PAGE)
    .extensions(&["php", "phtml", "php3", "php4", "php5", "php7", "phps", "hack"])
    .interpreters(&["php"]);

const RUBY_HOLES: &[Hole] = &[hole("<%", "").until(HoleEnd::First("%>")).of(&RUBY)];
static RUBY_DOUBLE: Quote = quote("\"").many().holes(RUBY_HOLES);
static RUBY_SINGLE: Quote = quote("'").many().holes(RUBY_HOLES);
static ERB_PAGE: Markup = Markup {
    elements: Elements::Page,
    comments: COMMENTS,
    tag_comments: &[],
    holes: RUBY_HOLES,
    values: [&RUBY_DOUBLE, &RUBY_SINGLE],
    embedded: EMBEDDED,
};
static ERB: Language = Language::markup("ERB", &ERB_PAGE).extensions(&["erb", "rhtml"]);

const SCRIPT_HOLES: &[Hole] = &[hole("<%", "").until(HoleEnd::First("%>")).of(&JAVASCRIPT)];
static SCRIPT_DOUBLE: Quote = quote("\"").many().holes(SCRIPT_HOLES);
static SCRIPT_SINGLE: Quote = quote("'").many().holes(SCRIPT_HOLES);
static EJS_PAGE: Markup = Markup {
    elements: Elements::Page,
    comments: COMMENTS,
    tag_comments: &[],
    holes: SCRIPT_HOLES,
    values: [&SCRIPT_DOUBLE, &SCRIPT_SINGLE],
    embedded: EMBEDDED,
};
static EJS: Language = Language::markup("EJS", &EJS_PAGE).extensions(&["ejs"]);

const ELIXIR_HOLES: &[Hole] =
    &[hole("<%", "").until(HoleEnd::First("%>")).of(&ELIXIR), hole("{", "{}").of(&ELIXIR)];
static ELIXIR_DOUBLE: Quote = quote("\"").many().holes(ELIXIR_HOLES);
static ELIXIR_SINGLE: Quote = quote("'").many().holes(ELIXIR_HOLES);
static EEX_PAGE: Markup = Markup {
    elements: Elements::Page,
    comments: &[("<!--", "-->"), ("<%!--", "--%>"), ("<%#", "%>")],
    tag_comments: &[],
    holes: ELIXIR_HOLES,
    values: [&ELIXIR_DOUBLE, &ELIXIR_SINGLE],
    embedded: EMBEDDED,
};
static EEX: Language = Language::markup("EEx", &EEX_PAGE).extensions(&["eex", "heex", "leex"]);

const JAVA_HOLES: &[Hole] = &[hole("<%", "").until(HoleEnd::First("%>")).of(&JAVA)];
static JAVA_DOUBLE: Quote = quote("\"").many().holes(JAVA_HOLES);
static JAVA_SINGLE: Quote = quote("'").many().holes(JAVA_HOLES);
static JSP_PAGE: Markup = Markup {
    elements: Elements::Page,
    comments: &[("<%--", "--%>"), ("<!--", "-->")],
    tag_comments: &[],
    holes: JAVA_HOLES,
    values: [&JAVA_DOUBLE, &JAVA_SINGLE],
    embedded: EMBEDDED,
};
static JSP: Language = Language::markup("JSP", &JSP_PAGE).extensions(&["jsp", "jspx", "jspf", "tag"]);

static XML_PAGE: Markup = Markup {
    elements: Elements::Page,
    comments: PLAIN_COMMENTS,
    tag_comments: &[],
    holes: &[],
    values: VALUES,
    embedded: &[],
};
static XML: Language = Language::markup("XML", &XML_PAGE).extensions(&[
    "xml",
    "xsd",
    "xsl",
    "xslt",
    "dtd",
    "svg",
    "plist",
    "xaml",
    "axaml",
    "fxml",
    "csproj",
    "fsproj",
    "vbproj",
    "vcxproj",
    "props",
    "targets",
    "resx",
    "nuspec",
    "storyboard",
    "xib",
    "wsdl",
    "rss",
    "atom",
    "kml",
    "gpx",
    "qrc",
    "ui",
    "launch",
    "urdf",
    "iml",
    "wxs",
    "rng",
    "pom",
    "opf",
    "ncx",
    "xlf",
    "xliff",
    "entitlements",
]);

/// Prose, code spans and fenced blocks are code; comments of HTML and of MDX are comments.
pub(in super::super) static MARKDOWN: Language = Language::new(
    "Markdown",
    &[
        string("")
            .fence(Fence::Run { byte: b'`', min: 3 }, "")
            .closed_by("")
            .as_code()
            .many()
            .closed_at(CloseAt::FirstOnLine)
            .at(At::FirstOnLine),
        string("")
            .fence(Fence::Run { byte: b'~', min: 3 }, "")
            .closed_by("")
            .as_code()
            .many()
            .closed_at(CloseAt::FirstOnLine)
            .at(At::FirstOnLine),
        string("").fence(Fence::Run { byte: b'`', min: 1 }, "").closed_by("").as_code().closed(),
        block("<!--", "-->"),
        block("{/*", "*/}"),
        line("[//]: #").at(At::LineStart),
        ESCAPED_CODE,
    ],
)
.extensions(&["md", "markdown", "mdown", "mkd", "mdx", "mdc", "rmd", "qmd"]);
