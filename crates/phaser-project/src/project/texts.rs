//! A literal filter over the texts of a tool call: decides which pack contracts are built.

use crate::source::{Content, Targets};
use phaser_core::contract::LiteralFilter;
use phaser_core::matcher::QuickReject;
use phaser_core::text::Text;

/// The texts of targets. May return false positives, never false negatives.
pub struct Texts(Vec<QuickReject>);

impl Texts {
    /// A filter over all targets; `None` if a text is not in memory, too long, or not ASCII-foldable.
    pub fn of(targets: &Targets) -> Option<Self> {
        let all = targets.targets.iter().map(|target| match (&target.content, &target.whole) {
            (Content::Bytes(bytes), None) if QuickReject::takes(bytes) => {
                QuickReject::of_text(&Text::new(bytes.as_slice())?)
            }
            _ => None,
        });
        Some(Self(all.collect::<Option<_>>()?))
    }
}

impl LiteralFilter for Texts {
    fn may_contain(&self, text: &[u8]) -> bool {
        self.0.iter().any(|one| one.may_contain(text))
    }

    fn may_contain_run(&self, set: [u64; 4], count: usize) -> bool {
        self.0.iter().any(|one| one.may_contain_run(set, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contracts::layers::{self, Layer, Loaded, Loading};
    use crate::packs::PACKS;
    use crate::path::RelPath;
    use crate::source::Target;
    use phaser_core::matcher;

    fn packs() -> Vec<Layer> {
        PACKS.iter().map(Layer::of_pack).collect()
    }

    /// The contracts that are built for a text.
    fn read_for(text: &str) -> Loaded {
        let target = Target::new(RelPath::from("a"), Content::Bytes(text.into()));
        let texts = Texts::of(&Targets { targets: vec![target], ..Targets::none() });
        let mut layers = layers::load_lazily(packs(), Loading::to_enforce(matcher::broken));
        assert!(layers.contracts.is_empty() && layers.has_lazy_packs());
        layers.load_packs(texts.as_ref().map(|texts| texts as _));
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
    fn decodes_all_contracts_without_text() {
        let content = Content::File("a".into());
        let targets = vec![Target::new(RelPath::from("a"), content)];
        assert!(Texts::of(&Targets { targets, ..Targets::none() }).is_none());
    }
}
