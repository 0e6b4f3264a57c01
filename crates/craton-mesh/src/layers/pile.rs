//! Filling of strata with layers as thick as allowed and doublings as high as allowed.

use super::layer::{Layer, LayerKind, Limits, Plan};
use super::spec::{Doubling, Horizontal};
use crate::error::MeshError;

/// Minimum thickness of a doubling layer, in units of the coarse edge: flatter bricks have poor angles.
const THINNEST_DOUBLING: f64 = 0.5;

/// Maximum number of layers of elements; a size field that requires more is regarded as an error.
const MOST_LAYERS: usize = 100_000;

/// Reason why there is no plan: these columns do not fit, or the input is invalid for any columns.
pub(super) enum Reject {
    Unsuitable,
    Wrong(MeshError),
}

impl From<MeshError> for Reject {
    fn from(error: MeshError) -> Self {
        Reject::Wrong(error)
    }
}

type Attempt<T> = Result<T, Reject>;

/// Fills all strata under `counts` columns at the top, with `doublings` doublings along each axis.
pub(super) fn pile(limits: Limits, counts: [usize; 3], doublings: u32) -> Attempt<Plan> {
    let piler = Piler { limits };
    let left = std::array::from_fn(|axis| if axis < limits.outline.axes() { doublings } else { 0 });
    let mut state = State { counts, left };
    let mut plan = Plan::new();
    for stratum in 0..limits.slabs.len() {
        let (layers, below) = piler.fill(stratum, state)?;
        plan.extend(layers);
        state = below;
    }
    if state.left == [0; 3] { Ok(plan) } else { Err(Reject::Unsuitable) }
}

/// Columns under the layers so far, and remaining doublings along each axis.
#[derive(Clone, Copy)]
struct State {
    counts: [usize; 3],
    left: [u32; 3],
}

impl State {
    /// The largest number of remaining doublings along any axis.
    fn most_left(&self) -> u32 {
        self.left.into_iter().fold(0, u32::max)
    }

    /// The axis of the next doubling: the last of those with the most left.
    fn axis(&self) -> usize {
        (0..3).max_by_key(|&axis| self.left[axis]).expect("three axes")
    }

    /// Columns under all doublings that make the numbers of remaining ones equal.
    fn coarse(&self) -> [usize; 3] {
        let most = self.most_left();
        std::array::from_fn(|axis| self.counts[axis] >> u32::from(self.left[axis] == most))
    }
}

struct Piler<'a> {
    limits: Limits<'a>,
}

impl Piler<'_> {
    /// Fills a stratum with layers that fit exactly.
    ///
    /// Layers are stacked as thick as allowed and then shrunk by a common factor. If this moves a layer to a depth that allows
    /// less, all are made slightly thinner.
    fn fill(&self, stratum: usize, state: State) -> Attempt<(Plan, State)> {
        let mut thinner = 1.0;
        for _ in 0..16 {
            let stack = self.stack(stratum, thinner)?;
            let (layers, below) = self.layers(&stack, stratum, state)?;
            if self.all_obey(&layers)? {
                return Ok((layers, below));
            }
            thinner *= 0.95;
        }
        Err(Reject::Unsuitable)
    }

    /// Tops and thicknesses of layers, each as thick as allowed, until the last one reaches the bottom of the stratum or beyond.
    fn stack(&self, stratum: usize, thinner: f64) -> Attempt<Vec<[f64; 2]>> {
        let slab = &self.limits.slabs[stratum];
        let mut stack = Vec::new();
        let mut z = slab.top;
        while z - slab.bottom > 1e-9 * slab.thickness() {
            let thickness = thinner * self.thickness(stratum, z)?;
            stack.push([z, thickness]);
            if stack.len() > MOST_LAYERS {
                let (count, limit) = (stack.len() as u64, MOST_LAYERS as u64);
                return Err(MeshError::TooLarge { what: "layers", count, limit }.into());
            }
            z -= thickness;
        }
        Ok(stack)
    }

    /// The layers of a stack that is shrunk to fit the stratum, and the columns below them.
    fn layers(&self, stack: &[[f64; 2]], stratum: usize, mut state: State) -> Attempt<(Plan, State)> {
        let slab = &self.limits.slabs[stratum];
        let depth = |z: f64| (slab.top - z) / slab.thickness();
        let total = stack.last().map_or(1.0, |[z, thickness]| depth(z - thickness));
        let mut layers = Plan::new();
        for &[z, thickness] in stack {
            let depth = [z, z - thickness].map(|z| depth(z) / total);
            let top = slab.top - depth[0] * slab.thickness();
            let kind = self.kind(stratum, &state, [z, thickness], top)?;
            layers.push(Layer { kind, stratum, depth, counts: state.counts });
            if let LayerKind::Doubling(axis) = kind {
                state.counts[axis] /= 2;
                state.left[axis] -= 1;
            }
        }
        Ok((layers, state))
    }

    /// Largest mean thickness of a layer under `z`; it may exceed the rest of the stratum.
    fn thickness(&self, stratum: usize, z: f64) -> Attempt<f64> {
        let slab = &self.limits.slabs[stratum];
        let allowed = |thickness: f64| -> Result<f64, MeshError> {
            Ok(self.limits.size(stratum, z - thickness, z)? / slab.stretch)
        };
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

    /// Doubles under `z` if a doubling remains and coarse elements are allowed or requested there.
    ///
    /// # Arguments
    /// * `top` – value of `z` after the stack is shrunk
    fn kind(&self, stratum: usize, state: &State, [z, thickness]: [f64; 2], top: f64) -> Result<LayerKind, MeshError> {
        if state.left == [0; 3] {
            return Ok(LayerKind::Plain);
        }
        let axis = state.axis();
        let slab = &self.limits.slabs[stratum];
        let room = z - slab.bottom;
        let likely = room / (room / thickness).ceil();
        let coarse = state.coarse();
        let due = match self.limits.doubling {
            Doubling::Below(tops) => top <= tops[tops.len() - state.most_left() as usize] + 1e-9 * slab.thickness(),
            _ => self.limits.size(stratum, z - likely, z)? >= self.limits.widest(coarse, z),
        };
        let edge = self.limits.outline.lengths(z)[axis] / coarse[axis] as f64;
        let thick_enough = likely * slab.shrink >= THINNEST_DOUBLING * edge;
        Ok(if due && thick_enough { LayerKind::Doubling(axis) } else { LayerKind::Plain })
    }

    /// Whether the edges of all layers are within the size limit; prescribed columns may be wider.
    fn all_obey(&self, layers: &[Layer]) -> Result<bool, MeshError> {
        let prescribed = self.limits.horizontal != Horizontal::Automatic;
        let told_where = matches!(self.limits.doubling, Doubling::Below(_));
        for layer in layers {
            let [high, low] = self.limits.span(layer);
            let height = (high - low) * self.limits.slabs[layer.stratum].stretch;
            let size = self.limits.size(layer.stratum, low, high)? * (1.0 + 1e-9);
            let free = prescribed && (told_where || layer.kind == LayerKind::Plain);
            let width = if free { 0.0 } else { self.limits.widest(layer.counts_below(), high) };
            if height.max(width) > size {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
