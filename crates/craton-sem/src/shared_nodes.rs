//! The fields on the shared nodes of a phase, and a time step of them.

use std::ops::Range;
use std::sync::Arc;

use craton_device::Scalar;
use craton_sem_kernels::Phase;

use crate::coupling::Coupling;
use crate::layout::Layout;
use crate::levels::Order;
use crate::step::{Node, PatchState, width};
use crate::substeps::Substeps;

/// The fields on the shared nodes of a phase, with [`width`] values per node.
pub struct SharedState<T: Scalar> {
    /// Displacement [m] or potential [kg/m] at the whole step.
    pub u: Vec<T>,
    /// Its rate half a step earlier.
    pub v: Vec<T>,
    /// dt times the second time derivative of the potential at the last step; empty in a solid.
    pub change: Vec<T>,
    /// dt / mass, one value per node; dt is that of a substep.
    pub dt_over_mass: Vec<T>,
    /// First node on an absorbing boundary; all later ones are, too.
    pub first_absorbing: usize,
    /// Damping of the nodes on absorbing boundaries.
    pub absorbing: Vec<AbsorbingNode<T>>,
    /// Successive nodes of one level.
    pub runs: Vec<LevelRun<T>>,
    /// Contributions to each shared node.
    pub layout: Arc<Layout>,
    /// Force sums received from other parts, in message order; a fluid uses the first component only.
    pub received: Vec<Node<T>>,
}

impl<T: Scalar> SharedState<T> {
    /// Creates the state at rest.
    ///
    /// # Arguments
    /// * `mass` – mass of all shared nodes
    /// * `damping` – damping of the nodes on absorbing boundaries, xx, yy, zz, yz, xz, xy
    /// * `received` – number of sums that are received from other parts
    /// * `dt` – time step [s]
    pub fn new(
        (layout, phase, order): (Arc<Layout>, Phase, Order),
        mass: &[f64],
        damping: &[[f64; 6]],
        received: usize,
        dt: f64,
    ) -> Self {
        let absorbing = mass[layout.first_absorbing..].iter().zip(damping);
        let scaled = |(mass, &level): (&f64, &u8)| T::from_f64(dt / f64::from(1 << level) / mass);
        Self {
            u: vec![T::default(); width(phase) * mass.len()],
            v: vec![T::default(); width(phase) * mass.len()],
            change: if phase == Phase::Fluid { vec![T::default(); mass.len()] } else { Vec::new() },
            dt_over_mass: mass.iter().zip(&layout.levels).map(scaled).collect(),
            runs: LevelRun::all(&layout.levels, width(phase), (order, dt)),
            first_absorbing: layout.first_absorbing,
            absorbing: absorbing.map(|(mass, damping)| AbsorbingNode::new(*mass, *damping, dt)).collect(),
            received: vec![[T::default(); 4]; received],
            layout,
        }
    }
}

/// Successive shared nodes of one level.
pub struct LevelRun<T> {
    pub nodes: Range<usize>,
    /// Their substeps, and what each node keeps during a step; `None` on level 0.
    pub substeps: Option<(Substeps<T>, Vec<T>)>,
}

impl<T: Scalar> LevelRun<T> {
    /// The runs of nodes with these levels.
    fn all(levels: &[u8], width: usize, (order, dt): (Order, f64)) -> Vec<Self> {
        let mut first = 0;
        let run = |own: &[u8]| {
            let nodes = first..first + own.len();
            first = nodes.end;
            let substeps = (own[0] > 0).then(|| Substeps::new(order, own[0], dt));
            let kept = |of: &Substeps<T>| vec![T::default(); own.len() * of.kept(width)];
            Self { nodes, substeps: substeps.map(|of| (of, kept(&of))) }
        };
        levels.chunk_by(|one, other| one == other).map(run).collect()
    }

    pub fn level(&self) -> u8 {
        self.substeps.as_ref().map_or(0, |(of, _)| of.level)
    }
}

/// Paraxial damping at a node: (M + dt/2 C) dv/dt = f - C v. In a fluid only the component xx is used.
#[derive(Debug, Clone, Copy)]
pub struct AbsorbingNode<T> {
    /// C, xx, yy, zz, yz, xz, xy.
    pub damping: [T; 6],
    /// dt (M + dt/2 C)^-1, xx, yy, zz, yz, xz, xy.
    pub dt_over_mass: [T; 6],
}

/// A range of shared nodes that one thread updates.
pub struct SharedBlock<'a, T> {
    /// First node.
    pub start: usize,
    /// Displacement or potential.
    pub u: &'a mut [T],
    /// Its rate.
    pub v: &'a mut [T],
    /// See [`SharedState::change`].
    pub change: &'a mut [T],
}

/// Inputs of the update of the shared nodes, apart from their fields.
pub struct SharedForces<'a, T: Scalar> {
    /// All patches, with their forces on shared nodes.
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
    /// The nodes at the other phase.
    pub coupling: &'a Coupling<T>,
    /// The field of the other phase that acts on this one: the displacement of the solid, or dt χ″ of the fluid.
    pub other: &'a [T],
    /// Time step [s].
    pub dt: T,
}

