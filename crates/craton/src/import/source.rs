//! The source of a set-up of SPECFEM3D, and the time at which its seismograms begin.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use craton_acquisition::time_function::HALF_DURATION_OVER_WIDTH;
use craton_formats::forcesolution::ForceTimeFunction;
use craton_formats::{FormatError, cmtsolution, forcesolution};

use super::Note;
use super::block::unsupported;
use super::par_file::Parameters;
use super::specfem::rounded;
use crate::error::Error;

/// The setting of depths that are heights z.
pub const HEIGHTS: &str = "depths = \"heights\"\n";

/// Name of the file with times and samples of an external time function.
const TIME_FUNCTION: &str = "source_time_function.txt";

/// Smallest half duration in time steps, to which SPECFEM3D raises smaller ones.
const LEAST_HALF_DURATION: f64 = 5.0;

/// The source of a set-up.
pub struct Source {
    /// Its table.
    pub text: String,
    /// Time before time 0 at which SPECFEM3D starts [s].
    pub lead: f64,
    /// The file of an external time function.
    pub files: Vec<(PathBuf, String)>,
    /// The source file.
    file: PathBuf,
    /// Half durations of moment tensors with the time function of SPECFEM3D [s], at least five time steps.
    half_durations: Vec<f64>,
    /// Whether its table has a Gaussian of another half duration than the file.
    is_widened: bool,
}

/// What the import needs of a point source.
struct Point {
    time_shift: f64,
    half_duration_or_frequency: f64,
    is_ricker: bool,
    is_gaussian: bool,
    /// Whether the file says so.
    has_function: bool,
    time_file: Option<String>,
}

impl Source {
    /// Reads the source files.
    ///
    /// # Arguments
    /// * `folder` – the folder that contains `DATA`
    /// # Errors
    /// Unreadable files; several sources with external time functions or different Ricker wavelets.
    pub fn read(folder: &Path, parameters: &Parameters) -> Result<Self, Error> {
        let is_force = parameters.is("USE_FORCE_POINT_SOURCE")?;
        let is_ricker = parameters.is("USE_RICKER_TIME_FUNCTION")?;
        let name = if is_force { "FORCESOLUTION" } else { "CMTSOLUTION" };
        let file = folder.join("DATA").join(name);
        let mut points = points(&file, is_force, is_ricker)?;
        let key = if is_force { "forcesolution" } else { "cmtsolution" };
        let is_absolute = parameters.is("USE_SOURCES_RECEIVERS_Z")?;
        let mut source = Self {
            text: format!("\n[[source]]\n{key} = \"DATA/{name}\"\n{}", if is_absolute { HEIGHTS } else { "" }),
            lead: 0.0,
            files: Vec::new(),
            file: file.clone(),
            half_durations: Vec::new(),
            is_widened: false,
        };
        let dt = parameters.required("DT", "the time step [s]")?;
        if parameters.is_any(&["USE_EXTERNAL_SOURCE_FILE", "EXTERNAL_SOURCE_FILE", "EXTERNAL_STF"])? {
            // SPECFEM3D begins at time 0 then.
            source.replace(folder, &file, &points, (dt, parameters.number("NSTEP")?))?;
        } else {
            let is_wider = widen(&mut points, parameters, dt)?;
            source.lead = lead(&points, is_force);
            if !is_force && !is_ricker {
                source.half_durations = points.iter().map(|point| point.half_duration_or_frequency).collect();
            }
            // Without a line in the file, the Par_file selects the Gaussian.
            let is_one = is_one_gaussian(&points) && points.iter().any(|point| !point.has_function);
            if is_wider || (is_one && !is_ricker) {
                source.widen(&points)?;
            }
            if is_ricker {
                let frequency = points[0].half_duration_or_frequency;
                if points.iter().any(|point| point.half_duration_or_frequency != frequency) {
                    let problem = "the Ricker wavelets of the sources have different frequencies".to_owned();
                    return Err(unsupported(&file, problem, "write one table [[source]] for each in the scenario"));
                }
                let ricker = format!("{{ frequency = {frequency:?}, centre = 0.0 }}");
                let _ = writeln!(source.text, "time_function = {{ ricker = {ricker} }}\nof = \"history\"");
            }
        }
        source.lead = source.lead.max(parameters.number("USER_T0")?.unwrap_or(0.0));
        Ok(source)
    }

