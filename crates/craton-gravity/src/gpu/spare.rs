//! Memory of a device that waits for the next product.
//!
//! To get memory and to give it back takes the driver as long as dozens of launches, and longer where other devices reach that memory: so what one product had stays
//! for the next one. The queue orders their work, also where a product ends before all that it has queued.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use craton_device::gpu::{Buffer, Gpu, GpuError};

use super::MOST_SUMS;
use crate::Field;

/// What products take memory for.
pub struct Room {
    /// Places of points, and their weights.
    pub points: Spare,
    pub weights: Spare,
    /// Sums of runs, of a span of them, and of all.
    pub runs: Spare,
    pub span: Spare,
    pub totals: Spare,
}

/// Numbers of a buffer that stays, at most: as many as the largest launch sums.
const MOST_KEPT: usize = Field::ALL.len() * MOST_SUMS;

/// A buffer of one purpose, unless a product has it.
pub struct Spare {
    gpu: Gpu,
    buffer: Mutex<Option<Buffer<f64>>>,
}

/// A buffer that a product has, with more room than it asked for perhaps. When it is dropped it waits for work that is queued later.
pub struct Taken<'a> {
    buffer: Option<Buffer<f64>>,
    spare: &'a Spare,
}

impl Room {
    /// Of a device; nothing is taken yet.
    pub fn new(gpu: &Gpu) -> Self {
        let spare = || Spare { gpu: gpu.clone(), buffer: Mutex::default() };
        Self { points: spare(), weights: spare(), runs: spare(), span: spare(), totals: spare() }
    }
}

impl Spare {
    /// Room for so many numbers, of any value.
    ///
    /// # Errors
    /// Too little memory.
    pub fn take(&self, len: usize) -> Result<Taken<'_>, GpuError> {
        let known = self.lock().take();
        // What is too small goes before more is asked for.
        let buffer = match known.filter(|buffer| buffer.len() >= len) {
            Some(buffer) => buffer,
            None => self.gpu.zeroed(len)?,
        };
        Ok(Taken { buffer: Some(buffer), spare: self })
    }

    /// The same, all zeros.
    ///
    /// # Errors
    /// Too little memory; a driver that takes no work.
    pub fn zeroed(&self, len: usize) -> Result<Taken<'_>, GpuError> {
        let mut taken = self.take(len)?;
        taken.clear()?;
        Ok(taken)
    }

    /// The same with values at its beginning.
    ///
    /// # Errors
    /// Too little memory; earlier work that failed.
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
        // Of two products at a time the larger buffer stays; the other one is given back when the lock is.
        if waiting.as_ref().map_or(0, |buffer| buffer.len()) <= self.len() {
            std::mem::swap(&mut *waiting, &mut self.buffer);
        }
    }
}
