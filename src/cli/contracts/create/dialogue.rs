//! The dialogue of `phaser contracts create`: asks for a contract, tests it, and shows what it finds.

use super::{ContractSpec, Destination, EVERY_FILE, NewContract, failures, needs_files};
use crate::cli::args::shared::LimitArgs;
use crate::cli::contracts::LoadedProject;
use crate::cli::contracts::backtest::{Trial, trial};
use crate::cli::counted;
use crate::cli::environment::Environment;
use crate::cli::prompt::{OnEnter, Prompt, Question};
use crate::lint;
use crate::report::backtest::{BacktestSummary, write_text, write_today};
use crate::report::palette::{Colour, Palette};
use phaser_core::check::{
    COMPANION_CHANGED, COMPANION_EXISTS, ContractType, FILE_EXISTS, FILE_NOT_EXISTS, FILE_UNCHANGED,
    FORBID_CODE, FORBID_COMMAND, FORBID_IMPORT, FORBID_IN_MESSAGE, FORBID_PATTERN, FORBID_VALUE,
    KEEP_PATTERN, REQUIRE_CODE, REQUIRE_IN_MESSAGE, REQUIRE_PATTERN, REQUIRE_VALUE,
};
use phaser_core::sanitize::inert;
use phaser_glob::Glob;
use phaser_project::path::{RelPath, Root};

/// The types offered. The others need more than a pattern and a glob.
const OFFERED: [&ContractType; 16] = [
    &FORBID_PATTERN,
    &REQUIRE_PATTERN,
    &FILE_NOT_EXISTS,
    &FILE_EXISTS,
    &KEEP_PATTERN,
    &FILE_UNCHANGED,
    &COMPANION_EXISTS,
    &COMPANION_CHANGED,
    &FORBID_IN_MESSAGE,
    &REQUIRE_IN_MESSAGE,
    &FORBID_VALUE,
    &REQUIRE_VALUE,
    &FORBID_CODE,
    &REQUIRE_CODE,
    &FORBID_IMPORT,
    &FORBID_COMMAND,
];

/// The number of commits tried.
const COMMITS: usize = 200;

const TYPE: Question<'_> =
    Question { text: "Type", help: "What violates the contract. Enter a number or a name." };

const FILES: Question<'_> = Question {
    text: "Files",
    help: "A glob over paths from the project root. '**' is any number of directories, '*' anything but '/':\n\
           **/*.py is every Python file, src/** everything below src, **/*.{ts,tsx} both extensions.\n\
           'exclude_glob' in the file leaves files out.",
};

const PATTERN: Question<'_> = Question {
    text: "Pattern",
    help: "A regular expression, searched in each file. '\\b' is a word boundary, '\\(' a parenthesis:\n\
           \\bprint\\( finds print(1) and not blueprint(1).",
};

const PATH: Question<'_> = Question {
    text: "Path of the values",
    help: "A JSONPath over JSON, YAML or TOML. '*' is every child, '..' every descendant:\n\
           $.dependencies.* is every dependency, $..image every image, $.jobs.*.timeout-minutes one of each job.",
};

const VALUE_PATTERN: Question<'_> = Question {
    text: "Pattern of the value, or - for any",
    help: "A regular expression, searched in each value: [\\^~] finds ^1.2.3 and not 1.2.3.\n\
           '-' compares nothing: the contract is about whether there is a value. 'equals' in the file compares with type.",
};

const VIOLATING_FILE: Question<'_> = Question {
    text: "A file that violates it, on one line",
    help: "The contract must find a value in it, such as {\"dependencies\": {\"a\": \"^1.2.3\"}}. It is kept as an example.",
};

const PASSING_FILE: Question<'_> = Question {
    text: "A file that passes, on one line",
    help: "The contract must not find a value in it. The best example is almost a violation.",
};

const IMPORT: Question<'_> = Question {
    text: "Import",
    help: "A glob. An import of the project's own files is compared as a path, any other one by its name:\n\
           src/infra/** forbids what is in src/infra, 'requests' the package of this name.",
};

