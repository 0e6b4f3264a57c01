//! Filters of maps of potential fields in the domain of wavenumbers.

use craton_fft::{Complex64, ComplexPlanner, Fft};
use rayon::prelude::*;

use crate::{Direction, GravityError};

/// A filter of a field on a level surface, as its response to a plane wave exp(i (kx x + ky y)).
///
/// Source: Blakely (1995), Potential Theory in Gravity and Magnetic Applications, chapters 11 and 12.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpectralFilter {
    /// The field at a higher level: exp(-|k| h).
    UpwardContinuation {
        /// Height above the level of the map [m], not negative.
        height: f64,
    },
    /// The derivative along x (east): i kx.
    East,
    /// The derivative along y (north): i ky.
    North,
    /// The derivative along z (up): -|k|.
    Up,
    /// Reduction to the pole: the total-field anomaly that the same bodies would cause at the magnetic pole, with vertical magnetisation.
    Pole {
        /// Direction of the main field.
        main: Direction,
        /// Direction of the magnetisation; that of the main field if it is induced.
        magnetisation: Direction,
    },
}

impl SpectralFilter {
    /// Response to wavenumbers along x and y [rad/m]; 0 for the mean where it is undefined.
    pub fn response(&self, [kx, ky]: [f64; 2]) -> Complex64 {
        let k = kx.hypot(ky);
        // A direction differentiates: i (k · d) horizontally, -|k| upwards.
        let along = |direction: Direction| {
            let [east, north, up] = direction.vector();
            Complex64::new(-k * up, kx * east + ky * north)
        };
        match *self {
            Self::UpwardContinuation { height } => Complex64::new((-k * height).exp(), 0.0),
            Self::East => Complex64::new(0.0, kx),
            Self::North => Complex64::new(0.0, ky),
            Self::Up => Complex64::new(-k, 0.0),
            Self::Pole { .. } if k == 0.0 => Complex64::new(0.0, 0.0),
            Self::Pole { main, magnetisation } => k * k / (along(main) * along(magnetisation)),
        }
    }

    /// Refuses parameters out of range.
    fn check(&self) -> Result<(), GravityError> {
        match *self {
            Self::UpwardContinuation { height } => {
                GravityError::check_range("the height of an upward continuation", height, 0.0, 1e9)
            }
            Self::Pole { main, magnetisation } => [main, magnetisation].into_iter().try_for_each(|direction| {
                GravityError::check_range("an inclination", direction.inclination.abs(), LOWEST_INCLINATION, 90.0)?;
                GravityError::check_range("a declination", direction.declination, -360.0, 360.0)
            }),
            _ => Ok(()),
        }
    }

    /// What remains of a plane c + a x + b y: its value and its slopes.
    fn of_plane(&self, plane: [f64; 3]) -> [f64; 3] {
        match self {
            Self::UpwardContinuation { .. } => plane,
            Self::East => [plane[1], 0.0, 0.0],
            Self::North => [plane[2], 0.0, 0.0],
            Self::Up | Self::Pole { .. } => [0.0; 3],
        }
    }
}

/// Smallest inclination of a reduction to the pole [degrees]. Its response grows as 1 / sin² of the inclination.
const LOWEST_INCLINATION: f64 = 5.0;

/// A map of a field on a regular grid at one level, x fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelMap {
    /// Number of points along x and y, at least two.
    pub count: [usize; 2],
    /// Spacing along x and y [m], positive.
    pub spacing: [f64; 2],
    /// Values, x fastest.
    pub values: Vec<f64>,
}

/// Treatment of the edges of a map, which a Fourier transform continues periodically.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edges {
    /// Width of the padding on each side, as a fraction of the length of the map, 0 to 1. The padding continues the map by point reflection at its edge, and
    /// fades to zero by a cosine.
    pub padding: f64,
    /// Whether to remove the plane that fits best before the transform, and to add what the filters make of it afterwards.
    pub removes_plane: bool,
}

impl Default for Edges {
    fn default() -> Self {
        Self { padding: 0.5, removes_plane: true }
    }
}

