//! Weights of a position next to an interface that dips.
//!
//! There each component of velocity has a part along the interface, which jumps with the density, and a part across it, which has a kink. The weights of
//! the points around are those that give the exact fields of plane waves next to a plane interface, with the least squares of all errors. The waves have
//! potentials φ with ρ v = ∇φ and a pressure proportional to φ, products of cos(k·s) or sin(k·s) along the interface and one of
//!
//! ```text
//! cos(κ n)        ρ sin(κ n) / κ        κ² = ω²/c² - k²
//! ```
//!
//! at a height n above it, with the density and the speed of each side: φ and (1/ρ) ∂φ/∂n are continuous. Where κ² is negative, the waves decay or grow
//! across the interface. Points of cells that the interface divides are left out.

use craton_device::Scalar;

use super::jumps::{Jump, ON_JUMP};
use super::sampler::{Sample, Sampler};
use super::setup::PRESSURE;
use crate::linear::solve;

/// Largest distance from the interface of a position with these weights [cells].
const NEAR: f64 = 3.0;
/// Number of lines on either side of a position that the plane of an interface is fitted to.
const LINES: i64 = 3;
/// Distance from the interface at which a medium is as far from it [cells].
const INSIDE: f64 = 2.0;
/// Radius of the points around a position in a plane and in space, and the width of the Gaussian that favours close ones [cells].
const RADIUS: [f64; 2] = [5.5, 4.5];
const WIDTH: [f64; 2] = [2.5, 2.0];
/// Distance from the interface below which points are disfavoured, since cells that it divides disturb the fields of their neighbours [cells].
const DISTURBED: f64 = 1.0;
/// Wavenumber of the slower medium at the highest frequency, at five points per wavelength [1/cells].
const WAVENUMBER: f64 = 1.26;
/// Frequencies of the waves over the highest one, and their wavenumbers along the interface over those of the slower medium.
const FREQUENCIES: [f64; 4] = [0.1, 0.5, 0.8, 1.0];
const ALONG: [f64; 6] = [0.0, 0.25, 0.5, 0.75, 0.95, 1.05];
/// Number of directions along an interface in space.
const DIRECTIONS: usize = 3;
/// Mean square of the weights over that of the errors.
const DAMPING: f64 = 1e-4;
/// Largest deviation of the density of a point from that of its side, over the jump.
const DEVIATION: f64 = 0.2;

/// A plane interface next to a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Slope {
    /// Unit vector across the interface, towards the second side.
    normal: [f64; 3],
    /// Height of the position above the interface along the normal [m].
    height: f64,
    /// Whether the position belongs to the second side.
    is_above: bool,
    /// Density [kg/m³] and speed [m/s] of each side.
    rho: [f64; 2],
    speed: [f64; 2],
    /// A cell of each side.
    cells: [[usize; 3]; 2],
}

/// A plane wave next to the interface: its potential.
struct Wave {
    /// ω² [1/s²].
    omega_squared: f64,
    /// Wave vector along the interface [1/m].
    along: [f64; 3],
    /// Whether it is a sine along the interface, and across it.
    is_sine: [bool; 2],
}

/// A grid point: field and indices, position relative to the place of the weights [m], and the weight of its square [–].
struct Point {
    field: usize,
    index: [i64; 3],
    from: [f64; 3],
    favour: f64,
}

