//! The transposed scheme of a shot on a GPU, backwards in time.

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch, Module};

use super::device_increments::{DeviceIncrements, device_points};
use super::injection::{Injection, MonopoleSums};
use crate::acoustic::arrays::Arrays;
use crate::acoustic::recording::Recording;
use crate::acoustic::rows::Rows;
use crate::acoustic::taps::{Drive, Listener};
use crate::error::GpuSetupError;

/// The adjoint run of a shot, as [`AcousticAdjoint`](super::AcousticAdjoint), with the factors and layers of the forward run.
///
/// A step has two launches. Each updates fields, adds the residual, correlates the fields with the increments of the forward run, and stores in the slabs of
/// the layers what these add to the fields. The next launch differentiates fields and slabs.
pub struct AdjointGpu {
    /// Velocities over -B and pressure over K, `[field][index]`.
    fields: Buffer<f32>,
    /// `[half][variable]`: adjoint memory of the layers, then what they add to the fields.
    memory: Buffer<f32>,
    /// Σ a (p after - p before) over the steps, and the same of the velocities, `[field][plane][row][x]` as the increments.
    sums: Buffer<f64>,
    injection: Injection,
    monopoles: MonopoleSums,
    /// Updates of both halves of the step.
    retreat: [Kernel; 2],
    count: Kernel,
    /// The queue on which monopoles are sampled concurrently with the updates.
    beside: Gpu,
    /// Number of completed steps, counted on the device.
    counter: Buffer<u32>,
    recording: Recording,
    /// Number of steps of the shot.
    steps: u32,
}

impl AdjointGpu {
    /// Creates the adjoint at rest, without a shot.
    ///
    /// # Arguments
    /// * `of` – arrays of the forward run
    /// # Errors
    /// A device that fails.
    pub fn new(of: &Arrays, module: &Module) -> Result<Self, GpuError> {
        let beside = of.gpu.another_queue()?;
        Ok(Self {
            fields: of.gpu.zeroed(of.fields.len())?,
            memory: of.gpu.zeroed(2 * of.memory.len())?,
            sums: of.gpu.zeroed(0)?,
            injection: Injection::new(&of.gpu, module)?,
            monopoles: MonopoleSums::new(&beside, module)?,
            retreat: [module.kernel("retreat_velocities")?, module.kernel("retreat_pressure")?],
            count: module.kernel("count_steps")?,
            beside,
            counter: of.gpu.zeroed(1)?,
            recording: Recording::default(),
            steps: 0,
        })
    }

    /// Sets a shot, and resets all fields to rest after its last step.
    ///
    /// # Arguments
    /// * `fields` – number of fields whose increments are stored
    /// * `residual` – `[step][channel]`
    /// # Errors
    /// A position outside the grid; too many weights for 32-bit indices, too little memory.
    pub fn place(
        &mut self,
        (of, rows): (&Arrays, &Rows),
        (sources, channels): (&[Drive], &[Listener]),
        (fields, residual): (u32, &[f32]),
    ) -> Result<(), GpuSetupError> {
        self.recording.discard();
        self.injection.place(of, &rows.cut(), channels, residual)?;
        // Only the density of a monopole is a parameter, which goes with those of the velocities.
        self.monopoles.place(of, if fields > 1 { sources } else { &[] })?;
        self.recording = Recording::of(self.injection.at_once());
        self.steps = (residual.len() / channels.len().max(1)) as u32;
        let sums = fields as usize * device_points(&of.setup.layout);
        if self.sums.len() != sums {
            self.sums = of.gpu.zeroed(0)?;
            self.sums = of.gpu.zeroed(sums)?;
        }
        self.sums.clear()?;
        self.fields.clear()?;
        self.memory.clear()?;
        Ok(self.counter.clear()?)
    }

    /// Discards the recordings, which hold the increments.
    pub fn discard(&mut self) {
        self.recording.discard();
    }

    /// Queues some steps backwards.
    ///
    /// # Arguments
    /// * `increments` – those of the forward run in these steps
    /// # Errors
    /// A device that fails.
    pub fn retreat(
        &mut self,
        forward: (&Arrays, &Rows),
        increments: &DeviceIncrements,
        steps: u64,
    ) -> Result<(), GpuError> {
        let mut recording = std::mem::take(&mut self.recording);
        let gpu = &forward.0.gpu;
        let queued = recording.replay(gpu, steps, |count| self.launch_steps(forward, increments, count));
        self.recording = recording;
        queued
    }

    fn launch_steps(
        &self,
        (of, rows): (&Arrays, &Rows),
        increments: &DeviceIncrements,
        count: u32,
    ) -> Result<(), GpuError> {
        let (gpu, beside, samples) = (&of.gpu, &self.beside, !self.monopoles.is_empty());
        let clock = (self.steps, &self.counter);
        self.injection.launch(of, clock, count)?;
        for step in 0..count {
            self.launch_half((of, rows), increments, (1, step))?;
            if samples {
                beside.wait_for(gpu)?;
                self.monopoles.launch((of, &self.fields), clock, step)?;
            }
            self.launch_half((of, rows), increments, (0, step))?;
            if samples {
                // The next update changes what is sampled.
                gpu.wait_for(beside)?;
            }
        }
        self.count.launch(Launch::new(1, 1), args![&self.counter, count])
    }

    fn launch_half(
        &self,
        (of, rows): (&Arrays, &Rows),
        increments: &DeviceIncrements,
        (half, step): (usize, u32),
    ) -> Result<(), GpuError> {
        let DeviceIncrements { values, segment, every, fields, .. } = increments;
        let Injection { starts, points, values: residual, .. } = &self.injection;
        self.retreat[half].launch(
            rows.shape(1),
            args![
                of.grid,
                rows.deep(),
                of.coefficients(),
                &of.factors,
                of.slabs,
                &of.profiles,
                &self.memory,
                of.memories,
                starts,
                points,
                residual,
                points.len() as u32,
                self.steps,
                &self.counter,
                step,
                &self.fields,
                values,
                segment,
                *every,
                *fields,
                &self.sums
            ],
        )
    }

    /// The correlation of each stored field without padding, and the sums of the positions of monopoles.
    ///
    /// # Errors
    /// A device that fails.
    pub fn sums(&self, of: &Arrays) -> Result<(Vec<Vec<f64>>, Vec<f64>), GpuError> {
        let layout = &of.setup.layout;
        let points = device_points(layout);
        let row = points / (layout.cells[1] * (layout.cells[2] + 1));
        let of_field = |number: usize| -> Result<Vec<f64>, GpuError> {
            let padded = self.sums.download_range(number * points..(number + 1) * points)?;
            Ok(padded.chunks_exact(row).flat_map(|row| &row[..layout.cells[0]]).copied().collect())
        };
        let fields = (0..self.sums.len() / points).map(of_field).collect::<Result<_, _>>()?;
        Ok((fields, self.monopoles.sums.download()?))
    }
}
