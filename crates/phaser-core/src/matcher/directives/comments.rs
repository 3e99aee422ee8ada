//! How comments start in a file, judged by its name and, failing that, by its shebang line.
//!
//! Deliberately no lexer: it says which texts open a comment, not whether one stands in a string. Where one
//! extension serves several languages, the comments of all of them count. A file of an unknown kind has the
//! commonest comments of all (`#`, `//`, `--`, `;`, `/* */` and `<!-- -->`), because whoever writes an ignore
//! there means it.

use crate::path::RelPath;

/// A text that opens a comment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opener {
    /// The text. With a space at its end, white space must follow it.
    pub text: &'static str,
    /// The texts that close the comment before its line ends.
    pub closers: &'static [&'static str],
    place: Place,
}

impl Opener {
    /// The text without the white space that must follow it.
    pub fn word(&self) -> &'static str {
        self.text.trim_ascii_end()
    }

    /// Must white space follow it?
    pub fn needs_space(&self) -> bool {
        self.text.ends_with(' ')
    }

    /// Does it open a comment anywhere on a line, or only as the first thing on it?
    pub fn is_anywhere(&self) -> bool {
        self.place == Place::Anywhere
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Anywhere,
    First,
}

/// The texts that open a comment in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comments {
    language: &'static [Opener],
    template: &'static [Opener],
}

impl Comments {
    /// The comments of the file at `path`, whose first line is `first_line`.
    pub fn of(path: &RelPath, first_line: &[u8]) -> Self {
        let name = path.file_name().to_ascii_lowercase();
        let name = String::from_utf8_lossy(&name);
        by_name(&name)
            .or_else(|| by_shebang(first_line).map(Self::plain))
            .unwrap_or(Self { language: UNKNOWN, template: &[] })
    }

    /// All texts that open a comment.
    pub fn openers(&self) -> impl Iterator<Item = &'static Opener> + use<> {
        self.language.iter().chain(self.template)
    }

    /// The opener of the block comments whose lines may start with a `*`.
    pub fn starred_block(&self) -> Option<&'static Opener> {
        self.openers().find(|opener| opener.text == BLOCK.text)
    }

    const fn plain(language: &'static [Opener]) -> Self {
        Self { language, template: &[] }
    }
}

const fn line(text: &'static str) -> Opener {
    Opener { text, closers: &[], place: Place::Anywhere }
}

const fn first(text: &'static str) -> Opener {
    Opener { text, closers: &[], place: Place::First }
}

