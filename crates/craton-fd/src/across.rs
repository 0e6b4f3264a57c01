//! Velocity gradients next to an interface of two solids: those of a moment and of a sample.
//!
//! A moment M does the work M : ∇u. It therefore acts on grid points with the weights that interpolate the gradient. Across an interface, the
//! derivatives along the normal jump. The traction t = σ n and the derivatives along the interface are continuous and can be interpolated across it.
//! They determine the gradient G on one side, whose solid has λ and μ. For any tensor M, also one that is not symmetric,
//!
//! M : G = A : G' + B : σ',
//!
//! where G' and σ' are interpolated across the interface, and with m = M n, m_n = n · m and the projection P = 1 - n n^T,
//!
//! A = M P - n (P m)^T - m_n λ / (λ + 2 μ) P,  B = m_n / (λ + 2 μ) n n^T + (P m n^T + n m^T P) / (2 μ).
//!
//! Since σ = C G with the stiffness C of a point, the factor of its gradient is A + C B. Far from interfaces it is M.

use std::collections::{BTreeSet, HashMap};

use craton_comm::{CommError, Ranks};
use craton_device::Scalar;
use craton_physics::{Orthorhombic, edge_modulus};

use crate::boundary::Boundaries;
use crate::medium::{Kind, Medium};

type Tensor = [[f64; 3]; 3];

/// Share of a tensor [–] below which a component is round-off.
const ROUND_OFF: f64 = 1e-12;

/// A plane interface of two solids next to a position, and the solid that the position is in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidInterface {
    /// Its unit normal, of either direction.
    pub normal: [f64; 3],
    /// Unrelaxed λ and μ of the solid at the position [Pa]; μ is positive.
    pub moduli: [f64; 2],
}

/// A product M : G with the gradient at a position, as a sum over the gradients at the points around it.
pub struct GradientProduct {
    /// A: the part that is the same at all points.
    plain: Tensor,
    /// B: the part that a point multiplies by its stiffness [1/Pa].
    by_stiffness: Tensor,
    /// Largest component of M.
    size: f64,
    /// λ + 2 μ of the solid at the position [Pa].
    stiff: f64,
}

impl GradientProduct {
    /// # Arguments
    /// * `tensor` – M, of any unit
    /// * `interface` – none: all points have M itself
    pub fn new(tensor: Tensor, interface: Option<&SolidInterface>) -> Self {
        let size = tensor.as_flattened().iter().fold(0.0, |most: f64, own| most.max(own.abs()));
        let Some(SolidInterface { normal: n, moduli: [lambda, mu] }) = interface else {
            return Self { plain: tensor, by_stiffness: Tensor::default(), size, stiff: 0.0 };
        };
        let along = |a: usize, b: usize| f64::from(u8::from(a == b)) - n[a] * n[b];
        let on_normal = [0, 1, 2].map(|a| (0..3).map(|b| tensor[a][b] * n[b]).sum::<f64>());
        let opening: f64 = (0..3).map(|a| n[a] * on_normal[a]).sum();
        let slip = [0, 1, 2].map(|a| on_normal[a] - opening * n[a]);
        let stiff = lambda + 2.0 * mu;
        let plain = |a: usize, b: usize| {
            tensor[a][b] - on_normal[a] * n[b] - n[a] * slip[b] - opening * lambda / stiff * along(a, b)
        };
        let by_stiffness =
            |a: usize, b: usize| opening / stiff * n[a] * n[b] + (slip[a] * n[b] + n[a] * slip[b]) / (2.0 * mu);
        let of = |entry: &dyn Fn(usize, usize) -> f64| [0, 1, 2].map(|a| [0, 1, 2].map(|b| entry(a, b)));
        Self { plain: of(&plain), by_stiffness: of(&by_stiffness), size, stiff }
    }

    /// Whether the derivative of component `a` along `b` contributes to the product.
    pub fn has(&self, [a, b]: [usize; 2]) -> bool {
        let is_felt = |part: f64, scale: f64| (part * scale).abs() > ROUND_OFF * self.size;
        let stresses = if a == b { [0, 1, 2].map(|c| self.by_stiffness[c][c]) } else { [self.by_stiffness[a][b]; 3] };
        is_felt(self.plain[a][b], 1.0) || stresses.into_iter().any(|part| is_felt(part, self.stiff))
    }

