//! The components of magnetic fields.

/// A component of the flux density B of magnetised prisms, or of its gradient. The discriminant is its index in arrays of all components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MagneticField {
    /// Flux density to the east [T].
    East,
    /// Flux density to the north [T].
    North,
    /// Flux density upwards [T].
    Up,
    /// ∂B_e/∂x [T/m].
    EastEast,
    /// ∂B_e/∂y [T/m]; equals ∂B_n/∂x, because B has no curl.
    EastNorth,
    /// ∂B_e/∂z [T/m].
    EastUp,
    /// ∂B_n/∂y [T/m].
    NorthNorth,
    /// ∂B_n/∂z [T/m].
    NorthUp,
    /// ∂B_u/∂z [T/m].
    UpUp,
}

impl MagneticField {
    /// All components, in the order of their indices.
    pub const ALL: [Self; 9] = [
        Self::East,
        Self::North,
        Self::Up,
        Self::EastEast,
        Self::EastNorth,
        Self::EastUp,
        Self::NorthNorth,
        Self::NorthUp,
        Self::UpUp,
    ];
    /// The flux density.
    pub const FLUX_DENSITY: [Self; 3] = [Self::East, Self::North, Self::Up];

    /// Whether it is a component of the gradient.
    pub fn is_gradient(self) -> bool {
        self as usize >= Self::FLUX_DENSITY.len()
    }
}

/// What to compute: the flux density always, its gradient on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MagneticFields {
    /// The three components of B.
    FluxDensity,
    /// B, and the six components of its gradient.
    WithGradient,
}

impl MagneticFields {
    /// The components, in the order of [`MagneticField::ALL`].
    pub fn iter(self) -> impl Iterator<Item = MagneticField> {
        let count =
            if self == Self::WithGradient { MagneticField::ALL.len() } else { MagneticField::FLUX_DENSITY.len() };
        MagneticField::ALL.into_iter().take(count)
    }
}

/// Magnetic fields at points.
#[derive(Debug, Clone, PartialEq)]
pub struct Magnetic {
    /// `[component][point]`.
    values: Vec<Vec<f64>>,
}

impl Magnetic {
    pub(super) fn new(values: Vec<Vec<f64>>) -> Self {
        Self { values }
    }

    /// Values of a component at all points, in T or T/m; `None` if the gradient was not requested.
    pub fn get(&self, field: MagneticField) -> Option<&[f64]> {
        self.values.get(field as usize).map(Vec::as_slice)
    }

    /// The anomaly of the total field at all points [T]: the component of B along the main field, F·B / |F|.
    ///
    /// It differs from |F + B| - |F| by about |B|² / (2 |F|).
    ///
    /// # Arguments
    /// * `main` – unit vector along the main field F, (east, north, up)
    pub fn total_field_anomaly(&self, main: [f64; 3]) -> Vec<f64> {
        let [east, north, up] = [0, 1, 2].map(|component| &self.values[component]);
        (0..east.len()).map(|point| main[0] * east[point] + main[1] * north[point] + main[2] * up[point]).collect()
    }
}
