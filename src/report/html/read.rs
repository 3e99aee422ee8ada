//! Builds a page from written reports: JSON, SARIF, or another page, whose data is read back.

use std::sync::Arc;

use serde::Deserialize as _;
use serde_json::Value;

use super::super::trend::Trend;
use super::{Page, Provenance, ReportReadError, ReportedViolation, ViolationRow};

impl Page {
    /// Adds a report in JSON, SARIF or HTML.
    ///
    /// # Errors
    ///
    /// The bytes are in none of these formats.
    pub fn add_report(&mut self, bytes: &[u8]) -> Result<(), ReportReadError> {
        let page = page_data(bytes);
        let report: Value = serde_json::from_slice(page.unwrap_or(bytes))?;
        if page.is_some() {
            self.add_page(&report);
        } else if report["runs"].is_array() {
            self.add_sarif(&report);
        } else if report["violations"].is_array() && report["version"].is_u64() {
            self.add_json(&report);
        } else {
            return Err(ReportReadError::Unknown);
        }
        // JSON and SARIF do not have it.
        let provenance = page.and_then(|_| Provenance::deserialize(&report["provenance"]).ok());
        let provenance = provenance.unwrap_or_default();
        self.shown.provenance = match self.shown.reports {
            0 => provenance,
            _ => std::mem::take(&mut self.shown.provenance).common(provenance),
        };
        self.shown.reports += 1;
        self.sort();
        Ok(())
    }

    /// Sorts the rows by path, position and contract.
    fn sort(&mut self) {
        let (paths, contracts) = (&self.shown.paths, &self.shown.contracts);
        let key = |&ViolationRow(contract, path, line, column, ..): &ViolationRow| {
            (paths[path].as_str(), line, column, contracts[contract].id.as_str())
        };
        self.shown.rows.sort_by(|a, b| key(a).cmp(&key(b)));
    }

    /// Adds the output of `phaser history --format json`.
    ///
    /// # Errors
    ///
    /// The bytes are no history.
    pub fn add_history(&mut self, bytes: &[u8]) -> Result<(), ReportReadError> {
        self.add_trend(Trend::read(bytes)?);
        Ok(())
    }

    fn add_json(&mut self, report: &Value) {
        self.shown.checked += items(&report["files_checked"]).len();
        for (list, reason) in [("skipped", "reason"), ("warnings", "message")] {
            let gaps = items(&report[list]).iter();
            let gap = |gap: &Value| (text(&gap["file_path"]).to_owned(), text(&gap[reason]).to_owned());
            self.shown.gaps.extend(gaps.map(gap));
        }
        for violation in items(&report["violations"]).iter().chain(items(&report["suppressed"])) {
            self.add(&ReportedViolation {
                id: text(&violation["rule_id"]),
                severity: text(&violation["severity"]),
                message: text(&violation["message"]),
                path: text(&violation["file_path"]),
                place: place(&violation["line_number"], &violation["column"]),
                state: violation["state"].as_str().unwrap_or("open"),
                text: violation["matched_text"].as_str().map(Arc::from),
                marked: 0,
                note: violation["change"].as_str().or(violation["note"].as_str()).map(Into::into),
                has_fix: violation["fix"].is_object(),
            });
        }
    }

    fn add_page(&mut self, page: &Value) {
        if self.shown.about.is_empty() {
            self.shown.about = text(&page["about"]).to_owned();
        }
        self.shown.checked += number(&page["checked"]).unwrap_or_default();
        let gaps = items(&page["gaps"]).iter();
        self.shown.gaps.extend(gaps.map(|gap| (text(&gap[0]).to_owned(), text(&gap[1]).to_owned())));
        let entry = |list: &str, at: &Value| &page[list][number(at).unwrap_or(usize::MAX)];
        for row in items(&page["rows"]) {
            let contract = entry("contracts", &row[0]);
            self.add(&ReportedViolation {
                id: text(&contract["id"]),
                severity: text(&contract["severity"]),
                message: text(&contract["message"]),
                path: text(entry("paths", &row[1])),
                place: place(&row[2], &row[3]).filter(|(line, _)| *line > 0),
                state: text(entry("states", &row[4])),
                text: row[5].as_str().map(Arc::from),
                marked: number(&row[6]).unwrap_or_default(),
                has_fix: row[7] == 1,
                note: row[8].as_str().map(Into::into),
            });
        }
    }

