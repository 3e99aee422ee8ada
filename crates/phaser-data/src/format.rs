//! The format of a file, by its name.

/// A data format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// RFC 8259.
    Json,
    /// JSON with comments and trailing commas.
    JsonWithComments,
    /// YAML 1.2, core schema.
    Yaml,
    /// TOML 1.1.
    Toml,
}

/// Extensions, in lower case.
const EXTENSIONS: &[(&str, Format)] = &[
    ("json", Format::Json),
    ("webmanifest", Format::Json),
    ("geojson", Format::Json),
    ("ipynb", Format::Json),
    ("jsonc", Format::JsonWithComments),
    ("code-workspace", Format::JsonWithComments),
    ("code-snippets", Format::JsonWithComments),
    ("sublime-project", Format::JsonWithComments),
    ("sublime-settings", Format::JsonWithComments),
    ("yaml", Format::Yaml),
    ("yml", Format::Yaml),
    ("toml", Format::Toml),
];

/// Names without a telling extension, or with another format than their extension says.
const NAMES: &[(&str, Format)] = &[
    (".clang-format", Format::Yaml),
    (".clang-tidy", Format::Yaml),
    (".yamllint", Format::Yaml),
    ("Cargo.lock", Format::Toml),
    ("Pipfile", Format::Toml),
    ("pdm.lock", Format::Toml),
    ("poetry.lock", Format::Toml),
    ("uv.lock", Format::Toml),
    ("Pipfile.lock", Format::Json),
    ("composer.lock", Format::Json),
    ("flake.lock", Format::Json),
    (".babelrc", Format::JsonWithComments),
    (".babelrc.json", Format::JsonWithComments),
    (".eslintrc", Format::JsonWithComments),
    (".eslintrc.json", Format::JsonWithComments),
    (".hintrc", Format::JsonWithComments),
    (".jscsrc", Format::JsonWithComments),
    (".jshintrc", Format::JsonWithComments),
    (".jslintrc", Format::JsonWithComments),
    (".jsonlintrc", Format::JsonWithComments),
    (".swcrc", Format::JsonWithComments),
    (".watchmanconfig", Format::JsonWithComments),
    ("api-extractor.json", Format::JsonWithComments),
    ("bun.lock", Format::JsonWithComments),
    ("deno.json", Format::JsonWithComments),
    ("devcontainer.json", Format::JsonWithComments),
    (".devcontainer.json", Format::JsonWithComments),
    ("jsconfig.json", Format::JsonWithComments),
    ("language-configuration.json", Format::JsonWithComments),
    ("nx.json", Format::JsonWithComments),
    ("project.json", Format::JsonWithComments),
    ("rush.json", Format::JsonWithComments),
    ("tsconfig.json", Format::JsonWithComments),
    ("tslint.json", Format::JsonWithComments),
    ("turbo.json", Format::JsonWithComments),
    ("typedoc.json", Format::JsonWithComments),
];

/// Directories whose `.json` files have comments.
const DIRECTORIES: &[&str] = &[".vscode", ".zed", ".devcontainer"];

impl Format {
    /// The format of the file at `path`, with `/` as separator. `None` if the file is not data.
    pub fn of(path: &[u8]) -> Option<Self> {
        let mut parts = path.rsplit(|byte| *byte == b'/');
        let name = String::from_utf8_lossy(parts.next()?);
        if let Some((_, format)) = NAMES.iter().find(|(known, _)| *known == name) {
            return Some(*format);
        }
        let (stem, extension) = name.rsplit_once('.')?;
        let known = |(known, _): &&(&str, _)| extension.eq_ignore_ascii_case(known);
        let format = EXTENSIONS.iter().find(known).map(|(_, format)| *format)?;
        let mut has_comments = || {
            stem.starts_with("tsconfig")
                || stem.starts_with("jsconfig")
                || stem.ends_with(".tsconfig")
                || parts
                    .next()
                    .is_some_and(|parent| DIRECTORIES.iter().any(|known| known.as_bytes() == parent))
        };
        Some(if format == Self::Json && has_comments() { Self::JsonWithComments } else { format })
    }

    /// The name for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::JsonWithComments => "JSON with comments",
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_decides_format() {
        for (path, format) in [
            ("package.json", Some(Format::Json)),
            ("a/B.JSON", Some(Format::Json)),
            ("a/tsconfig.json", Some(Format::JsonWithComments)),
            ("tsconfig.build.json", Some(Format::JsonWithComments)),
            ("base.tsconfig.json", Some(Format::JsonWithComments)),
            ("tsconfig-base.json", Some(Format::JsonWithComments)),
            ("my-tsconfig.json", Some(Format::Json)),
            (".vscode/settings.json", Some(Format::JsonWithComments)),
            ("x/.vscode/deep/settings.json", Some(Format::Json)),
            ("a.jsonc", Some(Format::JsonWithComments)),
            (".github/workflows/ci.yml", Some(Format::Yaml)),
            ("pyproject.toml", Some(Format::Toml)),
            ("Cargo.lock", Some(Format::Toml)),
            ("README.md", None),
            ("json", None),
            (".json", Some(Format::Json)),
        ] {
            assert_eq!(Format::of(path.as_bytes()), format, "{path}");
        }
        assert_eq!(Format::of(b"a/\xFF.json"), Some(Format::Json), "any bytes");
    }
}
