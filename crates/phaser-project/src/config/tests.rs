//! Valid configurations, and the messages for mistakes.

use super::*;
use phaser_core::contract::Severity;

fn read(yaml: &str) -> Config {
    parse(yaml.as_bytes(), Path::new("phaser.yaml")).unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}

fn mistakes(yaml: &str) -> Vec<String> {
    let mistakes = parse(yaml.as_bytes(), Path::new("phaser.yaml")).expect_err(yaml);
    mistakes.iter().map(ToString::to_string).collect()
}

const WHOLE: &str = "\
packs: [hygiene, secrets]
contracts: [../platform/contracts]
exclude: ['vendor/**', '**/*.min.js']
overrides:
  - contracts: ['python-*', 'tag:slow']
    files: ['tests/**']
    severity: warning
  - contracts: no-print
    enabled: false
existing: report
ignores: report
protect: ask
fixes: apply
cache: true
";

#[test]
fn every_key_is_read() {
    let config = read(WHOLE);
    assert_eq!(config.packs.iter().map(|pack| pack.name).collect::<Vec<_>>(), ["hygiene", "secrets"]);
    assert_eq!(config.contracts, [NamedDirectory { path: "../platform/contracts".into(), line: 2 }]);
    assert_eq!(config.exclude.len(), 2);
    let [first, second] = &config.overrides[..] else { panic!("{config:?}") };
    assert_eq!(first.contracts.len(), 2);
    assert_eq!((first.case.change.severity, first.case.files.globs.len()), (Some(Severity::Warning), 1));
    assert_eq!((second.case.change.enabled, second.case.files.globs.len()), (Some(false), 0));
    assert_eq!(config.existing, Some(Existing::Report));
    assert_eq!((config.ignores, config.protect), (Some(Policy::Report), Some(Policy::Ask)));
    assert_eq!((config.fixes, config.cache), (Some(Fixes::Apply), Some(true)));
}

#[test]
fn accepts_empty_values_and_single_items() {
    for yaml in ["", "# nothing\n", "---\n", "packs:\nexclude:\n", "{}\n"] {
        assert_eq!(read(yaml), Config::default(), "{yaml:?}");
    }
    assert_eq!(read("packs: go\n").packs.len(), 1);
    assert_eq!(read("packs: all\n").packs.len(), crate::packs::PACKS.len());
    assert_eq!(read("exclude: vendor/**\n").exclude.len(), 1);
    for off in ["off", "no", "false", "'off'"] {
        assert_eq!(read(&format!("fixes: {off}\ncache: {off}\n")).fixes, Some(Fixes::Off), "{off}");
    }
}

#[test]
fn reports_every_mistake_with_its_line() {
    let yaml = "\
pack: [secrets]
packs: [secrts, go]
exclude: ['a/{b', './src']
overrides:
  - contracts: [x]
  - severity: warning
  - contracts: [y]
    severity: hint
    file: a
existing: repot
ignores: maybe
cache: 3
colour: blue
";
    assert_eq!(
        mistakes(yaml),
        [
            "phaser.yaml:1: unknown key 'pack' (did you mean 'packs'?)",
            "phaser.yaml:2: no pack is called 'secrts' (did you mean 'secrets'?)",
            "phaser.yaml:3: 'exclude' is not valid: the glob 'a/{b' is not valid: a '{' is not closed",
            "phaser.yaml:3: 'exclude': paths start at the project root, without './' or '/', so './src' matches no file (write 'src')",
            "phaser.yaml:5: the override changes nothing (add 'severity: …' or 'enabled: false')",
            "phaser.yaml:6: the override names no contracts (add 'contracts: [ID, …]')",
            "phaser.yaml:8: 'severity: hint' is not known (use one of error, warning)",
            "phaser.yaml:9: unknown key 'file' (did you mean 'files'?)",
            "phaser.yaml:10: 'existing: repot' is not known (did you mean 'report'?)",
            "phaser.yaml:11: 'ignores: maybe' is not known (use one of allow, report, ask, deny)",
            "phaser.yaml:12: 'cache: 3' is not known (use one of on, off)",
            "phaser.yaml:13: unknown key 'colour' (remove it; the keys are packs, contracts, exclude, overrides, existing, ignores, protect, fixes, cache, strict, log, repeated)",
        ]
    );
}

#[test]
fn rejects_what_is_no_configuration() {
    let start = |yaml: &str| mistakes(yaml)[0].clone();
    assert_eq!(
        start("- packs\n"),
        "phaser.yaml:1: not a configuration (write one 'key: value' a line, for instance 'packs: [secrets]')"
    );
    assert!(start("packs: [a\n").starts_with("phaser.yaml:"));
    assert_eq!(
        start("packs: [go]\npacks: [rust]\n"),
        "phaser.yaml:2: the key 'packs' is there twice (keep one of them)"
    );
    assert_eq!(
        start("overrides: 3\n"),
        "phaser.yaml:1: 'overrides' takes a list (write '- contracts: …' on a line of its own for each)"
    );
    let bytes = parse(b"packs: go\n# \xff\n", Path::new("p")).expect_err("not text");
    assert_eq!(bytes[0].to_string(), "p:2: not UTF-8 (save the file as UTF-8)");
    let large = vec![b'#'; 65 * 1024];
    assert!(
        parse(&large, Path::new("p")).expect_err("large")[0].to_string().contains("larger than 65536 bytes")
    );
}
