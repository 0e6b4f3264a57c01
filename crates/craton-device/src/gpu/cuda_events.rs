//! Events in the queues of a CUDA device, and asynchronous copies to the host.

use std::sync::Arc;

use cudarc::driver::result::{DriverError, event};
use cudarc::driver::sys::{self, CUresult};

use super::GpuError;
use super::backend::{Arriving, Reached};
use super::cuda::{Context, Pinned};

/// A position in a queue.
pub(super) struct Event {
    pub raw: sys::CUevent,
    pub context: Arc<Context>,
}

// SAFETY: events may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above; they are waited for alone.
unsafe impl Sync for Event {}

impl Reached for Event {
    fn wait(&self) -> Result<(), GpuError> {
        self.context.bind()?;
        // SAFETY: the event lives and was recorded.
        unsafe { event::synchronize(self.raw) }.map_err(|error| self.context.error("wait for its work", error))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: created in `Queue::event` and not used again; errors cannot be reported in `drop`.
            let _ = unsafe { event::destroy(self.raw) };
        }
    }
}

/// An asynchronous copy to pinned memory.
pub(super) struct Fetching {
    /// The target; taken only in `drop`.
    pub pinned: Option<Pinned>,
    pub bytes: usize,
    /// The event behind the copy; `None` if it could not be queued.
    pub arrived: Option<Event>,
    pub context: Arc<Context>,
}

// SAFETY: events and pinned memory may be used from any thread; the memory is read only once the copy is over.
unsafe impl Send for Fetching {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for Fetching {}

impl Fetching {
    pub fn start(&self) -> *const u8 {
        self.pinned.as_ref().map_or(std::ptr::null(), |pinned| pinned.start.cast_const().cast())
    }

    fn event(&self) -> sys::CUevent {
        self.arrived.as_ref().expect("the fetch was queued").raw
    }
}

impl Arriving for Fetching {
    fn is_here(&self) -> Result<bool, GpuError> {
        self.context.bind()?;
        // SAFETY: the event lives and was recorded.
        match unsafe { event::query(self.event()) } {
            Ok(()) => Ok(true),
            Err(DriverError(CUresult::CUDA_ERROR_NOT_READY)) => Ok(false),
            Err(error) => Err(self.context.error("fetch from its memory", error)),
        }
    }

    fn wait(&self) -> Result<&[u8], GpuError> {
        self.context.bind()?;
        // SAFETY: the event lives and was recorded.
        unsafe { event::synchronize(self.event()) }
            .map_err(|error| self.context.error("fetch from its memory", error))?;
        // SAFETY: the copy has filled these bytes, and nobody writes them before `drop`.
        Ok(unsafe { std::slice::from_raw_parts(self.start(), self.bytes) })
    }
}

impl Drop for Fetching {
    fn drop(&mut self) {
        // After an error the copy may still write to the memory, which is therefore leaked.
        let is_over = self.arrived.is_some() && self.wait().is_ok();
        if let (true, Some(pinned)) = (is_over, self.pinned.take()) {
            self.context.give_pinned(pinned);
        }
    }
}
