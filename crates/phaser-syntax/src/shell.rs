//! The simple commands of a shell command line.
//!
//! A rule about commands must see what runs, not how it is written: `cd a && sudo /usr/bin/git -C . commit "-n"` runs
//! `git commit -n`, and `echo 'git commit -n'` does not. [`commands`] parses a line as Bash and returns every simple command
//! in it, with quotes resolved and assignments and redirections removed. Followed through, the first line gives:
//!
//! | command | because |
//! |---|---|
//! | `cd a` | the first of the list |
//! | `sudo /usr/bin/git -C . commit -n` | as written |
//! | `git -C . commit -n` | `sudo` runs the rest; the program is reduced to its base name |
//!
//! Commands are followed through pipelines, lists, groups, functions, loops, substitutions, `bash -c`, `eval`, heredocs and
//! here-strings of a shell, `find -exec`, and wrappers such as `sudo`. A word whose value is not known keeps its source text:
//! `$VAR` is no `commit`. Scripts in files, `ssh` and other languages are not followed. A line with a syntax error has no
//! commands that could be relied on.
//!
//! A command comes with its surroundings in the line. In `export A=1; (cd web && B=2 curl URL) | sudo sh`, the command
//! `curl URL` has the assignments `A=1` and `B=2`, the directory `web`, and the receivers `sudo sh` and `sh` of its output.

use std::ops::Range;

use tree_sitter::Node;

use crate::language::Language;
use crate::tree::{Stop, SyntaxTree, Unfinished};

/// A simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellCommand {
    /// The program's base name, then its arguments.
    pub words: Vec<ShellWord>,
    /// The environment variables that the line sets for it, as `NAME=value`: before the command, after `env`, or by an
    /// `export` before it.
    pub assignments: Vec<ShellWord>,
    /// The operands of `cd` and `pushd` before it, as written; `-` for `popd`.
    pub directory: Vec<String>,
    /// The commands that receive its output.
    pub receivers: Vec<ShellReceiver>,
}

/// A command that receives the output of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellReceiver {
    /// The program's base name, then its arguments.
    pub words: Vec<String>,
    /// The index of the word that is the output, as in `sh -c "$(curl URL)"`; `None` for its standard input.
    pub word: Option<usize>,
}

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellWord {
    /// The value, with quotes resolved; an expansion is as written.
    pub text: String,
    /// The bytes of the line; `None` in a script that is itself a word of the line.
    pub range: Option<Range<usize>>,
}

/// Why a line has no commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellError {
    /// It is not valid Bash, as far as the parser knows.
    Syntax,
    /// See [`Unfinished`].
    Unfinished(Unfinished),
}

/// The depth of scripts in scripts that is followed.
const MAX_DEPTH: usize = 8;

/// The maximum number of commands of a line.
const MAX_COMMANDS: usize = 10_000;

/// Every simple command of a line, in the order of the text; a command in a wrapper follows it.
pub fn commands(line: &str, stop: &Stop) -> Result<Vec<ShellCommand>, ShellError> {
    let mut found = Vec::new();
    collect(Source { text: line, offset: Some(0) }, &Around::default(), 0, stop, &mut found)?;
    Ok(found)
}

/// What surrounds a command.
#[derive(Debug, Clone, Default)]
struct Around {
    assignments: Vec<ShellWord>,
    directory: Vec<String>,
    receivers: Vec<ShellReceiver>,
}

