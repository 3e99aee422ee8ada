//! Rules: a pattern or a rule object, and its compiled form for one language.

use std::error::Error;
use std::ops::Range;

use ast_grep_config::{DeserializeEnv, RuleCore, SerializableRuleCore};
use ast_grep_core::matcher::MatcherExt as _;
use ast_grep_core::replacer::{Replacer as _, TemplateFix};
use ast_grep_core::{Language as _, Matcher as _, Node, NodeMatch};
use serde_json::{Map, Value};

use crate::language::Language;
use crate::literals::{self, Clause, Literal};
use crate::metered::MeteredDoc;
use crate::tree::{MAX_DEPTH, Stop, SyntaxTree, Unfinished};

/// Cap on the depth of the tree of a pattern, whose conversion recurses.
const MAX_PATTERN_DEPTH: usize = 200;

/// The keys of a rule object that are not part of the rule itself.
const BESIDE: [&str; 3] = ["constraints", "utils", "transform"];

/// A rule that no language has compiled yet.
pub struct CodeRule {
    /// `rule`, and the keys beside it.
    core: SerializableRuleCore,
    source: Value,
}

/// Why a rule is invalid, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// No text can match it.
    #[error("{0}")]
    Invalid(String),
    /// A pattern was not parsed. It may be valid.
    #[error("a pattern was not parsed")]
    NotParsed(Unfinished),
}

impl CodeRule {
    /// A rule that matches what a pattern matches.
    pub fn pattern(pattern: &str) -> Result<Self, RuleError> {
        Self::object(&Value::Object(Map::from_iter([("pattern".to_owned(), Value::from(pattern))])))
    }

    /// A rule object, with the keys `constraints`, `utils` and `transform` beside those of the rule.
    pub fn object(object: &Value) -> Result<Self, RuleError> {
        let mut rule = object.clone();
        let Some(keys) = rule.as_object_mut() else {
            return Err(RuleError::Invalid("it is neither a pattern nor a rule object".to_owned()));
        };
        let mut core = Map::new();
        for key in BESIDE {
            core.extend(keys.remove(key).map(|value| (key.to_owned(), value)));
        }
        core.insert("rule".to_owned(), rule);
        let source = Value::Object(core);
        let core =
            serde_json::from_value(source.clone()).map_err(|error| RuleError::Invalid(one_line(&error)))?;
        Ok(Self { core, source })
    }

    /// A regular expression of literals that every text with a match contains; `None` if there is none.
    pub fn prefilter(&self) -> Option<String> {
        let literals = literals::best(self.clauses())?.any_of;
        let one = |literal: &Literal| {
            let text = regex_syntax::escape(&literal.text);
            if literal.any_case { format!("(?i:{text})") } else { text }
        };
        Some(literals.iter().map(one).collect::<Vec<_>>().join("|"))
    }

    fn clauses(&self) -> Vec<Clause> {
        literals::of_rule(&self.source["rule"], self.source.get("utils"))
    }

