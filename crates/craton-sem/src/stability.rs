//! The largest stable time step.
//!
//! The leapfrog is stable while dt < 2/ω, ω² the largest eigenvalue of M⁻¹K; and that is at most the largest eigenvalue of any single element's
//! own mass and stiffness (Irons and Treharne 1971). So Lanczos's recursion inside each element, all lanes at once, bounds the step without
//! rules of thumb about spacing, speed or shape.

use std::collections::HashSet;

use craton_device::{AlignedVec, Isa, Scalar};
use craton_mesh::HexMesh;
use rayon::prelude::*;

use crate::elements::PatchElements;
use crate::kernel::{ElementData, ElementKernel, Scratch};
use crate::layout::Layout;
use crate::state::Node;

/// Steps of the recursion that rank the batches.
const RANKING: usize = 6;
/// Steps in batches that may hold the stiffest element.
const REFINEMENT: usize = 40;
/// An element is refined if its ranking reaches this part of the largest one ...
const CONTENDER: f64 = 0.8;
/// ... and it is among so many: a uniform mesh has nothing but contenders.
const MOST_REFINED: usize = 256;
/// Kept below the bound, which the recursion approaches from the wrong side.
const MARGIN: f64 = 0.998;

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

/// Bounds the stable step by the stiffest element; `points` along an axis of an element, `meshed` the number of each element before it was ordered.
pub fn stable_step<T: Scalar>(
    kernel: &dyn ElementKernel<T>,
    isa: Isa,
    mesh: &HexMesh,
    layout: &Layout,
    patches: &[PatchElements<T>],
    points: usize,
    meshed: &[u32],
) -> StableStep {
    let scratch = || Scratch::new(points, isa);
    let of_batch = |scratch: &mut Scratch<T>, place: (usize, usize), steps: usize| -> Vec<Candidate> {
        let (patch, batch) = place;
        let elements = layout.patches[patch].elements.clone().skip(batch * T::lanes(isa));
        let all = largest_eigenvalues(kernel, isa, &patches[patch], batch, steps, scratch);
        all.into_iter()
            .zip(elements)
            .map(|(value, element)| Candidate { value, element, meshed: meshed[element], place })
            .collect()
    };
    let batches_of =
        |(patch, elements): (usize, &PatchElements<T>)| (0..elements.data.batches).map(move |batch| (patch, batch));
    let batches: Vec<_> = patches.iter().enumerate().flat_map(batches_of).collect();
    let ranked = batches.par_iter().map_init(scratch, |scratch, &place| of_batch(scratch, place, RANKING));
    // Elements are ranked, not batches, so that how they are cut into patches does not change the step.
    let mut ranking: Vec<Candidate> = ranked.flatten_iter().collect();
    ranking.par_sort_by(|a, b| b.value.total_cmp(&a.value).then(a.meshed.cmp(&b.meshed)));
    ranking.truncate(MOST_REFINED);
    let least = CONTENDER * ranking.first().map_or(0.0, |first| first.value);
    ranking.retain(|candidate| candidate.value >= least);
    let mut contenders: Vec<_> = ranking.iter().map(|candidate| candidate.place).collect();
    contenders.sort_unstable();
    contenders.dedup();
    let chosen: HashSet<usize> = ranking.iter().map(|candidate| candidate.element).collect();
    let refined = contenders.par_iter().map_init(scratch, |scratch, &place| of_batch(scratch, place, REFINEMENT));
    let refined = refined.flatten_iter().filter(|candidate| chosen.contains(&candidate.element));
    let best = refined.max_by(|a, b| a.value.total_cmp(&b.value).then(b.meshed.cmp(&a.meshed)));
    let Candidate { value, element, .. } = best.expect("a mesh has elements");
    StableStep { dt: MARGIN * 2.0 / value.sqrt(), element: element as u32, centre: mesh.centroid(element as u32) }
}

/// An element that may be the stiffest.
struct Candidate {
    /// Its largest eigenvalue, or nearly [1/s²].
    value: f64,
    element: usize,
    /// Its number as meshed.
    meshed: u32,
    /// Patch and batch.
    place: (usize, usize),
}

/// Largest eigenvalue of M⁻¹K of every element of a batch [1/s²], cut loose from its neighbours.
fn largest_eigenvalues<T: Scalar>(
    kernel: &dyn ElementKernel<T>,
    isa: Isa,
    patch: &PatchElements<T>,
    batch: usize,
    steps: usize,
    scratch: &mut Scratch<T>,
) -> Vec<f64> {
    let nodes = patch.element_mass.len() / patch.data.batches;
    let mass = &patch.element_mass[batch * nodes..][..nodes];
    let loose = loose_batch(&patch.data, batch, nodes);
    let mut lanczos = Lanczos::new(mass, T::lanes(isa));
    lanczos.start(&mut scratch.displacement[..nodes]);
    for _ in 0..steps {
        scratch.force[..nodes].fill([T::default(); 4]);
        kernel.add_forces(isa, &loose, 0..1, scratch);
        lanczos.step(&mut scratch.displacement[..nodes], &scratch.force[..nodes]);
    }
    lanczos.tridiagonal.iter().map(Tridiagonal::largest_eigenvalue).collect()
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

/// Lanczos's recursion on M⁻¹K in the scalar product of M, one element per lane.
///
/// # Source
/// Golub and Van Loan (2013), Matrix Computations, section 10.1.
struct Lanczos<'a, T> {
    /// Mass of each node, `[point][lane]` [kg].
    mass: &'a [T],
    lanes: usize,
    /// The vector before the present one.
    previous: Vec<Node<T>>,
    tridiagonal: Vec<Tridiagonal>,
}

