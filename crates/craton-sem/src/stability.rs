//! The largest stable time step.
//!
//! The leapfrog scheme is stable for dt < 2/ω, where ω² is the largest eigenvalue of M⁻¹K. No eigenvalue exceeds the largest one of all single elements, each
//! with its own mass and stiffness (Irons and Treharne 1971). Lanczos iterations in each element, for all SIMD lanes at once, therefore bound the step without
//! rules of thumb for spacing, wave speed or shape. Pairs of elements of both phases follow in `wet_stability.rs`.

use std::collections::HashSet;

use bytemuck::{Pod, Zeroable};
use craton_comm::CommError;
use craton_device::{AlignedVec, Isa, Scalar};
use craton_model::EarthModel;
use craton_sem_kernels::{ElementData, ElementKernel, Memory, Phase, Scratch};
use rayon::prelude::*;

use crate::discretisation::{PartElements, PartLayouts};
use crate::elements::PatchElements;
use crate::kernels::Kernels;
use crate::plan::Plan;
use crate::step::width;
use crate::team::Team;
use crate::twins::KnownElements;
use crate::wet_stability::WetEigenvalues;

/// Fraction of the largest estimate that an element must reach to be ranked; the ratios of eigenvalues and estimates of two elements differ by less.
pub const RANKED: f64 = 0.2;
/// Number of Lanczos iterations that rank the elements.
const RANKING: usize = 6;
/// Number of iterations for the stiffest candidates.
const REFINEMENT: usize = 40;
/// Fraction of the largest eigenvalue that an element must reach to be refined.
const CONTENDER: f64 = 0.8;
/// Largest number of elements to refine, which limits the work in uniform meshes, where all elements reach [`CONTENDER`].
const MOST_REFINED: usize = 256;
/// Safety factor of the bound, because the iterations underestimate the eigenvalue.
const MARGIN: f64 = 0.998;

/// The largest stable time step and the element that determines it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StableStep {
    /// Largest stable step of the leapfrog scheme [s].
    pub dt: f64,
    /// Centre of the element that determines the step [m].
    pub centre: [f64; 3],
}

/// The elements of the parts of this process, whose eigenvalues bound the step.
pub struct Ranking<'a, T: Scalar> {
    pub kernels: &'a Kernels<T>,
    pub isa: Isa,
    pub plan: &'a Plan,
    pub model: &'a EarthModel,
    pub parts: &'a [PartLayouts],
    pub elements: &'a [PartElements<T>],
}

