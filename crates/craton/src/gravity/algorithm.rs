//! The choice of the summation algorithm: the fastest with the required accuracy on the requested devices.

use craton_device::Workers;
use craton_device::gpu;
use craton_gravity::{Convolution, Fields, Lattice, LevelGrid, Prisms};
use craton_run::Seconds;

use super::config::{Method, Path, Precision};
use super::costs::{CORES, Costs, NEAR, START};
use super::on_gpus::OnGpus;
use super::setup::{Setup, Shape};
use crate::config::DeviceChoice;
use crate::device::LocalRank;
use crate::error::{Error, GravityFailure};
use crate::number::Number;

/// Number of prism-point pairs up to which direct sums are the fastest.
pub const FEW_PAIRS: f64 = 2e7;
/// Smallest accuracy of a convolution, whose round-off is about 1e-12 of the largest value.
const CONVOLUTION_FROM: f64 = 1e-9;

/// A summation algorithm, before preparation.
pub enum Algorithm<'a> {
    /// Direct sum: every prism at every point.
    Direct,
    /// Direct sum on GPUs.
    OnGpus(OnGpus),
    /// Convolution of layers of equal cells with a level grid.
    Convolution { lattice: Lattice<'a>, grid: LevelGrid },
    /// Tree, with the requested accuracy.
    Tree(f64),
}

/// The convolution of a problem.
struct Found<'a> {
    lattice: Lattice<'a>,
    grid: LevelGrid,
    /// Expected time on one core [s].
    seconds: f64,
    /// Number of prisms near a point, which determine the time of a tree.
    near: f64,
}

/// Input of the choice.
pub struct Choice<'a> {
    pub setup: &'a Setup,
    pub prisms: &'a Prisms,
    pub fields: Fields,
    pub place: LocalRank,
    pub workers: &'a Workers,
}

impl<'a> Choice<'a> {
    /// The algorithm, and a message about the choice.
    ///
    /// # Errors
    /// A requested algorithm is not applicable, or a GPU is missing.
    pub fn algorithm(&self) -> Result<(Algorithm<'a>, Option<String>), Error> {
        let path = self.setup.method.path;
        match (&self.setup.device, path) {
            (DeviceChoice::Cpu, _) | (DeviceChoice::Auto, Path::Tree | Path::Convolution) => {
                Ok((self.on_cores()?.0, None))
            }
            (DeviceChoice::Auto, Path::Auto | Path::Direct) => self.on_faster_device(),
            (_, Path::Auto | Path::Direct) => Ok((self.on_gpus()?, None)),
            (_, Path::Tree | Path::Convolution) => {
                let path = if path == Path::Tree { "tree" } else { "convolution" };
                let reason = "GPUs support only direct sums, but compute.device or --device requests GPUs".to_owned();
                Err(GravityFailure::Path { path, reason }.into())
            }
        }
    }