    fn is_split(&self) -> bool {
        self.by_stiffness != Tensor::default()
    }

    /// Factor of the derivative of component `a` along `b` at a point of the stress of these axes.
    ///
    /// # Arguments
    /// * `stiffness` – that of the point; used only next to an interface
    pub fn at(&self, [a, b]: [usize; 2], stiffness: impl FnOnce() -> Orthorhombic) -> f64 {
        if !self.is_split() {
            return self.plain[a][b];
        }
        let own = stiffness();
        let of_stress = if a == b {
            (0..3).map(|c| own.normal[a][c] * self.by_stiffness[c][c]).sum()
        } else {
            2.0 * own.shear[3 - a - b] * self.by_stiffness[a][b]
        };
        self.plain[a][b] + of_stress
    }
}

/// Stiffness of the stress points around probes next to interfaces, by the index of their cells: normal at the centre, shear at the lower edges.
pub struct Stiffnesses(HashMap<[usize; 3], Orthorhombic>);

impl Stiffnesses {
    /// The stiffness at one of the cells.
    pub fn at(&self, cell: [usize; 3]) -> Orthorhombic {
        self.0[&cell]
    }

    /// Collects the stiffnesses of some cells from the ranks that they belong to. Every rank calls it with the same cells.
    ///
    /// # Arguments
    /// * `is_own` – whether a cell belongs to this rank
    /// # Errors
    /// A rank that is lost.
    pub fn gather<T: Scalar>(
        cells: BTreeSet<[usize; 3]>,
        medium: &Medium<T>,
        boundaries: &Boundaries,
        is_own: impl Fn([usize; 3]) -> bool,
        ranks: &dyn Ranks,
    ) -> Result<Self, CommError> {
        let own = cells.iter().copied().filter(|&cell| is_own(cell));
        let mut found: HashMap<_, _> = own.map(|cell| (cell, medium.stiffness(cell, boundaries))).collect();
        if ranks.count() == 1 || cells.is_empty() {
            return Ok(Self(found));
        }
        let row = |(cell, own): (&[usize; 3], &Orthorhombic)| {
            let numbers = cell.iter().map(|&i| i as f64);
            numbers.chain(own.normal.into_iter().flatten()).chain(own.shear).collect::<Vec<f64>>()
        };
        let rows: Vec<f64> = found.iter().flat_map(row).collect();
        for bytes in ranks.all_gather(bytemuck::cast_slice(&rows))? {
            let rows: Vec<f64> = bytemuck::pod_collect_to_vec(&bytes);
            for row in rows.chunks_exact(15) {
                let normal = [0, 1, 2].map(|a| [0, 1, 2].map(|b| row[3 + 3 * a + b]));
                let own = Orthorhombic { normal, shear: [row[12], row[13], row[14]] };
                found.insert([0, 1, 2].map(|axis| row[axis] as usize), own);
            }
        }
        Ok(Self(found))
    }
}

impl<T: Scalar> Medium<T> {
    /// Stiffness at the centre of a cell, and shear moduli at its lower edges.
    pub(crate) fn stiffness(&self, cell: [usize; 3], boundaries: &Boundaries) -> Orthorhombic {
        let own = self.beyond(cell.map(|i| i as i64), boundaries);
        let alone = Orthorhombic::isotropic(own.lambda.to_f64(), 1.0 / own.inverse_mu.to_f64());
        let mixture = self.mixture_at(cell);
        let shear = |axis: usize| {
            let around = self.around(cell, &[(axis + 1) % 3, (axis + 2) % 3], boundaries);
            let mixture = mixture.filter(|_| around.iter().all(|own| own.kind == Kind::Solid));
            let mean = || edge_modulus([0, 1, 2, 3].map(|number| around[number].inverse_mu.to_f64()));
            mixture.map_or_else(mean, |mixture| mixture.shear[axis])
        };
        Orthorhombic {
            normal: mixture.map_or(alone.normal, |mixture| mixture.normal.normal),
            shear: [0, 1, 2].map(shear),
        }
    }
}
