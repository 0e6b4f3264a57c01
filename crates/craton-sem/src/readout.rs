//! Fields at selections: all ranks prepare and read them, the first rank collects the values.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

use craton_device::Scalar;
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sem_kernels::Phase;
use craton_sim::{Failure, Request, gather_values};

use crate::fields::{Field, NodePlace};
use crate::part::{Part, Reader};
use crate::part_set::PartSet;
use crate::requests::{FieldRequest, Wanted};
use crate::selection::{InPlace, PartSelection, Selected, Selection, Share, ValueSource, Values};
use crate::solver::Solver;

/// A field whose parts are all in this process and can be read in place.
struct FieldInPlace<'a, T: Scalar, P: Part<T>> {
    parts: &'a PartSet<T, P>,
    selected: &'a Selected<T>,
    /// Part of each entry of the selection, and its index there.
    places: Vec<(u32, u32)>,
    readers: Vec<Reader<'a, T>>,
    field: Field,
}

impl<T: Scalar, P: Part<T>> FieldInPlace<'_, T, P> {
    /// Writes the components at a node of a part.
    fn read(&self, part: usize, place: NodePlace, values: &mut [f64]) {
        let mut values = values.iter_mut();
        self.readers[part](place, &mut |component| {
            *values.next().expect("a value for each component") = component.to_f64();
        });
    }
}

impl<T: Scalar, P: Part<T>> InPlace for FieldInPlace<'_, T, P> {
    fn node(&self, index: usize, values: &mut [f64]) {
        let (part, own) = self.places[index];
        let PartSelection::Nodes(nodes) = &self.selected.shares[part as usize].what else {
            unreachable!("the selection consists of elements")
        };
        self.read(part as usize, nodes[own as usize], values);
    }

    fn element(&self, index: usize) -> Vec<f64> {
        let (part, own) = self.places[index];
        let PartSelection::Elements(elements) = &self.selected.shares[part as usize].what else {
            unreachable!("the selection consists of points")
        };
        let components = self.field.components();
        let layout = self.parts.parts[part as usize].own(self.field.phase());
        let mut values = vec![0.0; components * self.parts.plan.gll.points.len().pow(3)];
        let nodes = self.parts.plan.places(elements[own as usize]).zip(values.chunks_exact_mut(components));
        nodes.for_each(|(place, values)| {
            self.read(part as usize, layout.place_of(place).expect("a node of the element"), values);
        });
        values
    }
}

impl<T: Scalar, P: Part<T>> Solver<T> for PartSet<T, P> {
    fn mesh(&self) -> &HexMesh {
        self.seen.as_ref().map_or(&self.plan.mesh, |seen| &seen.mesh)
    }

    fn gll(&self) -> &Gll {
        &self.plan.gll
    }

    fn bytes(&self) -> usize {
        self.parts.iter().map(Part::bytes).sum()
    }

    fn phase_of(&self, element: u32) -> Phase {
        self.seen.as_ref().map_or_else(|| self.plan.phase_of(element), |seen| seen.phases[element as usize])
    }

    fn places(&self, element: u32) -> Vec<NodePlace> {
        match &self.seen {
            Some(seen) => seen.numbering.nodes_of(element).iter().map(|&node| NodePlace::Shared(node)).collect(),
            None => self.plan.places(element).collect(),
        }
    }

    fn select(&self, what: Selection) -> Result<Selected<T>, Failure> {
        if self.common.requests.has_receivers() {
            let key = |element: u32| match &self.seen {
                Some(seen) => seen.keys[element as usize],
                None => self.plan.key(element),
            };
            let wanted = match what {
                Selection::Points(points) => {
                    Wanted::Points(points.into_iter().map(|(element, point)| (key(element), point)).collect())
                }
                Selection::Elements(elements) => Wanted::Elements(elements.into_iter().map(key).collect()),
            };
            self.common.requests.send(&Request::Own(FieldRequest::Select(wanted.clone()).to_words()))?;
            return self.select_by_key(wanted);
        }
        let len = what.len();
        let (elements, points) = match what {
            Selection::Points(points) => {
                let (elements, points): (Vec<u32>, Vec<u16>) = points.into_iter().unzip();
                (elements, Some(points))
            }
            Selection::Elements(elements) => (elements, None),
        };
        self.select_here((0..).zip(elements).collect(), points.as_deref(), len)
    }

