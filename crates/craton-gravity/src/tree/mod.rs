//! Tree code: sums over many prisms with a bounded error.
//!
//! Neighbouring prisms form a node (`split.rs`). The moments of a node (`moments.rs`) are converted to an expansion in solid harmonics (`solid.rs`, `node.rs`).
//! Far from a node, its expansion replaces its prisms, with the lowest order whose proven error bound is within the node's share of the tolerance (`bound.rs`).
//! The points of a tile choose the nodes together (`sum.rs`, `far.rs`). The tolerance may be relative to the peak of the fields (`tolerance.rs`).

mod bodies;
mod bound;
mod far;
mod moments;
mod node;
mod solid;
mod split;
mod sum;
mod tolerance;

use craton_device::{Isa, Workers};
use rayon::prelude::*;

use crate::fields::Needs;
use crate::magnetics::Magnetisation;
use crate::tile::Tile;
use crate::{Fields, GoOn, Gravity, Points, Prisms, Tesseroids};
use bodies::Bodies;
use node::{Builder, Node};
use solid::Solid;
use split::split;
use sum::{TreePlan, tile_sums};

pub(crate) use moments::{Moments, OfNodes};
pub use tolerance::{Peaks, Tolerance};

/// A tree of prisms, for sums with a bounded error.
///
/// It keeps a copy of the prisms, and 3.5 kB per leaf of at most 64 prisms.
pub struct Tree {
    /// In the order of the tree.
    bodies: Bodies,
    /// Nodes in depth-first order, each before its descendants.
    nodes: Vec<Node>,
    /// Expansion coefficients of all nodes, concatenated.
    coefficients: Vec<f64>,
}

impl Tree {
    /// Builds a tree: orders the prisms and computes their moments, exactly up to round-off.
    ///
    /// # Domain and errors
    /// Lengths from 1e-30 to 1e30 m.
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn new(prisms: &Prisms, workers: &Workers, isa: Isa) -> Self {
        Self::new_while(prisms, workers, isa, &|| true).expect("never cancelled")
    }

    /// Like [`Tree::new`], but can be cancelled: returns `None` if `go_on` returns `false`.
    ///
    /// # Arguments
    /// * `go_on` – cancellation callback; every thread calls it many times a second
    pub fn new_while(prisms: &Prisms, workers: &Workers, isa: Isa, go_on: GoOn) -> Option<Self> {
        workers.run(|| {
            let middle = |prism| prisms.bounds(prism).map(|[low, high]| 0.5 * (low + high));
            let (order, splits) = split(prisms.len(), middle, go_on)?;
            let bodies = Bodies::Prisms(prisms.ordered(&order));
            let builder = Builder { bodies: &bodies, solid: &Solid::new(), isa, go_on };
            let (nodes, coefficients) = builder.nodes(&splits)?;
            Some(Self { bodies, nodes, coefficients })
        })
    }

    /// Builds a tree of tesseroids; its points and fields are Cartesian (see [`Stations`](crate::Stations)). Returns `None` if `go_on` returns `false`.
    ///
    /// Tesseroids near a point are integrated with relative errors of 1e-6 in the attraction and 1e-5 in the tensor, whatever the tolerance. Verified by
    /// `tesseroids::a_shell_has_its_closed_form`.
    ///
    /// # Arguments
    /// * `go_on` – cancellation callback; every thread calls it many times a second
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn of_tesseroids(tesseroids: &Tesseroids, workers: &Workers, isa: Isa, go_on: GoOn) -> Option<Self> {
        workers.run(|| {
            let (order, splits) = split(tesseroids.len(), |number| tesseroids.middle(number), go_on)?;
            let bodies = Bodies::Tesseroids(tesseroids.ordered(&order));
            let builder = Builder { bodies: &bodies, solid: &Solid::new(), isa, go_on };
            let (nodes, coefficients) = builder.nodes(&splits)?;
            Some(Self { bodies, nodes, coefficients })
        })
    }

    /// Builds a tree of magnetised prisms: its attraction is the flux density [T], and its tensor the gradient of that.
    pub(crate) fn of_magnetised(
        prisms: &Prisms,
        magnetisation: &Magnetisation,
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Option<Self> {
        workers.run(|| {
            let middle = |prism| prisms.bounds(prism).map(|[low, high]| 0.5 * (low + high));
            let (order, splits) = split(prisms.len(), middle, go_on)?;
            let bodies = Bodies::Magnetised(prisms.ordered(&order), magnetisation.ordered(&order));
            let builder = Builder { bodies: &bodies, solid: &Solid::new(), isa, go_on };
            let (nodes, coefficients) = builder.nodes(&splits)?;
            Some(Self { bodies, nodes, coefficients })
        })
    }

    /// Gravity at points, equal to [`crate::forward`] within a tolerance.
    ///
    /// Points are evaluated in runs of [`crate::TILE`]; the points of a run should be close together (see [`Points::runs`]). The result is bit-identical for
    /// any number of threads and for any split of the points into whole runs. Verified by `tree::results_do_not_depend_on_threads_or_on_splitting_the_points`.
    ///
    /// # Arguments
    /// * `fields` – fields to compute, all in one pass
    /// * `isa` – instruction set; results of different ones may differ by round-off
    /// # Domain and errors
    /// At every point, V, |g| and the Frobenius norm of the tensor differ from those of [`crate::forward`] by at most the tolerance plus the error of `forward`
    /// itself. The bounds hold for the requested components. Verified by `tree::the_error_is_below_the_tolerance`. Values are NaN exactly where those of
    /// `forward` are. Verified by `tree::points_on_edges_are_nan_where_forward_is_nan`.
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
        self.forward_while(points, fields, tolerance, workers, isa, &|| true).expect("never cancelled")
    }

    /// Like [`Tree::forward`], but can be cancelled: returns `None` if `go_on` returns `false`.
    ///
    /// # Arguments
    /// * `go_on` – cancellation callback; every thread calls it many times a second
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
            let plan = TreePlan::new(self, tile, &allowed);
            tile_sums(self, (tile, &plan), (needs, kind), isa, go_on)
        };
        let sums: Option<Vec<_>> = workers.run(|| tiles.par_iter().map(sum).collect());
        Some(Gravity::of_tiles(fields, &tiles, &sums?))
    }
}
