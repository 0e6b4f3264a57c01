//! Boundary conditions on the sides of the box.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Boundary conditions on the six sides of the box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Boundaries {
    /// The top side: z max, or the topography.
    pub top: BoundaryKind,
    /// The bottom side.
    pub bottom: BoundaryKind,
    /// The four vertical sides, unless a key below overrides one of them.
    pub sides: BoundaryKind,
    /// The west side; `sides` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_min: Option<BoundaryKind>,
    /// The east side; `sides` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_max: Option<BoundaryKind>,
    /// The south side; `sides` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y_min: Option<BoundaryKind>,
    /// The north side; `sides` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y_max: Option<BoundaryKind>,
}

/// Boundary condition of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BoundaryKind {
    /// Free surface: zero traction, as at the surface of the Earth.
    Free,
    /// Outgoing waves leave the domain. By default spectral elements apply a first-order paraxial condition, and finite
    /// differences perfectly matched layers; `method.sem.absorbing` and `method.fd.absorbing` select.
    Absorbing,
    /// Zero displacement.
    Rigid,
    /// A wave that leaves through this side re-enters through the opposite one. Only for the four vertical
    /// sides.
    Periodic,
}

impl Default for Boundaries {
    fn default() -> Self {
        Self {
            top: BoundaryKind::Free,
            bottom: BoundaryKind::Absorbing,
            sides: BoundaryKind::Absorbing,
            x_min: None,
            x_max: None,
            y_min: None,
            y_max: None,
        }
    }
}

impl Boundaries {
    /// The boundary condition of each side, in the order x min, x max, y min, y max, bottom, top.
    pub fn by_side(&self) -> [BoundaryKind; 6] {
        let side = |named: Option<BoundaryKind>| named.unwrap_or(self.sides);
        [side(self.x_min), side(self.x_max), side(self.y_min), side(self.y_max), self.bottom, self.top]
    }
}
