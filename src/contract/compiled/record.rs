//! A contract as bytes: the values of its keys, in the order of the table of keys and in the shapes that it says.
//! Examples are left out.
//!
//! A contract is put together from a record as from a file, so that none is ever made that a file could not make.

use super::super::keys::{Builder, KEYS, Placed, Shape, Value};
use super::super::{Check, Contract, Form, Needs, Origin};
use crate::wire::{Bytes, put_bytes, put_list, put_long, put_number};

/// Stands for a flag that goes without saying.
const UNSAID: u8 = 2;

/// The record of a contract.
pub fn encode(contract: &Contract) -> Vec<u8> {
    let mut out = vec![u8::from(contract.form == Form::Nested)];
    for key in &KEYS {
        match key.shape {
            Shape::Text { get, .. } | Shape::TextOrList { get, .. } => match get(contract) {
                None => put_number(&mut out, 0),
                Some(Placed { text, line }) => {
                    put_number(&mut out, line);
                    put_bytes(&mut out, text.as_bytes());
                }
            },
            Shape::Flag { get, .. } => out.push(get(contract).map_or(UNSAID, u8::from)),
            Shape::Words { get, .. } => {
                put_list(&mut out, get(contract), |out, word| put_bytes(out, word.as_bytes()));
            }
            Shape::Choices { get, .. } => {
                put_list(&mut out, &get(contract), |out, word| put_bytes(out, word.as_bytes()));
            }
            Shape::Examples => {}
        }
    }
    let needs = contract.check.pattern().and_then(|pattern| pattern.needs.as_deref());
    put_list(&mut out, needs.as_slice(), |out, needs| put_needs(out, needs));
    out
}

/// The contract of a record; one that is none gives the origin back.
pub fn decode(bytes: &[u8], origin: Origin) -> Result<Contract, Origin> {
    let mut bytes = Bytes(bytes);
    let form = match bytes.byte() {
        Some(0) => Form::Flat,
        Some(1) => Form::Nested,
        _ => return Err(origin),
    };
    let mut builder = Builder::of_valid(origin, form);
    let needs = fill(&mut builder, &mut bytes).and_then(|()| bytes.list(take_needs));
    let mut contract = builder.into_contract()?;
    let Some(mut needs) = needs.filter(|_| bytes.0.is_empty()) else { return Err(contract.origin) };
    if let Check::Forbid(pattern) = &mut contract.check {
        pattern.needs = needs.pop().map(Box::new);
    }
    Ok(contract)
}

/// Sets the values of all keys.
fn fill(builder: &mut Builder, bytes: &mut Bytes<'_>) -> Option<()> {
    for (at, key) in KEYS.iter().enumerate() {
        match key.shape {
            Shape::Text { .. } | Shape::TextOrList { .. } => {
                let line = bytes.number()?;
                if line > 0 {
                    builder.set(at, Value::Text(Placed::new(bytes.text()?, line)));
                }
            }
            Shape::Flag { .. } => match bytes.byte()? {
                UNSAID => {}
                flag => builder.set(at, Value::Flag(flag != 0)),
            },
            Shape::Words { .. } | Shape::Choices { .. } => {
                let words = bytes.list(|bytes| Some(Placed::new(bytes.text()?, 1)))?;
                if !words.is_empty() {
                    builder.set(at, Value::List(words));
                }
            }
            Shape::Examples => {}
        }
    }
    Some(())
}

fn put_needs(out: &mut Vec<u8>, Needs { texts, run }: &Needs) {
    put_list(out, texts, |out, text| put_bytes(out, text));
    put_number(out, run.map_or(0, |(_, count)| count));
    if let Some((set, _)) = run {
        set.iter().for_each(|bits| put_long(out, *bits));
    }
}

fn take_needs(bytes: &mut Bytes<'_>) -> Option<Needs> {
    let texts = bytes.list(|bytes| bytes.bytes().map(Box::from))?;
    let run = match bytes.number()? {
        0 => None,
        count => {
            let mut set = [0; 4];
            for bits in &mut set {
                *bits = bytes.long()?;
            }
            Some((set, count))
        }
    };
    Some(Needs { texts, run })
}
