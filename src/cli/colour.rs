//! `--color`, shared by the commands that print text.

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
    /// Whether stdout gets colours. `auto` follows the environment variables, then whether stdout is a terminal.
    pub fn on(self, environment: &Environment) -> Colour {
        let used = match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => environment.colour().unwrap_or(environment.stdout_is_terminal()),
        };
        if used { Colour::On } else { Colour::Off }
    }
}

#[derive(Debug, Default, Args)]
pub struct ColorArg {
    /// Use colours: auto, always or never
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    color: Color,
}

impl ColorArg {
    /// The styles for stdout.
    pub fn palette(&self, environment: &Environment) -> Palette {
        Palette::new(self.color.on(environment))
    }
}
