//! The field on one patch and on the shared nodes, and one step of each.

use std::sync::Arc;

use craton_device::{AlignedVec, Isa, Scalar, prefetch};
use craton_sem_kernels::{ElementData, Scratch};

use crate::kernels::Kernels;
use crate::layout::Layout;

/// Three components of a node and one of padding: a node is one vector load.
pub type Node<T> = [T; 4];

/// The field on the inner nodes of a patch, and the patch's share of the forces on shared nodes.
pub struct PatchState<T: Scalar> {
    /// Its elements.
    pub elements: ElementData<T>,
    /// Number of its elements.
    pub count: usize,
    /// Memory variables of its elements, `[batch][point][variable][lane]`: empty if their law has none.
    pub memory: AlignedVec<T>,
    /// Shared number of each local node after the inner ones.
    pub shared: Vec<u32>,
    /// Displacement of the inner nodes at the whole step [m].
    pub u: Vec<Node<T>>,
    /// Their velocity half a step earlier [m/s].
    pub v: Vec<Node<T>>,
    /// dt / mass of the inner nodes [s/kg].
    pub dt_over_mass: Vec<T>,
    /// Forces of this patch on the shared nodes [N].
    pub force: Vec<Node<T>>,
    /// Sources in this patch.
    pub sources: Vec<PatchSource<T>>,
}

/// A source as the patch applies it.
pub struct PatchSource<T> {
    /// Its history, among all.
    pub history: usize,
    /// Local node and force [N] for a history of one.
    pub nodes: Vec<(u16, [T; 3])>,
}

impl<T: Scalar> PatchState<T> {
    /// At rest.
    ///
    /// # Arguments
    /// * `count` – of its elements; the batches hold copies of the last one beyond them
    /// * `shared` – shared number of each local node after the inner ones
    /// * `mass` – of the inner nodes [kg]
    /// * `dt` – time step [s]
    pub fn new(
        (elements, count): (ElementData<T>, usize),
        shared: Vec<u32>,
        mass: &[f64],
        sources: Vec<PatchSource<T>>,
        dt: f64,
    ) -> Self {
        // Written here, and not when the first step reads it: a page of zeros that is read first is mapped twice.
        let at_rest = || std::iter::repeat_n([T::default(); 4], mass.len()).collect();
        Self {
            memory: elements.memory(),
            elements,
            count,
            u: at_rest(),
            v: at_rest(),
            dt_over_mass: mass.iter().map(|m| T::from_f64(dt / m)).collect(),
            force: vec![[T::default(); 4]; shared.len()],
            shared,
            sources,
        }
    }

    /// One step: forces of the elements and sources, then the inner nodes move and the shared ones get their sums.
    pub fn advance(&mut self, with: &Step<T>, shared: &[Node<T>], scratch: &mut Scratch<T>) {
        self.stage(shared, scratch);
        self.add_forces(with, scratch);
        self.add_sources(with, scratch);
        self.move_inner(with.dt, scratch);
        let inner = self.u.len();
        self.force.copy_from_slice(&scratch.force[inner..inner + self.shared.len()]);
    }

    /// Places in `memory` of the variables of all its elements, `[element][point][variable]`.
    pub fn memory_places(&self, isa: Isa) -> impl Iterator<Item = usize> + use<T> {
        let (lanes, variables) = (T::lanes(isa), self.elements.rheology.memory());
        let per_element = self.elements.nodes.len() / (self.elements.batches * lanes) * variables;
        (0..self.count * per_element).map(move |at| {
            let (element, row) = (at / per_element, at % per_element);
            (element / lanes * per_element + row) * lanes + element % lanes
        })
    }

    /// Brings the displacement of all local nodes together and clears their forces.
    fn stage(&self, shared: &[Node<T>], scratch: &mut Scratch<T>) {
        let inner = self.u.len();
        let end = inner + self.shared.len();
        scratch.displacement[..inner].copy_from_slice(&self.u);
        for (local, &node) in scratch.displacement[inner..end].iter_mut().zip(&self.shared) {
            *local = shared[node as usize];
        }
        // The spare node, which unused lanes of the last batch read and write, included.
        scratch.force[..=end].fill([T::default(); 4]);
        scratch.displacement[end] = [T::default(); 4];
    }

