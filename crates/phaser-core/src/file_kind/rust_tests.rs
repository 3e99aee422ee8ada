//! Test code in Rust sources: items with `#[test]` or `#[cfg(test)]`.

use std::ops::Range;

use phaser_zones::{Zone, Zones};

/// The ranges of items that are tests, attribute included, in order and disjoint. `#![cfg(test)]` is the whole text.
///
/// ```text
/// pub fn a() {}            code
/// #[cfg(test)]             ─┐ the attribute,
/// #[allow(unused)]          │ further attributes,
/// mod tests { … }          ─┘ and the item to its closing brace, or to `;`
/// ```
pub fn find(text: &[u8], zones: &Zones) -> Vec<Range<usize>> {
    let code = Code { text, zones };
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    while let Some(hash) = memchr::memchr(b'#', &text[from..]).map(|at| from + at) {
        from = hash + 1;
        if !code.is_at(hash) {
            continue;
        }
        let Some(attribute) = code.attribute(hash) else { continue };
        from = attribute.range.end;
        if !is_of_test(&text[attribute.content.clone()]) {
            continue;
        }
        if attribute.is_inner {
            return std::iter::once(0..text.len()).collect();
        }
        let end = code.end_of_item(attribute.range.end);
        found.push(hash..end);
        from = end;
    }
    found
}

/// An attribute: `#[…]` or `#![…]`.
struct Attribute {
    range: Range<usize>,
    /// What is inside the brackets.
    content: Range<usize>,
    is_inner: bool,
}

struct Code<'a> {
    text: &'a [u8],
    zones: &'a Zones,
}

impl Code<'_> {
    fn is_at(&self, offset: usize) -> bool {
        self.zones.at(offset) == Zone::Code
    }

    /// The attribute that starts at `hash`.
    fn attribute(&self, hash: usize) -> Option<Attribute> {
        let is_inner = self.text.get(hash + 1) == Some(&b'!');
        let open = hash + 1 + usize::from(is_inner);
        (self.text.get(open) == Some(&b'[')).then_some(())?;
        let close = self.closing(open)?;
        Some(Attribute { range: hash..close + 1, content: open + 1..close, is_inner })
    }

    /// The bracket that closes the one at `open`.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in open..self.text.len() {
            match self.text[at] {
                b'(' | b'[' | b'{' if self.is_at(at) => depth += 1,
                b')' | b']' | b'}' if self.is_at(at) => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The end of the item whose first attribute ends at `from`: after its braces, or after `;` or `,` before them.
    fn end_of_item(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(&byte) = self.text.get(at) {
            if !self.is_at(at) {
                at += 1;
                continue;
            }
            match byte {
                b';' | b',' => return at + 1,
                b'{' => return self.closing(at).map_or(self.text.len(), |close| close + 1),
                // Past attributes, parameters and types of arrays.
                b'(' | b'[' => at = self.closing(at).map_or(self.text.len(), |close| close + 1),
                // The end of what surrounds the item.
                b'}' | b')' | b']' => return at,
                _ => at += 1,
            }
        }
        at
    }
}

/// Whether an attribute makes a test: `test`, `tokio::test(…)`, `bench`, `cfg(test)`, `cfg(all(test, …))`.
fn is_of_test(attribute: &[u8]) -> bool {
    let attribute = attribute.trim_ascii();
    let is_path = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
    let path = &attribute[..attribute.iter().take_while(|byte| is_path(byte)).count()];
    if path == b"cfg" {
        let condition = &attribute[path.len()..];
        return words(condition).any(|word| word == b"test") && !words(condition).any(|word| word == b"not");
    }
    let last = path.rsplit(|&byte| byte == b':').next().unwrap_or_default();
    matches!(last, b"test" | b"bench" | b"rstest" | b"test_case" | b"wasm_bindgen_test" | b"quickcheck")
}

/// The identifiers of a condition. A feature is a string, not a word.
fn words(condition: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_separator = |byte: &u8| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'"' | b'-'));
    condition.split(is_separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that start in a test.
    fn lines_in_tests(text: &str) -> Vec<&str> {
        let zones = Zones::of(b"a.rs", text.as_bytes()).expect("is Rust");
        let parts = find(text.as_bytes(), &zones);
        assert!(parts.windows(2).all(|pair| pair[0].end <= pair[1].start));
        let offset = |line: &str| line.as_ptr().addr() - text.as_ptr().addr();
        let is_in = |line: &&str| parts.iter().any(|part| part.contains(&offset(line)));
        text.lines().filter(is_in).collect()
    }

    #[test]
    fn items_with_test_attributes_are_tests() {
        let text = "fn a() {}\n#[cfg(test)]\n#[allow(unused)]\nmod tests {\n    fn b() { \"}\"; } // }\n}\nfn c() {}\n\
                    #[tokio::test(flavor = \"x\")]\nasync fn d(x: [u8; 2]) {\n}\nfn e() {}\n";
        assert_eq!(
            lines_in_tests(text),
            [
                "#[cfg(test)]",
                "#[allow(unused)]",
                "mod tests {",
                "    fn b() { \"}\"; } // }",
                "}",
                "#[tokio::test(flavor = \"x\")]",
                "async fn d(x: [u8; 2]) {",
                "}",
            ]
        );
    }

    #[test]
    fn item_without_braces_ends_at_semicolon() {
        assert_eq!(lines_in_tests("#[cfg(test)]\nuse a::b;\nfn c() {}\n"), ["#[cfg(test)]", "use a::b;"]);
        assert_eq!(lines_in_tests("#[cfg(all(test, unix))]\nmod a;\nmod b;\n").len(), 2);
    }

    #[test]
    fn other_attributes_make_no_test() {
        for text in [
            "#[cfg(not(test))]\nfn a() {}\n",
            "#[cfg(feature = \"test\")]\nfn a() {}\n",
            "#[derive(Debug)]\nstruct Test;\n",
            "// #[cfg(test)]\nfn a() {}\n",
            "const A: &str = \"#[cfg(test)]\";\nfn a() {}\n",
            "#[cfg_attr(test, derive(Debug))]\nstruct A;\n",
        ] {
            assert_eq!(lines_in_tests(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn inner_attribute_covers_text() {
        assert_eq!(lines_in_tests("use a;\n#![cfg(test)]\nfn a() {}\n").len(), 3);
    }

    #[test]
    fn unclosed_item_reaches_end() {
        assert_eq!(lines_in_tests("fn a() {}\n#[test]\nfn b() {\n  c();\n").len(), 3);
        assert_eq!(lines_in_tests("#[cfg(test\nfn b() {\n").len(), 0);
    }
}
