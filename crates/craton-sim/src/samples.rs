//! What is sampled after every step, until an event takes it.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError};

/// Samples of the last steps, taken at events; its memory is reserved once.
pub struct SampleRing<T> {
    channels: usize,
    capacity: usize,
    rows: Vec<T>,
}

/// Samples held at most.
const LARGEST_RING: usize = 1 << 22;
/// Steps held at most.
const MOST_STEPS: usize = 4096;

/// Steps that a ring of samples holds.
pub fn ring_rows(channels: usize) -> usize {
    (LARGEST_RING / channels.max(1)).clamp(1, MOST_STEPS)
}

impl<T: Scalar> SampleRing<T> {
    /// Room for at least one step of `channels` values.
    pub fn new(channels: usize) -> Self {
        let capacity = ring_rows(channels);
        Self { channels, capacity, rows: Vec::with_capacity(capacity * channels) }
    }

    /// Steps that fit.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The row of a new step, to be filled.
    pub fn next_row(&mut self) -> &mut [T] {
        let start = self.rows.len();
        debug_assert!(start + self.channels <= self.rows.capacity(), "samples are taken before the ring is full");
        self.rows.resize(start + self.channels, T::default());
        &mut self.rows[start..]
    }

    /// All rows since the last call, `[step][channel]`.
    pub fn take(&mut self) -> Vec<T> {
        let taken = self.rows.clone();
        self.rows.clear();
        taken
    }
}

/// Samples of the last steps on a device, `[step % rows][channel]`.
pub struct DeviceRing<T: Scalar> {
    buffer: Buffer<T>,
    channels: usize,
    rows: usize,
}

impl<T: Scalar> DeviceRing<T> {
    /// Room for at least one step of `channels` values.
    ///
    /// # Errors
    /// Too little memory on the device.
    pub fn new(gpu: &Gpu, channels: usize) -> Result<Self, GpuError> {
        Self::with_rows(gpu, channels, ring_rows(channels))
    }

    /// Room for so many steps, at least one.
    ///
    /// # Errors
    /// Too little memory on the device.
    pub fn with_rows(gpu: &Gpu, channels: usize, rows: usize) -> Result<Self, GpuError> {
        Ok(Self { buffer: gpu.zeroed(rows * channels)?, channels, rows })
    }

    /// Steps that fit.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Values of a step.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Queues zeros for all samples: channels that hear nothing write none.
    ///
    /// # Errors
    /// A device that has failed.
    pub fn clear(&mut self) -> Result<(), GpuError> {
        self.buffer.clear()
    }

    /// What a kernel writes.
    pub fn buffer(&self) -> &Buffer<T> {
        &self.buffer
    }

    /// The rows of the steps `first..end`, at most as many as fit, `[step][channel]`.
    ///
    /// # Errors
    /// A device that has failed.
    pub fn read(&self, first: u64, end: u64) -> Result<Vec<T>, GpuError> {
        let row = |step: u64| (step % self.rows as u64) as usize;
        let (start, stop) = (row(first), row(end));
        let read = |rows: std::ops::Range<usize>| {
            self.buffer.download_range(rows.start * self.channels..rows.end * self.channels)
        };
        if first == end || self.channels == 0 {
            return Ok(Vec::new());
        }
        if start < stop {
            return read(start..stop);
        }
        let mut samples = read(start..self.rows)?;
        samples.extend(read(0..stop)?);
        Ok(samples)
    }
}
