//! The sample rate of a record: a factor and a multiplier, and blockette 100 if these are not accurate enough.

/// Largest value of factor and multiplier.
const MOST: f64 = i16::MAX as f64;

/// Relative error below which a ratio is exact: neighbouring ratios are a million times farther apart.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Sample rate as stored in a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SampleRate {
    /// Samples per second if positive, seconds per sample if negative.
    pub factor: i16,
    /// Multiplies the rate if positive, divides it if negative.
    pub multiplier: i16,
    /// Rate [Hz] in blockette 100, which takes precedence.
    pub actual: Option<f32>,
}

impl SampleRate {
    /// The most accurate representation of an interval [s] above 0; `None` if even single precision cannot represent it.
    pub fn nearest(interval: f64) -> Option<Self> {
        let [factor, multiplier] = ratio(interval);
        let plain = Self { factor, multiplier, actual: None };
        let error = |rate: Self| rate.interval().map_or(f64::INFINITY, |held| (held / interval - 1.0).abs());
        if error(plain) <= ROUNDING {
            return Some(plain);
        }
        let precise = Self { actual: Some((1.0 / interval) as f32), ..plain };
        let best = if error(precise) < error(plain) { precise } else { plain };
        // Single precision has 24 bits, or fewer at the ends of its range.
        (error(best) < 1e-7).then_some(best)
    }

    /// The interval [s]; `None` if it is not above 0.
    ///
    /// Source: SEED Reference Manual 2.4, chapter 8, fields 10 and 11 of the data header.
    pub fn interval(self) -> Option<f64> {
        let (factor, multiplier) = (f64::from(self.factor), f64::from(self.multiplier));
        let interval = match self.actual {
            Some(rate) => 1.0 / f64::from(rate),
            None if factor > 0.0 && multiplier > 0.0 => 1.0 / (factor * multiplier),
            None if factor > 0.0 => -multiplier / factor,
            None if multiplier > 0.0 => -factor / multiplier,
            None => factor * multiplier,
        };
        (interval.is_finite() && interval > 0.0).then_some(interval)
    }
}

/// Factor and multiplier that best approximate an interval.
fn ratio(interval: f64) -> [i16; 2] {
    let short = |number: f64| number as i16;
    if interval > MOST {
        return product(interval).map(|number| short(-number));
    }
    if 1.0 / interval > MOST {
        return product(1.0 / interval).map(short);
    }
    match best_fraction(interval) {
        (1.0, denominator) => [short(denominator), 1],
        (numerator, 1.0) => [short(-numerator), 1],
        (numerator, denominator) => [short(denominator), short(-numerator)],
    }
}

/// Numerator and denominator, up to [`MOST`], of the best rational approximation of a number between 1 / [`MOST`] and [`MOST`], from its
/// continued fraction.
fn best_fraction(value: f64) -> (f64, f64) {
    let (mut before, mut last) = ((0.0, 1.0), (1.0, 0.0));
    let mut rest = value;
    loop {
        let whole = rest.floor();
        let with = |term: f64| (term * last.0 + before.0, term * last.1 + before.1);
        let error = |(numerator, denominator): (f64, f64)| (numerator / denominator / value - 1.0).abs();
        let next = with(whole);
        if next.0 > MOST || next.1 > MOST {
            // A semiconvergent within the limits may be closer than the last convergent.
            let part = ((MOST - before.0) / last.0).floor().min(((MOST - before.1) / last.1).floor());
            return if error(with(part)) < error(last) { with(part) } else { last };
        }
        if error(next) <= ROUNDING || rest == whole {
            return next;
        }
        (before, last) = (last, next);
        rest = 1.0 / (rest - whole);
    }
}

/// Two numbers up to [`MOST`] whose product is nearest to a number above [`MOST`].
fn product(value: f64) -> [f64; 2] {
    let least = (value / MOST).ceil().clamp(1.0, MOST) as u16;
    let pair = |second: u16| {
        let first = (value / f64::from(second)).round().min(MOST);
        ((first * f64::from(second) - value).abs(), [first, f64::from(second)])
    };
    let most = MOST as u16;
    let nearest = (least..=most).map(pair).min_by(|one, other| one.0.total_cmp(&other.0));
    nearest.map_or([MOST; 2], |(_, pair)| pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_periods_are_exact() {
        for (interval, factor, multiplier) in [
            (0.025, 40, 1),
            (0.01, 100, 1),
            (1.0, 1, 1),
            (10.0, -10, 1),
            (0.007, 1000, -7),
            (0.016, 125, -2),
            (1.0 / 3.0, 3, 1),
            (2.5, 2, -5),
            (1e-4, 10_000, 1),
            (32_767.0, -32_767, 1),
        ] {
            let rate = SampleRate::nearest(interval).unwrap();
            assert_eq!(rate, SampleRate { factor, multiplier, actual: None }, "{interval}");
            assert_eq!(rate.interval(), Some(interval));
        }
    }

    #[test]
    fn ratios_of_two_small_integers_need_no_blockette() {
        for (interval, factor, multiplier) in [(1e-5, 25_000, 4), (86_400.0, -28_800, -3)] {
            let rate = SampleRate::nearest(interval).unwrap();
            let product = f64::from(rate.factor) * f64::from(rate.multiplier);
            assert_eq!(product, f64::from(factor) * f64::from(multiplier), "{interval}");
            assert_eq!((rate.actual, rate.interval()), (None, Some(interval)));
        }
    }

    #[test]
    fn other_intervals_are_accurate_to_single_precision() {
        let mut worst: f64 = 0.0;
        for step in 0..20_000 {
            let interval = 10.0_f64.powf(f64::from(step) * 1e-3 - 10.0) * 0.712_345_678_9;
            let rate = SampleRate::nearest(interval).unwrap();
            worst = worst.max((rate.interval().unwrap() / interval - 1.0).abs());
        }
        assert!(worst < 6.0e-8, "{worst:e}");
        assert_eq!(SampleRate::nearest(1e-60), None);
        assert_eq!(SampleRate::nearest(1e60), None);
    }

    #[test]
    fn an_invalid_rate_has_no_interval() {
        for (factor, multiplier) in [(0, 1), (0, 0), (1, 0), (0, -3), (-3, 0)] {
            assert_eq!(SampleRate { factor, multiplier, actual: None }.interval(), None);
        }
        for actual in [f32::NAN, -1.0, 0.0, f32::INFINITY] {
            assert_eq!(SampleRate { factor: 1, multiplier: 1, actual: Some(actual) }.interval(), None);
        }
    }
}
