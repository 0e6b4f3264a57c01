//! Tolerances, absolute or relative to the peak of the fields.

use craton_device::{Isa, Workers};
use rayon::prelude::*;

use super::Tree;
use super::bound::{Errors, KINDS, factors};
use super::node::distance;
use super::sum::{TreePlan, tile_sums};
use crate::fields::Needs;
use crate::tile::{TILE, Tile};
use crate::{Field, Fields, GoOn, Limits, Points};

/// Sampling stride of the points when estimating the peak.
const EVERY: usize = 8;

/// Relative truncation error at which a peak is accurate enough.
const SHARP: f64 = 0.1;

/// Factor by which the allowed error decreases in each pass.
const FINER: f64 = 1.0 / 16.0;

/// Maximum number of passes, for fields of prisms of both signs that nearly cancel: by then the error is 16^-12 of the field without cancellation.
const PASSES: usize = 12;

/// Safety factor for round-off in a peak.
const ROUND: f64 = 1.0 - 1e-9;

/// Absolute tolerance of a tree sum: the largest error allowed at any point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance(Errors);

impl Tolerance {
    /// Tolerances of the potential [m²/s²], the length of the attraction [m/s²] and the Frobenius norm of the tensor [1/s²]; those of fields that are not
    /// requested are ignored. A tolerance of 0 or NaN makes all sums as accurate as [`crate::forward`].
    pub fn new(potential: f64, attraction: f64, tensor: f64) -> Self {
        Self([potential, attraction, tensor])
    }

    /// Tolerance of the potential [m²/s²].
    pub fn potential(&self) -> f64 {
        self.0[0]
    }

    /// Tolerance of the length of the attraction [m/s²].
    pub fn attraction(&self) -> f64 {
        self.0[1]
    }

    /// Tolerance of the Frobenius norm of the tensor [1/s²].
    pub fn tensor(&self) -> f64 {
        self.0[2]
    }

    /// The errors allowed for the requested kinds; infinite for the others.
    pub(super) fn of(&self, kinds: [bool; KINDS]) -> Errors {
        std::array::from_fn(|kind| if kinds[kind] { self.0[kind] } else { f64::INFINITY })
    }
}

/// The largest potential [m²/s²], length of the attraction [m/s²] and Frobenius norm of the tensor [1/s²] over some points, for the requested kinds; never
/// overestimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peaks {
    peaks: Errors,
    kinds: [bool; KINDS],
}

impl Peaks {
    /// The tolerance of `accuracy` times each peak; infinite for kinds that were not requested.
    pub fn tolerance(&self, accuracy: f64) -> Tolerance {
        Tolerance(Tolerance(self.peaks.map(|peak| accuracy * ROUND * peak)).of(self.kinds))
    }
}

impl Tree {
    /// The tolerance of `accuracy` times the peak over all points, separately for the potential, the length of the attraction and the norm of the tensor, if
    /// one of their components is requested; infinite for the others. [`Tree::peaks_while`] also accounts for limits.
    ///
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn tolerance(&self, points: &Points, fields: Fields, accuracy: f64, workers: &Workers, isa: Isa) -> Tolerance {
        let peaks = self.peaks_while(points, &Limits::default(), fields, workers, isa, &|| true);
        peaks.expect("never cancelled").tolerance(accuracy)
    }

