//! The solid model of an elastic survey: layers or volumes with speeds of S waves.

use std::sync::Arc;

use craton_acquisition::survey::Extent;
use craton_model::{EarthModel, Interface, LossField, LossGrid, Medium, Region, Volume, VolumeAxis};

use super::fluid::Fluid;
use crate::density::density_of;
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::sampled::Sampled;
use crate::setup::attenuation::Qualities;
use crate::setup::findings::{Checked, bad_model};
use crate::survey::SurveyFile;
use crate::survey::config::{self, Layer, Layered, ShearSpeed, Volumes};

/// Largest S-wave speed of a file [m/s]; other values indicate a wrong unit.
const FASTEST: f64 = 1e5;
/// Largest quality factor of a file; larger ones are as good as elastic.
const MOST_QUALITY: f64 = 1e9;
/// Tolerance of grid points relative to their spacing, because files have few digits.
const SAME_POINT: f64 = 1e-3;

/// The model of an elastic survey in its box. Density, and attenuation if there is any, are those of its fluid.
///
/// # Arguments
/// * `fluid` – speeds of P waves, density, and the attenuation of the run
/// * `domain` – the box
pub fn model(survey: &SurveyFile, fluid: &Fluid, domain: &Extent, root: &KeyPath) -> Checked<EarthModel> {
    let path = root.key("model");
    let model = match &survey.config.model {
        config::Model::Layered(layered) => layers(layered, domain, &path.key("layered").key("layers"))?,
        config::Model::Volume(volumes) => volume(volumes, survey, fluid, domain, &path.key("volume"))?,
    };
    Ok(match fluid.attenuation() {
        Some(attenuation) => model.attenuated(Arc::new(attenuation.clone())),
        None => model,
    })
}

/// The layers in the box; the uppermost one begins at its top.
fn layers(layered: &Layered, domain: &Extent, path: &KeyPath) -> Checked<EarthModel> {
    let [bottom, top] = [domain.low[2], domain.high[2]];
    let top_of = |layer: &Layer| layer.top.map_or(f64::INFINITY, |depth| -depth);
    let mut regions = Vec::new();
    for (index, layer) in layered.layers.iter().enumerate() {
        let ends_above = layered.layers.get(index + 1).is_some_and(|next| top_of(next) >= top);
        if ends_above || (index > 0 && top_of(layer) <= bottom) {
            continue;
        }
        let path = path.index(index);
        let begin = if regions.is_empty() { top } else { top_of(layer) };
        let rho = layer.rho.unwrap_or_else(|| density_of(layer.vp));
        let vs = layer.vs.expect("a checked elastic survey has vs in all layers");
        let medium = Medium::isotropic(layer.vp, vs, rho).map_err(|error| bad_model(&error, &path))?;
        let qualities = Qualities { qp: layer.qp, qs: layer.qs, ..Qualities::default() };
        let losses = LossField::Constant(qualities.losses(&medium, &path)?);
        regions.push(Region { losses, ..Region::elastic(Interface::Flat(begin), medium.into()) });
    }
    EarthModel::new(regions).map_err(|error| bad_model(&error, path))
}

