//! Point sources as nodal forces of the elements that contain them.

use craton_device::Scalar;
use craton_mesh::HexMesh;
use craton_sim::SourceMechanism;

use crate::discretisation::Discretisation;
use crate::interpolation_point::InterpolationPoint;
use crate::solid::PatchSource;

/// A point source in an element.
#[derive(Debug, Clone)]
pub struct PointSource {
    /// The element, in the order of the solver.
    pub element: u32,
    /// Reference coordinates in the element.
    pub xi: [f64; 3],
    /// Source mechanism.
    pub mechanism: SourceMechanism,
    /// Factor of the mechanism at each step [–].
    pub history: Vec<f64>,
}

impl PointSource {
    /// Nodal forces at the points of the element for a unit history: F φ, or M ∇φ [N].
    pub(crate) fn forces(&self, mesh: &HexMesh, points: &[f64]) -> Vec<[f64; 3]> {
        let point = InterpolationPoint::new(mesh, points, self.element, self.xi);
        match self.mechanism {
            SourceMechanism::Force(force) => point.values().into_iter().map(|phi| force.map(|f| f * phi)).collect(),
            SourceMechanism::Moment([xx, yy, zz, yz, xz, xy]) => {
                let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
                let force = |slope: [f64; 3]| rows.map(|row| row[0] * slope[0] + row[1] * slope[1] + row[2] * slope[2]);
                point.gradients().into_iter().map(force).collect()
            }
        }
    }

    /// The patch of this part that contains the source, and the source in that patch; `None` if its element belongs to another part.
    pub(crate) fn in_patch<T: Scalar>(
        &self,
        on: &Discretisation<T>,
        history: usize,
    ) -> Option<(usize, PatchSource<T>)> {
        let (patch, within) = on.own.patch_of(self.element)?;
        let nodes = on.local_nodes(patch, within).zip(self.forces(on.mesh(), &on.gll().points));
        let nonzero = nodes.filter(|(_, force)| *force != [0.0; 3]);
        let nodes = nonzero.map(|(node, force)| (node, force.map(T::from_f64))).collect();
        Some((patch, PatchSource { history, nodes }))
    }
}
