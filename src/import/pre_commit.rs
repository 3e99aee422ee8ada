//! pre-commit and prek: hooks that search files for a pattern.
//!
//! `language: pygrep` of pre-commit, in a configuration or in the hooks of a repository; `deny-pattern`,
//! `require-pattern` and `replace-pattern` of prek's `repo: builtin`. Hooks of both are in one file, so both kinds read
//! both. A hook that runs a program has no equivalent.

use super::dialect::{RegexDialect, SearchUnit, translate};
use super::document::{DataNode, Documents};
use super::languages::{FileType, globs};
use super::{Draft, ReadRule, names_secrets, path_regex};
use phaser_core::check::{FORBID_IN_MESSAGE, FORBID_PATTERN, REQUIRE_IN_MESSAGE, REQUIRE_PATTERN};
use phaser_core::contract::Severity;

/// Types that restrict nothing a contract applies to.
const ANY_TYPES: [&str; 3] = ["file", "text", "non-executable"];

/// Whether a configuration has hooks of prek that search for a pattern.
pub fn uses_builtin(root: DataNode<'_>) -> bool {
    repositories(root).any(|repository| {
        let mut hooks = repository.get("hooks").into_iter().flat_map(DataNode::items);
        is_builtin(repository)
            && hooks.any(|hook| hook.text_of("id").is_some_and(|id| Search::of_builtin(id).is_some()))
    })
}

fn repositories(root: DataNode<'_>) -> impl Iterator<Item = DataNode<'_>> {
    root.get("repos").into_iter().flat_map(DataNode::items)
}

fn is_builtin(repository: DataNode<'_>) -> bool {
    repository.text_of("repo") == Some("builtin")
}

/// What a hook does with a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Search {
    Deny,
    Require,
    Replace,
}

impl Search {
    fn of_builtin(id: &str) -> Option<Self> {
        match id {
            "deny-pattern" => Some(Self::Deny),
            "require-pattern" => Some(Self::Require),
            "replace-pattern" => Some(Self::Replace),
            _ => None,
        }
    }
}

pub fn read(documents: &Documents<'_>) -> Vec<ReadRule> {
    let Some(root) = documents.roots().next() else { return Vec::new() };
    let own = root.items().map(|hook| read_hook(hook, None, root));
    let configured = repositories(root).flat_map(|repository| {
        let hooks = repository.get("hooks").into_iter().flat_map(DataNode::items);
        hooks.map(move |hook| read_hook(hook, Some(repository), root))
    });
    own.chain(configured).collect()
}

fn read_hook(hook: DataNode<'_>, repository: Option<DataNode<'_>>, root: DataNode<'_>) -> ReadRule {
    let id = hook.text_of("id").unwrap_or_default();
    // Several hooks may have the id of one builtin; their names differ.
    let name =
        hook.text_of("alias").or_else(|| hook.text_of("name")).filter(|_| Search::of_builtin(id).is_some());
    ReadRule::of(name.unwrap_or(id), hook.line(), draft(hook, repository, root))
}

fn draft(hook: DataNode<'_>, repository: Option<DataNode<'_>>, root: DataNode<'_>) -> Result<Draft, String> {
    let id = super::required(hook, "id")?;
    let mut draft = Draft { severity: Severity::Error, ..Draft::default() };
    let search = match repository {
        Some(repository) if is_builtin(repository) => {
            let search = Search::of_builtin(id).ok_or("it is not about a pattern")?;
            builtin(&mut draft, hook, search)?;
            search
        }
        _ => match hook.text_of("language") {
            Some("pygrep") => pygrep(&mut draft, hook)?,
            Some(language) => return Err(format!("it runs a program ('language: {language}')")),
            None => {
                let repo = repository.and_then(|repository| repository.text_of("repo")).unwrap_or_default();
                return Err(format!(
                    "it is defined in {repo} (import the .pre-commit-hooks.yaml of that repository)"
                ));
            }
        },
    };
    let is_message = hook.texts_of("stages") == ["commit-msg"];
    draft.kind = match (search, is_message) {
        (Search::Require, false) => &REQUIRE_PATTERN,
        (Search::Require, true) => &REQUIRE_IN_MESSAGE,
        (_, true) => &FORBID_IN_MESSAGE,
        (_, false) => &FORBID_PATTERN,
    };
    if !is_message {
        files(&mut draft, hook, root)?;
    }
    let wanted = match search {
        Search::Require => "a pattern is missing",
        Search::Deny | Search::Replace => "a pattern was found",
    };
    let name = hook.text_of("name").unwrap_or(id);
    draft.message = if name == id { format!("{id}: {wanted}") } else { name.to_owned() };
    draft.rationale = hook.text_of("description").map(str::to_owned);
    if names_secrets(id) || names_secrets(name) {
        draft.tag("secret");
    }
    Ok(draft)
}

fn pygrep(draft: &mut Draft, hook: DataNode<'_>) -> Result<Search, String> {
    let entry = super::required(hook, "entry")?;
    let (mut flags, mut unit, mut search) = (String::new(), SearchUnit::Line, Search::Deny);
    for arg in hook.texts_of("args") {
        match arg {
            "-i" | "--ignore-case" => flags.push('i'),
            "--multiline" => {
                flags.push('s');
                unit = SearchUnit::File;
            }
            "--negate" => search = Search::Require,
            other => return Err(format!("its argument '{other}' is not known")),
        }
    }
    let translated = translate(entry, RegexDialect::PythonBytes, unit, &flags)?;
    draft.left_out.extend(translated.notes.into_iter().map(str::to_owned));
    draft.pattern = Some(translated.pattern);
    Ok(search)
}

