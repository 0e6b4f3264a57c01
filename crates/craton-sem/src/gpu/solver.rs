//! What a run asks of spectral elements on a GPU.

use craton_device::gpu::GpuError;
use craton_device::{Scalar, Workers};
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sim::{Instability, Operator};

use super::copies::DeviceCopy;
use super::operator::GpuOperator;
use crate::canonical::Canonical;
use crate::error::Failure;
use crate::fields::{Field, NodePlace};
use crate::selection::{Selected, Selection, Source, Values};
use crate::solver::Solver;

impl<T: Scalar> GpuOperator<T> {
    /// Its nodes in the order of all solvers of this mesh.
    fn canonical(&self) -> Canonical<'_, impl Fn(u32) -> Vec<NodePlace>, impl Fn(NodePlace) -> usize> {
        Canonical {
            position: &self.position,
            places: |element| self.nodes.places(element),
            number: |place| self.nodes.number_of(place) as usize,
            numbers: self.nodes.end as usize,
        }
    }

    fn failed(&self) -> impl Fn(GpuError) -> Failure + use<T> {
        let step = self.step();
        move |fault| Failure::Device { step, fault }
    }
}

impl<T: Scalar> Operator for GpuOperator<T> {
    type Error = Failure;

    fn step(&self) -> u64 {
        self.step()
    }

    fn advance(&mut self, steps: u64) -> Result<(), Failure> {
        let failed = self.failed();
        self.advance(steps).map_err(failed)
    }

    fn longest_advance(&self) -> u64 {
        self.longest_advance()
    }

    fn check(&mut self) -> Result<(), Failure> {
        match self.broken_place().map_err(self.failed())? {
            None => Ok(()),
            Some(position) => Err(Instability { step: self.step(), position, courant: self.courant() }.into()),
        }
    }
}

impl<T: Scalar> Solver<T> for GpuOperator<T> {
    fn mesh(&self) -> &HexMesh {
        self.mesh()
    }

    fn gll(&self) -> &Gll {
        self.gll()
    }

    fn dt(&self) -> f64 {
        self.dt()
    }

    fn workers(&self) -> &Workers {
        self.workers()
    }

    fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    fn bytes(&self) -> usize {
        self.device_bytes()
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        let failed = self.failed();
        self.take_samples().map_err(failed)
    }

    fn places(&self, element: u32) -> Vec<NodePlace> {
        self.nodes.places(element)
    }

    fn select(&self, what: Selection) -> Result<Selected<T>, Failure> {
        let copy = DeviceCopy::new(self.gpu(), &self.gather_field, &self.nodes, &what).map_err(self.failed())?;
        Ok(Selected { what, copy: Some(copy) })
    }

    fn read<'a>(&'a self, selected: &'a Selected<T>, field: Field) -> Result<Values<'a, T>, Failure> {
        let copy = selected.copy.as_ref().expect("a selection of this solver");
        let values = copy.fetch(self.field(field)).map_err(self.failed())?;
        let source = match copy {
            DeviceCopy::All => Source::All(&self.nodes, values),
            DeviceCopy::Selected { .. } => Source::Selected(values),
        };
        Ok(Values { what: &selected.what, source })
    }

    fn save(&self, field: Field, sink: &mut dyn FnMut(&[[T; 3]])) -> Result<(), Failure> {
        let values = self.field(field).download().map_err(self.failed())?;
        let value = |place| {
            let first = 3 * self.nodes.number_of(place) as usize;
            [values[first], values[first + 1], values[first + 2]]
        };
        self.canonical().save(value, sink);
        Ok(())
    }

    fn restore(&mut self, field: Field, source: &mut dyn FnMut(&mut [[T; 3]])) -> Result<(), Failure> {
        let mut values = vec![T::default(); 3 * self.nodes.end as usize];
        let set = |place, value: [T; 3]| {
            values[3 * self.nodes.number_of(place) as usize..][..3].copy_from_slice(&value);
        };
        self.canonical().restore(self.nodes.len(), set, source);
        let failed = self.failed();
        self.field_mut(field).write(0..values.len(), &values).map_err(failed)
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
        let failed = self.failed();
        self.restore_step(step).map_err(failed)
    }
}
