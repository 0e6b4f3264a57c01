//! The terrain beyond the radius of a terrain correction.

use std::f64::consts::PI;

use craton_device::Workers;
use craton_gravity::{GRAVITATIONAL_CONSTANT, Points, Prism, Prisms};
use rayon::prelude::*;

/// A column far from a station: its attraction is that of a vertical line, with the second moments of its cross section.
struct Line {
    /// Centre of the cross section, bottom and top [m].
    place: [f64; 2],
    ends: [f64; 2],
    /// G times the mass per unit of height.
    strength: f64,
    /// Second moments of the cross section over twice its area [m²].
    moments: [f64; 2],
}

impl Line {
    fn new(prism: &Prism) -> Self {
        let [width, depth] = [prism.east - prism.west, prism.north - prism.south];
        Self {
            place: [0.5 * (prism.west + prism.east), 0.5 * (prism.south + prism.north)],
            ends: [prism.bottom, prism.top],
            strength: GRAVITATIONAL_CONSTANT * prism.density * width * depth,
            moments: [width * width / 24.0, depth * depth / 24.0],
        }
    }

    /// Downward attraction at a point, if the centre is at least a distance away horizontally [m/s²].
    ///
    /// Upwards it is the difference of 1/r between bottom and top.
    fn beyond(&self, [x, y, z]: [f64; 3], radius: f64) -> f64 {
        let [dx, dy] = [self.place[0] - x, self.place[1] - y];
        let [dx2, dy2] = [dx * dx, dy * dy];
        if dx2 + dy2 < radius * radius {
            return 0.0;
        }
        let end = |end: f64| {
            let r2 = dx2 + dy2 + (end - z) * (end - z);
            let over = r2.sqrt().recip();
            let over5 = over / (r2 * r2);
            let [along_x, along_y] = self.moments;
            over + over5 * (along_x * (3.0 * dx2 - r2) + along_y * (3.0 * dy2 - r2))
        };
        let [bottom, top] = self.ends;
        self.strength * (end(top) - end(bottom))
    }
}

/// Downward attraction at points of the columns whose centre is beyond a radius [m/s²].
///
/// With a radius of ten widths of a column, the relative error is 1e-4, and it decreases with the fourth power of the radius.
pub fn beyond(prisms: &Prisms, points: &Points, radius: f64, workers: &Workers) -> Vec<f64> {
    workers.run(|| {
        let lines: Vec<Line> = (0..prisms.len()).into_par_iter().map(|number| Line::new(&prisms.get(number))).collect();
        let at = |point: usize| lines.iter().map(|line| line.beyond(points.get(point), radius)).sum();
        (0..points.len()).into_par_iter().map(at).collect()
    })
}

/// Attraction of a level disc around a station on its face [m/s²].
///
/// # Arguments
/// * `thickness` – of the disc [m], of either sign: above the station a disc of negative mass attracts downwards, too
pub fn disc(thickness: f64, radius: f64, density: f64) -> f64 {
    let h = thickness.abs();
    // h + R - √(R² + h²), without cancellation.
    2.0 * PI * GRAVITATIONAL_CONSTANT * density * (h - h * h / (radius + radius.hypot(h)))
}

#[cfg(test)]
mod tests {
    use craton_gravity::{Field, Fields, Isa, forward};

    use super::*;

    #[test]
    fn distant_columns_attract_as_prisms() {
        let column = |n: usize| {
            let [west, south] = [100.0 * (n % 40) as f64, 60.0 * (n / 40) as f64];
            let top = 300.0 + 40.0 * (n * 7 % 11) as f64;
            Prism { west, east: west + 100.0, south, north: south + 60.0, bottom: -50.0, top, density: 2670.0 }
        };
        let all: Vec<Prism> = (0..1600).map(column).collect();
        let place = [2013.0, 1207.0, 450.0];
        let workers = Workers::new(Some(2)).expect("two threads");
        let points = Points::new([place]).expect("a point");
        let prisms = Prisms::new(all.iter().copied()).expect("prisms");
        for (radius, tolerance) in [(1000.0, 2e-5), (2000.0, 1e-6)] {
            let is_far = |prism: &&Prism| {
                let [x, y] = [0.5 * (prism.west + prism.east), 0.5 * (prism.south + prism.north)];
                (x - place[0]).hypot(y - place[1]) >= radius
            };
            let far = Prisms::new(all.iter().filter(is_far).copied()).expect("prisms");
            assert!(far.len() > 20);
            let up = Fields::from_iter([Field::Up]);
            let exact = -forward(&far, &points, up, &workers, Isa::detect()).get(Field::Up).expect("the field")[0];
            let found = beyond(&prisms, &points, radius, &workers)[0];
            assert!((found / exact - 1.0).abs() < tolerance, "{found} instead of {exact} beyond {radius} m");
        }
        // A wide disc is a slab; a narrow one is a line.
        let slab = 2.0 * PI * GRAVITATIONAL_CONSTANT * 2670.0 * 100.0;
        assert!((disc(100.0, 1e8, 2670.0) / slab - 1.0).abs() < 1e-6 && disc(-100.0, 1e8, 2670.0) > 0.0);
        let exact = 2.0 * PI * GRAVITATIONAL_CONSTANT * 2670.0 * (100.0 + 30.0 - 30.0_f64.hypot(100.0));
        assert!((disc(100.0, 30.0, 2670.0) / exact - 1.0).abs() < 1e-14);
    }
}
