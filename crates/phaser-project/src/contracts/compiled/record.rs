//! A contract as bytes: what its pattern needs, then the values of its keys, in the order of the table of keys and in the
//! shapes that it says. Examples are left out.
//!
//! A contract is put together from a record as from a file, so that none is ever made that a file could not make.

use std::cell::Cell;

use crate::codec::{Bytes, put_bytes, put_list, put_long, put_number};
use phaser_core::contract::keys::{Builder, KEYS, Placed, Shape, Value};
use phaser_core::contract::{Check, Contract, Form, MayHold, Needs, Origin};

/// Stands for a flag that goes without saying.
const UNSAID: u8 = 2;

/// The record of a contract.
pub fn encode(contract: &Contract) -> Vec<u8> {
    let (mut needed, mut out) = (Vec::new(), Vec::new());
    let needs = contract.check.pattern().and_then(|pattern| pattern.needs.as_deref());
    put_list(&mut needed, needs.as_slice(), |out, needs| put_needs(out, needs));
    put_bytes(&mut out, &needed);
    out.push(u8::from(contract.form == Form::Nested));
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
    out
}

/// Tells records apart by whether their contracts can matter to some texts.
pub struct Sieve<'t> {
    texts: &'t dyn MayHold,
    has_kept: Cell<bool>,
}

impl<'t> Sieve<'t> {
    /// For these texts.
    pub fn new(texts: &'t dyn MayHold) -> Self {
        Self { texts, has_kept: Cell::new(false) }
    }

    /// Is the contract of a record to be made? The first one is, so that there is one.
    pub fn keeps(&self, record: &[u8]) -> bool {
        let are_met = || are_met(&mut Bytes(Bytes(record).bytes()?), self.texts);
        !self.has_kept.replace(true) || are_met().unwrap_or(true)
    }
}

/// The id of the contract of a record: the first of its keys.
pub fn id(record: &[u8]) -> Option<&[u8]> {
    let mut bytes = Bytes(record);
    let (_needs, _form, _line) = (bytes.bytes()?, bytes.byte()?, bytes.number()?);
    bytes.bytes()
}

/// Are the needs of a pattern met, if there are any? Nothing is made of them for that.
fn are_met(bytes: &mut Bytes<'_>, texts: &dyn MayHold) -> Option<bool> {
    if bytes.number()? == 0 {
        return None;
    }
    let count = bytes.number()?;
    let mut is_held = count == 0;
    for _ in 0..count {
        let text = bytes.bytes()?;
        is_held = is_held || texts.may_hold(text);
    }
    Some(is_held && take_run(bytes)?.is_none_or(|(set, count)| texts.may_hold_run(set, count)))
}

/// The contract of a record; one that is none gives the origin back.
pub fn decode(bytes: &[u8], origin: Origin) -> Result<Contract, Origin> {
    let mut bytes = Bytes(bytes);
    let needs = bytes.bytes().and_then(|needs| Bytes(needs).list(take_needs));
    let form = match bytes.byte() {
        Some(0) => Form::Flat,
        Some(1) => Form::Nested,
        _ => return Err(origin),
    };
    let mut builder = Builder::of_valid(origin, form);
    let is_filled = fill(&mut builder, &mut bytes).is_some() && bytes.0.is_empty();
    let mut contract = builder.into_contract()?;
    let Some(mut needs) = needs.filter(|_| is_filled) else { return Err(contract.origin) };
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
    Some(Needs { texts, run: take_run(bytes)? })
}

/// A run, if there is one; the outer `None` is the end of the bytes.
#[expect(clippy::option_option, reason = "what is cut off passes through every step")]
fn take_run(bytes: &mut Bytes<'_>) -> Option<Option<([u64; 4], usize)>> {
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
