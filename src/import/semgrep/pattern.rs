//! Code patterns of semgrep as those of ast-grep.

use serde_json::{Map, Value as Json, json};

use crate::import::document::DataNode;
use crate::import::languages::FileType;

/// Languages in which both quotes make the same string.
const TWO_QUOTES: [&str; 6] = ["python", "javascript", "typescript", "tsx", "ruby", "php"];

/// The node of a call, and code in which a call is not read as something else: `f(x)` alone may be a type or a macro.
const CALLS: [(&str, &str, &str); 3] =
    [("go", "func f() { ", " }"), ("c", "void f() { ", "; }"), ("cpp", "void f() { ", "; }")];

/// The nodes of string literals.
const STRINGS: [(&str, &[&str]); 13] = [
    ("python", &["string"]),
    ("javascript", &["string", "template_string"]),
    ("typescript", &["string", "template_string"]),
    ("tsx", &["string", "template_string"]),
    ("go", &["interpreted_string_literal", "raw_string_literal"]),
    ("java", &["string_literal"]),
    ("rust", &["string_literal", "raw_string_literal"]),
    ("c", &["string_literal"]),
    ("cpp", &["string_literal", "raw_string_literal"]),
    ("csharp", &["string_literal", "verbatim_string_literal"]),
    ("ruby", &["string"]),
    ("php", &["string", "encapsed_string"]),
    ("bash", &["string", "raw_string"]),
];

/// The largest number of spellings of one pattern.
const MAX_SPELLINGS: usize = 16;

/// Keys of a formula that ast-grep has no equivalent for.
const WITHOUT: [&str; 10] = [
    "metavariable-pattern",
    "metavariable-comparison",
    "metavariable-analysis",
    "metavariable-type",
    "metavariable-name",
    "pattern-where-python",
    "pattern-regex",
    "pattern-not-regex",
    "semgrep-internal-metavariable-name",
    "pattern-sinks",
];

/// The patterns of one rule.
pub struct CodePatterns {
    has_two_quotes: bool,
    /// The code around a call, if the languages share it.
    around_calls: Option<(&'static str, &'static str)>,
    /// The nodes of string literals, if the languages share them.
    strings: Option<&'static [&'static str]>,
    /// Whether a pattern is negated, where constraints do not apply.
    is_negated: bool,
    /// Constraints on metavariables.
    pub constraints: Map<String, Json>,
    /// Whether a match depends on the code around it.
    pub has_context: bool,
    /// Whether semgrep reports a metavariable in place of the match.
    pub is_focused: bool,
}

impl CodePatterns {
    pub fn new(languages: &[&FileType]) -> Self {
        let has_two_quotes = languages.iter().all(|language| TWO_QUOTES.contains(&language.name));
        let calls = |language: &&FileType| CALLS.iter().find(|(name, ..)| *name == language.name);
        let around = |language: &&FileType| calls(language).map(|(_, before, after)| (*before, *after));
        let nodes = |language: &&FileType| {
            STRINGS.iter().find(|(name, _)| *name == language.name).map(|(_, nodes)| *nodes)
        };
        Self {
            has_two_quotes,
            around_calls: shared(languages.iter().map(around)).flatten(),
            strings: shared(languages.iter().map(nodes)).flatten(),
            is_negated: false,
            constraints: Map::new(),
            has_context: false,
            is_focused: false,
        }
    }

    /// The rule object of a semgrep rule.
    pub fn rule(&mut self, rule: DataNode<'_>) -> Result<Json, String> {
        if let Some(pattern) = rule.text_of("pattern") {
            return self.pattern(pattern);
        }
        if let Some(list) = rule.get("pattern-either") {
            return self.any(list, 1);
        }
        match rule.get("patterns") {
            Some(list) => self.all(list, 0),
            None => Err("it has no pattern".to_owned()),
        }
    }

    fn any(&mut self, list: DataNode<'_>, depth: usize) -> Result<Json, String> {
        let all = list.items().map(|item| self.item(item, depth)).collect::<Result<Vec<_>, _>>()?;
        match all.is_empty() {
            true => Err("'pattern-either' is empty".to_owned()),
            false => Ok(json!({ "any": all })),
        }
    }

