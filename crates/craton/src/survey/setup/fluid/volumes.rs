//! Speed, density and quality factor on regular grids.

use craton_acquisition::survey::Extent;
use craton_fd::acoustic::AcousticMaterial;

use super::Sample;
use crate::density::density_of;
use crate::key_path::KeyPath;
use crate::sampled::Sampled;
use crate::setup::findings::Checked;
use crate::survey::SurveyFile;
use crate::survey::config::{self, QualityRelation};

/// Plausible speeds and densities of a fluid [m/s, kg/m³]; other values indicate a wrong unit.
const ALLOWED: std::ops::RangeInclusive<f64> = 100.0..=1e5;
/// Quality factors that can be modelled; infinite ones are those of lossless fluids.
const QUALITIES: std::ops::RangeInclusive<f64> = 5.0..=f64::INFINITY;

/// A fluid on regular grids.
#[derive(Debug, Clone, PartialEq)]
pub struct Volumes {
    /// Speed [m/s].
    pub vp: Sampled,
    pub rho: Density,
    quality: Quality,
}

/// The density of a model with gridded speeds.
#[derive(Debug, Clone, PartialEq)]
pub enum Density {
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
    /// 1/Q on its own grid [–].
    Sampled(Sampled),
}

impl Volumes {
    /// The values as written.
    ///
    /// # Arguments
    /// * `relation` – of quality factors, for a model without them
    pub fn new(
        written: &config::Volumes,
        relation: Option<&QualityRelation>,
        survey: &SurveyFile,
        path: &KeyPath,
    ) -> Checked<Self> {
        let config::Domain { x, y, depth } = survey.config.domain;
        let within = [x, y, depth.map(|[top, bottom]| [-bottom, -top])];
        let read = |file, allowed, key| Sampled::read(file, survey, within, allowed, &path.key(key));
        let vp = read(&written.velocity, ALLOWED, "velocity")?;
        let rho = match &written.density {
            None => Density::OfSpeed,
            Some(config::Density::Constant(rho)) => Density::Constant(*rho),
            Some(config::Density::File(file)) => Density::Sampled(read(file, ALLOWED, "density")?),
        };
        let quality = match (&written.qp, relation) {
            (Some(config::Quality::Constant(quality)), _) => Quality::Constant(*quality),
            (Some(config::Quality::File(file)), _) => {
                let mut sampled = read(file, QUALITIES, "qp")?;
                sampled.values.iter_mut().for_each(|value| *value = 1.0 / *value);
                Quality::Sampled(sampled)
            }
            (None, Some(relation)) => Quality::OfSpeed(relation.clone()),
            (None, None) => Quality::Constant(f64::INFINITY),
        };
        Ok(Self { vp, rho, quality })
    }

    /// Smallest and largest speed in a box [m/s].
    pub fn speeds(&self, Extent { low, high }: &Extent) -> [f64; 2] {
        self.vp.extremes(*low, *high)
    }

    /// Upper bound of 1/Q in a box \[–\].
    pub fn greatest_loss(&self, domain: &Extent) -> f64 {
        match &self.quality {
            Quality::Constant(quality) => 1.0 / quality,
            Quality::OfSpeed(relation) => {
                // Q increases with speed, and speeds between those of the grid occur.
                let [slowest, fastest] = self.speeds(domain);
                let slowest = slowest.max(relation.above * (1.0 + 1e-9));
                if fastest > relation.above { 1.0 / quality_of(relation, slowest) } else { 0.0 }
            }
            Quality::Sampled(losses) => losses.extremes(domain.low, domain.high)[1],
        }
    }

    /// The fluid at a position [m].
    pub fn at(&self, position: [f64; 3]) -> Sample {
        let vp = self.vp.at(position);
        let rho = match &self.rho {
            Density::OfSpeed => density_of(vp),
            Density::Constant(rho) => *rho,
            Density::Sampled(rho) => rho.at(position),
        };
        let loss = match &self.quality {
            Quality::Constant(quality) => 1.0 / quality,
            Quality::OfSpeed(relation) => 1.0 / quality_of(relation, vp),
            Quality::Sampled(losses) => losses.at(position),
        };
        Sample { material: AcousticMaterial { vp, rho }, loss }
    }

    /// Number of samples along each axis of a cell.
    pub fn places(&self, spacing: [f64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| {
            let finest = self.finest(axis);
            // If the model is coarser than the grid, the centre of the cell is sufficient.
            if spacing[axis] <= 1.01 * finest { 1 } else { (spacing[axis] / finest).ceil() as usize }
        })
    }

    /// Samples of a cell: number along each axis, and position [m].
    pub fn samples(&self, centre: [f64; 3], spacing: [f64; 3]) -> impl Iterator<Item = ([usize; 3], [f64; 3])> {
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

    /// The density on its own grid, if it has one.
    pub fn density_points(&self) -> Option<&Sampled> {
        if let Density::Sampled(rho) = &self.rho { Some(rho) } else { None }
    }

    /// The grids of values next to speed, with their keys.
    pub fn others(&self) -> impl Iterator<Item = (&'static str, &Sampled)> {
        let rho = self.density_points().map(|rho| ("density", rho));
        let quality = if let Quality::Sampled(quality) = &self.quality { Some(("qp", quality)) } else { None };
        rho.into_iter().chain(quality)
    }
}

/// The quality factor that follows from a speed [m/s].
pub fn quality_of(relation: &QualityRelation, vp: f64) -> f64 {
    let QualityRelation { factor, exponent, above } = *relation;
    if vp > above { (factor * vp.powf(exponent)).max(*QUALITIES.start()) } else { f64::INFINITY }
}

/// First and last coordinate along x, y and z [m]; `None` for a single point, whose value is constant.
pub fn outermost(sampled: &Sampled) -> [Option<[f64; 2]>; 3] {
    sampled.axes.map(|(first, spacing, count)| {
        let last = first + (count - 1) as f64 * spacing;
        (count > 1).then_some([first.min(last), first.max(last)])
    })
}
