//! Processing of maps of gravity and magnetic fields: filters in the domain of wavenumbers.

mod files;

use std::fmt;
use std::path::{Path, PathBuf};

use craton_gravity::{Direction, Edges, SpectralFilter};
use craton_run::OutputDirectory;

use crate::error::{Error, ProcessError};
use crate::number::{Number, counted};
use files::{MapFile, Named};

/// A plan for the processing of maps.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPlan {
    /// The operations, in order.
    pub operations: Vec<MapOperation>,
    /// Treatment of the edges.
    pub edges: Edges,
    /// The variable of netCDF files; by default all of their maps.
    pub variable: Option<String>,
    /// Whether to replace existing files in the output folder.
    pub overwrite: bool,
}

/// An operation on a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MapOperation {
    /// Continuation to a level that is higher by this height [m].
    Upward(f64),
    /// The derivative along an axis.
    Derivative(MapAxis),
    /// Reduction of a total-field anomaly to the pole.
    Pole {
        /// Direction of the main field.
        main: Direction,
        /// Direction of the magnetisation.
        magnetisation: Direction,
    },
    /// Tilt angle [degrees].
    Tilt,
    /// Length of the gradient, the amplitude of the analytic signal.
    TotalGradient,
}

/// An axis of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapAxis {
    /// East.
    X,
    /// North.
    Y,
    /// Up.
    Z,
}

/// Summary of the processing of maps.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessedMaps {
    /// The operations in words.
    pub operations: Vec<String>,
    /// Number of processed maps.
    pub maps: usize,
    /// The written files.
    pub files: Vec<PathBuf>,
}

impl MapOperation {
    /// The filter, if the operation is linear.
    fn filter(self) -> Option<SpectralFilter> {
        match self {
            Self::Upward(height) => Some(SpectralFilter::UpwardContinuation { height }),
            Self::Derivative(MapAxis::X) => Some(SpectralFilter::East),
            Self::Derivative(MapAxis::Y) => Some(SpectralFilter::North),
            Self::Derivative(MapAxis::Z) => Some(SpectralFilter::Up),
            Self::Pole { main, magnetisation } => Some(SpectralFilter::Pole { main, magnetisation }),
            Self::Tilt | Self::TotalGradient => None,
        }
    }

    /// Ending of the name of a map after the operation.
    fn ending(self) -> &'static str {
        match self {
            Self::Upward(_) => "",
            Self::Derivative(MapAxis::X) => "_x",
            Self::Derivative(MapAxis::Y) => "_y",
            Self::Derivative(MapAxis::Z) => "_z",
            Self::Pole { .. } => "_pole",
            Self::Tilt => "_tilt",
            Self::TotalGradient => "_gradient",
        }
    }

    /// The unit of a map after the operation.
    fn unit(self, unit: String) -> String {
        match self {
            Self::Derivative(_) | Self::TotalGradient if !unit.is_empty() => format!("{unit} m-1"),
            Self::Derivative(_) | Self::TotalGradient => "m-1".to_owned(),
            Self::Tilt => "degree".to_owned(),
            Self::Upward(_) | Self::Pole { .. } => unit,
        }
    }
}

