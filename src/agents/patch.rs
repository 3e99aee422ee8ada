//! Patches in the `apply_patch` format: as a tool's input, or inside a shell command.
//!
//! A patch becomes one [`FileChange`] per file. Example:
//!
//! ```text
//! *** Begin Patch
//! *** Add File: new.py          new.py   Whole("x = 1\n")
//! +x = 1
//! *** Update File: a.py         a.py     Removal
//! *** Move to: b.py             b.py     Patch { base: Moved("a.py"), updates: [one] }
//! @@
//! -old
//! +new
//! *** Update File: b.py         b.py     Patch { base: Moved("a.py"), updates: [one, two] }
//! @@
//! -new
//! +newer
//! *** End Patch
//! ```
//!
//! Sections apply in order: the second update of `b.py` works on the result of the first. The chunks themselves are applied
//! later, and only if a contract applies to the file.
//!
//! [`rewritten`] is the inverse, for calls that were fixed: it writes a patch from changes, parses it again and returns it
//! only if that gives the same changes.

use std::path::{Component, Path, PathBuf};

use phaser_core::skipped::{SkipReason, Skipped};
use phaser_project::path::RelPath;
use phaser_project::tool_call::patch::{Chunk, Section, parse, write};
use phaser_project::tool_call::{Call, FileChange, Moment, Patch, PatchBase, Rewrite};

/// Adds the changes of a patch to `call`.
pub fn add(call: &mut Call, text: &str) {
    add_in(call, text, None);
}

/// A patch that makes exactly `changes`, in place of the patch `text`; `None` if there is none.
pub fn rewritten(text: &str, changes: &[FileChange]) -> Option<String> {
    if text.contains(ELSEWHERE) {
        return None;
    }
    let moved: Vec<&str> = changes.iter().filter_map(moved_from).collect();
    let mut sections = Vec::new();
    for change in changes {
        match &change.rewrite {
            Rewrite::Removal if moved.contains(&change.path.as_str()) => {}
            Rewrite::Removal => sections.push(Section::Delete { path: change.path.clone() }),
            Rewrite::Whole(content) => {
                sections.push(Section::Add { path: change.path.clone(), content: content.clone() });
            }
            Rewrite::Patch(patch) => sections.extend(sections_of(&change.path, patch)),
            Rewrite::Edits { .. } | Rewrite::Cell(_) | Rewrite::Unknown => return None,
        }
    }
    let written = write(&sections);
    let mut call =
        Call { moment: Moment::Before, cwd: PathBuf::new(), changes: Vec::new(), skipped: Vec::new() };
    add(&mut call, &written);
    let sorted = |changes: &[FileChange]| {
        let mut changes = changes.to_vec();
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        changes
    };
    (sorted(&call.changes) == sorted(changes)).then_some(written)
}

/// A line in a patch for another machine.
const ELSEWHERE: &str = "*** Environment ID:";

/// The previous path of a moved file.
fn moved_from(change: &FileChange) -> Option<&str> {
    match &change.rewrite {
        Rewrite::Patch(Patch { base: PatchBase::Moved(from), .. }) => Some(from),
        _ => None,
    }
}

fn sections_of(path: &str, patch: &Patch) -> Vec<Section> {
    let update = |path: &str, to: Option<&str>, chunks: &[Chunk]| Section::Update {
        path: path.to_owned(),
        to: to.map(str::to_owned),
        chunks: chunks.to_vec(),
    };
    let mut sections = Vec::new();
    let mut updates = patch.updates.iter();
    match &patch.base {
        PatchBase::Itself => {}
        PatchBase::Text(content) => {
            sections.push(Section::Add { path: path.to_owned(), content: content.clone() });
        }
        PatchBase::Moved(from) => {
            sections.extend(updates.next().map(|chunks| update(from, Some(path), chunks)))
        }
    }
    sections.extend(updates.map(|chunks| update(path, None, chunks)));
    sections
}

/// Adds the changes of the patches in a shell command. Agents apply such a patch themselves, or put an `apply_patch` program
/// on the PATH.
pub fn add_commands(call: &mut Call, command: &str) {
    if !PROGRAMS.iter().any(|name| is_run(command, name)) {
        return;
    }
    let mut rest = command;
    let mut directory = None;
    while let Some((before, after)) = rest.find("*** Begin Patch").map(|start| rest.split_at(start)) {
        directory = changed_directory(directory, &call.cwd, before);
        let quote = before.chars().next_back().filter(|quote| matches!(quote, '\'' | '"'));
        let (text, behind) = after.split_at(after.find("*** End Patch").unwrap_or(after.len()));
        add_in(call, &unquoted(text, quote), directory.as_deref());
        rest = behind;
    }
}

