//! Specification of a box mesh: the box, its strata and the element sizes.

use super::plan::MOST_DOUBLINGS;
use crate::error::MeshError;
use crate::mesh::Geometry;

/// An interface between strata, or the topography.
pub trait Surface: Sync {
    /// Elevation z [m] at (x, y) [m]; finite all over the box.
    fn elevation(&self, x: f64, y: f64) -> f64;
}

/// A horizontal surface at an elevation [m].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flat(pub f64);

impl Surface for Flat {
    fn elevation(&self, _: f64, _: f64) -> f64 {
        self.0
    }
}

impl<F: Fn(f64, f64) -> f64 + Sync> Surface for F {
    fn elevation(&self, x: f64, y: f64) -> f64 {
        self(x, y)
    }
}

/// Element sizes and wave speeds for the mesher.
///
/// `stratum` counts from the top; `z_low` and `z_high` are mean elevations [m] that an element spans. Both values
/// must hold for the whole span, so a larger span cannot have a larger size.
pub trait SizeField: Sync {
    /// Longest edge allowed [m].
    fn size(&self, stratum: usize, z_low: f64, z_high: f64) -> f64;
    /// Fastest wave speed [m/s].
    fn fastest(&self, stratum: usize, z_low: f64, z_high: f64) -> f64;
}

/// The same size and speed everywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UniformSize {
    /// Longest edge allowed [m]
    pub size: f64,
    /// Fastest wave speed [m/s]
    pub speed: f64,
}

impl SizeField for UniformSize {
    fn size(&self, _: usize, _: f64, _: f64) -> f64 {
        self.size
    }

    fn fastest(&self, _: usize, _: f64, _: f64) -> f64 {
        self.speed
    }
}

/// A layer between two interfaces.
#[derive(Clone, Copy)]
pub struct Stratum<'a> {
    /// Its upper interface; that of the first stratum is the topography
    pub top: &'a dyn Surface,
    /// Region of the Earth model
    pub region: u16,
}

/// Number of elements along x and y at the top.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Horizontal {
    /// As many as the size field requires, at the lowest estimated cost
    Automatic,
    /// Edges of at most this length [m], overriding the size field
    Size(f64),
    /// This number along x and y, overriding the size field; it needs a factor of 2 for each doubling, and one more
    Elements([usize; 2]),
}

/// Whether elements grow with depth, by conforming doublings.
#[derive(Debug, Clone, PartialEq)]
pub enum Doubling {
    /// No doubling
    Never,
    /// Where the size field allows it, if that reduces the estimated cost
    Automatic,
    /// Once along each axis in the first sufficiently thick layers below each of these mean elevations [m], from the top down; with prescribed
    /// columns, regardless of the size field
    Below(Vec<f64>),
}

/// A smooth deformation of the meshed box, as a map of positions [m].
pub trait Deformation: Sync {
    /// Deformed position [m] of a point of the box.
    fn position(&self, point: [f64; 3]) -> [f64; 3];

    /// Largest factor by which lengths along x and y grow at an elevation [m]; 1 if the map preserves them.
    fn spread(&self, _z: f64) -> f64 {
        1.0
    }
}

impl<F: Fn([f64; 3]) -> [f64; 3] + Sync> Deformation for F {
    fn position(&self, point: [f64; 3]) -> [f64; 3] {
        self(point)
    }
}

/// A box of strata to be meshed.
#[derive(Clone)]
pub struct BoxSpec<'a> {
    /// Range along x [m]
    pub x: [f64; 2],
    /// Range along y [m]
    pub y: [f64; 2],
    /// Elevation of the flat bottom [m]
    pub bottom: f64,
    /// Strata from the top down
    pub strata: Vec<Stratum<'a>>,
    /// Element sizes
    pub sizes: &'a dyn SizeField,
    /// 8 or 27 control nodes
    pub geometry: Geometry,
    /// Number of elements along x and y
    pub horizontal: Horizontal,
    /// Whether elements grow with depth
    pub doubling: Doubling,
    /// Whether the x and y sides are periodic; periodic sides have no boundary faces
    pub periodic: [bool; 2],
    /// Applied to every control node at the end
    pub deformation: Option<&'a dyn Deformation>,
}

impl<'a> BoxSpec<'a> {
    /// A box with 27-node elements of automatic size, doubling with depth, without periodic sides or deformation.
    ///
    /// # Arguments
    /// * `x`, `y` – ranges [m]
    /// * `bottom` – elevation of the flat bottom [m]
    /// * `strata` – from the top down
    /// * `sizes` – element sizes
    pub fn new(x: [f64; 2], y: [f64; 2], bottom: f64, strata: Vec<Stratum<'a>>, sizes: &'a dyn SizeField) -> Self {
        Self {
            x,
            y,
            bottom,
            strata,
            sizes,
            geometry: Geometry::Quadratic27,
            horizontal: Horizontal::Automatic,
            doubling: Doubling::Automatic,
            periodic: [false; 2],
            deformation: None,
        }
    }

    /// Lengths of the box along x and y [m].
    pub(super) fn lengths(&self) -> [f64; 2] {
        [self.x, self.y].map(|[low, high]| high - low)
    }

    /// Largest lengths [m] of the deformed box along x and y at an elevation [m].
    pub(super) fn bent_lengths(&self, z: f64) -> [f64; 2] {
        let spread = self.deformation.map_or(1.0, |deformation| deformation.spread(z));
        self.lengths().map(|length| spread * length)
    }

    /// Refuses elevations of doublings that do not descend or are outside the box.
    fn check_doublings(&self) -> Result<(), MeshError> {
        let Doubling::Below(tops) = &self.doubling else { return Ok(()) };
        let in_order = tops.windows(2).all(|pair| pair[0] > pair[1]) && tops.iter().all(|&top| top > self.bottom);
        if in_order && tops.len() <= MOST_DOUBLINGS as usize {
            return Ok(());
        }
        Err(MeshError::DoublingOrder { tops: tops.clone(), bottom: self.bottom, most: MOST_DOUBLINGS })
    }

    /// Refuses empty ranges and invalid counts and doublings.
    pub(super) fn check(&self) -> Result<(), MeshError> {
        self.check_doublings()?;
        for (axis, [low, high]) in [('x', self.x), ('y', self.y)] {
            if !(low.is_finite() && high.is_finite() && low < high) {
                return Err(MeshError::EmptyRange { axis, low, high });
            }
        }
        if self.strata.is_empty() {
            return Err(MeshError::NoStratum);
        }
        let (sizes, fewest) = match self.horizontal {
            Horizontal::Automatic => return Ok(()),
            Horizontal::Size(size) => ([size; 2], [f64::INFINITY; 2]),
            Horizontal::Elements(counts) => {
                let counts = counts.map(|count| count as f64);
                (counts, counts)
            }
        };
        for (index, axis) in ['x', 'y'].into_iter().enumerate() {
            if !(sizes[index] > 0.0 && sizes[index].is_finite()) {
                return Err(MeshError::Horizontal { axis, value: sizes[index] });
            }
            if self.periodic[index] && fewest[index] < 3.0 {
                return Err(MeshError::PeriodicTooFew { axis, count: fewest[index] as usize });
            }
        }
        Ok(())
    }
}
