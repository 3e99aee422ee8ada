//! Ignore directives: comments in a file that suppress violations in it.
//!
//! A directive must stand in a comment that opens on its own line: directly after the opener, or after other
//! words of the comment. In a block comment a line may also start with a `*`. Only lines with a directive are
//! looked at.
//! Which texts open a comment is told by the file's name; whether one stands in a string is not known.
//! Nor is it known which contracts there are: an id that no contract has covers nothing.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem};

use crate::path::RelPath;
use crate::text::{Region, Text};

mod added;
mod comments;

pub use added::added;

use comments::{Comments, Opener};

const MARK: &[u8] = b"phaser:ignore";
/// A directive for the whole file must stand on one of this many lines.
const FILE_LINES: usize = 10;

/// The most directives, and ids in them, that count on one line. Whoever names more suppresses nothing with them.
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

/// What the directives of a file do to a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// Nothing.
    No,
    /// One of them suppresses it.
    Suppressed,
    /// One of them would, but it names no contract; a report should say so.
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
        let mut line = Line::first(bytes, Comments::of(path, text.line(1)));
        let mut directives: Vec<Directive<'_>> = Vec::new();
        let mut on_line = 0;
        while let Some(at) = marks.next() {
            line.advance(at);
            let end = marks.peek().map_or(line.end, |&next| next.min(line.end));
            let Some(mut directive) = line.directive(at, end) else { continue };
            let same_line = directives.last().is_some_and(|last| last.line == directive.line);
            on_line = if same_line { on_line } else { 0 };
            if on_line < MAX_ON_LINE {
                directive.ids.truncate(MAX_ON_LINE - on_line);
                on_line += 1 + directive.ids.len();
                directives.push(directive);
            }
        }
        Self { directives }
    }

    /// What the directives do to a violation of the contract `id` that stands on `lines`, or on none.
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

/// The line that is being read, and the comment that is open on it.
struct Line<'t> {
    bytes: &'t [u8],
    comments: Comments,
    number: usize,
    start: usize,
    /// Where its first character stands that is not white space.
    indent: usize,
    end: usize,
    /// How far it has been searched for comments.
    searched: usize,
    open: Option<&'static Opener>,
}

impl<'t> Line<'t> {
    fn first(bytes: &'t [u8], comments: Comments) -> Self {
        let mut line =
            Self { bytes, comments, number: 1, start: 0, indent: 0, end: 0, searched: 0, open: None };
        line.enter(0);
        line
    }

    /// Moves on to the line of the byte `at`.
    fn advance(&mut self, at: usize) {
        if at < self.end {
            return;
        }
        let mut start = self.start;
        for newline in memchr_iter(b'\n', &self.bytes[self.end..at]) {
            self.number += 1;
            start = self.end + newline + 1;
        }
        self.enter(start);
    }

    fn enter(&mut self, start: usize) {
        let end = memchr(b'\n', &self.bytes[start..]).map_or(self.bytes.len(), |length| start + length);
        let text = self.bytes[start..end].trim_ascii_start();
        let starred = matches!(text, [b'*', next, ..] if next.is_ascii_whitespace());
        self.start = start;
        self.indent = end - text.len();
        self.end = end;
        self.searched = start;
        self.open = if starred { self.comments.starred_block() } else { None };
    }

