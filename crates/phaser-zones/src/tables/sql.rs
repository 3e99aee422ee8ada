//! SQL. `'…'` is a string; `"…"` and the backquotes of MySQL hold names, and names are code. A text between
//! dollars is code after `AS` and `DO`, where it is the body of a function, and a string elsewhere.

use super::super::Language;
use super::super::build::{block, escaped, hole, island, line, nesting, string};
use super::super::lines::LineEnds;
use super::super::rule::{At, Escape, Fence, HoleEnd, Rule};
use super::{DOUBLED_DOUBLE, DOUBLED_SINGLE};

pub(super) static LANGUAGES: &[&Language] = &[&SQL, &MYSQL];

const LINE: Rule = line("--");
const HASH: Rule = line("#").at(At::FirstOnLine);
const NAME: Rule = string("\"").as_code().closed().escapes(DOUBLED_DOUBLE);
const BACKQUOTED: Rule = string("`").as_code().closed().escapes(&[Escape::Exact("``")]);
const BACKSLASH_STRING: Rule = string("'").many().escapes(&[Escape::Exact("''"), Escape::Next(b'\\')]);
const NATIONAL: &[&str] = &["n", "b", "x", "u&", "_utf8"];

const fn oracle(open: &'static str, close: &'static str) -> Rule {
    string(open).closed_by(close).after(&["q", "nq"]).any_case().many()
}

pub(super) static SQL: Language = Language::new(
    "SQL",
    &[
        LINE,
        nesting("/*", "*/"),
        HASH,
        oracle("'[", "]'"),
        oracle("'{", "}'"),
        oracle("'(", ")'"),
        oracle("'<", ">'"),
        oracle("'!", "!'"),
        oracle("'|", "|'"),
        BACKSLASH_STRING.after(&["e"]).any_case(),
        string("'").many().escapes(DOUBLED_SINGLE).maybe_after(NATIONAL).any_case(),
        island(hole("$", "").until(HoleEnd::Repeated)).fence(Fence::Word, "$").at(At::Body),
        string("$").fence(Fence::Word, "$").closed_by_parts("$", "$").many().at(At::NotAfterWord),
        NAME,
        BACKQUOTED,
    ],
)
.line_ends(LineEnds::CR)
.extensions("sql psql pgsql ddl dml plsql pks pkb tsql hql cql pls bq sqlite");

pub(super) static MYSQL: Language = Language::new(
    "MySQL",
    &[
        LINE,
        line("#"),
        block("/*", "*/"),
        BACKSLASH_STRING.maybe_after(NATIONAL).any_case(),
        escaped("\"").many().escapes(&[Escape::Exact("\"\""), Escape::Next(b'\\')]),
        BACKQUOTED,
    ],
)
.extensions("mysql");
