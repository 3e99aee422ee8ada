//! Dates as git takes them.

use std::time::SystemTime;

/// The time that a text names, in seconds since 1970; what is relative counts from `now`.
///
/// # Errors
///
/// When it names none: what to write.
pub fn seconds_of(text: &str, now: SystemTime) -> Result<i64, String> {
    let text = text.trim();
    // What ends in Z is in UTC; the parser wants that in numbers.
    let in_numbers =
        text.strip_suffix(['Z', 'z']).filter(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
    let in_numbers = in_numbers.map(|rest| format!("{rest}+00:00"));
    let parsed = gix::date::parse(in_numbers.as_deref().unwrap_or(text), now.try_into().ok());
    parsed
        .map(|time| time.seconds)
        .map_err(|_| "write a date such as 2026-01-31, 2026-01-31T12:00:00Z or '6 weeks ago'".to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const DAY: i64 = 24 * 60 * 60;

    fn at(text: &str) -> Result<i64, String> {
        // 2026-01-31, noon.
        seconds_of(text, SystemTime::UNIX_EPOCH + Duration::from_secs(1_769_860_800))
    }

    #[test]
    fn dates_are_read_as_git_reads_them() {
        let day = 1_769_817_600;
        for (text, expected) in [
            ("2026-01-31", day),
            ("2026-01-31T12:00:00Z", day + DAY / 2),
            ("2026-01-31T12:00:00+00:00", day + DAY / 2),
            ("2026-01-31T12:00:00+02:00", day + DAY / 2 - 7200),
            ("2026-01-31 12:00:00 +0000", day + DAY / 2),
            ("1969-12-31", -DAY),
            ("@0", 0),
            (" 1 day ago ", day + DAY / 2 - DAY),
            ("2 weeks ago", day + DAY / 2 - 14 * DAY),
            ("2.weeks.ago", day + DAY / 2 - 14 * DAY),
            ("1 year ago", day + DAY / 2 - 365 * DAY),
            ("yesterday", day + DAY / 2 - DAY),
        ] {
            assert_eq!(at(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_answered_with_what_one_is() {
        for text in ["", "soon", "2026-13-01", "2026-02-30", "week", "Z", "--", "1e9", "🦀"] {
            let error = at(text).expect_err(text);
            assert!(error.starts_with("write a date such as 2026-01-31"), "{text}: {error}");
        }
    }
}
