//! The transposed scheme: the adjoint fields of a shot, backwards in time.

use std::sync::Arc;

use craton_device::{AlignedVec, Workers};

use super::increments::{Increments, each_row, in_plane, points};
use super::transposed::stretch_transposed;
use crate::acoustic::blocks::{self, Blocks};
use crate::acoustic::layers::Layer;
use crate::acoustic::march::{Half, Turn, turns};
use crate::acoustic::medium::AcousticMedium;
use crate::acoustic::operator::{derivatives, in_flight};
use crate::acoustic::setup::{AcousticOptions, PRESSURE, Setup};
use crate::acoustic::sheet::{Common, Sheet};
use crate::acoustic::taps::{AcousticField, ByPlane, Drive, Listener, PointWeight, amplitudes, drives};
use crate::error::FdError;
use craton_fd_kernels::AcousticPrecision;

/// The adjoint of [`AcousticOperator`](crate::acoustic::AcousticOperator): the exact transpose of its steps, run backwards in time.
///
/// A forward step is
///
/// ```text
/// v += B S G E p + forces          p += K Σ S D E v + volumes
/// ```
///
/// with the derivatives G and D, the images E beyond a free top, the stretching S in layers, and the factors B = -dt/ρ and K = -dt κ. Stencils that read
/// zeros beyond the sides are transposed to each other: Gᵀ = -D. About a free top, where a velocity on it counts half (M = 1/2, elsewhere 1), images keep
/// this property: (M G E)ᵀ = -D E. So the adjoint variables λ of pressure and velocity, scaled as a = K λ and w = -M⁻¹ B λ, have the same step with the same
/// kernels, except that the layers act on the fields before they are differentiated instead of on the derivatives:
///
/// ```text
/// w += B G E Sᵀ a                  a += K Σ D E Sᵀ w
/// ```
///
/// Verified by `gradients::the_adjoint_is_the_transpose_of_the_linearised_loop`.
pub struct AcousticAdjoint<T: AcousticPrecision> {
    setup: Setup<T>,
    /// w along x, y, z, and a.
    fields: [AlignedVec<T>; 4],
    /// Sᵀ w of each velocity along its own axis, and Sᵀ a along each axis; with images.
    stretched: [[AlignedVec<T>; 3]; 2],
    shot: Shot<T>,
    /// Σ a (p after - p before) over the steps, of cells, and the same of the velocities.
    correlation: [Vec<f64>; 4],
    in_flight: usize,
    workers: Arc<Workers>,
    /// Number of steps left.
    step: u64,
}

/// What the adjoint receives and samples.
struct Shot<T> {
    /// Weighted points of the channels, where the residual acts.
    channels: blocks::ByPlane<T>,
    /// `[step][channel]`.
    residual: Vec<T>,
    count: usize,
    /// Weighted points of monopoles over K, one owner per position, and their amplitudes in each step.
    monopoles: ByPlane<T>,
    amplitudes: Vec<Vec<T>>,
    /// Σ λ (increment by the monopole) of each position, `[position][plane]`: several steps are in flight, but they pass each plane in order.
    sums: Vec<f64>,
}

/// Gradient with respect to the parameters at the points of the grid.
#[derive(Debug, Clone, PartialEq)]
pub struct GridGradient {
    /// ∂J/∂ln κ of each cell, x fastest.
    pub kappa: Vec<f64>,
    /// ∂J/∂ln b of the lower faces of each cell, and of those at the top, along each axis; x fastest. Empty without density.
    pub buoyancy: [Vec<f64>; 3],
    /// Cells around monopoles: ∂J/∂ρ [m³/kg] from the density that scales their amplitude. Empty without density.
    pub density: Vec<([usize; 3], f64)>,
}

impl GridGradient {
    /// The gradient from sums over steps.
    ///
    /// # Arguments
    /// * `correlation` – Σ a (p after - p before) of cells, and the same of the velocities; empty for fields without parameter
    /// * `factors` – factors of the updates of the fields, arrays with their layout
    /// * `sums` – Σ λ (increment by the monopole) of each position of the monopoles; empty without density
    ///
    /// # Errors
    /// A position outside the grid.
    pub(super) fn new<T: AcousticPrecision>(
        setup: &Setup<T>,
        mut correlation: [Vec<f64>; 4],
        factors: [&[T]; 4],
        (sources, sums): (&[Drive], &[f64]),
    ) -> Result<Self, FdError> {
        for (field, values) in correlation.iter_mut().enumerate() {
            let sign = if field == PRESSURE { 1.0 } else { -1.0 };
            over_factor(setup, (field, sign), factors[field], values);
        }
        let [x, y, z, mut kappa] = correlation;
        kappa.truncate(in_plane(&setup.layout) * setup.grid.cells[2]);
        let weights = setup.weights();
        let mut density = Vec::new();
        for (source, sum) in monopoles(sources).iter().zip(sums) {
            let position = source.places[0].position;
            let rho = weights.density_at(position)?;
            let of_cells = weights.density_weights(position)?.into_iter();
            density.extend(of_cells.map(|(cell, weight)| (cell, -sum * weight / rho)));
        }
        Ok(Self { kappa, buoyancy: [x, y, z], density })
    }
}

