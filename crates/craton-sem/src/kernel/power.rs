//! The stiffest motion of each element: power iteration on its own mass and stiffness, one element per lane.

use std::marker::PhantomData;

use craton_device::{AlignedVec, Kernel, Lanes, Scalar};
use craton_physics::Law;

use super::forces::{ElementData, batch_of, cubes_of};
use super::stiffness::{Cube, stiffness};
use super::tables::Tables;

/// The iteration on all batches of a patch.
pub struct PowerIteration<'a, T: Scalar, L, const N: usize, const G: usize> {
    pub tables: &'a Tables<T, N, G>,
    pub elements: &'a ElementData<T>,
    /// Mass of each element's points, its neighbours' share left out, `[batch][point][lane]` [kg].
    pub mass: &'a [T],
    pub iterations: usize,
    /// Scratch of three cubes of lanes.
    pub cubes: &'a mut [T],
    pub law: PhantomData<L>,
}

impl<T: Scalar, L: Law, const N: usize, const G: usize> Kernel<T> for PowerIteration<'_, T, L, N, G> {
    /// Rayleigh quotients of the last iterates, `[batch][lane]` [1/s2].
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) -> Vec<f64> {
        let [x, u, work] = cubes_of::<V, N, 3>(self.cubes);
        let mut quotient = AlignedVec::<T>::zeroed(V::COUNT);
        let mut all = Vec::with_capacity(self.elements.batches * V::COUNT);
        for batch in 0..self.elements.batches {
            let mass = &V::cast(self.mass)[batch * N.pow(3)..][..N.pow(3)];
            let elements = batch_of::<V, L, N, G>(self.elements, batch);
            start(x);
            for _ in 0..self.iterations {
                normalise(x, mass);
                *u = *x;
                let mut energy = V::constant(0.0);
                stiffness::<V, L, N, G>(self.tables, &elements, u, work, |point, force| {
                    let (k, j, i) = (point / (N * N), point / N % N, point % N);
                    for c in 0..3 {
                        energy = energy - force[c] * x[k][j][i][c];
                        x[k][j][i][c] = -force[c] / mass[point];
                    }
                });
                V::cast_mut(&mut quotient)[0] = energy;
            }
            all.extend(quotient.iter().map(|q| q.to_f64()));
        }
        all
    }
}

/// A vector with a part in every direction: alternating signs, as the stiffest motion has, and unequal sizes.
#[inline(always)]
fn start<V: Lanes, const N: usize>(x: &mut Cube<V, N>) {
    for k in 0..N {
        for j in 0..N {
            for i in 0..N {
                for c in 0..3 {
                    let number = (i + 3 * j + 7 * k + 5 * c) % 11;
                    let sign = if (i + j + k) % 2 == 0 { 1.0 } else { -1.0 };
                    x[k][j][i][c] = V::constant(sign * (1.0 + 0.05 * number as f64));
                }
            }
        }
    }
}

/// Scales each lane to x M x = 1.
#[inline(always)]
fn normalise<V: Lanes, const N: usize>(x: &mut Cube<V, N>, mass: &[V]) {
    let mut norm = V::constant(0.0);
    for (x, &mass) in x.as_flattened().as_flattened().iter().zip(mass) {
        norm = norm + mass * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    }
    let scale = norm.sqrt().recip();
    for x in x.as_flattened_mut().as_flattened_mut() {
        *x = x.map(|value| value * scale);
    }
}
