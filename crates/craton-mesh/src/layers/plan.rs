//! Choice of columns and doublings: the cheapest plan that satisfies the size field.

use super::layer::{Layer, LayerKind, Limits, Plan};
use super::pile::{Reject, pile};
use super::profile::brick_stiffness;
use super::spec::{Doubling, Horizontal};
use crate::error::MeshError;

/// Maximum number of doublings: elements 256 times as wide at the bottom as at the top.
pub(super) const MOST_DOUBLINGS: u32 = 8;

/// Maximum number of elements along x or y.
const MOST_COLUMNS: usize = 100_000;

/// Numbers of columns are tried up to this multiple of the minimum.
const MORE_COLUMNS: f64 = 1.5;

/// A plan and its cost: elements times highest frequency, which is proportional to the number of steps.
type Costed = Option<(f64, Plan)>;

/// Finds the cheapest plan.
pub(crate) fn plan(limits: Limits) -> Result<Plan, MeshError> {
    let planner = Planner { limits };
    let mut best = None;
    let tried = match limits.doubling {
        Doubling::Never => 0..=0,
        Doubling::Automatic => 0..=MOST_DOUBLINGS,
        Doubling::Below(tops) => tops.len() as u32..=tops.len() as u32,
    };
    for doublings in tried {
        let found = match limits.horizontal {
            Horizontal::Automatic => planner.search(doublings)?,
            Horizontal::Size(size) => planner.consider(planner.columns(size, doublings)?, doublings)?,
            Horizontal::Elements([x, y]) => planner.consider(planner.prescribed([x, y]), doublings)?,
        };
        best = cheaper(best, found);
    }
    match best {
        Some((_, plan)) => Ok(plan),
        None => Err(planner.no_plan()?),
    }
}

/// The cheaper of two plans, the first when they cost the same.
fn cheaper(best: Costed, other: Costed) -> Costed {
    match (&best, &other) {
        (Some((least, _)), Some((cost, _))) if cost < least => other,
        (None, _) => other,
        _ => best,
    }
}

struct Planner<'a> {
    limits: Limits<'a>,
}

impl Planner<'_> {
    /// Cheapest plan with a number of doublings, over a range of column widths.
    fn search(&self, doublings: u32) -> Result<Costed, MeshError> {
        let top = self.limits.slabs[0].top;
        let lengths = self.limits.outline.lengths(top);
        let fewest = self.columns(self.limits.size(0, top, top)?, doublings)?;
        let finest = self.columns(self.smallest()?, doublings)?;
        let mut best = None;
        for axis in 0..self.limits.outline.axes() {
            let mut count = fewest[axis];
            let mut last = 2 * finest[axis];
            while count <= last {
                let counts = self.columns(lengths[axis] / count as f64, doublings)?;
                let found = self.consider(counts, doublings)?;
                if found.is_some() {
                    last = last.min((MORE_COLUMNS * count as f64) as usize);
                }
                best = cheaper(best, found);
                count += step(doublings);
            }
        }
        Ok(best)
    }

    /// The plan with the given columns at the top, if it exists.
    fn consider(&self, counts: [usize; 3], doublings: u32) -> Result<Costed, MeshError> {
        let fits = |axis: usize| {
            counts[axis].is_multiple_of(step(doublings))
                && counts[axis] >> doublings >= self.limits.outline.fewest(axis)
        };
        if !(0..self.limits.outline.axes()).all(fits) {
            return Ok(None);
        }
        match pile(self.limits, counts, doublings) {
            Ok(plan) => Ok(Some((self.cost(&plan)?, plan))),
            Err(Reject::Unsuitable) => Ok(None),
            Err(Reject::Wrong(error)) => Err(error),
        }
    }

    /// Prescribed columns along each axis; the first number applies to all axes of a sphere.
    fn prescribed(&self, [x, y]: [usize; 2]) -> [usize; 3] {
        if self.limits.outline.axes() == 2 { [x, y, 1] } else { [x; 3] }
    }

    /// Minimum columns along each axis with edges of at most `size` that allow a number of doublings.
    fn columns(&self, size: f64, doublings: u32) -> Result<[usize; 3], MeshError> {
        let mut counts = [1; 3];
        let outline = self.limits.outline;
        let lengths = outline.lengths(self.limits.slabs[0].top);
        for (axis, length) in lengths.into_iter().enumerate().take(outline.axes()) {
            let count = (length / size * (1.0 - 1e-9)).ceil();
            if count > MOST_COLUMNS as f64 {
                let (count, limit) = (count as u64, MOST_COLUMNS as u64);
                return Err(MeshError::TooLarge { what: "elements side by side", count, limit });
            }
            counts[axis] = (count as usize).max(outline.fewest(axis)).next_multiple_of(step(doublings));
        }
        Ok(counts)
    }

    /// The error if no plan was found.
    fn no_plan(&self) -> Result<MeshError, MeshError> {
        Ok(match self.limits.doubling {
            Doubling::Below(tops) => MeshError::Doublings { tops: tops.clone(), step: step(tops.len() as u32) },
            _ => MeshError::NoPlan { smallest: self.smallest()? },
        })
    }

    /// Smallest element size required over a whole stratum.
    fn smallest(&self) -> Result<f64, MeshError> {
        self.limits.slabs.iter().enumerate().try_fold(f64::INFINITY, |least, (stratum, slab)| {
            Ok(least.min(self.limits.size(stratum, slab.bottom, slab.top)?))
        })
    }

    /// Elements times highest frequency.
    fn cost(&self, plan: &Plan) -> Result<f64, MeshError> {
        let mut elements = 0.0;
        let mut frequency = 0.0_f64;
        for layer in plan {
            elements += self.limits.outline.n_elements(layer) as f64;
            frequency = frequency.max(self.frequency(layer)?);
        }
        Ok(elements * frequency)
    }

    /// Highest frequency of a layer's elements, up to a factor: speed times the root of the sum of 1/edge^2.
    fn frequency(&self, layer: &Layer) -> Result<f64, MeshError> {
        let [high, low] = self.limits.span(layer);
        let speed = self.limits.speed(layer.stratum, low, high)?;
        let height = (high - low) * self.limits.slabs[layer.stratum].shrink;
        let lengths = self.limits.outline.lengths(low);
        let along = |axis: usize| lengths[axis] / layer.counts[axis] as f64;
        let of_face = |&[a, b]: &[usize; 2]| match layer.kind {
            LayerKind::Doubling(axis) if axis == a || axis == b => {
                brick_stiffness(self.limits.geometry, along(axis), height) + along(a + b - axis).powi(-2)
            }
            _ => along(a).powi(-2) + along(b).powi(-2) + height.powi(-2),
        };
        let stiffness = self.limits.outline.faces().iter().map(of_face).fold(0.0, f64::max);
        Ok(speed * stiffness.sqrt())
    }
}

/// Required divisor of the number of columns at the top: every doubling joins pairs of pairs.
fn step(doublings: u32) -> usize {
    if doublings == 0 { 1 } else { 2 << doublings }
}
