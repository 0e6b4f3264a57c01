//! Probes: points that are sampled after every step.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use craton_device::Scalar;

use crate::across::{GradientProduct, SolidInterface, Stiffnesses};
use crate::block::Block;
use crate::cut::Cut;
use crate::error::FdError;
use crate::interpolate::{Interpolation, Weighted};
use crate::medium::Kind;
use crate::stencil::Derivative;
use crate::sweep::Precision;
use craton_fd_kernels::Field;

/// A point that is sampled after every step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probe {
    /// Position [m].
    pub position: [f64; 3],
    /// What it samples.
    pub quantity: ProbeQuantity,
    /// The interface of two solids next to it, if the points around it may be on both sides: only a gradient depends on it.
    pub interface: Option<SolidInterface>,
}

/// What a probe samples. Velocities are those half a step before the end of the step, pressures those at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeQuantity {
    /// The velocity [m/s]: three channels.
    Velocity,
    /// A component of the velocity [m/s], 0 to 2.
    Component(usize),
    /// The velocity gradient [1/s]: nine channels, row = component.
    Gradient,
    /// The pressure [Pa]: minus the mean of the normal stresses. In solids it is interpolated across interfaces.
    Pressure,
}

impl Probe {
    /// Number of channels.
    pub fn channels(&self) -> usize {
        match self.quantity {
            ProbeQuantity::Velocity => 3,
            ProbeQuantity::Gradient => 9,
            ProbeQuantity::Component(_) | ProbeQuantity::Pressure => 1,
        }
    }
}

/// A weighted value of a part, a term of an interpolated sample: a velocity or a stress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InterpolationPoint {
    /// The component of velocity or stress, the same for all points of a value.
    pub field: Field,
    /// Index in its array.
    pub at: usize,
    /// Interpolation weight.
    pub weight: f64,
}

/// A value that a part samples: the weighted sum of a component of velocity or stress at some points.
pub type Value = Vec<InterpolationPoint>;

/// Assignment of channels to parts. A channel is the sum of terms, one for each component of velocity or stress that it
/// depends on. A term whose points all belong to one part is sampled by that part. If they belong to several parts, each
/// part samples the components themselves, and the first rank sums them in the order in which one part would.
#[derive(Debug, Clone, Default)]
pub struct Sampling {
    /// For each part of all ranks, the indices of its values in a row.
    pub rows: Vec<Vec<u32>>,
    channels: Vec<Vec<Term>>,
}

/// How a term is computed from a row of values.
#[derive(Debug, Clone)]
enum Term {
    /// The value at an index.
    Whole(u32),
    /// Sum of the values at some indices, with their weights.
    Sum(Vec<(u32, f64)>),
}

impl Sampling {
    /// Assigns all probes; also returns the values that each of `own` parts samples.
    ///
    /// # Arguments
    /// * `stiffnesses` – those of the points of gradients next to an interface
    ///
    /// # Errors
    /// A position outside the box or in air.
    pub fn new(
        probes: &[Probe],
        interpolation: &Interpolation,
        stiffnesses: &Stiffnesses,
        cut: &Cut,
        own: Range<usize>,
    ) -> Result<(Self, Vec<Vec<Value>>), FdError> {
        let mut sampling = Self { rows: vec![Vec::new(); cut.count()], channels: Vec::new() };
        let mut values: Vec<Vec<Value>> = vec![Vec::new(); cut.count()];
        let (mut places, mut width) = (HashMap::new(), 0);
        let mut next = |part: usize, value: Value| {
            sampling.rows[part].push(width);
            if own.contains(&part) {
                values[part].push(value);
            }
            width += 1;
            width - 1
        };
        let mut term = |(field, weights): (Field, Vec<Weighted>)| {
            let taps: Vec<(usize, InterpolationPoint)> = weights
                .into_iter()
                .map(|(point, weight)| {
                    let (part, at) = cut.place_of(point);
                    (part, InterpolationPoint { field, at, weight })
                })
                .collect();
            let part = taps.first().map_or(0, |(part, _)| *part);
            if taps.iter().all(|(other, _)| *other == part) {
                return Term::Whole(next(part, taps.into_iter().map(|(_, tap)| tap).collect()));
            }
            let place = |(part, tap): (usize, InterpolationPoint)| {
                let new = || next(part, vec![InterpolationPoint { weight: 1.0, ..tap }]);
                (*places.entry((part, field.index(), tap.at)).or_insert_with(new), tap.weight)
            };
            Term::Sum(taps.into_iter().map(place).collect())
        };
        for (probe, index) in probes.iter().flat_map(|probe| (0..probe.channels()).map(move |index| (probe, index))) {
            let terms = terms(probe, index, interpolation, stiffnesses)?;
            sampling.channels.push(terms.into_iter().map(&mut term).collect());
        }
        Ok((sampling, values.drain(own).collect()))
    }

