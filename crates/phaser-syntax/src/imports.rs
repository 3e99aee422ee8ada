//! The imports of a file, as its syntax tree has them. Nothing is resolved here.
//!
//! | language | imports | module |
//! |---|---|---|
//! | Python | `import a.b`, `from a.b import c` | `a.b`, with the members `c` |
//! | JavaScript, TypeScript | `import`, `export … from`, `require("…")`, `import("…")`, `import x = require("…")` | the string |
//! | Go | `import "a/b"` | the string |
//! | Rust | `use a::{b, c::d}`, `extern crate a` | one for each leaf: `a::b`, `a::c::d` |
//! | Java | `import a.b.C`, `import static a.b.C.m`, `import a.b.*` | `a.b.C`, `a.b.C.m`, `a.b` |
//! | C# | `using A.B`, `using static A.B.C`, `using X = A.B` | `A.B`, `A.B.C`, `A.B` |
//! | PHP | `use A\B`, `use A\{B, C}` | one for each leaf: `A\B`, `A\C` |
//! | Ruby | `require "a"`, `require_relative "a"` | the string |
//! | C, C++ | `#include "a.h"`, `#include <a.h>` | `a.h` |
//!
//! A string with an escape, an interpolation or a substitution is no import: its value is not known from the text. Neither is
//! a name with a syntax error.

use std::ops::Range;

use ast_grep_language::SupportLang;
use tree_sitter::{Node, TreeCursor};

use crate::language::Language;
use crate::tree::{SyntaxTree, Unfinished};

/// Nodes between two looks at the caller's deadline.
const NODES_BETWEEN_STOPS: usize = 4096;

/// Cap on the nesting of braces in one `use` of Rust, and of its inline modules.
const MAX_RUST_DEPTH: usize = 64;

/// Cap on the memory for the names of a file, in bytes: names that share a prefix repeat it.
const MAX_NAME_BYTES: usize = 16 * 1024 * 1024;

/// One imported module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The bytes of the module's name.
    pub span: Range<usize>,
    /// The name of the module as written, without quotes, and in full where the text shares a prefix with others.
    pub module: String,
    /// The names that a `from` of Python imports from the module. Each may be a module of its own.
    pub members: Vec<ImportedMember>,
    /// How the module is named.
    pub form: ImportForm,
    /// The inline modules of Rust around it, outermost first.
    pub inside: Vec<String>,
}

/// A name that is imported from a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedMember {
    /// The bytes of the name.
    pub span: Range<usize>,
    /// The name, without an alias.
    pub name: String,
}

/// How a module is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportForm {
    /// By the usual name of its language.
    Name,
    /// By a path from the importing file: `require_relative`, `#include "…"`.
    File,
    /// By a header that the compiler has: `#include <…>`.
    System,
    /// By a member of it: `import static a.b.C.m`.
    Member,
    /// By a package of which everything is imported: `import a.b.*`.
    Package,
}

/// The imports of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileImports {
    /// In the order of the text.
    pub imports: Vec<Import>,
    /// The package that a file of Java declares.
    pub package: Option<String>,
}

impl Language {
    /// Words of which every text with an import contains one; empty if imports of the language are not known.
    pub fn import_words(self) -> &'static [&'static str] {
        match self.ast_grep() {
            SupportLang::Python | SupportLang::Go | SupportLang::Java => &["import"],
            SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx => {
                &["import", "require", "export"]
            }
            SupportLang::Rust => &["use", "extern"],
            SupportLang::CSharp => &["using"],
            SupportLang::Php => &["use"],
            SupportLang::Ruby => &["require"],
            SupportLang::C | SupportLang::Cpp => &["include"],
            _ => &[],
        }
    }

    /// Whether imports of this language are known.
    pub fn has_imports(self) -> bool {
        !self.import_words().is_empty()
    }
}

