//! What the first rank asks of all: an ensemble as the solver of a run.

use craton_device::{Scalar, Workers};
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sim::{Failure, Operator, StateArray, ring_rows};

use crate::ensemble::Ensemble;
use crate::fields::{Field, NodePlace};
use crate::orders::Order;
use crate::part::{Part, Reader};
use crate::selection::{InPlace, Selected, Selection, Source, Values};
use crate::solver::Solver;

/// A field of an ensemble, all of whose parts can be read in place.
struct FieldInPlace<'a, T: Scalar, P: Part<T>> {
    ensemble: &'a Ensemble<T, P>,
    readers: Vec<Reader<'a, T>>,
}

impl<T: Scalar, P: Part<T>> InPlace for FieldInPlace<'_, T, P> {
    fn node(&self, place: NodePlace) -> [f64; 3] {
        let owner = self.ensemble.owner(place);
        let place = self.ensemble.parts[owner].own().place_of(place).expect("a place of its owner");
        self.readers[owner](place).map(T::to_f64)
    }

    fn element(&self, element: u32) -> Vec<[f64; 3]> {
        self.ensemble.plan.places(element).map(|place| self.node(place)).collect()
    }
}

impl<T: Scalar, P: Part<T>> Operator for Ensemble<T, P> {
    type Error = Failure;

    fn step(&self) -> u64 {
        self.parts[0].step()
    }

    fn advance(&mut self, steps: u64) -> Result<(), Failure> {
        self.ask(&Order::Advance(steps))?;
        self.advance_here(steps)
    }

    fn longest_advance(&self) -> u64 {
        // The same on every rank, whatever its own probes are.
        ring_rows(self.channels.iter().map(Vec::len).sum()) as u64
    }

    fn check(&mut self) -> Result<(), Failure> {
        self.ask(&Order::Check)?;
        self.check_here()
    }
}

impl<T: Scalar, P: Part<T>> craton_sim::Solver<T> for Ensemble<T, P> {
    fn dt(&self) -> f64 {
        self.dt
    }

    fn workers(&self) -> &Workers {
        &self.workers
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        self.ask(&Order::TakeSamples)?;
        self.take_samples_here()
    }

    fn state(&self) -> Vec<StateArray> {
        Field::STATE.map(|field| StateArray { name: field.name(), shape: vec![self.plan.n_nodes(), 3] }).to_vec()
    }

    fn save(&mut self, array: usize, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure> {
        self.ask(&Order::Save(Field::STATE[array]))?;
        self.save_here(Field::STATE[array], &mut |nodes| sink(nodes.as_flattened()))
    }

    fn restore(&mut self, array: usize, source: &mut dyn FnMut(&mut [T])) -> Result<(), Failure> {
        self.ask(&Order::Restore(Field::STATE[array]))?;
        self.restore_here(Field::STATE[array], &mut |nodes| source(nodes.as_flattened_mut()))
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
        self.ask(&Order::RestoreStep(step))?;
        self.restore_step_here(step)
    }

    fn serve(&mut self) -> Result<(), Failure> {
        let mut selections = Vec::new();
        loop {
            match Order::hear(&**self.team.ranks())? {
                Order::Advance(steps) => self.advance_here(steps)?,
                Order::Check => self.check_here()?,
                Order::TakeSamples => drop(self.take_samples_here()?),
                Order::Select(what) => selections.push(self.select_here(what)?),
                Order::Read(number, field) => drop(self.gather(&selections[number as usize], field)?),
                Order::Save(field) => self.save_here(field, &mut |_| ())?,
                Order::Restore(field) => self.restore_here(field, &mut |_| ())?,
                Order::RestoreStep(step) => self.restore_step_here(step)?,
                Order::End => return Ok(()),
            }
        }
    }
}

impl<T: Scalar, P: Part<T>> Solver<T> for Ensemble<T, P> {
    fn mesh(&self) -> &HexMesh {
        &self.plan.mesh
    }

    fn gll(&self) -> &Gll {
        &self.plan.gll
    }

    fn bytes(&self) -> usize {
        self.parts.iter().map(Part::bytes).sum()
    }

    fn places(&self, element: u32) -> Vec<NodePlace> {
        self.plan.places(element).collect()
    }

    fn select(&self, what: Selection) -> Result<Selected<T>, Failure> {
        if self.team.ranks().count() > 1 {
            self.ask(&Order::Select(what.clone()))?;
        }
        self.select_here(what)
    }

    fn read<'a>(&'a self, selected: &'a Selected<T>, field: Field) -> Result<Values<'a, T>, Failure> {
        let in_place = selected.shares.iter().all(|share| share.copy.is_none());
        let source = if in_place && self.team.ranks().count() == 1 {
            let readers: Result<_, Failure> = self.parts.iter().map(|part| part.reader(field)).collect();
            Source::InPlace(Box::new(FieldInPlace { ensemble: self, readers: readers? }))
        } else {
            self.ask(&Order::Read(selected.number, field))?;
            Source::Here(self.gather(selected, field)?)
        };
        Ok(Values { what: &selected.what, source })
    }
}

impl<T: Scalar, P: Part<T>> Drop for Ensemble<T, P> {
    fn drop(&mut self) {
        if self.is_first() {
            // A rank that does not hear it is lost already.
            let _ = self.ask(&Order::End);
        }
    }
}
