//! Messages before and after a run, and about a mesh.

use std::f64::consts::SQRT_2;
use std::fmt;
use std::iter::repeat;
use std::path::PathBuf;

use craton_acquisition::time_function::HALF_DURATION_OVER_WIDTH;
use craton_acquisition::{Source, TimeFunction};
use craton_mesh::QualityReport;
use craton_run::{Bytes, RunStatus, Seconds, Stages};

use super::prepare::{Extent, PROGRAM, Preflight};
use super::session::Session;
use super::too_large::about;
use crate::error::Error;
use crate::format_position::format_position;
use crate::meshing::highest_frequency;
use crate::number::{Number, bracketed, counted};
use crate::setup::{Fault, attenuation};

/// Summary of a run.
#[derive(Debug)]
pub struct RunReport {
    /// Complete or interrupted.
    pub status: RunStatus,
    /// Times of the stages.
    pub stages: Stages,
    /// Elements or cells per second and step in the time loop.
    pub rate: f64,
    /// The unit of the rate.
    pub unit: &'static str,
    /// The results folder.
    pub directory: PathBuf,
    /// Results for the user, relative to the folder.
    pub files: Vec<String>,
}

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.stages)?;
        writeln!(f, "{:.3} million {} per second in the time loop", self.rate / 1e6, self.unit)?;
        match self.status {
            RunStatus::Complete => {
                writeln!(f, "results are in {}:", self.directory.display())?;
                self.files.iter().try_for_each(|file| writeln!(f, "  {file}"))
            }
            _ => writeln!(f, "interrupted; continue with: craton resume {}", self.directory.display()),
        }
    }
}

