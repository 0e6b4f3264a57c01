//! The interface of a kind of device; all code above it is common to all kinds.

use std::any::Any;
use std::ffi::c_void;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{DeviceInfo, GpuError, Image, Launch, Memory};

/// Something that must outlive the launches that use it.
pub(super) type Keep = Arc<dyn Any + Send + Sync>;

/// A device with one queue of work. Addresses are those of the device; callers guarantee that a range is inside one allocation.
pub(super) trait Backend: Send + Sync {
    fn info(&self) -> &DeviceInfo;
    fn memory(&self) -> Result<Memory, GpuError>;

    /// Allocates at least `bytes` bytes (more than zero), aligned for every type.
    fn allocate(&self, bytes: usize) -> Result<u64, GpuError>;
    /// Frees an allocation after the work queued so far.
    fn release(&self, address: u64);
    /// Queues filling with zeros.
    fn clear(&self, address: u64, bytes: usize) -> Result<(), GpuError>;
    /// Queues a copy inside the device, or from a peer of the same kind.
    fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), GpuError>;
    /// Copies to the device behind the work queued so far, and waits.
    fn write(&self, to: u64, bytes: &[u8]) -> Result<(), GpuError>;
    /// Copies from the device behind the work queued so far, and waits.
    fn read(&self, from: u64, into: &mut [u8]) -> Result<(), GpuError>;
    /// Copies to the host behind the work queued so far; later work may overlap.
    fn fetch(&self, from: u64, bytes: usize) -> Result<Box<dyn Arriving>, GpuError>;
    /// Marks the position behind the work queued so far.
    fn mark(&self) -> Result<Box<dyn Reached>, GpuError>;

    fn load(&self, image: &Image) -> Result<Arc<dyn Code>, GpuError>;
    /// Queues a kernel. `arguments` point to values of the types that the kernel declares.
    fn launch(&self, entry: &Entry, launch: &Launch, arguments: &mut [*mut c_void]) -> Result<(), GpuError>;
    /// Maximum number of co-resident blocks of this shape on an otherwise idle device; zero without cooperative launches.
    fn blocks_together(&self, entry: &Entry, launch: &Launch) -> Result<u32, GpuError>;

    fn synchronize(&self) -> Result<(), GpuError>;
    /// Queues `work` and measures it [s].
    fn timed(&self, work: &mut dyn FnMut() -> Result<(), GpuError>) -> Result<f64, GpuError>;
    /// From here to `end_recording`, work that this thread queues is recorded instead of executed.
    fn begin_recording(&self) -> Result<(), GpuError>;
    fn end_recording(&self) -> Result<Box<dyn Recorded>, GpuError>;

    /// Another queue of the same device.
    fn another_queue(&self, urgency: Urgency) -> Result<Arc<dyn Backend>, GpuError>;
    /// Later work here waits for the work queued so far at `other`, a back end of the same kind.
    fn wait_for(&self, other: &dyn Backend) -> Result<(), GpuError>;
    /// Enables direct access of kernels and copies of this device to the memory of `other`; false if the hardware does not support it.
    fn reach(&self, other: &dyn Backend) -> Result<bool, GpuError>;
    /// The concrete back end, for the two methods above.
    fn as_any(&self) -> &dyn Any;
}

/// Priority of the kernels of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    /// Default priority.
    None,
    /// Highest priority.
    First,
}

/// An asynchronous copy to the host.
pub(super) trait Arriving: Send + Sync {
    fn is_here(&self) -> Result<bool, GpuError>;
    fn wait(&self) -> Result<&[u8], GpuError>;
}

/// A position in a queue.
pub(super) trait Reached: Send + Sync {
    fn wait(&self) -> Result<(), GpuError>;
}

/// A loaded module.
pub(super) trait Code: Send + Sync {
    /// Looks up a kernel by name.
    fn entry(&self, kernel: &str) -> Result<Option<Entry>, GpuError>;
}

/// Recorded work, with all resources that it needs except memory and code.
pub(super) trait Recorded: Send + Sync {
    fn replay(&self, device: &dyn Backend) -> Result<(), GpuError>;
}

/// One kernel of a module.
pub(super) struct Entry {
    pub name: Arc<str>,
    /// Handle of the back end.
    pub handle: usize,
    pub registers: u32,
    pub shared_bytes: u32,
    pub local_bytes: u32,
    /// Size of every argument in bytes, if the back end knows it.
    pub argument_bytes: Option<Vec<usize>>,
    /// Dynamic shared memory allowed so far [bytes].
    pub shared_limit: AtomicU32,
}

/// Locks a mutex, also after a panic of another thread: every change behind a lock of this module is atomic.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
