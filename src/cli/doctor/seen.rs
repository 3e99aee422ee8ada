//! When each agent's hooks were last seen at work, from the decision log.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::Diagnosis;
use crate::agents::Agent;
use crate::cli::environment::Environment;
use crate::decisions::log::Log;
use phaser_project::source::git::history::seconds_of;

/// Prints a line per agent in the log, with its last event.
pub fn check(environment: &Environment, diagnosis: &mut Diagnosis) {
    let log = Log::of(&environment.root(), environment.state_home());
    let records = log.map(|log| log.read()).unwrap_or_default();
    let last: BTreeMap<&str, _> = records.iter().map(|record| (record.agent.as_str(), record)).collect();
    for (agent, record) in last {
        let title = Agent::ALL.into_iter().find(|known| known.name() == agent);
        let title = title.map_or_else(|| agent.to_owned(), |agent| agent.title().to_owned());
        // The fraction of a second is after the 19th character.
        let time =
            record.time.get(..19).and_then(|time| seconds_of(&format!("{time}Z"), SystemTime::now()).ok());
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        let Some(ago) = time.map(|time| now.saturating_sub(time).max(0)) else { continue };
        diagnosis.ok(format!("{title}: {} {} ago", record.event, duration(ago)));
    }
}

/// A number of seconds in its largest unit: `4 s`, `3 min`, `2 h`, `5 d`.
fn duration(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn duration_has_largest_unit() {
        let shown = [0, 59, 60, 3599, 3600, 86_399, 86_400].map(duration);
        assert_eq!(shown, ["0 s", "59 s", "1 min", "59 min", "1 h", "23 h", "1 d"]);
    }
}
