//! A tree that is ready for sums.

use std::f64::consts::PI;
use std::sync::OnceLock;

use craton_gravity::{GRAVITATIONAL_CONSTANT, Gravity, MAGNETIC_CONSTANT, Points, Tolerance, Tree};
use craton_run::Cancel;

use super::Sums;

/// A tree and the error bounds of its sums.
pub struct PreparedTree {
    pub tree: Box<Tree>,
    pub tolerance: Tolerance,
}

impl PreparedTree {
    /// Builds a tree of the prisms for sums at all points with an accuracy; `None` if interrupted.
    pub fn new(sums: &Sums, accuracy: f64, cancel: &Cancel) -> Option<Self> {
        let Sums { prisms, fields, points, limits, workers, isa, .. } = sums;
        let may_continue = || !cancel.is_cancelled();
        let tree = Tree::new_while(prisms, workers, *isa, &may_continue)?;
        let peaks = tree.peaks_while(points, limits, *fields, workers, *isa, &may_continue)?;
        Some(Self { tree: Box::new(tree), tolerance: peaks.tolerance(accuracy) })
    }

    /// Sums at points; `None` if interrupted.
    pub fn forward(&self, sums: &Sums, points: &Points, cancel: &Cancel) -> Option<Gravity> {
        let may_continue = || !cancel.is_cancelled();
        self.tree.forward_while(points, sums.fields, &self.tolerance, sums.workers, sums.isa, &may_continue)
    }

    /// Description of the error bounds of the requested fields.
    pub fn error_bounds(&self, is_magnetic: bool) -> String {
        if is_magnetic {
            let of_tensor = 1e9 * MAGNETIC_CONSTANT / (4.0 * PI * GRAVITATIONAL_CONSTANT);
            return format!("B to {:.1e} nT for each direction of magnetisation", of_tensor * self.tolerance.tensor());
        }
        let kinds = [
            ("V", self.tolerance.potential(), "m²/s²", 1.0),
            ("g", self.tolerance.attraction(), "mGal", 1e5),
            ("tensor", self.tolerance.tensor(), "E", 1e9),
        ];
        let finite = kinds.into_iter().filter(|(_, bound, ..)| bound.is_finite());
        let bounds: Vec<String> =
            finite.map(|(name, bound, unit, factor)| format!("{name} to {:.1e} {unit}", factor * bound)).collect();
        bounds.join(", ")
    }
}

/// The tree of sums that have been prepared.
///
/// # Panics
/// Unless they have been.
pub fn prepared(tree: &OnceLock<PreparedTree>) -> &PreparedTree {
    tree.get().expect("sums are prepared before the first piece")
}
