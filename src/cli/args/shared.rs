//! Arguments that several commands share, and the parsers of their values.

use std::fmt::{self, Display};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::cli::completions::CONTRACT_ID;
use crate::cli::environment::Environment;
use crate::cli::output::to_stdout;
use crate::cli::project;
use crate::report::palette::{Colour, Palette};
use phaser_core::contract::Severity;
use phaser_core::contract::selector::Selector;
use phaser_core::sanitize::inert_json;
use phaser_project::packs::{PACKS, Pack};
use phaser_project::project::{ContractFilter, MAX_FILE_SIZE, Options, TIMEOUT};

/// The contracts and limits of a command that checks files.
#[derive(Debug, Args)]
pub struct CheckingArgs {
    #[command(flatten)]
    pub chosen: Chosen,

    /// Read contracts from this directory only
    #[arg(long, value_name = "PATH")]
    contracts_dir: Option<PathBuf>,

    #[command(flatten)]
    packs: Packs,

    #[command(flatten)]
    pub limits: LimitArgs,
}

impl CheckingArgs {
    /// The options for a check with the selected contracts.
    pub fn options(&self, environment: &Environment) -> anyhow::Result<Options> {
        Ok(Options {
            locations: project::extra(self.contracts_dir.as_deref(), &self.packs, environment)?,
            cwd: Some(environment.cwd.clone()),
            git: Some(environment.git.clone()),
            ..self.limits.options()
        })
    }
}

/// Which contracts are meant.
#[derive(Debug, Default, Args)]
pub struct Chosen {
    /// Only these contracts: ids, globs over ids, or tag:NAME; several with commas, or given several times
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', value_parser = Selector::new, value_hint = CONTRACT_ID)]
    only: Vec<Selector>,

    /// Not these contracts: ids, globs over ids, or tag:NAME; several with commas, or given several times
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', value_parser = Selector::new, value_hint = CONTRACT_ID)]
    skip: Vec<Selector>,
}

impl Chosen {
    /// The filter that the flags describe.
    pub fn filter(&self) -> ContractFilter {
        ContractFilter { only: self.only.clone(), skip: self.skip.clone() }
    }
}

/// Selects every pack.
const ALL: &str = "all";

/// Packs to load in addition to the contract files.
#[derive(Debug, Clone, Default, Args)]
pub struct Packs {
    /// Add built-in packs, comma-separated (see 'phaser contracts packs')
    #[arg(long = "pack", value_name = "NAME", value_delimiter = ',', hide_possible_values = true, value_parser = names())]
    names: Vec<String>,
}

impl Packs {
    /// Adds a pack; `None` if the name is unknown.
    pub fn add(&mut self, name: &str) -> Option<()> {
        let is_known = name == ALL || PACKS.iter().any(|pack| pack.name == name);
        is_known.then(|| self.names.push(name.to_owned()))
    }

    /// The selected packs, each once, in the order of `PACKS`.
    pub fn chosen(&self) -> impl Iterator<Item = &'static Pack> {
        let named = |pack: &&Pack| self.names.iter().any(|name| name == pack.name || name == ALL);
        PACKS.iter().filter(named)
    }
}

fn names() -> PossibleValuesParser {
    let packs = PACKS.iter().map(|pack| PossibleValue::new(pack.name).help(pack.description));
    PossibleValuesParser::new(packs.chain([PossibleValue::new(ALL).help("every pack")]))
}

/// Limits on time, threads and file size.
#[derive(Debug, Clone, Copy, Args)]
pub struct LimitArgs {
    /// Limit a backtracking pattern's work per file, in ms
    #[arg(long, value_name = "MS", default_value_t = TIMEOUT.as_millis() as u64, value_parser = milliseconds)]
    timeout: u64,

    /// Use N threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<u16>,

    /// Skip larger files; bytes, or with k, M or G
    #[arg(long, value_name = "SIZE", default_value_t = Size(MAX_FILE_SIZE), value_parser = size)]
    max_file_size: Size,
}

impl Default for LimitArgs {
    fn default() -> Self {
        Self { timeout: TIMEOUT.as_millis() as u64, threads: None, max_file_size: Size(MAX_FILE_SIZE) }
    }
}

impl LimitArgs {
    /// Sets the timeout to the value of `--timeout`; `None` if it is invalid.
    pub(super) fn with_timeout(self, written: &str) -> Option<Self> {
        Some(Self { timeout: milliseconds(written).ok()?, ..self })
    }

    /// The time limit of a pattern per file.
    pub fn timeout(self) -> Duration {
        Duration::from_millis(self.timeout)
    }

    /// The largest file that is read, in bytes.
    pub fn max_file_size(self) -> u64 {
        self.max_file_size.0
    }

    /// Default options with these limits.
    pub fn options(self) -> Options {
        Options {
            timeout: self.timeout(),
            threads: self.threads.map(usize::from),
            max_file_size: self.max_file_size(),
            ..Options::default()
        }
    }
}

/// The format and colours of a command's output.
#[derive(Debug, Args)]
pub struct OutputArgs {
    #[command(flatten)]
    format: FormatArg,

