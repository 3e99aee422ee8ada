//! Regular expressions of other tools, in the dialect of contracts.
//!
//! Contracts have the dialect of Python with `^` and `$` at every line. The others differ in what these mean, in whether
//! `\w` is ASCII, and in a few escapes:
//!
//! | dialect | `^` and `$` | `\w \d \s \b` | other |
//! |---|---|---|---|
//! | Go (RE2) | the text, without `(?m)` | ASCII | `\Q…\E`; `{,3}` is literal |
//! | Python on bytes (pygrep) | the line | ASCII | – |
//! | PCRE (semgrep) | every line | ASCII | `\h`, `\R` |
//! | Python on text (hookify) | the text | Unicode | – |
//! | Rust (prek) | the line | Unicode | – |
//!
//! pygrep and prek search line by line. There `\s` and `[^x]` cannot match the end of a line and go on, so both are
//! narrowed unless they end the pattern: `import\s+x` becomes `import[^\S\n]+x`.

/// The regular expressions of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegexDialect {
    /// RE2, as Go has it.
    Go,
    /// Python's `re` on bytes.
    PythonBytes,
    /// Python's `re` on text.
    Python,
    Pcre,
    /// The crates `regex` and `fancy-regex`.
    Rust,
}

/// How a tool searches a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchUnit {
    Line,
    File,
}

/// A pattern for a contract.
#[derive(Debug, PartialEq, Eq)]
pub struct TranslatedRegex {
    pub pattern: String,
    /// Differences that remain.
    pub notes: Vec<&'static str>,
}

const SPANS_LINES: &str = "a match stays in one line: a class of the pattern also matches the end of a line";

/// Translates `regex`. `flags` are set for the whole pattern, such as `i`. Fails with the reason.
pub fn translate(
    regex: &str,
    dialect: RegexDialect,
    unit: SearchUnit,
    flags: &str,
) -> Result<TranslatedRegex, String> {
    let chars: Vec<char> = regex.chars().collect();
    let mut translator = RegexTranslator {
        chars: &chars,
        at: 0,
        dialect,
        unit,
        out: String::new(),
        notes: Vec::new(),
        multi: vec![false],
    };
    translator.run()?;
    let (mut pattern, notes) = (translator.out, translator.notes);
    let is_ascii = matches!(dialect, RegexDialect::Go | RegexDialect::PythonBytes | RegexDialect::Pcre);
    let ascii = if is_ascii
        && ["\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "\\b", "\\B"]
            .iter()
            .any(|class| pattern.contains(class))
    {
        "a"
    } else {
        ""
    };
    if !flags.is_empty() || !ascii.is_empty() {
        pattern.insert_str(0, &format!("(?{ascii}{flags})"));
    }
    Ok(TranslatedRegex { pattern, notes })
}

struct RegexTranslator<'c> {
    chars: &'c [char],
    at: usize,
    dialect: RegexDialect,
    unit: SearchUnit,
    out: String,
    notes: Vec<&'static str>,
    /// Whether `(?m)` is set, for each open group and the pattern.
    multi: Vec<bool>,
}

