//! A contract as bytes: the values of its keys, in the order of the table of keys. Examples are left out.
//!
//! A contract is put together from a record as from a file, so that none is ever made that a file could not make.

use std::io;

use serde::{Deserialize, Serialize};

use super::super::keys::{Builder, KEYS, Placed, Value};
use super::super::{Check, Contract, Form, Needs, Origin};
use super::wire;

/// The value of a key.
#[derive(Debug, Serialize, Deserialize)]
enum Stored<'a> {
    Nothing,
    Text(&'a str, usize),
    Flag(bool),
    #[serde(borrow)]
    Words(Vec<&'a str>),
}

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
        let value = key.value_of(contract);
        bytes.extend(wire::encode(&match &value {
            None | Some(Value::Examples(_)) => Stored::Nothing,
            Some(Value::Text(Placed { text, line })) => Stored::Text(text, *line),
            Some(Value::Flag(flag)) => Stored::Flag(*flag),
            Some(Value::List(list)) => Stored::Words(list.iter().map(|word| &*word.text).collect()),
        })?);
    }
    Ok(bytes)
}

/// The contract of a record, if it is one.
pub fn decode(bytes: &[u8], origin: Origin) -> Option<Contract> {
    let (Head { is_nested, needs }, mut rest) = wire::take(bytes)?;
    let form = if is_nested { Form::Nested } else { Form::Flat };
    let mut builder = Builder::new(origin, form, 1);
    for key in &KEYS {
        let (stored, after) = wire::take(rest)?;
        rest = after;
        match stored {
            Stored::Nothing => {}
            Stored::Text(text, line) => builder.set(key, Value::Text(Placed::new(text, line))),
            Stored::Flag(flag) => builder.set(key, Value::Flag(flag)),
            Stored::Words(words) => {
                let words = words.into_iter().map(|word| Placed::new(word, 1));
                builder.set(key, Value::List(words.collect()));
            }
        }
    }
    let mut contract = builder.finish().contract.filter(|_| rest.is_empty())?;
    if let Check::Forbid(pattern) = &mut contract.check {
        pattern.needs = needs.map(|StoredNeeds { texts, run }| Needs {
            texts: texts.into_iter().map(Box::from).collect(),
            run,
        });
    }
    Some(contract)
}
