//! From a scenario file to seismograms: the whole program, stage by stage.
//!
//! | file | what it does |
//! |---|---|
//! | this one | the straight line |
//! | `prepare` | the time axis, what a run will be, and whether it all fits |
//! | `sem`, `fd` | the Earth on a mesh, or on a grid |
//! | `motion` | what moves, by either method |
//! | `record` | what happens at the events of the time loop |
//! | `seismograms` | from samples to traces in files |
//! | `pictures` | what the run leaves to look at |
//! | `report` | what the user is told |

mod arrivals;
pub mod chunk_map;
mod fd;
mod pictures;
mod prepare;
mod record;
mod report;
mod running_solver;
mod seismograms;
mod sem;
mod session;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use craton_comm::Ranks;
use craton_device::Workers;
use craton_model::Medium;
use craton_run::RunStatus;
use craton_sim::{Action, Operator as _, Outcome, Recorder as _};

use crate::comm::together;
use crate::config::{Method, Precision};
use crate::error::Error;
use crate::meshing::Resolution;
use crate::options::{CheckOptions, MeshOptions, ResumeOptions, RunOptions};
use crate::surface_fit::SurfaceMisfit;
use crate::time_axis::TimeAxis;
pub use prepare::{Extent, Limit, Preflight, TimeStep};
use prepare::{PlacementReport, Prepared};
use record::Recorder;
pub use report::{CheckReport, MeshReport, RunReport};
pub(crate) use running_solver::RunningSolver;
pub(crate) use session::Scalar;
use session::{Output, Session, alone};

/// Runs a scenario: from its file to seismograms, pictures and a record.
///
/// # Errors
/// Anything wrong with the scenario or its files, before any work; an unstable run, a full disk, during it.
pub fn run(file: &Path, options: &RunOptions) -> Result<RunReport, Error> {
    run_on_ranks(file, options, &alone()).map(first_rank)
}

/// As [`run`], together with other ranks, all of which call this; the first alone writes results, and has a report.
///
/// # Errors
/// As [`run`]; ranks that differ, or are lost. What is wrong before the first step is an error on all ranks.
pub fn run_on_ranks(file: &Path, options: &RunOptions, ranks: &Arc<dyn Ranks>) -> Result<Option<RunReport>, Error> {
    solve_on_ranks(ranks, || {
        let session = Session::new(file, options, ranks)?;
        if ranks.is_root() {
            session.check_folder()?;
        }
        Ok(session)
    })
}

/// Goes on with an interrupted run.
///
/// # Errors
/// As [`run`]; also a folder without a run, or with a complete one.
pub fn resume(directory: &Path, options: &ResumeOptions) -> Result<RunReport, Error> {
    resume_on_ranks(directory, options, &alone()).map(first_rank)
}

/// As [`resume`], on several ranks as [`run_on_ranks`]; there may be more or fewer of them than before.
///
/// # Errors
/// As [`resume`] and [`run_on_ranks`].
pub fn resume_on_ranks(
    directory: &Path,
    options: &ResumeOptions,
    ranks: &Arc<dyn Ranks>,
) -> Result<Option<RunReport>, Error> {
    solve_on_ranks(ranks, || Session::resumed(directory, options, ranks))
}

/// The report of a process by itself.
fn first_rank(report: Option<RunReport>) -> RunReport {
    report.expect("the first rank has a report")
}

fn solve_on_ranks(
    ranks: &Arc<dyn Ranks>,
    session: impl FnOnce() -> Result<Session, Error>,
) -> Result<Option<RunReport>, Error> {
    let session = together(&**ranks, session())?;
    ranks.agree(&session.facts())?;
    match session.setup.method.precision() {
        Precision::Single => solve::<f32>(session),
        Precision::Double => solve::<f64>(session),
    }
}

/// The straight line.
fn solve<T: Scalar>(mut session: Session) -> Result<Option<RunReport>, Error> {
    let workers = Arc::new(Workers::new(session.setup.threads)?);
    let prepared = session.prepared::<T>(&workers)?;
    set_in_motion(session, prepared, workers)
}

/// The straight line from the Earth at rest on.
fn set_in_motion<T: Scalar>(
    mut session: Session,
    prepared: Prepared<T>,
    workers: Arc<Workers>,
) -> Result<Option<RunReport>, Error> {
    let Prepared { mut discretised, axis, preflight } = prepared;
    let ranks = Arc::clone(&session.ranks);
    session.setup.warnings.extend(preflight.warnings());
    let place = || discretised.place(&session.setup, &axis);
    let PlacementReport { media, warnings } = together(&*ranks, session.stages.time("sources and receivers", place))?;
    session.setup.warnings.extend(warnings);
    let output = together(&*ranks, session.open_output::<T>(&preflight))?;
    let start = || discretised.start(&session.device, &axis, workers);
    let mut motion = together(&*ranks, session.stages.time("operator", start))?;
    let Some(mut output) = output else {
        // The first rank asks, and writes what there is to write.
        motion.serve()?;
        return Ok(None);
    };
    session.stages.time("model picture", || {
        pictures::model(&session.setup, &mut output)?;
        chunk_map::draw(&session.setup, &mut output)
    })?;
    let simulated = simulate(&mut session, &mut motion, (&axis, &media), &preflight, &mut output);
    // Only now: after an error the others are taken down, wherever they wait.
    let simulated = simulated.and_then(|done| Ok(motion.end().map(|()| done)?));
    let (status, steps) = simulated.inspect_err(|error| output.failed(&session.stages, error))?;
    output.finished(status, &session.stages, &preflight, steps).map(Some)
}

