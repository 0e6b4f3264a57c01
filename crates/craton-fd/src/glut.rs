//! Stress glut of a moment next to an interface of two solids.
//!
//! A moment M does the work M : ε in a strain ε, so that it acts on the grid as its strain is interpolated from there. Across an interface, the normal
//! strain and the shear strains in planes through the normal jump. The traction t = σ n and the strain ε_T along the interface are continuous and can
//! be interpolated across it. They determine the strain on the side of the source, whose solid has λ and μ:
//!
//! M : ε = A : ε_T + B : σ,
//!
//! with m = M n, m_n = n · m and the projection P = 1 - n n^T,
//!
//! A = P M P - m_n λ / (λ + 2 μ) P,  B = m_n / (λ + 2 μ) n n^T + (P m n^T + n m^T P) / (2 μ).
//!
//! Since σ = C ε with the stiffness C of a point, the glut there is A + C B. Far from interfaces it is M.

use craton_device::Scalar;
use craton_fd_kernels::voigt;
use craton_physics::{Orthorhombic, edge_modulus};

use crate::boundary::Boundaries;
use crate::medium::{Kind, Medium};

type Tensor = [[f64; 3]; 3];

/// Axes of the stresses in Voigt order.
const AXES: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [1, 2], [0, 2], [0, 1]];
/// Share of a moment [–] below which a component is round-off.
const ROUND_OFF: f64 = 1e-12;

/// A plane interface of two solids next to a source, and the solid that the source is in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidInterface {
    /// Its unit normal, of either direction.
    pub normal: [f64; 3],
    /// λ and μ of the solid at the source [Pa].
    pub moduli: [f64; 2],
}

/// A moment in the form in which points with different stiffness take it.
pub struct Glut {
    /// A: the part that is the same at all points [N m].
    strain: Tensor,
    /// B: the part that a point multiplies by its stiffness [m³].
    stress: Tensor,
    /// Magnitude of the moment [N m].
    size: f64,
}

impl Glut {
    /// # Arguments
    /// * `moment` – in Voigt order [N m]
    /// * `interface` – none: all points have the moment itself
    pub fn new(moment: &[f64; 6], interface: Option<&SolidInterface>) -> Self {
        let moment: Tensor = [0, 1, 2].map(|a| [0, 1, 2].map(|b| moment[voigt(a, b)]));
        let size = moment.as_flattened().iter().fold(0.0, |most: f64, own| most.max(own.abs()));
        let Some(SolidInterface { normal: n, moduli: [lambda, mu] }) = interface else {
            return Self { strain: moment, stress: Tensor::default(), size };
        };
        let along = |a: usize, b: usize| f64::from(u8::from(a == b)) - n[a] * n[b];
        let on_normal = [0, 1, 2].map(|a| (0..3).map(|b| moment[a][b] * n[b]).sum::<f64>());
        let opening: f64 = (0..3).map(|a| n[a] * on_normal[a]).sum();
        let slip = [0, 1, 2].map(|a| on_normal[a] - opening * n[a]);
        let stiff = lambda + 2.0 * mu;
        let projected = |a: usize, b: usize| moment[a][b] - n[a] * slip[b] - slip[a] * n[b] - opening * n[a] * n[b];
        let strain = |a: usize, b: usize| projected(a, b) - opening * lambda / stiff * along(a, b);
        let stress =
            |a: usize, b: usize| opening / stiff * n[a] * n[b] + (slip[a] * n[b] + n[a] * slip[b]) / (2.0 * mu);
        let tensor = |of: &dyn Fn(usize, usize) -> f64| [0, 1, 2].map(|a| [0, 1, 2].map(|b| of(a, b)));
        Self { strain: tensor(&strain), stress: tensor(&stress), size }
    }

    /// Whether a stress, in Voigt order, has a share of it above round-off.
    pub fn acts_on(&self, index: usize) -> bool {
        let [a, b] = AXES[index];
        self.is_split() || self.strain[a][b].abs() > ROUND_OFF * self.size
    }

    fn is_split(&self) -> bool {
        self.stress != Tensor::default()
    }

    /// Its value for a stress, in Voigt order, at a point of a medium [N m].
    pub fn at<T: Scalar>(&self, index: usize, point: [usize; 3], medium: &Medium<T>, boundaries: &Boundaries) -> f64 {
        let [a, b] = AXES[index];
        if !self.is_split() {
            return self.strain[a][b];
        }
        let of_stress = if a == b {
            let stiffness = medium.normal_stiffness(point, boundaries)[a];
            (0..3).map(|c| stiffness[c] * self.stress[c][c]).sum()
        } else {
            2.0 * medium.shear_modulus(index - 3, point, boundaries) * self.stress[a][b]
        };
        self.strain[a][b] + of_stress
    }
}

impl<T: Scalar> Medium<T> {
    /// Normal stresses at the centre of a cell from normal strains [Pa].
    fn normal_stiffness(&self, cell: [usize; 3], boundaries: &Boundaries) -> [[f64; 3]; 3] {
        let own = self.beyond(cell.map(|i| i as i64), boundaries);
        let alone = Orthorhombic::isotropic(own.lambda.to_f64(), 1.0 / own.inverse_mu.to_f64());
        self.mixtures_from(cell, 1).next().map_or(alone, |(.., mixture)| mixture.normal).normal
    }

    /// Shear modulus at the lower edge of a cell along an axis [Pa].
    fn shear_modulus(&self, axis: usize, cell: [usize; 3], boundaries: &Boundaries) -> f64 {
        let around = self.around(cell, &[(axis + 1) % 3, (axis + 2) % 3], boundaries);
        let mixture = self.mixtures_from(cell, 1).next().filter(|_| around.iter().all(|own| own.kind == Kind::Solid));
        let mean = || edge_modulus([0, 1, 2, 3].map(|number| around[number].inverse_mu.to_f64()));
        mixture.map_or_else(mean, |(.., mixture)| mixture.shear[axis])
    }
}
