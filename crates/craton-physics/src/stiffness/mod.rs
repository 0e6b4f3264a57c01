//! The stiffness of an elastic solid, in f64, for use before the time loop.

mod backward;
mod christoffel;
mod eigen;
mod love;
mod rotation;
mod thomsen;

pub use christoffel::PlaneWave;
pub use love::Love;
pub use thomsen::{Thomsen, tilted_axis};

use crate::error::PhysicsError;
use eigen::symmetric_eigen;

/// The 21 coefficients of an elastic solid [Pa].
///
/// They are the upper triangle, row by row, of the symmetric 6 × 6 matrix between stress and
/// (ε_xx, ε_yy, ε_zz, 2 ε_yz, 2 ε_xz, 2 ε_xy): the order of
/// [`stress_anisotropic`](crate::stress_anisotropic).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness(pub [f64; 21]);

/// A modulus below this fraction of the largest one counts as zero.
const RELATIVE_ZERO: f64 = 1e-12;

/// Two halves of a matrix that differ by less than this fraction of its largest entry are equal.
const RELATIVE_ASYMMETRY: f64 = 1e-9;

impl Stiffness {
    /// An isotropic solid.
    ///
    /// # Arguments
    /// * `lambda`, `mu` – Lamé parameters [Pa]
    pub fn isotropic(lambda: f64, mu: f64) -> Self {
        let axial = lambda + 2.0 * mu;
        let mut matrix = [[0.0; 6]; 6];
        for i in 0..3 {
            matrix[i][..3].fill(lambda);
            matrix[i][i] = axial;
            matrix[i + 3][i + 3] = mu;
        }
        Self::from_upper(&matrix)
    }

    /// An isotropic solid given by its wave speeds.
    ///
    /// # Arguments
    /// * `vp`, `vs` – speeds of P and S waves [m/s]
    /// * `rho` – density [kg/m³]
    pub fn from_speeds(vp: f64, vs: f64, rho: f64) -> Self {
        Self::isotropic(rho * (vp * vp - 2.0 * vs * vs), rho * vs * vs)
    }

    /// A solid given by its full stiffness matrix.
    ///
    /// # Arguments
    /// * `matrix` – 6 × 6 coefficients [Pa] in Voigt order xx, yy, zz, yz, xz, xy
    /// # Errors
    /// The matrix is not finite, not symmetric within 1e-9 of its largest entry, or not [positive definite](Self::check).
    pub fn from_matrix(matrix: &[[f64; 6]; 6]) -> Result<Self, PhysicsError> {
        check_finite(matrix)?;
        let largest = matrix.iter().flatten().fold(0.0, |m: f64, c| m.max(c.abs()));
        for (i, j) in upper_triangle() {
            let (above, below) = (matrix[i][j], matrix[j][i]);
            if (above - below).abs() > RELATIVE_ASYMMETRY * largest {
                let (row, column) = (i + 1, j + 1);
                return Err(PhysicsError::StiffnessNotSymmetric { row, column, above, below });
            }
        }
        let stiffness = Self::from_upper(matrix);
        stiffness.check()?;
        Ok(stiffness)
    }

    /// The upper triangle of a symmetric matrix.
    fn from_upper(matrix: &[[f64; 6]; 6]) -> Self {
        let mut coefficients = [0.0; 21];
        for (value, (i, j)) in coefficients.iter_mut().zip(upper_triangle()) {
            *value = matrix[i][j];
        }
        Self(coefficients)
    }

    /// The full 6 × 6 matrix [Pa] in Voigt order xx, yy, zz, yz, xz, xy.
    pub fn matrix(&self) -> [[f64; 6]; 6] {
        let mut matrix = [[0.0; 6]; 6];
        for (&value, (i, j)) in self.0.iter().zip(upper_triangle()) {
            matrix[i][j] = value;
            matrix[j][i] = value;
        }
        matrix
    }

    /// Checks that the coefficients are finite and the stiffness positive definite.
    ///
    /// # Errors
    /// [`StiffnessNotFinite`](PhysicsError::StiffnessNotFinite) with the coefficient,
    /// [`StiffnessNotPositive`](PhysicsError::StiffnessNotPositive) with the smallest modulus.
    pub fn check(&self) -> Result<(), PhysicsError> {
        check_finite(&self.matrix())?;
        let [smallest, .., largest] = self.moduli();
        if smallest > RELATIVE_ZERO * largest {
            return Ok(());
        }
        Err(PhysicsError::StiffnessNotPositive { smallest, largest })
    }

    /// Whether the stiffness is positive definite.
    pub fn is_positive_definite(&self) -> bool {
        self.check().is_ok()
    }

    /// The six moduli [Pa], ascending: eigenvalues in Kelvin's notation, where they do not depend
    /// on the axes. An isotropic solid has 2 μ five times and 3 λ + 2 μ once.
    ///
    /// # Source
    /// Mehrabadi & Cowin (1990), Eigentensors of linear anisotropic elastic materials.
    pub fn moduli(&self) -> [f64; 6] {
        let mut kelvin = self.matrix();
        for (i, row) in kelvin.iter_mut().enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                let shears = usize::from(i > 2) + usize::from(j > 2);
                *value *= [1.0, std::f64::consts::SQRT_2, 2.0][shears];
            }
        }
        symmetric_eigen(kelvin).0
    }

    /// The Lamé parameters λ, μ [Pa] of the closest isotropic solid.
    ///
    /// # Source
    /// Fedorov (1968), Theory of Elastic Waves in Crystals; it has the bulk and shear
    /// moduli of Voigt's average.
    pub fn isotropic_average(&self) -> (f64, f64) {
        let c = self.matrix();
        let axial = c[0][0] + c[1][1] + c[2][2];
        let coupling = c[0][1] + c[0][2] + c[1][2];
        let shear = c[3][3] + c[4][4] + c[5][5];
        let bulk_modulus = (axial + 2.0 * coupling) / 9.0;
        let mu = (axial - coupling + 3.0 * shear) / 15.0;
        (bulk_modulus - 2.0 / 3.0 * mu, mu)
    }
}

/// Rows and columns of the 21 coefficients.
fn upper_triangle() -> impl Iterator<Item = (usize, usize)> {
    (0..6).flat_map(|i| (i..6).map(move |j| (i, j)))
}

/// Returns an error for a coefficient that is not finite.
fn check_finite(matrix: &[[f64; 6]; 6]) -> Result<(), PhysicsError> {
    for (i, row) in matrix.iter().enumerate() {
        if let Some(j) = row.iter().position(|value| !value.is_finite()) {
            let (row, column, value) = (i + 1, j + 1, row[j]);
            return Err(PhysicsError::StiffnessNotFinite { row, column, value });
        }
    }
    Ok(())
}

/// Index of the tensor component (i, j) in Voigt order.
fn voigt(i: usize, j: usize) -> usize {
    if i == j { i } else { 6 - i - j }
}
