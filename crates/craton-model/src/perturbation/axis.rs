//! An axis of a map: ascending coordinates.

use crate::ModelError;
use crate::check::{readable, require};

/// Tolerance, relative to the widest interval, by which a position may lie beyond an axis, since coordinates are rounded.
const SLACK: f64 = 1e-6;

/// The axis is periodic if the gap between the last and the first longitude is at most this multiple of the widest interval.
const CLOSED: f64 = 1.5;

/// Two neighbouring points of an axis, and a relative position between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Between {
    pub points: [usize; 2],
    pub share: f64,
}

/// Ascending coordinates along an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    name: &'static str,
    unit: &'static str,
    places: Vec<f64>,
    widest: f64,
}

impl Axis {
    /// Creates an axis from ascending or descending coordinates; also returns whether they had to be reversed.
    pub fn new(name: &'static str, unit: &'static str, mut places: Vec<f64>) -> Result<(Self, bool), ModelError> {
        if places.len() < 2 {
            let problem = format!("{} point along {name}", places.len());
            return Err(ModelError::BadMap {
                problem,
                hint: "give at least 2, with equal values where the perturbation does not vary",
            });
        }
        let is_reversed = places[1] < places[0];
        if is_reversed {
            places.reverse();
        }
        // Written so that NaN is refused too.
        if let Some(pair) = places.windows(2).find(|pair| !(pair[1] > pair[0] && pair[1] - pair[0] < f64::INFINITY)) {
            let problem = format!("the successive points {} and {} {unit} along {name}", pair[0], pair[1]);
            return Err(ModelError::BadMap { problem, hint: "give each point once, in ascending or descending order" });
        }
        let widest = places.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        Ok((Self { name, unit, places, widest }, is_reversed))
    }

    pub fn places(&self) -> &[f64] {
        &self.places
    }

    pub fn range(&self) -> [f64; 2] {
        [self.places[0], self.places[self.places.len() - 1]]
    }

    /// The points around a coordinate; beyond the axis, its end point.
    pub fn between(&self, place: f64) -> Between {
        let [first, last] = self.range();
        let place = place.clamp(first, last);
        let next = self.places.partition_point(|point| *point <= place).clamp(1, self.places.len() - 1);
        let [from, to] = [self.places[next - 1], self.places[next]];
        Between { points: [next - 1, next], share: (place - from) / (to - from) }
    }

    /// As [`Self::between`], for longitudes \[degrees\], which are periodic.
    pub fn around(&self, longitude: f64) -> Between {
        let [first, last] = self.range();
        let place = first + (longitude - first).rem_euclid(360.0);
        if place <= last {
            return self.between(place);
        }
        let gap = first + 360.0 - last;
        if gap <= CLOSED * self.widest {
            return Between { points: [self.places.len() - 1, 0], share: (place - last) / gap };
        }
        self.between(if place - last < 0.5 * gap { last } else { first })
    }

    /// The points within a range, plus the next one on either side, each with its index.
    pub fn part(&self, range: [f64; 2]) -> Vec<(f64, usize)> {
        part_of(self.places.iter().copied().zip(0..).collect(), range)
    }

    /// As [`Self::part`], for longitudes. They are unwrapped, so a part may start with the last points and continue with the first ones.
    pub fn part_around(&self, [west, east]: [f64; 2]) -> Vec<(f64, usize)> {
        let [first, last] = self.range();
        let middle = 0.5 * (west + east);
        // Shift the range by full circles so that its middle is on the axis.
        let turn = first + (middle - first).rem_euclid(360.0) - middle;
        let range = [west + turn, east + turn];
        if !self.is_closed() {
            return self.part(range);
        }
        // If the last longitude repeats the first one, drop it.
        let is_double = first + 360.0 - last < SLACK * self.widest;
        let count = self.places.len() - usize::from(is_double);
        let of_turn = |turn: f64| self.places[..count].iter().map(move |place| place + turn).zip(0..);
        let part = part_of([-360.0, 0.0, 360.0].into_iter().flat_map(of_turn).collect(), range);
        if part.len() < count { part } else { of_turn(0.0).collect() }
    }

    /// Whether the axis covers the full circle, so that the last and the first longitude are neighbours.
    fn is_closed(&self) -> bool {
        let [first, last] = self.range();
        first + 360.0 - last <= CLOSED * self.widest
    }

    /// Refuses a coordinate beyond the axis.
    pub fn check(&self, place: f64, at: [f64; 2]) -> Result<(), ModelError> {
        let [first, last] = self.range();
        let slack = SLACK * self.widest;
        self.refuse_unless((first - slack..=last + slack).contains(&place), place, at)
    }

    /// Refuses a longitude beyond the axis.
    pub fn check_around(&self, longitude: f64, at: [f64; 2]) -> Result<(), ModelError> {
        let [first, last] = self.range();
        let slack = SLACK * self.widest;
        let beyond = (longitude - first + slack).rem_euclid(360.0) - slack - (last - first);
        self.refuse_unless(self.is_closed() || beyond <= slack, longitude, at)
    }

    /// Refuses a latitude beyond the axis; near a pole, the last latitude extends by up to one interval to the pole.
    pub fn check_to_poles(&self, latitude: f64, at: [f64; 2]) -> Result<(), ModelError> {
        let [first, last] = self.range();
        let is_polar =
            (latitude > last && 90.0 - last <= self.widest) || (latitude < first && first + 90.0 <= self.widest);
        if is_polar { Ok(()) } else { self.check(latitude, at) }
    }

    fn refuse_unless(&self, is_covered: bool, place: f64, [x, y]: [f64; 2]) -> Result<(), ModelError> {
        let ([first, last], unit, [x, y]) = (self.range().map(readable), self.unit, [x, y].map(readable));
        require(
            is_covered,
            self.name,
            place,
            format!("between {first} and {last} {unit}, the range of the perturbation"),
            format!(
                "the model needs it at x = {x}, y = {y} m; extend the map (relative changes of 0 have no effect) or shrink the domain"
            ),
        )?;
        Ok(())
    }
}

/// Selects the ascending coordinates within a range, plus the next one on either side; at least two.
fn part_of(places: Vec<(f64, usize)>, [low, high]: [f64; 2]) -> Vec<(f64, usize)> {
    let first = places.partition_point(|(place, _)| *place <= low).saturating_sub(1);
    let last = places.partition_point(|(place, _)| *place < high).min(places.len() - 1);
    let first = first.min(places.len() - 2);
    places[first..=last.max(first + 1)].to_vec()
}
