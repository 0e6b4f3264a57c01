//! The part of a map that covers a domain.

use super::axis::Axis;
use super::{MapAxes, applied};
use crate::ModelError;
use crate::geodesy::LocalFrame;

/// Number of positions along each side of a domain at which longitudes and latitudes are computed.
const PLACES: usize = 129;

/// Relative margin of the outline of an interval, which is curved between its corners.
const CURVED: f64 = 0.05;

/// The part of a map that a domain needs: the points in it, plus one on every side. Bounds of speeds refer to this part, and a map of
/// the whole Earth takes no more memory than its part in the domain.
#[derive(Debug, Clone, PartialEq)]
pub struct MapCut {
    axes: MapAxes,
    /// For each point along longitude, latitude and depth, its index in the whole map.
    numbers: [Vec<usize>; 3],
    frame: LocalFrame,
    domain: [[f64; 2]; 2],
}

impl MapAxes {
    /// Selects the part of a map that covers a domain.
    ///
    /// # Arguments
    /// * `frame` – conversion from model coordinates to the map
    /// * `x`, `y`, `z` – first and last coordinate of the domain \[m\]
    /// # Errors
    /// Axes that [`Perturbation::new`](crate::Perturbation::new) refuses; a domain that they do not cover, with a position outside; depths
    /// that are all above or below the domain. Where the depths end inside the domain, it is unperturbed beyond them. Verified by
    /// `a_map_is_restricted_to_the_domain`.
    pub fn over(&self, frame: &LocalFrame, [x, y, z]: [[f64; 2]; 3]) -> Result<MapCut, ModelError> {
        let (longitudes, is_west) = Axis::new("longitude", "degrees", self.longitudes.clone())?;
        let (latitudes, is_south) = Axis::new("latitude", "degrees", self.latitudes.clone())?;
        let (depths, is_up) = Axis::new("depth", "m", self.depths.clone())?;
        let is_geographic = frame.is_geographic();
        if is_geographic {
            applied::check_degrees(&longitudes, &latitudes)?;
        }
        applied::check_over(&longitudes, &latitudes, frame, [x, y])?;
        // 0.0 - z, so that the height 0 becomes the depth 0 and not -0.
        let needed = [0.0 - z[1], 0.0 - z[0]];
        if depths.range()[1] <= needed[0] || depths.range()[0] >= needed[1] {
            let [first, last] = depths.range();
            let problem =
                format!("depths from {first} to {last} m, outside the domain from {} to {} m", needed[0], needed[1]);
            return Err(ModelError::BadMap { problem, hint: "extend either; depths are positive down" });
        }
        let ranges = DomainRanges::of(frame, [x, y]);
        let east =
            if is_geographic { longitudes.part_around(ranges.longitudes) } else { longitudes.part(ranges.longitudes) };
        let parts = [
            Part { places: east, full_count: longitudes.places().len(), is_reversed: is_west },
            Part {
                places: latitudes.part(ranges.latitudes),
                full_count: latitudes.places().len(),
                is_reversed: is_south,
            },
            Part { places: depths.part(needed), full_count: depths.places().len(), is_reversed: is_up },
        ];
        let [(longitudes, columns), (latitudes, rows), (depths, levels)] = parts.map(Part::in_file_order);
        let axes = MapAxes { longitudes, latitudes, depths };
        Ok(MapCut { axes, numbers: [columns, rows, levels], frame: *frame, domain: [x, y] })
    }
}

impl MapCut {
    /// Axes of the part, ascending.
    pub fn axes(&self) -> &MapAxes {
        &self.axes
    }

    /// Values of the part, in the order of [`Maps`](crate::Maps).
    ///
    /// # Arguments
    /// * `value` – a value of the whole map, by its indices of longitude, latitude and depth
    pub fn values(&self, value: impl Fn([usize; 3]) -> f32) -> Vec<f32> {
        let [columns, rows, levels] = &self.numbers;
        let mut values = Vec::with_capacity(columns.len() * rows.len() * levels.len());
        for &k in levels {
            for &j in rows {
                values.extend(columns.iter().map(|&i| value([i, j, k])));
            }
        }
        values
    }

    /// Longitude, latitude and depth of a value of the part.
    pub fn place(&self, index: usize) -> [f64; 3] {
        let [columns, rows, _] = self.numbers.each_ref().map(Vec::len);
        let [i, j, k] = [index % columns, index / columns % rows, index / (columns * rows)];
        [self.axes.longitudes[i], self.axes.latitudes[j], self.axes.depths[k]]
    }

