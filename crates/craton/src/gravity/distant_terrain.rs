//! The terrain beyond the radius of a terrain correction.

use std::collections::HashSet;

use craton_device::Workers;
use craton_gravity::{GRAVITATIONAL_CONSTANT, GoOn, Points, Prism, Prisms};
use rayon::prelude::*;

/// Tolerance of the edges of columns relative to the extent of the terrain, and of the square of the radius: columns and the cells
/// of level terrain below them must be on the same side of the radius.
const ROUNDING: f64 = 1e-9;
/// Columns of a station between two calls of the cancellation callback.
const RUN: usize = 1 << 14;
/// Pairs of a column or cell and a station per second on one core. Measured.
const RATE: f64 = 1.5e8;

/// Cross section of a column far from a station: the attraction is that of a vertical line, with the second moments of the cross
/// section.
struct Section {
    /// Centre of the cross section [m].
    place: [f64; 2],
    area: f64,
    /// Second moments over twice the area [m²].
    moments: [f64; 2],
}

impl Section {
    fn new([west, east]: [f64; 2], [south, north]: [f64; 2]) -> Self {
        let [width, depth] = [east - west, north - south];
        Self {
            place: [0.5 * (west + east), 0.5 * (south + north)],
            area: width * depth,
            moments: [width * width / 24.0, depth * depth / 24.0],
        }
    }

    /// Downward attraction of a column between two heights at a point, for G times the density of one; 0 if the centre is within a
    /// distance of the point [m].
    ///
    /// Upwards it is the difference of 1/r between bottom and top.
    fn beyond(&self, radius: f64, [x, y, z]: &[f64; 3], [bottom, top]: [f64; 2]) -> f64 {
        let [dx, dy] = [self.place[0] - x, self.place[1] - y];
        let [dx2, dy2] = [dx * dx, dy * dy];
        if dx2 + dy2 < (1.0 - ROUNDING) * radius * radius {
            return 0.0;
        }
        let end = |end: f64| {
            let r2 = dx2 + dy2 + (end - z) * (end - z);
            let over = r2.sqrt().recip();
            let over5 = over / (r2 * r2);
            let [along_x, along_y] = self.moments;
            over + over5 * (along_x * (3.0 * dx2 - r2) + along_y * (3.0 * dy2 - r2))
        };
        self.area * (end(top) - end(bottom))
    }
}

/// The cells of the grid on which the columns of a terrain lie, with those that have no column.
pub struct GridCells {
    /// Edges along x and y [m], ascending.
    edges: [Vec<f64>; 2],
}

impl GridCells {
    /// The grid of the edges of all columns, which may lie above each other.
    pub fn of(prisms: &Prisms) -> Self {
        let edges = |sides: fn(&Prism) -> [f64; 2]| {
            let add = |mut known: HashSet<u64>, number: usize| {
                known.extend(sides(&prisms.get(number)).map(f64::to_bits));
                known
            };
            let join = |mut known: HashSet<u64>, other: HashSet<u64>| {
                known.extend(other);
                known
            };
            let found = (0..prisms.len()).into_par_iter().fold(HashSet::new, add).reduce(HashSet::new, join);
            let mut edges: Vec<f64> = found.into_iter().map(f64::from_bits).collect();
            edges.sort_unstable_by(f64::total_cmp);
            let extent = edges.last().zip(edges.first()).map_or(0.0, |(last, first)| last - first);
            edges.dedup_by(|next, kept| *next - *kept <= ROUNDING * extent);
            edges
        };
        Self { edges: [edges(|prism| [prism.west, prism.east]), edges(|prism| [prism.south, prism.north])] }
    }

    /// Number of cells.
    pub fn count(&self) -> usize {
        self.edges.iter().map(|edges| edges.len().saturating_sub(1)).product()
    }

    /// The cells, x fastest.
    fn sections(&self) -> Vec<Section> {
        let [x, y] = self.edges.each_ref().map(|edges| edges.windows(2).map(|pair| [pair[0], pair[1]]));
        y.flat_map(|y| x.clone().map(move |x| Section::new(x, y))).collect()
    }
}

/// The level terrain with which a terrain is compared.
#[derive(Debug, Clone, Copy)]
pub struct Level {
    /// Radius of the terrain correction, and height from which level terrain reaches to the station [m].
    pub radius: f64,
    pub datum: f64,
    /// [kg/m³].
    pub density: f64,
}

/// Downward attraction of the columns whose centre is beyond a radius, minus that of level terrain in all cells of their grid beyond
/// the radius [m/s²]; `None` if `go_on` returns `false`.
///
/// With a radius of ten widths of a column, the relative error of the difference is 1e-4, and it decreases with the fourth power of
/// the radius.
pub fn excess(prisms: &Prisms, points: &Points, level: Level, workers: &Workers, go_on: GoOn) -> Option<Vec<f64>> {
    let Level { radius, datum, density } = level;
    workers.run(|| {
        let column = |number: usize| {
            let Prism { west, east, south, north, bottom, top, density } = prisms.get(number);
            (Section::new([west, east], [south, north]), [bottom, top], density)
        };
        let columns: Vec<_> = (0..prisms.len()).into_par_iter().map(column).collect();
        let cells = GridCells::of(prisms).sections();
        let at = |point: usize| {
            let place = points.get(point);
            let of_column =
                |(section, ends, density): &(Section, _, f64)| density * section.beyond(radius, &place, *ends);
            // Below the datum the order of the ends makes the level terrain a lack of rock.
            let of_cell = |section: &Section| density * section.beyond(radius, &place, [datum, place[2]]);
            let of_columns = sum_while(&columns, of_column, go_on)?;
            Some(GRAVITATIONAL_CONSTANT * (of_columns - sum_while(&cells, of_cell, go_on)?))
        };
        (0..points.len()).into_par_iter().map(at).collect()
    })
}

