//! The key `verify`: matches count only if they pass its tests.

use crate::harness::{Sandbox, forbid};

const TOKEN: &str = "rule_id: acme-token\ntype: forbid_pattern\npattern: 'acme_secret_(?P<secret>\\w{16})'\n\
    file_glob: '**/*'\nverify: random\nmessage: 'Read it from the environment.'\nseverity: error\n\
    examples:\n  violating: [\"acme_secret_\\\n  k3Vq81zRt0LwXb7y\"]\n  passing: ['acme_secret_EXAMPLEEXAMPLE00']\n";

#[test]
fn only_verified_matches_are_violations() {
    let sandbox = Sandbox::new().contract(TOKEN).file(
        "a.txt",
        "acme_secret_k3Vq81zRt0LwXb7y\nacme_secret_xxxxxxxxxxxxxxxx\nacme_secret_1234567890abcdef\n\
         acme_secret_aabbaabbaabbaabb\nacme_secret_your_token_here_\n",
    );
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!(
        output.violations(),
        ["a.txt:1:1 acme-token"],
        "the group is tested, not the word in front of it"
    );
    assert_eq!(sandbox.run(["contracts", "test"]).code, Some(0));
    sandbox.pre_write("b.txt", "acme_secret_k3Vq81zRt0LwXb7y").assert_denied(&["acme-token at line 1"]);
    sandbox.pre_write("b.txt", "acme_secret_xxxxxxxxxxxxxxxx").assert_allowed();
}

#[test]
fn without_group_whole_match_is_tested() {
    let whole = TOKEN.replace("(?P<secret>\\w{16})", "\\w{16}");
    let sandbox = Sandbox::new().contract(&whole).file("a.txt", "acme_secret_k3Vq81zRt0LwXb7y\n");
    assert_eq!(
        sandbox.run(["enforce", "--all", "--format", "json"]).violations(),
        [""; 0],
        "'secret' is a placeholder"
    );
}

#[test]
fn text_that_is_not_utf_8_is_verified() {
    let text = b"\xE9 = acme_secret_k3Vq81zRt0LwXb7y\n\xE9 = acme_secret_xxxxxxxxxxxxxxxx\n".as_slice();
    let sandbox = Sandbox::new().contract(TOKEN).file("a.txt", text);
    assert_eq!(sandbox.run(["enforce", "--all", "--format", "json"]).violations(), ["a.txt:1:5 acme-token"]);
}

#[test]
fn lists_need_every_verifier() {
    let both = TOKEN.replace("verify: random", "verify: [random, github]");
    let sandbox = Sandbox::new().contract(&both).file("a.txt", "acme_secret_k3Vq81zRt0LwXb7y\n");
    assert_eq!(sandbox.run(["enforce", "--all", "--format", "json"]).violations(), [""; 0]);
}

#[test]
fn mistakes_have_hints() {
    for (yaml, message) in [
        (
            TOKEN.replace("random", "rndom"),
            "acme-token.yaml:5: 'verify' knows no 'rndom' (did you mean 'random'?)",
        ),
        (
            TOKEN.replace("random", "sha"),
            "acme-token.yaml:5: 'verify' knows no 'sha' (use random, github, jwt)",
        ),
        (
            TOKEN.replace("random", "[]"),
            "acme-token.yaml:5: 'verify' is an empty list (name some of random, github, jwt)",
        ),
        (
            TOKEN.replace("verify: random", "min_entropy: 3"),
            "acme-token.yaml:5: unknown key 'min_entropy' in a contract (did you mean 'verify'?)",
        ),
        (
            forbid("a", "x", "**").replace("forbid_pattern", "require_pattern") + "verify: random\n",
            "key 'verify' has no effect for require_pattern (remove it)",
        ),
    ] {
        let output = Sandbox::new().contract(&yaml).run(["enforce", "--all"]);
        assert!(output.stderr.contains(message), "{message}\n{output}");
    }
}

#[test]
fn shows_and_writes_verifiers() {
    let both = TOKEN.replace("verify: random", "verify: [random, github]");
    let sandbox = Sandbox::new().contract(&both);
    let shown = sandbox.run(["contracts", "show", "acme-token"]);
    assert!(shown.stdout.contains("verify") && shown.stdout.contains("random"), "{shown}");
    let yaml = sandbox.run(["contracts", "show", "acme-token", "--yaml"]);
    assert!(yaml.stdout.contains("verify: [random, github]"), "{yaml}");
}
