//! Transversely isotropic media without shear modulus along their axis. Where it is vertical (`tilted` has other axes):
//!
//! ```text
//! ∂v/∂t = -(1/ρ) (∂p/∂x, ∂p/∂y, ∂r/∂z)
//! ∂r/∂t = -κ (∂v_z/∂z + s h - q)           h = ∂v_x/∂x + ∂v_y/∂y
//! ∂p/∂t = -κ (s ∂v_z/∂z + l h - s q)
//! ```
//!
//! with κ = ρ vp² along the axis, s = √(1 + 2δ) and l = 1 + 2ε. The pressure of sources and receivers is r, the normal stress along the axis, which is
//! continuous across horizontal interfaces; p is the normal stress across it. A medium is stable where l >= s², that is ε >= δ. Where l = s², as in a fluid,
//! p = s r at all times: there is no second wave.

use craton_device::{AlignedVec, Scalar};
use rayon::prelude::*;

use super::layout::Layout;
use super::medium::AcousticMedium;
use super::setup::PRESSURE;
use crate::error::FdError;

/// Index of the normal stress across the axis among the fields; a medium with attenuation has memory variables there.
pub const LATERAL: usize = PRESSURE + 1;
/// Tolerance of l >= s², for round-off \[–\].
const SAME: f64 = 1e-9;
/// Relative distance of numbers in single precision, or a little more.
const NEXT: f64 = 1.2e-7;

/// The two ratios of moduli of a transversely isotropic cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransverseModuli {
    /// s = √(1 + 2δ) \[–\]: F / C of Love's moduli.
    pub coupling: f64,
    /// l = 1 + 2ε \[–\]: A / C of Love's moduli.
    pub lateral: f64,
}

impl TransverseModuli {
    /// Those of an isotropic fluid.
    pub const ISOTROPIC: Self = Self { coupling: 1.0, lateral: 1.0 };

    /// The ratios from Thomsen's ε and δ, for a medium without shear modulus along its axis.
    pub fn of_thomsen(epsilon: f64, delta: f64) -> Self {
        Self { coupling: (1.0 + 2.0 * delta).sqrt(), lateral: 1.0 + 2.0 * epsilon }
    }

    /// The ratios of a medium of thin horizontal layers.
    ///
    /// C = 1 / ⟨1/C⟩, F = C ⟨F/C⟩, A = ⟨A - F²/C⟩ + F²/C. A medium of stable layers is stable, one of fluids is a fluid.
    ///
    /// # Arguments
    /// * `parts` – fraction of the volume, κ = C [Pa] and ratios of each material
    /// # Source
    /// Backus (1962), Journal of Geophysical Research 67, 4427-4440, equation 13. Verified by `thin_layers_have_the_average_of_backus`.
    pub fn averaged(parts: impl Iterator<Item = (f64, f64, Self)>) -> Self {
        let mut sums = [0.0; 4];
        for (part, kappa, Self { coupling, lateral }) in parts {
            let terms = [1.0, 1.0 / kappa, coupling, kappa * (lateral - coupling * coupling)];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += part * term);
        }
        let [compliance, coupling, stiffness] = [1, 2, 3].map(|n| sums[n] / sums[0]);
        Self { coupling, lateral: stiffness * compliance + coupling * coupling }
    }

    /// Whether no deformation has a negative energy.
    fn is_stable(&self) -> bool {
        let Self { coupling, lateral } = *self;
        coupling >= 0.0 && lateral > 0.0 && lateral.is_finite() && coupling * coupling <= lateral * (1.0 + SAME)
    }

    /// The ratios as the solver stores them: rounding makes no energy negative.
    fn rounded<T: Scalar>(&self) -> [T; 2] {
        let (lateral, mut coupling) = (T::from_f64(self.lateral), T::from_f64(self.coupling));
        while coupling.to_f64().powi(2) > lateral.to_f64() {
            coupling = T::from_f64(coupling.to_f64() * (1.0 - NEXT));
        }
        [coupling, lateral]
    }
}

/// Transverse isotropy of the cells, x fastest.
#[derive(Debug, Clone)]
pub struct Transverse<T> {
    /// Ratios of moduli s and l.
    ratios: [Vec<T>; 2],
    /// Unit vector of the axis; none if it is vertical.
    axis: Option<[Vec<T>; 3]>,
}

