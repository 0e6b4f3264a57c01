//! One axis of a map: places in ascending order.

use crate::ModelError;
use crate::check::require;

/// Part of an interval by which a place may lie beyond an axis: coordinates are rounded.
const SLACK: f64 = 1e-6;

/// A gap between the last and the first longitude counts as an interval up to this many of the widest one.
const CLOSED: f64 = 1.5;

/// Between which two points a place lies, and how far it is on the way from the first to the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Between {
    pub points: [usize; 2],
    pub share: f64,
}

/// Places in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    name: &'static str,
    unit: &'static str,
    places: Vec<f64>,
    widest: f64,
}

impl Axis {
    /// An axis of ascending or descending places, and whether they had to be turned round.
    pub fn new(name: &'static str, unit: &'static str, mut places: Vec<f64>) -> Result<(Self, bool), ModelError> {
        if places.len() < 2 {
            let problem = format!("{} place along {name}", places.len());
            return Err(ModelError::BadMap {
                problem,
                hint: "give at least 2, with equal values where nothing changes",
            });
        }
        let is_reversed = places[1] < places[0];
        if is_reversed {
            places.reverse();
        }
        // Written so that what is not a number is refused too.
        if let Some(pair) = places.windows(2).find(|pair| !(pair[1] > pair[0] && pair[1] - pair[0] < f64::INFINITY)) {
            let problem = format!("the neighbours {} and {} {unit} along {name}", pair[0], pair[1]);
            return Err(ModelError::BadMap { problem, hint: "give each place once, in ascending or descending order" });
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

    /// The points around a place; beyond the axis its nearest point.
    pub fn between(&self, place: f64) -> Between {
        let [first, last] = self.range();
        let place = place.clamp(first, last);
        let next = self.places.partition_point(|point| *point <= place).clamp(1, self.places.len() - 1);
        let [from, to] = [self.places[next - 1], self.places[next]];
        Between { points: [next - 1, next], share: (place - from) / (to - from) }
    }

    /// As [`Self::between`] on an axis of longitudes \[degrees\], of which 360 are a full circle.
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

    /// The places from one to another, and the next one on either side, each with its number.
    pub fn part(&self, range: [f64; 2]) -> Vec<(f64, usize)> {
        part_of(self.places.iter().copied().zip(0..).collect(), range)
    }

    /// As [`Self::part`] on an axis of longitudes; they go on from turn to turn, so that the first may be one of the last.
    pub fn part_around(&self, [west, east]: [f64; 2]) -> Vec<(f64, usize)> {
        let [first, last] = self.range();
        let middle = 0.5 * (west + east);
        // The turn of the range that has its middle on the axis.
        let turn = first + (middle - first).rem_euclid(360.0) - middle;
        let range = [west + turn, east + turn];
        if !self.is_closed() {
            return self.part(range);
        }
        // Where the last longitude is the first one again, one of them will do.
        let is_double = first + 360.0 - last < SLACK * self.widest;
        let count = self.places.len() - usize::from(is_double);
        let of_turn = |turn: f64| self.places[..count].iter().map(move |place| place + turn).zip(0..);
        let part = part_of([-360.0, 0.0, 360.0].into_iter().flat_map(of_turn).collect(), range);
        if part.len() < count { part } else { of_turn(0.0).collect() }
    }

    /// Whether the last and the first longitude are neighbours.
    fn is_closed(&self) -> bool {
        let [first, last] = self.range();
        first + 360.0 - last <= CLOSED * self.widest
    }

    /// Refuses a place beyond the axis.
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

    /// Refuses a latitude beyond the axis; to a pole the last latitudes reach over one interval.
    pub fn check_to_poles(&self, latitude: f64, at: [f64; 2]) -> Result<(), ModelError> {
        let [first, last] = self.range();
        let is_polar =
            (latitude > last && 90.0 - last <= self.widest) || (latitude < first && first + 90.0 <= self.widest);
        if is_polar { Ok(()) } else { self.check(latitude, at) }
    }

    fn refuse_unless(&self, is_covered: bool, place: f64, [x, y]: [f64; 2]) -> Result<(), ModelError> {
        let ([first, last], unit) = (self.range(), self.unit);
        require(
            is_covered,
            self.name,
            place,
            format!("between {first} and {last} {unit}, where the perturbation is known"),
            format!(
                "it is needed at x = {x}, y = {y} m of the model; extend the map (0 changes nothing) or shrink the domain"
            ),
        )?;
        Ok(())
    }
}

/// Of ascending places those between two, and the next one on either side; two at least.
fn part_of(places: Vec<(f64, usize)>, [low, high]: [f64; 2]) -> Vec<(f64, usize)> {
    let first = places.partition_point(|(place, _)| *place <= low).saturating_sub(1);
    let last = places.partition_point(|(place, _)| *place < high).min(places.len() - 1);
    let first = first.min(places.len() - 2);
    places[first..=last.max(first + 1)].to_vec()
}
