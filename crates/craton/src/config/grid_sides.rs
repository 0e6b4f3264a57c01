//! Absorbing boundaries, for all sides or side by side, and sponges of a finite-difference grid.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Absorbing boundaries: on a grid PML of 10 cells by default, on a mesh of spectral elements the paraxial condition.
/// The keys select a condition for all absorbing sides, or for one side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Absorbing<Layer: Default> {
    /// PML on all absorbing sides without a key below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpml: Option<Layer>,
    /// Paraxial condition on all absorbing sides without a key below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paraxial: Option<Paraxial>,
    /// Absorbing boundary of the west side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_min: Option<AbsorbingSide<Layer>>,
    /// Absorbing boundary of the east side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_max: Option<AbsorbingSide<Layer>>,
    /// Absorbing boundary of the south side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y_min: Option<AbsorbingSide<Layer>>,
    /// Absorbing boundary of the north side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y_max: Option<AbsorbingSide<Layer>>,
    /// Absorbing boundary of the bottom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottom: Option<AbsorbingSide<Layer>>,
    /// Absorbing boundary of the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<AbsorbingSide<Layer>>,
}

impl<Layer: Clone + Default> Absorbing<Layer> {
    /// The setting of one side, if the file has it.
    pub fn named(&self, side: BoxSide) -> Option<&AbsorbingSide<Layer>> {
        let all = [&self.x_min, &self.x_max, &self.y_min, &self.y_max, &self.bottom, &self.top];
        all[side as usize].as_ref()
    }

    /// The absorbing boundary of a side that the file sets, for this side or for all sides.
    fn given(&self, side: BoxSide) -> Option<AbsorbingSide<Layer>> {
        let paraxial = || self.paraxial.clone().map(AbsorbingSide::Paraxial);
        let layer = || self.cpml.clone().map(AbsorbingSide::Cpml);
        self.named(side).cloned().or_else(paraxial).or_else(layer)
    }
}

impl Absorbing<Cpml> {
    /// The absorbing boundary of a side of a grid, provided that the side absorbs.
    pub fn at(&self, side: BoxSide) -> AbsorbingSide<Cpml> {
        self.given(side).unwrap_or_else(|| AbsorbingSide::Cpml(Cpml::default()))
    }
}

impl Absorbing<CpmlElements> {
    /// The absorbing boundary of a side of a mesh, provided that the side absorbs.
    pub fn at(&self, side: BoxSide) -> AbsorbingSide<CpmlElements> {
        self.given(side).unwrap_or(AbsorbingSide::Paraxial(Paraxial {}))
    }
}

/// Absorbing boundary of one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AbsorbingSide<Layer> {
    /// A convolutional perfectly matched layer outside the box.
    Cpml(Layer),
    /// The first-order paraxial condition of Clayton and Engquist, on the side itself.
    Paraxial(Paraxial),
}

/// Convolutional perfectly matched layers (Komatitsch and Martin 2007).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cpml {
    /// Thickness in cells. A value of 0 leaves the edge of the grid reflecting.
    #[schemars(range(min = 0, max = 1000))]
    pub cells: usize,
    /// Theoretical reflection coefficient of a P wave at normal incidence.
    #[schemars(range(min = 1e-12, max = 0.5))]
    pub reflection: f64,
    /// Largest stretching factor of the coordinate (kappa); 1 means no stretching.
    #[schemars(range(min = 1.0, max = 100.0))]
    pub max_stretch: f64,
    /// Place the PML in the outermost cells of the box, as many papers do, instead of around the box.
    pub inside: bool,
}

impl Default for Cpml {
    fn default() -> Self {
        Self { cells: 10, reflection: 1e-4, max_stretch: 1.0, inside: false }
    }
}

/// Convolutional perfectly matched layers of elements around or inside the domain. The mesh is continued outwards, with the
/// material at the side; layers fill the edges and corners of a box. Sides of anisotropic media in which such layers are
/// unstable have sponges, which damp all motion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CpmlElements {
    /// Thickness in elements. More elements absorb better at grazing incidence.
    #[schemars(range(min = 1, max = 100))]
    pub elements: u16,
    /// Absorb so that permanent displacements (static offsets) of the ground are right within 0.5 %, and not within a
    /// few per cent. Waves along a layer are absorbed 3 to 13 dB less.
    pub permanent_displacement: bool,
    /// Place the layer inside the domain instead of around it. Craton shrinks the mesh between the layers, so that the
    /// layer ends at the side, or within one element of it. `method.sem.elements` counts only the elements between the
    /// layers. Sources and receivers must not be in a layer. Not available at the top or in meshes of other programs.
    pub inside: bool,
}

impl Default for CpmlElements {
    fn default() -> Self {
        Self { elements: 3, permanent_displacement: false, inside: false }
    }
}

/// The first-order paraxial condition of Clayton and Engquist on the sides themselves. It has no options.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Paraxial {}

/// A sponge layer (Cerjan et al. 1985), which damps velocity and stress towards a side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sponge {
    /// Sides with a sponge, in addition to those given by the keys below.
    #[serde(default)]
    pub sides: Vec<BoxSide>,
    /// Width in cells.
    #[serde(default = "Sponge::default_cells")]
    #[schemars(range(min = 1, max = 1000))]
    pub cells: usize,
    /// Strength: at i cells from the side, each time step multiplies the fields by exp(-(factor (cells - i))²).
    #[serde(default = "Sponge::default_factor")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub factor: f64,
    /// Sponge of the west side, with its own width or strength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_min: Option<SpongeSide>,
    /// Sponge of the east side, with its own width or strength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_max: Option<SpongeSide>,
    /// Sponge of the south side, with its own width or strength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_min: Option<SpongeSide>,
    /// Sponge of the north side, with its own width or strength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_max: Option<SpongeSide>,
    /// Sponge of the bottom, with its own width or strength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom: Option<SpongeSide>,
    /// Sponge of the top, with its own width or strength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<SpongeSide>,
}

/// The sponge of one side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpongeSide {
    /// Width in cells; `sponge.cells` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub cells: Option<usize>,
    /// Strength; `sponge.factor` by default.
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

    /// Width [cells] and strength at a side, if the side has a sponge.
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
    /// Bottom.
    Bottom,
    /// Top.
    Top,
}

impl BoxSide {
    /// All six sides, in the order of their indices.
    pub const ALL: [Self; 6] = [Self::XMin, Self::XMax, Self::YMin, Self::YMax, Self::Bottom, Self::Top];

    /// The name of the side in the file.
    pub fn name(self) -> &'static str {
        ["x_min", "x_max", "y_min", "y_max", "bottom", "top"][self as usize]
    }

    /// The axis normal to the side: 0 to 2.
    pub fn axis(self) -> usize {
        self as usize / 2
    }
}
