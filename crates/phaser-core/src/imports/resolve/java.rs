//! Classes and packages of Java.

use std::sync::Arc;

use phaser_syntax::ImportForm;

use super::{Importer, Memo, Resolver, child, directories, paths};
use crate::imports::ImportTarget;

/// Where a module has its sources.
const ROOTS: [&str; 5] = ["src/main/java", "src/test/java", "src/main/kotlin", "src/test/kotlin", "src"];

/// The source roots of the project.
#[derive(Default)]
pub(crate) struct Configs(Memo<Vec<String>>);

impl Importer<'_> {
    /// The file of a class, or the directory of a package.
    pub(super) fn java(&self, name: &str, form: ImportForm) -> Option<Vec<ImportTarget>> {
        let inside = name.replace('.', "/");
        if let Some(found) = self.own_root().and_then(|root| find(self.resolver, &root, &inside, form)) {
            return Some(paths([found]));
        }
        let roots = roots(self.resolver);
        let mut found = roots.iter().filter_map(|root| find(self.resolver, root, &inside, form));
        let first = found.next()?;
        // The same class in two modules: only a build knows which one is meant.
        found.all(|other| other == first).then(|| paths([first]))
    }

    /// The directory that the packages of the file start at.
    fn own_root(&self) -> Option<String> {
        let package = self.package.unwrap_or_default().replace('.', "/");
        let root = self.directory().strip_suffix(package.as_str())?;
        (root.is_empty() || package.is_empty() || root.ends_with('/'))
            .then(|| root.trim_end_matches('/').to_owned())
    }
}

/// The class, the innermost one with a file, or the package below a source root.
fn find(resolver: &Resolver, root: &str, inside: &str, form: ImportForm) -> Option<String> {
    let path = child(root, inside);
    if form == ImportForm::Package && resolver.is_directory(&path) {
        return Some(path);
    }
    let mut class = inside;
    loop {
        for ending in [".java", ".kt"] {
            let file = child(root, class) + ending;
            if resolver.is_file(&file) {
                return Some(file);
            }
        }
        class = &class[..class.rfind('/')?];
    }
}

fn roots(resolver: &Resolver) -> Arc<Vec<String>> {
    resolver.configs.java.0.get("", || {
        let all = directories(resolver);
        let roots = all.iter().flat_map(|directory| ROOTS.map(|root| child(directory, root)));
        roots.filter(|root| resolver.is_directory(root)).collect()
    })
}