impl<T: Scalar> Ranking<'_, T> {
    /// Bounds the stable step by the stiffest element of all parts. Every rank of the team must call it.
    ///
    /// Elements are ranked instead of batches, patches or parts, so that the step does not depend on these.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn stable_step(&self, team: &Team) -> Result<StableStep, CommError> {
        let ranking = contenders(team.values_of_all(&contenders(self.eigenvalues(&self.ranked(team)?, RANKING)))?);
        let chosen: HashSet<u64> = ranking.iter().map(|candidate| candidate.key).collect();
        let mut refined = self.of_elements(&chosen, REFINEMENT, team)?;
        if team.ranks().greatest(self.plan.wet_faces.len() as f64)? > 0.0 {
            let wet = WetEigenvalues::new(self.plan, self.model);
            let roughly = self.of_elements(&wet.elements(), RANKING, team)?;
            let all = ranking.iter().copied().chain(wet.candidates(&roughly));
            let greatest = team.ranks().greatest(all.map(|candidate| candidate.value).fold(0.0, f64::max))?;
            let near = wet.elements_near(CONTENDER * greatest, &roughly);
            let alone = self.of_elements(&near, REFINEMENT, team)?;
            refined.extend(team.values_of_all(&contenders(wet.candidates(&alone)))?);
        }
        let Candidate { value, key } = *contenders(refined).first().expect("a mesh has at least one element");
        Ok(StableStep { dt: MARGIN * 2.0 / value.sqrt(), centre: self.centre(team, key)? })
    }

    /// Centre of the element with a key, which belongs to a part of some rank [m].
    fn centre(&self, team: &Team, key: u64) -> Result<[f64; 3], CommError> {
        let elements = self.parts.iter().flatten().flat_map(|own| &own.layout.patches);
        let mut elements = elements.flat_map(|nodes| nodes.elements.clone()).map(|element| element as u32);
        let found = elements.find(|&element| self.plan.key(element) == key);
        let centre: Vec<[f64; 3]> = found.map(|element| self.plan.mesh.centroid(element)).into_iter().collect();
        let centres: Vec<[f64; 3]> = team.values_of_all(&centre)?;
        Ok(*centres.first().expect("a rank has the element"))
    }

    /// The eigenvalues of some elements of all parts after `steps` iterations.
    fn of_elements(&self, chosen: &HashSet<u64>, steps: usize, team: &Team) -> Result<Vec<Candidate>, CommError> {
        let mut batches = self.batches();
        batches.retain(|batch| self.elements_of(batch).any(|element| chosen.contains(&self.plan.key(element))));
        let mut refined = self.eigenvalues(&batches, steps);
        refined.retain(|candidate| chosen.contains(&candidate.key));
        team.values_of_all(&refined)
    }

    /// All batches of the parts of this process.
    fn batches(&self) -> Vec<Batch> {
        let of_patch = |part: usize, phase: Phase, patch: usize| {
            let count = self.elements[part][phase as usize][patch].data.batches;
            (0..count).map(move |batch| Batch { part, phase, patch, batch })
        };
        let of_part = |part: usize| {
            let patches =
                move |phase: Phase| (0..self.elements[part][phase as usize].len()).map(move |patch| (phase, patch));
            let patches = Phase::ALL.into_iter().flat_map(patches);
            patches.flat_map(move |(phase, patch)| of_patch(part, phase, patch))
        };
        (0..self.parts.len()).flat_map(of_part).collect()
    }

    /// The batches with an element whose estimate is near the largest one of all parts.
    fn ranked(&self, team: &Team) -> Result<Vec<Batch>, CommError> {
        let all = self.batches();
        let estimates: Vec<f64> = all.par_iter().map(|batch| self.estimate(batch)).collect();
        let greatest = team.ranks().greatest(estimates.iter().copied().fold(0.0, f64::max))?;
        let near = |&(_, estimate): &(Batch, f64)| estimate >= RANKED * greatest;
        Ok(all.into_iter().zip(estimates).filter(near).map(|(batch, _)| batch).collect())
    }

    /// Largest estimate of the elements of a batch.
    fn estimate(&self, batch: &Batch) -> f64 {
        let lanes = T::lanes(self.isa);
        let estimates = &self.elements[batch.part][batch.phase as usize][batch.patch].estimates;
        let own = estimates.iter().skip(batch.batch * lanes).take(lanes);
        self.scale(batch) * own.copied().fold(0.0, f64::max)
    }

    /// Factor of eigenvalues: in substeps of level r, an element limits the step of the run as one with an eigenvalue that is smaller by η/4^r.
    fn scale(&self, batch: &Batch) -> f64 {
        let patch = self.parts[batch.part][batch.phase as usize].patches[batch.patch];
        let level = self.plan.of(batch.phase).rates[patch as usize];
        self.plan.order().limit(level) / f64::from(1 << level).powi(2)
    }

    /// Elements of a batch, in lane order.
    fn elements_of(&self, &Batch { part, phase, patch, batch }: &Batch) -> impl Iterator<Item = u32> {
        let lanes = T::lanes(self.isa);
        let nodes = &self.parts[part][phase as usize].layout.patches[patch];
        nodes.elements.clone().skip(batch * lanes).take(lanes).map(|element| element as u32)
    }

    /// Approximate largest eigenvalues of the elements of some batches, after `steps` iterations.
    fn eigenvalues(&self, batches: &[Batch], steps: usize) -> Vec<Candidate> {
        let start = || (Scratch::new(self.plan.gll.points.len(), self.isa), KnownElements::default());
        let of_batch = |(scratch, known): &mut (Scratch<T>, KnownElements), batch: &Batch| -> Vec<Candidate> {
            let elements = &self.elements[batch.part][batch.phase as usize][batch.patch];
            let kernel = self.kernels.of(elements.data.rheology);
            let compute = || largest_eigenvalues(kernel, self.isa, elements, batch.batch, steps, scratch);
            let values = known.values(elements, batch.batch, T::lanes(self.isa), compute);
            let scale = self.scale(batch);
            let candidate =
                |(value, element): (f64, u32)| Candidate { value: scale * value, key: self.plan.key(element) };
            values.into_iter().zip(self.elements_of(batch)).map(candidate).collect()
        };
        batches.par_iter().map_init(start, of_batch).flatten_iter().collect()
    }
}

/// A batch of elements.
struct Batch {
    part: usize,
    phase: Phase,
    patch: usize,
    batch: usize,
}