    /// Forces of the elements, batch by batch; meanwhile the velocities, which are needed next, come near.
    fn add_forces(&mut self, with: &Step<T>, scratch: &mut Scratch<T>) {
        let batches = self.elements.batches;
        let part = self.v.len().div_ceil(batches.max(1)).max(1);
        let kernel = with.kernels.of(self.elements.rheology);
        let (mut velocities, mut masses) = (self.v.chunks(part), self.dt_over_mass.chunks(part));
        for batch in 0..batches {
            prefetch(velocities.next().unwrap_or_default());
            prefetch(masses.next().unwrap_or_default());
            kernel.add_forces(with.isa, &self.elements, &mut self.memory, batch..batch + 1, scratch);
        }
    }

    fn add_sources(&self, with: &Step<T>, scratch: &mut Scratch<T>) {
        for source in &self.sources {
            let amplitude = with.histories[source.history][with.step];
            for (node, weight) in &source.nodes {
                let force = &mut scratch.force[usize::from(*node)];
                for c in 0..3 {
                    force[c] = force[c] + amplitude * weight[c];
                }
            }
        }
    }

    fn move_inner(&mut self, dt: T, scratch: &Scratch<T>) {
        let nodes = self.u.iter_mut().zip(&mut self.v).zip(&self.dt_over_mass).zip(scratch.force.iter());
        for (((u, v), &scale), force) in nodes {
            for c in 0..4 {
                v[c] = (v[c] + scale * force[c]).without_negligible();
                u[c] = (u[c] + dt * v[c]).without_negligible();
            }
        }
    }
}

/// What all patches share during a step.
pub struct Step<'a, T: Scalar> {
    /// The element kernels.
    pub kernels: &'a Kernels<T>,
    /// Their instruction set.
    pub isa: Isa,
    /// Time step [s].
    pub dt: T,
    /// Number of the step.
    pub step: usize,
    /// Histories of the sources, one value per step.
    pub histories: &'a [Vec<T>],
}

/// The field on the shared nodes.
pub struct SharedState<T: Scalar> {
    /// Displacement at the whole step [m].
    pub u: Vec<Node<T>>,
    /// Velocity half a step earlier [m/s].
    pub v: Vec<Node<T>>,
    /// dt / mass [s/kg].
    pub dt_over_mass: Vec<T>,
    /// The nodes from here on lie on an absorbing boundary.
    pub first_absorbing: usize,
    /// Their damping.
    pub absorbing: Vec<AbsorbingNode<T>>,
    /// Where the sums of each node stand.
    pub layout: Arc<Layout>,
    /// Sums of other parts' patches, in the order of the messages [N].
    pub received: Vec<Node<T>>,
}

impl<T: Scalar> SharedState<T> {
    /// Number of shared nodes.
    pub fn len(&self) -> usize {
        self.layout.shared
    }

    /// At rest.
    ///
    /// # Arguments
    /// * `mass` – of all shared nodes [kg]
    /// * `damping` – of the absorbing ones [kg/s], xx, yy, zz, yz, xz, xy
    /// * `received` – number of sums that come from other parts
    /// * `dt` – time step [s]
    pub fn new(layout: Arc<Layout>, mass: &[f64], damping: &[[f64; 6]], received: usize, dt: f64) -> Self {
        let absorbing = mass[layout.first_absorbing..].iter().zip(damping);
        Self {
            u: vec![[T::default(); 4]; mass.len()],
            v: vec![[T::default(); 4]; mass.len()],
            dt_over_mass: mass.iter().map(|m| T::from_f64(dt / m)).collect(),
            first_absorbing: layout.first_absorbing,
            absorbing: absorbing.map(|(mass, damping)| AbsorbingNode::new(*mass, *damping, dt)).collect(),
            received: vec![[T::default(); 4]; received],
            layout,
        }
    }
}