impl Slope {
    /// The plane interface next to a position, if there is one within a few cells.
    pub fn near<T: Scalar>(sampler: &Sampler<'_, T>) -> Option<Self> {
        let (of, place) = (sampler.of, sampler.place);
        let index = of.own_cell(place, PRESSURE);
        let spacing = of.grid.spacing;
        // The interface along all lines beside the position, for the axis along which most lines cross it.
        let lines = of.axes.iter().map(|&axis| (axis, crossings(sampler, axis, index)));
        // Of two axes with as many lines, the one that the interface is closer to normal to.
        let (axis, points) = lines.max_by(|(a, one), (b, other)| {
            one.len().cmp(&other.len()).then(spread(other, *b).total_cmp(&spread(one, *a)))
        })?;
        let others: Vec<usize> = of.axes.iter().copied().filter(|&other| other != axis).collect();
        if points.len() < 2 * LINES as usize {
            return None;
        }
        // The place of the interface as a linear function of the places of the lines, in cells.
        let terms = |place: [f64; 3]| -> Vec<f64> { others.iter().map(|&other| place[other]).chain([1.0]).collect() };
        let rows: Vec<(Vec<f64>, f64)> = points.iter().map(|&point| (terms(point), point[axis])).collect();
        let sum = |a: usize, b: usize| rows.iter().map(|(row, _)| row[a] * row[b]).sum::<f64>();
        let right = |a: usize| rows.iter().map(|(row, value)| row[a] * value).sum::<f64>();
        let count = others.len() + 1;
        let fit = solve((0..count).map(|a| (0..count).map(|b| sum(a, b)).chain([right(a)]).collect()).collect());
        let mut normal = with_value([0.0; 3], axis, 1.0);
        for (&other, slope) in others.iter().zip(&fit) {
            normal[other] = -slope * spacing[axis] / spacing[other];
        }
        let length = dot(normal, normal).sqrt();
        let normal = normal.map(|part| part / length);
        let height = -fit[count - 1] * spacing[axis] * normal[axis];
        if height.abs() > NEAR * width(normal, spacing) {
            return None;
        }
        let cells = [-INSIDE, INSIDE].map(|cells| {
            let away = cells * width(normal, spacing) - height;
            [0, 1, 2].map(|axis| {
                let at = (place[axis] + away * normal[axis] / spacing[axis]).floor();
                at.clamp(0.0, of.grid.cells[axis] as f64 - 1.0) as usize
            })
        });
        let rho = cells.map(|cell| of.medium.rho(cell));
        // A position on the interface belongs to the medium below, or to the east or north, as elsewhere.
        let tolerance = ON_JUMP * width(normal, spacing);
        let is_above = if normal[2] > 1e-9 { height > tolerance } else { height >= -tolerance };
        let speed = cells.map(|cell| (of.medium.kappa(cell) / of.medium.rho(cell)).sqrt());
        Some(Self { normal, height, is_above, rho, speed, cells })
    }

    /// A cell of the side of the position, if the density there [kg/m³] is that of the other side.
    pub fn own_side(&self, rho: f64) -> Option<[usize; 3]> {
        let own = usize::from(self.is_above);
        let [to_own, to_other] = [own, 1 - own].map(|side| (rho - self.rho[side]).abs());
        (to_other < to_own).then_some(self.cells[own])
    }

    /// The weights of a field at the position; none if there are too few points.
    pub fn samples<T: Scalar>(&self, sampler: &Sampler<'_, T>) -> Option<Vec<Sample>> {
        let points = self.points(sampler);
        let waves = self.waves(sampler);
        let rows: Vec<(Vec<f64>, f64)> = waves
            .iter()
            .filter_map(|wave| {
                let values: Vec<f64> =
                    points.iter().map(|point| self.value(wave, point.from, None, point.field)).collect();
                let own = self.value(wave, [0.0; 3], Some(self.is_above), sampler.field);
                let square = values.iter().map(|value| value * value).sum::<f64>() / points.len() as f64;
                let scale = 1.0 / square.sqrt();
                scale.is_finite().then(|| (values.into_iter().map(|value| scale * value).collect(), scale * own))
            })
            .collect();
        if points.len() < waves.len() / 4 {
            return None;
        }
        // w = G Fᵀ y, (F G Fᵀ + damping) y = own.
        let favoured: Vec<Vec<f64>> =
            rows.iter().map(|(row, _)| row.iter().zip(&points).map(|(value, p)| value * p.favour).collect()).collect();
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let trace: f64 = rows.iter().zip(&favoured).map(|((row, _), other)| product(row, other)).sum();
        let damping = DAMPING * trace / rows.len() as f64;
        let mut normal = vec![vec![0.0; rows.len() + 1]; rows.len()];
        for (a, (row, own)) in rows.iter().enumerate() {
            for (b, other) in favoured[..=a].iter().enumerate() {
                normal[a][b] = product(row, other) + if a == b { damping } else { 0.0 };
                normal[b][a] = normal[a][b];
            }
            normal[a][rows.len()] = *own;
        }
        let multipliers = solve(normal);
        let weight = |n: usize| favoured.iter().zip(&multipliers).map(|(row, y)| row[n] * y).sum();
        Some(points.iter().enumerate().map(|(n, point)| (point.field, point.index, weight(n))).collect())
    }

