//! What can be wrong with a model of the Earth.

use craton_physics::PhysicsError;

use crate::Phase;

/// Why a medium, an interface, a model or a place on the map is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A number outside its range.
    #[error("{what} = {value} is not allowed: it must be {allowed}; {hint}")]
    OutOfRange {
        /// The quantity.
        what: String,
        /// The value as given.
        value: f64,
        /// The range that would do, with its unit.
        allowed: String,
        /// What to do.
        hint: String,
    },
    /// Elastic coefficients that no solid has.
    #[error(transparent)]
    Stiffness(#[from] PhysicsError),
    /// A medium inside a list.
    #[error("{place}: {reason}")]
    At {
        /// Which layer or row, with its depth.
        place: String,
        /// What is wrong there.
        reason: Box<ModelError>,
    },
    /// A model of nothing.
    #[error("the model has no {what}; give at least one")]
    Empty {
        /// "layer" or "row".
        what: &'static str,
    },
    /// A table of depths that cannot be read from the top down.
    #[error("{place}: {problem}; {hint}")]
    DepthTable {
        /// Which row, with its depth.
        place: String,
        /// What is wrong there.
        problem: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// A grid that cannot be interpolated.
    #[error("the elevation grid has {problem}; {hint}")]
    BadGrid {
        /// What is wrong, with the place.
        problem: String,
        /// What to do.
        hint: &'static str,
    },
    /// A map that cannot perturb a model.
    #[error("the perturbation has {problem}; {hint}")]
    BadMap {
        /// What is wrong, with the place.
        problem: String,
        /// What to do.
        hint: &'static str,
    },
    /// A grid that ends inside the domain.
    #[error(
        "{interface} does not cover the domain along {axis}: it is known from {} to {} m, the domain reaches from {} to {} m, \
         {} is missing; extend the grid or shrink the domain",
        known[0], known[1], needed[0], needed[1], missing(*known, *needed)
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
        "layers are out of order: the top of layer {} (counted from the top) lies at z = {lower} m, not below the top of \
         layer {upper_layer} at {upper} m, at x = {x}, y = {y} m; list the layers from the top down and keep their tops apart",
        upper_layer + 1
    )]
    OutOfOrder {
        /// Number of the upper layer, from 1.
        upper_layer: usize,
        /// Elevation of its top \[m\].
        upper: f64,
        /// Elevation of the top of the layer below \[m\].
        lower: f64,
        /// Where they meet \[m\].
        x: f64,
        /// Where they meet \[m\].
        y: f64,
    },
    /// A layer that is not even, where the Earth has to depend on depth alone.
    #[error(
        "layer {} (counted from the top) is uneven, by a grid of elevations as its top or as a volume, but travel times are those of an Earth \
         that depends on depth alone; give it a flat top, such as its mean elevation, and media by depth",
        layer + 1
    )]
    UnevenLayer {
        /// Number of the layer, from 0.
        layer: usize,
    },
    /// A name of a wave that is not known.
    #[error(
        "{name:?} is not a phase that is known here; give one of {}; p and s that end at the surface are part of P and S",
        phases()
    )]
    UnknownPhase {
        /// The name as given.
        name: String,
    },
}

impl ModelError {
    /// The same error with its place in a list.
    pub(crate) fn at(self, place: impl Into<String>) -> Self {
        Self::At { place: place.into(), reason: Box::new(self) }
    }
}

/// The names of all phases.
fn phases() -> String {
    Phase::ALL.map(Phase::name).join(" ")
}

/// The part of the domain that a grid leaves out, in words.
fn missing(known: [f64; 2], needed: [f64; 2]) -> String {
    let before = (needed[0] < known[0]).then(|| format!("{} to {} m", needed[0], known[0]));
    let after = (needed[1] > known[1]).then(|| format!("{} to {} m", known[1], needed[1]));
    let parts: Vec<String> = before.into_iter().chain(after).collect();
    parts.join(" and ")
}
