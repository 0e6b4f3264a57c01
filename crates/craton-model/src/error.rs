//! Errors of Earth models.

use craton_physics::PhysicsError;

use crate::Phase;
use crate::check::readable;

/// An error of a medium, an interface, a model or a map position.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A number outside its allowed range.
    #[error("{what} = {} is not allowed: it must be {allowed}; {hint}", readable(*value))]
    OutOfRange {
        /// The quantity.
        what: String,
        /// The value as given.
        value: f64,
        /// The allowed range, with its unit.
        allowed: String,
        /// What to do.
        hint: String,
    },
    /// Elastic coefficients that are not those of a solid.
    #[error(transparent)]
    Stiffness(#[from] PhysicsError),
    /// An error in an item of a list.
    #[error("{place}: {reason}")]
    At {
        /// The layer or row, with its depth.
        place: String,
        /// What is wrong.
        reason: Box<ModelError>,
    },
    /// A model without layers or rows.
    #[error("the model has no {what}; give at least one")]
    Empty {
        /// "layer" or "row".
        what: &'static str,
    },
    /// A depth table whose rows are not in order.
    #[error("{place}: {problem}; {hint}")]
    DepthTable {
        /// The row, with its depth.
        place: String,
        /// What is wrong.
        problem: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// A grid that cannot be interpolated.
    #[error("the elevation grid has {problem}; {hint}")]
    BadGrid {
        /// What is wrong, and where.
        problem: String,
        /// What to do.
        hint: &'static str,
    },
    /// Fluid and solid elements in one region.
    #[error("element {fluid} is fluid and others of the block are solid; give fluid elements a block of their own")]
    MixedElements {
        /// Number of a fluid element, from 1.
        fluid: usize,
    },
    /// A map that cannot perturb a model.
    #[error("the perturbation has {problem}; {hint}")]
    BadMap {
        /// What is wrong, and where.
        problem: String,
        /// What to do.
        hint: &'static str,
    },
    /// A grid that does not cover the domain.
    #[error(
        "{interface} does not cover the domain along {axis}: it covers {} to {} m, the domain {} to {} m, \
         {} is missing; extend the grid or shrink the domain",
        readable(known[0]), readable(known[1]), readable(needed[0]), readable(needed[1]), missing(*known, *needed)
    )]
    NotCovered {
        /// The interface.
        interface: String,
        /// "x" or "y".
        axis: &'static str,
        /// First and last coordinate of the grid \[m\].
        known: [f64; 2],
        /// First and last coordinate of the domain \[m\].
        needed: [f64; 2],
    },
    /// Interfaces that cross or touch.
    #[error(
        "layers are out of order: the top of layer {} (counted from the top) lies at z = {} m, not below the top of \
         layer {upper_layer} at {} m, at x = {}, y = {} m; list the layers from the top down and keep their tops apart",
        upper_layer + 1, readable(*lower), readable(*upper), readable(*x), readable(*y)
    )]
    OutOfOrder {
        /// Number of the upper layer, from 1.
        upper_layer: usize,
        /// Elevation of its top \[m\].
        upper: f64,
        /// Elevation of the top of the layer below \[m\].
        lower: f64,
        /// x at which they meet \[m\].
        x: f64,
        /// y at which they meet \[m\].
        y: f64,
    },
    /// A layer with lateral variations, where the Earth must depend on depth only.
    #[error(
        "layer {} (counted from the top) varies laterally, because its top is a grid or its material is a volume, but travel times require a model \
             that depends on depth only; give it a flat top, such as its mean elevation, and media by depth",
        layer + 1
    )]
    UnevenLayer {
        /// Number of the layer, from 0.
        layer: usize,
    },
    /// An unknown phase name.
    #[error("{name:?} is not a supported phase; use one of {}; direct upgoing p and s are part of P and S", phases())]
    UnknownPhase {
        /// The name as given.
        name: String,
    },
}

impl ModelError {
    /// Adds the place in a list to the error.
    pub(crate) fn at(self, place: impl Into<String>) -> Self {
        Self::At { place: place.into(), reason: Box::new(self) }
    }
}

/// The names of all phases.
fn phases() -> String {
    Phase::ALL.map(Phase::name).join(" ")
}

/// Describes the part of the domain that a grid does not cover.
fn missing(known: [f64; 2], needed: [f64; 2]) -> String {
    let before = (needed[0] < known[0]).then(|| format!("{} to {} m", needed[0], known[0]));
    let after = (needed[1] > known[1]).then(|| format!("{} to {} m", known[1], needed[1]));
    let parts: Vec<String> = before.into_iter().chain(after).collect();
    parts.join(" and ")
}
