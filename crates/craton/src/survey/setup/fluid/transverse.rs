//! Transverse isotropy of a survey: Thomsen parameters, their ratios of moduli in cells, and the speeds of P waves.

use craton_fd::acoustic::TransverseModuli;
use craton_physics::tilted_axis;
use rayon::prelude::*;

use super::volumes::{Thomsen, Volumes};
use super::{Fluid, Kind, Sample};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::sampled::Sampled;
use crate::setup::findings::Checked;

/// Tolerance of δ <= ε for values in single precision \[–\].
const SAME: f64 = 1e-6;
/// Magnitude of a component below which there is none \[–\].
const NO_COMPONENT: f64 = 1e-12;
const HINT: &str = "the equation is unstable where delta exceeds epsilon: reduce delta there, or increase epsilon";

impl Sample {
    /// Ratios of moduli. Values of δ above ε to within round-off are those of ε.
    fn moduli(&self) -> TransverseModuli {
        let [epsilon, delta] = self.thomsen;
        TransverseModuli::of_thomsen(epsilon, delta.min(epsilon))
    }

    /// Smallest and largest speed of P waves in any direction [m/s].
    pub fn speeds(&self) -> [f64; 2] {
        extremes(&self.moduli()).map(|square| self.material.vp * square.sqrt())
    }
}

/// Smallest and largest square of the speed of P waves over that along the axis \[–\].
///
/// λ = (v / vp)² solves λ² - λ (l sin²θ + cos²θ) + (l - s²) sin²θ cos²θ = 0. It is 1 along the axis and l across it, and (l - s²) / (l + 1 - 2 s) where
/// its derivative vanishes in between.
fn extremes(&TransverseModuli { coupling: s, lateral: l }: &TransverseModuli) -> [f64; 2] {
    let excess = l - s * s;
    let between = excess / (l + 1.0 - 2.0 * s);
    let sine_squared = 0.5 * (1.0 - (l - 1.0) * between / excess);
    let is_between = (0.0..=1.0).contains(&sine_squared);
    let all = [Some(1.0), Some(l), is_between.then_some(between)];
    all.into_iter().flatten().fold([f64::INFINITY, 0.0], |[least, most], own| [own.min(least), own.max(most)])
}

/// The unit vector of an axis from its tilt and azimuth [degrees].
pub fn axis_of(tilt: f64, azimuth: f64) -> [f64; 3] {
    let axis = tilted_axis(tilt.to_radians(), azimuth.to_radians()).expect("finite angles");
    // Angles such as 90 degrees have no exact sine and cosine.
    axis.map(|component| if component.abs() < NO_COMPONENT { 0.0 } else { component })
}

/// The symmetry axis of a model with gridded speeds.
#[derive(Debug, Clone, PartialEq)]
pub enum SymmetryAxis {
    /// The same everywhere.
    Constant([f64; 3]),
    /// Its components on a grid.
    Sampled(Box<[Sampled; 3]>),
}

impl SymmetryAxis {
    /// The axis from tilt and azimuth [degrees].
    ///
    /// # Errors
    /// Two files with different points.
    pub fn new(angles: [&Thomsen; 2], path: &KeyPath) -> Checked<Self> {
        let grids = angles.map(Thomsen::points);
        let Some(points) = grids[0].or(grids[1]) else {
            let [tilt, azimuth] = angles.map(|own| own.at([0.0; 3]));
            return Ok(Self::Constant(axis_of(tilt, azimuth)));
        };
        if let [Some(tilt), Some(azimuth)] = grids
            && (tilt.axes != azimuth.axes || tilt.values.len() != azimuth.values.len())
        {
            let problem = Problem::new(path.key("azimuth").key("file"), "has other points than tilt.file");
            return Err(problem.hint("resample the file, or correct `origin` and `spacing`").into());
        }
        let value = |angle: &Thomsen, point: usize| match angle {
            Thomsen::Constant(value) => *value,
            Thomsen::Sampled(sampled) => f64::from(sampled.values[point]),
        };
        let all: Vec<[f64; 3]> =
            (0..points.values.len()).map(|point| axis_of(value(angles[0], point), value(angles[1], point))).collect();
        let component = |number: usize| points.with_values(&all.iter().map(|own| own[number]).collect::<Vec<f64>>());
        Ok(Self::Sampled(Box::new([0, 1, 2].map(component))))
    }

