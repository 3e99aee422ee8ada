//! Writes a JSON list item by item, so that a large report is never in memory as a whole.

use phaser_core::sanitize::inert_json;
use std::io::{self, Write};

use serde::Serialize;

/// Indentation per level.
const INDENT: &str = "  ";

/// Writes the items pretty-printed, for a list on a line indented by `depth` levels. Newlines in an item are layout: JSON
/// strings escape theirs.
pub fn write_list<T: Serialize>(
    out: &mut dyn Write,
    items: impl Iterator<Item = T>,
    depth: usize,
) -> io::Result<()> {
    let (outer, inner) = (format!("\n{}", INDENT.repeat(depth)), format!("\n{}", INDENT.repeat(depth + 1)));
    let mut before = "[";
    for item in items {
        let text = serde_json::to_string_pretty(&item)?;
        out.write_all(before.as_bytes())?;
        for line in inert_json(&text).split('\n') {
            out.write_all(inner.as_bytes())?;
            out.write_all(line.as_bytes())?;
        }
        before = ",";
    }
    if before == "[" { write!(out, "[]") } else { write!(out, "{outer}]") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn list_equals_serde_json_output() {
        for count in 0..3 {
            let items = vec![json!({ "a": [1, "x\ny"], "b": {} }); count];
            let whole = serde_json::to_string_pretty(&json!({ "list": items })).expect("JSON");
            let mut out = b"{\n  \"list\": ".to_vec();
            write_list(&mut out, items.iter(), 1).expect("written");
            out.extend(b"\n}");
            assert_eq!(String::from_utf8(out).expect("UTF-8"), whole);
        }
    }
}
