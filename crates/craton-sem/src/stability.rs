//! The largest stable time step.
//!
//! The leapfrog is stable while dt < 2/ω, ω² the largest eigenvalue of M⁻¹K; and that is at most the largest eigenvalue of any single element's
//! own mass and stiffness (Irons and Treharne 1971). So a power iteration inside each element, all lanes at once, bounds the step without
//! rules of thumb about spacing, speed or shape.

use craton_device::{AlignedVec, Isa, Scalar};
use craton_mesh::HexMesh;
use rayon::prelude::*;

use crate::elements::PatchElements;
use crate::kernel::{ElementData, ElementKernel, Scratch};
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
        let all = largest_eigenvalues(kernel, isa, elements, iterations);
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

/// Largest eigenvalue of M^-1 K of every element of a patch [1/s2], by power iteration on batches cut loose from their neighbours.
fn largest_eigenvalues<T: Scalar>(
    kernel: &dyn ElementKernel<T>,
    isa: Isa,
    patch: &PatchElements<T>,
    iterations: usize,
) -> Vec<f64> {
    let lanes = T::lanes(isa);
    let nodes = patch.element_mass.len() / patch.data.batches;
    let mut scratch = Scratch::new(((nodes / lanes) as f64).cbrt().round() as usize, isa);
    let mut quotients = Vec::with_capacity(patch.data.batches * lanes);
    for batch in 0..patch.data.batches {
        let loose = loose_batch(&patch.data, batch, nodes);
        let mass = &patch.element_mass[batch * nodes..][..nodes];
        start(&mut scratch.displacement[..nodes], lanes);
        let mut energy = vec![0.0; lanes];
        for _ in 0..iterations {
            normalise(&mut scratch.displacement[..nodes], mass, lanes);
            scratch.force[..nodes].fill([T::default(); 4]);
            kernel.add_forces(isa, &loose, &mut scratch);
            energy.fill(0.0);
            let moved = scratch.displacement[..nodes].iter_mut().zip(scratch.force.iter());
            for (node, ((u, force), &mass)) in moved.zip(mass).enumerate() {
                for c in 0..3 {
                    energy[node % lanes] -= force[c].to_f64() * u[c].to_f64();
                    u[c] = -force[c] / mass;
                }
            }
        }
        quotients.extend(energy);
    }
    quotients
}

/// A batch whose elements share no node: node `point * lanes + lane` is the lane's own.
fn loose_batch<T: Scalar>(data: &ElementData<T>, batch: usize, nodes: usize) -> ElementData<T> {
    let part = |all: &AlignedVec<T>| {
        let length = all.len() / data.batches;
        AlignedVec::from_slice(&all[batch * length..][..length])
    };
    ElementData {
        batches: 1,
        nodes: (0..nodes as u16).collect(),
        geometry: part(&data.geometry),
        material: part(&data.material),
        material_varies: data.material_varies,
    }
}

/// A vector with a part in every direction: alternating signs, as the stiffest motion has, and unequal sizes.
fn start<T: Scalar>(u: &mut [[T; 4]], lanes: usize) {
    for (node, u) in u.iter_mut().enumerate() {
        let point = node / lanes;
        let sign = if point.is_multiple_of(2) { 1.0 } else { -1.0 };
        for (c, u) in u[..3].iter_mut().enumerate() {
            *u = T::from_f64(sign * (1.0 + 0.05 * ((3 * point + 5 * c) % 11) as f64));
        }
    }
}

/// Scales the vector of each lane to u M u = 1.
fn normalise<T: Scalar>(u: &mut [[T; 4]], mass: &[T], lanes: usize) {
    let mut norm = vec![0.0; lanes];
    for (node, (u, mass)) in u.iter().zip(mass).enumerate() {
        norm[node % lanes] += mass.to_f64() * u[..3].iter().map(|x| x.to_f64() * x.to_f64()).sum::<f64>();
    }
    let scale: Vec<T> = norm.into_iter().map(|norm| T::from_f64(1.0 / norm.sqrt())).collect();
    for (node, u) in u.iter_mut().enumerate() {
        *u = u.map(|x| x * scale[node % lanes]);
    }
}