impl LevelMap {
    /// The map after filters.
    ///
    /// # Arguments
    /// * `filters` – applied one after the other, as a product of their responses
    /// # Returns
    /// Values in the unit of the map, over metres for each derivative.
    /// # Errors
    /// [`GravityError::OutOfRange`] for parameters out of range, and fewer than two points along an axis; [`GravityError::Count`] for a wrong number of
    /// values; [`GravityError::CellNotFinite`] for the first value that is not finite.
    ///
    /// Verified by `spectral::filters_match_harmonica` and `spectral::upward_continuation_matches_the_field_at_the_higher_level`.
    pub fn filtered(&self, filters: &[SpectralFilter], edges: Edges) -> Result<Self, GravityError> {
        self.check()?;
        filters.iter().try_for_each(SpectralFilter::check)?;
        GravityError::check_range("the padding", edges.padding, 0.0, 1.0)?;
        let plane = if edges.removes_plane { self.plane() } else { [0.0; 3] };
        let widths = self.count.map(|count| ((edges.padding * count as f64).round() as usize).min(count - 1));
        let padded = [0, 1].map(|axis| self.count[axis] + 2 * widths[axis]);
        let mut spectrum = self.padded(plane, widths);
        transform(&mut spectrum, padded, false);
        let [along_x, along_y] = [0, 1].map(|axis| wavenumbers(padded[axis], self.spacing[axis]));
        let scale = 1.0 / (padded[0] * padded[1]) as f64;
        spectrum.par_chunks_mut(padded[0]).zip(along_y).for_each(|(row, ky)| {
            for (value, &kx) in row.iter_mut().zip(&along_x) {
                *value *=
                    filters.iter().fold(Complex64::new(scale, 0.0), |all, filter| all * filter.response([kx, ky]));
            }
        });
        transform(&mut spectrum, padded, true);
        let plane = filters.iter().fold(plane, |plane, filter| filter.of_plane(plane));
        let rows = 0..self.count[1];
        let row = |y: usize| {
            let start = (y + widths[1]) * padded[0] + widths[0];
            (0..self.count[0]).map(move |x| (x, start + x))
        };
        let values = rows.flat_map(|y| row(y).map(move |(x, at)| (x, y, at)));
        let values = values.map(|(x, y, at)| spectrum[at].re + self.on_plane(plane, x, y)).collect();
        Ok(Self { values, ..self.clone() })
    }

    /// Magnitude of the gradient at each point (the amplitude of the analytic signal), and the tilt angle [degrees]: arctan of the upward derivative, with its sign changed,
    /// over the horizontal gradient. Both are computed from [`filtered`](Self::filtered) derivatives; the tilt is 0 where the gradient is.
    ///
    /// Source: Roest, Verhoef and Pilkington (1992), Geophysics 57; Miller and Singh (1994), Journal of Applied Geophysics 32.
    ///
    /// # Errors
    /// As [`filtered`](Self::filtered).
    pub fn total_gradient_and_tilt(&self, filters: &[SpectralFilter], edges: Edges) -> Result<[Self; 2], GravityError> {
        let derivative = |last: SpectralFilter| self.filtered(&[filters, &[last]].concat(), edges);
        let [east, north, up] =
            [derivative(SpectralFilter::East)?, derivative(SpectralFilter::North)?, derivative(SpectralFilter::Up)?];
        let level = east.values.iter().zip(&north.values).map(|(east, north)| east.hypot(*north));
        let pairs: Vec<(f64, f64)> = level.zip(&up.values).map(|(level, up)| (level, -up)).collect();
        let map = |of: fn(&(f64, f64)) -> f64| Self { values: pairs.iter().map(of).collect(), ..self.clone() };
        Ok([map(|&(level, down)| level.hypot(down)), map(|&(level, down)| down.atan2(level).to_degrees())])
    }

    fn check(&self) -> Result<(), GravityError> {
        for axis in 0..2 {
            GravityError::check_range("the number of points along an axis", self.count[axis] as f64, 2.0, 1e6)?;
            GravityError::check_range("the spacing", self.spacing[axis], 1e-6, 1e9)?;
        }
        let [nx, ny] = self.count;
        GravityError::check_count("values", self.values.len(), "points", nx * ny)?;
        match self.values.iter().position(|&value| !GravityError::is_sound(value)) {
            Some(at) => Err(GravityError::CellNotFinite { cell: [at % nx, at / nx, 0], value: self.values[at] }),
            None => Ok(()),
        }
    }

