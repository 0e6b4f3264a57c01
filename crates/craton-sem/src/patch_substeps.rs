//! The substeps of a patch: its nodes, the means of its forces, and its memory variables.

use craton_device::Scalar;
use craton_sem_kernels::Memory;

use crate::levels::Order;
use crate::substeps::Substeps;

/// The substeps of a patch of a level above 0.
pub struct PatchSubsteps<T> {
    of_nodes: Substeps<T>,
    /// What each inner node keeps during a step.
    kept: Vec<T>,
    /// Shared nodes of lower levels: local number counted from the first shared one, and by how many levels they are lower.
    slower: Vec<(u32, u8)>,
    /// Memory variables before and during the step: they advance once, with the strain at its beginning.
    held: [Vec<T>; 2],
}

impl<T: Scalar> PatchSubsteps<T> {
    /// The substeps of a patch; `None` on level 0.
    ///
    /// # Arguments
    /// * `shared` – level of each shared node of the patch
    /// * `inner` – number of values of its inner nodes
    /// * `variables` – number of memory variables
    pub fn new(
        (order, level): (Order, u8),
        dt: f64,
        shared: impl Iterator<Item = u8>,
        [width, inner, variables]: [usize; 3],
    ) -> Option<Self> {
        let of_nodes = (level > 0).then(|| Substeps::new(order, level, dt))?;
        let lower = (0..).zip(shared).map(|(slot, own)| (slot, level - own));
        Some(Self {
            kept: vec![T::default(); of_nodes.kept(width) * (inner / width)],
            slower: lower.filter(|(_, lower)| *lower > 0).collect(),
            held: [vec![T::default(); variables], vec![T::default(); variables]],
            of_nodes,
        })
    }

    pub fn level(&self) -> u8 {
        self.of_nodes.level
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.kept[..]) + size_of_val(&self.slower[..]) + 2 * size_of_val(&self.held[0][..])
    }

    /// Before the forces of a substep: the first one finds the memory variables of the step, the others find them as they were before it.
    pub fn hold(&mut self, substep: usize, memory: &mut Memory<T>) {
        let [before, during] = &mut self.held;
        match substep {
            0 => before.copy_from_slice(&memory.variables),
            _ => {
                during.copy_from_slice(&memory.variables);
                memory.variables.copy_from_slice(before);
            }
        }
    }

    /// After the forces of a substep: keeps the variables that the first one has advanced.
    pub fn release(&self, substep: usize, memory: &mut Memory<T>) {
        if substep > 0 {
            memory.variables.copy_from_slice(&self.held[1]);
        }
    }

    /// Adds the forces on slower shared nodes to the means.
    ///
    /// # Arguments
    /// * `means` – the means so far
    /// * `forces` – forces of this substep on all shared nodes, replaced by the means
    pub fn take_means<const W: usize>(&self, substep: usize, means: &[[T; W]], forces: &mut [[T; W]]) {
        for &(slot, lower) in &self.slower {
            let (mean, force) = (&means[slot as usize], &mut forces[slot as usize]);
            let weight = T::from_f64((-f64::from(lower)).exp2());
            let is_first = substep.is_multiple_of(1 << lower);
            for c in 0..W {
                force[c] = if is_first { weight * force[c] } else { mean[c] + weight * force[c] };
            }
        }
    }

    /// Moves the inner nodes to the next substep.
    ///
    /// # Arguments
    /// * `forces` – of all local nodes
    pub fn move_inner<const W: usize>(
        &mut self,
        substep: usize,
        [u, v]: [&mut [T]; 2],
        dt_over_mass: &[T],
        forces: &[[T; W]],
    ) {
        let Self { of_nodes, kept, .. } = self;
        let nodes = u.as_chunks_mut::<W>().0.iter_mut().zip(v.as_chunks_mut::<W>().0);
        let nodes = nodes.zip(kept.chunks_exact_mut(of_nodes.kept(W)));
        for ((((u, v), kept), &scale), force) in nodes.zip(dt_over_mass).zip(forces) {
            of_nodes.advance(substep, force.map(|f| scale * f), kept, [u, v], |change, _| change);
        }
    }
}
