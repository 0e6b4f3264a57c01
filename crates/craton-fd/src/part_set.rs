//! The solver of finite differences: all parts of this process, in step with those of the other ranks.

use std::sync::Arc;

use craton_sim::{Common, DistributedSolver, Failure, Holders, PartExchange, Solver as _, StateArray, broadcast_block};

use crate::cut::Cut;
use crate::gathered::Gathered;
use crate::grid::Grid;
use crate::interpolate::Interpolation;
use crate::part::Part;
use crate::probes::Sampling;
use crate::requests::FrameRequest;
use crate::saved::{Canonical, Saved};
use crate::selection::Selected;
use crate::setup::SharedSetup;
use crate::sweep::Precision;
use craton_fd_kernels::Field;

/// The parts of this process, which act together with those of all other ranks: [`crate::FdOperator`] or [`crate::GpuOperator`].
pub struct PartSet<T: Precision, P: Part<T>> {
    pub(crate) canonical: Canonical,
    pub(crate) exchange: PartExchange,
    pub(crate) cut: Cut,
    pub(crate) interpolation: Arc<Interpolation>,
    sampling: Sampling,
    pub(crate) parts: Vec<P>,
    pub(crate) common: Common,
    /// Registered selections of cells.
    pub(crate) selections: Vec<Selected>,
    stable: f64,
    outer: f64,
    scalar: std::marker::PhantomData<T>,
}

impl<T: Precision, P: Part<T>> PartSet<T, P> {
    /// Creates the solver from the parts of this process, at rest.
    pub(crate) fn from_parts(shared: SharedSetup, parts: Vec<P>) -> Self {
        let SharedSetup { canonical, exchange, cut, interpolation, sampling, common, stable, outer } = shared;
        Self {
            canonical,
            exchange,
            cut,
            interpolation: Arc::new(interpolation),
            sampling,
            parts,
            common,
            selections: Vec::new(),
            stable,
            outer,
            scalar: std::marker::PhantomData,
        }
    }

    /// The grid of the whole domain.
    pub fn grid(&self) -> &Grid {
        &self.canonical.grid
    }

    /// Number of points of a field along each axis: one more than cells if it is at whole points, unless the axis is periodic or ends in an absorbing
    /// layer.
    pub fn shape(&self, field: Field) -> [usize; 3] {
        self.canonical.shape(field)
    }

    /// Volume that a value stands for, over that of a cell [–]: one, except next to flat interfaces. The discrete energy is the sum of the energies of all
    /// values with these volumes.
    ///
    /// # Arguments
    /// * `k` – index of the value along z
    pub fn volume(&self, field: Field, k: usize) -> f64 {
        self.interpolation.derivatives.volume(field, k as i64)
    }

    /// Gathers a field of the whole grid, x fastest, with shape [`Self::shape`]: velocities [m/s] half a step before the current one, stresses [Pa].
    /// Called on the first rank, which sends the request to the others.
    ///
    /// # Errors
    /// A device that fails, a rank that is lost.
    pub fn field(&mut self, field: Field) -> Result<Vec<T>, Failure> {
        let mut values = Vec::new();
        self.save(field.index(), &mut |some| values.extend_from_slice(some))?;
        Ok(values)
    }

    /// Largest stable time step [s].
    pub fn stable_step(&self) -> f64 {
        self.stable
    }

    /// Fraction of the points of this process whose update needs messages in each half of a step [–].
    pub fn outer_share(&self) -> f64 {
        self.outer
    }

