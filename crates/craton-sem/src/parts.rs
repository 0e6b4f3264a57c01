//! Assignment of patches to parts, and the messages between parts.
//!
//! A shared node of several parts is *cut*: each of these parts has a copy of it. The parts exchange the force sums of their patches on cut nodes and add
//! them in the same order, so that the result is bit-identical for any number of parts.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use craton_mesh::{Graph, MeshError, check_parts, imbalance, regular_partition, slice_partition};
use craton_sem_kernels::{MaterialKind, Phase, Relaxation, Rheology};
use craton_sim::Link;

use crate::SemError;
use crate::cuts::{Class, Cuts};
use crate::fields::NodePlace;
use crate::layout::Layout;
use crate::plan::Plan;

/// The part of every patch of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    count: usize,
    /// By patch: those of solids, then those of fluids.
    part_of_patch: Vec<u32>,
    /// Number of patches of solids.
    solid: usize,
}

impl Parts {
    /// Assigns all patches to a single part.
    pub fn one(plan: &Plan) -> Self {
        Self { count: 1, part_of_patch: vec![0; plan.n_patches()], solid: plan.of(Phase::Solid).layout.patches.len() }
    }

    /// Assigns each patch to the part that `part_of_patch` gives, first those of solids, then those of fluids.
    ///
    /// # Panics
    /// If a part has no patch, or the number of entries differs from the number of patches.
    pub fn new(plan: &Plan, part_of_patch: Vec<u32>) -> Self {
        assert_eq!(part_of_patch.len(), plan.n_patches(), "each patch has a part");
        let count = part_of_patch.iter().max().map_or(1, |&last| last as usize + 1);
        let mut has_patch = vec![false; count];
        part_of_patch.iter().for_each(|&part| has_patch[part as usize] = true);
        assert!(has_patch.into_iter().all(|has_patch| has_patch), "each part has a patch");
        Self { count, part_of_patch, solid: plan.of(Phase::Solid).layout.patches.len() }
    }

    /// Gives all patches of a tile of the mesh to the part that `part_of_tile` returns. A plan of some tiles may have no patch of a part.
    pub fn of_tiles(plan: &Plan, count: usize, part_of_tile: impl Fn(u32) -> u32) -> Self {
        let part = |elements: Range<usize>| part_of_tile(plan.mesh.tile_of(elements.start as u32));
        let part_of_patch = elements_of_patches(plan).map(part).collect();
        Self { count, part_of_patch, solid: plan.of(Phase::Solid).layout.patches.len() }
    }

    /// Divides the patches into `count` parts by plane cuts: slices or blocks if the mesh is a box.
    ///
    /// # Errors
    /// More parts than patches.
    pub fn regular(plan: &Plan, count: usize) -> Result<Self, SemError> {
        let partition = |own: &Patches| regular_partition(&own.centres, &own.costs, count);
        Ok(Self::new(plan, by_level(plan, centres(plan), count, partition)?))
    }

    /// Divides the patches into vertical slices of equal work.
    ///
    /// # Arguments
    /// * `of` – number of slices along x and y
    /// * `straight` – converts a position in mesh coordinates to x, y and height [m]
    ///
    /// # Errors
    /// More slices than patches.
    pub fn slices(plan: &Plan, of: [usize; 2], straight: impl Fn([f64; 3]) -> [f64; 3]) -> Result<Self, SemError> {
        let centres: Vec<[f64; 3]> = centres(plan).into_iter().map(straight).collect();
        let partition = |own: &Patches| slice_partition(&own.centres, &own.costs, of);
        Ok(Self::new(plan, by_level(plan, centres, of[0] * of[1], partition)?))
    }

