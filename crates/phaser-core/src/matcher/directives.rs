//! Ignore directives: comments in a file that suppress violations in it.
//!
//! The file's zones decide what a comment is, so a directive in a string is text like any other. A file of no known
//! language has the most common comments of all, and a template has those of its template language, too
//! ([`Language::of_comments`]).
//!
//! # Example
//!
//! Two violations of `no-print`, on lines 1 and 2 of `a.py`:
//!
//! ```text
//! print("# phaser:ignore no-print")
//! print(x)  # noqa phaser:ignore no-print, no-x -- the command's output
//! ```
//!
//! 1. [`Ignores::parse`] searches for `phaser:ignore`. A text without it ends here; zones are computed only for one that
//!    has it, and only after a violation was found.
//! 2. The mark on line 1 is in a string: no directive. That on line 2 is in the comment `# noqa … output`.
//! 3. A mark counts after white space, or after nothing but the signs that open its comment. `` `phaser:ignore` `` and
//!    `not-phaser:ignore` only mention it.
//! 4. A directive reaches to the end of its line, of its comment or to the next mark. What follows the mark gives the
//!    scope, here [`Scope::Line`]; then come the ids, separated by commas: `no-print` and `no-x`. A closer that touches
//!    an id, as in `/*phaser:ignore no-x*/`, is cut off. A second word after an id, or `--`, starts the reason.
//! 5. [`Ignores::covers`] finds the directive for the violation on line 2 and none for that on line 1.
//!
//! Contracts are not known here: an id that no contract has covers nothing.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem};
use phaser_zones::{Language, Zones};

use crate::path::RelPath;
use crate::text::{Region, Text};

/// What every directive starts with.
pub const MARK: &[u8] = b"phaser:ignore";
/// A directive for the whole file must stand on one of this many lines.
const FILE_LINES: usize = 10;

/// The most directives, and ids in them, that count on one line. Further ones suppress nothing.
const MAX_ON_LINE: usize = 1_000;

/// The ignore directives of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ignores<'t> {
    directives: Vec<Directive<'t>>,
}

/// One ignore directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive<'t> {
    /// The line it stands on, from 1.
    pub line: usize,
    /// What it covers.
    pub scope: Scope,
    /// The ids of the contracts it names, in order.
    pub ids: Vec<Cow<'t, str>>,
}

/// What a directive covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The named contracts, on its own line.
    Line,
    /// The named contracts, on the line after it.
    NextLine,
    /// Every contract, on its own line.
    AllOnLine,
    /// The named contracts, in the whole file.
    File,
}

/// The lines that a violation stands on, from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// The line it starts on.
    pub first: usize,
    /// The line that its last character is on.
    pub last: usize,
}

impl Lines {
    /// The lines of a stretch of text.
    pub fn of(Region { start, end }: Region) -> Self {
        let ends_before = end.column == 1 && end.line > start.line;
        Self { first: start.line, last: if ends_before { end.line - 1 } else { end.line } }
    }
}

/// The effect of a file's directives on a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// Nothing.
    No,
    /// One of them suppresses it.
    Suppressed,
    /// One of them would, but it names no contract, which is reported.
    BareIgnore,
}

