//! The house, held to its own rules: layers, one home for each outside crate, what each layer may not know, and how long
//! a file or a function may be.
//!
//! All production code is read, as the compiler reads it: everything but items for tests, wherever they stand in a file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Visibility};

/// One source file without its tests.
struct Source {
    /// Its path in `src`, such as `cli/args.rs`.
    name: String,
    items: Vec<Item>,
    /// Its words and signs.
    tokens: Vec<String>,
    /// How many lines stand before its tests.
    lines: usize,
}

impl Source {
    fn read(src: &Path, file: &Path) -> Self {
        let code = fs::read_to_string(file).expect("is text");
        let mut parsed = syn::parse_file(&code).expect("is Rust");
        let tests = parsed.items.iter().find(|item| is_for_tests(attributes(item)));
        let lines = tests.map_or(code.lines().count(), |item| item.span().start().line - 1);
        strip_tests(&mut parsed.items);
        let stream = parsed.items.iter().map(ToTokens::to_token_stream).collect();
        let name = file.strip_prefix(src).expect("is inside").display().to_string();
        Self { name, tokens: words(stream), lines, items: parsed.items }
    }

    /// The top-level module it belongs to.
    fn module(&self) -> &str {
        self.name.split(['/', '.']).next().unwrap_or_default()
    }

    fn is_in(&self, place: &str) -> bool {
        self.name == place || (place.ends_with('/') && self.name.starts_with(place)) || {
            let file = format!("{}.rs", place.trim_end_matches('/'));
            place.ends_with('/') && self.name == file
        }
    }

    /// Does the code have these words and signs one after another?
    fn has(&self, wanted: &[&str]) -> bool {
        self.tokens.windows(wanted.len()).any(|tokens| tokens == wanted)
    }

    /// The names that follow these words and signs, also those in braces.
    fn names_after(&self, wanted: &[&str]) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for at in 0..self.tokens.len().saturating_sub(wanted.len()) {
            if self.tokens[at..at + wanted.len()] != *wanted {
                continue;
            }
            let rest = &self.tokens[at + wanted.len()..];
            match rest.first().map(String::as_str) {
                Some("{") => names.extend(first_names_in_braces(rest)),
                Some(name) => drop(names.insert(name.to_owned())),
                None => {}
            }
        }
        names
    }
}

/// The first name of each path in the braces that `tokens` start with.
fn first_names_in_braces(tokens: &[String]) -> Vec<String> {
    let (mut depth, mut names, mut first) = (0, Vec::new(), true);
    for token in tokens {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 1 => first = true,
            name if depth == 1 && first => {
                names.push(name.to_owned());
                first = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

fn words(stream: TokenStream) -> Vec<String> {
    let mut words = Vec::new();
    for tree in stream {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    proc_macro2::Delimiter::Parenthesis => ("(", ")"),
                    proc_macro2::Delimiter::Brace => ("{", "}"),
                    proc_macro2::Delimiter::Bracket => ("[", "]"),
                    proc_macro2::Delimiter::None => ("", ""),
                };
                words.push(open.to_owned());
                words.extend(self::words(group.stream()));
                words.push(close.to_owned());
            }
            other => words.push(other.to_string()),
        }
    }
    words
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && words(attribute.to_token_stream()).iter().any(|word| word == "test")
    })
}

fn strip_tests(items: &mut Vec<Item>) {
    items.retain(|item| !is_for_tests(attributes(item)));
    for item in items {
        match item {
            Item::Mod(module) => {
                if let Some((_, items)) = &mut module.content {
                    strip_tests(items);
                }
            }
            Item::Impl(block) => block.items.retain(|item| match item {
                syn::ImplItem::Fn(method) => !is_for_tests(&method.attrs),
                _ => true,
            }),
            _ => {}
        }
    }
}

