//! Interpolation of uniform samples: cubic splines and lines.

use crate::error::{NumericsError, at_least, finite, positive};

/// End condition of a cubic spline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplineEnd {
    /// Natural: zero curvature at the ends.
    Natural,
    /// Not-a-knot: the third derivative is continuous at the second and the second to last sample, which gives full order up to the ends.
    NotAKnot,
}

/// The cubic spline through uniform samples.
#[derive(Debug, Clone, PartialEq)]
pub struct CubicSpline {
    start: f64,
    interval: f64,
    samples: Vec<f64>,
    /// Second derivative at each sample times interval² / 6.
    curvature: Vec<f64>,
}

impl CubicSpline {
    /// The spline through samples at start, start + interval, ...
    ///
    /// # Arguments
    /// * `start` – time of the first sample [s]
    /// * `interval` – sampling interval [s]
    /// * `samples` – at least two for a natural spline, four for not-a-knot
    /// * `end` – end condition
    /// # Errors
    /// Too few samples, one that is not finite, an interval that is not positive.
    /// # Source
    /// de Boor (1978), A Practical Guide to Splines, chapter IV.
    pub fn new(start: f64, interval: f64, samples: &[f64], end: SplineEnd) -> Result<Self, NumericsError> {
        positive("the sampling interval", interval)?;
        finite("the trace", samples)?;
        let curvature = match end {
            SplineEnd::Natural => {
                at_least("the trace", samples.len(), 2)?;
                natural_curvature(samples)
            }
            SplineEnd::NotAKnot => {
                at_least("the trace", samples.len(), 4)?;
                not_a_knot_curvature(samples)
            }
        };
        Ok(Self { start, interval, samples: samples.to_vec(), curvature })
    }

    /// Value at one time; constant before the first and after the last sample.
    pub fn value(&self, time: f64) -> f64 {
        let (n, fraction) = locate(self.start, self.interval, self.samples.len(), time);
        let rest = 1.0 - fraction;
        let line = rest * self.samples[n] + fraction * self.samples[n + 1];
        let bend = |x: f64, curvature: f64| (x * x * x - x) * curvature;
        line + bend(rest, self.curvature[n]) + bend(fraction, self.curvature[n + 1])
    }

    /// Integral from the first sample to each sample, starting with zero.
    pub(crate) fn integral(&self) -> Vec<f64> {
        let between = |n: usize| {
            let line = 0.5 * (self.samples[n] + self.samples[n + 1]);
            self.interval * (line - 0.25 * (self.curvature[n] + self.curvature[n + 1]))
        };
        let sum = |total: &mut f64, n: usize| {
            *total += between(n);
            Some(*total)
        };
        std::iter::once(0.0).chain((0..self.samples.len() - 1).scan(0.0, sum)).collect()
    }

    /// Derivative at each sample.
    pub(crate) fn derivative(&self) -> Vec<f64> {
        let last = self.samples.len() - 1;
        let rise = |n: usize| self.samples[n + 1] - self.samples[n];
        let c = &self.curvature;
        let at_left = |n: usize| (rise(n) - 2.0 * c[n] - c[n + 1]) / self.interval;
        let at_end = (rise(last - 1) + c[last - 1] + 2.0 * c[last]) / self.interval;
        (0..last).map(at_left).chain([at_end]).collect()
    }

    /// Values at many times.
    ///
    /// # Errors
    /// [`NumericsError::OutsideSamples`] for a time that the samples do not cover.
    pub fn values(&self, times: &[f64]) -> Result<Vec<f64>, NumericsError> {
        check_times(self.start, self.interval, self.samples.len(), times)?;
        Ok(times.iter().map(|&time| self.value(time)).collect())
    }
}

/// Linear interpolation of samples at start, start + interval, ...
///
/// # Arguments
/// * `start` – time of the first sample [s]
/// * `interval` – sampling interval [s]
/// * `samples` – at least two
/// * `times` – output times [s]
/// # Errors
/// Too few samples, one that is not finite, an interval that is not positive, a time that the samples do not cover.
pub fn linear(start: f64, interval: f64, samples: &[f64], times: &[f64]) -> Result<Vec<f64>, NumericsError> {
    positive("the sampling interval", interval)?;
    at_least("the trace", samples.len(), 2)?;
    finite("the trace", samples)?;
    check_times(start, interval, samples.len(), times)?;
    let value = |&time: &f64| {
        let (n, fraction) = locate(start, interval, samples.len(), time);
        (1.0 - fraction) * samples[n] + fraction * samples[n + 1]
    };
    Ok(times.iter().map(value).collect())
}

/// The interval that contains a time, and the fractional position in it; times outside are clamped to the ends.
fn locate(start: f64, interval: f64, count: usize, time: f64) -> (usize, f64) {
    let position = ((time - start) / interval).clamp(0.0, (count - 1) as f64);
    let n = (position as usize).min(count - 2);
    (n, position - n as f64)
}

fn check_times(start: f64, interval: f64, count: usize, times: &[f64]) -> Result<(), NumericsError> {
    let end = start + (count - 1) as f64 * interval;
    // Times are often sums of decimal fractions, so a billionth of a sample is accepted as round-off.
    let slack = 1e-9 * interval + 4.0 * f64::EPSILON * end.abs().max(start.abs());
    match times.iter().find(|time| !(start - slack..=end + slack).contains(*time)) {
        None => Ok(()),
        Some(&time) => Err(NumericsError::OutsideSamples { time, start, end }),
    }
}

