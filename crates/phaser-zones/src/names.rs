//! The language of a file: by name, then by extension, then by shebang line.
//!
//! Where languages share an extension, a mark near the start of the text decides.

use super::Language;
use super::language::contains_word;
use super::tables::{
    ALL, DOCKERFILE, DOTENV, IGNORE, INI, MARKDOWN, NOTEBOOK, PLAIN, PYTHON, RESTRUCTURED_TEXT, TELLING,
    TEMPLATE, TRAILING,
};

/// The prefix of a text that is searched for marks of a language, in bytes.
const MARK_DISTANCE: usize = 64 * 1024;

/// Extensions added to a file name. The name before them decides, if it is known.
const ADDED: &str = "in example sample dist template orig bak j2 jinja jinja2 tera twig njk liquid mako tmpl tpl \
    gotmpl";

/// Extensions of templates.
const TEMPLATES: &str = "j2 jinja jinja2 tera twig njk liquid hbs handlebars mustache erb ejs eex heex leex mako tmpl tpl \
    gotmpl";

/// Extensions of JSON without comments.
const STRICT_JSON: &str = "json jsonl ndjson geojson webmanifest avsc har topojson sarif";

/// Files with such an extension whose readers accept comments.
const JSON_WITH_COMMENTS: &str = ".eslintrc.json devcontainer.json api-extractor.json";

/// Extensions of text without a language.
const TEXTS: &str = "txt text csv tsv psv log diff patch srt vtt po pot ipynb";

/// Names of text without a language.
const TEXT_NAMES: &str = "readme license licence copying changelog authors notice contributing news todo";

/// Extensions of languages that are also those of binary formats: MPEG transport streams, property lists, compiled resources.
const SHARED_WITH_BINARIES: &str = "ts mts plist res lock m pro mod cls";

impl Language {
    /// Whether a file at `path` is expected to be text by its name, although its `bytes` are not. If the name is that of a
    /// binary format, too, the bytes decide: source with a NUL in it is mostly text.
    pub fn expects_text(path: &[u8], bytes: &[u8]) -> bool {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        if contains_word(SHARED_WITH_BINARIES, extension.as_bytes()) && is_mostly_binary(bytes) {
            return false;
        }
        contains_word(TEXTS, extension.as_bytes())
            || contains_word(TEXT_NAMES, name.as_bytes())
            || by_name(&name, b"").is_some()
    }

    /// The language of a file at `path` (relative, `/`-separated). `None` if unknown.
    pub fn of(path: &[u8], text: &[u8]) -> Option<&'static Self> {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        if name.ends_with(".ipynb") {
            return by_cell(text);
        }
        by_name(&name, text).or_else(|| by_shebang(text))
    }

    /// The languages whose comments may contain an ignore directive in a file at `path`. Never empty: an unknown language
    /// has the most common comment markers. A template also has the comments of the language it produces, a notebook
    /// cell may be Markdown, and an extension may belong to several languages.
    pub fn of_comments(path: &[u8], text: &[u8]) -> Vec<&'static Self> {
        let (stem, ending) = match path.iter().rposition(|&byte| byte == b'.') {
            Some(dot) => (&path[..dot], path[dot + 1..].to_ascii_lowercase()),
            None => (path, Vec::new()),
        };
        let known = Self::of(path, text);
        let mut languages = vec![known.unwrap_or(&PLAIN)];
        match ending.as_slice() {
            b"ipynb" => languages = known.map_or_else(|| vec![&NOTEBOOK], |cell| vec![cell, &MARKDOWN]),
            b"rst" => languages = vec![&RESTRUCTURED_TEXT],
            ending if contains_word(TEMPLATES, ending) => {
                languages.extend(Self::of(stem, text).into_iter().chain([&TEMPLATE]));
            }
            ending => {
                let sharing = TELLING.iter().filter(|(extension, ..)| extension.as_bytes() == ending);
                languages.extend(sharing.map(|(_, _, language)| *language));
            }
        }
        if languages
            .iter()
            .any(|language| [&DOCKERFILE, &INI].iter().any(|one| std::ptr::eq(*one, *language)))
        {
            languages.push(&TRAILING);
        }
        languages.dedup_by(|one, other| std::ptr::eq(*one, *other));
        languages
    }

    /// Whether a file at `path` can have a comment. JSON has none, except in files of tools that accept comments; every other
    /// text is taken to have some.
    pub fn has_comments(path: &[u8]) -> bool {
        let path = String::from_utf8_lossy(path).to_ascii_lowercase();
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_commented = contains_word(JSON_WITH_COMMENTS, name.as_bytes())
            || (name.starts_with("tsconfig.") || name.starts_with("jsconfig."))
            || directory.rsplit('/').next() == Some(".vscode");
        is_commented || !contains_word(STRICT_JSON, extension.as_bytes())
    }

    /// All languages, in no particular order.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        ALL.iter().copied().flatten().copied()
    }

    /// The file extensions, in lower case without a dot.
    #[cfg(test)]
    pub fn known_extensions(&self) -> impl Iterator<Item = &'static str> {
        self.files.extensions.split_ascii_whitespace()
    }
}