    /// Computes the samples `[step][channel]` from rows of values.
    ///
    /// # Arguments
    /// * `lanes` – number of partial sums that a part would use
    pub fn samples<T: Scalar>(&self, rows: Vec<T>, lanes: usize) -> Vec<T> {
        let width = self.rows.iter().map(Vec::len).sum();
        if rows.is_empty() || self.channels.iter().all(|terms| matches!(terms[..], [Term::Whole(_)])) {
            return rows;
        }
        let of_row = |row: &[T]| {
            let of_term = |term: &Term| match term {
                Term::Whole(place) => row[*place as usize],
                Term::Sum(places) => {
                    let product = |&(place, weight): &(u32, f64)| weight * row[place as usize].to_f64();
                    T::from_f64(sum_in_lanes(places.iter().map(product), lanes))
                }
            };
            let of_channel = |terms: &Vec<Term>| {
                terms.iter().map(of_term).reduce(|sum, own| T::from_f64(sum.to_f64() + own.to_f64()))
            };
            self.channels.iter().map(|terms| of_channel(terms).unwrap_or_default()).collect::<Vec<T>>()
        };
        rows.chunks_exact(width).flat_map(of_row).collect()
    }
}

/// Samples the values of a part.
pub fn read<T: Precision>(values: &[Value], block: &Block<T>, row: &mut [T]) {
    for (value, taps) in row.iter_mut().zip(values) {
        let product = |tap: &InterpolationPoint| tap.weight * block.field(tap.field)[tap.at].to_f64();
        *value = T::from_f64(sum_in_lanes(taps.iter().map(product), 1));
    }
}

/// Sums terms in `lanes` partial sums, to which the terms are assigned in turn, and adds the partial sums in order.
fn sum_in_lanes(terms: impl Iterator<Item = f64>, lanes: usize) -> f64 {
    let mut sums = vec![0.0; lanes];
    terms.enumerate().for_each(|(number, term)| sums[number % lanes] += term);
    sums.into_iter().reduce(|sum, lane| sum + lane).unwrap_or(0.0)
}

/// The components of velocity or stress of a channel of a probe, and the weights of their points.
fn terms(
    probe: &Probe,
    index: usize,
    interpolation: &Interpolation,
    stiffnesses: &Stiffnesses,
) -> Result<Vec<(Field, Vec<Weighted>)>, FdError> {
    let component =
        |axis: usize| Ok(vec![(Field::Velocity(axis), interpolation.weights(Field::Velocity(axis), probe.position)?)]);
    match probe.quantity {
        ProbeQuantity::Velocity => component(index),
        ProbeQuantity::Component(axis) => component(axis),
        ProbeQuantity::Pressure => pressure(probe.position, interpolation),
        ProbeQuantity::Gradient => slopes(probe, index, interpolation, stiffnesses),
    }
}

/// The normal stresses whose sum is the pressure at a position: in a fluid all three are equal.
fn pressure(position: [f64; 3], interpolation: &Interpolation) -> Result<Vec<(Field, Vec<Weighted>)>, FdError> {
    let is_fluid = interpolation.kind_at(position)? == Kind::Fluid;
    let (stresses, part) = if is_fluid { (2..3, -1.0) } else { (0..3, -1.0 / 3.0) };
    let of_stress = |stress: usize| {
        let weights = interpolation.weights(Field::Stress(stress), position)?;
        Ok((Field::Stress(stress), weights.into_iter().map(|(point, weight)| (point, part * weight)).collect()))
    };
    stresses.map(of_stress).collect()
}

/// The velocity components of a channel of a gradient, and the weights of their points.
fn slopes(
    probe: &Probe,
    index: usize,
    interpolation: &Interpolation,
    stiffnesses: &Stiffnesses,
) -> Result<Vec<(Field, Vec<Weighted>)>, FdError> {
    let mut unit = [[0.0; 3]; 3];
    unit[index / 3][index % 3] = 1.0;
    let sample = GradientProduct::new(unit, probe.interface.as_ref());
    let of_component = |component: usize| {
        // The key is [k, j, i], so that x is fastest.
        let mut sums: BTreeMap<[usize; 3], f64> = BTreeMap::new();
        for axis in (0..3).filter(|&axis| sample.has([component, axis])) {
            let factor = |point| sample.at([component, axis], || stiffnesses.at(point));
            add_slope(&mut sums, probe.position, [component, axis], interpolation, factor)?;
        }
        let weights = sums.into_iter().map(|([k, j, i], weight)| ([i, j, k], weight)).collect();
        Ok((Field::Velocity(component), weights))
    };
    (0..3).filter(|&component| (0..3).any(|axis| sample.has([component, axis]))).map(of_component).collect()
}

/// Adds the weights of the velocities for the derivative of component `c` along `axis`: the interpolation of the derivatives at grid points, each with
/// a factor.
fn add_slope(
    sums: &mut BTreeMap<[usize; 3], f64>,
    position: [f64; 3],
    [c, axis]: [usize; 2],
    interpolation: &Interpolation,
    factor: impl Fn([usize; 3]) -> f64,
) -> Result<(), FdError> {
    let grid = &interpolation.grid;
    let derivative = Derivative { target: Field::stress(c, axis), axis };
    for (point, weight) in interpolation.weights(derivative.target, position)? {
        let weight = factor(point) * weight;
        let global = point.map(|i| i as i64);
        let shape = interpolation.shape(&derivative, global);
        let coefficients = interpolation.derivatives.coefficients(&derivative, shape);
        let half_length = interpolation.derivatives.stencil().half_length();
        for (along, tap) in (global[axis] + derivative.first_tap(half_length)..).zip(coefficients) {
            if tap == 0.0 {
                continue;
            }
            let mut place = global;
            place[axis] = along;
            if let Some([i, j, k]) = interpolation.boundaries.inside(grid, Field::Velocity(c), place) {
                *sums.entry([k, j, i]).or_default() += weight * tap / grid.spacing[axis];
            }
        }
    }
    Ok(())
}
