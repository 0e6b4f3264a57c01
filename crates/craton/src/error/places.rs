//! Positions in error messages.

use super::Error;
use crate::format_position::format_position_in_space;
use crate::snapshots::Cut;
use craton_model::geodesy::LocalFrame;

impl Error {
    /// The same error with a position in longitude, latitude and depth, on the spherical Earth.
    pub(crate) fn with_place(self, frame: &LocalFrame) -> Self {
        use craton_mesh::MeshError;
        match self {
            Self::Unstable(instability) if frame.sphere().is_some() => {
                let place = format_position_in_space(frame, instability.position);
                Self::UnstableThere { instability, place }
            }
            Self::Mesh(MeshError::Degenerate { element, centre, scaled_jacobian, least, count })
                if frame.sphere().is_some() =>
            {
                let place = format_position_in_space(frame, centre);
                Self::Distorted { element, place, scaled_jacobian, least, count }
            }
            other => other,
        }
    }

    /// The error of a plane that does not intersect the Earth; the plane of a great circle always does.
    pub(crate) fn empty_slice(cut: &Cut) -> Self {
        let (axis, at) = cut.normal();
        Self::EmptySlice { axis: ["x", "y", "z"][axis], at }
    }
}
