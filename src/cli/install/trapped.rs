//! Files with existing errors: once the hooks are installed, edits that leave such an error are denied.

use crate::cli::environment::Environment;
use crate::cli::say;
use crate::cli::today::{self, Today};
use phaser_project::path::{CONFIG, RootHints, find_root};

/// Prints a warning about files with existing errors. A failure is printed and otherwise ignored.
pub(super) fn warn(environment: &Environment) {
    let root = find_root(RootHints { named: None, cwd: &environment.cwd, file: None });
    if !today::is_project(&root) {
        return;
    }
    match today::check(&root, environment, Vec::new()) {
        Ok(today) => trapped(&today).iter().for_each(say),
        Err(error) => say(format_args!("phaser: {error:#}")),
    }
}

fn trapped(today: &Today) -> Vec<String> {
    let files: Vec<_> = today.trapped().iter().map(|path| path.to_text().into_owned()).collect();
    let count = match files.len() {
        0 => return Vec::new(),
        1 => "1 file has".to_owned(),
        count => format!("{count} files have"),
    };
    let more = match files.len().saturating_sub(MOST_TRAPPED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = files.iter().take(MOST_TRAPPED).map(|path| &**path).collect::<Vec<_>>().join(", ");
    vec![
        format!("phaser: {count} violations of severity 'error' already: {named}{more}"),
        "phaser: every edit that leaves such a violation in a file is denied, even one that fixes another"
            .to_owned(),
        format!(
            "phaser: to accept existing violations, write 'existing: report' into {CONFIG} or run 'phaser baseline'"
        ),
    ]
}

/// The maximum number of files named.
const MOST_TRAPPED: usize = 5;
