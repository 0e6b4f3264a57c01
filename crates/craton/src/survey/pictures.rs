//! Pictures of a survey: the model with the spread, gathers, and a section of nearest traces.

use std::path::Path;

use craton_acquisition::survey::Shot;
use craton_formats::FormatError;
use craton_formats::segy::{SegyReader, TraceReader};
use craton_formats::su;
use craton_run::{Cancel, OutputDirectory};
use craton_view::{
    AbsorbingFrame, Gain, Gather, GatherOptions, Raster, Rectangle, SurveyModel, SurveyOptions, SurveyPlane,
    SurveyView, TraceAxis,
};

use super::config::{GatherFormat, GatherGain, GatherStyle, Quantity};
use super::session::SurveyPlan;
use super::setup::Setup;
use crate::error::Error;
use crate::number::counted;

/// Largest number of points of a picture of the model along an axis.
const MOST_POINTS: usize = 1200;
/// Largest number of traces of a picture; more would exceed the number of pixels.
const MOST_TRACES: usize = 4000;
/// Gain of pictures as an exponent of time: geometrical spreading is 1/t in three dimensions, and its square root in
/// two.
const GAINS: [f64; 2] = [1.0, 0.5];

/// Draws all pictures into the results folder.
///
/// # Arguments
/// * `failed` – numbers of the failed shots
/// * `cancel` – whether to stop
/// # Errors
/// A file that cannot be read or written.
pub fn draw(
    setup: &Setup,
    plan: &SurveyPlan,
    failed: &[u32],
    folder: &OutputDirectory,
    cancel: &Cancel,
) -> Result<Vec<String>, Error> {
    let shots: Vec<&Shot> = plan.order.iter().map(|&shot| &setup.survey.shots()[shot]).collect();
    let shots: Vec<&Shot> = shots.into_iter().filter(|shot| !failed.contains(&shot.number)).collect();
    let mut pictures = Pictures { setup, plan, folder, files: Vec::new() };
    pictures.model(&shots)?;
    for (quantity, file) in plan.gathers.of_quantities() {
        let mut traces = OfQuantity { quantity, traces: open(setup, &file)? };
        pictures.gathers(&mut traces, &shots, cancel)?;
    }
    Ok(pictures.files)
}

/// The traces of a complete file.
fn open(setup: &Setup, file: &Path) -> Result<TraceReader, FormatError> {
    match setup.output.format {
        GatherFormat::Segy => Ok(SegyReader::open(file)?.traces),
        GatherFormat::Su => su::open(file),
    }
}

struct Pictures<'a> {
    setup: &'a Setup,
    plan: &'a SurveyPlan,
    folder: &'a OutputDirectory,
    files: Vec<String>,
}

/// The complete file of a quantity.
struct OfQuantity {
    quantity: Quantity,
    traces: TraceReader,
}

