//! Lanes of x86-64 vector registers.
//!
//! The types are private to the crate and are passed to a kernel only by [`with_avx2`] and [`with_avx512`], whose callers have checked that the
//! processor supports the instructions. This makes every intrinsic here sound.

use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Neg, Sub};

use craton_physics::Real;

use super::x86_nodes::{nodes_f32x8, nodes_f32x16, nodes_f64x4};
use super::{Kernel, Lanes, NodeScratch, Scalar, check_cast};

/// Runs a kernel with AVX2 and FMA enabled.
///
/// # Safety
/// The processor must have both.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn with_avx2<T: Scalar, V: Lanes<Scalar = T>, K: Kernel<T>>(kernel: K) -> K::Output {
    kernel.run::<V>()
}

/// Runs a kernel with AVX-512 enabled.
///
/// # Safety
/// The processor must have AVX-512 F, VL and DQ.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma")]
pub unsafe fn with_avx512<T: Scalar, V: Lanes<Scalar = T>, K: Kernel<T>>(kernel: K) -> K::Output {
    kernel.run::<V>()
}

macro_rules! binary {
    ($lanes:ident, $($operator:ident $method:ident $intrinsic:ident),*) => { $(
        impl $operator for $lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: see the module's comment.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    )* };
}

/// One lane type: its register, its intrinsics and how nodes are gathered and scattered.
macro_rules! lanes {
    ($lanes:ident, $scalar:ty, $count:literal, $register:ident,
     $add:ident $sub:ident $mul:ident $div:ident $fma:ident $sqrt:ident $min:ident $max:ident $splat:ident,
     select $select:ident, less $less:ident, split $split:ident, nodes $nodes:ident) => {
        #[doc = concat!(stringify!($count), " lanes of ", stringify!($scalar), ".")]
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $lanes($register);

        binary!($lanes, Add add $add, Sub sub $sub, Mul mul $mul, Div div $div);

        impl Neg for $lanes {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // -0.0 - x flips the sign of every x but NaN, zeros included.
                Self::constant(-0.0) - self
            }
        }

        impl Real for $lanes {
            #[inline(always)]
            fn constant(value: f64) -> Self {
                Self::splat(<$scalar>::constant(value))
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                // SAFETY: see the module's comment.
                Self(unsafe { $fma(self.0, a.0, b.0) })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: see the module's comment.
                Self(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn recip(self) -> Self {
                Self::constant(1.0) / self
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.max(-self)
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: see the module's comment.
                Self(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // SAFETY: see the module's comment.
                Self(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            fn select_less(a: Self, b: Self, if_less: Self, otherwise: Self) -> Self {
                // SAFETY: see the module's comment.
                Self(unsafe { $select(a.0, b.0, if_less.0, otherwise.0) })
            }
        }

        impl Lanes for $lanes {
            type Scalar = $scalar;
            const COUNT: usize = $count;

            #[inline(always)]
            fn splat(value: $scalar) -> Self {
                // SAFETY: see the module's comment.
                Self(unsafe { $splat(value) })
            }

            #[inline(always)]
            fn cast(scalars: &[$scalar]) -> &[Self] {
                check_cast(scalars, $count, align_of::<Self>());
                // SAFETY: a register is `COUNT` scalars in a row; length and alignment were checked.
                unsafe { std::slice::from_raw_parts(scalars.as_ptr().cast(), scalars.len() / $count) }
            }

            #[inline(always)]
            fn cast_mut(scalars: &mut [$scalar]) -> &mut [Self] {
                check_cast(scalars, $count, align_of::<Self>());
                // SAFETY: as in `cast`; the mutable borrow makes the view unique.
                unsafe { std::slice::from_raw_parts_mut(scalars.as_mut_ptr().cast(), scalars.len() / $count) }
            }

            #[inline(always)]
            fn load(scalars: &[$scalar], start: usize) -> Self {
                // One comparison per load; the slice bounds need the other.
                assert!(scalars.len() >= $count && start <= scalars.len() - $count, "lanes beyond the end");
                // SAFETY: a register is `COUNT` scalars in a row, as many as follow `start`, and the load is unaligned.
                unsafe { std::ptr::read_unaligned(scalars.as_ptr().add(start).cast()) }
            }

            #[inline(always)]
            fn store(self, scalars: &mut [$scalar], start: usize) {
                assert!(scalars.len() >= $count && start <= scalars.len() - $count, "lanes beyond the end");
                // SAFETY: as in `load`; the mutable borrow makes the access unique.
                unsafe { std::ptr::write_unaligned(scalars.as_mut_ptr().add(start).cast(), self) }
            }

            #[inline(always)]
            fn split_exponent(self) -> (Self, Self) {
                // SAFETY: see the module's comment.
                let (fraction, exponent) = unsafe { $split(self.0) };
                (Self(fraction), Self(exponent))
            }

            #[inline(always)]
            fn less(a: Self, b: Self) -> u32 {
                // SAFETY: see the module's comment.
                unsafe { $less(a.0, b.0) }
            }

            #[inline(always)]
            fn gather(nodes: &NodeScratch<$scalar>, index: &[u16]) -> [Self; 3] {
                let index: &[u16; $count] = index.first_chunk().expect("an index per lane");
                // SAFETY: see the module's comment; a u16 is always inside the scratch.
                unsafe { $nodes::gather(nodes, index) }.map(Self)
            }

            #[inline(always)]
            fn scatter_add(values: [Self; 3], nodes: &mut NodeScratch<$scalar>, index: &[u16]) {
                let index: &[u16; $count] = index.first_chunk().expect("an index per lane");
                // SAFETY: see the module's comment; a u16 is always inside the scratch.
                unsafe { $nodes::scatter_add(values.map(|lanes| lanes.0), nodes, index) }
            }
        }
    };
}

lanes!(F32x16, f32, 16, __m512,
    _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_fmadd_ps _mm512_sqrt_ps _mm512_min_ps _mm512_max_ps _mm512_set1_ps,
    select select_f32x16, less less_f32x16, split split_f32x16, nodes nodes_f32x16);
lanes!(F32x8, f32, 8, __m256,
    _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_fmadd_ps _mm256_sqrt_ps _mm256_min_ps _mm256_max_ps _mm256_set1_ps,
    select select_f32x8, less less_f32x8, split split_f32x8, nodes nodes_f32x8);
lanes!(F64x4, f64, 4, __m256d,
    _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_fmadd_pd _mm256_sqrt_pd _mm256_min_pd _mm256_max_pd _mm256_set1_pd,
    select select_f64x4, less less_f64x4, split split_f64x4, nodes nodes_f64x4);

#[inline(always)]
unsafe fn select_f32x16(a: __m512, b: __m512, yes: __m512, no: __m512) -> __m512 {
    // SAFETY: see the module's comment.
    unsafe { _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), no, yes) }
}

#[inline(always)]
unsafe fn select_f32x8(a: __m256, b: __m256, yes: __m256, no: __m256) -> __m256 {
    // SAFETY: see the module's comment.
    unsafe { _mm256_blendv_ps(no, yes, _mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) }
}

#[inline(always)]
unsafe fn select_f64x4(a: __m256d, b: __m256d, yes: __m256d, no: __m256d) -> __m256d {
    // SAFETY: see the module's comment.
    unsafe { _mm256_blendv_pd(no, yes, _mm256_cmp_pd::<_CMP_LT_OQ>(a, b)) }
}

#[inline(always)]
unsafe fn less_f32x16(a: __m512, b: __m512) -> u32 {
    // SAFETY: see the module's comment.
    unsafe { u32::from(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b)) }
}

#[inline(always)]
unsafe fn less_f32x8(a: __m256, b: __m256) -> u32 {
    // SAFETY: see the module's comment.
    unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) as u32 }
}

#[inline(always)]
unsafe fn less_f64x4(a: __m256d, b: __m256d) -> u32 {
    // SAFETY: see the module's comment.
    unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(a, b)) as u32 }
}