/// All production code; files that are for tests only are left out.
fn sources() -> Vec<Source> {
    fn visit(directory: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).expect("readable") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                visit(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    visit(&src, &mut files);
    files.sort();
    let for_tests = test_files(&files);
    let of_production = files.iter().filter(|file| !for_tests.iter().any(|test| file.starts_with(test)));
    of_production.map(|file| Source::read(&src, file)).collect()
}

/// Files and directories of modules that are declared for tests only, such as `foo/tests.rs` and `foo/tests`.
fn test_files(files: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for file in files {
        let parsed = syn::parse_file(&fs::read_to_string(file).expect("is text")).expect("is Rust");
        for item in &parsed.items {
            let Item::Mod(module) = item else { continue };
            if module.content.is_none() && is_for_tests(&module.attrs) {
                let own =
                    if file.ends_with("lib.rs") { file.with_file_name("") } else { file.with_extension("") };
                let directory = own.join(module.ident.to_string());
                found.push(directory.with_extension("rs"));
                found.push(directory);
            }
        }
    }
    found
}

/// The modules in the order of lib.rs, which is the order of the layers.
fn layers(sources: &[Source]) -> Vec<String> {
    let lib = sources.iter().find(|source| source.name == "lib.rs").expect("a library");
    let modules = lib.items.iter().filter_map(|item| match item {
        Item::Mod(module) => Some(module.ident.to_string()),
        _ => None,
    });
    modules.collect()
}

#[test]
fn imports_point_up_only() {
    let sources = sources();
    let layers = layers(&sources);
    let layer = |module: &str| layers.iter().position(|known| known == module);
    assert!(layers.len() > 10, "{layers:?}");
    let (mut arrows, mut down) = (0, Vec::new());
    for source in &sources {
        let Some(own) = layer(source.module()) else { continue };
        for import in source.names_after(&["crate", ":", ":"]) {
            let Some(other) = layer(&import) else { continue };
            arrows += 1;
            if other > own {
                down.push(format!(
                    "{} imports crate::{import}, which stands below it in lib.rs",
                    source.name
                ));
            }
        }
    }
    assert!(arrows > 60, "only {arrows} imports found");
    assert_eq!(down, [""; 0]);
}

/// Where each outside crate is used: files, and directories with a final `/`. What stands at `EVERYWHERE` is used like the
/// standard library.
const HOMES: [(&str, &str); 27] = [
    ("annotate_snippets", "report/text.rs"),
    ("anstyle", "report/"),
    ("anyhow", "cli/"),
    ("clap", "cli/"),
    ("clap_complete", "cli/completions.rs"),
    ("clap_mangen", "cli/completions.rs"),
    ("fancy_regex", "matcher/"),
    ("gix", "source/git/"),
    ("indicatif", "progress.rs"),
    ("jsonc_parser", "settings/document.rs"),
    ("memchr", EVERYWHERE),
    ("memmap2", "text/memory.rs"),
    ("quick_junit", "report/junit.rs"),
    ("rayon", "scan.rs"),
    ("regex_automata", "glob.rs matcher/"),
    ("regex_syntax", "glob/ matcher/"),
    ("rustix", "cli/stdin.rs"),
    ("serde", EVERYWHERE),
    ("serde_json", EVERYWHERE),
    ("serde_saphyr", "contract/syntax/yaml/"),
    ("serde_sarif", "report/sarif.rs"),
    ("sha2", "cache/identity.rs"),
    ("strsim", "nearest.rs"),
    ("tempfile", "replace.rs cli/doctor/"),
    ("thiserror", EVERYWHERE),
    ("zlib_rs", "deflate.rs"),
    ("phaser", "main.rs"),
];
const EVERYWHERE: &str = "";

#[test]
fn each_outside_crate_has_one_home() {
    let manifest =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).expect("is text");
    let known: BTreeSet<&str> = HOMES.iter().map(|(name, _)| *name).collect();
    for name in dependencies(&manifest) {
        assert!(known.contains(name.as_str()), "say where {name} is used, in HOMES");
    }
    let sources = sources();
    for (name, homes) in HOMES.iter().filter(|(_, homes)| *homes != EVERYWHERE) {
        let users: Vec<&Source> = sources.iter().filter(|source| source.has(&[name, ":", ":"])).collect();
        assert!(!users.is_empty(), "nobody uses {name} any more");
        for source in users {
            let at_home = homes.split(' ').any(|home| source.is_in(home));
            assert!(at_home, "{} uses {name}, whose home is {homes}", source.name);
        }
    }
}

/// The names of the dependencies, as code spells them; not those for tests.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut wanted = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            wanted = line.ends_with("dependencies]") && !line.contains("dev-") && !line.contains("build-");
        } else if let (true, Some((name, _))) = (wanted, line.split_once(" = ")) {
            names.push(name.trim().replace('-', "_"));
        }
    }
    assert!(names.len() > 15, "{names:?}");
    names
}

#[test]
fn only_the_command_line_knows_the_process_it_runs_in() {
    let calls: [&[&str]; 7] = [
        &["env", ":", ":", "var"],
        &["env", ":", ":", "var_os"],
        &["env", ":", ":", "args_os"],
        &["env", ":", ":", "current_dir"],
        &["io", ":", ":", "stdin"],
        &["io", ":", ":", "stdout"],
        &["io", ":", ":", "stderr"],
    ];
    for source in sources().iter().filter(|source| !source.is_in("cli/")) {
        for call in calls {
            assert!(!source.has(call), "{} calls {}", source.name, call.concat());
        }
    }
}

