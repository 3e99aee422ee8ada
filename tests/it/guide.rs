//! The guide to contracts, taken at its word: its contracts load and their examples are right, its
//! commands print what it shows, and its tables are those of the schema.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Sandbox, forbid};
use crate::recipes;

fn guide() -> String {
    fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/contracts.md")).expect("is there")
}

/// The fenced blocks: what stands after the fence, and what is in them.
pub fn blocks(guide: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut lines = guide.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let inside: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((info.to_owned(), inside.join("\n") + "\n"));
        }
    }
    blocks
}

#[test]
fn documented_contracts_and_commands_work() {
    let mut sandbox = Sandbox::new().file("README.md", "Owner: anna\n").file("LICENSE", "");
    for (path, text) in [
        (".github/workflows/ci.yml", "jobs: {build: {timeout-minutes: 5}}\n"),
        ("compose.yaml", "services: {}\n"),
        ("pyproject.toml", "[project]\nrequires-python = '>=3.11'\n"),
        ("tsconfig.json", "{\"compilerOptions\": {\"strict\": true}}\n"),
    ] {
        sandbox = sandbox.file(path, text);
    }
    let (mut contracts, mut commands) = (0, 0);
    for (info, text) in blocks(&guide()) {
        sandbox = match info.split_once(' ').unwrap_or((&info, "")) {
            ("yaml", "") => {
                contracts += 1;
                sandbox.contract(&text)
            }
            (_, path) if !path.is_empty() => sandbox.file(path, &text),
            ("console", "") => {
                commands += 1;
                run(&sandbox, &text);
                sandbox
            }
            (other, _) => panic!("a block of '{other}', which nothing tests"),
        };
    }
    assert!(contracts >= 8 && commands >= 4, "{contracts} contracts, {commands} commands");
    let output = sandbox.run(["contracts", "test"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    assert!(!output.stdout.contains("without examples"), "{output}");
}

/// Runs the command of a console block and compares its output.
pub fn run(sandbox: &Sandbox, block: &str) {
    let (command, expected) = block.split_once('\n').expect("a command and its output");
    let arguments = command.strip_prefix("$ phaser ").expect("a command of phaser's");
    let mut command = sandbox.command();
    command.args(arguments.split(' '));
    let output = sandbox.run_with(&mut command, b"");
    assert_eq!(output.stdout, expected, "phaser {arguments}");
}

/// The table of keys and the table of types, as the schema has them.
fn tables() -> (String, String) {
    let schema: Value = Sandbox::new().run(["contracts", "schema"]).json();
    let needed = |key: &str| {
        let required = schema["else"]["required"].as_array().expect("a list");
        match key {
            "pattern" => "for types with a pattern",
            "code" => "for types about code",
            "import" => "for `forbid_import`",
            "file_glob" => "for types about files",
            "path" => "for types about values",
            key if required.iter().any(|required| required == key) => "yes",
            _ => "",
        }
    };
    let mut keys = "| key | required | meaning |\n|---|---|---|\n".to_owned();
    for (key, property) in schema["properties"].as_object().expect("properties") {
        if !["rule", "version", "audit_source", "created_at"].contains(&key.as_str()) {
            let meaning = property["description"].as_str().expect("a description").replace('\n', " ");
            keys += &format!("| `{key}` | {} | {meaning} |\n", needed(key));
        }
    }
    let mut types = "| type | requirement |\n|---|---|\n".to_owned();
    for one in schema["properties"]["type"]["oneOf"].as_array().expect("types") {
        let text = |key: &str| one[key].as_str().expect("text").to_owned();
        types += &format!("| `{}` | {} |\n", text("const"), text("description"));
    }
    (keys, types)
}

#[test]
fn the_tables_are_those_of_the_schema() {
    let (keys, types) = tables();
    let guide = guide();
    for table in [keys, types] {
        assert!(guide.contains(&table), "docs/contracts.md should have this table:\n{table}");
    }
}

#[test]
fn the_links_inside_the_guide_lead_somewhere() {
    let guide = guide();
    let anchor = |title: &str| {
        let kept = title
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
            .collect::<String>();
        format!("(#{})", kept.replace(' ', "-"))
    };
    let anchors: Vec<_> = guide.lines().filter_map(|line| line.strip_prefix("## ")).map(anchor).collect();
    for anchor in &anchors {
        assert!(guide.contains(anchor.as_str()), "no link leads to {anchor}");
    }
    assert_eq!(guide.matches("](#").count(), anchors.len());
}

/// Follows a page in a new repository: writes its files, runs its commands, and returns the number of commands.
pub fn follow(page: &str) -> usize {
    follow_in(Sandbox::new().git_init(), page)
}

/// [`follow`], in this project. A `console` block is one command with its output, an `sh` block a script that succeeds.
pub fn follow_in(mut sandbox: Sandbox, page: &str) -> usize {
    let mut commands = 0;
    for (info, text) in blocks(page) {
        commands += usize::from(!info.contains(' '));
        match info.split_once(' ') {
            Some((_, path)) => sandbox = sandbox.file(path, &text),
            None if info == "sh" => {
                let output = recipes::run(&sandbox, &text, &[]);
                assert_eq!(output.code, Some(0), "{text}{output}");
            }
            None => {
                assert_eq!(info, "console", "a block that nothing tests");
                run(&sandbox, &text);
            }
        }
    }
    commands
}

#[test]
fn adopting_goes_as_its_page_says() {
    assert_eq!(follow(include_str!("../../docs/adopting.md")), 6);
}

#[test]
fn refusals_go_as_their_page_says() {
    assert_eq!(follow(include_str!("../../docs/refused.md")), 7);
}

#[test]
fn changes_go_as_their_page_says() {
    assert_eq!(follow(include_str!("../../docs/changes.md")), 5);
}

#[test]
fn sharing_goes_as_its_page_says() {
    let page = include_str!("../../docs/sharing.md");
    let (_, contract) =
        blocks(page).into_iter().find(|(info, _)| info.contains("no-print")).expect("a contract");
    let sandbox = Sandbox::new()
        .git_init()
        .file("src/app.py", "print(1)\n")
        .file("node_modules/@platform/contracts/contracts/no-print.yaml", &contract);
    // The repository that the page names, at its tag.
    let origin = sandbox.home().join("contracts");
    let script = "git init --quiet \"$0\" && cp -R node_modules/@platform/contracts/contracts \"$0\" && cd \"$0\" && \
                  git add --all && git commit --quiet --message one && git tag v1.4.0";
    let output = sandbox.run_with(sandbox.tool("sh").args(["-eu", "-c", script]).arg(&origin), b"");
    assert_eq!(output.code, Some(0), "{output}");
    let configuration = format!(
        "[url \"{}\"]\ninsteadOf = https://git.example.com/platform/contracts\n[protocol \"file\"]\nallow = always\n",
        origin.display()
    );
    fs::write(sandbox.home().join(".gitconfig"), configuration).expect("written");
    assert_eq!(follow_in(sandbox, page), 6);
}

/// A page of the documentation, by its path in the repository.
fn page(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("readable")
}

/// The commands in the indented and `sh` blocks of a page, without comments; a synopsis is not a command.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fence = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), fence) {
            (Some(info), None) => fence = Some(info),
            (Some(_), Some(_)) => fence = None,
            (None, fence) => {
                let code = if fence == Some("sh") { Some(line) } else { line.strip_prefix("    ") };
                let command =
                    code.filter(|code| fence.is_none_or(|info| info == "sh") && code.starts_with("phaser "));
                found.extend(
                    command.map(|command| command.split(" # ").next().unwrap_or_default().trim().to_owned()),
                );
            }
        }
    }
    found
}