impl SyntaxTree {
    /// The imports of the text, in order.
    ///
    /// # Errors
    ///
    /// [`Unfinished::Stopped`] if the caller stopped it, and another reason if modules are nested too deeply or their names
    /// take too much memory.
    pub fn imports(&self) -> Result<FileImports, Unfinished> {
        let mut found = Finder {
            source: self.source(),
            found: FileImports::default(),
            inside: Vec::new(),
            left: MAX_NAME_BYTES,
            unfinished: None,
        };
        let mut cursor = self.tree().walk();
        let mut visited = 0_usize;
        loop {
            visited += 1;
            if visited.is_multiple_of(NODES_BETWEEN_STOPS) && self.is_stopped() {
                return Err(Unfinished::Stopped);
            }
            let node = cursor.node();
            let descend = found.visit(self.language(), node) == Descend::Yes;
            if let Some(unfinished) = found.unfinished {
                return Err(unfinished);
            }
            if descend && cursor.goto_first_child() {
                continue;
            }
            if !found.next(&mut cursor) {
                return Ok(found.found);
            }
        }
    }
}

#[derive(PartialEq, Eq)]
enum Descend {
    Yes,
    No,
}

struct Finder<'t> {
    source: &'t str,
    found: FileImports,
    /// The inline modules of Rust that are open, each with the end of its node.
    inside: Vec<(String, usize)>,
    /// The memory left for names, in bytes.
    left: usize,
    /// Why the search must end.
    unfinished: Option<Unfinished>,
}

impl<'t> Finder<'t> {
    /// Moves to the next node that is no descendant.
    fn next(&mut self, cursor: &mut TreeCursor<'_>) -> bool {
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
        let start = cursor.node().start_byte();
        while self.inside.last().is_some_and(|(_, end)| *end <= start) {
            self.inside.pop();
        }
        true
    }

    /// Adds the imports of a node, and returns whether its children may have more.
    fn visit(&mut self, language: Language, node: Node<'t>) -> Descend {
        match (language.ast_grep(), node.kind()) {
            (SupportLang::Python, "import_statement") => self.python_import(node),
            (SupportLang::Python, "import_from_statement") => self.python_from(node),
            (
                SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx,
                "import_statement" | "export_statement" | "import_require_clause",
            ) => {
                if let Some(source) = node.child_by_field_name("source") {
                    self.quoted(source, ImportForm::Name);
                }
                return Descend::Yes;
            }
            (SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx, "call_expression") => {
                self.script_call(node);
                return Descend::Yes;
            }
            (SupportLang::Go, "import_spec") => {
                if let Some(path) = node.child_by_field_name("path") {
                    self.quoted(path, ImportForm::Name);
                }
            }
            (SupportLang::Rust, "use_declaration") => {
                if let Some(argument) = node.child_by_field_name("argument") {
                    self.rust_use(argument, "", 0);
                }
            }
            (SupportLang::Rust, "extern_crate_declaration") => {
                if let Some(name) = node.child_by_field_name("name") {
                    self.add(name, format!("::{}", self.text(name)), ImportForm::Name);
                }
            }
            (SupportLang::Rust, "mod_item") => {
                if let (Some(name), Some(body)) =
                    (node.child_by_field_name("name"), node.child_by_field_name("body"))
                {
                    self.inside.push((self.text(name).to_owned(), body.end_byte()));
                    if self.inside.len() > MAX_RUST_DEPTH {
                        self.unfinished = Some(Unfinished::TooDeep);
                    }
                }
                return Descend::Yes;
            }
            (SupportLang::Java, "package_declaration") => {
                let name = named_children(node).find(|child| child.kind().ends_with("identifier"));
                self.found.package = name.and_then(|name| self.name(name));
            }
            (SupportLang::Java, "import_declaration") => self.java_import(node),
            (SupportLang::CSharp, "using_directive") => {
                let alias = node.child_by_field_name("name");
                let module = named_children(node).filter(|child| Some(*child) != alias).last();
                if let Some(module) = module {
                    self.add_name(module, ImportForm::Name);
                }
            }
            (SupportLang::Php, "namespace_use_declaration") => self.php_use(node),
            (SupportLang::Ruby, "call") => {
                self.ruby_call(node);
                return Descend::Yes;
            }
            (SupportLang::C | SupportLang::Cpp, "preproc_include") => {
                match node.child_by_field_name("path") {
                    Some(path) if path.kind() == "string_literal" => self.quoted(path, ImportForm::File),
                    Some(path) if path.kind() == "system_lib_string" => {
                        self.quoted(path, ImportForm::System);
                    }
                    _ => {}
                }
            }
            _ => return Descend::Yes,
        }
        Descend::No
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// The tokens of a dotted name, which may have white space, line continuations and comments around its dots; `None`
    /// for a name with a syntax error.
    fn name(&self, node: Node<'_>) -> Option<String> {
        if node.has_error() {
            return None;
        }
        let (mut name, mut cursor) = (String::new(), node.walk());
        loop {
            if !cursor.node().is_extra() {
                if cursor.goto_first_child() {
                    continue;
                }
                name.push_str(self.text(cursor.node()));
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Some(name);
                }
            }
        }
    }