    /// Height above the interface of a point relative to the position [m].
    fn height_of(&self, from: [f64; 3]) -> f64 {
        self.height + dot(self.normal, from)
    }

    /// The points of pressure, or of all velocities, around the position that belong to one of the sides.
    fn points<T: Scalar>(&self, sampler: &Sampler<'_, T>) -> Vec<Point> {
        let (of, place) = (sampler.of, sampler.place);
        let (spacing, of_space) = (of.grid.spacing, of.axes.len() == 3);
        let cell = width(self.normal, spacing);
        let [radius, gaussian] = [RADIUS, WIDTH].map(|of| of[usize::from(of_space)]);
        let contrast = (self.rho[1] - self.rho[0]).abs();
        let reach = |axis: usize| {
            let (at, is_there) = (place[axis].floor() as i64, of.axes.contains(&axis));
            if is_there { at - radius as i64 - 1..=at + radius as i64 + 1 } else { 0..=0 }
        };
        let fields: &[usize] = if sampler.field == PRESSURE { &[PRESSURE] } else { of.axes };
        let mut points = Vec::new();
        for &field in fields {
            for index in reach(2).flat_map(|k| reach(1).flat_map(move |j| reach(0).map(move |i| [i, j, k]))) {
                let cells = [0, 1, 2].map(|other| match of.axes.contains(&other) {
                    true => index[other] as f64 + if other == field { 0.0 } else { 0.5 } - place[other],
                    false => 0.0,
                });
                let distance = dot(cells, cells);
                let from = [0, 1, 2].map(|other| cells[other] * spacing[other]);
                let height = self.height_of(from);
                if distance > radius * radius || height.abs() < 0.5 * cell || !of.has_own_point(index, field) {
                    continue;
                }
                let rho = self.rho[usize::from(height > 0.0)];
                if (of.point_rho(index, field) - rho).abs() < DEVIATION * contrast {
                    let is_near = (-(height / (DISTURBED * cell)).powi(2)).exp();
                    let favour = (1.0 - is_near) * (-0.5 * distance / (gaussian * gaussian)).exp();
                    points.push(Point { field, index, from, favour });
                }
            }
        }
        points
    }

    /// The waves that the weights are fitted to.
    fn waves<T: Scalar>(&self, sampler: &Sampler<'_, T>) -> Vec<Wave> {
        let of = sampler.of;
        let largest = of.axes.iter().map(|&axis| of.grid.spacing[axis]).fold(0.0, f64::max);
        let slower = self.speed[0].min(self.speed[1]);
        let [one, two] = self.tangents(of.axes.len() == 3);
        let directions: Vec<[f64; 3]> = match of.axes.len() {
            3 => {
                (0..DIRECTIONS).map(|n| turned(one, two, std::f64::consts::PI * n as f64 / DIRECTIONS as f64)).collect()
            }
            _ => vec![one],
        };
        let mut waves = Vec::new();
        for frequency in FREQUENCIES {
            let wavenumber = frequency * WAVENUMBER / largest;
            let omega_squared = (wavenumber * slower).powi(2);
            for share in ALONG {
                let count = if share == 0.0 { 1 } else { directions.len() };
                for direction in &directions[..count] {
                    let along = direction.map(|part| share * wavenumber * part);
                    for is_sine in [[false, false], [false, true], [true, false], [true, true]] {
                        if share > 0.0 || !is_sine[0] {
                            waves.push(Wave { omega_squared, along, is_sine });
                        }
                    }
                }
            }
        }
        waves
    }

    /// Unit vectors along the interface; in a plane the second one is not used.
    fn tangents(&self, is_space: bool) -> [[f64; 3]; 2] {
        let [x, y, z] = self.normal;
        if !is_space {
            return [[z, 0.0, -x], [0.0; 3]];
        }
        // Across the axis that the normal has the smallest part of.
        let least = [0, 1, 2].into_iter().min_by(|&a, &b| self.normal[a].abs().total_cmp(&self.normal[b].abs()));
        let other = with_value([0.0; 3], least.unwrap_or(0), 1.0);
        let one = cross([x, y, z], other);
        let length = dot(one, one).sqrt();
        let one = one.map(|part| part / length);
        [one, cross([x, y, z], one)]
    }

