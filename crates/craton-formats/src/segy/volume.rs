//! A SEG-Y file as a regular grid: a section, or a volume of in-lines and cross-lines, in time or in depth.

use std::path::Path;

use super::file_header::REVISION_2;
use super::positions::{Fields, OF_MODELS, Positions};
use super::{BinaryHeader, FOOT, SegyReader, TraceHeader, TraceReader, in_trace};
use crate::error::{Refused, Result};
use crate::volume::{Axis, Volume, VolumeReader, Window, point_count};

/// Largest deviation of a trace from even spacing, in spacings, or the unit of its coordinates if that is larger, since coordinates are
/// rounded.
const SPACING_TOLERANCE: f64 = 0.05;
/// Upper limit of that tolerance, if the unit is coarse.
const LARGEST_TOLERANCE: f64 = 0.25;

/// Units of depth per second of sample interval: depth models store thousandths of a metre or a foot in the fields for microseconds.
const UNITS_PER_SECOND: f64 = 1000.0;

/// Reads a complete file.
///
/// The first axis is time [s], from delay and sample interval; for depth models, see [`read_model`]. If both in-line and cross-line numbers
/// vary, two more axes follow, the faster one first: x and y [m] of the ensembles (CDP) if they are evenly spaced along both, or else the
/// line numbers. Otherwise there is one more axis: if the ensembles are evenly spaced on a line, their x [m] if the line is along x, else
/// the distance along it [m]; or else the trace number, from 1. Coordinates in feet, according to the measurement system of the binary
/// header, are converted to metres; values are not converted.
///
/// # Errors
/// As [`SegyReader::open`] and [`super::TraceReader::trace`]; traces with different delays; in-lines or cross-lines with gaps or in another
/// order, with the first trace affected.
pub fn read_volume(path: &Path) -> Result<Volume> {
    Opened::new(path, false, &[Fields::Ensemble])?.reader.read_whole()
}

/// Reads a complete depth model, see [`open_model`].
///
/// # Errors
/// As [`open_model`] and [`super::TraceReader::trace`].
pub fn read_model(path: &Path, is_placed: bool, bytes: Option<[usize; 2]>) -> Result<Volume> {
    open_model(path, is_placed, bytes)?.read_whole()
}

/// Opens a depth model: as [`read_volume`], except that the first axis is depth, and that the positions of the traces are those of the source
/// or else of the receiver group if all ensembles have the same or none. The fields for microseconds hold thousandths of a
/// metre, or of a foot if the measurement system is feet; the unit of the axis is then `ft`. In files of revision 2 whose traces are
/// identified as data in depth (code 25), they hold metres or feet, as the standard defines. Values are not converted: no header field says
/// whether speeds of a model in feet are in ft/s.
///
/// # Arguments
/// * `is_placed` – whether the caller knows the positions of the traces, so that their headers do not matter
/// * `bytes` – first bytes, counted from 1, of the x and y of the traces in their headers, instead of the above
/// # Errors
/// As [`read_volume`], except for samples; a measurement system that is neither metres nor feet; unless `is_placed`, coordinates that are not lengths, with the first trace affected, or that are neither on an even line nor on a grid along x and y.
///
/// If the sample interval is 0, or differs between headers, the depth axis has no unit and counts samples.
///
/// Verified by `a_segy_model_in_feet_has_axes_in_feet`.
pub fn open_model(path: &Path, is_placed: bool, bytes: Option<[usize; 2]>) -> Result<SegyVolumeReader> {
    let given = bytes.map(|bytes| [Fields::At(bytes)]);
    let candidates = given.as_ref().map_or(&OF_MODELS[..], |given| &given[..]);
    let Opened { mut reader, binary, unplaced, interval, is_in_depth } = Opened::new(path, true, candidates)?;
    let refuse = |refused: Refused| refused.unreadable(path);
    let unit = if binary.metres_per_unit().map_err(refuse)? == FOOT { "ft" } else { "m" };
    if let Some(refused) = unplaced.filter(|_| !is_placed) {
        return Err(refuse(refused));
    }
    let Axis { count, origin, spacing, .. } = reader.axes[0];
    reader.axes[0] = match interval {
        Some(interval) => {
            let spacing = if is_in_depth { interval } else { UNITS_PER_SECOND * spacing };
            Axis::new(count, UNITS_PER_SECOND * origin, spacing).named("depth", unit)
        }
        None => Axis::new(count, 0.0, 1.0).named("depth", ""),
    };
    Ok(reader)
}

