//! Relaxation of pressure: advances the memory variables of a row of points, and changes its pressure by what has relaxed.

use craton_device::{Isa, Kernel, Lanes, Scalar};
use craton_physics::relax_pressure;

use crate::layout::GROUP;
use crate::sweep::{groups, groups_mut};

/// Factors of a memory variable: decay, and the polynomial of Y over loss.
pub const PRESSURE_FACTORS: usize = 4;

/// Factors of a set of memory variables in the points of a row, `[factor][lane]`: the mechanisms of adjacent points may alternate.
pub type RowFactors<T> = [[T; GROUP]; PRESSURE_FACTORS];

/// The update of the pressure of a row, with relaxation.
pub struct RelaxingRow<'a, T: Scalar> {
    /// 1/Q of the cells [–].
    pub loss: &'a [T],
    /// Changes of pressure without relaxation [Pa].
    pub change: &'a [T],
    /// Factors of each set of memory variables.
    pub sets: &'a [&'a RowFactors<T>],
    /// Memory variables [Pa]: one row of whole groups per set.
    pub memory: &'a mut [T],
    /// Distance between the rows of the sets.
    pub stride: usize,
    /// The pressure [Pa].
    pub target: &'a mut [T],
}

impl<T: Scalar> Kernel<T> for RelaxingRow<'_, T> {
    type Output = ();
    const DOUBLE: Isa = Isa::Portable;

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { loss, change, sets, memory, stride, target } = self;
        let (count, stride) = (target.len() / GROUP, stride / GROUP);
        let (loss, change) = (groups(loss, 0, count), groups(change, 0, count));
        let target = groups_mut(target, 0, count);
        let memory = groups_mut(memory, 0, (sets.len() - 1) * stride + count);
        for group in 0..count {
            for lane in (0..GROUP).step_by(V::COUNT) {
                let (loss, change) = (V::load(&loss[group], lane), V::load(&change[group], lane));
                let mut pressure = V::load(&target[group], lane) + change;
                for (set, factors) in sets.iter().enumerate() {
                    let [decay, a, b, c] = *factors;
                    let load = |factor: &[T; GROUP]| V::load(factor, lane);
                    let own = &mut memory[set * stride + group];
                    let polynomial = [load(a), load(b), load(c)];
                    let [moved, relaxed] = relax_pressure(load(decay), loss, polynomial, change, V::load(own, lane));
                    pressure = pressure + relaxed;
                    moved.without_negligible().store(own, lane);
                }
                pressure.without_negligible().store(&mut target[group], lane);
            }
        }
    }
}
