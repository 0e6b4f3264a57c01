//! Gathering nodes into lanes and scattering lanes to nodes.
//!
//! In single precision a node is one 128-bit load. Block `b` of row `j` takes the node of lane `4 b + j`; a 4x4 transposition inside the blocks
//! then turns four rows of nodes into components in lane order, and back.

use core::arch::x86_64::*;

use super::NodeScratch;

/// Loads a node's four floats.
#[inline(always)]
unsafe fn load(nodes: &NodeScratch<f32>, node: u16) -> __m128 {
    // SAFETY: SSE is part of x86-64, and a node is four floats.
    unsafe { _mm_loadu_ps(nodes[usize::from(node)].as_ptr()) }
}

/// Adds to a node's four floats.
#[inline(always)]
unsafe fn add(nodes: &mut NodeScratch<f32>, node: u16, value: __m128) {
    let sum = nodes[usize::from(node)].as_mut_ptr();
    // SAFETY: SSE is part of x86-64, and a node is four floats.
    unsafe { _mm_storeu_ps(sum, _mm_add_ps(_mm_loadu_ps(sum), value)) }
}

pub mod nodes_f32x16 {
    use super::*;

    /// # Safety
    /// The processor must have AVX-512 F and DQ.
    #[inline(always)]
    pub unsafe fn gather(nodes: &NodeScratch<f32>, index: &[u16; 16]) -> [__m512; 3] {
        // SAFETY: the caller's promise.
        unsafe {
            let mut rows = [_mm512_setzero_ps(); 4];
            for (j, row) in rows.iter_mut().enumerate() {
                let low =
                    _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(load(nodes, index[j])), load(nodes, index[4 + j]));
                let high = _mm256_insertf128_ps::<1>(
                    _mm256_castps128_ps256(load(nodes, index[8 + j])),
                    load(nodes, index[12 + j]),
                );
                *row = _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high);
            }
            let [a, b, c, d] = rows;
            let xy01 = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
            let xy23 = _mm512_castps_pd(_mm512_unpacklo_ps(c, d));
            let zw01 = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
            let zw23 = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
            [
                _mm512_castpd_ps(_mm512_unpacklo_pd(xy01, xy23)),
                _mm512_castpd_ps(_mm512_unpackhi_pd(xy01, xy23)),
                _mm512_castpd_ps(_mm512_unpacklo_pd(zw01, zw23)),
            ]
        }
    }

    /// # Safety
    /// The processor must have AVX-512 F and DQ.
    #[inline(always)]
    pub unsafe fn scatter_add([x, y, z]: [__m512; 3], nodes: &mut NodeScratch<f32>, index: &[u16; 16]) {
        // SAFETY: the caller's promise.
        unsafe {
            let zero = _mm512_setzero_ps();
            let xy01 = _mm512_castps_pd(_mm512_unpacklo_ps(x, y));
            let xy23 = _mm512_castps_pd(_mm512_unpackhi_ps(x, y));
            let z001 = _mm512_castps_pd(_mm512_unpacklo_ps(z, zero));
            let z023 = _mm512_castps_pd(_mm512_unpackhi_ps(z, zero));
            let rows = [
                _mm512_unpacklo_pd(xy01, z001),
                _mm512_unpackhi_pd(xy01, z001),
                _mm512_unpacklo_pd(xy23, z023),
                _mm512_unpackhi_pd(xy23, z023),
            ];
            for (j, row) in rows.into_iter().enumerate() {
                let row = _mm512_castpd_ps(row);
                add(nodes, index[j], _mm512_castps512_ps128(row));
                add(nodes, index[4 + j], _mm512_extractf32x4_ps::<1>(row));
                add(nodes, index[8 + j], _mm512_extractf32x4_ps::<2>(row));
                add(nodes, index[12 + j], _mm512_extractf32x4_ps::<3>(row));
            }
        }
    }
}