const CODE: Question<'_> = Question {
    text: "Code",
    help: "Code with metavariables, matched by its syntax: '$X' is one expression, '$$$ARGS' any number of them.\n\
           eval($X) finds eval(input()), and neither a string nor a comment with it.",
};

const VIOLATING: Question<'_> = Question {
    text: "A line that violates it",
    help: "The contract must find this line. It is kept as an example, and 'phaser contracts test' checks it.",
};

const PASSING: Question<'_> = Question {
    text: "A line that passes",
    help: "The contract must not find this line. The best example is almost a violation, such as log(1) for print(1).",
};

const VIOLATING_PATH: Question<'_> = Question {
    text: "A path that violates it",
    help: "A project with only this file violates the contract. It is kept as an example.",
};

const PASSING_PATH: Question<'_> = Question {
    text: "A path that passes",
    help: "A project with only this file does not violate the contract. It is kept as an example.",
};

const KEPT: Question<'_> = Question {
    text: "A line that must not be removed",
    help: "A change that removes this line violates the contract. It is kept as an example.",
};

const REMOVABLE: Question<'_> = Question {
    text: "A line that may be removed",
    help: "A change that removes this line does not violate the contract. It is kept as an example.",
};

const FROZEN_PATH: Question<'_> = Question {
    text: "A path that must not change",
    help: "Deleting this file violates the contract. It is kept as an example.",
};

const FREE_PATH: Question<'_> = Question {
    text: "A path that may change",
    help: "Deleting this file does not violate the contract. It is kept as an example.",
};

const COMPANION: Question<'_> = Question {
    text: "Companion",
    help: "A path from the project root. For src/a.test.ts, {dir} is src, {name} a.test.ts, {stem} a.test, {ext} ts:\n\
           tests/test_{stem}.py is tests/test_a.py for src/a.py.",
};

const ALONE_IN_PROJECT: Question<'_> = Question {
    text: "Files of a project that violates it",
    help: "Paths, with commas between them: src/a.py is a project without tests. It is kept as an example.",
};

const PAIR_IN_PROJECT: Question<'_> = Question {
    text: "Files of a project that passes",
    help: "A file and its companion, with a comma between them: src/a.py, tests/test_a.py.",
};

const ALONE_IN_CHANGE: Question<'_> = Question {
    text: "Files of a change that violates it",
    help: "Paths, with commas between them. The companions exist, and are not in the change. It is kept as an example.",
};

const PAIR_IN_CHANGE: Question<'_> = Question {
    text: "Files of a change that passes",
    help: "A file and its companion, with a comma between them: package.json, package-lock.json.",
};

const COMMAND: Question<'_> = Question {
    text: "Command",
    help: "The first words of the command, as 'git commit' or 'npm install'. It is found in lists, pipes and nested shells,\n\
           with options between the words, and not in quotes.",
};

const ARGS: Question<'_> = Question {
    text: "Arguments, of which one is forbidden, or - for any",
    help: "Words, separated by spaces: --no-verify -n. '-n' is found in '-nm', too; 'SKIP=' is an environment variable.\n\
           '-' forbids the command with any arguments, and without.",
};

const VIOLATING_COMMAND: Question<'_> = Question {
    text: "A command line that violates it",
    help: "The contract must find a command in it. It is kept as an example, and 'phaser contracts test' checks it.",
};

const PASSING_COMMAND: Question<'_> = Question {
    text: "A command line that passes",
    help: "The contract must not find a command in it. The best example is almost a violation.",
};

const MESSAGE: Question<'_> = Question {
    text: "Message",
    help: "What to do instead, in one sentence. An agent receives it when its edit is denied:\n\
           Use the logger instead of print.",
};

const SEVERITY: Question<'_> = Question {
    text: "Severity",
    help: "error: an edit or a commit with a violation is refused.\nwarning: it is reported and accepted.",
};

