//! Where it happened, as errors tell it.

use super::Error;
use crate::format_position::format_position_in_space;
use craton_model::geodesy::LocalFrame;

impl Error {
    /// The same with its place by longitude, latitude and depth, if it has one in a chunk of the Earth.
    pub(crate) fn at_its_place(self, frame: &LocalFrame) -> Self {
        use craton_mesh::MeshError;
        match self {
            Self::Unstable(instability) if frame.chunk().is_some() => {
                let place = format_position_in_space(frame, instability.position);
                Self::UnstableThere { instability, place }
            }
            Self::Mesh(MeshError::Degenerate { element, centre, scaled_jacobian, least, count })
                if frame.chunk().is_some() =>
            {
                let place = format_position_in_space(frame, centre);
                Self::Distorted { element, place, scaled_jacobian, least, count }
            }
            other => other,
        }
    }

    /// No point of the plane where coordinate `axis` is `at` [m] is in the Earth.
    pub(crate) fn empty_slice(axis: usize, at: f64) -> Self {
        Self::EmptySlice { axis: ["x", "y", "z"][axis], at }
    }
}
