//! Terminal styles. Without colours they are empty.

use anstyle::AnsiColor;
pub use anstyle::Style;

use phaser_core::contract::Severity;

/// Whether colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    On,
    Off,
}

/// The styles. `{style}` in a format string starts one, `{style:#}` ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    colour: Colour,
}

impl Palette {
    /// Without colours.
    pub const PLAIN: Self = Self { colour: Colour::Off };

    pub fn new(colour: Colour) -> Self {
        Self { colour }
    }

    /// Identifiers and positions.
    pub fn bold(self) -> Style {
        self.only_with_colours(Style::new().bold())
    }

    /// Secondary text.
    pub fn dim(self) -> Style {
        self.only_with_colours(Style::new().dimmed())
    }

    /// Success.
    pub fn good(self) -> Style {
        self.bold_in(AnsiColor::Green)
    }

    /// Failure.
    pub fn bad(self) -> Style {
        self.bold_in(AnsiColor::BrightRed)
    }

    pub fn severity(self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.bad(),
            Severity::Warning => self.bold_in(AnsiColor::Yellow),
        }
    }

    /// Section titles.
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
