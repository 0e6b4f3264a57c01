//! The fluid model: layers or volumes, sampled at positions and averaged over cells and faces.

use craton_acquisition::survey::Extent;
use craton_fd::acoustic::{AcousticMaterial, EffectiveFluid, Slab};
use craton_model::{Attenuation, Losses};

use crate::density::density_of;
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::sampled::Sampled;
use crate::setup::attenuation;
use crate::setup::findings::Checked;
use crate::survey::SurveyFile;
use crate::survey::config::{self, FluidLayer, Layered, QualityRelation};

/// Plausible speeds and densities of a fluid [m/s, kg/m³]; other values indicate a wrong unit.
const ALLOWED: std::ops::RangeInclusive<f64> = 100.0..=1e5;
/// Quality factors that can be modelled; larger ones than the last are as good as elastic.
const QUALITIES: std::ops::RangeInclusive<f64> = 5.0..=1e9;

/// A fluid model.
#[derive(Debug, Clone, PartialEq)]
pub struct Fluid {
    kind: Kind,
    /// Attenuation, if there is any.
    attenuation: Option<Attenuation>,
}

/// How a fluid is given. Speeds are those at the reference frequency.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// Flat layers from the top down: z of the top [m] and the material below it.
    Layers(Vec<(f64, Sample)>),
    /// Values on regular grids.
    Volumes(Box<Volumes>),
}

/// The fluid at a position.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sample {
    material: AcousticMaterial,
    /// 1/Q [–].
    loss: f64,
}

impl Sample {
    /// Bulk modulus \[Pa\].
    fn kappa(&self) -> f64 {
        self.material.rho * self.material.vp * self.material.vp
    }
}

/// A fluid on regular grids.
#[derive(Debug, Clone, PartialEq)]
struct Volumes {
    /// Speed [m/s].
    vp: Sampled,
    rho: Density,
    quality: Quality,
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

/// The quality factor of a model with gridded speeds.
#[derive(Debug, Clone, PartialEq)]
enum Quality {
    /// Constant, or infinite.
    Constant(f64),
    /// Derived from the speed.
    OfSpeed(QualityRelation),
    /// Values on their own grid.
    Sampled(Sampled),
}

impl Volumes {
    /// The fluid at a position [m].
    fn at(&self, position: [f64; 3]) -> Sample {
        let vp = self.vp.at(position);
        let rho = match &self.rho {
            Density::OfSpeed => density_of(vp),
            Density::Constant(rho) => *rho,
            Density::Sampled(rho) => rho.at(position),
        };
        let quality = match &self.quality {
            Quality::Constant(quality) => *quality,
            Quality::OfSpeed(relation) => quality_of(relation, vp),
            Quality::Sampled(quality) => quality.at(position),
        };
        Sample { material: AcousticMaterial { vp, rho }, loss: 1.0 / quality }
    }

    /// Number of samples along each axis of a cell.
    fn places(&self, spacing: [f64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| {
            let finest = self.finest(axis);
            // If the model is coarser than the grid, the centre of the cell is sufficient.
            if spacing[axis] <= 1.01 * finest { 1 } else { (spacing[axis] / finest).ceil() as usize }
        })
    }

    /// Samples of a cell: number along each axis, and position [m].
    fn samples(&self, centre: [f64; 3], spacing: [f64; 3]) -> impl Iterator<Item = ([usize; 3], [f64; 3])> {
        let places = self.places(spacing);
        (0..places.iter().product()).map(move |number: usize| {
            let place = [number % places[0], number / places[0] % places[1], number / (places[0] * places[1])];
            let offset = |axis: usize| ((place[axis] as f64 + 0.5) / places[axis] as f64 - 0.5) * spacing[axis];
            (place, [0, 1, 2].map(|axis| centre[axis] + offset(axis)))
        })
    }

    /// Grid spacing along an axis [m], of the finest grid; infinite for a single point.
    fn finest(&self, axis: usize) -> f64 {
        let finest = |sampled: &Sampled| match sampled.axes[axis] {
            (_, _, 1) => f64::INFINITY,
            (_, between, _) => between.abs(),
        };
        let of_rho = if let Density::Sampled(rho) = &self.rho { finest(rho) } else { f64::INFINITY };
        let of_quality = if let Quality::Sampled(quality) = &self.quality { finest(quality) } else { f64::INFINITY };
        finest(&self.vp).min(of_rho).min(of_quality)
    }