const fn block(text: &'static str, closers: &'static [&'static str]) -> Opener {
    Opener { text, closers, place: Place::Anywhere }
}

const BLOCK: Opener = block("/*", &["*/"]);
const ML_BLOCK: Opener = block("(*", &["*)"]);
const MARKUP: Opener = block("<!--", &["-->"]);
/// In a notebook on disk each line of a cell is a JSON string.
const JSON_ENDS: &[&str] = &["\\n", "\""];

const UNKNOWN: &[Opener] = &[line("#"), line("//"), line("--"), line(";"), BLOCK, MARKUP];

const HASH: &[Opener] = &[line("#")];
const HASH_SLASH: &[Opener] = &[line("#"), line("//"), BLOCK];
const HASH_SEMICOLON: &[Opener] = &[line("#"), line(";")];
const CMAKE: &[Opener] = &[block("#[[", &["]]"]), line("#")];
const POWERSHELL: &[Opener] = &[block("<#", &["#>"]), line("#")];
const JULIA: &[Opener] = &[block("#=", &["=#"]), line("#")];
const NIM: &[Opener] = &[block("#[", &["]#"]), line("#")];
const COFFEE: &[Opener] = &[block("###", &["###"]), line("#")];
const SLASH: &[Opener] = &[line("//"), BLOCK];
const CSS: &[Opener] = &[BLOCK];
const PHP: &[Opener] = &[line("#"), line("//"), BLOCK, MARKUP];
const SLASH_OR_ML: &[Opener] = &[line("//"), BLOCK, ML_BLOCK];
const PASCAL: &[Opener] = &[line("//"), BLOCK, ML_BLOCK, block("{", &["}"])];
const MARKUP_ONLY: &[Opener] = &[MARKUP];
const PAGE: &[Opener] = &[MARKUP, block("//", &["</script>"]), BLOCK];
const MARKDOWN: &[Opener] = &[MARKUP, block("[//]: # (", &[")"]), block("{/*", &["*/"])];
const DASH: &[Opener] = &[line("--")];
const SQL: &[Opener] = &[line("--"), BLOCK, line("#")];
const LUA: &[Opener] = &[block("--[[", &["]]"]), line("--")];
const HASKELL: &[Opener] = &[block("{-", &["-}"]), line("--")];
const APPLESCRIPT: &[Opener] = &[line("--"), line("#"), ML_BLOCK];
const ML: &[Opener] = &[ML_BLOCK];
const LISP: &[Opener] = &[line(";"), block("#|", &["|#"])];
const SEMICOLON: &[Opener] = &[line(";"), line("#")];
const ASSEMBLY: &[Opener] = &[line(";"), line("#"), line("//"), line("@"), BLOCK];
const PERCENT: &[Opener] = &[line("%")];
const HASH_OR_PERCENT: &[Opener] = &[line("#"), line("%"), BLOCK];
const OBJC_OR_MATLAB: &[Opener] = &[line("//"), BLOCK, line("%"), line("#")];
const TEX_OR_CLASS: &[Opener] = &[line("%"), line("//"), BLOCK, line("'")];
const FORTRAN: &[Opener] = &[line("!"), first("c "), first("C "), first("*")];
const COBOL: &[Opener] = &[line("*>"), first("*")];
const BASIC: &[Opener] = &[line("'"), first("REM "), first("Rem "), first("rem ")];
const BATCH: &[Opener] = &[first("REM "), first("rem "), first("@REM "), first("@rem "), first("::")];
const VIM: &[Opener] = &[first("\""), line("\" "), line("#")];
const REST: &[Opener] = &[first(".. ")];
const FORTH: &[Opener] = &[line("\\ "), block("( ", &[")"])];
const APL: &[Opener] = &[line("⍝")];
const SLIM: &[Opener] = &[first("/"), line("//"), line("#"), BLOCK, MARKUP];
const GETTEXT: &[Opener] = &[first("#")];
const NOTEBOOK: &[Opener] =
    &[block("#", JSON_ENDS), block("//", JSON_ENDS), block("--", JSON_ENDS), MARKUP, BLOCK];

const TEMPLATE: &[Opener] = &[
    block("{#", &["-#}", "#}"]),
    block("{#-", &["-#}", "#}"]),
    block("{{!--", &["--}}"]),
    block("{{!", &["}}"]),
    block("<%#", &["-%>", "%>"]),
    block("<%--", &["--%>"]),
    block("{{/*", &["*/"]),
    block("{{- /*", &["*/"]),
    block("@*", &["*@"]),
    line("{%- comment -%}"),
    line("{% comment %}"),
    line("##"),
];

/// `name` is lower-case.
fn by_name(name: &str) -> Option<Comments> {
    by_whole_name(name)
        .map(Comments::plain)
        .or_else(|| by_ending(name))
        .or_else(|| by_stem(name).map(Comments::plain))
}

fn by_ending(name: &str) -> Option<Comments> {
    let (stem, extension) = name.rsplit_once('.')?;
    match extension {
        "j2" | "jinja" | "jinja2" | "tera" | "twig" | "njk" | "liquid" | "hbs" | "handlebars"
        | "mustache" | "erb" | "ejs" | "eex" | "heex" | "leex" | "mako" | "tmpl" | "tpl" | "gotmpl" => {
            let language = by_name(stem).map_or(UNKNOWN, |inner| inner.language);
            Some(Comments { language, template: TEMPLATE })
        }
        "html" | "htm" | "xhtml" | "vue" | "svelte" | "astro" | "jsp" | "jspx" | "asp" | "aspx"
        | "cshtml" | "razor" | "vbhtml" => Some(Comments { language: PAGE, template: TEMPLATE }),
        "in" | "example" | "sample" | "dist" | "template" | "orig" | "bak" => by_name(stem),
        _ => by_extension(extension).map(Comments::plain),
    }
}

fn by_whole_name(name: &str) -> Option<&'static [Opener]> {
    Some(match name {
        "cmakelists.txt" => CMAKE,
        "go.mod" | "go.sum" | "go.work" | "jenkinsfile" => SLASH,
        "requirements.txt" | "constraints.txt" | "robots.txt" | "meson.build" | "meson_options.txt" => HASH,
        "build" | "workspace" | "buck" | "codeowners" | "pkgbuild" => HASH,
        "rebar.config" => PERCENT,
        "dune" | "dune-project" | ".emacs" | ".spacemacs" => LISP,
        ".vimrc" | ".gvimrc" | ".ideavimrc" | "vimrc" | "_vimrc" => VIM,
        ".editorconfig" | ".npmrc" | ".gitconfig" | ".gitmodules" | ".pylintrc" | ".flake8"
        | ".coveragerc" => HASH_SEMICOLON,
        ".eslintrc" | ".babelrc" | ".swcrc" | ".jshintrc" => SLASH,
        ".gitattributes" | ".mailmap" | ".bashrc" | ".bash_profile" | ".bash_aliases" | ".zshrc"
        | ".zshenv" | ".zprofile" | ".profile" | ".inputrc" | ".tmux.conf" | ".curlrc" | ".wgetrc"
        | ".tool-versions" | ".clang-format" | ".clang-tidy" | ".prettierrc" | ".yamllint" | ".rspec"
        | ".irbrc" => HASH,
        _ if name.starts_with(".env") => HASH,
        _ if name.starts_with('.') && name.ends_with("ignore") => HASH,
        _ => return None,
    })
}

