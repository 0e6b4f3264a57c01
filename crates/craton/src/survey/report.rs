//! Messages before and after a survey, and text headers of its files.

use std::fmt;
use std::path::PathBuf;

use craton_run::journal::Summary;
use craton_run::{RunRecord, RunStatus, Stages};

use super::config::{Quantity, TimeZero};
use super::grid::Grids;
use super::session::{Session, SurveyPlan};
use super::setup::Setup;
use super::time_axis::TimeAxis;
use super::workers::Share;
use crate::device::CPU;
use crate::look_ahead::LookAhead;
use crate::number::{Number, counted};
use crate::setup::attenuation;
use crate::verify::NOT_VERIFIED;

/// Largest number of listed failed shots and machines.
const LISTED: usize = 10;
/// Largest number of listed shot numbers.
const NAMED: usize = 5;

/// Summary of a survey.
#[derive(Debug)]
pub struct SurveyReport {
    /// Complete or interrupted.
    pub status: RunStatus,
    /// Times of the stages.
    pub stages: Stages,
    /// The work of each worker of this process.
    pub shares: Vec<Share>,
    /// Shots by machine and kind of device, from all processes since the start.
    pub done_on: Vec<Done>,
    /// Devices that were lost during the run, and why.
    pub lost: Vec<(String, String)>,
    /// Shots of the survey.
    pub shots: usize,
    /// Number of completed shots.
    pub done: usize,
    /// The failed shots, which are not in the file.
    pub failed: Vec<FailedShot>,
    /// Whether this process found a complete survey.
    pub was_complete: bool,
    /// The gather file.
    pub gathers: PathBuf,
    /// The results folder.
    pub directory: PathBuf,
    /// Results for the user, relative to the folder.
    pub files: Vec<String>,
    /// Problems after completion.
    pub warning: Option<String>,
}

/// The work of one kind of device on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The machine.
    pub machine: String,
    /// The kind of device.
    pub kind: &'static str,
    /// Shots.
    pub shots: usize,
}

/// A failed shot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedShot {
    /// Its number.
    pub number: u32,
    /// Reason of the failure.
    pub reason: String,
}

impl SurveyReport {
    /// Whether all shots are in the file.
    pub fn is_whole(&self) -> bool {
        self.status == RunStatus::Complete && self.done == self.shots
    }
}

impl fmt::Display for SurveyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.stages)?;
        let part =
            |shots: usize| format!("{} ({:.1} %)", counted(shots, "shot"), 100.0 * shots as f64 / self.shots as f64);
        for share in &self.shares {
            writeln!(f, "{}: {}, idle {:.1} % of the time", share.name, part(share.shots), 100.0 * share.idle())?;
        }
        if self.done > self.shares.iter().map(|share| share.shots).sum() {
            writeln!(f, "all processes since the start:")?;
            for Done { machine, kind, shots } in self.done_on.iter().take(LISTED) {
                writeln!(f, "  {kind} of {machine}: {}", part(*shots))?;
            }
            if self.done_on.len() > LISTED {
                writeln!(f, "  ... and {} more", self.done_on.len() - LISTED)?;
            }
        }
        self.lost.iter().try_for_each(|(name, reason)| writeln!(f, "{name} was lost during the run: {reason}"))?;
        for FailedShot { number, reason } in self.failed.iter().take(LISTED) {
            writeln!(f, "shot {number} failed twice and is left out: {reason}")?;
        }
        if self.failed.len() > LISTED {
            writeln!(f, "... and {} more", self.failed.len() - LISTED)?;
        }
        if !self.failed.is_empty() {
            writeln!(f, "fix the cause, then repeat the command with --retry-failed to compute the failed shots")?;
        }
        if self.status != RunStatus::Complete {
            return writeln!(
                f,
                "interrupted; {} of {} shots are done. Repeat the command to continue",
                self.done, self.shots
            );
        }
        writeln!(f, "{} in {}", counted(self.done, "shot"), self.gathers.display())?;
        let left = self.shots.saturating_sub(self.done + self.failed.len());
        if left > 0 {
            writeln!(
                f,
                "{} not done yet according to the journal: other processes compute them",
                counted(left, "shot")
            )?;
        }
        if self.was_complete {
            writeln!(f, "{NOT_VERIFIED}")?;
        }
        self.files.iter().try_for_each(|file| writeln!(f, "  {file}"))?;
        self.warning.iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}

