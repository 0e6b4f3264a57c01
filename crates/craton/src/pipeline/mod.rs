//! From a scenario file to a results folder: the commands, and the stages of a simulation.
//!
//! | file | task |
//! |---|---|
//! | this one | the commands |
//! | `session` | the session of a command: its scenario and devices |
//! | `prepare` | time axis, description of a run, and memory checks |
//! | `sem`, `fd` | discretisation on a mesh or a grid |
//! | `sem_preview`, `fd_preview` | estimates of large meshes and grids from samples |
//! | `running_solver` | the running solver of either method |
//! | `seismograms` | from samples to seismogram files |
//! | `pictures`, `chunk_map`, `arrivals` | pictures of the results |
//! | `report` | messages for the user |

mod arrivals;
pub(crate) mod chunk_map;
mod element_memory;
mod fd;
mod fd_preview;
mod fibres;
mod gathers;
mod layers;
pub(crate) mod pictures;
mod prepare;
mod report;
mod rheologies;
mod running_solver;
mod seismograms;
mod sem;
mod sem_parts;
mod sem_plan;
mod sem_preview;
mod session;
mod time_levels;
mod too_large;
mod whole_mesh;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use craton_comm::Ranks;
use craton_device::Workers;
use craton_run::Stages;

use crate::comm::together;
use crate::config::Method;
use crate::error::Error;
use crate::meshing::{Resolution, points_per_wavelength};
use crate::options::{CheckOptions, Computing, MeshOptions, ResumeOptions, RunOptions};
use crate::setup::Setup;
use crate::simulation::{Both, Display, Prepared, Watch};
use crate::surface_fit::SurfaceMisfit;
use crate::verify::{self, Verified};
use crate::written::Scenario;
#[cfg(test)]
pub(crate) use prepare::time_axis;
pub(crate) use prepare::{DiscreteEarth, Placed, PlacementReport};
pub use prepare::{Extent, Limit, Preflight, TimeStep};
pub use report::{CheckReport, MeshReport, RunReport};
pub(crate) use running_solver::{RunningSolver, Scalar, Started};
pub(crate) use seismograms::{traces, write_seismograms};
pub(crate) use session::{Session, alone};
pub use time_levels::TimeLevels;

/// Runs a scenario: from its file to seismograms, pictures and a record.
///
/// # Errors
/// Any problem of the scenario or its files before the computation; an unstable run or a full disk during it.
pub fn run(file: &Path, options: &RunOptions) -> Result<RunReport, Error> {
    run_on_ranks(file, options, &alone()).map(first_rank)
}

/// As [`run`], on several ranks, all of which call this function; only the first writes results and has a report.
///
/// # Errors
/// As [`run`]; inconsistent or lost ranks. A problem before the first step is an error on all ranks.
pub fn run_on_ranks(file: &Path, options: &RunOptions, ranks: &Arc<dyn Ranks>) -> Result<Option<RunReport>, Error> {
    let session = || {
        let session = Session::new(file, options, ranks)?;
        if ranks.is_root() {
            session.check_folder()?;
        }
        Ok(session)
    };
    solve_on_ranks(ranks, session, &mut *watch(options.progress))
}

/// Continues an interrupted run.
///
/// # Errors
/// As [`run`]; also a folder without a run, or with a complete one.
pub fn resume(directory: &Path, options: &ResumeOptions) -> Result<RunReport, Error> {
    resume_on_ranks(directory, options, &alone()).map(first_rank)
}

/// As [`resume`], on several ranks like [`run_on_ranks`]; their number may differ from that of the interrupted run.
///
/// # Errors
/// As [`resume`] and [`run_on_ranks`].
pub fn resume_on_ranks(
    directory: &Path,
    options: &ResumeOptions,
    ranks: &Arc<dyn Ranks>,
) -> Result<Option<RunReport>, Error> {
    solve_on_ranks(ranks, || Session::resumed(directory, options, ranks), &mut *watch(options.progress))
}

/// The report of a single process.
fn first_rank(report: Option<RunReport>) -> RunReport {
    report.expect("the first rank has a report")
}

/// The display of progress; without a mode, none.
fn watch(mode: Option<craton_run::ProgressMode>) -> Box<dyn Watch> {
    mode.map_or_else(|| Box::new(()) as Box<dyn Watch>, |mode| Box::new(Display::new(mode)))
}

fn solve_on_ranks(
    ranks: &Arc<dyn Ranks>,
    session: impl FnOnce() -> Result<Session, Error>,
    watch: &mut dyn Watch,
) -> Result<Option<RunReport>, Error> {
    let session = together(&**ranks, session())?;
    ranks.agree(&session.facts())?;
    solve(session, watch)
}

