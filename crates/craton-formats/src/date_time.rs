//! Calendar time in UTC, as in event catalogues and seismograms.

/// Seconds per day, without leap seconds.
const DAY: f64 = 86_400.0;

/// Days in ten thousand years.
const LARGEST_SHIFT: f64 = 3_652_425.0;

/// Microseconds per day, without leap seconds.
const DAY_MICROSECONDS: i64 = 86_400_000_000;
/// Largest magnitude of a year, so that microseconds fit into 64 bits.
const FARTHEST_YEAR: i32 = 100_000;

/// A time in UTC, in the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DateTime {
    /// Year.
    pub year: i32,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day of the month, from 1.
    pub day: u8,
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute, 0 to 59.
    pub minute: u8,
    /// Second with its fraction [s], below 61 (a leap second is allowed).
    pub second: f64,
}

impl DateTime {
    /// Whether the date exists, at most 100,000 years from year 0, and the time is within the day.
    pub fn is_valid(&self) -> bool {
        (-FARTHEST_YEAR..=FARTHEST_YEAR).contains(&self.year)
            && (1..=12).contains(&self.month)
            && (1..=days_in_month(self.year, self.month)).contains(&self.day)
            && self.hour < 24
            && self.minute < 60
            && (0.0..61.0).contains(&self.second)
    }

    /// Day of the year, from 1 (1 January).
    pub fn day_of_year(&self) -> u16 {
        let before = (1..self.month).map(|month| u16::from(days_in_month(self.year, month)));
        before.sum::<u16>() + u16::from(self.day)
    }

    /// Month and day of a day of the year (from 1), or `None` after the end of the year.
    pub fn month_and_day(year: i32, day_of_year: u16) -> Option<(u8, u8)> {
        let mut left = day_of_year.checked_sub(1)?;
        for month in 1..=12 {
            let days = u16::from(days_in_month(year, month));
            if left < days {
                return Some((month, (left + 1) as u8));
            }
            left -= days;
        }
        None
    }

    /// Time `seconds` later (earlier if negative), ignoring leap seconds.
    ///
    /// # Arguments
    /// * `seconds` – limited to plus or minus ten thousand years
    pub fn later_by(self, seconds: f64) -> Self {
        let of_day = 3600.0 * f64::from(self.hour) + 60.0 * f64::from(self.minute) + self.second + seconds;
        let days = (of_day / DAY).floor().clamp(-LARGEST_SHIFT, LARGEST_SHIFT);
        let of_day = (of_day - days * DAY).clamp(0.0, DAY.next_down());
        let (mut year, mut day) = (self.year, i64::from(self.day_of_year()) + days as i64);
        while day < 1 {
            year -= 1;
            day += days_in_year(year);
        }
        while day > days_in_year(year) {
            day -= days_in_year(year);
            year += 1;
        }
        let (month, day) = Self::month_and_day(year, day as u16).expect("the day lies in the year");
        let (hour, of_hour) = ((of_day / 3600.0).floor(), of_day % 3600.0);
        let minute = (of_hour / 60.0).floor();
        Self { year, month, day, hour: hour as u8, minute: minute as u8, second: of_hour - 60.0 * minute }
    }

    /// Time after another one [s], to the microsecond, ignoring leap seconds.
    pub fn seconds_after(&self, other: &Self) -> f64 {
        (self.microseconds() - other.microseconds()) as f64 / 1e6
    }

