//! The Earth model of files with values at the points of a grid.

use craton_model::{EarthModel, Interface, ModelError, Volume, VolumeAxis};

use super::findings::{Checked, Findings, bad_model, of_file};
use super::media::FLUID_ALLOWED;
use crate::config::{FLUID_HINT, MOST_DENSITY, MOST_SPEED, VolumeFile, Volumes};
use crate::density::density_of;
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::sampled::Sampled;
use crate::written::Scenario;

/// The model of a volume below a surface.
///
/// # Arguments
/// * `path` – the key `volume`
pub fn model(
    volume: &Volumes,
    scenario: &Scenario,
    surface: &Interface,
    path: &KeyPath,
    findings: &mut Findings,
) -> Option<EarthModel> {
    let domain = &scenario.config.domain;
    let within = [domain.x(), domain.y(), domain.z()].map(Some);
    let mut read = |file: &VolumeFile, key: &str, most: f64| {
        findings.keep(Sampled::read(file, scenario, within, 0.0..=most, &path.key(key)))
    };
    let vp = read(&volume.vp, "vp", MOST_SPEED);
    let vs = read(&volume.vs, "vs", MOST_SPEED);
    let rho = match &volume.rho {
        Some(file) => read(file, "rho", MOST_DENSITY).map(Some),
        None => Some(None),
    };
    let (vp, vs, rho) = (vp?, vs?, rho?);
    findings.keep(check_solid(&vs, volume, scenario, &path.key("vs")))?;
    let (axes, vp) = vp.points();
    let vs = findings.keep(beside(&axes, &vs, &volume.vs, &path.key("vs")))?;
    let rho = match (&rho, &volume.rho) {
        (Some(rho), Some(file)) => findings.keep(beside(&axes, rho, file, &path.key("rho")))?,
        _ => vp.iter().map(|&vp| density_of(f64::from(vp)) as f32).collect(),
    };
    let axes = axes.map(|(first, spacing, count)| VolumeAxis { first, spacing, count });
    let made = Volume::new(axes, [&vp, &vs, &rho]).map(|made| EarthModel::volume(surface.clone(), made));
    let covers = |model: &EarthModel| model.check_over(domain.x(), domain.y());
    let model =
        findings.keep(made.and_then(|model| covers(&model).map(|()| model)).map_err(|error| refused(&error, path)))?;
    findings.warnings.extend(extended(&axes[2], surface, scenario, path));
    Some(model)
}

/// The problem of a volume that the model refuses.
fn refused(error: &ModelError, path: &KeyPath) -> Box<Problem> {
    match error {
        ModelError::NotCovered { axis, known, needed, .. } => {
            let [from, to] = known.map(Number);
            let message = format!("does not cover the domain, which reaches from {} to {} m", needed[0], needed[1]);
            let problem = Problem::new(path.key("vp"), message).allowed(format!("within {from} to {to} m"));
            Box::new(problem.hint(format!("shrink domain.{axis}; is the `origin` of the files that of the domain?")))
        }
        other => bad_model(other, path),
    }
}

/// The values of another file at the same points.
///
/// # Arguments
/// * `axes` – first place, spacing and number of the points of vp along x, y and z
fn beside(axes: &[(f64, f64, usize); 3], values: &Sampled, file: &VolumeFile, path: &KeyPath) -> Checked<Vec<f32>> {
    /// Part of a spacing by which places may differ, as files hold them in few digits.
    const NEXT_TO: f64 = 1e-3;
    let (own, values) = values.points();
    let is_same = |(a, b): (&(f64, f64, usize), &(f64, f64, usize))| {
        a.2 == b.2 && (a.0 - b.0).abs() < NEXT_TO * a.1 && (a.1 - b.1).abs() * a.2 as f64 <= NEXT_TO * a.1
    };
    if axes.iter().zip(&own).all(is_same) {
        return Ok(values);
    }
    let told = |axes: &[(f64, f64, usize); 3]| {
        let along = |(name, axis): (&str, &(f64, f64, usize))| {
            format!("{name}: {} from {} m, {} m apart", axis.2, Number(axis.0), Number(axis.1))
        };
        ["x", "y", "z"].into_iter().zip(axes).map(along).collect::<Vec<_>>().join("; ")
    };
    let problem =
        Problem::new(path.key("file"), format!("has other points in the domain than that of vp: {}", told(&own)));
    Err(of_file(problem.allowed(told(axes)).hint("resample it, or correct `origin` and `spacing`"), &file.file))
}

/// Refuses fluids where the method does not solve them.
fn check_solid(vs: &Sampled, volume: &Volumes, scenario: &Scenario, path: &KeyPath) -> Checked<()> {
    if scenario.config.method.solves_fluids() || vs.points().1.iter().all(|vs| *vs > 0.0) {
        return Ok(());
    }
    let problem = Problem::new(path.key("file"), "holds fluids in the domain, where vs is 0");
    Err(of_file(problem.allowed(FLUID_ALLOWED).hint(FLUID_HINT), &volume.vs.file))
}

/// What to tell where the domain reaches above or below the points.
fn extended(axis: &VolumeAxis, surface: &Interface, scenario: &Scenario, path: &KeyPath) -> Vec<String> {
    let domain = &scenario.config.domain;
    let ([low, high], [bottom, _]) = (axis.range(), domain.z());
    let [_, _, highest] = surface.highest(domain.x(), domain.y());
    let slack = 1e-6 * axis.spacing;
    let above = (highest > high + slack).then(|| format!("above z = {} m", Number(high)));
    let below = (bottom < low - slack).then(|| format!("below z = {} m", Number(low)));
    let beyond: Vec<String> = above.into_iter().chain(below).collect();
    let tell = |beyond: &[String]| {
        format!("{path}: the files end {}; their outermost values hold there", beyond.join(" and "))
    };
    (!beyond.is_empty()).then(|| tell(&beyond)).into_iter().collect()
}