/// The time loop and what follows it: how it ended, and the steps it made.
fn simulate<T: Scalar>(
    session: &mut Session,
    motion: &mut RunningSolver<T>,
    (axis, media): (&TimeAxis, &[Medium]),
    preflight: &Preflight,
    output: &mut Output,
) -> Result<(RunStatus, u64), Error> {
    let mut recorder = Recorder::<T>::new(session, axis, preflight, motion, output)?;
    recorder.restore(&mut **motion)?;
    let first_step = motion.step();
    let mut schedule = recorder.schedule();
    let outcome = session.stages.time("time loop", || craton_sim::run(motion, &mut schedule, &mut recorder));
    let outcome = outcome.map_err(|error: Error| error.at_its_place(&session.setup.frame))?;
    let steps = motion.step() - first_step;
    if outcome == Outcome::Interrupted {
        return Ok((RunStatus::Interrupted, steps));
    }
    let written = results(session, motion, (axis, media), &mut recorder, output);
    if written.is_err() {
        // The loop's work outlives a disk that is full, and pictures that take too long: `craton resume` writes the results.
        recorder.act(motion, Action::Checkpoint)?;
    }
    match written {
        Err(Error::Stopped { .. }) => Ok((RunStatus::Interrupted, steps)),
        written => written.map(|()| (RunStatus::Complete, steps)),
    }
}

/// Seismograms and pictures of a complete run.
fn results<T: Scalar>(
    session: &mut Session,
    motion: &RunningSolver<T>,
    (axis, media): (&TimeAxis, &[Medium]),
    recorder: &mut Recorder<T>,
    output: &mut Output,
) -> Result<(), Error> {
    session.stages.time("seismograms", || seismograms::write(&session.setup, (axis, media), recorder, output))?;
    if !recorder.snapshots().is_empty() {
        let finish = || recorder.snapshots().finish(&session.setup, motion, &session.cancel);
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
    match session.setup.method.precision() {
        Precision::Single => checked::<f32>(session),
        Precision::Double => checked::<f64>(session),
    }
}

fn checked<T: Scalar>(mut session: Session) -> Result<CheckReport, Error> {
    let workers = Arc::new(Workers::new(session.setup.threads)?);
    let Prepared { mut discretised, axis, preflight } = session.prepared::<T>(&workers)?;
    session.setup.warnings.extend(preflight.warnings());
    let standing = discretised.place(&session.setup, &axis)?;
    session.setup.warnings.extend(standing.warnings);
    let mut motion = discretised.start(&session.device, &axis, workers)?;
    let seconds = prepare::measured_seconds(&mut *motion, &axis);
    let seconds = seconds.map_err(|error| error.at_its_place(&session.setup.frame))?;
    Ok(CheckReport::new(&session, preflight, seconds))
}

/// Writes the mesh of a scenario with quality and regions, and a picture of it.
///
/// # Errors
/// Anything wrong with the scenario or its files, or a folder that cannot be written.
pub fn write_mesh(file: &Path, options: &MeshOptions) -> Result<MeshReport, Error> {
    let session = Session::for_mesh(file, options)?;
    if let Method::Fd(_) = session.setup.method {
        return Err(Error::NoMesh);
    }
    let made = sem::mesh_alone(&session.setup, &session.room);
    let (mesh, quality) = made.map_err(|error| session.with_line(error))?;
    let folder = options.directory.clone().unwrap_or_else(|| beside(session.directory(), "_mesh"));
    let files = pictures::mesh(&session.setup, &mesh, &quality, &folder)?;
    let surfaces = SurfaceMisfit::of_all(&session.setup, &mesh);
    let resolution = Resolution::new(&mesh, &quality, &session.setup).warning(&session.setup);
    let warnings = resolution.into_iter().chain(surfaces.iter().filter_map(SurfaceMisfit::warning)).collect();
    Ok(MeshReport { elements: mesh.n_elements(), quality, files, warnings })
}

/// A folder beside `directory`, its name longer by `suffix`: the results folder itself stays free for a run.
fn beside(directory: &Path, suffix: &str) -> PathBuf {
    let mut name = directory.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    directory.with_file_name(name)
}

#[cfg(test)]
mod fd_tests;
#[cfg(test)]
mod rank_tests;
#[cfg(test)]
mod tests;
