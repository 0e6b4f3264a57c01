//! Numbers with their gradients (forward-mode automatic differentiation).

use std::ops::{Add, Div, Mul, Neg, Sub};

use craton_physics::Real;

/// A number and its derivatives with respect to three variables.
#[derive(Clone, Copy)]
pub struct Dual<R> {
    pub value: R,
    pub slope: [R; 3],
}

impl<R: Real> Dual<R> {
    /// A number with derivative `slope` with respect to variable `axis`.
    #[inline(always)]
    pub fn along(value: R, axis: usize, slope: R) -> Self {
        let zero = R::constant(0.0);
        let mut dual = Self { value, slope: [zero; 3] };
        dual.slope[axis] = slope;
        dual
    }

    /// A number with derivatives `factor` times those of `self`.
    #[inline(always)]
    fn chain(self, value: R, factor: R) -> Self {
        let [x, y, z] = self.slope;
        Self { value, slope: [factor * x, factor * y, factor * z] }
    }
}

impl<R: Real> Add for Dual<R> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.slope, other.slope);
        Self { value: self.value + other.value, slope: [a + d, b + e, c + f] }
    }
}

impl<R: Real> Sub for Dual<R> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<R: Real> Neg for Dual<R> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let [x, y, z] = self.slope;
        Self { value: -self.value, slope: [-x, -y, -z] }
    }
}

impl<R: Real> Mul for Dual<R> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self.chain(self.value, other.value), other.chain(other.value, self.value));
        Self { value: self.value * other.value, ..a + b }
    }
}

impl<R: Real> Div for Dual<R> {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let quotient = self.value / other.value;
        let slope = self + -other.chain(other.value, quotient);
        Self { value: quotient, ..slope.chain(quotient, other.value.recip()) }
    }
}

impl<R: Real> Real for Dual<R> {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        Self { value: R::constant(value), slope: [R::constant(0.0); 3] }
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, R::constant(0.5) * root.recip())
    }

    #[inline(always)]
    fn recip(self) -> Self {
        let inverse = self.value.recip();
        self.chain(inverse, -(inverse * inverse))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self::select_less(self, Self::constant(0.0), -self, self)
    }

    #[inline(always)]
    fn select_less(a: Self, b: Self, if_less: Self, otherwise: Self) -> Self {
        let mut chosen = otherwise;
        chosen.value = R::select_less(a.value, b.value, if_less.value, otherwise.value);
        for axis in 0..3 {
            chosen.slope[axis] = R::select_less(a.value, b.value, if_less.slope[axis], otherwise.slope[axis]);
        }
        chosen
    }
}
