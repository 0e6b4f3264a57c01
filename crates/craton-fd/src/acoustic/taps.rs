//! Sources and receivers of a shot as weighted grid points; those of sources plane by plane.

use craton_device::Scalar;
use craton_numerics::sinc::{Medium, Mirror, Symmetry, Taps, WindowedSinc};
use craton_numerics::staggered::GridPoints;

use super::blocks::{Product, WeightedPoint};
use super::jumps::{Jumps, REACH};
use super::layout::Layout;
use super::medium::AcousticMedium;
use super::sampler::{Sample, Sampler};
use super::setup::PRESSURE;
use super::slopes::Slope;
use crate::error::FdError;
use crate::grid::Grid;

/// A field of a shot: the pressure, or a component of velocity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcousticField {
    /// Pressure [Pa], at whole steps.
    Pressure,
    /// Velocity along an axis [m/s], at half steps.
    Velocity(usize),
}

/// A weighted position; several of them form an array.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// Position [m]; y is ignored in 2D.
    pub position: [f64; 3],
    /// Weight [–]; those of an array often sum to 1.
    pub weight: f64,
}

/// A source.
#[derive(Debug, Clone, PartialEq)]
pub struct Drive {
    /// Where.
    pub places: Vec<Placed>,
    /// Pressure for a monopole with history s(t) in (1/c²) ∂²p/∂t² - ρ ∇·(1/ρ ∇p) = s(t) δ(x) ([Pa m]; in 2D [Pa]), or a velocity component for a
    /// force along that axis ([N]; in 2D [N/m]).
    pub field: AcousticField,
    /// Time function at times n dt; zero in all later steps.
    pub history: Vec<f64>,
}

/// A channel: the weighted sum of a field at some positions.
#[derive(Debug, Clone, PartialEq)]
pub struct Listener {
    /// Where.
    pub places: Vec<Placed>,
    /// The recorded field.
    pub field: AcousticField,
}

/// Index of a field: velocities by their axes, then pressure.
pub fn number(field: AcousticField) -> usize {
    match field {
        AcousticField::Velocity(axis) => axis,
        AcousticField::Pressure => PRESSURE,
    }
}

/// The weighted points of a position.
enum Spread {
    /// Products of weights along the axes.
    Product(Product),
    /// Any weights, in ascending order of field, z, y and x.
    Points(Vec<WeightedPoint>),
}

/// Interpolation at positions between grid points.
pub struct Weights<'a, T> {
    pub grid: &'a Grid,
    pub layout: &'a Layout,
    pub axes: &'a [usize],
    pub sinc: &'a WindowedSinc,
    pub is_free: bool,
    pub medium: &'a AcousticMedium<T>,
    pub jumps: &'a Jumps,
    /// Whether the equation has velocities; the pressures of the scalar equation are values at centres.
    pub has_flow: bool,
}