    fn on_gpus(&self) -> Result<Algorithm<'a>, Error> {
        Ok(Algorithm::OnGpus(OnGpus::find(self.setup, self.place, self.workers)?))
    }

    /// GPUs, if they exist and are expected to be faster than cores.
    fn on_faster_device(&self) -> Result<(Algorithm<'a>, Option<String>), Error> {
        let (algorithm, seconds) = self.on_cores()?;
        if seconds <= START {
            return Ok((algorithm, None));
        }
        let (on_gpu, message) = match expected(self.costs(), self.setup.method.precision, algorithm.name(), seconds) {
            Ok(found) => found,
            Err(message) => return Ok((algorithm, message)),
        };
        Ok((if on_gpu < seconds { self.on_gpus()? } else { algorithm }, Some(message)))
    }

    /// The algorithm on the CPU, and its expected time on [`CORES`] cores [s].
    fn on_cores(&self) -> Result<(Algorithm<'a>, f64), Error> {
        let Method { path, accuracy, .. } = self.setup.method;
        let costs = self.costs();
        let direct = || Ok((Algorithm::Direct, costs.direct() / CORES));
        let accuracy = match (path, accuracy) {
            (Path::Direct, _) | (_, None) => return direct(),
            (Path::Auto, Some(_)) if costs.pairs() <= FEW_PAIRS => return direct(),
            (_, Some(accuracy)) => accuracy,
        };
        let by_tree = |costs: Costs| Ok((Algorithm::Tree(accuracy), costs.tree(accuracy) / CORES));
        if path == Path::Tree {
            return by_tree(costs);
        }
        match self.convolution(accuracy) {
            Ok(Found { seconds, near, .. }) if path == Path::Auto && costs.among(near).tree(accuracy) < seconds => {
                by_tree(costs.among(near))
            }
            Ok(Found { lattice, grid, seconds, .. }) => Ok((Algorithm::Convolution { lattice, grid }, seconds / CORES)),
            Err(reason) if path == Path::Convolution => {
                Err(GravityFailure::Path { path: "convolution", reason }.into())
            }
            Err(_) => by_tree(costs),
        }
    }

    fn costs(&self) -> Costs {
        Costs::new(self.prisms.len(), self.setup.places.points.len())
    }

    /// The convolution of the problem, or why it is not applicable.
    fn convolution(&self, accuracy: f64) -> Result<Found<'a>, String> {
        if accuracy < CONVOLUTION_FROM {
            return Err(format!(
                "accuracy = {} is below the round-off limit of {}",
                Number(accuracy),
                Number(CONVOLUTION_FROM)
            ));
        }
        let Shape::Grid { x, y, level: Some(z) } = &self.setup.places.shape else {
            return Err("the points are not a level grid".to_owned());
        };
        let spacing = |places: &[f64]| match places {
            [first, .., last] => (last - first) / (places.len() - 1) as f64,
            _ => 1.0,
        };
        let grid =
            LevelGrid { first: [x[0], y[0]], spacing: [spacing(x), spacing(y)], count: [x.len(), y.len()], z: *z };
        let lattice = self.workers.run(|| Lattice::of(self.prisms));
        let lattice = lattice.ok_or("the prisms are not equal cells of a lattice in layers")?;
        if lattice.rounding() > accuracy {
            return Err(format!(
                "accuracy = {} is below the rounding error of {:.0e} of these small cells with large coordinates",
                Number(accuracy),
                lattice.rounding()
            ));
        }
        let Some(convolution) = Convolution::new(&lattice, &grid) else {
            return Err("the point spacing does not match the cell size".to_owned());
        };
        let share = convolution.operations(self.fields) / convolution.operations_of_sums(self.fields);
        let (seconds, near) = (share * self.costs().direct(), convolution.cells_within(NEAR));
        Ok(Found { lattice, grid, seconds, near })
    }
}

impl Algorithm<'_> {
    /// Its name, as in the file.
    fn name(&self) -> &'static str {
        match self {
            Self::Direct | Self::OnGpus(_) => "direct",
            Self::Convolution { .. } => "convolution",
            Self::Tree(_) => "tree",
        }
    }
}

/// The expected time of direct sums on one GPU [s], and a message that compares it with that of cores.
///
/// # Arguments
/// * `algorithm` – name of the algorithm on cores; `seconds` – its expected time
/// # Errors
/// Without a GPU, the reason as a message; no message for an emulated one.
pub fn expected(
    costs: Costs,
    precision: Precision,
    algorithm: &str,
    seconds: f64,
) -> Result<(f64, String), Option<String>> {
    let devices = gpu::devices().map_err(|error| Some(format!("no GPU: {error}")))?;
    let on_gpu = costs.on_gpu(&devices[0], precision).ok_or(None)?;
    let [of_gpu, of_cores] = [Seconds(on_gpu), Seconds(seconds)];
    Ok((on_gpu, format!("expected time: {of_gpu} on one GPU (direct), {of_cores} on {CORES} cores ({algorithm})")))
}
