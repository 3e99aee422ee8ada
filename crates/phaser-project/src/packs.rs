//! Packs: contracts built into phaser.
//!
//! A pack is the text of its contract files and a table generated from them. Enforcing decodes the table; only
//! listing and testing a pack parses its YAML.

/// A set of contracts, built into the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pack {
    /// The name in `packs:` and `--pack`.
    pub name: &'static str,
    /// One line for listings.
    pub description: &'static str,
    /// The contract files, sorted by name.
    pub files: &'static [PackFile],
    /// The validated contracts without their examples, encoded. Generated from the files by a test.
    pub table: &'static [u8],
}

/// A contract file of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackFile {
    /// The file name: the id of the contract and `.yaml`.
    pub name: &'static str,
    /// The YAML.
    pub text: &'static str,
}

impl PackFile {
    /// The id of the contract.
    pub fn id(&self) -> &'static str {
        self.name.strip_suffix(".yaml").unwrap_or(self.name)
    }
}

/// The pack with this name.
pub fn find(name: &str) -> Option<&'static Pack> {
    PACKS.iter().find(|pack| pack.name == name)
}

macro_rules! pack {
    ($name:literal, $description:literal, [$($id:literal),+ $(,)?]) => {
        Pack {
            name: $name,
            description: $description,
            files: &[$(PackFile {
                name: concat!($id, ".yaml"),
                text: include_str!(concat!("../packs/", $name, "/", $id, ".yaml")),
            }),+],
            table: include_bytes!(concat!("packs/", $name, ".table")),
        }
    };
}

