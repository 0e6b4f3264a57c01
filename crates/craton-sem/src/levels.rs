//! Local time steps: the level of each element.
//!
//! An element of level r is advanced by 2^r substeps in a time step of the run. `substeps.rs` contains the scheme.

use std::collections::{HashMap, HashSet};

use bytemuck::{Pod, Zeroable};
use craton_comm::CommError;
use craton_mesh::HexMesh;

use crate::own_tiles::OwnTiles;

/// Highest level.
pub const MOST_LEVELS: u8 = 8;
/// Candidates for the time step within a factor of two.
const PER_OCTAVE: f64 = 16.0;
/// Smallest ratio of the costs without and with levels for which levels are used.
const WORTH_IT: f64 = 1.05;

/// Order of accuracy in time of a run with levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The lowest level is 0. Elements of level 0 have the time dispersion of the leapfrog scheme, others less.
    Second,
    /// The lowest level is 1. No element has time dispersion up to this order.
    Fourth,
}

impl Order {
    /// The lowest level.
    pub fn lowest_level(self) -> u8 {
        match self {
            Self::Second => 0,
            Self::Fourth => 1,
        }
    }

    /// Damping η at depth `depth` of the substeps of nodes of a level: in the middle of a step of the depth before, nodes have moved η times as far as without
    /// damping.
    ///
    /// With η = 1 for all levels, modes whose substep is at its limit can grow where levels meet; a damping that increases with the depth leaves a margin at
    /// each of them. Substeps of a level n are stable up to 2/ω/√η(n). The leading error of a step of Δt is that of a wave equation with the operator
    /// A - c Δt² A², c = ¼ Σ η(d)/4^d over the depths, while the leapfrog step itself has the error of A + Δt² A²/12: with c = 1/12 the order is four.
    ///
    /// # Source
    /// Grote, Michel and Sauter (2021), Mathematics of Computation 90, for the damping of two levels.
    pub fn damping(self, level: u8, depth: u8) -> f64 {
        match self {
            Self::Second => 1.0 + 0.02 * f64::from(depth),
            Self::Fourth => {
                const GROWTH: f64 = 1.005;
                let of_depth = |depth: u8| GROWTH.powi(i32::from(depth) - 1);
                let sum: f64 = (1..=level).map(|depth| of_depth(depth) / 4.0_f64.powi(depth.into())).sum();
                // Levels from 5 on would have no margin; they differ from the exact value by less than 0.4 %.
                (1.0 / (3.0 * sum)).max(1.002) * of_depth(depth)
            }
        }
    }

    /// The damping that limits the substeps of a level.
    pub fn limit(self, level: u8) -> f64 {
        if level == 0 { 1.0 } else { self.damping(level, level) }
    }
}

/// The levels of the elements of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// Level at which each element is computed: the highest one that its own step requires, or that of an element with which it shares a node.
    rates: Vec<u8>,
    /// Cost per time without levels over that with them.
    gain: f64,
    /// Centre of the element with the smallest step [m].
    smallest: [f64; 3],
    order: Order,
    /// Number of elements of each level in the whole mesh, from 0 on.
    counts: Vec<usize>,
    /// Number of tiles of the whole mesh with elements of each level.
    tiles: Vec<usize>,
}

/// What decides the levels of the elements of a mesh.
///
/// A process that meshes some tiles has two rings of tiles around its own: the levels of the inner ring depend on the elements of the outer one, with which they
/// share nodes. Levels of the outer ring may be too low.
pub struct Choice<'a> {
    /// The mesh.
    pub mesh: &'a HexMesh,
    /// Largest stable step of each element without its neighbours [s].
    pub steps: &'a [f64],
    /// Cost of computing each element once, in any unit of which the costs are multiples: sums are then exact, and do not depend on the number of processes.
    pub costs: &'a [f64],
    /// Elements that must have the step of the run. If there are any, the order is two.
    pub is_tied: &'a [bool],
    /// The tiles of this process.
    pub tiles: OwnTiles<'a>,
}

/// What all processes know of the whole mesh before they choose levels.
struct Limits {
    order: Order,
    /// The smallest step of an element [s].
    smallest: f64,
    /// The largest step of a run [s].
    largest: f64,
}

/// An element with a small step.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct SmallElement {
    step: f64,
    /// See [`HexMesh::keys`].
    key: u64,
    centre: [f64; 3],
}