    /// The names of its metavariables, `X` for `$X` and `$$$X`, with those of `transform`.
    pub fn metavariables(&self) -> Vec<String> {
        let mut names = Vec::new();
        each_pattern(&self.source, &mut |pattern| names.extend(metavariables(pattern).map(str::to_owned)));
        let transformed = self.source.get("transform").and_then(Value::as_object);
        names.extend(transformed.into_iter().flat_map(|keys| keys.keys().cloned()));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The rule for one language. Fails if a pattern is no single node in it, or a kind does not exist.
    pub fn compile(&self, language: Language) -> Result<CompiledRule, RuleError> {
        let (mut is_deep, mut has_syntax_error, mut not_parsed) = (false, false, None);
        each_pattern(&self.source, &mut |pattern| match parsed(pattern, language) {
            Ok(tree) => {
                is_deep |= tree.depth() > MAX_PATTERN_DEPTH;
                has_syntax_error |= tree.has_error_node();
            }
            Err(why @ (Unfinished::Crashed | Unfinished::Stopped)) => not_parsed = Some(why),
            Err(Unfinished::TooLarge | Unfinished::TooDeep | Unfinished::TooComplex) => is_deep = true,
        });
        if let Some(why) = not_parsed {
            return Err(RuleError::NotParsed(why));
        }
        if is_deep {
            return Err(RuleError::Invalid("a pattern is nested too deeply".to_owned()));
        }
        let env = DeserializeEnv::new(language.ast_grep());
        let rule = self.core.get_matcher(env).map_err(|error| RuleError::Invalid(one_line(&error)))?;
        if rule.potential_kinds().is_none() && has_syntax_error {
            return Err(RuleError::Invalid("it has a syntax error".to_owned()));
        }
        if rule.potential_kinds().is_none() {
            return Err(RuleError::Invalid(
                "it matches nodes of every kind, so it needs a 'kind'".to_owned(),
            ));
        }
        let (transformed, compares) = (self.transformed(), self.compares_nodes());
        let mut clauses = self.clauses();
        clauses.retain(|clause| !clause.any_of.iter().any(|literal| literal.any_case));
        Ok(CompiledRule { rule, language, clauses, transformed, compares, has_syntax_error })
    }

    fn transformed(&self) -> Vec<String> {
        let keys = self.source.get("transform").and_then(Value::as_object);
        keys.into_iter().flat_map(|keys| keys.keys().cloned()).collect()
    }

    /// Whether a metavariable stands twice, so that the nodes it captures are compared.
    fn compares_nodes(&self) -> bool {
        let mut names = Vec::new();
        each_pattern(&self.source, &mut |pattern| names.extend(metavariables(pattern).map(str::to_owned)));
        names.sort_unstable();
        names.windows(2).any(|pair| pair[0] == pair[1])
    }
}

/// A rule for one language. Shared by threads.
pub struct CompiledRule {
    rule: RuleCore,
    language: Language,
    /// What every text with a match contains, case included.
    clauses: Vec<Clause>,
    /// The metavariables that `transform` makes.
    transformed: Vec<String>,
    /// Whether nodes are compared with each other.
    compares: bool,
    has_syntax_error: bool,
}

impl std::fmt::Debug for CompiledRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompiledRule").field("language", &self.language).finish_non_exhaustive()
    }
}

impl CompiledRule {
    /// The language it was compiled for.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Whether a pattern of the rule has a syntax error in this language. The rule may match, but hardly what is meant.
    pub fn has_syntax_error(&self) -> bool {
        self.has_syntax_error
    }

    /// The spans of all matches in order, nested ones included; several nodes with one span are one match. In a tree of
    /// another language, the parts in this one are searched.
    pub fn find(&self, tree: &SyntaxTree) -> Result<Vec<Range<usize>>, Unfinished> {
        let mut spans = Vec::new();
        self.each_match(tree, &mut |found| spans.push(span(found)))?;
        spans.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        spans.dedup();
        Ok(spans)
    }

    /// Whether `text` contains the literals that every text with a match contains. `false` is certain, and needs no tree.
    pub fn may_match(&self, text: &str) -> bool {
        self.clauses.iter().all(|clause| clause.is_in(text))
    }

    /// The text that `template` gives for the match with each of these spans; `None` where there is none.
    pub fn replacements(
        &self,
        tree: &SyntaxTree,
        template: &str,
        spans: &[Range<usize>],
    ) -> Result<Vec<Option<Vec<u8>>>, Unfinished> {
        let template = TemplateFix::with_transform(template, &self.language.ast_grep(), &self.transformed);
        let mut texts = vec![None; spans.len()];
        self.each_match(tree, &mut |found| {
            let here = span(found);
            for (text, _) in
                texts.iter_mut().zip(spans).filter(|(text, span)| text.is_none() && **span == here)
            {
                *text = Some(template.generate_replacement(found));
            }
        })?;
        Ok(texts)
    }

