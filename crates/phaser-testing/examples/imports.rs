//! Prints the imports of files of a project, one per line: the file, the module as written, and its target.
//!
//! usage: imports ROOT < FILES, with one path relative to ROOT per line. A target in the project starts with `./`.
//! `scripts/imports-equal` compares them with those of other tools.

use std::io::{self, BufRead as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use phaser_core::imports::{ImportTarget, Resolver};
use phaser_project::path::{RelPath, Root};
use phaser_project::source::Targets;
use phaser_project::source::view::DiskView;

fn main() -> io::Result<()> {
    let root = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| ".".into())).canonicalize()?;
    let view = DiskView::new(&Root::new(root.clone()), &Targets::none());
    let resolver = Resolver::new(Arc::new(view));
    let mut out = io::stdout().lock();
    for path in io::stdin().lock().lines() {
        let path = path?;
        let text = std::fs::read(root.join(&path))?;
        for import in resolver.imports_of(&RelPath::from(path.as_str()), &text).unwrap_or_default() {
            let own = import.is_module.then_some((&import.span, &import.targets));
            let members = import.members.iter().map(|member| (&member.span, &member.targets));
            for (span, targets) in own.into_iter().chain(members) {
                let written = String::from_utf8_lossy(&text[span.clone()]);
                let target = match targets.first() {
                    Some(ImportTarget::Path(path)) => format!("./{path}"),
                    Some(ImportTarget::Name(name)) => name.clone(),
                    None => continue,
                };
                writeln!(out, "{path}\t{}\t{target}", written.escape_debug())?;
            }
        }
    }
    Ok(())
}
