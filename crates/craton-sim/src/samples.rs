//! Buffers for the samples of the steps between two events.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError};

/// Samples of the last steps on the host, in memory that is allocated once.
pub struct SampleRing<T> {
    channels: usize,
    capacity: usize,
    rows: Vec<T>,
}

/// Largest number of samples.
const LARGEST_RING: usize = 1 << 22;
/// Largest number of steps.
const MOST_STEPS: usize = 4096;

/// Number of steps that a ring of samples with this many channels holds.
pub fn ring_rows(channels: usize) -> usize {
    (LARGEST_RING / channels.max(1)).clamp(1, MOST_STEPS)
}

impl<T: Scalar> SampleRing<T> {
    /// Allocates memory for at least one step of `channels` values.
    pub fn new(channels: usize) -> Self {
        let capacity = ring_rows(channels);
        Self { channels, capacity, rows: Vec::with_capacity(capacity * channels) }
    }

    /// Number of steps that fit.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Appends a row for a new step.
    pub fn next_row(&mut self) -> &mut [T] {
        let start = self.rows.len();
        debug_assert!(start + self.channels <= self.rows.capacity(), "samples must be taken before the ring is full");
        self.rows.resize(start + self.channels, T::default());
        &mut self.rows[start..]
    }

    /// Takes all rows since the last call, `[step][channel]`.
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
    /// Allocates memory for at least one step of `channels` values.
    ///
    /// # Errors
    /// Too little memory on the device.
    pub fn new(gpu: &Gpu, channels: usize) -> Result<Self, GpuError> {
        Self::with_rows(gpu, channels, ring_rows(channels))
    }

    /// Allocates memory for `rows` steps, at least one.
    ///
    /// # Errors
    /// Too little memory on the device.
    pub fn with_rows(gpu: &Gpu, channels: usize, rows: usize) -> Result<Self, GpuError> {
        Ok(Self { buffer: gpu.zeroed(rows * channels)?, channels, rows })
    }

    /// Number of steps that fit.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of values of a step.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Enqueues zeroing of all samples, for channels that no kernel writes.
    ///
    /// # Errors
    /// A device that has failed.
    pub fn clear(&mut self) -> Result<(), GpuError> {
        self.buffer.clear()
    }

    /// The buffer that kernels write.
    pub fn buffer(&self) -> &Buffer<T> {
        &self.buffer
    }

    /// Reads the rows of the steps `first..end`, at most [`Self::rows`], `[step][channel]`.
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