    /// The directive whose mark stands `at`, if that is in a comment; nothing of it is at `end` or after.
    fn directive(&mut self, at: usize, end: usize) -> Option<Directive<'t>> {
        self.search(at);
        let follows_space = self.bytes[self.start..at].last().is_none_or(u8::is_ascii_whitespace);
        let opener = self.opener_before(at).or(self.open.filter(|_| follows_space))?;
        self.open = Some(opener);
        let body = &self.bytes[at + MARK.len()..end];
        let body = first_closer(body, opener).map_or(body, |(closer, _)| &body[..closer]);
        let (scope, rest) = scope(body)?;
        let ids = if scope == Scope::AllOnLine { Vec::new() } else { ids(rest) };
        Some(Directive { line: self.number, scope, ids })
    }

    /// Follows the comments that open and close up to the byte `to`.
    fn search(&mut self, to: usize) {
        while self.searched < to {
            let stretch = &self.bytes[self.searched..to];
            match self.open {
                Some(opener) => match first_closer(stretch, opener) {
                    Some((start, closer)) => {
                        self.searched += start + closer.len();
                        self.open = None;
                    }
                    None => self.searched = to,
                },
                None => {
                    self.open = self.opener_at(self.searched, to);
                    self.searched += self.open.map_or(1, |opener| opener.word().len());
                }
            }
        }
        self.searched = self.searched.max(to);
    }

    /// The longest opener that starts `at` and ends before `to`. It must not run on from what stands before it:
    /// the `//` of a URL opens nothing.
    fn opener_at(&self, at: usize, to: usize) -> Option<&'static Opener> {
        let before = self.bytes[self.start..at].last().copied();
        let spaced = before.is_none_or(|byte| byte.is_ascii_whitespace());
        if !spaced && !before.is_some_and(|byte| b";,(){}[]>".contains(&byte)) {
            return None;
        }
        let opens = |opener: &&Opener| {
            let word = opener.word().as_bytes();
            self.bytes[at..to].starts_with(word)
                && (spaced || word.len() > 1)
                && (opener.is_anywhere() || at == self.indent)
                && (!opener.needs_space()
                    || self.bytes[at + word.len()..to].first().is_none_or(u8::is_ascii_whitespace))
        };
        self.comments.openers().filter(opens).max_by_key(|opener| opener.text.len())
    }

    /// The longest opener that `at` directly follows, but for white space.
    fn opener_before(&self, at: usize) -> Option<&'static Opener> {
        let before = &self.bytes[self.start..at];
        let trimmed = before.trim_ascii_end();
        let opens = |opener: &&Opener| {
            let word = opener.word().as_bytes();
            trimmed.ends_with(word)
                && (opener.is_anywhere() || self.start + trimmed.len() - word.len() == self.indent)
                && (!opener.needs_space() || trimmed.len() < before.len())
        };
        self.comments.openers().filter(opens).max_by_key(|opener| opener.text.len())
    }
}

/// Where the comment of `opener` closes in `bytes`, and by which text.
fn first_closer(bytes: &[u8], opener: &Opener) -> Option<(usize, &'static str)> {
    match opener.closers {
        [] => None,
        [closer] => memmem::find(bytes, closer.as_bytes()).map(|start| (start, *closer)),
        closers => (0..bytes.len()).find_map(|start| {
            let closer = closers.iter().find(|closer| bytes[start..].starts_with(closer.as_bytes()))?;
            Some((start, *closer))
        }),
    }
}

/// What a directive covers, and the rest of it; `body` is what follows its mark. A longer word is none.
fn scope(body: &[u8]) -> Option<(Scope, &[u8])> {
    let scopes: [(&[u8], Scope); 3] =
        [(b"-next-line", Scope::NextLine), (b"-all", Scope::AllOnLine), (b"-file", Scope::File)];
    let suffixed = scopes.iter().find_map(|&(suffix, scope)| Some((scope, body.strip_prefix(suffix)?)));
    let (scope, rest) = suffixed.unwrap_or((Scope::Line, body));
    match rest.first() {
        Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') => None,
        Some(byte) if !byte.is_ascii_whitespace() => Some((scope, &[])),
        _ => Some((scope, rest)),
    }
}

/// The ids at the start of `rest`, with commas between them; `--`, or a word without a comma, starts the reason.
fn ids(rest: &[u8]) -> Vec<Cow<'_, str>> {
    let mut ids = Vec::new();
    for part in rest.split(|&byte| byte == b',') {
        let mut words = part.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match words.next() {
            Some(word) if word.starts_with(b"--") => break,
            Some(_) if ids.len() == MAX_ON_LINE => break,
            Some(word) => ids.push(String::from_utf8_lossy(word)),
            None => {}
        }
        if words.next().is_some() {
            break;
        }
    }
    ids
}