impl<T: Scalar> Transverse<T> {
    /// The same with other lists of values.
    pub(super) fn map(&self, of: impl Fn(&[T]) -> Vec<T>) -> Self {
        let axis = self.axis.as_ref().map(|axis| axis.each_ref().map(|own| of(own)));
        Self { ratios: self.ratios.each_ref().map(|own| of(own)), axis }
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.ratios.iter().chain(self.axis.iter().flatten()).map(Vec::len).sum()
    }
}

impl<T: Scalar> AcousticMedium<T> {
    /// Makes the medium transversely isotropic; its bulk modulus is that along the vertical axis.
    ///
    /// # Arguments
    /// * `moduli` – ratios of moduli of each cell
    /// # Errors
    /// A cell that is not stable: δ > ε, δ < -1/2 or ε <= -1/2.
    pub fn with_transverse(mut self, moduli: impl Fn([usize; 3]) -> TransverseModuli + Sync) -> Result<Self, FdError> {
        let [nx, ny, _] = self.grid().cells;
        let of_cell = |number: usize| {
            let cell = [number % nx, number / nx % ny, number / (nx * ny)];
            let own = moduli(cell);
            let TransverseModuli { coupling, lateral } = own;
            if own.is_stable() { Ok(own.rounded()) } else { Err(FdError::Transverse { cell, coupling, lateral }) }
        };
        let all: Vec<[T; 2]> = (0..self.grid().n_cells()).into_par_iter().map(of_cell).collect::<Result<_, _>>()?;
        let ratios = [0, 1].map(|ratio| all.iter().map(|own| own[ratio]).collect());
        self.transverse = Some(Transverse { ratios, axis: None });
        Ok(self)
    }

    /// Tilts the axis of a transversely isotropic medium.
    ///
    /// # Arguments
    /// * `axis` – its direction in each cell; without component along y in 2D
    /// # Errors
    /// A direction without length or with a component along y in 2D.
    ///
    /// # Panics
    /// If the medium is not transversely isotropic.
    pub fn with_tilt(mut self, axis: impl Fn([usize; 3]) -> [f64; 3] + Sync) -> Result<Self, FdError> {
        let ([nx, ny, _], is_plane) = (self.grid().cells, self.axes().len() == 2);
        let of_cell = |number: usize| {
            let cell = [number % nx, number / nx % ny, number / (nx * ny)];
            let own = axis(cell);
            let length = own.iter().map(|x| x * x).sum::<f64>().sqrt();
            let is_possible = length > 0.0 && length.is_finite() && !(is_plane && own[1].abs() > SAME * length);
            let unit = own.map(|x| T::from_f64(x / length));
            if is_possible { Ok(unit) } else { Err(FdError::Tilt { cell, axis: own }) }
        };
        let all: Vec<[T; 3]> = (0..self.grid().n_cells()).into_par_iter().map(of_cell).collect::<Result<_, _>>()?;
        let transverse = self.transverse.as_mut().expect("a transversely isotropic medium");
        transverse.axis = Some([0, 1, 2].map(|component| all.iter().map(|own| own[component]).collect()));
        Ok(self)
    }

    /// Whether the medium is transversely isotropic with an axis that is not vertical.
    pub fn is_tilted(&self) -> bool {
        self.transverse.as_ref().is_some_and(|own| own.axis.is_some())
    }

    /// Whether the medium is transversely isotropic.
    pub fn is_transverse(&self) -> bool {
        self.transverse.is_some()
    }

    /// Ratios of moduli of a cell.
    pub fn transverse_moduli(&self, cell: [usize; 3]) -> TransverseModuli {
        let Some(Transverse { ratios, .. }) = &self.transverse else { return TransverseModuli::ISOTROPIC };
        let [coupling, lateral] = ratios.each_ref().map(|ratio| ratio[self.grid().number(cell)].to_f64());
        TransverseModuli { coupling, lateral }
    }

    /// κ times the largest sum of the moduli of a row of the law, weighted by the sums of derivatives along the axes \[Pa/m²\].
    pub(super) fn largest_row(&self, cell: [usize; 3], along: impl Iterator<Item = (usize, f64)>) -> f64 {
        let (mut across, mut vertical) = (0.0, 0.0);
        along.for_each(|(axis, own)| *if axis == 2 { &mut vertical } else { &mut across } += own);
        let TransverseModuli { coupling, lateral } = self.transverse_moduli(cell);
        if self.is_tilted() {
            // The axis may be parallel to any derivative.
            return self.kappa(cell) * lateral.max(1.0) * (across + vertical);
        }
        self.kappa(cell) * f64::max(coupling * across + vertical, lateral * across + coupling * vertical)
    }

