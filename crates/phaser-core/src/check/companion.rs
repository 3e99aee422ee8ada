//! `companion_exists` and `companion_changed`: a file and another one that belongs to it.
//!
//! `companion: 'tests/{dir}/test_{name}'` with `file_glob: 'src/**/*.py'` asks for `tests/src/core/test_a.py` beside
//! `src/core/a.py`.

use super::{Check, CheckInput, CheckTarget, CheckVerdict, ContractType, Evaluator};
use crate::path::RelPath;

/// The row of `companion_exists`.
pub static COMPANION_EXISTS: ContractType = ContractType {
    name: "companion_exists",
    meaning: "Every file of the glob must have a companion file.",
    required_keys: &["companion"],
    one_of_keys: &[],
    optional_keys: &[],
    v1_2_report: None,
    build: |values| build(values.companions, CompanionDemand::Exists),
};

/// The row of `companion_changed`.
pub static COMPANION_CHANGED: ContractType = ContractType {
    name: "companion_changed",
    meaning: "A change of a file of the glob must change its companion file, too.",
    required_keys: &["companion"],
    one_of_keys: &[],
    optional_keys: &[],
    v1_2_report: None,
    build: |values| build(values.companions, CompanionDemand::Changed),
};

fn build(paths: Vec<String>, demand: CompanionDemand) -> Option<Check> {
    (!paths.is_empty()).then_some(Check::Companion(Companion { paths, demand }))
}

/// The placeholders of `companion`.
pub const PLACEHOLDERS: [&str; 4] = ["{dir}", "{name}", "{stem}", "{ext}"];

/// Reports a file without its companion, or a change without that of the companion.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Companion {
    /// The value of `companion`: any of these is enough.
    pub paths: Vec<String>,
    /// What is demanded of the companion.
    pub demand: CompanionDemand,
}

/// What a contract demands of a companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompanionDemand {
    /// It exists.
    Exists,
    /// It changes whenever the file does.
    Changed,
}

impl Companion {
    /// The companions of a file, both relative to the place of the contract's globs. One that would lie above it is left
    /// out.
    pub fn of(&self, path: &[u8]) -> Vec<RelPath> {
        self.paths.iter().filter_map(|template| normalized(&filled(template, path))).collect()
    }
}

/// The part of a template between braces that is no placeholder.
pub fn unknown_placeholder(template: &str) -> Option<&str> {
    let starts = template.match_indices('{').map(|(start, _)| start);
    let mut placeholders = starts.map(|start| match template[start..].find('}') {
        Some(length) => &template[start..=start + length],
        None => &template[start..],
    });
    placeholders.find(|part| !PLACEHOLDERS.contains(part))
}

fn filled(template: &str, path: &[u8]) -> Vec<u8> {
    let (dir, name) = match memchr::memrchr(b'/', path) {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (&b""[..], path),
    };
    let (stem, ext) = match memchr::memrchr(b'.', name) {
        Some(dot) if dot > 0 => (&name[..dot], &name[dot + 1..]),
        _ => (name, &b""[..]),
    };
    let mut filled = Vec::new();
    let mut rest = template;
    while let Some(brace) = rest.find('{') {
        filled.extend_from_slice(&rest.as_bytes()[..brace]);
        rest = &rest[brace..];
        let values = PLACEHOLDERS.into_iter().zip([dir, name, stem, ext]);
        let known = values.into_iter().find_map(|(known, value)| Some((rest.strip_prefix(known)?, value)));
        let (after, value) = known.unwrap_or((&rest[1..], b"{"));
        filled.extend_from_slice(value);
        rest = after;
    }
    filled.extend_from_slice(rest.as_bytes());
    filled
}

/// The path without empty, `.` and `..` components; `None` if it leads out.
fn normalized(path: &[u8]) -> Option<RelPath> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| RelPath::from_bytes(parts.join(&b'/')))
}

impl Evaluator for Companion {
    fn input(&self) -> CheckInput {
        CheckInput::Companion
    }

    fn needs_whole_file(&self) -> bool {
        true
    }

    fn evaluate(&self, _: CheckTarget<'_>) -> CheckVerdict {
        CheckVerdict::Pass
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn companion(template: &str, path: &str) -> Option<String> {
        let check = Companion { paths: vec![template.to_owned()], demand: CompanionDemand::Exists };
        check.of(path.as_bytes()).first().map(|path| path.to_text().into_owned())
    }

    #[test]
    fn fills_placeholders() {
        for (template, path, expected) in [
            ("{dir}/{stem}.snap", "src/a.test.ts", "src/a.test.snap"),
            ("{dir}/__snapshots__/{name}.snap", "src/a.test.ts", "src/__snapshots__/a.test.ts.snap"),
            ("tests/{dir}/test_{stem}.{ext}", "core/a.py", "tests/core/test_a.py"),
            ("{dir}/{stem}_test.go", "a.go", "a_test.go"),
            ("{dir}/../tests/{name}", "src/a.py", "tests/a.py"),
            ("docs/{stem}", "Makefile", "docs/Makefile"),
            ("{dir}/{stem}-{ext}", ".env", ".env-"),
            ("package-lock.json", "package.json", "package-lock.json"),
        ] {
            assert_eq!(companion(template, path).as_deref(), Some(expected), "{template} {path}");
        }
        assert_eq!(companion("../{name}", "a.py"), None, "it leads out of the project");
    }

    #[test]
    fn finds_unknown_placeholder() {
        assert_eq!(unknown_placeholder("{dir}/{stem}.{ext}"), None);
        assert_eq!(unknown_placeholder("{dir}/{base}.py"), Some("{base}"));
        assert_eq!(unknown_placeholder("{dir/x"), Some("{dir/x"));
    }
}
