//! Finite faults: many point sources of a file, each with its own rate of slip.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use craton_acquisition::MomentTensor;
use craton_acquisition::specfem::MapFrame;
use craton_formats::srf::{self, SrfFile, SrfPoint};
use craton_model::{EarthModel, Medium};
use craton_numerics::dispersion::SampledRate;

use super::findings::{Checked, Findings, bad_file, of_file};
use super::ground::Ground;
use crate::error::Problem;
use crate::inputs::{Given, Input, wrong_kind};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::placing::ROUND_OFF;
use crate::structure::LARGEST;
use crate::written::Scenario;

/// A finite fault.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Name of its file.
    pub name: String,
    /// Its points, one for each direction in which they slip.
    pub points: Arc<[FaultPoint]>,
    /// Slip rates of all points [cm/s].
    rates: Arc<[f32]>,
    /// Number of points whose rigidity is that of the model.
    of_model: usize,
}

/// The slip of a point of a fault in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultPoint {
    /// Number of the point in its file, from 1.
    pub number: u32,
    /// x east, y north, z up [m].
    pub position: [f64; 3],
    /// Moment for a slip of 1 cm [N m].
    pub moment: MomentTensor,
    /// Time of the first slip rate, including the delay [s].
    start: f64,
    /// Interval between slip rates [s].
    interval: f64,
    /// Its slip rates.
    rates: Range<usize>,
}

impl FaultPoint {
    /// Time at which the slip begins [s].
    pub fn onset(&self) -> f64 {
        self.start - self.interval
    }

    /// Time at which the slip ends [s].
    pub fn end(&self) -> f64 {
        self.start + self.rates.len() as f64 * self.interval
    }
}

impl Fault {
    /// Slip rate of one of its points [cm/s].
    ///
    /// # Arguments
    /// * `zero` – time of step 0 [s]
    pub fn rate(&self, point: &FaultPoint, zero: f64) -> SampledRate<'_> {
        SampledRate { start: point.start - zero, interval: point.interval, samples: &self.rates[point.rates.clone()] }
    }

    /// The point that slips first: the hypocentre.
    pub fn hypocentre(&self) -> &FaultPoint {
        let first = self.points.iter().min_by(|a, b| a.start.total_cmp(&b.start));
        first.expect("a fault has points")
    }

    /// Times at which the first point begins to slip and the last one stops [s].
    pub fn ends(&self) -> [f64; 2] {
        let last = self.points.iter().map(FaultPoint::end).fold(f64::NEG_INFINITY, f64::max);
        [self.hypocentre().onset(), last]
    }

    /// Number of values of the slip rates.
    pub fn samples(&self) -> usize {
        self.rates.len()
    }

    /// Seismic moment [N m]: that of the sum of the moment tensors of all points.
    pub fn moment(&self) -> f64 {
        let mut sum = [0.0; 6];
        for point in self.points.iter() {
            let slip = self.rate(point, 0.0).total();
            for (sum, component) in sum.iter_mut().zip(point.moment.to_voigt()) {
                *sum += slip * component;
            }
        }
        MomentTensor::from_voigt(sum).scalar_moment()
    }

    /// The fault in words: points, moment and times.
    pub fn description(&self) -> String {
        let [from, to] = self.ends().map(Number);
        let moment = self.moment();
        let magnitude = Number(craton_acquisition::magnitude_of_moment(moment));
        let rigidity = match self.of_model {
            0 => "of the file",
            count if count == self.points.len() => "of the model",
            _ => "of the file, or of the model where the file has none",
        };
        format!(
            "{}: {} points, slip from {from:.4} to {to:.4} s, moment {moment:.4e} N m (Mw {magnitude:.2}), rigidity {rigidity}",
            self.name,
            self.points.len(),
        )
    }
}

