//! Creates a patch from two texts.

use super::{Chunk, PatchLine, apply, split};
use phaser_core::text::to_str;

/// The numbers of context lines tried, until the patch applies at the right place.
const CONTEXTS: [usize; 3] = [3, 20, usize::MAX];

/// A chunk that turns `current` into exactly `wanted`; `None` if there is none.
pub fn between(current: &[u8], wanted: &[u8]) -> Option<Chunk> {
    if current == wanted {
        return None;
    }
    let (before, after) = (to_str(current)?, to_str(wanted)?);
    let lines = |text| split(text).into_iter().map(|line| line.text).collect::<Vec<&str>>();
    let (old, new) = (lines(&before), lines(&after));
    let shorter = old.len().min(new.len());
    let start = (0..shorter).take_while(|&at| old[at] == new[at]).count();
    let from_end = |lines: &[&str], at: usize| lines[lines.len() - 1 - at].to_owned();
    let end = (0..shorter - start).take_while(|&at| from_end(&old, at) == from_end(&new, at)).count();
    let chunk = |context: usize| {
        let (first, last) = (start.saturating_sub(context), (old.len() - end).saturating_add(context));
        let kept =
            |range: std::ops::Range<usize>| old[range].iter().map(|line| PatchLine::Kept((*line).to_owned()));
        let removed = old[start..old.len() - end].iter().map(|line| PatchLine::Removed((*line).to_owned()));
        let added = new[start..new.len() - end].iter().map(|line| PatchLine::Added((*line).to_owned()));
        let rest = old.len() - end..last.min(old.len());
        let lines = kept(first..start).chain(removed).chain(added).chain(kept(rest)).collect();
        Chunk { lines, ..Chunk::default() }
    };
    let gives = |chunk: &Chunk| apply(current, &[vec![chunk.clone()]], usize::MAX);
    CONTEXTS.into_iter().map(chunk).find(|chunk| gives(chunk).is_ok_and(|made| made == wanted))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn chunk_includes_context_lines() {
        let chunk = between(b"1\n2\n3\n4\n5\n6\n7\n8\n9\n", b"1\n2\n3\n4\nfive\n6\n7\n8\n9\n").expect("one");
        let kept = |text: &str| PatchLine::Kept(text.to_owned());
        let changed = [PatchLine::Removed("5".to_owned()), PatchLine::Added("five".to_owned())];
        let lines: Vec<PatchLine> = [kept("2"), kept("3"), kept("4")]
            .into_iter()
            .chain(changed)
            .chain([kept("6"), kept("7"), kept("8")])
            .collect();
        assert_eq!(chunk, Chunk { lines, ..Chunk::default() });
    }

    #[test]
    fn ambiguous_chunk_gets_more_context() {
        let (current, wanted) = ("a\n".repeat(40), format!("{}b\n", "a\n".repeat(39)));
        let chunk = between(current.as_bytes(), wanted.as_bytes()).expect("one");
        assert_eq!(chunk.lines.len(), 41);
    }

    #[test]
    fn returns_none_for_impossible_patch() {
        assert_eq!(between(b"a\n", b"a\n"), None, "nothing changes");
        assert_eq!(between(b"a\n", b"b"), None, "every line has an ending afterwards");
        assert_eq!(between(b"a\r\nb\r\n", b"a\nc\n"), None, "an ending changes");
    }

    proptest! {
        #[test]
        fn patch_between_texts_gives_wanted_text(
            old in prop::collection::vec(prop::sample::select(vec!["a", "b", "", " x", "@@ y", "*** End Patch"]), 0..12),
            new in prop::collection::vec(prop::sample::select(vec!["a", "b", "", " x", "-z", "+q"]), 0..12),
            ending in prop::sample::select(vec!["\n", "\r\n"]),
        ) {
            let text = |lines: &[&str]| lines.iter().map(|line| format!("{line}{ending}")).collect::<String>();
            let (old, new) = (text(&old), text(&new));
            match between(old.as_bytes(), new.as_bytes()) {
                Some(chunk) => {
                    let made = apply(old.as_bytes(), &[vec![chunk]], usize::MAX).expect("applies");
                    prop_assert_eq!(String::from_utf8_lossy(&made), new);
                }
                None => prop_assert!(old == new || old.is_empty() || new.is_empty()),
            }
        }
    }
}
