//! Zones: what a part of a source text is to its language. Which bytes are what is the matcher's business.

/// What a part of a source text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Zone {
    /// What the language itself reads, white space included.
    Code,
    /// A comment, its delimiters included.
    Comment,
    /// A string, its delimiters included.
    String,
}

impl Zone {
    /// All zones, in the order they are documented.
    pub const ALL: [Self; 3] = [Self::Code, Self::Comment, Self::String];

    /// The word used in contracts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Comment => "comments",
            Self::String => "strings",
        }
    }
}