const ID: Question<'_> = Question {
    text: "Id",
    help: "The name of the contract: letters, digits and hyphens. Reports and ignore directives use it.",
};

/// Asks for a contract. `None` at the end of the input.
pub fn run(
    prompt: &mut Prompt<'_>,
    project: LoadedProject,
    destination: Destination,
    environment: &Environment,
) -> anyhow::Result<Option<NewContract>> {
    let Some(new) = answers(prompt, &project, &destination)? else { return Ok(None) };
    show(prompt, &new, project, environment)?;
    Ok(Some(new))
}

/// Asks whether to write the contract.
pub fn confirm(prompt: &mut Prompt<'_>, new: &NewContract) -> anyhow::Result<bool> {
    let text = format!("Write {}?", new.shown());
    let help = "yes: writes the file shown above, which is in force at once. no: writes nothing.";
    prompt.confirm(Question { text: &text, help }, OnEnter::Yes)
}

/// The contract that the answers describe. Its examples pass.
fn answers(
    prompt: &mut Prompt<'_>,
    project: &LoadedProject,
    destination: &Destination,
) -> anyhow::Result<Option<NewContract>> {
    prompt.print(|out| {
        writeln!(out, "A new contract. ? explains a question, Ctrl-D ends without writing.\n")
    })?;
    let Some(kind) = ask_type(prompt)? else { return Ok(None) };
    let mut spec = ContractSpec {
        rule_id: "new".to_owned(),
        kind: kind.name.to_owned(),
        message: "new".to_owned(),
        severity: "error".to_owned(),
        ..ContractSpec::default()
    };
    if needs_files(kind) {
        let Some(glob) = ask_glob(prompt, project)? else { return Ok(None) };
        spec.glob = Some(glob);
    }
    if ask_pattern(prompt, kind, &mut spec, (destination, &project.root))?.is_none() {
        return Ok(None);
    }
    let Some(message) = prompt.line(MESSAGE, None)? else { return Ok(None) };
    spec.message = message.trim().to_owned();
    loop {
        let Some(severity) = prompt.line(SEVERITY, Some("error"))? else { return Ok(None) };
        spec.severity = severity.trim().to_ascii_lowercase();
        if matches!(spec.severity.as_str(), "error" | "warning") {
            break;
        }
        prompt.print(|out| writeln!(out, "  Answer error or warning."))?;
    }
    let suggested = suggested_id(&spec.message);
    loop {
        let Some(id) = prompt.line(ID, suggested.as_deref())? else { return Ok(None) };
        spec.rule_id = id.trim().to_owned();
        let made = destination.contract(&spec).and_then(|new| new.check_id(project).map(|()| new));
        match made {
            Ok(new) if new.path.exists() => {
                prompt.print(|out| writeln!(out, "  {} exists (choose another id)", new.shown()))?;
            }
            Ok(new) => return Ok(Some(new)),
            Err(error) => prompt.print(|out| writeln!(out, "  {}", inert(&error.to_string())))?,
        }
    }
}

