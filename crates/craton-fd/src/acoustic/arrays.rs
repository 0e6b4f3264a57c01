//! Arrays of concurrent shots of one model on a GPU, common to both methods of propagation.

use craton_device::AlignedVec;
use craton_device::gpu::{Buffer, Gpu, GpuError};

use super::layers::Layer;
use super::relaxation::PressureRelaxation;
use super::scalar::{LEAD, LINE};
use super::setup::{PRESSURE, Setup};
use super::shots::Shots;
use crate::error::GpuSetupError;
use crate::gpu::{DeviceGrid, countable};

/// Place of the number of values of an array in [`DeviceGrid`].
const LENGTH: usize = 10;

/// The arrays, with the layout of the CPU and a copy of the state per shot.
pub struct Arrays {
    pub gpu: Gpu,
    /// The set-up without factors and layers, which are on the device.
    pub setup: Setup<f32>,
    pub grid: DeviceGrid,
    /// Velocities and pressure of each shot, `[shot][field][index]`; for the scalar wave equation pressure at even and at odd steps.
    pub fields: Buffer<f32>,
    /// Number of arrays of a shot in it.
    pub of_shot: usize,
    pub factors: Buffer<f32>,
    /// Table of the layers: see `kernels/layers.cuh`.
    pub slabs: [u32; 36],
    pub profiles: Buffer<f32>,
    /// Memory variables of each shot, for both halves of the step.
    pub memory: Buffer<f32>,
    pub memories: u32,
    pub relaxation: DeviceRelaxation,
    pub shots: Shots,
    /// Number of completed steps, counted on the device.
    pub counter: Buffer<u32>,
}

/// Relaxation of the pressure, with the layout of the fields; empty without losses.
pub struct DeviceRelaxation {
    /// 1/Q of the cells [–].
    pub loss: Buffer<f32>,
    /// Factors of the memory variables: see `kernels/pressure.cuh`.
    pub factors: Buffer<f32>,
    /// Memory variables, `[shot][set][index]`.
    pub memory: Buffer<f32>,
    pub sets: u32,
}

impl DeviceRelaxation {
    fn new(gpu: &Gpu, relaxation: Option<&PressureRelaxation<f32>>, shots: usize) -> Result<Self, GpuError> {
        let sets = relaxation.map_or(0, PressureRelaxation::sets);
        let (loss, factors) = relaxation.map_or((&[][..], Vec::new()), |own| (&own.loss[..], own.table()));
        let memory = gpu.zeroed(loss.len() * sets * shots)?;
        Ok(Self { loss: gpu.upload(loss)?, factors: gpu.upload(&factors)?, memory, sets: sets as u32 })
    }
}

impl Arrays {
    /// Creates the arrays of `shots` shots at rest.
    ///
    /// # Errors
    /// Too many points for 32-bit indices, too little memory.
    pub fn new(gpu: &Gpu, mut setup: Setup<f32>, shots: usize) -> Result<Self, GpuSetupError> {
        let is_scalar = setup.options.equation.is_scalar();
        let (layout, fields) = (&setup.layout, if is_scalar { 2 } else { setup.axes.len() + 1 });
        // Arrays of the scalar wave equation begin at cache lines, too.
        let (lead, unit) = if is_scalar { (LEAD, LINE) } else { (0, 1) };
        let length = layout.len().next_multiple_of(unit);
        countable(length * fields)?;
        let [sx, sy, sz] = layout.stride;
        let [nx, ny, nz] = layout.cells;
        let planes = planes(&setup);
        let grid = [sx, sy, sz, layout.row(0, 0), nx, ny, planes, nx, ny, nz, length, layout.groups];
        // The scalar wave equation has a factor and layers of its own.
        let with_factors = if is_scalar { 0 } else { fields };
        let mut factors = gpu.zeroed(length * with_factors)?;
        for (number, &field) in setup.axes.iter().chain([&PRESSURE]).enumerate().take(with_factors) {
            factors.write(number * length..(number + 1) * length, &setup.factors[field])?;
        }
        let (slabs, profiles, memories) = slabs(&setup.layers)?;
        let memories_of_all = countable(memories as usize * shots)? as usize;
        let relaxation = DeviceRelaxation::new(gpu, setup.relaxation.as_ref(), shots)?;
        // They are on the device now.
        setup.relaxation = None;
        setup.layers = [const { None }; 6];
        setup.factors = std::array::from_fn(|_| AlignedVec::zeroed(0));
        Ok(Self {
            grid: grid.map(|number| number as u32),
            fields: gpu.zeroed(lead + length * fields * shots)?,
            of_shot: fields,
            factors,
            slabs,
            profiles: gpu.upload(&profiles)?,
            memory: gpu.zeroed(2 * memories_of_all)?,
            memories,
            relaxation,
            shots: Shots::none(gpu, shots)?,
            counter: gpu.zeroed(1)?,
            gpu: gpu.clone(),
            setup,
        })
    }

    /// Resets all fields to rest.
    ///
    /// # Errors
    /// A device that fails.
    pub fn rest(&mut self) -> Result<(), GpuError> {
        self.fields.clear()?;
        self.memory.clear()?;
        self.relaxation.memory.clear()?;
        self.counter.clear()
    }

    /// Index in the fields of the pressure of a shot after some steps.
    pub fn pressure_of(&self, shot: usize, step: u64) -> usize {
        let array = if self.setup.options.equation.is_scalar() { (step % 2) as usize } else { self.of_shot - 1 };
        let lead = if self.setup.options.equation.is_scalar() { LEAD } else { 0 };
        lead + (shot * self.of_shot + array) * self.grid[LENGTH] as usize
    }

    /// Number of values of an array.
    pub fn length(&self) -> usize {
        self.grid[LENGTH] as usize
    }

    /// The coefficients along the three axes as a kernel argument.
    pub fn coefficients(&self) -> [f32; 24] {
        *self.setup.coefficients.as_flattened().as_array().expect("eight of three axes")
    }
}

/// Number of planes across z with fields: at a free top there is a velocity above the uppermost cells.
pub fn planes(setup: &Setup<f32>) -> usize {
    setup.layout.cells[2] + usize::from(setup.is_free())
}

/// Tables of the layers for the kernels: ranges, offsets and shapes; factors; number of memory variables per half of the step.
fn slabs(layers: &[Option<Layer<f32>>; 6]) -> Result<([u32; 36], Vec<f32>, u32), GpuSetupError> {
    let (mut table, mut profiles, mut memories) = ([[0; 6]; 6], Vec::new(), 0);
    for (side, layer) in layers.iter().enumerate() {
        let Some(layer) = layer else { continue };
        let [width, rows] = layer.shape();
        let row = [layer.range.start, layer.range.end, memories, width, rows, profiles.len()];
        table[side] = row.map(|number| number as u32);
        memories += layer.memory[0].len();
        layer.factors().for_each(|list| profiles.extend_from_slice(list));
    }
    let table = *table.as_flattened().as_array().expect("six numbers of six sides");
    Ok((table, profiles, countable(memories)?))
}