impl<'t> Ignores<'t> {
    /// The directives in the text of the file at `path`.
    pub fn parse(path: &RelPath, text: &'t Text<'_>) -> Self {
        let bytes = text.bytes();
        let mut marks = memmem::find_iter(bytes, MARK).peekable();
        if marks.peek().is_none() {
            return Self::default();
        }
        let languages = Language::of_comments(path.as_bytes(), bytes);
        let zones: Vec<Zones> =
            languages.into_iter().map(|language| Zones::in_language(language, bytes)).collect();
        let mut directives: Vec<Directive<'_>> = Vec::new();
        let mut on_line = 0;
        let (mut line, mut line_end) = (1, 0);
        while let Some(at) = marks.next() {
            if at >= line_end {
                let breaks = memchr_iter(b'\n', &bytes[line_end..at]).count();
                line += breaks;
                on_line = if breaks > 0 { 0 } else { on_line };
                line_end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
            }
            let mut comments = zones.iter().filter_map(|zones| zones.comment_at(at));
            let Some(comment) = comments.find(|comment| is_opened(&bytes[comment.start..at])) else {
                continue;
            };
            let end = marks.peek().map_or(line_end, |&next| next.min(line_end)).min(comment.end);
            let Some((scope, rest)) = scope(&bytes[at + MARK.len()..end]) else { continue };
            if on_line < MAX_ON_LINE {
                let mut ids = if scope == Scope::AllOnLine { Vec::new() } else { ids(rest) };
                ids.truncate(MAX_ON_LINE - on_line);
                on_line += 1 + ids.len();
                directives.push(Directive { line, scope, ids });
            }
        }
        Self { directives }
    }

    /// The effect of the directives on a violation of the contract `id` on `lines`, or on none.
    pub fn covers(&self, id: &str, lines: Option<Lines>) -> Cover {
        let mut cover = Cover::No;
        for directive in self.near(lines).filter(|directive| directive.reaches(lines)) {
            if directive.names(id) {
                return Cover::Suppressed;
            }
            if directive.ids.is_empty() {
                cover = Cover::BareIgnore;
            }
        }
        cover
    }

    /// The first directive that suppresses a violation of the contract `id` on `lines`, or on none.
    pub fn covering(&self, id: &str, lines: Option<Lines>) -> Option<&Directive<'t>> {
        self.near(lines).find(|directive| directive.covers(id, lines))
    }

    /// All directives, by line.
    pub fn iter(&self) -> impl Iterator<Item = &Directive<'t>> {
        self.directives.iter()
    }

    /// The directives that may reach `lines`: those at the top of the file, on them, and on the line before.
    fn near(&self, lines: Option<Lines>) -> impl Iterator<Item = &Directive<'t>> {
        let up_to = |last: usize| self.directives.partition_point(|directive| directive.line <= last);
        let top = up_to(FILE_LINES);
        let around = lines.map_or(top..top, |Lines { first, last }| {
            up_to(first.saturating_sub(2)).max(top)..up_to(last).max(top)
        });
        self.directives[..top].iter().chain(&self.directives[around])
    }
}

impl Directive<'_> {
    /// Does this directive suppress a violation of the contract `id` that stands on `lines`, or on none?
    pub fn covers(&self, id: &str, lines: Option<Lines>) -> bool {
        self.reaches(lines) && self.names(id)
    }

    fn reaches(&self, lines: Option<Lines>) -> bool {
        let is_one = |line: usize| lines.is_some_and(|lines| (lines.first..=lines.last).contains(&line));
        match self.scope {
            Scope::Line | Scope::AllOnLine => is_one(self.line),
            Scope::NextLine => is_one(self.line + 1),
            Scope::File => self.line <= FILE_LINES,
        }
    }

    fn names(&self, id: &str) -> bool {
        self.scope == Scope::AllOnLine || self.ids.iter().any(|named| named == id)
    }
}

/// Whether a directive may start after this part of its comment: after white space, or the signs that open the comment.
fn is_opened(comment: &[u8]) -> bool {
    const MARKDOWN: &[u8] = b"[//]: # (";
    let is_sign = |byte: &&u8| byte.is_ascii_punctuation() || !byte.is_ascii();
    let signs = comment.iter().rev().take_while(is_sign).count();
    let follows_space = signs == 0 && comment.last().is_some_and(u8::is_ascii_whitespace);
    follows_space || signs == comment.len() || comment == MARKDOWN
}

