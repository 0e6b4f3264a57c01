//! The fluid model: layers or volumes, sampled at positions and averaged over cells and faces.

use craton_acquisition::survey::Extent;
use craton_fd::acoustic::{AcousticMaterial, EffectiveFluid, Slab};

use crate::density::density_of;
use crate::key_path::KeyPath;
use crate::sampled::Sampled;
use crate::setup::findings::Checked;
use crate::survey::SurveyFile;
use crate::survey::config::{self, FluidLayer, Layered};

/// Plausible speeds and densities of a fluid [m/s, kg/m³]; other values indicate a wrong unit.
const ALLOWED: std::ops::RangeInclusive<f64> = 100.0..=1e5;

/// A fluid model.
#[derive(Debug, Clone, PartialEq)]
pub enum Fluid {
    /// Flat layers from the top down: z of the top [m] and the material below it.
    Layers(Vec<(f64, AcousticMaterial)>),
    /// Values on regular grids.
    Volumes(Box<Volumes>),
}

/// A fluid on regular grids.
#[derive(Debug, Clone, PartialEq)]
pub struct Volumes {
    /// Speed [m/s].
    vp: Sampled,
    rho: Density,
}

/// The density of a model with gridded speeds.
#[derive(Debug, Clone, PartialEq)]
enum Density {
    /// Derived from the speed.
    OfSpeed,
    /// Constant [kg/m³].
    Constant(f64),
    /// Values on their own grid [kg/m³].
    Sampled(Sampled),
}

impl Volumes {
    /// The fluid at a position [m].
    fn at(&self, position: [f64; 3]) -> AcousticMaterial {
        let vp = self.vp.at(position);
        let rho = match &self.rho {
            Density::OfSpeed => density_of(vp),
            Density::Constant(rho) => *rho,
            Density::Sampled(rho) => rho.at(position),
        };
        AcousticMaterial { vp, rho }
    }

    /// Number of samples along each axis of a cell.
    fn places(&self, spacing: [f64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| {
            let finest = self.finest(axis);
            // If the model is coarser than the grid, the centre of the cell is sufficient.
            if spacing[axis] <= 1.01 * finest { 1 } else { (spacing[axis] / finest).ceil() as usize }
        })
    }

    /// Slabs of a cell along each axis, from means of samples over their cross sections.
    fn slabs(&self, centre: [f64; 3], spacing: [f64; 3]) -> [Vec<Slab>; 3] {
        let places = self.places(spacing);
        let mut sums = places.map(|count| vec![[0.0; 2]; count]);
        let samples: usize = places.iter().product();
        for number in 0..samples {
            let place = [number % places[0], number / places[0] % places[1], number / (places[0] * places[1])];
            let offset = |axis: usize| ((place[axis] as f64 + 0.5) / places[axis] as f64 - 0.5) * spacing[axis];
            let own = self.at([0, 1, 2].map(|axis| centre[axis] + offset(axis)));
            for axis in 0..3 {
                let [lightness, compliance] = &mut sums[axis][place[axis]];
                *lightness += 1.0 / own.rho;
                *compliance += 1.0 / (own.rho * own.vp * own.vp);
            }
        }
        sums.map(|of_axis| {
            let (part, count) = (1.0 / of_axis.len() as f64, (samples / of_axis.len()) as f64);
            of_axis.into_iter().map(|sum| slab(part, sum.map(|sum| sum / count))).collect()
        })
    }

    /// Grid spacing along an axis [m], of the finest grid; infinite for a single point.
    fn finest(&self, axis: usize) -> f64 {
        let finest = |sampled: &Sampled| match sampled.axes[axis] {
            (_, _, 1) => f64::INFINITY,
            (_, between, _) => between.abs(),
        };
        match &self.rho {
            Density::OfSpeed | Density::Constant(_) => finest(&self.vp),
            Density::Sampled(rho) => finest(&self.vp).min(finest(rho)),
        }
    }
}

impl Fluid {
    /// The fluid of a survey as written.
    pub fn new(model: &config::Model, survey: &SurveyFile, path: &KeyPath) -> Checked<Self> {
        match model {
            config::Model::Layered(Layered { layers }) => Ok(Self::of_layers(layers)),
            config::Model::Volume(volumes) => {
                let path = path.key("volume");
                let config::Domain { x, y, depth } = survey.config.domain;
                let within = [x, y, depth.map(|[top, bottom]| [-bottom, -top])];
                let read = |file, key| Sampled::read(file, survey, within, ALLOWED, &path.key(key));
                let vp = read(&volumes.velocity, "velocity")?;
                let rho = match &volumes.density {
                    None => Density::OfSpeed,
                    Some(config::Density::Constant(rho)) => Density::Constant(*rho),
                    Some(config::Density::File(file)) => Density::Sampled(read(file, "density")?),
                };
                Ok(Self::Volumes(Box::new(Volumes { vp, rho })))
            }
        }
    }

    fn of_layers(layers: &[FluidLayer]) -> Self {
        let layer = |layer: &FluidLayer| {
            let material = AcousticMaterial { vp: layer.vp, rho: layer.rho.unwrap_or_else(|| density_of(layer.vp)) };
            (layer.top.map_or(f64::INFINITY, |top| -top), material)
        };
        let mut layers: Vec<_> = layers.iter().map(layer).collect();
        layers[0].0 = f64::INFINITY;
        Self::Layers(layers)
    }

