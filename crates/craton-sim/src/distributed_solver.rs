//! A solver whose parts are distributed over ranks.

use std::sync::Arc;

use craton_device::{Scalar, Workers};

use crate::requests::{Request, Requests};
use crate::rows::Rows;
use crate::solver::{Failure, Solver, StateArray};
use crate::state_file::{self, Holders, StateFile};
use crate::{Instability, Operator};

/// Data that a distributed solver of any method needs.
pub struct Common {
    /// Requests of the first rank to the others.
    pub requests: Requests,
    /// Assignment of samples to parts.
    pub rows: Rows,
    /// Threads that compute on the host.
    pub workers: Arc<Workers>,
    /// Time step [s].
    pub dt: f64,
    /// Time step as a fraction of the largest stable step [–].
    pub courant: f64,
}

/// The parts of one rank of a distributed solver.
///
/// A method implements the operations on the parts of this rank; the communication between ranks is the same for all methods and provides [`Operator`] and
/// [`Solver`].
///
/// All ranks call the same operations in the same order, so that these may exchange messages. Errors are a device that fails and a rank that is lost.
#[expect(clippy::missing_errors_doc, reason = "they are the same for all methods, see above")]
pub trait DistributedSolver: Send + Sync {
    /// Type of fields and samples.
    type Scalar: Scalar;

    /// Data that all methods need.
    fn common(&self) -> &Common;

    /// Mutable access to [`Self::common`].
    fn common_mut(&mut self) -> &mut Common;

    /// Number of completed steps.
    fn steps_here(&self) -> u64;

    /// Advances the parts of this rank, by at most [`Rows::longest`] steps.
    fn advance_here(&mut self, steps: u64) -> Result<(), Failure>;

    /// Positions [m] where a field is not finite, of which the first is reported.
    fn broken_here(&mut self) -> Result<Vec<[f64; 3]>, Failure>;

    /// Takes the sampled values since the last call, `[part][step][value]`.
    fn samples_here(&mut self) -> Result<Vec<Self::Scalar>, Failure>;

    /// Converts rows to samples, `[step][channel]`. The default returns the rows; a method overrides it if a sample combines values of several parts.
    fn samples_of(&self, rows: Vec<Self::Scalar>) -> Vec<Self::Scalar> {
        rows
    }

    /// The arrays of the state.
    fn arrays(&self) -> Vec<StateArray>;

    /// Passes the blocks of an array of the state in ascending order to `sink` on the ranks that hold them.
    ///
    /// # Arguments
    /// * `sink` – takes the number of a block and its values
    fn save_here(
        &mut self,
        array: usize,
        holders: Holders,
        sink: &mut dyn FnMut(usize, &[Self::Scalar]),
    ) -> Result<(), Failure>;

    /// Restores an array of the state from blocks, which `source` provides in ascending order on the ranks that hold them.
    ///
    /// # Arguments
    /// * `source` – fills a slice with the values of the block with this number
    fn restore_here(
        &mut self,
        array: usize,
        holders: Holders,
        source: &mut dyn FnMut(usize, &mut [Self::Scalar]),
    ) -> Result<(), Failure>;

    /// Sets the number of completed steps.
    fn restore_step_here(&mut self, step: u64) -> Result<(), Failure>;

    /// Carries out a request of the method, [`Request::Own`].
    fn answer(&mut self, question: &[u32]) -> Result<(), Failure> {
        let _ = question;
        unreachable!("a method that sends its own requests implements `answer`")
    }
}

/// Checks the fields of all ranks. Fails on the first rank, with the first position where a field is not finite.
fn check<E: DistributedSolver>(parts: &mut E) -> Result<(), Failure> {
    let own = parts.broken_here()?;
    let Common { requests, courant, .. } = parts.common();
    let all = requests.ranks().gather(bytemuck::cast_slice(&own))?.unwrap_or_default();
    let mut positions = all.iter().flat_map(|bytes| bytemuck::pod_collect_to_vec::<u8, [f64; 3]>(bytes));
    match positions.next() {
        None => Ok(()),
        Some(position) => Err(Instability { step: parts.steps_here(), position, courant: *courant }.into()),
    }
}

fn take_samples<E: DistributedSolver>(parts: &mut E) -> Result<Vec<E::Scalar>, Failure> {
    let (step, own) = (parts.steps_here(), parts.samples_here()?);
    let Common { requests, rows, .. } = parts.common_mut();
    let rows = rows.take(requests.ranks(), step, own)?;
    Ok(parts.samples_of(rows))
}

fn restore_step<E: DistributedSolver>(parts: &mut E, step: u64) -> Result<(), Failure> {
    parts.common_mut().rows.restart(step);
    parts.restore_step_here(step)
}

impl<E: DistributedSolver> Operator for E {
    type Error = Failure;

    fn step(&self) -> u64 {
        self.steps_here()
    }

    fn advance(&mut self, steps: u64) -> Result<(), Failure> {
        self.common().requests.send(&Request::Advance(steps))?;
        self.advance_here(steps)
    }

    fn longest_advance(&self) -> u64 {
        self.common().rows.longest()
    }

    fn check(&mut self) -> Result<(), Failure> {
        self.common().requests.send(&Request::Check)?;
        check(self)
    }
}

impl<E: DistributedSolver> Solver<E::Scalar> for E {
    fn dt(&self) -> f64 {
        self.common().dt
    }

    fn workers(&self) -> &Workers {
        &self.common().workers
    }

    fn take_samples(&mut self) -> Result<Vec<E::Scalar>, Failure> {
        self.common().requests.send(&Request::TakeSamples)?;
        take_samples(self)
    }

    fn state(&self) -> Vec<StateArray> {
        self.arrays()
    }

    fn save(&mut self, array: usize, sink: &mut dyn FnMut(&[E::Scalar])) -> Result<(), Failure> {
        self.common().requests.send(&Request::Save(array))?;
        self.save_here(array, Holders::First, &mut |_, values| sink(values))
    }

    fn restore(&mut self, array: usize, source: &mut dyn FnMut(&mut [E::Scalar])) -> Result<(), Failure> {
        self.common().requests.send(&Request::Restore(array))?;
        self.restore_here(array, Holders::First, &mut |_, values| source(values))
    }

    fn save_to(&mut self, file: &StateFile) -> Result<Vec<Vec<u64>>, Failure> {
        self.common().requests.send(&Request::SaveTo(file.clone()))?;
        state_file::write(self, file)
    }

    fn restore_from(&mut self, file: &StateFile) -> Result<(), Failure> {
        self.common().requests.send(&Request::RestoreFrom(file.clone()))?;
        state_file::read(self, file)
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
        self.common().requests.send(&Request::RestoreStep(step))?;
        restore_step(self, step)
    }

    fn end(&mut self) -> Result<(), Failure> {
        Ok(self.common().requests.send(&Request::End)?)
    }

    fn serve(&mut self) -> Result<(), Failure> {
        loop {
            match self.common().requests.receive()? {
                Request::Advance(steps) => self.advance_here(steps)?,
                Request::Check => check(self)?,
                Request::TakeSamples => drop(take_samples(self)?),
                Request::Save(array) => self.save_here(array, Holders::First, &mut |_, _| ())?,
                Request::Restore(array) => self.restore_here(array, Holders::First, &mut |_, _| ())?,
                Request::SaveTo(file) => drop(state_file::write(self, &file)?),
                Request::RestoreFrom(file) => state_file::read(self, &file)?,
                Request::RestoreStep(step) => restore_step(self, step)?,
                Request::Own(question) => self.answer(&question)?,
                Request::End => return Ok(()),
            }
        }
    }
}
