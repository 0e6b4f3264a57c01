//! From a scenario file to seismograms: the whole program, stage by stage.
//!
//! | file | what it does |
//! |---|---|
//! | this one | the straight line |
//! | `device` | what computes |
//! | `prepare` | the Earth on a mesh, the time axis, and whether it all fits |
//! | `record` | what happens at the events of the time loop |
//! | `seismograms` | from samples to traces in files |
//! | `pictures` | what the run leaves to look at |
//! | `report` | what the user is told |

mod device;
mod pictures;
mod prepare;
mod record;
mod report;
mod seismograms;
mod session;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use craton_device::Workers;
use craton_run::{OutputDirectory, RunStatus};
use craton_sim::{Action, Outcome, Recorder as _};

use crate::config::Precision;
use crate::error::Error;
use crate::meshing;
use crate::options::{CheckOptions, MeshOptions, ResumeOptions, RunOptions};
use crate::placing::{Placed, TimeAxis};
use prepare::{Case, Prepared};
pub use prepare::{Preflight, TimeStep};
use record::Recorder;
pub use report::{CheckReport, MeshReport, RunReport};
use session::{Motion, Output, Scalar, Session};

/// Runs a scenario: from its file to seismograms, pictures and a record.
///
/// # Errors
/// Anything wrong with the scenario or its files, before any work; an unstable run, a full disk, during it.
pub fn run(file: &Path, options: &RunOptions) -> Result<RunReport, Error> {
    let session = Session::new(file, options)?;
    OutputDirectory::check(session.directory(), session.may_overwrite())?;
    match session.setup.method.precision {
        Precision::Single => solve::<f32>(session),
        Precision::Double => solve::<f64>(session),
    }
}

/// Goes on with an interrupted run.
///
/// # Errors
/// As [`run`]; also a folder without a run, or with a complete one.
pub fn resume(directory: &Path, options: &ResumeOptions) -> Result<RunReport, Error> {
    let session = Session::resumed(directory, options)?;
    match session.setup.method.precision {
        Precision::Single => solve::<f32>(session),
        Precision::Double => solve::<f64>(session),
    }
}

/// The straight line.
fn solve<T: Scalar>(mut session: Session) -> Result<RunReport, Error> {
    let workers = Arc::new(Workers::new(session.setup.threads)?);
    prepare::require_least_memory::<T>(&session.setup)?;
    let (mesh, quality) = session.stages.time("mesh", || meshing::mesh(&session.setup))?;
    let case = Case { setup: &session.setup, device: &session.device, dt: session.resumed };
    let prepared = session.stages.time("elements", || Prepared::<T>::new(&case, mesh, &quality, &workers))?;
    let Prepared { discretisation, axis, preflight } = prepared;
    let placed =
        session.stages.time("sources and receivers", || Placed::new(&session.setup, &discretisation, &axis))?;
    let mut output = session.open_output::<T>(&preflight)?;
    session.stages.time("model picture", || pictures::model(&session.setup, &mut output))?;
    let operator =
        session.stages.time("operator", || session.device.operator(discretisation, &axis, &placed, workers))?;
    let simulated = simulate(&mut session, operator, &axis, &mut output);
    let (status, steps) = simulated.inspect_err(|error| output.failed(&session.stages, error))?;
    output.finished(status, &session.stages, &preflight, steps)
}

/// The time loop and what follows it: how it ended, and the steps it made.
fn simulate<T: Scalar>(
    session: &mut Session,
    mut operator: Box<Motion<T>>,
    axis: &TimeAxis,
    output: &mut Output,
) -> Result<(RunStatus, u64), Error> {
    let mut recorder = Recorder::<T>::new(session, axis, &*operator, output)?;
    recorder.restore(&mut *operator)?;
    let first_step = operator.step();
    let mut schedule = recorder.schedule();
    let outcome = session.stages.time("time loop", || craton_sim::run(&mut *operator, &mut schedule, &mut recorder))?;
    let steps = operator.step() - first_step;
    if outcome == Outcome::Interrupted {
        return Ok((RunStatus::Interrupted, steps));
    }
    let written = results(session, &*operator, axis, &mut recorder, output);
    if written.is_err() {
        // The loop's work outlives a disk that is full: `craton resume` writes the results once there is room.
        recorder.act(&mut *operator, Action::Checkpoint)?;
    }
    written.map(|()| (RunStatus::Complete, steps))
}

/// Seismograms and pictures of a complete run.
fn results<T: Scalar>(
    session: &mut Session,
    operator: &Motion<T>,
    axis: &TimeAxis,
    recorder: &mut Recorder<T>,
    output: &mut Output,
) -> Result<(), Error> {
    session.stages.time("seismograms", || seismograms::write(&session.setup, axis, recorder, output))?;
    if !recorder.snapshots().is_empty() {
        let finish = || recorder.snapshots().finish(&session.setup, operator);
        output.files.extend(session.stages.time("pictures of snapshots", finish)?);
    }
    Ok(())
}

/// Says what a run would be, and writes nothing.
///
/// # Errors
/// Anything wrong with the scenario or its files.
pub fn check(file: &Path, options: &CheckOptions) -> Result<CheckReport, Error> {
    let session = Session::for_check(file, options)?;
    match session.setup.method.precision {
        Precision::Single => checked::<f32>(session),
        Precision::Double => checked::<f64>(session),
    }
}

fn checked<T: Scalar>(mut session: Session) -> Result<CheckReport, Error> {
    let workers = Arc::new(Workers::new(session.setup.threads)?);
    prepare::require_least_memory::<T>(&session.setup)?;
    let (mesh, quality) = session.stages.time("mesh", || meshing::mesh(&session.setup))?;
    let case = Case { setup: &session.setup, device: &session.device, dt: session.resumed };
    let prepared = session.stages.time("elements", || Prepared::<T>::new(&case, mesh, &quality, &workers))?;
    let Prepared { discretisation, axis, preflight } = prepared;
    let placed = Placed::new(&session.setup, &discretisation, &axis)?;
    let mut operator = session.device.operator(discretisation, &axis, &placed, workers)?;
    let seconds = prepare::measured_seconds(&mut *operator, &axis)?;
    Ok(CheckReport::new(&session, preflight, &quality, seconds))
}

/// Writes the mesh of a scenario with quality and regions, and a picture of it.
///
/// # Errors
/// Anything wrong with the scenario or its files, or a folder that cannot be written.
pub fn write_mesh(file: &Path, options: &MeshOptions) -> Result<MeshReport, Error> {
    let session = Session::for_mesh(file, options)?;
    let (mesh, quality) = meshing::mesh(&session.setup)?;
    let folder = options.directory.clone().unwrap_or_else(|| beside(session.directory(), "_mesh"));
    let files = pictures::mesh(&session.setup, &mesh, &quality, &folder)?;
    Ok(MeshReport::new(&mesh, quality, files))
}

/// A folder beside `directory`, its name longer by `suffix`: the results folder itself stays free for a run.
fn beside(directory: &Path, suffix: &str) -> PathBuf {
    let mut name = directory.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    directory.with_file_name(name)
}

#[cfg(test)]
mod tests;
