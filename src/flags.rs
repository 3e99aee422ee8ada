//! The flags of `phaser enforce`, one row each.
//!
//! clap defines, parses and documents them (`cli::args`). Two readers do without clap and use this table instead: the fast
//! path for a hook's command line (`cli::args::hook_line`) and the check whether an edit of settings weakens a hook
//! (`tamper::command`). A test next to clap's definition fails when the two differ.

/// A flag of `phaser enforce`.
#[derive(Debug, PartialEq, Eq)]
pub struct Flag {
    /// The long name, with its dashes.
    pub name: &'static str,
    /// The short name, with its dash.
    pub short: Option<&'static str>,
    pub takes: FlagValues,
    /// Whether the fast path reads it. The fast path leaves a command line with any other flag to clap.
    pub in_hooks: bool,
    pub weakens: Weakens,
}

/// How many values a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagValues {
    Nothing,
    Value,
    /// One value each time; the flag may be repeated.
    Values,
    /// Values with commas between them; the flag may be repeated.
    List,
}

impl FlagValues {
    /// Whether the flag may occur more than once.
    pub fn repeats(self) -> bool {
        matches!(self, Self::Values | Self::List)
    }
}

/// When a change of the flag in a hook's command line weakens enforcement. A flag that makes the hook fail weakens it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weakens {
    Never,
    WhenAdded,
    WhenRemoved,
    /// When it is added or removed, or when its value changes.
    WhenChanged,
    /// The values before and after decide.
    ByValue,
}

use FlagValues::{List, Nothing, Value, Values};
use Weakens::{ByValue, Never, WhenAdded, WhenChanged, WhenRemoved};

/// All flags, in the order of clap's definition.
pub static FLAGS: [Flag; 34] = [
    Flag { name: "--all", short: None, takes: Nothing, in_hooks: false, weakens: WhenAdded },
    Flag { name: "--staged", short: None, takes: Nothing, in_hooks: false, weakens: WhenAdded },
    Flag { name: "--diff", short: None, takes: Value, in_hooks: false, weakens: WhenAdded },
    Flag { name: "--commit-msg", short: None, takes: Value, in_hooks: false, weakens: WhenAdded },
    Flag { name: "--file", short: None, takes: Values, in_hooks: false, weakens: WhenAdded },
    Flag { name: "--stdin-filename", short: None, takes: Value, in_hooks: false, weakens: WhenAdded },
    Flag { name: "--stdin", short: None, takes: Nothing, in_hooks: true, weakens: Never },
    Flag { name: "--guard", short: None, takes: Nothing, in_hooks: true, weakens: WhenRemoved },
    Flag { name: "--agent", short: None, takes: Value, in_hooks: true, weakens: ByValue },
    Flag { name: "--severity", short: None, takes: Value, in_hooks: true, weakens: ByValue },
    Flag { name: "--format", short: None, takes: Value, in_hooks: false, weakens: ByValue },
    Flag { name: "--output", short: None, takes: Value, in_hooks: false, weakens: WhenAdded },
    Flag { name: "--new-lines", short: None, takes: Nothing, in_hooks: false, weakens: WhenAdded },
    Flag { name: "--existing", short: None, takes: Value, in_hooks: false, weakens: ByValue },
    Flag { name: "--shard", short: None, takes: Value, in_hooks: false, weakens: WhenAdded },
    Flag { name: "--contracts-dir", short: None, takes: Value, in_hooks: true, weakens: WhenChanged },
    Flag { name: "--contracts-from", short: None, takes: Value, in_hooks: false, weakens: WhenAdded },
    Flag { name: "--pack", short: None, takes: List, in_hooks: true, weakens: WhenRemoved },
    Flag { name: "--only", short: None, takes: List, in_hooks: false, weakens: ByValue },
    Flag { name: "--skip", short: None, takes: List, in_hooks: false, weakens: WhenAdded },
    Flag { name: "--timeout", short: None, takes: Value, in_hooks: true, weakens: WhenChanged },
    Flag { name: "--threads", short: None, takes: Value, in_hooks: false, weakens: Never },
    Flag { name: "--max-file-size", short: None, takes: Value, in_hooks: false, weakens: WhenChanged },
    Flag { name: "--cache", short: None, takes: Nothing, in_hooks: false, weakens: WhenAdded },
    Flag { name: "--no-cache", short: None, takes: Nothing, in_hooks: false, weakens: Never },
    Flag { name: "--fail-on", short: None, takes: Value, in_hooks: false, weakens: Never },
    Flag { name: "--on-clean", short: None, takes: Value, in_hooks: true, weakens: Never },
    Flag { name: "--strict", short: None, takes: Nothing, in_hooks: true, weakens: WhenRemoved },
    Flag { name: "--no-ignores", short: None, takes: Nothing, in_hooks: false, weakens: WhenRemoved },
    Flag { name: "--no-baseline", short: None, takes: Nothing, in_hooks: false, weakens: WhenRemoved },
    Flag { name: "--statistics", short: None, takes: Nothing, in_hooks: false, weakens: Never },
    Flag { name: "--timings", short: None, takes: Nothing, in_hooks: false, weakens: Never },
    Flag { name: "--color", short: None, takes: Value, in_hooks: false, weakens: Never },
    Flag { name: "--quiet", short: Some("-q"), takes: Nothing, in_hooks: true, weakens: Never },
];

/// The flag with this long or short name, dashes included.
pub fn find(name: &str) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.name == name || flag.short == Some(name))
}