/// The pipeline.
fn solve(session: Session, watch: &mut dyn Watch) -> Result<Option<RunReport>, Error> {
    into_folder(Prepared::of(session)?, watch)
}

/// Runs a prepared simulation and writes its results folder; the first rank has a report.
fn into_folder(prepared: Prepared, watch: &mut dyn Watch) -> Result<Option<RunReport>, Error> {
    let ranks = Arc::clone(prepared.ranks());
    let folder = ranks.is_root().then(|| Session::results(&prepared)).transpose();
    let folder = together(&*ranks, folder)?;
    let started = prepared.start();
    let Some(mut folder) = folder else { return started.map(|_| None) };
    folder.warnings().iter().for_each(|warning| watch.message(&format!("warning: {warning}")));
    let restored = started.and_then(|simulation| {
        let mut simulation = simulation.expect("the first rank has the simulation");
        folder.restore(&mut simulation, watch).map(|()| simulation)
    });
    let mut simulation = restored.inspect_err(|error| folder.failed(&Stages::new(), error))?;
    simulation.run(&mut Both(&mut folder, watch))?;
    Ok(folder.report())
}

/// Describes a run without writing anything.
///
/// # Errors
/// Any problem of the scenario or its files.
pub fn check(file: &Path, options: &CheckOptions) -> Result<CheckReport, Error> {
    let (session, preflight, seconds) = Prepared::of(Session::for_check(file, options)?)?.measured()?;
    // The run would reject its results folder.
    let occupied = session.check_folder().err();
    Ok(CheckReport::new(&session, preflight, seconds, occupied))
}

/// As [`check`], for a scenario of a calling program.
///
/// # Errors
/// Any problem of the scenario or its data.
pub fn check_scenario(scenario: Scenario, computing: &Computing) -> Result<CheckReport, Error> {
    let session = Session::of(scenario, computing, &alone())?.for_preview();
    let (session, preflight, seconds) = Prepared::of(session)?.measured()?;
    Ok(CheckReport::new(&session, preflight, seconds, None))
}

/// Compares the complete results of a scenario with the checksums in their record.
///
/// # Errors
/// Damaged, incomplete or missing results, or those of another scenario.
pub fn verify_run(file: &Path, overrides: &[String]) -> Result<Verified, Error> {
    let scenario = Scenario::read(file, overrides)?;
    let setup = Setup::new(&scenario)?;
    let directory = &setup.output.directory;
    let record = verify::complete_record(directory)?;
    match record.scenario_hash == format!("{:016x}", session::hash(&scenario, &setup)) {
        true => Workers::new(setup.threads)?.run(|| verify::files(directory, &record)),
        false => {
            Err(verify::unverifiable(directory, "they belong to another scenario, or its input files have changed"))
        }
    }
}

/// Writes the mesh of a scenario with quality and regions, and a picture of it.
///
/// # Errors
/// Any problem of the scenario or its files, or a folder without write permission.
pub fn write_mesh(file: &Path, options: &MeshOptions) -> Result<MeshReport, Error> {
    let session = Session::for_mesh(file, options)?;
    if let Method::Fd(_) = session.setup.method {
        return Err(Error::NoMesh);
    }
    let made = sem::mesh_alone(&session.setup, &session.room);
    let (mesh, quality) = made.map_err(|error| session.with_line(error))?;
    let folder = options.directory.clone().unwrap_or_else(|| next_to(session.directory(), "_mesh"));
    let files = pictures::mesh(&session.setup, &mesh, &quality, &folder)?;
    let surfaces = SurfaceMisfit::of_all(&session.setup, &mesh);
    let points = points_per_wavelength(&mesh, &quality, &session.setup);
    let resolution = Resolution::new(&mesh, &quality, &session.setup, &points).warning(&session.setup);
    let warnings = resolution.into_iter().chain(surfaces.iter().filter_map(SurfaceMisfit::warning)).collect();
    Ok(MeshReport { elements: mesh.n_elements(), quality, files, warnings })
}

/// A folder next to `directory` with `suffix` appended, so that the results folder remains available for a run.
fn next_to(directory: &Path, suffix: &str) -> PathBuf {
    let mut name = directory.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    directory.with_file_name(name)
}

#[cfg(test)]
mod fd_tests;
#[cfg(test)]
mod level_balance_tests;
#[cfg(test)]
mod preview_tests;
#[cfg(test)]
mod rank_tests;
#[cfg(test)]
mod slices_tests;
#[cfg(test)]
mod tests;
