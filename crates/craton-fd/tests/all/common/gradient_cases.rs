//! Shots of gradients: small problems with every piece of the scheme.

use std::sync::Arc;

use craton_device::gpu::Gpu;
use craton_fd::acoustic::{
    AcousticField, AcousticMaterial, AcousticMedium, AcousticOperator, AcousticOptions, AcousticPrecision, Born, Drive,
    FluidGradient, GradientGpu, GradientOperator, GridGradient, Listener, Perturbation, Placed, ShotGradient,
    StoragePlan, gradient_of_shot,
};
use craton_fd::{FdError, GpuSetupError, Grid};
use craton_sim::{Failure, Instability};
use craton_testkit::random::Random;

use super::shots::*;

/// An error of a gradient.
#[derive(Debug)]
pub struct Failed(
    // The message of a failed test.
    #[allow(dead_code)] String,
);

impl From<FdError> for Failed {
    fn from(error: FdError) -> Self {
        Self(error.to_string())
    }
}

impl From<Instability> for Failed {
    fn from(error: Instability) -> Self {
        Self(format!("{error:?}"))
    }
}

impl From<GpuSetupError> for Failed {
    fn from(error: GpuSetupError) -> Self {
        Self(error.to_string())
    }
}

impl From<Failure> for Failed {
    fn from(error: Failure) -> Self {
        Self(error.to_string())
    }
}

/// A problem: vp and ρ of the cells, options, sources and channels.
#[derive(Clone)]
pub struct Case {
    pub grid: Grid,
    pub fluid: Vec<AcousticMaterial>,
    pub options: AcousticOptions,
    pub dt: f64,
    pub sources: Vec<Drive>,
    pub channels: Vec<Listener>,
    pub steps: u64,
}

/// What a case contains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct With {
    pub is_plane: bool,
    pub layer: usize,
    pub is_free: bool,
    pub half_length: usize,
    /// Whether density varies from cell to cell.
    pub density: bool,
}

pub const PLANE: With = With { is_plane: true, layer: 0, is_free: false, half_length: 2, density: false };

impl Case {
    pub fn new(with: With) -> Self {
        let cells = if with.is_plane { [37, 1, 29] } else { [21, 18, 19] };
        let grid = Grid { origin: [0.0; 3], spacing: [10.0, 11.0, 9.0], cells };
        let mut random = Random::new(5);
        let mut material = |_| AcousticMaterial {
            vp: 1800.0 + 300.0 * random.symmetric(),
            rho: if with.density { 1500.0 + 400.0 * random.symmetric() } else { 1200.0 },
        };
        let fluid: Vec<_> = (0..grid.n_cells()).map(&mut material).collect();
        let options = options(with.half_length, boundaries(with.layer, with.is_free));
        let length = [0, 1, 2].map(|axis| cells[axis] as f64 * grid.spacing[axis]);
        let at = |parts: [f64; 3]| [0, 1, 2].map(|axis| length[axis] * parts[axis]);
        let history: Vec<f64> = (0..60).map(|n| 1e3 * (-(0.15 * (f64::from(n) - 20.0)).powi(2)).exp()).collect();
        let velocity = AcousticField::Velocity;
        // Near enough to the top for images.
        let array = [[0.41, 0.5, 0.93], [0.52, 0.47, 0.9]].map(|parts| Placed { position: at(parts), weight: 0.5 });
        let sources = vec![
            Drive { places: array.to_vec(), field: AcousticField::Pressure, history: history.clone() },
            Drive {
                history,
                ..Drive { places: self::at(at([0.3, 0.6, 0.6])), field: velocity(2), history: Vec::new() }
            },
        ];
        let listener = |field, parts| Listener { places: self::at(at(parts)), field };
        let channels = vec![
            listener(AcousticField::Pressure, [0.7, 0.4, 0.97]),
            listener(velocity(0), [0.6, 0.5, 0.4]),
            listener(velocity(2), [0.4, 0.6, 1.0]),
            listener(AcousticField::Pressure, [0.22, 0.5, 0.3]),
        ];
        let dt = 0.8 * 9.0 / 2100.0 / 2.2;
        Self { grid, fluid, options, dt, sources, channels, steps: 140 }
    }

