//! Encodes a contract: a head with what its violations require of a target, then the values of its keys in table order,
//! without examples.
//!
//! The head holds the required literals of the pattern or the code, the excluded kinds of files, the condition on file
//! names, and whether the contract needs syntax trees. A hook reads the heads of all records, and decodes only the
//! contracts whose head its target meets.
//!
//! Decoding builds the contract with the same builder as parsing, so a record cannot make a contract that a file
//! could not.

use crate::codec::Decoder;
#[cfg(test)]
use crate::codec::{put_bytes, put_list, put_long, put_number};
use crate::contracts::layers::TargetFilter;
#[cfg(test)]
use phaser_core::check::CheckInput;
use phaser_core::contract::keys::{ContractBuilder, KEYS, LocatedText, Value, ValueShape};
use phaser_core::contract::{Contract, ContractSchema, Origin, RequiredLiterals};
use phaser_core::file_kind::FileKinds;
#[cfg(test)]
use phaser_glob::NamePattern;

/// The encoding of an absent value.
const UNSAID: u8 = 2;

/// The encodings of the two forms of a text or object.
const TEXT: u8 = 0;
const OBJECT: u8 = 1;

/// The encodings of a condition on file names.
const ANY_NAME: u8 = 0;
const NAME: u8 = 1;
#[cfg(test)]
const EXTENSIONS: u8 = 2;

/// Encodes a contract. Tables are written by a test.
#[cfg(test)]
pub fn encode(contract: &Contract) -> Vec<u8> {
    let (mut head, mut out) = (Vec::new(), Vec::new());
    let literals = contract.check.prefilter().and_then(|pattern| pattern.literals.as_deref());
    put_list(&mut head, literals.as_slice(), |out, literals| put_literals(out, literals));
    head.push(if is_about_file(contract) { contract.kinds.exclude.bits() } else { 0 });
    put_names(&mut head, contract);
    head.push(u8::from(contract.check.code().is_some() || contract.check.reads_commands()));
    put_bytes(&mut out, &head);
    out.push(u8::from(contract.schema == ContractSchema::V1_2));
    for key in &KEYS {
        match key.shape {
            ValueShape::Text { get, .. } | ValueShape::TextOrList { get, .. } => match get(contract) {
                None => put_number(&mut out, 0),
                Some(LocatedText { text, line }) => {
                    put_number(&mut out, line);
                    put_bytes(&mut out, text.as_bytes());
                }
            },
            ValueShape::Number { get, .. } => match get(contract) {
                None => put_number(&mut out, 0),
                Some(number) => {
                    put_number(&mut out, 1);
                    put_bytes(&mut out, number.to_string().as_bytes());
                }
            },
            ValueShape::TextOrObject { get, .. } => {
                let (kind, located) = match get(contract) {
                    Some(Value::Text(located)) => (TEXT, Some(located)),
                    Some(Value::Object(located)) => (OBJECT, Some(located)),
                    _ => (UNSAID, None),
                };
                out.push(kind);
                if let Some(LocatedText { text, line }) = located {
                    put_number(&mut out, line);
                    put_bytes(&mut out, text.as_bytes());
                }
            }
            ValueShape::Flag { get, .. } => out.push(get(contract).map_or(UNSAID, u8::from)),
            ValueShape::Words { get, .. } | ValueShape::Texts { get, .. } => {
                put_list(&mut out, get(contract), |out, word| put_bytes(out, word.as_bytes()));
            }
            ValueShape::Choices { get, .. } => {
                put_list(&mut out, &get(contract), |out, word| put_bytes(out, word.as_bytes()));
            }
            ValueShape::Scalars { get, .. } => {
                put_list(&mut out, &get(contract), |out, literal| put_bytes(out, literal.as_bytes()));
            }
            ValueShape::Examples => {}
        }
    }
    out
}

/// Whether `targets` may violate the record's contract. Decodes only the head.
pub fn may_match(record: &[u8], targets: &dyn TargetFilter) -> bool {
    let is_met = || {
        let mut head = Decoder(Decoder(record).bytes()?);
        Some(
            has_literals(&mut head, targets)?
                && targets.may_be_outside(FileKinds::from_bits(head.byte()?))
                && has_name(&mut head, targets)?,
        )
    };
    is_met().unwrap_or(true)
}

