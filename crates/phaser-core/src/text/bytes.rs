//! The bytes of a file with their survey, which survives edits, so that a large file is surveyed once.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};

use super::{Survey, survey};

#[derive(Clone, Default)]
pub struct Bytes {
    bytes: Vec<u8>,
    known: Known,
}

/// The survey, if it is up to date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Known {
    #[default]
    Nothing,
    Binary,
    Text(Survey),
}

impl Bytes {
    pub fn zeroed(len: usize) -> Self {
        vec![0; len].into()
    }

    pub fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
        self.known = Known::Nothing;
    }

    /// The survey; `None` if the bytes are binary. Computed at most once.
    pub fn look(&mut self) -> Option<Survey> {
        if self.known == Known::Nothing {
            self.known = survey(self).map_or(Known::Binary, Known::Text);
        }
        match self.known {
            Known::Text(survey) => Some(survey),
            Known::Nothing | Known::Binary => None,
        }
    }

    /// The survey if it is known: `Some(None)` for binary bytes.
    pub(super) fn known(&self) -> Option<Option<Survey>> {
        match self.known {
            Known::Nothing => None,
            Known::Binary => Some(None),
            Known::Text(survey) => Some(Some(survey)),
        }
    }

    /// Replaces the bytes at `range`, and updates the survey if the two parts allow it.
    pub fn replace(&mut self, range: Range<usize>, new: &[u8]) {
        self.known = match self.known {
            Known::Text(survey) => {
                survey.after(&self[range.clone()], new).map_or(Known::Nothing, Known::Text)
            }
            Known::Nothing | Known::Binary => Known::Nothing,
        };
        self.bytes.splice(range, new.iter().copied());
    }

    pub fn into_vec(self) -> Vec<u8> {
        self.bytes
    }
}

impl Survey {
    /// The survey after a replacement; `None` if it cannot be derived.
    fn after(self, removed: &[u8], added: &[u8]) -> Option<Self> {
        let added = survey(added)?;
        if self.has_controls || added.has_controls {
            return None;
        }
        let is_left = |there, added, removed: fn(&[u8]) -> bool, bytes| match (there, added) {
            (_, true) => Some(true),
            (false, false) => Some(false),
            // The last one may be gone.
            (true, false) => (!removed(bytes)).then_some(true),
        };
        let beyond = is_left(!self.is_ascii, !added.is_ascii, |bytes| !bytes.is_ascii(), removed)?;
        let has_returns =
            is_left(self.has_returns, added.has_returns, |bytes| bytes.contains(&b'\r'), removed)?;
        Some(Self { is_ascii: !beyond, has_returns, has_controls: false })
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, known: Known::Nothing }
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.known = Known::Nothing;
        &mut self.bytes
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Bytes {}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.escape_ascii())
    }
}

/// Fragments that change a survey: marks, control characters, NUL, line endings, characters, and halves of them.
#[cfg(any(test, feature = "testing"))]
pub const UNITS: &[&[u8]] = &[
    b"a",
    b"bc",
    b"\n",
    b"\r",
    b"\r\n",
    b"\t",
    b"\x01",
    b"\x0C",
    b"\x1F",
    b"\0",
    b"\x7F",
    b"\xC3\xA9",
    b"\xC3",
    b"\xA9",
    b"\xEF\xBB\xBF",
    b"\xEF",
    b"\xBB\xBF",
    b"\xFF",
    b"\xFE",
    b"\xFF\xFE",
    b"0123456789abcdef",
];

#[cfg(test)]
mod tests {
    use super::super::Text;
    use super::*;
    use proptest::prelude::*;

    fn units() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop::sample::select(UNITS), 0..8).prop_map(|units| units.concat())
    }

    /// Mostly text, so that the survey is often known.
    fn plain_units() -> impl Strategy<Value = Vec<u8>> {
        let plain = prop::sample::select(vec![&b"a"[..], b"\n", b"\r", b"\t", b"\xC3\xA9", b"\xC3", b"\xA9"]);
        prop::collection::vec(plain, 0..8).prop_map(|units| units.concat())
    }

    fn facts(text: Option<Text<'_>>) -> Option<(Vec<u8>, bool)> {
        text.map(|text| (text.bytes().to_vec(), text.is_ascii()))
    }

    #[test]
    fn keeps_survey_over_edits() {
        let mut bytes = Bytes::from("one two");
        assert_eq!(bytes.known(), None);
        let survey = Survey { is_ascii: true, has_returns: false, has_controls: false };
        assert_eq!(bytes.look(), Some(survey));
        bytes.replace(0..3, b"three");
        assert_eq!((bytes.known(), &*bytes), (Some(Some(survey)), &b"three two"[..]));
        bytes.replace(0..5, "\u{e9}".as_bytes());
        let beyond = Survey { is_ascii: false, ..survey };
        assert_eq!(bytes.known(), Some(Some(beyond)));
        bytes.replace(3..3, b"\r");
        assert_eq!(bytes.known(), Some(Some(Survey { has_returns: true, ..beyond })));
        bytes.replace(0..2, b"e");
        assert_eq!(bytes.known(), None, "the only one is gone");
        assert_eq!(bytes.look(), Some(Survey { has_returns: true, ..survey }));
    }

    #[test]
    fn surveys_written_bytes_again() {
        let mut bytes = Bytes::zeroed(3);
        assert_eq!((bytes.look(), bytes.known()), (None, Some(None)));
        bytes.copy_from_slice(b"abc");
        assert_eq!(bytes.known(), None);
        assert!(bytes.look().is_some());
        bytes.truncate(1);
        assert_eq!((bytes.known(), &*bytes), (None, &b"a"[..]));
    }

    proptest! {
        #[test]
        fn edited_survey_equals_new_survey(
            start in prop_oneof![units(), plain_units()],
            changes in prop::collection::vec(
                (any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop_oneof![units(), plain_units()]),
                1..4,
            ),
        ) {
            let mut bytes = Bytes::from(start);
            bytes.look();
            for (one, other, new) in changes {
                let [one, other] = [one, other].map(|index| index.index(bytes.len() + 1));
                let range = one.min(other)..one.max(other);
                let expected = [&bytes[..range.start], &new, &bytes[range.end..]].concat();
                bytes.replace(range, &new);
                prop_assert_eq!(&*bytes, &expected);
                if let Some(known) = bytes.known() {
                    prop_assert_eq!(known, survey(&expected), "{:?}", bytes);
                }
                prop_assert_eq!(facts(Text::of(&bytes)), facts(Text::new(expected)), "{:?}", bytes);
                bytes.look();
                prop_assert_eq!(facts(Text::of(&bytes)), facts(Text::new(bytes.to_vec())), "{:?}", bytes);
            }
        }
    }
}
