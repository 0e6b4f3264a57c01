//! The Earth model from files with values on a regular grid.

use std::sync::Arc;

use craton_model::{EarthModel, Interface, LossField, LossGrid, ModelError, Volume, VolumeAxis};

use super::attenuation::Qualities;
use super::findings::{Checked, Findings, bad_model, of_file};
use super::sea_of_volume::VolumePoints;
use crate::config::{MOST_DENSITY, MOST_SPEED, Method, VolumeFile, Volumes};
use crate::density::density_of_elastic;
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
    let source = Source { scenario, surface, path };
    let vp = findings.keep(source.read(&volume.vp, "vp", MOST_SPEED));
    let vs = findings.keep(source.read(&volume.vs, "vs", MOST_SPEED));
    let rho = volume.rho.as_ref().map(|file| findings.keep(source.read(file, "rho", MOST_DENSITY)));
    let (vp, vs) = (vp?, vs?);
    findings.warnings.extend(source.extended(vp.ends));
    findings.warnings.extend([&vp, &vs].into_iter().flat_map(|points| points.warnings.clone()));
    findings.keep(vs.require_points_of(&vp, &volume.vs, &path.key("vs")))?;
    let rho = match (rho, &volume.rho) {
        (Some(rho), Some(file)) => {
            let rho = rho?;
            findings.keep(rho.require_points_of(&vp, file, &path.key("rho")))?;
            rho.values
        }
        _ => {
            findings
                .warnings
                .push(format!("{path}: no density is given; Craton uses 1025 kg/m3 in water and 310 vp^0.25 in rock"));
            let density = |(&vp, &vs): (&f32, &f32)| density_of_elastic(f64::from(vp), f64::from(vs)) as f32;
            vp.values.iter().zip(&vs.values).map(density).collect()
        }
    };
    let axes = vp.axes.map(|(first, spacing, count)| VolumeAxis { first, spacing, count });
    let made = Volume::new(axes, [&vp.values, &vs.values, &rho]);
    let made = findings.keep(made.map_err(|error| refused(&error, path)))?;
    let losses = losses(volume, &source, &vp, &made, findings)?;
    if made.has_contacts() && matches!(scenario.config.method, Method::Sem(_)) {
        if scenario.config.domain.mesh.is_some() {
            let problem = Problem::new(path, "contains water and rock, which must be different blocks of the mesh");
            findings.problems.push(problem.hint("give the water a block with a material of its own"));
            return None;
        }
        let points = VolumePoints { axes, values: [&vp.values, &vs.values, &rho] };
        return findings.keep(points.with_sea(surface, losses, volume, path));
    }
    Some(EarthModel::volume(surface.clone(), made).with_losses(vec![losses]))
}

/// Losses at the points of a volume.
///
/// # Arguments
/// * `vp` – the points of vp
fn losses(
    volume: &Volumes,
    source: &Source,
    vp: &Points,
    media: &Volume,
    findings: &mut Findings,
) -> Option<LossField> {
    let files = [("qp", &volume.qp), ("qs", &volume.qs), ("qkappa", &volume.qkappa), ("qmu", &volume.qmu)];
    let mut read = [const { None }; 4];
    for (values, (name, file)) in read.iter_mut().zip(files) {
        let Some(file) = file else { continue };
        let points = findings.keep(source.read(file, name, MOST_QUALITY))?;
        findings.keep(points.require_points_of(vp, file, &source.path.key(name)))?;
        *values = Some(points.values);
    }
    if read.iter().all(Option::is_none) {
        return Some(LossField::NONE);
    }
    let axes = *media.axes();
    let counts = axes.map(|axis| axis.count);
    let of_point = |point: usize| {
        let numbers = [point % counts[0], point / counts[0] % counts[1], point / (counts[0] * counts[1])];
        let place = [0, 1, 2].map(|axis| axes[axis].first + numbers[axis] as f64 * axes[axis].spacing);
        let [qp, qs, qkappa, qmu] = read.each_ref().map(|values| values.as_ref().map(|all| f64::from(all[point])));
        let found = Qualities { qp, qs, qkappa, qmu }.losses(&media.medium(place), &KeyPath::default());
        let [x, y, z] = place.map(Number);
        let named = |problem: Box<Problem>| {
            let value = problem.value.as_ref().map_or(String::new(), |value| format!(" = {value}"));
            let message = format!("{}{value} at x = {x}, y = {y}, z = {z} m {}", problem.path, problem.message);
            Box::new(Problem { path: source.path.to_string(), message, value: None, ..*problem })
        };
        found.map(|losses| [losses.bulk as f32, losses.shear as f32]).map_err(named)
    };
    let points = (0..vp.values.len()).map(of_point).collect::<Checked<Vec<_>>>();
    Some(LossField::Grid(Arc::new(LossGrid::new(axes, findings.keep(points)?))))
}

/// Largest accepted quality factor of a file; larger ones are as good as elastic.
const MOST_QUALITY: f64 = 1e9;

/// The problem of points with impossible materials.
fn refused(error: &ModelError, path: &KeyPath) -> Box<Problem> {
    let problem = *bad_model(error, path);
    Box::new(problem.hint("for values in km/s or g/cm3, set factor = 1000 of the file"))
}

/// The context in which volumes are read.
struct Source<'a> {
    scenario: &'a Scenario,
    surface: &'a Interface,
    path: &'a KeyPath,
}