    /// Divides the patches into `count` parts by graph partitioning, which suits any mesh.
    ///
    /// # Arguments
    /// * `partition` – given the graph of the patches and the number of parts, returns the part of each patch, so that no part is empty; vertex weights are
    ///   costs, to be balanced on each level, and edge weights are numbers of shared nodes
    ///
    /// # Errors
    /// Errors of `partition`.
    pub fn by_graph(
        plan: &Plan,
        count: usize,
        partition: impl FnOnce(&Graph, usize) -> Result<Vec<u32>, MeshError>,
    ) -> Result<Self, SemError> {
        let mut pairs = Vec::new();
        let mut first = 0;
        for phase in Phase::ALL {
            let layout = &plan.of(phase).layout;
            for node in 0..layout.shared as u32 {
                let contributions = layout.contributions_of(node);
                let of_patch = |&(patch, _): &(u32, u32)| {
                    let others = contributions.iter().filter(move |(other, _)| *other != patch);
                    others.map(move |&(other, _)| (first + patch, first + other))
                };
                pairs.extend(contributions.iter().flat_map(of_patch));
            }
            first += layout.patches.len() as u32;
        }
        let fluid_from = plan.of(Phase::Solid).layout.patches.len() as u32;
        for pair in &plan.wet {
            for &(solid, _) in plan.of(Phase::Solid).layout.contributions_of(pair.solid) {
                for &(fluid, _) in plan.of(Phase::Fluid).layout.contributions_of(pair.fluid) {
                    pairs.extend([(solid, fluid_from + fluid), (fluid_from + fluid, solid)]);
                }
            }
        }
        pairs.sort_unstable();
        let graph = Graph::from_pairs(&pairs, costs(plan)).with_levels(levels_of_patches(plan).collect());
        Ok(Self::new(plan, partition(&graph, count)?))
    }

    /// Load imbalance of a whole step: the largest work of a part over the mean; 1 is optimal.
    pub fn imbalance(&self, plan: &Plan) -> f64 {
        imbalance(&costs(plan), &self.part_of_patch, self.count)
    }

    /// Load imbalance of the substeps of each level.
    pub fn imbalance_of_levels(&self, plan: &Plan) -> BTreeMap<u8, f64> {
        let mut levels: BTreeMap<u8, (Vec<f64>, Vec<u32>)> = BTreeMap::new();
        for ((level, cost), &part) in levels_of_patches(plan).zip(costs(plan)).zip(&self.part_of_patch) {
            let (costs, parts) = levels.entry(level).or_default();
            costs.push(cost);
            parts.push(part);
        }
        levels.into_iter().map(|(level, (costs, parts))| (level, imbalance(&costs, &parts, self.count))).collect()
    }

    /// Number of parts.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The part of a patch of a phase.
    pub fn of_patch(&self, phase: Phase, patch: usize) -> usize {
        let first = if phase == Phase::Solid { 0 } else { self.solid };
        self.part_of_patch[first + patch] as usize
    }

    /// The part of an element.
    pub fn of_element(&self, plan: &Plan, element: u32) -> usize {
        self.of_patch(plan.phase_of(element), plan.patch_of(element).0)
    }
}

/// Elements of all patches, in the order of [`Parts::new`].
fn elements_of_patches(plan: &Plan) -> impl Iterator<Item = Range<usize>> {
    Phase::ALL.into_iter().flat_map(|phase| plan.of(phase).layout.patches.iter().map(|nodes| nodes.elements.clone()))
}

/// Levels of all patches, in the order of [`Parts::new`].
fn levels_of_patches(plan: &Plan) -> impl Iterator<Item = u8> {
    Phase::ALL.into_iter().flat_map(|phase| plan.of(phase).rates.iter().copied())
}

/// Mean element centre of each patch [m].
fn centres(plan: &Plan) -> Vec<[f64; 3]> {
    let centre = |elements: Range<usize>| {
        let count = elements.len() as f64;
        let sum = elements.fold([0.0; 3], |sum, element| {
            let centre = plan.mesh.centroid(element as u32);
            [0, 1, 2].map(|c| sum[c] + centre[c])
        });
        sum.map(|x| x / count)
    };
    elements_of_patches(plan).map(centre).collect()
}

/// Cost of computing an element once, in units of an isotropic element.
pub(crate) fn cost_of(Rheology { material, relaxation, pml }: Rheology) -> f64 {
    let elastic = match material {
        MaterialKind::Isotropic => 1.0,
        MaterialKind::TransverselyIsotropic => 1.2,
        MaterialKind::Anisotropic => 1.7,
        MaterialKind::Fluid => 0.4,
    };
    let relaxing = match relaxation {
        Relaxation::None => 0.0,
        Relaxation::Odd { .. } => 0.2,
        Relaxation::Inner { .. } => 0.5,
        Relaxation::Full { mechanisms } => 0.3 * f64::from(mechanisms),
    };
    elastic + relaxing + 0.8 * elastic * pml.axes() as f64
}

