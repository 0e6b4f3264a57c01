//! The gravity fields and sets of them.

/// A gravity field, or one component of it. The discriminant is its index in arrays of all fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// Potential V [m²/s²].
    Potential,
    /// Attraction to the east, ∂V/∂x [m/s²].
    East,
    /// Attraction to the north, ∂V/∂y [m/s²].
    North,
    /// Attraction upwards, ∂V/∂z [m/s²].
    Up,
    /// ∂²V/∂x² [1/s²].
    EastEast,
    /// ∂²V/∂x∂y [1/s²].
    EastNorth,
    /// ∂²V/∂x∂z [1/s²].
    EastUp,
    /// ∂²V/∂y² [1/s²].
    NorthNorth,
    /// ∂²V/∂y∂z [1/s²].
    NorthUp,
    /// ∂²V/∂z² [1/s²].
    UpUp,
}

impl Field {
    /// All fields, in the order of their indices.
    pub const ALL: [Self; 10] = [
        Self::Potential,
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
}

/// A set of fields, and how components that diverge on edges of a prism are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fields {
    /// One bit per field.
    bits: u16,
    leaves_out_edges: bool,
}

impl Fields {
    /// The potential, the attraction and the tensor.
    pub const ALL: Self = Self::of_bits((1 << Field::ALL.len()) - 1);
    /// The three components of attraction.
    pub const ATTRACTION: Self = Self::of_bits(0b1110);
    /// The six components of the tensor.
    pub const TENSOR: Self = Self::of_bits(Self::ALL.bits & !Self::ATTRACTION.bits & !1);

    const fn of_bits(bits: u16) -> Self {
        Self { bits, leaves_out_edges: false }
    }

    /// The same fields, evaluated for use with [`Limits`](crate::Limits): tensor components that diverge at a point on an edge or corner of a prism (or of a
    /// piece that a prism is cut into) contribute zero instead of NaN.
    pub fn leaving_out_edges(self) -> Self {
        Self { leaves_out_edges: true, ..self }
    }

    /// Whether divergent components contribute zero instead of NaN.
    pub(crate) fn leaves_out_edges(self) -> bool {
        self.leaves_out_edges
    }

    /// These fields, with the treatment of divergent components taken from `other`.
    pub(crate) fn like(self, other: Self) -> Self {
        Self { leaves_out_edges: other.leaves_out_edges, ..self }
    }

    /// Whether a field is in the set.
    pub fn contains(self, field: Field) -> bool {
        self.bits >> field as u16 & 1 == 1
    }

    /// The union of two sets; the treatment of divergent components is that of `self`.
    pub fn union(self, other: Self) -> Self {
        Self { bits: self.bits | other.bits, ..self }
    }

    /// The fields of the set, in the order of [`Field::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Field> {
        Field::ALL.into_iter().filter(move |&field| self.contains(field))
    }

    /// Whether the set contains a component of the tensor.
    pub fn has_tensor(self) -> bool {
        self.bits & Self::TENSOR.bits != 0
    }

    /// Whether the set contains the potential, a component of the attraction, and a component of the tensor.
    pub(crate) fn kinds(self) -> [bool; 3] {
        [self.contains(Field::Potential), self.bits & Self::ATTRACTION.bits != 0, self.has_tensor()]
    }

    /// One bit per field.
    pub(crate) fn bits(self) -> u16 {
        self.bits
    }

    /// Whether the set is a subset of another.
    pub(crate) fn is_within(self, other: Self) -> bool {
        self.bits & !other.bits == 0
    }

    fn meets(self, fields: &[Field]) -> bool {
        fields.iter().any(|&field| self.contains(field))
    }
}

impl FromIterator<Field> for Fields {
    fn from_iter<I: IntoIterator<Item = Field>>(fields: I) -> Self {
        Self::of_bits(fields.into_iter().fold(0, |set, field| set | 1 << field as u16))
    }
}

/// The terms of the closed form that a set of fields needs.
#[derive(Debug, Clone, Copy)]
pub struct Needs {
    /// The fields themselves.
    pub fields: Fields,
    /// Logarithms of the edges along x, y, z.
    pub edges: [bool; 3],
    /// Solid angles of the faces across x, y, z.
    pub angles: [bool; 3],
}

impl Needs {
    /// The terms needed by a set of fields: a component of the attraction needs the faces normal to it and the edges around them.
    pub fn of(fields: Fields) -> Self {
        use Field::*;
        Self {
            fields,
            edges: [
                fields.meets(&[Potential, North, Up, NorthUp]),
                fields.meets(&[Potential, East, Up, EastUp]),
                fields.meets(&[Potential, East, North, EastNorth]),
            ],
            angles: [
                fields.meets(&[Potential, East, EastEast]),
                fields.meets(&[Potential, North, NorthNorth]),
                fields.meets(&[Potential, Up, UpUp]),
            ],
        }
    }
}