/// Files such as `Dockerfile.dev`, where what follows the dot tells nothing.
fn by_stem(name: &str) -> Option<&'static [Opener]> {
    match name.split('.').next()? {
        "dockerfile" | "containerfile" | "makefile" | "gnumakefile" | "bsdmakefile" | "kbuild"
        | "kconfig" | "justfile" | "gemfile" | "rakefile" | "vagrantfile" | "podfile" | "fastfile"
        | "appfile" | "brewfile" | "guardfile" | "capfile" | "berksfile" | "dangerfile" | "procfile"
        | "pipfile" | "snakefile" | "sconstruct" | "sconscript" | "caddyfile" | "earthfile" | "tiltfile"
        | "doxyfile" => Some(HASH),
        _ => None,
    }
}

fn by_extension(extension: &str) -> Option<&'static [Opener]> {
    Some(match extension {
        "py" | "pyi" | "pyw" | "pyx" | "pxd" | "mojo" | "rb" | "rake" | "gemspec" | "ru" | "sh" | "bash"
        | "zsh" | "ksh" | "fish" | "bats" | "yaml" | "yml" | "toml" | "lock" | "r" | "rmd" | "qmd" | "ex"
        | "exs" | "cr" | "awk" | "sed" | "tcl" | "mk" | "mak" | "bzl" | "bazel" | "star" | "smk" | "gd"
        | "jq" | "rego" | "pp" | "raku" | "rakumod" | "gnuplot" | "dockerfile" | "containerfile" | "env"
        | "graphql" | "graphqls" | "gql" | "spec" | "service" | "timer" | "feature" | "robot" | "org" => HASH,
        "tf" | "tfvars" | "hcl" | "nomad" | "nix" | "dhall" | "thrift" | "cue" | "jsonnet" | "libsonnet"
        | "vcl" | "pkl" => HASH_SLASH,
        "ini" | "cfg" | "properties" | "desktop" | "inf" => HASH_SEMICOLON,
        "cmake" => CMAKE,
        "ps1" | "psm1" | "psd1" => POWERSHELL,
        "jl" => JULIA,
        "nim" | "nims" | "nimble" => NIM,
        "coffee" => COFFEE,
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "json" | "jsonc" | "json5"
        | "swift" | "go" | "rs" | "ron" | "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx"
        | "h++" | "inl" | "ipp" | "ixx" | "cppm" | "mm" | "ino" | "java" | "kt" | "kts" | "scala" | "sc"
        | "sbt" | "groovy" | "gradle" | "cs" | "csx" | "dart" | "zig" | "zon" | "sol" | "proto"
        | "prisma" | "capnp" | "fbs" | "bicep" | "scss" | "sass" | "less" | "styl" | "pug" | "cu" | "cuh"
        | "glsl" | "vert" | "frag" | "comp" | "geom" | "hlsl" | "wgsl" | "metal" | "shader" | "d" | "di"
        | "vala" | "vapi" | "odin" | "hx" | "as" | "pde" | "qml" | "re" | "rei" | "res" | "resi" | "y"
        | "yy" | "l" | "vh" | "sv" | "svh" | "adoc" | "asciidoc" | "typ" | "c3" | "cairo" | "move"
        | "gleam" | "bal" | "dfy" | "apex" | "trigger" | "dts" | "dtsi" | "stan" | "templ" | "td"
        | "mlir" | "g4" | "pest" | "ld" | "lds" => SLASH,
        "css" | "pcss" | "postcss" => CSS,
        "php" | "phtml" | "hack" => PHP,
        "fs" | "fsi" | "fsx" | "v" => SLASH_OR_ML,
        "pas" | "dpr" | "dpk" | "lpr" => PASCAL,
        "xml" | "xsd" | "xsl" | "xslt" | "dtd" | "svg" | "plist" | "xaml" | "axaml" | "fxml" | "csproj"
        | "fsproj" | "vbproj" | "vcxproj" | "props" | "targets" | "resx" | "nuspec" | "storyboard"
        | "xib" | "wsdl" | "rss" | "atom" | "kml" | "gpx" | "qrc" | "ui" | "launch" | "urdf" | "iml"
        | "wxs" => MARKUP_ONLY,
        "md" | "markdown" | "mdown" | "mkd" | "mdx" | "mdc" => MARKDOWN,
        "adb" | "ads" | "ada" | "vhd" | "vhdl" => DASH,
        "sql" | "psql" | "pgsql" | "mysql" | "ddl" | "dml" | "plsql" | "pks" | "pkb" | "tsql" | "hql"
        | "cql" => SQL,
        "lua" | "luau" | "rockspec" | "moon" | "tl" => LUA,
        "hs" | "lhs" | "hsc" | "purs" | "elm" | "idr" | "agda" | "cabal" => HASKELL,
        _ => return by_rarer_extension(extension),
    })
}

