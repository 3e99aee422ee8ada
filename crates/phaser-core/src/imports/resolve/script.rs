//! Modules of JavaScript and TypeScript.

use std::sync::Arc;

use phaser_data::{Format, NodeId, Tree, Value};
use phaser_glob::Glob;

use super::{
    FOREIGN, Importer, Memo, Resolver, ancestors, child, joined, parent, paths, value_of, values_of,
};
use crate::imports::{EntryKind, ImportTarget};

/// Endings that an import may leave out, from a file of TypeScript.
const TYPED: [&str; 12] =
    [".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte"];

/// The same, from a file of JavaScript.
const UNTYPED: [&str; 12] =
    [".js", ".jsx", ".mjs", ".cjs", ".json", ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".vue", ".svelte"];

/// Endings of the output that an import may name instead of those of the source.
const COMPILED: [(&str, &[&str]); 4] = [
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts"]),
    (".cjs", &[".cts"]),
];

/// Cap on the files that extend or refer to each other.
const MAX_CHAIN: usize = 16;

/// Cap on the directories that a `**` of a workspace descends.
const MAX_DESCENT: usize = 4;

/// The configuration files read so far.
#[derive(Default)]
pub(crate) struct Configs {
    /// By file.
    compilers: Memo<Option<CompilerOptions>>,
    /// By directory: the packages of the workspaces that its `package.json` has.
    workspaces: Memo<Option<Vec<(String, String)>>>,
    /// By directory: `imports` of its `package.json`.
    internals: Memo<Option<Vec<PathAlias>>>,
}

/// What a `tsconfig.json` has.
#[derive(Default, Clone)]
pub(super) struct CompilerOptions {
    /// The directory that names without a dot start at.
    base: Option<String>,
    /// `paths`.
    aliases: Option<Vec<PathAlias>>,
    /// Other configurations that the files may belong to.
    references: Vec<String>,
}

/// A pattern with at most one `*`, and paths in the project with the same.
#[derive(Clone)]
pub(super) struct PathAlias {
    pattern: String,
    paths: Vec<String>,
}

impl PathAlias {
    /// The part of `module` that the `*` stands for; empty without one.
    fn captured<'m>(&self, module: &'m str) -> Option<&'m str> {
        match self.pattern.split_once('*') {
            None => (self.pattern == module).then_some(""),
            Some((before, after)) => {
                let long_enough = module.len() >= before.len() + after.len();
                module.strip_prefix(before).filter(|_| long_enough)?.strip_suffix(after)
            }
        }
    }
}

