//! Data and configuration languages with strings of their own.

use super::super::Language;
use super::super::build::{escaped, hole, quote, rule, string};
use super::super::lines::LineEnds;
use super::super::rule::{At, Bracket, CloseAt, Escape, Heredoc, Hole, Quote, RuleKind, TagEnd, Tags};
use super::{BLOCK, DOLLAR_BRACES, DOUBLE, DOUBLED_SINGLE, HASH, LEVEL, SINGLE, SLASHES, VERBATIM};

pub(super) static LANGUAGES: &[&Language] =
    &[&YAML, &TOML, &HCL, &CMAKE, &PUPPET, &JSONNET, &CUE, &BICEP, &JQ, &REGO, &TYPST];

static YAML: Language = Language::new(
    "YAML",
    &[
        rule("\n", RuleKind::YamlLine),
        rule("\r", RuleKind::YamlLine),
        HASH.at(At::AfterBlank),
        DOUBLE.many().at(At::Scalar),
        string("'").many().escapes(DOUBLED_SINGLE).at(At::Scalar),
        rule("|", RuleKind::BlockScalar).at(At::Scalar),
        rule(">", RuleKind::BlockScalar).at(At::Scalar),
        rule("[", RuleKind::Flow(Bracket::Opens)),
        rule("{", RuleKind::Flow(Bracket::Opens)),
        rule("]", RuleKind::Flow(Bracket::Closes)),
        rule("}", RuleKind::Flow(Bracket::Closes)),
    ],
)
.line_ends(LineEnds::CR)
.extensions("yaml yml eyaml sls cff")
.names(".clang-format .clang-tidy .clangd .yamllint .prettierrc .stylelintrc pubspec.lock");

static TOML: Language = Language::new(
    "TOML",
    &[
        HASH,
        escaped("\"\"\"").many().closed_at(CloseAt::LastOfRun),
        string("'''").many().closed_at(CloseAt::LastOfRun),
        DOUBLE,
        string("'"),
    ],
)
.extensions("toml lock")
.names("pipfile cargo.lock poetry.lock uv.lock");

const HCL_HOLES: &[Hole] = &[hole("${", "{}"), hole("%{", "{}")];
const HCL_ESCAPES: &[Escape] = &[Escape::Exact("$${"), Escape::Exact("%%{"), Escape::Next(b'\\')];
static HCL_TEXT: Quote =
    quote("").many().escapes(&[Escape::Exact("$${"), Escape::Exact("%%{")]).holes(HCL_HOLES);

static HCL: Language = Language::new(
    "HCL",
    &[
        HASH,
        SLASHES,
        BLOCK,
        string("\"").escapes(HCL_ESCAPES).holes(HCL_HOLES),
        rule(
            "<<",
            RuleKind::Heredoc(Heredoc {
                indent_marks: "-",
                tags: Tags::Script,
                ends: TagEnd::Indented,
                live: &HCL_TEXT,
                raw: &HCL_TEXT,
            }),
        ),
    ],
)
.extensions("tf tfvars hcl nomad tofu");

static CMAKE: Language = Language::new(
    "CMake",
    &[
        string("#[").fence(LEVEL, "[").closed_by_parts("]", "]").zone(super::super::Zone::Comment).many(),
        HASH,
        rule("\\", RuleKind::Letter),
        string("[").fence(LEVEL, "[").closed_by_parts("]", "]").many(),
        DOUBLE.many(),
    ],
)
.extensions("cmake")
.names("cmakelists.txt");

static PUPPET: Language =
    Language::new("Puppet", &[HASH, BLOCK, DOUBLE.many().holes(DOLLAR_BRACES), SINGLE.many()])
        .extensions("pp");

static JSONNET: Language = Language::new(
    "Jsonnet",
    &[
        HASH,
        SLASHES,
        BLOCK,
        string("|||").many(),
        VERBATIM,
        string("@'").closed_by("'").many().escapes(DOUBLED_SINGLE),
        DOUBLE.many(),
        SINGLE.many(),
    ],
)
.extensions("jsonnet libsonnet vcl pkl");

const CUE_HOLES: &[Hole] = &[hole("\\(", "()")];

static CUE: Language = Language::new(
    "CUE",
    &[
        SLASHES,
        escaped("\"\"\"").many().holes(CUE_HOLES),
        escaped("'''").many().holes(CUE_HOLES),
        DOUBLE.holes(CUE_HOLES),
        SINGLE.holes(CUE_HOLES),
    ],
)
.extensions("cue");

static BICEP: Language =
    Language::new("Bicep", &[SLASHES, BLOCK, string("'''").many(), SINGLE.holes(DOLLAR_BRACES)])
        .extensions("bicep bicepparam");

static JQ: Language =
    Language::new("jq", &[HASH, DOUBLE.many().holes(CUE_HOLES)]).extensions("jq").interpreters("jq");

static REGO: Language = Language::new("Rego", &[HASH, DOUBLE, string("`").many()]).extensions("rego");

static TYPST: Language =
    Language::new("Typst", &[SLASHES, BLOCK, rule("\\", RuleKind::Letter), DOUBLE.closed()])
        .extensions("typ");
