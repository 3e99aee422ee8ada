//! Lisps.

use super::super::Language;
use super::super::build::{ESCAPED_CODE, escaped, letter, line, nesting, skip, string};
use super::super::lines::LineEnds;
use super::super::rule::{At, Fence, Rule};
use super::SHEBANG;

pub(super) static LANGUAGES: &[&Language] = &[&CLOJURE, &LISP, &EMACS_LISP, &JANET];

const LINE: Rule = line(";");
const STRING: Rule = escaped("\"").many();

static CLOJURE: Language = Language::new(
    "Clojure",
    &[SHEBANG, LINE, ESCAPED_CODE, escaped("#\"").closed_by("\"").many().as_code(), STRING],
)
.line_ends(LineEnds::CR)
.extensions("clj cljs cljc cljd edn bb fnl hy")
.interpreters("bb clojure clj fennel hy");

static LISP: Language = Language::new(
    "Lisp",
    &[SHEBANG, skip("#;"), LINE, nesting("#|", "|#"), letter("#\\"), STRING, escaped("|").as_code().closed()],
)
.extensions("lisp lsp cl scm ss sld rkt rktd asd sexp scrbl")
.names("dune dune-project")
.interpreters("guile racket sbcl clisp");

static EMACS_LISP: Language =
    Language::new("Emacs Lisp", &[LINE, letter("?").at(At::NotAfterWord), ESCAPED_CODE, STRING])
        .extensions("el")
        .names(".emacs .spacemacs")
        .interpreters("emacs")
        .word_bytes("-");

static JANET: Language = Language::new(
    "Janet",
    &[line("#"), STRING, string("").fence(Fence::Run { byte: b'`', min: 1 }, "").closed_by("").many()],
)
.extensions("janet jdn")
.interpreters("janet");
