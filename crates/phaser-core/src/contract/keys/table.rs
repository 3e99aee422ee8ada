//! The rows of the table.

use serde_json::{Value as Json, json};

use super::super::{BlockDecision, Check, ContractType, Severity, Zone};
use super::{
    ContractBuilder, ContractKey, KeyRequired, LocatedText, MAX_ID, MAX_PATTERN, MAX_TAGS, V1_2Position,
    Value, ValueShape,
};
use crate::check::{AppendRule, FileUnchanged, OperandRule, TYPES};
use crate::code::CodeSource;
use crate::file_kind::FileKind;
use crate::verify::Verifier;
use phaser_glob::MAX_GLOB_LEN;

/// The values that most rows share.
const USUAL: ContractKey = ContractKey {
    name: "",
    mistaken_for: &[],
    v1_2: V1_2Position::Either,
    required: KeyRequired::Never,
    shape: ValueShape::Examples,
    quoted: false,
    in_row: true,
    meaning: "",
    v1_2_meaning: None,
    schema: || Json::Null,
};

/// All keys, in the order they are written and shown.
pub static KEYS: [ContractKey; 33] = [
    ContractKey {
        name: "rule_id",
        mistaken_for: &["id", "name"],
        v1_2: V1_2Position::InRule(&["id", "rule_id"]),
        required: KeyRequired::Always,
        shape: ValueShape::Text {
            set: ContractBuilder::set_id,
            get: |contract| Some(LocatedText::anywhere(&contract.id)),
        },
        in_row: false,
        meaning: "Unique name, used in reports and ignore directives: letters, digits and hyphens.",
        schema: || json!({ "type": "string", "pattern": format!("^[A-Za-z0-9-]{{1,{MAX_ID}}}$") }),
        ..USUAL
    },
    ContractKey {
        name: "type",
        mistaken_for: &["kind"],
        v1_2: V1_2Position::InRule(&["type"]),
        required: KeyRequired::Always,
        shape: ValueShape::Text {
            set: ContractBuilder::set_kind,
            get: |contract| Some(LocatedText::anywhere(contract.kind.name)),
        },
        meaning: "What the contract requires or forbids.",
        schema: || {
            let one = |kind: &ContractType| json!({ "const": kind.name, "description": kind.meaning });
            json!({ "oneOf": TYPES.map(one) })
        },
        ..USUAL
    },
    ContractKey {
        name: "pattern",
        mistaken_for: &["regex", "regexp", "match"],
        v1_2: V1_2Position::InRule(&["pattern"]),
        required: KeyRequired::ByType,
        shape: ValueShape::Text {
            set: ContractBuilder::set_pattern,
            get: |contract| {
                contract
                    .check
                    .pattern()
                    .map(|pattern| LocatedText::new(pattern.source.as_str(), pattern.line))
            },
        },
        quoted: true,
        meaning: "Regular expression, in single quotes.",
        v1_2_meaning: Some("Regular expression; literal text for `file_contains` and `file_not_contains`."),
        schema: || json!({ "type": "string", "minLength": 1, "maxLength": MAX_PATTERN }),
        ..USUAL
    },
    ContractKey {
        name: "code",
        mistaken_for: &["rule", "ast", "ast_grep", "syntax"],
        v1_2: V1_2Position::InRule(&["code"]),
        required: KeyRequired::ByType,
        shape: ValueShape::TextOrObject {
            set: ContractBuilder::set_code,
            get: |contract| {
                let code = contract.check.code()?;
                let text = LocatedText::new(code.source.as_str(), code.line);
                Some(match code.source {
                    CodeSource::Pattern(_) => Value::Text(text),
                    CodeSource::Rule(_) => Value::Object(text),
                })
            },
        },
        quoted: true,
        meaning: "Code pattern with metavariables, as `eval($X)` or `log($$$ARGS)`, or an ast-grep rule: `pattern`, `kind`, \
                  `regex`, `any`, `all`, `not`, `inside`, `has`, with `constraints` beside them. Only for `forbid_code` and \
                  `require_code`.",
        schema: || {
            let pattern = json!({ "type": "string", "minLength": 1, "maxLength": MAX_PATTERN });
            json!({ "anyOf": [pattern, { "type": "object" }] })
        },
        ..USUAL
    },
    ContractKey {
        name: "language",
        mistaken_for: &["lang", "languages"],
        v1_2: V1_2Position::InRule(&["language"]),
        shape: ValueShape::Text {
            set: ContractBuilder::set_language,
            get: |contract| Some(LocatedText::anywhere(contract.check.code()?.language.as_deref()?)),
        },
        meaning: "Language that `code` is written in. Without it, that of the name of each file.",
        schema: || json!({ "type": "string" }),
        ..USUAL
    },
    ContractKey {
        name: "file_glob",
        mistaken_for: &["glob", "globs", "files", "paths", "include"],
        v1_2: V1_2Position::InRule(&["file_glob"]),
        required: KeyRequired::UnlessOptional,
        shape: ValueShape::TextOrList {
            set: ContractBuilder::set_globs,
            get: |contract| {
                let is_optional = contract.check.reads_messages() || contract.check.reads_commands();
                let is_given = !is_optional || !contract.is_about_every_file();
                is_given.then(|| LocatedText::new(contract.glob.as_str(), contract.glob_line))
            },
        },
        quoted: true,
        meaning: "Files the contract applies to, relative to the project root: one glob or a list. `*` and `?` do \
                  not match `/`, `**` does; `{a,b}`, `[abc]` and `[!abc]` are supported.",
        v1_2_meaning: Some(
            "Files the contract applies to, relative to the project root: one glob or a list.",
        ),
        schema: globs_schema,
        ..USUAL
    },
    ContractKey {
        name: "exclude_glob",
        mistaken_for: &["exclude", "excludes", "exclude_globs", "ignore", "except", "skip"],
        v1_2: V1_2Position::InRule(&["exclude_glob"]),
        shape: ValueShape::TextOrList {
            set: ContractBuilder::set_exclude,
            get: |contract| {
                contract.exclude.as_ref().map(|exclude| LocatedText::new(exclude.glob.as_str(), exclude.line))
            },
        },
        quoted: true,
        meaning: "Files the contract does not apply to: one glob or a list.",
        schema: globs_schema,
        ..USUAL
    },
    ContractKey {
        name: "file_kind",
        mistaken_for: &["file_kinds", "kinds", "only_kind"],
        v1_2: V1_2Position::InRule(&["file_kind"]),
        shape: ValueShape::Choices {
            set: ContractBuilder::set_file_kind,
            get: |contract| contract.kinds.only.names(),
        },
        meaning: "Kind of files the contract applies to: `tests`, `generated`, `vendored`, `recorded`, or a list.",
        schema: kinds_schema,
        ..USUAL
    },
    ContractKey {
        name: "exclude_kind",
        mistaken_for: &["exclude_kinds", "not_in", "skip_kind"],
        v1_2: V1_2Position::InRule(&["exclude_kind"]),
        shape: ValueShape::Choices {
            set: ContractBuilder::set_exclude_kind,
            get: |contract| contract.kinds.exclude.names(),
        },
        meaning: "Kind of files the contract does not apply to: `tests`, `generated`, `vendored`, `recorded`, or a list.",
        schema: kinds_schema,
        ..USUAL
    },
    ContractKey {
        name: "in",
        mistaken_for: &["zone", "zones", "where", "within", "scope"],
        v1_2: V1_2Position::InRule(&["in"]),
        shape: ValueShape::Choices {
            set: ContractBuilder::set_zones,
            get: |contract| contract.zones.iter().map(|zone| zone.as_str()).collect(),
        },
        meaning: "Zone in which a match must start: `code`, `comments`, `strings`, or a list. Without it, and in \
                  files of an unknown language, every match counts.",
        schema: || {
            let zone = json!({ "enum": Zone::ALL.map(Zone::as_str) });
            json!({ "anyOf": [zone, { "type": "array", "items": zone, "minItems": 1 }] })
        },
        ..USUAL
    },
    ContractKey {
        name: "verify",
        mistaken_for: &["verifier", "verifiers", "entropy", "min_entropy", "checksum"],
        v1_2: V1_2Position::InRule(&["verify"]),
        shape: ValueShape::Choices {
            set: ContractBuilder::set_verify,
            get: |contract| contract.check.verifiers().iter().map(|one| one.as_str()).collect(),
        },
        meaning: "Test that a match, or its group `secret`, must pass to count: `random` (no placeholder, no published \
                  value, enough entropy), `github` (checksum of GitHub's and npm's tokens), `jwt` (a JSON Web Token that is \
                  valid for more than a year), or a list of which all must pass. Only for `forbid_pattern` and \
                  `file_not_contains`.",
        schema: || {
            let one = json!({ "enum": Verifier::ALL.map(Verifier::as_str) });
            json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
        },
        ..USUAL
    },
    ContractKey {
        name: "max_lines",
        mistaken_for: &["lines", "line_limit"],
        v1_2: V1_2Position::InRule(&["max_lines"]),
        required: KeyRequired::ByType,
        shape: ValueShape::Number {
            set: ContractBuilder::set_max_lines,
            get: |contract| contract.check.limit()?.lines,
        },
        quoted: false,
        in_row: true,
        meaning: "The largest number of lines of a file. Only for `file_size`.",
        v1_2_meaning: None,
        schema: || json!({ "type": "integer", "minimum": 0 }),
    },
    ContractKey {
        name: "max_bytes",
        mistaken_for: &["bytes", "size", "max_size"],
        v1_2: V1_2Position::InRule(&["max_bytes"]),
        required: KeyRequired::ByType,
        shape: ValueShape::Number {
            set: ContractBuilder::set_max_bytes,
            get: |contract| contract.check.limit()?.bytes,
        },
        quoted: false,
        in_row: true,
        meaning: "The largest number of bytes of a file. Only for `file_size`.",
        v1_2_meaning: None,
        schema: || json!({ "type": "integer", "minimum": 0 }),
    },
    ContractKey {
        name: "append",
        mistaken_for: &["append_only", "allow_append"],
        v1_2: V1_2Position::InRule(&["append"]),
        required: KeyRequired::ByType,
        shape: ValueShape::Text {
            set: ContractBuilder::set_append,
            get: |contract| match &contract.check {
                Check::Unchanged(FileUnchanged { append: AppendRule::Allow }) => {
                    Some(LocatedText::anywhere(AppendRule::Allow.as_str()))
                }
                _ => None,
            },
        },
        meaning: "`allow` allows changes that only add lines to the end. Only for `file_unchanged`. Default: `deny`.",
        schema: || json!({ "enum": AppendRule::ALL.map(AppendRule::as_str) }),
        ..USUAL
    },
    ContractKey {
        name: "import",
        mistaken_for: &["imports", "module", "modules"],
        v1_2: V1_2Position::InRule(&["import"]),
        required: KeyRequired::ByType,
        shape: ValueShape::Texts {
            set: ContractBuilder::set_imports,
            get: |contract| contract.check.imports().map_or(&[], |imports| &imports.globs),
        },
        quoted: true,
        meaning: "Glob of the modules that may not be imported, or a list of them. A relative import, and one that the \
                  project's own files resolve, is compared as a path; any other one by the module's name. Only for \
                  `forbid_import`.",
        schema: texts_schema,
        ..USUAL
    },
    ContractKey {
        name: "companion",
        mistaken_for: &["companions", "with", "sibling", "partner"],
        v1_2: V1_2Position::InRule(&["companion"]),
        required: KeyRequired::ByType,
        shape: ValueShape::Texts {
            set: ContractBuilder::set_companions,
            get: |contract| contract.check.companion().map_or(&[], |companion| &companion.paths),
        },
        quoted: true,
        meaning: "Path of the companion, or a list of which one is enough; `{dir}`, `{name}`, `{stem}` and `{ext}` are \
                  those of the file. Only for `companion_exists` and `companion_changed`.",
        schema: texts_schema,
        ..USUAL
    },
    ContractKey {
        name: "command",
        mistaken_for: &["commands", "cmd", "program"],
        v1_2: V1_2Position::InRule(&["command"]),
        required: KeyRequired::ByType,
        shape: ValueShape::Texts {
            set: ContractBuilder::set_commands,
            get: |contract| contract.check.command().map_or(&[], |check| &check.commands),
        },
        quoted: true,
        meaning: "First words of the command, such as `git commit`, or a list of alternatives. Only for `forbid_command`.",
        schema: texts_schema,
        ..USUAL
    },
    ContractKey {
        name: "args",
        mistaken_for: &["arguments", "flags", "options"],
        v1_2: V1_2Position::InRule(&["args"]),
        shape: ValueShape::Texts {
            set: ContractBuilder::set_args,
            get: |contract| contract.check.command().map_or(&[], |check| &check.args),
        },
        quoted: true,
        meaning: "Arguments of which the command must have one: a word, or a list. `-n` is also in `-nm`; `NAME=value` is \
                  also an environment variable set for it, `NAME=` with any value. Only for `forbid_command`.",
        schema: texts_schema,
        ..USUAL
    },
    ContractKey {
        name: "piped_to",
        mistaken_for: &["pipe_to", "piped", "into"],
        v1_2: V1_2Position::InRule(&["piped_to"]),
        shape: ValueShape::Texts {
            set: ContractBuilder::set_piped_to,
            get: |contract| contract.check.command().map_or(&[], |check| &check.piped_to),
        },
        quoted: true,
        meaning: "Programs of which one must receive the command's output: through a pipe or, as a script, in a \
                  substitution. A shell or an interpreter counts only if it runs that output. Only for `forbid_command`.",
        schema: texts_schema,
        ..USUAL
    },
    ContractKey {
        name: "operands",
        mistaken_for: &["operand", "targets"],
        v1_2: V1_2Position::InRule(&["operands"]),
        shape: ValueShape::Text {
            set: ContractBuilder::set_operands,
            get: |contract| Some(LocatedText::anywhere(contract.check.command()?.operands?.as_str())),
        },
        meaning: "`outside`: an operand of the command must be a path outside the project and the temporary directories. \
                  Only for `forbid_command`.",
        schema: || json!({ "enum": OperandRule::ALL.map(OperandRule::as_str) }),
        ..USUAL
    },
    ContractKey {
        name: "when_exists",
        mistaken_for: &["if_exists", "requires_file"],
        v1_2: V1_2Position::InRule(&["when_exists"]),
        shape: ValueShape::Texts {
            set: ContractBuilder::set_when_exists,
            get: |contract| contract.check.command().map_or(&[], |check| &check.when_exists),
        },
        quoted: true,
        meaning: "File, or list of files, of which one must exist: in the directory that the command runs in or, if it has \
                  none of `when_exists` and `unless_exists`, in the nearest one above it. Only for `forbid_command`.",
        schema: texts_schema,
        ..USUAL
    },
    ContractKey {
        name: "unless_exists",
        mistaken_for: &["if_missing", "when_missing"],
        v1_2: V1_2Position::InRule(&["unless_exists"]),
        shape: ValueShape::Texts {
            set: ContractBuilder::set_unless_exists,
            get: |contract| contract.check.command().map_or(&[], |check| &check.unless_exists),
        },
        quoted: true,
        meaning: "File, or list of files, of which none may exist, searched as those of `when_exists`. Only for \
                  `forbid_command`.",
        schema: texts_schema,
        ..USUAL
    },
    ContractKey {
        name: "path",
        mistaken_for: &["jsonpath", "json_path", "key", "selector", "query"],
        v1_2: V1_2Position::InRule(&["path"]),
        required: KeyRequired::ByType,
        shape: ValueShape::Text {
            set: ContractBuilder::set_path,
            get: |contract| contract.check.value().map(|check| LocatedText::anywhere(check.path.as_str())),
        },
        quoted: true,
        meaning: "JSONPath (RFC 9535) of the values, such as `$.dependencies.*`. Only for `forbid_value` and \
                  `require_value`.",
        schema: || json!({ "type": "string", "pattern": "^\\$", "maxLength": MAX_PATTERN }),
        ..USUAL
    },
    ContractKey {
        name: "equals",
        mistaken_for: &["equal", "value", "values", "is"],
        v1_2: V1_2Position::InRule(&["equals"]),
        shape: ValueShape::Scalars {
            set: ContractBuilder::set_equals,
            get: |contract| {
                let equals = contract.check.value().map_or(&[][..], |check| &check.equals);
                equals.iter().map(ToString::to_string).collect()
            },
        },
        meaning: "Value, or list of values, that a value is compared with, type included: `'1'` is not `1`. Only for \
                  `forbid_value` and `require_value`.",
        schema: || {
            let scalar = json!({ "type": ["string", "number", "boolean", "null"] });
            json!({ "anyOf": [scalar, { "type": "array", "items": scalar, "minItems": 1 }] })
        },
        ..USUAL
    },
    ContractKey {
        name: "fix",
        mistaken_for: &["replacement", "replace", "replace_with", "autofix", "fixes", "fixed"],
        v1_2: V1_2Position::InRule(&["fix"]),
        shape: ValueShape::Text {
            set: ContractBuilder::set_fix,
            get: |contract| {
                contract.fix.as_ref().map(|fix| LocatedText::new(fix.template.as_str(), fix.line))
            },
        },
        quoted: true,
        meaning: "Replacement for a match, applied by `phaser fix`: `$1` and `${name}` are capture groups, `$$` is \
                  a dollar sign. In the fix of `forbid_code`, `$X` and `$$$ARGS` are metavariables; that of `forbid_value` \
                  replaces the value, that of `forbid_command` the words of `command`. Only for types that forbid something.",
        schema: || json!({ "type": ["string", "number", "boolean"], "maxLength": MAX_PATTERN }),
        ..USUAL
    },
    ContractKey {
        name: "message",
        mistaken_for: &["description", "msg", "text"],
        v1_2: V1_2Position::InRule(&["message"]),
        required: KeyRequired::Always,
        shape: ValueShape::Text {
            set: ContractBuilder::set_message,
            get: |contract| Some(LocatedText::anywhere(&contract.message)),
        },
        quoted: true,
        in_row: false,
        meaning: "Text of a violation: what to do instead.",
        schema: || json!({ "type": "string", "pattern": "\\S" }),
        ..USUAL
    },
    ContractKey {
        name: "severity",
        mistaken_for: &["level"],
        v1_2: V1_2Position::InRule(&["severity"]),
        required: KeyRequired::InFlat,
        shape: ValueShape::Text {
            set: ContractBuilder::set_severity,
            get: |contract| Some(LocatedText::anywhere(contract.severity.as_str())),
        },
        meaning: "`error` blocks an edit and fails a run; `warning` is only reported.",
        v1_2_meaning: Some("`error` (default) or `warning`."),
        schema: || json!({ "enum": [Severity::Error.as_str(), Severity::Warning.as_str()] }),
        ..USUAL
    },
    ContractKey {
        name: "decision",
        mistaken_for: &["action", "on_violation"],
        v1_2: V1_2Position::InRule(&["decision"]),
        required: KeyRequired::Never,
        shape: ValueShape::Text {
            set: ContractBuilder::set_decision,
            get: |contract| {
                let is_default = contract.decision == BlockDecision::Deny;
                (!is_default).then(|| LocatedText::anywhere(contract.decision.as_str()))
            },
        },
        quoted: false,
        in_row: true,
        meaning: "Response to an agent whose edit violates an `error` contract: `deny` (default), or `ask` the user. \
                  Commits and CI fail either way.",
        v1_2_meaning: None,
        schema: || json!({ "enum": BlockDecision::ALL.map(BlockDecision::as_str) }),
    },
    ContractKey {
        name: "rationale",
        mistaken_for: &["reason", "why"],
        v1_2: V1_2Position::InRule(&["rationale"]),
        shape: ValueShape::Text {
            set: ContractBuilder::set_rationale,
            get: |contract| contract.rationale.as_deref().map(LocatedText::anywhere),
        },
        quoted: true,
        in_row: false,
        meaning: "Why the rule exists.",
        schema: || json!({ "type": "string" }),
        ..USUAL
    },
    ContractKey {
        name: "enabled",
        mistaken_for: &["enable", "active"],
        v1_2: V1_2Position::AtTop,
        shape: ValueShape::Flag {
            set: |builder, enabled| builder.contract.enabled = enabled,
            get: |contract| Some(contract.enabled),
        },
        in_row: false,
        meaning: "`false` disables the contract. Default: `true`.",
        schema: || json!({ "type": "boolean" }),
        ..USUAL
    },
    ContractKey {
        name: "ignorable",
        mistaken_for: &["ignoreable", "suppressible", "allow_ignore"],
        v1_2: V1_2Position::InRule(&["ignorable"]),
        shape: ValueShape::Flag {
            set: |builder, ignorable| builder.contract.ignorable = ignorable,
            get: |contract| (!contract.ignorable).then_some(false),
        },
        meaning: "`false` means that no ignore directive and no baseline entry suppresses a violation. Default: \
                  `true`.",
        schema: || json!({ "type": "boolean" }),
        ..USUAL
    },
    ContractKey {
        name: "tags",
        mistaken_for: &["tag", "labels"],
        v1_2: V1_2Position::InRule(&["tags"]),
        shape: ValueShape::Words { set: ContractBuilder::set_tags, get: |contract| &contract.tags },
        meaning: "Labels to select contracts by. Reports mask the matches of a contract tagged `secret`.",
        schema: || {
            let tag = json!({ "type": "string", "pattern": format!("^[A-Za-z0-9-]{{1,{MAX_ID}}}$") });
            json!({ "type": "array", "items": tag, "maxItems": MAX_TAGS })
        },
        ..USUAL
    },
    ContractKey {
        name: "examples",
        mistaken_for: &["example", "tests"],
        v1_2: V1_2Position::Either,
        shape: ValueShape::Examples,
        quoted: true,
        in_row: false,
        meaning: "Texts that must violate the contract and texts that must pass; `phaser contracts test` runs them.",
        schema: || json!({ "$ref": "#/$defs/Examples" }),
        ..USUAL
    },
];

fn kinds_schema() -> Json {
    let kind = json!({ "enum": FileKind::ALL.map(FileKind::as_str) });
    json!({ "anyOf": [kind, { "type": "array", "items": kind, "minItems": 1 }] })
}

fn texts_schema() -> Json {
    let text = json!({ "type": "string", "minLength": 1 });
    json!({ "anyOf": [text, { "type": "array", "items": text, "minItems": 1 }] })
}

fn globs_schema() -> Json {
    let glob = json!({ "type": "string", "minLength": 1, "maxLength": MAX_GLOB_LEN });
    json!({ "anyOf": [glob, { "type": "array", "items": glob, "minItems": 1 }] })
}