/// Cost of each patch in a step, in units of an isotropic element.
fn costs(plan: &Plan) -> Vec<f64> {
    let cost = |elements: Range<usize>| {
        let first = elements.start as u32;
        cost_of(plan.rheology_of(first)) * f64::from(1 << plan.level_of(first)) * elements.len() as f64
    };
    elements_of_patches(plan).map(cost).collect()
}

/// Patches to divide into parts.
#[derive(Default)]
struct Patches {
    /// Numbers, those of solids first.
    numbers: Vec<usize>,
    centres: Vec<[f64; 3]>,
    costs: Vec<f64>,
}

/// Divides the patches of each level into `count` parts, so that the parts have equal work in each substep. Of a level with fewer patches, each patch is given to
/// the part with the least work on lower levels and in these patches.
fn by_level(
    plan: &Plan,
    centres: Vec<[f64; 3]>,
    count: usize,
    partition: impl Fn(&Patches) -> Result<Vec<u32>, MeshError>,
) -> Result<Vec<u32>, SemError> {
    let mut levels: BTreeMap<u8, Patches> = BTreeMap::new();
    for (number, ((level, centre), cost)) in levels_of_patches(plan).zip(centres).zip(costs(plan)).enumerate() {
        let own = levels.entry(level).or_default();
        own.numbers.push(number);
        own.centres.push(centre);
        own.costs.push(cost);
    }
    check_parts(count, plan.n_patches())?;
    let mut all = vec![0; plan.n_patches()];
    let mut loads = vec![0.0; count];
    for own in levels.into_values() {
        let is_small = own.numbers.len() < count;
        let parts = if is_small { dealt(&own.costs, loads.clone()) } else { partition(&own)? };
        for ((&number, part), cost) in own.numbers.iter().zip(parts).zip(own.costs) {
            all[number] = part;
            loads[part as usize] += cost;
        }
    }
    Ok(all)
}

/// Gives each of some patches to the part with the least load.
fn dealt(costs: &[f64], mut loads: Vec<f64>) -> Vec<u32> {
    let deal = |cost: &f64| {
        let least = (0..loads.len()).min_by(|&one, &other| loads[one].total_cmp(&loads[other])).unwrap_or(0);
        loads[least] += cost;
        least as u32
    };
    costs.iter().map(deal).collect()
}

/// Nodes and messages of a phase of a part.
pub struct PartLayout {
    /// Number of each patch among those of its phase in the plan: patches with cut nodes first, then the others, each in ascending order.
    pub patches: Vec<u32>,
    /// Number of patches with cut nodes.
    pub outer: usize,
    /// Patches and nodes. Shared nodes that are not cut come first, then the cut ones, and those on absorbing boundaries last. In `contributions`, the patch
    /// number after the last one denotes received sums.
    pub layout: Arc<Layout>,
    /// Number of each shared node in the plan.
    pub shared: Vec<u32>,
    /// First cut node that is not on an absorbing boundary.
    pub first_cut: usize,
    /// The highest level of the cut nodes of all parts, at whose substeps they exchange messages.
    pub finest_cut: u8,
    /// Neighbours, in ascending order.
    pub links: Vec<Link>,
    /// Sums that the part sends: (patch of the part, local node counted from the first shared one).
    pub outgoing: Vec<(u32, u32)>,
    /// Sums that the part receives: (patch of the plan, local node counted from the first shared one).
    pub incoming: Vec<(u32, u32)>,
    /// Cumulative number of inner nodes before each patch, and of all patches at the end.
    pub first_inner: Vec<usize>,
    /// (first element of a patch, patch of the part), in ascending order.
    by_element: Vec<(u32, u32)>,
}

