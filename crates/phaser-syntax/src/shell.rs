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

use std::ops::Range;

use tree_sitter::Node;

use crate::language::Language;
use crate::tree::{Stop, SyntaxTree, Unfinished};

/// A simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellCommand {
    /// The program's base name, then its arguments.
    pub words: Vec<ShellWord>,
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
    collect(line, Some(0), 0, stop, &mut found)?;
    Ok(found)
}

/// Adds the commands of `text`, which starts at `offset` of the line if it is a part of it as written.
fn collect(
    text: &str,
    offset: Option<usize>,
    depth: usize,
    stop: &Stop,
    found: &mut Vec<ShellCommand>,
) -> Result<(), ShellError> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    let tree = SyntaxTree::parse(text, Language::BASH, stop).map_err(ShellError::Unfinished)?;
    let root = tree.tree().root_node();
    if root.has_error() {
        return Err(ShellError::Syntax);
    }
    let source = Source { text, offset };
    let mut cursor = root.walk();
    // A walk in source order, without recursion.
    loop {
        let node = cursor.node();
        if node.kind() == "command" && found.len() < MAX_COMMANDS {
            let words = source.words(node);
            add(words, &scripts_fed(node, source), depth, stop, found)?;
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

/// Adds a command, the commands that its wrappers run, and those of scripts among its words or fed to it.
fn add(
    mut words: Vec<ShellWord>,
    fed: &[String],
    depth: usize,
    stop: &Stop,
    found: &mut Vec<ShellCommand>,
) -> Result<(), ShellError> {
    loop {
        let Some(program) = words.first_mut() else { return Ok(()) };
        program.text = base_name(&program.text).to_owned();
        let command = ShellCommand { words };
        let program = command.words[0].text.as_str();
        for script in scripts(&command, fed) {
            // A script that does not parse is not judged; the rest of the line is.
            let _ = collect(&script, None, depth + 1, stop, found);
        }
        let inner = wrapped(&command);
        let executed = if program == "find" { executed_by_find(&command) } else { Vec::new() };
        found.push(command);
        for words in executed {
            add(words, &[], depth + 1, stop, found)?;
        }
        match inner {
            Some(inner) => words = inner,
            None => return Ok(()),
        }
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
        for child in command.named_children(&mut cursor) {
            match child.kind() {
                "variable_assignment"
                | "file_redirect"
                | "heredoc_redirect"
                | "herestring_redirect"
                | "comment" => {}
                _ => words.push(self.word(child)),
            }
        }
        words
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
const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "dash", "ksh", "ash"];

/// The scripts among the words of a command, or fed to it.
fn scripts(command: &ShellCommand, fed: &[String]) -> Vec<String> {
    let program = command.words[0].text.as_str();
    let arguments = &command.words[1..];
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
fn executed_by_find(command: &ShellCommand) -> Vec<Vec<ShellWord>> {
    let mut all = Vec::new();
    let mut rest = command.words.iter();
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
fn wrapped(command: &ShellCommand) -> Option<Vec<ShellWord>> {
    let program = command.words[0].text.as_str();
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.name == program)?;
    let mut operands = wrapper.operands;
    let mut at = 1;
    while let Some(word) = command.words.get(at) {
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
            "-S" | "--split-string" if program == "env" => return split(command, at + 1),
            _ if program == "env" && text.starts_with("-S") => return split(command, at),
            _ if text.starts_with("--") => {
                let takes_value = wrapper.long.contains(&&text[2..]);
                1 + usize::from(takes_value)
            }
            _ if text.len() > 1 && text.starts_with('-') => 1 + usize::from(takes_next(text, wrapper.short)),
            "-" if program == "env" => 1,
            _ if matches!(program, "env" | "sudo") && is_assignment(text) => 1,
            _ if operands > 0 => {
                operands -= 1;
                1
            }
            _ => break,
        };
    }
    // After `--` too, a wrapper takes its operands and assignments.
    while let Some(word) = command.words.get(at) {
        if operands > 0 {
            operands -= 1;
        } else if !(matches!(program, "env" | "sudo") && is_assignment(&word.text)) {
            break;
        }
        at += 1;
    }
    command.words.get(at..).filter(|words| !words.is_empty()).map(<[ShellWord]>::to_vec)
}

/// The words of `env -S`: those of the text at this index, then the following ones.
fn split(command: &ShellCommand, at: usize) -> Option<Vec<ShellWord>> {
    let first = command.words.get(at)?.text.as_str();
    let first = first.strip_prefix("-S").unwrap_or(first);
    let words = first.split_whitespace().map(|text| ShellWord { text: text.to_owned(), range: None });
    let words: Vec<ShellWord> = words
        .chain(command.words[at + 1..].iter().cloned())
        .skip_while(|word| is_assignment(&word.text))
        .collect();
    (!words.is_empty()).then_some(words)
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