    /// Limits of the model along x, y and z [m], if it has any: layers have none, and a two-dimensional model has none
    /// along y.
    pub fn ends(&self) -> [Option<[f64; 2]>; 3] {
        match self {
            Self::Layers(_) => [None; 3],
            Self::Volumes(volumes) => outermost(&volumes.vp),
        }
    }

    /// Limits of the grid of densities along x, y and z [m], if it has any.
    pub fn density_ends(&self) -> [Option<[f64; 2]>; 3] {
        match self {
            Self::Volumes(volumes) => match &volumes.rho {
                Density::Sampled(rho) => outermost(rho),
                Density::OfSpeed | Density::Constant(_) => [None; 3],
            },
            Self::Layers(_) => [None; 3],
        }
    }

    /// The fluid at a position [m].
    pub fn at(&self, position: [f64; 3]) -> AcousticMaterial {
        match self {
            Self::Layers(layers) => {
                let below = layers.iter().rev().find(|(top, _)| position[2] < *top);
                below.unwrap_or(&layers[0]).1
            }
            Self::Volumes(volumes) => volumes.at(position),
        }
    }

    /// Whether the fluid varies inside cells, so that [`effective`](Self::effective) differs from the fluid at their centres.
    pub fn varies_in_cells(&self, spacing: [f64; 3]) -> bool {
        match self {
            Self::Layers(layers) => layers.len() > 1,
            Self::Volumes(volumes) => volumes.places(spacing) != [1; 3],
        }
    }

    /// The effective fluid of a cell: exact for layers; volumes are sampled with their spacing.
    pub fn effective(&self, centre: [f64; 3], spacing: [f64; 3]) -> EffectiveFluid {
        let rho = self.at(centre).rho;
        match self {
            Self::Layers(layers) => {
                let [low, high] = [-0.5, 0.5].map(|side| centre[2] + side * spacing[2]);
                let bottoms = layers.iter().skip(1).map(|(top, _)| *top).chain([f64::NEG_INFINITY]);
                let inside = layers.iter().zip(bottoms).filter_map(|((top, fluid), bottom)| {
                    let part = (top.min(high) - bottom.max(low)) / spacing[2];
                    (part > 0.0).then(|| slab(part, [1.0 / fluid.rho, 1.0 / (fluid.rho * fluid.vp * fluid.vp)]))
                });
                let mut along: Vec<Slab> = inside.collect();
                along.reverse();
                let sum = |of: fn(&Slab) -> f64| along.iter().map(|own| own.part / of(own)).sum::<f64>();
                let across = [slab(1.0, [sum(|own| own.rho), sum(|own| own.kappa)])];
                EffectiveFluid::new(rho, [&across, &across, &along])
            }
            Self::Volumes(volumes) => {
                let slabs = volumes.slabs(centre, spacing);
                EffectiveFluid::new(rho, [&slabs[0], &slabs[1], &slabs[2]])
            }
        }
    }

    /// Smallest and largest speed in a box [m/s].
    pub fn speeds(&self, Extent { low, high }: &Extent) -> [f64; 2] {
        match self {
            Self::Layers(layers) => {
                // A layer ends at the top of the next one.
                let bottoms = layers.iter().skip(1).map(|(top, _)| *top).chain([f64::NEG_INFINITY]);
                let inside = layers.iter().zip(bottoms).filter(|((top, _), bottom)| *top > low[2] && *bottom < high[2]);
                let speeds = inside.map(|((_, material), _)| material.vp);
                speeds.fold([f64::INFINITY, 0.0], |[least, most], vp| [vp.min(least), vp.max(most)])
            }
            Self::Volumes(volumes) => volumes.vp.extremes(*low, *high),
        }
    }

    /// A hint about the unit of speeds from a file with lengths in feet.
    pub fn assumed_unit(&self, model: &config::Model) -> Option<String> {
        match (self, model) {
            (Self::Volumes(volumes), config::Model::Volume(files)) => volumes.vp.assumed_unit(&files.velocity),
            _ => None,
        }
    }

    /// Warnings about the headers of files.
    pub fn warnings(&self) -> Vec<String> {
        match self {
            Self::Layers(_) => Vec::new(),
            Self::Volumes(volumes) => {
                let rho = if let Density::Sampled(rho) = &volumes.rho { rho.warning.clone() } else { None };
                volumes.vp.warning.iter().cloned().chain(rho).collect()
            }
        }
    }

    /// Spacing of the points along x, y and z [m], if the fluid is on a regular grid.
    pub fn spacing(&self) -> Option<[f64; 3]> {
        match self {
            Self::Layers(_) => None,
            Self::Volumes(volumes) => Some(volumes.vp.axes.map(|(_, spacing, _)| spacing.abs())),
        }
    }
}

/// A slab with means of 1/ρ and 1/κ.
fn slab(part: f64, [lightness, compliance]: [f64; 2]) -> Slab {
    Slab { part, rho: 1.0 / lightness, kappa: 1.0 / compliance }
}

/// First and last coordinate along x, y and z [m]; `None` for a single point, whose value is constant.
fn outermost(sampled: &Sampled) -> [Option<[f64; 2]>; 3] {
    sampled.axes.map(|(first, spacing, count)| {
        let last = first + (count - 1) as f64 * spacing;
        (count > 1).then_some([first.min(last), first.max(last)])
    })
}