/// The correlation of a field in terms of λ.
fn over_factor<T: AcousticPrecision>(setup: &Setup<T>, (field, sign): (usize, f64), factors: &[T], values: &mut [f64]) {
    for (plane, values) in values.chunks_exact_mut(in_plane(&setup.layout)).enumerate() {
        let counts_half = field == 2 && plane == setup.grid.cells[2];
        let sign = if counts_half { 0.5 * sign } else { sign };
        each_row(values, &setup.layout, plane, |row, at| {
            let own = row.iter_mut().zip(&factors[at]).filter(|(value, _)| **value != 0.0);
            own.for_each(|(value, factor)| *value *= sign / factor.to_f64());
        });
    }
}

/// Factor of the samples of a channel where they act on a field in a plane, in terms of the scaled variables.
pub fn injection_scale(field: usize, is_above_cells: bool) -> f64 {
    match field {
        PRESSURE => 1.0,
        2 if is_above_cells => -2.0,
        _ => -1.0,
    }
}

impl<T: AcousticPrecision> AcousticAdjoint<T> {
    /// Creates the adjoint at rest, without a shot.
    ///
    /// # Errors
    /// As [`AcousticOperator::new`](crate::acoustic::AcousticOperator::new); a fluid with attenuation.
    pub fn new(
        medium: Arc<AcousticMedium<T>>,
        options: AcousticOptions,
        dt: f64,
        workers: Arc<Workers>,
    ) -> Result<Self, FdError> {
        let setup = Setup::new(medium, options.first_order(), dt)?;
        if setup.relaxation.is_some() {
            return Err(FdError::LossyGradient);
        }
        Ok(Self {
            fields: [0, 1, 2, 3].map(|field| setup.array(field)),
            stretched: [0, 1].map(|_| [0, 1, 2].map(|axis| setup.array(axis))),
            shot: Shot::none(),
            correlation: [const { Vec::new() }; 4],
            in_flight: in_flight(&setup, 2 * setup.axes.len()),
            setup,
            workers,
            step: 0,
        })
    }

    /// Sets a shot, and resets all fields to rest after its last step.
    ///
    /// # Arguments
    /// * `sources`, `channels` – as in the forward run
    /// * `residual` – derivative of the misfit with respect to each sample, `[step][channel]`
    /// * `with_density` – whether buoyancies are parameters
    /// # Errors
    /// As [`AcousticOperator::place`](crate::acoustic::AcousticOperator::place).
    pub fn place(
        &mut self,
        sources: &[Drive],
        channels: &[Listener],
        residual: Vec<T>,
        with_density: bool,
    ) -> Result<(), FdError> {
        let weights = self.setup.weights();
        let blocks = self.workers.run(|| self.setup.blocks(channels))?;
        let single = if with_density { monopoles(sources) } else { Vec::new() };
        let over_factor = |(field, plane, tap): (usize, usize, PointWeight<T>)| {
            let weight = tap.weight.to_f64() / self.setup.factors[PRESSURE][tap.at as usize].to_f64();
            (field, plane, PointWeight { weight: T::from_f64(weight), ..tap })
        };
        let taps = drives(&single, &weights, self.setup.dt)?.into_iter().map(over_factor).collect();
        self.step = (residual.len() / channels.len().max(1)) as u64;
        self.shot = Shot {
            channels: blocks::ByPlane::new(blocks),
            residual,
            count: channels.len(),
            monopoles: ByPlane::new(PRESSURE + 1, self.setup.planes(), taps),
            amplitudes: single.iter().map(|source| amplitudes(source, self.setup.dt)).collect(),
            sums: vec![0.0; single.len() * self.setup.planes()],
        };
        let stored = |field: &usize| *field == PRESSURE || with_density && self.setup.axes.contains(field);
        self.correlation = [0, 1, 2, 3].map(|field| {
            let len = if stored(&field) { points(&self.setup.layout) } else { 0 };
            vec![0.0; len]
        });
        self.setup.layers.iter_mut().flatten().for_each(Layer::rest);
        let all = self.fields.iter_mut().chain(self.stretched.iter_mut().flatten());
        all.for_each(|field| field.fill(T::default()));
        Ok(())
    }

    /// Number of steps left.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Goes back by some steps.
    ///
    /// # Arguments
    /// * `increments` – those of the forward run in these steps
    pub fn retreat(&mut self, steps: u64, increments: &Increments<T>) {
        let workers = Arc::clone(&self.workers);
        workers.run(|| {
            let first = self.step - steps;
            for plane in 0..self.setup.grid.cells[2] {
                self.receive((PRESSURE, plane), self.step - 1, increments);
            }
            while self.step > first {
                let together = self.in_flight.min((self.step - first) as usize);
                self.march(together, first, increments);
                self.step -= together as u64;
            }
        });
    }