    /// Checks that gradients with respect to the medium are supported.
    ///
    /// # Errors
    /// Attenuation, transverse isotropy.
    pub(super) fn require_gradients(&self) -> Result<(), FdError> {
        match self {
            _ if self.mechanisms().is_some() => Err(FdError::LossyGradient),
            _ if self.is_transverse() => Err(FdError::TransverseGradient),
            _ => Ok(()),
        }
    }
}

/// The ratios with the layout of the fields, zero beyond the grid.
pub fn ratios<T: Scalar>(medium: &AcousticMedium<T>, layout: &Layout) -> Option<[AlignedVec<T>; 2]> {
    let Transverse { ratios, .. } = medium.transverse.as_ref()?;
    Some(ratios.each_ref().map(|of_cells| arranged(of_cells, medium, layout)))
}

/// The unit vector of the axis of a tilted medium with the layout of the fields, zero beyond the grid.
///
/// # Panics
/// If the medium is not tilted.
pub fn axes<T: Scalar>(medium: &AcousticMedium<T>, layout: &Layout) -> [AlignedVec<T>; 3] {
    let axis = medium.transverse.as_ref().and_then(|own| own.axis.as_ref()).expect("a tilted medium");
    axis.each_ref().map(|of_cells| arranged(of_cells, medium, layout))
}

/// Values of the cells with the layout of the fields, zero beyond the grid.
fn arranged<T: Scalar>(of_cells: &[T], medium: &AcousticMedium<T>, layout: &Layout) -> AlignedVec<T> {
    let [nx, ny, nz] = layout.cells;
    let mut values: AlignedVec<T> = AlignedVec::zeroed(layout.len());
    for (k, j) in (0..nz).flat_map(|k| (0..ny).map(move |j| (k, j))) {
        values[layout.row(j, k)..][..nx].copy_from_slice(&of_cells[medium.grid().number([0, j, k])..][..nx]);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_elliptic_media_stable() {
        for n in 0..1000 {
            let delta = -0.45 + 0.001 * f64::from(n);
            let [coupling, lateral] = TransverseModuli::of_thomsen(delta, delta).rounded::<f32>().map(f64::from);
            assert!(coupling * coupling <= lateral && coupling * coupling >= lateral * (1.0 - 6e-7), "{delta}");
        }
        assert_eq!(TransverseModuli::ISOTROPIC.rounded::<f32>(), [1.0; 2]);
    }

    #[test]
    fn thin_layers_have_the_average_of_backus() {
        let fluids = [(0.3, 2e9), (0.7, 5e9)].map(|(part, kappa)| (part, kappa, TransverseModuli::ISOTROPIC));
        let mean = TransverseModuli::averaged(fluids.into_iter());
        assert!((mean.coupling - 1.0).abs() < 1e-15 && (mean.lateral - 1.0).abs() < 1e-15);
        let one = TransverseModuli::of_thomsen(0.2, 0.1);
        let same = TransverseModuli::averaged([(0.3, 4e9, one), (0.2, 4e9, one)].into_iter());
        assert!((same.coupling - one.coupling).abs() < 1e-15 && (same.lateral - one.lateral).abs() < 1e-15);
        // Horizontal strain of two layers with the same vertical stress, per unit of it.
        let [a, b] = [(2e9, one), (6e9, TransverseModuli::of_thomsen(0.3, -0.1))];
        let parts = [a, b].map(|(kappa, own)| (0.5, kappa, own));
        let mean = TransverseModuli::averaged(parts.into_iter());
        let kappa = 2.0 / (1.0 / a.0 + 1.0 / b.0);
        let (stress, strain) = (1.0, 1e-9);
        let lateral = |(kappa, own): (f64, TransverseModuli)| {
            let vertical = stress / kappa - own.coupling * strain;
            (vertical, kappa * (own.coupling * vertical + own.lateral * strain))
        };
        let [one, other] = [lateral(a), lateral(b)];
        let expected = (0.5 * (one.0 + other.0), 0.5 * (one.1 + other.1));
        let found = lateral((kappa, mean));
        assert!((found.0 - expected.0).abs() < 1e-14 * strain && (found.1 / expected.1 - 1.0).abs() < 1e-12);
    }
}
