//! The largest stable time step.
//!
//! The leapfrog is stable while dt < 2/ω, ω² the largest eigenvalue of M⁻¹K; and that is at most the largest eigenvalue of any single element's
//! own mass and stiffness (Irons and Treharne 1971). So a power iteration inside each element, all lanes at once, bounds the step without
//! rules of thumb about spacing, speed or shape.

use craton_device::{Isa, Scalar};
use craton_mesh::HexMesh;
use rayon::prelude::*;

use crate::elements::PatchElements;
use crate::kernel::ElementKernel;
use crate::layout::Layout;

/// Iterations that rank the patches.
const RANKING: usize = 8;
/// Iterations in patches that may hold the stiffest element.
const REFINEMENT: usize = 80;
/// A patch is refined if its ranking reaches this part of the largest one.
const CONTENDER: f64 = 0.7;

/// The largest stable time step and what sets it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StableStep {
    /// Largest stable step of the leapfrog [s].
    pub dt: f64,
    /// The element that sets it.
    pub element: u32,
    /// Its centre [m].
    pub centre: [f64; 3],
}

/// Bounds the stable step by the stiffest element.
pub fn stable_step<T: Scalar>(
    kernel: &dyn ElementKernel<T>,
    isa: Isa,
    mesh: &HexMesh,
    layout: &Layout,
    patches: &[PatchElements<T>],
) -> StableStep {
    let stiffest = |patch: usize, iterations: usize| -> (f64, usize) {
        let elements = &patches[patch];
        let range = layout.patches[patch].elements.clone();
        let all = kernel.largest_eigenvalues(isa, &elements.data, &elements.element_mass, iterations);
        let first = (f64::NEG_INFINITY, range.start);
        all.into_iter().zip(range).fold(first, |best, now| if now.0 > best.0 { now } else { best })
    };
    let ranking: Vec<_> = (0..patches.len()).into_par_iter().map(|patch| stiffest(patch, RANKING).0).collect();
    let leader = ranking.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let contenders = ranking.par_iter().enumerate().filter(|(_, value)| **value >= CONTENDER * leader);
    let (eigenvalue, element) = contenders
        .map(|(patch, _)| stiffest(patch, REFINEMENT))
        .reduce(|| (f64::NEG_INFINITY, 0), |a, b| if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a });
    StableStep { dt: 2.0 / eigenvalue.sqrt(), element: element as u32, centre: mesh.centroid(element as u32) }
}
