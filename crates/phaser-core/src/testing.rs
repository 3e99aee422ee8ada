//! Fixtures for tests: contracts without a file, and the contract files of the packs.

use std::fs;
use std::path::Path;

use phaser_glob::Glob;

use crate::check::FORBID_PATTERN;
use crate::contract::scope::ContractScope;
use crate::contract::{Check, Contract, ContractSchema, Examples, LayerKind, Origin, Severity};

/// An enabled contract of severity error with the id `c{index}`, for every file.
pub fn contract(index: usize, check: Check) -> Contract {
    Contract {
        id: format!("c{index}"),
        schema: ContractSchema::Flat,
        line: 1,
        kind: &FORBID_PATTERN,
        check,
        glob: Glob::new("**").expect("a glob"),
        glob_line: 1,
        exclude: None,
        kinds: crate::file_kind::KindFilter::default(),
        severity: Severity::Error,
        message: "m".to_owned(),
        rationale: None,
        enabled: true,
        ignorable: true,
        decision: crate::contract::BlockDecision::Deny,
        tags: Vec::new(),
        zones: Vec::new(),
        fix: None,
        examples: Examples::default(),
        origin: Origin { layer: LayerKind::Project, file: format!("c{index}.yaml").into() },
        scope: ContractScope::default(),
    }
}

/// What only contracts have that need syntax trees.
const NEED_SYNTAX: [&str; 2] = ["\ncode:", "type: forbid_command"];

/// The text of every contract file of the packs that this build can judge.
pub fn pack_files() -> Vec<String> {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs");
    let mut files = Vec::new();
    for pack in fs::read_dir(packs).expect("the packs") {
        let pack = pack.expect("a pack").path();
        if !pack.is_dir() {
            continue;
        }
        for file in fs::read_dir(pack).expect("a pack") {
            let text = fs::read_to_string(file.expect("a contract").path()).expect("UTF-8");
            let needs_syntax = NEED_SYNTAX.iter().any(|key| text.contains(key));
            if cfg!(feature = "syntax") || !needs_syntax {
                files.push(text);
            }
        }
    }
    assert!(!files.is_empty());
    files
}
