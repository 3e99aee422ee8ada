//! The grammar of RFC 9535 by recursive descent.

use std::sync::OnceLock;

use super::{Comparable, Comparison, Logical, Matching, PathError, Query, Segment, Selector};
use crate::Scalar;

/// The deepest nesting of filters and parentheses.
const MAX_NESTING: usize = 32;

/// The largest integer of an index (I-JSON).
const MAX_INTEGER: i64 = (1 << 53) - 1;

pub(super) fn path(source: &str) -> Result<Vec<Segment>, PathError> {
    let mut parser = Parser { source, at: 0, depth: 0 };
    if !parser.eat("$") {
        return Err(parser.error("a path starts with '$'"));
    }
    let segments = parser.segments()?;
    match parser.rest().is_empty() {
        true => Ok(segments),
        false => Err(parser.error("expected '.', '..' or '['")),
    }
}

struct Parser<'s> {
    source: &'s str,
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, PathError>;

/// An operand of a filter, before it is known where it stands.
enum Operand {
    Literal(Scalar),
    Query(Query),
    Function(Function),
}

/// A call of a function, which has a value or is a condition.
enum Function {
    Value(Comparable),
    Logical(Matching),
}

impl<'s> Parser<'s> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn error(&self, what: &'static str) -> PathError {
        PathError { at: self.at, what }
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn expect(&mut self, text: &str, what: &'static str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { Err(self.error(what)) }
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// Runs `inner` one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_NESTING {
            return Err(self.error("the path is nested too deep"));
        }
        self.depth += 1;
        let parsed = inner(self);
        self.depth -= 1;
        parsed
    }

    /// Segments up to something else. White space is allowed before each.
    fn segments(&mut self) -> Parsed<Vec<Segment>> {
        let mut segments = Vec::new();
        loop {
            let start = self.at;
            self.blanks();
            if self.eat("..") {
                let selectors = match self.peek() {
                    Some('[') => self.bracketed()?,
                    _ => vec![self.shorthand()?],
                };
                segments.push(Segment { descends: true, selectors });
            } else if self.eat(".") {
                segments.push(Segment { descends: false, selectors: vec![self.shorthand()?] });
            } else if self.peek() == Some('[') {
                segments.push(Segment { descends: false, selectors: self.bracketed()? });
            } else {
                self.at = start;
                return Ok(segments);
            }
        }
    }

    /// `*` or a name without quotes. Beyond the RFC, such a name may have `-` after its first character: no path of the
    /// RFC continues with one there.
    fn shorthand(&mut self) -> Parsed<Selector> {
        if self.eat("*") {
            return Ok(Selector::Wildcard);
        }
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
        if !self.peek().is_some_and(is_first) {
            return Err(
                self.error("expected a name or '*' (put other names in brackets and quotes: ['a b'])")
            );
        }
        let rest = self.rest();
        let is_next = |c: char| is_first(c) || c.is_ascii_digit() || c == '-';
        let end = rest.find(|c: char| !is_next(c)).unwrap_or(rest.len());
        self.at += end;
        Ok(Selector::Name(rest[..end].to_owned()))
    }

    fn bracketed(&mut self) -> Parsed<Vec<Selector>> {
        self.expect("[", "expected '['")?;
        let mut selectors = Vec::new();
        loop {
            self.blanks();
            selectors.push(self.selector()?);
            self.blanks();
            if self.eat("]") {
                return Ok(selectors);
            }
            self.expect(",", "expected ',' or ']'")?;
        }
    }

    fn selector(&mut self) -> Parsed<Selector> {
        match self.peek() {
            Some('\'' | '"') => Ok(Selector::Name(self.string()?)),
            Some('*') => {
                self.at += 1;
                Ok(Selector::Wildcard)
            }
            Some('?') => {
                self.at += 1;
                self.blanks();
                Ok(Selector::Filter(self.nested(Self::or)?))
            }
            Some('-' | '0'..='9' | ':') => self.index_or_slice(),
            _ => Err(self.error("expected a name in quotes, an index, a slice, '*' or '?'")),
        }
    }

    fn index_or_slice(&mut self) -> Parsed<Selector> {
        let start = self.optional_integer()?;
        let after = self.at;
        self.blanks();
        if !self.eat(":") {
            self.at = after;
            return start.map(Selector::Index).ok_or_else(|| self.error("expected an index"));
        }
        self.blanks();
        let end = self.optional_integer()?;
        let after = self.at;
        self.blanks();
        let mut step = 1;
        if self.eat(":") {
            let after = self.at;
            self.blanks();
            match self.optional_integer()? {
                Some(given) => step = given,
                None => self.at = after,
            }
        } else {
            self.at = after;
        }
        Ok(Selector::Slice { start, end, step })
    }

    fn optional_integer(&mut self) -> Parsed<Option<i64>> {
        match self.peek() {
            Some('-' | '0'..='9') => self.integer().map(Some),
            _ => Ok(None),
        }
    }

    fn integer(&mut self) -> Parsed<i64> {
        let start = self.at;
        self.eat("-");
        let digits = self.digits();
        let has_leading_zero = digits.len() > 1 && digits.starts_with('0');
        let text = &self.source[start..self.at];
        if digits.is_empty() || has_leading_zero || text == "-0" {
            self.at = start;
            return Err(self.error("not an integer"));
        }
        match text.parse() {
            Ok(number) if (-MAX_INTEGER..=MAX_INTEGER).contains(&number) => Ok(number),
            _ => {
                self.at = start;
                Err(self.error("the integer is too large"))
            }
        }
    }

    fn digits(&mut self) -> &'s str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn string(&mut self) -> Parsed<String> {
        let Some(quote @ ('\'' | '"')) = self.peek() else { return Err(self.error("expected a string")) };
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else { return Err(self.error("the string has no end")) };
            self.at += c.len_utf8();
            match c {
                c if c == quote => return Ok(text),
                '\\' => text.push(self.escape(quote)?),
                c if u32::from(c) < 0x20 => {
                    self.at -= 1;
                    return Err(self.error("control character in a string (escape it)"));
                }
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self, quote: char) -> Parsed<char> {
        let Some(c) = self.peek() else { return Err(self.error("the string has no end")) };
        let wrong = self.error("not an escape");
        self.at += c.len_utf8();
        Ok(match c {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '/' | '\\' => c,
            c if c == quote => c,
            'u' => {
                let high = self.hex()?;
                let code = match high {
                    0xD800..=0xDBFF => {
                        if !self.eat("\\u") {
                            return Err(wrong);
                        }
                        let low = self.hex()?;
                        if !(0xDC00..=0xDFFF).contains(&low) {
                            return Err(wrong);
                        }
                        0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)
                    }
                    code => code,
                };
                char::from_u32(code).ok_or(wrong)?
            }
            _ => return Err(wrong),
        })
    }

    fn hex(&mut self) -> Parsed<u32> {
        let digits =
            self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.error("expected four hexadecimal digits"))?;
        self.at += 4;
        Ok(code)
    }

    fn or(&mut self) -> Parsed<Logical> {
        let mut all = vec![self.and()?];
        while self.operator("||") {
            all.push(self.and()?);
        }
        Ok(if all.len() == 1 { all.swap_remove(0) } else { Logical::Or(all) })
    }

    fn and(&mut self) -> Parsed<Logical> {
        let mut all = vec![self.basic()?];
        while self.operator("&&") {
            all.push(self.basic()?);
        }
        Ok(if all.len() == 1 { all.swap_remove(0) } else { Logical::And(all) })
    }

    /// Takes an operator with the white space around it.
    fn operator(&mut self, operator: &str) -> bool {
        let start = self.at;
        self.blanks();
        if self.eat(operator) {
            self.blanks();
            return true;
        }
        self.at = start;
        false
    }

    fn basic(&mut self) -> Parsed<Logical> {
        if self.peek() == Some('!') {
            self.at += 1;
            self.blanks();
            let inner = match self.peek() {
                Some('(') => self.parenthesised()?,
                _ => {
                    let operand = self.operand()?;
                    self.test(operand)?
                }
            };
            return Ok(Logical::Not(Box::new(inner)));
        }
        if self.peek() == Some('(') {
            return self.parenthesised();
        }
        let start = self.at;
        let left = self.operand()?;
        let after = self.at;
        self.blanks();
        let Some(comparison) = self.comparison() else {
            self.at = after;
            return self.test(left);
        };
        self.blanks();
        let left = self.comparable(left, start)?;
        let start = self.at;
        let right = self.operand()?;
        Ok(Logical::Compare(left, comparison, self.comparable(right, start)?))
    }

    fn parenthesised(&mut self) -> Parsed<Logical> {
        self.expect("(", "expected '('")?;
        self.blanks();
        let inner = self.nested(Self::or)?;
        self.blanks();
        self.expect(")", "expected ')'")?;
        Ok(inner)
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let all = [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        all.into_iter().find(|(text, _)| self.eat(text)).map(|(_, comparison)| comparison)
    }

    /// An operand as a condition.
    fn test(&self, operand: Operand) -> Parsed<Logical> {
        match operand {
            Operand::Query(query) => Ok(Logical::Exists(query)),
            Operand::Function(Function::Logical(matching)) => Ok(Logical::Test(Box::new(matching))),
            Operand::Function(Function::Value(_)) => {
                Err(self.error("the result of the function must be compared"))
            }
            Operand::Literal(_) => Err(self.error("a literal must be compared")),
        }
    }

    /// An operand, which starts at `start`, as one side of a comparison.
    fn comparable(&self, operand: Operand, start: usize) -> Parsed<Comparable> {
        let wrong = |what| Err(PathError { at: start, what });
        match operand {
            Operand::Literal(literal) => Ok(Comparable::Literal(literal)),
            Operand::Query(query) if query.is_singular() => Ok(Comparable::Singular(query)),
            Operand::Query(_) => wrong("a path in a comparison must select at most one value"),
            Operand::Function(Function::Value(value)) => Ok(value),
            Operand::Function(Function::Logical(_)) => wrong("the result of the function cannot be compared"),
        }
    }

    fn operand(&mut self) -> Parsed<Operand> {
        match self.peek() {
            Some('@' | '$') => self.query().map(Operand::Query),
            Some('\'' | '"') => Ok(Operand::Literal(Scalar::String(self.string()?))),
            Some('-' | '0'..='9') => self.number().map(Operand::Literal),
            Some('a'..='z') => {
                let rest = self.rest();
                let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
                if rest[name.len()..].starts_with('(') {
                    return self.nested(|parser| parser.function(name)).map(Operand::Function);
                }
                let literal = match name {
                    "true" => Scalar::Bool(true),
                    "false" => Scalar::Bool(false),
                    "null" => Scalar::Null,
                    _ => return Err(self.error("expected a path, a literal or a function")),
                };
                self.at += name.len();
                Ok(Operand::Literal(literal))
            }
            _ => Err(self.error("expected a path, a literal or a function")),
        }
    }

    fn query(&mut self) -> Parsed<Query> {
        let from_root = self.eat("$");
        if !from_root {
            self.expect("@", "expected '@' or '$'")?;
        }
        Ok(Query { from_root, segments: self.nested(Self::segments)? })
    }

    fn number(&mut self) -> Parsed<Scalar> {
        let start = self.at;
        self.eat("-");
        let digits = self.digits();
        let mut is_valid = !digits.is_empty() && (digits.len() == 1 || !digits.starts_with('0'));
        if self.eat(".") {
            is_valid &= !self.digits().is_empty();
        }
        if self.eat("e") || self.eat("E") {
            let _ = self.eat("-") || self.eat("+");
            is_valid &= !self.digits().is_empty();
        }
        if !is_valid {
            self.at = start;
            return Err(self.error("not a number"));
        }
        Ok(Scalar::Number(self.source[start..self.at].to_owned()))
    }

    /// A call, at the name of the function.
    fn function(&mut self, name: &str) -> Parsed<Function> {
        let start = self.at;
        self.at += name.len();
        self.expect("(", "expected '('")?;
        self.blanks();
        let function = match name {
            "length" => Function::Value(Comparable::Length(Box::new(self.value_argument()?))),
            "count" => Function::Value(Comparable::Count(self.nodes_argument()?)),
            "value" => Function::Value(Comparable::ValueOf(self.nodes_argument()?)),
            "match" | "search" => {
                let text = self.value_argument()?;
                self.blanks();
                self.expect(",", "expected ',': the function has two arguments")?;
                self.blanks();
                let pattern = self.value_argument()?;
                Function::Logical(Matching {
                    text,
                    pattern,
                    whole: name == "match",
                    compiled: OnceLock::new(),
                })
            }
            _ => {
                self.at = start;
                return Err(self.error("not a function (use length, count, match, search or value)"));
            }
        };
        self.blanks();
        self.expect(")", "expected ')'")?;
        Ok(function)
    }

    fn value_argument(&mut self) -> Parsed<Comparable> {
        let start = self.at;
        let operand = self.operand()?;
        self.comparable(operand, start)
    }

    fn nodes_argument(&mut self) -> Parsed<Query> {
        match self.peek() {
            Some('@' | '$') => self.query(),
            _ => Err(self.error("expected a path that starts with '@' or '$'")),
        }
    }
}
