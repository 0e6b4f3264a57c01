//! Point sources as nodal forces of the elements that contain them.

use craton_device::Scalar;
use craton_sem_kernels::Phase;
use craton_sim::{History, SourceMechanism};

use crate::discretisation::Discretisation;
use crate::interpolation_point::InterpolationPoint;
use crate::step::PatchSource;

/// A point source in an element.
#[derive(Debug, Clone)]
pub struct PointSource {
    /// The element, in the order of the solver.
    pub element: u32,
    /// Reference coordinates in the element.
    pub xi: [f64; 3],
    /// Source mechanism.
    pub mechanism: SourceMechanism,
    /// Factor of the mechanism in each step [–].
    pub history: History,
}

impl PointSource {
    /// Nodal forces at the points of the element for a unit history: F φ, or M ∇φ [N]; in a fluid the volume -M φ / κ [m³] in the first component.
    ///
    /// # Panics
    /// If a fluid contains a force or a moment tensor with shear components.
    pub(crate) fn forces<T: Scalar>(&self, on: &Discretisation<T>) -> Vec<[f64; 3]> {
        let point = InterpolationPoint::new(on.mesh(), &on.gll().points, self.element, self.xi);
        let fluid = on.fluid_at(self.element, self.xi);
        match (self.mechanism, fluid) {
            (SourceMechanism::Force(force), None) => {
                point.values().into_iter().map(|phi| force.map(|f| f * phi)).collect()
            }
            (SourceMechanism::Moment([xx, yy, zz, yz, xz, xy]), None) => {
                let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
                let force = |slope: [f64; 3]| rows.map(|row| row[0] * slope[0] + row[1] * slope[1] + row[2] * slope[2]);
                point.gradients().into_iter().map(force).collect()
            }
            (SourceMechanism::Moment([xx, yy, zz, ..]), Some(fluid)) if !self.mechanism.is_shear() => {
                let volume = -(xx + yy + zz) / (3.0 * fluid.kappa);
                point.values().into_iter().map(|phi| [volume * phi, 0.0, 0.0]).collect()
            }
            (mechanism, Some(_)) => panic!("a fluid cannot contain the source {mechanism:?}"),
        }
    }

    /// The phase and patch of this part that contain the source, and the source in that patch; `None` if its element belongs to another part.
    pub(crate) fn in_patch<T: Scalar>(
        &self,
        on: &Discretisation<T>,
        history: usize,
    ) -> Option<(Phase, usize, PatchSource<T>)> {
        let phase = on.plan.phase_of(self.element);
        let (patch, within) = on.of(phase).own.patch_of(self.element)?;
        let nodes = on.local_nodes(phase, patch, within).zip(self.forces(on));
        let nonzero = nodes.filter(|(_, force)| *force != [0.0; 3]);
        let nodes = nonzero.map(|(node, force)| (node, force.map(T::from_f64))).collect();
        Some((phase, patch, PatchSource { history, nodes }))
    }
}
