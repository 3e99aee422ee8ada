//! `forbid_import`: each import of a module that a glob matches is a violation.

use super::{Check, ContractType, Evaluator};
use crate::contract::Pattern;
use crate::imports::ImportPattern;

/// The row of `forbid_import`.
pub static FORBID_IMPORT: ContractType = ContractType {
    name: "forbid_import",
    meaning: "No file of the glob may import a module that the import glob matches; each import is a violation.",
    required_keys: &["import"],
    one_of_keys: &[],
    optional_keys: &[],
    v1_2_report: None,
    build: |values| {
        let (globs, line) = values.import?;
        Some(Check::ForbidImport(ForbidImport { imports: ImportPattern::new(globs, line) }))
    },
};

/// Reports each import that matches.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ForbidImport {
    /// The forbidden modules.
    pub imports: ImportPattern,
}

impl Evaluator for ForbidImport {
    fn imports(&self) -> Option<&ImportPattern> {
        Some(&self.imports)
    }

    fn prefilter(&self) -> Option<&Pattern> {
        Some(&self.imports.prefilter)
    }

    fn reports_matches(&self) -> bool {
        true
    }
}