    /// Estimates the peaks over points; returns `None` if `go_on` returns `false`.
    ///
    /// A peak is the largest value at a sample of the points, minus the error bound of a coarse sum; passes become finer until that bound is a tenth. A
    /// tolerance based on it is never too large, but may be too small if no sampled point is near a sharp peak. Components that diverge on edges are ignored.
    /// Verified by `tree::peaks_are_never_overestimated` and `tree::peaks_on_faces_and_edges_are_those_of_the_limits`.
    ///
    /// # Arguments
    /// * `points` – all points, so that parts of them share one tolerance
    /// * `limits` – limits at the points that lie on prisms, possibly empty
    /// * `fields` – fields that will be computed
    /// * `go_on` – cancellation callback; every thread calls it many times a second
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn peaks_while(
        &self,
        points: &Points,
        limits: &Limits,
        fields: Fields,
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Option<Peaks> {
        let kinds = fields.kinds();
        let sample = Sample { tiles: Tile::thinned(points, EVERY), limits, needs: Needs::of(Fields::ALL.like(fields)) };
        let mut allowed = Tolerance(self.scale(&sample.tiles).map(|scale| SHARP * scale));
        let mut peaks = [0.0; KINDS];
        let mut is_open = kinds;
        for _ in 0..PASSES {
            let of_tile = |tile| self.peaks(&sample, tile, kinds, &allowed.of(kinds), isa, go_on);
            let seen: Option<Vec<_>> = workers.run(|| (0..sample.tiles.len()).into_par_iter().map(of_tile).collect());
            let larger = |a: [Peak; KINDS], b: &[Peak; KINDS]| std::array::from_fn(|kind| a[kind].or(b[kind]));
            let seen = seen?.iter().fold([Peak::default(); KINDS], larger);
            for kind in 0..KINDS {
                let Peak { least, most } = seen[kind];
                peaks[kind] = least.max(peaks[kind]);
                is_open[kind] &= most - least > 2.0 * SHARP * most;
                if is_open[kind] {
                    allowed.0[kind] *= FINER;
                }
            }
            if is_open == [false; KINDS] {
                break;
            }
        }
        Some(Peaks { peaks, kinds })
    }

    /// Approximate size of the fields if all masses had the same sign.
    fn scale(&self, tiles: &[Tile]) -> Errors {
        let Some(root) = self.nodes.first() else { return [0.0; KINDS] };
        let gap = |tile: &Tile| {
            let bounds = tile.bounds(0..tile.range.len());
            let nearest = std::array::from_fn(|axis| root.centre[axis].clamp(bounds[axis][0], bounds[axis][1]));
            distance(&root.centre, &nearest)
        };
        let near = tiles.iter().map(gap).fold(f64::INFINITY, f64::min).max(root.radius);
        let point = factors(0);
        let (strength, order) = (self.bodies.strength(), self.bodies.order());
        std::array::from_fn(|kind| strength * root.mass * point[kind] / near.powi((kind + order + 1) as i32))
    }

    /// Lower and upper bounds of the peaks at the points of a tile, from a sum with these allowed errors; `None` if cancelled.
    fn peaks(
        &self,
        sample: &Sample,
        number: usize,
        kinds: [bool; KINDS],
        allowed: &Errors,
        isa: Isa,
        go_on: GoOn,
    ) -> Option<[Peak; KINDS]> {
        let kind = (0..KINDS).rfind(|&kind| kinds[kind]).unwrap_or(0);
        let tile = &sample.tiles[number];
        let plan = TreePlan::new(self, tile, allowed);
        let sums = tile_sums(self, (tile, &plan), (sample.needs, kind), isa, go_on)?;
        let mut peaks = [Peak::default(); KINDS];
        for point in 0..tile.range.len() {
            let mut fields = sums.map(|field| field[point]);
            let (_, tensor) = fields.split_at_mut(Field::EastEast as usize);
            let changes = sample.limits.of(number * TILE + point * EVERY).into_iter().flatten();
            tensor.iter_mut().zip(changes).for_each(|(component, change)| *component += change);
            tensor.iter_mut().filter(|component| component.is_nan()).for_each(|component| *component = 0.0);
            for (peak, (size, error)) in peaks.iter_mut().zip(sizes(&fields).into_iter().zip(plan.errors)) {
                *peak = peak.or(Peak { least: size - error, most: size + error });
            }
        }
        Some(peaks)
    }
}

/// Points at which peaks are estimated.
struct Sample<'a> {
    /// Sampled points of each tile.
    tiles: Vec<Tile>,
    /// Limits at all points.
    limits: &'a Limits,
    needs: Needs,
}

/// Lower and upper bound of a peak.
#[derive(Debug, Clone, Copy, Default)]
struct Peak {
    least: f64,
    most: f64,
}

impl Peak {
    /// The peak over the union of both sets of points.
    fn or(self, other: Self) -> Self {
        Self { least: self.least.max(other.least), most: self.most.max(other.most) }
    }
}

/// Size of the potential, of the attraction and of the tensor.
fn sizes(fields: &[f64; 10]) -> Errors {
    let [v, e, n, u, ee, en, eu, nn, nu, uu] = *fields;
    let mixed = 2.0 * (en * en + eu * eu + nu * nu);
    [v.abs(), (e * e + n * n + u * u).sqrt(), (ee * ee + nn * nn + uu * uu + mixed).sqrt()]
}
