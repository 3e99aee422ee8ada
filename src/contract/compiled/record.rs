//! A contract as bytes: the values of its keys, in the order of the table of keys and in the shapes that it says.
//! Examples are left out.
//!
//! A contract is put together from a record as from a file, so that none is ever made that a file could not make.

use std::io;

use serde::{Deserialize, Serialize};

use super::super::keys::{Builder, KEYS, Placed, Shape, Value};
use super::super::{Check, Contract, Form, Needs, Origin};
use super::wire;

/// What stands before the values.
#[derive(Debug, Serialize, Deserialize)]
struct Head<'a> {
    is_nested: bool,
    #[serde(borrow)]
    needs: Option<StoredNeeds<'a>>,
}

/// [`Needs`].
#[derive(Debug, Serialize, Deserialize)]
struct StoredNeeds<'a> {
    #[serde(borrow)]
    texts: Vec<&'a [u8]>,
    run: Option<([u64; 4], usize)>,
}

/// The record of a contract.
pub fn encode(contract: &Contract) -> io::Result<Vec<u8>> {
    let needs = contract.check.pattern().and_then(|pattern| pattern.needs.as_ref());
    let needs = needs.map(|Needs { texts, run }| StoredNeeds {
        texts: texts.iter().map(|text| &**text).collect(),
        run: *run,
    });
    let mut bytes = wire::encode(&Head { is_nested: contract.form == Form::Nested, needs })?;
    for key in &KEYS {
        bytes.extend(match key.shape {
            Shape::Text { get, .. } | Shape::TextOrList { get, .. } => {
                let placed = get(contract);
                wire::encode(&placed.as_ref().map(|Placed { text, line }| (&**text, *line)))?
            }
            Shape::Flag { get, .. } => wire::encode(&get(contract))?,
            Shape::Words { get, .. } => wire::encode(&get(contract))?,
            Shape::Examples => Vec::new(),
        });
    }
    Ok(bytes)
}

/// The contract of a record; one that is none gives the origin back.
pub fn decode(bytes: &[u8], origin: Origin) -> Result<Contract, Origin> {
    let Some((Head { is_nested, needs }, rest)) = wire::take(bytes) else { return Err(origin) };
    let form = if is_nested { Form::Nested } else { Form::Flat };
    let mut builder = Builder::new(origin, form, 1);
    // A record that breaks off lacks something, and so is no contract.
    let is_whole = fill(&mut builder, rest).is_some();
    let mut contract = builder.into_contract()?;
    if !is_whole {
        return Err(contract.origin);
    }
    if let Check::Forbid(pattern) = &mut contract.check {
        pattern.needs = needs.map(|StoredNeeds { texts, run }| Needs {
            texts: texts.into_iter().map(Box::from).collect(),
            run,
        });
    }
    Ok(contract)
}

/// Sets the values of all keys; there must be nothing after them.
fn fill(builder: &mut Builder, mut rest: &[u8]) -> Option<()> {
    for key in &KEYS {
        let value = match key.shape {
            Shape::Text { .. } | Shape::TextOrList { .. } => {
                let text: Option<(&str, usize)> = take(&mut rest)?;
                text.map(|(text, line)| Value::Text(Placed::new(text, line)))
            }
            Shape::Flag { .. } => Some(Value::Flag(take(&mut rest)?)),
            Shape::Words { .. } => {
                let words: Vec<&str> = take(&mut rest)?;
                let words: Vec<_> = words.into_iter().map(|word| Placed::new(word, 1)).collect();
                (!words.is_empty()).then_some(Value::List(words))
            }
            Shape::Examples => None,
        };
        if let Some(value) = value {
            builder.set(key, value);
        }
    }
    rest.is_empty().then_some(())
}

/// The value at the start of the rest, which is shorter then.
fn take<'a, T: Deserialize<'a>>(rest: &mut &'a [u8]) -> Option<T> {
    let (value, after) = wire::take(rest)?;
    *rest = after;
    Some(value)
}