    /// A conjunction: patterns first, so that their metavariables are bound where the others use them.
    fn all(&mut self, list: DataNode<'_>, depth: usize) -> Result<Json, String> {
        let (mut positive, mut other, mut context, mut negative) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for item in list.items() {
            let Some((key, value)) = item.members().next() else { continue };
            match key {
                "focus-metavariable" => self.is_focused = true,
                "metavariable-regex" => self.constrain(value, depth)?,
                "pattern-inside" => context.push(self.inside(value)?),
                "pattern-not-inside" => negative.push(self.negated(|patterns| patterns.inside(value))?),
                "pattern-not" => negative.push(self.negated(|patterns| patterns.nested(value, depth + 1))?),
                "pattern" => positive.push(self.item(item, depth)?),
                _ => other.push(self.item(item, depth)?),
            }
        }
        positive.append(&mut other);
        if positive.is_empty() {
            return Err("'patterns' has nothing that a match is".to_owned());
        }
        let mut all: Vec<Json> = positive.into_iter().chain(context).chain(negative).collect();
        Ok(if all.len() == 1 { all.remove(0) } else { json!({ "all": all }) })
    }

    fn item(&mut self, item: DataNode<'_>, depth: usize) -> Result<Json, String> {
        let Some((key, value)) = item.members().next() else { return Err("a pattern is empty".to_owned()) };
        match key {
            "pattern" => self.nested(value, depth),
            "pattern-either" => self.any(value, depth + 1),
            "patterns" => self.all(value, depth + 1),
            "pattern-inside" => self.inside(value),
            key if WITHOUT.contains(&key) => Err(format!("'{key}' has no equivalent")),
            key => Err(format!("'{key}' has no equivalent here")),
        }
    }

    /// A pattern as a text, or a formula in place of one.
    fn nested(&mut self, value: DataNode<'_>, depth: usize) -> Result<Json, String> {
        match value.text() {
            Some(pattern) => self.pattern(pattern),
            None => self.item(value, depth),
        }
    }

    fn negated(&mut self, rule: impl FnOnce(&mut Self) -> Result<Json, String>) -> Result<Json, String> {
        let outside = std::mem::replace(&mut self.is_negated, true);
        let rule = rule(self);
        self.is_negated = outside;
        Ok(json!({ "not": rule? }))
    }

    /// Code that is, or is in, a match of a pattern.
    fn inside(&mut self, value: DataNode<'_>) -> Result<Json, String> {
        self.has_context = true;
        let itself = self.nested(value, 1)?;
        let mut around = itself.as_object().cloned().unwrap_or_default();
        around.insert("stopBy".to_owned(), json!("end"));
        Ok(json!({ "any": [itself, { "inside": around }] }))
    }

    /// `metavariable-regex`, which matches from the start of the text.
    fn constrain(&mut self, value: DataNode<'_>, depth: usize) -> Result<(), String> {
        if depth > 0 {
            return Err("'metavariable-regex' within an alternative has no equivalent".to_owned());
        }
        let name = value.text_of("metavariable").unwrap_or_default().trim_start_matches('$').to_owned();
        let regex = value.text_of("regex").unwrap_or_default();
        if name.is_empty() || regex.is_empty() {
            return Err("'metavariable-regex' has no metavariable or no regex".to_owned());
        }
        if ["(?=", "(?!", "(?<=", "(?<!", "(?>"].iter().any(|group| regex.contains(group)) {
            return Err("'metavariable-regex' has look-around".to_owned());
        }
        let constraint = json!({ "regex": format!("^(?:{})", regex.trim()) });
        match self.constraints.insert(name, constraint) {
            Some(_) => Err("several 'metavariable-regex' on one metavariable".to_owned()),
            None => Ok(()),
        }
    }

    /// A pattern in all spellings that mean the same to semgrep.
    fn pattern(&mut self, pattern: &str) -> Result<Json, String> {
        let mut pattern = self.with_strings(pattern.trim());
        if let Some(operator) = operator(&pattern) {
            return Err(format!("{operator} in a pattern has no equivalent"));
        }
        // A statement that is an expression is found within others, too.
        let is_statement =
            pattern.contains(['\n', '{']) || KEYWORDS.iter().any(|word| starts_with_word(&pattern, word));
        if let (false, Some(expression)) = (is_statement, pattern.strip_suffix(';')) {
            pattern.truncate(expression.len());
        }
        let mut spellings = vec![pattern];
        if self.has_two_quotes {
            spellings.extend(other_quotes(&spellings[0]));
        }
        let mut all: Vec<String> = Vec::new();
        for spelling in spellings {
            all.extend(without_empty_lists(&ellipses(&spelling)));
        }
        let mut rules: Vec<Json> =
            all.into_iter().map(|one| json!({ "pattern": self.in_context(one) })).collect();
        Ok(if rules.len() == 1 { rules.remove(0) } else { json!({ "any": rules }) })
    }