    /// A vector along the axis at a position [m], in general not of unit length.
    pub fn at(&self, position: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Constant(axis) => *axis,
            Self::Sampled(components) => components.each_ref().map(|own| own.at(position)),
        }
    }

    /// The grid, if there is one.
    pub fn points(&self) -> Option<&Sampled> {
        if let Self::Sampled(components) = self { Some(&components[0]) } else { None }
    }

    /// Whether the axis has a component along x (0) or y (1) anywhere.
    fn has(&self, component: usize) -> bool {
        match self {
            Self::Constant(axis) => axis[component] != 0.0,
            Self::Sampled(components) => components[component].values.iter().any(|&value| value != 0.0),
        }
    }
}

impl Fluid {
    /// Whether the medium is transversely isotropic with an axis that is not vertical.
    pub fn is_tilted(&self) -> bool {
        self.is_transverse() && (self.has_axis_along(0) || self.has_axis_along(1))
    }

    /// Whether the axis has a component along x (0) or y (1) anywhere.
    fn has_axis_along(&self, component: usize) -> bool {
        match &self.kind {
            Kind::Layers(layers) => layers.iter().any(|(_, own)| own.axis[component] != 0.0),
            Kind::Volumes(volumes) => volumes.axis.has(component),
        }
    }

    /// A vector along the axis at a position [m].
    pub fn axis(&self, position: [f64; 3]) -> [f64; 3] {
        self.sample(position).axis
    }

    /// Rejects an axis with a component across the plane of a two-dimensional survey.
    pub fn check_axis(&self, is_plane: bool, path: &KeyPath) -> Checked<()> {
        if !(is_plane && self.is_tilted() && self.has_axis_along(1)) {
            return Ok(());
        }
        let path = match &self.kind {
            Kind::Layers(layers) => {
                let index = layers.iter().position(|(_, own)| own.axis[1] != 0.0).unwrap_or(0);
                path.key("layered").key("layers").index(index)
            }
            Kind::Volumes(_) => path.key("volume"),
        };
        let problem = Problem::new(path.key("azimuth"), "tilts the axis out of the plane of a two-dimensional survey");
        Err(problem.allowed("90 or 270").hint("or give the domain an extent along y").into())
    }

    /// Whether the medium is transversely isotropic.
    pub fn is_transverse(&self) -> bool {
        match &self.kind {
            Kind::Layers(layers) => layers.iter().any(|(_, own)| own.thomsen != [0.0; 2]),
            Kind::Volumes(volumes) => volumes.is_transverse(),
        }
    }

    /// Whether a source at a position [m] excites the second wave of a transversely isotropic medium, since ε and δ differ there.
    pub fn has_second_wave(&self, position: [f64; 3]) -> bool {
        let [epsilon, delta] = self.sample(position).thomsen;
        epsilon - delta > SAME
    }

    /// Ratios of moduli of a cell.
    ///
    /// # Arguments
    /// * `varies` – whether the medium varies inside cells
    pub fn transverse_of(&self, centre: [f64; 3], spacing: [f64; 3], varies: bool) -> TransverseModuli {
        let of = |(part, own): (f64, Sample)| (part, own.kappa(), own.moduli());
        match &self.kind {
            _ if !varies => self.sample(centre).moduli(),
            Kind::Layers(layers) => TransverseModuli::averaged(self.layers_in(layers, centre, spacing).map(of)),
            Kind::Volumes(volumes) => {
                let samples = volumes.samples(centre, spacing);
                TransverseModuli::averaged(samples.map(|(_, position)| of((1.0, self.sample(position)))))
            }
        }
    }

    /// Rejects δ above ε.
    pub(super) fn check_stability(&self, path: &KeyPath) -> Checked<()> {
        match &self.kind {
            Kind::Layers(layers) => {
                let is_unstable = |own: &Sample| own.thomsen[1] > own.thomsen[0];
                let Some(index) = layers.iter().position(|(_, own)| is_unstable(own)) else { return Ok(()) };
                let [epsilon, delta] = layers[index].1.thomsen;
                let path = path.key("layered").key("layers").index(index).key("delta");
                let problem = Problem::new(path, "is larger than epsilon").value(Number(delta));
                Err(problem.allowed(format!("<= epsilon = {}", Number(epsilon))).hint(HINT).into())
            }
            Kind::Volumes(volumes) => volumes.check_stability(&path.key("volume")),
        }
    }

    /// Rejects attenuation of a transversely isotropic medium.
    pub(super) fn without_losses(&self, path: &KeyPath) -> Checked<()> {
        if !self.is_transverse() {
            return Ok(());
        }
        let problem = Problem::new(
            path.clone(),
            "has epsilon or delta and quality factors, which acoustic surveys do not combine",
        );
        Err(problem.hint("set attenuation.enabled = false, or remove epsilon and delta").into())
    }
}