/// Second difference at sample n, 0 < n < last.
fn second_difference(samples: &[f64], n: usize) -> f64 {
    samples[n - 1] - 2.0 * samples[n] + samples[n + 1]
}

fn natural_curvature(samples: &[f64]) -> Vec<f64> {
    let last = samples.len() - 1;
    solve_inner(samples, 0, last, 0.0, 0.0)
}

/// With a continuous third derivative the curvatures of the first three samples lie on a line, which determines the second one directly.
fn not_a_knot_curvature(samples: &[f64]) -> Vec<f64> {
    let last = samples.len() - 1;
    let near = second_difference(samples, 1) / 6.0;
    let far = second_difference(samples, last - 1) / 6.0;
    let mut curvature = solve_inner(samples, 1, last - 1, near, far);
    curvature[0] = 2.0 * curvature[1] - curvature[2];
    curvature[last] = 2.0 * curvature[last - 1] - curvature[last - 2];
    curvature
}

/// Curvatures c with c\[n-1\] + 4 c\[n\] + c\[n+1\] = second difference at n for first < n < last, given those at first and last.
fn solve_inner(samples: &[f64], first: usize, last: usize, at_first: f64, at_last: f64) -> Vec<f64> {
    let mut curvature = vec![0.0; samples.len()];
    curvature[first] = at_first;
    curvature[last] = at_last;
    // Forward elimination gives c[n] = curvature[n] - ratio[n] c[n+1].
    let mut ratio = vec![0.0; samples.len()];
    for n in first + 1..last {
        ratio[n] = 1.0 / (4.0 - ratio[n - 1]);
        curvature[n] = (second_difference(samples, n) - curvature[n - 1]) * ratio[n];
    }
    for n in (first + 1..last).rev() {
        curvature[n] -= ratio[n] * curvature[n + 1];
    }
    curvature
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(count: usize, interval: f64, f: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..count).map(|n| f(-1.0 + n as f64 * interval)).collect()
    }

    #[test]
    fn a_not_a_knot_spline_is_exact_on_cubics() {
        let cubic = |t: f64| 1.0 - 2.0 * t + 0.5 * t * t + 3.0 * t * t * t;
        for count in [4, 5, 9] {
            let spline = CubicSpline::new(-1.0, 0.25, &sampled(count, 0.25, cubic), SplineEnd::NotAKnot).unwrap();
            for k in 0..=20 {
                let t = -1.0 + 0.25 * (count - 1) as f64 * f64::from(k) / 20.0;
                assert!((spline.value(t) - cubic(t)).abs() < 1e-13, "{count} samples, t = {t}");
            }
        }
    }

    #[test]
    fn a_natural_spline_has_its_textbook_values() {
        // Through (0, 0), (1, 1), (2, 0): curvature -3 in the middle, so 11/16 at a half.
        let spline = CubicSpline::new(0.0, 1.0, &[0.0, 1.0, 0.0], SplineEnd::Natural).unwrap();
        assert!((spline.value(0.5) - 0.6875).abs() < 1e-15);
        let line = CubicSpline::new(0.0, 1.0, &[1.0, 3.0], SplineEnd::Natural).unwrap();
        assert_eq!(line.value(0.25), 1.5);
    }

    #[test]
    fn splines_converge_with_order_four() {
        let error = |count: usize| {
            let h = 2.0 / (count - 1) as f64;
            let wave = |t: f64| (3.0 * t).sin();
            let spline = CubicSpline::new(-1.0, h, &sampled(count, h, wave), SplineEnd::NotAKnot).unwrap();
            let times = (0..1000).map(|k| -1.0 + 2e-3 * f64::from(k));
            times.map(|t| (spline.value(t) - wave(t)).abs()).fold(0.0, f64::max)
        };
        let order = (error(41) / error(81)).log2();
        assert!(order > 3.8, "observed order {order}");
    }

    #[test]
    fn samples_are_reproduced_and_ends_are_held() {
        let samples = [1.0, -2.0, 0.5, 4.0, 3.0];
        let times: Vec<f64> = (0..5).map(|n| 2.0 + 0.1 * f64::from(n)).collect();
        for end in [SplineEnd::Natural, SplineEnd::NotAKnot] {
            let spline = CubicSpline::new(2.0, 0.1, &samples, end).unwrap();
            for (value, sample) in spline.values(&times).unwrap().iter().zip(samples) {
                assert!((value - sample).abs() < 1e-13);
            }
            assert_eq!((spline.value(0.0), spline.value(9.0)), (1.0, 3.0));
        }
        assert_eq!(linear(0.0, 2.0, &[1.0, 3.0, -1.0], &[0.0, 1.0, 3.0, 4.0]).unwrap(), [1.0, 2.0, 1.0, -1.0]);
    }

    #[test]
    fn times_outside_and_short_traces_are_errors() {
        let spline = CubicSpline::new(0.0, 1.0, &[0.0; 4], SplineEnd::NotAKnot).unwrap();
        assert!(spline.values(&[3.5]).unwrap_err().to_string().contains("3.5"));
        assert!(spline.values(&[f64::NAN]).is_err());
        assert!(CubicSpline::new(0.0, 1.0, &[0.0; 3], SplineEnd::NotAKnot).is_err());
        assert!(linear(0.0, 1.0, &[0.0, f64::NAN], &[0.5]).is_err());
    }
}
