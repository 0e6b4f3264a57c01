//! Comparison of seismograms with a reference: absolute amplitudes, per trace and per station.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use craton_acquisition::Quantity;
use craton_numerics::NumericsError;
use craton_numerics::filter::Band;
use craton_numerics::misfit::{Misfit, relative_l2};
use craton_numerics::resample::{CubicSpline, SplineEnd};
use craton_view::{OverlayOptions, Trace as ViewTrace, TracePair};

use crate::error::Error;
use crate::options::CompareOptions;
use crate::process::Operation;
use crate::traces::{Trace, TraceName, read_file, read_folder, word_of};

/// Largest magnitude of a sample: squares and spectra of larger ones overflow.
const LARGEST_SAMPLE: f64 = 1e100;

/// Order of the low-pass.
const LOWPASS_ORDER: usize = 4;

/// Misfit of seismograms relative to a reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// All pairs of traces, ordered by name.
    pub traces: Vec<TraceMisfit>,
    /// The misfits of all components of a station together.
    pub stations: Vec<StationMisfit>,
    /// Traces without a counterpart.
    pub unpaired: Vec<TraceName>,
    /// The requested limit.
    pub limit: Option<f64>,
}

/// Misfit of one trace.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceMisfit {
    /// The trace.
    pub name: TraceName,
    /// The misfit; `None` if one of the two traces is zero throughout.
    pub misfit: Option<Misfit>,
}

/// Misfit of all components of a station together.
#[derive(Debug, Clone, PartialEq)]
pub struct StationMisfit {
    /// Station and quantity.
    pub name: String,
    /// Relative L2 misfit, normalised by all components together; infinite if only the reference is zero.
    pub relative_l2: f64,
}

/// A pair of traces on the samples of the reference.
struct Pair {
    name: TraceName,
    start: f64,
    dt: f64,
    offset: Option<f64>,
    test: Vec<f64>,
    reference: Vec<f64>,
}

/// Compares two results folders, folders of seismograms, or files. Two files of one trace each are compared whatever their names.
///
/// Cubic splines interpolate the test at the samples of the reference within their common time window. If one side is
/// miniSEED, which has only dates, and both have a date, times are absolute; otherwise each side counts from its own
/// time 0.
///
/// # Arguments
/// * `test` – the seismograms to compare
/// * `reference` – the reference seismograms
/// # Errors
/// Unreadable files, no common trace, no common time window, a sample beyond 1e100, a low-pass corner above the Nyquist frequency.
pub fn compare(test: &Path, reference: &Path, options: &CompareOptions) -> Result<Comparison, Error> {
    let (mut tests, references) = (read_side(test)?, read_side(reference)?);
    let are_files = test.is_file() && reference.is_file();
    if let ([test], [reference], true) = (&mut tests[..], &references[..], are_files) {
        test.name = reference.name.clone();
    }
    let (pairs, unpaired) = pair(tests, references, options)?;
    if let Some(picture) = &options.picture {
        draw(&pairs, [test, reference], picture, options.amplify)?;
    }
    let traces = pairs.iter().map(trace_misfit).collect();
    Ok(Comparison { traces, stations: stations(&pairs), unpaired, limit: options.limit })
}

/// The traces of a file or folder.
fn read_side(path: &Path) -> Result<Vec<Trace>, Error> {
    if path.is_file() { read_file(path) } else { read_folder(path) }
}

impl Comparison {
    /// Whether every trace has a counterpart and every station is within the limit; true without a limit.
    pub fn is_good(&self) -> bool {
        let close = |limit| self.stations.iter().all(|station| station.relative_l2 <= limit);
        self.limit.is_none_or(|limit| self.unpaired.is_empty() && close(limit))
    }