impl<T: Scalar> Weights<'_, T> {
    /// Field, indices and weight of each point, in a fixed order. Next to jumps, other velocities contribute to a velocity.
    ///
    /// # Errors
    /// A position outside the grid, a velocity along y in 2D.
    pub fn of(&self, field: AcousticField, position: [f64; 3]) -> Result<Vec<WeightedPoint>, FdError> {
        Ok(match self.spread(field, position)? {
            Spread::Product(product) => product.points().collect(),
            Spread::Points(points) => points,
        })
    }

    /// The same points as products of weights along the axes.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn products(&self, field: AcousticField, position: [f64; 3]) -> Result<Vec<Product>, FdError> {
        Ok(match self.spread(field, position)? {
            Spread::Product(product) => vec![product],
            Spread::Points(points) => Product::all_of(&points),
        })
    }

    fn spread(&self, field: AcousticField, position: [f64; 3]) -> Result<Spread, FdError> {
        if let AcousticField::Velocity(axis) = field
            && !self.axes.contains(&axis)
        {
            return Err(FdError::Motionless { axis });
        }
        let (field, place) = (number(field), self.place(position)?);
        let points = |axis: usize| if axis == field { GridPoints::Whole } else { GridPoints::Half };
        let own = self.along_all(place, points)?;
        if let Some(sampler) = self.sampler(field, place, &own)? {
            let is_sloping = sampler.is_next_to_a_slope();
            let slope = if is_sloping { Slope::near(&sampler) } else { None };
            let samples = match slope.and_then(|slope| slope.samples(&sampler)) {
                // A velocity some cells away from a slope has plain weights.
                None if is_sloping && field != PRESSURE => None,
                None => Some(sampler.samples()),
                samples => samples,
            };
            if let Some(samples) = samples {
                let samples = samples.into_iter().map(|sample| self.image(sample));
                return Ok(Spread::Points(self.within(samples)));
            }
        }
        let [x, y, mut z] = own;
        if self.is_free {
            let symmetry = if field == 2 { Symmetry::Symmetric } else { Symmetry::Antisymmetric };
            let mirror = Mirror { half_spacings: 2 * self.grid.cells[2] as i64, medium: Medium::Below, symmetry };
            z = self.sinc.mirrored_taps(place[2], points(2), mirror)?;
        }
        Ok(self.product(field, [x, y, z]).map_or_else(|| Spread::Points(Vec::new()), Spread::Product))
    }

    /// The weights next to jumps, if there are any near a place [cells].
    fn sampler(&self, field: usize, place: [f64; 3], own: &[Taps; 3]) -> Result<Option<Sampler<'_, T>>, FdError> {
        let last = own[2].first + own[2].weights.len() as i64 - 1;
        if !self.jumps.any(own[2].first - REACH - 1, last + REACH) {
            return Ok(None);
        }
        let centres = self.along_all(place, |_| GridPoints::Half)?;
        Ok(Some(Sampler { of: self, field, place, own: own.clone(), centres, found: Vec::new() }))
    }

    /// The points of a product on the grid, without zeros at its ends: a position on a grid point has a single weight. `None` without any point.
    fn product(&self, field: usize, taps: [Taps; 3]) -> Option<Product> {
        let mut product = Product { field, first: [0; 3], along: [const { Vec::new() }; 3] };
        for (axis, Taps { first, weights }) in taps.into_iter().enumerate() {
            let is_there = |&(index, weight): &(i64, f64)| {
                let mut point = [0; 3];
                point[axis] = index;
                weight != 0.0 && self.inside(field, point).is_some()
            };
            let all: Vec<(i64, f64)> = (first..).zip(weights).collect();
            let (start, end) = (all.iter().position(is_there)?, all.iter().rposition(is_there)?);
            product.first[axis] = all[start].0 as usize;
            product.along[axis] = all[start..=end].iter().map(|&(_, weight)| weight).collect();
        }
        Some(product)
    }

    /// The points on the grid, merged and sorted; values beyond the end of a layer are zero.
    fn within(&self, samples: impl Iterator<Item = Sample>) -> Vec<WeightedPoint> {
        let inside = samples.filter_map(|(field, point, weight)| Some((field, self.inside(field, point)?, weight)));
        // A position on a grid point has a single weight.
        let mut found: Vec<_> = inside.filter(|&(.., weight)| weight != 0.0).collect();
        let key = |&(field, [i, j, k], _): &(usize, [usize; 3], f64)| (field, k, j, i);
        found.sort_by_key(key);
        found.dedup_by(|next, kept| {
            let is_same = key(next) == key(kept);
            kept.2 += if is_same { next.2 } else { 0.0 };
            is_same
        });
        found
    }

    /// The density [kg/m³] that a monopole at a position acts on: that of its side next to an interface.
    ///
    /// # Errors
    /// A position outside the grid.
    pub fn density_at(&self, position: [f64; 3]) -> Result<f64, FdError> {
        let weights = self.density_weights(position)?;
        Ok(weights.into_iter().map(|(cell, weight)| weight * self.medium.rho(cell)).sum())
    }

    /// The cells whose densities [`density_at`](Self::density_at) is a weighted sum of.
    ///
    /// # Errors
    /// A position outside the grid.
    pub fn density_weights(&self, position: [f64; 3]) -> Result<Vec<([usize; 3], f64)>, FdError> {
        let place = self.place(position)?;
        let along_axes = self.density_of_cells(place);
        let rho = along_axes.iter().map(|&(cell, weight)| weight * self.medium.rho(cell)).sum();
        let own = self.along_all(place, |_| GridPoints::Half)?;
        let sampler = self.sampler(PRESSURE, place, &own)?.filter(Sampler::is_next_to_a_slope);
        let own_side = sampler.and_then(|sampler| Slope::near(&sampler)?.own_side(rho));
        Ok(own_side.map_or(along_axes, |cell| vec![(cell, 1.0)]))
    }

    /// A position in cells.
    fn place(&self, position: [f64; 3]) -> Result<[f64; 3], FdError> {
        let grid = self.grid;
        let mut place = [0.5; 3];
        for &axis in self.axes {
            let n = grid.cells[axis] as f64;
            place[axis] = (position[axis] - grid.origin[axis]) / grid.spacing[axis];
            if !(-1e-6..=n + 1e-6).contains(&place[axis]) {
                let high = [0, 1, 2].map(|axis| grid.origin[axis] + grid.cells[axis] as f64 * grid.spacing[axis]);
                return Err(FdError::Outside { position, low: grid.origin, high });
            }
            if axis == 2 && self.is_free {
                place[axis] = place[axis].min(n);
            }
        }
        Ok(place)
    }

    /// Weights along each axis for given kinds of points, without images.
    fn along_all(&self, place: [f64; 3], points: impl Fn(usize) -> GridPoints) -> Result<[Taps; 3], FdError> {
        let mut along = [const { Taps { first: 0, weights: Vec::new() } }; 3];
        for axis in 0..3 {
            along[axis] = match self.axes.contains(&axis) {
                true => self.sinc.taps(place[axis], points(axis))?,
                false => Taps { first: 0, weights: vec![1.0] },
            };
        }
        Ok(along)
    }

    /// The point below a free top whose image a point is: pressure and horizontal velocities are odd about the top, vertical ones even.
    fn image(&self, (field, [i, j, k], weight): Sample) -> Sample {
        let top = self.grid.cells[2] as i64;
        match field {
            _ if !self.is_free => (field, [i, j, k], weight),
            2 if k > top => (field, [i, j, 2 * top - k], weight),
            0 | 1 | PRESSURE if k >= top => (field, [i, j, 2 * top - 1 - k], -weight),
            _ => (field, [i, j, k], weight),
        }
    }

    /// Whether a point of a field is on the grid, not on its lower sides, and no image beyond a free top.
    pub fn has_own_point(&self, point: [i64; 3], field: usize) -> bool {
        (0..3).all(|other| (i64::from(other == field)..self.grid.cells[other] as i64).contains(&point[other]))
    }

    fn inside(&self, field: usize, point: [i64; 3]) -> Option<[usize; 3]> {
        let mut inside = [0; 3];
        for axis in 0..3 {
            let top = usize::from(axis == 2 && self.is_free && field == 2);
            let count = self.layout.cells[axis] + top;
            inside[axis] = usize::try_from(point[axis]).ok().filter(|&i| i < count)?;
        }
        Some(inside)
    }
}