#[test]
fn the_matcher_reads_no_file_no_environment_and_no_clock() {
    let forbidden: [&[&str]; 5] = [
        &["std", ":", ":", "fs"],
        &["std", ":", ":", "env"],
        &["std", ":", ":", "io"],
        &["Instant", ":", ":", "now"],
        &["SystemTime"],
    ];
    for source in sources().iter().filter(|source| source.is_in("matcher/")) {
        for what in forbidden {
            assert!(!source.has(what), "{} knows {}", source.name, what.concat());
        }
    }
}

#[test]
fn sources_know_no_contracts_and_reports_are_known_only_below_them() {
    for source in sources() {
        let imports = source.names_after(&["crate", ":", ":"]);
        if source.is_in("source/") {
            for hidden in ["contract", "matcher", "violation", "settle", "report"] {
                assert!(!imports.contains(hidden), "{} knows {hidden}", source.name);
            }
        }
        if source.is_in("matcher/") || source.is_in("scan/") || source.is_in("settle/") {
            for hidden in ["report", "agent", "cli", "hook"] {
                assert!(!imports.contains(hidden), "{} knows {hidden}", source.name);
            }
        }
        if source.is_in("report/") || source.is_in("scan/") || source.is_in("settle/") {
            assert!(!imports.contains("hook"), "{} knows a client", source.name);
        }
    }
}

/// Types whose values go over a wire are private to the file that reads or writes them; clap is the command line's.
#[test]
fn domain_types_derive_neither_serde_nor_clap() {
    let serde = ["Serialize", "Deserialize", "JsonSchema"];
    let clap = ["Args", "Parser", "Subcommand", "ValueEnum"];
    let mut wire_types = 0;
    for source in sources() {
        for item in &source.items {
            let (attributes, visibility, name) = match item {
                Item::Struct(item) => (&item.attrs, &item.vis, &item.ident),
                Item::Enum(item) => (&item.attrs, &item.vis, &item.ident),
                _ => continue,
            };
            let derives = attributes.iter().filter(|attribute| attribute.path().is_ident("derive"));
            let derived: Vec<String> = derives.flat_map(|derive| words(derive.to_token_stream())).collect();
            if derived.iter().any(|derive| serde.contains(&derive.as_str())) {
                wire_types += 1;
                let private = !matches!(visibility, Visibility::Public(_));
                assert!(private, "{}: {name} is public and derives serde's traits", source.name);
            }
            if derived.iter().any(|derive| clap.contains(&derive.as_str())) {
                assert!(source.is_in("cli/"), "{}: {name} derives clap's traits", source.name);
            }
        }
    }
    assert!(wire_types > 5, "only {wire_types} wire types found");
}

const MAX_FILE_LINES: usize = 400;
const MAX_FUNCTION_LINES: usize = 60;
const MAX_PARAMETERS: usize = 4;

/// Collects what is wrong with functions.
#[derive(Default)]
struct Functions {
    file: String,
    seen: usize,
    wrong: BTreeMap<String, String>,
}

impl Functions {
    fn look_at(&mut self, signature: &syn::Signature, lines: usize) {
        self.seen += 1;
        let name = format!("{}: {}", self.file, signature.ident);
        let typed: Vec<_> = signature
            .inputs
            .iter()
            .filter_map(|input| match input {
                syn::FnArg::Typed(typed) => Some(typed),
                syn::FnArg::Receiver(_) => None,
            })
            .collect();
        if lines > MAX_FUNCTION_LINES {
            self.wrong.insert(name.clone(), format!("{lines} lines"));
        }
        if typed.len() > MAX_PARAMETERS {
            self.wrong.insert(name.clone(), format!("{} parameters", typed.len()));
        }
        let hidden = typed.iter().any(|typed| matches!(*typed.pat, syn::Pat::Tuple(_)));
        if hidden {
            self.wrong.insert(name, "parameters hidden in a tuple".to_owned());
        }
    }
}

fn line_count(span: proc_macro2::Span) -> usize {
    span.end().line + 1 - span.start().line
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.look_at(&function.sig, line_count(function.block.span()));
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.look_at(&function.sig, line_count(function.block.span()));
        visit::visit_impl_item_fn(self, function);
    }
}

#[test]
fn files_and_functions_fit_on_a_screen_or_a_few() {
    let mut functions = Functions::default();
    let mut long = Vec::new();
    for source in sources() {
        if source.lines > MAX_FILE_LINES {
            long.push(format!("{} has {} lines before its tests", source.name, source.lines));
        }
        functions.file = source.name;
        source.items.iter().for_each(|item| functions.visit_item(item));
    }
    assert!(functions.seen > 500, "only {} functions found", functions.seen);
    assert_eq!((long, functions.wrong), (Vec::new(), BTreeMap::new()));
}
