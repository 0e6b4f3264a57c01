//! The handle of a device.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

use bytemuck::Pod;

use super::backend::{Backend, Keep, Recorded, Urgency, lock};
use super::{Buffer, Fetch, GpuError, Graph, Image, Mark, Module, cuda};

/// Properties of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its number, as in `cuda:0`.
    pub ordinal: usize,
    /// Name given by the driver.
    pub name: String,
    /// Compute capability, 90 for 9.0; 0 for the emulated device.
    pub chip: u32,
    /// Memory [bytes].
    pub memory: usize,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Maximum shared memory per block [bytes].
    pub shared_per_block: u32,
    /// PCI address: domain, bus and device. Unlike the device number it does not depend on CUDA_VISIBLE_DEVICES.
    pub slot: [u32; 3],
}

/// Current memory of a device [bytes].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Free memory.
    pub free: usize,
    /// Total memory.
    pub total: usize,
}

/// Lists the CUDA devices of this machine; the query does not allocate memory on them.
///
/// # Errors
/// [`GpuError::NoDriver`], [`GpuError::DriverTooOld`] or [`GpuError::NoDevice`] if there are none.
pub fn devices() -> Result<Vec<DeviceInfo>, GpuError> {
    cuda::devices()
}

/// A device with a queue of work; clones refer to the same queue.
///
/// Launches, clears and copies between buffers are queued and run in order; downloads, writes and [`Gpu::synchronize`] wait for them.
/// Every method may be called from any thread.
#[derive(Clone)]
pub struct Gpu {
    backend: Arc<dyn Backend>,
    shared: Arc<Shared>,
}

/// State that all queues of a device share.
#[derive(Default)]
struct Shared {
    /// Total size of all buffers in bytes.
    held: AtomicUsize,
    /// The threads that record, and the resources that each recording needs.
    recordings: Mutex<HashMap<ThreadId, Vec<Keep>>>,
    /// Numbers of the other devices whose memory this device can access.
    reached: Mutex<Vec<usize>>,
}

impl Gpu {
    /// Opens a CUDA device by number, with a new queue.
    ///
    /// # Errors
    /// As [`devices`]; [`GpuError::NoSuchDevice`] lists the available devices.
    pub fn cuda(ordinal: usize) -> Result<Self, GpuError> {
        Ok(Self::new(cuda::open(ordinal)?))
    }

    /// Creates an emulated device for tests, which runs kernels on this processor one thread after the other. It is slow, exact and strict.
    ///
    /// # Errors
    /// [`GpuError::NoCompiler`] if no C++ compiler is found.
    #[cfg(feature = "emulation")]
    pub fn emulated() -> Result<Self, GpuError> {
        Self::emulated_with(super::emulation::MEMORY)
    }

    /// [`Gpu::emulated`] with a given amount of memory [bytes].
    ///
    /// # Errors
    /// As [`Gpu::emulated`].
    #[cfg(feature = "emulation")]
    pub fn emulated_with(memory: usize) -> Result<Self, GpuError> {
        Ok(Self::new(super::emulation::open(memory)?))
    }

    /// [`Gpu::emulated`] for tests: prints a line to stderr and returns `None` if no C++ compiler is found.
    ///
    /// # Panics
    /// If there is no compiler and the variable `CRATON_REQUIRE_EMULATION` is set, which forces all tests to run.
    #[cfg(feature = "emulation")]
    pub fn emulated_for_tests() -> Option<Self> {
        use std::io::Write;
        match Self::emulated() {
            Ok(gpu) => Some(gpu),
            Err(error) if std::env::var_os("CRATON_REQUIRE_EMULATION").is_some() => panic!("{error}"),
            Err(error) => {
                // Written directly to stderr, because the test harness captures the output of passing tests; errors are ignored.
                let _ = writeln!(std::io::stderr(), "NOT RUN: {error}");
                None
            }
        }
    }

    fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend, shared: Arc::default() }
    }

    /// Properties of the device.
    pub fn info(&self) -> &DeviceInfo {
        self.backend.info()
    }

    /// Whether kernels run on this processor instead of a GPU.
    pub fn is_emulated(&self) -> bool {
        self.info().chip == 0
    }

    /// Current memory of the device.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when earlier work failed.
    pub fn memory(&self) -> Result<Memory, GpuError> {
        self.backend.memory()
    }

    /// Total size in bytes of all live buffers of all queues of the device.
    pub fn bytes_held(&self) -> usize {
        self.shared.held.load(Ordering::Relaxed)
    }

    /// Allocates a buffer of `len` zeros.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] with the requested and the free memory.
    pub fn zeroed<T: Pod>(&self, len: usize) -> Result<Buffer<T>, GpuError> {
        Buffer::zeroed(self, len)
    }

    /// Copies `values` to a new buffer.
    ///
    /// # Errors
    /// As [`Gpu::zeroed`].
    pub fn upload<T: Pod>(&self, values: &[T]) -> Result<Buffer<T>, GpuError> {
        let mut buffer = self.zeroed(values.len())?;
        buffer.write(0..values.len(), values)?;
        Ok(buffer)
    }

    /// Starts an asynchronous copy of a range of `buffer` to the host, behind the work queued so far; later work may overlap.
    ///
    /// Later work must not write to the range until the values have arrived; alternate between two ranges.
    ///
    /// # Panics
    /// If the range reaches beyond the array.
    ///
    /// # Errors
    /// [`GpuError::Fault`] if earlier work failed, [`GpuError::Refused`] if the host has no pinned memory left.
    pub fn fetch_start<T: Pod>(&self, buffer: &Buffer<T>, range: Range<usize>) -> Result<Fetch<T>, GpuError> {
        buffer.fetch(self, range)
    }

    /// Marks the position behind the work queued so far, which the host can wait for.
    ///
    /// # Errors
    /// [`GpuError::Refused`] when the driver does not take it.
    pub fn mark(&self) -> Result<Mark, GpuError> {
        self.refuse_while_recording("mark a place")?;
        Ok(Mark(self.backend.mark()?))
    }

    /// Loads the kernels of an image: machine code for exactly this chip, otherwise PTX compiled by the driver, otherwise the source compiled by
    /// NVRTC.
    ///
    /// # Errors
    /// [`GpuError::NoCode`] with all attempts; [`GpuError::Compile`] with the message of the compiler.
    pub fn module(&self, image: &Image) -> Result<Module, GpuError> {
        Ok(Module::new(self.clone(), image.name, self.backend.load(image)?))
    }

    /// Records the launches, clears and copies between buffers of `work` for repeated replay, instead of executing them.
    ///
    /// Until its end this thread's other operations on the queues of this device are refused. Other threads may use other queues meanwhile, also for
    /// recordings.
    ///
    /// # Errors
    /// Errors of `work`; [`GpuError::Recording`] inside another recording.
    pub fn record(&self, work: impl FnOnce() -> Result<(), GpuError>) -> Result<Graph, GpuError> {
        self.refuse_while_recording("begin another recording")?;
        self.backend.begin_recording()?;
        self.recordings().insert(thread::current().id(), Vec::new());
        let end = EndRecording(self);
        let worked = work();
        let (recorded, keeps) = end.end();
        worked?;
        Ok(Graph::new(self.clone(), recorded?, keeps))
    }

    /// Waits for all work queued so far.
    ///
    /// # Errors
    /// [`GpuError::Fault`] if any of it failed.
    pub fn synchronize(&self) -> Result<(), GpuError> {
        self.refuse_while_recording("synchronize")?;
        self.backend.synchronize()
    }

    /// Queues `work`, waits for it, and returns its time [s] without that of the work queued before.
    ///
    /// # Errors
    /// Errors of `work`.
    pub fn timed(&self, work: impl FnOnce() -> Result<(), GpuError>) -> Result<f64, GpuError> {
        self.refuse_while_recording("measure time")?;
        let mut work = Some(work);
        self.backend.timed(&mut || work.take().map_or(Ok(()), |work| work()))
    }

    /// Creates another queue of the same device, which runs concurrently with this one.
    ///
    /// # Errors
    /// [`GpuError::Refused`] when the driver has none left.
    pub fn another_queue(&self) -> Result<Self, GpuError> {
        self.queue(Urgency::None)
    }

    /// Creates another queue of the same device with high priority.
    ///
    /// # Errors
    /// [`GpuError::Refused`] when the driver has none left.
    pub fn urgent_queue(&self) -> Result<Self, GpuError> {
        self.queue(Urgency::First)
    }

    fn queue(&self, urgency: Urgency) -> Result<Self, GpuError> {
        self.refuse_while_recording("make a queue")?;
        Ok(Self { backend: self.backend.another_queue(urgency)?, shared: self.shared.clone() })
    }

    /// Makes later work of this queue wait for the work queued so far on `other`, a queue of this or another device.
    ///
    /// If `other` is recording, this queue joins its recording until `other` waits for this queue.
    ///
    /// # Panics
    /// If one is emulated and the other is not.
    ///
    /// # Errors
    /// [`GpuError::Refused`] when the driver does not take it.
    pub fn wait_for(&self, other: &Self) -> Result<(), GpuError> {
        assert_eq!(self.is_emulated(), other.is_emulated(), "queues of devices of one kind");
        self.backend.wait_for(&*other.backend)
    }

    /// Enables direct access of kernels and copies of this device to the buffers of `other`. Returns false if the hardware does not support it;
    /// copies then pass through the host.
    ///
    /// # Panics
    /// If one is emulated and the other is not.
    ///
    /// # Errors
    /// [`GpuError::Refused`] when the driver does not take it.
    pub fn reach(&self, other: &Self) -> Result<bool, GpuError> {
        assert_eq!(self.is_emulated(), other.is_emulated(), "devices of one kind");
        let reached = self.backend.reach(&*other.backend)?;
        if reached {
            lock(&self.shared.reached).push(other.info().ordinal);
        }
        Ok(reached)
    }

    /// Whether kernels here may use the buffers of `other`.
    pub(super) fn reaches(&self, other: &Self) -> bool {
        let (own, far) = (self.info().ordinal, other.info().ordinal);
        self.is_emulated() == other.is_emulated() && (own == far || lock(&self.shared.reached).contains(&far))
    }

    pub(super) fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// Updates the count of allocated bytes.
    pub(super) fn count_allocated(&self, bytes: usize) {
        self.shared.held.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Subtracts freed bytes.
    pub(super) fn count_released(&self, bytes: usize) {
        self.shared.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Keeps `part` alive as long as the recording of this thread, if there is one.
    pub(super) fn keep<T: Send + Sync + 'static>(&self, part: &Arc<T>) {
        if let Some(keeps) = self.recordings().get_mut(&thread::current().id()) {
            keeps.push(part.clone());
        }
    }

    pub(super) fn refuse_while_recording(&self, what: &'static str) -> Result<(), GpuError> {
        let records = self.recordings().contains_key(&thread::current().id());
        if records { Err(GpuError::Recording { what }) } else { Ok(()) }
    }

    fn recordings(&self) -> MutexGuard<'_, HashMap<ThreadId, Vec<Keep>>> {
        lock(&self.shared.recordings)
    }
}

type Recording = (Result<Box<dyn Recorded>, GpuError>, Vec<Keep>);

/// Ends a recording when dropped, also after a panic of the recorded work.
struct EndRecording<'a>(&'a Gpu);

impl EndRecording<'_> {
    fn end(self) -> Recording {
        let gpu = self.0;
        std::mem::forget(self);
        let recorded = gpu.backend.end_recording();
        let keeps = gpu.recordings().remove(&thread::current().id()).unwrap_or_default();
        (recorded, keeps)
    }
}

impl Drop for EndRecording<'_> {
    fn drop(&mut self) {
        // The panic in progress reports the cause.
        let _ = self.0.backend.end_recording();
        self.0.recordings().remove(&thread::current().id());
    }
}
