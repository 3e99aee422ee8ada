//! Data and configuration languages with strings of their own.

use super::super::Language;
use super::super::build::{block, escaped, hole, line, quote, rule, string};
use super::super::rule::{At, Bracket, Escape, Fence, Heredoc, Hole, Quote, Rule, RuleKind, TagEnd, Tags};
use super::DOUBLED_SINGLE;

pub(super) static LANGUAGES: &[&Language] =
    &[&YAML, &TOML, &HCL, &CMAKE, &PUPPET, &JSONNET, &CUE, &BICEP, &JQ, &REGO, &TYPST];

const HASH: Rule = line("#");

static YAML: Language = Language::new(
    "YAML",
    &[
        rule("\n", RuleKind::YamlLine),
        HASH.at(At::AfterBlank),
        escaped("\"").many().at(At::Scalar),
        string("'").many().escapes(DOUBLED_SINGLE).at(At::Scalar),
        rule("|", RuleKind::BlockScalar).at(At::Scalar),
        rule(">", RuleKind::BlockScalar).at(At::Scalar),
        rule("[", RuleKind::Flow(Bracket::Opens)),
        rule("{", RuleKind::Flow(Bracket::Opens)),
        rule("]", RuleKind::Flow(Bracket::Closes)),
        rule("}", RuleKind::Flow(Bracket::Closes)),
    ],
)
.extensions(&["yaml", "yml", "eyaml", "sls", "cff"])
.names(&[
    ".clang-format",
    ".clang-tidy",
    ".clangd",
    ".yamllint",
    ".prettierrc",
    ".stylelintrc",
    "pubspec.lock",
]);

static TOML: Language = Language::new(
    "TOML",
    &[
        HASH,
        escaped("\"\"\"").many().closed_at(super::super::rule::CloseAt::LastOfRun),
        string("'''").many().closed_at(super::super::rule::CloseAt::LastOfRun),
        escaped("\""),
        string("'"),
    ],
)
.extensions(&["toml", "lock"])
.names(&["pipfile", "cargo.lock", "poetry.lock", "uv.lock"]);

const HCL_HOLES: &[Hole] = &[hole("${", "{}"), hole("%{", "{}")];
const HCL_ESCAPES: &[Escape] = &[Escape::Exact("$${"), Escape::Exact("%%{"), Escape::Next(b'\\')];
static HCL_TEXT: Quote =
    quote("").many().escapes(&[Escape::Exact("$${"), Escape::Exact("%%{")]).holes(HCL_HOLES);

static HCL: Language = Language::new(
    "HCL",
    &[
        HASH,
        line("//"),
        block("/*", "*/"),
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
.extensions(&["tf", "tfvars", "hcl", "nomad", "tofu"]);

const LEVEL: Fence = Fence::Run { byte: b'=', min: 0 };

static CMAKE: Language = Language::new(
    "CMake",
    &[
        string("#[").fence(LEVEL, "[").closed_by_parts("]", "]").zone(super::super::Zone::Comment).many(),
        HASH,
        rule("\\", RuleKind::Letter),
        string("[").fence(LEVEL, "[").closed_by_parts("]", "]").many(),
        escaped("\"").many(),
    ],
)
.extensions(&["cmake"])
.names(&["cmakelists.txt"]);

static PUPPET: Language = Language::new(
    "Puppet",
    &[HASH, block("/*", "*/"), escaped("\"").many().holes(&[hole("${", "{}")]), escaped("'").many()],
)
.extensions(&["pp"]);

static JSONNET: Language = Language::new(
    "Jsonnet",
    &[
        HASH,
        line("//"),
        block("/*", "*/"),
        string("|||").many(),
        string("@\"").closed_by("\"").many().escapes(super::DOUBLED_DOUBLE),
        string("@'").closed_by("'").many().escapes(DOUBLED_SINGLE),
        escaped("\"").many(),
        escaped("'").many(),
    ],
)
.extensions(&["jsonnet", "libsonnet", "vcl", "pkl"]);

const CUE_HOLES: &[Hole] = &[hole("\\(", "()")];

static CUE: Language = Language::new(
    "CUE",
    &[
        line("//"),
        escaped("\"\"\"").many().holes(CUE_HOLES),
        escaped("'''").many().holes(CUE_HOLES),
        escaped("\"").holes(CUE_HOLES),
        escaped("'").holes(CUE_HOLES),
    ],
)
.extensions(&["cue"]);

static BICEP: Language = Language::new(
    "Bicep",
    &[line("//"), block("/*", "*/"), string("'''").many(), escaped("'").holes(&[hole("${", "{}")])],
)
.extensions(&["bicep", "bicepparam"]);

static JQ: Language = Language::new("jq", &[HASH, escaped("\"").many().holes(CUE_HOLES)])
    .extensions(&["jq"])
    .interpreters(&["jq"]);

static REGO: Language =
    Language::new("Rego", &[HASH, escaped("\""), string("`").many()]).extensions(&["rego"]);

static TYPST: Language = Language::new(
    "Typst",
    &[line("//"), block("/*", "*/"), rule("\\", RuleKind::Letter), escaped("\"").closed()],
)
.extensions(&["typ"]);