/// The media at the points of the P-wave speed.
fn volume(
    volumes: &Volumes,
    survey: &SurveyFile,
    fluid: &Fluid,
    domain: &Extent,
    path: &KeyPath,
) -> Checked<EarthModel> {
    let Some(vp) = fluid.speed_points() else { unreachable!("the fluid of a volume has points") };
    let source = Source { survey, vp, path };
    let (axes, speeds) = vp.points();
    let vs = match volumes.vs.as_ref().expect("a checked elastic survey has vs") {
        ShearSpeed::Constant(vs) => vec![*vs as f32; speeds.len()],
        ShearSpeed::File(file) => source.values(file, 0.0..=FASTEST, "vs")?,
    };
    let places = Places(axes);
    let rho: Vec<f32> = (0..speeds.len()).map(|point| fluid.at(places.at(point)).rho as f32).collect();
    let along = axes.map(|(first, spacing, count)| VolumeAxis { first, spacing, count });
    let made = Volume::new(along, [&speeds, &vs, &rho]).map_err(|error| bad_model(&error, path))?;
    let losses = match (&volumes.qp, &volumes.qs) {
        (None, None) => LossField::NONE,
        (qp, qs) => {
            let read = |quality: &Option<config::Quality>, key: &str| {
                quality.as_ref().map(|quality| source.qualities(quality, speeds.len(), key)).transpose()
            };
            let (qp, qs) = (read(qp, "qp")?, read(qs, "qs")?);
            let of_point = |point: usize| {
                let place = places.at(point);
                let value = |values: &Option<Vec<f32>>| values.as_ref().map(|values| f64::from(values[point]));
                let qualities = Qualities { qp: value(&qp), qs: value(&qs), ..Qualities::default() };
                let losses =
                    qualities.losses(&made.medium(place), path).map_err(|problem| at_point(*problem, place))?;
                Ok([losses.bulk as f32, losses.shear as f32])
            };
            let points = (0..speeds.len()).map(of_point).collect::<Checked<Vec<_>>>()?;
            LossField::Grid(Arc::new(LossGrid::new(along, points)))
        }
    };
    Ok(EarthModel::volume(Interface::Flat(domain.high[2]), made).with_losses(vec![losses]))
}

/// The same problem with the position of its point [m].
fn at_point(problem: Problem, place: [f64; 3]) -> Box<Problem> {
    let [x, y, z] = place.map(Number);
    let message = format!("{} at x = {x}, y = {y}, z = {z} m", problem.message);
    Box::new(Problem { message, ..problem })
}

/// Positions of the points of a grid, x fastest.
struct Places([(f64, f64, usize); 3]);

impl Places {
    fn at(&self, point: usize) -> [f64; 3] {
        let [nx, ny, _] = self.0.map(|(_, _, count)| count);
        let numbers = [point % nx, point / nx % ny, point / (nx * ny)];
        [0, 1, 2].map(|axis| self.0[axis].0 + numbers[axis] as f64 * self.0[axis].1)
    }
}

/// The context in which files of a volume are read.
struct Source<'a> {
    survey: &'a SurveyFile,
    vp: &'a Sampled,
    path: &'a KeyPath,
}

impl Source<'_> {
    /// The values of a file at the points of the P-wave speed.
    ///
    /// # Errors
    /// An unreadable file, values out of range, other points.
    fn values(
        &self,
        file: &crate::config::VolumeFile,
        allowed: std::ops::RangeInclusive<f64>,
        key: &str,
    ) -> Checked<Vec<f32>> {
        let config::Domain { x, y, depth } = self.survey.config.domain;
        let within = [x, y, depth.map(|[top, bottom]| [-bottom, -top])];
        let path = self.path.key(key);
        let sampled = Sampled::read(file, self.survey, within, allowed, &path)?;
        let ((own, values), (of_vp, _)) = (sampled.points(), self.vp.points());
        let is_same = |axis: usize| {
            let ((first, spacing, count), (other, width, points)) = (own[axis], of_vp[axis]);
            let is_near = |a: f64, b: f64| (a - b).abs() < SAME_POINT * width;
            count == points
                && (count == 1 || is_near(first, other) && is_near(spacing * count as f64, width * count as f64))
        };
        if let Some(axis) = (0..3).find(|&axis| !is_same(axis)) {
            let name = ["x", "y", "z"][axis];
            let of = |(first, spacing, count): (f64, f64, usize)| {
                format!("{count} from {} m, {} m apart", Number(first), Number(spacing))
            };
            let problem = Problem::new(path.key("file"), format!("has other points along {name} than velocity.file"));
            let problem = problem.value(of(own[axis])).allowed(of(of_vp[axis]));
            return Err(problem.hint("resample the file, or correct `origin` and `spacing`").into());
        }
        Ok(values)
    }

    fn qualities(&self, quality: &config::Quality, points: usize, key: &str) -> Checked<Vec<f32>> {
        match quality {
            config::Quality::Constant(quality) => Ok(vec![*quality as f32; points]),
            config::Quality::File(file) => {
                let values = self.values(file, 0.0..=f64::INFINITY, key)?;
                Ok(values.into_iter().map(|value| value.min(MOST_QUALITY as f32)).collect())
            }
        }
    }
}