    pub fn medium<T: AcousticPrecision>(&self) -> Arc<AcousticMedium<T>> {
        Arc::new(AcousticMedium::new(self.grid, |cell| self.fluid[self.grid.number(cell)]).unwrap())
    }

    pub fn samples<T: AcousticPrecision>(&self) -> Vec<T> {
        let mut operator =
            AcousticOperator::new(self.medium::<T>(), self.options.clone(), self.dt, workers(1)).unwrap();
        operator.place(&self.sources, &self.channels).unwrap();
        operator.advance(self.steps);
        operator.take_samples()
    }

    pub fn born<T: AcousticPrecision>(&self, change: &Perturbation) -> Vec<T> {
        let mut born = Born::new(self.medium::<T>(), self.options.clone(), self.dt, workers(1)).unwrap();
        born.samples(&self.sources, &self.channels, change, self.steps).unwrap()
    }

    /// The gradient of Σ residual · sample on the grid, with some memory.
    pub fn gradient<T: AcousticPrecision>(&self, residual: Vec<T>, plan: &StoragePlan, threads: usize) -> GridGradient {
        self.gradient_on(&mut self.on_cores(threads), true, plan, |_| residual)
    }

    /// The gradient of a misfit, whose derivative `residual` returns, in another medium.
    pub fn gradient_in(
        &self,
        medium: &Arc<AcousticMedium<f64>>,
        residual: &dyn Fn(Vec<f64>) -> Vec<f64>,
    ) -> GridGradient {
        let medium = Arc::clone(medium);
        let mut operator = GradientOperator::new(medium, self.options.clone(), self.dt, workers(1)).unwrap();
        self.gradient_on(&mut operator, true, &self.exact(), residual)
    }

    /// Both runs on some threads.
    pub fn on_cores<T: AcousticPrecision>(&self, threads: usize) -> GradientOperator<T> {
        GradientOperator::new(self.medium(), self.options.clone(), self.dt, workers(threads)).unwrap()
    }

    /// Both runs on a GPU.
    pub fn on_gpu(&self, gpu: &Gpu) -> GradientGpu {
        GradientGpu::new(gpu, self.medium::<f32>(), self.options.clone(), self.dt, workers(1)).unwrap()
    }

    /// The gradient of a misfit on a device.
    pub fn gradient_on<D: ShotGradient>(
        &self,
        device: &mut D,
        with_density: bool,
        plan: &StoragePlan,
        residual: impl FnOnce(Vec<D::Value>) -> Vec<D::Value>,
    ) -> GridGradient
    where
        Failed: From<D::Problem> + From<D::Failure>,
    {
        let shot = (&self.sources[..], &self.channels[..]);
        let residual = |samples| Ok::<_, Failed>(residual(samples));
        gradient_of_shot(device, shot, with_density, plan, residual, (37, &|| true)).unwrap().unwrap()
    }

    pub fn exact(&self) -> StoragePlan {
        StoragePlan::new(self.steps, 1, [1, 1], u64::MAX).unwrap()
    }

    /// The gradient with respect to vp and ρ of the cells.
    pub fn of_material(&self, gradient: &GridGradient) -> Vec<[f64; 2]> {
        let medium = self.medium::<f64>();
        let cells = self.grid.cells.map(|count| 0..count);
        let mut fluid = FluidGradient::zeros(&self.grid, true);
        medium.add_gradient_of_part((&cells, [[0; 2]; 3]), &medium, gradient, &mut fluid);
        let of_cell = |(cell, own): (usize, &AcousticMaterial)| fluid.of_material(cell, own.vp, own.rho);
        self.fluid.iter().enumerate().map(of_cell).collect()
    }

    /// The same problem with a smooth fluid, without jumps between cells.
    pub fn smooth(&self) -> Self {
        let values: Vec<[f64; 2]> = self.fluid.iter().map(|own| [own.vp, own.rho]).collect();
        let smooth = self.smoothly(&values).into_iter().map(|[vp, rho]| AcousticMaterial { vp, rho });
        Self { fluid: smooth.collect(), ..self.clone() }
    }

