//! Point sources as forces on the nodes of the element around them.

use craton_device::Scalar;
use craton_mesh::HexMesh;
use craton_sim::Push;

use crate::discretisation::Discretisation;
use crate::state::PatchSource;
use crate::taps::Tap;

/// A source inside an element.
#[derive(Debug, Clone)]
pub struct PointSource {
    /// The element, in the order of the solver's mesh.
    pub element: u32,
    /// Where in it, reference coordinates.
    pub xi: [f64; 3],
    /// What it does.
    pub push: Push,
    /// Its factor at each step [–].
    pub history: Vec<f64>,
}

impl PointSource {
    /// Its force at each point of the element for a history of one: F φ, or M ∇φ [N].
    pub(crate) fn forces(&self, mesh: &HexMesh, points: &[f64]) -> Vec<[f64; 3]> {
        let tap = Tap::new(mesh, points, self.element, self.xi);
        match self.push {
            Push::Force(force) => tap.values().into_iter().map(|phi| force.map(|f| f * phi)).collect(),
            Push::Moment([xx, yy, zz, yz, xz, xy]) => {
                let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
                let push = |slope: [f64; 3]| rows.map(|row| row[0] * slope[0] + row[1] * slope[1] + row[2] * slope[2]);
                tap.gradients().into_iter().map(push).collect()
            }
        }
    }

    /// The patch of this part that applies it, and how; none if its element belongs to another part.
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
