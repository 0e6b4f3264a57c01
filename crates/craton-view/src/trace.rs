//! Traces of seismograms.

use std::collections::HashMap;

use crate::axis::Scale;
use crate::error::{Error, Result};

/// One component of one seismogram.
#[derive(Clone, Copy, Debug)]
pub struct Trace<'a> {
    /// Name of the station.
    pub label: &'a str,
    /// Name of the component, such as "X" or "vertical".
    pub component: &'a str,
    /// Time of the first sample \[s\].
    pub t0: f64,
    /// Time between samples \[s\].
    pub dt: f64,
    /// The samples, in the unit of the picture.
    pub samples: &'a [f64],
    /// Distance from the source along the surface or the profile \[m\].
    pub offset_m: Option<f64>,
}

/// Which traces share one amplitude scale.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scaling {
    /// All traces share one scale, so that amplitudes are comparable everywhere.
    Common,
    /// The traces of each station share a scale, so that its components are comparable.
    #[default]
    PerStation,
    /// Each trace has its own scale, except traces that are round-off compared with another one of the same station.
    PerTrace,
}

impl Trace<'_> {
    /// Label and component of a trace, for error messages.
    pub fn name(&self) -> String {
        if self.component.is_empty() { self.label.to_owned() } else { format!("{} {}", self.label, self.component) }
    }

    fn time(&self, index: usize) -> f64 {
        self.t0 + index as f64 * self.dt
    }

    fn end(&self) -> f64 {
        self.time(self.samples.len().saturating_sub(1))
    }

    /// Indices of the samples inside a time window.
    pub(crate) fn inside(&self, window: [f64; 2]) -> std::ops::Range<usize> {
        // Tolerance, so that rounding does not exclude a sample at an end of the window.
        let slack = 1e-6;
        let count = self.samples.len() as f64;
        let first = ((window[0] - self.t0) / self.dt - slack).ceil().clamp(0.0, count);
        let last = ((window[1] - self.t0) / self.dt + slack).floor() + 1.0;
        first as usize..last.clamp(first, count) as usize
    }

    /// Largest absolute value inside a time window.
    pub(crate) fn peak(&self, window: [f64; 2]) -> f64 {
        self.samples[self.inside(window)].iter().fold(0.0, |peak, sample| f64::max(peak, sample.abs()))
    }

    /// Value at any time, interpolated linearly, zero outside the trace.
    pub(crate) fn at(&self, time: f64) -> f64 {
        let place = (time - self.t0) / self.dt;
        let below = place.floor();
        let sample = |index: f64| {
            let inside = index >= 0.0 && index < self.samples.len() as f64;
            if inside { self.samples[index as usize] } else { 0.0 }
        };
        let fraction = place - below;
        // At a sample, the next one is not used, so that the last sample is included.
        if fraction < 1e-9 { sample(below) } else { (1.0 - fraction) * sample(below) + fraction * sample(below + 1.0) }
    }

    /// The points of the line that represents the trace.
    ///
    /// If many samples fall into one pixel column, only the smallest and the largest are kept, which does not change the appearance.
    ///
    /// # Arguments
    /// * `time` – the time axis
    /// * `height` – position of a value on the sheet
    /// * `pixel` – length of a pixel
    pub(crate) fn polyline(
        &self,
        window: [f64; 2],
        time: &Scale,
        height: impl Fn(f64) -> f64,
        pixel: f64,
    ) -> Vec<[f64; 2]> {
        let inside = self.inside(window);
        let point = |index: usize| [time.at(self.time(index)), height(self.samples[index])];
        let per_pixel = pixel / (self.dt * time.magnification());
        if per_pixel < 4.0 {
            return inside.map(point).collect();
        }
        let stride = per_pixel as usize;
        let mut points = Vec::with_capacity(2 * inside.len() / stride + 2);
        for start in inside.clone().step_by(stride) {
            let run = start..(start + stride).min(inside.end);
            let by_value = |a: &usize, b: &usize| self.samples[*a].total_cmp(&self.samples[*b]);
            let lowest = run.clone().min_by(by_value).unwrap_or(start);
            let highest = run.max_by(by_value).unwrap_or(start);
            points.push(point(lowest.min(highest)));
            points.push(point(lowest.max(highest)));
        }
        points
    }
}

/// Checks that traces can be drawn.
///
/// # Errors
/// `Error::Nothing`, `Error::NoSamples`, `Error::TimeStep`, `Error::NotFinite`
pub(crate) fn check<'a, 'b: 'a>(traces: impl IntoIterator<Item = &'a Trace<'b>>) -> Result<()> {
    let mut any = false;
    for trace in traces {
        any = true;
        let name = || trace.name();
        if trace.samples.is_empty() {
            return Err(Error::NoSamples { trace: name() });
        }
        if !(trace.dt > 0.0 && trace.dt.is_finite()) {
            return Err(Error::TimeStep { trace: name(), dt: trace.dt });
        }
        all_finite(trace.samples, || format!("trace {}", name()))?;
        let places = [trace.t0, trace.offset_m.unwrap_or(0.0)];
        all_finite(&places, || format!("start time or offset of trace {}", name()))?;
    }
    if any { Ok(()) } else { Err(Error::Nothing { what: "traces" }) }
}

/// Checks that values are finite.
///
/// # Errors
/// `Error::NotFinite`
pub(crate) fn all_finite<T: Into<f64> + Copy>(values: &[T], what: impl Fn() -> String) -> Result<()> {
    let wide = |index: usize| values[index].into();
    match (0..values.len()).find(|&index| !wide(index).is_finite()) {
        None => Ok(()),
        Some(index) => Err(Error::NotFinite { what: what(), index, value: wide(index) }),
    }
}

