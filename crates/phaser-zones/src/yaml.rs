//! YAML: the start of a scalar, and the extent of a block scalar.
//!
//! Follows indentation, flow brackets and the ends of documents only, not anchors or tags.

use super::Zone;
use super::code::Opened;
use super::lexer::{Attempt, Lexer, LexerFrame};
use super::rule::Bracket;

impl Lexer<'_> {
    /// Whether a scalar may start, and not continue, at `offset`.
    pub(super) fn is_scalar_start(&self, offset: usize) -> bool {
        let text = &self.text[..offset];
        let blanks = text.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let before = &text[..offset - blanks];
        let is_apart = blanks > 0;
        if self.is_line_start(before.len()) {
            return true;
        }
        match before.last() {
            Some(b':') => is_apart || (self.flow_depth() > 0 && matches!(before, [.., b'"' | b'\'', _])),
            Some(b'[' | b'{' | b',') => self.flow_depth() > 0,
            Some(b'-' | b'?') if is_apart => {
                let other = before.iter().rev().find(|byte| !b" -?\t".contains(byte));
                other.is_none_or(|byte| b"\n\r".contains(byte))
            }
            Some(_) if is_apart => {
                let word = before.rsplit(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
                matches!(word, [b'!' | b'&', next, ..] if next.is_ascii_alphanumeric() || b"!<_".contains(next))
            }
            _ => false,
        }
    }

    /// A bracket of a flow collection.
    pub(super) fn flow(&mut self, bracket: Bracket, opened: Opened) -> Attempt {
        let opens = self.flow_depth() > 0 || self.is_scalar_start(opened.start);
        if let Some(LexerFrame::Code(frame)) = self.frames.last_mut() {
            match bracket {
                Bracket::Opens if opens => frame.depth += 1,
                Bracket::Opens => {}
                Bracket::Closes => frame.depth = frame.depth.saturating_sub(1),
            }
        }
        self.skip(opened.after)
    }

    /// A block scalar: its header, and all deeper lines that follow.
    pub(super) fn block_scalar(&mut self, opened: Opened) -> Attempt {
        let rest = self.rest(opened.after);
        let marks = rest.iter().take_while(|byte| matches!(byte, b'+' | b'-' | b'1'..=b'9')).count();
        let blanks = rest[marks..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let is_comment = rest.get(marks + blanks) == Some(&b'#') && blanks > 0;
        let is_last = self.is_line_end(opened.after + marks + blanks);
        if self.flow_depth() > 0 || !(is_comment || is_last) {
            return Attempt::Refused;
        }
        let line_end = self.line_end(opened.after);
        let digit =
            rest[..marks].iter().find(|byte| byte.is_ascii_digit()).map(|byte| usize::from(byte - b'0'));
        let parent = self.parent_indent(opened.start);
        let indent = digit.map(|digit| parent.unwrap_or(0) + digit);
        let body_end = self.block_end(line_end, parent, indent);
        self.mark(opened.start, Zone::String);
        if is_comment {
            self.mark(opened.after + marks, Zone::Code);
            self.mark(opened.after + marks + blanks, Zone::Comment);
            self.mark(line_end, Zone::String);
        }
        self.pos = body_end;
        self.tail = body_end;
        self.mark(body_end, Zone::Code);
        Attempt::Taken
    }

    /// The end of the last line that is deeper than `parent`, or as deep as `indent`.
    fn block_end(&self, header_end: usize, parent: Option<usize>, indent: Option<usize>) -> usize {
        let mut least = indent;
        let mut body_end = header_end;
        let mut line_start = self.next_line(header_end);
        while line_start < self.end {
            let line_end = self.line_end(line_start);
            let line = &self.text[line_start..line_end];
            let spaces = line.iter().take_while(|&&byte| byte == b' ').count();
            if !line.trim_ascii().is_empty() {
                let least = *least.get_or_insert(spaces);
                let is_outside = spaces < least || parent.is_some_and(|parent| spaces <= parent);
                if is_outside || is_document_mark(line) {
                    break;
                }
                body_end = line_end;
            }
            line_start = self.next_line(line_end);
        }
        body_end
    }

    /// A line break. If the next line continues a plain scalar, nothing opens in it.
    pub(super) fn yaml_line(&mut self, opened: Opened) -> Attempt {
        let line = &self.text[opened.after..self.line_end(opened.after)];
        let indent = line.iter().take_while(|&&byte| byte == b' ').count();
        let content = line.trim_ascii();
        if content.is_empty() {
            return self.skip(opened.after);
        }
        let length = memchr::memmem::find(line, b" #").unwrap_or(line.len());
        let goes_on = self.plain_parent.is_some_and(|parent| indent > parent);
        if self.flow_depth() > 0 || content.starts_with(b"#") {
            self.plain_parent = None;
        } else if !goes_on {
            self.plain_parent = plain_parent(line);
        }
        if length < line.len() {
            self.plain_parent = None;
        }
        self.skip(opened.after + if goes_on { length } else { 0 })
    }

    /// The column of the key or of the dash that the scalar at `offset` belongs to.
    fn parent_indent(&self, offset: usize) -> Option<usize> {
        let line = &self.text[self.line_start(offset)..offset];
        let (at, dash) = key_column(line);
        let key = &line[at..];
        let is_key = memchr::memchr(b':', key).is_some() && !key.starts_with(b"!");
        if is_key { Some(at) } else { dash }
    }

    fn flow_depth(&self) -> u32 {
        match self.frames.last() {
            Some(LexerFrame::Code(frame)) => frame.depth,
            _ => 0,
        }
    }
}

/// Whether a line starts or ends a document.
fn is_document_mark(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"---").or_else(|| line.strip_prefix(b"..."));
    rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

/// The column of the parent of this line's plain scalar. Deeper lines continue the scalar.
fn plain_parent(line: &[u8]) -> Option<usize> {
    let (column, dash) = key_column(line);
    let content = &line[column..];
    let value = memchr::memmem::find(content, b": ").map(|colon| content[colon + 1..].trim_ascii());
    let scalar = value.unwrap_or(content);
    let is_plain = scalar.first().is_some_and(|first| !b"\"'|>[{&*!#%@`".contains(first));
    let is_key = content.trim_ascii_end().ends_with(b":") || matches!(content.trim_ascii_end(), b"-" | b"?");
    let parent = if value.is_some() { Some(column) } else { dash.or(column.checked_sub(1)) };
    parent.filter(|_| is_plain && !is_key)
}

/// The column of the first key or scalar of a line, and of the last dash before it.
fn key_column(line: &[u8]) -> (usize, Option<usize>) {
    let mut dash = None;
    let mut at = line.iter().take_while(|&&byte| byte == b' ').count();
    while matches!(line[at..], [b'-' | b'?', b' ' | b'\t', ..]) {
        dash = Some(at);
        let blanks = line[at + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        at += 1 + blanks;
    }
    (at, dash)
}