impl Choice<'_> {
    /// The elements of the tiles of this process.
    fn own(&self) -> impl Iterator<Item = usize> {
        (0..self.steps.len()).filter(|&element| self.tiles.has(self.mesh.tile_of(element as u32)))
    }

    /// The order of the scheme, and the range of steps.
    fn limits(&self, neighbours: &Neighbours) -> Result<Limits, CommError> {
        // Tied elements and their neighbours have no substeps.
        let near_tied = neighbours.spread(self.is_tied.iter().map(|&tied| u8::from(tied)));
        let [mut tied, mut smallest, mut largest] = [f64::INFINITY, f64::INFINITY, 0.0_f64];
        for element in self.own() {
            let step = self.steps[element];
            (smallest, largest) = (smallest.min(step), largest.max(step));
            tied = if near_tied[element] > 0 { tied.min(step) } else { tied };
        }
        let [tied, smallest, largest] = self.tiles.least([tied, smallest, -largest])?;
        let order = if tied.is_finite() { Order::Second } else { Order::Fourth };
        let largest = (-largest).min(smallest * f64::from(1 << MOST_LEVELS));
        // Elements of the lowest level take several substeps, too.
        let largest = largest * f64::from(1 << order.lowest_level());
        Ok(Limits { order, smallest, largest: largest.min(tied) })
    }

    /// The level at which each element is computed in a run with the step `dt`.
    fn rates(&self, neighbours: &Neighbours, order: Order, dt: f64) -> Vec<u8> {
        let own = |(&step, &tied): (&f64, &bool)| if tied { order.lowest_level() } else { level(order, dt, step) };
        neighbours.spread(self.steps.iter().zip(self.is_tied).map(own))
    }

    /// The costs per step of all elements, without levels and with those of some steps of the run.
    fn costs_with(&self, neighbours: &Neighbours, order: Order, steps: &[f64]) -> Result<Vec<f64>, CommError> {
        let own: Vec<usize> = self.own().collect();
        let with_step = |&dt: &f64| {
            let rates = self.rates(neighbours, order, dt);
            own.iter().map(|&element| f64::from(1 << rates[element]) * self.costs[element]).sum::<f64>()
        };
        let without = own.iter().map(|&element| self.costs[element]).sum();
        self.tiles.sums(std::iter::once(without).chain(steps.iter().map(with_step)).collect())
    }

    /// Centre of the element with the smallest step [m].
    fn smallest(&self) -> Result<[f64; 3], CommError> {
        let keys = self.mesh.keys();
        let first =
            |one: &SmallElement, other: &SmallElement| one.step.total_cmp(&other.step).then(one.key.cmp(&other.key));
        let element = |element: usize| SmallElement { step: self.steps[element], key: keys[element], centre: [0.0; 3] };
        let numbered = self.own().map(|number| (element(number), number));
        let own = numbered.min_by(|(one, _), (other, _)| first(one, other));
        let own = own.map(|(small, number)| SmallElement { centre: self.mesh.centroid(number as u32), ..small });
        let all = self.tiles.values(own.into_iter().collect())?;
        Ok(all.into_iter().min_by(first).map_or([f64::NAN; 3], |small| small.centre))
    }

    /// Numbers of elements, and of tiles that have such elements, of each level in the whole mesh.
    fn counts(&self, rates: &[u8]) -> Result<[Vec<usize>; 2], CommError> {
        const LEVELS: usize = MOST_LEVELS as usize + 1;
        let mut counts = [0.0; LEVELS];
        let mut tiles: [HashSet<u32>; LEVELS] = std::array::from_fn(|_| HashSet::new());
        for element in self.own() {
            let level = usize::from(rates[element]);
            counts[level] += 1.0;
            tiles[level].insert(self.mesh.tile_of(element as u32));
        }
        let tiles = tiles.iter().map(|tiles| tiles.len() as f64);
        let all = self.tiles.sums(counts.into_iter().chain(tiles).collect())?;
        let all: Vec<usize> = all.into_iter().map(|count| count as usize).collect();
        let used = all[..LEVELS].iter().rposition(|&count| count > 0).map_or(0, |finest| finest + 1);
        Ok([all[..used].to_vec(), all[LEVELS..][..used].to_vec()])
    }
}

