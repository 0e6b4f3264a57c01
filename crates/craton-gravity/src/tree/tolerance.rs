//! How large an error may be.

use craton_device::{Isa, Scalar, Workers};
use rayon::prelude::*;

use super::Tree;
use super::bound::{Errors, KINDS, factors};
use super::node::distance;
use super::sum::{Plan, TileSum};
use crate::fields::Needs;
use crate::tile::Tile;
use crate::{Fields, GRAVITATIONAL_CONSTANT, GoOn, Points};

/// One point of so many shows where the peak is.
const EVERY: usize = 8;

/// A peak is known when what is left out is not more than this part of it.
const SHARP: f64 = 0.1;

/// How much finer each pass is than the last one.
const FINER: f64 = 1.0 / 16.0;

/// Passes, after which a peak that is lost in what prisms of both signs leave is taken as it is: 16^-12 of what they would make with one sign.
const PASSES: usize = 12;

/// Round-off in a peak.
const ROUND: f64 = 1.0 - 1e-9;

/// The largest error that a sum may have, at any point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance(Errors);

impl Tolerance {
    /// Errors of the potential [m²/s²], of the length of the attraction [m/s²] and of the Frobenius norm of the tensor [1/s²]; those of what is not asked for do not
    /// matter. An error of 0, or one that is no number, makes all sums as exact as [`crate::forward`].
    pub fn new(potential: f64, attraction: f64, tensor: f64) -> Self {
        Self([potential, attraction, tensor])
    }

    /// Of the potential [m²/s²].
    pub fn potential(&self) -> f64 {
        self.0[0]
    }

    /// Of the length of the attraction [m/s²].
    pub fn attraction(&self) -> f64 {
        self.0[1]
    }

    /// Of the Frobenius norm of the tensor [1/s²].
    pub fn tensor(&self) -> f64 {
        self.0[2]
    }

    /// Anything may be left out of the kinds that are not asked for.
    pub(super) fn of(&self, kinds: [bool; KINDS]) -> Errors {
        std::array::from_fn(|kind| if kinds[kind] { self.0[kind] } else { f64::INFINITY })
    }
}

impl Tree {
    /// The tolerance that keeps `accuracy` times the peak over all these points, for the potential, the length of the attraction and the norm of the tensor each, as
    /// far as one of their components is asked for; infinite for the others.
    ///
    /// Peaks are at least what some of the points have less what a coarse sum leaves out there; passes become finer until that is a tenth. So the tolerance is
    /// never too large, and somewhat small where none of those points stands at the peak. Points without a value, on edges, do not count.
    /// Verified by `tree::no_peak_is_taken_for_larger_than_it_is`.
    ///
    /// # Arguments
    /// * `points` – all of them, so that parts of them have the same tolerance; `accuracy` – 1e-5, say
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn tolerance(&self, points: &Points, fields: Fields, accuracy: f64, workers: &Workers, isa: Isa) -> Tolerance {
        let tolerance = self.tolerance_while(points, fields, accuracy, workers, isa, &|| true);
        tolerance.expect("nothing asks it to stop")
    }

    /// As [`Tree::tolerance`], as long as it may go on; `None` if it may not.
    ///
    /// # Arguments
    /// * `go_on` – asked by every thread many times a second
    pub fn tolerance_while(
        &self,
        points: &Points,
        fields: Fields,
        accuracy: f64,
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Option<Tolerance> {
        let kinds = fields.kinds();
        let tiles = Tile::thinned(points, EVERY);
        let mut allowed = self.scale(&tiles).map(|scale| SHARP * scale);
        let mut peaks = [0.0; KINDS];
        let mut is_open = kinds;
        for _ in 0..PASSES {
            let asked = std::array::from_fn(|kind| if kinds[kind] { allowed[kind] } else { f64::INFINITY });
            let of_tile = |tile: &Tile| go_on().then(|| self.peaks(tile, kinds, &asked, isa));
            let seen: Option<Vec<_>> = workers.run(|| tiles.par_iter().map(of_tile).collect());
            let larger = |a: [Peak; KINDS], b: &[Peak; KINDS]| std::array::from_fn(|kind| a[kind].or(b[kind]));
            let seen = seen?.iter().fold([Peak::default(); KINDS], larger);
            for kind in 0..KINDS {
                let Peak { least, most } = seen[kind];
                peaks[kind] = least.max(peaks[kind]);
                is_open[kind] &= most - least > 2.0 * SHARP * most;
                if is_open[kind] {
                    allowed[kind] *= FINER;
                }
            }
            if is_open == [false; KINDS] {
                break;
            }
        }
        let errors = |kind: usize| if kinds[kind] { accuracy * ROUND * peaks[kind] } else { f64::INFINITY };
        Some(Tolerance(std::array::from_fn(errors)))
    }

    /// About what all masses would make together if they had one sign.
    fn scale(&self, tiles: &[Tile]) -> Errors {
        let Some(root) = self.nodes.first() else { return [0.0; KINDS] };
        let gap = |tile: &Tile| {
            let bounds = tile.bounds(0..tile.range.len());
            let nearest = std::array::from_fn(|axis| root.centre[axis].clamp(bounds[axis][0], bounds[axis][1]));
            distance(&root.centre, &nearest)
        };
        let near = tiles.iter().map(gap).fold(f64::INFINITY, f64::min).max(root.radius);
        let point = factors(0);
        std::array::from_fn(|kind| GRAVITATIONAL_CONSTANT * root.mass * point[kind] / near.powi(kind as i32 + 1))
    }

    /// What the peaks of the points of a tile are at least and at most, by a sum with these errors.
    fn peaks(&self, tile: &Tile, kinds: [bool; KINDS], allowed: &Errors, isa: Isa) -> [Peak; KINDS] {
        let kind = (0..KINDS).rfind(|&kind| kinds[kind]).unwrap_or(0);
        let plan = Plan::new(self, tile, allowed);
        let needs = Needs::of(Fields::ALL);
        let sums = f64::dispatch(isa, TileSum { tree: self, tile, plan: &plan, needs, kind });
        let mut peaks = [Peak::default(); KINDS];
        for point in 0..tile.range.len() {
            let fields = sums.map(|field| field[point]);
            for (peak, (size, error)) in peaks.iter_mut().zip(sizes(&fields).into_iter().zip(plan.errors)) {
                *peak = peak.or(Peak { least: size - error, most: size + error });
            }
        }
        peaks
    }
}

/// What a peak is at least and at most.
#[derive(Debug, Clone, Copy, Default)]
struct Peak {
    least: f64,
    most: f64,
}

impl Peak {
    /// Of both sets of points; what is no number does not count.
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