    /// Formats the time as in XML, rounded to microseconds: `2010-02-27T06:34:11.530000Z`.
    pub fn iso(&self) -> String {
        let Self { year, month, day, hour, minute, second } = Self::from_microseconds(self.microseconds());
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:09.6}Z")
    }

    /// Formats the fields as they are, also of an invalid time.
    pub(crate) fn fields(&self) -> String {
        let Self { year, month, day, hour, minute, second } = self;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:09.6}")
    }

    /// Parses a date of XML, `2010-02-27T06:34:11.53Z`; `None` if it is invalid. Without a time zone it is in UTC, without a time it is at
    /// the start of the day.
    pub fn from_iso(text: &str) -> Option<Self> {
        let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00:00"));
        let (time, minutes_ahead) = without_zone(time)?;
        let [year, month, day] = three_parts(date, '-')?;
        let [hour, minute, second] = three_parts(time, ':')?;
        let is_plain = second.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let moment = Self {
            year: i32::from(parse_digits(year)?),
            month: u8::try_from(parse_digits(month)?).ok()?,
            day: u8::try_from(parse_digits(day)?).ok()?,
            hour: u8::try_from(parse_digits(hour)?).ok()?,
            minute: u8::try_from(parse_digits(minute)?).ok()?,
            second: second.parse().ok().filter(|_| is_plain)?,
        };
        let in_utc = || match minutes_ahead {
            0 => moment,
            minutes => Self::from_microseconds(moment.microseconds() - minutes * 60_000_000),
        };
        moment.is_valid().then(in_utc)
    }

    /// Microseconds since 1970, rounded; second 60 is the first second of the next minute.
    pub(crate) fn microseconds(&self) -> i64 {
        let days = days_before(self.year) - days_before(1970) + i64::from(self.day_of_year()) - 1;
        let minutes = 60 * i64::from(self.hour) + i64::from(self.minute);
        days * DAY_MICROSECONDS + minutes * 60_000_000 + (self.second * 1e6).round() as i64
    }

    /// Nanoseconds since the start of 1970, ignoring leap seconds; the year must be between 1700 and 2200.
    pub(crate) fn nanoseconds(&self) -> i64 {
        let whole = self.second.floor();
        let second = Self { second: whole, ..*self }.microseconds() / 1_000_000;
        second * 1_000_000_000 + ((self.second - whole) * 1e9).round() as i64
    }

    /// Time `microseconds` after the start of 1970.
    ///
    /// # Arguments
    /// * `microseconds` – of either sign, up to some hundred thousand years
    pub(crate) fn from_microseconds(microseconds: i64) -> Self {
        let days = microseconds.div_euclid(DAY_MICROSECONDS) + days_before(1970);
        let of_day = microseconds.rem_euclid(DAY_MICROSECONDS);
        // An estimate by the mean length of a year; the loops correct it by one.
        let mut year = (days as f64 / 365.2425) as i32 + 1;
        while days_before(year) > days {
            year -= 1;
        }
        while days_before(year + 1) <= days {
            year += 1;
        }
        let day_of_year = (days - days_before(year) + 1) as u16;
        let (month, day) = Self::month_and_day(year, day_of_year).expect("the day lies in the year");
        Self {
            year,
            month,
            day,
            hour: (of_day / 3_600_000_000) as u8,
            minute: (of_day / 60_000_000 % 60) as u8,
            second: (of_day % 60_000_000) as f64 / 1e6,
        }
    }
}

/// Splits off the time zone; returns the time and the zone's offset from UTC in minutes.
fn without_zone(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let Some(at) = time.find(['+', '-']) else { return Some((time, 0)) };
    let (time, zone) = time.split_at(at);
    let (hours, minutes) = zone[1..].split_once(':')?;
    let minutes = 60 * i64::from(parse_digits(hours)?) + i64::from(parse_digits(minutes)?);
    Some((time, if zone.starts_with('-') { -minutes } else { minutes }))
}

fn three_parts(text: &str, between: char) -> Option<[&str; 3]> {
    text.split(between).collect::<Vec<_>>().try_into().ok()
}

/// Parses an integer of up to four digits.
fn parse_digits(digits: &str) -> Option<u16> {
    let is_whole = (1..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_whole)
}

/// Days from the start of year 1 to the start of a year.
fn days_before(year: i32) -> i64 {
    let years = i64::from(year) - 1;
    365 * years + years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400)
}