/// All packs: general ones, then one per language, then matters of taste.
pub static PACKS: &[Pack] = &[
    pack!(
        "secrets",
        "tokens and keys of well-known services, known by their format",
        [
            "age-secret-key",
            "airtable-token",
            "alibaba-access-key-id",
            "anthropic-api-key",
            "artifactory-api-key",
            "atlassian-api-token",
            "aws-access-key-id",
            "aws-secret-access-key",
            "azure-client-secret",
            "azure-storage-account-key",
            "bitbucket-app-password",
            "brevo-api-key",
            "buildkite-token",
            "circleci-token",
            "cloudflare-origin-ca-key",
            "contentful-token",
            "crates-io-token",
            "databricks-token",
            "digitalocean-token",
            "discord-webhook",
            "docker-hub-token",
            "doppler-token",
            "dynatrace-token",
            "figma-token",
            "flyio-token",
            "gcp-service-account-key",
            "github-fine-grained-token",
            "github-token",
            "gitlab-token",
            "google-api-key",
            "google-oauth-access-token",
            "google-oauth-client-secret",
            "grafana-token",
            "groq-api-key",
            "hashicorp-vault-token",
            "heroku-api-key",
            "huggingface-token",
            "json-web-token",
            "linear-api-key",
            "mailchimp-api-key",
            "newrelic-user-key",
            "notion-token",
            "npm-token",
            "nuget-api-key",
            "onepassword-service-account-token",
            "openai-api-key",
            "perplexity-api-key",
            "planetscale-secret",
            "postman-api-key",
            "pulumi-token",
            "pypi-token",
            "replicate-token",
            "rubygems-token",
            "sendgrid-api-key",
            "sentry-token",
            "shopify-token",
            "slack-app-token",
            "slack-token",
            "slack-webhook",
            "square-token",
            "stripe-secret-key",
            "stripe-webhook-secret",
            "supabase-secret",
            "tailscale-key",
            "teams-webhook",
            "telegram-bot-token",
            "terraform-cloud-token",
        ]
    ),
    pack!(
        "hygiene",
        "leftovers that no repository should keep: merge markers, debuggers, focused tests, private keys, blobs",
        [
            "archive-file",
            "bidirectional-control",
            "compiled-file",
            "data-dump-file",
            "debugger-javascript",
            "debugger-python",
            "debugger-ruby",
            "desktop-file-litter",
            "disk-image-file",
            "do-not-commit",
            "dotenv-file",
            "focused-spec",
            "focused-test",
            "hidden-text",
            "invisible-character",
            "key-file",
            "media-master-file",
            "merge-marker",
            "private-key-in-tests",
            "private-key",
            "putty-private-key",
            "todo-without-owner",
        ]
    ),
    pack!(
        "rust",
        "mistakes in Rust that compile",
        [
            "rust-blanket-allow",
            "rust-build-output",
            "rust-dbg-macro",
            "rust-dropped-lock-guard",
            "rust-empty-expect",
            "rust-ignore-without-reason",
            "rust-mem-uninitialized",
            "rust-static-mut",
            "rust-todo-macro",
            "rust-wildcard-version",
        ]
    ),
    pack!(
        "python",
        "mistakes in Python that run, until they do not",
        [
            "python-assert-tuple",
            "python-bare-except",
            "python-bytecode",
            "python-insecure-tempfile",
            "python-literal-identity",
            "python-mutable-default",
            "python-naive-utcnow",
            "python-none-comparison",
            "python-os-system",
            "python-raise-notimplemented",
            "python-sql-fstring",
            "python-subprocess-shell",
            "python-swallowed-exception",
            "python-tls-verification-off",
            "python-yaml-load",
        ]
    ),
    pack!(
        "javascript",
        "mistakes in JavaScript and TypeScript that pass a quick look",
        [
            "javascript-async-foreach",
            "javascript-async-promise-executor",
            "javascript-dangerous-html",
            "javascript-document-write",
            "javascript-eslint-disable-all",
            "javascript-eval",
            "javascript-nan-comparison",
            "javascript-node-modules",
            "javascript-random-token",
            "javascript-tls-verification-off",
            "javascript-typeof-typo",
            "typescript-ts-ignore",
        ]
    ),
    pack!(
        "go",
        "mistakes in Go that vet does not see",
        [
            "go-context-todo",
            "go-error-comparison",
            "go-errorf-without-wrap",
            "go-focused-ginkgo",
            "go-ignored-error",
            "go-insecure-skip-verify",
            "go-ioutil",
            "go-local-replace",
            "go-rand-seed",
            "go-sql-sprintf",
            "go-waitgroup-add-inside",
        ]
    ),
    pack!(
        "spelling",
        "old ways to write something in Rust, Python, JavaScript and Go, each with the new one as its fix",
        [
            "go-blank-range",
            "go-replace-all",
            "go-time-since",
            "javascript-trim-left",
            "javascript-trim-right",
            "python-logger-warn",
            "python-not-in",
            "python-not-is",
            "python-unittest-alias",
            "rust-max-value",
            "rust-min-value",
            "rust-trim-left",
            "rust-trim-right",
        ]
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    #[test]
    fn the_table_lists_the_directory() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs");
        let names = |path: &Path| -> BTreeSet<String> {
            let entries = std::fs::read_dir(path).expect("a directory of packs");
            let name = |entry: std::fs::DirEntry| entry.file_name().into_string().expect("a plain name");
            entries.map(|entry| name(entry.expect("readable"))).collect()
        };
        let directories = || names(&root).into_iter().filter(|name| root.join(name).is_dir());
        let on_disk: BTreeMap<_, _> =
            directories().map(|name| (name.clone(), names(&root.join(&name)))).collect();
        let files = |pack: &Pack| pack.files.iter().map(|file| file.name.to_owned()).collect();
        let in_table: BTreeMap<_, _> = PACKS.iter().map(|pack| (pack.name.to_owned(), files(pack))).collect();
        assert_eq!(in_table, on_disk);
    }

    #[test]
    fn files_stand_in_name_order() {
        for pack in PACKS {
            assert!(pack.files.is_sorted_by(|a, b| a.name < b.name), "{}", pack.name);
        }
    }

    #[test]
    fn a_pack_is_found_by_its_name() {
        assert_eq!(find("secrets").map(|pack| pack.name), Some("secrets"));
        assert_eq!(find("Secrets"), None);
    }
}
