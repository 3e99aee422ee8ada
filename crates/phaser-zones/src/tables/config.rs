//! Plain configuration files. Quotes count only when they close on their line: elsewhere they are apostrophes.

use super::super::Language;
use super::super::build::{ESCAPED_CODE, block, escaped, line, string};
use super::super::rule::{At, Rule};

pub(super) static LANGUAGES: &[&Language] = &[
    &INI,
    &PROPERTIES,
    &CONFIGURATION,
    &DOTENV,
    &IGNORE,
    &KCONFIG,
    &GHERKIN,
    &GETTEXT,
    &VIM,
    &ASCIIDOC,
    &ORG,
    &SED,
    &PUG,
    &HAML,
];

const HASH_FIRST: Rule = line("#").at(At::FirstOnLine);
const SEMICOLON_FIRST: Rule = line(";").at(At::FirstOnLine);
const DOUBLE: Rule = escaped("\"").closed();
const SINGLE: Rule = string("'").closed();

pub(in super::super) static INI: Language = Language::new("INI", &[HASH_FIRST, SEMICOLON_FIRST, DOUBLE])
    .extensions("ini cfg desktop inf reg service timer socket mount target editorconfig")
    .names(
        ".editorconfig .npmrc .gitconfig .gitmodules .pylintrc .flake8 .coveragerc tox.ini .hgrc \
        .pypirc",
    );

static PROPERTIES: Language =
    Language::new("properties", &[HASH_FIRST, line("!").at(At::FirstOnLine)]).extensions("properties");

static CONFIGURATION: Language = Language::new(
    "configuration",
    &[line("#").at(At::AfterBlank), ESCAPED_CODE, DOUBLE.at(At::AfterBlank), SINGLE.at(At::AfterBlank)],
)
.extensions("conf cnf gnuplot gp spec robot nft rules pro")
.names(
    "requirements.txt constraints.txt robots.txt codeowners .gitattributes .mailmap .inputrc \
    .tmux.conf .curlrc .wgetrc .tool-versions .rspec procfile caddyfile doxyfile",
)
.interpreters("gnuplot nft");

pub(in super::super) static DOTENV: Language =
    Language::new("dotenv", &[line("#").at(At::AfterBlank), DOUBLE, SINGLE]).extensions("env").names(".env");

pub(in super::super) static IGNORE: Language = Language::new("ignore file", &[line("#").at(At::LineStart)]);

static KCONFIG: Language =
    Language::new("Kconfig", &[line("#").at(At::AfterBlank), DOUBLE, SINGLE.at(At::AfterBlank)])
        .names("kconfig");

static GHERKIN: Language =
    Language::new("Gherkin", &[HASH_FIRST, string("\"\"\"").many(), DOUBLE]).extensions("feature");

static GETTEXT: Language = Language::new("gettext", &[HASH_FIRST, escaped("\"")]).extensions("po pot");

static VIM: Language = Language::new(
    "Vim script",
    &[
        line("\"").at(At::FirstOnLine),
        HASH_FIRST,
        escaped("\"").closed(),
        line("\"").at(At::AfterBlank),
        string("'").closed().escapes(super::DOUBLED_SINGLE),
    ],
)
.extensions("vim")
.names(".vimrc .gvimrc .ideavimrc vimrc _vimrc");

static ASCIIDOC: Language =
    Language::new("AsciiDoc", &[block("////", "////").at(At::LineStart), line("//").at(At::LineStart)])
        .extensions("adoc asciidoc");

static ORG: Language = Language::new("Org", &[line("# ").at(At::FirstOnLine)]).extensions("org");

static SED: Language = Language::new("sed", &[HASH_FIRST]).extensions("sed").interpreters("sed");

static PUG: Language =
    Language::new("Pug", &[line("//").at(At::FirstOnLine), DOUBLE, SINGLE]).extensions("pug jade");

static HAML: Language =
    Language::new("Haml", &[line("/").at(At::FirstOnLine), line("-#").at(At::FirstOnLine), DOUBLE])
        .extensions("haml slim");