/// A candidate for the stiffest element.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Candidate {
    /// Approximate largest eigenvalue [1/s²].
    pub value: f64,
    /// See [`Plan::key`].
    pub key: u64,
}

/// Sorts candidates by descending eigenvalue, and removes those that need no refinement.
fn contenders(mut all: Vec<Candidate>) -> Vec<Candidate> {
    all.par_sort_by(|a, b| b.value.total_cmp(&a.value).then(a.key.cmp(&b.key)));
    all.truncate(MOST_REFINED);
    let least = CONTENDER * all.first().map_or(0.0, |first| first.value);
    all.retain(|candidate| candidate.value >= least);
    all
}

/// Largest eigenvalue of M⁻¹K of each element of a batch without its neighbours [1/s²].
pub fn largest_eigenvalues<T: Scalar>(
    kernel: &dyn ElementKernel<T>,
    isa: Isa,
    patch: &PatchElements<T>,
    batch: usize,
    steps: usize,
    scratch: &mut Scratch<T>,
) -> Vec<f64> {
    match patch.data.rheology.phase() {
        Phase::Solid => iterate::<T, { width(Phase::Solid) }>(kernel, isa, patch, batch, steps, scratch),
        Phase::Fluid => iterate::<T, { width(Phase::Fluid) }>(kernel, isa, patch, batch, steps, scratch),
    }
}

/// [`largest_eigenvalues`] for a phase with `W` values per node.
fn iterate<T: Scalar, const W: usize>(
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
    let mut lanczos = Lanczos::<T, W>::new(mass, T::lanes(isa), patch.data.rheology.phase().components());
    lanczos.start(scratch.values.as_flattened_mut().as_chunks_mut().0[..nodes].as_mut());
    for _ in 0..steps {
        scratch.force.as_flattened_mut()[..W * nodes].fill(T::default());
        kernel.add_forces(isa, &loose, &mut Memory::none(), 0..1, scratch);
        let Scratch { values, force, .. } = scratch;
        let values = values.as_flattened_mut().as_chunks_mut().0[..nodes].as_mut();
        lanczos.step(values, &force.as_flattened().as_chunks().0[..nodes]);
    }
    lanczos.tridiagonal.iter().map(Tridiagonal::largest_eigenvalue).collect()
}

/// A batch whose elements share no nodes: node `point * lanes + lane` belongs to one lane.
fn loose_batch<T: Scalar>(data: &ElementData<T>, batch: usize, nodes: usize) -> ElementData<T> {
    let part = |all: &AlignedVec<T>| {
        let length = all.len() / data.batches;
        AlignedVec::from_slice(&all[batch * length..][..length])
    };
    ElementData {
        rheology: data.rheology,
        batches: 1,
        nodes: (0..nodes as u16).collect(),
        geometry: part(&data.geometry),
        material: part(&data.material),
        material_varies: data.material_varies,
        axes: part(&data.axes),
        // The instantaneous response is the stiffest.
        relaxing: AlignedVec::zeroed(0),
        // Layers are softer than the medium without absorption.
        pml: AlignedVec::zeroed(0),
    }
}

/// Lanczos iteration for M⁻¹K in the scalar product of M, one element per lane.
///
/// # Source
/// Golub and Van Loan (2013), Matrix Computations, section 10.1.
struct Lanczos<'a, T, const W: usize> {
    /// Mass of each node, `[point][lane]`.
    mass: &'a [T],
    lanes: usize,
    /// Number of unknowns of a node; further values are padding.
    components: usize,
    /// The previous vector.
    previous: Vec<[T; W]>,
    tridiagonal: Vec<Tridiagonal>,
}

impl<'a, T: Scalar, const W: usize> Lanczos<'a, T, W> {
    fn new(mass: &'a [T], lanes: usize, components: usize) -> Self {
        let previous = vec![[T::default(); W]; mass.len()];
        Self { mass, lanes, components, previous, tridiagonal: vec![Tridiagonal::default(); lanes] }
    }

    /// Sets a start vector with components along all eigenvectors: alternating signs, as in the stiffest mode, and unequal amplitudes.
    fn start(&mut self, u: &mut [[T; W]]) {
        let along = ((u.len() / self.lanes) as f64).cbrt().round() as usize;
        for (point, u) in u.chunks_exact_mut(self.lanes).enumerate() {
            let sum = point % along + point / along % along + point / (along * along);
            let sign = if sum.is_multiple_of(2) { 1.0 } else { -1.0 };
            let size = |c: usize| T::from_f64(sign * (1.0 + 0.05 * ((3 * point + 5 * c) % 11) as f64));
            u.fill(std::array::from_fn(|c| if c < self.components { size(c) } else { T::default() }));
        }
        self.normalise(u);
    }

