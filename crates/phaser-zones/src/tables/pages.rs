//! Markup: HTML and pages with code, XML, Markdown.

use super::super::Language;
use super::super::build::{ESCAPED_CODE, block, comment, escaped, hole, line, quote, skip, string};
use super::super::rule::{
    At, CloseAt, Elements, Embedded, Fence, Hole, HoleEnd, Markup, MarkupComment, Rule,
};
use super::super::template::Template;
use super::jvm::JAVA;
use super::ruby::{ELIXIR, RUBY};
use super::styles::{CSS, LESS, SCSS};
use super::web::{JAVASCRIPT, JSON, PHP_CODE, TSX, TYPESCRIPT};

pub(super) static LANGUAGES: &[&Language] =
    &[&HTML, &VUE, &SVELTE, &ASTRO, &PHP, &ERB, &EJS, &EEX, &JSP, &XML, &MARKDOWN];

/// Comments of HTML and of the template languages that pages are written in.
const COMMENTS: &[MarkupComment] = &[
    comment("<!-->", &[""]),
    comment("<!--->", &[""]),
    comment("<!--", &["-->", "--!>"]),
    comment("{{!--", &["--}}"]),
    comment("{{!", &["}}"]),
    comment("{{--", &["--}}"]),
    comment("{{/*", &["*/}}"]),
    comment("{{- /*", &["}}"]),
    comment("{#", &["#}"]),
    comment("<%--", &["--%>"]),
    comment("<%#", &["%>"]),
    comment("@*", &["*@"]),
];
const HTML_COMMENTS: &[MarkupComment] = COMMENTS.split_at(3).0;
const XML_COMMENTS: &[MarkupComment] = &[comment("<!--", &["-->"])];

/// A page in which `holes` are code, in values of attributes as well if `in_values`.
const fn page(
    comments: &'static [MarkupComment],
    holes: &'static [Hole],
    in_values: &'static [Hole],
    embedded: &'static [Embedded],
) -> Markup {
    Markup {
        elements: Elements::Page,
        comments,
        tag_comments: &[],
        holes,
        values: [quote("\"").many().holes(in_values), quote("'").many().holes(in_values)],
        embedded,
    }
}

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
static HTML_PAGE: Markup = page(COMMENTS, TEMPLATE_HOLES, TEMPLATE_HOLES, EMBEDDED);
static HTML: Language = Language::markup("HTML", &HTML_PAGE).extensions(
    "html htm xhtml cshtml razor vbhtml asp aspx ascx marko hbs handlebars mustache twig liquid njk",
);

const VUE_HOLES: &[Hole] = &[hole("{{", "").until(HoleEnd::Near("}}")).of(&TYPESCRIPT)];
static VUE_PAGE: Markup = page(XML_COMMENTS, VUE_HOLES, &[], EMBEDDED);
static VUE: Language = Language::markup("Vue", &VUE_PAGE).extensions("vue");

/// The openers of code in a page with braces. `{/if}` must not start a regular expression.
const BRACES: &[Hole] = &[
    hole("{/", "{}").of(&TYPESCRIPT),
    hole("{#", "{}").of(&TYPESCRIPT),
    hole("{:", "{}").of(&TYPESCRIPT),
    hole("{@", "{}").of(&TYPESCRIPT),
    hole("{", "{}").of(&TYPESCRIPT),
];
static SVELTE_PAGE: Markup = page(XML_COMMENTS, BRACES, BRACES, EMBEDDED);
static SVELTE: Language = Language::markup("Svelte", &SVELTE_PAGE).extensions("svelte");

const ASTRO_HOLES: &[Hole] =
    &[hole("---\n", "").until(HoleEnd::First("\n---")).of(&TYPESCRIPT), hole("{", "{}").of(&TSX)];
static ASTRO_PAGE: Markup = page(XML_COMMENTS, ASTRO_HOLES, &[], EMBEDDED);
static ASTRO: Language = Language::markup("Astro", &ASTRO_PAGE).extensions("astro");

