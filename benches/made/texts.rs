//! Texts of several kinds, and a tree that resembles a project.

use super::Random;
use super::contracts::vendor;

/// The kind of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Lines of code, ASCII only.
    Code,
    /// Lines of code with comments in other scripts.
    Unicode,
    /// Lines with vendor names and token prefixes, but no match.
    NearMisses,
    /// Code without a single line ending.
    OneLine,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Code, Self::Unicode, Self::NearMisses, Self::OneLine];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Unicode => "unicode",
            Self::NearMisses => "near-misses",
            Self::OneLine => "one-line",
        }
    }
}

const WORDS: [&str; 64] = [
    "account", "address", "alert", "alloc", "assert", "base", "block", "buffer", "build", "cache", "call",
    "case", "channel", "check", "client", "code", "config", "context", "count", "create", "current", "data",
    "debug", "device", "driver", "entry", "error", "event", "field", "file", "filter", "first", "flags",
    "free", "handler", "header", "index", "init", "insert", "key", "length", "level", "list", "lock",
    "memory", "message", "module", "name", "next", "node", "offset", "option", "output", "owner", "packet",
    "page", "parent", "path", "pass", "print", "queue", "raw", "secret", "token",
];

const SCRIPTS: [&str; 16] = [
    "größe",
    "naïve",
    "señal",
    "façade",
    "προσοχή",
    "μνήμη",
    "ошибка",
    "память",
    "файл",
    "設定",
    "値を返す",
    "メモリ",
    "오류",
    "数据",
    "“quoted”",
    "→",
];

const FILES: [(&str, usize); 8] =
    [("c", 30), ("h", 15), ("py", 15), ("js", 12), ("rs", 10), ("md", 8), ("yaml", 6), ("txt", 4)];

/// A text of at least this many bytes.
pub fn text(kind: Kind, bytes: usize) -> String {
    fill(kind, bytes, &mut Random::new(7))
}

/// A file of a tree.
pub struct File {
    pub path: String,
    pub text: String,
}

/// The files of a project of this many bytes.
pub fn tree(bytes: usize) -> impl Iterator<Item = File> {
    let mut random = Random::new(11);
    let mut left = bytes;
    let readme = File { path: "README.md".to_owned(), text: "# A project\n".to_owned() };
    let files = (0..).map_while(move |number| {
        let most = if random.once_in(20) { 120_000 } else { 16_000 };
        let size = 1_000 + random.below(most);
        left = left.checked_sub(size)?;
        Some(file(number, size, &mut random))
    });
    std::iter::once(readme).chain(files)
}

fn file(number: usize, bytes: usize, random: &mut Random) -> File {
    let mut at = random.below(100);
    let (extension, _) = FILES
        .iter()
        .find(|(_, share)| {
            let found = at < *share;
            at = at.saturating_sub(*share);
            found
        })
        .expect("the shares are a hundred");
    let [outer, inner, name] = [(); 3].map(|()| random.pick(&WORDS));
    let kind = match random.below(40) {
        0..3 => Kind::Unicode,
        3 => Kind::NearMisses,
        _ => Kind::Code,
    };
    let mut text = if random.once_in(30) { String::new() } else { "/* Owner: base */\n".to_owned() };
    text += &fill(kind, bytes, random);
    if random.once_in(25) {
        text += "debug_print(x); time.sleep(1); alert(1); y.unwrap() // FIXME: 10.0.0.1\n";
    }
    File { path: format!("{outer}/{inner}/{name}_{number}.{extension}"), text }
}

fn fill(kind: Kind, bytes: usize, random: &mut Random) -> String {
    let mut text = String::with_capacity(bytes + 200);
    while text.len() < bytes {
        match kind {
            Kind::Code => code(&mut text, random),
            Kind::Unicode => {
                code(&mut text, random);
                let words = [(); 3].map(|()| random.pick(&SCRIPTS));
                text += &format!("    // {} {} {}\n", words[0], words[1], words[2]);
            }
            Kind::NearMisses => near_miss(&mut text, random),
            Kind::OneLine => {
                code(&mut text, random);
                text.pop();
                text.push(' ');
            }
        }
    }
    text
}

/// One line of code.
fn code(text: &mut String, random: &mut Random) {
    let [one, two, three] = [(); 3].map(|()| random.pick(&WORDS));
    let number = random.below(1000);
    let indent = "        ".split_at(random.below(3) * 4).0;
    *text += indent;
    *text += &match random.below(11) {
        0 => format!("static int {one}_{two}(struct {three} *{two}, int {one})\n"),
        1 => format!("if ({one}->{two} != {number}) {{\n"),
        2 => format!("return {one}_{three}({two}, {number});\n"),
        3 => format!("let {one} = {two}.{three}({number}); // {three} of the {one}\n"),
        4 => format!("{one}.{two}[{number}] = {three} + 0x{number:04x};\n"),
        5 => format!("def {one}_{two}(self, {three}=None):\n"),
        6 => format!("assert {one} == {two}, \"the {three} of {one} is {number}\"\n"),
        7 => format!("const {one} = \"{two}-{three}/{number}\";\n"),
        8 => format!("* The {one} of a {two} is not its {three}, see {one}.{two}().\n"),
        9 => "}\n".to_owned(),
        _ => "\n".to_owned(),
    };
}

/// A line with the required literal of a contract, but no match.
fn near_miss(text: &mut String, random: &mut Random) {
    let vendor = vendor(20 + random.below(980));
    let number = random.below(1_000_000);
    *text += &match random.below(8) {
        0 => format!("{vendor}_{number:x} = {vendor}_client({number})\n"),
        1 => format!("{vendor}_secret = \"{number:x}\"; {vendor}.token = '{number:x}'\n"),
        2 => format!("{}{number:X} {}\n", vendor[..4].to_uppercase(), vendor.to_uppercase()),
        3 => format!("{}-{number:x} {}-{number:x}-{number:x}\n", &vendor[..4], &vendor[..4]),
        4 => format!("https://hooks.{vendor}.com/{number:x} https://hooks.{vendor}.io/\n"),
        5 => format!("{number:012x}{number:06x}.{vendor}.{number:x}\n"),
        6 => format!("passphrase = \"{}\"; FIXME raw_alloc debug_print 10.0.0\n", number % 1000),
        _ => "-----BEGIN SIGNING MARK----- <<<<<<< https://a.b.c/lan remove before it\n".to_owned(),
    };
}
