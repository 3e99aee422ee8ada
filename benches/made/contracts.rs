//! Contract sets: twenty house rules, then token patterns of fictional vendors.

use super::Random;

/// Id, type, glob and pattern.
const HOUSE: [[&str; 4]; 20] = [
    ["no-debug-print", "forbid_pattern", "**/*.{c,h}", r"\bdebug_print\s*\("],
    ["no-raw-memory", "forbid_pattern", "**/*.c", r"\braw_(?:alloc|free)\s*\("],
    ["no-sleep", "forbid_pattern", "**/*.py", r"\btime\.sleep\("],
    ["no-star-import", "forbid_pattern", "**/*.py", r"^from\s+\S+\s+import\s+\*"],
    ["no-alert", "forbid_pattern", "**/*.{js,ts}", r"\b(?:window\.)?alert\("],
    ["no-adjacent-html", "forbid_pattern", "**/*.{js,ts}", r"\.insertAdjacentHTML\s*\("],
    ["no-skipped-suite", "forbid_pattern", "**/*.{js,ts}", r"\b(?:suite|case)\.skip\("],
    ["no-unwrap", "forbid_pattern", "**/*.rs", r"\.unwrap\(\)"],
    ["no-fixme", "forbid_pattern", "**/*", r"\bFIXME\b(?:\(\w+\))?:"],
    ["no-merge-marker", "forbid_pattern", "**/*", r"^(?:<{7}|>{7}) \S"],
    ["no-passphrase", "forbid_pattern", "**/*", r#"(?i)\bpass(?:phrase|code)\s*[:=]\s*["'][^"']{8,}["']"#],
    ["no-internal-host", "forbid_pattern", "**/*", r"https?://[a-z0-9.-]+\.(?:intranet|lan)\b"],
    ["no-address", "forbid_pattern", "**/*", r"\b(?:\d{1,3}\.){3}\d{1,3}\b"],
    ["no-signing-key", "forbid_pattern", "**/*", r"-----BEGIN [A-Z ]{0,16}SIGNING KEY-----"],
    ["no-trailing-space", "forbid_pattern", "**/*.md", r"[ \t]+$"],
    ["no-stale-note", "forbid_pattern", "**/*.{c,h}", r"/\*[^*]*\bremove before release\b"],
    ["assert-says-why", "forbid_pattern", "**/*.py", r"^\s*assert\b(?!.*,)"],
    ["has-owner", "require_pattern", "**/*.c", r"\bOwner: \w+"],
    ["no-leftover", "file_not_exists", "**/*.orig", ""],
    ["has-readme", "file_exists", "README.md", ""],
];

const SYLLABLES: [&str; 24] = [
    "ba", "cor", "den", "fi", "gra", "hu", "jo", "kel", "lin", "mo", "nar", "op", "pri", "qua", "ro", "sun",
    "tar", "ul", "ven", "wi", "xan", "yo", "zen", "stra",
];

/// A contract file.
pub struct Made {
    pub id: String,
    pub yaml: String,
}

/// The first `count` contracts.
pub fn contracts(count: usize) -> Vec<Made> {
    (0..count).map(contract).collect()
}

fn contract(index: usize) -> Made {
    if let Some([id, kind, glob, pattern]) = HOUSE.get(index) {
        return made(id, kind, glob, pattern);
    }
    let vendor = vendor(index);
    let glob = if index % 10 == 7 { "**/*.{env,toml,yaml}" } else { "**/*" };
    made(&format!("no-{vendor}-{index}"), "forbid_pattern", glob, &token(index, &vendor))
}

/// The n-th vendor's name; unlimited.
pub fn vendor(index: usize) -> String {
    let mut random = Random::new(index as u64);
    let [first, second] = [(); 2].map(|()| random.pick(&SYLLABLES));
    let third = SYLLABLES[index % SYLLABLES.len()];
    let fourth = if index < 500 { "" } else { SYLLABLES[index / SYLLABLES.len() % SYLLABLES.len()] };
    format!("{first}{second}{third}{fourth}")
}

/// The token pattern of a vendor, in one of six shapes.
fn token(index: usize, vendor: &str) -> String {
    let upper = vendor[..4].to_uppercase();
    match index % 6 {
        0 => format!(r"\b{vendor}_[A-Za-z0-9]{{36}}\b"),
        1 => format!(
            r#"(?i)\b{vendor}[\w.-]{{0,20}}(?:key|token|secret)["']?\s*[:=]\s*["']?([0-9a-f]{{32}})\b"#
        ),
        2 => format!(r"\b{upper}[0-9A-Z]{{16}}\b"),
        3 => format!(r"\b{}-[a-z0-9_-]{{24,48}}={{0,2}}", &vendor[..4]),
        4 => format!(r"https://hooks\.{vendor}\.(?:com|io)/[\w/-]{{24,}}"),
        _ => format!(r"\b[0-9a-f]{{24}}\.{vendor}\.[A-Za-z0-9_-]{{27}}\b"),
    }
}

/// Contracts that match a common word near a rare run of characters: the context is open and few patterns have a long
/// literal.
pub fn loose(count: usize) -> Vec<Made> {
    (0..count)
        .map(|index| made(&format!("loose-{index}"), "forbid_pattern", "**/*", &loose_token(index)))
        .collect()
}

/// Contracts with look-around, all for every file.
pub fn look_around(count: usize) -> Vec<Made> {
    let pattern = |index| {
        let vendor = vendor(index);
        match index % 3 {
            0 => format!(r"(?<![\w.]){vendor}_key(?!\w)"),
            1 => format!(r#"\b{vendor}\s*=\s*(?=["'])(?!.*none).+"#),
            _ => format!(r#"(?<=["']){vendor}-[0-9a-f]{{16}}(?=["'])"#),
        }
    };
    (0..count)
        .map(|index| made(&format!("look-{index}"), "forbid_pattern", "**/*", &pattern(index)))
        .collect()
}

fn loose_token(index: usize) -> String {
    let vendor = vendor(index);
    let (two, three) = (&vendor[..2], &vendor[..3]);
    match index % 7 {
        0 => format!(
            r"(?i)\b(?:{vendor}|{two}_|{two}-)(?s:.){{0,40}}?(?:key|token|secret|pass)(?s:.){{0,24}}?\b([0-9a-z]{{30,40}})\b"
        ),
        1 => format!(
            r#"(?i)[\w.-]{{0,40}}(?:{three})[\w.-]{{0,20}}["'\s]{{0,3}}(?:=|:|=>|\|\|)["'\s]{{0,5}}([a-z0-9_=-]{{24,64}})(?:["'\s;]|$)"#
        ),
        2 => format!(r"\b({three}[A-Za-z0-9_-]{{40,60}})(?:[^\w-]|$)"),
        3 => format!(r#"(?i)\bif\b.{{0,40}}\b(?:{vendor}|token|key)\b\s*(?:==|!=)\s*"([^"\n]{{3,60}})""#),
        4 => format!(r"\b[A-Za-z0-9+/]{{40}}\.{two}[0-9a-f]{{8}}\b"),
        5 => format!(
            r#"(?i:key|token|secret|{vendor})["':= ]{{0,4}}\b({two}\.[A-Za-z0-9_-]{{20,100}})(?:[^\w-]|$)"#
        ),
        _ => format!(
            r"(?i)(?:user|login)\s*=\s*([^\s;]{{3,80}})\s*;[ \t]*.{{0,10}}[ \t]*{three}\w*\s*=\s*([^\s;]{{3,80}})"
        ),
    }
}

fn made(id: &str, kind: &str, glob: &str, pattern: &str) -> Made {
    let mut yaml = format!("rule_id: {id}\ntype: {kind}\nfile_glob: '{glob}'\n");
    if !pattern.is_empty() {
        yaml.push_str(&format!("pattern: '{}'\n", pattern.replace('\'', "''")));
    }
    yaml.push_str(&format!("message: 'Contract {id} is not kept.'\nseverity: error\n"));
    Made { id: id.to_owned(), yaml }
}