/// Adds the commands of a text.
fn collect(
    source: Source<'_>,
    outer: &Around,
    depth: usize,
    stop: &Stop,
    found: &mut Vec<ShellCommand>,
) -> Result<(), ShellError> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    let tree = SyntaxTree::parse(source.text, Language::BASH, stop).map_err(ShellError::Unfinished)?;
    let root = tree.tree().root_node();
    if root.has_error() {
        return Err(ShellError::Syntax);
    }
    let mut now = outer.clone();
    // What applies again after the end of a subshell.
    let mut left: Vec<(usize, Around)> = Vec::new();
    let mut cursor = root.walk();
    // A walk in source order, without recursion.
    loop {
        let node = cursor.node();
        while let Some((_, around)) = left.pop_if(|(end, _)| node.start_byte() >= *end) {
            now = around;
        }
        match node.kind() {
            "subshell" | "command_substitution" | "process_substitution" => {
                left.push((node.end_byte(), now.clone()));
            }
            "declaration_command" if source.of(node).starts_with("export") => {
                now.assignments
                    .extend(source.assignments(node).map(|word| ShellWord { range: None, ..word }));
            }
            "command" if found.len() < MAX_COMMANDS => {
                let words = source.words(node);
                let mut around = now.clone();
                around.assignments.extend(source.assignments(node));
                around.receivers.extend(source.receivers(node));
                if let Some(directory) = directory_after(&words) {
                    now.directory.push(directory);
                }
                add(words, &scripts_fed(node, source), around, depth, stop, found)?;
            }
            _ => {}
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(());
            }
        }
    }
}

/// The directory that a command changes to, as written.
fn directory_after(words: &[ShellWord]) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    match program.text.as_str() {
        "cd" | "pushd" => {
            let is_operand = |word: &&ShellWord| word.text == "-" || !word.text.starts_with('-');
            let operand = arguments.iter().find(is_operand);
            Some(operand.map_or_else(|| "~".to_owned(), |word| word.text.clone()))
        }
        "popd" => Some("-".to_owned()),
        _ => None,
    }
}

/// Adds a command, the commands that its wrappers run, and those of scripts among its words or fed to it.
fn add(
    mut words: Vec<ShellWord>,
    fed: &[String],
    mut around: Around,
    depth: usize,
    stop: &Stop,
    found: &mut Vec<ShellCommand>,
) -> Result<(), ShellError> {
    loop {
        let Some(program) = words.first_mut() else { return Ok(()) };
        program.text = base_name(&program.text).to_owned();
        for script in scripts(&words, fed) {
            // A script that does not parse is not judged; the rest of the line is.
            let _ = collect(Source { text: &script, offset: None }, &around, depth + 1, stop, found);
        }
        let inner = wrapped(&words);
        let executed = if words[0].text == "find" { executed_by_find(&words) } else { Vec::new() };
        let Around { assignments, directory, receivers } = around.clone();
        found.push(ShellCommand { words, assignments, directory, receivers });
        for words in executed {
            add(words, &[], around.clone(), depth + 1, stop, found)?;
        }
        let Some(inner) = inner else { return Ok(()) };
        around.assignments.extend(inner.assignments);
        words = inner.words;
    }
}

fn base_name(program: &str) -> &str {
    match program.rsplit('/').next() {
        Some(name) if !name.is_empty() && !program.contains('$') && !program.contains('`') => name,
        _ => program,
    }
}

/// A text and its place in the line.
#[derive(Clone, Copy)]
struct Source<'t> {
    text: &'t str,
    offset: Option<usize>,
}

