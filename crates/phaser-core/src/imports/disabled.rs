//! The stand-in for the engine in a build without the feature `syntax`. No contract about imports loads.

use std::sync::Arc;

use super::{ProjectView, ResolvedImport};
use crate::code::engine::{CodeTrees, NotSearched};
use crate::contract::Contract;
use crate::path::RelPath;

pub(crate) fn mistake() -> Option<String> {
    Some("this build of phaser reads no imports (install one with the feature 'syntax')".to_owned())
}

/// Whether no file of a contract is in a language with imports.
pub fn is_for_no_language(_: &Contract) -> bool {
    false
}

/// Finds the targets of imports.
#[derive(Debug)]
pub struct Resolver;

impl Resolver {
    /// A resolver for the files of a project.
    pub fn new(_: Arc<dyn ProjectView>) -> Self {
        Self
    }

    /// The imports of a text.
    pub fn imports_of(&self, _: &RelPath, _: &[u8]) -> Option<Vec<ResolvedImport>> {
        None
    }

    pub(crate) fn imports(&self, _: &RelPath, _: &CodeTrees<'_>) -> Result<Vec<ResolvedImport>, NotSearched> {
        Err(NotSearched::OtherLanguage)
    }
}
