//! Where `phaser enforce` keeps results: in git's directory, or in the user's directory for caches.

use std::path::PathBuf;

use super::args::EnforceArgs;
use super::environment::Environment;
use super::say;
use phaser_project::cache::{FOLDER, Place};
use phaser_project::config;
use phaser_project::path::{CONFIG, Root};
use phaser_project::project::load::Loaded;
use phaser_project::source::git;
use phaser_project::source::tree::Stamps;

/// Where this run keeps results, if it does.
pub fn of_run(args: &EnforceArgs, loaded: &Loaded, root: &Root, environment: &Environment) -> Option<Place> {
    if !args.keeps_results(loaded.cache()) {
        return None;
    }
    let directory = directory(root, environment);
    if directory.is_none() && !args.quiet {
        say("phaser: there is no directory to keep results in (set HOME or XDG_CACHE_HOME)");
    }
    Some(Place { directory: directory?, program: environment.program() })
}

/// Whether to take the states of files while they are looked for. Which is before everything else is known, so that the
/// project's own configuration is looked at for this alone; if it says something else in the state that counts, the states
/// are taken later, or for nothing.
pub fn stamps(args: &EnforceArgs, root: &Root) -> Stamps {
    let configured = || {
        let text = config::text(root.path()).ok().flatten()?;
        config::parse(&text, CONFIG.as_ref()).ok()?.cache
    };
    let is_wanted = args.all && args.keeps_results(if args.cache { Some(true) } else { configured() });
    if is_wanted { Stamps::Taken } else { Stamps::NotTaken }
}

/// The directory for the results of a project.
pub fn directory(root: &Root, environment: &Environment) -> Option<PathBuf> {
    let of_git = git::common_directory(root, &environment.git);
    of_git.or_else(|| environment.cache_home()).map(|directory| directory.join(FOLDER))
}