impl Source<'_> {
    fn of(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    fn word(&self, node: Node<'_>) -> ShellWord {
        let range = self.offset.map(|offset| node.start_byte() + offset..node.end_byte() + offset);
        ShellWord { text: self.value(node), range }
    }

    /// The words of a command, without assignments and redirections.
    fn words(&self, command: Node<'_>) -> Vec<ShellWord> {
        let mut cursor = command.walk();
        let mut words = Vec::new();
        for child in command.named_children(&mut cursor).filter(|child| is_word(*child)) {
            words.push(self.word(child));
        }
        words
    }

    /// The assignments among the children of a node.
    fn assignments<'n>(&'n self, node: Node<'n>) -> impl Iterator<Item = ShellWord> + 'n {
        let mut cursor = node.walk();
        let children: Vec<_> = node.named_children(&mut cursor).collect();
        children.into_iter().filter(|child| child.kind() == "variable_assignment").map(|child| {
            let name = child.child_by_field_name("name").map_or("", |name| self.of(name));
            let value =
                child.child_by_field_name("value").map_or_else(String::new, |value| self.value(value));
            ShellWord { text: format!("{name}={value}"), ..self.word(child) }
        })
    }

    /// The commands of the line that receive the output of a command: the later parts of its pipelines, and the command
    /// that has a word which is its output. `echo` and `printf` pass it on.
    fn receivers(&self, command: Node<'_>) -> Vec<ShellReceiver> {
        let mut found = Vec::new();
        let mut node = command;
        while let Some(parent) = node.parent() {
            match (node.kind(), parent.kind()) {
                (_, "pipeline") => {
                    let mut after = node.next_named_sibling();
                    while let Some(part) = after {
                        commands_in(part, &mut |inner| found.extend(self.receiver(inner, None)));
                        after = part.next_named_sibling();
                    }
                }
                ("command_substitution" | "process_substitution", _) => {
                    let Some((receiver, is_input)) = receiving(node) else { return found };
                    let index = if is_input { None } else { self.index_of(receiver, node) };
                    let is_whole = is_input || index.is_some();
                    if is_whole {
                        found.extend(self.receiver(receiver, index));
                    }
                    let words = self.words(receiver);
                    let passes_on =
                        words.first().is_some_and(|word| matches!(word.text.as_str(), "echo" | "printf"));
                    if !(is_whole && passes_on) {
                        return found;
                    }
                    node = receiver;
                    continue;
                }
                _ => {}
            }
            node = parent;
        }
        found
    }

    /// The index of the word of `command` that is this substitution as a whole.
    fn index_of(&self, command: Node<'_>, substitution: Node<'_>) -> Option<usize> {
        let mut cursor = command.walk();
        let words = command.named_children(&mut cursor).filter(|child| is_word(*child));
        let is_it = |word: Node<'_>| {
            let text = self.of(word);
            word.byte_range().contains(&substitution.start_byte())
                && text.trim_matches('"').len() == substitution.byte_range().len()
        };
        words.into_iter().position(is_it)
    }

    /// A command and those that its wrappers run, as receivers.
    fn receiver(&self, command: Node<'_>, mut index: Option<usize>) -> Vec<ShellReceiver> {
        let (mut words, mut found) = (self.words(command), Vec::new());
        while let Some(program) = words.first_mut() {
            program.text = base_name(&program.text).to_owned();
            let texts = words.iter().map(|word| word.text.clone()).collect();
            found.push(ShellReceiver { words: texts, word: index });
            let Some(inner) = wrapped(&words) else { break };
            let gone = words.len().saturating_sub(inner.words.len());
            index = match index.map(|index| index.checked_sub(gone)) {
                Some(None) => break,
                Some(index) => index,
                None => None,
            };
            words = inner.words;
        }
        found
    }

    /// The value of a word.
    fn value(&self, node: Node<'_>) -> String {
        let text = self.of(node);
        match node.kind() {
            "word" => unescaped(text, |_| true),
            "raw_string" => text.trim_matches('\'').to_owned(),
            "ansi_c_string" => {
                ansi_c(text.strip_prefix("$'").and_then(|text| text.strip_suffix('\'')).unwrap_or(text))
            }
            "string_content" => unescaped(text, |c| matches!(c, '"' | '\\' | '$' | '`' | '\n')),
            "string" | "translated_string" => self.joined(node, |text| {
                // What is between the named parts of a string, apart from its quotes, is white space.
                text.trim_matches(['"', '$']).to_owned()
            }),
            "concatenation" | "command_name" => self.joined(node, str::to_owned),
            _ => text.to_owned(),
        }
    }

    /// The values of the children of a node, joined, with `between` for the text that is not in a named child.
    fn joined(&self, node: Node<'_>, between: impl Fn(&str) -> String) -> String {
        let mut cursor = node.walk();
        let (mut value, mut end) = (String::new(), node.start_byte());
        for child in node.named_children(&mut cursor) {
            value.push_str(&between(&self.text[end..child.start_byte()]));
            value.push_str(&self.value(child));
            end = child.end_byte();
        }
        value.push_str(&between(&self.text[end..node.end_byte()]));
        value
    }
}

