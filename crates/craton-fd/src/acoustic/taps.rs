//! Sources and receivers of a shot as weighted grid points, plane by plane.

use craton_device::Scalar;
use craton_numerics::sinc::{Medium, Mirror, Symmetry, Taps, WindowedSinc};
use craton_numerics::staggered::GridPoints;

use super::layout::Layout;
use super::medium::AcousticMedium;
use super::setup::PRESSURE;
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

/// Interpolation at positions between grid points.
pub struct Weights<'a> {
    pub grid: &'a Grid,
    pub layout: &'a Layout,
    pub axes: &'a [usize],
    pub sinc: &'a WindowedSinc,
    pub is_free: bool,
}

impl Weights<'_> {
    /// Cell indices and weight of each point, in a fixed order.
    ///
    /// # Errors
    /// A position outside the grid, a velocity along y in 2D.
    pub fn of(&self, field: AcousticField, position: [f64; 3]) -> Result<Vec<([usize; 3], f64)>, FdError> {
        if let AcousticField::Velocity(axis) = field
            && !self.axes.contains(&axis)
        {
            return Err(FdError::Motionless { axis });
        }
        let mut along = [const { Taps { first: 0, weights: Vec::new() } }; 3];
        for axis in 0..3 {
            along[axis] = if self.axes.contains(&axis) {
                self.along(field, axis, position)?
            } else {
                Taps { first: 0, weights: vec![1.0] }
            };
        }
        let mut points = Vec::new();
        for (k, z) in (along[2].first..).zip(&along[2].weights) {
            for (j, y) in (along[1].first..).zip(&along[1].weights) {
                for (i, x) in (along[0].first..).zip(&along[0].weights) {
                    // Values beyond the end of a layer are zero; a position on a grid point has a single weight.
                    let weight = x * y * z;
                    if let Some(point) = self.inside(field, [i, j, k]).filter(|_| weight != 0.0) {
                        points.push((point, weight));
                    }
                }
            }
        }
        Ok(points)
    }

    fn along(&self, field: AcousticField, axis: usize, position: [f64; 3]) -> Result<Taps, FdError> {
        let (grid, n) = (self.grid, self.grid.cells[axis] as f64);
        let place = (position[axis] - grid.origin[axis]) / grid.spacing[axis];
        if !(-1e-6..=n + 1e-6).contains(&place) {
            let high = [0, 1, 2].map(|axis| grid.origin[axis] + grid.cells[axis] as f64 * grid.spacing[axis]);
            return Err(FdError::Outside { position, low: grid.origin, high });
        }
        let is_across = field == AcousticField::Velocity(axis);
        let points = if is_across { GridPoints::Whole } else { GridPoints::Half };
        Ok(if axis == 2 && self.is_free {
            let symmetry = if is_across { Symmetry::Symmetric } else { Symmetry::Antisymmetric };
            let half_spacings = 2 * grid.cells[2] as i64;
            self.sinc.mirrored_taps(place.min(n), points, Mirror { half_spacings, medium: Medium::Below, symmetry })?
        } else {
            self.sinc.taps(place, points)?
        })
    }

    fn inside(&self, field: AcousticField, point: [i64; 3]) -> Option<[usize; 3]> {
        let mut inside = [0; 3];
        for axis in 0..3 {
            let top = usize::from(axis == 2 && self.is_free && field == AcousticField::Velocity(2));
            let count = self.layout.cells[axis] + top;
            inside[axis] = usize::try_from(point[axis]).ok().filter(|&i| i < count)?;
        }
        Some(inside)
    }
}

/// A weighted grid point.
#[derive(Debug, Clone, Copy)]
pub struct PointWeight<T> {
    /// Source or channel.
    pub owner: u32,
    /// Index in the array of the field.
    pub at: u32,
    pub weight: T,
}

/// Weighted points of the four fields, sorted by plane across z.
pub struct ByPlane<T> {
    /// For each field the points in ascending order of planes, and the offset of each plane.
    fields: [(Vec<PointWeight<T>>, Vec<u32>); 4],
}

impl<T: Scalar> ByPlane<T> {
    /// Sorts `taps`, each given with field and plane.
    pub fn new(planes: usize, mut taps: Vec<(usize, usize, PointWeight<T>)>) -> Self {
        // A stable sort keeps the given order within a plane.
        taps.sort_by_key(|&(field, plane, _)| (field, plane));
        let of_field = |field: usize| {
            let own = taps.partition_point(|tap| tap.0 < field)..taps.partition_point(|tap| tap.0 <= field);
            let own = &taps[own];
            let starts = (0..=planes).map(|plane| own.partition_point(|tap| tap.1 < plane) as u32).collect();
            (own.iter().map(|tap| tap.2).collect(), starts)
        };
        Self { fields: [of_field(0), of_field(1), of_field(2), of_field(3)] }
    }

    /// Points of a field in a plane.
    pub fn of(&self, field: usize, plane: usize) -> &[PointWeight<T>] {
        let (taps, starts) = &self.fields[field];
        &taps[starts[plane] as usize..starts[plane + 1] as usize]
    }
}

/// Weighted points of all sources: increment of each point per step for a unit amplitude.
///
/// # Errors
/// A position outside the grid.
pub fn drives<T: Scalar>(
    drives: &[Drive],
    weights: &Weights,
    medium: &AcousticMedium<T>,
    dt: f64,
) -> Result<Vec<(usize, usize, PointWeight<T>)>, FdError> {
    let extent: f64 = weights.axes.iter().map(|&axis| weights.grid.spacing[axis]).product();
    spread(weights, drives.iter().map(|drive| (drive.field, &drive.places[..])), |field, point| {
        dt / extent
            * match field {
                AcousticField::Pressure => medium.kappa(point) / medium.rho(point),
                // A point on the free top represents half a cell.
                AcousticField::Velocity(2) if point[2] == weights.grid.cells[2] => 2.0 * medium.buoyancy(point, 2),
                AcousticField::Velocity(axis) => medium.buoyancy(point, axis),
            }
    })
}

/// Weighted points of all channels.
///
/// # Errors
/// A position outside the grid.
pub fn listeners<T: Scalar>(
    listeners: &[Listener],
    weights: &Weights,
) -> Result<Vec<(usize, usize, PointWeight<T>)>, FdError> {
    spread(weights, listeners.iter().map(|own| (own.field, &own.places[..])), |_, _| 1.0)
}

fn spread<'a, T: Scalar>(
    weights: &Weights,
    owners: impl Iterator<Item = (AcousticField, &'a [Placed])>,
    factor: impl Fn(AcousticField, [usize; 3]) -> f64,
) -> Result<Vec<(usize, usize, PointWeight<T>)>, FdError> {
    let mut taps = Vec::new();
    for (owner, (field, places)) in owners.enumerate() {
        for place in places {
            for (point, weight) in weights.of(field, place.position)? {
                let at = weights.layout.at(point.map(|i| i as i64)) as u32;
                let weight = T::from_f64(place.weight * weight * factor(field, point));
                taps.push((number(field), point[2], PointWeight { owner: owner as u32, at, weight }));
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