/// The finite faults of a scenario.
pub fn faults(scenario: &Scenario, ground: &Ground, model: Option<&EarthModel>, findings: &mut Findings) -> Vec<Fault> {
    let Some(model) = model else { return Vec::new() };
    let path = KeyPath::default().key("source");
    let mut all = Vec::new();
    for (index, written) in scenario.config.sources.iter().enumerate() {
        let Some(name) = &written.srf else { continue };
        let key = path.index(index).key("srf");
        let read = read(scenario, name, &key)
            .and_then(|file| Reader { ground, model, file: &file, name, key: &key, delay: written.delay }.fault());
        let Some(fault) = findings.keep(read) else { continue };
        let [onset, _] = fault.ends();
        let end = scenario.config.duration;
        if onset >= end {
            findings.warnings.push(format!(
                "{}: the slip starts at {} s, after the end of the simulation at {} s, and has no effect",
                fault.name,
                Number(onset),
                Number(end)
            ));
        }
        all.push(fault);
    }
    all
}

fn read(scenario: &Scenario, name: &Path, key: &KeyPath) -> Checked<SrfFile> {
    let read = match scenario.input(name) {
        Input::File(file) => srf::read(&file),
        Input::Given(Given::Text(text)) => srf::parse(text.as_bytes(), name),
        Input::Given(given) => return Err(wrong_kind(given, "text", name, key)),
    };
    read.map_err(|error| bad_file(&error, name, key))
}

/// What the points of a file need to become sources.
struct Reader<'a> {
    ground: &'a Ground<'a>,
    model: &'a EarthModel,
    file: &'a SrfFile,
    name: &'a Path,
    key: &'a KeyPath,
    delay: f64,
}

impl Reader<'_> {
    fn fault(&self) -> Checked<Fault> {
        if !self.ground.frame.is_geographic() {
            let problem = Problem::new(self.key, "requires a projection: the file has longitudes and latitudes");
            return Err(of_file(problem.hint("set domain.projection, or use a chunk or the globe"), self.name));
        }
        let mut points = Vec::with_capacity(self.file.points.len());
        let mut of_model = 0;
        for (number, point) in (1..).zip(&self.file.points) {
            let before = points.len();
            let is_of_model = self.add(number, point, &mut points)?;
            of_model += if is_of_model { points.len() - before } else { 0 };
        }
        if points.is_empty() {
            let problem = Problem::new(self.key, "no point of the file slips");
            return Err(of_file(problem.hint("check NT1, NT2, NT3 and the slip rates"), self.name));
        }
        let name = self.name.file_name().unwrap_or(self.name.as_os_str()).to_string_lossy();
        Ok(Fault {
            name: name.into_owned(),
            points: points.into(),
            rates: self.file.samples.as_slice().into(),
            of_model,
        })
    }

    /// Adds the directions in which a point slips; returns whether its rigidity is that of the model.
    fn add(&self, number: u32, point: &SrfPoint, points: &mut Vec<FaultPoint>) -> Checked<bool> {
        let mut own: Option<([f64; 3], Medium)> = None;
        let in_file = point.vs().zip(point.density()).map(|(vs, rho)| rho * vs * vs);
        for direction in 0..3 {
            let rates = point.range(direction);
            if self.file.samples[rates.clone()].iter().all(|&rate| rate == 0.0) {
                continue;
            }
            let (position, medium) = match &own {
                Some(own) => own,
                None => own.insert(self.place(number, point)?),
            };
            let rigidity = in_file.unwrap_or_else(|| medium.rho() * medium.slowest().powi(2));
            let stiffness = [medium.rho() * medium.fastest().powi(2) - 2.0 * rigidity, rigidity];
            let moment =
                moment(point, direction, stiffness).map_err(|error| self.refuse(number, &error.to_string()))?;
            let (start, interval) = (point.start + self.delay, point.interval);
            if moment.norm() > LARGEST || start.abs() > LARGEST {
                return Err(self.refuse(number, "a moment or time that is too large for the computation"));
            }
            points.push(FaultPoint { number, position: *position, moment, start, interval, rates });
        }
        Ok(in_file.is_none())
    }

    /// Position and medium of a point.
    fn place(&self, number: u32, point: &SrfPoint) -> Checked<([f64; 3], Medium)> {
        let place = self.ground.to_model(point.longitude, point.latitude);
        let [x, y] = place.map_err(|error| self.refuse(number, &error))?;
        let z = self.ground.surface.elevation(x, y) - point.depth();
        let located = self.ground.inside([x, y, z], self.ground.of_files());
        let name = format!("point {number} of the fault");
        let located = located.map_err(|outside| of_file(outside.problem(&name, "", self.key), self.name))?;
        let position @ [x, y, z] = located.position;
        let below = [x, y, z - ROUND_OFF];
        let medium = self.model.medium(self.model.region_at(below), below);
        if medium.is_fluid() {
            return Err(self.refuse(number, "it is in a fluid, where vs = 0"));
        }
        Ok((position, medium))
    }

    fn refuse(&self, number: u32, problem: &str) -> Box<Problem> {
        of_file(Problem::new(self.key, format!("point {number} of the fault: {problem}")), self.name)
    }
}

