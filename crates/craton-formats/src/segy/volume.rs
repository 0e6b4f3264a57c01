//! A SEG-Y file as a whole, on a regular grid: a section, or a volume by in-lines and cross-lines, in time or in depth.

use std::path::Path;

use super::{BinaryHeader, FOOT, SegyReader, TraceHeader, in_trace};
use crate::error::{Refused, Result};
use crate::volume::{Axis, Volume};

/// Largest distance of an ensemble from its even place, in spacings, or the unit of its coordinates if that is more: they are rounded.
const EVEN: f64 = 0.05;
/// The same, where that unit is coarse.
const MOST_OFF: f64 = 0.25;

/// Units of depth for each second of a sample interval: in files of models, thousandths of a metre or a foot stand where microseconds do.
const UNITS_PER_SECOND: f64 = 1000.0;

/// Reads a file whole.
///
/// The first axis is time [s], from delay and sample interval; of a model in depth see [`read_model`].
/// Where both in-line and cross-line numbers vary, two axes follow, the one that runs faster in the file first: x and y [m] of the
/// ensembles (CDP) if they are evenly spaced along both, or else the numbers. Otherwise there is one: if the ensembles are evenly
/// spaced on a line, their x [m] where it lies along x, and the distance along it [m] where it does not; or else the number of the
/// trace, from 1. Coordinates in feet, by the measurement system of the binary header, become metres; values are left as they are.
///
/// # Errors
/// As [`SegyReader::open`] and [`super::TraceReader::trace`]; traces with another delay; in-lines or cross-lines with
/// holes or in another order, by the first trace that is off.
pub fn read_volume(path: &Path) -> Result<Volume> {
    Ok(Read::new(path)?.volume)
}

/// Reads a model whole: as [`read_volume`], but that the first axis is depth. Thousandths of a metre stand where recordings
/// have microseconds, and thousandths of a foot where the measurement system is feet, which is the unit of the axis then, `ft`.
/// Values are left as they are here, too: no header tells whether the speeds of a model in feet are in ft/s.
///
/// # Arguments
/// * `is_placed` – whether somebody else knows where the traces of a section stand, whatever their headers say
/// # Errors
/// As [`read_volume`]; a measurement system that is neither metres nor feet; and, unless `is_placed`, a section whose ensembles
/// have coordinates that are no lengths, by the first trace.
///
/// Verified by `a_segy_model_in_feet_says_so`.
pub fn read_model(path: &Path, is_placed: bool) -> Result<Volume> {
    let Read { volume, binary, unplaced } = Read::new(path)?;
    let refuse = |refused: Refused| refused.unreadable(path);
    let unit = if binary.metres_per_unit().map_err(refuse)? == FOOT { "ft" } else { "m" };
    let (mut axes, values) = volume.into_parts();
    if let Some(refused) = unplaced.filter(|_| !is_placed && axes.len() == 2) {
        return Err(refuse(refused));
    }
    let Axis { count, origin, spacing, .. } = axes[0];
    axes[0] = Axis::new(count, UNITS_PER_SECOND * origin, UNITS_PER_SECOND * spacing).named("depth", unit);
    Volume::new(axes, values).map_err(refuse)
}

/// A file as it was read.
struct Read {
    volume: Volume,
    binary: BinaryHeader,
    /// Why the first trace whose ensemble has coordinates of no use has none.
    unplaced: Option<Refused>,
}

impl Read {
    fn new(path: &Path) -> Result<Self> {
        let SegyReader { binary, mut traces, .. } = SegyReader::open(path)?;
        let mut places = Vec::with_capacity(traces.count() as usize);
        let mut values = Vec::with_capacity(traces.count() as usize * traces.samples_per_trace());
        let mut samples = Vec::new();
        let (mut unplaced, mut unit) = (None, 0.0f64);
        for index in 0..traces.count() {
            let header = traces.trace_into(index, &mut samples)?;
            unit = unit.max(header.coordinate_unit());
            let cdp = cdp(&header, &binary).map_err(|refused| unplaced.get_or_insert(in_trace(index, refused)));
            places.push(Place { delay: header.delay, lines: [header.inline, header.crossline], cdp: cdp.ok() });
            values.extend_from_slice(&samples);
        }
        let refuse = |refused: Refused| refused.unreadable(path);
        // Coordinates of another unit are none that are used.
        let rounding = unit * binary.metres_per_unit().unwrap_or(1.0);
        let delay = places[0].delay;
        if let Some(index) = places.iter().position(|place| place.delay != delay) {
            let expected = format!("{delay}, as in the first trace; shift the traces to one time");
            let refused = Refused::new(TraceHeader::place("delay"), places[index].delay, expected);
            return Err(refuse(in_trace(index as u64, refused)));
        }
        let time = Axis::new(traces.samples_per_trace(), f64::from(delay) / 1e3, traces.interval()).named("time", "s");
        let mut axes = vec![time];
        axes.extend(match line_axes(&places).map_err(refuse)? {
            Some(lines) => on_map(&places, &lines, rounding).unwrap_or(lines).to_vec(),
            None => vec![along_section(&places, rounding)],
        });
        Ok(Self { volume: Volume::new(axes, values).map_err(refuse)?, binary, unplaced })
    }
}

/// x and y of the ensemble [m]; where both are 0 nothing is said, in whatever unit.
fn cdp(header: &TraceHeader, binary: &BinaryHeader) -> Result<[f64; 2], Refused> {
    match [header.cdp_x, header.cdp_y] {
        [0, 0] => Ok([0.0; 2]),
        _ => Ok(header.geometry(binary.metres_per_unit()?)?.cdp),
    }
}

