//! `--statistics`: the number of violations per contract, per directory and per file.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::sync::Arc;

use super::here::Here;
use super::palette::Palette;
use phaser_core::contract::{Contract, Severity};
use phaser_core::sanitize::inert;
use phaser_core::violation::Violation;
use phaser_project::path::RelPath;
use phaser_project::report::Report;

/// Rows shown per table; the others are counted.
const MAX_ROWS: usize = 10;

/// Numbers of violations, the rows with the most open ones first.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ViolationCounts {
    pub contracts: Vec<(ContractName, Count)>,
    /// By directory, with a final `/`; the project's own directory is empty.
    pub directories: Vec<(RelPath, Count)>,
    pub files: Vec<(RelPath, Count)>,
}

/// A contract at one severity: overrides may give it another in some files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContractName {
    pub id: String,
    pub severity: Severity,
}

/// Numbers of violations by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count {
    pub open: usize,
    /// Ignored, existing or baselined.
    pub suppressed: usize,
}

impl ViolationCounts {
    pub fn of(report: &Report) -> Self {
        let (mut directories, mut files) = (BTreeMap::new(), Vec::new());
        // Keyed by address: hashing ids once per violation is slower.
        let mut contracts: HashMap<*const Contract, (Arc<Contract>, Count)> = HashMap::new();
        for file in report.by_file() {
            let mut of_file = Count::default();
            for violation in file {
                let contract = &violation.contract;
                let known = contracts.entry(Arc::as_ptr(contract));
                known.or_insert_with(|| (Arc::clone(contract), Count::default())).1.add(violation);
                if !contract.check.is_about_project() {
                    of_file.add(violation);
                }
            }
            if let (Some(Violation { path, .. }), true) = (file.first(), of_file != Count::default()) {
                directories.entry(directory(path)).or_insert_with(Count::default).add_all(of_file);
                files.push((path.clone(), of_file));
            }
        }
        let mut by_name: BTreeMap<ContractName, Count> = BTreeMap::new();
        for (contract, count) in contracts.into_values() {
            let name = ContractName { id: contract.id.clone(), severity: contract.severity };
            by_name.entry(name).or_default().add_all(count);
        }
        Self {
            contracts: most_first(by_name.into_iter().collect()),
            directories: most_first(directories.into_iter().collect()),
            files: most_first(files),
        }
    }
}

impl Count {
    fn add(&mut self, violation: &Violation) {
        *(if violation.is_open() { &mut self.open } else { &mut self.suppressed }) += 1;
    }

    fn add_all(&mut self, other: Self) {
        self.open += other.open;
        self.suppressed += other.suppressed;
    }
}

/// The directory of a file, with a final `/`.
fn directory(path: &RelPath) -> RelPath {
    let bytes = path.as_bytes();
    let end = bytes.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    RelPath::from_bytes(&bytes[..end])
}

/// Sorts by count, largest first. Stable: equal counts keep their order.
fn most_first<K>(mut counts: Vec<(K, Count)>) -> Vec<(K, Count)> {
    counts.sort_by(|(_, one), (_, other)| other.cmp(one));
    counts
}

/// Writes a table per contract, directory and file. Writes nothing without violations.
pub fn write(out: &mut dyn Write, counts: &ViolationCounts, here: &Here, palette: Palette) -> io::Result<()> {
    let ViolationCounts { contracts, directories, files } = counts;
    let contracts = contracts.iter().map(|(ContractName { id, severity }, count)| {
        let style = palette.severity(*severity);
        (format!("{style}{:<8}{style:#}  {id}", severity.as_str()), *count)
    });
    let path = |(path, count): &(RelPath, Count)| (shown(path, here), *count);
    write_table(out, palette, "severity  contract", contracts)?;
    write_table(out, palette, "directory", directories.iter().map(path))?;
    write_table(out, palette, "file", files.iter().map(path))
}

fn shown(path: &RelPath, here: &Here) -> String {
    let path = here.path(path);
    match path.as_bytes() {
        [] => "./".to_owned(),
        _ => inert(&path.to_text()).into_owned(),
    }
}