/// Shot numbers, or the first of them, in words.
pub(super) fn named(shots: impl ExactSizeIterator<Item = u32>) -> String {
    let more = if shots.len() > NAMED { " ..." } else { "" };
    let first: Vec<String> = shots.take(NAMED).map(|number| number.to_string()).collect();
    format!("{}{more}", first.join(", "))
}

/// Description of a survey.
pub(super) fn look_ahead(session: &Session, plan: &SurveyPlan) -> LookAhead {
    let mut lines = figures(&session.setup, plan);
    lines.push(("computes", session.devices.name()));
    if let Some(note) = session.devices.note() {
        lines.push(("", note.to_owned()));
    }
    lines.push(("memory", plan.memory.to_string()));
    lines.push(plan.gathers.named());
    lines.extend(plan.frames.line());
    LookAhead { title: session.setup.title.clone(), lines, warnings: session.setup.warnings.clone() }
}

/// The parameters of a survey.
fn figures(setup: &Setup, plan: &SurveyPlan) -> Vec<(&'static str, String)> {
    let grids = &plan.grids;
    let [nx, ny, nz] = grids.grid().cells;
    let [dx, dy, dz] = grids.grid().spacing.map(Number);
    let (cells, edges) = match setup.is_plane {
        true => (format!("{nx} x {nz}"), format!("{dx:.3} x {dz:.3} m")),
        false => (format!("{nx} x {ny} x {nz}"), format!("{dx:.3} x {dy:.3} x {dz:.3} m")),
    };
    let shots = setup.survey.shots().len();
    let axis = &grids.axis;
    let mut figures = vec![
        ("shots", format!("{shots}, {}", counted(setup.survey.trace_count(), "trace"))),
        ("cells of the box", cells),
        ("cell size", edges),
    ];
    if let Some(given) = setup.fluid.spacing() {
        let [x, y, z] = given.map(Number);
        let from = if setup.is_plane { format!("{x:.3} x {z:.3} m") } else { format!("{x:.3} x {y:.3} x {z:.3} m") };
        figures.push(("model grid spacing", from));
    }
    if let Some(attenuation) = setup.fluid.attenuation() {
        let lines = match &setup.solid {
            Some(solid) => attenuation::lines(solid),
            None => attenuation::lines_of(attenuation, setup.fluid.greatest_loss(), "Q"),
        };
        let heads = std::iter::once("attenuation").chain(std::iter::repeat(""));
        figures.extend(heads.zip(lines));
        figures.push((
            "",
            match grids.memory_sets() {
                1 if attenuation.mechanisms() > 1 => "memory variables: one mechanism per point".to_owned(),
                sets => format!("memory variables: {} at each point", counted(sets, "mechanism")),
            },
        ));
    }
    figures.extend([
        ("equation", grids.equation_in_words()),
        ("points of a shot", format!("at most {:.0}, including layers", grids.points(&plan.largest) as f64)),
        (
            "points per wavelength",
            format!("at least {:.2} at {} Hz", grids.points_per_wavelength, Number(setup.fd.max_frequency)),
        ),
        ("time step", format!("{:.4e} s, {:.3} of the largest stable step", axis.dt, grids.courant)),
        ("steps of a shot", axis.steps.to_string()),
        ("samples of a trace", samples_in_words(setup, axis)),
    ]);
    figures
}