#[test]
fn every_command_in_a_block_runs() {
    const PAGES: [&str; 9] = [
        "README.md",
        "docs/adopting.md",
        "docs/agents.md",
        "docs/changes.md",
        "docs/contracts.md",
        "docs/fixes.md",
        "docs/history.md",
        "docs/refused.md",
        "docs/sharing.md",
    ];
    let contract = |id: &str| forbid(id, r"\bprint\(", "**/*.py");
    let mut ran = 0;
    for path in PAGES {
        let sandbox =
            Sandbox::new().git_init().contract(&contract("no-print")).contract(&contract("no-debug-print"));
        let sandbox = sandbox.file("src/app.py", "print(1)\n").git_add("src/app.py").git_commit("first");
        sandbox.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        let sandbox = ["contracts", ".claude/shared"]
            .into_iter()
            .fold(sandbox, |sandbox, directory| sandbox.file(&format!("{directory}/a.yaml"), contract("a")));
        for command in commands(&page(path)) {
            let ready = command.replace("PATH…", "src").replace(" ID", " no-print");
            let output = recipes::run(&sandbox, &ready, &[]);
            assert!(matches!(output.code, Some(0 | 1)), "{path}: {command}\n{output}");
            ran += 1;
        }
    }
    assert!(ran >= 35, "{ran} commands");
}

#[test]
fn attempts_name_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let security = fs::read_to_string(root.join("docs/security.md")).expect("is there");
    let attempts =
        security.split("## ").find(|part| part.starts_with("An agent with a shell")).expect("a chapter");
    let mut count = 0;
    for line in attempts.lines().filter(|line| line.starts_with('|')) {
        let mut tests = String::new();
        for named in
            line.split('`').skip(1).step_by(2).filter(|named| !named.contains(' ') || named.contains(".rs: "))
        {
            let (file, name) = named.split_once(": ").unwrap_or(("", named));
            if !file.is_empty() {
                tests = fs::read_to_string(root.join("tests/it").join(file)).expect(file);
            }
            if !tests.is_empty() {
                assert!(tests.contains(&format!("fn {name}()")), "{named}");
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count}");
}