    /// The pattern with a metavariable for each `"..."`, constrained to strings.
    fn with_strings(&mut self, pattern: &str) -> String {
        let Some(nodes) = self.strings.filter(|_| !self.is_negated) else { return pattern.to_owned() };
        let mut pattern = pattern.to_owned();
        for quoted in ["\"...\"", "'...'"] {
            while pattern.contains(quoted) {
                let name = format!(
                    "STRING_{}",
                    self.constraints.keys().filter(|key| key.starts_with("STRING_")).count()
                );
                pattern = pattern.replacen(quoted, &format!("${name}"), 1);
                let nodes: Vec<Json> = nodes.iter().map(|node| json!({ "kind": node })).collect();
                self.constraints.insert(name, json!({ "any": nodes }));
            }
        }
        pattern
    }

    /// A call with the code around it that its language needs.
    fn in_context(&self, pattern: String) -> Json {
        match self.around_calls.filter(|_| is_call(&pattern)) {
            Some((before, after)) => {
                json!({ "context": format!("{before}{pattern}{after}"), "selector": "call_expression" })
            }
            None => Json::String(pattern),
        }
    }
}

/// Words that start a statement which is no expression.
const KEYWORDS: [&str; 12] =
    ["return", "import", "using", "throw", "if", "for", "while", "package", "const", "let", "var", "goto"];

fn starts_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The value that all items have.
fn shared<T: PartialEq>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.all(|item| item == first).then_some(first)
}

/// Whether a pattern is one call of a name.
fn is_call(pattern: &str) -> bool {
    let Some(open) = pattern.find('(').filter(|_| pattern.ends_with(')')) else { return false };
    let is_name = |c: char| c.is_alphanumeric() || "_$.->:".contains(c);
    let mut depth = 0usize;
    let closes_last = pattern[open..].char_indices().all(|(at, c)| {
        depth = match c {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        depth > 0 || open + at + 1 == pattern.len()
    });
    open > 0 && pattern[..open].chars().all(is_name) && closes_last
}

/// The pattern, and the pattern without each `, $$$` at the end of a list, which ast-grep needs for an empty one.
fn without_empty_lists(pattern: &str) -> Vec<String> {
    let mut spellings = vec![String::new()];
    let mut rest = pattern;
    while let Some(at) = rest.find(',') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let empty = after.trim_start().strip_prefix("$$$").map(|after| {
            after.trim_start_matches(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        });
        let closing = empty.filter(|after| after.trim_start().starts_with([')', ']', '}']));
        match closing.filter(|_| spellings.len() * 2 <= MAX_SPELLINGS) {
            Some(closing) => {
                let full = &rest[..rest.len() - closing.len()];
                let without = spellings.iter().map(|start| format!("{start}{before}"));
                spellings = spellings.iter().map(|start| format!("{start}{full}")).chain(without).collect();
                rest = closing;
            }
            None => {
                spellings.iter_mut().for_each(|start| start.push_str(&rest[..=at]));
                rest = after;
            }
        }
    }
    spellings.iter_mut().for_each(|start| start.push_str(rest));
    spellings
}

/// The pattern with its strings in the other quotes, if it has strings in one kind of them.
fn other_quotes(pattern: &str) -> Option<String> {
    let (single, double) = (pattern.contains('\''), pattern.contains('"'));
    let is_simple = single != double && !pattern.contains(['\\', '`']) && !pattern.contains("\"\"\"");
    is_simple.then(|| if single { pattern.replace('\'', "\"") } else { pattern.replace('"', "'") })
}

/// `...` and `$...ARGS` as `$$$` and `$$$ARGS`.
pub fn ellipses(pattern: &str) -> String {
    pattern.replace("$...", "$$$").replace("...", "$$$")
}

/// An operator of semgrep that ast-grep does not have.
fn operator(pattern: &str) -> Option<&'static str> {
    let texts = [
        ("<...", "'<... …  ...>'"),
        ("...>", "'<... … ...>'"),
        ("\"...\"", "'\"...\"'"),
        ("'...'", "'\"...\"'"),
        ("=~/", "'=~/…/'"),
        ("`...`", "'`...`'"),
    ];
    if let Some((_, name)) = texts.iter().find(|(text, _)| pattern.contains(text)) {
        return Some(name);
    }
    let bytes = pattern.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    for (at, _) in pattern.match_indices("...") {
        let before = pattern[..at].trim_end();
        if before.ends_with('.') || pattern[at + 3..].trim_start().starts_with('.') {
            return Some("a chain of calls ('. ... .')");
        }
        if at > 0 && is_word(at - 1) && !pattern[..at].ends_with('$') {
            return Some("a name before '...'");
        }
        if !pattern[..at].ends_with('$') && (is_word(at + 3) || bytes.get(at + 3) == Some(&b'$')) {
            return Some("a spread ('...x')");
        }
        // After `$...`, a name in capitals.
        if pattern[..at].ends_with('$') && bytes.get(at + 3).is_some_and(u8::is_ascii_digit) {
            return Some("a numbered '$...'");
        }
    }
    has_string_with_metavariable(pattern)
        .then_some("a metavariable in a string")
        .or_else(|| has_typed_metavariable(pattern).then_some("a typed metavariable"))
}