impl Importer<'_> {
    /// The file of a module, or the directory of a package.
    pub(super) fn script(&self, module: &str) -> Option<Vec<ImportTarget>> {
        let module = module.split(['?', '!']).next().filter(|path| !path.is_empty()).unwrap_or(module);
        if module == "." || module == ".." || module.starts_with("./") || module.starts_with("../") {
            let path = joined(self.directory(), module)?;
            return Some(self.file(&path).unwrap_or_else(|| paths([path])));
        }
        if module.starts_with('/') {
            return None;
        }
        if module.starts_with('#') {
            return self.internal(module);
        }
        self.alias(module).or_else(|| self.workspace(module))
    }

    /// The file that a path without its ending names.
    fn file(&self, path: &str) -> Option<Vec<ImportTarget>> {
        let is_file = |path: &String| self.resolver.is_file(path);
        let is_typed = [".ts", ".tsx", ".mts", ".cts"].iter().any(|ending| self.path.ends_with(ending));
        let endings = if is_typed { TYPED } else { UNTYPED };
        if self.resolver.is_file(path) {
            return Some(paths([path.to_owned()]));
        }
        let compiled =
            COMPILED.iter().filter_map(|(ending, sources)| Some((path.strip_suffix(ending)?, sources)));
        let mut sources =
            compiled.flat_map(|(stem, sources)| sources.iter().map(move |source| format!("{stem}{source}")));
        if let Some(source) = sources.find(is_file) {
            return Some(paths([source]));
        }
        let with = |stem: &str| endings.map(|ending| format!("{stem}{ending}")).into_iter().find(is_file);
        if let Some(file) = with(path) {
            return Some(paths([file]));
        }
        if !self.resolver.is_directory(path) {
            return None;
        }
        let main = package_json(self.resolver, path, |tree, root| {
            Some(tree.scalar_text(value_of(tree, root, "main")?)?.to_owned())
        });
        let main = main.and_then(|main| joined(path, &main)).and_then(|main| {
            if self.resolver.is_file(&main) {
                Some(main)
            } else {
                with(&main).or_else(|| with(&child(&main, "index")))
            }
        });
        let file = main.or_else(|| with(&child(path, "index")));
        Some(paths(file.into_iter().chain([path.to_owned()])))
    }

    /// A module by `paths` or `baseUrl` of the nearest `tsconfig.json` or `jsconfig.json`.
    fn alias(&self, module: &str) -> Option<Vec<ImportTarget>> {
        let configs = ancestors(self.directory())
            .flat_map(|directory| ["tsconfig.json", "jsconfig.json"].map(|name| child(directory, name)));
        let nearest = configs.into_iter().find(|file| self.resolver.is_file(file))?;
        let options = compiler_options(self.resolver, &nearest, 0);
        let options = options.as_ref().as_ref()?;
        let by = |options: &CompilerOptions| {
            let by_alias = longest_match(options.aliases.as_deref().unwrap_or_default(), module)
                .and_then(|candidates| candidates.iter().find_map(|path| self.file(path)));
            by_alias.or_else(|| self.file(&joined(options.base.as_deref()?, module)?))
        };
        by(options).or_else(|| {
            options
                .references
                .iter()
                .find_map(|file| compiler_options(self.resolver, file, 0).as_ref().as_ref().and_then(by))
        })
    }

    /// A module by `imports` of the nearest `package.json`.
    fn internal(&self, module: &str) -> Option<Vec<ImportTarget>> {
        let directory = ancestors(self.directory())
            .find(|directory| self.resolver.is_file(&child(directory, "package.json")))?;
        let aliases = self.resolver.configs.script.internals.get(directory, || {
            package_json(self.resolver, directory, |tree, root| {
                let imports = values_of(tree, value_of(tree, root, "imports")?);
                let alias = |(pattern, value): (&str, NodeId)| {
                    let mut leaves = Vec::new();
                    collect_texts(tree, value, &mut leaves);
                    let paths = leaves.iter().filter_map(|path| joined(directory, path)).collect();
                    PathAlias { pattern: pattern.to_owned(), paths }
                };
                Some(imports.map(alias).collect())
            })
        });
        // Which condition holds depends on the program that runs the code, so each file counts. The default is last.
        let candidates = longest_match(aliases.as_ref().as_ref()?, module)?;
        let files: Vec<_> = candidates.iter().rev().filter_map(|path| self.file(path)).flatten().collect();
        (!files.is_empty()).then_some(files)
    }

    /// A package of the nearest workspace, or a file in it.
    fn workspace(&self, module: &str) -> Option<Vec<ImportTarget>> {
        let module = joined("", module)?;
        let packages = ancestors(self.directory()).find_map(|directory| {
            let packages = workspace_packages(self.resolver, directory);
            packages.is_some().then_some(packages)
        })?;
        let inside = |name: &str| -> Option<String> {
            let rest = module.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/').to_owned())
        };
        let (rest, directory) = packages
            .as_ref()
            .as_ref()?
            .iter()
            .find_map(|(name, directory)| Some((inside(name)?, directory)))?;
        let path = if rest.is_empty() { directory.clone() } else { child(directory, &rest) };
        Some(self.file(&path).unwrap_or_else(|| paths([directory.clone()])))
    }
}