impl PartLayout {
    /// Builds the layout of a phase in part `part` of a plan.
    pub(crate) fn new(plan: &Plan, phase: Phase, parts: &Parts, part: usize) -> Self {
        let cuts = Cuts::new(plan, phase, parts);
        let all = &cuts.layout.patches;
        let is_outer = |&patch: &usize| all[patch].shared.iter().any(|&node| cuts.is_cut(node));
        let own = (0..all.len()).filter(|&patch| parts.of_patch(phase, patch) == part);
        let (outer, inner): (Vec<usize>, Vec<usize>) = own.partition(is_outer);
        let patches: Vec<u32> = outer.iter().chain(&inner).map(|&patch| patch as u32).collect();
        let shared = cuts.shared_nodes(part, &patches);
        let [first_cut, first_absorbing] = [
            shared.partition_point(|&node| cuts.class(node) < Class::Cut),
            shared.partition_point(|&node| cuts.class(node) < Class::Absorbing),
        ];
        let messages = cuts.messages(part, &shared);
        let layout = match parts.count() {
            1 => Arc::clone(&plan.of(phase).layout),
            _ => Arc::new(cuts.layout_of(part, &patches, &shared, first_absorbing, &messages.incoming)),
        };
        let mut here = vec![u32::MAX; all.len()];
        for (own, &patch) in patches.iter().enumerate() {
            here[patch as usize] = own as u32;
        }
        let mut by_element: Vec<(u32, u32)> =
            layout.patches.iter().enumerate().map(|(own, nodes)| (nodes.elements.start as u32, own as u32)).collect();
        by_element.sort_unstable();
        let mut first_inner = vec![0];
        for nodes in &layout.patches {
            first_inner.push(first_inner[first_inner.len() - 1] + nodes.inner);
        }
        Self {
            first_inner,
            outer: outer.len(),
            layout,
            first_cut,
            finest_cut: cuts.finest_level(&shared),
            shared,
            links: messages.links,
            outgoing: messages.outgoing.into_iter().map(|(patch, slot)| (here[patch as usize], slot)).collect(),
            incoming: messages.incoming,
            by_element,
            patches,
        }
    }

    /// Converts the location of a node from the plan to the part; `None` if the part does not have the node.
    pub fn place_of(&self, place: NodePlace) -> Option<NodePlace> {
        match place {
            NodePlace::Inner { patch, node } => self.patch(patch).map(|patch| NodePlace::Inner { patch, node }),
            NodePlace::Shared(node) => self.shared_node(node).map(NodePlace::Shared),
        }
    }

    /// Number in the part of a patch of the plan.
    fn patch(&self, patch: u32) -> Option<u32> {
        let (outer, inner) = self.patches.split_at(self.outer);
        let found = outer.binary_search(&patch).or_else(|_| inner.binary_search(&patch).map(|at| at + self.outer));
        found.ok().map(|at| at as u32)
    }

    /// Number in the part of a shared node of the plan, by binary search in each class of nodes.
    pub(crate) fn shared_node(&self, node: u32) -> Option<u32> {
        let first_absorbing = self.layout.first_absorbing;
        let classes = [0..self.first_cut, self.first_cut..first_absorbing, first_absorbing..self.shared.len()];
        let find = |class: Range<usize>| self.shared[class.clone()].binary_search(&node).map(|at| class.start + at);
        classes.into_iter().find_map(|class| find(class).ok()).map(|at| at as u32)
    }

    /// Converts the location of a node from the part to the plan.
    pub fn place_in_plan(&self, place: NodePlace) -> NodePlace {
        match place {
            NodePlace::Inner { patch, node } => NodePlace::Inner { patch: self.patches[patch as usize], node },
            NodePlace::Shared(node) => NodePlace::Shared(self.shared[node as usize]),
        }
    }

    /// Patch of the part that contains an element of the mesh, and its position in the patch; `None` if it belongs to another part.
    pub fn patch_of(&self, element: u32) -> Option<(usize, usize)> {
        let after = self.by_element.partition_point(|&(first, _)| first <= element);
        let (_, patch) = *self.by_element[..after].last()?;
        let elements = &self.layout.patches[patch as usize].elements;
        elements.contains(&(element as usize)).then(|| (patch as usize, element as usize - elements.start))
    }
}