    /// Bytes that this process holds on its devices, without sources and samples.
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(Part::bytes).sum()
    }

    /// The parts of this process.
    pub(crate) fn parts(&self) -> &[P] {
        &self.parts
    }

    /// Gathers an array, which all parts have loaded, window by window on the ranks that hold them.
    fn collect(&mut self, array: usize, holders: Holders, sink: &mut dyn FnMut(usize, &[T])) -> Result<(), Failure> {
        for (number, window) in self.canonical.windows(array).into_iter().enumerate() {
            let mut own = Gathered::default();
            for part in &mut self.parts {
                self.canonical.collect(part.loaded(), array, &window, &mut own);
            }
            let ranks = self.exchange.ranks();
            let all = match ranks.count() {
                1 => vec![own],
                count => match ranks.gather_on(holders.rank_of(number, count), &own.to_bytes())? {
                    Some(all) => all.iter().map(|bytes| Gathered::from_bytes(bytes)).collect(),
                    None => continue,
                },
            };
            let mut values = vec![T::default(); window.len()];
            all.iter().for_each(|taken| taken.place(&window, &mut values));
            sink(number, &values);
        }
        Ok(())
    }

    /// Distributes an array to all parts, which have loaded it, from the ranks that hold its windows.
    fn distribute(
        &mut self,
        array: usize,
        holders: Holders,
        source: &mut dyn FnMut(usize, &mut [T]),
    ) -> Result<(), Failure> {
        let ranks = Arc::clone(self.exchange.ranks());
        for (number, window) in self.canonical.windows(array).into_iter().enumerate() {
            let mut values = vec![T::default(); window.len()];
            let holder = holders.rank_of(number, ranks.count());
            broadcast_block(&*ranks, holder, &mut values, &mut |values| source(number, values))?;
            for part in &mut self.parts {
                self.canonical.put(part.loaded(), array, &window, &values);
            }
        }
        Ok(())
    }
}

impl<T: Precision, P: Part<T>> DistributedSolver for PartSet<T, P> {
    type Scalar = T;

    fn common(&self) -> &Common {
        &self.common
    }

    fn common_mut(&mut self) -> &mut Common {
        &mut self.common
    }

    fn steps_here(&self) -> u64 {
        self.parts[0].step()
    }

    fn advance_here(&mut self, steps: u64) -> Result<(), Failure> {
        P::advance_all(&mut self.parts, &self.exchange, &self.common.workers, steps)
    }

    fn broken_here(&mut self) -> Result<Vec<[f64; 3]>, Failure> {
        let mut broken = Vec::new();
        for part in &mut self.parts {
            broken.extend(part.broken_cell(&self.common.workers)?.map(|cell| self.canonical.grid.corner(cell)));
        }
        Ok(broken)
    }

    fn samples_here(&mut self) -> Result<Vec<T>, Failure> {
        let mut own = Vec::new();
        for part in &mut self.parts {
            own.extend(part.take_samples()?);
        }
        Ok(own)
    }

    fn samples_of(&self, rows: Vec<T>) -> Vec<T> {
        self.sampling.samples(rows, P::LANES)
    }

    fn arrays(&self) -> Vec<StateArray> {
        self.canonical.arrays().into_iter().chain(self.sums()).collect()
    }

    fn save_here(&mut self, array: usize, holders: Holders, sink: &mut dyn FnMut(usize, &[T])) -> Result<(), Failure> {
        let saved = self.canonical.saved(array);
        if saved == Saved::Sums {
            return self.save_sums(sink);
        }
        self.parts.iter_mut().try_for_each(|part| part.load(saved))?;
        let collected = self.collect(array, holders, sink);
        self.parts.iter_mut().try_for_each(|part| part.unload(saved, false))?;
        collected
    }

    fn restore_here(
        &mut self,
        array: usize,
        holders: Holders,
        source: &mut dyn FnMut(usize, &mut [T]),
    ) -> Result<(), Failure> {
        let saved = self.canonical.saved(array);
        if saved == Saved::Sums {
            return self.restore_sums(source);
        }
        // Values beyond the sides are not part of the array and stay as they are.
        self.parts.iter_mut().try_for_each(|part| part.load(saved))?;
        let distributed = self.distribute(array, holders, source);
        self.parts.iter_mut().try_for_each(|part| part.unload(saved, true))?;
        distributed
    }

    fn restore_step_here(&mut self, step: u64) -> Result<(), Failure> {
        self.parts.iter_mut().try_for_each(|part| part.restore_step(step))
    }

    fn answer(&mut self, question: &[u32]) -> Result<(), Failure> {
        match FrameRequest::from_words(question) {
            FrameRequest::Select(selection) => self.select_here(&selection),
            FrameRequest::Read(number, vector) => self.gather(number, vector).map(drop),
        }
    }
}
