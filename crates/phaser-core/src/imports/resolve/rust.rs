//! Modules of Rust.

use std::sync::Arc;

use phaser_data::{Format, NodeId, Tree};

use super::{Importer, Memo, Resolver, ancestors, child, joined, parent, paths, value_of, values_of};
use crate::imports::ImportTarget;

/// The `Cargo.toml` files read so far, by directory.
#[derive(Default)]
pub(crate) struct Configs {
    manifests: Memo<Option<Manifest>>,
}

/// What a `Cargo.toml` has.
pub(super) struct Manifest {
    /// The name of the library in code; `None` for a workspace without a package.
    library: Option<String>,
    /// The file of the library, from the directory of the package.
    library_file: String,
    /// Dependencies in the project, by their name in code, with their directory.
    local: Vec<(String, String)>,
    /// Dependencies that are taken from the workspace.
    inherited: Vec<String>,
    /// The local dependencies that a workspace offers.
    offered: Vec<(String, String)>,
}

/// Where the modules of a crate are.
struct CrateRoot {
    /// The directory of its modules.
    directory: String,
    /// The file of the crate itself.
    file: String,
}

impl Importer<'_> {
    /// The module that a path of `use` leads into: the innermost one with a file.
    pub(super) fn rust(&self, path: &str, inside: &[String]) -> Option<Vec<ImportTarget>> {
        let mut parts: Vec<&str> = path.split("::").filter(|part| *part != "*").collect();
        let is_external = parts.first() == Some(&"");
        parts.retain(|part| !part.is_empty());
        let (package, manifest) = self.rust_package()?;
        let manifest = manifest.as_ref().as_ref()?;
        let own = self.crate_root(package);
        let mut module = self.own_module(&own);
        module.extend(inside.iter().cloned());
        let first = *parts.first()?;
        if !is_external {
            match first {
                "crate" => return self.module_in(&own, parts[1..].iter().copied()),
                "self" | "super" => {
                    for part in &parts {
                        match *part {
                            "self" => {}
                            "super" => drop(module.pop()),
                            _ => break,
                        }
                    }
                    let rest = parts.iter().skip_while(|part| matches!(**part, "self" | "super"));
                    return self.module_in(&own, module.iter().map(String::as_str).chain(rest.copied()));
                }
                _ => {}
            }
        }
        let library = |directory: &str, manifest: &Manifest| {
            let file = joined(directory, &manifest.library_file)?;
            Some(CrateRoot { directory: parent(&file).to_owned(), file })
        };
        if manifest.library.as_deref() == Some(first)
            && let Some(root) = library(package, manifest).filter(|root| self.resolver.is_file(&root.file))
        {
            return self.module_in(&root, parts[1..].iter().copied());
        }
        if let Some(directory) = self.dependency(package, manifest, first) {
            let other = manifest_in(self.resolver, &directory);
            let root = library(&directory, other.as_ref().as_ref()?)?;
            return self.module_in(&root, parts[1..].iter().copied());
        }
        if is_external {
            return None;
        }
        // A module beside the import needs no `self`.
        let directory = module.iter().fold(own.directory.clone(), |directory, name| child(&directory, name));
        module_file(self.resolver, &directory, first)?;
        self.module_in(&own, module.iter().map(String::as_str).chain(parts.iter().copied()))
    }

    /// The nearest directory with a package.
    fn rust_package(&self) -> Option<(&str, Arc<Option<Manifest>>)> {
        ancestors(self.directory()).find_map(|directory| {
            let manifest = manifest_in(self.resolver, directory);
            let has_package = manifest.as_ref().as_ref().is_some_and(|manifest| manifest.library.is_some());
            has_package.then_some((directory, manifest))
        })
    }

    /// The crate that the importing file is part of.
    fn crate_root(&self, package: &str) -> CrateRoot {
        let inside = self.path.strip_prefix(package).unwrap_or(self.path).trim_start_matches('/');
        let source = child(package, "src");
        let is_library = inside.starts_with("src/") && !inside.starts_with("src/bin/");
        if is_library {
            let [library, program] = ["lib.rs", "main.rs"].map(|name| child(&source, name));
            let is_program = self.path == program || !self.resolver.is_file(&library);
            return CrateRoot { directory: source, file: if is_program { program } else { library } };
        }
        // A test, an example, a bench or a program of its own, in one file or in a directory with `main.rs`.
        let top = inside.match_indices('/').nth(usize::from(inside.starts_with("src/bin/")));
        let top = top.map_or_else(|| package.to_owned(), |(slash, _)| child(package, &inside[..slash]));
        let with_main = ancestors(self.directory())
            .take_while(|directory| directory.len() >= top.len())
            .find(|directory| self.resolver.is_file(&child(directory, "main.rs")));
        match with_main {
            Some(directory) => {
                CrateRoot { directory: directory.to_owned(), file: child(directory, "main.rs") }
            }
            None => CrateRoot { directory: top, file: self.path.to_owned() },
        }
    }

    /// The names of the modules that lead to the importing file.
    fn own_module(&self, root: &CrateRoot) -> Vec<String> {
        let is_root =
            self.path == root.file || matches!(self.path.rsplit('/').next(), Some("lib.rs" | "main.rs"));
        let inside = self.path.strip_prefix(&root.directory).filter(|_| !is_root).unwrap_or_default();
        let inside = inside.trim_start_matches('/').trim_end_matches(".rs");
        let inside = inside.strip_suffix("/mod").unwrap_or(inside);
        inside.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    /// The innermost module with a file that these names lead to.
    fn module_in<'n>(
        &self,
        root: &CrateRoot,
        names: impl Iterator<Item = &'n str>,
    ) -> Option<Vec<ImportTarget>> {
        let (mut directory, mut file, mut is_root) = (root.directory.clone(), root.file.clone(), true);
        for name in names {
            let Some(found) = module_file(self.resolver, &directory, name) else { break };
            (directory, file, is_root) = (child(&directory, name), found, false);
        }
        Some(if is_root { paths([file]) } else { paths([file, directory]) })
    }

    /// The directory of a dependency in the project.
    fn dependency(&self, package: &str, manifest: &Manifest, name: &str) -> Option<String> {
        let find = |all: &[(String, String)]| {
            all.iter().find(|(known, _)| known == name).map(|(_, directory)| directory.clone())
        };
        if let Some(directory) = find(&manifest.local) {
            return Some(directory);
        }
        if !manifest.inherited.iter().any(|known| known == name) {
            return None;
        }
        ancestors(package).find_map(|directory| {
            manifest_in(self.resolver, directory).as_ref().as_ref().and_then(|found| find(&found.offered))
        })
    }
}

