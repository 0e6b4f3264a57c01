//! Sums of magnetic fields from the gravity gradient of parts with one direction of magnetisation.

use std::ops::Range;

use craton_device::Workers;
use craton_gravity::{Fields, Gravity, MagneticField, Poisson};
use craton_run::Cancel;

use super::Sums;
use crate::device::LocalRank;
use crate::error::Error;
use crate::gravity::setup::Setup;

/// The parts of a magnetic problem. Sums of the first part are those of the [`Sums`] that have it.
pub struct Parts<'a> {
    direction: [f64; 3],
    others: Vec<([f64; 3], Sums<'a>)>,
}

impl<'a> Sums<'a> {
    /// Chooses the algorithm, for gravity or magnetic fields, without GPU data or a tree.
    ///
    /// # Arguments
    /// * `fields` – the requested fields. Those of magnetic problems have the flux density in place of the attraction,
    ///   and its gradient in place of the tensor
    /// * `place` – position of this rank, for the distribution of GPUs
    /// # Errors
    /// A requested algorithm is not applicable, a requested GPU is missing; [`GravityFailure::Stopped`] if interrupted.
    pub fn new(
        setup: &'a Setup,
        fields: Fields,
        workers: &'a Workers,
        place: LocalRank,
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        if let Some(sphere) = &setup.sphere {
            return Self::of_tesseroids(setup, sphere, fields, workers, place);
        }
        let Some(magnetic) = &setup.magnetic else {
            return Self::of_prisms(setup, &setup.prisms, fields, workers, place, cancel);
        };
        if fields.has_tensor() {
            return Self::of_gradients(setup, magnetic, fields, workers, place, cancel);
        }
        let of_part = |(direction, prisms): &'a ([f64; 3], _)| {
            Self::of_prisms(setup, prisms, Poisson::FIELDS, workers, place, cancel).map(|sums| (*direction, sums))
        };
        let mut parts = magnetic.parts.iter().map(of_part);
        let (direction, first) = parts.next().expect("a magnetic problem has a part")?;
        Ok(Self { parts: Some(Parts { direction, others: parts.collect::<Result<_, _>>()? }), ..first })
    }

    /// The sums of the other parts.
    pub fn others(&self) -> impl Iterator<Item = &Sums<'a>> {
        self.parts.iter().flat_map(|parts| parts.others.iter().map(|(_, sums)| sums))
    }

    /// The fields at the points of a piece, as for [`piece`](Self::piece): the flux density if this is a magnetic problem.
    pub(super) fn combined(
        &self,
        parts: &Parts,
        range: &Range<usize>,
        cancel: &Cancel,
        report: &(dyn Fn(f64) + Sync),
    ) -> Result<Option<Gravity>, Error> {
        let own = std::iter::once((parts.direction, self));
        let others = parts.others.iter().map(|(direction, sums)| (*direction, sums));
        let mut total = vec![vec![0.0; range.len()]; MagneticField::FLUX_DENSITY.len()];
        for (direction, sums) in own.chain(others) {
            let Some(gravity) = sums.of_piece(range, cancel, report)? else { return Ok(None) };
            let field = Poisson::new(direction).field(&gravity);
            for (total, component) in total.iter_mut().zip(MagneticField::FLUX_DENSITY) {
                let values = field.get(component).expect("the flux density");
                total.iter_mut().zip(values).for_each(|(total, value)| *total += value);
            }
        }
        Ok(Some(Gravity::new(Fields::ATTRACTION, total)))
    }
}