/// Paraxial damping at a node: (M + dt/2 C) dv/dt = f - C v.
#[derive(Debug, Clone, Copy)]
pub struct AbsorbingNode<T> {
    /// C [kg/s], xx, yy, zz, yz, xz, xy.
    pub damping: [T; 6],
    /// dt (M + dt/2 C)^-1 [s/kg], likewise.
    pub dt_over_mass: [T; 6],
}

/// A run of shared nodes that one worker moves.
pub struct SharedBlock<'a, T> {
    /// First node.
    pub start: usize,
    /// Displacement.
    pub u: &'a mut [Node<T>],
    /// Velocity.
    pub v: &'a mut [Node<T>],
}

/// What moves the shared nodes, besides their field.
pub struct SharedForces<'a, T: Scalar> {
    /// All patches, their forces on shared nodes done.
    pub patches: &'a [PatchState<T>],
    /// As in [`SharedState`].
    pub dt_over_mass: &'a [T],
    /// As in [`SharedState`].
    pub first_absorbing: usize,
    /// As in [`SharedState`].
    pub absorbing: &'a [AbsorbingNode<T>],
    /// As in [`SharedState`].
    pub layout: &'a Layout,
    /// As in [`SharedState`].
    pub received: &'a [Node<T>],
    /// Time step [s].
    pub dt: T,
}

impl<T: Scalar> SharedForces<'_, T> {
    /// Moves a block: the patches' forces are added in ascending patch order, those of other parts in their turn.
    pub fn advance(&self, block: SharedBlock<T>) {
        for (index, (u, v)) in block.u.iter_mut().zip(block.v).enumerate() {
            let node = block.start + index;
            let force = self.sum(node);
            let change = match node.checked_sub(self.first_absorbing) {
                None => force.map(|f| self.dt_over_mass[node] * f),
                Some(absorbing) => self.absorbing[absorbing].change_of_velocity(force, *v),
            };
            for c in 0..3 {
                v[c] = (v[c] + change[c]).without_negligible();
                u[c] = (u[c] + self.dt * v[c]).without_negligible();
            }
        }
    }

    fn sum(&self, node: usize) -> [T; 3] {
        let mut sum = [T::default(); 3];
        for &(patch, slot) in self.layout.contributions_of(node as u32) {
            let forces = self.patches.get(patch as usize).map_or(self.received, |patch| &patch.force);
            let force = &forces[slot as usize];
            sum = [sum[0] + force[0], sum[1] + force[1], sum[2] + force[2]];
        }
        sum
    }
}

impl<T: Scalar> AbsorbingNode<T> {
    /// A node of mass `mass` [kg] and damping `damping` [kg/s] at time step `dt` [s]; an infinite mass never moves.
    pub fn new(mass: f64, damping: [f64; 6], dt: f64) -> Self {
        let [xx, yy, zz, yz, xz, xy] = damping.map(|c| 0.5 * dt * c);
        let [a, b, c] = [mass + xx, mass + yy, mass + zz];
        let minors =
            [b * c - yz * yz, a * c - xz * xz, a * b - xy * xy, xy * xz - a * yz, xy * yz - b * xz, xz * yz - c * xy];
        let det = a * minors[0] + xy * minors[5] + xz * minors[4];
        let inverse = if mass.is_finite() { minors.map(|m| dt * m / det) } else { [0.0; 6] };
        Self { damping: damping.map(T::from_f64), dt_over_mass: inverse.map(T::from_f64) }
    }

    fn change_of_velocity(&self, force: [T; 3], v: Node<T>) -> [T; 3] {
        let damped = apply(&self.damping, [v[0], v[1], v[2]]);
        apply(&self.dt_over_mass, [force[0] - damped[0], force[1] - damped[1], force[2] - damped[2]])
    }
}

/// Product of a symmetric tensor (xx, yy, zz, yz, xz, xy) and a vector.
fn apply<T: Scalar>([xx, yy, zz, yz, xz, xy]: &[T; 6], [x, y, z]: [T; 3]) -> [T; 3] {
    [*xx * x + *xy * y + *xz * z, *xy * x + *yy * y + *yz * z, *xz * x + *yz * y + *zz * z]
}
