//! The interface of an ensemble to a run.

use craton_device::Scalar;
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sim::{Common, Failure, StateArray, Together};

use crate::ensemble::Ensemble;
use crate::fields::{Field, NodePlace};
use crate::part::{Part, Reader};
use crate::questions::Question;
use crate::selection::{InPlace, Selected, Selection, Source, Values};
use crate::solver::Solver;

/// A field of an ensemble whose parts can all be read in place.
struct FieldInPlace<'a, T: Scalar, P: Part<T>> {
    ensemble: &'a Ensemble<T, P>,
    readers: Vec<Reader<'a, T>>,
}

impl<T: Scalar, P: Part<T>> InPlace for FieldInPlace<'_, T, P> {
    fn node(&self, place: NodePlace) -> [f64; 3] {
        let owner = self.ensemble.owner(place);
        let place = self.ensemble.parts[owner].own().place_of(place).expect("a node of its owner");
        self.readers[owner](place).map(T::to_f64)
    }

    fn element(&self, element: u32) -> Vec<[f64; 3]> {
        self.ensemble.plan.places(element).map(|place| self.node(place)).collect()
    }
}

impl<T: Scalar, P: Part<T>> Together for Ensemble<T, P> {
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
        P::advance_all(&mut self.parts, &self.team, steps)
    }

    fn broken_here(&mut self) -> Result<Vec<[f64; 3]>, Failure> {
        self.broken_positions()
    }

    fn samples_here(&mut self) -> Result<Vec<T>, Failure> {
        let mut own = Vec::new();
        for part in &mut self.parts {
            own.extend(part.take_samples()?);
        }
        Ok(own)
    }

    fn arrays(&self) -> Vec<StateArray> {
        let nodes = Field::STATE.map(|field| StateArray { name: field.name(), shape: vec![self.plan.n_nodes(), 3] });
        let memory = self.plan.memory_variables();
        let memory = (memory > 0).then(|| StateArray { name: "state/element_memory", shape: vec![memory] });
        nodes.into_iter().chain(memory).collect()
    }

    fn save_here(&mut self, array: usize, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure> {
        match Field::STATE.get(array) {
            Some(&field) => self.save_field(field, &mut |nodes| sink(nodes.as_flattened())),
            None => self.save_memory(sink),
        }
    }

    fn restore_here(&mut self, array: usize, source: &mut dyn FnMut(&mut [T])) -> Result<(), Failure> {
        match Field::STATE.get(array) {
            Some(&field) => self.restore_field(field, &mut |nodes| source(nodes.as_flattened_mut())),
            None => self.restore_memory(source),
        }
    }

    fn restore_step_here(&mut self, step: u64) -> Result<(), Failure> {
        self.parts.iter_mut().try_for_each(|part| part.restore_step(step))
    }

    fn answer(&mut self, question: &[u32]) -> Result<(), Failure> {
        match Question::from_words(question) {
            Question::Select(what) => {
                let selected = self.select_here(what)?;
                self.asked_for.push(selected);
            }
            Question::Read(number, field) => drop(self.gather(&self.asked_for[number as usize], field)?),
        }
        Ok(())
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
        self.ask(|| Question::Select(what.clone()))?;
        self.select_here(what)
    }

    fn read<'a>(&'a self, selected: &'a Selected<T>, field: Field) -> Result<Values<'a, T>, Failure> {
        let in_place = selected.shares.iter().all(|share| share.copy.is_none());
        let source = if in_place && self.team.ranks().count() == 1 {
            let readers: Result<_, Failure> = self.parts.iter().map(|part| part.reader(field)).collect();
            Source::InPlace(Box::new(FieldInPlace { ensemble: self, readers: readers? }))
        } else {
            self.ask(|| Question::Read(selected.number, field))?;
            Source::Here(self.gather(selected, field)?)
        };
        Ok(Values { what: &selected.what, source })
    }
}