    /// Adds the module that a dotted name names.
    fn add_name(&mut self, node: Node<'_>, form: ImportForm) {
        if let Some(module) = self.name(node) {
            self.add(node, module, form);
        }
    }

    fn add(&mut self, node: Node<'_>, module: String, form: ImportForm) {
        self.add_at(node.byte_range(), module, form);
    }

    fn add_at(&mut self, span: Range<usize>, module: String, form: ImportForm) {
        if module.is_empty() || span.is_empty() || span.end > self.source.len() {
            return;
        }
        let inside: Vec<String> = self.inside.iter().map(|(name, _)| name.clone()).collect();
        let bytes = inside.iter().map(|name| size_of::<String>() + name.len()).sum::<usize>() + module.len();
        match self.left.checked_sub(bytes) {
            Some(left) => self.left = left,
            None => self.unfinished = Some(Unfinished::TooComplex),
        }
        if self.unfinished.is_none() {
            self.found.imports.push(Import { span, module, members: Vec::new(), form, inside });
        }
    }

    /// Adds the module that a string names. Its span has no quotes.
    fn quoted(&mut self, node: Node<'_>, form: ImportForm) {
        let text = self.text(node);
        let quotes = [('"', '"'), ('\'', '\''), ('`', '`'), ('<', '>')];
        let inner = quotes.into_iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
        let Some(inner) = inner else { return };
        if inner.contains(['\\', '\n']) || text.starts_with('`') && inner.contains("${") {
            return;
        }
        let start = node.start_byte() + 1;
        self.add_at(start..start + inner.len(), inner.to_owned(), form);
    }

    fn python_import(&mut self, node: Node<'t>) {
        for child in named_children(node) {
            let name = child.child_by_field_name("name").unwrap_or(child);
            if name.kind() == "dotted_name" {
                self.add_name(name, ImportForm::Name);
            }
        }
    }

    fn python_from(&mut self, node: Node<'t>) {
        let Some(module) = node.child_by_field_name("module_name") else { return };
        let mut members = Vec::new();
        let mut cursor = node.walk();
        for child in node.children_by_field_name("name", &mut cursor) {
            let node = child.child_by_field_name("name").unwrap_or(child);
            if let Some(name) = self.name(node) {
                members.push(ImportedMember { span: node.byte_range(), name });
            }
        }
        let before = self.found.imports.len();
        self.add_name(module, ImportForm::Name);
        if let Some(import) = self.found.imports.get_mut(before) {
            import.members = members;
        }
    }

    /// `require("…")` and `import("…")`.
    fn script_call(&mut self, node: Node<'t>) {
        let Some(function) = node.child_by_field_name("function") else { return };
        if function.kind() != "import"
            && !(function.kind() == "identifier" && self.text(function) == "require")
        {
            return;
        }
        let argument = node.child_by_field_name("arguments").and_then(|list| named_children(list).next());
        if let Some(argument) = argument.filter(|one| matches!(one.kind(), "string" | "template_string")) {
            self.quoted(argument, ImportForm::Name);
        }
    }