    /// The gradient of the steps so far.
    ///
    /// # Errors
    /// A position outside the grid.
    pub fn gradient(&self, sources: &[Drive]) -> Result<GridGradient, FdError> {
        let sums: Vec<f64> = self.shot.sums.chunks_exact(self.setup.planes()).map(|own| own.iter().sum()).collect();
        let factors = std::array::from_fn(|field| &self.setup.factors[field][..]);
        GridGradient::new(&self.setup, self.correlation.clone(), factors, (sources, &sums))
    }

    fn march(&mut self, steps: usize, first: u64, increments: &Increments<T>) {
        let half_length = self.setup.options.stencil.half_length();
        for Turn { step, half, plane } in turns(self.setup.grid.cells[2], half_length, steps) {
            let now = self.step - 1 - step as u64;
            match half {
                Half::Velocity => {
                    for axis in self.setup.moving(plane) {
                        self.update((axis, plane));
                        self.receive((axis, plane), now, increments);
                    }
                }
                Half::Pressure => {
                    self.update((PRESSURE, plane));
                    // The increments of the step before the first one are not there yet.
                    if now > first {
                        self.receive((PRESSURE, plane), now - 1, increments);
                    }
                }
            }
        }
    }

    /// Updates a field in a plane from the others.
    fn update(&mut self, (field, plane): (usize, usize)) {
        let [velocities, pressures] = &self.stretched;
        let of = if field == PRESSURE { velocities } else { pressures };
        let axes = if field == PRESSURE { self.setup.axes } else { std::slice::from_ref(&field) };
        let sources = derivatives(axes, |axis| &of[axis]);
        let common = Common {
            layout: &self.setup.layout,
            sources: &sources[..axes.len()],
            coefficients: &self.setup.coefficients,
            half_length: self.setup.options.stencil.half_length(),
            is_velocity: field != PRESSURE,
            factor: &self.setup.factors[field],
            relaxation: None,
            plane,
            isa: self.setup.options.isa,
        };
        let none = &mut [const { None }; 6];
        Sheet::new(&common, &mut self.fields[field], &mut [], none).advance(&common);
    }

    /// Adds the residual of a step to a field in a plane, correlates, and prepares its derivatives.
    fn receive(&mut self, (field, plane): (usize, usize), step: u64, increments: &Increments<T>) {
        let Self { setup, fields, stretched: [velocities, pressures], shot, correlation, .. } = self;
        let (layout, values) = (&setup.layout, &mut fields[field]);
        let residual = &shot.residual[step as usize * shot.count..][..shot.count];
        let scale = injection_scale(field, plane == setup.grid.cells[2]);
        let factors = (&setup.factors[field][..], T::from_f64(scale));
        shot.channels.spread((field, plane), layout, residual, factors, values);
        for tap in shot.monopoles.of(field, plane) {
            let of_source = &shot.amplitudes[tap.owner as usize];
            let amplitude = of_source[(step as usize).min(of_source.len() - 1)];
            shot.sums[tap.owner as usize * setup.planes() + plane] +=
                (tap.weight * amplitude * values[tap.at as usize]).to_f64();
        }
        if let Some(forward) = increments.plane((field, plane), step).filter(|_| !correlation[field].is_empty()) {
            let (len, weight) = (in_plane(layout), increments.weight());
            each_row(&mut correlation[field][plane * len..][..len], layout, plane, |sums, row| {
                let place = (row.start - layout.row(0, plane)) / layout.stride[1] * sums.len();
                let pairs = values[row].iter().zip(&forward[place..]);
                let terms = pairs.map(|(&adjoint, &forward)| weight * adjoint.to_f64() * forward.to_f64());
                sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
            });
        }
        let (of, axes) = match field {
            PRESSURE => (pressures, setup.axes),
            _ => (velocities, std::slice::from_ref(&field)),
        };
        for &axis in axes {
            stretch_transposed(
                &mut setup.layers,
                layout,
                (axis, usize::from(field == PRESSURE)),
                plane,
                values,
                &mut of[axis],
            );
            if axis == 2 {
                setup.mirror((field, plane), &mut of[axis]);
            }
        }
    }
}

impl<T: AcousticPrecision> Shot<T> {
    fn none() -> Self {
        Self {
            channels: blocks::ByPlane::new(Blocks::default()),
            residual: Vec::new(),
            count: 0,
            monopoles: ByPlane::new(PRESSURE + 1, 0, Vec::new()),
            amplitudes: Vec::new(),
            sums: Vec::new(),
        }
    }
}

/// One source for each position of the monopoles: the amplitude of each depends on the density at its position.
pub fn monopoles(sources: &[Drive]) -> Vec<Drive> {
    let of_source = |source: &Drive| {
        let single = |place| Drive { places: vec![place], ..source.clone() };
        source.places.iter().copied().map(single).collect::<Vec<_>>()
    };
    sources.iter().filter(|source| source.field == AcousticField::Pressure).flat_map(of_source).collect()
}