/// The paths of the alias that matches, the one with the longest text before its `*`. What the `*` stands for may contain `..`.
fn longest_match(aliases: &[PathAlias], module: &str) -> Option<Vec<String>> {
    let matching = aliases.iter().filter_map(|alias| Some((alias, alias.captured(module)?)));
    let length = |alias: &PathAlias| match alias.pattern.split_once('*') {
        None => (1, alias.pattern.len()),
        Some((before, _)) => (0, before.len()),
    };
    let (alias, captured) = matching.max_by_key(|(alias, _)| length(alias))?;
    Some(alias.paths.iter().filter_map(|path| joined("", &path.replacen('*', captured, 1))).collect())
}

/// The options of a configuration with those that it extends.
fn compiler_options(resolver: &Resolver, file: &str, depth: usize) -> Arc<Option<CompilerOptions>> {
    resolver.configs.script.compilers.get(file, || {
        let text = resolver.read(file)?;
        let tree = Tree::parse(&text, Format::JsonWithComments).ok()?;
        let root = *tree.roots().first()?;
        let directory = parent(file);
        let mut options = CompilerOptions::default();
        for base in texts(&tree, value_of(&tree, root, "extends")) {
            if let Some(base) = extended(resolver, directory, &base).filter(|_| depth < MAX_CHAIN)
                && let Some(base) = &*compiler_options(resolver, &base, depth + 1)
            {
                options.base = base.base.clone().or(options.base);
                options.aliases = base.aliases.clone().or(options.aliases);
            }
        }
        let own = value_of(&tree, root, "compilerOptions");
        let base = own.and_then(|own| tree.scalar_text(value_of(&tree, own, "baseUrl")?));
        if let Some(base) = base {
            options.base = joined(directory, base.trim_start_matches("${configDir}/"));
        }
        if let Some(aliases) = own.and_then(|own| value_of(&tree, own, "paths")) {
            let start = options.base.as_deref().unwrap_or(directory);
            let alias = |(pattern, value): (&str, NodeId)| PathAlias {
                pattern: pattern.to_owned(),
                paths: texts(&tree, Some(value))
                    .iter()
                    .filter_map(|path| match path.strip_prefix("${configDir}/") {
                        Some(path) => joined(directory, path),
                        None => joined(start, path),
                    })
                    .collect(),
            };
            options.aliases = Some(values_of(&tree, aliases).map(alias).collect());
        }
        let references =
            value_of(&tree, root, "references").map(|list| items(&tree, list)).unwrap_or_default();
        options.references = references
            .into_iter()
            .filter_map(|one| {
                let path = joined(directory, tree.scalar_text(value_of(&tree, one, "path")?)?)?;
                let is_file = path.ends_with(".json");
                Some(if is_file { path } else { child(&path, "tsconfig.json") })
            })
            .take(MAX_CHAIN)
            .collect();
        Some(options)
    })
}

/// The file that `extends` names, if it is in the project.
fn extended(resolver: &Resolver, directory: &str, base: &str) -> Option<String> {
    if !base.starts_with('.') {
        return None;
    }
    let path = joined(directory, base)?;
    [path.clone(), format!("{path}.json"), child(&path, "tsconfig.json")]
        .into_iter()
        .find(|file| resolver.is_file(file))
}

