//! Relaxation of stress: advances the memory variables of a run of points, and changes the stresses by what has relaxed.
//!
//! It is dispatched to the instruction set separately, since it does not depend on the stencil: each sweep calls the same copy.

use craton_device::{Kernel, Lanes, Scalar};
use craton_physics::{edge_modulus, relax_stress, relaxing_normal_rates, relaxing_shear_rate};

use super::row::{Group, Run, Slopes, groups, groups_mut};
use super::{MaterialArrays, Stresses, Sweep, SweepInputs, Tile};
use crate::field::voigt;
use crate::layout::GROUP;
use crate::relaxation::{COMPONENTS, Relaxation};

/// The relaxation of a run of points, to be dispatched to an instruction set.
pub struct RelaxKernel<'a, 'b, 't, T: Scalar> {
    pub sweep: &'a Sweep<'b, T>,
    pub relaxation: &'a Relaxation<T>,
    pub run: &'a Run,
    pub tile: &'a mut Tile<'t, T>,
    pub slopes: &'a Slopes<T>,
}

/// Values in the cells of a run and in those before them along each axis: own, x, y, z, yz, xz, xy.
type Around<'a, T> = [&'a [Group<T>]; 7];

impl<T: Scalar> Kernel<T> for RelaxKernel<'_, '_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { sweep, relaxation, run, tile, slopes } = self;
        let inputs = &sweep.inputs;
        let start = run.at - tile.start;
        let (stresses, memory) = tile.fields.split_at_mut(COMPONENTS);
        let live = run.live::<Stresses>(inputs.layout);
        let whole = live.iter().fold(run.count, |least, &points| least.min(points / GROUP));
        let cells = Cells::new(run, inputs, relaxation);
        for (set, memory) in relaxation.sets.iter().zip(memory.chunks_exact_mut(COMPONENTS)) {
            let [j, k] = run.row;
            let [decay, a, b, c, d, e, f] = set.row(j, k);
            // The mechanisms of the points of a row alternate, so those of all vectors that begin at the same parity are the same.
            for first in (0..2).step_by(V::COUNT) {
                let load = |factor: &Group<T>| V::load(factor, first);
                let lanes = (first..GROUP).step_by(V::COUNT.max(2));
                let mut points = Points {
                    cells: &cells,
                    slopes,
                    decay: load(decay),
                    polynomials: [[load(a), load(b), load(c)], [load(d), load(e), load(f)]],
                    dt: V::splat(inputs.dt),
                    stresses: runs(stresses, start, run.count),
                    memory: runs(memory, start, run.count),
                };
                for group in 0..whole {
                    for lane in lanes.clone() {
                        points.relax(group, lane, |_, _, moved| moved);
                    }
                }
                // Beyond the end of a row there are no stresses.
                for group in whole..run.count {
                    for lane in lanes.clone() {
                        points.relax(group, lane, |component, own, moved| {
                            let live = live[component].saturating_sub(group * GROUP + lane).min(GROUP);
                            V::select_less(V::load(&sweep.numbers, 0), V::constant(live as f64), moved, own)
                        });
                    }
                }
            }
        }
    }
}

/// Material and losses of a run.
struct Cells<'a, T: Scalar> {
    lambda: &'a [Group<T>],
    bulk: &'a [Group<T>],
    inverse_mu: Around<'a, T>,
    shear: Around<'a, T>,
}

impl<'a, T: Scalar> Cells<'a, T> {
    #[inline(always)]
    fn new(run: &Run, inputs: &SweepInputs<'a, T>, relaxation: &'a Relaxation<T>) -> Self {
        let MaterialArrays { lambda, inverse_mu, .. } = inputs.material;
        let [x, y, z] = inputs.layout.stride;
        let around =
            |values: &'a [T]| [0, x, y, z, y + z, x + z, x + y].map(|back| groups(values, run.at - back, run.count));
        Self {
            lambda: groups(lambda, run.at, run.count),
            bulk: groups(&relaxation.bulk, run.at, run.count),
            inverse_mu: around(inverse_mu),
            shear: around(&relaxation.shear),
        }
    }
}

/// The points of a run with the factors of a set of memory variables.
struct Points<'a, 'c, V: Lanes> {
    cells: &'c Cells<'a, V::Scalar>,
    slopes: &'c Slopes<V::Scalar>,
    decay: V,
    polynomials: [[V; 3]; 2],
    dt: V,
    stresses: [&'c mut [Group<V::Scalar>]; COMPONENTS],
    memory: [&'c mut [Group<V::Scalar>]; COMPONENTS],
}

impl<V: Lanes> Points<'_, '_, V> {
    /// Relaxes the stresses at a vector of points.
    ///
    /// # Arguments
    /// * `stored` – the value to store from the component, its value before and its value after
    #[inline(always)]
    fn relax(&mut self, group: usize, lane: usize, stored: impl Fn(usize, V, V) -> V) {
        let Cells { lambda, bulk, inverse_mu, shear } = self.cells;
        let at = |values: &[Group<V::Scalar>]| V::load(&values[group], lane);
        let slope = |c: usize, axis: usize| V::load(&self.slopes[c][axis][group], lane);
        let own = [slope(0, 0), slope(1, 1), slope(2, 2)];
        let losses = [at(bulk), at(shear[0])];
        let [xx, yy, zz] = relaxing_normal_rates(at(lambda), at(inverse_mu[0]), losses, self.polynomials, own);
        let mut rates = [xx, yy, zz, xx, xx, xx];
        for ([a, b], [first, second, corner]) in [([1, 2], [2, 3, 4]), ([0, 2], [1, 3, 5]), ([0, 1], [1, 2, 6])] {
            let four = |of: &Around<V::Scalar>| [at(of[0]), at(of[first]), at(of[second]), at(of[corner])];
            let (mu, pair) = (edge_modulus(four(inverse_mu)), [slope(a, b), slope(b, a)]);
            rates[voigt(a, b)] = relaxing_shear_rate(mu, four(shear), self.polynomials[1], pair);
        }
        for component in 0..COMPONENTS {
            let memory = &mut self.memory[component][group];
            let stress = &mut self.stresses[component][group];
            let [moved, relaxed] = relax_stress(self.decay, self.dt * rates[component], V::load(memory, lane));
            let own = V::load(stress, lane);
            stored(component, own, own + relaxed).store(stress, lane);
            moved.without_negligible().store(memory, lane);
        }
    }
}

/// The values of a run in each of six arrays.
#[inline(always)]
fn runs<'a, T: Scalar>(arrays: &'a mut [&mut [T]], start: usize, count: usize) -> [&'a mut [Group<T>]; COMPONENTS] {
    let mut arrays = arrays.iter_mut();
    std::array::from_fn(|_| groups_mut(arrays.next().expect("six components"), start, count))
}
