//! The baseline before and after a change: violations that it covers only afterwards.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use phaser_core::sanitize::printable;
use phaser_core::violation::LineDigest;
use phaser_project::baseline::Baseline;
use phaser_project::contracts::read::overlaid::Overlay;
use phaser_project::path::{BASELINE, RelPath, Root, TOP_BASELINE};

/// The maximum number of contracts named.
const MAX_NAMED: usize = 5;

/// A sentence per baseline that counts the newly covered violations.
pub(super) fn weaker(root: &Root, before: &Overlay, after: &Overlay) -> Vec<String> {
    [BASELINE, TOP_BASELINE].into_iter().filter_map(|file| covered(root, file, before, after)).collect()
}

fn covered(root: &Root, file: &str, before: &Overlay, after: &Overlay) -> Option<String> {
    let path = root.path().join(file);
    // A baseline that is not among the changes is the same before and after.
    let after = after.file(&path)??;
    // A broken baseline covers nothing.
    let after = Baseline::parse(after).ok()?;
    let before = before.file(&path).flatten().map(entries).unwrap_or_default();
    let added = added(root, &before, &after);
    let count: u32 = added.values().fold(0, |sum, count| sum.saturating_add(*count));
    let mut named: Vec<String> =
        added.keys().take(MAX_NAMED).map(|(id, path)| format!("{id} in {path}")).collect();
    if added.len() > MAX_NAMED {
        named.push("…".to_owned());
    }
    let violations = if count == 1 { "violation" } else { "violations" };
    (count > 0)
        .then(|| format!("the baseline covers {count} {violations} more: {} ({file})", named.join(", ")))
}

/// The entries of a baseline; of a broken one, those on valid lines.
fn entries(bytes: &[u8]) -> Baseline {
    Baseline::parse(bytes).unwrap_or_else(|_| {
        let lines = bytes.split_inclusive(|&byte| byte == b'\n');
        let sound: Vec<&[u8]> = lines.filter(|line| Baseline::parse(line).is_ok()).collect();
        Baseline::parse(&sound.concat()).unwrap_or_default()
    })
}

/// The number of newly covered violations by contract and file.
fn added(root: &Root, before: &Baseline, after: &Baseline) -> BTreeMap<(String, String), u32> {
    // Entries of deleted files cover the same lines and contents in other files: a renamed file keeps its entries.
    let mut moved: HashMap<(&str, LineDigest), u32> = HashMap::new();
    let is_gone = |path: &str| {
        let native = RelPath::from(path).to_native();
        Path::new(&native).is_relative() && !root.path().join(native).exists()
    };
    for (entry, count) in before.iter() {
        let kept = after.count(entry);
        if kept < count && is_gone(&entry.path) {
            *moved.entry((&entry.contract, entry.digest)).or_default() += count - kept;
        }
    }
    let mut added = BTreeMap::new();
    for (entry, count) in after.iter() {
        let mut more = count.saturating_sub(before.count(entry));
        if let Some(left) = moved.get_mut(&(entry.contract.as_str(), entry.digest)) {
            let taken = more.min(*left);
            *left -= taken;
            more -= taken;
        }
        if more > 0 {
            let named = (printable(&entry.contract), printable(&entry.path));
            let count: &mut u32 = added.entry(named).or_default();
            *count = count.saturating_add(more);
        }
    }
    added
}