/// Moment tensor of a slip of 1 cm of a point along its direction u1, u2 or u3 [N m].
///
/// # Arguments
/// * `stiffness` – Lamé's parameters λ and μ [Pa]
/// # Source
/// Aki and Richards (2002), equation 3.20: λ (s·n) δ + μ (s n + n s), with slip s and normal n.
fn moment(
    point: &SrfPoint,
    direction: usize,
    [lambda, mu]: [f64; 2],
) -> Result<MomentTensor, craton_acquisition::AcquisitionError> {
    const CENTIMETRE: f64 = 1e-2;
    let slip = point.area_m2() * CENTIMETRE;
    if direction < 2 {
        let rake = point.rake + 90.0 * direction as f64;
        return MomentTensor::double_couple(point.strike, point.dip, rake, mu * slip);
    }
    let (sin_strike, cos_strike) = point.strike.to_radians().sin_cos();
    let (sin_dip, cos_dip) = point.dip.to_radians().sin_cos();
    let [x, y, z] = [sin_dip * cos_strike, -sin_dip * sin_strike, cos_dip];
    let of = |product: f64, isotropic: f64| slip * (2.0 * mu * product + lambda * isotropic);
    MomentTensor::new([of(x * x, 1.0), of(y * y, 1.0), of(z * z, 1.0), of(y * z, 0.0), of(x * z, 0.0), of(x * y, 0.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moment as slip times normal, from the directions that the format states in north, east, down.
    #[test]
    fn moments_follow_the_directions_of_the_format() {
        let (lambda, mu) = (2.0, 3.0);
        let file =
            srf::parse(b"2.0\nPOINTS 1\n0 0 2.0 37 62 1.0e6 0 0.1 1e5 2.0\n25 0 1 0 1 0 1\n1\n1\n1\n", Path::new("a"))
                .unwrap();
        let point = &file.points[0];
        let [strike, dip] = [37.0_f64, 62.0].map(f64::to_radians);
        let along = |rake: f64| {
            let rake = rake.to_radians();
            [
                rake.cos() * strike.cos() + rake.sin() * dip.cos() * strike.sin(),
                rake.cos() * strike.sin() - rake.sin() * dip.cos() * strike.cos(),
                -rake.sin() * dip.sin(),
            ]
        };
        let normal = [-dip.sin() * strike.sin(), dip.sin() * strike.cos(), -dip.cos()];
        for (direction, slip) in [along(25.0), along(115.0), normal].into_iter().enumerate() {
            let got = moment(point, direction, [lambda, mu]).unwrap().to_voigt();
            // From north, east, down to east, north, up.
            let turned = |[north, east, down]: [f64; 3]| [east, north, -down];
            let (s, n) = (turned(slip), turned(normal));
            let dot: f64 = s.iter().zip(n).map(|(s, n)| s * n).sum();
            // 100 m² slip by 1 cm.
            let of = |i: usize, j: usize| lambda * dot * f64::from(u8::from(i == j)) + mu * (s[i] * n[j] + s[j] * n[i]);
            let expected = [of(0, 0), of(1, 1), of(2, 2), of(1, 2), of(0, 2), of(0, 1)];
            for (got, expected) in got.iter().zip(expected) {
                assert!((got - expected).abs() < 1e-12, "direction {direction}: {got} {expected}");
            }
        }
    }
}
