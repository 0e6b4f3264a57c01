//! The leapfrog of the oracle.

use super::{NodeField, Oracle};

/// Displacement at a whole step and velocity half a step earlier.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Displacement [m].
    pub u: NodeField,
    /// Velocity [m/s].
    pub v: NodeField,
}

impl Motion {
    /// One step: v += dt M⁻¹ (f - K u), u += dt v.
    ///
    /// # Arguments
    /// * `push` – external force on each node [N]
    /// * `rigid` – whether a node is fixed
    /// * `dt` – time step [s]
    pub fn advance(&mut self, on: &Oracle, push: &[[f64; 3]], rigid: &[bool], dt: f64) {
        let forces = on.forces(&self.u);
        for node in (0..on.n_nodes()).filter(|&node| !rigid[node]) {
            for c in 0..3 {
                self.v[node][c] += dt / on.mass()[node] * (forces[node][c] + push[node][c]);
                self.u[node][c] += dt * self.v[node][c];
            }
        }
    }
}
