//! The fluid model: layers or volumes, sampled at positions and averaged over cells and faces.

mod gradient;
mod volumes;

use craton_acquisition::survey::Extent;
use craton_fd::acoustic::{AcousticMaterial, EffectiveFluid, Slab};
use craton_model::{Attenuation, Losses};

use crate::density::density_of;
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::sampled::Sampled;
use crate::setup::attenuation;
use crate::setup::findings::{Checked, Findings};
use crate::survey::SurveyFile;
use crate::survey::config::{self, Layer, Layered, QualityRelation};
use volumes::{Volumes, outermost, quality_of};

/// A fluid model.
#[derive(Debug, Clone, PartialEq)]
pub struct Fluid {
    kind: Kind,
    /// Attenuation, if there is any, and the largest 1/Q in the box [–].
    attenuation: Option<(Attenuation, f64)>,
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

impl Fluid {
    /// The fluid of a survey as written.
    pub fn new(survey: &SurveyFile, root: &KeyPath) -> Checked<Self> {
        let (config, path) = (&survey.config, root.key("model"));
        let relation = config.attenuation.as_ref().and_then(|settings| settings.relation.as_ref());
        let kind = match &config.model {
            config::Model::Layered(Layered { layers }) => Kind::Layers(of_layers(layers, relation)),
            config::Model::Volume(volumes) => {
                Kind::Volumes(Box::new(Volumes::new(volumes, relation, survey, &path.key("volume"))?))
            }
        };
        Ok(Self { kind, attenuation: None })
    }

    /// The same fluid with the attenuation of the survey.
    pub fn attenuated(
        self,
        config: &config::Config,
        domain: &Extent,
        root: &KeyPath,
        findings: &mut Findings,
    ) -> Checked<Self> {
        let (greatest, path) = (self.greatest_in(domain), root.key("attenuation"));
        let attenuation = match &config.attenuation {
            None if greatest > 0.0 => {
                let problem = Problem::new(path, "is required, because the model has quality factors");
                let hint = "add [attenuation] with the reference_frequency of the wave speeds, or with enabled = false";
                return Err(problem.hint(hint).into());
            }
            Some(settings) if settings.enabled && greatest > 0.0 => {
                let highest = config.method.fd().max_frequency;
                Some((attenuation::of_run(settings, highest, None, &path)?, greatest))
            }
            Some(settings) if settings.enabled => {
                let warning = format!("{path}: the model has no quality factors in the domain; the survey is lossless");
                findings.warnings.push(warning);
                None
            }
            _ => None,
        };
        Ok(Self { attenuation, ..self })
    }

    /// Attenuation, if there is any.
    pub fn attenuation(&self) -> Option<&Attenuation> {
        self.attenuation.as_ref().map(|(attenuation, _)| attenuation)
    }

    /// Upper bound of 1/Q in the box \[–\]; zero without attenuation.
    pub fn greatest_loss(&self) -> f64 {
        self.attenuation.as_ref().map_or(0.0, |&(_, greatest)| greatest)
    }

    /// Upper bound of 1/Q in a box \[–\].
    fn greatest_in(&self, domain: &Extent) -> f64 {
        match &self.kind {
            Kind::Layers(layers) => layers_between(layers, domain).map(|own| own.loss).fold(0.0, f64::max),
            Kind::Volumes(volumes) => volumes.greatest_loss(domain),
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

    /// The gridded wave speed; `None` for layers.
    pub fn speed_points(&self) -> Option<&Sampled> {
        match &self.kind {
            Kind::Layers(_) => None,
            Kind::Volumes(volumes) => Some(&volumes.vp),
        }
    }

    /// The gridded density; `None` for layers, and for a density without a file.
    pub fn density_points(&self) -> Option<&Sampled> {
        match &self.kind {
            Kind::Volumes(volumes) => volumes.density_points(),
            Kind::Layers(_) => None,
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
        let Some(attenuation) = self.attenuation() else { return sample };
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
    pub fn speeds(&self, domain: &Extent) -> [f64; 2] {
        match &self.kind {
            Kind::Layers(layers) => {
                let speeds = layers_between(layers, domain).map(|own| own.material.vp);
                speeds.fold([f64::INFINITY, 0.0], |[least, most], vp| [vp.min(least), vp.max(most)])
            }
            Kind::Volumes(volumes) => volumes.speeds(domain),
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

/// The layers in a box; a layer ends at the top of the next one.
fn layers_between<'a>(layers: &'a [(f64, Sample)], domain: &Extent) -> impl Iterator<Item = &'a Sample> {
    let [low, high] = [domain.low[2], domain.high[2]];
    let bottoms = layers.iter().skip(1).map(|(top, _)| *top).chain([f64::NEG_INFINITY]);
    let inside = layers.iter().zip(bottoms).filter(move |((top, _), bottom)| *top > low && *bottom < high);
    inside.map(|((_, own), _)| own)
}

/// Layers as written.
fn of_layers(layers: &[Layer], relation: Option<&QualityRelation>) -> Vec<(f64, Sample)> {
    let layer = |layer: &Layer| {
        let material = AcousticMaterial { vp: layer.vp, rho: layer.rho.unwrap_or_else(|| density_of(layer.vp)) };
        let of_relation = relation.map(|relation| quality_of(relation, layer.vp));
        let quality = layer.qp.or(of_relation).unwrap_or(f64::INFINITY);
        (layer.top.map_or(f64::INFINITY, |top| -top), Sample { material, loss: 1.0 / quality })
    };
    let mut layers: Vec<_> = layers.iter().map(layer).collect();
    layers[0].0 = f64::INFINITY;
    layers
}

/// A slab of one fluid.
fn slab(part: f64, own: Sample) -> Slab {
    Slab { part, rho: own.material.rho, kappa: own.kappa() }
}
