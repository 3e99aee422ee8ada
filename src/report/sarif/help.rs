//! The help of a rule, which GitHub shows beside each of its results: message, rationale and examples.

use serde_sarif::sarif::MultiformatMessageString;

use crate::briefing::marked_up;
use crate::examples::may_have_comments;
use crate::report::redact::is_secret;
use phaser_core::contract::{Contract, Example};
use phaser_core::sanitize::{cut, printable};

/// Examples of each kind.
const MAX_EXAMPLES: usize = 3;
/// Characters of an example.
const MAX_EXAMPLE: usize = 1_000;
/// Characters of the message and of the rationale.
const MAX_PARAGRAPH: usize = 4_000;

/// The help of a rule, as text and as Markdown.
pub(super) fn help(contract: &Contract) -> MultiformatMessageString {
    let Contract { id, message, rationale, .. } = contract;
    let paragraphs = [Some(message.clone()), rationale.clone(), ignore_hint(contract, '\'')];
    let text: Vec<String> = paragraphs.into_iter().flatten().collect();
    let mut markdown = vec![format!("`{id}`: {}", paragraph(message))];
    markdown.extend(rationale.as_ref().map(|rationale| format!("Why: {}", paragraph(rationale))));
    let examples = &contract.examples;
    // An example of a secret is one.
    let violating = if is_secret(contract) { &[] } else { examples.violating.as_slice() };
    for (title, examples) in [("Violates:", violating), ("Passes:", &examples.passing)] {
        let blocks: Vec<String> = examples.iter().take(MAX_EXAMPLES).map(block).collect();
        if !blocks.is_empty() {
            markdown.push(title.to_owned());
            markdown.extend(blocks);
        }
    }
    markdown.extend(ignore_hint(contract, '`'));
    MultiformatMessageString::builder().text(text.join("\n\n")).markdown(markdown.join("\n\n")).build()
}

/// How to ignore one match; `None` if a directive cannot.
fn ignore_hint(contract: &Contract, quote: char) -> Option<String> {
    let check = &contract.check;
    let has_matches = check.reads_text() && check.passes_unmatched();
    let id = &contract.id;
    (contract.ignorable && has_matches && may_have_comments(contract)).then(|| {
        format!("To ignore one match, put a comment with {quote}phaser:ignore {id}{quote} on its line.")
    })
}

fn paragraph(text: &str) -> String {
    marked_up(&cut(&printable(text), MAX_PARAGRAPH))
}

/// An example as a code block, below its path. An empty file is its path.
fn block(example: &Example) -> String {
    let shown = example.shown().replace('\r', "\\r");
    let text = cut(&shown, MAX_EXAMPLE);
    let path = example.path.as_ref().map(|path| paragraph(&format!("`{path}`")));
    if let (true, Some(path)) = (text.is_empty(), &path) {
        return path.clone();
    }
    let path = path.map(|path| format!("{path}:\n\n"));
    // Longer than any run of backticks in the example.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{}{fence}\n{text}\n{fence}", path.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_core::contract::{LayerKind, Origin, syntax};

    fn markdown(more: &str) -> String {
        let yaml = format!("rule_id: no-x\npattern: x\nfile_glob: '**'\nseverity: error\n{more}");
        let origin = Origin { layer: LayerKind::Project, file: "a.yaml".into() };
        let help = help(&syntax::parse(&yaml, origin).expect("is valid"));
        help.markdown.expect("has Markdown")
    }

    #[test]
    fn help_has_message_rationale_and_examples() {
        let shown = markdown(
            "type: forbid_pattern\nmessage: 'No <b>`x`</b>.'\nrationale: \"# Old\\n- slow\"\nexamples:\n  violating: [\"x\\n\"]\n  passing: [{path: a/b.py, text: \"```\\ny\"}]\n",
        );
        insta::assert_snapshot!(shown, @r"
        `no-x`: No &lt;b&gt;`x`&lt;/b&gt;.

        Why: # Old - slow

        Violates:

        ```
        x
        ```

        Passes:

        `a/b.py`:

        ````
        ```
        y
        ````

        To ignore one match, put a comment with `phaser:ignore no-x` on its line.
        ");
    }

    #[test]
    fn help_shows_both_sides_of_a_change() {
        let shown = markdown(
            "type: keep_pattern\nmessage: m\nexamples: {violating: [{before: x, after: null}], passing: [{before: null, after: z}]}\n",
        );
        assert!(shown.contains("```\nx\n=> (no file)\n```"), "{shown}");
        assert!(shown.contains("```\n(no file)\n=> z\n```"), "{shown}");
    }

    #[test]
    fn help_shows_no_secret() {
        let shown = markdown(
            "type: forbid_pattern\nmessage: m\ntags: [secret]\nexamples: {violating: [xSECRET], passing: [fine]}\n",
        );
        assert!(!shown.contains("xSECRET") && shown.contains("fine"), "{shown}");
    }

    #[test]
    fn help_shows_paths_and_line_ends() {
        let shown = markdown(
            "type: forbid_pattern\nmessage: m\nexamples: {violating: [\"x\\r\\ny\\n\"], passing: [{path: a.env, text: ''}]}\n",
        );
        assert!(shown.contains("```\nx\\r\ny\n```\n\nPasses:\n\n`a.env`\n\nTo ignore"), "{shown}");
    }

    #[test]
    fn help_is_bounded() {
        let long = "y".repeat(MAX_PARAGRAPH * 2);
        let examples = format!("[{}]", vec![format!("'{long}'"); MAX_EXAMPLES * 2].join(", "));
        let shown = markdown(&format!(
            "type: forbid_pattern\nmessage: {long}\nrationale: {long}\nexamples: {{passing: {examples}}}\n"
        ));
        assert!(shown.len() < 2 * MAX_PARAGRAPH + MAX_EXAMPLES * MAX_EXAMPLE + 500, "{}", shown.len());
    }

    #[test]
    fn help_offers_no_directive_that_cannot_work() {
        for more in ["type: forbid_pattern\nignorable: false\n", "type: require_pattern\n"] {
            let shown = markdown(&format!("{more}message: m\n"));
            assert!(!shown.contains("phaser:ignore"), "{shown}");
        }
        let of_files = |glob: &str| {
            let yaml = format!(
                "rule_id: a\ntype: forbid_pattern\npattern: x\nfile_glob: '{glob}'\nmessage: m\nseverity: error\n"
            );
            let origin = Origin { layer: LayerKind::Project, file: "a.yaml".into() };
            help(&syntax::parse(&yaml, origin).expect("is valid")).text
        };
        assert!(!of_files("**/package.json").contains("phaser:ignore"), "JSON has no comments");
        assert!(of_files("**/*.{json,yaml}").contains("phaser:ignore"));
    }
}
