//! How much the packs of secrets find: tokens as each service makes them, where people leave them.
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
    /// Thirty letters and digits with the checksum of GitHub and npm.
    Checksummed,
}

use Part::{Checksummed, Is, Of};

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
    (
        "gcp-service-account-key",
        &[
            Is("\"private_key_id\": \""),
            Of(HEX, 40),
            Is("\", \"private_key\": \"-----BEGIN "),
            Is("PRIVATE KEY-----\\n"),
            Of(BASE64, 64),
        ],
    ),
    ("github-fine-grained-token", &[Is("github_pat_"), Of(ALNUM, 22), Is("_"), Of(ALNUM, 59)]),
    ("gitlab-token", &[Is("glpat-"), Of(BASE64_URL, 20)]),
    ("gitlab-token", &[Is("glrt-"), Of(BASE64_URL, 20)]),
    ("gitlab-token", &[Is("gldt-"), Of(BASE64_URL, 20)]),
    ("google-oauth-access-token", &[Is("ya29."), Of(BASE64_URL, 160)]),
    ("google-oauth-client-secret", &[Is("GOCSPX-"), Of(BASE64_URL, 28)]),
    ("grafana-token", &[Is("glsa_"), Of(ALNUM, 32), Is("_"), Of(HEX, 8)]),
    ("grafana-token", &[Is("glc_eyJ"), Of(BASE64, 120)]),
    ("grafana-token", &[Is("eyJrIjoi"), Of(ALNUM, 44), Is("LCJuIjoi"), Of(ALNUM, 28)]),
    ("groq-api-key", &[Is("gsk_"), Of(ALNUM, 52)]),
    ("hashicorp-vault-token", &[Is("hvs."), Of(BASE64_URL, 91)]),
    ("heroku-api-key", &[Is("HRKU-AA"), Of(BASE64_URL, 58)]),
    ("huggingface-token", &[Is("hf_"), Of(ALPHA, 34)]),
    ("linear-api-key", &[Is("lin_api_"), Of(ALNUM, 40)]),
    ("mailchimp-api-key", &[Of(HEX, 32), Is("-us21")]),
    ("newrelic-user-key", &[Is("NRAK-"), Of(UPPER, 27)]),
    ("notion-token", &[Is("ntn_"), Of(DIGIT, 11), Of(ALNUM, 35)]),
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
    ("algolia-admin-key", &[Is("ALGOLIA_ADMIN_KEY="), Of(HEX, 32)]),
    ("artifactory-api-key", &[Is("cmVmdGtu"), Of(ALNUM, 56)]),
    ("asana-token", &[Is("2/"), Of(DIGIT, 16), Is("/"), Of(DIGIT, 16), Is(":"), Of(HEX, 32)]),
    ("auth0-client-secret", &[Is("AUTH0_CLIENT_SECRET="), Of(BASE64_URL, 64)]),
    ("aws-access-key-id", &[Is("AKIA"), Of(BASE32, 16), Is(", secret: "), Of(BASE64, 40)]),
    ("aws-access-key-id", &[Is("ASIA"), Of(BASE32, 16), Is(":"), Of(BASE64, 40)]),
    ("aws-access-key-id", &[Is("ABIA"), Of(BASE32, 16), Is("\", \""), Of(BASE64, 40)]),
    ("aws-bedrock-key", &[Is("ABSKQmVkcm9ja0FQSUtleS1"), Of(ALNUM, 108), Is("=")]),
    ("azure-devops-token", &[Of(ALNUM, 52), Is("JQQJ99"), Of(ALNUM, 18), Is("AZDO"), Of(ALNUM, 4)]),
    ("azure-storage-account-key", &[Is("SharedAccessKey="), Of(BASE64, 43), Is("=")]),
    ("bitbucket-app-password", &[Is("ATCTT3xFfGN0"), Of(BASE64_URL, 171), Is("="), Of(UPPER_HEX, 8)]),
    ("braintree-access-token", &[Is("access_token$production$"), Of(LOWER, 16), Is("$"), Of(HEX, 32)]),
    ("cloudflare-api-token", &[Is("CLOUDFLARE_API_TOKEN="), Of(BASE64_URL, 40)]),
    ("cohere-api-key", &[Is("COHERE_API_KEY="), Of(ALNUM, 40)]),
    ("datadog-key", &[Is("DD_API_KEY="), Of(HEX, 32)]),
    ("datadog-key", &[Is("DATADOG_APP_KEY: "), Of(HEX, 40)]),
    (
        "discord-bot-token",
        &[Is("MTA4NzY0MzQ1NjIzMDk4NzUw"), Of(DIGIT, 2), Is("."), Of(ALNUM, 6), Is("."), Of(BASE64_URL, 38)],
    ),
    ("docker-registry-auth", &[Is("{\"auths\": {\"ghcr.io\": {\"auth\": \""), Of(BASE64, 40), Is("\"}}}")]),
    ("dropbox-token", &[Is("sl.u.A"), Of(BASE64_URL, 140)]),
    ("facebook-access-token", &[Is("EAAB"), Of(ALNUM, 180)]),
    ("gitlab-token", &[Is("GR1348941"), Of(BASE64_URL, 20)]),
    ("google-api-key", &[Is("GEMINI_API_KEY="), Is("AIzaSy"), Of(BASE64_URL, 33)]),
    ("hashicorp-vault-token", &[Is("hvs."), Of(BASE64_URL, 24)]),
    ("vault-legacy-token", &[Is("VAULT_TOKEN=s."), Of(ALNUM, 24)]),
    (
        "heroku-legacy-api-key",
        &[
            Is("HEROKU_API_KEY="),
            Of(HEX, 8),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 12),
        ],
    ),
    (
        "hubspot-token",
        &[
            Is("pat-na1-"),
            Of(HEX, 8),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 12),
        ],
    ),
    ("huggingface-token", &[Is("api_org_"), Of(ALPHA, 34)]),
    ("langsmith-api-key", &[Is("lsv2_pt_"), Of(HEX, 32), Is("_"), Of(HEX, 10)]),
    ("mailgun-api-key", &[Is("key-"), Of(HEX, 32)]),
    ("mailgun-api-key", &[Is("mailgun "), Of(HEX, 32), Is("-"), Of(HEX, 8), Is("-"), Of(HEX, 8)]),
    ("mapbox-secret-token", &[Is("sk.eyJ"), Of(BASE64_URL, 70), Is("."), Of(BASE64_URL, 22)]),
    ("mongodb-atlas-secret", &[Is("mdb_sa_sk_"), Of(BASE64_URL, 40)]),
    ("netlify-token", &[Is("nfp_"), Of(ALNUM, 36)]),
    ("netlify-legacy-token", &[Is("NETLIFY_AUTH_TOKEN="), Of(BASE64_URL, 43)]),
    ("newrelic-user-key", &[Of(HEX, 36), Is("NRAL")]),
    ("newrelic-user-key", &[Is("NRII-"), Of(BASE64_URL, 32)]),
    ("notion-token", &[Is("secret_"), Of(ALNUM, 43)]),
    (
        "npm-legacy-token",
        &[
            Is("_authToken="),
            Of(HEX, 8),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 12),
        ],
    ),
    ("okta-api-token", &[Is("SSWS 00"), Of(BASE64_URL, 40)]),
    ("okta-api-token", &[Is("OKTA_API_TOKEN=00"), Of(BASE64_URL, 40)]),
    ("openrouter-api-key", &[Is("sk-or-v1-"), Of(HEX, 64)]),
    ("pinecone-api-key", &[Is("pcsk_"), Of(ALNUM, 6), Is("_"), Of(ALNUM, 63)]),
    (
        "plaid-access-token",
        &[
            Is("access-production-"),
            Of(HEX, 8),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 12),
        ],
    ),
    ("posthog-api-key", &[Is("phx_"), Of(BASE64_URL, 43)]),
    ("private-key-base64", &[Is("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpN"), Of(ALNUM, 300)]),
    ("private-key-base64", &[Is("LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1J"), Of(ALNUM, 300)]),
    ("resend-api-key", &[Is("re_"), Of(ALNUM, 8), Is("_"), Of(ALNUM, 24)]),
    ("sentry-legacy-token", &[Is("SENTRY_AUTH_TOKEN="), Of(HEX, 64)]),
    ("slack-token", &[Is("xoxb-"), Of(DIGIT, 12), Is("-"), Of(ALNUM, 24)]),
    ("slack-token", &[Is("xoxe.xoxp-1-"), Of(ALNUM, 163)]),
    (
        "slack-webhook",
        &[
            Is("https://hooks.slack.com/workflows/T0"),
            Of(UPPER, 9),
            Is("/A0"),
            Of(UPPER, 9),
            Is("/"),
            Of(DIGIT, 18),
            Is("/"),
            Of(ALNUM, 24),
        ],
    ),
    (
        "snyk-token",
        &[
            Is("SNYK_TOKEN="),
            Of(HEX, 8),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 4),
            Is("-"),
            Of(HEX, 12),
        ],
    ),
    ("sonar-token", &[Is("squ_"), Of(HEX, 40)]),
    ("sonar-legacy-token", &[Is("sonar.login="), Of(HEX, 40)]),
    ("square-access-token", &[Is("EAAA"), Of(BASE64_URL, 60)]),
    ("twilio-api-key", &[Is("twilio = SK"), Of(HEX, 32)]),
    (
        "twitter-bearer-token",
        &[Is("AAAAAAAAAAAAAAAAAAAAAMLheAAAAAAA0"), Of(ALNUM, 26), Is("%3D"), Of(ALNUM, 50)],
    ),
    ("url-password", &[Is("postgres://app:"), Of(ALNUM, 16), Is("@db.acme.io/main")]),
    ("url-password", &[Is("mongodb+srv://app:"), Of(ALNUM, 16), Is("@cluster0.acme.net")]),
    ("vercel-token", &[Is("VERCEL_TOKEN="), Of(ALNUM, 24)]),
    ("xai-api-key", &[Is("xai-"), Of(ALNUM, 80)]),
    ("github-token", &[Is("ghp_"), Checksummed]),
    ("github-token", &[Is("gho_"), Checksummed]),
    ("github-token", &[Is("ghs_"), Checksummed]),
    ("npm-token", &[Is("npm_"), Checksummed]),
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
                Of(characters, count) => token.push_str(&self.text(characters, count)),
                Checksummed => {
                    let random = self.text(ALNUM, 30);
                    token.push_str(&checksum(&random));
                    token.insert_str(token.len() - 6, &random);
                }
            }
        }
        token
    }

    fn text(&mut self, characters: &str, count: usize) -> String {
        (0..count).map(|_| char::from(characters.as_bytes()[self.below(characters.len())])).collect()
    }
}

