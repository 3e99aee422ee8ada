//! Shells, and files with shell commands: Dockerfile, Makefile.

use super::super::Language;
use super::super::build::{BACKSLASH, ESCAPED_CODE, escaped, hole, island, line, quote, rule, skip, string};
use super::super::language::{LineBreak, Operands};
use super::super::rule::{At, Bracket, Heredoc, Hole, HoleEnd, Quote, Rule, RuleKind, TagEnd, Tags};

pub(super) static LANGUAGES: &[&Language] = &[&SHELL, &FISH, &NUSHELL, &DOCKERFILE, &MAKEFILE, &JUST];

const COMMENT: Rule = line("#").at(At::ShellWord);
const SINGLE: Rule = string("'").many();

const fn arithmetic_hole() -> Hole {
    hole("$((", "()").of(&ARITHMETIC)
}
const fn command_hole() -> Hole {
    hole("$(", "()").of(&SHELL)
}
const fn backquote_hole() -> Hole {
    hole("`", "").until(HoleEnd::At("`")).of(&SHELL)
}
const fn parameter_hole() -> Hole {
    hole("${", "").until(HoleEnd::At("}")).of(&PARAMETER)
}
/// Between double quotes, single quotes quote in a pattern (`"${a%'b'}"`) and are plain characters elsewhere
/// (`"${a:-it's}"`).
const fn quoted_parameter_hole() -> Hole {
    hole("${", "").until(HoleEnd::At("}")).of(&PARAMETER_NAME).turns(&OPERATORS)
}
static OPERATORS: [(&str, &Hole); 2] = [("%#/^,", &PATTERN), (":-+=?", &QUOTED_WORD)];
static PATTERN: Hole = parameter_hole();
static QUOTED_WORD: Hole = hole("${", "").until(HoleEnd::At("}")).of(&QUOTED_PARAMETER);

static HOLES: [Hole; 4] = [arithmetic_hole(), command_hole(), quoted_parameter_hole(), backquote_hole()];
const fn double() -> Rule {
    escaped("\"").many().holes(&HOLES)
}
const fn translated() -> Rule {
    escaped("$\"").closed_by("\"").many().holes(&HOLES)
}
const ANSI: Rule = escaped("$'").closed_by("'").many();

static LIVE: Quote = quote("").escapes(BACKSLASH).many().holes(&HOLES);
static RAW: Quote = quote("").many();
const fn heredoc() -> Rule {
    let heredoc =
        Heredoc { indent_marks: "-", tags: Tags::Shell, ends: TagEnd::Alone, live: &LIVE, raw: &RAW };
    rule("<<", RuleKind::Heredoc(heredoc))
}

static SUBSTITUTIONS: [Rule; 4] =
    [island(arithmetic_hole()), island(command_hole()), island(parameter_hole()), island(backquote_hole())];

pub(super) static SHELL: Language = Language::new(
    "shell",
    &[
        COMMENT,
        ESCAPED_CODE,
        double(),
        translated(),
        ANSI,
        SINGLE,
        island(hole("((", "()").of(&ARITHMETIC)).at(At::ShellWord),
        skip("<<<"),
        heredoc(),
        rule("case", RuleKind::Case(Bracket::Opens)).at(At::Command),
        rule("esac", RuleKind::Case(Bracket::Closes)).at(At::Command),
    ],
)
.and(&SUBSTITUTIONS)
.extensions("sh bash zsh ksh bats ash dash ebuild eclass command zsh-theme")
.names(
    ".bashrc .bash_profile .bash_aliases .bash_login .bash_logout .zshrc .zshenv .zprofile .zlogin \
    .zlogout .profile .kshrc .shrc .envrc pkgbuild apkbuild",
)
.interpreters("sh bash dash ash zsh ksh mksh bats busybox")
.operands(Operands {
    keywords: "then do else elif if while until in time",
    closers: "",
    line_break: LineBreak::Ends,
    ..Operands::NONE
});

/// Between `((` and `))`: no comments and no heredocs.
static ARITHMETIC: Language =
    Language::new("shell arithmetic", &[ESCAPED_CODE, double(), SINGLE]).and(&SUBSTITUTIONS);

/// Between `${` and `}`.
static PARAMETER: Language =
    Language::new("shell parameter", &[ESCAPED_CODE, double(), ANSI, SINGLE]).and(&SUBSTITUTIONS);

/// Between `"${` and an operator.
static PARAMETER_NAME: Language =
    Language::new("shell parameter name", &[island(hole("[", "[]").of(&ARITHMETIC))]).and(&SUBSTITUTIONS);

/// Between the operator of `"${a:-b}"` and `}"`.
static QUOTED_PARAMETER: Language = Language::new(
    "quoted shell parameter",
    &[
        ESCAPED_CODE,
        double(),
        island(arithmetic_hole()),
        island(command_hole()),
        island(quoted_parameter_hole()),
        island(backquote_hole()),
    ],
);

static FISH: Language = Language::new(
    "fish",
    &[
        COMMENT,
        ESCAPED_CODE,
        escaped("\"").many().holes(&[hole("$(", "()")]),
        escaped("'").many(),
        island(hole("(", "()")),
    ],
)
.extensions("fish")
.interpreters("fish");

static NUSHELL: Language = Language::new(
    "Nushell",
    &[
        COMMENT,
        escaped("$\"").closed_by("\"").many().holes(&[hole("(", "()")]),
        string("$'").closed_by("'").many().holes(&[hole("(", "()")]),
        escaped("\"").many(),
        string("'").many(),
        string("`").many(),
    ],
)
.extensions("nu")
.interpreters("nu");

pub(in super::super) static DOCKERFILE: Language = Language::new(
    "Dockerfile",
    &[line("#").at(At::FirstOnLine), ESCAPED_CODE, escaped("\"").closed(), string("'").closed(), heredoc()],
)
.extensions("dockerfile containerfile")
.names("dockerfile containerfile earthfile");

static MAKEFILE: Language = Language::new(
    "Makefile",
    &[
        line("#").continued_by(b'\\').at(At::AfterBlank),
        ESCAPED_CODE,
        escaped("\"").closed(),
        string("'").closed(),
    ],
)
.extensions("mk mak make")
.names("makefile gnumakefile bsdmakefile kbuild")
.interpreters("make");

static JUST: Language = Language::new(
    "Just",
    &[
        COMMENT,
        escaped("\"\"\"").many(),
        string("'''").many(),
        escaped("\"").closed(),
        string("'").closed(),
        string("`").closed().as_code(),
    ],
)
.extensions("just")
.names("justfile");
