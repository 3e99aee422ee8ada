//! The guide to contracts, taken at its word: its contracts load and their examples are right, its
//! commands print what it says, and its tables are those of the schema.

use std::fs;

use serde_json::Value;

use crate::harness::Sandbox;

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

/// Runs the command of a console block and compares what it says.
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

/// Does what a page says in a new project, files and commands in turn, and counts the commands.
pub fn follow(page: &str) -> usize {
    follow_in(Sandbox::new().git_init(), page)
}

/// The same in a project that is there.
pub fn follow_in(mut sandbox: Sandbox, page: &str) -> usize {
    let mut commands = 0;
    for (info, text) in blocks(page) {
        match info.split_once(' ') {
            Some((_, path)) => sandbox = sandbox.file(path, &text),
            None => {
                assert_eq!(info, "console", "a block that nothing tests");
                commands += 1;
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
