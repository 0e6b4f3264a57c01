//! Gathers: the traces of a shot, or any other panel of traces, with time downwards.

use std::path::Path;

use crate::colour::ColourMap;
use crate::error::{Error, Result};
use crate::gain::Gain;
use crate::gather_picture::Picture;
use crate::gather_places::{Places, TraceAxis};
use crate::layout::Paper;
use crate::trace::{self, Trace};

/// Traces of one length, such as those of a shot, or the near offset of every shot of a line.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    /// Samples, trace after trace: sample i of trace j is at `i + samples_per_trace * j`.
    pub samples: &'a [f32],
    /// Samples of a trace.
    pub samples_per_trace: usize,
    /// Time of the first sample \[s\].
    pub t0: f64,
    /// Time between samples \[s\].
    pub dt: f64,
    /// Horizontal positions of the traces.
    pub axis: TraceAxis<'a>,
}

/// Display of amplitudes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GatherStyle {
    /// Variable density: a colour for every pixel, with the middle of the map at zero.
    Density(ColourMap),
    /// Wiggles with positive lobes filled black; as many traces as fit.
    Wiggle,
}

/// Options of a gather.
#[derive(Clone, Debug)]
pub struct GatherOptions {
    /// Size and resolution.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
    /// What was recorded, such as "Pressure".
    pub quantity: String,
    /// Its unit, such as "Pa".
    pub unit: String,
    /// Colours or wiggles.
    pub style: GatherStyle,
    /// Gain.
    pub gain: Gain,
    /// Percentile of the absolute amplitudes, after the gain, that is drawn with the last colour or the widest wiggle; above 0, up to 100. Zero samples, such
    /// as those before the first arrivals, are ignored.
    pub clip: f64,
    /// Time window \[s\], as far as there are samples; all of them when left out.
    pub window: Option<[f64; 2]>,
}

impl Default for GatherOptions {
    fn default() -> Self {
        Self {
            paper: Paper::default(),
            title: String::new(),
            quantity: "Pressure".into(),
            unit: "Pa".into(),
            style: GatherStyle::Density(ColourMap::Grey),
            gain: Gain::None,
            clip: 99.0,
            window: None,
        }
    }
}

/// Draws a gather: traces side by side in the order of their positions, time downwards.
///
/// A pixel with many samples shows the sum of the lowest negative and the highest positive one: an isolated lobe keeps its sign and height, and oscillations
/// within one pixel fade instead of aliasing. In variable-density pictures a trace extends halfway to its neighbours, and wide gaps are white. Wiggles are
/// thinned until they fit, and the line below the title states how many are drawn.
///
/// # Arguments
/// * `gather` – the traces, processed one by one without copying the whole gather
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Nothing`, `Error::NoSamples`, `Error::TimeStep`, `Error::NotFinite`, `Error::Length`, `Error::NotPositive`, `Error::Clip`,
/// `Error::Range`, `Error::Window`, `Error::Paper`, `Error::Write`
pub fn gather(gather: &Gather<'_>, options: &GatherOptions, path: impl AsRef<Path>) -> Result<()> {
    let traces = gather.count()?;
    options.gain.check()?;
    if !(options.clip > 0.0 && options.clip <= 100.0) {
        return Err(Error::Clip { percentile: options.clip });
    }
    let blank = vec![0.0; gather.samples_per_trace];
    let blank = gather.trace(&blank);
    trace::check([&blank])?;
    let all = trace::window([&blank].into_iter(), None)?;
    let wanted = trace::window([&blank].into_iter(), options.window)?;
    let window = [wanted[0].max(all[0]), wanted[1].min(all[1])];
    let shown = blank.inside(window);
    let picture = Picture { gather, options, window, shown, places: Places::new(gather.axis, traces)? };
    picture.draw()?.save(path.as_ref())
}

impl<'a> Gather<'a> {
    /// Number of traces.
    ///
    /// # Errors
    /// `Error::Nothing`, `Error::NoSamples`, `Error::Length`
    fn count(&self) -> Result<usize> {
        if self.samples_per_trace == 0 {
            return Err(Error::NoSamples { trace: "1 of the gather".into() });
        }
        let traces = self.samples.len().div_ceil(self.samples_per_trace);
        let expected = traces * self.samples_per_trace;
        match self.samples.len() {
            0 => Err(Error::Nothing { what: "traces" }),
            found if found != expected => {
                let what = format!("a gather with {} samples per trace", self.samples_per_trace);
                Err(Error::Length { what, found, expected })
            }
            _ => Ok(traces),
        }
    }

    /// A single trace.
    pub(crate) fn trace<'b>(&self, samples: &'b [f64]) -> Trace<'b> {
        Trace { label: "of the gather", component: "", t0: self.t0, dt: self.dt, samples, offset_m: None }
    }
}
