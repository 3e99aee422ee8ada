//! Paths relative to the current directory, so that a terminal can open them.

use std::borrow::Cow;

use phaser_project::path::RelPath;

/// The directory, inside the project, that shown paths are relative to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Here {
    names: Vec<Vec<u8>>,
    outside: Vec<RelPath>,
}

impl Here {
    /// `directory` is relative to the project; empty for its root. Paths below one of `outside` are not in the project and
    /// are shown as absolute.
    pub fn new(directory: &RelPath, outside: Vec<RelPath>) -> Self {
        let names = directory.as_bytes().split(|&byte| byte == b'/').filter(|name| !name.is_empty());
        Self { names: names.map(<[u8]>::to_vec).collect(), outside }
    }

    /// The path to show for a file of the project.
    pub fn path<'a>(&self, path: &'a RelPath) -> Cow<'a, RelPath> {
        if self.outside.iter().any(|top| is_below(path, top)) {
            return Cow::Owned(RelPath::from_bytes([b"/", path.as_bytes()].concat()));
        }
        if self.names.is_empty() {
            return Cow::Borrowed(path);
        }
        let mut rest = path.as_bytes();
        let mut shared = 0;
        for name in &self.names {
            match rest.strip_prefix(name.as_slice()).and_then(|rest| rest.strip_prefix(b"/")) {
                Some(inside) => rest = inside,
                None => break,
            }
            shared += 1;
        }
        let up = b"../".repeat(self.names.len() - shared);
        Cow::Owned(RelPath::from_bytes([&up, rest].concat()))
    }
}

fn is_below(path: &RelPath, top: &RelPath) -> bool {
    let rest = path.as_bytes().strip_prefix(top.as_bytes());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_directory() {
        for (here, path, shown) in [
            ("", "src/a.py", "src/a.py"),
            ("web", "web/a.ts", "a.ts"),
            ("web", "web/app/a.ts", "app/a.ts"),
            ("web", "src/a.py", "../src/a.py"),
            ("web", "website/a.ts", "../website/a.ts"),
            ("web", "web", "../web"),
            ("web/app", "web/lib/a.ts", "../lib/a.ts"),
            ("web/app", "a.py", "../../a.py"),
            ("a/b", "b/a/c", "../../b/a/c"),
        ] {
            let (here, path) = (Here::new(&RelPath::from(here), Vec::new()), RelPath::from(path));
            assert_eq!(here.path(&path).to_text(), shown, "{here:?}");
        }
    }

    #[test]
    fn paths_outside_project_are_absolute() {
        let here = Here::new(&RelPath::from("web"), vec![RelPath::from("tmp/a"), RelPath::from("x.py")]);
        let shown = |path: &str| here.path(&RelPath::from(path)).to_text().into_owned();
        assert_eq!(shown("tmp/a/b.py"), "/tmp/a/b.py");
        assert_eq!(shown("x.py"), "/x.py");
        assert_eq!(shown("tmp/ab.py"), "../tmp/ab.py");
    }
}
