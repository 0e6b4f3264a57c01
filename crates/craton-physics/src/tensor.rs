//! Small tensors in three dimensions.

use crate::real::Real;

/// A symmetric second-rank tensor, stored as six components in Voigt order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sym3<R> {
    /// Component (x, x).
    pub xx: R,
    /// Component (y, y).
    pub yy: R,
    /// Component (z, z).
    pub zz: R,
    /// Components (y, z) and (z, y).
    pub yz: R,
    /// Components (x, z) and (z, x).
    pub xz: R,
    /// Components (x, y) and (y, x).
    pub xy: R,
}

impl<R: Real> Sym3<R> {
    /// The components in Voigt order xx, yy, zz, yz, xz, xy.
    #[inline(always)]
    pub fn to_voigt(self) -> [R; 6] {
        [self.xx, self.yy, self.zz, self.yz, self.xz, self.xy]
    }

    /// Creates a tensor from its components in Voigt order xx, yy, zz, yz, xz, xy.
    #[inline(always)]
    pub fn from_voigt([xx, yy, zz, yz, xz, xy]: [R; 6]) -> Self {
        Self { xx, yy, zz, yz, xz, xy }
    }

    /// The full matrix, row by row.
    #[inline(always)]
    pub fn to_matrix(self) -> [[R; 3]; 3] {
        [[self.xx, self.xy, self.xz], [self.xy, self.yy, self.yz], [self.xz, self.yz, self.zz]]
    }

    /// The tensor applied to a vector, `Σⱼ sᵢⱼ vⱼ`.
    #[inline(always)]
    pub fn apply(self, v: [R; 3]) -> [R; 3] {
        let [x, y, z] = self.to_matrix();
        [dot(x, v), dot(y, v), dot(z, v)]
    }
}

/// `a · b`, accumulated with fused multiply-adds from the first component to the last.
#[inline(always)]
pub(crate) fn dot<R: Real>(a: [R; 3], b: [R; 3]) -> R {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

/// `a × b`.
#[inline(always)]
pub(crate) fn cross<R: Real>(a: [R; 3], b: [R; 3]) -> [R; 3] {
    [a[1].mul_add(b[2], -(a[2] * b[1])), a[2].mul_add(b[0], -(a[0] * b[2])), a[0].mul_add(b[1], -(a[1] * b[0]))]
}
