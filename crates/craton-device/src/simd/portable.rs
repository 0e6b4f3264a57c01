//! Portable lanes: a plain array, which the compiler vectorises on any processor.

use core::ops::{Add, Div, Mul, Neg, Sub};

use craton_physics::Real;

use super::{Lanes, NodeScratch, Scalar, check_cast};

/// Number of lanes of the portable type. Processors with x86-64 but without AVX2 are old: a single lane shortens the compilation of kernels for them.
const COUNT: usize = if cfg!(target_arch = "x86_64") { 1 } else { 4 };

/// Some scalars.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Portable<T>([T; COUNT]);

impl<T: Scalar> Portable<T> {
    #[inline(always)]
    fn map(self, f: impl Fn(T) -> T) -> Self {
        Self(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }
}

macro_rules! operator {
    ($($operator:ident $method:ident),*) => { $(
        impl<T: Scalar> $operator for Portable<T> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, T::$method)
            }
        }
    )* };
}
operator!(Add add, Sub sub, Mul mul, Div div);

impl<T: Scalar> Neg for Portable<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(T::neg)
    }
}

impl<T: Scalar> Real for Portable<T> {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        Self([T::constant(value); COUNT])
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane].mul_add(a.0[lane], b.0[lane])))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(T::sqrt)
    }
    #[inline(always)]
    fn recip(self) -> Self {
        self.map(T::recip)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(T::abs)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, T::min)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, T::max)
    }
    #[inline(always)]
    fn select_less(a: Self, b: Self, if_less: Self, otherwise: Self) -> Self {
        Self(std::array::from_fn(|lane| T::select_less(a.0[lane], b.0[lane], if_less.0[lane], otherwise.0[lane])))
    }
}

impl<T: Scalar> Lanes for Portable<T> {
    type Scalar = T;
    const COUNT: usize = COUNT;

    #[inline(always)]
    fn splat(value: T) -> Self {
        Self([value; COUNT])
    }

    #[inline(always)]
    fn cast(scalars: &[T]) -> &[Self] {
        check_cast(scalars, COUNT, align_of::<Self>());
        // SAFETY: `Self` is `COUNT` scalars in a row, and the slice fills whole ones.
        unsafe { std::slice::from_raw_parts(scalars.as_ptr().cast(), scalars.len() / COUNT) }
    }

    #[inline(always)]
    fn cast_mut(scalars: &mut [T]) -> &mut [Self] {
        check_cast(scalars, COUNT, align_of::<Self>());
        // SAFETY: as in `cast`; the mutable borrow makes the view unique.
        unsafe { std::slice::from_raw_parts_mut(scalars.as_mut_ptr().cast(), scalars.len() / COUNT) }
    }

    #[inline(always)]
    fn load(scalars: &[T], start: usize) -> Self {
        let scalars = &scalars[start..][..COUNT];
        Self(std::array::from_fn(|lane| scalars[lane]))
    }

    #[inline(always)]
    fn store(self, scalars: &mut [T], start: usize) {
        scalars[start..][..COUNT].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let parts = self.0.map(T::split_exponent);
        (Self(parts.map(|(fraction, _)| fraction)), Self(parts.map(|(_, exponent)| exponent)))
    }

    #[inline(always)]
    fn less(a: Self, b: Self) -> u32 {
        (0..COUNT).map(|lane| u32::from(a.0[lane] < b.0[lane]) << lane).sum()
    }

    #[inline(always)]
    fn gather(nodes: &NodeScratch<T>, index: &[u16]) -> [Self; 3] {
        let mut values = [Self([T::default(); COUNT]); 3];
        for (lane, &node) in index[..COUNT].iter().enumerate() {
            for (component, value) in values.iter_mut().enumerate() {
                value.0[lane] = nodes[usize::from(node)][component];
            }
        }
        values
    }

    #[inline(always)]
    fn scatter_add(values: [Self; 3], nodes: &mut NodeScratch<T>, index: &[u16]) {
        for (lane, &node) in index[..COUNT].iter().enumerate() {
            let sum = &mut nodes[usize::from(node)];
            for (component, value) in values.iter().enumerate() {
                sum[component] = sum[component] + value.0[lane];
            }
        }
    }
}