    /// The grids of values next to speed, with their keys.
    fn others(&self) -> impl Iterator<Item = (&'static str, &Sampled)> {
        let rho = if let Density::Sampled(rho) = &self.rho { Some(("density", rho)) } else { None };
        let quality = if let Quality::Sampled(quality) = &self.quality { Some(("qp", quality)) } else { None };
        rho.into_iter().chain(quality)
    }
}

impl Fluid {
    /// The fluid of a survey as written.
    pub fn new(survey: &SurveyFile, root: &KeyPath) -> Checked<Self> {
        let (config, path) = (&survey.config, root.key("model"));
        let relation = config.attenuation.as_ref().and_then(|settings| settings.relation.as_ref());
        let kind = match &config.model {
            config::Model::Layered(Layered { layers }) => Kind::Layers(of_layers(layers, relation)),
            config::Model::Volume(volumes) => {
                let path = path.key("volume");
                let config::Domain { x, y, depth } = config.domain;
                let within = [x, y, depth.map(|[top, bottom]| [-bottom, -top])];
                let read = |file, allowed, key| Sampled::read(file, survey, within, allowed, &path.key(key));
                let vp = read(&volumes.velocity, ALLOWED, "velocity")?;
                let rho = match &volumes.density {
                    None => Density::OfSpeed,
                    Some(config::Density::Constant(rho)) => Density::Constant(*rho),
                    Some(config::Density::File(file)) => Density::Sampled(read(file, ALLOWED, "density")?),
                };
                let quality = match (&volumes.qp, relation) {
                    (Some(config::Quality::Constant(quality)), _) => Quality::Constant(*quality),
                    (Some(config::Quality::File(file)), _) => Quality::Sampled(read(file, QUALITIES, "qp")?),
                    (None, Some(relation)) => Quality::OfSpeed(relation.clone()),
                    (None, None) => Quality::Constant(f64::INFINITY),
                };
                Kind::Volumes(Box::new(Volumes { vp, rho, quality }))
            }
        };
        let fluid = Self { kind, attenuation: None };
        let attenuation = match &config.attenuation {
            None if fluid.greatest_loss() > 0.0 => {
                let problem =
                    Problem::new(root.key("attenuation"), "is required, because the model has quality factors");
                let hint = "add [attenuation] with the reference_frequency of the wave speeds, or with enabled = false";
                return Err(problem.hint(hint).into());
            }
            Some(settings) if settings.enabled && fluid.greatest_loss() > 0.0 => {
                let highest = config.method.fd().max_frequency;
                Some(attenuation::of_run(settings, highest, None, &root.key("attenuation"))?)
            }
            _ => None,
        };
        Ok(Self { attenuation, ..fluid })
    }

    /// Attenuation, if there is any.
    pub fn attenuation(&self) -> Option<&Attenuation> {
        self.attenuation.as_ref()
    }

    /// Upper bound of 1/Q \[–\].
    pub fn greatest_loss(&self) -> f64 {
        match &self.kind {
            Kind::Layers(layers) => layers.iter().map(|(_, own)| own.loss).fold(0.0, f64::max),
            Kind::Volumes(volumes) => match &volumes.quality {
                Quality::Constant(quality) => 1.0 / quality,
                Quality::OfSpeed(relation) => {
                    let slowest = volumes.vp.values.iter().filter(|&&vp| f64::from(vp) > relation.above);
                    slowest.map(|&vp| 1.0 / quality_of(relation, f64::from(vp))).fold(0.0, f64::max)
                }
                Quality::Sampled(quality) => {
                    let lowest = quality.values.iter().copied().filter(|quality| *quality >= 5.0);
                    1.0 / f64::from(lowest.fold(f32::INFINITY, f32::min))
                }
            },
        }
    }

    /// Limits of the model along x, y and z [m], if it has any: layers have none, and a two-dimensional model has none
    /// along y.
    pub fn ends(&self) -> [Option<[f64; 2]>; 3] {
        match &self.kind {
            Kind::Layers(_) => [None; 3],
            Kind::Volumes(volumes) => outermost(&volumes.vp),
        }
    }

    /// Limits of the grids of other values along x, y and z [m], with their keys.
    pub fn other_ends(&self) -> Vec<(&'static str, [Option<[f64; 2]>; 3])> {
        match &self.kind {
            Kind::Volumes(volumes) => volumes.others().map(|(key, sampled)| (key, outermost(sampled))).collect(),
            Kind::Layers(_) => Vec::new(),
        }
    }

    /// The fluid at a position [m], with its speed at the reference frequency.
    pub fn at(&self, position: [f64; 3]) -> AcousticMaterial {
        self.sample(position).material
    }