    /// A field of a wave at a point relative to the position [m], on its own or on a given side.
    fn value(&self, wave: &Wave, from: [f64; 3], side: Option<bool>, field: usize) -> f64 {
        let height = self.height_of(from);
        let side = usize::from(side.unwrap_or(height > 0.0));
        let rho = self.rho[side];
        let along = dot(wave.along, from);
        let (value, slope) = if wave.is_sine[0] { (along.sin(), along.cos()) } else { (along.cos(), -along.sin()) };
        let squared = wave.omega_squared / (self.speed[side] * self.speed[side]) - dot(wave.along, wave.along);
        let (cos, sin) = cos_and_sin(squared, height);
        let (across, flow) = if wave.is_sine[1] { (rho * sin, rho * cos) } else { (cos, -squared * sin) };
        match field {
            PRESSURE => across * value,
            axis => (across * slope * wave.along[axis] + flow * value * self.normal[axis]) / rho,
        }
    }
}

/// The interface along an axis on lines beside a cell, relative to the position [cells]: on each line the one nearest to the position, of the same sign as the
/// nearest of all.
fn crossings<T: Scalar>(sampler: &Sampler<'_, T>, axis: usize, index: [i64; 3]) -> Vec<[f64; 3]> {
    let (of, place) = (sampler.of, sampler.place);
    let beside = |other: usize| if of.axes.contains(&other) && other != axis { -LINES..=LINES } else { 0..=0 };
    let lines = beside(0).flat_map(|i| beside(1).flat_map(move |j| beside(2).map(move |k| [i, j, k])));
    let found: Vec<([i64; 3], Jump)> = lines
        .filter_map(|steps| {
            let line = [0, 1, 2].map(|other| index[other] + steps[other]);
            let own = sampler.jumps_for(PRESSURE, axis, line).into_iter().filter(Jump::is_of_density);
            let distance = |jump: &Jump| (jump.place() - place[axis]).abs();
            Some((line, own.min_by(|a, b| distance(a).total_cmp(&distance(b)))?))
        })
        .collect();
    let distance = |jump: &Jump| (jump.place() - place[axis]).abs();
    let Some((_, nearest)) = found.iter().min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b))) else {
        return Vec::new();
    };
    let is_upward = nearest.rho[1] > nearest.rho[0];
    let alike = found.iter().filter(|(_, jump)| (jump.rho[1] > jump.rho[0]) == is_upward);
    let position = |(line, jump): &([i64; 3], Jump)| {
        [0, 1, 2].map(|other| {
            let at = if other == axis { jump.place() } else { line[other] as f64 + 0.5 };
            if of.axes.contains(&other) { at - place[other] } else { 0.0 }
        })
    };
    alike.map(position).collect()
}

/// Distance along an axis between the outermost of some points.
fn spread(points: &[[f64; 3]], axis: usize) -> f64 {
    let places = points.iter().map(|point| point[axis]);
    places.clone().fold(f64::NEG_INFINITY, f64::max) - places.fold(f64::INFINITY, f64::min)
}

/// cos(κ n) and sin(κ n) / κ for κ² of either sign.
fn cos_and_sin(squared: f64, n: f64) -> (f64, f64) {
    let root = squared.abs().sqrt();
    if root * n.abs() < 1e-6 {
        return (1.0, n);
    }
    match squared > 0.0 {
        true => ((root * n).cos(), (root * n).sin() / root),
        false => ((root * n).cosh(), (root * n).sinh() / root),
    }
}

/// Width of a cell across an interface [m].
fn width(normal: [f64; 3], spacing: [f64; 3]) -> f64 {
    (0..3).map(|axis| normal[axis].abs() * spacing[axis]).sum()
}

fn turned(one: [f64; 3], two: [f64; 3], angle: f64) -> [f64; 3] {
    let (sin, cos) = angle.sin_cos();
    [0, 1, 2].map(|axis| cos * one[axis] + sin * two[axis])
}

fn with_value(mut vector: [f64; 3], axis: usize, value: f64) -> [f64; 3] {
    vector[axis] = value;
    vector
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