impl<T: Scalar> SharedForces<'_, T> {
    /// Updates a block of a solid. Forces of all patches, received ones included, are added in ascending patch order of the plan.
    pub fn advance_solid(&self, block: SharedBlock<T>) {
        const W: usize = width(Phase::Solid);
        let nodes = block.u.as_chunks_mut::<W>().0.iter_mut().zip(block.v.as_chunks_mut::<W>().0);
        let mut pushes = self.coupling.on_solid(block.start, self.other, self.dt);
        for (node, (u, v)) in (block.start..).zip(nodes) {
            let mut force = self.sum::<W>(node);
            if let Some(push) = pushes.at(node) {
                force.iter_mut().zip(push).for_each(|(force, push)| *force = *force + push);
            }
            let force = [force[0], force[1], force[2]];
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

    /// Updates a block of a fluid; see [`Self::advance_solid`].
    pub fn advance_fluid(&self, block: SharedBlock<T>) {
        let mut pushes = self.coupling.on_fluid(block.start, self.other);
        let nodes = block.u.iter_mut().zip(block.v).zip(block.change);
        for (node, ((u, v), change)) in (block.start..).zip(nodes) {
            let [mut force] = self.sum::<1>(node);
            if let Some(push) = pushes.at(node) {
                force = force + push;
            }
            *change = match node.checked_sub(self.first_absorbing) {
                None => self.dt_over_mass[node] * force,
                Some(absorbing) => {
                    let AbsorbingNode { damping, dt_over_mass } = &self.absorbing[absorbing];
                    dt_over_mass[0] * (force - damping[0] * *v)
                }
            };
            *v = (*v + *change).without_negligible();
            *u = (*u + self.dt * *v).without_negligible();
        }
    }

    /// Moves nodes of a level above 0 to their next substep; see [`Self::advance_solid`].
    ///
    /// # Arguments
    /// * `kept` – what the nodes keep during a step
    pub fn advance_within<const W: usize>(
        &self,
        substep: usize,
        of: &Substeps<T>,
        block: SharedBlock<T>,
        kept: &mut [T],
    ) {
        let nodes = block.u.as_chunks_mut::<W>().0.iter_mut().zip(block.v.as_chunks_mut::<W>().0);
        for ((node, (u, v)), kept) in (block.start..).zip(nodes).zip(kept.chunks_exact_mut(of.kept(W))) {
            let scale = self.dt_over_mass[node];
            let change = self.sum::<W>(node).map(|force| scale * force);
            // Boundaries absorb once in a step.
            let damped = |change: [T; W], v: [T; W]| match node.checked_sub(self.first_absorbing) {
                None => change,
                Some(absorbing) => self.absorbing[absorbing].damped(change, v, scale * T::from_f64(of.per_step())),
            };
            of.advance(substep, change, kept, [u, v], damped);
        }
    }

    /// Sum of the forces of all patches on a node.
    fn sum<const W: usize>(&self, node: usize) -> [T; W] {
        let mut sum = [T::default(); W];
        for &(patch, slot) in self.layout.contributions_of(node as u32) {
            let force: &[T] = match self.patches.get(patch as usize) {
                Some(patch) => &patch.force.as_chunks::<W>().0[slot as usize],
                None => &self.received[slot as usize][..W],
            };
            for c in 0..W {
                sum[c] = sum[c] + force[c];
            }
        }
        sum
    }
}

impl<T: Scalar> AbsorbingNode<T> {
    /// Prepares a node with a mass and a damping for the time step `dt` [s]. A node with infinite mass keeps its values.
    pub fn new(mass: f64, damping: [f64; 6], dt: f64) -> Self {
        let [xx, yy, zz, yz, xz, xy] = damping.map(|c| 0.5 * dt * c);
        let [a, b, c] = [mass + xx, mass + yy, mass + zz];
        let minors =
            [b * c - yz * yz, a * c - xz * xz, a * b - xy * xy, xy * xz - a * yz, xy * yz - b * xz, xz * yz - c * xy];
        let det = a * minors[0] + xy * minors[5] + xz * minors[4];
        let inverse = if mass.is_finite() { minors.map(|m| dt * m / det) } else { [0.0; 6] };
        Self { damping: damping.map(T::from_f64), dt_over_mass: inverse.map(T::from_f64) }
    }

    /// The change of velocity (or of the rate of the potential) in a step, given its change without damping and dt / mass.
    fn damped<const W: usize>(&self, change: [T; W], v: [T; W], dt_over_mass: T) -> [T; W] {
        if dt_over_mass == T::default() {
            // A fixed node.
            return change;
        }
        let force = change.map(|change| change / dt_over_mass);
        let mut all = [T::default(); W];
        match W {
            1 => all[0] = self.dt_over_mass[0] * (force[0] - self.damping[0] * v[0]),
            _ => all[..3].copy_from_slice(
                &self.change_of_velocity([force[0], force[1], force[2]], std::array::from_fn(|c| v[c])),
            ),
        }
        all
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