/// Description of a run.
#[derive(Debug)]
pub struct CheckReport {
    /// Title of the scenario.
    pub title: String,
    /// Its parameters.
    pub preflight: Preflight,
    /// Highest requested frequency [Hz].
    pub max_frequency: f64,
    /// Extent, blocks and sides of a mesh of another program.
    pub given_mesh: Option<[String; 3]>,
    /// The box, if its limits are given in degrees.
    pub region: Option<String>,
    /// Position of the worst sampling.
    pub worst: String,
    /// Attenuation, if there is any.
    pub attenuation: Vec<String>,
    /// Time functions of the first sources.
    pub time_functions: Vec<String>,
    /// The finite faults.
    pub faults: Vec<String>,
    /// Memory of this machine that the run may use, if the system reports it.
    pub available: Option<Bytes>,
    /// Highest frequency [Hz] whose mesh or grid fits the memory of the devices and of this machine, to a few percent; `None` if the frequency does not determine it.
    pub frequency_that_fits: Option<f64>,
    /// Expected time of the loop without snapshots, measured with a few steps [s].
    pub time_loop: Seconds,
    /// Why no GPU would compute, if one was searched.
    pub device_note: Option<String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl CheckReport {
    /// Summarises a preview.
    ///
    /// # Arguments
    /// * `occupied` – why the results folder cannot be used
    pub(super) fn new(session: &Session, preflight: Preflight, time_loop: Seconds, occupied: Option<Error>) -> Self {
        let warnings = session.setup.warnings.iter().cloned().chain(occupied.map(|error| error.to_string()));
        let worst = format_position(&session.setup.frame, preflight.resolution.centre);
        let attenuation =
            attenuation::lines(&session.setup.model).into_iter().chain(preflight.memory_variables.clone()).collect();
        let available = session.room.available().map(|memory| memory.bytes);
        Self {
            title: session.setup.title.clone(),
            max_frequency: session.setup.method.max_frequency(),
            region: session.setup.region.clone(),
            given_mesh: session.setup.mesh.as_ref().map(|mesh| mesh.description.clone()),
            worst,
            attenuation,
            time_functions: time_functions(&session.setup.sources),
            faults: session.setup.faults.iter().map(Fault::description).collect(),
            available,
            frequency_that_fits: available.and_then(|available| frequency_that_fits(session, &preflight, available)),
            preflight,
            time_loop,
            device_note: session.device.note(),
            warnings: warnings.collect(),
        }
    }

    /// Time of the loop and of the snapshots [s].
    pub fn seconds(&self) -> f64 {
        self.time_loop.0 + self.preflight.snapshots.seconds
    }
}

/// Highest frequency [Hz] whose mesh or grid fits the memory of the devices and the available memory of this machine, if the frequency determines it.
fn frequency_that_fits(session: &Session, preflight: &Preflight, available: Bytes) -> Option<f64> {
    let of_elements = |memory: Bytes| memory.0.saturating_sub(PROGRAM) as f64;
    let of_host = of_elements(available) / of_elements(preflight.memory).max(1.0);
    let of_devices = preflight.device_memory.map(|memory| memory.free.0 as f64 / memory.needed.0 as f64);
    let ratio = of_devices.map_or(of_host, |of_devices| of_devices.min(of_host));
    let method = &session.setup.method;
    match preflight.extent {
        Extent::Mesh { elements, .. } => {
            highest_frequency(&session.setup, elements as f64 * ratio, Some(elements as f64))
        }
        Extent::Grid { .. } => method.is_automatic().then(|| method.max_frequency() * ratio.cbrt()),
    }
}

/// Largest number of sources whose time functions are listed.
const LISTED_SOURCES: usize = 3;

/// Name, type and width of the time functions of the first sources, and the number of the others.
fn time_functions(sources: &[Source]) -> Vec<String> {
    let described = |source: &Source| {
        let (name, time) = (source.name(), Number(source.event_time()));
        format!("{name}: {}, at {time:.4} s", described(source.time_function()))
    };
    let more = sources.len().checked_sub(LISTED_SOURCES).filter(|more| *more > 0);
    let more = more.map(|more| format!("and those of {}", counted(more, "more source")));
    sources.iter().take(LISTED_SOURCES).map(described).chain(more).collect()
}

/// Type and width of a time function.
fn described(function: &TimeFunction) -> String {
    use TimeFunction as F;
    match function {
        F::Gaussian(pulse) => {
            let half_duration = HALF_DURATION_OVER_WIDTH * SQRT_2 * pulse.sigma();
            let [half_duration, sigma] = [half_duration, pulse.sigma()].map(Number);
            format!("Gaussian, half duration {half_duration:.4} s (sigma {sigma:.4} s)")
        }
        F::Ricker(wavelet) => format!("Ricker wavelet, {:.4} Hz", Number(wavelet.frequency())),
        F::Ormsby(wavelet) => format!("Ormsby wavelet, {} Hz", bracketed(&wavelet.corners())),
        F::Brune(pulse) => format!("Brune, corner frequency {:.4} Hz", Number(pulse.corner_frequency())),
        F::SmoothedBrune(pulse) => {
            format!("smoothed Brune, corner frequency {:.4} Hz", Number(pulse.corner_frequency()))
        }
        F::ErrorFunction(step) => format!("smooth step, width {:.4} s", Number(step.width())),
        F::Triangle(pulse) => format!("triangle, half duration {:.4} s", Number(pulse.half_duration())),
        F::Sampled(samples) => format!("samples, {:.4} s long", Number(samples.length())),
    }
}

/// Lines about the mesh or the grid.
fn write_extent(extent: &Extent, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match extent {
        Extent::Mesh { elements, in_layers, nodes, least_scaled_jacobian } => {
            match in_layers {
                0 => writeln!(f, "  elements               {elements}")?,
                _ => writeln!(f, "  elements               {elements}, {in_layers} of them in absorbing layers")?,
            }
            writeln!(f, "  distinct nodes         {nodes}")?;
            writeln!(f, "  least scaled Jacobian  {least_scaled_jacobian:.3}")
        }
        Extent::Grid { cells: [nx, ny, nz], spacing } => {
            let [dx, dy, dz] = spacing.map(Number);
            writeln!(f, "  cells                  {nx} x {ny} x {nz} = {}", nx * ny * nz)?;
            writeln!(f, "  cell size              {dx:.3} x {dy:.3} x {dz:.3} m")
        }
    }
}

impl CheckReport {
    /// Writes the residual of the correction of time dispersion.
    fn write_dispersion(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = self.preflight.time_dispersion.iter().find(|left| !left.source.is_empty());
        left.map_or(Ok(()), |left| {
            writeln!(f, "  time dispersion        corrected, residual at most {:.1e} ({})", left.residual, left.source)
        })
    }

    /// Writes what is estimated, why no GPU computes, and the warnings.
    fn write_notes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.preflight.estimated.iter().try_for_each(|what| writeln!(f, "  note: Craton estimated {what}"))?;
        self.device_note.iter().try_for_each(|note| writeln!(f, "  note: {note}"))?;
        self.warnings.iter().try_for_each(|warning| writeln!(f, "  warning: {warning}"))
    }