impl Levels {
    /// The levels with the least cost, or `None` if they gain next to nothing. Every process must call this function.
    ///
    /// # Errors
    /// A rank that is lost.
    ///
    /// Verified by `levels_of_windows_are_those_of_the_whole_mesh`.
    pub fn choose(choice: &Choice) -> Result<Option<Self>, CommError> {
        let neighbours = Neighbours::new(choice.mesh);
        let Limits { order, smallest, largest } = choice.limits(&neighbours)?;
        let candidates = (0..).map(|at| largest * (-f64::from(at) / PER_OCTAVE).exp2());
        let candidates: Vec<f64> = candidates.take_while(|&dt| dt > smallest).collect();
        let costs = choice.costs_with(&neighbours, order, &candidates)?;
        let alone = costs[0] / smallest;
        let gains = candidates.into_iter().zip(&costs[1..]).map(|(dt, cost)| (dt, alone * dt / cost));
        let best = gains.max_by(|(_, one), (_, other)| one.total_cmp(other));
        let Some((dt, gain)) = best.filter(|&(_, gain)| gain > WORTH_IT) else { return Ok(None) };
        let rates = choice.rates(&neighbours, order, dt);
        let [counts, tiles] = choice.counts(&rates)?;
        Ok(Some(Self { gain, smallest: choice.smallest()?, order, counts, tiles, rates }))
    }

    /// Order of accuracy in time.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Centre of the element with the smallest step [m].
    pub fn smallest(&self) -> [f64; 3] {
        self.smallest
    }

    /// Level at which each element is computed.
    pub fn rates(&self) -> &[u8] {
        &self.rates
    }

    /// Expected ratio of the costs without and with levels.
    pub fn gain(&self) -> f64 {
        self.gain
    }

    /// The highest level of the whole mesh.
    pub fn finest(&self) -> u8 {
        self.counts.len().saturating_sub(1) as u8
    }

    /// Number of elements of each level in the whole mesh, from 0 on.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// Number of tiles of the whole mesh with elements of a level.
    pub(crate) fn tiles_with(&self, level: u8) -> usize {
        self.tiles.get(usize::from(level)).copied().unwrap_or(0)
    }

    /// Work of a step with parts that wait for each other after the substeps of each level, relative to the mean of the parts, if they are tiles; 1 is optimal.
    /// Elements count alike. Every process must call this function.
    ///
    /// # Arguments
    /// * `mesh` – the mesh of the levels
    /// * `count` – number of parts
    /// * `part_of_tile` – the part of each tile
    /// # Errors
    /// A rank that is lost.
    pub fn imbalance_of_tiles(
        &self,
        mesh: &HexMesh,
        tiles: OwnTiles,
        count: usize,
        part_of_tile: impl Fn(u32) -> u32,
    ) -> Result<f64, CommError> {
        let mut of_parts: HashMap<(u8, u32), usize> = HashMap::new();
        for (element, &rate) in (0..).zip(&self.rates) {
            let tile = mesh.tile_of(element);
            if tiles.has(tile) {
                *of_parts.entry((rate, part_of_tile(tile))).or_default() += 1;
            }
        }
        let mut most = [0.0_f64; MOST_LEVELS as usize + 1];
        for ((rate, _), elements) in of_parts {
            let most = &mut most[usize::from(rate)];
            *most = most.max(elements as f64);
        }
        let most = tiles.least(most.map(|elements| -elements))?;
        let longest = work(most.into_iter().map(|elements| -elements));
        Ok(longest * count as f64 / work(self.counts.iter().map(|&elements| elements as f64)))
    }
}

/// Work of a step, given the number of elements of each level, from 0 on.
fn work(elements: impl Iterator<Item = f64>) -> f64 {
    elements.enumerate().map(|(level, elements)| f64::from(1 << level) * elements).sum()
}

/// The lowest level whose substeps are stable for an element with the stable step `own`.
fn level(order: Order, dt: f64, own: f64) -> u8 {
    let is_stable = |level: &u8| dt * order.limit(*level).sqrt() <= own * f64::from(1 << level) * (1.0 + 1e-9);
    (order.lowest_level()..=MOST_LEVELS).find(is_stable).unwrap_or(MOST_LEVELS)
}

/// Elements that share a corner.
struct Neighbours {
    /// The corner nodes of each element, by their twins.
    corners: Vec<[u32; 8]>,
    nodes: usize,
}

impl Neighbours {
    fn new(mesh: &HexMesh) -> Self {
        let of_element = |element| mesh.corners_of(element).map(|node| mesh.twin[node as usize]);
        Self { corners: (0..mesh.n_elements() as u32).map(of_element).collect(), nodes: mesh.twin.len() }
    }

    /// The highest value among each element and its neighbours.
    fn spread(&self, values: impl Iterator<Item = u8>) -> Vec<u8> {
        let mut at_nodes = vec![0; self.nodes];
        for (corners, value) in self.corners.iter().zip(values) {
            corners.iter().for_each(|&node| at_nodes[node as usize] = value.max(at_nodes[node as usize]));
        }
        let highest = |corners: &[u32; 8]| corners.iter().map(|&node| at_nodes[node as usize]).max().unwrap_or(0);
        self.corners.iter().map(highest).collect()
    }
}
