//! Plane waves whose phase and energy travel to different sides of a plane.

use super::christoffel::{half_sphere, tangents, unit};
use super::eigen::symmetric_eigen;
use super::{Stiffness, voigt};

/// Number of sampled directions on a hemisphere: 2.5 degrees between neighbours.
const SAMPLES: usize = 2048;

/// Number of best samples that are refined.
const REFINED: usize = 4;

/// Smallest gain of a step of the refinement; smaller ones are round-off.
const GAIN: f64 = 1e-9;

/// First step of the refinement [rad], half the distance between two samples, and the step below which it ends.
const STEPS: (f64, f64) = (0.025, 1e-4);

impl Stiffness {
    /// The most backward plane wave with respect to a plane: the smallest q of all directions and polarisations.
    ///
    /// q = (k·n) (v·n) / (|k| c),  v·n = gᵢ cᵢⱼₖₗ nⱼ kₗ gₖ / (ρ c |k|)
    ///
    /// k is the wave vector, g the polarisation, c the phase speed, v the group velocity. If q is negative, the phase of a wave travels to one side of the plane
    /// and its energy to the other: such a wave grows in a perfectly matched layer parallel to the plane. In an isotropic solid q is the square of the cosine
    /// between k and n.
    ///
    /// # Arguments
    /// * `normal` – normal n of the plane, of any nonzero length
    /// # Returns
    /// q \[–\]: 0 or less, because waves along the plane have q = 0; 0 within round-off if no wave is backward
    /// # Source
    /// Bécache, Fauqueux & Joly (2003), Stability of perfectly matched layers, group velocities and anisotropic waves, J. Comput. Phys. 188.
    /// Verified by `isotropic_solids_have_no_backward_waves`, `orthorhombic_solids_have_backward_waves_where_becache_et_al_find_them` and
    /// `backward_waves_of_a_tilted_solid_follow_its_ray_angle`.
    pub fn most_backward(&self, normal: [f64; 3]) -> f64 {
        let normal = unit(normal);
        let sample = |k| {
            let direction = half_sphere(k, SAMPLES);
            (self.backward(normal, direction), direction)
        };
        let mut starts: Vec<_> = (0..SAMPLES).map(sample).collect();
        starts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let refined = starts[..REFINED].iter().map(|&(q, direction)| self.descend(normal, q, direction));
        refined.fold(0.0, f64::min)
    }

    /// The smallest q of the three waves of a direction.
    fn backward(&self, n: [f64; 3], direction: [f64; 3]) -> f64 {
        let (moduli, polarisations) = symmetric_eigen(self.mixed_matrix(direction, direction));
        let across = self.mixed_matrix(n, direction);
        let along: f64 = (0..3).map(|i| n[i] * direction[i]).sum();
        let waves = moduli.iter().zip(polarisations);
        let q = waves.map(|(modulus, g)| {
            let flux: f64 =
                (0..3).flat_map(|i| (0..3).map(move |k| (i, k))).map(|(i, k)| g[i] * across[i][k] * g[k]).sum();
            along * flux / modulus
        });
        q.fold(f64::INFINITY, f64::min)
    }

    /// cᵢⱼₖₗ aⱼ bₗ [Pa].
    fn mixed_matrix(&self, a: [f64; 3], b: [f64; 3]) -> [[f64; 3]; 3] {
        let c = self.matrix();
        let entry = |i: usize, k: usize| {
            let pairs = (0..3).flat_map(|j| (0..3).map(move |l| (j, l)));
            pairs.map(|(j, l)| c[voigt(i, j)][voigt(k, l)] * a[j] * b[l]).sum()
        };
        [0, 1, 2].map(|i| [0, 1, 2].map(|k| entry(i, k)))
    }

    /// Descends from a direction with decreasing steps along two tangents of the sphere.
    fn descend(&self, normal: [f64; 3], mut q: f64, mut direction: [f64; 3]) -> f64 {
        let (mut step, last) = STEPS;
        while step > last {
            let (first, second) = tangents(direction);
            let tries = [(first, step), (first, -step), (second, step), (second, -step)];
            let directions = tries.into_iter().map(|(t, s)| unit([0, 1, 2].map(|i| direction[i] + s * t[i])));
            let mut lower = directions.map(|next| (self.backward(normal, next), next));
            match lower.find(|&(next, _)| next < q - GAIN) {
                Some(found) => (q, direction) = found,
                None => step *= 0.5,
            }
        }
        q
    }
}