#[cfg(test)]
mod tests {
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
    fn a_violation_on_several_lines_is_covered_by_a_directive_on_any_of_them() {
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
    fn on_one_line_so_many_ids_count_and_no_more() {
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
        (
            "x = 1 # @@",
            &["a.php", "a.tf", "a.hcl", "a.nix", "a.ps1", "a.graphql", "a.pl", "a.ini", "a.cfg", "a.sql"],
        ),
        (
            "x = 1 # @@",
            &["a.cmake", "a.mk", "a.fish", "a.nim", "a.cr", "a.awk", "a.tcl", "a.pyi", "a.coffee"],
        ),
        (
            "x = 1 # @@",
            &["Dockerfile", "Dockerfile.dev", "Containerfile", "Makefile", "GNUmakefile", "Makefile.am"],
        ),
        (
            "x = 1 # @@",
            &["CMakeLists.txt", "Gemfile", "Rakefile", "Vagrantfile", "Jenkinsfile.sh", "justfile", "BUILD"],
        ),
        ("x = 1 # @@", &[".gitignore", ".dockerignore", ".env", ".env.local", ".bashrc", "requirements.txt"]),
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
            &["a.cs", "a.fs", "a.dart", "a.zig", "a.sol", "a.proto", "a.php", "a.m", "a.mm", "a.d", "a.sv"],
        ),
        (
            "f(); // @@",
            &["a.scss", "a.less", "a.json", "a.jsonc", "a.hcl", "a.s", "a.v", "a.glsl", "a.cu", "a.prisma"],
        ),
        (
            "f(); // @@",
            &["go.mod", "Jenkinsfile", "a.txt", "a.html", "a.vue", "a.svelte", "a.pas", "a.js.erb"],
        ),
        (
            "f(); /* @@ */",
            &["a.css", "a.scss", "a.less", "a.js", "a.ts", "a.tsx", "a.swift", "a.go", "a.rs", "a.c"],
        ),
        (
            "f(); /* @@ */",
            &["a.cpp", "a.java", "a.kt", "a.php", "a.sql", "a.html", "a.vue", "a.svelte", "a.proto"],
        ),
        ("f(); /* @@ */", &["a.cs", "a.dart", "a.groovy", "a.tf", "a.s", "a.nix", "a.txt", "a.json"]),
        ("f(); /*@@*/", &["a.css", "a.js", "a.rs"]),
        (" * @@", &["a.js", "a.java", "a.c", "a.rs", "a.css", "a.php"]),
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
            &[
                "a.clj", "a.cljs", "a.edn", "a.lisp", "a.el", "a.scm", "a.rkt", "a.asm", "a.s", "a.ini",
                "a.wat",
            ],
        ),
        ("(f) ;; @@", &["a.clj", "a.el", "a.scm", "a.txt"]),
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
        ("   \"x = 1 # @@\\n\",", &["a.ipynb"]),
        ("   \"x = 1 # @@\"", &["a.ipynb"]),
        ("x = 1 # @@", &["a.ipynb"]),
    ];

    #[test]
    fn every_style_of_comment_holds_every_directive() {
        for (line, paths) in COMMENTED {
            for path in *paths {
                let with = |directive: &str| line.replace("@@", directive);
                let own = |directive| cover(path, &format!("x\n{}\nx\n", with(directive)), 2);
                assert_eq!(own("phaser:ignore a-rule"), Cover::Suppressed, "{path}: {line}");
                assert_eq!(own("phaser:ignore b-rule,a-rule, c"), Cover::Suppressed, "{path}: {line}");
                assert_eq!(own("phaser:ignore a-rule -- why not"), Cover::Suppressed, "{path}: {line}");
                assert_eq!(own("phaser:ignore-all"), Cover::Suppressed, "{path}: {line}");
                assert_eq!(own("phaser:ignore"), Cover::BareIgnore, "{path}: {line}");
                assert_eq!(own("phaser:ignore b-rule"), Cover::No, "{path}: {line}");
                let next = format!("{}\r\nx\r\n", with("phaser:ignore-next-line a-rule"));
                assert_eq!(cover(path, &next, 2), Cover::Suppressed, "{path}: {line}");
                assert_eq!(cover(path, &next, 1), Cover::No, "{path}: {line}");
                let file = format!("{}\nx\n", with("phaser:ignore-file a-rule"));
                assert_eq!(cover(path, &file, None), Cover::Suppressed, "{path}: {line}");
            }
        }
    }

    #[test]
    fn a_directive_outside_the_comments_of_the_file_does_nothing() {
        let cases = [
            ("a.py", "x = \"phaser:ignore a-rule\""),
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
        for (path, line) in cases {
            assert_eq!(cover(path, line, 1), Cover::No, "{path}: {line}");
        }
    }

    #[test]
    fn words_may_stand_before_a_directive_in_its_comment() {
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
    fn a_mention_in_a_comment_is_no_directive() {
        let cases =
            ["// write `phaser:ignore a-rule`", "// not-phaser:ignore a-rule", "// phaser:ignored a-rule"];
        for line in
            cases.into_iter().chain(["// phaser:ignore-nothing a-rule", "// phaser:ignore-all-of a-rule"])
        {
            parsed("a.js", line, |ignores| assert_eq!(ignores.iter().count(), 0, "{line}"));
        }
    }

    #[test]
    fn ids_are_case_sensitive_and_end_at_the_reason() {
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
    fn each_directive_covers_its_lines_and_no_others() {
        let text =
            "\n// phaser:ignore a-rule\n\n// phaser:ignore-next-line a-rule\n\n\n// phaser:ignore-all\n";
        let suppressed: Vec<_> =
            (1..=9).filter(|&line| cover("a.js", text, line) == Cover::Suppressed).collect();
        assert_eq!(suppressed, [2, 5, 7]);
        assert_eq!(cover("a.js", text, None), Cover::No);
    }

    #[test]
    fn a_directive_for_the_file_stands_on_its_first_ten_lines() {
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
    fn the_shebang_names_the_comments_of_a_file_without_an_extension() {
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