/// The packages of the workspaces that a directory has, by name.
fn workspace_packages(resolver: &Resolver, directory: &str) -> Arc<Option<Vec<(String, String)>>> {
    resolver.configs.script.workspaces.get(directory, || {
        let mut globs = package_json(resolver, directory, |tree, root| {
            let workspaces = value_of(tree, root, "workspaces")?;
            Some(texts(tree, Some(value_of(tree, workspaces, "packages").unwrap_or(workspaces))))
        })
        .unwrap_or_default();
        if let Some(text) = resolver.read(&child(directory, "pnpm-workspace.yaml"))
            && let Ok(tree) = Tree::parse(&text, Format::Yaml)
            && let Some(root) = tree.roots().first()
        {
            globs.extend(texts(&tree, value_of(&tree, *root, "packages")));
        }
        if globs.is_empty() {
            return None;
        }
        let (excluded, included): (Vec<_>, Vec<_>) = globs.iter().partition(|glob| glob.starts_with('!'));
        let excluded: Vec<Glob> = excluded
            .iter()
            .filter_map(|glob| Glob::new(glob.trim_start_matches(['!', '.', '/']).trim_end_matches('/')).ok())
            .collect();
        let mut packages = Vec::new();
        for glob in included {
            let parts: Vec<&str> = glob.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
            expand(resolver, directory, &parts, MAX_DESCENT, &mut |found: &str| {
                let inside = found.strip_prefix(directory).unwrap_or(found).trim_start_matches('/');
                if excluded.iter().any(|glob| glob.is_match(inside.as_bytes())) {
                    return;
                }
                let name = package_json(resolver, found, |tree, root| {
                    Some(tree.scalar_text(value_of(tree, root, "name")?)?.to_owned())
                });
                packages.extend(name.map(|name| (name, found.to_owned())));
            });
        }
        packages.sort();
        packages.dedup();
        Some(packages)
    })
}

/// Calls `each` with every directory that these parts of a glob lead to.
fn expand(resolver: &Resolver, directory: &str, parts: &[&str], descent: usize, each: &mut dyn FnMut(&str)) {
    let Some((part, rest)) = parts.split_first() else { return each(directory) };
    let directories = || {
        resolver.list(directory).into_iter().filter_map(|(name, kind)| {
            let is_own = !name.starts_with('.') && !FOREIGN[..1].contains(&name.as_str());
            (kind == EntryKind::Directory && is_own).then_some(name)
        })
    };
    if *part == "**" {
        expand(resolver, directory, rest, descent, each);
        if descent > 0 {
            for name in directories() {
                expand(resolver, &child(directory, &name), parts, descent - 1, each);
            }
        }
    } else if part.contains(['*', '?', '[', '{']) {
        let Ok(glob) = Glob::new(part) else { return };
        for name in directories().filter(|name| glob.is_match(name.as_bytes())) {
            expand(resolver, &child(directory, &name), rest, descent, each);
        }
    } else if let Some(inner) = joined(directory, part).filter(|inner| resolver.is_directory(inner)) {
        expand(resolver, &inner, rest, descent, each);
    }
}

/// A value of the `package.json` of a directory.
fn package_json<T>(
    resolver: &Resolver,
    directory: &str,
    get: impl FnOnce(&Tree<'_>, NodeId) -> Option<T>,
) -> Option<T> {
    let text = resolver.read(&child(directory, "package.json"))?;
    let tree = Tree::parse(&text, Format::Json).ok()?;
    get(&tree, *tree.roots().first()?)
}

/// A text, or the texts of a list.
fn texts(tree: &Tree<'_>, node: Option<NodeId>) -> Vec<String> {
    let Some(node) = node else { return Vec::new() };
    let all = match &tree.node(node).value {
        Value::Array(items) => items.clone(),
        Value::String(_) => vec![node],
        _ => Vec::new(),
    };
    all.into_iter().filter_map(|one| tree.scalar_text(one)).map(str::to_owned).collect()
}

/// All texts in a value, in order.
fn collect_texts(tree: &Tree<'_>, node: NodeId, found: &mut Vec<String>) {
    match &tree.node(node).value {
        Value::String(text) => found.push(text.to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(tree, *item, found)),
        Value::Object(members) => members.iter().for_each(|one| collect_texts(tree, one.value, found)),
        _ => {}
    }
}

fn items(tree: &Tree<'_>, node: NodeId) -> Vec<NodeId> {
    match &tree.node(node).value {
        Value::Array(items) => items.clone(),
        _ => Vec::new(),
    }
}