/// Applies operations to maps, one after the other, and writes the results to a folder, with a picture of each file.
///
/// All files are read and all maps processed before any file is written. netCDF files keep their format; other grids
/// (ESRI ASCII, GeoTIFF, `x y z`) become ESRI ASCII.
///
/// # Arguments
/// * `inputs` – files of maps on regular grids in metres
/// * `output` – the folder for the results, created if missing
/// # Errors
/// No operation; an unreadable file, or one without a map; a grid in degrees; parameters out of range; an output folder
/// that is the folder of an input or has contents; a file that cannot be written.
///
/// Verified by `process::maps::a_map_continued_upwards_is_the_field_at_the_higher_level`.
pub fn process_maps(inputs: &[PathBuf], output: &Path, plan: &MapPlan) -> Result<ProcessedMaps, Error> {
    if plan.operations.is_empty() {
        return Err(ProcessError::NothingToDo.into());
    }
    check_output(output, inputs, plan.overwrite)?;
    let mut files: Vec<MapFile> = Vec::with_capacity(inputs.len());
    for input in inputs {
        let mut file = MapFile::read(input, plan.variable.as_deref())?;
        if let Some(other) = files.iter().find(|other| other.name == file.name) {
            let (first, second, name) = (other.path.clone(), input.clone(), file.name.clone());
            return Err(ProcessError::SameName { first, second, name }.into());
        }
        for map in &mut file.maps {
            apply(map, plan).map_err(|reason| {
                let (file, map, reason) = (input.clone(), map.name.clone(), Box::new(reason));
                ProcessError::Map { file, map, reason }
            })?;
        }
        file.raise(plan.operations.iter().map(|operation| operation.height()).sum());
        files.push(file);
    }
    std::fs::create_dir_all(output).map_err(|source| craton_run::RunError::Io {
        action: "create the folder",
        path: output.to_owned(),
        source,
    })?;
    let mut written = Vec::new();
    for file in &files {
        written.extend(file.write(output)?);
    }
    let operations = plan.operations.iter().map(ToString::to_string).collect();
    Ok(ProcessedMaps { operations, maps: files.iter().map(|file| file.maps.len()).sum(), files: written })
}

/// Applies all operations to a map.
fn apply(map: &mut Named, plan: &MapPlan) -> Result<(), craton_gravity::GravityError> {
    let mut filters = Vec::new();
    let mut values = map.values.clone();
    for &operation in &plan.operations {
        map.name.push_str(operation.ending());
        map.unit = operation.unit(std::mem::take(&mut map.unit));
        match operation.filter() {
            Some(filter) => filters.push(filter),
            None => {
                let [gradient, tilt] = values.total_gradient_and_tilt(&filters, plan.edges)?;
                filters.clear();
                values = if operation == MapOperation::Tilt { tilt } else { gradient };
            }
        }
    }
    map.values = if filters.is_empty() { values } else { values.filtered(&filters, plan.edges)? };
    Ok(())
}

impl MapOperation {
    /// By how much the operation raises the level of a map [m].
    fn height(self) -> f64 {
        if let Self::Upward(height) = self { height } else { 0.0 }
    }
}

/// Refuses the folder of an input, and one with contents.
fn check_output(output: &Path, inputs: &[PathBuf], overwrite: bool) -> Result<(), Error> {
    let there = output.canonicalize().ok();
    let folder_of = |file: &PathBuf| file.canonicalize().ok().and_then(|file| file.parent().map(Path::to_owned));
    if there.is_some() && inputs.iter().any(|input| folder_of(input) == there) {
        return Err(ProcessError::OutputIsInput { folder: output.to_owned() }.into());
    }
    Ok(OutputDirectory::check(output, overwrite)?)
}

/// The operation in readable form: `upward by 500 m`.
impl fmt::Display for MapOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let angles = |direction: &Direction| {
            format!("inclination {}, declination {}", Number(direction.inclination), Number(direction.declination))
        };
        match self {
            Self::Upward(height) => write!(f, "upward by {} m", Number(*height)),
            Self::Derivative(axis) => write!(f, "derivative along {}", format!("{axis:?}").to_lowercase()),
            Self::Pole { main, magnetisation } if main == magnetisation => {
                write!(f, "reduce to the pole: {}", angles(main))
            }
            Self::Pole { main, magnetisation } => {
                write!(f, "reduce to the pole: {}; magnetisation {}", angles(main), angles(magnetisation))
            }
            Self::Tilt => f.write_str("tilt angle"),
            Self::TotalGradient => f.write_str("length of the gradient"),
        }
    }
}

impl fmt::Display for ProcessedMaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.operations.iter().try_for_each(|operation| writeln!(f, "{operation}"))?;
        writeln!(f, "\n{} processed", counted(self.maps, "map"))?;
        self.files.iter().try_for_each(|file| writeln!(f, "{}", file.display()))
    }
}