/// The file of a module below the directory of its parent.
fn module_file(resolver: &Resolver, directory: &str, name: &str) -> Option<String> {
    let path = child(directory, name);
    [path.clone() + ".rs", path + "/mod.rs"].into_iter().find(|file| resolver.is_file(file))
}

fn manifest_in(resolver: &Resolver, directory: &str) -> Arc<Option<Manifest>> {
    resolver.configs.rust.manifests.get(directory, || {
        let text = resolver.read(&child(directory, "Cargo.toml"))?;
        let tree = Tree::parse(&text, Format::Toml).ok()?;
        let root = *tree.roots().first()?;
        let text_at = |node: Option<NodeId>, key: &str| {
            Some(tree.scalar_text(value_of(&tree, node?, key)?)?.to_owned())
        };
        let package = value_of(&tree, root, "package");
        let lib = value_of(&tree, root, "lib");
        let name = text_at(lib, "name").or_else(|| text_at(package, "name"));
        let workspace = value_of(&tree, root, "workspace");
        let mut tables: Vec<NodeId> = dependency_tables(&tree, root);
        if let Some(target) = value_of(&tree, root, "target") {
            tables.extend(
                values_of(&tree, target).flat_map(|(_, platform)| dependency_tables(&tree, platform)),
            );
        }
        let (mut local, mut inherited) = (Vec::new(), Vec::new());
        for (name, value) in tables.iter().flat_map(|table| values_of(&tree, *table)) {
            if let Some(path) = text_at(Some(value), "path").and_then(|path| joined(directory, &path)) {
                local.push((in_code(name), path));
            } else if value_of(&tree, value, "workspace").is_some() {
                inherited.push(in_code(name));
            }
        }
        let offered = workspace.and_then(|workspace| value_of(&tree, workspace, "dependencies"));
        let offered =
            offered.into_iter().flat_map(|table| values_of(&tree, table)).filter_map(|(name, value)| {
                Some((in_code(name), joined(directory, &text_at(Some(value), "path")?)?))
            });
        let offered = offered.collect();
        Some(Manifest {
            library: package.and(name).map(|name| in_code(&name)),
            library_file: text_at(lib, "path").unwrap_or_else(|| "src/lib.rs".to_owned()),
            local,
            inherited,
            offered,
        })
    })
}

fn dependency_tables(tree: &Tree<'_>, table: NodeId) -> Vec<NodeId> {
    let names = ["dependencies", "dev-dependencies", "build-dependencies"];
    names.iter().filter_map(|name| value_of(tree, table, name)).collect()
}

/// The name of a package in code.
fn in_code(name: &str) -> String {
    name.replace('-', "_")
}
