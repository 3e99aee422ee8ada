//! What a change brought in: violations on lines that it added or changed.
//!
//! A violation without a line is brought in by the change when the file did not have it before.

use std::ops::Range;

use crate::matcher::{Checked, Matcher, Violation};
use crate::source::git::changed_lines;
use crate::source::{Before, Reader};
use crate::text::{Region, Text};

/// Drops from `checked` what was there before. If that cannot be told, everything counts as new.
pub(super) fn keep(
    matcher: &Matcher,
    reader: &mut Reader,
    (before, text): (&Before, Option<&Text<'_>>),
    checked: &mut Checked,
) {
    if checked.violations.is_empty() && checked.ignored.is_empty() {
        return;
    }
    let bytes = reader.read(&before.content).ok();
    let was = bytes.and_then(Text::new);
    let selection = matcher.select(&before.path, None);
    let had = matcher.check(&selection, &before.path, was.as_ref());
    let changed = match (&was, text) {
        (Some(was), Some(text)) => Some(changed_lines(was.bytes(), text.bytes())),
        _ => None,
    };
    let is_new = |violation: &Violation, had: &[Violation]| match (&violation.place, &changed) {
        (None, _) => !had.iter().any(|old| old.place.is_none() && old.contract == violation.contract),
        (Some(found), Some(changed)) => changed.iter().any(|lines| touches(lines, found.region)),
        (Some(_), None) => true,
    };
    checked.violations.retain(|violation| is_new(violation, &had.violations));
    checked.ignored.retain(|violation| is_new(violation, &had.ignored));
}

/// An empty range touches a region that lines are gone from.
fn touches(lines: &Range<usize>, region: Region) -> bool {
    let first = region.start.line;
    let ends_before_its_line = region.end.column == 1 && region.end.line > first;
    let last = if ends_before_its_line { region.end.line - 1 } else { region.end.line };
    if lines.is_empty() {
        return first < lines.start && lines.start <= last;
    }
    lines.start <= last && first < lines.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Position;

    #[test]
    fn a_region_is_touched_by_lines_in_it_and_by_lines_gone_from_it() {
        let region = |first, last, column| Region {
            start: Position { line: first, column: 5 },
            end: Position { line: last, column },
        };
        assert!(touches(&(2..3), region(2, 2, 9)));
        assert!(!touches(&(3..4), region(2, 2, 9)));
        assert!(!touches(&(1..2), region(2, 2, 9)));
        assert!(touches(&(3..4), region(2, 3, 9)));
        assert!(!touches(&(3..4), region(2, 3, 1)));
        assert!(touches(&(3..3), region(2, 3, 9)));
        assert!(!touches(&(2..2), region(2, 3, 9)));
        assert!(!touches(&(4..4), region(2, 3, 9)));
    }
}