    /// The misfits as a text table.
    pub fn table(&self) -> String {
        let names = self.traces.iter().map(|trace| trace.name.to_string().len());
        let width = names.chain(self.stations.iter().map(|station| station.name.len())).max().unwrap_or(0).max(8);
        let mut text = format!(
            "{:width$}  {:>11}  {:>11}  {:>9}  {:>11}\n",
            "trace", "relative L2", "RMS / peak", "amplitude", "shift [s]"
        );
        for TraceMisfit { name, misfit } in &self.traces {
            let name = name.to_string();
            let line = match misfit {
                Some(Misfit { relative_l2, normalised_rms, amplitude_ratio, time_shift }) => {
                    let time_shift = rounded(*time_shift);
                    let of_shape = format!("{amplitude_ratio:>9.5}  {time_shift:>11.6}");
                    writeln!(text, "{name:width$}  {relative_l2:>11.3e}  {normalised_rms:>11.3e}  {of_shape}")
                }
                None => writeln!(text, "{name:width$}  {:>11}", "zero trace"),
            };
            line.expect("a string takes everything");
        }
        writeln!(text, "\n{:width$}  {:>11}", "station", "relative L2").expect("a string takes everything");
        for StationMisfit { name, relative_l2 } in &self.stations {
            let verdict = match self.limit {
                Some(limit) if *relative_l2 <= limit => format!("  <= {limit}"),
                Some(limit) => format!("  >  {limit}  ABOVE LIMIT"),
                None => String::new(),
            };
            writeln!(text, "{name:width$}  {relative_l2:>11.3e}{verdict}").expect("a string takes everything");
        }
        for name in &self.unpaired {
            writeln!(text, "{name}: on one side only").expect("a string takes everything");
        }
        text
    }
}

/// A time [s] rounded to the microsecond, without a negative zero.
fn rounded(time: f64) -> f64 {
    (time * 1e6).round() / 1e6 + 0.0
}

/// The pairs, and the names without a counterpart.
fn pair(
    tests: Vec<Trace>,
    references: Vec<Trace>,
    options: &CompareOptions,
) -> Result<(Vec<Pair>, Vec<TraceName>), Error> {
    let mut tests: BTreeMap<TraceName, Trace> = tests.into_iter().map(|trace| (trace.name.clone(), trace)).collect();
    let mut pairs = Vec::new();
    let mut unpaired = Vec::new();
    for reference in references {
        match tests.remove(&reference.name) {
            Some(test) => pairs.push(common(&in_times_of(test, &reference), &reference, options)?),
            None => unpaired.push(reference.name),
        }
    }
    if pairs.is_empty() {
        let example = unpaired.first().map(TraceName::to_string).unwrap_or_default();
        return Err(Error::NothingInCommon { example });
    }
    unpaired.extend(tests.into_keys());
    Ok((pairs, unpaired))
}

/// The test on the time axis of the reference, if one of them has no time axis and both have a date.
fn in_times_of(test: Trace, reference: &Trace) -> Trace {
    let (of_test, of_reference) = (&test.situation, &reference.situation);
    match (of_test.zero, of_reference.zero) {
        (Some(zero), Some(other)) if of_test.zero_is_any || of_reference.zero_is_any => {
            Trace { start: test.start + zero.seconds_after(&other), ..test }
        }
        _ => test,
    }
}

/// Both traces, filtered, at the samples of the reference in the common time window.
fn common(test: &Trace, reference: &Trace, options: &CompareOptions) -> Result<Pair, Error> {
    for (what, trace) in [("a sample of the test", test), ("a sample of the reference", reference)] {
        let [min, max] = [-LARGEST_SAMPLE, LARGEST_SAMPLE];
        if let Some(&value) = trace.samples.iter().find(|sample| !(min..=max).contains(*sample)) {
            return Err(NumericsError::OutOfRange { what, value, min, max }.into());
        }
    }
    let [from, to] = options.window.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    // Tolerance that avoids losing a sample to round-off.
    let tolerance = 1e-6 * reference.dt;
    let (from, to) = (from.max(test.start).max(reference.start), to.min(test.end()).min(reference.end()));
    let time = |index: usize| reference.start + reference.dt * index as f64;
    let first =
        (0..reference.samples.len()).find(|&index| time(index) >= from - tolerance).unwrap_or(reference.samples.len());
    let count = (first..reference.samples.len()).take_while(|&index| time(index) <= to + tolerance).count();
    if count < 2 {
        return Err(Error::NoCommonTime { trace: reference.name.to_string(), from, to });
    }
    Ok(Pair {
        name: reference.name.clone(),
        start: time(first),
        dt: reference.dt,
        offset: test.offset.or(reference.offset),
        test: resampled(test, reference, first, count, options.lowpass)?,
        reference: lowpassed(reference, options.lowpass)?[first..first + count].to_vec(),
    })
}