/// Points of a file within the domain.
struct Points {
    /// First coordinate, spacing and number of points along x, y and z [m].
    axes: [(f64, f64, usize); 3],
    /// Values, x fastest, then y, then z; above the ground those of the uppermost point below it.
    values: Vec<f32>,
    /// Bottom and top of the file [m], including half a spacing, if it has several points along z.
    ends: Option<[f64; 2]>,
    /// Warnings about a file in feet, and about its headers.
    warnings: Vec<String>,
}

impl Source<'_> {
    /// Reads a file, whose points must cover the domain.
    fn read(&self, file: &VolumeFile, key: &str, most: f64) -> Checked<Points> {
        let (domain, path) = (&self.scenario.config.domain, self.path.key(key));
        let within = [domain.x(), domain.y(), domain.z()];
        let sampled = Sampled::read(file, self.scenario, within.map(Some), 0.0..=most, &path)?;
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let Some(known) = sampled.ends(axis) else { continue };
            // The limits are sums of spacings, with round-off.
            let tolerance = 1e-6 * (known[1] - known[0]);
            let needed = within[axis];
            let is_short = needed[0] < known[0] - tolerance || needed[1] > known[1] + tolerance;
            let is_disjoint = needed[1] <= known[0] || needed[0] >= known[1];
            if is_disjoint || (axis < 2 && is_short) {
                let [from, to] = needed.map(Number);
                let message = format!("does not cover the domain along {name}, which extends from {from} to {to} m");
                let [from, to] = known.map(Number);
                let problem =
                    Problem::new(path.key("file"), message).allowed(format!("{name} within {from} to {to} m"));
                let hint =
                    "change the domain, or `origin` and `axes` of the file (depth is positive down, z positive up)";
                return Err(of_file(problem.hint(hint), &file.file));
            }
        }
        let (axes, mut values) = sampled.points();
        self.fill_above(&axes, &mut values);
        let warnings = sampled.assumed_unit(file).into_iter().chain(sampled.warning.clone()).collect();
        Ok(Points { axes, values, ends: sampled.ends(2), warnings })
    }

    /// Sets the points above the ground to the value of the uppermost point below it; only interpolation near the
    /// ground uses them.
    fn fill_above(&self, axes: &[(f64, f64, usize); 3], values: &mut [f32]) {
        let [(x, dx, nx), (y, dy, ny), (z, dz, nz)] = *axes;
        let domain = &self.scenario.config.domain;
        let inside = |place: f64, [low, high]: [f64; 2]| place.clamp(low, high);
        for column in 0..nx * ny {
            let [x, y] = [x + (column % nx) as f64 * dx, y + (column / nx) as f64 * dy];
            let ground = self.surface.elevation(inside(x, domain.x()), inside(y, domain.y()));
            // At least one point is below the ground.
            let first = (1..nz).find(|&plane| z + plane as f64 * dz > ground + 1e-6 * dz).unwrap_or(nz);
            for plane in first..nz {
                values[plane * nx * ny + column] = values[(first - 1) * nx * ny + column];
            }
        }
    }

    /// The warning if the domain extends above or below the points.
    fn extended(&self, ends: Option<[f64; 2]>) -> Option<String> {
        let domain = &self.scenario.config.domain;
        let [low, high] = ends?;
        let [_, _, highest] = self.surface.highest(domain.x(), domain.y());
        let tolerance = 1e-6 * (high - low);
        let above = (highest > high + tolerance).then(|| format!("above z = {} m", Number(high)));
        let below = (domain.z()[0] < low - tolerance).then(|| format!("below z = {} m", Number(low)));
        let beyond: Vec<String> = above.into_iter().chain(below).collect();
        let warning = |beyond: String| {
            format!("{}: the files have no values {beyond}; Craton extends the outermost values", self.path)
        };
        (!beyond.is_empty()).then(|| warning(beyond.join(" and ")))
    }
}

impl Points {
    /// Rejects grid points that differ from those of another file.
    fn require_points_of(&self, other: &Self, file: &VolumeFile, path: &KeyPath) -> Checked<()> {
        /// Tolerance of coordinates relative to the spacing, because files have few digits.
        const TOLERANCE: f64 = 1e-3;
        let is_same = |(a, b): (&(f64, f64, usize), &(f64, f64, usize))| {
            let is_near = |a: f64, b: f64, spacing: f64| (a - b).abs() < TOLERANCE * spacing;
            a.2 == b.2 && (a.2 == 1 || (is_near(a.0, b.0, a.1) && is_near(a.1 * a.2 as f64, b.1 * a.2 as f64, a.1)))
        };
        if other.axes.iter().zip(&self.axes).all(is_same) {
            return Ok(());
        }
        let description = |axes: &[(f64, f64, usize); 3]| {
            let along = |(name, axis): (&str, &(f64, f64, usize))| {
                format!("{name}: {} from {} m, {} m apart", axis.2, Number(axis.0), Number(axis.1))
            };
            ["x", "y", "z"].into_iter().zip(axes).map(along).collect::<Vec<_>>().join("; ")
        };
        let message = format!("has other grid points than the file of vp: {}", description(&self.axes));
        let problem = Problem::new(path.key("file"), message).allowed(description(&other.axes));
        Err(of_file(problem.hint("resample the file, or correct `origin` and `spacing`"), &file.file))
    }
}