/// CRC-32 in base 62, six digits.
fn checksum(text: &str) -> String {
    let digits: Vec<char> = ('0'..='9').chain('A'..='Z').chain('a'..='z').collect();
    let mut rest =
        text.bytes().fold(u32::MAX, |rest, byte| {
            (0..8).fold(rest ^ u32::from(byte), |rest, _| {
                if rest & 1 == 1 { (rest >> 1) ^ 0xEDB8_8320 } else { rest >> 1 }
            })
        });
    rest = !rest;
    let mut reversed = Vec::new();
    for _ in 0..6 {
        reversed.push(digits[(rest % 62) as usize]);
        rest /= 62;
    }
    reversed.into_iter().rev().collect()
}

/// The contracts that report each line of each file: `(id of the form, line)`.
fn reported(files: &[(String, Vec<String>)]) -> BTreeSet<(String, String)> {
    let mut sandbox = Sandbox::new();
    for (name, lines) in files {
        sandbox = sandbox.file(&format!("{name}.txt"), lines.join("\n") + "\n");
    }
    let output = sandbox.run([
        "enforce",
        "--all",
        "--pack",
        "secrets,audit",
        "--format",
        "json",
        "--fail-on",
        "never",
    ]);
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
                Checksummed => with.repeat(36),
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

/// A contract that is added needs its form here. Some forms are those of the pack `audit`.
#[test]
fn every_contract_has_a_form() {
    let json = Sandbox::new().run(["contracts", "packs", "secrets", "--format", "json"]).json();
    let id = |contract: &Value| contract["rule_id"].as_str().expect("an id").to_owned();
    let contracts: BTreeSet<_> = json["contracts"].as_array().expect("a list").iter().map(id).collect();
    let forms: BTreeSet<_> = FORMS.iter().map(|(id, _)| (*id).to_owned()).collect();
    assert_eq!(contracts.difference(&forms).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn wrong_checksum_is_no_github_token() {
    let mut numbers = Numbers(4);
    let lines = ["ghp_", "gho_", "npm_"]
        .map(|start| format!("token: {}", numbers.token(&[Is(start), Of(ALNUM, 36)])));
    assert_eq!(reported(&[("wrong".to_owned(), lines.into())]), BTreeSet::new());
}

/// A checksum makes a token an error in tests, too. Without one it is a warning there, at most.
#[test]
fn tokens_in_tests_need_checksum_to_be_errors() {
    let mut numbers = Numbers(5);
    let valid = numbers.token(&[Is("ghp_"), Checksummed]);
    let live = numbers.token(&[Is("sk_live_"), Of(ALNUM, 24)]);
    let rare = numbers.token(&[Is("CFPAT-"), Of(BASE64_URL, 43)]);
    let text = format!("{valid}\n{live}\n{rare}\n");
    let output = Sandbox::new().file("src/keys.py", &text).file("tests/keys.py", &text).run([
        "enforce",
        "--all",
        "--pack",
        "secrets,style",
        "--format",
        "json",
        "--fail-on",
        "never",
    ]);
    let found: Vec<String> = output.json()["violations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            format!("{}:{} {} {}", one["file_path"], one["line_number"], one["severity"], one["rule_id"])
                .replace('"', "")
        })
        .collect();
    assert_eq!(
        found,
        [
            "src/keys.py:1 error github-token",
            "src/keys.py:2 error stripe-secret-key",
            "src/keys.py:3 error contentful-token",
            "tests/keys.py:1 error github-token",
            "tests/keys.py:2 warning token-in-tests",
        ]
    );
}