/// Whether a build without the feature `syntax` cannot judge the record's contract.
pub fn needs_syntax(record: &[u8]) -> bool {
    let head = || Decoder(record).bytes()?.last().copied();
    head().is_some_and(|byte| byte != 0)
}

/// Whether the required literals occur, if there are any. Does not build them.
fn has_literals(head: &mut Decoder<'_>, targets: &dyn TargetFilter) -> Option<bool> {
    if head.number()? == 0 {
        return Some(true);
    }
    let count = head.number()?;
    let mut is_held = count == 0;
    for _ in 0..count {
        let text = head.bytes()?;
        is_held = is_held || targets.may_contain(text);
    }
    Some(is_held && take_run(head)?.is_none_or(|(set, count)| targets.may_contain_run(set, count)))
}

/// Whether a target meets the condition on file names.
fn has_name(head: &mut Decoder<'_>, targets: &dyn TargetFilter) -> Option<bool> {
    let kind = head.byte()?;
    let texts = head.list(|head| head.bytes())?;
    let fits = |name: &[u8]| match kind {
        NAME => texts.contains(&name),
        _ => memchr::memrchr(b'.', name).is_some_and(|dot| texts.contains(&&name[dot + 1..])),
    };
    Some(kind == ANY_NAME || targets.may_have_name(&fits))
}

/// Decodes a contract; returns the origin if the record is malformed.
pub fn decode(bytes: &[u8], origin: Origin) -> Result<Contract, Origin> {
    let mut bytes = Decoder(bytes);
    let literals = bytes.bytes().and_then(|head| Decoder(head).list(take_literals));
    let form = match bytes.byte() {
        Some(0) => ContractSchema::Flat,
        Some(1) => ContractSchema::V1_2,
        _ => return Err(origin),
    };
    let mut builder = ContractBuilder::of_valid(origin, form);
    let is_filled = fill(&mut builder, &mut bytes).is_some() && bytes.0.is_empty();
    let mut contract = builder.into_contract()?;
    let Some(mut literals) = literals.filter(|_| is_filled) else { return Err(contract.origin) };
    if let Some(pattern) = contract.check.stored_prefilter() {
        pattern.literals = literals.pop().map(Box::new);
    }
    Ok(contract)
}

/// Decodes the values of all keys.
fn fill(builder: &mut ContractBuilder, bytes: &mut Decoder<'_>) -> Option<()> {
    for (at, key) in KEYS.iter().enumerate() {
        match key.shape {
            ValueShape::Text { .. } | ValueShape::Number { .. } | ValueShape::TextOrList { .. } => {
                let line = bytes.number()?;
                if line > 0 {
                    builder.set(at, Value::Text(LocatedText::new(bytes.text()?, line)));
                }
            }
            ValueShape::TextOrObject { .. } => {
                let make = match bytes.byte()? {
                    TEXT => Value::Text,
                    OBJECT => Value::Object,
                    _ => continue,
                };
                let line = bytes.number()?;
                builder.set(at, make(LocatedText::new(bytes.text()?, line)));
            }
            ValueShape::Flag { .. } => match bytes.byte()? {
                UNSAID => {}
                flag => builder.set(at, Value::Flag(flag != 0)),
            },
            ValueShape::Words { .. } | ValueShape::Texts { .. } | ValueShape::Choices { .. } => {
                let words = bytes.list(|bytes| Some(LocatedText::new(bytes.text()?, 1)))?;
                if !words.is_empty() {
                    builder.set(at, Value::List(words));
                }
            }
            ValueShape::Scalars { .. } => {
                let literals = bytes.list(|bytes| Some(LocatedText::new(bytes.text()?, 1)))?;
                if !literals.is_empty() {
                    builder.set(at, Value::Scalars(literals));
                }
            }
            ValueShape::Examples => {}
        }
    }
    Some(())
}

/// Whether only the content or the change of one file can violate a contract.
#[cfg(test)]
fn is_about_file(contract: &Contract) -> bool {
    match contract.check.input() {
        CheckInput::Path | CheckInput::Text | CheckInput::Size | CheckInput::Data | CheckInput::Change => {
            !contract.check.is_about_project()
        }
        CheckInput::Message | CheckInput::Companion | CheckInput::Command => false,
    }
}

