//! Prisms in a tree, for sums with a bounded error.
//!
//! Prisms that stand together make a node (`split.rs`), a node has moments (`moments.rs`), which become an expansion in solid harmonics (`solid.rs`, `node.rs`).
//! From afar an expansion stands for all prisms of its node: of the order whose error is proven to be within the node's share of what is allowed
//! (`bound.rs`). The points of a tile decide together what they take (`sum.rs`, `far.rs`); what is allowed may come of the peak of the fields (`tolerance.rs`).

mod bound;
mod far;
mod moments;
mod node;
mod solid;
mod split;
mod sum;
mod tolerance;

use craton_device::{Isa, Scalar, Workers};
use rayon::prelude::*;

use crate::fields::Needs;
use crate::tile::Tile;
use crate::{Fields, GoOn, Gravity, Points, Prisms};
use node::{Builder, Node};
use solid::Solid;
use split::split;
use sum::{Plan, TileSum};

pub use tolerance::{Peaks, Tolerance};

/// Prisms in a tree, for sums with a bounded error.
///
/// It keeps a copy of the prisms, and 3.5 kB for each leaf, which holds 64 prisms at most.
pub struct Tree {
    /// In the order of the tree.
    prisms: Prisms,
    /// A node before those below it.
    nodes: Vec<Node>,
    /// Of the nodes' expansions, one after the other.
    coefficients: Vec<f64>,
}

impl Tree {
    /// Orders prisms and works out their moments, which are exact but for round-off.
    ///
    /// # Domain and errors
    /// Lengths from 1e-30 to 1e30 m.
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn new(prisms: &Prisms, workers: &Workers, isa: Isa) -> Self {
        Self::new_while(prisms, workers, isa, &|| true).expect("nothing asks it to stop")
    }

    /// As [`Tree::new`], as long as it may go on; `None` if it may not.
    ///
    /// # Arguments
    /// * `go_on` – asked by every thread many times a second
    pub fn new_while(prisms: &Prisms, workers: &Workers, isa: Isa, go_on: GoOn) -> Option<Self> {
        workers.run(|| {
            let middle = |prism| prisms.bounds(prism).map(|[low, high]| 0.5 * (low + high));
            let (order, splits) = split(prisms.len(), middle, go_on)?;
            let prisms = prisms.ordered(&order);
            let builder = Builder { prisms: &prisms, solid: &Solid::new(), isa, go_on };
            let (nodes, coefficients) = builder.nodes(&splits)?;
            Some(Self { prisms, nodes, coefficients })
        })
    }

    /// Gravity at points, within a tolerance of that of [`crate::forward`].
    ///
    /// Points are taken in runs of [`crate::TILE`], which should stand close together ([`Points::runs`]). The result has the same bits for any number of threads, and
    /// however points are cut into parts of whole runs. Verified by `tree::threads_and_cuts_change_no_bit`.
    ///
    /// # Arguments
    /// * `fields` – what is computed, all in one pass; `isa` – the instruction set, another one may change the last bits
    /// # Domain and errors
    /// V, g and the tensor differ from those of [`crate::forward`] by no more than the tolerance and the error that those have themselves, at every point:
    /// the potential, the length of the attraction, the Frobenius norm of the tensor; all their components as far as they are asked for.
    /// Verified by `tree::the_error_is_below_what_is_asked_for`. NaN where that has NaN.
    /// Verified by `tree::points_on_edges_have_no_value_where_forward_has_none`.
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn forward(
        &self,
        points: &Points,
        fields: Fields,
        tolerance: &Tolerance,
        workers: &Workers,
        isa: Isa,
    ) -> Gravity {
        self.forward_while(points, fields, tolerance, workers, isa, &|| true).expect("nothing asks it to stop")
    }

    /// As [`Tree::forward`], as long as it may go on; `None` if it may not.
    ///
    /// # Arguments
    /// * `go_on` – asked by every thread many times a second
    pub fn forward_while(
        &self,
        points: &Points,
        fields: Fields,
        tolerance: &Tolerance,
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Option<Gravity> {
        let tiles = Tile::all(points);
        let (needs, kinds) = (Needs::of(fields), fields.kinds());
        let allowed = tolerance.of(kinds);
        let kind = (0..kinds.len()).rfind(|&kind| kinds[kind]).unwrap_or(0);
        let sum = |tile: &Tile| {
            let plan = Plan::new(self, tile, &allowed);
            go_on().then(|| f64::dispatch(isa, TileSum { tree: self, tile, plan: &plan, needs, kind }))
        };
        let sums: Option<Vec<_>> = workers.run(|| tiles.par_iter().map(sum).collect());
        Some(Gravity::of_tiles(fields, &tiles, &sums?))
    }
}
