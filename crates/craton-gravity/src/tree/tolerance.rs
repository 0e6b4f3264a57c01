//! How large an error may be.

use craton_device::{Isa, Scalar, Workers};
use rayon::prelude::*;

use super::Tree;
use super::bound::{Errors, KINDS, factors};
use super::node::distance;
use super::sum::{Plan, TileSum};
use crate::fields::Needs;
use crate::tile::{TILE, Tile};
use crate::{Field, Fields, GRAVITATIONAL_CONSTANT, GoOn, Limits, Points};

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

/// The largest potential [m²/s²], length of the attraction [m/s²] and Frobenius norm of the tensor [1/s²] over some points, as far as they were asked for; never taken
/// for larger than they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peaks {
    peaks: Errors,
    kinds: [bool; KINDS],
}

impl Peaks {
    /// The tolerance that keeps `accuracy` times each peak; infinite for what was not asked for.
    pub fn tolerance(&self, accuracy: f64) -> Tolerance {
        Tolerance(Tolerance(self.peaks.map(|peak| accuracy * ROUND * peak)).of(self.kinds))
    }
}

impl Tree {
    /// The tolerance that keeps `accuracy` times the peak over all these points, for the potential, the length of the attraction and the norm of the tensor each, as
    /// far as one of their components is asked for; infinite for the others. See [`Tree::peaks_while`], which knows limits, too.
    ///
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn tolerance(&self, points: &Points, fields: Fields, accuracy: f64, workers: &Workers, isa: Isa) -> Tolerance {
        let peaks = self.peaks_while(points, &Limits::default(), fields, workers, isa, &|| true);
        peaks.expect("nothing asks it to stop").tolerance(accuracy)
    }

    /// Peaks over points, as long as it may go on; `None` if it may not.
    ///
    /// Peaks are at least what some of the points have less what a coarse sum leaves out there; passes become finer until that is a tenth. So a tolerance of them is
    /// never too large, but small where none of those points stands at the peak, the more so the steeper that is. Components without a limit, on edges, do not count.
    /// Verified by `tree::no_peak_is_taken_for_larger_than_it_is` and `tree::peaks_on_faces_and_edges_are_those_of_the_limits`.
    ///
    /// # Arguments
    /// * `points` – all of them, so that parts of them have the same tolerance; `limits` – of those that lie on prisms, or none
    /// * `fields` – as sums are asked for; `go_on` – asked by every thread many times a second
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
            let of_tile = |tile| go_on().then(|| self.peaks(&sample, tile, kinds, &allowed.of(kinds), isa));
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
    fn peaks(&self, sample: &Sample, number: usize, kinds: [bool; KINDS], allowed: &Errors, isa: Isa) -> [Peak; KINDS] {
        let kind = (0..KINDS).rfind(|&kind| kinds[kind]).unwrap_or(0);
        let tile = &sample.tiles[number];
        let plan = Plan::new(self, tile, allowed);
        let sums = f64::dispatch(isa, TileSum { tree: self, tile, plan: &plan, needs: sample.needs, kind });
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
        peaks
    }
}

/// Points that peaks are looked for at.
struct Sample<'a> {
    /// Of all points in tiles, every so manyth of each.
    tiles: Vec<Tile>,
    /// Of all points.
    limits: &'a Limits,
    needs: Needs,
}

/// What a peak is at least and at most.
#[derive(Debug, Clone, Copy, Default)]
struct Peak {
    least: f64,
    most: f64,
}

impl Peak {
    /// Of both sets of points.
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