fn days_in_year(year: i32) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(year: i32, month: u8, day: u8) -> DateTime {
        DateTime { year, month, day, hour: 0, minute: 0, second: 0.0 }
    }

    #[test]
    fn the_day_of_the_year_accounts_for_leap_years() {
        assert_eq!(date(1994, 6, 9).day_of_year(), 160);
        assert_eq!(date(2000, 12, 31).day_of_year(), 366);
        assert_eq!(date(1900, 12, 31).day_of_year(), 365);
    }

    #[test]
    fn the_day_of_the_year_survives_a_round_trip_on_every_day() {
        for year in [1999, 2000] {
            for day_of_year in 1..=365 {
                let (month, day) = DateTime::month_and_day(year, day_of_year).unwrap();
                assert_eq!(date(year, month, day).day_of_year(), day_of_year);
            }
        }
        assert_eq!(DateTime::month_and_day(1999, 366), None);
        assert_eq!(DateTime::month_and_day(1999, 0), None);
    }

    #[test]
    fn seconds_carry_over_days_and_years() {
        let time = |(year, month, day), (hour, minute, second)| DateTime { year, month, day, hour, minute, second };
        let origin = time((1994, 6, 9), (0, 33, 16.4));
        for (start, seconds, later) in [
            (origin, 47.06, time((1994, 6, 9), (0, 34, 3.46))),
            (origin, -2000.0, time((1994, 6, 8), (23, 59, 56.4))),
            (time((1999, 12, 31), (23, 59, 59.5)), 1.0, time((2000, 1, 1), (0, 0, 0.5))),
            (time((2000, 1, 1), (0, 0, 0.0)), -0.25, time((1999, 12, 31), (23, 59, 59.75))),
            (time((2000, 2, 28), (12, 0, 0.0)), 86_400.0 * 367.0, time((2001, 3, 1), (12, 0, 0.0))),
            (time((2016, 12, 31), (23, 59, 60.5)), 0.0, time((2017, 1, 1), (0, 0, 0.5))),
        ] {
            let found = start.later_by(seconds);
            assert!((found.second - later.second).abs() < 1e-9, "{found:?} instead of {later:?}");
            assert_eq!(DateTime { second: later.second, ..found }, later);
        }
        assert!(date(2000, 1, 1).later_by(-1e-300).is_valid());
        // Damaged headers may hold any number.
        for (seconds, year) in [(2e38, 12_000), (-2e38, -8_001)] {
            let far = date(2000, 1, 1).later_by(seconds);
            assert!(far.is_valid() && (far.year - year).abs() < 2, "{far:?}");
        }
    }

    #[test]
    fn microseconds_since_1970_survive_a_round_trip_on_every_day() {
        assert_eq!(date(1970, 1, 1).microseconds(), 0);
        assert_eq!(DateTime { hour: 1, second: 0.25, ..date(2000, 3, 1) }.microseconds(), 951_872_400_250_000);
        assert_eq!(DateTime { second: 60.5, ..date(1970, 1, 1) }.microseconds(), 60_500_000);
        assert_eq!(DateTime { second: 16.4, ..date(1994, 6, 9) }.nanoseconds(), 771_120_016_400_000_000);
        assert_eq!(DateTime { hour: 23, second: 0.25, ..date(1969, 12, 31) }.nanoseconds(), -3_599_750_000_000);
        for day in -300_000..300_000 {
            let noon = DateTime::from_microseconds(day * DAY_MICROSECONDS + DAY_MICROSECONDS / 2 + 1);
            assert!(noon.is_valid());
            assert_eq!((noon.hour, noon.minute, noon.second), (12, 0, 1e-6));
            assert_eq!(noon.microseconds(), day * DAY_MICROSECONDS + DAY_MICROSECONDS / 2 + 1);
        }
    }

    #[test]
    fn dates_of_xml_are_read_in_any_zone() {
        let moment = DateTime { hour: 6, minute: 34, second: 11.53, ..date(2010, 2, 27) };
        for text in [
            "2010-02-27T06:34:11.53Z",
            "2010-02-27T06:34:11.530000",
            "2010-02-27 06:34:11.53",
            "2010-02-27T06:34:11.53+00:00",
            "2010-02-27T12:04:11.53+05:30",
            "2010-02-26T22:34:11.53-08:00",
        ] {
            assert_eq!(DateTime::from_iso(text), Some(moment), "{text}");
        }
        assert_eq!(DateTime::from_iso("2599-12-31"), Some(date(2599, 12, 31)));
        for text in ["", "2010-02-29T00:00:00Z", "2010-02-27T06:34Z", "20100227", "2010-02-27T06:34:1e1", "27.02.2010"]
        {
            assert_eq!(DateTime::from_iso(text), None, "{text}");
        }
    }

    #[test]
    fn days_that_do_not_exist_are_invalid() {
        assert!(date(2000, 2, 29).is_valid());
        assert!(!date(1999, 2, 29).is_valid());
        assert!(!date(1999, 13, 1).is_valid());
        assert!(!date(1999, 0, 1).is_valid());
        assert!(!DateTime { second: 61.0, ..date(1999, 1, 1) }.is_valid());
        assert!(
            date(-100_000, 1, 1).is_valid() && !date(i32::MAX, 1, 1).is_valid() && !date(i32::MIN, 1, 1).is_valid()
        );
    }
}