    fn each_match(
        &self,
        tree: &SyntaxTree,
        each: &mut dyn FnMut(&NodeMatch<'_, MeteredDoc>),
    ) -> Result<(), Unfinished> {
        if tree.language() != self.language {
            for part in tree.embedded()?.iter().filter(|part| part.language() == self.language) {
                self.each_match_of(part, each)?;
            }
            return Ok(());
        }
        self.each_match_of(tree, each)
    }

    fn each_match_of(
        &self,
        tree: &SyntaxTree,
        each: &mut dyn FnMut(&NodeMatch<'_, MeteredDoc>),
    ) -> Result<(), Unfinished> {
        if self.compares && tree.depth() > MAX_DEPTH {
            return Err(Unfinished::TooDeep);
        }
        tree.meter.refill();
        let (root, kinds) = (tree.root.root(), self.rule.potential_kinds());
        let mut visit = |node: Node<'_, MeteredDoc>| {
            if kinds.as_ref().is_some_and(|kinds| !kinds.contains(node.kind_id().into())) {
                return;
            }
            let found = self.rule.match_node(node);
            if let Some(found) = found.filter(|found| !tree.meter.is_spent() && !span(found).is_empty()) {
                each(&found);
            }
        };
        let within = self.clauses.iter().filter(|clause| clause.is_within);
        match within.map(|clause| clause.ranges(tree.source())).min_by_key(Vec::len) {
            Some(ranges) => {
                let mut nodes = vec![root];
                while let Some(node) = nodes.pop().filter(|_| !tree.meter.is_spent()) {
                    nodes.extend(node.children().filter(|child| contains_any(&child.range(), &ranges)));
                    visit(node);
                }
            }
            None => root.dfs().for_each(visit),
        }
        match () {
            () if tree.meter.is_stopped() => Err(Unfinished::Stopped),
            () if tree.meter.is_spent() => Err(Unfinished::TooComplex),
            () => Ok(()),
        }
    }
}

/// Whether `range` contains one of `ranges`, of which none contains another, in order.
fn contains_any(range: &Range<usize>, ranges: &[Range<usize>]) -> bool {
    let first = ranges.partition_point(|one| one.start < range.start);
    ranges.get(first).is_some_and(|one| one.end <= range.end)
}

/// The range of a match. A grammar may end a node after the text.
fn span(found: &NodeMatch<'_, MeteredDoc>) -> Range<usize> {
    let (range, end) = (found.range(), found.get_doc().source.len());
    range.start.min(end)..range.end.min(end)
}

/// The tree of a pattern, with its metavariables as the grammar reads them.
fn parsed(pattern: &str, language: Language) -> Result<SyntaxTree, Unfinished> {
    let text = language.ast_grep().pre_process_pattern(pattern).into_owned();
    let never: Stop = std::rc::Rc::new(|| false);
    SyntaxTree::parse(&text, language, &never)
}

/// Calls `each` with every pattern of a rule object.
fn each_pattern(value: &Value, each: &mut dyn FnMut(&str)) {
    match value {
        Value::Object(keys) => {
            for (key, value) in keys {
                match (key.as_str(), value) {
                    ("pattern" | "context", Value::String(pattern)) => each(pattern),
                    _ => each_pattern(value, each),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| each_pattern(value, each)),
        _ => {}
    }
}

/// The names of the metavariables in a pattern or a template.
pub(crate) fn metavariables(text: &str) -> impl Iterator<Item = &str> {
    text.split('$').skip(1).filter_map(|after| {
        let end = after.find(|c: char| !matches!(c, 'A'..='Z' | '0'..='9' | '_')).unwrap_or(after.len());
        let name = &after[..end];
        name.starts_with(|c: char| c.is_ascii_uppercase()).then_some(name)
    })
}

/// An error with its causes, in one line and without final dots.
fn one_line(error: &dyn Error) -> String {
    let mut parts = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        parts.push(error.to_string());
        cause = error.source();
    }
    let parts: Vec<String> =
        parts.iter().map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    parts.iter().map(|part| part.trim_end_matches('.')).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests;