/// Whether the command line runs `program`.
fn is_run(command: &str, program: &str) -> bool {
    command.match_indices(program).any(|(at, _)| {
        let before = command[..at].trim_end_matches([' ', '\t']).chars().next_back();
        before.is_none_or(|before| matches!(before, '\n' | ';' | '&' | '|' | '(' | '\'' | '"'))
    })
}

/// Programs that apply a patch.
const PROGRAMS: [&str; 2] = ["apply_patch", "applypatch"];

/// The shell's directory after the `cd` commands in `commands`; `None` if it is still `cwd`.
fn changed_directory(already: Option<PathBuf>, cwd: &Path, commands: &str) -> Option<PathBuf> {
    let mut directory = already;
    for command in commands.split(['\n', ';', '&', '|', '(']) {
        let Some(to) = command.trim().strip_prefix("cd ") else { continue };
        let to = to.trim().trim_matches(['\'', '"']);
        let base = directory.as_deref().unwrap_or(cwd);
        directory = Some(without_parents(&base.join(to)));
    }
    directory
}

/// Resolves `.` and `..` lexically, as `cd` does.
fn without_parents(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(result.pop()),
            Component::CurDir => {}
            name => result.push(name),
        }
    }
    result
}

/// The value of a text in these shell quotes.
fn unquoted(text: &str, quote: Option<char>) -> String {
    match quote {
        Some('\'') => text.replace(r"'\''", "'"),
        Some(_) => {
            let mut result = String::with_capacity(text.len());
            let mut chars = text.chars().peekable();
            while let Some(char) = chars.next() {
                let escaped = chars.next_if(|next| char == '\\' && matches!(next, '"' | '\\' | '$' | '`'));
                result.push(escaped.unwrap_or(char));
            }
            result
        }
        None => text.to_owned(),
    }
}

/// Adds the changes of a patch. Its paths start at `directory`, or else at the call's directory.
fn add_in(call: &mut Call, text: &str, directory: Option<&Path>) {
    let placed = |path: String| match directory {
        Some(directory) => directory.join(path).to_string_lossy().into_owned(),
        None => path,
    };
    let sections = parse(text);
    if sections.is_empty() {
        let why = SkipReason::NotReconstructed("Not a patch".to_owned());
        call.skipped.push(Skipped { path: RelPath::default(), why });
    }
    for section in sections {
        match section {
            Section::Add { path, content } => {
                put(
                    call,
                    FileChange { path: placed(path), rewrite: Rewrite::Whole(content), original: None },
                );
            }
            Section::Delete { path } => remove(call, placed(path)),
            Section::Update { path, to, chunks } => {
                let path = placed(path);
                let earlier = take(call, &path);
                let patch = updated(earlier, chunks);
                let (path, patch) = match to.map(placed) {
                    Some(to) if to != path => {
                        remove(call, path.clone());
                        (to, moved(patch, path))
                    }
                    _ => (path, patch),
                };
                put(call, FileChange { path, rewrite: Rewrite::Patch(patch), original: None });
            }
        }
    }
}

/// Removes and returns the call's change of this file.
fn take(call: &mut Call, path: &str) -> Option<FileChange> {
    let at = call.changes.iter().position(|change| change.path == path)?;
    Some(call.changes.remove(at))
}

fn put(call: &mut Call, change: FileChange) {
    take(call, &change.path);
    call.changes.push(change);
}

/// Adds the removal of a file, unless the same patch created it.
fn remove(call: &mut Call, path: String) {
    let is_new = matches!(take(call, &path), Some(FileChange { rewrite: Rewrite::Whole(_), .. }));
    if !is_new || call.cwd.join(&path).exists() {
        call.changes.push(FileChange { path, rewrite: Rewrite::Removal, original: None });
    }
}

/// An update of a file that an earlier section of the patch may have changed.
fn updated(earlier: Option<FileChange>, chunks: Vec<Chunk>) -> Patch {
    match earlier.map(|change| change.rewrite) {
        Some(Rewrite::Whole(content)) => Patch { base: PatchBase::Text(content), updates: vec![chunks] },
        Some(Rewrite::Patch(mut patch)) => {
            patch.updates.push(chunks);
            patch
        }
        _ => Patch { base: PatchBase::Itself, updates: vec![chunks] },
    }
}