    fn add_sarif(&mut self, log: &Value) {
        for run in items(&log["runs"]) {
            for result in items(&run["results"]) {
                let location = &result["locations"][0]["physicalLocation"];
                let region = &location["region"];
                let suppressions = items(&result["suppressions"]);
                self.add(&ReportedViolation {
                    id: text(&result["ruleId"]),
                    severity: match result["level"].as_str() {
                        Some("warning" | "note") => "warning",
                        _ => "error",
                    },
                    message: text(&result["message"]["text"]),
                    path: text(&location["artifactLocation"]["uri"]),
                    place: place(&region["startLine"], &region["startColumn"]),
                    state: state(suppressions.first(), result),
                    text: region["snippet"]["text"].as_str().map(Arc::from),
                    marked: 0,
                    note: None,
                    has_fix: !items(&result["fixes"]).is_empty(),
                });
            }
        }
    }
}

/// The state of a SARIF result.
fn state(suppression: Option<&Value>, result: &Value) -> &'static str {
    match (suppression, result["baselineState"].as_str()) {
        (Some(suppression), _) if suppression["kind"] == "inSource" => "ignored",
        (Some(_), _) => "baselined",
        (None, Some("unchanged")) => "existing",
        (None, _) => "open",
    }
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

fn place(line: &Value, column: &Value) -> Option<(usize, usize)> {
    Some((number(line)?, number(column).unwrap_or(1)))
}

