//! SIMD lanes and the choice of the instruction set at run time.
//!
//! A [`Kernel`] is written once, generic over [`Lanes`]. [`Scalar::dispatch`] instantiates it for each instruction set inside a function that
//! enables that set, and calls the requested one. All functions that a kernel calls must be `#[inline(always)]`; otherwise they are compiled for the
//! baseline. This also affects large closures and `map` of arrays, so kernels use functions and loops instead.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_nodes;

use bytemuck::Pod;
use craton_physics::Real;

/// Number of nodes in the scratch of a kernel: all that a `u16` can address, so that no index needs a check.
pub const NODE_CAPACITY: usize = 1 << 16;

/// Largest number of lanes.
const MOST_LANES: usize = 16;

/// Scratch values of 65,536 nodes, padded to four components so that a node is one vector load.
pub type NodeScratch<T> = [[T; 4]; NODE_CAPACITY];

/// Allocates a zeroed scratch on the heap.
pub fn node_scratch<T: Scalar>() -> Box<NodeScratch<T>> {
    bytemuck::zeroed_box()
}

/// An instruction set that a kernel can be compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// The baseline of the compiler target.
    Portable,
    /// AVX2 with FMA: 256 bits.
    Avx2,
    /// AVX-512 (F, VL, DQ): 512 bits.
    Avx512,
}

impl Isa {
    /// The best instruction set of this processor.
    pub fn detect() -> Self {
        [Self::Avx512, Self::Avx2].into_iter().find(|isa| isa.is_available()).unwrap_or(Self::Portable)
    }

    /// All instruction sets of this processor, the best last.
    pub fn available() -> Vec<Self> {
        [Self::Portable, Self::Avx2, Self::Avx512].into_iter().filter(|isa| isa.is_available()).collect()
    }

    /// Whether this processor supports it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// Name for users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512",
        }
    }
}

/// Several values of one scalar type, one per lane. Operations are lane-independent.
pub trait Lanes: Real + Send + Sync + 'static {
    /// Type of a lane.
    type Scalar: Scalar;
    /// Number of lanes.
    const COUNT: usize;

    /// The same value in every lane.
    fn splat(value: Self::Scalar) -> Self;

    /// Reinterprets scalars as lanes. The slice must start on a 64-byte boundary and fill whole vectors, as parts of an [`crate::AlignedVec`] do.
    fn cast(scalars: &[Self::Scalar]) -> &[Self];

    /// Reinterprets mutable scalars as lanes; see [`Self::cast`].
    fn cast_mut(scalars: &mut [Self::Scalar]) -> &mut [Self];

    /// Loads the scalars `start..start + COUNT`, unaligned; panics if there are fewer.
    fn load(scalars: &[Self::Scalar], start: usize) -> Self;

    /// Stores the scalars `start..start + COUNT`, unaligned; panics if there are fewer.
    fn store(self, scalars: &mut [Self::Scalar], start: usize);

    /// The values, with those of magnitude below [`Scalar::NEGLIGIBLE`] set to zero.
    #[inline(always)]
    fn without_negligible(self) -> Self {
        Self::select_less(self.abs(), Self::splat(Self::Scalar::NEGLIGIBLE), Self::constant(0.0), self)
    }

    /// Splits positive normal numbers into (fraction, exponent), value = fraction * 2^exponent with the fraction in [1, 2).
    fn split_exponent(self) -> (Self, Self);

    /// Bit mask of the lanes with `a < b`, the first lane in the lowest bit.
    fn less(a: Self, b: Self) -> u32;

    /// Reads x, y, z of the nodes `index[0..COUNT]`, one node per lane.
    fn gather(nodes: &NodeScratch<Self::Scalar>, index: &[u16]) -> [Self; 3];

    /// Adds x, y, z of each lane to the nodes `index[0..COUNT]`, in an order that depends only on `COUNT`.
    fn scatter_add(values: [Self; 3], nodes: &mut NodeScratch<Self::Scalar>, index: &[u16]);

    /// Reads the values `index[0..COUNT]`, one per lane.
    #[inline(always)]
    fn gather_scalars(values: &[Self::Scalar; NODE_CAPACITY], index: &[u16]) -> Self {
        let mut lanes = [Self::Scalar::default(); MOST_LANES];
        for (lane, &at) in lanes.iter_mut().zip(&index[..Self::COUNT]) {
            *lane = values[usize::from(at)];
        }
        Self::load(&lanes, 0)
    }

    /// Adds each lane to the values `index[0..COUNT]`, in lane order.
    #[inline(always)]
    fn scatter_add_scalars(self, values: &mut [Self::Scalar; NODE_CAPACITY], index: &[u16]) {
        let mut lanes = [Self::Scalar::default(); MOST_LANES];
        self.store(&mut lanes, 0);
        for (&lane, &at) in lanes.iter().zip(&index[..Self::COUNT]) {
            let sum = &mut values[usize::from(at)];
            *sum = *sum + lane;
        }
    }
}