impl Pictures<'_> {
    /// The wave speed with all sources and receivers: a section, and in three dimensions also a map.
    fn model(&mut self, shots: &[&Shot]) -> Result<(), Error> {
        let domain = &self.setup.domain;
        let middle = 0.5 * (domain.low[1] + domain.high[1]);
        self.model_in("model.png", SurveyPlane::Section, [0, 2], |x, z| [x, middle, z], shots)?;
        if self.setup.is_plane {
            return Ok(());
        }
        let depth = shots.iter().map(|shot| shot.source.centre()[2]).fold(f64::INFINITY, f64::min);
        self.model_in("map.png", SurveyPlane::Map, [0, 1], |x, y| [x, y, depth], shots)
    }

    fn model_in(
        &mut self,
        name: &str,
        plane: SurveyPlane,
        axes: [usize; 2],
        place: impl Fn(f64, f64) -> [f64; 3],
        shots: &[&Shot],
    ) -> Result<(), Error> {
        let (setup, grids) = (self.setup, &self.plan.grids);
        let grid = grids.grid();
        let size = axes.map(|axis| grid.cells[axis].clamp(2, MOST_POINTS));
        let ends = axes.map(|axis| [setup.domain.low[axis], setup.domain.high[axis]]);
        let at = |axis: usize, index: usize| {
            ends[axis][0] + (ends[axis][1] - ends[axis][0]) * index as f64 / (size[axis] - 1) as f64
        };
        let points = (0..size[1]).flat_map(|j| (0..size[0]).map(move |i| (i, j)));
        let values: Vec<f64> = points.map(|(i, j)| setup.fluid.at(place(at(0, i), at(1, j))).vp).collect();
        let flat = |position: [f64; 3]| axes.map(|axis| position[axis]);
        let sources: Vec<_> = shots.iter().map(|shot| flat(shot.source.centre())).collect();
        let middle = shots[shots.len() / 2];
        let receivers: Vec<_> = middle.spread.receivers().map(|receiver| flat(receiver.array.centre())).collect();
        let widths: Rectangle = axes.map(|axis| grids.around()[axis].map(|cells| cells as f64 * grid.spacing[axis]));
        let window = grids.window(middle);
        let ends_of = |axis: usize| {
            let at = |cell: usize| grid.origin[axis] + cell as f64 * grid.spacing[axis];
            [at(window.cells[axis].start), at(window.cells[axis].end)]
        };
        let view = SurveyView {
            model: SurveyModel::Property(Raster { size, x: ends[0], y: ends[1], values: &values }),
            sources: &sources,
            receivers: &receivers,
            aperture: setup.fd.aperture.map(|_| axes.map(ends_of)),
            absorbing: Some(AbsorbingFrame { inner: ends, widths }),
        };
        let title = match shots.len() {
            1 => setup.title.clone(),
            _ => titled(setup, &format!("sources of all shots, receivers of shot {}", middle.number)),
        };
        craton_view::survey_model(
            &view,
            &SurveyOptions { title, plane, ..SurveyOptions::default() },
            self.folder.file(name)?,
        )?;
        self.files.push(name.to_owned());
        Ok(())
    }

    /// The requested gathers of a file, and the nearest trace of each shot.
    fn gathers(&mut self, of: &mut OfQuantity, shots: &[&Shot], cancel: &Cancel) -> Result<(), Error> {
        let default = [shots[0].number, shots[shots.len() / 2].number, shots[shots.len() - 1].number];
        let requested = self.setup.output.pictures.as_deref().unwrap_or(&default);
        let mut first = 0;
        let mut near = Vec::new();
        for shot in shots {
            if requested.contains(&shot.number) && !cancel.is_cancelled() {
                self.gather(of, shot, first)?;
            }
            let offsets = shot.traces().map(|trace| trace.offset());
            let nearest = offsets.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).expect("a shot has a receiver");
            near.push((shot.source.centre()[0], first + nearest.0 as u64));
            first += shot.spread.len() as u64;
        }
        self.near_section(of, &near)
    }

    /// A shot, over channel numbers, or over receiver positions if they are along a line.
    fn gather(&mut self, of: &mut OfQuantity, shot: &Shot, first: u64) -> Result<(), Error> {
        let count = shot.spread.len().min(MOST_TRACES);
        let places: Vec<f64> = shot.traces().take(count).map(|trace| trace.receiver[0]).collect();
        let indices: Vec<u64> = (first..).take(count).collect();
        let is_line = is_rising(&places) || is_rising(&places.iter().map(|x| -x).collect::<Vec<_>>());
        let axis = match is_line {
            true => TraceAxis::Position { metres: &places, label: "x of the receiver" },
            false => TraceAxis::Number { first: 1 },
        };
        let part =
            if count < shot.spread.len() { format!(", first {}", counted(count, "trace")) } else { String::new() };
        let title = titled(self.setup, &format!("shot {}{part}", shot.number));
        self.panel(of, &format!("shot_{}", shot.number), title, &indices, axis)
    }

    /// The nearest trace of each shot.
    fn near_section(&mut self, of: &mut OfQuantity, near: &[(f64, u64)]) -> Result<(), Error> {
        if near.len() < 2 {
            return Ok(());
        }
        let kept: Vec<&(f64, u64)> = near.iter().step_by(near.len().div_ceil(MOST_TRACES)).collect();
        let places: Vec<f64> = kept.iter().map(|(x, _)| *x).collect();
        let indices: Vec<u64> = kept.iter().map(|(_, index)| *index).collect();
        let is_line = is_rising(&places) || is_rising(&places.iter().map(|x| -x).collect::<Vec<_>>());
        let axis = match is_line {
            true => TraceAxis::Position { metres: &places, label: "x of the source" },
            false => TraceAxis::Number { first: 1 },
        };
        let title = titled(self.setup, "the nearest trace of each shot");
        self.panel(of, "near_offsets", title, &indices, axis)
    }

    fn panel(
        &mut self,
        of: &mut OfQuantity,
        name: &str,
        title: String,
        indices: &[u64],
        axis: TraceAxis,
    ) -> Result<(), Error> {
        let mut samples = Vec::new();
        let mut of_trace = Vec::new();
        for &index in indices {
            of.traces.trace_into(index, &mut of_trace)?;
            samples.extend_from_slice(&of_trace);
        }
        let time = &self.plan.grids.axis;
        let gather =
            Gather { samples: &samples, samples_per_trace: time.samples, t0: time.first(), dt: time.interval, axis };
        let [quantity, unit] = of.quantity.in_words();
        let (name, title) = match &self.setup.heard[..] {
            [_] => (format!("{name}.png"), title),
            _ => (format!("{name}_{}.png", of.quantity.name()), format!("{title}, {}", quantity.to_lowercase())),
        };
        let drawn = &self.setup.output.gather;
        let options = GatherOptions {
            title,
            quantity: quantity.into(),
            unit: unit.into(),
            style: match drawn.style {
                GatherStyle::Density => GatherOptions::default().style,
                GatherStyle::Wiggle => craton_view::GatherStyle::Wiggle,
            },
            gain: match drawn.gain {
                GatherGain::Time => Gain::TimePower(GAINS[usize::from(self.setup.is_plane)]),
                GatherGain::Agc => Gain::Agc(drawn.agc_window),
                GatherGain::Trace => Gain::PerTrace,
                GatherGain::None => Gain::None,
            },
            clip: drawn.clip,
            ..GatherOptions::default()
        };
        craton_view::gather(&gather, &options, self.folder.file(&name)?)?;
        self.files.push(name);
        Ok(())
    }
}

/// Title of a picture: the title of the survey and the content.
fn titled(setup: &Setup, shown: &str) -> String {
    if setup.title.is_empty() { shown.to_owned() } else { format!("{}: {shown}", setup.title) }
}

/// Whether positions are ascending.
fn is_rising(places: &[f64]) -> bool {
    places.windows(2).all(|pair| pair[0] < pair[1])
}
