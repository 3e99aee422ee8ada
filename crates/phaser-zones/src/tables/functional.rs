//! Functional and logic languages.

use super::super::Language;
use super::super::build::{escaped, letter, line, nesting, paired, skip, string};
use super::super::rule::{At, CloseAt, Escape, Fence, Rule};
use super::{
    BLOCK, CHARACTER, DOLLAR_BRACES, DOUBLE, DOUBLED_DOUBLE, FIELDS, HASH, SHEBANG, SLASHES, VERBATIM,
    dollar_verbatim, interpolated, verbatim_dollar,
};

pub(super) static LANGUAGES: &[&Language] =
    &[&HASKELL, &ELM, &OCAML, &STANDARD_ML, &F_SHARP, &ERLANG, &PROLOG, &NIX, &DHALL, &COQ];

const SYMBOLS: At = At::NotInOperator("!#$%&*+./<=>?@\\^|~:");

/// A backslash, white space and a backslash are nothing.
const GAPS: &[Escape] = &[Escape::Gap("\\", "\\"), Escape::Next(b'\\')];

static HASKELL: Language = Language::new(
    "Haskell",
    &[
        SHEBANG,
        line("--").at(SYMBOLS),
        string("{-#").closed_by("#-}").as_code().many(),
        nesting("{-", "-}"),
        string("\"\"\"").many().escapes(GAPS),
        string("\"").escapes(GAPS),
        CHARACTER.at(At::NotAfterWord),
    ],
)
.extensions("hs hsc idr agda cabal purs lhs")
.interpreters("runghc runhaskell stack cabal")
.word_bytes("'");

static ELM: Language = Language::new(
    "Elm",
    &[line("--"), nesting("{-", "-}"), escaped("\"\"\"").many(), DOUBLE, CHARACTER.at(At::NotAfterWord)],
)
.extensions("elm");

static OCAML: Language = Language::new(
    "OCaml",
    &[
        SHEBANG,
        skip("(*)"),
        nesting("(*", "*)").with_strings(),
        string("{").fence(Fence::Word, "|").closed_by_parts("|", "}").many(),
        DOUBLE.many(),
        CHARACTER.at(At::NotAfterWord),
    ],
)
.extensions("ml mli mll mly eliom")
.names(".ocamlinit")
.interpreters("ocaml ocamlrun")
.word_bytes("'");

static STANDARD_ML: Language = Language::new(
    "Standard ML",
    &[nesting("(*", "*)"), string("\"").escapes(GAPS).maybe_after(&["#"]).many()],
)
.extensions("sml sig fun thy wl nb");

pub(super) static COQ: Language =
    Language::new("Coq", &[nesting("(*", "*)").with_strings(), string("\"").many().escapes(DOUBLED_DOUBLE)])
        .word_bytes("'");

const TRIPLE: Rule = string("\"\"\"").many();

static F_SHARP: Language = Language::new(
    "F#",
    &[
        SHEBANG,
        SLASHES,
        skip("(*)"),
        nesting("(*", "*)").with_strings(),
        TRIPLE.after_run(b'$', 2).holes(&FIELDS),
        TRIPLE.after_run(b'$', 1).escapes(&[Escape::Exact("{{")]).holes(&FIELDS),
        TRIPLE,
        dollar_verbatim(),
        verbatim_dollar(),
        VERBATIM,
        interpolated().many(),
        DOUBLE.many(),
        string("``").as_code(),
        CHARACTER.at(At::NotAfterWord),
    ],
)
.extensions("fs fsi fsx fsscript")
.interpreters("fsharpi")
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
        string("")
            .fence(Fence::Run { byte: b'"', min: 3 }, "")
            .closed_by("")
            .many()
            .closed_at(CloseAt::FirstOnLine),
        DOUBLE.many(),
        escaped("'").as_code(),
    ],
)
.extensions("erl hrl escript yrl xrl app")
.names("rebar.config rebar.lock")
.interpreters("escript");

pub(super) static PROLOG: Language = Language::new(
    "Prolog",
    &[SHEBANG, line("%"), BLOCK, letter("0'").at(At::NotAfterWord), DOUBLE.many(), escaped("'").as_code()],
)
.extensions("prolog plt oz")
.interpreters("swipl");

static NIX: Language = Language::new(
    "Nix",
    &[
        HASH,
        BLOCK,
        string("\"").many().escapes(&[Escape::Exact("$$"), Escape::Next(b'\\')]).holes(DOLLAR_BRACES),
        string("''")
            .many()
            .escapes(&[
                Escape::Exact("'''"),
                Escape::Exact("''$"),
                Escape::Exact("''\\$"),
                Escape::Exact("''\\"),
                Escape::Exact("$$"),
            ])
            .holes(DOLLAR_BRACES),
    ],
)
.extensions("nix")
.interpreters("nix-shell nix")
.word_bytes("'");

static DHALL: Language = Language::new(
    "Dhall",
    &[
        line("--"),
        nesting("{-", "-}"),
        DOUBLE.holes(DOLLAR_BRACES),
        string("''").many().escapes(&[Escape::Exact("'''"), Escape::Exact("''${")]).holes(DOLLAR_BRACES),
    ],
)
.extensions("dhall");
