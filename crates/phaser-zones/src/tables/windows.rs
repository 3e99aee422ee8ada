//! PowerShell, batch files, Visual Basic and other languages of Windows.

use super::super::Language;
use super::super::build::{block, hole, letter, line, string};
use super::super::lines::LineEnds;
use super::super::rule::{At, CloseAt, Escape, Hole, Rule};
use super::{DOUBLED_DOUBLE, DOUBLED_SINGLE};

pub(super) static LANGUAGES: &[&Language] = &[&POWERSHELL, &BATCH, &VISUAL_BASIC, &AUTOHOTKEY];

const HOLES: &[Hole] = &[hole("$(", "()")];

static POWERSHELL: Language = Language::new(
    "PowerShell",
    &[
        block("<#", "#>"),
        line("#").at(At::ShellWord),
        letter("`"),
        string("${").closed_by("}").many().as_code().escapes(&[Escape::Next(b'`')]),
        string("@\"")
            .closed_by("\"@")
            .closed_at(CloseAt::FirstOnLine)
            .many()
            .escapes(&[Escape::Next(b'`')])
            .holes(HOLES),
        string("@'").closed_by("'@").closed_at(CloseAt::FirstOnLine).many(),
        string("\"").many().escapes(&[Escape::Next(b'`'), Escape::Exact("\"\"")]).holes(HOLES),
        string("'").many().escapes(DOUBLED_SINGLE),
    ],
)
.line_ends(LineEnds::CR)
.extensions("ps1 psm1 psd1")
.interpreters("pwsh powershell");

const fn remark(word: &'static str) -> Rule {
    line(word).any_case().at(At::Command)
}

static BATCH: Language = Language::new(
    "batch",
    &[remark("rem"), remark("@rem"), line("::").at(At::FirstOnLine), letter("^"), string("\"").closed()],
)
.extensions("bat cmd");

pub(super) static VISUAL_BASIC: Language = Language::new(
    "Visual Basic",
    &[line("'"), remark("rem").at(At::NotAfterValue), string("\"").escapes(DOUBLED_DOUBLE)],
)
.line_ends(LineEnds::DOT_NET)
.extensions("vb vbs bas frm vba brs");

static AUTOHOTKEY: Language = Language::new(
    "AutoHotkey",
    &[block("/*", "*/"), line(";").at(At::AfterBlank), string("\"").closed().escapes(DOUBLED_DOUBLE)],
)
.extensions("ahk au3 nsi nsh iss");