    /// The fluid at a position [m], with its speed at infinite frequency.
    pub fn unrelaxed(&self, position: [f64; 3]) -> AcousticMaterial {
        self.unrelaxed_sample(position).material
    }

    /// 1/Q at a position [–].
    pub fn loss(&self, position: [f64; 3]) -> f64 {
        self.sample(position).loss
    }

    fn sample(&self, position: [f64; 3]) -> Sample {
        match &self.kind {
            Kind::Layers(layers) => {
                let below = layers.iter().rev().find(|(top, _)| position[2] < *top);
                below.unwrap_or(&layers[0]).1
            }
            Kind::Volumes(volumes) => volumes.at(position),
        }
    }

    fn unrelaxed_sample(&self, position: [f64; 3]) -> Sample {
        self.to_unrelaxed(self.sample(position))
    }

    /// The same fluid with its speed at infinite frequency.
    fn to_unrelaxed(&self, sample: Sample) -> Sample {
        let Some(attenuation) = &self.attenuation else { return sample };
        let losses = Losses { bulk: sample.loss, shear: 0.0 };
        let vp = sample.material.vp * attenuation.coefficients(losses).unrelaxed[0].sqrt();
        Sample { material: AcousticMaterial { vp, ..sample.material }, ..sample }
    }

    /// Whether the fluid varies inside cells, so that [`effective`](Self::effective) differs from the fluid at their centres.
    pub fn varies_in_cells(&self, spacing: [f64; 3]) -> bool {
        match &self.kind {
            Kind::Layers(layers) => layers.len() > 1,
            Kind::Volumes(volumes) => volumes.places(spacing) != [1; 3],
        }
    }

    /// The effective unrelaxed fluid of a cell: exact for layers; volumes are sampled with their spacing.
    pub fn effective(&self, centre: [f64; 3], spacing: [f64; 3]) -> EffectiveFluid {
        let rho = self.at(centre).rho;
        match &self.kind {
            Kind::Layers(layers) => {
                let mut along: Vec<Slab> =
                    self.layers_in(layers, centre, spacing).map(|(part, own)| slab(part, own)).collect();
                along.reverse();
                let sum = |of: fn(&Slab) -> f64| along.iter().map(|own| own.part / of(own)).sum::<f64>();
                let across = [Slab { part: 1.0, rho: 1.0 / sum(|own| own.rho), kappa: 1.0 / sum(|own| own.kappa) }];
                EffectiveFluid::new(rho, [&across, &across, &along])
            }
            Kind::Volumes(volumes) => {
                let slabs = self.slabs(volumes, centre, spacing);
                EffectiveFluid::new(rho, [&slabs[0], &slabs[1], &slabs[2]])
            }
        }
    }

    /// 1/Q of the effective fluid of a cell \[–\]: the mean of compliances κ⁻¹ (1 + i/Q).
    pub fn effective_loss(&self, centre: [f64; 3], spacing: [f64; 3]) -> f64 {
        let mean = |samples: &mut dyn Iterator<Item = (f64, Sample)>| {
            let sums = samples.fold([0.0; 2], |[compliance, lossy], (part, own)| {
                let own_compliance = part / own.kappa();
                [compliance + own_compliance, lossy + own_compliance * own.loss]
            });
            sums[1] / sums[0]
        };
        match &self.kind {
            Kind::Layers(layers) => mean(&mut self.layers_in(layers, centre, spacing)),
            Kind::Volumes(volumes) => {
                let samples = volumes.samples(centre, spacing);
                mean(&mut samples.map(|(_, position)| (1.0, self.unrelaxed_sample(position))))
            }
        }
    }

