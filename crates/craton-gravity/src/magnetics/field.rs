//! The components of magnetic fields.

use crate::{Fields, Gravity};

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
    /// The same, for use with [`Limits`](crate::Limits): where the tensor of a prism diverges, its components contribute zero to B instead of NaN, as with
    /// [`Fields::leaving_out_edges`]. The gradient stays NaN on edges.
    WithGradientLeavingOutEdges,
}

impl MagneticFields {
    /// Whether the gradient is computed.
    pub fn has_gradient(self) -> bool {
        self != Self::FluxDensity
    }

    /// The components of the gravity gradient tensor from which B follows.
    pub(crate) fn tensor(self) -> Fields {
        match self {
            Self::FluxDensity | Self::WithGradient => Fields::TENSOR,
            Self::WithGradientLeavingOutEdges => Fields::TENSOR.leaving_out_edges(),
        }
    }

    /// The fields of gravity in whose places B and its gradient are: the attraction and the tensor.
    pub(crate) fn corresponding(self) -> Fields {
        match self {
            Self::FluxDensity => Fields::ATTRACTION,
            Self::WithGradient => Fields::ATTRACTION.union(Fields::TENSOR),
            Self::WithGradientLeavingOutEdges => Fields::ATTRACTION.union(Fields::TENSOR).leaving_out_edges(),
        }
    }

    /// The components, in the order of [`MagneticField::ALL`].
    pub fn iter(self) -> impl Iterator<Item = MagneticField> {
        let count = if self.has_gradient() { MagneticField::ALL.len() } else { MagneticField::FLUX_DENSITY.len() };
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
    pub(crate) fn new(values: Vec<Vec<f64>>) -> Self {
        Self { values }
    }

    /// B and its gradient from sums that have them in the places of the attraction and of the tensor.
    pub(crate) fn in_places_of(sums: &Gravity, fields: Fields) -> Self {
        Self::new(fields.iter().map(|field| sums.get(field).expect("a computed field").to_vec()).collect())
    }

    /// Values of a component at all points, in T or T/m; `None` if the gradient was not requested.
    pub fn get(&self, field: MagneticField) -> Option<&[f64]> {
        self.values.get(field as usize).map(Vec::as_slice)
    }

    /// Values of a component of B at all points.
    pub(crate) fn get_mut(&mut self, field: MagneticField) -> &mut [f64] {
        &mut self.values[field as usize]
    }

    /// Adds the fields of other bodies at the same points.
    ///
    /// # Panics
    /// If the components or the numbers of points differ.
    pub fn add(&mut self, other: &Self) {
        assert_eq!(self.values.len(), other.values.len(), "the same components");
        for (values, more) in self.values.iter_mut().zip(&other.values) {
            assert_eq!(values.len(), more.len(), "the same points");
            values.iter_mut().zip(more).for_each(|(value, more)| *value += more);
        }
    }

    /// Replaces B at some points.
    ///
    /// # Arguments
    /// * `points` – indices of the points; `other` – B there
    /// # Panics
    /// If `other` has fewer points.
    pub fn put_flux_density(&mut self, points: &[usize], other: &Self) {
        for field in MagneticField::FLUX_DENSITY {
            let more = &other.values[field as usize][..points.len()];
            points.iter().zip(more).for_each(|(&point, value)| self.values[field as usize][point] = *value);
        }
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