fn by_rarer_extension(extension: &str) -> Option<&'static [Opener]> {
    Some(match extension {
        "applescript" => APPLESCRIPT,
        "ml" | "mli" | "mll" | "mly" | "sml" | "sig" | "wl" | "nb" | "thy" => ML,
        "clj" | "cljs" | "cljc" | "edn" | "bb" | "lisp" | "lsp" | "el" | "scm" | "ss" | "rkt" | "asd"
        | "fnl" | "janet" | "hy" | "sexp" => LISP,
        "wat" | "ll" | "ahk" | "nsi" | "nsh" | "iss" | "au3" | "reg" => SEMICOLON,
        "asm" | "s" | "nasm" | "masm" | "z80" | "a51" => ASSEMBLY,
        "tex" | "sty" | "ltx" | "dtx" | "bib" | "bst" | "erl" | "hrl" | "escript" | "yrl" | "xrl" | "ps"
        | "eps" | "ly" | "prolog" | "oz" => PERCENT,
        "pl" | "pm" | "pod" | "t" | "psgi" | "pro" => HASH_OR_PERCENT,
        "m" => OBJC_OR_MATLAB,
        "cls" => TEX_OR_CLASS,
        "f" | "for" | "f77" | "f90" | "f95" | "f03" | "f08" | "f18" => FORTRAN,
        "cob" | "cbl" | "cpy" => COBOL,
        "vb" | "vbs" | "bas" | "frm" | "vba" | "brs" => BASIC,
        "bat" | "cmd" => BATCH,
        "vim" => VIM,
        "rst" => REST,
        "forth" | "4th" | "fth" => FORTH,
        "apl" | "aplf" | "apln" => APL,
        "slim" | "haml" => SLIM,
        "po" | "pot" => GETTEXT,
        "ipynb" => NOTEBOOK,
        _ => return None,
    })
}

