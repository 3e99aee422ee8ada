//! `--format html` and `phaser report html`: one page for people.

use serde_json::{Value, json};

use crate::harness::{Sandbox, forbid, warning};

/// What a page shows.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once(r#"id="data">"#).expect("has data");
    let (json, rest) = rest.split_once("</script>").expect("ends");
    assert_eq!(rest.matches("</script>").count(), 1, "nothing in the data ends its element");
    serde_json::from_str(json).expect("is JSON")
}

#[test]
fn a_page_shows_what_json_says_and_can_be_made_of_it() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(.*", "**/*.py"))
        .contract(&warning(&forbid("no-todo", "TODO", "**/*.py")))
        .file("a.py", "print('</script><script>alert(1)</script>')\n# TODO\n")
        .file("b.py", "print(2)  # phaser:ignore no-print\n");
    let output = sandbox.run(["enforce", "--all", "--output", "report.html"]);
    assert_eq!(output.code, Some(1), "{output}");
    let page = std::fs::read_to_string(sandbox.path("report.html")).expect("written");
    let shown = data(&page);
    let expected = json!({ "errors": 1, "warnings": 1, "ignored": 1, "existing": 0, "baselined": 0 });
    assert_eq!(shown["summary"], expected);
    assert_eq!(shown["paths"], json!(["a.py", "b.py"]));
    assert_eq!(shown["rows"][0][5], "print('</script><script>alert(1)</script>')");

    for format in ["json", "sarif"] {
        sandbox.run(["enforce", "--all", "--format", format, "--output", "report"]);
        let output = sandbox.run(["report", "html", "report"]);
        assert_eq!(output.code, Some(0), "{output}");
        let again = data(&output.stdout);
        assert_eq!(
            (&again["summary"]["errors"], &again["summary"]["warnings"]),
            (&json!(1), &json!(1)),
            "{format}"
        );
        assert_eq!(again["rows"][0][2], json!(1), "{format}");
    }
    let output = sandbox.run(["report", "html", "a.py"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("a.py: not JSON"), "{output}");
}
