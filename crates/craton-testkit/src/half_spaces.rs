//! Waves of point and line sources in two fluid half-spaces, the upper one with or without a free surface, as integrals over wavenumbers.
//!
//! Frequencies are complex, so that no integral passes through a branch point or a pole: a trace u(t) is compared through its transform
//! Σ u(t) exp(iωt), Im ω > 0. For a leapfrog with the step dt, the transform at ω belongs to the frequency (2/dt) sin(ω dt/2) of these solutions, exactly.

use std::f64::consts::PI;

use craton_fft::Complex64;

/// A fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fluid {
    /// Wave speed [m/s].
    pub vp: f64,
    /// Density [kg/m³].
    pub rho: f64,
}

/// A field: pressure, or a component of velocity. As a source, a monopole or a force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FluidField {
    /// Pressure [Pa]; a monopole with history s(t) in (1/κ) ∂²p/∂t² - ∇·(1/ρ ∇p) = s(t) δ(x) / ρ at the source.
    Pressure,
    /// Velocity along an axis [m/s]; a force in ρ ∂v/∂t = -∇p + f(t) δ(x).
    Velocity(usize),
}

/// Two fluids with a horizontal interface; a position on it belongs to the lower one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FluidHalfSpaces {
    /// The lower fluid.
    pub below: Fluid,
    /// The upper fluid.
    pub above: Fluid,
    /// Height of the interface [m].
    pub interface: f64,
    /// Height of a free surface [m], if there is one.
    pub top: Option<f64>,
}

/// A term c exp(i φ) of a solution, with its derivatives with respect to the heights of receiver and source over itself.
struct Term {
    amplitude: Complex64,
    phase: Complex64,
    receiver: Complex64,
    source: Complex64,
}

const I: Complex64 = Complex64::new(0.0, 1.0);

impl FluidHalfSpaces {
    /// Transform of a field per unit transform of the history of a source.
    ///
    /// # Arguments
    /// * `is_plane` – whether sources are lines along y
    /// * `omega` – ω [1/s] in exp(-iωt), with a positive imaginary part
    /// * `source`, `receiver` – field and position [m], at different heights
    /// # Source
    /// The integral of Sommerfeld and Weyl with reflection coefficients: Aki & Richards (2002), Quantitative Seismology, section 6.1. Verified by
    /// `half_spaces::a_homogeneous_fluid_has_its_closed_form`, `half_spaces::equal_speeds_have_one_image` and
    /// `half_spaces::sources_and_receivers_are_reciprocal`.
    pub fn response(
        &self,
        is_plane: bool,
        omega: Complex64,
        source: (FluidField, [f64; 3]),
        receiver: (FluidField, [f64; 3]),
    ) -> Complex64 {
        let [zs, z] = [source.1[2], receiver.1[2]];
        let (dx, dy) = (receiver.1[0] - source.1[0], if is_plane { 0.0 } else { receiver.1[1] - source.1[1] });
        let along_z = |field: FluidField| field == FluidField::Velocity(2);
        let depth_part = |k: f64| {
            let terms = self.terms(omega, k, zs, z);
            let value = |term: Term| {
                let receiver = if along_z(receiver.0) { term.receiver } else { 1.0.into() };
                let source = if along_z(source.0) { term.source } else { 1.0.into() };
                term.amplitude * receiver * source * (I * term.phase).exp()
            };
            terms.into_iter().map(value).sum::<Complex64>()
        };
        let horizontal = |k: f64| horizontal_part(is_plane, k, [dx, dy], source.0, receiver.0);
        let slowest = self.below.vp.min(self.above.vp);
        let end = 2.0 * omega.norm() / slowest + 35.0 / (z - zs).abs();
        let width = (3.0 * omega.im / self.below.vp.max(self.above.vp)).min(3.0 / dx.hypot(dy).max(1e-3 / end));
        let integral = gauss(end, width, |k| depth_part(k) * horizontal(k));
        let on_source = 1.0 / self.at(zs).rho;
        match receiver.0 {
            FluidField::Pressure => integral * on_source,
            FluidField::Velocity(_) => integral * on_source / self.at(z).rho / (I * omega),
        }
    }

    fn at(&self, z: f64) -> Fluid {
        if z <= self.interface { self.below } else { self.above }
    }

    /// The pressure of -δ(z - zs) in (1/κ) ω² p + d/dz (1/ρ dp/dz) - k²/ρ p at height z.
    fn terms(&self, omega: Complex64, k: f64, zs: f64, z: f64) -> Vec<Term> {
        let vertical = |fluid: Fluid| {
            let q = (omega * omega / (fluid.vp * fluid.vp) - k * k).sqrt();
            if q.im < 0.0 { -q } else { q }
        };
        let own = self.at(zs);
        let (q, other) = (vertical(own), if own == self.below { self.above } else { self.below });
        let is_below = zs <= self.interface;
        let (lower, upper) = (vertical(self.below), vertical(self.above));
        // (1/ρ) p'/p of the far medium at the interface, outwards from the source, and the reflection there.
        let height = self.top.map(|top| top - self.interface);
        let outside = match height {
            Some(height) if is_below => {
                let round = (2.0 * I * upper * height).exp();
                I * upper / self.above.rho * (1.0 + round) / (1.0 - round)
            }
            _ => I * if is_below { upper } else { lower } / other.rho,
        };
        let inside = I * q / own.rho;
        let reflection = (inside - outside) / (inside + outside);
        let scale = I * own.rho / (2.0 * q);
        let source = Source { q, scale, reflection, zs, is_below };
        if (z <= self.interface) == is_below {
            return source.same_side(self, z, if z < zs { -1.0 } else { 1.0 });
        }
        let at_interface = source.same_side(self, self.interface, if is_below { 1.0 } else { -1.0 });
        let profile: Vec<(Complex64, Complex64, Complex64)> = match height {
            Some(height) if is_below => {
                // sin q (top - z) / sin q height
                let over = 1.0 - (2.0 * I * upper * height).exp();
                let up = z - self.interface;
                vec![(1.0 / over, upper * up, I * upper), (-1.0 / over, upper * (2.0 * height - up), -I * upper)]
            }
            _ if is_below => vec![(1.0.into(), upper * (z - self.interface), I * upper)],
            _ => vec![(1.0.into(), lower * (self.interface - z), -I * lower)],
        };
        let product = |term: &Term| {
            let with = |&(amplitude, phase, receiver): &(Complex64, Complex64, Complex64)| Term {
                amplitude: term.amplitude * amplitude,
                phase: term.phase + phase,
                receiver,
                source: term.source,
            };
            profile.iter().map(with).collect::<Vec<_>>()
        };
        at_interface.iter().flat_map(product).collect()
    }
}