    /// Gives all sources the Gaussian of the half duration that SPECFEM3D uses instead of that of the file.
    fn widen(&mut self, points: &[Point]) -> Result<(), Error> {
        let first = points[0].half_duration_or_frequency;
        if !is_one_gaussian(points) {
            let problem = "half durations are below five time steps, or movies widen them, and they differ".to_owned();
            return Err(unsupported(
                &self.file,
                problem,
                "raise the half durations in the file, and switch off movies",
            ));
        }
        let sigma = sigma(first);
        let text = format!("time_function = {{ gaussian = {{ sigma = {sigma:?}, centre = 0.0 }} }}");
        let _ = writeln!(self.text, "{text} # the half duration that SPECFEM3D uses is {first:?} s");
        if self.half_durations.is_empty() {
            self.text.push_str("of = \"history\"\n");
        }
        self.is_widened = true;
        Ok(())
    }

    /// Gives moment tensors in a fluid the history that SPECFEM3D gives them: the Gaussian that is the moment rate in a solid.
    ///
    /// # Arguments
    /// * `counts` – numbers of sources in solids and in fluids
    /// # Errors
    /// Sources in both, or with different half durations.
    pub fn in_fluid(&mut self, [in_solids, in_fluids]: [usize; 2]) -> Result<Option<Note>, Error> {
        let Some(&half_duration) = self.half_durations.first().filter(|_| in_fluids > 0) else { return Ok(None) };
        if in_solids > 0 || self.half_durations.iter().any(|other| *other != half_duration) {
            let problem = "some sources are in a fluid, and others in a solid or of another half duration".to_owned();
            return Err(unsupported(&self.file, problem, "write one table [[source]] for each in the scenario"));
        }
        let sigma = sigma(half_duration);
        if !self.is_widened {
            let _ = writeln!(self.text, "time_function = {{ gaussian = {{ sigma = {sigma:?}, centre = 0.0 }} }}");
        }
        let _ = writeln!(self.text, "of = \"history\" # in a fluid, the Gaussian is the moment itself");
        let name = self.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let effect = "the source is in a fluid: its moment is a Gaussian, as in SPECFEM3D, not the integral of one";
        Ok(Some(Note { line: 0, setting: name, effect: effect.to_owned() }))
    }

    /// Replaces the time function by the samples of a file.
    fn replace(
        &mut self,
        folder: &Path,
        file: &Path,
        points: &[Point],
        (dt, steps): (f64, Option<f64>),
    ) -> Result<(), Error> {
        let [point] = points else {
            let problem = "several sources have external time functions".to_owned();
            return Err(unsupported(file, problem, "write one table [[source]] for each in the scenario"));
        };
        let name = point.time_file.as_ref().ok_or_else(|| {
            let problem = "USE_EXTERNAL_SOURCE_FILE = .true., but the source names no file".to_owned();
            unsupported(file, problem, "add the name of the file as last line of the source")
        })?;
        let mut samples = external(&folder.join(name))?;
        // Some versions begin the file with the time step.
        let is_step = |first: &f64| (first / dt - 1.0).abs() < 1e-6;
        if steps == Some(samples.len() as f64 - 1.0) && samples.first().is_some_and(is_step) {
            samples.remove(0);
        }
        let line = |(index, value): (usize, &f64)| format!("{:?} {value:?}\n", rounded(index as f64 * dt));
        self.files.push((PathBuf::from(TIME_FUNCTION), samples.iter().enumerate().map(line).collect()));
        let _ = writeln!(self.text, "time_function = {{ file = {TIME_FUNCTION:?} }}\nof = \"history\"");
        Ok(())
    }
}

