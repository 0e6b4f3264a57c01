//! Messages before and after the computation.

use std::fmt;
use std::path::PathBuf;

use craton_run::{OutputDirectory, RunRecord, RunStatus, Seconds, Stages};

use super::session::Session;
use super::setup::{Setup, Shape};
use super::sums::Sums;
use super::values::Values;
use super::{changes, reduction};
use crate::error::Error;
use crate::look_ahead::LookAhead;
use crate::verify::NOT_VERIFIED;

/// Largest number of listed notes.
const LISTED: usize = 10;
/// Fraction of the summation time below which preparation is not mentioned.
const LITTLE: f64 = 0.1;

/// Summary of a computation.
#[derive(Debug)]
pub struct GravityReport {
    /// Complete or interrupted.
    pub status: RunStatus,
    /// Times of the stages.
    pub stages: Stages,
    /// The summation algorithm.
    pub way: String,
    /// The devices.
    pub computes: String,
    /// Number of completed pieces, and of all pieces.
    pub pieces: [usize; 2],
    /// The results folder.
    pub directory: PathBuf,
    /// Results for the user, relative to the folder.
    pub files: Vec<String>,
    /// Notes about the bodies.
    pub notes: Vec<String>,
    /// Whether the results were already complete.
    pub was_complete: bool,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl fmt::Display for GravityReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.stages)?;
        listed(&self.notes).try_for_each(|note| writeln!(f, "{note}"))?;
        writeln!(f, "{}", self.way)?;
        writeln!(f, "computed by {}", self.computes)?;
        if self.status != RunStatus::Complete {
            let [done, all] = self.pieces;
            return writeln!(f, "interrupted; {done} of {all} pieces are done. Repeat the command to continue");
        }
        if self.was_complete {
            writeln!(f, "{NOT_VERIFIED}")?;
        }
        writeln!(f, "results are in {}", self.directory.display())?;
        self.files.iter().try_for_each(|file| writeln!(f, "  {file}"))?;
        self.warnings.iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}

/// Description of the computation.
///
/// # Arguments
/// * `before` – time of the preparation [s], which occurs again
/// # Errors
/// Insufficient memory.
pub(super) fn look_ahead(session: &Session, sums: &Sums, before: f64) -> Result<LookAhead, Error> {
    let Setup { title, places, notes, warnings, .. } = &session.setup;
    let points = match &places.shape {
        Shape::Grid { x, y, .. } => format!("{} x {}", x.len(), y.len()),
        Shape::Line(_) => format!("{} along a line", places.points.len()),
        Shape::List => places.points.len().to_string(),
    };
    let names: Vec<String> = session.setup.quantities.iter().map(|quantity| quantity.name()).collect();
    let mut lines = vec![(sums.noun(), sums.bodies().to_string())];
    lines.extend(listed(notes).map(|note| ("", note)));
    lines.extend([
        ("points", points),
        ("fields", names.join(", ")),
        ("pairs", format!("{:.3e}", sums.pairs())),
        ("sums", sums.description()),
        ("computes", sums.computes()),
    ]);
    lines.extend(sums.choice().map(|message| ("", message.to_owned())));
    lines.push(("memory", session.room(sums)?.to_string()));
    lines.extend(sums.room_on_gpus()?.map(|bytes| ("", format!("{bytes} of each GPU"))));
    let values = Values::new(&session.setup.output.directory, session.fields, sums.pieces());
    lines.push(("disk", format!("at most {}", session.disk(&values))));
    let pictures = if session.setup.output.pictures { ", plus pictures" } else { "" };
    let seconds = sums.seconds().map(|seconds| seconds + reduction::seconds(&session.setup, &session.workers));
    lines.extend(seconds.map(|seconds| ("time", time(before, seconds) + pictures)));
    lines.extend(sums.on_faces().map(|warning| ("", warning)));
    lines.extend(sums.hint().map(|hint| ("", hint.to_owned())));
    let warnings = warnings.iter().cloned().chain(sums.without_single()).chain(occupied(session)).collect();
    Ok(LookAhead { title: title.clone(), lines, warnings })
}

/// Why the computation would not start: the folder contains something else.
fn occupied(session: &Session) -> Option<String> {
    let Session { setup, file, .. } = session;
    let folder = &setup.output.directory;
    let message = |why: &dyn fmt::Display| format!("`craton gravity` requires --overwrite here: {why}");
    if !folder.exists() {
        return None;
    }
    // A computation continues; other runs are not touched.
    if OutputDirectory::check_resume(folder).is_ok() {
        return OutputDirectory::check(folder, false).err().map(|why| message(&why));
    }
    let record = RunRecord::read(folder).ok()?;
    let is_other = record.scenario_hash != format!("{:016x}", changes::identity(file, setup));
    is_other.then(|| message(&changes::refusal(folder, file, setup)))
}

/// Total time in words, with the preparation if it is significant.
fn time(before: f64, sums: f64) -> String {
    let total = format!("about {}", Seconds(before + sums));
    if before < LITTLE * sums { total } else { format!("{total}, including {} of preparation", Seconds(before)) }
}

/// The first notes, and the number of the others.
fn listed(notes: &[String]) -> impl Iterator<Item = String> {
    let more = notes.len().saturating_sub(LISTED);
    notes.iter().take(LISTED).cloned().chain((more > 0).then(|| format!("... and {more} more")))
}

/// The statistics in the record.
pub fn note(record: &mut RunRecord, setup: &Setup, sums: &Sums) {
    record.figure(sums.noun(), sums.bodies());
    record.figure("points", setup.places.points.len());
    record.figure("sums", sums.description());
    record.figure("device", sums.computes());
    record.figure("bodies", setup.notes.clone());
}