    /// Coordinates of a point relative to the centre of the map [m].
    fn place(&self, x: usize, y: usize) -> [f64; 2] {
        let from_centre =
            |at: usize, axis: usize| self.spacing[axis] * (at as f64 - 0.5 * (self.count[axis] - 1) as f64);
        [from_centre(x, 0), from_centre(y, 1)]
    }

    fn on_plane(&self, plane: [f64; 3], x: usize, y: usize) -> f64 {
        let [along_x, along_y] = self.place(x, y);
        plane[0] + plane[1] * along_x + plane[2] * along_y
    }

    /// The plane that fits best: its value at the centre, and its slopes along x and y. The columns of the fit are orthogonal on a grid.
    fn plane(&self) -> [f64; 3] {
        let (mut sums, mut squares) = ([0.0; 3], [0.0; 3]);
        for (at, value) in self.values.iter().enumerate() {
            let [x, y] = self.place(at % self.count[0], at / self.count[0]);
            for (column, (sum, square)) in [1.0, x, y].into_iter().zip(sums.iter_mut().zip(&mut squares)) {
                *sum += column * value;
                *square += column * column;
            }
        }
        [0, 1, 2].map(|number| sums[number] / squares[number])
    }

    /// The map without a plane, padded on all sides, row by row.
    fn padded(&self, plane: [f64; 3], [across, along]: [usize; 2]) -> Vec<Complex64> {
        let [nx, ny] = self.count;
        let rows: Vec<Vec<f64>> = (0..ny)
            .map(|y| {
                let row: Vec<f64> = (0..nx).map(|x| self.values[y * nx + x] - self.on_plane(plane, x, y)).collect();
                padded_line(&row, across)
            })
            .collect();
        let width = nx + 2 * across;
        let mut padded = vec![Complex64::default(); width * (ny + 2 * along)];
        for x in 0..width {
            let column: Vec<f64> = rows.iter().map(|row| row[x]).collect();
            for (y, value) in padded_line(&column, along).into_iter().enumerate() {
                padded[y * width + x].re = value;
            }
        }
        padded
    }
}

/// A line continued at both ends by point reflection, which fades to zero.
fn padded_line(line: &[f64], width: usize) -> Vec<f64> {
    let last = line.len() - 1;
    let fade = |step: usize| 0.5 * (1.0 + (std::f64::consts::PI * step as f64 / (width + 1) as f64).cos());
    let before = (1..=width).rev().map(|step| fade(step) * (2.0 * line[0] - line[step]));
    let after = (1..=width).map(|step| fade(step) * (2.0 * line[last] - line[last - step]));
    before.chain(line.iter().copied()).chain(after).collect()
}

/// Wavenumbers of the coefficients of a transform [rad/m]; that of Nyquist is negative.
fn wavenumbers(count: usize, spacing: f64) -> Vec<f64> {
    let step = 2.0 * std::f64::consts::PI / (count as f64 * spacing);
    let signed = |at: usize| if 2 * at < count { at as f64 } else { at as f64 - count as f64 };
    (0..count).map(|at| step * signed(at)).collect()
}

/// Transforms rows, then columns, in place and not normalised.
fn transform(values: &mut [Complex64], [nx, ny]: [usize; 2], is_inverse: bool) {
    let mut planner = ComplexPlanner::new();
    let mut plan = |length: usize| if is_inverse { planner.inverse(length) } else { planner.forward(length) };
    let (of_rows, of_columns) = (plan(nx), plan(ny));
    values.par_chunks_mut(nx).for_each(|row| process(&*of_rows, row));
    let mut columns = vec![Complex64::default(); values.len()];
    columns.par_chunks_mut(ny).enumerate().for_each(|(x, column)| {
        column.iter_mut().enumerate().for_each(|(y, value)| *value = values[y * nx + x]);
        process(&*of_columns, column);
    });
    values.par_chunks_mut(nx).enumerate().for_each(|(y, row)| {
        row.iter_mut().enumerate().for_each(|(x, value)| *value = columns[x * ny + y]);
    });
}

fn process(plan: &dyn Fft<f64>, line: &mut [Complex64]) {
    plan.process(line);
}