/// Writes a table with a header and a blank line after it.
fn write_table(
    out: &mut dyn Write,
    palette: Palette,
    title: &str,
    rows: impl ExactSizeIterator<Item = (String, Count)>,
) -> io::Result<()> {
    let count = rows.len();
    if count == 0 {
        return Ok(());
    }
    let bold = palette.bold();
    let dim = palette.dim();
    writeln!(out, "{bold}{:>8}  {:>10}  {title}{bold:#}", "open", "suppressed")?;
    for (name, Count { open, suppressed }) in rows.take(MAX_ROWS) {
        writeln!(out, "{open:>8}  {suppressed:>10}  {name}")?;
    }
    if count > MAX_ROWS {
        let more = count - MAX_ROWS;
        writeln!(out, "{dim}{:>22}and {more} more{dim:#}", "")?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::palette::Colour;
    use super::*;
    use phaser_core::contract::{Check, Contract};
    use phaser_core::testing;
    use phaser_core::violation::{State, Violation};

    fn contract(id: &str, severity: Severity, check: Check) -> Arc<Contract> {
        Arc::new(Contract { id: id.to_owned(), severity, ..testing::contract(0, check) })
    }

    fn violation(contract: &Arc<Contract>, path: &str, state: State) -> Violation {
        Violation { state, ..Violation::of_file(contract, &RelPath::from(path)) }
    }

    fn report() -> Report {
        let bad = contract("bad", Severity::Error, Check::NotExists);
        let odd = contract("odd", Severity::Warning, Check::NotExists);
        let bad_there = contract("bad", Severity::Warning, Check::NotExists);
        let missing = contract("missing", Severity::Error, Check::Exists);
        let violations = vec![
            violation(&bad, "src/a.py", State::Open),
            violation(&odd, "src/a.py", State::Open),
            violation(&odd, "src/b.py", State::Open),
            violation(&odd, "src/old/c.py", State::Baselined),
            violation(&odd, "src/old/c.py", State::Ignored),
            violation(&bad_there, "top.py", State::Open),
            violation(&missing, "README*", State::Open),
        ];
        Report { violations, ..Report::default() }
    }

    #[test]
    fn counts_by_contract_directory_file() {
        let report = report();
        let counts = ViolationCounts::of(&report);
        let count = |open, suppressed| Count { open, suppressed };
        let name = |id: &str, severity| ContractName { id: id.to_owned(), severity };
        assert_eq!(
            counts.contracts,
            [
                (name("odd", Severity::Warning), count(2, 2)),
                (name("bad", Severity::Warning), count(1, 0)),
                (name("bad", Severity::Error), count(1, 0)),
                (name("missing", Severity::Error), count(1, 0)),
            ]
        );
        let directories: Vec<_> =
            counts.directories.iter().map(|(path, count)| (path.to_text(), *count)).collect();
        assert_eq!(
            directories,
            [("src/".into(), count(3, 0)), ("".into(), count(1, 0)), ("src/old/".into(), count(0, 2))]
        );
        let files: Vec<_> = counts.files.iter().map(|(path, count)| (path.to_text(), *count)).collect();
        assert_eq!(
            files,
            [
                ("src/a.py".into(), count(2, 0)),
                ("src/b.py".into(), count(1, 0)),
                ("top.py".into(), count(1, 0)),
                ("src/old/c.py".into(), count(0, 2)),
            ]
        );
    }

    #[test]
    fn shows_ten_rows_with_relative_paths() {
        let odd = contract("odd", Severity::Warning, Check::NotExists);
        let paths = (1..=12).map(|number| format!("web/{number:02}.ts"));
        let violations = paths.map(|path| violation(&odd, &path, State::Open)).collect();
        let report = Report { violations, ..Report::default() };
        let mut out = Vec::new();
        let here = Here::new(&RelPath::from("web"), Vec::new());
        write(&mut out, &ViolationCounts::of(&report), &here, Palette::PLAIN).expect("written");
        insta::assert_snapshot!(String::from_utf8(out).expect("UTF-8"), @r#"
        open  suppressed  severity  contract
          12           0  warning   odd

        open  suppressed  directory
          12           0  ./

        open  suppressed  file
           1           0  01.ts
           1           0  02.ts
           1           0  03.ts
           1           0  04.ts
           1           0  05.ts
           1           0  06.ts
           1           0  07.ts
           1           0  08.ts
           1           0  09.ts
           1           0  10.ts
                          and 2 more
        "#);
    }

    #[test]
    fn writes_nothing_without_violations() {
        let mut out = Vec::new();
        let palette = Palette::new(Colour::On);
        write(&mut out, &ViolationCounts::default(), &Here::default(), palette).expect("written");
        assert!(out.is_empty());
    }
}
