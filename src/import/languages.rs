//! The names that other tools have for languages and types of files, with the files of each.

/// A language or a type of files.
pub struct FileType {
    /// The value of `language` in a contract, for those that are parsed.
    pub name: &'static str,
    /// Names in semgrep, ast-grep and pre-commit's `types`, in lower case.
    aliases: &'static [&'static str],
    extensions: &'static [&'static str],
    /// Names of files without a telling extension.
    names: &'static [&'static str],
}

const fn language(
    name: &'static str,
    aliases: &'static [&'static str],
    extensions: &'static [&'static str],
) -> FileType {
    FileType { name, aliases, extensions, names: &[] }
}

const FILE_TYPES: [FileType; 38] = [
    language("python", &["py", "python2", "python3", "pyi"], &["py", "pyi"]),
    language("javascript", &["js", "jsx", "javascriptreact"], &["js", "jsx", "cjs", "mjs"]),
    language("typescript", &["ts"], &["ts", "cts", "mts"]),
    language("tsx", &["typescriptreact"], &["tsx"]),
    language("rust", &["rs"], &["rs"]),
    language("go", &["golang"], &["go"]),
    language("java", &[], &["java"]),
    language("c", &[], &["c", "h"]),
    language("cpp", &["c++", "cc", "cxx"], &["cc", "cpp", "cxx", "hh", "hpp"]),
    language("csharp", &["c#", "cs"], &["cs"]),
    language("ruby", &["rb"], &["rb"]),
    language("php", &[], &["php"]),
    language("bash", &["sh", "shell", "zsh"], &["sh", "bash", "zsh", "ksh", "bats"]),
    language("html", &[], &["html", "htm"]),
    language("css", &[], &["css"]),
    language("json", &[], &["json"]),
    language("yaml", &["yml"], &["yaml", "yml"]),
    language("kotlin", &["kt"], &["kt", "kts"]),
    language("scala", &[], &["scala"]),
    language("swift", &[], &["swift"]),
    language("lua", &[], &["lua"]),
    language("elixir", &["ex"], &["ex", "exs"]),
    language("solidity", &["sol"], &["sol"]),
    language("terraform", &["tf", "hcl"], &["tf", "tfvars", "hcl"]),
    language("ocaml", &[], &["ml", "mli"]),
    language("clojure", &[], &["clj", "cljs", "cljc"]),
    language("apex", &[], &["cls"]),
    language("dart", &[], &["dart"]),
    language("r", &[], &["r", "R"]),
    language("sql", &[], &["sql"]),
    language("xml", &[], &["xml"]),
    language("toml", &[], &["toml"]),
    language("markdown", &["md"], &["md", "markdown"]),
    language("rst", &[], &["rst"]),
    language("vue", &[], &["vue"]),
    language("proto", &["protobuf"], &["proto"]),
    FileType {
        name: "dockerfile",
        aliases: &["docker"],
        extensions: &["dockerfile"],
        names: &["Dockerfile*"],
    },
    FileType { name: "makefile", aliases: &["make"], extensions: &["mk"], names: &["Makefile"] },
];

impl FileType {
    /// The type with this name, in any case.
    pub fn find(name: &str) -> Option<&'static Self> {
        let name = name.to_ascii_lowercase();
        FILE_TYPES.iter().find(|known| known.name == name || known.aliases.contains(&name.as_str()))
    }

    /// Whether contracts about code know the language.
    pub fn is_parsed(&self) -> bool {
        phaser_core::code::languages().contains(&self.name)
    }
}

/// The globs of the files of these types, at most two.
pub fn globs<'t>(types: impl IntoIterator<Item = &'t FileType>) -> Vec<String> {
    let (mut extensions, mut names): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for one in types {
        extensions.extend(
            one.extensions.iter().filter(|new| !extensions.contains(new)).copied().collect::<Vec<_>>(),
        );
        names.extend(one.names.iter().filter(|new| !names.contains(new)).copied().collect::<Vec<_>>());
    }
    let glob = |before: &str, list: &[&str]| match list {
        [] => None,
        [one] => Some(format!("{before}{one}")),
        several => Some(format!("{before}{{{}}}", several.join(","))),
    };
    [glob("**/*.", &extensions), glob("**/", &names)].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_give_globs() {
        let of = |names: &[&str]| globs(names.iter().filter_map(|name| FileType::find(name)));
        assert_eq!(of(&["Python"]), ["**/*.{py,pyi}"]);
        assert_eq!(of(&["ts", "go", "go"]), ["**/*.{ts,cts,mts,go}"]);
        assert_eq!(of(&["dockerfile"]), ["**/*.dockerfile", "**/Dockerfile*"]);
        assert!(of(&["klingon"]).is_empty());
    }

    #[cfg(feature = "syntax")]
    #[test]
    fn every_parsed_language_has_files() {
        for name in phaser_core::code::languages() {
            assert!(FileType::find(name).is_some_and(FileType::is_parsed), "{name}");
        }
    }
}
