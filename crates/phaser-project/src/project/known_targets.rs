//! What a tool call shows of its targets before contracts are built: texts and file names. Decides which contracts of packs
//! are built.

use crate::contracts::layers::TargetFilter;
use crate::source::{Content, Source, Targets};
use crate::tool_call::Rewrite;
use phaser_core::contract::LiteralFilter;
use phaser_core::file_kind::FileKinds;
use phaser_core::matcher::QuickReject;
use phaser_core::text::Text;

/// A filter over targets. May return false positives, never false negatives.
pub struct KnownTargets {
    /// `None` if a text is not in memory, too long, or not ASCII-foldable.
    texts: Option<Vec<QuickReject>>,
    /// `None` if the call may change other files than its targets.
    names: Option<Vec<Vec<u8>>>,
    /// The kinds of each path of the targets; `None` if the call may change other files than its targets.
    kinds: Option<Vec<FileKinds>>,
}

impl KnownTargets {
    pub fn of(source: &Source, targets: &Targets) -> Self {
        let texts = targets.targets.iter().map(|target| match (&target.content, &target.whole) {
            (Content::Bytes(bytes), None) if QuickReject::takes(bytes) => {
                QuickReject::of_text(&Text::new(bytes.as_slice())?)
            }
            _ => None,
        });
        let names = names(source, targets);
        let kinds = names.is_some().then(|| kinds(source, targets)).flatten();
        Self { texts: texts.collect(), names, kinds }
    }
}

/// The kinds that the paths of targets show, with those that links lead to. A changed file that is no target has a path
/// from the root of the file system, whose directories say nothing about the project.
fn kinds(source: &Source, targets: &Targets) -> Option<Vec<FileKinds>> {
    let Source::Changes(call) = source else { return None };
    let paths = targets.targets.iter().flat_map(|target| std::iter::once(&target.path).chain(&target.alias));
    (targets.targets.len() >= call.changes.len())
        .then(|| paths.map(|path| FileKinds::of_path(path.as_bytes())).collect())
}

/// The file names of a call that rewrites files in place, with those that links lead to.
fn names(source: &Source, targets: &Targets) -> Option<Vec<Vec<u8>>> {
    let Source::Changes(call) = source else { return None };
    let is_in_place =
        |rewrite: &Rewrite| matches!(rewrite, Rewrite::Whole(_) | Rewrite::Edits { .. } | Rewrite::Cell(_));
    if !call.changes.iter().all(|change| is_in_place(&change.rewrite)) {
        return None;
    }
    let named = call.changes.iter().map(|change| change.path.as_bytes());
    let listed = targets.targets.iter().flat_map(|target| std::iter::once(&target.path).chain(&target.alias));
    let paths = named.chain(listed.map(|path| path.as_bytes()));
    Some(
        paths
            .map(|path| path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default().to_vec())
            .collect(),
    )
}

/// No file at all.
pub struct NoTargets;

impl LiteralFilter for NoTargets {
    fn may_contain(&self, _: &[u8]) -> bool {
        false
    }

    fn may_contain_run(&self, _: [u64; 4], _: usize) -> bool {
        false
    }
}

impl TargetFilter for NoTargets {
    fn may_have_name(&self, _: &dyn Fn(&[u8]) -> bool) -> bool {
        false
    }

    fn may_be_outside(&self, kinds: FileKinds) -> bool {
        // A contract about commands has no file.
        kinds.is_empty()
    }
}

impl LiteralFilter for KnownTargets {
    fn may_contain(&self, text: &[u8]) -> bool {
        self.texts.as_ref().is_none_or(|texts| texts.iter().any(|one| one.may_contain(text)))
    }

    fn may_contain_run(&self, set: [u64; 4], count: usize) -> bool {
        self.texts.as_ref().is_none_or(|texts| texts.iter().any(|one| one.may_contain_run(set, count)))
    }
}

impl TargetFilter for KnownTargets {
    fn may_have_name(&self, fits: &dyn Fn(&[u8]) -> bool) -> bool {
        self.names.as_ref().is_none_or(|names| names.iter().any(|name| fits(name)))
    }

