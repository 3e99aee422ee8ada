//! The argument that says when colours are used, shared by the commands that write for people.

use clap::{Args, ValueEnum};

use super::environment::Environment;
use crate::report::palette::{Colour, Palette};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    /// Are colours used on standard output? On a terminal they are, unless a variable says something else.
    pub fn on(self, environment: &Environment) -> Colour {
        let used = match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => environment.colour().unwrap_or(environment.stdout_is_terminal()),
        };
        if used { Colour::On } else { Colour::Off }
    }
}

/// When to use colours.
#[derive(Debug, Default, Args)]
pub struct ColorArg {
    /// When to use colours
    #[arg(long, value_enum, default_value = "auto")]
    color: Color,
}

impl ColorArg {
    /// The styles to use on standard output.
    pub fn palette(&self, environment: &Environment) -> Palette {
        Palette::new(self.color.on(environment))
    }
}
