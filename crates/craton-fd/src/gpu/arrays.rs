//! A block on the device: the arrays that all kernels use.

use std::ops::Range;

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError, OrNull};
use craton_fd_kernels::{COMPONENTS, MemorySet, Relaxation, Slab};
use craton_numerics::staggered::GridPoints;

use crate::block::Block;
use crate::error::GpuSetupError;
use crate::layout::{GROUP, Layout};
use crate::sweep::Precision;

/// Offset of device indices relative to host indices, so that rows in single precision begin at multiples of 128 bytes.
pub const LEAD: usize = GROUP;

/// Strides, index of the first point, number of whole and half points along each axis, length of an array, groups per row.
pub type DeviceGrid = [u32; 12];

/// Fields, material and layers of a block.
pub struct DeviceBlock<T: Scalar> {
    /// Memory layout.
    pub grid: DeviceGrid,
    /// Coefficients of the derivatives over the spacing, `[axis][m]` [1/m].
    pub coefficients: [T; 24],
    /// Velocities and stresses, `[field][index]` from [`LEAD`] on.
    pub fields: [Buffer<T>; 2],
    /// λ, 1/μ, ρ, with the same layout.
    pub material: [Buffer<T>; 3],
    /// The layers of the six sides.
    pub layers: DeviceLayers<T>,
    /// Relaxation of the moduli.
    pub relaxation: Option<DeviceRelaxation<T>>,
    /// Factors of the sponges along each axis at whole and at half points; offsets of each axis, and number of either.
    sponge: Option<Buffer<T>>,
    pub sponge_shape: [u32; 6],
    /// Time step [s].
    pub dt: T,
}

impl<T: Precision> DeviceBlock<T> {
    /// Copies the material and the absorbing boundaries; the fields are at rest.
    ///
    /// # Errors
    /// Too many values for 32-bit indices; too little memory.
    pub fn new(gpu: &Gpu, block: &Block<T>, dt: f64) -> Result<Self, GpuSetupError> {
        let layout = &block.layout;
        countable(LEAD + layout.len())?;
        let mut coefficients = [T::default(); 24];
        coefficients.copy_from_slice(block.coefficients.as_flattened());
        let (mut factors, mut sponge_shape) = (Vec::new(), [0; 6]);
        if let Some(taper) = &block.taper {
            for axis in 0..3 {
                sponge_shape[axis] = factors.len() as u32;
                let at = |points| taper.along(axis, points);
                sponge_shape[3 + axis] = at(GridPoints::Whole).len() as u32;
                factors.extend([GridPoints::Whole, GridPoints::Half].into_iter().flat_map(at));
            }
        }
        let material = &block.material;
        Ok(Self {
            grid: grid(layout),
            coefficients,
            fields: [gpu.zeroed(LEAD + 3 * layout.len())?, gpu.zeroed(LEAD + 6 * layout.len())?],
            material: [
                with_lead(gpu, &material.lambda)?,
                with_lead(gpu, &material.inverse_mu)?,
                with_lead(gpu, &material.rho)?,
            ],
            layers: DeviceLayers::new(gpu, &block.slabs)?,
            relaxation: block.relaxation.as_ref().map(|own| DeviceRelaxation::new(gpu, own, layout)).transpose()?,
            sponge: if factors.is_empty() { None } else { Some(gpu.upload(&factors)?) },
            sponge_shape,
            dt: T::from_f64(dt),
        })
    }

    /// The factors of the sponges, or null.
    pub fn sponge(&self) -> OrNull<'_, T> {
        OrNull(self.sponge.as_ref())
    }

    /// Length of an array.
    pub fn length(&self) -> u32 {
        self.grid[10]
    }
}

/// Converts a number of values to the 32-bit index type of the kernels.
///
/// # Errors
/// [`GpuSetupError::Large`] if it does not fit.
pub fn countable(places: usize) -> Result<u32, GpuSetupError> {
    u32::try_from(places).map_err(|_| GpuSetupError::Large { places })
}

