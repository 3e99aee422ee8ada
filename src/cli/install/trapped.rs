//! Files that cannot be edited any more once the hooks are installed, because they violate something already.

use crate::cli::environment::Environment;
use crate::cli::say;
use crate::cli::today::{self, Today};
use phaser_project::path::{CONFIG, RootHints, find_root};

/// Says which files cannot be edited any more. Nothing depends on it, so what goes wrong is only said.
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

/// What there is to say about files that cannot be edited any more.
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
        "phaser: every edit that leaves such a violation in a file is denied, even one that repairs another"
            .to_owned(),
        format!(
            "phaser: to let old violations be, write 'existing: report' into {CONFIG}, or run 'phaser baseline'"
        ),
    ]
}

/// So many files are named; the rest is counted.
const MOST_TRAPPED: usize = 5;
