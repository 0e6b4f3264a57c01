//! Sums of magnetic fields by a tree: multipoles of groups of dipoles.

use craton_device::{Isa, Workers};

use super::{Magnetic, MagneticFields, Magnetisation};
use crate::{GoOn, GravityError, Limits, Peaks, Points, Prisms, Tolerance, Tree};

/// A tree of magnetised prisms, for sums of the flux density and its gradient with a bounded error.
///
/// It is a [`Tree`] whose nodes have the moments of dipoles. For B alone, [`super::Poisson`] also converts sums over masses.
pub struct MagneticTree(Tree);

impl MagneticTree {
    /// Builds a tree; returns `None` if `go_on` returns `false`.
    ///
    /// # Arguments
    /// * `prisms` – their densities are not used
    /// * `go_on` – cancellation callback; every thread calls it many times a second
    /// # Errors
    /// [`GravityError::Count`] unless every prism has a magnetisation.
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn new_while(
        prisms: &Prisms,
        magnetisation: &Magnetisation,
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Result<Option<Self>, GravityError> {
        GravityError::check_count("magnetisations", magnetisation.len(), "prisms", prisms.len())?;
        Ok(Tree::of_magnetised(prisms, magnetisation, workers, isa, go_on).map(Self))
    }

    /// The largest lengths of B and norms of its gradient over some points, as [`Tree::peaks_while`].
    ///
    /// Points where B diverges, on edges and corners of prisms, are ignored.
    pub fn peaks_while(
        &self,
        points: &Points,
        fields: MagneticFields,
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Option<Peaks> {
        self.0.peaks_while(points, &Limits::default(), fields.corresponding(), workers, isa, go_on)
    }

    /// Magnetic fields at points, equal to those of [`super::magnetic_forward`] within a tolerance; returns `None` if `go_on` returns `false`.
    ///
    /// The points of a run of [`crate::TILE`] should be close together (see [`Points::runs`]). The result is bit-identical for any number of threads.
    ///
    /// # Arguments
    /// * `tolerance` – from [`MagneticTree::peaks_while`], or [`Tolerance::new`] with |B| [T] and the Frobenius norm of its gradient [T/m] in the places of the
    ///   attraction and of the tensor
    /// # Domain
    /// As of [`super::magnetic_forward`]. Verified by `magnetics::a_tree_keeps_its_tolerance`.
    pub fn forward_while(
        &self,
        points: &Points,
        fields: MagneticFields,
        tolerance: &Tolerance,
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Option<Magnetic> {
        let corresponding = fields.corresponding();
        let sums = self.0.forward_while(points, corresponding, tolerance, workers, isa, go_on)?;
        Some(Magnetic::in_places_of(&sums, corresponding))
    }
}