/// Trace identification code of data in depth, which revision 2 introduced.
const DEPTH_DATA: i16 = 25;

/// An open file whose trace headers, and so its axes, are known.
#[derive(Debug)]
pub struct SegyVolumeReader {
    traces: TraceReader,
    axes: Vec<Axis>,
}

impl VolumeReader for SegyVolumeReader {
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// # Errors
    /// A file that cannot be read; a sample of the window that is not finite in single precision.
    fn values(&mut self, window: &Window) -> Result<Vec<f32>> {
        let mut values = Vec::with_capacity(window.count());
        let mut samples = Vec::new();
        for index in window.across().runs().flatten() {
            self.traces.samples_into(index as u64, window.ranges()[0].clone(), &mut samples)?;
            values.extend_from_slice(&samples);
        }
        Ok(values)
    }
}

/// An open file, and what its headers say about its axes.
struct Opened {
    reader: SegyVolumeReader,
    binary: BinaryHeader,
    /// Why the positions of the traces are unusable, with the first trace affected.
    unplaced: Option<Refused>,
    /// The sample interval [microseconds], if all headers give the same one.
    interval: Option<f64>,
    /// Whether the sample interval is a length, in metres or feet.
    is_in_depth: bool,
}

impl Opened {
    /// # Arguments
    /// * `any_interval` – whether the sample interval may be unknown; the spacing along the first axis is then 1
    /// * `candidates` – fields that may have the positions of the traces, best first
    fn new(path: &Path, any_interval: bool, candidates: &[Fields]) -> Result<Self> {
        let SegyReader { binary, mut traces, .. } = SegyReader::open_with(path, any_interval)?;
        let interval = traces.microseconds();
        let mut has_interval = interval > 0.0;
        let mut places = Vec::with_capacity(traces.count() as usize);
        let mut positions: Vec<_> = candidates.iter().copied().map(Positions::new).collect();
        let refuse = |refused: Refused| refused.unreadable(path);
        let mut is_in_depth = binary.revision >= REVISION_2;
        for index in 0..traces.count() {
            let header = traces.header(index)?;
            has_interval &= traces.has_interval_of_file();
            is_in_depth &= header.trace_id == DEPTH_DATA;
            positions.iter_mut().for_each(|positions| positions.add(&header, &traces, &binary));
            let delay = header.delay_ms().map_err(|refused| refuse(in_trace(index, refused)))?;
            places.push(Place { delay, lines: [header.inline, header.crossline] });
        }
        let delay = one_delay(&places).map_err(refuse)?;
        let spacing = if has_interval { traces.interval() } else { 1.0 };
        let time = Axis::new(traces.samples_per_trace(), delay / 1e3, spacing).named("time", "s");
        let mut axes = vec![time];
        let mut positions = Positions::best(positions);
        let rounding = positions.rounding(&binary);
        axes.extend(match line_axes(&places).map_err(refuse)? {
            Some(lines) => on_map(&positions.points, &lines, rounding).unwrap_or(lines).to_vec(),
            None => vec![along_section(&positions.points, rounding)],
        });
        let mut unplaced = positions.unusable.take();
        // Axes without a unit only count.
        if axes.iter().any(|axis| axis.unit.is_empty()) && positions.are_known() {
            unplaced.get_or_insert_with(|| positions.not_straight(axes.len()));
        }
        point_count(&axes).map_err(refuse)?;
        let interval = has_interval.then_some(interval);
        Ok(Self { reader: SegyVolumeReader { traces, axes }, binary, unplaced, interval, is_in_depth })
    }
}

