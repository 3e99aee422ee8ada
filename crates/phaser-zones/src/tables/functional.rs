//! Functional and logic languages.

use super::super::Language;
use super::super::build::{
    BACKSLASH, block, escaped, hole, letter, line, nesting, paired, rule, skip, string,
};
use super::super::rule::{At, Escape, Fence, Hole, Rule, RuleKind};
use super::{DOUBLED_DOUBLE, SHEBANG};

pub(super) static LANGUAGES: &[&Language] =
    &[&HASKELL, &ELM, &OCAML, &STANDARD_ML, &F_SHARP, &ERLANG, &PROLOG, &NIX, &DHALL, &COQ];

const CHARACTER: Rule = rule("'", RuleKind::CharOrLabel(BACKSLASH));
const SYMBOLS: At = At::NotInOperator("!#$%&*+./<=>?@\\^|~:");

static HASKELL: Language = Language::new(
    "Haskell",
    &[
        SHEBANG,
        line("--").at(SYMBOLS),
        string("{-#").closed_by("#-}").as_code().many(),
        nesting("{-", "-}"),
        escaped("\"\"\"").many(),
        escaped("\""),
        CHARACTER.at(At::NotAfterWord),
    ],
)
.extensions(&["hs", "hsc", "idr", "agda", "cabal", "purs", "lhs"])
.interpreters(&["runghc", "runhaskell", "stack", "cabal"])
.word_bytes("'");

static ELM: Language = Language::new(
    "Elm",
    &[
        line("--"),
        nesting("{-", "-}"),
        escaped("\"\"\"").many(),
        escaped("\""),
        CHARACTER.at(At::NotAfterWord),
    ],
)
.extensions(&["elm"]);

static OCAML: Language = Language::new(
    "OCaml",
    &[
        SHEBANG,
        skip("(*)"),
        nesting("(*", "*)").with_strings(),
        string("{").fence(Fence::Word, "|").closed_by_parts("|", "}").many(),
        escaped("\"").many(),
        CHARACTER.at(At::NotAfterWord),
    ],
)
.extensions(&["ml", "mli", "mll", "mly", "eliom"])
.names(&[".ocamlinit"])
.interpreters(&["ocaml", "ocamlrun"])
.word_bytes("'");

static STANDARD_ML: Language =
    Language::new("Standard ML", &[nesting("(*", "*)"), escaped("\"").maybe_after(&["#"]).many()])
        .extensions(&["sml", "sig", "fun", "thy", "wl", "nb"]);

pub(super) static COQ: Language =
    Language::new("Coq", &[nesting("(*", "*)").with_strings(), string("\"").many().escapes(DOUBLED_DOUBLE)])
        .word_bytes("'");

/// The part after the colon of a field is text.
static F_SHARP_FORMAT: Hole = hole("", "{}").of(&FORMAT);
static FORMAT: Language = Language::new("format", &[]);
const fn field(open: &'static str) -> Hole {
    hole(open, "{}()[]").format(&F_SHARP_FORMAT)
}

static F_SHARP: Language = Language::new(
    "F#",
    &[
        SHEBANG,
        line("//"),
        skip("(*)"),
        nesting("(*", "*)").with_strings(),
        string("$$\"\"\"").closed_by("\"\"\"").many().holes(&[field("{{")]),
        string("$\"\"\"").closed_by("\"\"\"").many().escapes(&[Escape::Exact("{{")]).holes(&[field("{")]),
        string("\"\"\"").many(),
        string("$@\"")
            .closed_by("\"")
            .many()
            .escapes(&[Escape::Exact("\"\""), Escape::Exact("{{")])
            .holes(&[field("{")]),
        string("@$\"")
            .closed_by("\"")
            .many()
            .escapes(&[Escape::Exact("\"\""), Escape::Exact("{{")])
            .holes(&[field("{")]),
        string("@\"").closed_by("\"").many().escapes(DOUBLED_DOUBLE),
        string("$\"")
            .closed_by("\"")
            .many()
            .escapes(&[Escape::Exact("{{"), Escape::Next(b'\\')])
            .holes(&[field("{")]),
        escaped("\"").many(),
        string("``").as_code(),
        CHARACTER.at(At::NotAfterWord),
    ],
)
.extensions(&["fs", "fsi", "fsx", "fsscript"])
.interpreters(&["fsharpi"])
.word_bytes("'");

const fn sigil(letters: &'static str) -> Rule {
    paired("~", letters, "\"'`/|#([{<").without_nesting()
}

static ERLANG: Language = Language::new(
    "Erlang",
    &[
        SHEBANG,
        line("%"),
        letter("$").at(At::NotAfterWord),
        sigil("sb"),
        sigil("SB").escapes(&[]),
        sigil(""),
        string("\"\"\"").many(),
        escaped("\"").many(),
        escaped("'").as_code(),
    ],
)
.extensions(&["erl", "hrl", "escript", "yrl", "xrl", "app"])
.names(&["rebar.config", "rebar.lock"])
.interpreters(&["escript"]);

pub(super) static PROLOG: Language = Language::new(
    "Prolog",
    &[
        SHEBANG,
        line("%"),
        block("/*", "*/"),
        letter("0'").at(At::NotAfterWord),
        escaped("\"").many(),
        escaped("'").as_code(),
    ],
)
.extensions(&["prolog", "plt", "oz"])
.interpreters(&["swipl"]);

const HOLES: &[Hole] = &[hole("${", "{}")];

static NIX: Language = Language::new(
    "Nix",
    &[
        line("#"),
        block("/*", "*/"),
        escaped("\"").many().holes(HOLES),
        string("''")
            .many()
            .escapes(&[
                Escape::Exact("'''"),
                Escape::Exact("''$"),
                Escape::Exact("''\\"),
                Escape::Exact("$$"),
            ])
            .holes(HOLES),
    ],
)
.extensions(&["nix"])
.interpreters(&["nix-shell", "nix"])
.word_bytes("'");

static DHALL: Language = Language::new(
    "Dhall",
    &[
        line("--"),
        nesting("{-", "-}"),
        escaped("\"").holes(HOLES),
        string("''").many().escapes(&[Escape::Exact("'''"), Escape::Exact("''${")]).holes(HOLES),
    ],
)
.extensions(&["dhall"]);
