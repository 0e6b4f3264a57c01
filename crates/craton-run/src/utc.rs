//! The wall clock, for run records.

use craton_formats::DateTime;
use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_PER_DAY: u64 = 86_400;

/// The current UTC time in RFC 3339 format with a resolution of one second: `2026-03-21T14:07:59Z`.
#[must_use]
pub fn utc_now() -> String {
    // A clock set before 1970 must not make a run fail; the record then says 1970.
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    rfc3339(since_epoch.as_secs())
}

/// Formats a time in seconds since 1970-01-01T00:00:00Z as RFC 3339 (proleptic Gregorian calendar, no leap seconds).
fn rfc3339(seconds: u64) -> String {
    let (mut day, second) = (seconds / SECONDS_PER_DAY, seconds % SECONDS_PER_DAY);
    let mut year = 1970;
    while day >= days_in_year(year) {
        day -= days_in_year(year);
        year += 1;
    }
    let (month, day) = DateTime::month_and_day(year, day as u16 + 1).expect("the day lies in the year");
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn days_in_year(year: i32) -> u64 {
    let last_day = DateTime { year, month: 12, day: 31, hour: 0, minute: 0, second: 0.0 };
    u64::from(last_day.day_of_year())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected texts are the output of `date -u -d @SECONDS +%FT%TZ`.
    #[test]
    fn seconds_become_dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds), text);
        }
    }
}