    /// Adds each leaf of a tree of `use`. `prefix` ends in `::` or is empty.
    fn rust_use(&mut self, node: Node<'t>, prefix: &str, depth: usize) {
        if depth > MAX_RUST_DEPTH {
            self.unfinished = Some(Unfinished::TooDeep);
        }
        if self.unfinished.is_some() {
            return;
        }
        let joined = |path: Node<'_>| Some(format!("{prefix}{}", self.name(path)?));
        match node.kind() {
            "use_list" => named_children(node).for_each(|child| self.rust_use(child, prefix, depth + 1)),
            "scoped_use_list" => {
                let Some(list) = node.child_by_field_name("list") else { return };
                let path = node.child_by_field_name("path");
                // `use ::{a, b}` has no path.
                let prefix = match path {
                    Some(path) => joined(path).map(|path| path + "::"),
                    None => Some("::".to_owned()),
                };
                let Some(prefix) = prefix else { return };
                let rooted = self.text(node).starts_with("::") && !prefix.starts_with("::");
                let prefix = if rooted { format!("::{prefix}") } else { prefix };
                self.rust_use(list, &prefix, depth + 1);
            }
            "use_as_clause" => {
                if let Some(path) = node.child_by_field_name("path") {
                    self.rust_use(path, prefix, depth + 1);
                }
            }
            "use_wildcard" => {
                if let Some(module) = joined(node) {
                    self.add(node, module, ImportForm::Package);
                }
            }
            "self" if !prefix.is_empty() => {
                let module = prefix.trim_end_matches("::").to_owned();
                self.add(node, module, ImportForm::Name);
            }
            "identifier" | "scoped_identifier" | "self" | "super" | "crate" => {
                if let Some(module) = joined(node) {
                    self.add(node, module, ImportForm::Name);
                }
            }
            _ => {}
        }
    }

    fn java_import(&mut self, node: Node<'t>) {
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.children(&mut cursor).collect();
        let has = |kind: &str| children.iter().any(|child| child.kind() == kind);
        let name = children.iter().find(|child| matches!(child.kind(), "identifier" | "scoped_identifier"));
        let form = match (has("static"), has("asterisk")) {
            // `import static a.b.C.*` names a class.
            (_, true) => ImportForm::Package,
            (true, false) => ImportForm::Member,
            (false, false) => ImportForm::Name,
        };
        if let Some(name) = name {
            self.add_name(*name, form);
        }
    }

    fn php_use(&mut self, node: Node<'t>) {
        let prefix = named_children(node).find(|child| child.kind() == "namespace_name");
        let prefix = match prefix {
            Some(prefix) => self.name(prefix).map(|prefix| prefix + "\\"),
            None => Some(String::new()),
        };
        let Some(prefix) = prefix else { return };
        let group = node.child_by_field_name("body").unwrap_or(node);
        for clause in named_children(group).filter(|child| child.kind() == "namespace_use_clause") {
            if self.unfinished.is_some() {
                return;
            }
            let alias = clause.child_by_field_name("alias");
            let name = named_children(clause)
                .find(|child| Some(*child) != alias && matches!(child.kind(), "name" | "qualified_name"));
            if let Some((node, name)) = name.and_then(|node| Some((node, self.name(node)?))) {
                let module = format!("{prefix}{}", name.trim_start_matches('\\'));
                self.add(node, module.trim_start_matches('\\').to_owned(), ImportForm::Name);
            }
        }
    }

    fn ruby_call(&mut self, node: Node<'t>) {
        let method = node.child_by_field_name("method").map(|method| self.text(method));
        let form = match method {
            Some("require") => ImportForm::Name,
            Some("require_relative") => ImportForm::File,
            _ => return,
        };
        let argument = node.child_by_field_name("arguments").and_then(|list| named_children(list).next());
        if let Some(argument) = argument.filter(|one| one.kind() == "string" && !has_interpolation(*one)) {
            self.quoted(argument, form);
        }
    }
}

fn named_children<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect::<Vec<_>>().into_iter()
}

fn has_interpolation(string: Node<'_>) -> bool {
    named_children(string).any(|child| child.kind() == "interpolation")
}

#[cfg(test)]
mod tests;