/// A weighted grid point.
#[derive(Debug, Clone, Copy)]
pub struct PointWeight<T> {
    /// Source.
    pub owner: u32,
    /// Index in the array of the field.
    pub at: u32,
    pub weight: T,
}

/// Weighted points of the fields, sorted by plane across z.
pub struct ByPlane<T> {
    /// For each field the points in ascending order of planes, and the offset of each plane.
    fields: Vec<(Vec<PointWeight<T>>, Vec<u32>)>,
}

impl<T: Scalar> ByPlane<T> {
    /// Sorts `taps`, each given with field and plane.
    ///
    /// # Arguments
    /// * `fields` – number of fields
    pub fn new(fields: usize, planes: usize, mut taps: Vec<(usize, usize, PointWeight<T>)>) -> Self {
        // A stable sort keeps the given order within a plane.
        taps.sort_by_key(|&(field, plane, _)| (field, plane));
        let of_field = |field: usize| {
            let own = taps.partition_point(|tap| tap.0 < field)..taps.partition_point(|tap| tap.0 <= field);
            let own = &taps[own];
            let starts = (0..=planes).map(|plane| own.partition_point(|tap| tap.1 < plane) as u32).collect();
            (own.iter().map(|tap| tap.2).collect(), starts)
        };
        Self { fields: (0..fields).map(of_field).collect() }
    }

