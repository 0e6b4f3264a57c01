//! Local time steps: the level of each element.
//!
//! An element of level r is advanced by 2^r substeps in a time step of the run. `substeps.rs` contains the scheme.

use craton_mesh::HexMesh;

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
}

/// What decides the levels of the elements of a mesh.
pub struct Choice<'a> {
    /// The mesh.
    pub mesh: &'a HexMesh,
    /// Largest stable step of each element without its neighbours [s].
    pub steps: &'a [f64],
    /// Cost of computing each element once, in any unit.
    pub costs: &'a [f64],
    /// Elements that must have the step of the run. If there are any, the order is two.
    pub is_tied: &'a [bool],
}

impl Levels {
    /// The levels with the least cost, or `None` if they gain next to nothing.
    pub fn choose(choice: &Choice) -> Option<Self> {
        let neighbours = Neighbours::new(choice.mesh);
        let order = if choice.is_tied.contains(&true) { Order::Second } else { Order::Fourth };
        let smallest = choice.steps.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = choice.steps.iter().copied().fold(0.0, f64::max).min(smallest * f64::from(1 << MOST_LEVELS));
        // Elements of the lowest level take several substeps, too.
        let largest = largest * f64::from(1 << order.lowest_level());
        let alone = choice.costs.iter().sum::<f64>() / smallest;
        // Tied elements and their neighbours have no substeps.
        let tied = neighbours.spread(choice.is_tied.iter().map(|&tied| u8::from(tied)));
        let of_tied = choice.steps.iter().zip(&tied).filter(|(_, tied)| **tied > 0);
        let largest = of_tied.map(|(&dt, _)| dt).fold(largest, f64::min);
        let candidates = (0..).map(|at| largest * (-f64::from(at) / PER_OCTAVE).exp2());
        let candidates = candidates.take_while(|&dt| dt > smallest);
        let with_step = |dt: f64| {
            let rates = neighbours.spread(choice.steps.iter().map(|&own| level(order, dt, own)));
            let cost = rates.iter().zip(choice.costs).map(|(&rate, cost)| f64::from(1 << rate) * cost).sum::<f64>();
            Self { gain: alone * dt / cost, smallest: [f64::NAN; 3], order, rates }
        };
        let best = candidates.map(with_step).max_by(|one, other| one.gain.total_cmp(&other.gain))?;
        let element =
            (0..).zip(choice.steps).min_by(|one, other| one.1.total_cmp(other.1)).map(|(element, _)| element)?;
        (best.gain > WORTH_IT).then(|| Self { smallest: choice.mesh.centroid(element), ..best })
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

    /// Number of elements of each level, from 0 on.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; usize::from(self.rates.iter().copied().max().unwrap_or(0)) + 1];
        self.rates.iter().for_each(|&rate| counts[usize::from(rate)] += 1);
        counts
    }
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