/// Whether a child of a command is one of its words.
fn is_word(child: Node<'_>) -> bool {
    !matches!(
        child.kind(),
        "variable_assignment" | "file_redirect" | "heredoc_redirect" | "herestring_redirect" | "comment"
    )
}

/// Calls `visit` for every command in a node.
fn commands_in<'t>(node: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
    let mut cursor = node.walk();
    loop {
        let inner = cursor.node();
        if inner.kind() == "command" {
            visit(inner);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The command that has the output of a substitution in its words or, with `true`, as its input.
fn receiving(substitution: Node<'_>) -> Option<(Node<'_>, bool)> {
    let (mut node, mut is_input) = (substitution, false);
    loop {
        node = node.parent()?;
        match node.kind() {
            "string" | "concatenation" | "command_name" => {}
            "herestring_redirect" | "file_redirect" => is_input = true,
            "command" => return Some((node, is_input)),
            "redirected_statement" if is_input => {
                let body = node.child_by_field_name("body")?;
                return (body.kind() == "command").then_some((body, true));
            }
            _ => return None,
        }
    }
}

/// `text` without the backslashes before characters that `is_escaped`.
fn unescaped(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut value = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(next) if is_escaped(next) => value.push(next),
                Some(next) => value.extend(['\\', next]),
                None => value.push('\\'),
            },
            c => value.push(c),
        }
    }
    value
}

/// The value of the contents of `$'…'`.
fn ansi_c(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        let digits = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, most: usize| {
            let mut number = 0;
            for _ in 0..most {
                let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
                number = number * radix + digit;
                chars.next();
            }
            char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)
        };
        match chars.next() {
            Some('n') => value.push('\n'),
            Some('t') => value.push('\t'),
            Some('r') => value.push('\r'),
            Some('e' | 'E') => value.push('\u{1b}'),
            Some('x') => value.push(digits(&mut chars, 16, 2)),
            Some('u') => value.push(digits(&mut chars, 16, 4)),
            Some('U') => value.push(digits(&mut chars, 16, 8)),
            Some(digit @ '0'..='7') => {
                let rest: String = chars.clone().take(2).take_while(|c| ('0'..='7').contains(c)).collect();
                for _ in rest.chars() {
                    chars.next();
                }
                let number = u32::from_str_radix(&format!("{digit}{rest}"), 8).unwrap_or(0);
                value.push(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => value.push(other),
            None => value.push('\\'),
        }
    }
    value
}

/// Programs that run the script in their arguments or on their standard input.
pub const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "dash", "ksh", "ash"];

