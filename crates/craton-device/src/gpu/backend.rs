//! What a kind of device must be able to do; everything above is the same for all.

use std::any::Any;
use std::ffi::c_void;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{DeviceInfo, GpuError, Image, Launch, Memory};

/// Something that must outlive the launches that use it.
pub(super) type Keep = Arc<dyn Any + Send + Sync>;

/// A device with one queue of work. Addresses are the device's own; callers guarantee that a range lies inside one allocation.
pub(super) trait Backend: Send + Sync {
    fn info(&self) -> &DeviceInfo;
    fn memory(&self) -> Result<Memory, GpuError>;

    /// At least `bytes` bytes, which are more than zero, aligned for every type.
    fn allocate(&self, bytes: usize) -> Result<u64, GpuError>;
    /// Gives back what `allocate` gave, once the work queued so far is done with it.
    fn release(&self, address: u64);
    /// Queues zeros.
    fn clear(&self, address: u64, bytes: usize) -> Result<(), GpuError>;
    /// Queues a copy inside the device, or from a peer of the same kind.
    fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), GpuError>;
    /// Copies to the device behind the work queued so far, and waits.
    fn write(&self, to: u64, bytes: &[u8]) -> Result<(), GpuError>;
    /// Copies from the device behind the work queued so far, and waits.
    fn read(&self, from: u64, into: &mut [u8]) -> Result<(), GpuError>;
    /// Copies to the host behind the work queued so far, while later work goes on.
    fn fetch(&self, from: u64, bytes: usize) -> Result<Box<dyn Arriving>, GpuError>;
    /// The place behind the work queued so far.
    fn mark(&self) -> Result<Box<dyn Reached>, GpuError>;

    fn load(&self, image: &Image) -> Result<Arc<dyn Code>, GpuError>;
    /// Queues a kernel. `arguments` point to values of the types that the kernel declares.
    fn launch(&self, entry: &Entry, launch: &Launch, arguments: &mut [*mut c_void]) -> Result<(), GpuError>;
    /// Blocks of this shape that run at once where nothing else does; none where the device cannot promise it.
    fn blocks_together(&self, entry: &Entry, launch: &Launch) -> Result<u32, GpuError>;

    fn synchronize(&self) -> Result<(), GpuError>;
    /// Queues `work` and measures it [s].
    fn timed(&self, work: &mut dyn FnMut() -> Result<(), GpuError>) -> Result<f64, GpuError>;
    /// From here to `end_recording`, queued work is noted and not done.
    fn begin_recording(&self) -> Result<(), GpuError>;
    fn end_recording(&self) -> Result<Box<dyn Recorded>, GpuError>;

    /// Another queue of the same device.
    fn another_queue(&self, urgency: Urgency) -> Result<Arc<dyn Backend>, GpuError>;
    /// Later work here waits for the work queued so far at `other`, a back end of the same kind.
    fn wait_for(&self, other: &dyn Backend) -> Result<(), GpuError>;
    /// Lets kernels and copies of this device reach the memory of `other` directly; false where the hardware cannot.
    fn reach(&self, other: &dyn Backend) -> Result<bool, GpuError>;
    /// The concrete back end, for the two methods above.
    fn as_any(&self) -> &dyn Any;
}

/// Which of the kernels that wait in several queues of a device begins first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    /// Any.
    None,
    /// Those of this queue.
    First,
}

/// Bytes on their way to the host.
pub(super) trait Arriving: Send + Sync {
    fn is_here(&self) -> Result<bool, GpuError>;
    fn wait(&self) -> Result<&[u8], GpuError>;
}

/// A place in a queue.
pub(super) trait Reached: Send + Sync {
    fn wait(&self) -> Result<(), GpuError>;
}

/// A loaded module.
pub(super) trait Code: Send + Sync {
    /// The kernel of this name, if there is one.
    fn entry(&self, kernel: &str) -> Result<Option<Entry>, GpuError>;
}

/// Recorded work, with everything it needs but memory and code.
pub(super) trait Recorded: Send + Sync {
    fn replay(&self, device: &dyn Backend) -> Result<(), GpuError>;
}

/// One kernel of a module.
pub(super) struct Entry {
    pub name: Arc<str>,
    /// The back end's own handle.
    pub handle: usize,
    pub registers: u32,
    pub shared_bytes: u32,
    pub local_bytes: u32,
    /// Bytes of every argument, where the back end knows.
    pub argument_bytes: Option<Vec<usize>>,
    /// Dynamic shared memory allowed so far [bytes].
    pub shared_limit: AtomicU32,
}

/// What a lock guards; sound also after a panic elsewhere, since every change behind a lock of this module is one step.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
