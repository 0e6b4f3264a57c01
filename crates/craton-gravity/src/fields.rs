//! What can be computed at a point.

/// A field of gravity, or one component of it. The discriminant is its place wherever all of them stand side by side.
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
    /// All fields, in the order of their places.
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

/// A set of fields, and what single prisms count where they have no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fields {
    /// A bit for each field.
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

    /// The same fields, for [`Limits`](crate::Limits): components of the tensor of a prism, or of a piece that it is cut into, that have no limit at a point, on its edges
    /// and corners, count nothing there instead of NaN.
    pub fn leaving_out_edges(self) -> Self {
        Self { leaves_out_edges: true, ..self }
    }

    /// Whether components without a limit count nothing.
    pub(crate) fn leaves_out_edges(self) -> bool {
        self.leaves_out_edges
    }

    /// Other fields, which count the same as these where they have no limit.
    pub(crate) fn like(self, other: Self) -> Self {
        Self { leaves_out_edges: other.leaves_out_edges, ..self }
    }

    /// Whether a field is in the set.
    pub fn contains(self, field: Field) -> bool {
        self.bits >> field as u16 & 1 == 1
    }

    /// What is in one set or the other, as the first one counts it.
    pub fn union(self, other: Self) -> Self {
        Self { bits: self.bits | other.bits, ..self }
    }

    /// The fields of the set, in the order of their places.
    pub fn iter(self) -> impl Iterator<Item = Field> {
        Field::ALL.into_iter().filter(move |&field| self.contains(field))
    }

    /// Whether a component of the tensor is in the set.
    pub fn has_tensor(self) -> bool {
        self.bits & Self::TENSOR.bits != 0
    }

    /// Whether the potential, a component of attraction, one of the tensor is asked for.
    pub(crate) fn kinds(self) -> [bool; 3] {
        [self.contains(Field::Potential), self.bits & Self::ATTRACTION.bits != 0, self.has_tensor()]
    }

    /// A bit for each field.
    pub(crate) fn bits(self) -> u16 {
        self.bits
    }

    /// Whether all of them are in another set.
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

/// What must be evaluated for a set of fields.
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
    /// Of a set of fields: a component of attraction takes the faces across it, and the edges around them.
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
