//! How many elements, how thick the layers, where to double: the cheapest plan that obeys the size field.

use super::spec::{BoxSpec, Horizontal};
use super::strata::Slab;
use crate::error::MeshError;

/// Edges may exceed the size allowed by this factor: counts are whole numbers, and often even ones.
pub const SIZE_TOLERANCE: f64 = 1.01;

/// Thinnest doubling layer, in units of the coarse edge: flatter bricks have bad angles.
const THINNEST_DOUBLING: f64 = 0.5;

/// Most doublings on top of each other: elements 256 times as wide at the bottom as at the top.
const MOST_DOUBLINGS: u32 = 8;

/// Most layers of elements; a size field that asks for more is not serious.
const MOST_LAYERS: usize = 100_000;

/// Squared highest frequency of a doubling brick: these times 1/width^2 of its fine edge and 1/(half height)^2.
///
/// Fitted, within 2 % for heights of 0.5 to 1.5 coarse edges, to the largest eigenvalues of its elastic elements of
/// degree 4, in units where a rectangle has 1/width^2 + 1/height^2.
const DOUBLING_STIFFNESS: [f64; 2] = [1.55, 1.71];

/// Columns are tried up to this many times the fewest possible ones.
const MORE_COLUMNS: f64 = 1.5;

/// What a layer is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayerKind {
    /// One row of boxes
    Plain,
    /// Half as many elements below as above, along x (0) or y (1)
    Doubling(usize),
}

/// One layer of elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layer {
    pub(super) kind: LayerKind,
    pub(super) stratum: usize,
    /// Where it starts and ends in the stratum: 0 is the top of the stratum, 1 its bottom
    pub(super) depth: [f64; 2],
    /// Elements along x and y at its top
    pub(super) counts: [usize; 2],
}

impl Layer {
    /// Elements along x and y at its bottom.
    pub(super) fn counts_below(&self) -> [usize; 2] {
        let mut counts = self.counts;
        if let LayerKind::Doubling(axis) = self.kind {
            counts[axis] /= 2;
        }
        counts
    }

    /// Number of elements: a doubling has six under every four of its top.
    pub(super) fn n_elements(&self) -> usize {
        match self.kind {
            LayerKind::Plain => self.counts[0] * self.counts[1],
            LayerKind::Doubling(axis) => self.counts[axis] / 4 * 6 * self.counts[1 - axis],
        }
    }
}

/// Layers from the top down.
pub(super) type Plan = Vec<Layer>;

/// Why there is no plan: the numbers tried do not fit, or something is wrong for good.
enum Reject {
    Unsuitable,
    Wrong(MeshError),
}

type Attempt<T> = Result<T, Reject>;

impl From<MeshError> for Reject {
    fn from(error: MeshError) -> Self {
        Reject::Wrong(error)
    }
}

/// Finds the cheapest plan.
pub(super) fn plan(spec: &BoxSpec, slabs: &[Slab]) -> Result<Plan, MeshError> {
    let planner = Planner { spec, slabs };
    let mut best: Option<(f64, Plan)> = None;
    let most = if spec.doubling { MOST_DOUBLINGS } else { 0 };
    for doublings in 0..=most {
        let cheapest = match spec.horizontal {
            Horizontal::Automatic => planner.search(doublings)?,
            Horizontal::Size(size) => {
                let counts = planner.columns(size, planner.step(doublings));
                planner.consider(counts, doublings)?
            }
            Horizontal::Elements(counts) => planner.consider(counts, doublings)?,
        };
        if let Some((cost, plan)) = cheapest
            && best.as_ref().is_none_or(|(least, _)| cost < *least)
        {
            best = Some((cost, plan));
        }
    }
    match best {
        Some((_, plan)) => Ok(plan),
        None => Err(MeshError::NoPlan { smallest: planner.smallest()? }),
    }
}

struct Planner<'a> {
    spec: &'a BoxSpec<'a>,
    slabs: &'a [Slab],
}