fn ask_type(prompt: &mut Prompt<'_>) -> anyhow::Result<Option<&'static ContractType>> {
    prompt.print(|out| {
        (1..)
            .zip(OFFERED)
            .try_for_each(|(at, kind)| writeln!(out, "  {at:>2}  {:<18} {}", kind.name, kind.meaning))
    })?;
    loop {
        let Some(answer) = prompt.line(TYPE, Some("1"))? else { return Ok(None) };
        let answer = answer.trim();
        let chosen = (1..).zip(OFFERED).find(|(at, kind)| answer == at.to_string() || answer == kind.name);
        match chosen {
            Some((_, kind)) => return Ok(Some(kind)),
            None => prompt.print(|out| writeln!(out, "  Answer a number from 1 to {}.", OFFERED.len()))?,
        }
    }
}

/// Asks for a valid glob, and prints the number of files that match it.
fn ask_glob(prompt: &mut Prompt<'_>, project: &LoadedProject) -> anyhow::Result<Option<String>> {
    loop {
        let Some(answer) = prompt.line(FILES, Some(EVERY_FILE))? else { return Ok(None) };
        let answer = answer.trim().to_owned();
        match Glob::new(&answer) {
            Ok(glob) => {
                let paths = project.targets.targets.iter().map(|target| &target.path);
                let count = paths.filter(|path| glob.is_match(path.as_bytes())).count();
                let verb = if count == 1 { "matches" } else { "match" };
                prompt.print(|out| writeln!(out, "  {} {verb} today.", counted(count, "file")))?;
                return Ok(Some(answer));
            }
            Err(error) => prompt.print(|out| writeln!(out, "  {}", inert(&error.to_string())))?,
        }
    }
}

/// Asks for the pattern and the examples until the examples pass. `None` at the end of the input.
fn ask_pattern(
    prompt: &mut Prompt<'_>,
    kind: &ContractType,
    spec: &mut ContractSpec,
    (destination, root): (&Destination, &Root),
) -> anyhow::Result<Option<()>> {
    let (violating, passing) = match kind {
        kind if *kind == KEEP_PATTERN => (KEPT, REMOVABLE),
        kind if *kind == FILE_UNCHANGED => (FROZEN_PATH, FREE_PATH),
        kind if *kind == COMPANION_EXISTS => (ALONE_IN_PROJECT, PAIR_IN_PROJECT),
        kind if *kind == COMPANION_CHANGED => (ALONE_IN_CHANGE, PAIR_IN_CHANGE),
        kind if *kind == FORBID_COMMAND => (VIOLATING_COMMAND, PASSING_COMMAND),
        kind if kind.takes("path") => (VIOLATING_FILE, PASSING_FILE),
        kind if kind.takes("pattern") || kind.takes("code") || kind.takes("import") => (VIOLATING, PASSING),
        _ => (VIOLATING_PATH, PASSING_PATH),
    };
    loop {
        if *kind == FORBID_COMMAND {
            let Some(command) = prompt.line(COMMAND, spec.commands.first().map(String::as_str))? else {
                return Ok(None);
            };
            spec.commands = vec![command.trim().to_owned()];
            let earlier = if spec.args.is_empty() { "-".to_owned() } else { spec.args.join(" ") };
            let Some(args) = prompt.line(ARGS, Some(&earlier))? else { return Ok(None) };
            spec.args = args.split_whitespace().filter(|arg| *arg != "-").map(str::to_owned).collect();
            if let Err(error) = destination.contract(spec) {
                prompt.print(|out| writeln!(out, "  {}", inert(&error.to_string())))?;
                continue;
            }
        } else if kind.takes("path") {
            let Some(path) = prompt.line(PATH, spec.path.as_deref())? else { return Ok(None) };
            spec.path = Some(path.trim().to_owned());
            let Some(pattern) = prompt.line(VALUE_PATTERN, Some(spec.pattern.as_deref().unwrap_or("-")))?
            else {
                return Ok(None);
            };
            spec.pattern = Some(pattern).filter(|pattern| pattern != "-");
            if let Err(error) = destination.contract(spec) {
                prompt.print(|out| writeln!(out, "  {}", inert(&error.to_string())))?;
                continue;
            }
        } else if kind.takes("companion") {
            let known = spec.companions.first().cloned();
            let Some(companion) = prompt.line(COMPANION, known.as_deref())? else { return Ok(None) };
            spec.companions = vec![companion.trim().to_owned()];
            if let Err(error) = destination.contract(spec) {
                prompt.print(|out| writeln!(out, "  {}", inert(&error.to_string())))?;
                continue;
            }
        } else if kind.takes("import") {
            let known = spec.imports.first().cloned();
            let Some(glob) = prompt.line(IMPORT, known.as_deref())? else { return Ok(None) };
            spec.imports = vec![glob.trim().to_owned()];
            if let Err(error) = destination.contract(spec) {
                prompt.print(|out| writeln!(out, "  {}", inert(&error.to_string())))?;
                continue;
            }
        } else if kind.takes("pattern") || kind.takes("code") {
            let (question, answer) = match kind.takes("code") {
                true => (CODE, &mut spec.code),
                false => (PATTERN, &mut spec.pattern),
            };
            let Some(text) = prompt.line(question, answer.as_deref())? else { return Ok(None) };
            *answer = Some(text);
            if let Err(error) = destination.contract(spec) {
                prompt.print(|out| writeln!(out, "  {}", inert(&error.to_string())))?;
                continue;
            }
        }
        let first = |list: &[String]| list.first().cloned();
        let Some(text) = prompt.line(violating, first(&spec.violating).as_deref())? else { return Ok(None) };
        spec.violating = vec![text];
        let Some(text) = prompt.line(passing, first(&spec.passing).as_deref())? else { return Ok(None) };
        spec.passing = vec![text];
        let failures = match destination.contract(spec) {
            Ok(new) => failures(&new.contract, root),
            Err(error) => vec![error.to_string()],
        };
        if failures.is_empty() {
            prompt.print(|out| writeln!(out, "  Both examples are as expected."))?;
            return Ok(Some(()));
        }
        prompt.print(|out| {
            failures.iter().try_for_each(|failure| writeln!(out, "  {}", inert(failure)))?;
            writeln!(out, "  Enter keeps an answer.")
        })?;
    }
}

/// An id from the first words of the message.
fn suggested_id(message: &str) -> Option<String> {
    let words = message.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.take(4).map(str::to_ascii_lowercase).collect();
    (!words.is_empty()).then(|| words.join("-"))
}

/// Prints the file, what lint reports about it, and what the contract finds today and in the past.
fn show(
    prompt: &mut Prompt<'_>,
    new: &NewContract,
    project: LoadedProject,
    environment: &Environment,
) -> anyhow::Result<()> {
    let contract = &new.contract;
    let paths: Vec<RelPath> = project.targets.targets.iter().map(|target| target.path.clone()).collect();
    let all: Vec<_> = project.contracts().iter().chain([contract]).cloned().collect();
    let mut warnings = lint::contracts(&all, &paths);
    warnings.retain(|warning| warning.file == contract.origin.file);
    if contract.check.reads_commands() {
        return prompt.print(|out| {
            writeln!(out, "\n{}:", new.shown())?;
            new.yaml().lines().try_for_each(|line| writeln!(out, "  {}", inert(line)))?;
            writeln!(out, "\nIt is judged before an agent runs a command, with the hooks of 'phaser enforce install --guard'.")?;
            warnings.iter().try_for_each(|warning| writeln!(out, "\n{}", inert(&warning.to_string())))?;
            writeln!(out)
        });
    }
    let root = project.root.clone();
    let Trial { today, past } =
        trial(project, vec![contract.clone()], COMMITS, LimitArgs::default(), environment)?;
    let palette = Palette::new(Colour::Off);
    let here = environment.here(&root, [].iter());
    prompt.print(|out| {
        writeln!(out, "\n{}:", new.shown())?;
        new.yaml().lines().try_for_each(|line| writeln!(out, "  {}", inert(line)))?;
        writeln!(out)?;
        match &past {
            Ok(past) => write_text(out, BacktestSummary { contract, today: &today, past }, &here, palette)?,
            Err(error) => {
                write_today(out, contract, &today, &here, palette)?;
                writeln!(out, "no past commits: {}", inert(&error.to_string()))?;
            }
        }
        warnings.iter().try_for_each(|warning| writeln!(out, "\n{}", inert(&warning.to_string())))?;
        writeln!(out)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_id_from_message() {
        for (message, id) in [
            ("Use the logger instead of print.", Some("use-the-logger-instead")),
            ("No eval()!", Some("no-eval")),
            ("…", None),
        ] {
            assert_eq!(suggested_id(message).as_deref(), id);
        }
    }
}
