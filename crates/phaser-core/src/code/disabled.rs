//! The stand-in for the engine in a build without the feature `syntax`. No contract about code loads.

use std::marker::PhantomData;
use std::ops::Range;

use super::{CodePattern, CodeSource};
use crate::contract::Contract;
use crate::deadline::Deadline;
use crate::path::RelPath;
use crate::skipped::ParseLimit;

pub(crate) fn mistake(_: &CodeSource) -> Option<String> {
    Some("this build of phaser searches no code (install one with the feature 'syntax')".to_owned())
}

pub(crate) fn prefilter(_: &CodeSource) -> Option<String> {
    None
}

/// The names that `language` takes; empty without the feature `syntax`.
pub fn languages() -> Vec<&'static str> {
    Vec::new()
}

pub(crate) fn language(name: &str) -> Option<String> {
    Some(name.to_owned())
}

pub(crate) fn metavariables(_: &CodeSource) -> Vec<String> {
    Vec::new()
}

/// The languages that the code of a contract does not fit.
pub fn misfits(_: &Contract) -> Vec<(&'static str, String)> {
    Vec::new()
}

/// Whether no file of a contract is in a language that is parsed.
pub fn is_for_no_language(_: &Contract) -> bool {
    false
}

#[derive(Debug, Default)]
pub(crate) struct LazyCode;

impl LazyCode {
    pub fn mistake(&self, _: &Contract, code: &CodePattern) -> Option<String> {
        mistake(&code.source)
    }

    pub fn known_mistake(&self, contract: &Contract, code: &CodePattern) -> Option<String> {
        self.mistake(contract, code)
    }
}

pub(crate) struct CodeTrees<'a>(PhantomData<&'a ()>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(dead_code, reason = "made by the engine")]
pub(crate) enum NotSearched {
    OtherLanguage,
    TimedOut,
    Limit(ParseLimit),
}

impl<'a> CodeTrees<'a> {
    pub fn new(_: &RelPath, _: &'a [u8], _: Deadline) -> Self {
        Self(PhantomData)
    }

    pub fn is_of(&self, _: &LazyCode, _: &CodePattern) -> Result<(), NotSearched> {
        Err(NotSearched::OtherLanguage)
    }

    pub fn find(&self, _: &LazyCode, _: &CodePattern) -> Result<Vec<Range<usize>>, NotSearched> {
        Err(NotSearched::OtherLanguage)
    }

    pub fn replacements(
        &self,
        _: &LazyCode,
        _: &CodePattern,
        _: &str,
        _: &[Range<usize>],
    ) -> Result<Vec<Option<Vec<u8>>>, NotSearched> {
        Err(NotSearched::OtherLanguage)
    }
}