/// The language of a notebook's cell. `None` for a notebook as a file, where code is in JSON strings.
fn by_cell(text: &[u8]) -> Option<&'static Language> {
    let is_whole =
        text.trim_ascii_start().starts_with(b"{") && memchr::memmem::find(text, b"\"cells\"").is_some();
    (!is_whole).then_some(&PYTHON)
}

/// Whether the bytes are those of a binary format: a binary property list, or more than a quarter of them cannot be in ASCII
/// text.
fn is_mostly_binary(bytes: &[u8]) -> bool {
    let is_binary = |byte: &&u8| !matches!(**byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    bytes.starts_with(b"bplist") || bytes.iter().filter(is_binary).count() * 4 > bytes.len()
}

fn by_name(name: &str, text: &[u8]) -> Option<&'static Language> {
    by_whole_name(name).or_else(|| by_ending(name, text)).or_else(|| by_stem(name))
}

fn by_whole_name(name: &str) -> Option<&'static Language> {
    let is_named = |language: &&Language| contains_word(language.files.names, name.as_bytes());
    Language::all().find(is_named).or_else(|| {
        if name.starts_with('.') && name.ends_with("ignore") {
            Some(&IGNORE)
        } else if name.starts_with(".env.") {
            Some(&DOTENV)
        } else {
            None
        }
    })
}

fn by_ending(name: &str, text: &[u8]) -> Option<&'static Language> {
    let (stem, extension) = name.rsplit_once('.')?;
    if contains_word(ADDED, extension.as_bytes())
        && let Some(language) = by_name(stem, text)
    {
        return Some(language);
    }
    let start = &text[..text.len().min(MARK_DISTANCE)];
    let marked = TELLING
        .iter()
        .find(|(known, mark, _)| *known == extension && memchr::memmem::find(start, mark).is_some());
    marked.map(|(_, _, language)| *language).or_else(|| {
        Language::all().find(|language| contains_word(language.files.extensions, extension.as_bytes()))
    })
}

/// Names such as `Dockerfile.dev`, where the extension is not the language.
fn by_stem(name: &str) -> Option<&'static Language> {
    let stem = name.split('.').next().filter(|stem| !stem.is_empty())?;
    Language::all().find(|language| contains_word(language.files.names, stem.as_bytes()))
}

