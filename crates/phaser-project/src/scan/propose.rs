//! What violations carry beside what was found: the fixes that do no harm.

use crate::source::Target;
use phaser_core::fix::{Edit, Mender, is_fixable};
use phaser_core::matcher::Checked;
use phaser_core::matcher::FileNames;
use phaser_core::text::{Text, place_in_file};
use phaser_core::violation::Replacement;

/// What violations are to carry beside what was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Propose {
    /// The fixes that their contracts know, where they do no harm.
    Fixes,
    /// Nothing.
    #[default]
    Nothing,
}

/// A file that has been read.
#[derive(Clone, Copy)]
pub(super) struct Read<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its text.
    pub text: &'a Text<'a>,
}

/// Adds to violations of a file what repairs them, where that does no harm.
pub(super) fn propose(mender: &Mender<'_>, target: &Target, file: Read<'_>, checked: &mut Checked) {
    if target.whole.is_some() || !checked.violations.iter().any(is_fixable) {
        return;
    }
    let Read { bytes, text } = file;
    let names = FileNames { path: &target.path, alias: target.alias.as_ref() };
    for Edit { violation, range, new } in mender.plan(names, text, checked) {
        let at = |place: usize| place_in_file(bytes, text.bytes(), place);
        // What is not UTF-8 cannot be told in a report.
        let old = String::from_utf8(text.bytes()[range.clone()].to_vec());
        if let (Ok(old), Ok(new)) = (old, String::from_utf8(new)) {
            let region = text.region(range.clone());
            let fix = Replacement { range: at(range.start)..at(range.end), region, old, text: new };
            checked.violations[violation].fix = Some(Box::new(fix));
        }
    }
}