/// The page around the code of a template.
static PAGE_AROUND: Language = Language::markup("page", &PAGE);
static PAGE: Markup = page(HTML_COMMENTS, &[], &[], EMBEDDED);

const fn php(open: &'static str) -> Hole {
    hole(open, "").until(HoleEnd::At("?>")).of(&PHP_CODE)
}
static PHP_TEMPLATE: Template = Template {
    literals: &["<?xml"],
    comments: &[],
    holes: &[php("<?php"), php("<?PHP"), php("<?="), php("<?hh"), php("<?")],
    outputs: &["<?="],
    page: &PAGE_AROUND,
};
static PHP: Language = Language::template("PHP", &PHP_TEMPLATE)
    .extensions("php phtml php3 php4 php5 php7 phps hack")
    .interpreters("php");

const fn percent(language: &'static Language) -> Hole {
    hole("<%", "").until(HoleEnd::First("%>")).of(language)
}
const PERCENT_COMMENTS: &[MarkupComment] = &[comment("<%--", &["--%>"]), comment("<%#", &["%>"])];

static ERB_TEMPLATE: Template = Template {
    literals: &["<%%"],
    comments: PERCENT_COMMENTS,
    holes: &[percent(&RUBY)],
    outputs: &["<%="],
    page: &PAGE_AROUND,
};
static ERB: Language = Language::template("ERB", &ERB_TEMPLATE).extensions("erb rhtml");

static EJS_TEMPLATE: Template =
    Template { holes: &[percent(&JAVASCRIPT)], outputs: &["<%=", "<%-"], ..ERB_TEMPLATE };
static EJS: Language = Language::template("EJS", &EJS_TEMPLATE).extensions("ejs");

static EEX_PAGE: Markup = page(HTML_COMMENTS, ELIXIR_HOLES, ELIXIR_HOLES, EMBEDDED);
const ELIXIR_HOLES: &[Hole] = &[hole("{", "{}").of(&ELIXIR)];
static EEX_AROUND: Language = Language::markup("HEEx page", &EEX_PAGE);
static EEX_TEMPLATE: Template = Template {
    comments: &[comment("<%!--", &["--%>"]), comment("<%#", &["%>"])],
    holes: &[percent(&ELIXIR)],
    page: &EEX_AROUND,
    ..ERB_TEMPLATE
};
static EEX: Language = Language::template("EEx", &EEX_TEMPLATE).extensions("eex heex leex");

static JSP_TEMPLATE: Template =
    Template { literals: &["<\\%"], comments: PERCENT_COMMENTS, holes: &[percent(&JAVA)], ..ERB_TEMPLATE };
static JSP: Language = Language::template("JSP", &JSP_TEMPLATE).extensions("jsp jspx jspf tag");

static XML_PAGE: Markup = page(XML_COMMENTS, &[], &[], &[]);
static XML: Language = Language::markup("XML", &XML_PAGE).extensions(
    "xml xsd xsl xslt dtd svg plist xaml axaml fxml csproj fsproj vbproj vcxproj props targets resx \
    nuspec storyboard xib wsdl rss atom kml gpx qrc ui launch urdf iml wxs rng pom opf ncx xlf xliff \
    entitlements",
);

const fn fenced(byte: u8) -> Rule {
    let block = string("").fence(Fence::Run { byte, min: 3 }, "").closed_by("").as_code().many();
    block.closed_at(CloseAt::FirstOnLine).at(At::FirstOnLine)
}

/// Prose, code spans and fenced blocks are code; comments of HTML and of MDX are comments.
pub(in super::super) static MARKDOWN: Language = Language::new(
    "Markdown",
    &[
        fenced(b'`'),
        fenced(b'~'),
        string("").fence(Fence::Run { byte: b'`', min: 1 }, "").closed_by("").as_code().closed(),
        skip("<!-->"),
        skip("<!--->"),
        block("<!--", "-->"),
        block("{/*", "*/}"),
        line("[//]: #").at(At::LineStart),
        ESCAPED_CODE,
    ],
)
.extensions("md markdown mdown mkd mdx mdc rmd qmd");