    /// Values of the cells of a plane without wavelengths below some cells.
    pub fn smoothly(&self, values: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let ([nx, _, nz], mut smooth) = (self.grid.cells, values.to_vec());
        for _ in 0..60 {
            let old = smooth.clone();
            let at = |i: usize, k: usize| old[i.min(nx - 1) + nx * k.min(nz - 1)];
            for (k, i) in (0..nz).flat_map(|k| (0..nx).map(move |i| (k, i))) {
                let around = [at(i + 1, k), at(i.saturating_sub(1), k), at(i, k + 1), at(i, k.saturating_sub(1))];
                smooth[i + nx * k] =
                    [0, 1].map(|of| 0.5 * at(i, k)[of] + 0.125 * around.iter().map(|own| own[of]).sum::<f64>());
            }
        }
        smooth
    }

    /// The same problem with another fluid.
    pub fn changed(&self, change: &[[f64; 2]], size: f64) -> Self {
        let changed = |(own, change): (&AcousticMaterial, &[f64; 2])| AcousticMaterial {
            vp: own.vp + size * change[0],
            rho: own.rho + size * change[1],
        };
        Self { fluid: self.fluid.iter().zip(change).map(changed).collect(), ..self.clone() }
    }
}

/// Half the sum of squares of samples, with those of velocities scaled like pressures.
pub fn misfit(samples: &[f64]) -> f64 {
    let scaled = |(number, value): (usize, &f64)| if matches!(number % 4, 1 | 2) { 2e6 * value } else { *value };
    samples.iter().enumerate().map(scaled).map(|value| 0.5 * value * value).sum()
}

/// Its derivative.
pub fn residual(samples: Vec<f64>) -> Vec<f64> {
    let scaled = |(number, value)| if matches!(number % 4, 1 | 2) { 4e12 * value } else { value };
    samples.into_iter().enumerate().map(scaled).collect()
}

pub const ALL: With = With { is_plane: true, layer: 8, is_free: true, half_length: 4, density: true };

/// A random relative change of the points of the grid.
pub fn random_change(case: &Case, random: &mut Random) -> Perturbation {
    let [nx, ny, nz] = case.grid.cells;
    let mut list = |len: usize, size: f64| (0..len).map(|_| size * random.symmetric()).collect::<Vec<_>>();
    let faces = nx * ny * (nz + 1);
    let y = if ny > 1 { faces } else { 0 };
    Perturbation {
        kappa: list(nx * ny * nz, 0.1),
        buoyancy: [list(faces, 0.1), list(y, 0.1), list(faces, 0.1)],
        density: list(nx * ny * nz, 100.0),
    }
}

/// A random residual, with velocities scaled like pressures.
pub fn random_residual<T: AcousticPrecision>(case: &Case, random: &mut Random) -> Vec<T> {
    let len = case.steps as usize * case.channels.len();
    let mut residual: Vec<T> = (0..len).map(|_| T::from_f64(random.symmetric())).collect();
    for row in residual.chunks_exact_mut(case.channels.len()) {
        row[1..3].iter_mut().for_each(|value| *value = T::from_f64(2e6) * *value);
    }
    residual
}

/// ⟨change, gradient⟩.
pub fn product(change: &Perturbation, gradient: &GridGradient, grid: &Grid) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let faces = (0..3).map(|axis| dot(&change.buoyancy[axis], &gradient.buoyancy[axis])).sum::<f64>();
    let density = gradient.density.iter().map(|(cell, own)| own * change.density[grid.number(*cell)]).sum::<f64>();
    dot(&change.kappa, &gradient.kappa) + faces + density
}

/// Relative difference of ⟨Born(change), residual⟩ and ⟨change, gradient(residual)⟩ for random changes and residuals; velocities are scaled like pressures.
pub fn mismatch_of<T: AcousticPrecision>(case: &Case, gradient: impl FnOnce(Vec<T>) -> GridGradient) -> f64 {
    let mut random = Random::new(11);
    let (change, residual) = (random_change(case, &mut random), random_residual::<T>(case, &mut random));
    let born = case.born::<T>(&change);
    let terms: Vec<f64> = born.iter().zip(&residual).map(|(a, b)| a.to_f64() * b.to_f64()).collect();
    let gradient = gradient(residual);
    let (direct, size) = (terms.iter().sum::<f64>(), terms.iter().map(|term| term * term).sum::<f64>().sqrt());
    (direct - product(&change, &gradient, &case.grid)).abs() / size.max(direct.abs())
}