/// Encodes the condition on the names of files that violate a contract, if only one file can.
#[cfg(test)]
fn put_names(out: &mut Vec<u8>, contract: &Contract) {
    let is_about_file = is_about_file(contract);
    let (kind, texts) = match contract.glob.names() {
        NamePattern::Name(name) if is_about_file => (NAME, vec![name]),
        NamePattern::Extensions(extensions) if is_about_file => (EXTENSIONS, extensions),
        _ => (ANY_NAME, Vec::new()),
    };
    out.push(kind);
    put_list(out, &texts, |out, text| put_bytes(out, text.as_bytes()));
}

#[cfg(test)]
fn put_literals(out: &mut Vec<u8>, RequiredLiterals { texts, run }: &RequiredLiterals) {
    put_list(out, texts, |out, text| put_bytes(out, text));
    put_number(out, run.map_or(0, |(_, count)| count));
    if let Some((set, _)) = run {
        set.iter().for_each(|bits| put_long(out, *bits));
    }
}

fn take_literals(bytes: &mut Decoder<'_>) -> Option<RequiredLiterals> {
    let texts = bytes.list(|bytes| bytes.bytes().map(Box::from))?;
    Some(RequiredLiterals { texts, run: take_run(bytes)? })
}

/// Decodes an optional run; the outer `None` is malformed input.
#[expect(clippy::option_option, reason = "what is cut off passes through every step")]
fn take_run(bytes: &mut Decoder<'_>) -> Option<Option<([u64; 4], usize)>> {
    let count = bytes.number()?;
    if count == 0 {
        return Some(None);
    }
    let mut set = [0; 4];
    for bits in &mut set {
        *bits = bytes.long()?;
    }
    Some(Some((set, count)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use phaser_core::contract::{Examples, LayerKind, syntax};

    const YAML: &str = "rule_id: no-todo\ntype: forbid_pattern\npattern: TODO\nfile_glob: '**'\n\
        message: m\nrationale: r\nseverity: error\ntags: [a, b]\n";

    fn origin() -> Origin {
        Origin { layer: LayerKind::Pack, file: "a.yaml".into() }
    }

    fn contract(yaml: &str) -> Contract {
        let mut contract = syntax::parse(yaml, origin()).expect("a contract");
        if let Some(pattern) = contract.check.stored_prefilter() {
            let literals =
                RequiredLiterals { texts: vec![Box::from(*b"todo")], run: Some(([1, 2, 3, 4], 16)) };
            pattern.literals = Some(Box::new(literals));
        }
        contract
    }

    #[test]
    fn decodes_encoded_contract_without_examples() {
        let nested = "version: 1\nrule:\n  id: a\n  type: require_pattern\n  pattern: x\n  file_glob: a/*.rs\n  \
            message: m\nenabled: no\nexamples:\n  violating: [y]\n";
        let kinds = ["file_exists", "file_not_exists"]
            .map(|kind| format!("rule_id: a\ntype: {kind}\nfile_glob: X\nmessage: m\nseverity: warning\n"));
        let value = "rule_id: a\ntype: forbid_value\npath: $.a['b']\nequals: [1, '1', true, null]\nfile_glob: X\nmessage: m\n\
            severity: error\n";
        let of_kinds =
            YAML.replace("severity", "file_kind: tests\nexclude_kind: [vendored, recorded]\nseverity");
        let code = "rule_id: a\ntype: forbid_code\ncode: todo!()\nfile_glob: '**/*.rs'\nmessage: m\nseverity: error\n";
        let mut yamls = vec![nested, YAML, &of_kinds, &kinds[0], &kinds[1], value];
        yamls.extend(cfg!(feature = "syntax").then_some(code));
        for yaml in yamls {
            let contract = contract(yaml);
            let record = encode(&contract);
            assert_eq!(needs_syntax(&record), yaml == code);
            let expected = Contract { examples: Examples::default(), ..contract };
            assert_eq!(decode(&record, origin()), Ok(expected));
            for length in 0..record.len() {
                assert_eq!(decode(&record[..length], origin()), Err(origin()), "{length}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn decoding_never_panics(
            random in prop::collection::vec(any::<u8>(), 0..200),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        ) {
            let mut record = encode(&contract(YAML));
            for (at, byte) in changes {
                *at.get_mut(&mut record) = byte;
            }
            record.extend(&random);
            for bytes in [&record, &random] {
                let _ = decode(bytes, origin());
            }
        }
    }
}
