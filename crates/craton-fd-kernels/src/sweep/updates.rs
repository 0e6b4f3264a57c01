//! The two halves of a step: rates of fields from derivatives of the others.

use craton_device::Lanes;
use craton_physics::{edge_modulus, face_buoyancy, mixed_slopes, normal_stress_rates, shear_stress_rate};

use crate::field::{Field, voigt};

/// Material of a block, padded as its fields.
#[derive(Clone, Copy)]
pub struct MaterialArrays<A> {
    /// λ [Pa].
    pub lambda: A,
    /// 1/μ [1/Pa].
    pub inverse_mu: A,
    /// Density [kg/m³].
    pub rho: A,
}

/// A row of material parameters at or next to the updated points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// λ in the points' own cells.
    Lambda,
    /// 1/μ in the cells at this offset back along x, y, z.
    InverseMu([usize; 3]),
    /// Density in the cells at this offset back along x, y, z.
    Rho([usize; 3]),
}

/// Maximum number of parameters of an [`Update`].
pub const MAX_PARAMETERS: usize = 8;

/// Maximum number of factors of an [`Update`].
pub const MAX_FACTORS: usize = 12;

/// One half of a step: nine derivatives, of row c along axis a, and the rates computed from them.
pub trait Update: Copy + Send + Sync + 'static {
    /// Number of updated fields.
    const FIELDS: usize;

    /// 0 for velocities, 1 for stresses.
    const HALF: usize;

    /// Number of factors at a point with several solids, at most `MAX_FACTORS`.
    const MIXING: usize;

    /// Material parameters on which the rates depend, at most `MAX_PARAMETERS`.
    const PARAMETERS: &'static [Parameter];

    /// The updated field of a given number.
    fn field(index: usize) -> Field;

    /// The field at whose points the derivative of row `c` along `axis` is located.
    fn target(c: usize, axis: usize) -> Field;

    /// The field that is differentiated.
    fn source(c: usize, axis: usize) -> Field;

    /// Changes the derivatives at a vector of points with several solids, so that [`Self::rates`] gives the rates of their mixture.
    ///
    /// # Arguments
    /// * `factors` – the first [`Self::MIXING`] count
    /// * `slopes` – derivative of row c along axis a at `[c][a]`
    fn mix<V: Lanes>(factors: [V; MAX_FACTORS], slopes: &mut [[V; 3]; 3]);

    /// Rates of the fields at a vector of points; entries beyond [`Self::FIELDS`] are unused.
    ///
    /// # Arguments
    /// * `material` – values of [`Self::PARAMETERS`], in their order
    /// * `slopes` – derivative of row c along axis a at `[c][a]`
    fn rates<V: Lanes>(material: [V; MAX_PARAMETERS], slopes: [[V; 3]; 3]) -> [V; 6];
}

/// Velocities from the divergence of stress: dv/dt = div σ / ρ.
#[derive(Clone, Copy)]
pub struct Velocities;

impl Update for Velocities {
    const FIELDS: usize = 3;
    const HALF: usize = 0;
    const MIXING: usize = 3;
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::Rho([0; 3]), Parameter::Rho([1, 0, 0]), Parameter::Rho([0, 1, 0]), Parameter::Rho([0, 0, 1])];

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
    fn mix<V: Lanes>(factors: [V; MAX_FACTORS], slopes: &mut [[V; 3]; 3]) {
        for c in 0..3 {
            for axis in 0..3 {
                slopes[c][axis] = factors[c] * slopes[c][axis];
            }
        }
    }

    #[inline(always)]
    fn rates<V: Lanes>([own, before @ ..]: [V; MAX_PARAMETERS], slopes: [[V; 3]; 3]) -> [V; 6] {
        let mut rates = [V::constant(0.0); 6];
        for c in 0..3 {
            let buoyancy = face_buoyancy([before[c], own]);
            rates[c] = buoyancy * (slopes[c][0] + slopes[c][1] + slopes[c][2]);
        }
        rates
    }
}

/// Stresses from the gradient of velocity: dσ/dt = λ div v I + μ (∇v + ∇vᵀ).
#[derive(Clone, Copy)]
pub struct Stresses;

impl Update for Stresses {
    const FIELDS: usize = 6;
    const HALF: usize = 1;
    const MIXING: usize = 12;
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::Lambda,
        Parameter::InverseMu([0; 3]),
        Parameter::InverseMu([1, 0, 0]),
        Parameter::InverseMu([0, 1, 0]),
        Parameter::InverseMu([0, 0, 1]),
        Parameter::InverseMu([0, 1, 1]),
        Parameter::InverseMu([1, 0, 1]),
        Parameter::InverseMu([1, 1, 0]),
    ];

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
    fn mix<V: Lanes>(factors: [V; MAX_FACTORS], slopes: &mut [[V; 3]; 3]) {
        let [xx, xy, xz, yx, yy, yz, zx, zy, zz, shear @ ..] = factors;
        let normal = [slopes[0][0], slopes[1][1], slopes[2][2]];
        [slopes[0][0], slopes[1][1], slopes[2][2]] = mixed_slopes([xx, xy, xz, yx, yy, yz, zx, zy, zz], normal);
        for (axis, [a, b]) in [[1, 2], [0, 2], [0, 1]].into_iter().enumerate() {
            slopes[a][b] = shear[axis] * slopes[a][b];
            slopes[b][a] = shear[axis] * slopes[b][a];
        }
    }

    #[inline(always)]
    fn rates<V: Lanes>(material: [V; MAX_PARAMETERS], slopes: [[V; 3]; 3]) -> [V; 6] {
        let [lambda, inverse_mu, x, y, z, yz, xz, xy] = material;
        let [xx, yy, zz] = normal_stress_rates(lambda, inverse_mu, [slopes[0][0], slopes[1][1], slopes[2][2]]);
        let mut rates = [xx, yy, zz, xx, xx, xx];
        for ([a, b], cells) in [([1, 2], [y, z, yz]), ([0, 2], [x, z, xz]), ([0, 1], [x, y, xy])] {
            let [before_a, before_b, corner] = cells;
            let mu = edge_modulus([inverse_mu, before_a, before_b, corner]);
            rates[voigt(a, b)] = shear_stress_rate(mu, [slopes[a][b], slopes[b][a]]);
        }
        rates
    }
}
