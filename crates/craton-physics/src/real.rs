//! The scalar type of the laws.

use core::ops::{Add, Div, Mul, Neg, Sub};

/// A scalar of a law: `f32`, `f64`, a vector of SIMD lanes, or the tracing [`Expr`](crate::Expr).
///
/// Every operation is explicit, so that a law rounds identically on every device: an implementation neither contracts `a * b + c` implicitly nor reorders a
/// sum. No comparison returns `bool`: a law is branch-free and selects values with [`select_less`](Real::select_less).
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The same constant in every lane, rounded to the precision of the scalar.
    fn constant(value: f64) -> Self;

    /// `self * a + b`: one rounding if the hardware has a fused multiply-add, two otherwise; never a library call.
    fn mul_add(self, a: Self, b: Self) -> Self;

    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;

    /// `1 / self`, correctly rounded.
    fn recip(self) -> Self;

    /// The absolute value.
    fn abs(self) -> Self;

    /// `if_less` where `a < b`, `otherwise` elsewhere (also if one of them is NaN). Both are always evaluated.
    fn select_less(a: Self, b: Self, if_less: Self, otherwise: Self) -> Self;

    /// The smaller of two values; `other` if they are unordered (NaN).
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select_less(self, other, self, other)
    }

    /// The larger of two values; `other` if they are unordered (NaN).
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select_less(other, self, self, other)
    }
}

macro_rules! real_for_float {
    ($float:ty) => {
        impl Real for $float {
            #[inline(always)]
            fn constant(value: f64) -> Self {
                value as $float
            }

            // Without the instruction the standard library's `mul_add` is a software routine some thirty times slower.
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
                    <$float>::mul_add(self, a, b)
                } else {
                    self * a + b
                }
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                <$float>::sqrt(self)
            }

            #[inline(always)]
            fn recip(self) -> Self {
                1.0 / self
            }

            #[inline(always)]
            fn abs(self) -> Self {
                <$float>::abs(self)
            }

            #[inline(always)]
            fn select_less(a: Self, b: Self, if_less: Self, otherwise: Self) -> Self {
                if a < b { if_less } else { otherwise }
            }
        }
    };
}

real_for_float!(f32);
real_for_float!(f64);
