//! Comments of files whose zones are unknown, and of template languages in files of any kind.
//!
//! Ignore directives need a comment in every file. Contracts with `in` do not apply here: what is no comment in such a
//! file may be code or a string.

use super::super::build::{escaped, line, string};
use super::super::rule::{At, Rule};
use super::super::{Language, Zone};

/// Files of no known language: the most common comments of all. A block comment ends with its line, because the opener
/// may be part of a path such as `src/*`.
pub(in super::super) static PLAIN: Language = Language::new(
    "plain text",
    &[
        line("#").at(At::AfterBlank),
        line("//").at(At::ShellWord),
        line("--").at(At::ShellWord),
        line(";").at(At::AfterBlank),
        on_line("/*", "*/").at(At::ShellWord),
        on_line("<!--", "-->"),
    ],
);

/// A notebook as a file: each line of a cell is a JSON string.
pub(in super::super) static NOTEBOOK: Language = Language::new(
    "notebook",
    &[
        line("\"#").stopped_by("\\n").at(At::FirstOnLine),
        line("\"//").stopped_by("\\n").at(At::FirstOnLine),
        line("\"--").stopped_by("\\n").at(At::FirstOnLine),
        line("#").stopped_by("\\n").at(At::AfterBlank),
        line("//").stopped_by("\\n").at(At::AfterBlank),
        line("--").stopped_by("\\n").at(At::AfterBlank),
        on_line("/*", "*/").at(At::AfterBlank),
        on_line("<!--", "-->"),
    ],
);

pub(in super::super) static RESTRUCTURED_TEXT: Language =
    Language::new("reStructuredText", &[line(".. ").at(At::FirstOnLine)]);

/// Comments after an instruction of a Dockerfile, where the shell reads them, and after a value of an INI file, where only
/// some programs do.
pub(in super::super) static TRAILING: Language = Language::new(
    "trailing comments",
    &[
        escaped("\"").closed(),
        string("'").closed(),
        line("#").at(At::AfterBlank),
        line(";").at(At::AfterBlank),
    ],
);

/// Comments of template languages, which may stand in a file of any language.
pub(in super::super) static TEMPLATE: Language = Language::new(
    "template",
    &[
        on_line("{#", "#}"),
        on_line("{{!--", "--}}"),
        on_line("{{!", "}}"),
        on_line("{{--", "--}}"),
        on_line("{{/*", "*/"),
        on_line("{{- /*", "*/"),
        on_line("<%--", "--%>"),
        on_line("<%#", "%>"),
        on_line("@*", "*@"),
        on_line("{% comment %}", "{% endcomment %}"),
        on_line("{%- comment -%}", "{%- endcomment -%}"),
        line("##").at(At::FirstOnLine),
    ],
);

/// A comment that ends with its line at the latest.
const fn on_line(open: &'static str, close: &'static str) -> Rule {
    string(open).closed_by(close).zone(Zone::Comment)
}
