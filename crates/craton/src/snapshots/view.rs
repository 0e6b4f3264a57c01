//! The series of a scenario.

use crate::config::{Slice, Snapshot, Snapshots};

/// A requested series.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The part of the Earth.
    pub what: What,
    /// Times and quantities.
    pub snapshot: &'a Snapshot,
}

/// A part of the Earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum What {
    /// The top of the domain.
    Surface,
    /// The plane where a coordinate has a value [m].
    Slice {
        /// The axis normal to it.
        axis: usize,
        /// Its coordinate [m].
        at: f64,
    },
    /// The whole domain.
    Volume,
}

impl<'a> View<'a> {
    /// All series: the surface, the slices in order, the volume.
    pub fn all(snapshots: &'a Snapshots) -> Vec<Self> {
        let surface = snapshots.surface.iter().map(|snapshot| Self { what: What::Surface, snapshot });
        let slice = |slice: &'a Slice| Self { what: plane_of(slice), snapshot: &slice.snapshot };
        let volume = snapshots.volume.iter().map(|snapshot| Self { what: What::Volume, snapshot });
        surface.chain(snapshots.slices.iter().map(slice)).chain(volume).collect()
    }

    /// Its name.
    pub fn name(&self) -> String {
        match self.what {
            What::Surface => "surface".to_owned(),
            What::Slice { axis, at } => format!("slice_{}_{at}", ["x", "y", "z"][axis]),
            What::Volume => "volume".to_owned(),
        }
    }
}

/// The axis and coordinate of a slice.
fn plane_of(slice: &Slice) -> What {
    let mut given = [slice.x, slice.y, slice.z].into_iter().enumerate();
    let found = given.find_map(|(axis, at)| at.map(|at| What::Slice { axis, at }));
    found.expect("a checked slice has one of x, y and z")
}