/// The JSON data of a page; `None` for other files.
fn page_data(bytes: &[u8]) -> Option<&[u8]> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.starts_with('<'))?;
    let (_, data) = text.split_once(r#"<script type="application/json" id="data">"#)?;
    data.split_once("</script>").map(|(data, _)| data.as_bytes())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::data;
    use super::*;

    #[test]
    fn combines_json_and_sarif() {
        let one = json!({ "version": 1, "files_checked": ["a.py", "b.py"], "skipped": [], "warnings": [],
            "violations": [{ "rule_id": "x", "file_path": "a.py", "line_number": 3, "column": 2,
                "message": "m", "severity": "warning", "matched_text": "print(", "state": "open" }],
            "suppressed": [{ "rule_id": "x", "file_path": "b.py", "line_number": null, "column": null,
                "message": "m", "severity": "warning", "matched_text": null, "state": "ignored" }] });
        let two = json!({ "version": "2.1.0", "runs": [{ "results": [{ "ruleId": "y", "level": "error",
            "message": { "text": "n" }, "locations": [{ "physicalLocation": {
                "artifactLocation": { "uri": "c.py" }, "region": { "startLine": 1, "startColumn": 1 } } }] }] }] });
        let mut page = Page::new("two reports");
        page.add_report(one.to_string().as_bytes()).expect("is JSON of phaser's");
        page.add_report(two.to_string().as_bytes()).expect("is SARIF");
        let history =
            json!({ "version": 1, "commits": [{ "id": "c", "time": 1, "errors": 2, "warnings": 3 }] });
        page.add_history(history.to_string().as_bytes()).expect("is a history");
        let data = data(&page);
        assert_eq!(
            data["summary"],
            json!({ "errors": 1, "warnings": 1, "ignored": 1, "existing": 0, "baselined": 0 })
        );
        assert_eq!((&data["checked"], &data["history"][0]["errors"]), (&json!(2), &json!(2)));
        assert_eq!((&data["reports"], &data["paths"]), (&json!(2), &json!(["a.py", "b.py", "c.py"])));
        assert_eq!(data["rows"][0], json!([0, 0, 3, 2, 0, "print(", 0, 0]));
    }

    #[test]
    fn sorts_rows_of_several_reports() {
        let one = |path: &str, line: usize| {
            json!({ "rule_id": "x", "file_path": path, "line_number": line, "column": 1,
            "message": "m", "severity": "error", "matched_text": null, "state": "open", "fix": { "start": 1 }, "note": "n" })
        };
        let report = |violations: Vec<Value>| json!({ "version": 1, "violations": violations }).to_string();
        let mut page = Page::new("");
        page.add_report(report(vec![one("b", 1), one("b", 9)]).as_bytes()).expect("a report");
        page.add_report(report(vec![one("a", 2), one("b", 5)]).as_bytes()).expect("a report");
        let data = data(&page);
        let rows: Vec<_> = items(&data["rows"])
            .iter()
            .map(|row| (text(&data["paths"][row[1].as_u64().expect("a number") as usize]), row[2].as_u64()))
            .collect();
        assert_eq!(rows, [("a", Some(2)), ("b", Some(1)), ("b", Some(5)), ("b", Some(9))]);
        assert_eq!(data["rows"][0][8], "n");
    }

    #[test]
    fn page_round_trips() {
        let one = |line: Value, state: &str| {
            json!({ "rule_id": "<x>", "file_path": "a/</script>", "line_number": line, "column": line,
            "message": "<!--", "severity": "warning", "matched_text": line.as_u64().map(|_| "</script>"), "state": state,
            "fix": {} })
        };
        let report = json!({ "version": 1, "files_checked": ["a"], "violations": [one(json!(3), "open"), one(Value::Null, "open")],
            "suppressed": [one(json!(4), "baselined")], "skipped": [{ "file_path": "<", "reason": "r" }], "warnings": [] });
        let mut first = Page::new("about");
        first.add_report(report.to_string().as_bytes()).expect("a report");
        let mut bytes = Vec::new();
        first.write(&mut bytes).expect("written");
        let mut second = Page::new("");
        second.add_report(&bytes).expect("a page");
        assert_eq!(data(&second), data(&first));
        assert_eq!(data(&second)["summary"]["baselined"], 1);
    }

    #[test]
    fn page_merges_provenance_of_reports() {
        let page = |time: i64, commit: &str| {
            let provenance = json!({ "time": time, "commit": commit, "branch": "main" });
            let data = json!({ "provenance": provenance, "rows": [[0, 0, 1, 3, 0, "a = b", 1, 1]],
                "contracts": [{}], "paths": ["p"], "states": ["open"] });
            format!("<html><script type=\"application/json\" id=\"data\">{data}</script>")
        };
        let of = |reports: &[String]| {
            let mut shown = Page::new("");
            reports.iter().for_each(|report| shown.add_report(report.as_bytes()).expect("a report"));
            data(&shown)
        };
        let one = of(&[page(9, "c")]);
        assert_eq!(one["provenance"], json!({ "time": 9, "commit": "c", "branch": "main" }));
        assert_eq!(one["rows"][0], json!([0, 0, 1, 3, 0, "a = b", 1, 1]));
        assert_eq!(
            of(&[page(9, "c"), page(8, "c")])["provenance"],
            json!({ "time": 8, "commit": "c", "branch": "main" })
        );
        assert_eq!(
            of(&[page(7, "c"), page(8, "d")])["provenance"],
            json!({ "time": 7, "commit": "", "branch": "" })
        );
        let json = json!({ "version": 1, "violations": [] }).to_string();
        for reports in [[page(7, "c"), json.clone()], [json, page(7, "c")]] {
            assert_eq!(of(&reports)["provenance"], json!({ "time": null, "commit": "", "branch": "" }));
        }
    }

    #[test]
    fn damaged_page_does_not_panic() {
        let page =
            |data: &str| format!("<html><script type=\"application/json\" id=\"data\">{data}</script>");
        for (data, rows) in
            [("{}", Some(0)), (r#"{"rows":[[9,9,9,9,9,9]],"paths":[]}"#, Some(1)), ("{", None)]
        {
            let mut shown = Page::new("");
            let read = shown.add_report(page(data).as_bytes());
            assert_eq!(read.ok().map(|()| shown.shown.rows.len()), rows, "{data}");
        }
        assert!(Page::new("").add_report(b"<html></html>").is_err());
    }

    #[test]
    fn page_may_have_only_history() {
        let mut page = Page::new("");
        page.add_history(br#"{"version":1,"commits":[]}"#).expect("a history");
        let data = data(&page);
        assert_eq!((&data["reports"], &data["history"]), (&json!(0), &json!([])));
    }

    #[test]
    fn rejects_other_files() {
        for bytes in ["", "[]", "{}", r#"{"version":1}"#] {
            assert!(Page::new("").add_report(bytes.as_bytes()).is_err(), "{bytes}");
        }
        assert!(Page::new("").add_history(b"{}").is_err());
    }
}