    fn may_be_outside(&self, kinds: FileKinds) -> bool {
        let is_outside = |of_path: &FileKinds| !of_path.intersects(kinds);
        kinds.is_empty() || self.kinds.as_ref().is_none_or(|known| known.iter().any(is_outside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contracts::layers::{self, Layer, Loaded, Loading};
    use crate::packs::PACKS;
    use crate::path::RelPath;
    use crate::source::Target;
    use crate::tool_call::{Call, FileChange, Moment};
    use phaser_core::contract::Contract;
    use phaser_core::matcher;

    fn packs() -> Vec<Layer> {
        PACKS.iter().map(Layer::of_pack).collect()
    }

    /// The contracts that are built for a call that writes `text` to `path`.
    fn read_for_file(path: &str, text: &str) -> Loaded {
        let rewrite = Rewrite::Whole(text.to_owned());
        let changes = vec![FileChange { path: path.to_owned(), rewrite, original: None }];
        let call = Call { moment: Moment::Before, cwd: "/".into(), changes, skipped: Vec::new() };
        let targets = vec![Target::new(RelPath::from(path), Content::Bytes(text.into()))];
        let known = KnownTargets::of(&Source::Changes(call), &Targets { targets, ..Targets::none() });
        read(&known)
    }

    /// The contracts that are built for a text of any file.
    fn read_for(text: &str) -> Loaded {
        let targets = vec![Target::new(RelPath::from("a"), Content::Bytes(text.into()))];
        read(&KnownTargets::of(&Source::Nothing, &Targets { targets, ..Targets::none() }))
    }

    fn read(known: &KnownTargets) -> Loaded {
        let mut layers = layers::load_lazily(packs(), Loading::to_enforce(matcher::broken));
        assert!(layers.contracts.is_empty() && layers.has_lazy_packs());
        layers.load_packs(Some(known));
        layers
    }

    #[test]
    fn decodes_every_contract_that_matches() {
        let all = layers::load(&packs(), Loading::whole(matcher::broken));
        let mut examples = 0;
        for contract in &all.contracts {
            for example in &contract.examples.violating {
                let read = read_for(&example.text);
                assert!(read.contracts.iter().any(|one| one.id == contract.id), "{}", contract.id);
                examples += 1;
            }
        }
        assert!(examples > all.contracts.len());
    }

    #[test]
    fn decodes_few_contracts_for_plain_text() {
        let all = layers::load(&packs(), Loading::to_enforce(matcher::broken)).contracts.len();
        let few = read_for("int main(void)\n{\n\treturn 0;\n}\n").contracts.len();
        assert!((1..all / 4).contains(&few), "{few} of {all}");
        assert_eq!(read_for("a\u{212A}b").contracts.len(), all, "it folds");
        assert_eq!(read_for(&"a ".repeat(200_000)).contracts.len(), all, "it is too long");
        assert_eq!(read_for("a\0b").contracts.len(), all, "it is no text");
    }

    #[test]
    fn decodes_every_contract_that_applies() {
        let all = layers::load(&packs(), Loading::whole(matcher::broken));
        let paths =
            ["a.py", "src/a.rs", "package.json", "db/migrate/1_a.rb", "a/LICENSE", "x.test.ts", ".env"];
        for path in paths {
            let read = read_for_file(path, "");
            let text_free = |contract: &&Contract| {
                contract.check.prefilter().is_none_or(|_| contract.check.compares_change())
            };
            for contract in all.contracts.iter().filter(text_free) {
                let is_built = read.contracts.iter().any(|one| one.id == contract.id);
                let applies = contract.applies_to(&RelPath::from(path), None);
                assert!(is_built || !applies, "{}: {path}", contract.id);
            }
        }
    }

    #[test]
    fn name_of_file_leaves_out_contracts() {
        let count = |path| read_for_file(path, "x").contracts.len();
        let everything = read_for("x").contracts.len();
        assert!(count("a.py") < everything && count("a.unknown") < count("a.py"), "{everything}");
    }

    #[test]
    fn decodes_all_contracts_without_text() {
        let content = Content::File("a".into());
        let targets = Targets { targets: vec![Target::new(RelPath::from("a"), content)], ..Targets::none() };
        let all = layers::load(&packs(), Loading::to_enforce(matcher::broken)).contracts.len();
        assert_eq!(read(&KnownTargets::of(&Source::Nothing, &targets)).contracts.len(), all);
    }
}
