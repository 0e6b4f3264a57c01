//! The two halves of a step: what changes a field by the derivatives of the others.

use craton_device::{Lanes, Scalar};
use craton_physics::{edge_modulus, face_buoyancy, normal_stress_rates, shear_stress_rate};

use crate::field::{Field, voigt};

/// Material of a block, padded as its fields.
pub struct MaterialArrays<A> {
    /// λ [Pa].
    pub lambda: A,
    /// 1/μ [1/Pa].
    pub inverse_mu: A,
    /// Density [kg/m³].
    pub rho: A,
}

/// Half of a step: nine derivatives, row c along axis a, and the rates that they give.
pub trait Update: Copy + Send + Sync + 'static {
    /// Fields that change.
    const FIELDS: usize;

    /// 0 for velocities, 1 for stresses.
    const HALF: usize;

    /// The field that changes, by its number.
    fn field(index: usize) -> Field;

    /// The field to whose points the derivative of row `c` along `axis` belongs.
    fn target(c: usize, axis: usize) -> Field;

    /// The field that is differentiated.
    fn source(c: usize, axis: usize) -> Field;

    /// Rates of the fields at lanes of points; those beyond [`Self::FIELDS`] are none.
    ///
    /// # Arguments
    /// * `at` – place of the first lane in the arrays
    /// * `stride` – distance between neighbours along x, y, z
    /// * `slopes` – derivative of row c along axis a at `[c][a]`
    fn rates<V: Lanes>(
        material: &MaterialArrays<&[V::Scalar]>,
        at: usize,
        stride: [usize; 3],
        slopes: [[V; 3]; 3],
    ) -> [V; 6];
}

/// Velocities by the divergence of stress: dv/dt = div σ / ρ.
#[derive(Clone, Copy)]
pub struct Velocities;

impl Update for Velocities {
    const FIELDS: usize = 3;
    const HALF: usize = 0;

    #[inline(always)]
    fn field(index: usize) -> Field {
        Field::Velocity(index)
    }

    #[inline(always)]
    fn target(c: usize, _axis: usize) -> Field {
        Field::Velocity(c)
    }

    #[inline(always)]
    fn source(c: usize, axis: usize) -> Field {
        Field::stress(c, axis)
    }

    #[inline(always)]
    fn rates<V: Lanes>(
        material: &MaterialArrays<&[V::Scalar]>,
        at: usize,
        stride: [usize; 3],
        slopes: [[V; 3]; 3],
    ) -> [V; 6] {
        let rho = V::load(material.rho, at);
        let mut rates = [V::constant(0.0); 6];
        for c in 0..3 {
            let buoyancy = face_buoyancy([V::load(material.rho, at - stride[c]), rho]);
            rates[c] = buoyancy * (slopes[c][0] + slopes[c][1] + slopes[c][2]);
        }
        rates
    }
}

/// Stresses by the gradient of velocity: dσ/dt = λ div v I + μ (∇v + ∇vᵀ).
#[derive(Clone, Copy)]
pub struct Stresses;

impl Update for Stresses {
    const FIELDS: usize = 6;
    const HALF: usize = 1;

    #[inline(always)]
    fn field(index: usize) -> Field {
        Field::Stress(index)
    }

    #[inline(always)]
    fn target(c: usize, axis: usize) -> Field {
        Field::stress(c, axis)
    }

    #[inline(always)]
    fn source(c: usize, _axis: usize) -> Field {
        Field::Velocity(c)
    }

    #[inline(always)]
    fn rates<V: Lanes>(
        material: &MaterialArrays<&[V::Scalar]>,
        at: usize,
        stride: [usize; 3],
        slopes: [[V; 3]; 3],
    ) -> [V; 6] {
        let inverse_mu = V::load(material.inverse_mu, at);
        let lambda = V::load(material.lambda, at);
        let [xx, yy, zz] = normal_stress_rates(lambda, inverse_mu, [slopes[0][0], slopes[1][1], slopes[2][2]]);
        let mut rates = [xx, yy, zz, xx, xx, xx];
        let before = [0, 1, 2].map(|axis| V::load(material.inverse_mu, at - stride[axis]));
        for [a, b] in [[1, 2], [0, 2], [0, 1]] {
            let corner = V::load(material.inverse_mu, at - stride[a] - stride[b]);
            let mu = edge_modulus([inverse_mu, before[a], before[b], corner]);
            rates[voigt(a, b)] = shear_stress_rate(mu, [slopes[a][b], slopes[b][a]]);
        }
        rates
    }
}

/// The values of one precision behind arrays that own them.
pub fn borrow<T: Scalar, A: std::ops::Deref<Target = [T]>>(material: &MaterialArrays<A>) -> MaterialArrays<&[T]> {
    MaterialArrays { lambda: &material.lambda, inverse_mu: &material.inverse_mu, rho: &material.rho }
}
