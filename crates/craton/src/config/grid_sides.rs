//! What damps waves at the sides of a grid: the same at all of them, or of each side by itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands at absorbing sides of a grid: layers of 10 cells, or what is said here of all of them, or of one by itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Absorbing {
    /// Layers, at all absorbing sides that are not named below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpml: Option<Cpml>,
    /// The paraxial condition, at all absorbing sides that are not named below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paraxial: Option<Paraxial>,
    /// The west side by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_min: Option<AbsorbingSide>,
    /// The east side by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_max: Option<AbsorbingSide>,
    /// The south side by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y_min: Option<AbsorbingSide>,
    /// The north side by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y_max: Option<AbsorbingSide>,
    /// The bottom by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottom: Option<AbsorbingSide>,
    /// The top by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<AbsorbingSide>,
}

impl Absorbing {
    /// What is said of a side by itself.
    pub fn named(&self, side: BoxSide) -> Option<&AbsorbingSide> {
        let all = [&self.x_min, &self.x_max, &self.y_min, &self.y_max, &self.bottom, &self.top];
        all[side as usize].as_ref()
    }

    /// What stands at a side, if it absorbs.
    pub fn at(&self, side: BoxSide) -> AbsorbingSide {
        match (self.named(side), &self.paraxial) {
            (Some(named), _) => named.clone(),
            (None, Some(paraxial)) => AbsorbingSide::Paraxial(paraxial.clone()),
            (None, None) => AbsorbingSide::Cpml(self.cpml.clone().unwrap_or_default()),
        }
    }
}

/// What stands at an absorbing side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AbsorbingSide {
    /// A convolutional perfectly matched layer outside of the box.
    Cpml(Cpml),
    /// The first-order paraxial condition of Clayton and Engquist on the side itself.
    Paraxial(Paraxial),
}

/// Convolutional perfectly matched layers (Komatitsch and Martin 2007).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cpml {
    /// Thickness, in cells; 0 leaves the ends of the grid bare, and reflecting.
    #[schemars(range(min = 0, max = 1000))]
    pub cells: usize,
    /// Amplitude that a P wave at normal incidence keeps.
    #[schemars(range(min = 1e-12, max = 0.5))]
    pub reflection: f64,
    /// Largest stretch of the coordinate; 1 stretches nothing.
    #[schemars(range(min = 1.0, max = 100.0))]
    pub max_stretch: f64,
    /// The layers are the outermost cells of the box, as in many papers, and not cells around it.
    pub inside: bool,
}

impl Default for Cpml {
    fn default() -> Self {
        Self { cells: 10, reflection: 1e-4, max_stretch: 1.0, inside: false }
    }
}

/// The first-order paraxial condition of Clayton and Engquist on the sides themselves; it has no options.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Paraxial {}

/// A sponge (Cerjan et al. 1985): velocities and stresses fade towards a side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sponge {
    /// The sides it stands at, besides those named below.
    #[serde(default)]
    pub sides: Vec<BoxSide>,
    /// Width, in cells.
    #[serde(default = "Sponge::default_cells")]
    #[schemars(range(min = 1, max = 1000))]
    pub cells: usize,
    /// Strength: i cells from the side, each step multiplies by exp(-(factor (cells - i))²).
    #[serde(default = "Sponge::default_factor")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub factor: f64,
    /// At the west side too, by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_min: Option<SpongeSide>,
    /// At the east side too, by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_max: Option<SpongeSide>,
    /// At the south side too, by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_min: Option<SpongeSide>,
    /// At the north side too, by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_max: Option<SpongeSide>,
    /// At the bottom too, by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom: Option<SpongeSide>,
    /// At the top too, by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<SpongeSide>,
}

/// The sponge of one side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpongeSide {
    /// Width, in cells; as that of the others by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub cells: Option<usize>,
    /// Strength; as that of the others by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub factor: Option<f64>,
}

impl Sponge {
    fn default_cells() -> usize {
        20
    }

    fn default_factor() -> f64 {
        0.015
    }

    /// Width [cells] and strength at a side, if it stands there.
    pub fn at(&self, side: BoxSide) -> Option<(usize, f64)> {
        let all = [&self.x_min, &self.x_max, &self.y_min, &self.y_max, &self.bottom, &self.top];
        match all[side as usize] {
            Some(named) => Some((named.cells.unwrap_or(self.cells), named.factor.unwrap_or(self.factor))),
            None => self.sides.contains(&side).then_some((self.cells, self.factor)),
        }
    }
}

/// A side of the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BoxSide {
    /// West.
    XMin,
    /// East.
    XMax,
    /// South.
    YMin,
    /// North.
    YMax,
    /// Below.
    Bottom,
    /// Above.
    Top,
}

impl BoxSide {
    /// All six, in the order in which sides are counted.
    pub const ALL: [Self; 6] = [Self::XMin, Self::XMax, Self::YMin, Self::YMax, Self::Bottom, Self::Top];

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        ["x_min", "x_max", "y_min", "y_max", "bottom", "top"][self as usize]
    }

    /// The axis across which it lies: 0 to 2.
    pub fn axis(self) -> usize {
        self as usize / 2
    }
}