impl Planner<'_> {
    /// The count at the top must be a multiple of this: every doubling joins pairs of pairs.
    fn step(&self, doublings: u32) -> usize {
        if doublings == 0 { 1 } else { 2 << doublings }
    }

    /// Fewest columns along x and y, multiples of `step`, with edges of at most `size`.
    fn columns(&self, size: f64, step: usize) -> [usize; 2] {
        std::array::from_fn(|axis| {
            let count = (self.spec.lengths()[axis] / size * (1.0 - 1e-9)).ceil() as usize;
            let fewest = if self.spec.periodic[axis] { 3 } else { 1 };
            count.max(fewest).next_multiple_of(step)
        })
    }

    /// Smallest element size asked for over a whole stratum.
    fn smallest(&self) -> Result<f64, MeshError> {
        self.slabs.iter().enumerate().try_fold(f64::INFINITY, |least, (stratum, slab)| {
            Ok(least.min(self.size(stratum, slab.bottom, slab.top)?))
        })
    }

    /// Cheapest plan with this many doublings, over a range of column widths.
    fn search(&self, doublings: u32) -> Result<Option<(f64, Plan)>, MeshError> {
        let step = self.step(doublings);
        let lengths = self.spec.lengths();
        let finest = self.columns(self.smallest()?, step);
        let mut best: Option<(f64, Plan)> = None;
        for axis in 0..2 {
            let mut last = 2 * finest[axis];
            let mut count = step;
            while count <= last {
                let counts = self.columns(lengths[axis] / count as f64, step);
                if let Some((cost, plan)) = self.consider(counts, doublings)? {
                    last = last.min((MORE_COLUMNS * counts[axis] as f64) as usize);
                    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                        best = Some((cost, plan));
                    }
                }
                count += step;
            }
        }
        Ok(best)
    }

    /// The plan with these columns at the top and its cost, if there is one.
    fn consider(&self, counts: [usize; 2], doublings: u32) -> Result<Option<(f64, Plan)>, MeshError> {
        let step = self.step(doublings);
        let coarse_enough = |axis: usize| {
            let fewest = if self.spec.periodic[axis] { 3 } else { 1 };
            counts[axis].is_multiple_of(step) && counts[axis] >> doublings >= fewest
        };
        if !(coarse_enough(0) && coarse_enough(1)) {
            return Ok(None);
        }
        let attempt = self.descend(counts, doublings).and_then(|plan| {
            let cost = self.cost(&plan)?;
            Ok((cost, plan))
        });
        match attempt {
            Ok(found) => Ok(Some(found)),
            Err(Reject::Unsuitable) => Ok(None),
            Err(Reject::Wrong(error)) => Err(error),
        }
    }

    /// Fills stratum after stratum, doubling as early as the sizes allow.
    fn descend(&self, counts: [usize; 2], doublings: u32) -> Attempt<Plan> {
        let mut state = State { counts, left: [doublings; 2] };
        let mut plan = Plan::new();
        for stratum in 0..self.slabs.len() {
            let (layers, below) = self.fill(stratum, state)?;
            plan.extend(layers);
            state = below;
        }
        if state.left == [0, 0] { Ok(plan) } else { Err(Reject::Unsuitable) }
    }

    /// Fills a stratum with layers that fit exactly.
    ///
    /// Layers are made as thick as allowed and then shrunk together; where that moves one to a place that allows
    /// less, all are made a little thinner.
    fn fill(&self, stratum: usize, state: State) -> Attempt<(Plan, State)> {
        let mut thinner = 1.0;
        for _ in 0..16 {
            let (mut layers, below) = self.pile(stratum, state, thinner)?;
            let total = layers.last().map_or(1.0, |layer| layer.depth[1]);
            for layer in &mut layers {
                layer.depth = layer.depth.map(|depth| depth / total);
            }
            let obeys = layers.iter().map(|layer| self.obeys(layer));
            if obeys.collect::<Result<Vec<_>, _>>()?.into_iter().all(|obeys| obeys) {
                return Ok((layers, below));
            }
            thinner *= 0.95;
        }
        Err(Reject::Unsuitable)
    }

    /// Piles layers, each as thick as allowed, until the last one reaches the bottom of the stratum or beyond.
    fn pile(&self, stratum: usize, mut state: State, thinner: f64) -> Attempt<(Plan, State)> {
        let slab = &self.slabs[stratum];
        let mut layers = Plan::new();
        let mut z = slab.top;
        while z - slab.bottom > 1e-9 * slab.thickness() {
            let thickness = thinner * self.thickness(stratum, z)?;
            let kind = self.kind(stratum, &state, z, thickness)?;
            let [start, end] = [z, z - thickness].map(|z| (slab.top - z) / slab.thickness());
            layers.push(Layer { kind, stratum, depth: [start, end], counts: state.counts });
            if let LayerKind::Doubling(axis) = kind {
                state.counts[axis] /= 2;
                state.left[axis] -= 1;
            }
            if layers.len() == 1 {
                self.refuse_wide(&layers[0])?;
            }
            if layers.len() > MOST_LAYERS {
                return Err(Reject::Unsuitable);
            }
            z -= thickness;
        }
        Ok((layers, state))
    }

    /// Gives up early when the columns are too wide from the start.
    fn refuse_wide(&self, layer: &Layer) -> Attempt<()> {
        let slab = &self.slabs[layer.stratum];
        let size = self.size(layer.stratum, slab.top, slab.top)?;
        if self.spec.horizontal == Horizontal::Automatic && self.widest(layer.counts) > size {
            return Err(Reject::Unsuitable);
        }
        Ok(())
    }

    /// Largest mean thickness of a layer under `z`; it may reach below the stratum when the rest of it needs less.
    fn thickness(&self, stratum: usize, z: f64) -> Attempt<f64> {
        let slab = &self.slabs[stratum];
        let allowed =
            |thickness: f64| -> Result<f64, MeshError> { Ok(self.size(stratum, z - thickness, z)? / slab.stretch) };
        let room = z - slab.bottom;
        let (mut low, mut high) = (0.0, room);
        let whole = allowed(room)?;
        if whole >= room {
            return Ok(whole);
        }
        // The size cannot grow with the span, so one thickness equals the size allowed for it.
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if allowed(middle)? >= middle {
                low = middle;
            } else {
                high = middle;
            }
        }
        if low > 0.0 { Ok(low) } else { Err(Reject::Unsuitable) }
    }

    /// Doubles under `z` if any doubling is left and the coarse elements are allowed there.
    fn kind(&self, stratum: usize, state: &State, z: f64, thickness: f64) -> Result<LayerKind, MeshError> {
        if state.left == [0, 0] {
            return Ok(LayerKind::Plain);
        }
        let axis = usize::from(state.left[1] >= state.left[0]);
        let slab = &self.slabs[stratum];
        let room = z - slab.bottom;
        let likely = room / (room / thickness).ceil();
        let coarse: [usize; 2] = std::array::from_fn(|axis| {
            if state.left[axis] == state.left[0].max(state.left[1]) {
                state.counts[axis] / 2
            } else {
                state.counts[axis]
            }
        });
        let wide_enough = self.size(stratum, z - likely, z)? >= self.widest(coarse);
        let edge = self.spec.lengths()[axis] / coarse[axis] as f64;
        let thick_enough = likely * slab.shrink >= THINNEST_DOUBLING * edge;
        Ok(if wide_enough && thick_enough { LayerKind::Doubling(axis) } else { LayerKind::Plain })
    }

    /// Whether the edges of a layer are as short as they must be.
    fn obeys(&self, layer: &Layer) -> Result<bool, MeshError> {
        let slab = &self.slabs[layer.stratum];
        let [high, low] = self.span(layer);
        let size = self.size(layer.stratum, low, high)? * (1.0 + 1e-9);
        let free = self.spec.horizontal != Horizontal::Automatic && layer.kind == LayerKind::Plain;
        let narrow = free || self.widest(layer.counts_below()) <= size;
        Ok(narrow && (high - low) * slab.stretch <= size)
    }

    /// Mean elevations of the top and bottom of a layer [m].
    fn span(&self, layer: &Layer) -> [f64; 2] {
        let slab = &self.slabs[layer.stratum];
        layer.depth.map(|depth| slab.top - depth * slab.thickness())
    }

    /// The wider of the edges along x and y [m].
    fn widest(&self, counts: [usize; 2]) -> f64 {
        let lengths = self.spec.lengths();
        (lengths[0] / counts[0] as f64).max(lengths[1] / counts[1] as f64)
    }

    /// Longest edge allowed, tolerance included.
    fn size(&self, stratum: usize, z_low: f64, z_high: f64) -> Result<f64, MeshError> {
        let value = self.spec.sizes.size(stratum, z_low, z_high);
        let size =
            positive(value).ok_or(MeshError::SizeField { what: "element size", stratum, z_low, z_high, value })?;
        Ok(SIZE_TOLERANCE * size)
    }

    /// Fastest wave speed [m/s].
    fn speed(&self, stratum: usize, z_low: f64, z_high: f64) -> Result<f64, MeshError> {
        let value = self.spec.sizes.fastest(stratum, z_low, z_high);
        positive(value).ok_or(MeshError::SizeField { what: "fastest wave speed", stratum, z_low, z_high, value })
    }

    /// Elements times highest frequency, which is proportional to the number of steps.
    fn cost(&self, plan: &Plan) -> Result<f64, MeshError> {
        let mut elements = 0.0;
        let mut frequency = 0.0_f64;
        for layer in plan {
            elements += layer.n_elements() as f64;
            frequency = frequency.max(self.frequency(layer)?);
        }
        Ok(elements * frequency)
    }

    /// Highest frequency of a layer's elements, up to a factor: speed times the root of the sum of 1/edge^2.
    fn frequency(&self, layer: &Layer) -> Result<f64, MeshError> {
        let [high, low] = self.span(layer);
        let speed = self.speed(layer.stratum, low, high)?;
        let lengths = self.spec.lengths();
        let height = (high - low) * self.slabs[layer.stratum].shrink;
        let stiffness = |axis: usize| (layer.counts[axis] as f64 / lengths[axis]).powi(2);
        let sum = match layer.kind {
            LayerKind::Plain => stiffness(0) + stiffness(1) + height.powi(-2),
            LayerKind::Doubling(axis) => {
                let [along, up] = DOUBLING_STIFFNESS;
                along * stiffness(axis) + stiffness(1 - axis) + up * (0.5 * height).powi(-2)
            }
        };
        Ok(speed * sum.sqrt())
    }
}

/// Where the descent stands: columns, and doublings still to come along x and y.
#[derive(Clone, Copy)]
struct State {
    counts: [usize; 2],
    left: [u32; 2],
}

/// The value if it is positive and finite.
fn positive(value: f64) -> Option<f64> {
    (value > 0.0 && value.is_finite()).then_some(value)
}
