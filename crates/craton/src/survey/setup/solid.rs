//! The solid model of an elastic survey: layers or volumes with speeds of S waves.

use std::sync::Arc;

use craton_acquisition::survey::Extent;
use craton_model::{EarthModel, Interface, LossField, LossGrid, Medium, Region, Volume, VolumeAxis};

use super::fluid::Fluid;
use crate::density::density_of_elastic;
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

/// The model of an elastic survey in its box. Attenuation, if there is any, is that of its fluid, and so is a given density.
///
/// # Arguments
/// * `fluid` – speeds of P waves, density, and the attenuation of the run
/// * `domain` – the box
/// * `warnings` – receives the warnings about files
pub fn model(
    survey: &SurveyFile,
    fluid: &Fluid,
    domain: &Extent,
    root: &KeyPath,
    warnings: &mut Vec<String>,
) -> Checked<EarthModel> {
    let path = root.key("model");
    let model = match &survey.config.model {
        config::Model::Layered(layered) => layers(layered, domain, &path.key("layered").key("layers"))?,
        config::Model::Volume(volumes) => {
            let path = path.key("volume");
            let Some(vp) = fluid.speed_points() else { unreachable!("the fluid of a volume has points") };
            let mut source = Source { survey, vp, path: &path, warnings: Vec::new() };
            source.warnings.extend(finer_density(vp, fluid.density_points(), &path));
            let model = volume(volumes, fluid, domain, &mut source)?;
            warnings.append(&mut source.warnings);
            model
        }
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
        let vs = layer.vs.expect("a checked elastic survey has vs in all layers");
        let rho = layer.rho.unwrap_or_else(|| density_of_elastic(layer.vp, vs));
        let medium = Medium::isotropic(layer.vp, vs, rho).map_err(|error| bad_model(&error, &path))?;
        let qualities = Qualities { qp: layer.qp, qs: layer.qs, ..Qualities::default() };
        let losses = LossField::Constant(qualities.losses(&medium, &path)?);
        regions.push(Region { losses, ..Region::elastic(Interface::Flat(begin), medium.into()) });
    }
    EarthModel::new(regions).map_err(|error| bad_model(&error, path))
}

/// The media at the points of the P-wave speed.
fn volume(volumes: &Volumes, fluid: &Fluid, domain: &Extent, source: &mut Source) -> Checked<EarthModel> {
    let (path, (axes, speeds)) = (source.path, source.vp.points());
    let vs = match volumes.vs.as_ref().expect("a checked elastic survey has vs") {
        ShearSpeed::Constant(vs) => vec![*vs as f32; speeds.len()],
        ShearSpeed::File(file) => source.values(file, 0.0..=FASTEST, "vs")?,
    };
    let places = Places(axes);
    let density = |point: usize| match volumes.density {
        None => density_of_elastic(f64::from(speeds[point]), f64::from(vs[point])),
        Some(_) => fluid.at(places.at(point)).rho,
    };
    let rho: Vec<f32> = (0..speeds.len()).map(|point| density(point) as f32).collect();
    let along = axes.map(|(first, spacing, count)| VolumeAxis { first, spacing, count });
    let made = Volume::new(along, [&speeds, &vs, &rho]).map_err(|error| bad_model(&error, path))?;
    let losses = match (&volumes.qp, &volumes.qs) {
        (None, None) => LossField::NONE,
        (qp, qs) => {
            let mut read = |quality: &Option<config::Quality>, key: &str| {
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

/// The warning about a density that has a finer grid than the P-wave speed, at whose points an elastic survey samples it.
fn finer_density(vp: &Sampled, rho: Option<&Sampled>, path: &KeyPath) -> Option<String> {
    /// Spacing relative to that of the P-wave speed below which values are lost.
    const FINER: f64 = 0.999;
    let rho = rho?;
    let spacing = |sampled: &Sampled, axis: usize| match sampled.axes[axis] {
        (_, _, 1) => f64::INFINITY,
        (_, spacing, _) => spacing.abs(),
    };
    let axis = (0..3).find(|&axis| spacing(rho, axis) < FINER * spacing(vp, axis))?;
    let [of_rho, of_vp] = [rho, vp].map(|sampled| Number(spacing(sampled, axis)));
    let (path, name) = (path.key("density").key("file"), ["x", "y", "depth"][axis]);
    let points = format!("{path}: the points are {of_rho} m apart along {name}, those of velocity.file {of_vp} m");
    Some(format!(
        "{points}. An elastic survey uses the density at the points of velocity.file; resample velocity and vs to keep the details"
    ))
}

/// The context in which files of a volume are read.
struct Source<'a> {
    survey: &'a SurveyFile,
    vp: &'a Sampled,
    path: &'a KeyPath,
    /// Warnings about the files.
    warnings: Vec<String>,
}

impl Source<'_> {
    /// The values of a file at the points of the P-wave speed.
    ///
    /// # Errors
    /// An unreadable file, values out of range, other points.
    fn values(
        &mut self,
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
        // The fluid has read the file of qp, and has its warning.
        self.warnings.extend(sampled.warning.clone().filter(|_| key != "qp"));
        self.warnings.extend(sampled.assumed_unit(file).filter(|_| key == "vs"));
        Ok(values)
    }

    fn qualities(&mut self, quality: &config::Quality, points: usize, key: &str) -> Checked<Vec<f32>> {
        match quality {
            config::Quality::Constant(quality) => Ok(vec![*quality as f32; points]),
            config::Quality::File(file) => {
                let values = self.values(file, 0.0..=f64::INFINITY, key)?;
                Ok(values.into_iter().map(|value| value.min(MOST_QUALITY as f32)).collect())
            }
        }
    }
}
