//! What is known of targets from earlier runs.

use super::Scanned;
use crate::cache::{Cache, Found, Look, Remembered, ToRead};
use crate::source::{Content, Target};

/// What one thread asks, one target after another.
pub(super) struct Memory<'c>(Look<'c>);

/// What is known of a target.
pub(super) enum Recalled<'c> {
    /// Its file is as it was, and this became of it.
    Unchanged(Remembered),
    /// It depends on what is in its file.
    ToRead(ToRead<'c>),
    /// Nothing is kept of such a target.
    Nothing,
}

impl<'c> Memory<'c> {
    pub(super) fn new(cache: &'c Cache) -> Self {
        Self(cache.look())
    }

    /// What is known of a target. Only a file on disk that is judged by itself, and has one name, is remembered.
    pub(super) fn recall(&mut self, target: &Target) -> Recalled<'c> {
        let Target {
            path, alias: None, content: Content::File(file), whole: None, before: None, stamp, ..
        } = target
        else {
            return Recalled::Nothing;
        };
        match self.0.find(path, file, stamp.as_deref()) {
            Found::Unchanged(remembered) => Recalled::Unchanged(remembered),
            Found::ToRead(file) => Recalled::ToRead(file),
        }
    }
}

impl From<Remembered> for Scanned {
    fn from(Remembered { applied, checked }: Remembered) -> Self {
        Self { applied, checked, ..Self::default() }
    }
}
