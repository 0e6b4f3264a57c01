//! Reusable device buffers.
//!
//! Allocating and freeing device memory takes as long as dozens of launches, and longer with peer access between devices, so buffers are kept for the next
//! product. The queue orders their use, even if a product returns before its queued work is done.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use craton_device::gpu::{Buffer, Gpu, GpuError};

use super::bodies::MOST_SUMS;
use crate::Field;

/// The reusable buffers of products.
pub struct Room {
    /// Coordinates of points, and their weights.
    pub points: Spare,
    pub weights: Spare,
    /// Sums of runs, sums of a span, and totals.
    pub runs: Spare,
    pub span: Spare,
    pub totals: Spare,
}

/// Largest length of a buffer that is kept: the number of sums of the largest launch.
const MOST_KEPT: usize = Field::ALL.len() * MOST_SUMS;

/// A reusable buffer for one purpose; empty while a product holds it.
pub struct Spare {
    gpu: Gpu,
    buffer: Mutex<Option<Buffer<f64>>>,
}

/// A buffer held by a product, possibly longer than requested. Dropping it returns it for reuse by work enqueued later.
pub struct Taken<'a> {
    buffer: Option<Buffer<f64>>,
    spare: &'a Spare,
}

impl Room {
    /// Empty buffers of a device.
    pub fn new(gpu: &Gpu) -> Self {
        let spare = || Spare { gpu: gpu.clone(), buffer: Mutex::default() };
        Self { points: spare(), weights: spare(), runs: spare(), span: spare(), totals: spare() }
    }
}

impl Spare {
    /// A buffer of at least `len` values with unspecified contents.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`].
    pub fn take(&self, len: usize) -> Result<Taken<'_>, GpuError> {
        let known = self.lock().take();
        // A buffer that is too small is freed before a larger one is allocated.
        let buffer = match known.filter(|buffer| buffer.len() >= len) {
            Some(buffer) => buffer,
            None => self.gpu.zeroed(len)?,
        };
        Ok(Taken { buffer: Some(buffer), spare: self })
    }

    /// A buffer of at least `len` zeros.
    ///
    /// # Errors
    /// [`GpuError`] if memory is insufficient or the driver fails.
    pub fn zeroed(&self, len: usize) -> Result<Taken<'_>, GpuError> {
        let mut taken = self.take(len)?;
        taken.clear()?;
        Ok(taken)
    }

    /// A buffer that starts with `values`.
    ///
    /// # Errors
    /// [`GpuError`] if memory is insufficient or earlier work failed.
    pub fn upload(&self, values: &[f64]) -> Result<Taken<'_>, GpuError> {
        let mut taken = self.take(values.len())?;
        taken.write(0..values.len(), values)?;
        Ok(taken)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Buffer<f64>>> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for Taken<'_> {
    type Target = Buffer<f64>;

    fn deref(&self) -> &Buffer<f64> {
        self.buffer.as_ref().expect("here until it is dropped")
    }
}

impl DerefMut for Taken<'_> {
    fn deref_mut(&mut self) -> &mut Buffer<f64> {
        self.buffer.as_mut().expect("here until it is dropped")
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if self.len() > MOST_KEPT {
            return;
        }
        let mut waiting = self.spare.lock();
        // After concurrent products the larger buffer is kept; the other one is freed.
        if waiting.as_ref().map_or(0, |buffer| buffer.len()) <= self.len() {
            std::mem::swap(&mut *waiting, &mut self.buffer);
        }
    }
}
