//! Counts over the log: what each contract did, per agent and per day, and which contracts never fired.
//!
//! A denial is *obeyed* if the next edit of the same file in the same session does not violate the contract, and *repeated*
//! if it is the third or a later one of the contract for the file in the session. Example: three denials of `no-eval` for
//! `a.py`, then a clean edit of `a.py`, count as denied 3, repeated 1, obeyed 1.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::DecisionRecord;
use super::repeats::EXPLAINED;

pub const VERSION: u32 = 1;

/// The output of `phaser decisions --format json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub version: u32,
    /// By the number of denials, then by id.
    pub contracts: Vec<ContractCounts>,
    pub agents: Vec<AgentCounts>,
    /// Oldest first.
    pub days: Vec<DayCounts>,
    /// The contracts of the project that no event violated.
    pub never: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractCounts {
    pub id: String,
    /// Events that were denied, or for which the user was asked.
    pub denied: usize,
    /// Edits that were fixed before they were made.
    pub fixed: usize,
    pub obeyed: usize,
    pub repeated: usize,
    /// The time of the last violation.
    pub last: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCounts {
    pub agent: String,
    pub events: usize,
    pub denied: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayCounts {
    pub day: String,
    pub events: usize,
    pub denied: usize,
}

/// Which records count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordFilter {
    /// From this time on, in the format of the log.
    pub since: Option<String>,
    pub contract: Option<String>,
    pub agent: Option<String>,
}

impl RecordFilter {
    fn selects(&self, record: &DecisionRecord) -> bool {
        self.since.as_ref().is_none_or(|since| record.time >= *since)
            && self.agent.as_ref().is_none_or(|agent| record.agent == *agent)
    }

    fn selects_contract(&self, id: &str) -> bool {
        self.contract.as_ref().is_none_or(|contract| contract == id)
    }
}

impl Summary {
    /// Counts the records, oldest first. `known` are the ids of the project's contracts.
    pub fn of(records: &[DecisionRecord], known: &BTreeSet<String>, filter: &RecordFilter) -> Self {
        let records: Vec<&DecisionRecord> = records.iter().filter(|record| filter.selects(record)).collect();
        let contracts = contracts(&records, filter);
        let fired: BTreeSet<&str> = contracts.iter().map(|counts| counts.id.as_str()).collect();
        let never = known.iter().filter(|id| filter.selects_contract(id) && !fired.contains(id.as_str()));
        let about = |record: &&&DecisionRecord| match &filter.contract {
            None => true,
            Some(id) => record.contracts.iter().any(|violation| violation.id == *id),
        };
        let (mut agents, mut days) = (BTreeMap::new(), BTreeMap::new());
        for record in records.iter().filter(about) {
            let day = record.time.get(..10).unwrap_or_default();
            for (events, denied) in
                [agents.entry(record.agent.as_str()).or_insert((0, 0)), days.entry(day).or_insert((0, 0))]
            {
                *events += 1;
                *denied += usize::from(record.is_denial());
            }
        }
        let agent =
            |(agent, (events, denied)): (&str, _)| AgentCounts { agent: agent.to_owned(), events, denied };
        let day = |(day, (events, denied)): (&str, _)| DayCounts { day: day.to_owned(), events, denied };
        Self {
            version: VERSION,
            never: never.cloned().collect(),
            agents: agents.into_iter().map(agent).collect(),
            days: days.into_iter().map(day).collect(),
            contracts,
        }
    }
}

fn contracts(records: &[&DecisionRecord], filter: &RecordFilter) -> Vec<ContractCounts> {
    let mut counts: BTreeMap<&str, ContractCounts> = BTreeMap::new();
    let mut denials: HashMap<(&str, Option<&str>, Option<&str>), usize> = HashMap::new();
    for (at, record) in records.iter().enumerate() {
        let ids: BTreeSet<&str> = record.contracts.iter().map(|violation| violation.id.as_str()).collect();
        for id in ids.into_iter().filter(|id| filter.selects_contract(id)) {
            let counts = counts.entry(id).or_default();
            counts.last.clone_from(&record.time);
            counts.fixed += usize::from(record.fixed);
            if !record.is_denial() {
                continue;
            }
            counts.denied += 1;
            let place = (id, record.session.as_deref(), record.path.as_deref());
            let ordinal = denials.entry(place).and_modify(|count| *count += 1).or_insert(1);
            counts.repeated += usize::from(*ordinal >= EXPLAINED);
            counts.obeyed += usize::from(is_obeyed(record, id, &records[at + 1..]));
        }
    }
    let mut counts: Vec<ContractCounts> =
        counts.into_iter().map(|(id, counts)| ContractCounts { id: id.to_owned(), ..counts }).collect();
    counts.sort_by(|one, other| other.denied.cmp(&one.denied).then_with(|| one.id.cmp(&other.id)));
    counts
}

/// Whether the next edit of the file in the session does not violate the contract.
fn is_obeyed(denial: &DecisionRecord, id: &str, later: &[&DecisionRecord]) -> bool {
    let is_next = |record: &&&DecisionRecord| {
        record.is_edit() && (&record.session, &record.path) == (&denial.session, &denial.path)
    };
    let next = later.iter().find(is_next);
    denial.path.is_some()
        && next.is_some_and(|next| !next.contracts.iter().any(|violation| violation.id == id))
}

#[cfg(test)]
mod tests {
    use super::super::RecordedViolation;
    use super::*;

    fn record(time: usize, session: &str, path: &str, decision: &str, ids: &[&str]) -> DecisionRecord {
        let violation = |id: &&str| RecordedViolation {
            id: (*id).to_owned(),
            line: Some(1),
            digest: String::new(),
            severity: "error".to_owned(),
        };
        DecisionRecord {
            time: format!("2026-01-{:02}T12:00:00.000Z", time / 10 + 1),
            agent: if session == "x" { "codex" } else { "claude" }.to_owned(),
            session: Some(session.to_owned()),
            event: "PreToolUse".to_owned(),
            path: Some(path.to_owned()),
            decision: (!decision.is_empty()).then(|| decision.to_owned()),
            contracts: ids.iter().map(violation).collect(),
            ..DecisionRecord::default()
        }
    }

    fn known() -> BTreeSet<String> {
        ["a", "b", "idle"].map(str::to_owned).into()
    }

    #[test]
    fn counts_denied_obeyed_and_repeated() {
        let mut records = vec![
            record(0, "s", "a.py", "deny", &["a", "a"]),
            record(1, "s", "b.py", "deny", &["a"]),
            record(2, "s", "a.py", "deny", &["a", "b"]),
            record(3, "x", "a.py", "allow", &[]),
            record(11, "s", "a.py", "deny", &["a"]),
            record(12, "s", "a.py", "allow", &[]),
        ];
        records.push(DecisionRecord { fixed: true, ..record(12, "s", "a.py", "", &["b"]) });
        let summary = Summary::of(&records, &known(), &RecordFilter::default());
        let counts = |summary: &Summary| {
            let of =
                |one: &ContractCounts| (one.id.clone(), [one.denied, one.fixed, one.obeyed, one.repeated]);
            summary.contracts.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(counts(&summary), [("a".to_owned(), [4, 0, 1, 1]), ("b".to_owned(), [1, 1, 1, 0])]);
        assert_eq!(summary.contracts[0].last, "2026-01-02T12:00:00.000Z");
        let agents: Vec<_> =
            summary.agents.iter().map(|one| (one.agent.as_str(), one.events, one.denied)).collect();
        assert_eq!(agents, [("claude", 6, 4), ("codex", 1, 0)]);
        let days: Vec<_> =
            summary.days.iter().map(|one| (one.day.as_str(), one.events, one.denied)).collect();
        assert_eq!(days, [("2026-01-01", 4, 3), ("2026-01-02", 3, 1)]);
        assert_eq!(summary.never, ["idle"]);

        let filter = RecordFilter { contract: Some("b".to_owned()), ..RecordFilter::default() };
        let only = Summary::of(&records, &known(), &filter);
        assert_eq!(counts(&only), [("b".to_owned(), [1, 1, 1, 0])]);
        assert_eq!((only.agents[0].events, only.never.len()), (2, 0));
        let filter = RecordFilter { agent: Some("codex".to_owned()), ..RecordFilter::default() };
        assert_eq!(Summary::of(&records, &known(), &filter).never.len(), 3);
        let filter = RecordFilter { since: Some("2026-01-02".to_owned()), ..RecordFilter::default() };
        assert_eq!(counts(&Summary::of(&records, &known(), &filter))[0].1, [1, 0, 1, 0]);
    }
}