    /// Computes the next vector from the current vector `u` and its forces -K u.
    fn step(&mut self, u: &mut [[T; W]], force: &[[T; W]]) {
        let diagonal = self.per_lane(force, u, |force, u, _| -force * u);
        let factor = |(&diagonal, before): (&f64, &Tridiagonal)| {
            [diagonal, before.last_off_diagonal()].map(|value| [T::from_f64(value); W])
        };
        let factors: Vec<[[T; W]; 2]> = diagonal.iter().zip(&self.tridiagonal).map(factor).collect();
        let rows = u.chunks_exact_mut(self.lanes).zip(force.chunks_exact(self.lanes));
        let rows = rows.zip(self.previous.chunks_exact_mut(self.lanes)).zip(self.mass.chunks_exact(self.lanes));
        for (((u, force), previous), mass) in rows {
            let nodes = u.iter_mut().zip(force).zip(previous).zip(mass).zip(&factors);
            for ((((u, force), previous), &mass), [diagonal, off_diagonal]) in nodes {
                for c in 0..W {
                    let next = T::default() - force[c] / mass - diagonal[c] * u[c] - off_diagonal[c] * previous[c];
                    previous[c] = u[c];
                    u[c] = next;
                }
            }
        }
        let norms = self.normalise(u);
        for ((tridiagonal, diagonal), off_diagonal) in self.tridiagonal.iter_mut().zip(diagonal).zip(norms) {
            tridiagonal.rows.push([diagonal, off_diagonal]);
        }
    }

    /// Scales the vector of each lane to u M u = 1. Returns the previous norms.
    fn normalise(&self, u: &mut [[T; W]]) -> Vec<f64> {
        let mut norms = self.per_lane(u, u, |u, _, mass| mass * u * u);
        norms.iter_mut().for_each(|norm| *norm = norm.sqrt());
        let scale: Vec<T> = norms.iter().map(|norm| T::from_f64(if *norm > 0.0 { 1.0 / norm } else { 0.0 })).collect();
        for u in u.chunks_exact_mut(self.lanes) {
            u.iter_mut().zip(&scale).for_each(|(u, &scale)| *u = u.map(|x| x * scale));
        }
        norms
    }

    /// Sum over the points of a product of two vectors and the mass, for each lane. Padding is zero.
    fn per_lane(&self, a: &[[T; W]], b: &[[T; W]], product: impl Fn(f64, f64, f64) -> f64) -> Vec<f64> {
        let mut sums = vec![[0.0; W]; self.lanes];
        let rows = a.chunks_exact(self.lanes).zip(b.chunks_exact(self.lanes)).zip(self.mass.chunks_exact(self.lanes));
        for ((a, b), mass) in rows {
            for (((sum, a), b), mass) in sums.iter_mut().zip(a).zip(b).zip(mass) {
                let mass = mass.to_f64();
                for c in 0..W {
                    sum[c] += product(a[c].to_f64(), b[c].to_f64(), mass);
                }
            }
        }
        sums.iter().map(|sum| sum.iter().sum()).collect()
    }
}

/// A symmetric tridiagonal matrix.
#[derive(Clone, Default)]
struct Tridiagonal {
    /// Diagonal and off-diagonal entry of each row; the off-diagonal entry of the last row is outside the matrix.
    rows: Vec<[f64; 2]>,
}

impl Tridiagonal {
    fn last_off_diagonal(&self) -> f64 {
        self.rows.last().map_or(0.0, |row| row[1])
    }

    /// Largest eigenvalue, by bisection of the interval that the Gershgorin circles bound.
    fn largest_eigenvalue(&self) -> f64 {
        let off_diagonals = || std::iter::once(0.0).chain(self.rows.iter().map(|row| row[1]));
        let size = self.rows.len();
        let radius = |row: usize| off_diagonals().skip(row).take(if row + 1 < size { 2 } else { 1 }).sum::<f64>();
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

    /// Whether all eigenvalues are less than `value`, that is, all pivots of T - value I are negative.
    fn is_below(&self, value: f64) -> bool {
        let mut correction = 0.0;
        self.rows.iter().all(|[diagonal, off_diagonal]| {
            let pivot = diagonal - value - correction;
            correction = off_diagonal * off_diagonal / pivot;
            pivot < 0.0
        })
    }
}