/// The delay of all traces [ms].
fn one_delay(places: &[Place]) -> Result<f64, Refused> {
    let delay = places[0].delay;
    let Some(index) = places.iter().position(|place| place.delay != delay) else { return Ok(delay) };
    let expected = format!("{delay} ms, as in the first trace; shift the traces to one time");
    let refused = Refused::new(TraceHeader::place("delay"), format!("{} ms", places[index].delay), expected);
    Err(in_trace(index as u64, refused))
}

/// Header fields that determine the axes, apart from the position of the trace.
struct Place {
    /// Time of the first sample [ms].
    delay: f64,
    /// In-line and cross-line number.
    lines: [i32; 2],
}

const NAMES: [&str; 2] = ["inline", "crossline"];

/// The axes of in-lines and cross-lines, the faster one first, if both numbers vary.
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
                let expected =
                    format!("{wanted}, from the order of the previous traces; fill the gaps and sort the traces");
                let refused = Refused::new(TraceHeader::place(NAMES[which]), place.lines[which], expected);
                return Err(in_trace(index as u64, refused));
            }
        }
    }
    if !places.len().is_multiple_of(run) {
        let expected = format!("a multiple of {run}, the number of traces of the first {}", NAMES[slow]);
        return Err(Refused::new("number of traces", places.len(), expected));
    }
    let axis = |which: usize, count: usize, step: i64| {
        Axis::new(count, f64::from(first[which]), step as f64).named(NAMES[which], "")
    };
    Ok(Some([axis(fast, run, steps[0]), axis(slow, places.len() / run, steps[1])]))
}

/// Converts line axes to x and y, if the traces are evenly spaced along both.
///
/// # Arguments
/// * `rounding` – unit of the coordinates [m]
fn on_map(points: &[Option<[f64; 2]>], [fast, slow]: &[Axis; 2], rounding: f64) -> Option<[Axis; 2]> {
    let points: Vec<_> = points.iter().copied().collect::<Option<_>>()?;
    let counts = [fast.count, slow.count];
    let steps = even_steps(&points, counts, rounding)?;
    let most_off = most_off(&steps, rounding);
    // Even the last trace must be on the axis.
    let lies_along =
        |which: usize, axis: usize| (steps[which][1 - axis] * (counts[which] - 1) as f64).abs() <= most_off;
    let of_fast = [0, 1].into_iter().find(|&axis| lies_along(0, axis) && lies_along(1, 1 - axis))?;
    let axis = |which: usize, axis: usize| {
        Axis::new(counts[which], points[0][axis], steps[which][axis]).named(["x", "y"][axis], "m")
    };
    Some([axis(0, of_fast), axis(1, 1 - of_fast)])
}

/// Axis of the distance along the line, or else of the trace number.
///
/// # Arguments
/// * `rounding` – unit of the coordinates [m]
fn along_section(points: &[Option<[f64; 2]>], rounding: f64) -> Axis {
    let count = points.len();
    let points: Option<Vec<_>> = points.iter().copied().collect();
    let points = points.filter(|points| points.len() > 1);
    let even = points.and_then(|points| Some((points[0], even_steps(&points, [count], rounding)?)));
    match even {
        // For a line along x, use the x coordinates.
        Some((first, [[dx, dy]])) if dy.abs() <= SPACING_TOLERANCE * dx.hypot(dy) => {
            Axis::new(count, first[0], dx).named("x", "m")
        }
        Some((_, [[dx, dy]])) => Axis::new(count, 0.0, dx.hypot(dy)).named("distance", "m"),
        None => Axis::new(count, 1.0, 1.0).named("trace", ""),
    }
}

/// Steps between traces along each axis, fastest axis first; `None` if they are not evenly spaced.
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

/// Largest deviation of a trace from even spacing [m]; 0 if a step is zero.
fn most_off(steps: &[[f64; 2]], rounding: f64) -> f64 {
    let spacing = steps.iter().map(|[dx, dy]| dx.hypot(*dy)).fold(f64::INFINITY, f64::min);
    rounding.clamp(SPACING_TOLERANCE * spacing, LARGEST_TOLERANCE * spacing)
}
