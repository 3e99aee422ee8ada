use std::rc::Rc;

use super::*;

fn found(language: &str, text: &str) -> FileImports {
    let language = Language::find(language).expect("a language");
    let never: crate::Stop = Rc::new(|| false);
    SyntaxTree::parse(text, language, &never).expect("parsed").imports().expect("finished")
}

/// The modules with their text.
fn modules(language: &str, text: &str) -> Vec<(String, String)> {
    let of = |import: Import| (import.module, text[import.span].to_owned());
    found(language, text).imports.into_iter().map(of).collect()
}

fn same(names: &[&str]) -> Vec<(String, String)> {
    names.iter().map(|name| ((*name).to_owned(), (*name).to_owned())).collect()
}

fn pairs(names: &[(&str, &str)]) -> Vec<(String, String)> {
    names.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
}

#[test]
fn finds_imports_of_python() {
    let text = "import a.b as c, d\nfrom __future__ import annotations\nfrom .. import x\nfrom .m import (\n    y as z,\n)\n\
                if True:\n    from e . f import *\n# import g\ns = 'import h'\n";
    assert_eq!(
        modules("python", text),
        pairs(&[("a.b", "a.b"), ("d", "d"), ("..", ".."), (".m", ".m"), ("e.f", "e . f")])
    );
    let members = found("python", text).imports.into_iter().flat_map(|import| import.members);
    let members: Vec<_> = members.map(|member| (member.name, text[member.span].to_owned())).collect();
    assert_eq!(members, same(&["x", "y"]));
}

#[test]
fn finds_imports_of_scripts() {
    let text = "import a from 'a';\nimport './b';\nexport * from \"c\";\nexport { x } from 'd';\nconst e = require('e');\n\
                const f = () => import('f');\nconst g = import(`g`);\nimport(`h${x}`);\nrequire(i);\nrequire('j\\x20');\n\
                // import 'k'\nconst l = \"import 'l'\";\nrequire('m', 1);\nexport const n = 1;\nx.require('o');\n";
    let expected = same(&["a", "./b", "c", "d", "e", "f", "g", "m"]);
    for language in ["javascript", "typescript", "tsx"] {
        assert_eq!(modules(language, text), expected, "{language}");
    }
    let text = "import type { A } from 'a';\nimport b = require('b');\nexport type { C } from 'c';\n\
                type D = import('d').D;\nlet e: typeof import('e');\nimport F = G.H;\n";
    assert_eq!(modules("typescript", text), same(&["a", "b", "c", "d", "e"]));
    assert_eq!(modules("javascript", "const a = <A>{require('a')}</A>;"), same(&["a"]), "JSX");
}

#[test]
fn finds_imports_of_go() {
    let text =
        "package a\n\nimport \"a\"\nimport (\n\t. \"b/c\"\n\t_ `d`\n\te \"f\"\n)\n\nvar s = `import \"g\"`\n";
    assert_eq!(modules("go", text), same(&["a", "b/c", "d", "f"]));
}

#[test]
fn finds_imports_of_rust() {
    let text = "use a::b::C;\npub(crate) use crate::{d, e::{self, F as G}, h::*};\nextern crate i as j;\n\
                use ::k::l;\nmod m {\n    use super::n;\n    mod o { use self::p; }\n}\nuse q;\nmod r;\n// use s;\n";
    assert_eq!(
        modules("rust", text),
        pairs(&[
            ("a::b::C", "a::b::C"),
            ("crate::d", "d"),
            ("crate::e", "self"),
            ("crate::e::F", "F"),
            ("crate::h::*", "h::*"),
            ("::i", "i"),
            ("::k::l", "::k::l"),
            ("super::n", "super::n"),
            ("self::p", "self::p"),
            ("q", "q"),
        ])
    );
    let inside: Vec<_> =
        found("rust", text).imports.into_iter().map(|import| import.inside.join("/")).collect();
    assert_eq!(inside, ["", "", "", "", "", "", "", "m", "m/o", ""]);
}

#[test]
fn finds_imports_of_java() {
    let text =
        "package a.b;\nimport c.D;\nimport static e.F.g;\nimport h.*;\nimport static i.J.*;\nclass K {}\n";
    assert_eq!(modules("java", text), same(&["c.D", "e.F.g", "h", "i.J"]));
    let found = found("java", text);
    assert_eq!(found.package.as_deref(), Some("a.b"));
    let forms: Vec<_> = found.imports.iter().map(|import| import.form).collect();
    let expected = [ImportForm::Name, ImportForm::Member, ImportForm::Package, ImportForm::Package];
    assert_eq!(forms, expected);
}