/// A sum over items; `None` if `go_on` returns `false`.
fn sum_while<T>(items: &[T], value: impl Fn(&T) -> f64, go_on: GoOn) -> Option<f64> {
    items.chunks(RUN).map(|items| go_on().then(|| items.iter().map(&value).sum::<f64>())).sum()
}

/// Expected time of [`excess`] [s].
pub fn seconds(prisms: &Prisms, points: &Points, workers: &Workers) -> f64 {
    let pairs = (prisms.len() + GridCells::of(prisms).count()) as f64 * points.len() as f64;
    pairs / (RATE * workers.threads() as f64)
}

#[cfg(test)]
mod tests {
    use craton_gravity::{Field, Fields, Isa, forward};

    use super::*;

    /// Columns of 100 x 60 m on a grid of 40 x 40.
    fn column(n: usize, top: f64) -> Prism {
        let [west, south] = [100.0 * (n % 40) as f64, 60.0 * (n / 40) as f64];
        Prism { west, east: west + 100.0, south, north: south + 60.0, bottom: -50.0, top, density: 2670.0 }
    }

    /// Downward attraction of the columns beyond a radius by their closed form.
    fn exact(all: &[Prism], place: [f64; 3], radius: f64, workers: &Workers) -> f64 {
        let is_far = |prism: &&Prism| {
            let [x, y] = [0.5 * (prism.west + prism.east), 0.5 * (prism.south + prism.north)];
            (x - place[0]).hypot(y - place[1]) >= radius
        };
        let far = Prisms::new(all.iter().filter(is_far).copied()).expect("prisms");
        assert!(far.len() > 20);
        let points = Points::new([place]).expect("a point");
        -forward(&far, &points, Fields::from_iter([Field::Up]), workers, Isa::detect()).get(Field::Up).expect("it")[0]
    }

    #[test]
    fn distant_columns_attract_as_prisms() {
        let all: Vec<Prism> = (0..1600).map(|n| column(n, 300.0 + 40.0 * (n * 7 % 11) as f64)).collect();
        let place = [2013.0, 1207.0, 450.0];
        let workers = Workers::new(Some(2)).expect("two threads");
        let points = Points::new([place]).expect("a point");
        let prisms = Prisms::new(all.iter().copied()).expect("prisms");
        for (radius, tolerance) in [(1000.0, 2e-5), (2000.0, 1e-6)] {
            let exact = exact(&all, place, radius, &workers);
            // Without level terrain.
            let level = Level { radius, datum: 450.0, density: 2670.0 };
            let found = excess(&prisms, &points, level, &workers, &|| true).expect("never cancelled")[0];
            assert!((found / exact - 1.0).abs() < tolerance, "{found} instead of {exact} beyond {radius} m");
            assert!(excess(&prisms, &points, level, &workers, &|| false).is_none());
        }
    }

    #[test]
    fn level_terrain_fills_cells_without_columns() {
        let workers = Workers::new(Some(2)).expect("two threads");
        let place = [2050.0, 1170.0, 450.0];
        let points = Points::new([place]).expect("a point");
        let level = Level { radius: 1000.0, datum: -50.0, density: 2670.0 };
        let found = |all: &[Prism]| {
            let prisms = Prisms::new(all.iter().copied()).expect("prisms");
            excess(&prisms, &points, level, &workers, &|| true).expect("never cancelled")[0]
        };
        // Columns of two slices, with edges that differ by round-off.
        let slices = |n: usize| {
            let whole = column(n, 450.0);
            let shift = 1e-12 * (n % 3) as f64;
            let lower = Prism { top: 100.0, west: whole.west + shift, east: whole.east + shift, ..whole };
            [lower, Prism { bottom: 100.0, ..whole }]
        };
        let all: Vec<Prism> = (0..1600).flat_map(slices).collect();
        let whole = exact(&all, place, 1000.0, &workers);
        assert!(found(&all).abs() < 1e-12 * whole, "{} of {whole}", found(&all));
        // Some distant columns are missing.
        let missing: Vec<Prism> = all.iter().copied().filter(|prism| (300.0..3600.0).contains(&prism.west)).collect();
        let missing: Vec<Prism> = missing.into_iter().chain(slices(0)).chain(slices(1599)).collect();
        let expected = exact(&missing, place, 1000.0, &workers) - whole;
        assert!((found(&missing) / expected - 1.0).abs() < 1e-4, "{} instead of {expected}", found(&missing));
    }
}
