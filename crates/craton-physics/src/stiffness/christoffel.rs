//! Plane waves in an elastic solid.

use super::eigen::symmetric_eigen;
use super::{Stiffness, voigt};
use crate::tensor::cross;

/// A plane wave of one polarisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneWave {
    /// Phase speed [m/s].
    pub speed: f64,
    /// Unit polarisation vector; its sign is arbitrary.
    pub polarisation: [f64; 3],
}

/// Number of sampled directions on a hemisphere at which a search starts.
const SAMPLES: usize = 64;

/// Number of best samples that are refined.
const REFINED: usize = 2;

/// First step of a search [rad], half the distance between two samples, and the step below which it ends. Near an extremum the speed changes quadratically with
/// the step.
const STEPS: (f64, f64) = (0.16, 1e-3);

/// Which extremum of the wave speeds to search for.
#[derive(Clone, Copy)]
enum End {
    Slowest,
    Fastest,
}

impl Stiffness {
    /// The three plane waves of one direction: the quasi-P wave first, then the faster and the
    /// slower quasi-S wave.
    ///
    /// Γ g = ρ v² g,  Γᵢₖ = cᵢⱼₖₗ nⱼ nₗ
    ///
    /// # Arguments
    /// * `rho` – density [kg/m³]
    /// * `direction` – phase direction, of any nonzero length
    /// # Domain
    /// A stiffness that passes [`check`](Self::check); otherwise a speed may be NaN.
    /// # Source
    /// Christoffel (1877); Carcione (2015), Wave Fields in Real Media, section 1.3.
    /// Verified by `vti_speeds_equal_thomsens_exact_ones`.
    pub fn christoffel(&self, rho: f64, direction: [f64; 3]) -> [PlaneWave; 3] {
        let (values, vectors) = symmetric_eigen(self.christoffel_matrix(unit(direction)));
        [2, 1, 0].map(|k| PlaneWave { speed: (values[k] / rho).sqrt(), polarisation: vectors[k] })
    }

    /// The fastest phase speed over all directions and polarisations [m/s], with a relative accuracy of 1e-4.
    ///
    /// # Arguments
    /// * `rho` – density [kg/m³]
    pub fn fastest(&self, rho: f64) -> f64 {
        (self.largest(End::Fastest) / rho).sqrt()
    }

    /// The slowest phase speed over all directions and polarisations [m/s], that of a quasi-S wave, with a relative accuracy of 1e-4.
    ///
    /// # Arguments
    /// * `rho` – density [kg/m³]
    pub fn slowest(&self, rho: f64) -> f64 {
        (-self.largest(End::Slowest) / rho).sqrt()
    }

    /// Γᵢₖ = cᵢⱼₖₗ nⱼ nₗ [Pa].
    fn christoffel_matrix(&self, n: [f64; 3]) -> [[f64; 3]; 3] {
        let c = self.matrix();
        let mut gamma = [[0.0; 3]; 3];
        for (i, row) in gamma.iter_mut().enumerate() {
            for (k, value) in row.iter_mut().enumerate() {
                for j in 0..3 {
                    for l in 0..3 {
                        *value += c[voigt(i, j)][voigt(k, l)] * n[j] * n[l];
                    }
                }
            }
        }
        gamma
    }

    /// The largest [`height`](Self::height) over all directions [Pa].
    fn largest(&self, end: End) -> f64 {
        let sample = |k| (self.height(end, half_sphere(k, SAMPLES)), half_sphere(k, SAMPLES));
        let mut starts: Vec<_> = (0..SAMPLES).map(sample).collect();
        starts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let climbed = starts[..REFINED].iter().map(|&(height, n)| self.climb(end, height, n));
        climbed.max_by(f64::total_cmp).expect("some starts are refined")
    }

    /// Hill climbing from a direction with decreasing steps along two tangents of the sphere.
    fn climb(&self, end: End, mut height: f64, mut n: [f64; 3]) -> f64 {
        let (mut step, last) = STEPS;
        while step > last {
            let (first, second) = tangents(n);
            let tries = [(first, step), (first, -step), (second, step), (second, -step)];
            let directions = tries.into_iter().map(|(t, s)| unit([0, 1, 2].map(|i| n[i] + s * t[i])));
            let mut better = directions.map(|next| (self.height(end, next), next));
            match better.find(|&(next, _)| next > height) {
                Some(found) => (height, n) = found,
                None => step *= 0.5,
            }
        }
        height
    }

    /// The objective of a search: ρ v² of the fastest wave of a direction, or minus that of the slowest [Pa].
    fn height(&self, end: End, direction: [f64; 3]) -> f64 {
        let ([slowest, _, fastest], _) = symmetric_eigen(self.christoffel_matrix(direction));
        match end {
            End::Slowest => -slowest,
            End::Fastest => fastest,
        }
    }
}

/// The vector scaled to length one.
pub(super) fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v[0].hypot(v[1]).hypot(v[2]);
    v.map(|component| component / length)
}

/// Two unit vectors normal to a direction and to each other.
pub(super) fn tangents(n: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let away = if n[2].abs() < 0.5 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
    let first = unit(cross(n, away));
    (first, cross(n, first))
}

/// Direction `k` of `count` that cover a hemisphere evenly: a golden-angle spiral.
pub(super) fn half_sphere(k: usize, count: usize) -> [f64; 3] {
    let golden_angle = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let z = 1.0 - (k as f64 + 0.5) / count as f64;
    let (sin, cos) = (k as f64 * golden_angle).sin_cos();
    let radius = (1.0 - z * z).sqrt();
    [radius * cos, radius * sin, z]
}