fn with_lead<T: Scalar>(gpu: &Gpu, values: &[T]) -> Result<Buffer<T>, GpuError> {
    let mut buffer = gpu.zeroed(LEAD + values.len())?;
    buffer.write(LEAD..LEAD + values.len(), values)?;
    Ok(buffer)
}

fn grid(layout: &Layout) -> DeviceGrid {
    let [sx, sy, sz] = layout.stride;
    let [ex, ey, ez] = layout.extent();
    let [nx, ny, nz] = layout.cells;
    let origin = LEAD + layout.at([0; 3]);
    [sx, sy, sz, origin, ex, ey, ez, nx, ny, nz, layout.len(), layout.groups()].map(|number| number as u32)
}

/// Relaxation of a block on the device.
pub struct DeviceRelaxation<T: Scalar> {
    /// 1/Qκ and 1/(μ Qμ) of the cells, with the layout of the fields.
    pub losses: [Buffer<T>; 2],
    /// Factors, `[set][parity of the local indices][factor]`.
    pub factors: Buffer<T>,
    /// Memory variables, `[set][component][index]` from [`LEAD`] on.
    pub memory: Buffer<T>,
    /// Number of sets.
    pub sets: u32,
}

impl<T: Scalar> DeviceRelaxation<T> {
    fn new(gpu: &Gpu, relaxation: &Relaxation<T>, layout: &Layout) -> Result<Self, GpuError> {
        let factors: Vec<T> = relaxation.sets.iter().flat_map(MemorySet::table).collect();
        Ok(Self {
            losses: [with_lead(gpu, &relaxation.bulk)?, with_lead(gpu, &relaxation.shear)?],
            factors: gpu.upload(&factors)?,
            memory: gpu.zeroed(LEAD + relaxation.sets.len() * COMPONENTS * layout.len())?,
            sets: relaxation.sets.len() as u32,
        })
    }
}

/// The layers of a block on the device.
pub struct DeviceLayers<T: Scalar> {
    /// For each side: first and end index normal to it, offset of its memory, points along x and y, offset of its factors.
    pub slabs: [u32; 36],
    /// Factors at whole and half points, slab by slab.
    pub factors: Buffer<T>,
    /// Memory for velocities and for stresses, slab by slab.
    pub memory: [Buffer<T>; 2],
    /// Index range of the layer of each side, normal to it.
    pub ranges: [Range<usize>; 6],
}

impl<T: Scalar> DeviceLayers<T> {
    fn new(gpu: &Gpu, slabs: &[Slab<T>]) -> Result<Self, GpuSetupError> {
        let (mut table, mut ranges) = ([[0; 6]; 6], [const { 0..0 }; 6]);
        let (mut factors, mut memory) = (Vec::new(), 0);
        for slab in slabs {
            let [width, rows, _] = slab.shape();
            let row = [slab.range.start, slab.range.end, memory, width, rows, factors.len()];
            table[slab.side] = row.map(|number| number as u32);
            ranges[slab.side] = slab.range.clone();
            memory += slab.memory_len();
            slab.factors().for_each(|list| factors.extend_from_slice(list));
        }
        // The offsets above are within these lengths.
        countable(memory)?;
        countable(factors.len())?;
        Ok(Self {
            slabs: *table.as_flattened().as_array().expect("six numbers of six sides"),
            factors: gpu.upload(&factors)?,
            memory: [gpu.zeroed(memory)?, gpu.zeroed(memory)?],
            ranges,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_beyond_32_bit_indices_are_refused_with_advice() {
        assert_eq!(countable(u32::MAX as usize).unwrap(), u32::MAX);
        let refused = countable(1 << 32).unwrap_err().to_string();
        assert!(refused.contains("4294967296 values") && refused.contains("compute.devices"), "{refused}");
    }
}
