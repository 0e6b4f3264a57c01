//! What stands on a GPU of some shots of one model, whatever way moves them.

use craton_device::AlignedVec;
use craton_device::gpu::{Buffer, Gpu, GpuError};

use super::layers::Layer;
use super::setup::{PRESSURE, Setup};
use super::shots::Shots;
use crate::error::GpuSetupError;
use crate::gpu::{DeviceGrid, countable};

/// The arrays of the CPU as they stand, and what tells shots apart.
pub struct Arrays {
    pub gpu: Gpu,
    /// Without factors and layers, which stand here.
    pub setup: Setup<f32>,
    pub grid: DeviceGrid,
    /// Of each shot velocities along its axes and pressure, `[shot][field][place]`.
    pub fields: Buffer<f32>,
    pub factors: Buffer<f32>,
    /// What layers are: see `kernels/layers.cuh`.
    pub slabs: [u32; 36],
    pub profiles: Buffer<f32>,
    /// Of each shot, for both halves of the step.
    pub memory: Buffer<f32>,
    pub memories: u32,
    pub shots: Shots,
    /// Steps done, as the device counts them.
    pub counter: Buffer<u32>,
}

impl Arrays {
    /// Of so many shots, at rest.
    ///
    /// # Errors
    /// More points than kernels can count, too little memory.
    pub fn new(gpu: &Gpu, mut setup: Setup<f32>, shots: usize) -> Result<Self, GpuSetupError> {
        let (layout, fields) = (&setup.layout, setup.axes.len() + 1);
        let length = countable(layout.len() * fields)? as usize / fields;
        let [sx, sy, sz] = layout.stride;
        let [nx, ny, nz] = layout.cells;
        let planes = planes(&setup);
        let grid = [sx, sy, sz, layout.row(0, 0), nx, ny, planes, nx, ny, nz, length, layout.groups];
        let mut factors = gpu.zeroed(length * fields)?;
        for (number, &field) in setup.axes.iter().chain([&PRESSURE]).enumerate() {
            factors.write(number * length..(number + 1) * length, &setup.factors[field])?;
        }
        let (slabs, profiles, memories) = slabs(&setup.layers)?;
        let memories_of_all = countable(memories as usize * shots)? as usize;
        // They stand on the device now.
        setup.layers = [const { None }; 6];
        setup.factors = std::array::from_fn(|_| AlignedVec::zeroed(0));
        Ok(Self {
            grid: grid.map(|number| number as u32),
            fields: gpu.zeroed(length * fields * shots)?,
            factors,
            slabs,
            profiles: gpu.upload(&profiles)?,
            memory: gpu.zeroed(2 * memories_of_all)?,
            memories,
            shots: Shots::none(gpu, shots)?,
            counter: gpu.zeroed(1)?,
            gpu: gpu.clone(),
            setup,
        })
    }

    /// All is at rest again.
    ///
    /// # Errors
    /// A device that fails.
    pub fn rest(&mut self) -> Result<(), GpuError> {
        self.fields.clear()?;
        self.memory.clear()?;
        self.counter.clear()
    }

    /// The coefficients along the three axes as the kernels take them.
    pub fn coefficients(&self) -> [f32; 24] {
        *self.setup.coefficients.as_flattened().as_array().expect("eight of three axes")
    }
}

/// Planes across z in which anything moves: at a free top there is a velocity above the uppermost cells.
pub fn planes(setup: &Setup<f32>) -> usize {
    setup.layout.cells[2] + usize::from(setup.is_free())
}

/// The layers as the kernels read them: ranges, places and shapes; factors; values of memory for a half of the step.
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
