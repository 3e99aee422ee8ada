//! `--timings`: the time of each phase of a run, and the most expensive contracts.

use std::io::{self, Write};
use std::time::Duration;

use phaser_core::matcher::profile::{Costly, Slow};
use phaser_project::report::{Phase, Spent};

/// The cost of a run.
#[derive(Debug, Default)]
pub struct Timings {
    /// In order, with the time of each.
    pub phases: Vec<(Phase, Duration)>,
    /// The cost of the scan, if there was one.
    pub spent: Option<Spent>,
    /// The most expensive contracts, in order.
    pub costly: Vec<Costly>,
}

/// Writes a table of phases and one of contracts.
pub fn write(out: &mut dyn Write, timings: &Timings) -> io::Result<()> {
    writeln!(out, "{:<20} {:>12}", "phase", "ms")?;
    for (phase, time) in &timings.phases {
        writeln!(out, "{:<20} {:>12}", phase.as_str(), ms(*time))?;
        if let (Phase::FilesScanned, Some(spent)) = (phase, &timings.spent) {
            write_spent(out, spent)?;
        }
    }
    if timings.costly.is_empty() {
        return writeln!(out, "no contract was searched for");
    }
    let width =
        timings.costly.iter().map(|costly| costly.id.chars().count()).max().unwrap_or_default().max(20);
    writeln!(
        out,
        "{:<width$} {:>12} {:>10} {:>10} {:>14}  why",
        "most expensive", "ms", "searches", "windows", "bytes"
    )?;
    for Costly { id, cost, because } in &timings.costly {
        let (time, because) = (ms(cost.time), because.map_or_else(String::new, why));
        let row = format!(
            "{id:<width$} {time:>12} {:>10} {:>10} {:>14}  {because}",
            cost.searches, cost.windows, cost.bytes
        );
        writeln!(out, "{}", row.trim_end())?;
    }
    Ok(())
}

/// Writes the time of all threads together, which may exceed the time of the scan.
fn write_spent(out: &mut dyn Write, spent: &Spent) -> io::Result<()> {
    let Spent { threads, selecting, reading, costs } = spent;
    let parts = [
        ("selecting", *selecting),
        ("reading", *reading),
        ("prefilter", costs.prefilter),
        ("searching", costs.searching()),
    ];
    for (part, time) in parts {
        writeln!(out, "  {part:<18} {:>12}", ms(time))?;
    }
    writeln!(out, "  {:<18} {threads:>12}", "threads")
}

fn ms(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1000.0)
}

fn why(slow: Slow) -> String {
    match slow {
        Slow::Backtracks(construct) => format!("backtracking engine, because of {}", construct.as_str()),
        Slow::WholeText => "no required literal: the whole text is searched".to_owned(),
        Slow::BeyondAscii => "non-ASCII text: needs the Unicode form of the pattern".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_core::matcher::pattern::dialect::Backtracks;
    use phaser_core::matcher::profile::Cost;

    fn shown(timings: &Timings) -> String {
        let mut out = Vec::new();
        write(&mut out, timings).expect("memory can be written");
        String::from_utf8(out).expect("is text")
    }

    #[test]
    fn aligns_phases_and_contracts_in_columns() {
        let time = Duration::from_micros;
        let cost = Cost { time: time(1_500), searches: 2, windows: 3, bytes: 40, beyond_ascii: 0 };
        let costly = |id: &str, because| Costly { id: id.to_owned(), cost, because };
        let timings = Timings {
            phases: vec![(Phase::FilesScanned, time(12_345)), (Phase::ReportWritten, time(1))],
            spent: Some(Spent { threads: 2, reading: time(20), ..Spent::default() }),
            costly: vec![
                costly("one", Some(Slow::Backtracks(Backtracks::LookAround))),
                costly("two", Some(Slow::WholeText)),
                costly("three", Some(Slow::BeyondAscii)),
                costly("four", None),
            ],
        };
        insta::assert_snapshot!(shown(&timings), @"
        phase                          ms
        files scanned              12.345
          selecting                 0.000
          reading                   0.020
          prefilter                 0.000
          searching                 0.000
          threads                       2
        report written              0.001
        most expensive                 ms   searches    windows          bytes  why
        one                         1.500          2          3             40  backtracking engine, because of look-around
        two                         1.500          2          3             40  no required literal: the whole text is searched
        three                       1.500          2          3             40  non-ASCII text: needs the Unicode form of the pattern
        four                        1.500          2          3             40
        ");
    }

    #[test]
    fn reports_that_no_contract_was_searched_for() {
        insta::assert_snapshot!(shown(&Timings::default()), @"
        phase                          ms
        no contract was searched for
        ");
    }
}
