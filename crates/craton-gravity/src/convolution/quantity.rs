//! What a convolution computes: fields of gravity, and third derivatives of the potential.

use crate::{Field, Fields};

/// A field of gravity, or a third derivative of the potential by its index in the order of [`THIRDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    Field(Field),
    Third(usize),
}

/// A third derivative of the potential.
pub struct Third {
    /// Index among all ten, in the order eee, een, eeu, enn, enu, euu, nnn, nnu, nuu, uuu.
    pub index: usize,
    /// Number of derivatives along x and y.
    along: [usize; 2],
}

/// The seven third derivatives from which the others follow by Laplace's equation: een, eeu, enn, enu, euu, nnu, nuu.
pub const THIRDS: [Third; 7] = [
    Third { index: 1, along: [2, 1] },
    Third { index: 2, along: [2, 0] },
    Third { index: 3, along: [1, 2] },
    Third { index: 4, along: [1, 1] },
    Third { index: 5, along: [1, 0] },
    Third { index: 7, along: [0, 2] },
    Third { index: 8, along: [0, 1] },
];

/// Number of places for values of all quantities.
pub const PLACES: usize = Field::ALL.len() + THIRDS.len();

impl Quantity {
    /// Index in arrays of all quantities.
    pub fn place(self) -> usize {
        match self {
            Self::Field(field) => field as usize,
            Self::Third(third) => Field::ALL.len() + third,
        }
    }

    /// Whether it is an odd function of the offset along x or y.
    pub fn is_odd(self, axis: usize) -> bool {
        match self {
            Self::Field(Field::East | Field::EastUp) => axis == 0,
            Self::Field(Field::North | Field::NorthUp) => axis == 1,
            Self::Field(Field::EastNorth) => true,
            Self::Field(_) => false,
            Self::Third(third) => THIRDS[third].along[axis] % 2 == 1,
        }
    }

    /// Whether it is discontinuous on faces of a cell, or diverges on its edges.
    pub fn is_singular(self) -> bool {
        match self {
            Self::Field(field) => Fields::TENSOR.contains(field),
            Self::Third(_) => true,
        }
    }
}

/// The quantities of a convolution: a set of fields, and all third derivatives or none.
#[derive(Debug, Clone, Copy)]
pub struct Quantities {
    pub fields: Fields,
    pub has_third: bool,
}

impl Quantities {
    /// Fields of gravity alone.
    pub fn of(fields: Fields) -> Self {
        Self { fields, has_third: false }
    }

    /// The quantities: first the fields, then the third derivatives.
    pub fn iter(self) -> impl Iterator<Item = Quantity> {
        let thirds = if self.has_third { THIRDS.len() } else { 0 };
        self.fields.iter().map(Quantity::Field).chain((0..thirds).map(Quantity::Third))
    }

    /// Those that are singular on the surface of a cell.
    pub fn singular(self) -> Self {
        let is_singular = |field: &Field| Quantity::Field(*field).is_singular();
        Self { fields: self.fields.iter().filter(is_singular).collect::<Fields>().like(self.fields), ..self }
    }
}