    #[command(flatten)]
    color: ColorArg,
}

impl OutputArgs {
    /// Writes the text or the JSON document to stdout.
    pub fn write(
        &self,
        environment: &Environment,
        text: impl FnOnce(&mut dyn Write, Palette) -> io::Result<()>,
        json: impl FnOnce() -> Value,
    ) -> anyhow::Result<()> {
        self.format.write(|out| text(out, self.palette(environment)), json)
    }

    pub fn is_json(&self) -> bool {
        self.format.is_json()
    }

    pub fn palette(&self, environment: &Environment) -> Palette {
        self.color.palette(environment)
    }
}

#[derive(Debug, Args)]
pub struct FormatArg {
    /// Set the format: text or json
    #[arg(long, value_enum, default_value = "text", hide_possible_values = true)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl FormatArg {
    /// Writes the text or the JSON document to stdout.
    pub fn write(
        &self,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        json: impl FnOnce() -> Value,
    ) -> anyhow::Result<()> {
        if self.is_json() { print_json(&json()) } else { to_stdout(text) }
    }

    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }
}

/// Prints one JSON document to stdout.
pub fn print_json(value: &Value) -> anyhow::Result<()> {
    to_stdout(|out| writeln!(out, "{}", inert_json(&format!("{value:#}"))))
}

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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SeverityFilter {
    Error,
    Warning,
    #[default]
    All,
}

impl SeverityFilter {
    /// The severity of the contracts to check; `None` for all.
    pub fn only(self) -> Option<Severity> {
        match self {
            Self::All => None,
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    #[default]
    Error,
    Warning,
    Never,
}

impl FailOn {
    /// Lowest severity that fails the run; `None` if none does.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Never => None,
        }
    }
}

/// A size in bytes. Displayed in the largest exact unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")];
        match units.into_iter().find(|(unit, _)| self.0 != 0 && self.0.is_multiple_of(*unit)) {
            Some((unit, name)) => write!(f, "{}{name}", self.0 / unit),
            None => write!(f, "{}", self.0),
        }
    }
}

/// Parses a size. `k`, `M` and `G` are powers of 1024, with or without `B` or `iB`.
pub fn size(text: &str) -> Result<Size, String> {
    let wrong = || "write a number of bytes, optionally with k, M or G, such as 512k or 10MB".to_owned();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let steps = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 1,
        "m" | "mb" | "mib" => 2,
        "g" | "gb" | "gib" => 3,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(1024_u64.pow(steps)).map(Size).ok_or_else(wrong)
}

pub fn milliseconds(text: &str) -> Result<u64, String> {
    number(text, &(1..=3_600_000), "milliseconds")
}

pub fn threads(text: &str) -> Result<u16, String> {
    number(text, &(1..=512), "threads")
}

pub fn commits(text: &str) -> Result<usize, String> {
    number(text, &(1..=10_000_000), "commits")
}

fn number<N: FromStr + PartialOrd + Display>(
    text: &str,
    range: &RangeInclusive<N>,
    what: &str,
) -> Result<N, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("write a number of {what} from {} to {}", range.start(), range.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_takes_unit() {
        let megabytes = |count: u64| count * 1024 * 1024;
        for (text, bytes) in [
            ("0", 0),
            ("7", 7),
            ("7b", 7),
            ("512k", 512 * 1024),
            ("1KiB", 1024),
            ("10MB", megabytes(10)),
            ("10 mb", megabytes(10)),
            ("1G", megabytes(1024)),
        ] {
            assert_eq!(size(text), Ok(Size(bytes)), "{text}");
            assert_eq!(size(&Size(bytes).to_string()), Ok(Size(bytes)), "{text}");
        }
    }

    #[test]
    fn invalid_size_names_valid_form() {
        for text in ["", "MB", "1XB", "-1", "+1", "1.5MB", "1e6", "99999999999999999999", "99999999999G"] {
            let error = size(text).expect_err(text);
            assert!(error.starts_with("write a number of bytes"), "{error}");
        }
    }

    #[test]
    fn numbers_are_limited() {
        assert_eq!(milliseconds("3600000"), Ok(3_600_000));
        assert_eq!(milliseconds("0"), Err("write a number of milliseconds from 1 to 3600000".to_owned()));
        assert_eq!(threads("abc"), Err("write a number of threads from 1 to 512".to_owned()));
        assert_eq!(threads("70000"), threads("abc"));
    }

    fn chosen(names: &[&str]) -> Vec<&'static str> {
        let packs = Packs { names: names.iter().map(ToString::to_string).collect() };
        packs.chosen().map(|pack| pack.name).collect()
    }

    #[test]
    fn repeated_pack_counts_once() {
        assert_eq!(chosen(&["hygiene", "secrets", "hygiene"]), ["secrets", "hygiene"]);
        assert_eq!(chosen(&[]), [""; 0]);
        assert_eq!(chosen(&["go", "all"]).len(), PACKS.len());
    }

    #[test]
    fn no_pack_is_named_all() {
        assert!(phaser_project::packs::find(ALL).is_none());
    }
}
