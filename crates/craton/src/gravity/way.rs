//! The way to the sums: the fastest that keeps the accuracy, on what was asked for.

use craton_device::Workers;
use craton_device::gpu;
use craton_gravity::{Convolution, Fields, Lattice, LevelGrid};
use craton_run::Seconds;

use super::config::{Method, Path};
use super::costs::{CORES, Costs, NEAR, START};
use super::on_gpus::OnGpus;
use super::setup::{Setup, Shape};
use crate::config::DeviceChoice;
use crate::device::LocalRank;
use crate::error::{Error, GravityFailure};
use crate::number::Number;

/// Pairs of a prism and a point up to which nothing is worth its preparation.
const FEW_PAIRS: f64 = 2e7;
/// Accuracy from which on a convolution may be taken: its round-off is a part of the largest value, some 1e-12 of it.
const CONVOLUTION_FROM: f64 = 1e-9;

/// How sums are to be made, before anything is prepared.
pub enum Way<'a> {
    /// Every prism at every point.
    Direct,
    /// The same on GPUs.
    OnGpus(OnGpus),
    /// Layers of equal cells, at a level grid.
    Convolution { lattice: Lattice<'a>, grid: LevelGrid },
    /// Groups of prisms, with the accuracy that was asked for.
    Tree(f64),
}

/// A convolution that a problem is.
struct Found<'a> {
    lattice: Lattice<'a>,
    grid: LevelGrid,
    /// Time that it is expected to take on one core [s].
    seconds: f64,
    /// Prisms near a point, which keep a tree busy.
    near: f64,
}

/// What choosing goes by.
pub struct Choice<'a> {
    pub setup: &'a Setup,
    pub fields: Fields,
    pub place: LocalRank,
    pub workers: &'a Workers,
}

impl<'a> Choice<'a> {
    /// The way, and what is to be said of the choice.
    ///
    /// # Errors
    /// A way that was asked for and cannot be gone, a GPU that is not there.
    pub fn way(&self) -> Result<(Way<'a>, Option<String>), Error> {
        let path = self.setup.method.path;
        match (&self.setup.device, path) {
            (DeviceChoice::Cpu, _) | (DeviceChoice::Auto, Path::Tree | Path::Convolution) => {
                Ok((self.on_cores()?.0, None))
            }
            (DeviceChoice::Auto, Path::Auto | Path::Direct) => self.on_whichever(),
            (_, Path::Auto | Path::Direct) => Ok((self.on_gpus()?, None)),
            (_, Path::Tree | Path::Convolution) => {
                let path = if path == Path::Tree { "tree" } else { "convolution" };
                let reason = "GPUs make direct sums alone, and compute.device or --device asks for GPUs".to_owned();
                Err(GravityFailure::Path { path, reason }.into())
            }
        }
    }

    fn on_gpus(&self) -> Result<Way<'a>, Error> {
        Ok(Way::OnGpus(OnGpus::find(self.setup, self.place, self.workers)?))
    }

    /// GPUs, if there are any and they are expected to be faster than cores.
    fn on_whichever(&self) -> Result<(Way<'a>, Option<String>), Error> {
        let (way, seconds) = self.on_cores()?;
        if seconds <= START {
            return Ok((way, None));
        }
        let there = match gpu::devices() {
            Ok(there) => there,
            Err(error) => return Ok((way, Some(format!("no GPU: {error}")))),
        };
        let Some(on_gpu) = self.costs().on_gpu(&there[0], self.setup.method.precision) else { return Ok((way, None)) };
        let told = format!(
            "expected of one GPU, direct: {}; of {CORES} cores, {}: {}",
            Seconds(on_gpu),
            way.name(),
            Seconds(seconds)
        );
        Ok((if on_gpu < seconds { self.on_gpus()? } else { way }, Some(told)))
    }

    /// The way on the CPU, and the time that it is expected to take on [`CORES`] cores [s].
    fn on_cores(&self) -> Result<(Way<'a>, f64), Error> {
        let Method { path, accuracy, .. } = self.setup.method;
        let costs = self.costs();
        let direct = || Ok((Way::Direct, costs.direct() / CORES));
        let accuracy = match (path, accuracy) {
            (Path::Direct, _) | (_, None) => return direct(),
            (Path::Auto, Some(_)) if costs.pairs() <= FEW_PAIRS => return direct(),
            (_, Some(accuracy)) => accuracy,
        };
        let by_tree = |costs: Costs| Ok((Way::Tree(accuracy), costs.tree(accuracy) / CORES));
        if path == Path::Tree {
            return by_tree(costs);
        }
        match self.convolution(accuracy) {
            Ok(Found { seconds, near, .. }) if path == Path::Auto && costs.among(near).tree(accuracy) < seconds => {
                by_tree(costs.among(near))
            }
            Ok(Found { lattice, grid, seconds, .. }) => Ok((Way::Convolution { lattice, grid }, seconds / CORES)),
            Err(reason) if path == Path::Convolution => {
                Err(GravityFailure::Path { path: "convolution", reason }.into())
            }
            Err(_) => by_tree(costs),
        }
    }

    fn costs(&self) -> Costs {
        Costs::new(self.setup.prisms.len(), self.setup.places.points.len())
    }

    /// The convolution that the problem is, or why it is none.
    fn convolution(&self, accuracy: f64) -> Result<Found<'a>, String> {
        if accuracy < CONVOLUTION_FROM {
            return Err(format!(
                "accuracy = {} is less than its round-off may be, {}",
                Number(accuracy),
                Number(CONVOLUTION_FROM)
            ));
        }
        let Shape::Grid { x, y, level: Some(z) } = &self.setup.places.shape else {
            return Err("the points are no level grid".to_owned());
        };
        let spacing = |places: &[f64]| match places {
            [first, .., last] => (last - first) / (places.len() - 1) as f64,
            _ => 1.0,
        };
        let grid =
            LevelGrid { first: [x[0], y[0]], spacing: [spacing(x), spacing(y)], count: [x.len(), y.len()], z: *z };
        let lattice = self.workers.run(|| Lattice::of(&self.setup.prisms));
        let lattice = lattice.ok_or("the prisms are not the cells of a lattice: of equal sides, and in layers")?;
        if lattice.rounding() > accuracy {
            return Err(format!(
                "accuracy = {} is less than what rounding of coordinates as large as these may do to cells as small as these, {:.0e}",
                Number(accuracy),
                lattice.rounding()
            ));
        }
        let Some(convolution) = Convolution::new(&lattice, &grid) else {
            return Err("the spacing of the points does not fit the sides of the cells".to_owned());
        };
        let share = convolution.operations(self.fields) / convolution.operations_of_sums(self.fields);
        let (seconds, near) = (share * self.costs().direct(), convolution.cells_within(NEAR));
        Ok(Found { lattice, grid, seconds, near })
    }
}

impl Way<'_> {
    /// Its name, as it is written.
    fn name(&self) -> &'static str {
        match self {
            Self::Direct | Self::OnGpus(_) => "direct",
            Self::Convolution { .. } => "convolution",
            Self::Tree(_) => "tree",
        }
    }
}
