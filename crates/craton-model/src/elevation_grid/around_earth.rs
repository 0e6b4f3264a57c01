//! Grids over longitude and latitude: periodicity around the Earth, and averages over distances.

use super::{ElevationGrid, pad};

impl ElevationGrid {
    /// Number of points of a full circle if x are longitudes \[degrees\] that cover the whole Earth, with or without a repeated first meridian.
    fn points_around(&self) -> Option<usize> {
        let turn = 360.0 / self.spacing[0];
        let points = turn.round() as usize;
        let is_whole = (turn - turn.round()).abs() <= 1e-6 * turn && self.count[0] >= points && points > 1;
        // More than one full circle would be ambiguous.
        (is_whole && self.count[0] <= points + 1).then_some(points)
    }

    /// Extends the grid periodically beyond a full circle if its x are longitudes \[degrees\] that cover the whole Earth. The surface is then smooth across
    /// the seam.
    pub(crate) fn extended_periodically(&self) -> Option<Self> {
        let points = self.points_around()?;
        // Two extra points on either side, for the stencil of the interpolation.
        let columns = points + 4;
        let of_point = |index: usize| self.value([(index % columns + points - 2) % points, index / columns]);
        let elevations: Vec<f64> = (0..columns * self.count[1]).map(of_point).collect();
        let count = [columns, self.count[1]];
        let origin = [self.origin[0] - 2.0 * self.spacing[0], self.origin[1]];
        Some(Self { origin, spacing: self.spacing, count, padded: pad(count, &elevations) })
    }

    /// Averages a grid over longitude and latitude \[degrees\] with the weights of a triangle of this half-width \[degrees of a great circle\] along both
    /// axes, so that points at this distance represent it without aliasing. Verified by `averages_keep_the_mean_and_remove_what_is_finer`.
    pub(crate) fn averaged(&self, half_width: f64) -> Self {
        let around = self.points_around();
        let [columns, rows] = self.count;
        let mut values = Vec::with_capacity(columns * rows);
        for (row, latitude) in self.coordinates(1).enumerate() {
            let distinct = around.unwrap_or(columns);
            let line: Vec<f64> = (0..distinct).map(|column| self.value([column, row])).collect();
            // Meridians converge towards the poles.
            let wide = half_width / latitude.to_radians().cos().abs().max(1e-9);
            let line = match around {
                // Around a pole that is this near, all directions are averaged.
                Some(points) if wide >= 180.0 => vec![line.iter().sum::<f64>() / points as f64; points],
                _ => averaged_line(&line, wide / self.spacing[0], around.is_some()),
            };
            values.extend((0..columns).map(|column| line[column % distinct]));
        }
        for column in 0..columns {
            let line: Vec<f64> = (0..rows).map(|row| values[row * columns + column]).collect();
            for (row, value) in averaged_line(&line, half_width / self.spacing[1], false).into_iter().enumerate() {
                values[row * columns + column] = value;
            }
        }
        Self { padded: pad(self.count, &values), ..*self }
    }

    /// Elevation \[m\] at longitude and latitude \[degrees\], , for a grid around the whole Earth. Beyond the last row, the
    /// elevation tends to the mean of that row, so that it is unique at the pole.
    pub(crate) fn elevation_around_earth(&self, longitude: f64, latitude: f64) -> f64 {
        let [south, north] = self.y_range();
        let beyond = (south - latitude).max(latitude - north);
        let value = self.elevation(longitude, latitude);
        if beyond <= 0.0 {
            return value;
        }
        let row = if latitude > north { self.count[1] - 1 } else { 0 };
        let mean = (0..self.count[0]).map(|column| self.value([column, row])).sum::<f64>() / self.count[0] as f64;
        let share = (beyond / (90.0 - north.max(-south)).max(beyond)).min(1.0);
        value + share * (mean - value)
    }

    /// Elevation of a point.
    fn value(&self, [column, row]: [usize; 2]) -> f64 {
        self.padded[(row + 1) * (self.count[0] + 2) + column + 1]
    }
}

/// Averages a line of points with a triangle: two means over an odd number of points.
///
/// # Arguments
/// * `half_width` – of the triangle, in points
/// * `periodic` – whether the first point follows the last; else the mean is over the points that there are
fn averaged_line(line: &[f64], half_width: f64, periodic: bool) -> Vec<f64> {
    let reach = (0.5 * half_width).round() as usize;
    if reach == 0 {
        return line.to_vec();
    }
    mean_line(&mean_line(line, reach, periodic), reach, periodic)
}

/// Mean over a point and this number of points on either side.
fn mean_line(line: &[f64], reach: usize, periodic: bool) -> Vec<f64> {
    let count = line.len();
    let reach = if periodic { reach.min((count - 1) / 2) } else { reach };
    let mut sums = vec![0.0; count + 1];
    for (index, value) in line.iter().enumerate() {
        sums[index + 1] = sums[index] + value;
    }
    let between = |from: usize, to: usize| sums[to] - sums[from];
    let mean = |at: usize| {
        if periodic {
            let (from, to) = (at + count - reach, at + count + reach + 1);
            let turns = |end: usize| (end / count) as f64 * sums[count] + sums[end % count];
            return (turns(to) - turns(from)) / (2 * reach + 1) as f64;
        }
        let (from, to) = (at.saturating_sub(reach), (at + reach + 1).min(count));
        between(from, to) / (to - from) as f64
    };
    (0..count).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_keep_the_mean_and_remove_what_is_finer() {
        let wave = |longitude: f64, latitude: f64| -> f64 {
            let (lon, lat) = (longitude.to_radians(), latitude.to_radians());
            1000.0 + 100.0 * lat.cos() * lon.cos() + 500.0 * (120.0 * lon).sin() * (120.0 * lat).cos()
        };
        let grid = ElevationGrid::from_function([-180.0, 180.0], [-60.0, 60.0], 0.5, |x, y| Ok(wave(x, y))).unwrap();
        let smooth = grid.averaged(6.0);
        for [x, y] in [[-180.0_f64, 0.0_f64], [180.0, 0.0], [10.0, 45.0], [-90.0, -30.0]] {
            let (lon, lat) = (x.to_radians(), y.to_radians());
            let expected = 1000.0 + 100.0 * lat.cos() * lon.cos();
            assert!((smooth.elevation(x, y) - expected).abs() < 2.0, "{} {expected}", smooth.elevation(x, y));
        }
        let constant = ElevationGrid::new([0.0; 2], [1.0; 2], [7, 5], &[3.0; 35]).unwrap();
        assert!((constant.averaged(3.0).elevation(0.0, 4.0) - 3.0).abs() < 1e-14);
        assert_eq!(constant.averaged(0.4), constant);
    }
}
