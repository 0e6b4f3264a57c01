//! The series of a scenario.

use super::cut::Cut;
use crate::config::{Slice, Snapshot};
use crate::setup::Setup;

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
    /// A plane.
    Slice(Cut),
    /// The whole domain.
    Volume,
}

impl<'a> View<'a> {
    /// All series: the surface, the slices in order, the volume.
    pub fn all(setup: &'a Setup) -> Vec<Self> {
        let snapshots = &setup.output.snapshots;
        let surface = snapshots.surface.iter().map(|snapshot| Self { what: What::Surface, snapshot });
        let slice =
            |slice: &'a Slice| Self { what: What::Slice(Cut::of(slice, &setup.frame)), snapshot: &slice.snapshot };
        let volume = snapshots.volume.iter().map(|snapshot| Self { what: What::Volume, snapshot });
        surface.chain(snapshots.slices.iter().map(slice)).chain(volume).collect()
    }

    /// Its name.
    pub fn name(&self) -> String {
        match self.what {
            What::Surface => "surface".to_owned(),
            What::Slice(cut) => cut.name(),
            What::Volume => "volume".to_owned(),
        }
    }
}
