//! Input of meshes in layers: interfaces, strata, element sizes, columns and doublings.

use super::plan::MOST_DOUBLINGS;
use crate::error::MeshError;

/// Number of elements of a tile: enough for many full patches, and few enough for a process to have many tiles.
pub(crate) const ELEMENTS_OF_TILE: usize = 4096;

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

/// A smooth deformation of a mesh, as a map of positions [m].
pub trait Deformation: Sync {
    /// Deformed position [m] of a point.
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

/// Refuses elevations of doublings that do not descend or are below the bottom.
pub(crate) fn check_doublings(doubling: &Doubling, bottom: f64) -> Result<(), MeshError> {
    let Doubling::Below(tops) = doubling else { return Ok(()) };
    let in_order = tops.windows(2).all(|pair| pair[0] > pair[1]) && tops.iter().all(|&top| top > bottom);
    if in_order && tops.len() <= MOST_DOUBLINGS as usize {
        return Ok(());
    }
    Err(MeshError::DoublingOrder { tops: tops.clone(), bottom, most: MOST_DOUBLINGS })
}