/// `patch` for a file that moves away from `from`.
fn moved(patch: Patch, from: String) -> Patch {
    match patch.base {
        PatchBase::Itself => Patch { base: PatchBase::Moved(from), ..patch },
        PatchBase::Moved(_) | PatchBase::Text(_) => patch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_project::tool_call::Moment;

    fn call() -> Call {
        let cwd = PathBuf::from("/p/sub");
        Call { moment: Moment::Before, cwd, changes: Vec::new(), skipped: Vec::new() }
    }

    fn paths(call: &Call) -> Vec<&str> {
        call.changes.iter().map(|change| change.path.as_str()).collect()
    }

    fn command(command: &str) -> Call {
        let mut call = call();
        add_commands(&mut call, command);
        call
    }

    const PATCH: &str = "*** Begin Patch\n*** Add File: a\n+it's \"$x\"\n*** End Patch";

    #[test]
    fn patch_changes_several_files() {
        let mut call = call();
        let text = "*** Begin Patch\n*** Add File: new\n+x\n*** Update File: a\n@@\n-x\n+y\n*** Delete File: gone\n\
                    *** Update File: from\n*** Move to: to\n@@\n-x\n+y\n*** Update File: new\n@@\n-x\n+y\n*** End Patch";
        add(&mut call, text);
        assert_eq!(paths(&call), ["a", "gone", "from", "to", "new"]);
        let base = |at: usize| match &call.changes[at].rewrite {
            Rewrite::Patch(patch) => patch.base.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(base(0), PatchBase::Itself);
        assert_eq!(base(3), PatchBase::Moved("from".into()));
        assert_eq!(base(4), PatchBase::Text("x\n".into()));
        assert!(
            [1, 2].map(|at| &call.changes[at].rewrite).iter().all(|rewrite| **rewrite == Rewrite::Removal)
        );
    }

    #[test]
    fn created_and_deleted_is_no_change() {
        let mut call = call();
        add(&mut call, "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: a\n*** End Patch");
        assert_eq!((call.changes, call.skipped), (vec![], vec![]));
    }

    #[test]
    fn reports_text_without_patch() {
        let mut call = call();
        add(&mut call, "diff --git");
        assert_eq!(call.skipped[0].why.to_string(), "Not a patch");
    }

    #[test]
    fn finds_patch_in_shell_command() {
        let whole = |call: &Call| match &call.changes[0].rewrite {
            Rewrite::Whole(content) => content.clone(),
            other => panic!("{other:?}"),
        };
        let found = command(&format!("apply_patch <<'EOF'\n{PATCH}\nEOF\n"));
        assert_eq!((paths(&found), whole(&found)), (vec!["a"], "it's \"$x\"\n".to_owned()));
        let quoted = PATCH.replace('\'', r"'\''");
        let found = command(&format!("apply_patch '{quoted}' && ls"));
        assert_eq!((paths(&found), whole(&found)), (vec!["a"], "it's \"$x\"\n".to_owned()));
        let quoted = PATCH.replace('"', "\\\"").replace('$', "\\$");
        let found = command(&format!("applypatch \"{quoted}\""));
        assert_eq!(whole(&found), "it's \"$x\"\n");
        let found = command(&format!("cat <<'EOF' | apply_patch\n{PATCH}\nEOF"));
        assert_eq!(paths(&found), ["a"]);
        let found =
            command(&format!("printf '%s' '{quoted}' | apply_patch", quoted = PATCH.replace('\'', "")));
        assert_eq!(paths(&found), ["a"]);
        assert_eq!(command(&format!("cat > how.md <<EOF\nCall apply_patch with {PATCH}\nEOF")).changes, []);
        assert_eq!(command("grep apply_patch src").changes, []);
        assert_eq!(command("ls").skipped, []);
    }

    #[test]
    fn follows_cd_before_patch() {
        assert_eq!(paths(&command(&format!("cd x && apply_patch <<EOF\n{PATCH}\nEOF"))), ["/p/sub/x/a"]);
        assert_eq!(paths(&command(&format!("cd .. && apply_patch <<EOF\n{PATCH}\nEOF"))), ["/p/a"]);
        assert_eq!(paths(&command(&format!("cd '/q'; apply_patch <<EOF\n{PATCH}\nEOF"))), ["/q/a"]);
        let two = format!("cd x && apply_patch <<EOF\n{PATCH}\nEOF\ncd y && apply_patch <<EOF\n{PATCH}\nEOF");
        assert_eq!(paths(&command(&two)), ["/p/sub/x/a", "/p/sub/x/y/a"]);
    }
}
