//! Rotation of a stiffness.

use super::{Stiffness, voigt};
use crate::error::PhysicsError;

/// Tolerance of a rotation matrix times its transpose from the identity.
const MAX_DEVIATION: f64 = 1e-9;

impl Stiffness {
    /// The solid rotated in space.
    ///
    /// # Arguments
    /// * `rotation` – x' = R x maps a direction of the solid before the rotation to that after it
    /// # Errors
    /// [`NotARotation`](PhysicsError::NotARotation) if R Rᵀ differs from the identity by more than
    /// 1e-9.
    pub fn rotated(&self, rotation: &[[f64; 3]; 3]) -> Result<Self, PhysicsError> {
        let deviation = deviation_from_rotation(rotation);
        // Written so that a matrix with NaN is rejected too.
        if deviation <= MAX_DEVIATION {
            return Ok(self.turned(rotation));
        }
        Err(PhysicsError::NotARotation { deviation, allowed: MAX_DEVIATION })
    }

    /// The solid rotated by a matrix that has been checked.
    pub(super) fn turned(&self, rotation: &[[f64; 3]; 3]) -> Self {
        let bond = bond_matrix(rotation);
        let half = product(&bond, &self.matrix());
        Self::from_upper(&product(&half, &transposed(&bond)))
    }
}

/// The 6 × 6 Bond matrix that rotates stress in Voigt order: σ' = M σ, hence c' = M c Mᵀ.
///
/// # Source
/// Bond (1943), The mathematics of the physical properties of crystals.
fn bond_matrix(r: &[[f64; 3]; 3]) -> [[f64; 6]; 6] {
    let mut bond = [[0.0; 6]; 6];
    for i in 0..3 {
        for j in i..3 {
            for p in 0..3 {
                for q in p..3 {
                    let mirrored = if p == q { 0.0 } else { r[i][q] * r[j][p] };
                    bond[voigt(i, j)][voigt(p, q)] = r[i][p] * r[j][q] + mirrored;
                }
            }
        }
    }
    bond
}

/// The Frobenius norm of R Rᵀ − I; NaN if an entry of R is NaN.
fn deviation_from_rotation(r: &[[f64; 3]; 3]) -> f64 {
    let mut squares = 0.0;
    for (i, row) in product(r, &transposed(r)).iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            squares += (value - f64::from(u8::from(i == j))).powi(2);
        }
    }
    squares.sqrt()
}

/// The product of two square matrices.
fn product<const N: usize>(a: &[[f64; N]; N], b: &[[f64; N]; N]) -> [[f64; N]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..N).map(|k| a[i][k] * b[k][j]).sum()))
}

/// The transpose of a square matrix.
fn transposed<const N: usize>(a: &[[f64; N]; N]) -> [[f64; N]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}
