//! From a scenario file to seismograms: the whole program, stage by stage.
//!
//! | file | what it does |
//! |---|---|
//! | this one | the straight line |
//! | [`prepare`] | the Earth on a mesh, the time axis, and whether it all fits |
//! | [`record`] | what happens at the events of the time loop |
//! | [`seismograms`] | from samples to traces in files |
//! | [`pictures`] | what the run leaves to look at |
//! | [`report`] | what the user is told |

mod pictures;
mod prepare;
mod record;
mod report;
mod seismograms;
mod session;

use std::path::Path;
use std::sync::Arc;

use craton_device::Workers;
use craton_run::{OutputDirectory, RunStatus};
use craton_sem::SemOperator;
use craton_sim::Outcome;

use crate::config::Precision;
use crate::error::Error;
use crate::options::{CheckOptions, MeshOptions, ResumeOptions, RunOptions};
use crate::{meshing, placing};
use prepare::Prepared;
pub use prepare::{Preflight, TimeStep};
use record::Recorder;
pub use report::{CheckReport, MeshReport, RunReport};
use session::{Scalar, Session};

/// Runs a scenario: from its file to seismograms, pictures and a record.
///
/// # Errors
/// Anything wrong with the scenario or its files, before any work; an unstable run, a full disk, during it.
pub fn run(file: &Path, options: &RunOptions) -> Result<RunReport, Error> {
    let session = Session::new(file, options)?;
    OutputDirectory::check(session.directory(), options.overwrite)?;
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
    let (mesh, quality) = session.stages.time("mesh", || meshing::mesh(&session.setup))?;
    let prepared = session.stages.time("elements", || Prepared::<T>::new(&session.setup, mesh, &quality, &workers))?;
    let mut output = session.open_output(&prepared)?;
    session.stages.time("model picture", || pictures::model(&session.setup, &mut output))?;

    let Prepared { discretisation, axis, preflight } = prepared;
    let (sources, probes) = session.stages.time("sources and receivers", || {
        let mesh = discretisation.mesh();
        Ok::<_, Error>((placing::sources(&session.setup, mesh, &axis)?, placing::probes(&session.setup, mesh)?))
    })?;
    let mut operator = SemOperator::new(discretisation, axis.dt, &sources, &probes, workers);
    let mut recorder = Recorder::<T>::new(&session, &axis, &operator, &output)?;
    recorder.restore(&mut operator)?;

    let mut schedule = recorder.schedule();
    let done_before = craton_sim::Operator::step(&operator);
    let outcome = session.stages.time("time loop", || craton_sim::run(&mut operator, &mut schedule, &mut recorder));
    let outcome = outcome.inspect_err(|error| output.failed(&session.stages, error))?;
    if outcome == Outcome::Complete {
        session.stages.time("seismograms", || seismograms::write(&session.setup, &axis, &recorder, &mut output))?;
        let pictures = || recorder.snapshots().finish(&session.setup, &operator);
        output.files.extend(session.stages.time("pictures of snapshots", pictures)?);
    }
    let status = if outcome == Outcome::Complete { RunStatus::Complete } else { RunStatus::Interrupted };
    output.finished(status, &session.stages, &preflight, axis.total() - done_before)
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
    let (mesh, quality) = session.stages.time("mesh", || meshing::mesh(&session.setup))?;
    let prepared = session.stages.time("elements", || Prepared::<T>::new(&session.setup, mesh, &quality, &workers))?;
    let Prepared { discretisation, axis, preflight } = prepared;
    let sources = placing::sources(&session.setup, discretisation.mesh(), &axis)?;
    let probes = placing::probes(&session.setup, discretisation.mesh())?;
    let operator = SemOperator::<T>::new(discretisation, axis.dt, &sources, &probes, workers);
    let seconds = prepare::measured_seconds(operator, &axis);
    Ok(CheckReport::new(&session, preflight, &quality, seconds))
}

/// Writes the mesh of a scenario with quality and regions, and a picture of it.
///
/// # Errors
/// Anything wrong with the scenario or its files, or a folder that cannot be written.
pub fn write_mesh(file: &Path, options: &MeshOptions) -> Result<MeshReport, Error> {
    let session = Session::for_mesh(file, options)?;
    let (mesh, quality) = meshing::mesh(&session.setup)?;
    let folder = options.directory.as_deref().unwrap_or(session.directory());
    let files = pictures::mesh(&session.setup, &mesh, &quality, folder)?;
    Ok(MeshReport::new(&mesh, quality, files))
}