impl<'a, T: Scalar> Lanczos<'a, T> {
    fn new(mass: &'a [T], lanes: usize) -> Self {
        let previous = vec![[T::default(); 4]; mass.len()];
        Self { mass, lanes, previous, tridiagonal: vec![Tridiagonal::default(); lanes] }
    }

    /// A vector with a part in every direction: alternating signs, as the stiffest motion has, and unequal sizes.
    fn start(&mut self, u: &mut [Node<T>]) {
        for (node, u) in u.iter_mut().enumerate() {
            let point = node / self.lanes;
            let sign = if point.is_multiple_of(2) { 1.0 } else { -1.0 };
            for (c, u) in u[..3].iter_mut().enumerate() {
                *u = T::from_f64(sign * (1.0 + 0.05 * ((3 * point + 5 * c) % 11) as f64));
            }
        }
        self.normalise(u);
    }

    /// From the present vector `u` and its forces -K u to the next one.
    fn step(&mut self, u: &mut [Node<T>], force: &[Node<T>]) {
        let mut diagonal = vec![0.0; self.lanes];
        for (node, (u, force)) in u.iter().zip(force).enumerate() {
            diagonal[node % self.lanes] -= (0..3).map(|c| force[c].to_f64() * u[c].to_f64()).sum::<f64>();
        }
        for (node, ((u, force), previous)) in u.iter_mut().zip(force).zip(&mut self.previous).enumerate() {
            let lane = node % self.lanes;
            let [diagonal, beside] = [diagonal[lane], self.tridiagonal[lane].last_beside()].map(T::from_f64);
            for c in 0..3 {
                let next = -force[c] / self.mass[node] - diagonal * u[c] - beside * previous[c];
                previous[c] = u[c];
                u[c] = next;
            }
        }
        let norms = self.normalise(u);
        for ((tridiagonal, diagonal), beside) in self.tridiagonal.iter_mut().zip(diagonal).zip(norms) {
            tridiagonal.rows.push([diagonal, beside]);
        }
    }

    /// Scales the vector of each lane to u M u = 1; the lengths it had.
    fn normalise(&self, u: &mut [Node<T>]) -> Vec<f64> {
        let mut norms = vec![0.0; self.lanes];
        for (node, (u, mass)) in u.iter().zip(self.mass).enumerate() {
            norms[node % self.lanes] += mass.to_f64() * u[..3].iter().map(|x| x.to_f64() * x.to_f64()).sum::<f64>();
        }
        norms.iter_mut().for_each(|norm| *norm = norm.sqrt());
        let scale: Vec<T> = norms.iter().map(|norm| T::from_f64(if *norm > 0.0 { 1.0 / norm } else { 0.0 })).collect();
        for (node, u) in u.iter_mut().enumerate() {
            *u = u.map(|x| x * scale[node % self.lanes]);
        }
        norms
    }
}

/// A symmetric matrix with a diagonal and one line beside it.
#[derive(Clone, Default)]
struct Tridiagonal {
    /// Entry on the diagonal and entry beside it, row by row; the last one's has no column.
    rows: Vec<[f64; 2]>,
}

impl Tridiagonal {
    fn last_beside(&self) -> f64 {
        self.rows.last().map_or(0.0, |row| row[1])
    }

    /// By bisection of the interval that Gershgorin's circles leave.
    fn largest_eigenvalue(&self) -> f64 {
        let besides = || std::iter::once(0.0).chain(self.rows.iter().map(|row| row[1]));
        let size = self.rows.len();
        let radius = |row: usize| besides().skip(row).take(if row + 1 < size { 2 } else { 1 }).sum::<f64>();
        let (mut low, mut high) = (self.rows[0][0], 0.0_f64);
        for (row, [diagonal, _]) in self.rows.iter().enumerate() {
            low = low.max(*diagonal);
            high = high.max(diagonal + radius(row));
        }
        while high - low > 1e-6 * high {
            let middle = 0.5 * (low + high);
            if self.is_below(middle) { high = middle } else { low = middle }
        }
        high
    }

    /// Whether all eigenvalues lie below `value`: then all pivots of T - value I are negative.
    fn is_below(&self, value: f64) -> bool {
        let mut push = 0.0;
        self.rows.iter().all(|[diagonal, beside]| {
            let pivot = diagonal - value - push;
            push = beside * beside / pivot;
            pivot < 0.0
        })
    }
}
