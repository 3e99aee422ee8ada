//! Headers of C and C++.

use super::{Importer, ancestors, child, joined, paths};
use crate::imports::ImportTarget;

/// Directories that a compiler is usually given, beside the one of the file.
const SEARCHED: [&str; 3] = ["", "include", "src"];

impl Importer<'_> {
    /// The header of `#include "…"`: beside the file, else in the nearest directory above it that has it.
    pub(super) fn include(&self, header: &str) -> Option<Vec<ImportTarget>> {
        for directory in ancestors(self.directory()) {
            for inside in SEARCHED {
                let directory =
                    if inside.is_empty() { directory.to_owned() } else { child(directory, inside) };
                let Some(path) = joined(&directory, header) else { continue };
                if self.resolver.is_file(&path) {
                    return Some(paths([path]));
                }
            }
        }
        let is_relative = header.starts_with("./") || header.starts_with("../");
        is_relative.then(|| joined(self.directory(), header)).flatten().map(|path| paths([path]))
    }
}