/// The scripts among the words of a command, or fed to it.
fn scripts(words: &[ShellWord], fed: &[String]) -> Vec<String> {
    let (program, arguments) = (words[0].text.as_str(), &words[1..]);
    match program {
        "eval" if !arguments.is_empty() => {
            let arguments = match arguments {
                [first, rest @ ..] if first.text == "--" => rest,
                all => all,
            };
            vec![arguments.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")]
        }
        _ if SHELLS.contains(&program) => {
            let (mut takes_script, mut operands) = (false, Vec::new());
            let mut rest = arguments.iter();
            while let Some(word) = rest.next() {
                match word.text.as_str() {
                    "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file" => drop(rest.next()),
                    "--" => operands.extend(rest.by_ref()),
                    text if text.starts_with("--") => {}
                    text if text.len() > 1 && text.starts_with(['-', '+']) && operands.is_empty() => {
                        takes_script |= text.starts_with('-') && text.contains('c');
                    }
                    _ => {
                        operands.push(word);
                        operands.extend(rest.by_ref());
                    }
                }
            }
            match (takes_script, operands.first()) {
                (true, Some(script)) => vec![script.text.clone()],
                (false, None) => fed.to_vec(),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// The heredocs and here-strings of a command.
fn scripts_fed(command: Node<'_>, source: Source<'_>) -> Vec<String> {
    let around = command.parent().filter(|parent| parent.kind() == "redirected_statement");
    let mut fed = Vec::new();
    for node in [Some(command), around].into_iter().flatten() {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let mut inner = child.walk();
            match child.kind() {
                "herestring_redirect" => {
                    fed.extend(child.named_children(&mut inner).last().map(|word| source.value(word)));
                }
                "heredoc_redirect" => {
                    let body = child.named_children(&mut inner).find(|part| part.kind() == "heredoc_body");
                    fed.extend(body.map(|body| source.of(body).to_owned()));
                }
                _ => {}
            }
        }
    }
    fed
}

/// The commands that `find` runs: from `-exec` to `;` or `+`.
fn executed_by_find(words: &[ShellWord]) -> Vec<Vec<ShellWord>> {
    let mut all = Vec::new();
    let mut rest = words.iter();
    while rest.any(|word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir")) {
        let words = rest.by_ref().take_while(|word| word.text != ";" && word.text != "+");
        let words: Vec<ShellWord> = words.cloned().collect();
        all.push(words);
    }
    all
}

/// A program that runs the command in its arguments.
struct Wrapper {
    name: &'static str,
    /// Short options with a value.
    short: &'static str,
    /// Long options with a value, which may be the next word.
    long: &'static [&'static str],
    /// The number of operands before the command.
    operands: usize,
}

/// Programs that run the command in their arguments.
const WRAPPERS: [Wrapper; 9] = [
    Wrapper {
        name: "sudo",
        short: "ughpCrtTUDR",
        long: &[
            "user",
            "group",
            "host",
            "prompt",
            "chdir",
            "close-from",
            "role",
            "type",
            "other-user",
            "chroot",
        ],
        operands: 0,
    },
    Wrapper { name: "env", short: "uC", long: &["unset", "chdir"], operands: 0 },
    Wrapper { name: "command", short: "", long: &[], operands: 0 },
    Wrapper { name: "exec", short: "a", long: &[], operands: 0 },
    Wrapper { name: "time", short: "fo", long: &["format", "output"], operands: 0 },
    Wrapper { name: "nice", short: "n", long: &["adjustment"], operands: 0 },
    Wrapper { name: "nohup", short: "", long: &[], operands: 0 },
    Wrapper { name: "timeout", short: "sk", long: &["signal", "kill-after"], operands: 1 },
    Wrapper {
        name: "xargs",
        short: "IEnPLdas",
        long: &[
            "replace",
            "max-args",
            "max-procs",
            "max-lines",
            "delimiter",
            "arg-file",
            "max-chars",
            "process-slot-var",
        ],
        operands: 0,
    },
];

/// The command that a wrapper runs.
struct Wrapped {
    words: Vec<ShellWord>,
    /// The variables that the wrapper sets.
    assignments: Vec<ShellWord>,
}

/// The command that a wrapper runs.
fn wrapped(words: &[ShellWord]) -> Option<Wrapped> {
    let program = words[0].text.as_str();
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.name == program)?;
    let sets_variables = matches!(program, "env" | "sudo");
    let (mut operands, mut assignments) = (wrapper.operands, Vec::new());
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        // `command -v` shows what would run.
        if program == "command" && text.starts_with('-') && text.contains(['v', 'V']) {
            return None;
        }
        at += match text {
            "--" => {
                at += 1;
                break;
            }
            "-S" | "--split-string" if program == "env" => return split(words, at + 1),
            _ if program == "env" && text.starts_with("-S") => return split(words, at),
            _ if text.starts_with("--") => {
                let takes_value = wrapper.long.contains(&&text[2..]);
                1 + usize::from(takes_value)
            }
            _ if text.len() > 1 && text.starts_with('-') => 1 + usize::from(takes_next(text, wrapper.short)),
            "-" if program == "env" => 1,
            _ if sets_variables && is_assignment(text) => {
                assignments.push(word.clone());
                1
            }
            _ if operands > 0 => {
                operands -= 1;
                1
            }
            _ => break,
        };
    }
    // After `--` too, a wrapper takes its operands and assignments.
    while let Some(word) = words.get(at) {
        if operands > 0 {
            operands -= 1;
        } else if sets_variables && is_assignment(&word.text) {
            assignments.push(word.clone());
        } else {
            break;
        }
        at += 1;
    }
    let words = words.get(at..).filter(|words| !words.is_empty())?.to_vec();
    Some(Wrapped { words, assignments })
}

/// The words of `env -S`: those of the text at this index, then the following ones.
fn split(words: &[ShellWord], at: usize) -> Option<Wrapped> {
    let first = words.get(at)?.text.as_str();
    let first = first.strip_prefix("-S").unwrap_or(first);
    let split = first.split_whitespace().map(|text| ShellWord { text: text.to_owned(), range: None });
    let mut assignments: Vec<_> = split.chain(words[at + 1..].iter().cloned()).collect();
    let at = assignments.iter().position(|word| !is_assignment(&word.text))?;
    let words = assignments.split_off(at);
    Some(Wrapped { words, assignments })
}

/// Whether the value of the last option in a cluster of short options is the next word.
fn takes_next(cluster: &str, with_value: &str) -> bool {
    let options = &cluster[1..];
    options
        .char_indices()
        .find(|(_, c)| with_value.contains(*c))
        .is_some_and(|(at, c)| at + c.len_utf8() == options.len())
}

fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    fn of(line: &str) -> Result<Vec<String>, ShellError> {
        let stop: Stop = Rc::new(|| false);
        let all = commands(line, &stop)?;
        let joined = |command: ShellCommand| {
            let words = command.words.into_iter();
            words
                .map(|word| if word.text.contains(' ') { format!("<{}>", word.text) } else { word.text })
                .collect::<Vec<_>>()
                .join(" ")
        };
        Ok(all.into_iter().map(joined).collect())
    }

    #[track_caller]
    fn runs(line: &str, expected: &[&str]) {
        assert_eq!(
            of(line).as_deref(),
            Ok(expected.iter().map(|&one| one.to_owned()).collect::<Vec<_>>().as_slice()),
            "{line}"
        );
    }

    #[test]
    fn quotes_are_resolved() {
        runs("git commit -m 'a b' \"--no-verify\"", &["git commit -m <a b> --no-verify"]);
        runs(r#"g"i"t com\mit --no'-ver'ify"#, &["git commit --no-verify"]);
        runs(r#"git commit -m "say \"x\" $USER""#, &[r#"git commit -m <say "x" $USER>"#]);
        runs(r"git $'com\x6dit' $'\055n'", &["git commit -n"]);
        runs("git \\\n  commit -n", &["git commit -n"]);
        runs("echo 'git commit --no-verify'", &["echo <git commit --no-verify>"]);
        runs("echo \"\" ''", &["echo  "]);
    }

    #[test]
    fn characters_beyond_ascii_are_letters() {
        runs("echo 'é' über; git commit -n", &["echo é über", "git commit -n"]);
        runs("echo x{\u{10ffff},b}; git commit -n", &["echo x{\u{10ffff},b}", "git commit -n"]);
        runs("cat <<'é'\nx\né\ngit commit -n", &["cat", "git commit -n"]);
        runs("git\u{a0}commit -n", &["git\u{a0}commit -n"]);
    }

    #[test]
    fn assignments_redirections_and_comments_are_left_out() {
        runs("A=1 B=x git commit -n >out 2>&1 # git push", &["git commit -n"]);
        runs("2>/dev/null git push <in", &["git push"]);
        runs("A=1", &[]);
    }

    #[test]
    fn every_command_of_a_line_is_found() {
        runs("a; b && c || d | e & f", &["a", "b", "c", "d", "e", "f"]);
        runs("(a; { b; }) && ! c", &["a", "b", "c"]);
        runs(
            "if a; then b; else c; fi; while d; do e; done; for x in 1; do f; done",
            &["a", "b", "c", "d", "e", "f"],
        );
        runs("f() { a; }; case x in y) b;; esac", &["a", "b"]);
        runs("x=$(a) y=`b` c <(d) \"$(e)\"", &["c <(d) $(e)", "a", "b", "d", "e"]);
        runs("cat <<EOF\n$(a)\nb\nEOF\n", &["cat", "a"]);
    }

    #[test]
    fn programs_are_reduced_to_base_names() {
        runs("/usr/bin/git push", &["git push"]);
        runs("./run x", &["run x"]);
        runs("$HOME/bin/git push", &["$HOME/bin/git push"]);
    }

    #[test]
    fn wrappers_are_followed() {
        for (line, inner) in [
            ("sudo git push", "git push"),
            ("sudo -u root -E -- git push", "git push"),
            ("sudo --user=root A=1 git push", "git push"),
            ("env -i A=1 B=2 git push", "git push"),
            ("env -u A git push", "git push"),
            ("command git push", "git push"),
            ("exec -a x git push", "git push"),
            ("time -p git push", "git push"),
            ("nice -n 5 git push", "git push"),
            ("nice -5 git push", "git push"),
            ("nohup git push", "git push"),
            ("timeout -s KILL 5m git push", "git push"),
            ("timeout --signal KILL -- 5 git push", "git push"),
            ("xargs -0 -n1 -I{} git push", "git push"),
            ("xargs -n 1 git push", "git push"),
            ("sudo env A=1 timeout 5 /usr/bin/git push", "git push"),
        ] {
            let all = of(line).expect("parses");
            assert_eq!(all.last().map(String::as_str), Some(inner), "{line}: {all:?}");
        }
        runs("command -v git", &["command -v git"]);
        runs("sudo", &["sudo"]);
        runs("env -S 'A=1 git push' x", &["env -S <A=1 git push> x", "git push x"]);
    }

    #[test]
    fn scripts_are_followed() {
        for line in [
            "bash -c 'git push'",
            "sh -ec \"git push\"",
            "bash -lc 'git push' x y",
            "bash -o pipefail -c 'git push'",
            "eval git push",
            "eval 'git push'",
            "bash <<EOF\ngit push\nEOF\n",
            "sh <<< 'git push'",
            "bash -c \"bash -c 'git push'\"",
            "find . -name x -exec git push {} \\; -print",
            "sudo bash -c 'git push'",
        ] {
            let all = of(line).expect("parses");
            let found = all.iter().any(|one| one == "git push" || one == "git push {}");
            assert!(found, "{line}: {all:?}");
        }
        for line in [
            "bash script.sh git push",
            "python -c 'git push'",
            "ssh host 'git push'",
            "cat <<EOF\ngit push\nEOF\n",
        ] {
            assert!(!of(line).expect("parses").iter().any(|one| one.starts_with("git")), "{line}");
        }
    }

    /// The last command of the line whose program is this one.
    fn command(line: &str, program: &str) -> ShellCommand {
        let stop: Stop = Rc::new(|| false);
        let all = commands(line, &stop).expect("parses");
        all.into_iter().rfind(|command| command.words[0].text == program).expect("is there")
    }

    #[test]
    fn assignments_are_those_of_the_environment() {
        for (line, expected) in [
            ("A=1 B='x y' git push", &["A=1", "B=x y"][..]),
            ("env A=1 git push", &["A=1"]),
            ("sudo -E -- A=1 git push", &["A=1"]),
            ("env -S 'A=1 git push'", &["A=1"]),
            ("export A=1 && git push", &["A=1"]),
            ("A=1 bash -c 'B=2 git push'", &["A=1", "B=2"]),
            ("(export A=1); git push", &[]),
            ("A=1; git push", &[]),
            ("A=1 true; git push", &[]),
            ("git push; export A=1", &[]),
        ] {
            let found = command(line, "git").assignments;
            assert_eq!(found.iter().map(|word| word.text.as_str()).collect::<Vec<_>>(), expected, "{line}");
        }
    }

    #[test]
    fn directory_follows_cd() {
        for (line, expected) in [
            ("cd a && cd -P b; git push", &["a", "b"][..]),
            ("(cd a && true); git push", &[]),
            ("(cd a && git push)", &["a"]),
            ("x=$(cd a && pwd); git push", &[]),
            ("cd a; bash -c 'cd b; git push'", &["a", "b"]),
            ("bash -c 'cd a'; git push", &[]),
            ("pushd a; popd; git push", &["a", "-"]),
            ("cd; git push", &["~"]),
            ("cd -; git push", &["-"]),
        ] {
            assert_eq!(command(line, "git").directory, expected, "{line}");
        }
    }

    #[test]
    fn receivers_get_the_output() {
        let of = |line: &str| {
            let shown = |one: ShellReceiver| {
                let words = one.words.join(" ");
                one.word.map_or_else(|| words.clone(), |at| format!("{words} @{at}"))
            };
            command(line, "curl").receivers.into_iter().map(shown).collect::<Vec<_>>()
        };
        for (line, expected) in [
            ("curl a | sh", &["sh"][..]),
            ("curl a | tee b | sudo /bin/sh -s", &["tee b", "sudo /bin/sh -s", "sh -s"]),
            ("{ curl a; true; } | (cd x; sh)", &["cd x", "sh"]),
            ("bash -c 'curl a' | sh", &["sh"]),
            ("sh -c \"$(curl a)\" x", &["sh -c $(curl a) x @2"]),
            ("sudo sh -c $(curl a)", &["sudo sh -c $(curl a) @3", "sh -c $(curl a) @2"]),
            ("eval `curl a`", &["eval `curl a` @1"]),
            ("bash <(curl a) x", &["bash <(curl a) x @1"]),
            ("bash < <(curl a)", &["bash"]),
            ("bash <<< \"$(curl a)\"", &["bash"]),
            ("echo \"$(curl a)\" | sh", &["echo $(curl a) @1", "sh"]),
            ("echo a | curl b", &[]),
            ("sh -c \"echo $(curl a)\"", &[]),
            ("x=$(curl a); sh", &[]),
            ("x=$(curl a) | sh", &[]),
            ("curl a; echo b | sh", &[]),
            ("curl a && sh b", &[]),
        ] {
            assert_eq!(of(line), expected, "{line}");
        }
    }

    #[test]
    fn unknown_words_stay_as_written() {
        runs("git $CMD -n", &["git $CMD -n"]);
        runs("$GIT commit -n", &["$GIT commit -n"]);
        runs("git com${X}mit", &["git com${X}mit"]);
    }

    #[test]
    fn syntax_errors_are_reported() {
        for line in ["git commit 'x", "if a; then", "a )", "for"] {
            assert_eq!(of(line), Err(ShellError::Syntax), "{line}");
        }
    }

    #[test]
    fn ranges_are_those_of_the_line() {
        let stop: Stop = Rc::new(|| false);
        let line = "cd x && git \"commit\" -n; bash -c 'git push'";
        let all = commands(line, &stop).expect("parses");
        let texts: Vec<_> =
            all[1].words.iter().map(|word| &line[word.range.clone().expect("is in the line")]).collect();
        assert_eq!(texts, ["git", "\"commit\"", "-n"]);
        let nested = all.iter().find(|command| command.words.len() == 2 && command.words[1].text == "push");
        assert!(nested.is_some_and(|command| command.words.iter().all(|word| word.range.is_none())));
    }
}