/// Standard deviation of the Gaussian with a half duration [s].
fn sigma(half_duration: f64) -> f64 {
    rounded(half_duration / HALF_DURATION_OVER_WIDTH / std::f64::consts::SQRT_2)
}

/// Whether all sources have a Gaussian of the same half duration.
fn is_one_gaussian(points: &[Point]) -> bool {
    let first = points[0].half_duration_or_frequency;
    points.iter().all(|point| point.half_duration_or_frequency == first && point.is_gaussian)
}

/// The point sources of a file.
fn points(file: &Path, is_force: bool, is_ricker: bool) -> Result<Vec<Point>, FormatError> {
    if is_force {
        let of_force = |force: forcesolution::ForceSource| Point {
            time_shift: force.time_shift,
            half_duration_or_frequency: force.half_duration_or_frequency,
            is_ricker: is_ricker || force.time_function == Some(ForceTimeFunction::Ricker),
            is_gaussian: matches!(force.time_function, None | Some(ForceTimeFunction::Gaussian)),
            has_function: force.time_function.is_some(),
            time_file: force.time_file,
        };
        return Ok(forcesolution::read(file)?.into_iter().map(of_force).collect());
    }
    let of_event = |event: cmtsolution::CmtSource| Point {
        time_shift: event.time_shift,
        half_duration_or_frequency: event.half_duration,
        is_ricker,
        is_gaussian: true,
        has_function: true,
        time_file: event.time_file,
    };
    Ok(cmtsolution::read(file)?.into_iter().map(of_event).collect())
}

/// Raises half durations to those of SPECFEM3D: at least five time steps, and longer with movies. Returns whether one has changed.
fn widen(points: &mut [Point], parameters: &Parameters, dt: f64) -> Result<bool, FormatError> {
    let has_movie = parameters.is_any(&["MOVIE_SURFACE", "MOVIE_VOLUME", "CREATE_SHAKEMAP"])?;
    let of_movie = parameters.number("HDUR_MOVIE")?.filter(|_| has_movie).unwrap_or(0.0);
    let mut is_wider = false;
    for point in points.iter_mut().filter(|point| !point.is_ricker && point.is_gaussian) {
        let own = point.half_duration_or_frequency;
        point.half_duration_or_frequency = own.hypot(of_movie).max(LEAST_HALF_DURATION * dt);
        is_wider |= point.half_duration_or_frequency != own;
    }
    Ok(is_wider)
}

/// The time before time 0 at which SPECFEM3D starts [s]: 1.2 periods of a Ricker wavelet, 1.5 half durations of a force and 2 of a moment. Later sources need
/// less.
fn lead(points: &[Point], is_force: bool) -> f64 {
    let first = points.iter().map(|point| point.time_shift).fold(f64::INFINITY, f64::min);
    let of_point = |point: &Point| {
        let (factor, duration) = match (point.is_ricker, is_force) {
            (true, _) => (1.2, 1.0 / point.half_duration_or_frequency),
            (_, true) => (1.5, point.half_duration_or_frequency),
            _ => (2.0, point.half_duration_or_frequency),
        };
        factor * (duration - (point.time_shift - first))
    };
    points.iter().map(of_point).fold(0.0, f64::max)
}

/// The samples of an external time function: the last number of every line.
fn external(path: &Path) -> Result<Vec<f64>, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
        file: path.to_owned(),
        source,
        hint: "its name in the source file is relative to the folder of the set-up".to_owned(),
    })?;
    let sample = |(index, line): (usize, &str)| {
        let number = line.split_whitespace().last().and_then(|word| word.replace(['d', 'D'], "e").parse().ok());
        number.ok_or_else(|| {
            Error::Format(FormatError::Layout {
                path: path.to_owned(),
                line: index + 1,
                problem: "the line has no number".to_owned(),
                hint: "write one sample per line".to_owned(),
            })
        })
    };
    let is_data = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    text.lines().enumerate().filter(|(_, line)| is_data(line)).map(sample).collect()
}