fn builtin(draft: &mut Draft, hook: DataNode<'_>, search: Search) -> Result<(), String> {
    let (mut flags, mut unit, mut patterns, mut is_over) =
        (String::new(), SearchUnit::Line, Vec::new(), false);
    for arg in hook.texts_of("args") {
        match arg {
            arg if is_over || !arg.starts_with('-') => patterns.push(arg),
            "--" => is_over = true,
            "-i" | "--ignore-case" => flags.push('i'),
            "-m" | "--multiline" => {
                flags.push('s');
                unit = SearchUnit::File;
            }
            other => return Err(format!("its argument '{other}' is not known")),
        }
    }
    if search == Search::Replace {
        let [_, replacement] = patterns.as_slice() else {
            return Err("'replace-pattern' needs a pattern and a replacement".to_owned());
        };
        draft.fix = Some((*replacement).to_owned());
        patterns.truncate(1);
    }
    let mut translated = Vec::new();
    for pattern in &patterns {
        let one = translate(pattern, RegexDialect::Rust, unit, "")?;
        draft.left_out.extend(one.notes.into_iter().map(str::to_owned));
        translated.push(one.pattern);
    }
    let flags = if flags.is_empty() { flags } else { format!("(?{flags})") };
    draft.pattern = Some(match translated.as_slice() {
        [] => return Err("it has no pattern in 'args'".to_owned()),
        [one] => format!("{flags}{one}"),
        several => {
            let all: Vec<String> = several.iter().map(|one| format!("(?:{one})")).collect();
            format!("{flags}{}", all.join("|"))
        }
    });
    Ok(())
}

/// The files of a hook: `files` and `types` together, without `exclude` and `exclude_types`.
fn files(draft: &mut Draft, hook: DataNode<'_>, root: DataNode<'_>) -> Result<(), String> {
    let mut conditions: Vec<Vec<String>> = Vec::new();
    for value in [hook.get("files"), root.get("files").filter(|_| root.is_object())].into_iter().flatten() {
        conditions.extend(path_globs(value)?.filter(|globs| globs != &["**/***"] && globs != &["**"]));
    }
    for name in hook.texts_of("types").into_iter().filter(|name| !ANY_TYPES.contains(name)) {
        conditions.push(type_globs(&[name])?);
    }
    let either = hook.texts_of("types_or");
    if !either.is_empty() && !either.iter().any(|name| ANY_TYPES.contains(name)) {
        conditions.push(type_globs(&either)?);
    }
    draft.files = match conditions.len() {
        0 => vec!["**/*".to_owned()],
        1 => conditions.remove(0),
        _ => {
            // A glob of extensions restricts nothing if the other condition names the same ones.
            let narrow = conditions.iter().find(|globs| conditions.iter().all(|other| covers(other, globs)));
            narrow.cloned().ok_or("its 'files' and 'types' together have no equivalent glob")?
        }
    };
    for value in [hook.get("exclude"), root.get("exclude").filter(|_| root.is_object())].into_iter().flatten()
    {
        match path_globs(value) {
            // `^$` excludes nothing.
            Ok(globs) => draft.exclude.extend(globs.unwrap_or_default()),
            Err(_) => {
                let regex = value.text().unwrap_or_default();
                draft.left_out.push(format!("'exclude: {regex}': it has no equivalent glob"));
            }
        }
    }
    let excluded = hook.texts_of("exclude_types");
    match type_globs(&excluded) {
        Ok(globs) => draft.exclude.extend(globs),
        Err(reason) => draft.left_out.push(format!("'exclude_types': {reason}")),
    }
    Ok(())
}

/// The globs of `files` or `exclude`: a regex, or prek's `glob`. `None` for a regex that matches no path.
fn path_globs(value: DataNode<'_>) -> Result<Option<Vec<String>>, String> {
    let named = value.texts_of("glob");
    if !named.is_empty() {
        return Ok(Some(named.into_iter().map(str::to_owned).collect()));
    }
    let Some(regex) = value.text().filter(|regex| !matches!(*regex, "" | "^$")) else { return Ok(None) };
    path_regex::globs(regex).map(Some).ok_or_else(|| format!("'{regex}' has no equivalent glob"))
}

fn type_globs(names: &[&str]) -> Result<Vec<String>, String> {
    let mut types = Vec::new();
    for name in names {
        types.push(FileType::find(name).ok_or_else(|| format!("the type '{name}' has no equivalent glob"))?);
    }
    Ok(globs(types))
}

/// Whether the globs are about names with extensions, and every extension of `narrow` is one of `wide`.
fn covers(wide: &[String], narrow: &[String]) -> bool {
    let extensions = |globs: &[String]| -> Option<Vec<String>> {
        let mut all = Vec::new();
        for glob in globs {
            let (_, extension) = glob.rsplit_once("*.")?;
            all.extend(extension.trim_matches(['{', '}']).split(',').map(str::to_owned));
        }
        Some(all)
    };
    if wide == narrow {
        return true;
    }
    let is_only_extensions = wide.iter().all(|glob| glob.starts_with("**/*."));
    let (Some(wide), Some(narrow)) = (extensions(wide), extensions(narrow)) else { return false };
    is_only_extensions && narrow.iter().all(|one| wide.contains(one))
}
