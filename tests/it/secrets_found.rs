//! How much the pack of secrets finds: tokens as each service makes them, where people leave them.
//!
//! They are put together here at random, so that no file holds one: neither a scanner of others nor phaser itself takes
//! the tests for a leak.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::Sandbox;

/// A part of a token.
#[derive(Clone, Copy)]
enum Part {
    /// Always the same.
    Is(&'static str),
    /// This number of characters, each one of these.
    Of(&'static str, usize),
}

use Part::{Is, Of};

const DIGIT: &str = "0123456789";
const HEX: &str = "0123456789abcdef";
const UPPER_HEX: &str = "0123456789ABCDEF";
const ALPHA: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BECH32: &str = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
const BASE64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
const BASE64_URL: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
const AZURE: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_~.-";

/// The forms of tokens, each with the contract that has to find it.
const FORMS: &[(&str, &[Part])] = &[
    ("age-secret-key", &[Is("AGE-SECRET-KEY-1"), Of(BECH32, 58)]),
    ("airtable-token", &[Is("pat"), Of(ALNUM, 14), Is("."), Of(HEX, 64)]),
    ("alibaba-access-key-id", &[Is("LTAI5t"), Of(ALNUM, 18)]),
    ("anthropic-api-key", &[Is("sk-ant-api03-"), Of(BASE64_URL, 93), Is("AA")]),
    ("anthropic-api-key", &[Is("sk-ant-admin01-"), Of(BASE64_URL, 93), Is("AA")]),
    ("artifactory-api-key", &[Is("AKCp8"), Of(ALNUM, 68)]),
    ("atlassian-api-token", &[Is("ATATT3xFfGF0"), Of(BASE64_URL, 171), Is("="), Of(UPPER_HEX, 8)]),
    ("aws-access-key-id", &[Is("AKIA"), Of(BASE32, 16)]),
    ("aws-access-key-id", &[Is("ASIA"), Of(BASE32, 16)]),
    ("azure-client-secret", &[Of(ALNUM, 3), Is("8Q~"), Of(AZURE, 34)]),
    ("azure-storage-account-key", &[Is("AccountKey="), Of(BASE64, 86), Is("==")]),
    ("bitbucket-app-password", &[Is("ATBB"), Of(ALNUM, 24), Of(UPPER_HEX, 8)]),
    ("brevo-api-key", &[Is("xkeysib-"), Of(HEX, 64), Is("-"), Of(ALNUM, 16)]),
    ("buildkite-token", &[Is("bkua_"), Of(HEX, 40)]),
    ("circleci-token", &[Is("CCIPAT_"), Of(ALNUM, 22), Is("_"), Of(HEX, 40)]),
    ("cloudflare-origin-ca-key", &[Is("v1.0-"), Of(HEX, 24), Is("-"), Of(HEX, 146)]),
    ("contentful-token", &[Is("CFPAT-"), Of(BASE64_URL, 43)]),
    ("crates-io-token", &[Is("cio"), Of(ALNUM, 32)]),
    ("databricks-token", &[Is("dapi"), Of(HEX, 32)]),
    ("digitalocean-token", &[Is("dop_v1_"), Of(HEX, 64)]),
    ("digitalocean-token", &[Is("doo_v1_"), Of(HEX, 64)]),
    (
        "discord-webhook",
        &[Is("https://discord.com/api/webhooks/"), Of(DIGIT, 19), Is("/"), Of(BASE64_URL, 68)],
    ),
    ("docker-hub-token", &[Is("dckr_pat_"), Of(BASE64_URL, 27)]),
    ("docker-hub-token", &[Is("dckr_oat_"), Of(BASE64_URL, 32)]),
    ("doppler-token", &[Is("dp.pt."), Of(ALNUM, 43)]),
    ("doppler-token", &[Is("dp.st.dev."), Of(ALNUM, 43)]),
    ("dynatrace-token", &[Is("dt0c01."), Of(BASE32, 24), Is("."), Of(BASE32, 64)]),
    ("figma-token", &[Is("figd_"), Of(BASE64_URL, 40)]),
    ("flyio-token", &[Is("fm2_"), Of(BASE64, 220)]),
    ("gcp-service-account-key", &[Is("\"private_key_id\": \""), Of(HEX, 40), Is("\"")]),
    ("github-fine-grained-token", &[Is("github_pat_"), Of(ALNUM, 22), Is("_"), Of(ALNUM, 59)]),
    ("github-token", &[Is("ghp_"), Of(ALNUM, 36)]),
    ("github-token", &[Is("gho_"), Of(ALNUM, 36)]),
    ("github-token", &[Is("ghs_"), Of(ALNUM, 36)]),
    ("gitlab-token", &[Is("glpat-"), Of(BASE64_URL, 20)]),
    ("gitlab-token", &[Is("glrt-"), Of(BASE64_URL, 20)]),
    ("gitlab-token", &[Is("gldt-"), Of(BASE64_URL, 20)]),
    ("google-api-key", &[Is("AIzaSy"), Of(BASE64_URL, 33)]),
    ("google-oauth-access-token", &[Is("ya29."), Of(BASE64_URL, 160)]),
    ("google-oauth-client-secret", &[Is("GOCSPX-"), Of(BASE64_URL, 28)]),
    ("grafana-token", &[Is("glsa_"), Of(ALNUM, 32), Is("_"), Of(HEX, 8)]),
    ("grafana-token", &[Is("glc_eyJ"), Of(BASE64, 120)]),
    ("groq-api-key", &[Is("gsk_"), Of(ALNUM, 52)]),
    ("hashicorp-vault-token", &[Is("hvs."), Of(BASE64_URL, 91)]),
    ("heroku-api-key", &[Is("HRKU-AA"), Of(BASE64_URL, 58)]),
    ("huggingface-token", &[Is("hf_"), Of(ALPHA, 34)]),
    (
        "json-web-token",
        &[Is("eyJ"), Of(BASE64_URL, 33), Is(".eyJ"), Of(BASE64_URL, 90), Is("."), Of(BASE64_URL, 43)],
    ),
    ("linear-api-key", &[Is("lin_api_"), Of(ALNUM, 40)]),
    ("mailchimp-api-key", &[Of(HEX, 32), Is("-us21")]),
    ("newrelic-user-key", &[Is("NRAK-"), Of(UPPER, 27)]),
    ("notion-token", &[Is("ntn_"), Of(DIGIT, 11), Of(ALNUM, 35)]),
    ("npm-token", &[Is("npm_"), Of(ALNUM, 36)]),
    ("nuget-api-key", &[Is("oy2"), Of(LOWER, 43)]),
    ("onepassword-service-account-token", &[Is("ops_eyJ"), Of(BASE64, 300)]),
    ("openai-api-key", &[Is("sk-"), Of(ALNUM, 20), Is("T3BlbkFJ"), Of(ALNUM, 20)]),
    ("openai-api-key", &[Is("sk-proj-"), Of(BASE64_URL, 74), Is("T3BlbkFJ"), Of(BASE64_URL, 74)]),
    ("perplexity-api-key", &[Is("pplx-"), Of(ALNUM, 48)]),
    ("planetscale-secret", &[Is("pscale_tkn_"), Of(BASE64_URL, 43)]),
    ("postman-api-key", &[Is("PMAK-"), Of(HEX, 24), Is("-"), Of(HEX, 34)]),
    ("pulumi-token", &[Is("pul-"), Of(HEX, 40)]),
    ("pypi-token", &[Is("pypi-AgEIcHlwaS5vcmc"), Of(BASE64_URL, 150)]),
    ("replicate-token", &[Is("r8_"), Of(ALNUM, 37)]),
    ("rubygems-token", &[Is("rubygems_"), Of(HEX, 48)]),
    ("sendgrid-api-key", &[Is("SG."), Of(BASE64_URL, 22), Is("."), Of(BASE64_URL, 43)]),
    ("sentry-token", &[Is("sntryu_"), Of(HEX, 64)]),
    ("sentry-token", &[Is("sntrys_eyJ"), Of(BASE64, 120)]),
    ("shopify-token", &[Is("shpat_"), Of(HEX, 32)]),
    ("slack-app-token", &[Is("xapp-1-A"), Of(UPPER, 10), Is("-"), Of(DIGIT, 13), Is("-"), Of(HEX, 64)]),
    ("slack-token", &[Is("xoxb-"), Of(DIGIT, 12), Is("-"), Of(DIGIT, 13), Is("-"), Of(ALNUM, 24)]),
    (
        "slack-webhook",
        &[
            Is("https://hooks.slack.com/services/T0"),
            Of(UPPER, 9),
            Is("/B0"),
            Of(UPPER, 9),
            Is("/"),
            Of(ALNUM, 24),
        ],
    ),
    ("square-token", &[Is("sq0atp-"), Of(BASE64_URL, 22)]),
    ("stripe-secret-key", &[Is("sk_live_"), Of(ALNUM, 24)]),
    ("stripe-secret-key", &[Is("rk_live_"), Of(ALNUM, 99)]),
    ("stripe-webhook-secret", &[Is("whsec_"), Of(ALNUM, 32)]),
    ("supabase-secret", &[Is("sbp_"), Of(HEX, 40)]),
    ("supabase-secret", &[Is("sb_secret_"), Of(BASE64_URL, 31)]),
    ("tailscale-key", &[Is("tskey-auth-k"), Of(ALNUM, 11), Is("CNTRL-"), Of(ALNUM, 32)]),
    (
        "teams-webhook",
        &[
            Is("https://x.webhook.office.com/webhookb2/"),
            Of(HEX, 36),
            Is("@"),
            Of(HEX, 36),
            Is("/IncomingWebhook/"),
            Of(HEX, 32),
            Is("/"),
            Of(HEX, 36),
        ],
    ),
    ("telegram-bot-token", &[Of("123456789", 10), Is(":AA"), Of(BASE64_URL, 33)]),
    ("terraform-cloud-token", &[Of(ALNUM, 14), Is(".atlasv1."), Of(ALNUM, 67)]),
];

/// Where people leave them.
const PLACES: &[&str] = &[
    "TOKEN={}",
    "export TOKEN='{}'",
    "token = \"{}\"",
    "  token: {}  # from the console",
    "{\"token\": \"{}\", \"user\": 1}",
    "curl -H \"Authorization: Bearer {}\" https://example.com/",
    "client = Client('{}')",
    "<add key=\"token\" value=\"{}\" />",
    "https://example.com/?a=1&key={}&b=2",
    "Then run `tool login {}` once.",
    "ENV TOKEN {}",
];

/// Made-up tokens of each form.
const EACH: usize = 5;

/// Numbers that are the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }

    fn token(&mut self, form: &[Part]) -> String {
        let mut token = String::new();
        for part in form {
            match *part {
                Is(text) => token.push_str(text),
                Of(characters, count) => {
                    let one = |numbers: &mut Self| {
                        char::from(characters.as_bytes()[numbers.below(characters.len())])
                    };
                    token.extend((0..count).map(|_| one(self)));
                }
            }
        }
        token
    }
}

/// The contracts that report each line of each file: `(id of the form, line)`.
fn reported(files: &[(String, Vec<String>)]) -> BTreeSet<(String, String)> {
    let mut sandbox = Sandbox::new();
    for (name, lines) in files {
        sandbox = sandbox.file(&format!("{name}.txt"), lines.join("\n") + "\n");
    }
    let output =
        sandbox.run(["enforce", "--all", "--pack", "secrets", "--format", "json", "--fail-on", "never"]);
    assert_eq!(output.code, Some(0), "{output}");
    let place = |violation: &Value| {
        let path = violation["file_path"].as_str().expect("a path");
        let line = violation["line_number"].as_u64().expect("a line");
        (format!("{path}:{line}"), violation["rule_id"].as_str().expect("an id").to_owned())
    };
    output.json()["violations"].as_array().expect("a list").iter().map(place).collect()
}

#[test]
fn finds_tokens_in_every_context() {
    let mut numbers = Numbers(1);
    let mut files: Vec<(String, Vec<String>)> = Vec::new();
    for (at, (_, form)) in FORMS.iter().enumerate() {
        let tokens: Vec<_> = (0..EACH).map(|_| numbers.token(form)).collect();
        let lines =
            tokens.iter().flat_map(|token| PLACES.iter().map(move |place| place.replace("{}", token)));
        files.push((format!("{at:03}"), lines.collect()));
    }
    let reported = reported(&files);
    let mut missed = Vec::new();
    for ((id, _), (name, lines)) in FORMS.iter().zip(&files) {
        for (at, line) in lines.iter().enumerate() {
            if !reported.contains(&(format!("{name}.txt:{}", at + 1), (*id).to_owned())) {
                missed.push(format!("{id}: {line}"));
            }
        }
    }
    assert_eq!(missed, [""; 0]);
}

#[test]
fn finds_aws_secret_by_its_name() {
    let mut numbers = Numbers(2);
    let places = [
        "aws_secret_access_key = {}",
        "AWS_SECRET_ACCESS_KEY={}",
        "\"awsSecretAccessKey\": \"{}\",",
        "aws_secret_key: '{}'",
        "AWS_SECRET_KEY := \"{}\"",
    ];
    let lines: Vec<_> =
        places.iter().map(|place| place.replace("{}", &numbers.token(&[Of(BASE64, 40)]))).collect();
    assert_eq!(reported(&[("aws".to_owned(), lines)]).len(), places.len());
}

/// What stands in documents and tests instead of a token, and what is none.
#[test]
fn a_placeholder_is_no_secret() {
    let mut numbers = Numbers(3);
    let mut files: Vec<(String, Vec<String>)> = Vec::new();
    for (at, (_, form)) in FORMS.iter().enumerate() {
        let filled = |with: &str| {
            let one = |part: &Part| match *part {
                Is(text) => text.to_owned(),
                Of(_, count) => with.repeat(count),
            };
            form.iter().map(one).collect::<String>()
        };
        let token = numbers.token(form);
        let start: String = token.chars().take(18).collect();
        let lines = [filled("x"), format!("{start}..."), format!("{start}…"), filled("*")];
        files.push((format!("{at:03}"), lines.map(|line| format!("token: {line}")).into()));
    }
    assert_eq!(reported(&files), BTreeSet::new());
}

/// A contract that is added needs its form here.
#[test]
fn every_contract_has_a_form() {
    let json = Sandbox::new().run(["contracts", "packs", "secrets", "--format", "json"]).json();
    let id = |contract: &Value| contract["rule_id"].as_str().expect("an id").to_owned();
    let contracts: BTreeSet<_> = json["contracts"].as_array().expect("a list").iter().map(id).collect();
    let forms = FORMS.iter().map(|(id, _)| (*id).to_owned());
    assert_eq!(contracts, forms.chain(["aws-secret-access-key".to_owned()]).collect());
}