pub mod nodes_f32x8 {
    use super::*;

    /// # Safety
    /// The processor must have AVX2.
    #[inline(always)]
    pub unsafe fn gather(nodes: &NodeScratch<f32>, index: &[u16; 8]) -> [__m256; 3] {
        // SAFETY: the caller's promise.
        unsafe {
            let mut rows = [_mm256_setzero_ps(); 4];
            for (j, row) in rows.iter_mut().enumerate() {
                *row =
                    _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(load(nodes, index[j])), load(nodes, index[4 + j]));
            }
            let [a, b, c, d] = rows;
            let xy01 = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
            let xy23 = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
            let zw01 = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
            let zw23 = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
            [
                _mm256_castpd_ps(_mm256_unpacklo_pd(xy01, xy23)),
                _mm256_castpd_ps(_mm256_unpackhi_pd(xy01, xy23)),
                _mm256_castpd_ps(_mm256_unpacklo_pd(zw01, zw23)),
            ]
        }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[inline(always)]
    pub unsafe fn scatter_add([x, y, z]: [__m256; 3], nodes: &mut NodeScratch<f32>, index: &[u16; 8]) {
        // SAFETY: the caller's promise.
        unsafe {
            let zero = _mm256_setzero_ps();
            let xy01 = _mm256_castps_pd(_mm256_unpacklo_ps(x, y));
            let xy23 = _mm256_castps_pd(_mm256_unpackhi_ps(x, y));
            let z001 = _mm256_castps_pd(_mm256_unpacklo_ps(z, zero));
            let z023 = _mm256_castps_pd(_mm256_unpackhi_ps(z, zero));
            let rows = [
                _mm256_unpacklo_pd(xy01, z001),
                _mm256_unpackhi_pd(xy01, z001),
                _mm256_unpacklo_pd(xy23, z023),
                _mm256_unpackhi_pd(xy23, z023),
            ];
            for (j, row) in rows.into_iter().enumerate() {
                let row = _mm256_castpd_ps(row);
                add(nodes, index[j], _mm256_castps256_ps128(row));
                add(nodes, index[4 + j], _mm256_extractf128_ps::<1>(row));
            }
        }
    }
}

/// Double precision is used for checks and need not be fast, so it goes through arrays.
macro_rules! nodes_f64 {
    ($module:ident, $count:literal, $register:ident, $load:ident, $store:ident) => {
        pub mod $module {
            use super::*;

            /// # Safety
            /// The processor must have the register's instruction set.
            #[inline(always)]
            pub unsafe fn gather(nodes: &NodeScratch<f64>, index: &[u16; $count]) -> [$register; 3] {
                let mut values = [[0.0; $count]; 3];
                for (lane, &node) in index.iter().enumerate() {
                    for (component, value) in values.iter_mut().enumerate() {
                        value[lane] = nodes[usize::from(node)][component];
                    }
                }
                // SAFETY: the caller's promise; each array fills one register.
                unsafe { [$load(values[0].as_ptr()), $load(values[1].as_ptr()), $load(values[2].as_ptr())] }
            }

            /// # Safety
            /// The processor must have the register's instruction set.
            #[inline(always)]
            pub unsafe fn scatter_add(lanes: [$register; 3], nodes: &mut NodeScratch<f64>, index: &[u16; $count]) {
                let mut values = [[0.0; $count]; 3];
                for (value, register) in values.iter_mut().zip(lanes) {
                    // SAFETY: the caller's promise; each array takes one register.
                    unsafe { $store(value.as_mut_ptr(), register) };
                }
                for (lane, &node) in index.iter().enumerate() {
                    for (component, value) in values.iter().enumerate() {
                        nodes[usize::from(node)][component] += value[lane];
                    }
                }
            }
        }
    };
}

nodes_f64!(nodes_f64x4, 4, __m256d, _mm256_loadu_pd, _mm256_storeu_pd);
