//! Positions of sources and receivers on a grid, whose ground and interfaces are staircases.

use craton_fd::{Kind, Medium, Precision};
use craton_model::EarthModel;

use super::GridPlan;
use crate::placing::{Moved, ROUND_OFF};

/// The kinds of the cells of a grid.
pub trait CellKinds {
    /// Kind of the material of a cell.
    fn kind(&self, cell: [usize; 3]) -> Kind;
}

impl<T: Precision> CellKinds for Medium<T> {
    fn kind(&self, cell: [usize; 3]) -> Kind {
        self.kind(cell)
    }
}

/// A position on the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnGrid {
    /// The position [m].
    pub position: [f64; 3],
    /// Distance by which it is below the given position, because the ground is a staircase [m].
    pub lowered: f64,
    /// Distance by which it was moved to a cell of its own kind, fluid or solid [m].
    pub shifted: f64,
}

/// Sources and receivers that a grid moves.
#[derive(Default)]
pub struct MovedOnGrid {
    lowered: Moved,
    shifted: Moved,
}

impl GridPlan {
    /// The position on the grid of a source or receiver: below its ground, and in a cell of its own kind. `None` if the grid has no ground there.
    ///
    /// # Arguments
    /// * `on_surface` – whether it is on the ground, wherever that is
    pub fn place(
        &self,
        (medium, model): (&impl CellKinds, &EarthModel),
        position: [f64; 3],
        on_surface: bool,
    ) -> Option<OnGrid> {
        let place = self.on_grid(medium, position, on_surface)?;
        if on_surface {
            return Some(OnGrid { position: place, lowered: 0.0, shifted: 0.0 });
        }
        let [x, y, z] = place;
        let own = self.in_its_kind(medium, model, place);
        Some(OnGrid { position: [x, y, own], lowered: position[2] - z, shifted: (own - z).abs() })
    }

    /// Where a receiver samples pressure: on the sea bottom in the water above it, elsewhere at its position on the grid.
    ///
    /// # Arguments
    /// * `given`, `placed` – the position of the receiver, and that on the grid [m]
    pub fn pressure_place(
        &self,
        (medium, model): (&impl CellKinds, &EarthModel),
        given: [f64; 3],
        placed: [f64; 3],
    ) -> [f64; 3] {
        self.above_sea_bottom(medium, model, given).unwrap_or(placed)
    }
}

impl MovedOnGrid {
    /// Records a position on the grid.
    pub fn add(&mut self, name: &str, place: &OnGrid) {
        self.lowered.add(name, place.lowered, ROUND_OFF);
        self.shifted.add(name, place.shifted, ROUND_OFF);
    }

    /// The warnings about moved sources and receivers.
    pub fn warnings(&self) -> Vec<String> {
        let cure = "Reduce method.fd.grid_spacing for smaller shifts";
        let lowered = self.lowered.warning("is above the staircase ground of the grid, and Craton moves it down", cure);
        let shifted =
            self.shifted.warning("is beyond the staircase interface of water and rock, and Craton moves it", cure);
        lowered.into_iter().chain(shifted).collect()
    }
}
