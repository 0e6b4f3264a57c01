//! What happens at the sides of the box.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens at the six sides of the box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Boundaries {
    /// The top, or the topography.
    pub top: BoundaryKind,
    /// The bottom.
    pub bottom: BoundaryKind,
    /// The four vertical sides, unless one is named below.
    pub sides: BoundaryKind,
    /// The west side; as `sides` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_min: Option<BoundaryKind>,
    /// The east side; as `sides` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_max: Option<BoundaryKind>,
    /// The south side; as `sides` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y_min: Option<BoundaryKind>,
    /// The north side; as `sides` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y_max: Option<BoundaryKind>,
}

/// The physics of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BoundaryKind {
    /// No traction: the surface of the Earth.
    Free,
    /// Outgoing waves leave (first-order paraxial).
    Absorbing,
    /// No motion.
    Rigid,
    /// What leaves here enters at the opposite side; the four vertical sides only.
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
    /// The kind of each side, in the order x min, x max, y min, y max, bottom, top.
    pub fn by_side(&self) -> [BoundaryKind; 6] {
        let side = |named: Option<BoundaryKind>| named.unwrap_or(self.sides);
        [side(self.x_min), side(self.x_max), side(self.y_min), side(self.y_max), self.bottom, self.top]
    }
}