/// The comments of the language that the interpreter of a script runs.
fn by_shebang(first_line: &[u8]) -> Option<&'static [Opener]> {
    let command = String::from_utf8_lossy(first_line.strip_prefix(b"#!")?).into_owned();
    let base = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let interpreter = command
        .split_ascii_whitespace()
        .map(base)
        .find(|word| word != "env" && !word.starts_with('-') && !word.contains('='))?;
    let interpreter =
        interpreter.trim_end_matches(|char: char| char.is_ascii_digit() || matches!(char, '.' | '-'));
    Some(match interpreter {
        "sh" | "bash" | "dash" | "ash" | "zsh" | "ksh" | "mksh" | "fish" | "python" | "pypy" | "ruby"
        | "jruby" | "perl" | "raku" | "awk" | "gawk" | "mawk" | "sed" | "make" | "tclsh" | "wish"
        | "expect" | "elixir" | "crystal" | "Rscript" | "littler" | "jq" | "uv" | "pipx" | "bats" | "nu"
        | "gnuplot" | "nft" => HASH,
        "node" | "nodejs" | "deno" | "bun" | "ts-node" | "tsx" | "swift" | "go" | "rust-script" | "cargo"
        | "scala" | "groovy" | "kotlin" | "dart" | "java" | "jbang" | "zig" | "rdmd" | "tcc" => SLASH,
        "php" => PHP,
        "pwsh" | "powershell" => POWERSHELL,
        "julia" => JULIA,
        "nim" => NIM,
        "coffee" => COFFEE,
        "lua" | "luajit" | "luau" => LUA,
        "runghc" | "runhaskell" | "stack" | "cabal" => HASKELL,
        "osascript" => APPLESCRIPT,
        "ocaml" | "ocamlrun" => ML,
        "escript" | "swipl" => PERCENT,
        "guile" | "racket" | "sbcl" | "clisp" | "emacs" | "bb" | "clojure" | "clj" | "janet" | "fennel" => {
            LISP
        }
        "nix-shell" | "nix" => HASH_SLASH,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_zones::Language;

    fn texts(path: &str, first_line: &str) -> Vec<&'static str> {
        Comments::of(&RelPath::from(path), first_line.as_bytes())
            .openers()
            .map(|opener| opener.text)
            .collect()
    }

    #[test]
    fn names_and_extensions_ignore_case_and_directories() {
        assert_eq!(texts("a.b/X.PY", ""), ["#"]);
        assert_eq!(texts("a.py/dockerfile", ""), ["#"]);
        assert_eq!(texts("Dockerfile.prod", ""), ["#"]);
        assert_eq!(texts("build.rs", ""), ["//", "/*"]);
        assert_eq!(texts("build.gradle", ""), ["//", "/*"]);
        assert_eq!(texts("BUILD", ""), ["#"]);
    }

    #[test]
    fn an_added_ending_does_not_hide_the_extension() {
        assert_eq!(texts("config.h.in", ""), ["//", "/*"]);
        assert_eq!(texts(".env.example", ""), ["#"]);
        assert_eq!(texts("settings.py.j2", "")[..2], ["#", "{#"]);
        assert_eq!(texts("mail.j2", "")[..6], ["#", "//", "--", ";", "/*", "<!--"]);
    }

    #[test]
    fn a_script_without_an_extension_goes_by_its_shebang() {
        assert_eq!(texts("bin/run", "#!/usr/bin/env node"), ["//", "/*"]);
        assert_eq!(texts("bin/run", "#!/usr/bin/env -S deno run --allow-net"), ["//", "/*"]);
        assert_eq!(texts("bin/run", "#!/usr/bin/python3.12 -u"), ["#"]);
        assert_eq!(texts("bin/run", "#! /usr/bin/env LANG=C lua5.4"), ["--[[", "--"]);
        assert_eq!(texts("bin/run.sh", "#!/usr/bin/env node"), ["#"]);
    }

    #[test]
    fn anything_else_has_the_commonest_comments() {
        let common = ["#", "//", "--", ";", "/*", "<!--"];
        assert_eq!(texts("notes", ""), common);
        assert_eq!(texts("notes.unheard-of", ""), common);
        assert_eq!(texts("run", "#!/opt/unheard-of"), common);
        assert_eq!(texts("run", "#!"), common);
    }

    /// Kinds of files that may hold directives, but whose zones are not known.
    const WITHOUT_ZONES: &[&str] = &["a.rst"];

    /// The words in quotes of the functions that tell files apart by name, in the text of this file.
    fn known(from: &str, to: &str) -> Vec<&'static str> {
        let source = include_str!("comments.rs");
        let (start, end) = (source.find(from).expect("is there"), source.find(to).expect("is there"));
        let is_word = |part: &&str| {
            !part.is_empty() && !part.contains([' ', '\n', '(', '|', '.']) || part.starts_with('.')
        };
        source[start..end].split('"').skip(1).step_by(2).filter(is_word).collect()
    }

    #[test]
    fn what_may_hold_directives_has_zones_or_is_listed() {
        let extensions =
            known("\nfn by_extension(", "\n/// The comments of the language that the interpreter");
        let names = known("\nfn by_stem(", "\nfn by_extension(");
        let whole = known("\nfn by_whole_name(", "\n/// Files such as");
        assert!(extensions.len() > 300 && names.len() > 20 && whole.len() > 30);
        let extensions = extensions.into_iter().map(|extension| format!("a.{extension}"));
        let whole = whole.into_iter().filter(|name| *name != "ignore");
        let all = extensions.chain(names.into_iter().chain(whole).map(str::to_owned));
        let unknown: Vec<String> = all.filter(|path| Language::of(path.as_bytes(), b"").is_none()).collect();
        assert_eq!(unknown, WITHOUT_ZONES);
    }
}