#[test]
fn finds_namespaces() {
    let text = "using A.B;\nglobal using C;\nusing static D.E;\nusing F = G.H;\nclass I { void J() { using (K()) {} } }\n";
    assert_eq!(modules("csharp", text), same(&["A.B", "C", "D.E", "G.H"]));
    let text = "<?php\nnamespace A;\nuse B\\C;\nuse D\\E as F, \\G;\nuse H\\{I, J\\K as L};\nuse function M\\n;\n\
                class O { use P; }\n$f = function () use ($x) {};\n";
    assert_eq!(
        modules("php", text),
        pairs(&[
            ("B\\C", "B\\C"),
            ("D\\E", "D\\E"),
            ("G", "\\G"),
            ("H\\I", "I"),
            ("H\\J\\K", "J\\K"),
            ("M\\n", "M\\n"),
        ])
    );
}

#[test]
fn finds_required_and_included_files() {
    let text = "require 'a'\nrequire_relative \"b/c\"\nrequire \"d#{x}\"\nrequire e\n# require 'f'\nputs 'require \"g\"'\n";
    assert_eq!(modules("ruby", text), same(&["a", "b/c"]));
    let forms: Vec<_> = found("ruby", text).imports.iter().map(|import| import.form).collect();
    assert_eq!(forms, [ImportForm::Name, ImportForm::File]);
    let text = "#include \"a/b.h\"\n#include <c.h>\n#ifdef X\n# include \"d.h\"\n#endif\n#include MACRO\n// #include \"e.h\"\n";
    for language in ["c", "cpp"] {
        assert_eq!(modules(language, text), same(&["a/b.h", "c.h", "d.h"]), "{language}");
        let forms: Vec<_> = found(language, text).imports.iter().map(|import| import.form).collect();
        assert_eq!(forms, [ImportForm::File, ImportForm::System, ImportForm::File]);
    }
}

#[test]
fn finds_imports_around_syntax_error() {
    assert_eq!(modules("python", "import a\nx = = 1\nimport b\n"), same(&["a", "b"]));
    assert_eq!(modules("typescript", "import 'a';\nlet x = ;\nimport 'b';\n"), same(&["a", "b"]));
}

#[test]
fn omits_names_with_syntax_error() {
    assert_eq!(
        modules("python", "from .$. import a\nfrom .b import c\nimport d. . .e\nimport f\n"),
        same(&[".b", "f"])
    );
    assert_eq!(modules("rust", "use a::$::b;\nuse c;\n"), same(&["c"]));
    assert_eq!(modules("java", "import a.$$..b;\nimport c.D;\n"), same(&["c.D"]));
}

#[test]
fn names_have_no_space_or_comment() {
    let python = "from a.\\\n  b import c\nimport d . e\n";
    assert_eq!(modules("python", python), pairs(&[("a.b", "a.\\\n  b"), ("d.e", "d . e")]));
    let slashes = [("java", "import a /* x */ . b;"), ("csharp", "using a /* x */ . b;")];
    for (language, text) in slashes {
        assert_eq!(modules(language, text), pairs(&[("a.b", "a /* x */ . b")]), "{language}");
    }
    assert_eq!(modules("rust", "use a:: // x\n b;"), pairs(&[("a::b", "a:: // x\n b")]));
    assert_eq!(modules("php", "<?php use a \\ /* x */ b;"), pairs(&[("a\\b", "a \\ /* x */ b")]));
}

#[test]
fn every_import_has_a_word() {
    for language in Language::all().filter(|language| language.has_imports()) {
        assert!(language.import_words().iter().all(|word| word.len() > 2), "{language}");
    }
    assert!(!Language::find("css").expect("a language").has_imports());
}

#[test]
fn bounds_nesting_and_memory_of_names() {
    let parsed = |text: &str, name: &str| {
        let language = Language::find(name).expect("is known");
        let never: crate::Stop = Rc::new(|| false);
        SyntaxTree::parse(text, language, &never)
            .expect("is parsed")
            .imports()
            .map(|found| found.imports.len())
    };
    let braces = |levels: usize| format!("use {}a{};", "a::{".repeat(levels), "}".repeat(levels));
    assert_eq!(parsed(&braces(20), "rust"), Ok(1));
    assert_eq!(parsed(&braces(100), "rust"), Err(Unfinished::TooDeep));
    let modules = |levels: usize| format!("{}use a;{}", "mod a {".repeat(levels), "}".repeat(levels));
    assert_eq!(parsed(&modules(20), "rust"), Ok(1));
    assert_eq!(parsed(&modules(100), "rust"), Err(Unfinished::TooDeep));
    let prefix = "a".repeat(100_000);
    assert_eq!(parsed(&format!("use {prefix}::{{{}}};", "b,".repeat(100)), "rust"), Ok(100));
    assert_eq!(
        parsed(&format!("use {prefix}::{{{}}};", "b,".repeat(1_000)), "rust"),
        Err(Unfinished::TooComplex)
    );
    let php = format!("<?php use {prefix}\\{{{}}};", "b,".repeat(1_000));
    assert_eq!(parsed(&php, "php"), Err(Unfinished::TooComplex));
}