    /// Points of a field in a plane.
    pub fn of(&self, field: usize, plane: usize) -> &[PointWeight<T>] {
        let (taps, starts) = &self.fields[field];
        &taps[starts[plane] as usize..starts[plane + 1] as usize]
    }
}

/// Weighted points of all sources: increment of each point per step for a unit amplitude.
///
/// The discrete operator is self-adjoint under the weights 1/κ of pressure and 1/b of velocity, so a source has the weights of a receiver at its place,
/// times these factors: it is as accurate as the receiver, and both are reciprocal. A monopole acts on the density at its position. Where pressure
/// relaxes, it acts on the memory variables, too.
///
/// # Errors
/// A position outside the grid.
pub fn drives<T: Scalar>(
    drives: &[Drive],
    weights: &Weights<T>,
    dt: f64,
) -> Result<Vec<(usize, usize, PointWeight<T>)>, FdError> {
    let medium = weights.medium;
    let extent: f64 = weights.axes.iter().map(|&axis| weights.grid.spacing[axis]).product();
    let mut taps = Vec::new();
    for (owner, drive) in drives.iter().enumerate() {
        for place in &drive.places {
            let density = match drive.field {
                AcousticField::Pressure => weights.density_at(place.position)?,
                AcousticField::Velocity(_) => 1.0,
            };
            for (field, point, weight) in weights.of(drive.field, place.position)? {
                let modulus = match field {
                    PRESSURE => medium.kappa(point) / density,
                    // A point on the free top represents half a cell.
                    2 if point[2] == weights.grid.cells[2] => 2.0 * medium.buoyancy(point, 2),
                    axis => medium.buoyancy(point, axis),
                };
                let at = weights.layout.at(point.map(|i| i as i64)) as u32;
                let weight = place.weight * weight * dt / extent * modulus;
                let mut push = |field: usize, part: f64| {
                    let weight = T::from_f64(part * weight);
                    taps.push((field, point[2], PointWeight { owner: owner as u32, at, weight }));
                };
                match medium.mechanisms().filter(|_| field == PRESSURE) {
                    None => push(field, 1.0),
                    Some(mechanisms) => {
                        let (of_pressure, of_memory) = mechanisms.response(point, medium.loss(point), dt);
                        push(PRESSURE, of_pressure);
                        (PRESSURE + 1..).zip(of_memory).for_each(|(field, part)| push(field, part));
                    }
                }
            }
        }
    }
    Ok(taps)
}

/// Amplitude of a source in each step, without the weights of its points: the history of a force, the integral of the history of a monopole. The last
/// value is used for all steps after the history.
pub fn amplitudes<T: Scalar>(source: &Drive, dt: f64) -> Vec<T> {
    let is_sum = source.field == AcousticField::Pressure;
    let mut sum = 0.0;
    let mut amplitudes: Vec<T> = source
        .history
        .iter()
        .map(|&value| {
            sum += dt * value;
            T::from_f64(if is_sum { sum } else { value })
        })
        .collect();
    amplitudes.push(T::from_f64(if is_sum { sum } else { 0.0 }));
    amplitudes
}