/// A computation that runs on lanes of scalar `T`.
pub trait Kernel<T: Scalar> {
    /// Result type.
    type Output;
    /// The best instruction set that the kernel is compiled for in double precision; better ones run this version. AVX2 and AVX-512 give the same bits, for
    /// lanes of double precision have 256 bits in both: only kernels that the 32 registers of AVX-512 make faster need a version for it.
    const DOUBLE: Isa = Isa::Avx2;
    /// Runs the kernel. Mark every implementation `#[inline(always)]`.
    fn run<V: Lanes<Scalar = T>>(self) -> Self::Output;
}

/// A floating-point type that kernels compute in: `f32` or `f64`.
pub trait Scalar: Real + Pod + Default + Send + Sync + PartialOrd + std::fmt::Debug + 'static {
    /// Name as users read it.
    const NAME: &'static str;

    /// Magnitude below which values are flushed to zero: below any physical wave, but far above subnormal numbers, which are slow on some processors.
    const NEGLIGIBLE: Self;

    /// Number of lanes that [`Scalar::dispatch`] uses for `isa`.
    fn lanes(isa: Isa) -> usize;

    /// Runs `kernel` compiled for `isa`.
    ///
    /// # Panics
    /// If this processor lacks `isa`.
    fn dispatch<K: Kernel<Self>>(isa: Isa, kernel: K) -> K::Output;

    /// Rounds to this type.
    fn from_f64(value: f64) -> Self {
        Self::constant(value)
    }

    /// Widens to double precision.
    fn to_f64(self) -> f64;

    /// Splits a positive normal number into (fraction, exponent), value = fraction * 2^exponent with the fraction in [1, 2).
    fn split_exponent(self) -> (Self, Self);

    /// Whether the value is neither infinite nor NaN.
    fn is_finite(self) -> bool;

    /// Zero if the magnitude is below [`Scalar::NEGLIGIBLE`], otherwise the value.
    ///
    /// Ahead of a wave front a discretised field decays to subnormal numbers, on which a run would spend most of its time.
    fn without_negligible(self) -> Self;
}

macro_rules! scalar {
    ($scalar:ty, $name:literal, $negligible:literal, $avx2:ident, $avx512:ident, $best:expr) => {
        impl Scalar for $scalar {
            const NAME: &'static str = $name;
            const NEGLIGIBLE: Self = $negligible;

            fn lanes(isa: Isa) -> usize {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 => x86::$avx512::COUNT,
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 => x86::$avx2::COUNT,
                    _ => portable::Portable::<$scalar>::COUNT,
                }
            }

            fn dispatch<K: Kernel<Self>>(isa: Isa, kernel: K) -> K::Output {
                assert!(isa.is_available(), "this processor has no {}", isa.name());
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: the processor has the instruction set, checked above.
                    Isa::Avx512 if $best as u8 >= Isa::Avx512 as u8 => unsafe {
                        x86::with_avx512::<Self, x86::$avx512, K>(kernel)
                    },
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: the processor has the instruction set, checked above: AVX-512 comes with AVX2 and FMA.
                    Isa::Avx512 | Isa::Avx2 if $best as u8 >= Isa::Avx2 as u8 => unsafe {
                        x86::with_avx2::<Self, x86::$avx2, K>(kernel)
                    },
                    _ => kernel.run::<portable::Portable<$scalar>>(),
                }
            }

            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn split_exponent(self) -> (Self, Self) {
                const FRACTION_BITS: u32 = <$scalar>::MANTISSA_DIGITS - 1;
                let bits = self.to_bits();
                let exponent = (bits >> FRACTION_BITS) as i32 - (<$scalar>::MAX_EXP - 1);
                let fraction = bits & ((1 << FRACTION_BITS) - 1) | <$scalar>::to_bits(1.0);
                (Self::from_bits(fraction), exponent as $scalar)
            }

            fn is_finite(self) -> bool {
                <$scalar>::is_finite(self)
            }

            #[inline(always)]
            fn without_negligible(self) -> Self {
                if self.abs() < Self::NEGLIGIBLE { 0.0 } else { self }
            }
        }
    };
}

scalar!(f32, "single", 1e-30, F32x8, F32x16, Isa::Avx512);
// Double precision is used for checks; 256 bits are sufficient and halve the compile time of its kernels.
scalar!(f64, "double", 1e-290, F64x4, F64x4, K::DOUBLE);

/// Checks that `scalars` may be viewed as lanes of `size` bytes aligned to `alignment`, `count` scalars each.
#[inline(always)]
fn check_cast<T>(scalars: &[T], count: usize, alignment: usize) {
    assert!(
        scalars.len().is_multiple_of(count) && (scalars.as_ptr() as usize).is_multiple_of(alignment),
        "lanes are cut from aligned storage in whole vectors"
    );
}

#[cfg(test)]
mod tests;
