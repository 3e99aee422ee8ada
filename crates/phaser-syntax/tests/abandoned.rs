//! Texts and patterns on which the parser crashed in an earlier run.

use std::hash::{DefaultHasher, Hasher as _};
use std::rc::Rc;

use phaser_rerun::{Rerun, allow};
use phaser_syntax::{CodeRule, Language, RuleError, Stop, SyntaxTree, Unfinished};

#[test]
fn skips_only_what_crashed() {
    let digest = |text: &str| {
        let mut hasher = DefaultHasher::new();
        hasher.write(text.as_bytes());
        hasher.write_usize(Language::PYTHON.index());
        format!("{:016x}", hasher.finish())
    };
    let variable = format!("{},{}", digest("eval(x)\n"), digest("eval(y)"));
    allow(Some(&variable), Rerun::default());
    let never: Stop = Rc::new(|| false);
    let parse = |text: &str, language| SyntaxTree::parse(text, language, &never).map(|_| ());
    assert_eq!(parse("eval(x)\n", Language::PYTHON), Err(Unfinished::Crashed));
    assert_eq!(parse("eval(x)\n", Language::BASH), Ok(()), "another grammar");
    assert_eq!(parse("eval(z)\n", Language::PYTHON), Ok(()), "another text");
    let compile =
        |pattern: &str| CodeRule::pattern(pattern).expect("is valid").compile(Language::PYTHON).map(|_| ());
    assert_eq!(compile("eval(y)"), Err(RuleError::NotParsed(Unfinished::Crashed)));
    assert_eq!(compile("eval(z)"), Ok(()));
}