    /// The unrelaxed layers in a cell from the top down, with the part of the cell that they fill.
    fn layers_in<'a>(
        &'a self,
        layers: &'a [(f64, Sample)],
        centre: [f64; 3],
        spacing: [f64; 3],
    ) -> impl Iterator<Item = (f64, Sample)> + 'a {
        let [low, high] = [-0.5, 0.5].map(|side| centre[2] + side * spacing[2]);
        let bottoms = layers.iter().skip(1).map(|(top, _)| *top).chain([f64::NEG_INFINITY]);
        layers.iter().zip(bottoms).filter_map(move |((top, own), bottom)| {
            let part = (top.min(high) - bottom.max(low)) / spacing[2];
            (part > 0.0).then(|| (part, self.to_unrelaxed(*own)))
        })
    }

    /// Slabs of a cell along each axis, from means of samples over their cross sections.
    fn slabs(&self, volumes: &Volumes, centre: [f64; 3], spacing: [f64; 3]) -> [Vec<Slab>; 3] {
        let places = volumes.places(spacing);
        let mut sums = places.map(|count| vec![[0.0; 2]; count]);
        for (place, position) in volumes.samples(centre, spacing) {
            let own = self.unrelaxed_sample(position);
            for axis in 0..3 {
                let [lightness, compliance] = &mut sums[axis][place[axis]];
                *lightness += 1.0 / own.material.rho;
                *compliance += 1.0 / own.kappa();
            }
        }
        let samples: usize = places.iter().product();
        sums.map(|of_axis| {
            let (part, count) = (1.0 / of_axis.len() as f64, (samples / of_axis.len()) as f64);
            let slab =
                |[lightness, compliance]: [f64; 2]| Slab { part, rho: count / lightness, kappa: count / compliance };
            of_axis.into_iter().map(slab).collect()
        })
    }

    /// Smallest and largest speed in a box [m/s], at the reference frequency.
    pub fn speeds(&self, Extent { low, high }: &Extent) -> [f64; 2] {
        match &self.kind {
            Kind::Layers(layers) => {
                // A layer ends at the top of the next one.
                let bottoms = layers.iter().skip(1).map(|(top, _)| *top).chain([f64::NEG_INFINITY]);
                let inside = layers.iter().zip(bottoms).filter(|((top, _), bottom)| *top > low[2] && *bottom < high[2]);
                let speeds = inside.map(|((_, own), _)| own.material.vp);
                speeds.fold([f64::INFINITY, 0.0], |[least, most], vp| [vp.min(least), vp.max(most)])
            }
            Kind::Volumes(volumes) => volumes.vp.extremes(*low, *high),
        }
    }

    /// A hint about the unit of speeds from a file with lengths in feet.
    pub fn assumed_unit(&self, model: &config::Model) -> Option<String> {
        match (&self.kind, model) {
            (Kind::Volumes(volumes), config::Model::Volume(files)) => volumes.vp.assumed_unit(&files.velocity),
            _ => None,
        }
    }

    /// Warnings about the headers of files.
    pub fn warnings(&self) -> Vec<String> {
        match &self.kind {
            Kind::Layers(_) => Vec::new(),
            Kind::Volumes(volumes) => {
                let others = volumes.others().filter_map(|(_, sampled)| sampled.warning.clone());
                volumes.vp.warning.iter().cloned().chain(others).collect()
            }
        }
    }

    /// Spacing of the points along x, y and z [m], if the fluid is on a regular grid.
    pub fn spacing(&self) -> Option<[f64; 3]> {
        match &self.kind {
            Kind::Layers(_) => None,
            Kind::Volumes(volumes) => Some(volumes.vp.axes.map(|(_, spacing, _)| spacing.abs())),
        }
    }
}

/// Layers as written.
fn of_layers(layers: &[FluidLayer], relation: Option<&QualityRelation>) -> Vec<(f64, Sample)> {
    let has_qualities = layers.iter().any(|layer| layer.qp.is_some());
    let layer = |layer: &FluidLayer| {
        let material = AcousticMaterial { vp: layer.vp, rho: layer.rho.unwrap_or_else(|| density_of(layer.vp)) };
        let of_relation = relation.filter(|_| !has_qualities).map(|relation| quality_of(relation, layer.vp));
        let quality = layer.qp.or(of_relation).unwrap_or(f64::INFINITY);
        (layer.top.map_or(f64::INFINITY, |top| -top), Sample { material, loss: 1.0 / quality })
    };
    let mut layers: Vec<_> = layers.iter().map(layer).collect();
    layers[0].0 = f64::INFINITY;
    layers
}

/// The quality factor that follows from a speed [m/s].
fn quality_of(relation: &QualityRelation, vp: f64) -> f64 {
    let QualityRelation { factor, exponent, above } = *relation;
    if vp > above { (factor * vp.powf(exponent)).max(*QUALITIES.start()) } else { f64::INFINITY }
}

/// A slab of one fluid.
fn slab(part: f64, own: Sample) -> Slab {
    Slab { part, rho: own.material.rho, kappa: own.kappa() }
}

/// First and last coordinate along x, y and z [m]; `None` for a single point, whose value is constant.
fn outermost(sampled: &Sampled) -> [Option<[f64; 2]>; 3] {
    sampled.axes.map(|(first, spacing, count)| {
        let last = first + (count - 1) as f64 * spacing;
        (count > 1).then_some([first.min(last), first.max(last)])
    })
}
