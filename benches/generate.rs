//! Generates the inputs of benchmarks:
//!
//!     generate contracts COUNT DIR      realistic contracts
//!     generate loose COUNT DIR          patterns with common words and no long literal
//!     generate look-around COUNT DIR    patterns that backtrack
//!     generate tree BYTES DIR           a project tree
//!     generate text KIND BYTES FILE     one text: code, unicode, near-misses or one-line
//!     generate event BYTES ROOT FILE    a hook event that writes a file of BYTES in the project ROOT
//!
//! Depends on the standard library only, so that a script can compile it in a second.

use std::path::Path;
use std::{env, fs, io};

#[allow(dead_code, reason = "each program uses its part")]
mod made;

use made::{contracts, texts};

fn main() -> io::Result<()> {
    let args: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["contracts", count, directory] => write_all(directory, contracts::contracts(number(count)?)),
        ["look-around", count, directory] => write_all(directory, contracts::look_around(number(count)?)),
        ["loose", count, directory] => write_all(directory, contracts::loose(number(count)?)),
        ["tree", bytes, directory] => texts::tree(number(bytes)?)
            .try_for_each(|file| write(Path::new(directory), &file.path, &file.text)),
        ["text", kind, bytes, file] => {
            let kind = texts::Kind::ALL.into_iter().find(|known| known.name() == kind);
            let kind = kind.ok_or_else(|| io::Error::other("no such kind of text"))?;
            fs::write(file, texts::text(kind, number(bytes)?))
        }
        ["event", bytes, root, file] => fs::write(file, event(number(bytes)?, root)),
        // 'cargo bench' runs every bench target without arguments.
        [] => Ok(()),
        _ => Err(io::Error::other("generate contracts|loose|look-around|tree|text|event: see the source")),
    }
}

fn number(text: &str) -> io::Result<usize> {
    text.parse().map_err(io::Error::other)
}

fn write(directory: &Path, path: &str, text: &str) -> io::Result<()> {
    let path = directory.join(path);
    fs::create_dir_all(path.parent().unwrap_or(directory))?;
    fs::write(path, text)
}

fn write_all(directory: &str, contracts: Vec<contracts::Made>) -> io::Result<()> {
    contracts
        .iter()
        .try_for_each(|made| write(Path::new(directory), &format!("{}.yaml", made.id), &made.yaml))
}

fn event(bytes: usize, root: &str) -> String {
    let content = texts::text(texts::Kind::Code, bytes);
    let content = content.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!(
        r#"{{"session_id":"s","cwd":"{root}","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{{"file_path":"{root}/src/main.c","content":"{content}"}}}}"#
    )
}