    /// Writes what is known about the domain beyond its elements.
    fn write_domain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.region.iter().try_for_each(|region| writeln!(f, "  box                    {region}"))?;
        if let Some([extent, blocks, sides]) = &self.given_mesh {
            writeln!(f, "  extent                 {extent}")?;
            writeln!(f, "  blocks                 {blocks}")?;
            writeln!(f, "  faces of sides         {sides}")?;
        }
        Ok(())
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Preflight { extent, resolution, time_step, device, device_memory, memory, disk, snapshots, .. } =
            &self.preflight;
        writeln!(f, "{}", self.title)?;
        write_extent(extent, f)?;
        self.write_domain(f)?;
        let (points, highest) = (Number(resolution.points_per_wavelength), Number(self.max_frequency));
        writeln!(f, "  points per wavelength  at least {points:.2} at {highest} Hz ({})", self.worst)?;
        writeln!(f, "  resolved frequency     {:.3} Hz", Number(resolution.resolved_frequency))?;
        for (head, lines) in [
            ("  attenuation            ", &self.attenuation),
            ("  time functions         ", &self.time_functions),
            ("  finite faults          ", &self.faults),
        ] {
            let heads = [head].into_iter().chain(repeat("                         "));
            heads.zip(lines).try_for_each(|(head, line)| writeln!(f, "{head}{line}"))?;
        }
        let courant = time_step.dt / time_step.limit.dt;
        writeln!(f, "  time step              {:.4e} s, {courant:.3} of the largest stable step", time_step.dt)?;
        writeln!(f, "                         limited by {}", time_step.limit.cause)?;
        writeln!(f, "  steps                  {}", time_step.steps)?;
        self.preflight.levels.iter().try_for_each(|levels| write!(f, "{levels}"))?;
        self.write_dispersion(f)?;
        writeln!(f, "  device                 {device}")?;
        if let Some(memory) = device_memory {
            writeln!(f, "  device memory          {}, of {} available", memory.needed, memory.free)?;
        }
        let available = self.available.map_or(String::new(), |available| format!(", of {available} available"));
        writeln!(f, "  memory                 {memory}{available}")?;
        if let Some(frequency) = self.frequency_that_fits {
            writeln!(f, "                         enough for waves up to {}", about(frequency))?;
        }
        writeln!(f, "  disk                   at most {disk}")?;
        writeln!(f, "  time loop              about {}", self.time_loop)?;
        if snapshots.frames > 0 {
            let frames = counted(snapshots.frames, "frame");
            let pictures = match snapshots.pictures {
                0 => String::new(),
                pictures => format!(" and {}", counted(pictures, "picture")),
            };
            let (seconds, whole) = (Seconds(snapshots.seconds), Seconds(self.seconds()));
            writeln!(f, "  snapshots              about {seconds} more, for {frames}{pictures}: {whole} in total")?;
        }
        self.write_notes(f)
    }
}

/// Summary of mesh output.
#[derive(Debug)]
pub struct MeshReport {
    /// Number of elements.
    pub elements: usize,
    /// Their quality.
    pub quality: QualityReport,
    /// The files.
    pub files: Vec<PathBuf>,
    /// Warnings about the mesh.
    pub warnings: Vec<String>,
}

impl fmt::Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", counted(self.elements, "element"))?;
        writeln!(f, "{:<18} {:>12} {:>12} {:>12}", "", "smallest", "mean", "largest")?;
        let measures = [
            ("scaled Jacobian", &self.quality.scaled_jacobian),
            ("aspect ratio", &self.quality.aspect_ratio),
            ("skew", &self.quality.skew),
            ("shortest edge [m]", &self.quality.edge_min),
            ("longest edge [m]", &self.quality.edge_max),
        ];
        for (name, statistic) in measures {
            writeln!(f, "{name:<18} {:>12.3} {:>12.3} {:>12.3}", statistic.min, statistic.mean, statistic.max)?;
        }
        self.warnings.iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))?;
        self.files.iter().try_for_each(|file| writeln!(f, "{}", file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craton_acquisition::Mechanism;

    #[test]
    fn time_functions_are_described_by_type_and_width() {
        let force = |function| Source::new("FORCE 001", [0.0; 3], Mechanism::Force([1.0; 3]), function);
        let gaussian = force(TimeFunction::gaussian_of_half_duration(0.4, 0.0).expect("a pulse")).expect("a force");
        let ricker = force(TimeFunction::ricker(25.0, 0.0).expect("a wavelet")).expect("a force");
        let ricker = ricker.delayed(1.5).expect("a delay");
        assert_eq!(
            time_functions(&[gaussian, ricker.clone()]),
            [
                "FORCE 001: Gaussian, half duration 0.4000 s (sigma 0.1737 s), at 0.0000 s",
                "FORCE 001: Ricker wavelet, 25.0000 Hz, at 1.5000 s"
            ]
        );
        assert_eq!(time_functions(&vec![ricker; 5])[3..], ["and those of 2 more sources"]);
    }
}