/// The time window to show: the requested one, or the full extent of all traces.
///
/// # Errors
/// `Error::Range` if the requested one is empty, `Error::Window` if no sample lies in it
pub(crate) fn window<'a, 'b: 'a>(
    traces: impl Iterator<Item = &'a Trace<'b>> + Clone,
    wanted: Option<[f64; 2]>,
) -> Result<[f64; 2]> {
    let first = traces.clone().map(|trace| trace.t0).fold(f64::INFINITY, f64::min);
    let last = traces.clone().map(Trace::end).fold(f64::NEG_INFINITY, f64::max);
    let Some([start, end]) = wanted else {
        let shortest = traces.map(|trace| trace.dt).fold(f64::INFINITY, f64::min);
        return Ok([first, last.max(first + shortest)]);
    };
    checked_range("the time window", [start, end])?;
    if traces.clone().all(|trace| trace.inside([start, end]).is_empty()) {
        return Err(Error::Window { start, end, first, last });
    }
    Ok([start, end])
}

/// Checks that a range is ascending and finite.
///
/// # Errors
/// `Error::Range`
pub(crate) fn checked_range(what: &'static str, [low, high]: [f64; 2]) -> Result<[f64; 2]> {
    if low < high && low.is_finite() && high.is_finite() {
        Ok([low, high])
    } else {
        Err(Error::Range { what, low, high })
    }
}

/// Checks that a number is positive and finite; `None` is accepted.
///
/// # Errors
/// `Error::NotPositive`
pub(crate) fn check_positive(what: &'static str, value: impl Into<Option<f64>>) -> Result<()> {
    match value.into() {
        Some(value) if !(value > 0.0 && value.is_finite()) => Err(Error::NotPositive { what, value }),
        _ => Ok(()),
    }
}

/// Distinct names in order of first appearance.
pub(crate) fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

/// Relative peak below which a trace is single-precision round-off compared with the largest of its station.
pub(crate) const ROUND_OFF: f64 = 1e-7;

/// For every trace, the largest peak among the traces that share its scale.
pub(crate) fn shared_peaks(traces: &[&Trace<'_>], window: [f64; 2], scaling: Scaling) -> Vec<f64> {
    let peaks: Vec<f64> = traces.iter().map(|trace| trace.peak(window)).collect();
    let mut of_stations: HashMap<&str, f64> = HashMap::new();
    for (trace, &peak) in traces.iter().zip(&peaks) {
        let largest = of_stations.entry(trace.label).or_default();
        *largest = largest.max(peak);
    }
    let of_stations = traces.iter().map(|trace| of_stations[trace.label]);
    match scaling {
        Scaling::Common => vec![peaks.iter().copied().fold(0.0, f64::max); peaks.len()],
        Scaling::PerTrace => {
            let own = |(&peak, largest): (&f64, f64)| if peak < ROUND_OFF * largest { largest } else { peak };
            peaks.iter().zip(of_stations).map(own).collect()
        }
        Scaling::PerStation => of_stations.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace<'a>(label: &'a str, samples: &'a [f64]) -> Trace<'a> {
        Trace { label, component: "Z", t0: 1.0, dt: 0.5, samples, offset_m: None }
    }

    #[test]
    fn values_between_samples_are_linear_and_zero_outside() {
        let trace = trace("A", &[1.0, 3.0, -2.0]);
        assert_eq!(trace.at(1.25), 2.0);
        assert_eq!(trace.at(2.0), -2.0);
        assert_eq!(trace.at(0.4), 0.0);
        assert_eq!(trace.at(5.0), 0.0);
    }

    #[test]
    fn a_window_keeps_samples_on_its_ends() {
        let trace = trace("A", &[1.0, 3.0, -2.0]);
        assert_eq!(trace.inside([1.0, 2.0]), 0..3);
        assert_eq!(trace.inside([1.1, 1.9]), 1..2);
        assert!(trace.inside([7.0, 8.0]).is_empty());
        assert_eq!(trace.peak([1.0, 1.5]), 3.0);
    }

    #[test]
    fn many_samples_per_pixel_keep_their_extremes() {
        let mut samples = vec![0.0; 100_000];
        samples[54_321] = 7.0;
        samples[54_322] = -5.0;
        let trace = trace("A", &samples);
        let window = [1.0, trace.end()];
        let points = trace.polyline(window, &Scale::linear(window, [0.0, 500.0]), |v| v, 0.5);
        assert!(points.len() < 2200, "{}", points.len());
        assert!(points.iter().any(|point| point[1] == 7.0));
        assert!(points.iter().any(|point| point[1] == -5.0));
        assert!(points.windows(2).all(|pair| pair[0][0] <= pair[1][0]));
    }

    #[test]
    fn scales_are_shared_as_asked() {
        let (a, b) = (trace("A", &[1.0]), trace("B", &[-4.0]));
        let all = [&a, &a, &b];
        let window = [0.0, 2.0];
        assert_eq!(shared_peaks(&all, window, Scaling::Common), [4.0; 3]);
        assert_eq!(shared_peaks(&all, window, Scaling::PerStation), [1.0, 1.0, 4.0]);
        // A trace that is round-off compared with another component is not enlarged.
        let (noise, small) = (trace("B", &[1e-12]), trace("A", &[1e-6]));
        let all = [&a, &small, &b, &noise];
        assert_eq!(shared_peaks(&all, window, Scaling::PerTrace), [1.0, 1e-6, 4.0, 4.0]);
    }
}