#[inline(always)]
unsafe fn split_f32x16(x: __m512) -> (__m512, __m512) {
    // SAFETY: see the module's comment.
    unsafe { (_mm512_getmant_ps::<_MM_MANT_NORM_1_2, _MM_MANT_SIGN_SRC>(x), _mm512_getexp_ps(x)) }
}

#[inline(always)]
unsafe fn split_f32x8(x: __m256) -> (__m256, __m256) {
    // SAFETY: see the module's comment.
    unsafe {
        let bits = _mm256_castps_si256(x);
        let fraction = _mm256_and_si256(bits, _mm256_set1_epi32(0x007F_FFFF));
        let fraction = _mm256_or_si256(fraction, _mm256_set1_epi32(1.0_f32.to_bits() as i32));
        let exponent = _mm256_sub_epi32(_mm256_srli_epi32::<23>(bits), _mm256_set1_epi32(127));
        (_mm256_castsi256_ps(fraction), _mm256_cvtepi32_ps(exponent))
    }
}

#[inline(always)]
unsafe fn split_f64x4(x: __m256d) -> (__m256d, __m256d) {
    /// 2^52: its lowest bits are an integer.
    const SHIFT: f64 = 4_503_599_627_370_496.0;
    // SAFETY: see the module's comment.
    unsafe {
        let bits = _mm256_castpd_si256(x);
        let fraction = _mm256_and_si256(bits, _mm256_set1_epi64x(0x000F_FFFF_FFFF_FFFF));
        let fraction = _mm256_or_si256(fraction, _mm256_set1_epi64x(1.0_f64.to_bits() as i64));
        let biased = _mm256_or_si256(_mm256_srli_epi64::<52>(bits), _mm256_set1_epi64x(SHIFT.to_bits() as i64));
        let exponent = _mm256_sub_pd(_mm256_castsi256_pd(biased), _mm256_set1_pd(SHIFT + 1023.0));
        (_mm256_castsi256_pd(fraction), exponent)
    }
}