impl RegexTranslator<'_> {
    fn run(&mut self) -> Result<(), String> {
        while let Some(c) = self.next() {
            match c {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.group(),
                ')' => {
                    if self.multi.len() > 1 {
                        self.multi.pop();
                    }
                    self.out.push(c);
                }
                '^' | '$' if self.dialect == RegexDialect::Go && !self.is_multi() => {
                    self.out.push_str(if c == '^' { r"\A" } else { r"\z" });
                }
                '{' if self.dialect == RegexDialect::Go && !self.is_quantifier() => self.out.push_str(r"\{"),
                c => self.out.push(c),
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Option<char> {
        let c = self.chars.get(self.at).copied();
        self.at += 1;
        c
    }

    fn rest(&self) -> &[char] {
        self.chars.get(self.at..).unwrap_or_default()
    }

    fn is_multi(&self) -> bool {
        self.multi.last().copied().unwrap_or_default()
    }

    /// Whether a `{` starts `n}`, `n,}` or `n,m}`.
    fn is_quantifier(&self) -> bool {
        let inside: String = self.rest().iter().take_while(|c| **c != '}').take(12).collect();
        let is_closed = self.rest().get(inside.chars().count()) == Some(&'}');
        let (low, high) = inside.split_once(',').unwrap_or((&inside, ""));
        let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        is_closed && !low.is_empty() && digits(low) && digits(high)
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(c) = self.next() else { return Err("its regex ends in a backslash".to_owned()) };
        match (self.dialect, c) {
            (RegexDialect::Go, 'Q') => {
                while let Some(c) = self.next() {
                    if c == '\\' && self.rest().first() == Some(&'E') {
                        self.at += 1;
                        break;
                    }
                    if !c.is_alphanumeric() {
                        self.out.push('\\');
                    }
                    self.out.push(c);
                }
            }
            (RegexDialect::Go, 'C') => return Err("its regex has '\\C', a single byte".to_owned()),
            (RegexDialect::Pcre, 'h') => self.out.push_str("[ \\t]"),
            (RegexDialect::Pcre, 'R') => self.out.push_str("(?:\\r\\n|\\n|\\r)"),
            (RegexDialect::Pcre, 'K') => {
                return Err("its regex has '\\K', which moves the start of a match".to_owned());
            }
            (_, 's') if self.unit == SearchUnit::Line && !self.is_last() => self.out.push_str("[^\\S\\n]"),
            (_, 'W' | 'D') if self.unit == SearchUnit::Line && !self.is_last() => {
                self.out.push_str(&format!("(?:(?!\\n)\\{c})"));
            }
            _ => self.out.extend(['\\', c]),
        }
        Ok(())
    }

    /// Copies a class, after its `[`.
    fn class(&mut self) -> Result<(), String> {
        let start = self.at;
        let is_negated = self.rest().first() == Some(&'^');
        self.at += usize::from(is_negated);
        self.at += usize::from(self.rest().first() == Some(&']'));
        loop {
            match self.next().ok_or("its regex has a class without an end")? {
                '\\' => self.at += 1,
                '[' if self.rest().first() == Some(&':') => {
                    let end = self.rest().windows(2).position(|pair| pair == [':', ']']);
                    self.at += end.map_or(0, |end| end + 2);
                }
                ']' => break,
                _ => {}
            }
        }
        let members: String = self.chars.get(start..self.at - 1).unwrap_or_default().iter().collect();
        let members = match self.dialect {
            RegexDialect::Pcre => members.replace("\\h", " \\t"),
            _ => members,
        };
        let mut extra = "";
        if self.unit == SearchUnit::Line && !self.is_last() {
            let takes_end = ["\\s", "\\W", "\\D", "\\n"].iter().any(|class| members.contains(class));
            match (is_negated, takes_end) {
                (true, false) => extra = "\\n",
                (false, true) if !self.notes.contains(&SPANS_LINES) => self.notes.push(SPANS_LINES),
                _ => {}
            }
        }
        self.out.push_str(&format!("[{members}{extra}]"));
        Ok(())
    }

    /// Whether nothing but the end can follow the atom here, after its quantifier.
    fn is_last(&self) -> bool {
        let mut rest = self.rest();
        if let Some('*' | '+' | '?') = rest.first() {
            rest = &rest[1..];
        } else if rest.first() == Some(&'{') {
            rest = rest.split(|c| *c == '}').nth(1).map_or(rest, |after| &rest[rest.len() - after.len()..]);
        }
        if let Some('?' | '+') = rest.first() {
            rest = &rest[1..];
        }
        rest.iter().all(|c| matches!(c, ')' | '$'))
    }

    /// Follows the flag `m` of Go's groups, after a `(`.
    fn group(&mut self) {
        self.out.push('(');
        let rest: String = self.rest().iter().take(12).collect();
        let flags: String = rest.strip_prefix('?').map_or_else(String::new, |rest| {
            rest.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '-').collect()
        });
        let end = rest.chars().nth(flags.len() + 1);
        let now = self.is_multi();
        let (on, off) = flags.split_once('-').unwrap_or((&flags, ""));
        let new = on.contains('m') || now && !off.contains('m');
        match end {
            Some(')') if rest.starts_with('?') => {
                if let Some(last) = self.multi.last_mut() {
                    *last = new;
                }
                // The `)` closes nothing that was opened here.
                self.out.push('?');
                self.out.push_str(&flags);
                self.out.push(')');
                self.at += flags.len() + 2;
            }
            Some(':') if rest.starts_with('?') => self.multi.push(new),
            _ => self.multi.push(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(regex: &str, dialect: RegexDialect) -> String {
        translate(regex, dialect, SearchUnit::File, "").expect("translates").pattern
    }

    #[test]
    fn go_anchors_are_of_the_text() {
        for (go, expected) in [
            ("^a$", r"\Aa\z"),
            ("(?m)^a$", "(?m)^a$"),
            ("(?:(?m)^a)$", r"(?:(?m)^a)\z"),
            ("(?m:^a)|^b", r"(?m:^a)|\Ab"),
            (r"[$^]\$\^", r"[$^]\$\^"),
            (r"\Qa.b$\E$", r"a\.b\$\z"),
            ("a{2,}{,3}{x}", r"a{2,}\{,3}\{x}"),
            (r"\bkey\d+", r"(?a)\bkey\d+"),
            ("[[:alnum:]]{3}[]a]", "[[:alnum:]]{3}[]a]"),
            (r"(p8e-(?i)[a-z]{2})$", r"(p8e-(?i)[a-z]{2})\z"),
        ] {
            assert_eq!(file(go, RegexDialect::Go), expected, "{go}");
        }
    }

    #[test]
    fn pcre_escapes_are_translated() {
        assert_eq!(file(r"a\h+[\hx]$", RegexDialect::Pcre), r"a[ \t]+[ \tx]$");
        assert!(translate(r"a\Kb", RegexDialect::Pcre, SearchUnit::File, "").is_err());
    }

    #[test]
    fn search_by_line_stays_in_line() {
        for (regex, expected) in [
            (r"^\s*import\s+x\s", r"(?a)^[^\S\n]*import[^\S\n]+x\s"),
            (r"a[^b]*c", r"a[^b\n]*c"),
            (r"a[^b]*$", r"a[^b]*$"),
            (r"a\s{2}b", r"(?a)a[^\S\n]{2}b"),
            (r"a\s{2}$", r"(?a)a\s{2}$"),
        ] {
            let translated =
                translate(regex, RegexDialect::PythonBytes, SearchUnit::Line, "").expect("translates");
            assert_eq!((translated.pattern.as_str(), translated.notes), (expected, vec![]), "{regex}");
        }
        let noted = translate("a[\\s,]b", RegexDialect::Rust, SearchUnit::Line, "i").expect("translates");
        assert_eq!((noted.pattern.as_str(), noted.notes), ("(?i)a[\\s,]b", vec![SPANS_LINES]));
    }
}