/// Number and interval of the samples, and the time of the first one if time 0 is the peak of the wavelet.
fn samples_in_words(setup: &Setup, axis: &TimeAxis) -> String {
    let samples = format!("{}, interval {} s", axis.samples, Number(axis.interval));
    match setup.output.time_zero {
        TimeZero::Start => samples,
        TimeZero::Peak => format!("{samples}, from {} s before the peak of the wavelet", Number(0.0 - axis.first())),
    }
}

/// The parameters in the record of a survey.
pub fn note(record: &mut RunRecord, setup: &Setup, plan: &SurveyPlan) {
    let grids = &plan.grids;
    record.figure("shots", plan.order.len());
    record.figure("traces", setup.survey.trace_count());
    record.figure("cells", grids.grid().cells.to_vec());
    record.figure("spacing_m", grids.grid().spacing.to_vec());
    record.figure("equation", grids.equation_name());
    record.figure("equation_reason", grids.equation_in_words());
    record.figure("dt_s", grids.axis.dt);
    record.figure("steps", grids.axis.steps);
    record.figure("first_sample_s", grids.axis.first());
}

/// The work of devices in the record: workers of this process, and all processes.
pub fn note_shares(record: &mut RunRecord, shares: &[Share], summary: &Summary) {
    for share in shares {
        record.figure(&format!("shots_of_{}", share.name), share.shots);
        record.figure(&format!("idle_of_{}", share.name), share.idle());
    }
    for Done { machine, kind, shots } in done_on(summary) {
        record.figure(&format!("shots_of_every_{kind}_of_{machine}"), shots);
    }
}

/// Completed shots by machine and kind of device, in descending order.
pub fn done_on(summary: &Summary) -> Vec<Done> {
    let done = |((machine, device), &shots): (&(String, u8), &u32)| Done {
        machine: machine.clone(),
        kind: if *device == CPU { "CPU" } else { "GPU" },
        shots: shots as usize,
    };
    let mut all: Vec<Done> = summary.done_on.iter().map(done).collect();
    all.sort_by_key(|done| std::cmp::Reverse(done.shots));
    all
}

/// Adds the work of workers to that of earlier or concurrent workers with the same name.
pub fn add(all: &mut Vec<Share>, now: Vec<Share>) {
    for share in now {
        match all.iter_mut().find(|known| known.name == share.name) {
            Some(known) => known.add(&share),
            None => all.push(share),
        }
    }
}

/// The kind of waves, in words.
fn waves_of(setup: &Setup) -> &'static str {
    if setup.solid.is_some() { "elastic" } else { "acoustic" }
}

/// Lines of the text header of the file of a quantity.
pub fn header_lines(setup: &Setup, grids: &Grids, quantity: Quantity) -> Vec<String> {
    let [name, unit] = quantity.in_words();
    let [dx, dy, dz] = grids.grid().spacing.map(Number);
    let edges = if setup.is_plane { format!("{dx:.3} x {dz:.3}") } else { format!("{dx:.3} x {dy:.3} x {dz:.3}") };
    let lines = [
        setup.title.clone(),
        format!("Synthetic: {} finite differences, Craton {}", waves_of(setup), env!("CARGO_PKG_VERSION")),
        format!("Samples: {}, {unit}", name.to_lowercase()),
        format!("Cells of {edges} m, time step {:.4e} s, order {}", grids.axis.dt, setup.fd.order),
        format!("Highest frequency {} Hz", Number(setup.fd.max_frequency)),
        format!("Top: {}", if setup.is_free { "free surface" } else { "absorbing" }),
        "Traces by shot number; field record is the shot, trace number the channel.".to_owned(),
        "Coordinates in metres; depths and elevations from z = 0.".to_owned(),
        match setup.output.time_zero {
            TimeZero::Start => "Time 0 is that of the time function of the source.".to_owned(),
            TimeZero::Peak => {
                format!("Time 0 is the peak of the wavelet; first sample at {} s.", Number(grids.axis.first()))
            }
        },
    ];
    // A header line has 76 ASCII characters.
    let card =
        |line: String| line.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).take(76).collect();
    lines.into_iter().map(card).collect()
}