    fn read<'a>(&'a self, selected: &'a Selected<T>, field: Field) -> Result<Values<'a, T>, Failure> {
        let in_place = selected.shares.iter().all(|share| share.copy.is_none());
        let source = if in_place && self.team.ranks().count() == 1 {
            let readers: Result<_, Failure> = self.parts.iter().map(|part| part.reader(field)).collect();
            let mut places = vec![(0, 0); selected.len];
            for (part, indices) in (0..).zip(&selected.indices) {
                (0..).zip(indices).for_each(|(own, &index)| places[index as usize] = (part, own));
            }
            ValueSource::InPlace(Box::new(FieldInPlace { parts: self, selected, places, readers: readers?, field }))
        } else {
            if self.common.requests.has_receivers() {
                let request = FieldRequest::Read(selected.number, field);
                self.common.requests.send(&Request::Own(request.to_words()))?;
            }
            ValueSource::Here(self.gather(selected, field)?)
        };
        Ok(Values { len: selected.len, components: field.components(), source })
    }
}

impl<T: Scalar, P: Part<T>> PartSet<T, P> {
    /// Prepares a selection in the parts of this rank.
    pub(crate) fn select_by_key(&self, wanted: Wanted) -> Result<Selected<T>, Failure> {
        let keys: HashSet<u64> = wanted.keys().collect();
        let all = 0..self.plan.mesh.n_elements() as u32;
        let own = all.map(|element| (self.plan.key(element), element)).filter(|(key, element)| {
            keys.contains(key) && self.team.own().contains(&self.team.parts().of_element(&self.plan, *element))
        });
        let own: HashMap<u64, u32> = own.collect();
        let elements = (0..).zip(wanted.keys()).filter_map(|(index, key)| Some((index, *own.get(&key)?))).collect();
        let (points, len): (Option<Vec<u16>>, usize) = match &wanted {
            Wanted::Points(points) => (Some(points.iter().map(|(_, point)| *point).collect()), points.len()),
            Wanted::Elements(keys) => (None, keys.len()),
        };
        self.select_here(elements, points.as_deref(), len)
    }

    /// Prepares a selection in the parts of this rank.
    ///
    /// # Arguments
    /// * `elements` – the entries in elements of this rank: index in the selection, and element of the plan
    /// * `points` – for a selection of points, the point of each entry of the selection
    /// * `len` – number of entries of the selection
    fn select_here(
        &self,
        elements: Vec<(u32, u32)>,
        points: Option<&[u16]>,
        len: usize,
    ) -> Result<Selected<T>, Failure> {
        let number = self.selections.fetch_add(1, Ordering::Relaxed);
        let mut of_parts: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.parts.len()];
        for (index, element) in elements {
            let part = self.team.parts().of_element(&self.plan, element) - self.team.own().start;
            of_parts[part].push((index, element));
        }
        let share = |(part, own): (&P, &Vec<(u32, u32)>)| {
            let what = match points {
                None => PartSelection::Elements(own.iter().map(|(_, element)| *element).collect()),
                Some(points) => {
                    let place = |&(index, element): &(u32, u32)| {
                        let point = usize::from(points[index as usize]);
                        let place = self.plan.places(element).nth(point).expect("a point of the element");
                        part.own(Phase::Solid).place_of(place).expect("a node of its element")
                    };
                    PartSelection::Nodes(own.iter().map(place).collect())
                }
            };
            Ok(Share { copy: part.select(&what)?, what })
        };
        let shares: Result<_, Failure> = self.parts.iter().zip(&of_parts).map(share).collect();
        let indices: Vec<Vec<u32>> =
            of_parts.into_iter().map(|own| own.into_iter().map(|(index, _)| index).collect()).collect();
        let order = gather_values(&**self.team.ranks(), &indices.concat())?.unwrap_or_default().concat();
        Ok(Selected { number, len, is_of_elements: points.is_none(), shares: shares?, indices, order })
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
        let points = if selected.is_of_elements { self.plan.gll.points.len().pow(3) } else { 1 };
        let per_index = field.components() * points;
        let mut values = vec![T::default(); per_index * selected.len];
        let found = all.concat();
        for (&index, found) in selected.order.iter().zip(found.chunks_exact(per_index)) {
            values[index as usize * per_index..][..per_index].copy_from_slice(found);
        }
        Ok(values)
    }

    /// Appends a field at the share of a part, read in place.
    fn read_share(&self, part: &P, what: &PartSelection, field: Field, values: &mut Vec<T>) -> Result<(), Failure> {
        let reader = part.reader(field)?;
        let in_part = |place| part.own(field.phase()).place_of(place).expect("a node of its element");
        let mut append = |place| reader(place, &mut |value| values.push(value));
        match what {
            PartSelection::Nodes(places) => places.iter().for_each(|&place| append(place)),
            PartSelection::Elements(elements) => {
                let places = elements.iter().flat_map(|&element| self.plan.places(element));
                places.for_each(|place| append(in_part(place)));
            }
        }
        Ok(())
    }
}