/// The test at `count` samples of the reference from `first` on, without interpolation if the samples coincide, so that
/// equal traces stay equal.
fn resampled(
    test: &Trace,
    reference: &Trace,
    first: usize,
    count: usize,
    corner: Option<f64>,
) -> Result<Vec<f64>, Error> {
    let samples = lowpassed(test, corner)?;
    if (test.start, test.dt) == (reference.start, reference.dt) {
        return Ok(samples[first..first + count].to_vec());
    }
    let spline = CubicSpline::new(test.start, test.dt, &samples, SplineEnd::NotAKnot)?;
    Ok((first..first + count).map(|index| spline.value(reference.start + reference.dt * index as f64)).collect())
}

/// The samples, after a zero-phase low-pass filter if a corner [Hz] is given: that of [`crate::process()`], whose ends keep
/// static offsets.
pub(crate) fn lowpassed(trace: &Trace, corner: Option<f64>) -> Result<Vec<f64>, Error> {
    let Some(corner) = corner else { return Ok(trace.samples.clone()) };
    let filter = Operation::Filter { band: Band::LowPass { corner }, poles: LOWPASS_ORDER, causal: false };
    Ok(filter.applied(trace.samples.clone(), trace.start, trace.dt)?)
}

fn trace_misfit(pair: &Pair) -> TraceMisfit {
    TraceMisfit { name: pair.name.clone(), misfit: Misfit::new(&[&pair.test], &[&pair.reference], pair.dt).ok() }
}

fn stations(pairs: &[Pair]) -> Vec<StationMisfit> {
    let mut components: BTreeMap<String, [Vec<&[f64]>; 2]> = BTreeMap::new();
    for pair in pairs {
        let [tests, references] = components.entry(pair.name.seismogram()).or_default();
        tests.push(&pair.test);
        references.push(&pair.reference);
    }
    let misfit = |(name, [tests, references]): (String, [Vec<&[f64]>; 2])| {
        let rest = tests.iter().all(|trace| trace.iter().all(|&sample| sample == 0.0));
        let without_reference = if rest { 0.0 } else { f64::INFINITY };
        StationMisfit { name, relative_l2: relative_l2(&tests, &references).unwrap_or(without_reference) }
    };
    components.into_iter().map(misfit).collect()
}

/// Plots test and reference with their misfits into `picture`, or with several quantities into one picture for each.
fn draw(pairs: &[Pair], sides: [&Path; 2], picture: &Path, amplify: Option<f64>) -> Result<(), Error> {
    let mut by_quantity: BTreeMap<Option<Quantity>, Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        by_quantity.entry(pair.name.quantity).or_default().push(pair);
    }
    let several = by_quantity.len() > 1;
    for (quantity, pairs) in by_quantity {
        let word = quantity.map_or("traces", word_of);
        let stem = picture.file_stem().unwrap_or_default().to_string_lossy();
        let own = if several { picture.with_file_name(format!("{stem}_{word}.png")) } else { picture.to_owned() };
        draw_quantity(&pairs, quantity, sides, &own, amplify)?;
    }
    Ok(())
}

fn draw_quantity(
    pairs: &[&Pair],
    quantity: Option<Quantity>,
    [test, reference]: [&Path; 2],
    picture: &Path,
    amplify: Option<f64>,
) -> Result<(), Error> {
    let note = |misfit: Misfit| match amplify {
        None => format!("rel. L2 {:.3} %", 100.0 * misfit.relative_l2),
        Some(_) => format!("RMS {:.2e} of the peak", misfit.normalised_rms),
    };
    let misfit = |pair| trace_misfit(pair).misfit.map(note);
    let notes: Vec<String> = pairs.iter().map(|pair| misfit(pair).unwrap_or_default()).collect();
    let drawn = pairs.iter().zip(&notes).map(|(pair, note)| {
        let trace = |samples| ViewTrace {
            label: &pair.name.station,
            component: &pair.name.component,
            t0: pair.start,
            dt: pair.dt,
            samples,
            offset_m: pair.offset,
        };
        TracePair { reference: trace(&pair.reference), test: trace(&pair.test), note }
    });
    let what = quantity.map(|quantity| format!(" – {}", word_of(quantity))).unwrap_or_default();
    let options = OverlayOptions {
        title: format!("{} compared with {}{what}", test.display(), reference.display()),
        unit: quantity.map_or("", Quantity::unit).to_owned(),
        amplification: amplify,
        ..OverlayOptions::default()
    };
    Ok(craton_view::overlay(&drawn.collect::<Vec<_>>(), &options, picture)?)
}