/// A source at a wavenumber.
struct Source {
    q: Complex64,
    scale: Complex64,
    reflection: Complex64,
    zs: f64,
    is_below: bool,
}

impl Source {
    /// Terms on the side of the source: direct, reflected, and reverberations between interface and free surface.
    /// `sign` is the direction from the source to height z.
    fn same_side(&self, of: &FluidHalfSpaces, z: f64, sign: f64) -> Vec<Term> {
        let Self { q, scale, reflection, zs, is_below } = *self;
        let term = |amplitude: Complex64, length: f64, [receiver, source]: [f64; 2]| Term {
            amplitude: scale * amplitude,
            phase: q * length,
            receiver: I * q * receiver,
            source: I * q * source,
        };
        let mut terms = vec![term(1.0.into(), (z - zs).abs(), [sign, -sign])];
        let away = if is_below { -1.0 } else { 1.0 };
        let to_interface = |z: f64| (z - of.interface).abs();
        match of.top {
            Some(top) if !is_below => {
                // The surface reflects with -1.
                let height = top - of.interface;
                let rounds = 1.0 / (1.0 + reflection * (2.0 * I * q * height).exp());
                terms.push(term(reflection * rounds, to_interface(z) + to_interface(zs), [1.0, 1.0]));
                terms.push(term(-rounds, 2.0 * top - z - zs, [-1.0, -1.0]));
                terms.push(term(-reflection * rounds, 2.0 * height + z - zs, [1.0, -1.0]));
                terms.push(term(-reflection * rounds, 2.0 * height - z + zs, [-1.0, 1.0]));
            }
            _ => terms.push(term(reflection, to_interface(z) + to_interface(zs), [away, away])),
        }
        terms
    }
}

/// The horizontal dependence at a wavenumber, with the horizontal derivatives of source and receiver, and 1 / (2π) and the measure.
fn horizontal_part(is_plane: bool, k: f64, offset: [f64; 2], source: FluidField, receiver: FluidField) -> f64 {
    let axis = |field: FluidField| match field {
        FluidField::Velocity(axis) if axis < 2 => Some(axis),
        _ => None,
    };
    let (source, receiver) = (axis(source), axis(receiver));
    if is_plane {
        let x = k * offset[0];
        return match (source, receiver) {
            (None, None) => x.cos() / PI,
            (None, Some(_)) => -k * x.sin() / PI,
            (Some(_), None) => k * x.sin() / PI,
            (Some(_), Some(_)) => k * k * x.cos() / PI,
        };
    }
    let r = offset[0].hypot(offset[1]);
    let direction = offset.map(|x| if r > 0.0 { x / r } else { 0.0 });
    // J0, its derivative, and J1 / (k r).
    let (j0, slope) = (libm::j0(k * r), -k * libm::j1(k * r));
    let part = if k * r > 1e-9 { libm::j1(k * r) / (k * r) } else { 0.5 };
    let value = match (source, receiver) {
        (None, None) => j0,
        (None, Some(a)) => slope * direction[a],
        (Some(a), None) => -slope * direction[a],
        (Some(a), Some(b)) => {
            let along = direction[a] * direction[b];
            let same = if a == b { 1.0 } else { 0.0 };
            k * k * (along * (j0 - part) + (same - along) * part)
        }
    };
    k * value / (2.0 * PI)
}

/// Integral from 0 to `end` by panels of at most `width` with sixteen Gauss points each.
fn gauss(end: f64, width: f64, f: impl Fn(f64) -> Complex64) -> Complex64 {
    const POINTS: usize = 16;
    let panels = (end / width).ceil() as usize;
    let half = 0.5 * end / panels as f64;
    let nodes: Vec<[f64; 2]> = (0..POINTS).map(|n| gauss_node(n, POINTS)).collect();
    let panel = |number: usize| {
        let middle = (2 * number + 1) as f64 * half;
        nodes.iter().map(|[x, w]| f(middle + half * x) * (w * half)).sum::<Complex64>()
    };
    (0..panels).map(panel).sum()
}

/// Node and weight of Gauss's rule on [-1, 1].
fn gauss_node(number: usize, points: usize) -> [f64; 2] {
    let mut x = (PI * (number as f64 + 0.75) / (points as f64 + 0.5)).cos();
    let mut slope = 1.0;
    for _ in 0..20 {
        let (mut before, mut value) = (1.0, x);
        for n in 2..=points {
            let n = n as f64;
            (before, value) = (value, ((2.0 * n - 1.0) * x * value - (n - 1.0) * before) / n);
        }
        slope = points as f64 * (x * value - before) / (x * x - 1.0);
        x -= value / slope;
    }
    [x, 2.0 / ((1.0 - x * x) * slope * slope)]
}