/// The scope of a directive, and the rest of it. `body` is what follows the mark; `None` if the mark is part of a longer
/// word.
fn scope(body: &[u8]) -> Option<(Scope, &[u8])> {
    let scopes: [(&[u8], Scope); 3] =
        [(b"-next-line", Scope::NextLine), (b"-all", Scope::AllOnLine), (b"-file", Scope::File)];
    let suffixed = scopes.iter().find_map(|&(suffix, scope)| Some((scope, body.strip_prefix(suffix)?)));
    let (scope, rest) = suffixed.unwrap_or((Scope::Line, body));
    let joined = rest.iter().find(|byte| !matches!(byte, b'-' | b'_'));
    match rest.first() {
        Some(_) if joined.is_some_and(u8::is_ascii_alphanumeric) => None,
        Some(byte) if !byte.is_ascii_whitespace() => Some((scope, &[])),
        _ => Some((scope, rest)),
    }
}

/// The ids at the start of `rest`, separated by commas; `--`, or a word without a comma, starts the reason. Signs at the
/// end of an id close the comment.
fn ids(rest: &[u8]) -> Vec<Cow<'_, str>> {
    let mut ids = Vec::new();
    for part in rest.split(|&byte| byte == b',') {
        let mut words = part.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        if let Some(word) = words.next() {
            let signs = word.iter().rev().take_while(|byte| byte.is_ascii_punctuation()).count();
            let id = &word[..word.len() - signs];
            if id.is_empty() || word.starts_with(b"--") || ids.len() == MAX_ON_LINE {
                break;
            }
            ids.push(String::from_utf8_lossy(id));
        }
        if words.next().is_some() {
            break;
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::text::Position;

    fn parsed(path: &str, content: &str, check: impl FnOnce(&Ignores<'_>)) {
        let text = Text::new(content.as_bytes()).expect("is text");
        check(&Ignores::parse(&RelPath::from(path), &text));
    }

    fn cover(path: &str, content: &str, line: impl Into<Option<usize>>) -> Cover {
        let mut cover = Cover::No;
        let lines = line.into().map(|line| Lines { first: line, last: line });
        parsed(path, content, |ignores| cover = ignores.covers("a-rule", lines));
        cover
    }

    #[test]
    fn directive_covers_violation_on_any_line() {
        let at = |line: usize| Position { line, column: 1 };
        let content = "# phaser:ignore-next-line a-rule\na\nb # phaser:ignore a-rule\nc\n# phaser:ignore-next-line a-rule\n";
        let covered = |first, last| {
            let mut covered = false;
            let lines = Some(Lines { first, last });
            parsed("a.py", content, |ignores| covered = ignores.covers("a-rule", lines) == Cover::Suppressed);
            covered
        };
        assert!(covered(2, 2) && covered(2, 9) && covered(1, 3) && covered(3, 4) && covered(5, 6));
        assert!(!covered(1, 1) && !covered(4, 4) && !covered(4, 5) && !covered(5, 5) && !covered(7, 9));
        assert_eq!(Lines::of(Region { start: at(2), end: at(4) }), Lines { first: 2, last: 3 });
        let end = Position { line: 4, column: 2 };
        assert_eq!(Lines::of(Region { start: at(2), end }), Lines { first: 2, last: 4 });
        assert_eq!(Lines::of(Region { start: at(2), end: at(2) }), Lines { first: 2, last: 2 });
    }

    #[test]
    fn ids_per_line_are_limited() {
        let many = |count: usize| "x,".repeat(count) + "a-rule";
        let named = |count: usize| cover("a.py", &format!("x # phaser:ignore {}", many(count)), 1);
        assert_eq!(named(MAX_ON_LINE - 2), Cover::Suppressed);
        assert_eq!(named(MAX_ON_LINE), Cover::No);
        let repeated =
            |count: usize| cover("a.py", &("# phaser:ignore x ".repeat(count) + "# phaser:ignore a-rule"), 1);
        assert_eq!(repeated(10), Cover::Suppressed);
        assert_eq!(repeated(MAX_ON_LINE), Cover::No);
        let next_line = format!("# phaser:ignore {}\nx # phaser:ignore a-rule", many(MAX_ON_LINE));
        assert_eq!(cover("a.py", &next_line, 2), Cover::Suppressed, "each line counts anew");
    }

    /// Lines with a directive in place of the `@@`, which counts in files of these names.
    const COMMENTED: &[(&str, &[&str])] = &[
        ("x = 1 # @@", &["a.py", "a.rb", "a.sh", "a.yaml", "a.yml", "a.toml", "a.r", "a.R", "a.jl", "a.ex"]),
        ("x = 1 # @@", &["a.tf", "a.hcl", "a.nix", "a.ps1", "a.graphql", "a.pl", "a.ini", "a.cfg", "a.sql"]),
        ("x = 1 # @@", &["a.cmake", "a.mk", "a.fish", "a.nim", "a.cr", "a.awk", "a.pyi", "a.coffee"]),
        (
            "x = 1 # @@",
            &["Dockerfile", "Dockerfile.dev", "Containerfile", "Makefile", "GNUmakefile", "Makefile.am"],
        ),
        (
            "x = 1 # @@",
            &["CMakeLists.txt", "Gemfile", "Rakefile", "Vagrantfile", "Jenkinsfile.sh", "justfile", "BUILD"],
        ),
        ("set x 1 ;# @@", &["a.tcl"]),
        ("# @@", &[".gitignore", ".dockerignore", "a.properties", "a.feature", "a.po", "a.sed", "a.org"]),
        ("x = 1 # @@", &[".env", ".env.local", ".bashrc", "requirements.txt"]),
        ("x = 1 # @@", &["notes.txt", "LICENSE", "a.unheard-of", "nginx.conf", "a.py.in", "a.yaml.j2"]),
        (
            "f(); // @@",
            &["a.js", "a.ts", "a.jsx", "a.tsx", "a.swift", "a.go", "a.rs", "a.c", "a.cpp", "a.java", "a.kt"],
        ),
        (
            "f(); // @@",
            &["a.h", "a.hpp", "a.cc", "a.mjs", "a.cjs", "a.mts", "a.kts", "a.scala", "a.groovy", "a.gradle"],
        ),
        (
            "f(); // @@",
            &["a.cs", "a.fs", "a.dart", "a.zig", "a.sol", "a.proto", "a.m", "a.mm", "a.d", "a.sv"],
        ),
        (
            "f(); // @@",
            &["a.scss", "a.less", "a.json", "a.jsonc", "a.hcl", "a.s", "a.v", "a.glsl", "a.cu", "a.prisma"],
        ),
        ("f(); // @@", &["go.mod", "Jenkinsfile", "a.txt", "a.pas", "a.js.erb"]),
        (
            "f(); /* @@ */",
            &["a.css", "a.scss", "a.less", "a.js", "a.ts", "a.tsx", "a.swift", "a.go", "a.rs", "a.c"],
        ),
        ("f(); /* @@ */", &["a.cpp", "a.java", "a.kt", "a.sql", "a.proto"]),
        ("f(); /* @@ */", &["a.cs", "a.dart", "a.groovy", "a.tf", "a.s", "a.nix", "a.txt", "a.json"]),
        ("f(); /*@@*/", &["a.css", "a.js", "a.rs"]),
        ("/*\n * @@\n */", &["a.js", "a.java", "a.c", "a.rs", "a.css"]),
        ("/*\n@@\n*/", &["a.js", "a.rs", "a.css"]),
        ("<?php\n$x = 1; # @@", &["a.php"]),
        ("<?php\nf(); // @@", &["a.php"]),
        ("<?php\nf(); /* @@ */", &["a.php"]),
        ("<?php\n/*\n * @@\n */", &["a.php"]),
        ("<script>\nf(); // @@\n</script>", &["a.html", "a.vue", "a.svelte", "a.astro"]),
        ("<script>\nf(); /* @@ */\n</script>", &["a.html", "a.vue", "a.svelte"]),
        ("<style>\na { b: c } /* @@ */\n</style>", &["a.html", "a.vue", "a.svelte"]),
        ("{/* @@ */}", &["a.jsx", "a.tsx", "a.mdx"]),
        (
            "<b>x</b> <!-- @@ -->",
            &["a.html", "a.htm", "a.xml", "a.vue", "a.svelte", "a.md", "a.svg", "a.csproj"],
        ),
        (
            "<b>x</b> <!-- @@ -->",
            &["a.astro", "a.plist", "a.php", "README.md", "a.xhtml", "a.txt", "a.html.erb"],
        ),
        ("<b>x</b><!--@@-->", &["a.html", "a.xml", "a.vue", "a.svelte", "a.md", "a.txt"]),
        ("<script>f() // @@</script>", &["a.html", "a.vue"]),
        ("[//]: # (@@)", &["a.md"]),
        (
            "select 1; -- @@",
            &["a.sql", "a.lua", "a.hs", "a.adb", "a.vhdl", "a.elm", "a.purs", "a.applescript"],
        ),
        ("x --[[ @@ ]]", &["a.lua"]),
        ("x {- @@ -}", &["a.hs", "a.elm"]),
        ("x (* @@ *)", &["a.ml", "a.mli", "a.fs", "a.pas", "a.sml", "a.v"]),
        (
            "(f) ; @@",
            &["a.clj", "a.cljs", "a.edn", "a.lisp", "a.el", "a.scm", "a.rkt", "a.asm", "a.ini", "a.ll"],
        ),
        ("(f) ;; @@", &["a.clj", "a.el", "a.scm", "a.wat", "a.txt"]),
        ("(f) #| @@ |#", &["a.lisp", "a.rkt"]),
        ("x % @@", &["a.tex", "a.erl", "a.hrl", "a.m", "a.bib", "a.sty", "a.pl", "a.cls", "rebar.config"]),
        ("set x \" @@", &["a.vim", ".vimrc"]),
        ("\"@@", &["a.vim"]),
        ("x = 1 ' @@", &["a.vb", "a.bas", "a.vbs", "a.cls"]),
        ("REM @@", &["a.bat", "a.cmd", "a.bas"]),
        ("  rem @@", &["a.bat"]),
        (":: @@", &["a.bat", "a.cmd"]),
        ("x = 1 ! @@", &["a.f90", "a.f95", "a.f"]),
        ("C @@", &["a.f", "a.for"]),
        ("x *> @@", &["a.cob", "a.cbl"]),
        (".. @@", &["a.rst"]),
        ("x <# @@ #>", &["a.ps1"]),
        ("x #= @@ =#", &["a.jl"]),
        ("x #[[ @@ ]]", &["a.cmake", "CMakeLists.txt"]),
        ("x {# @@ #}", &["a.html", "a.j2", "a.jinja2", "a.html.j2", "a.twig", "a.py.jinja", "a.njk"]),
        ("x {#- @@ -#}", &["a.html", "a.j2"]),
        ("x {{!-- @@ --}}", &["a.hbs", "a.html"]),
        ("x {{/* @@ */}}", &["a.yaml.gotmpl", "a.tmpl", "a.html"]),
        ("<%# @@ %>", &["a.erb", "a.html.erb", "a.ejs", "a.html.eex"]),
        ("<%-- @@ --%>", &["a.jsp", "a.aspx", "a.html.heex"]),
        ("@* @@ *@", &["a.cshtml", "a.razor"]),
        ("x = 1 # @@", &["a.ipynb"]),
        ("<!-- @@ -->", &["a.ipynb"]),
    ];

    #[test]
    fn every_style_of_comment_holds_every_directive() {
        let mut wrong = Vec::new();
        for (comment, path) in
            COMMENTED.iter().flat_map(|(comment, paths)| paths.iter().map(move |path| (comment, path)))
        {
            let with = |directive: &str| comment.replace("@@", directive);
            let line = 1 + comment.split("@@").next().expect("a part").matches('\n').count();
            let own = |directive| cover(path, &format!("x\n{}\nx\n", with(directive)), line + 1);
            let next = format!("{}\r\nx\r\n", with("phaser:ignore-next-line a-rule"));
            let file = format!("{}\nx\n", with("phaser:ignore-file a-rule"));
            let covers = [
                own("phaser:ignore a-rule"),
                own("phaser:ignore b-rule,a-rule, c"),
                own("phaser:ignore a-rule -- why not"),
                own("phaser:ignore-all"),
                own("phaser:ignore"),
                own("phaser:ignore b-rule"),
                cover(path, &next, line + 1),
                cover(path, &next, line),
                cover(path, &file, None),
            ];
            let expected = {
                use Cover::{BareIgnore, No, Suppressed};
                [Suppressed, Suppressed, Suppressed, Suppressed, BareIgnore, No, Suppressed, No, Suppressed]
            };
            if covers != expected {
                wrong.push(format!("{path}: {comment:?}: {covers:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// The fixtures of the zones have the word `COMMENT` in comments only.
    #[test]
    fn every_language_holds_a_directive() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../phaser-zones/tests/fixtures");
        let entries =
            fs::read_dir(fixtures).expect("the fixtures").map(|entry| entry.expect("a fixture").path());
        let mut languages = BTreeSet::new();
        for path in entries.filter(|path| path.is_file()) {
            let name = path.file_name().expect("a name").to_str().expect("UTF-8");
            let text = fs::read_to_string(&path).expect("UTF-8");
            let directive = text.replacen(" COMMENT", " phaser:ignore a-rule", 1);
            let line = directive.split("phaser:").next().expect("a part").matches('\n').count() + 1;
            assert_eq!(cover(name, &directive, line), Cover::Suppressed, "{name}:{line}");
            languages.extend(Language::of(name.as_bytes(), text.as_bytes()).map(Language::name));
        }
        assert_eq!(languages, Language::all().map(Language::name).collect());
    }

    #[test]
    fn notebook_on_disk_holds_directives() {
        for source in [r"x = 1 # @@\n", "x = 1 # @@", r"# @@\n", r"// @@\n", "<!-- @@ -->"] {
            let line = source.replace("@@", "phaser:ignore a-rule");
            let text = format!("{{\n \"cells\": [\n   \"{line}\",\n   \"y\"\n ]\n}}\n");
            assert_eq!(cover("a.ipynb", &text, 3), Cover::Suppressed, "{text}");
        }
        let string = "{\n \"cells\": [\n   \"x = \\\"# phaser:ignore a-rule\\\"\"\n ]\n}\n";
        assert_eq!(cover("a.ipynb", string, 3), Cover::No);
    }

    #[test]
    fn ignores_directives_outside_comments() {
        let cases = [
            ("a.py", "x = \"phaser:ignore a-rule\""),
            ("a.py", "x = \"# phaser:ignore a-rule\""),
            ("a.py", "x = \"\"\"\n# phaser:ignore a-rule\n\"\"\""),
            ("a.js", "x = '// phaser:ignore a-rule'"),
            ("a.js", "x = `\n// phaser:ignore a-rule\n`"),
            ("a.sh", "cat <<END\n# phaser:ignore a-rule\nEND"),
            ("a.yaml", "x: |\n  # phaser:ignore a-rule"),
            ("a.sql", "select '-- phaser:ignore a-rule'"),
            ("a.vue", "// phaser:ignore a-rule"),
            ("a.html", "<script>x = '/* phaser:ignore a-rule */'</script>"),
            ("a.js.erb", "x = '// phaser:ignore a-rule'"),
            ("a.md", "`<!-- phaser:ignore a-rule -->`"),
            ("a.py", "x = 1 // phaser:ignore a-rule"),
            ("a.py", " * phaser:ignore a-rule"),
            ("a.js", "x = 1; # phaser:ignore a-rule"),
            ("a.js", "x = \"phaser:ignore a-rule\""),
            ("a.js", "fetch(\"https://x.y/ phaser:ignore a-rule\")"),
            ("a.js", "/* done */ phaser:ignore a-rule"),
            ("a.js", "x * phaser:ignore a-rule"),
            ("a.css", "a { b: c } // phaser:ignore a-rule"),
            ("a.xml", "<a/> // phaser:ignore a-rule"),
            ("a.html", "<!-- done --> phaser:ignore a-rule"),
            ("a.md", "# phaser:ignore a-rule"),
            ("a.vim", "echo \"phaser:ignore a-rule\""),
            ("a.bat", "echo REM phaser:ignore a-rule"),
            ("a.bat", "REMOVE phaser:ignore a-rule"),
            ("a.rst", "see .. phaser:ignore a-rule"),
            ("a.txt", "phaser:ignore a-rule"),
            ("a.txt", "f(); phaser;ignore phaser:ignore a-rule"),
        ];
        for (path, content) in cases {
            for line in 1..=3 {
                assert_eq!(cover(path, content, line), Cover::No, "{path}: {content}");
            }
        }
    }

    #[test]
    fn directive_may_follow_words_in_comment() {
        let cases = [
            ("a.js", "f() // NOLINT phaser:ignore a-rule"),
            ("a.js", "f();// NOLINT phaser:ignore a-rule"),
            ("a.js", "fetch(\"https://x.y\") // see https://x.y phaser:ignore a-rule"),
            ("a.js", "g(\"a/*.b\") // phaser:ignore a-rule"),
            ("a.js", "/* one */ f() /* two phaser:ignore a-rule */"),
            ("a.js", "/** phaser:ignore a-rule */ f()"),
            ("a.rs", "//! phaser:ignore a-rule"),
            ("a.rs", "f()/// phaser:ignore a-rule"),
            ("a.js", "// phaser:ignore b phaser:ignore a-rule"),
            ("a.js", "x//phaser:ignore b phaser:ignore a-rule"),
            ("a.py", "f()  # noqa: E501  phaser:ignore a-rule"),
            ("a.html", "<p> <!-- prettier-ignore phaser:ignore a-rule --> </p>"),
        ];
        for (path, line) in cases {
            assert_eq!(cover(path, line, 1), Cover::Suppressed, "{path}: {line}");
        }
    }

    #[test]
    fn mention_is_no_directive() {
        let cases =
            ["// write `phaser:ignore a-rule`", "// not-phaser:ignore a-rule", "// phaser:ignored a-rule"];
        for line in
            cases.into_iter().chain(["// phaser:ignore-nothing a-rule", "// phaser:ignore-all-of a-rule"])
        {
            parsed("a.js", line, |ignores| assert_eq!(ignores.iter().count(), 0, "{line}"));
        }
    }

    #[test]
    fn ids_are_case_sensitive_and_precede_reason() {
        let ids = |args: &str| {
            let mut ids = Vec::new();
            parsed("a.js", &format!("// phaser:ignore{args}"), |ignores| {
                ids.extend(
                    ignores.iter().flat_map(|directive| directive.ids.iter().map(ToString::to_string)),
                );
            });
            ids
        };
        assert_eq!(ids(" a, B ,c"), ["a", "B", "c"]);
        assert_eq!(ids("\ta,,b,"), ["a", "b"]);
        assert_eq!(ids(" a -- b, c"), ["a"]);
        assert_eq!(ids(" a, -- b, c"), ["a"]);
        assert_eq!(ids(" a because of b, c"), ["a"]);
        assert_eq!(ids(" -- a"), [""; 0]);
        assert_eq!(ids(": a"), [""; 0]);
        assert_eq!(ids("-all a"), [""; 0]);
        assert_eq!(cover("a.js", "// phaser:ignore A-Rule", 1), Cover::No);
    }

    #[test]
    fn directive_covers_only_its_lines() {
        let text =
            "\n// phaser:ignore a-rule\n\n// phaser:ignore-next-line a-rule\n\n\n// phaser:ignore-all\n";
        let suppressed: Vec<_> =
            (1..=9).filter(|&line| cover("a.js", text, line) == Cover::Suppressed).collect();
        assert_eq!(suppressed, [2, 5, 7]);
        assert_eq!(cover("a.js", text, None), Cover::No);
    }

    #[test]
    fn file_directive_counts_in_first_lines() {
        let at = |line: usize| format!("{}// phaser:ignore-file a-rule\n", "\n".repeat(line - 1));
        assert_eq!(cover("a.js", &at(10), None), Cover::Suppressed);
        assert_eq!(cover("a.js", &at(10), 500), Cover::Suppressed);
        assert_eq!(cover("a.js", &at(10), 1), Cover::Suppressed);
        assert_eq!(cover("a.js", &at(11), None), Cover::No);
        assert_eq!(cover("a.js", &at(11), 11), Cover::No);
    }

    #[test]
    fn a_directive_without_an_id_suppresses_nothing() {
        assert_eq!(cover("a.js", "// phaser:ignore\n", 1), Cover::BareIgnore);
        assert_eq!(cover("a.js", "// phaser:ignore\n", 2), Cover::No);
        assert_eq!(cover("a.js", "// phaser:ignore-next-line -- why\n\n", 2), Cover::BareIgnore);
        assert_eq!(cover("a.js", "// phaser:ignore-file\n", None), Cover::BareIgnore);
        assert_eq!(cover("a.js", "// phaser:ignore phaser:ignore a-rule", 1), Cover::Suppressed);
        assert_eq!(cover("a.html", "<!-- phaser:ignore-->", 1), Cover::BareIgnore);
    }

    #[test]
    fn shebang_selects_comment_syntax() {
        assert_eq!(cover("run", "#!/usr/bin/env node\n// phaser:ignore a-rule\n", 2), Cover::Suppressed);
        assert_eq!(cover("run", "#!/usr/bin/env node\n# phaser:ignore a-rule\n", 2), Cover::No);
        assert_eq!(cover("run", "#!/bin/sh\n# phaser:ignore a-rule\n", 2), Cover::Suppressed);
    }

    #[test]
    fn all_directives_are_listed_by_line() {
        let content =
            "# phaser:ignore-file x, y\n\nf() # phaser:ignore z phaser:ignore-all\n# phaser:ignore-next-line";
        parsed("a.py", content, |ignores| {
            let listed: Vec<_> = ignores.iter().map(|one| (one.line, one.scope, one.ids.join(" "))).collect();
            let expected = [
                (1, Scope::File, "x y"),
                (3, Scope::Line, "z"),
                (3, Scope::AllOnLine, ""),
                (4, Scope::NextLine, ""),
            ];
            assert_eq!(listed, expected.map(|(line, scope, ids)| (line, scope, ids.to_owned())));
            let covering: Vec<_> =
                ignores.iter().map(|one| one.covers("z", Some(Lines { first: 3, last: 3 }))).collect();
            assert_eq!(covering, [false, true, true, false]);
        });
    }

    #[test]
    fn text_that_is_not_utf8_is_read() {
        let text = Text::new(&b"caf\xE9 # phaser:ignore caf\xE9, a-rule"[..]).expect("is text");
        let ignores = Ignores::parse(&RelPath::from("a.py"), &text);
        assert_eq!(ignores.covers("a-rule", Some(Lines { first: 1, last: 1 })), Cover::Suppressed);
    }
}
