//! The parts of one rank as the solver of a run, together with those of all others.

use std::sync::Arc;

use craton_device::{Scalar, Workers};

use crate::operator::{Instability, Operator};
use crate::orders::{Order, Orders};
use crate::rows::Rows;
use crate::solver::{Failure, Solver, StateArray};

/// What the ranks of any method have in common.
pub struct Common {
    /// How the first rank asks the others.
    pub orders: Orders,
    /// Who samples what.
    pub rows: Rows,
    /// The team that computes on the host.
    pub workers: Arc<Workers>,
    /// Time step [s].
    pub dt: f64,
    /// That over the largest stable one [–].
    pub courant: f64,
}

/// The parts of one rank. Each method says what it does *here* when all ranks are asked; who asks, and how, is the same for all: they are
/// [`Operator`] and [`Solver`].
///
/// All ranks are asked the same in the same order, so what is done here may exchange messages. Errors are those of a device that fails, and of a
/// rank that is lost.
#[expect(clippy::missing_errors_doc, reason = "they are the same for all methods, see above")]
pub trait Together: Send + Sync {
    /// Of fields and samples.
    type Scalar: Scalar;

    /// What all methods have in common.
    fn common(&self) -> &Common;

    /// The same to be changed.
    fn common_mut(&mut self) -> &mut Common;

    /// Steps done.
    fn steps_here(&self) -> u64;

    /// Makes steps, at most as many as [`Rows::longest`].
    fn advance_here(&mut self, steps: u64) -> Result<(), Failure>;

    /// Positions [m] where a field is not finite, if there are any; the first is told.
    fn broken_here(&mut self) -> Result<Vec<[f64; 3]>, Failure>;

    /// Values of its rows since the last call, `[part][step][value]`.
    fn samples_here(&mut self) -> Result<Vec<Self::Scalar>, Failure>;

    /// Samples from rows, `[step][channel]`: the same, unless a sample is made of values of several parts.
    fn samples_of(&self, rows: Vec<Self::Scalar>) -> Vec<Self::Scalar> {
        rows
    }

    /// The arrays of the state.
    fn arrays(&self) -> Vec<StateArray>;

    /// Brings an array of the state to the first rank, where `sink` takes it; nobody hears it elsewhere.
    fn save_here(&mut self, array: usize, sink: &mut dyn FnMut(&[Self::Scalar])) -> Result<(), Failure>;

    /// Takes an array back that `source` gives on the first rank.
    fn restore_here(&mut self, array: usize, source: &mut dyn FnMut(&mut [Self::Scalar])) -> Result<(), Failure>;

    /// Sets the number of steps done.
    fn restore_step_here(&mut self, step: u64) -> Result<(), Failure>;

    /// Does what [`Order::Own`] asks.
    fn answer(&mut self, question: &[u32]) -> Result<(), Failure> {
        let _ = question;
        unreachable!("a method that asks more than others answers it")
    }
}

/// Tells all ranks of the first place where a field is not finite.
fn check<E: Together>(parts: &mut E) -> Result<(), Failure> {
    let own = parts.broken_here()?;
    let Common { orders, courant, .. } = parts.common();
    let all = orders.ranks().gather(bytemuck::cast_slice(&own))?.unwrap_or_default();
    let mut positions = all.iter().flat_map(|bytes| bytemuck::pod_collect_to_vec::<u8, [f64; 3]>(bytes));
    match positions.next() {
        None => Ok(()),
        Some(position) => Err(Instability { step: parts.steps_here(), position, courant: *courant }.into()),
    }
}

fn take_samples<E: Together>(parts: &mut E) -> Result<Vec<E::Scalar>, Failure> {
    let (step, own) = (parts.steps_here(), parts.samples_here()?);
    let Common { orders, rows, .. } = parts.common_mut();
    let rows = rows.take(orders.ranks(), step, own)?;
    Ok(parts.samples_of(rows))
}

fn restore_step<E: Together>(parts: &mut E, step: u64) -> Result<(), Failure> {
    parts.common_mut().rows.restart(step);
    parts.restore_step_here(step)
}

impl<E: Together> Operator for E {
    type Error = Failure;

    fn step(&self) -> u64 {
        self.steps_here()
    }

    fn advance(&mut self, steps: u64) -> Result<(), Failure> {
        self.common().orders.give(&Order::Advance(steps))?;
        self.advance_here(steps)
    }

    fn longest_advance(&self) -> u64 {
        self.common().rows.longest()
    }

    fn check(&mut self) -> Result<(), Failure> {
        self.common().orders.give(&Order::Check)?;
        check(self)
    }
}

impl<E: Together> Solver<E::Scalar> for E {
    fn dt(&self) -> f64 {
        self.common().dt
    }

    fn workers(&self) -> &Workers {
        &self.common().workers
    }

    fn take_samples(&mut self) -> Result<Vec<E::Scalar>, Failure> {
        self.common().orders.give(&Order::TakeSamples)?;
        take_samples(self)
    }

    fn state(&self) -> Vec<StateArray> {
        self.arrays()
    }

    fn save(&mut self, array: usize, sink: &mut dyn FnMut(&[E::Scalar])) -> Result<(), Failure> {
        self.common().orders.give(&Order::Save(array))?;
        self.save_here(array, sink)
    }

    fn restore(&mut self, array: usize, source: &mut dyn FnMut(&mut [E::Scalar])) -> Result<(), Failure> {
        self.common().orders.give(&Order::Restore(array))?;
        self.restore_here(array, source)
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
        self.common().orders.give(&Order::RestoreStep(step))?;
        restore_step(self, step)
    }

    fn end(&mut self) -> Result<(), Failure> {
        Ok(self.common().orders.give(&Order::End)?)
    }

    fn serve(&mut self) -> Result<(), Failure> {
        loop {
            match self.common().orders.hear()? {
                Order::Advance(steps) => self.advance_here(steps)?,
                Order::Check => check(self)?,
                Order::TakeSamples => drop(take_samples(self)?),
                Order::Save(array) => self.save_here(array, &mut |_| ())?,
                Order::Restore(array) => self.restore_here(array, &mut |_| ())?,
                Order::RestoreStep(step) => restore_step(self, step)?,
                Order::Own(question) => self.answer(&question)?,
                Order::End => return Ok(()),
            }
        }
    }
}