/// What places a trace.
struct Place {
    delay: i16,
    /// In-line and cross-line.
    lines: [i32; 2],
    /// x and y of the ensemble [m], if they are lengths.
    cdp: Option<[f64; 2]>,
}

const NAMES: [&str; 2] = ["inline", "crossline"];

/// The faster and the slower of in-lines and cross-lines, if both vary.
fn line_axes(places: &[Place]) -> Result<Option<[Axis; 2]>, Refused> {
    let first = places[0].lines;
    let varies = |which: usize| places.iter().any(|place| place.lines[which] != first[which]);
    if !varies(0) || !varies(1) {
        return Ok(None);
    }
    let fast = usize::from(places[1].lines[0] == first[0]);
    let slow = 1 - fast;
    let run = places.iter().take_while(|place| place.lines[slow] == first[slow]).count();
    let step = |which: usize, index: usize| i64::from(places[index].lines[which]) - i64::from(first[which]);
    let steps = [step(fast, 1.min(run - 1)), step(slow, run)];
    for (index, place) in places.iter().enumerate() {
        let turns = [index % run, index / run];
        for (which, turn, step) in [(fast, turns[0], steps[0]), (slow, turns[1], steps[1])] {
            let wanted = i64::from(first[which]) + turn as i64 * step;
            if i64::from(place.lines[which]) != wanted {
                let expected = format!("{wanted} by the order of those before; fill the holes and sort the traces");
                let refused = Refused::new(TraceHeader::place(NAMES[which]), place.lines[which], expected);
                return Err(in_trace(index as u64, refused));
            }
        }
    }
    if !places.len().is_multiple_of(run) {
        let expected = format!("a multiple of {run}, the traces of the first {}", NAMES[slow]);
        return Err(Refused::new("number of traces", places.len(), expected));
    }
    let axis = |which: usize, count: usize, step: i64| {
        Axis::new(count, f64::from(first[which]), step as f64).named(NAMES[which], "")
    };
    Ok(Some([axis(fast, run, steps[0]), axis(slow, places.len() / run, steps[1])]))
}

/// Axes of lines as x and y, where the ensembles stand evenly along both.
///
/// # Arguments
/// * `rounding` – unit of their coordinates [m]
fn on_map(places: &[Place], [fast, slow]: &[Axis; 2], rounding: f64) -> Option<[Axis; 2]> {
    let points: Vec<_> = places.iter().map(|place| place.cdp).collect::<Option<_>>()?;
    let counts = [fast.count, slow.count];
    let steps = even_steps(&points, counts, rounding)?;
    let most_off = most_off(&steps, rounding);
    // Not even the last ensemble is beside its axis.
    let lies_along =
        |which: usize, axis: usize| (steps[which][1 - axis] * (counts[which] - 1) as f64).abs() <= most_off;
    let of_fast = [0, 1].into_iter().find(|&axis| lies_along(0, axis) && lies_along(1, 1 - axis))?;
    let axis = |which: usize, axis: usize| {
        Axis::new(counts[which], points[0][axis], steps[which][axis]).named(["x", "y"][axis], "m")
    };
    Some([axis(0, of_fast), axis(1, 1 - of_fast)])
}

/// Distance along the line, or else the number of the trace.
///
/// # Arguments
/// * `rounding` – unit of the coordinates [m]
fn along_section(places: &[Place], rounding: f64) -> Axis {
    let count = places.len();
    let points: Option<Vec<_>> = places.iter().map(|place| place.cdp).collect();
    let points = points.filter(|points| points.len() > 1);
    let even = points.and_then(|points| Some((points[0], even_steps(&points, [count], rounding)?)));
    match even {
        // Along x points stand where they are.
        Some((first, [[dx, dy]])) if dy.abs() <= EVEN * dx.hypot(dy) => Axis::new(count, first[0], dx).named("x", "m"),
        Some((_, [[dx, dy]])) => Axis::new(count, 0.0, dx.hypot(dy)).named("distance", "m"),
        None => Axis::new(count, 1.0, 1.0).named("trace", ""),
    }
}

/// From an ensemble to the next along each axis of their order, the first of which runs fastest; none if they do not stand evenly.
fn even_steps<const N: usize>(points: &[[f64; 2]], counts: [usize; N], rounding: f64) -> Option<[[f64; 2]; N]> {
    let first = points[0];
    let mut stride = 1;
    let steps = counts.map(|count| {
        let last = points[(count - 1) * stride];
        stride *= count;
        [0, 1].map(|axis| (last[axis] - first[axis]) / (count - 1) as f64)
    });
    let most_off = most_off(&steps, rounding);
    let is_even = |(mut index, point): (usize, &[f64; 2])| {
        let mut off = [0, 1].map(|axis| point[axis] - first[axis]);
        for (count, step) in counts.into_iter().zip(steps) {
            let turn = (index % count) as f64;
            index /= count;
            off = [0, 1].map(|axis| off[axis] - turn * step[axis]);
        }
        off[0].hypot(off[1]) <= most_off
    };
    (most_off > 0.0 && points.iter().enumerate().all(is_even)).then_some(steps)
}

/// How far an ensemble may be from its even place [m]; 0 where some step is none.
fn most_off(steps: &[[f64; 2]], rounding: f64) -> f64 {
    let spacing = steps.iter().map(|[dx, dy]| dx.hypot(*dy)).fold(f64::INFINITY, f64::min);
    rounding.clamp(EVEN * spacing, MOST_OFF * spacing)
}
