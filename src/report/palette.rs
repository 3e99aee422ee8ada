//! The styles of what is written for people; without colours they write nothing.

use anstyle::AnsiColor;
pub use anstyle::Style;

use phaser_core::contract::Severity;

/// Are colours used?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Yes.
    On,
    /// No.
    Off,
}

/// The styles, which are empty without colours. One is switched on by `{style}`, and off by `{style:#}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    colour: Colour,
}

impl Palette {
    /// Writes no styles.
    pub const PLAIN: Self = Self { colour: Colour::Off };

    /// With or without colours.
    pub fn new(colour: Colour) -> Self {
        Self { colour }
    }

    /// For what the eye should find first.
    pub fn bold(self) -> Style {
        self.only_with_colours(Style::new().bold())
    }

    /// For what matters less than the rest.
    pub fn dim(self) -> Style {
        self.only_with_colours(Style::new().dimmed())
    }

    /// For what is well.
    pub fn good(self) -> Style {
        self.bold_in(AnsiColor::Green)
    }

    /// For what is wrong.
    pub fn bad(self) -> Style {
        self.bold_in(AnsiColor::BrightRed)
    }

    /// For a severity.
    pub fn severity(self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.bad(),
            Severity::Warning => self.bold_in(AnsiColor::Yellow),
        }
    }

    /// For the title of a part.
    pub fn title(self) -> Style {
        self.bold_in(AnsiColor::Cyan)
    }

    fn bold_in(self, colour: AnsiColor) -> Style {
        self.only_with_colours(Style::new().bold().fg_color(Some(colour.into())))
    }

    fn only_with_colours(self, style: Style) -> Style {
        match self.colour {
            Colour::On => style,
            Colour::Off => Style::new(),
        }
    }
}
