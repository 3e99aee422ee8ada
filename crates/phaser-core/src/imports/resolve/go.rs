//! Packages of Go.

use super::{Importer, Memo, Resolver, ancestors, child, joined, paths};
use crate::imports::ImportTarget;

/// The `go.mod` and `go.work` files read so far, by directory.
#[derive(Default)]
pub(crate) struct Configs {
    modules: Memo<Option<GoModule>>,
    works: Memo<Option<Vec<String>>>,
}

/// A `go.mod`.
pub(super) struct GoModule {
    path: String,
    directory: String,
    /// Modules that it replaces by directories of the project.
    replaced: Vec<(String, String)>,
}

impl Importer<'_> {
    /// The directory of a package of the project.
    pub(super) fn go(&self, package: &str) -> Option<Vec<ImportTarget>> {
        if package.starts_with("./") || package.starts_with("../") {
            return joined(self.directory(), package).map(|path| paths([path]));
        }
        let own = ancestors(self.directory()).find_map(|directory| {
            let module = module_in(self.resolver, directory);
            module.is_some().then_some(module)
        });
        let own = own.as_deref().and_then(Option::as_ref);
        let mut known: Vec<(String, String)> = Vec::new();
        if let Some(own) = own {
            known.push((own.path.clone(), own.directory.clone()));
            known.extend(own.replaced.iter().cloned());
        }
        let work = ancestors(self.directory()).find_map(|directory| {
            let work = work_in(self.resolver, directory);
            work.is_some().then_some(work)
        });
        for directory in work.iter().filter_map(|work| work.as_ref().as_ref()).flatten() {
            if let Some(module) = &*module_in(self.resolver, directory) {
                known.push((module.path.clone(), module.directory.clone()));
            }
        }
        let inside = |module: &str| -> Option<String> {
            let rest = package.strip_prefix(module)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/').to_owned())
        };
        let (module, directory) = known
            .iter()
            .filter(|(module, _)| inside(module).is_some())
            .max_by_key(|(module, _)| module.len())?;
        joined(directory, &inside(module)?).map(|path| paths([path]))
    }
}

fn module_in(resolver: &Resolver, directory: &str) -> std::sync::Arc<Option<GoModule>> {
    resolver.configs.go.modules.get(directory, || {
        let text = resolver.read(&child(directory, "go.mod"))?;
        let lines = statements(&text);
        let path = lines.iter().find_map(|line| match line.as_slice() {
            ["module", path, ..] => Some(unquoted(path)),
            _ => None,
        })?;
        let replaced = lines.iter().filter_map(|line| {
            let arrow = line.iter().position(|word| *word == "=>")?;
            let ("replace", module, target) = (line[0], line.get(1)?, line.get(arrow + 1)?) else {
                return None;
            };
            let target = unquoted(target);
            let is_local = target.starts_with("./") || target.starts_with("../");
            Some((unquoted(module), joined(directory, &target).filter(|_| is_local)?))
        });
        let replaced = replaced.collect();
        Some(GoModule { path, directory: directory.to_owned(), replaced })
    })
}

/// The directories that a `go.work` uses.
fn work_in(resolver: &Resolver, directory: &str) -> std::sync::Arc<Option<Vec<String>>> {
    resolver.configs.go.works.get(directory, || {
        let text = resolver.read(&child(directory, "go.work"))?;
        let used = statements(&text).into_iter().filter_map(|line| match line.as_slice() {
            ["use", used, ..] => joined(directory, &unquoted(used)),
            _ => None,
        });
        Some(used.collect())
    })
}

/// The words of each statement. A block in brackets is one statement per line, each with the word before the bracket.
fn statements(text: &str) -> Vec<Vec<&str>> {
    let (mut all, mut block) = (Vec::new(), None);
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), block) {
            ([], _) => {}
            ([word, "("], None) => block = Some(*word),
            ([")", ..], Some(_)) => block = None,
            (_, Some(word)) => all.push(std::iter::once(word).chain(words).collect()),
            (_, None) => all.push(words),
        }
    }
    all
}

fn unquoted(word: &str) -> String {
    word.trim_matches(['"', '`']).to_owned()
}