/// Whether a string of the pattern contains `$X` or `...`.
fn has_string_with_metavariable(pattern: &str) -> bool {
    let mut quote = None;
    let mut text = String::new();
    for c in pattern.chars() {
        match quote {
            None if matches!(c, '"' | '\'' | '`') => {
                quote = Some(c);
                text.clear();
            }
            None => {}
            Some(open) if c == open => {
                if text.contains("...") || metavariable(&text).is_some() {
                    return true;
                }
                quote = None;
            }
            Some(_) => text.push(c),
        }
    }
    false
}

/// The name of the first metavariable.
fn metavariable(text: &str) -> Option<&str> {
    text.match_indices('$').find_map(|(at, _)| {
        let name = &text[at + 1..];
        let end = name
            .find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
            .unwrap_or(name.len());
        (end > 0).then(|| &name[..end])
    })
}

/// Whether the pattern has `($X: T)`, `(T $X)` or `($X : T)` of one metavariable.
fn has_typed_metavariable(pattern: &str) -> bool {
    pattern.match_indices('(').any(|(at, _)| {
        let Some(end) = pattern[at..].find(')') else { return false };
        let inside = pattern[at + 1..at + end].trim();
        if inside.contains(['(', ',', '=', '"', '\'']) {
            return false;
        }
        match inside.split_once(char::is_whitespace).or_else(|| inside.split_once(':')) {
            Some((first, rest)) if first.starts_with('$') => {
                rest.trim_start().starts_with(':') || inside.contains(": ")
            }
            Some((first, rest)) => {
                let is_type = first.chars().all(|c| c.is_alphanumeric() || "_.<>[]*$".contains(c));
                let rest = rest.trim();
                is_type
                    && rest.strip_prefix('$').is_some_and(|name| {
                        name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
                    })
                    && !["return", "await", "new", "not", "typeof", "yield", "delete", "throw", "in"]
                        .contains(&first)
            }
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ellipses_are_translated() {
        assert_eq!(ellipses("f(..., $X, $...ARGS)"), "f($$$, $X, $$$ARGS)");
        assert_eq!(other_quotes("f('a')").as_deref(), Some("f(\"a\")"));
        assert_eq!(other_quotes("f('a', \"b\")"), None);
    }

    #[test]
    fn list_may_end_early() {
        assert_eq!(without_empty_lists("f($X, $$$)"), ["f($X, $$$)", "f($X)"]);
        assert_eq!(without_empty_lists("f($$$, 1, $$$A).g(2)"), ["f($$$, 1, $$$A).g(2)", "f($$$, 1).g(2)"]);
        assert_eq!(without_empty_lists("f($$$)"), ["f($$$)"]);
        assert_eq!(without_empty_lists("f(a, $$$, b)"), ["f(a, $$$, b)"]);
        assert!(without_empty_lists(&"f(a, $$$)".repeat(20)).len() <= MAX_SPELLINGS);
    }

    #[test]
    fn calls_are_told_from_other_code() {
        assert!(is_call("a.b($X, g(1))") && is_call("f()") && is_call("a::b->c()"));
        assert!(!is_call("f() + g()") && !is_call("(f)()") && !is_call("f(1).g(2)") && !is_call("x = f()"));
    }

    #[test]
    fn operators_without_equivalent_are_found() {
        for pattern in [
            "f(<... $X ...>)",
            "f(\"...\")",
            "f('=~/a/')",
            "f(\"$X\")",
            "$X. ... .b()",
            "f(args...)",
            "f(...$ARGS)",
            "<$X {...$PROPS} />",
            "($X: int)",
            "(HttpServletRequest $REQ).get(...)",
            "f(\"a ... b\")",
        ] {
            assert!(operator(pattern).is_some(), "{pattern}");
        }
        for pattern in [
            "f(...)",
            "$X.f($...ARGS)",
            "f(\"a\", ...)",
            "if ($X) { ... }",
            "f(a, $X)",
            "(new $X)",
            "f(a: $X)",
        ] {
            assert_eq!(operator(pattern), None, "{pattern}");
        }
    }
}
