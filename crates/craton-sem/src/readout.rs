//! Fields at selections: all ranks prepare and read them, the first rank collects the values.

use std::sync::atomic::Ordering;

use craton_device::Scalar;
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sem_kernels::Phase;
use craton_sim::{Failure, Request, gather_values};

use crate::fields::{Field, NodePlace};
use crate::part::{Part, Reader};
use crate::part_set::PartSet;
use crate::requests::FieldRequest;
use crate::selection::{InPlace, Selected, Selection, Share, ValueSource, Values};
use crate::solver::Solver;

/// A field whose parts can all be read in place.
struct FieldInPlace<'a, T: Scalar, P: Part<T>> {
    parts: &'a PartSet<T, P>,
    readers: Vec<Reader<'a, T>>,
    field: Field,
}

impl<T: Scalar, P: Part<T>> InPlace for FieldInPlace<'_, T, P> {
    fn node(&self, place: NodePlace, values: &mut [f64]) {
        let phase = self.field.phase();
        let owner = self.parts.owner(phase, place);
        let place = self.parts.parts[owner].own(phase).place_of(place).expect("a node of its owner");
        let mut values = values.iter_mut();
        self.readers[owner](place, &mut |component| {
            *values.next().expect("a value for each component") = component.to_f64();
        });
    }

    fn element(&self, element: u32) -> Vec<f64> {
        let components = self.field.components();
        let mut values = vec![0.0; components * self.parts.plan.gll.points.len().pow(3)];
        let nodes = self.parts.plan.places(element).zip(values.chunks_exact_mut(components));
        nodes.for_each(|(place, values)| self.node(place, values));
        values
    }
}

impl<T: Scalar, P: Part<T>> Solver<T> for PartSet<T, P> {
    fn mesh(&self) -> &HexMesh {
        &self.plan.mesh
    }

    fn gll(&self) -> &Gll {
        &self.plan.gll
    }

    fn bytes(&self) -> usize {
        self.parts.iter().map(Part::bytes).sum()
    }

    fn phase_of(&self, element: u32) -> Phase {
        self.plan.phase_of(element)
    }

    fn places(&self, element: u32) -> Vec<NodePlace> {
        self.plan.places(element).collect()
    }

    fn select(&self, what: Selection) -> Result<Selected<T>, Failure> {
        self.ask(|| FieldRequest::Select(what.clone()))?;
        self.select_here(what)
    }

    fn read<'a>(&'a self, selected: &'a Selected<T>, field: Field) -> Result<Values<'a, T>, Failure> {
        let in_place = selected.shares.iter().all(|share| share.copy.is_none());
        let source = if in_place && self.team.ranks().count() == 1 {
            let readers: Result<_, Failure> = self.parts.iter().map(|part| part.reader(field)).collect();
            ValueSource::InPlace(Box::new(FieldInPlace { parts: self, readers: readers?, field }))
        } else {
            self.ask(|| FieldRequest::Read(selected.number, field))?;
            ValueSource::Here(self.gather(selected, field)?)
        };
        Ok(Values { what: &selected.what, components: field.components(), source })
    }
}

impl<T: Scalar, P: Part<T>> PartSet<T, P> {
    /// Sends a request to all other ranks, if there are any.
    fn ask(&self, request: impl FnOnce() -> FieldRequest) -> Result<(), Failure> {
        if self.common.requests.has_receivers() {
            self.common.requests.send(&Request::Own(request().to_words()))?;
        }
        Ok(())
    }

    /// For each part of all ranks, the indices of the entries of a selection that it provides.
    fn owners(&self, what: &Selection) -> Vec<Vec<u32>> {
        let mut indices = vec![Vec::new(); self.team.parts().count()];
        let owners: Vec<usize> = match what {
            Selection::Nodes(places) => places.iter().map(|&place| self.owner(Phase::Solid, place)).collect(),
            Selection::Elements(elements) => {
                elements.iter().map(|&element| self.team.parts().of_element(&self.plan, element)).collect()
            }
        };
        for (index, owner) in owners.into_iter().enumerate() {
            indices[owner].push(index as u32);
        }
        indices
    }

    /// Prepares a selection in the parts of this rank.
    pub(crate) fn select_here(&self, what: Selection) -> Result<Selected<T>, Failure> {
        let number = self.selections.fetch_add(1, Ordering::Relaxed);
        let owners = self.owners(&what);
        let share = |(part, indices): (&P, &Vec<u32>)| {
            let at = indices.iter().map(|&index| index as usize);
            let own = match &what {
                Selection::Elements(elements) => Selection::Elements(at.map(|index| elements[index]).collect()),
                Selection::Nodes(places) => {
                    let own = part.own(Phase::Solid);
                    let place = |index: usize| own.place_of(places[index]).expect("a node of its owner");
                    Selection::Nodes(at.map(place).collect())
                }
            };
            Ok(Share { copy: part.select(&own)?, what: own })
        };
        let shares: Result<_, Failure> = self.parts.iter().zip(&owners[self.team.own()]).map(share).collect();
        Ok(Selected { number, shares: shares?, owners, what })
    }

    /// Gathers a field at a selection on the first rank, in the order of the selection.
    pub(crate) fn gather(&self, selected: &Selected<T>, field: Field) -> Result<Vec<T>, Failure> {
        let mut own = Vec::new();
        for (part, Share { what, copy }) in self.parts.iter().zip(&selected.shares) {
            match copy {
                Some(copy) => own.extend(part.fetch(what, copy, field)?),
                None => self.read_share(part, what, field, &mut own)?,
            }
        }
        let Some(all) = gather_values(&**self.team.ranks(), &own)? else { return Ok(Vec::new()) };
        let points = match &selected.what {
            Selection::Nodes(_) => 1,
            Selection::Elements(_) => self.plan.gll.points.len().pow(3),
        };
        let per_index = field.components() * points;
        let mut values = vec![T::default(); per_index * selected.what.len(1)];
        let found = all.concat();
        for (&index, found) in selected.owners.iter().flatten().zip(found.chunks_exact(per_index)) {
            values[index as usize * per_index..][..per_index].copy_from_slice(found);
        }
        Ok(values)
    }

    /// Appends a field at the share of a part, read in place.
    fn read_share(&self, part: &P, what: &Selection, field: Field, values: &mut Vec<T>) -> Result<(), Failure> {
        let reader = part.reader(field)?;
        let in_part = |place| part.own(field.phase()).place_of(place).expect("a node of its element");
        let mut append = |place| reader(place, &mut |value| values.push(value));
        match what {
            Selection::Nodes(places) => places.iter().for_each(|&place| append(place)),
            Selection::Elements(elements) => {
                let places = elements.iter().flat_map(|&element| self.plan.places(element));
                places.for_each(|place| append(in_part(place)));
            }
        }
        Ok(())
    }
}