/// The language of the interpreter in a shebang line.
fn by_shebang(text: &[u8]) -> Option<&'static Language> {
    let line = text.strip_prefix(b"#!")?;
    let end = line.iter().take(256).position(|&byte| byte == b'\n').unwrap_or(line.len().min(256));
    let command = String::from_utf8_lossy(&line[..end]);
    let interpreter = command
        .split_ascii_whitespace()
        .filter_map(|word| word.rsplit('/').next())
        .find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    let interpreter =
        interpreter.trim_end_matches(|char: char| char.is_ascii_digit() || matches!(char, '.' | '-'));
    Language::all().find(|language| contains_word(language.files.interpreters, interpreter.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str, text: &str) -> Option<&'static str> {
        Language::of(path.as_bytes(), text.as_bytes()).map(Language::name)
    }

    #[test]
    fn names_and_extensions_ignore_case_and_directories() {
        assert_eq!(name("a.b/X.PY", ""), Some("Python"));
        assert_eq!(name("a.py/dockerfile", ""), Some("Dockerfile"));
        assert_eq!(name("Dockerfile.prod", ""), Some("Dockerfile"));
        assert_eq!(name("prod.Dockerfile", ""), Some("Dockerfile"));
        assert_eq!(name("build.rs", ""), Some("Rust"));
        assert_eq!(name("BUILD", ""), Some("Starlark"));
        assert_eq!(name("CMakeLists.txt", ""), Some("CMake"));
        assert_eq!(name("home/.bashrc", ""), Some("shell"));
        assert_eq!(name(".env.local", ""), Some("dotenv"));
        assert_eq!(name(".dockerignore", ""), Some("ignore file"));
        assert_eq!(name("notes.txt", ""), None);
        assert_eq!(name("", ""), None);
        assert_eq!(name("dir/", "#!/bin/sh"), Some("shell"));
    }

    #[test]
    fn expects_text_by_name() {
        let expects = |path: &str, bytes: &[u8]| Language::expects_text(path.as_bytes(), bytes);
        let source = b"eval(x) // \0";
        for path in [
            "a.py",
            "src/A.JS",
            "a.ts",
            "Dockerfile",
            "README",
            "a.txt",
            "data.csv",
            "a.json",
            "a.svg",
            "n.ipynb",
        ] {
            assert!(expects(path, source), "{path}");
        }
        for path in ["a.png", "a.bin", "a", "a.wasm", "core", "", "a.pyc"] {
            assert!(!expects(path, source), "{path}");
        }
        assert!(!expects("video.ts", &[0x47, 0x40, 0x11, 0x10, 0x00, 0x42, 0xF0, 0x25].repeat(188)));
        assert!(!expects("Info.plist", b"bplist00 CFBundleName"));
        assert!(expects("Info.plist", source));
        assert!(expects("a.js", b"\0\0\0\0"), "no binary format has this name");
    }

    #[test]
    fn ignores_added_extensions() {
        assert_eq!(name("config.h.in", ""), Some("C++"));
        assert_eq!(name("settings.py.j2", ""), Some("Python"));
        assert_eq!(name("page.twig", ""), Some("HTML"));
        assert_eq!(name("style.css.twig", ""), Some("CSS"));
        assert_eq!(name("mail.j2", ""), None);
    }

    #[test]
    fn finds_language_by_shebang() {
        assert_eq!(name("bin/run", "#!/usr/bin/env node\nx"), Some("JavaScript"));
        assert_eq!(name("bin/run", "#!/usr/bin/env -S deno run --allow-net"), Some("TypeScript"));
        assert_eq!(name("bin/run", "#!/usr/bin/python3.12 -u"), Some("Python"));
        assert_eq!(name("bin/run", "#! /usr/bin/env LANG=C lua5.4\r\n"), Some("Lua"));
        assert_eq!(name("bin/run.sh", "#!/usr/bin/env node"), Some("shell"));
        assert_eq!(name("run", "#!/opt/unheard-of"), None);
        assert_eq!(name("run", "#!"), None);
    }

    #[test]
    fn mark_decides_shared_extension() {
        assert_eq!(name("a.m", "@implementation A"), Some("Objective-C"));
        assert_eq!(name("a.m", "x = 1; % one"), Some("MATLAB"));
        assert_eq!(name("dump.sql", "CREATE TABLE `a` (b INT) ENGINE=InnoDB;"), Some("MySQL"));
        assert_eq!(name("dump.sql", "SELECT 1;"), Some("SQL"));
    }

    #[test]
    fn only_strict_json_has_no_comments() {
        let has = |path: &str| Language::has_comments(path.as_bytes());
        for path in ["package.json", "web/A.JSON", "a.jsonl", "tsconfigs/a.json"] {
            assert!(!has(path), "{path}");
        }
        let others = ["a.py", "a", "a.jsonc", "a.json5", "web/tsconfig.app.json", ".vscode/settings.json"];
        for path in others.into_iter().chain(["notes.txt", "a.ipynb", "a.yaml", ""]) {
            assert!(has(path), "{path}");
        }
    }

    #[test]
    fn notebook_cell_is_python() {
        assert_eq!(name("a.ipynb", "x = {}"), Some("Python"));
        assert_eq!(name("a.ipynb", "{'x': 1}"), Some("Python"));
        assert_eq!(name("a.ipynb", " {\n \"cells\": []}"), None);
    }

    #[test]
    fn no_two_languages_claim_the_same_files() {
        type Claims = fn(&'static Language) -> &'static str;
        let kinds: [Claims; 3] =
            [|known| known.files.extensions, |known| known.files.names, |known| known.files.interpreters];
        for claims in kinds {
            let mut seen = std::collections::BTreeSet::new();
            let mut all = Language::all().flat_map(|known| claims(known).split_ascii_whitespace());
            assert_eq!(all.find(|claim| !seen.insert(*claim)), None);
        }
    }
}