impl Volumes {
    /// Whether a parameter differs from zero.
    pub fn is_transverse(&self) -> bool {
        self.thomsen.iter().any(|own| match own {
            Thomsen::Constant(value) => *value != 0.0,
            Thomsen::Sampled(sampled) => sampled.values.par_iter().any(|&value| value != 0.0),
        })
    }

    /// Smallest and largest speed of P waves at the points of the grid of speeds [m/s].
    pub(super) fn transverse_speeds(&self) -> [f64; 2] {
        let points = Points::of(&self.vp);
        let of_point = |number: usize| self.at(points.at(number)).speeds();
        let all = (0..points.len()).into_par_iter().map(of_point);
        all.reduce(|| [f64::INFINITY, 0.0], |a, b| [a[0].min(b[0]), a[1].max(b[1])])
    }

    /// Rejects δ above ε at the points of either grid.
    fn check_stability(&self, path: &KeyPath) -> Checked<()> {
        let [epsilon, delta] = &self.thomsen;
        if let ([Thomsen::Constant(epsilon), Thomsen::Constant(delta)], true) =
            (&self.thomsen, delta.points().is_none())
        {
            return if delta <= epsilon { Ok(()) } else { Err(self.unstable(path, [*epsilon, *delta], None)) };
        }
        for sampled in [epsilon, delta].into_iter().filter_map(Thomsen::points) {
            let points = Points::of(sampled);
            let found = (0..points.len())
                .into_par_iter()
                .map(|number| points.at(number))
                .find_first(|&place| delta.at(place) > epsilon.at(place) + SAME);
            if let Some(place) = found {
                return Err(self.unstable(path, [epsilon.at(place), delta.at(place)], Some(place)));
            }
        }
        Ok(())
    }

    /// The problem of a δ above ε.
    fn unstable(&self, path: &KeyPath, [epsilon, delta]: [f64; 2], place: Option<[f64; 3]>) -> Box<Problem> {
        let path = match self.thomsen[1].points() {
            Some(_) => path.key("delta").key("file"),
            None => path.key(if delta == 0.0 { "epsilon" } else { "delta" }),
        };
        let at =
            place.map(|[x, y, z]| format!(" at x = {}, y = {}, depth = {} m", Number(x), Number(y), Number(0.0 - z)));
        let problem = Problem::new(path, format!("delta is larger than epsilon{}", at.unwrap_or_default()));
        let problem = problem.value(format!("delta = {}", Number(delta)));
        problem.allowed(format!("delta <= epsilon = {}", Number(epsilon))).hint(HINT).into()
    }
}

/// Positions of the kept points of a grid.
struct Points([(f64, f64, usize); 3]);

impl Points {
    fn of(sampled: &Sampled) -> Self {
        Self(sampled.kept_axes())
    }

    fn len(&self) -> usize {
        self.0.iter().map(|(.., count)| count).product()
    }

    /// A position [m], x fastest.
    fn at(&self, number: usize) -> [f64; 3] {
        let [nx, ny, _] = self.0.map(|(.., count)| count);
        let numbers = [number % nx, number / nx % ny, number / (nx * ny)];
        [0, 1, 2].map(|axis| self.0[axis].0 + numbers[axis] as f64 * self.0[axis].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_those_of_all_directions() {
        for [epsilon, delta] in
            [[0.2, 0.1], [0.2, -0.1], [0.1, 0.1], [-0.1, -0.2], [0.0, -0.2], [0.5, 0.45], [0.05, 0.0]]
        {
            let moduli = TransverseModuli::of_thomsen(epsilon, delta);
            let square = |n: u32| {
                let sine = (f64::from(n) * 1e-4 * std::f64::consts::FRAC_PI_2).sin().powi(2);
                let sum = moduli.lateral * sine + 1.0 - sine;
                let product = (moduli.lateral - moduli.coupling.powi(2)) * sine * (1.0 - sine);
                0.5 * (sum + (sum * sum - 4.0 * product).sqrt())
            };
            let all = (0..=10000).map(square);
            let expected =
                all.fold([f64::INFINITY, 0.0], |[least, most]: [f64; 2], own| [own.min(least), own.max(most)]);
            let found = extremes(&moduli);
            assert!(
                (0..2).all(|n| (found[n] / expected[n] - 1.0).abs() < 1e-7),
                "{epsilon} {delta}: {found:?} {expected:?}"
            );
        }
        assert_eq!(extremes(&TransverseModuli::ISOTROPIC), [1.0; 2]);
    }
}