    /// Whether a value of the part affects the domain, that is, whether an interval next to it overlaps the domain. The bounding box of a
    /// rotated domain has corners that do not. Verified by `corners_outside_a_rotated_domain_are_not_needed`.
    pub fn is_needed(&self, index: usize) -> bool {
        let [columns, rows, _] = self.numbers.each_ref().map(Vec::len);
        let around = |axis: &[f64], number: usize| {
            [axis[number.saturating_sub(1)], axis[number], axis[(number + 1).min(axis.len() - 1)]]
        };
        let longitudes = around(&self.axes.longitudes, index % columns);
        let latitudes = around(&self.axes.latitudes, index / columns % rows);
        let mut ends = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        for place in longitudes.into_iter().flat_map(|longitude| latitudes.map(|latitude| [longitude, latitude])) {
            // A point too far away for model coordinates may still have neighbours in the domain.
            let Ok(place) = self.frame.to_model(place[0], place[1]) else { continue };
            for ([low, high], place) in ends.iter_mut().zip(place) {
                (*low, *high) = (low.min(place), high.max(place));
            }
        }
        ends.iter().zip(self.domain).all(|([low, high], [from, to])| {
            let wider = CURVED * (high - low);
            low - wider < to && high + wider > from
        })
    }
}

/// A part of an axis.
struct Part {
    /// Each coordinate, with its index in the ascending axis.
    places: Vec<(f64, usize)>,
    /// Number of points of the whole axis.
    full_count: usize,
    is_reversed: bool,
}

impl Part {
    /// Coordinates, and their indices in the original order of the axis.
    fn in_file_order(self) -> (Vec<f64>, Vec<usize>) {
        let Self { places, full_count, is_reversed } = self;
        let given = |number: usize| if is_reversed { full_count - 1 - number } else { number };
        places.into_iter().map(|(place, number)| (place, given(number))).unzip()
    }
}

/// Ranges of longitude and latitude, or of x and y on the map, of a domain, enlarged by one step of the positions at which they are
/// computed.
struct DomainRanges {
    longitudes: [f64; 2],
    latitudes: [f64; 2],
}

impl DomainRanges {
    fn of(frame: &LocalFrame, [x, y]: [[f64; 2]; 2]) -> Self {
        let along = |[from, to]: [f64; 2], place: usize| from + (to - from) * place as f64 / (PLACES - 1) as f64;
        let middle = frame.to_map([0.5 * (x[0] + x[1]), 0.5 * (y[0] + y[1])]);
        // Unwrap longitudes relative to the middle: a domain without a pole spans less than 180 degrees to either side.
        let near = |longitude: f64| match frame.is_geographic() {
            true => middle[0] + (longitude - middle[0] + 180.0).rem_euclid(360.0) - 180.0,
            false => longitude,
        };
        let place = |i: usize, j: usize| {
            let [longitude, latitude] = frame.to_map([along(x, i), along(y, j)]);
            [near(longitude), latitude]
        };
        let (mut ends, mut steps) = ([[f64::INFINITY, f64::NEG_INFINITY]; 2], [0.0_f64; 2]);
        for (i, j) in (0..PLACES * PLACES).map(|number| (number % PLACES, number / PLACES)) {
            let (here, before) = (place(i, j), [place(i.saturating_sub(1), j), place(i, j.saturating_sub(1))]);
            for axis in 0..2 {
                ends[axis] = [ends[axis][0].min(here[axis]), ends[axis][1].max(here[axis])];
                steps[axis] =
                    before.iter().fold(steps[axis], |most, before| most.max((here[axis] - before[axis]).abs()));
            }
        }
        let [mut longitudes, mut latitudes] =
            [0, 1].map(|axis| [ends[axis][0] - steps[axis], ends[axis][1] + steps[axis]]);
        for pole in [-90.0, 90.0] {
            let is_inside = |[px, py]: [f64; 2]| (x[0]..=x[1]).contains(&px) && (y[0]..=y[1]).contains(&py);
            if frame.is_geographic() && frame.to_model(middle[0], pole).is_ok_and(is_inside) {
                longitudes = [middle[0] - 180.0, middle[0] + 180.0];
                latitudes = [latitudes[0].min(pole), latitudes[1].max(pole)];
            }
        }
        Self { longitudes, latitudes }
    }
}
