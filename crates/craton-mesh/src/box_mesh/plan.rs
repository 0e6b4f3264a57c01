//! Choice of columns and doublings: the cheapest plan that satisfies the size field.

use super::layer::{Layer, LayerKind, Limits, Plan};
use super::pile::{Reject, pile};
use super::profile::brick_stiffness;
use super::spec::{BoxSpec, Doubling, Horizontal};
use super::strata::Slab;
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
pub(super) fn plan(spec: &BoxSpec, slabs: &[Slab]) -> Result<Plan, MeshError> {
    let planner = Planner { limits: Limits { spec, slabs } };
    let mut best = None;
    let tried = match &spec.doubling {
        Doubling::Never => 0..=0,
        Doubling::Automatic => 0..=MOST_DOUBLINGS,
        Doubling::Below(tops) => tops.len() as u32..=tops.len() as u32,
    };
    for doublings in tried {
        let found = match spec.horizontal {
            Horizontal::Automatic => planner.search(doublings)?,
            Horizontal::Size(size) => planner.consider(planner.columns(size, doublings)?, doublings)?,
            Horizontal::Elements(counts) => planner.consider(counts, doublings)?,
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
        let lengths = self.limits.spec.bent_lengths(top);
        let fewest = self.columns(self.limits.size(0, top, top)?, doublings)?;
        let finest = self.columns(self.smallest()?, doublings)?;
        let mut best = None;
        for axis in 0..2 {
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
    fn consider(&self, counts: [usize; 2], doublings: u32) -> Result<Costed, MeshError> {
        let fits = |axis: usize| {
            counts[axis].is_multiple_of(step(doublings)) && counts[axis] >> doublings >= self.fewest(axis)
        };
        if !(fits(0) && fits(1)) {
            return Ok(None);
        }
        match pile(self.limits, counts, doublings) {
            Ok(plan) => Ok(Some((self.cost(&plan)?, plan))),
            Err(Reject::Unsuitable) => Ok(None),
            Err(Reject::Wrong(error)) => Err(error),
        }
    }

    /// Minimum columns along x and y with edges of at most `size` that allow a number of doublings.
    fn columns(&self, size: f64, doublings: u32) -> Result<[usize; 2], MeshError> {
        let mut counts = [0; 2];
        let top = self.limits.slabs[0].top;
        for (axis, length) in self.limits.spec.bent_lengths(top).into_iter().enumerate() {
            let count = (length / size * (1.0 - 1e-9)).ceil();
            if count > MOST_COLUMNS as f64 {
                let (count, limit) = (count as u64, MOST_COLUMNS as u64);
                return Err(MeshError::TooLarge { what: "elements side by side", count, limit });
            }
            counts[axis] = (count as usize).max(self.fewest(axis)).next_multiple_of(step(doublings));
        }
        Ok(counts)
    }

    /// Minimum number of columns along an axis.
    fn fewest(&self, axis: usize) -> usize {
        if self.limits.spec.periodic[axis] { 3 } else { 1 }
    }

    /// The error if no plan was found.
    fn no_plan(&self) -> Result<MeshError, MeshError> {
        Ok(match &self.limits.spec.doubling {
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
            elements += layer.n_elements() as f64;
            frequency = frequency.max(self.frequency(layer)?);
        }
        Ok(elements * frequency)
    }

    /// Highest frequency of a layer's elements, up to a factor: speed times the root of the sum of 1/edge^2.
    fn frequency(&self, layer: &Layer) -> Result<f64, MeshError> {
        let [high, low] = self.limits.span(layer);
        let speed = self.limits.speed(layer.stratum, low, high)?;
        let height = (high - low) * self.limits.slabs[layer.stratum].shrink;
        let lengths = self.limits.spec.bent_lengths(low);
        let [x, y] = [0, 1].map(|axis| lengths[axis] / layer.counts[axis] as f64);
        let geometry = self.limits.spec.geometry;
        let stiffness = match layer.kind {
            LayerKind::Plain => x.powi(-2) + y.powi(-2) + height.powi(-2),
            LayerKind::Doubling(0) => brick_stiffness(geometry, x, height) + y.powi(-2),
            LayerKind::Doubling(_) => brick_stiffness(geometry, y, height) + x.powi(-2),
        };
        Ok(speed * stiffness.sqrt())
    }
}

/// Required divisor of the number of columns at the top: every doubling joins pairs of pairs.
fn step(doublings: u32) -> usize {
    if doublings == 0 { 1 } else { 2 << doublings }
}
