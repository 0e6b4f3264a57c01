//! The handle on a device.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use bytemuck::Pod;

use super::backend::{Backend, Keep, Recorded, Urgency, lock};
use super::{Buffer, Fetch, GpuError, Graph, Image, Mark, Module, cuda};

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its number, as in `cuda:0`.
    pub ordinal: usize,
    /// Its name, as the driver says it.
    pub name: String,
    /// Compute capability, 90 for 9.0; 0 for the emulated device.
    pub chip: u32,
    /// Memory [bytes].
    pub memory: usize,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Most shared memory of a block [bytes].
    pub shared_per_block: u32,
    /// Where it stands in its machine: domain, bus and device of PCI. Its number depends on which devices a process may see, this does not.
    pub slot: [u32; 3],
}

/// Memory of a device at some moment [bytes].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Free for anybody.
    pub free: usize,
    /// In all.
    pub total: usize,
}

/// The CUDA devices of this machine; asking costs no memory on them.
///
/// # Errors
/// [`GpuError::NoDriver`], [`GpuError::DriverTooOld`] or [`GpuError::NoDevice`] where there is none to list.
pub fn devices() -> Result<Vec<DeviceInfo>, GpuError> {
    cuda::devices()
}

/// A device and a queue of work on it; clones are the same queue.
///
/// Launches, clears and copies between buffers are queued and run in order; downloads, writes and [`Gpu::synchronize`] wait for them.
/// Every method may be called from any thread.
#[derive(Clone)]
pub struct Gpu {
    backend: Arc<dyn Backend>,
    shared: Arc<Shared>,
}

/// What all queues of one handle's device share.
#[derive(Default)]
struct Shared {
    /// Bytes of all buffers.
    held: AtomicUsize,
    /// What a recording under way will need.
    recording: Mutex<Option<Vec<Keep>>>,
    /// Numbers of the other devices whose memory kernels here may use.
    reached: Mutex<Vec<usize>>,
}

impl Gpu {
    /// The CUDA device of this number, with a queue of its own.
    ///
    /// # Errors
    /// As [`devices`]; [`GpuError::NoSuchDevice`] lists those that are there.
    pub fn cuda(ordinal: usize) -> Result<Self, GpuError> {
        Ok(Self::new(cuda::open(ordinal)?))
    }

    /// A device that runs kernels on this processor, one thread after the other: slow, exact, and strict. For tests.
    ///
    /// # Errors
    /// [`GpuError::NoCompiler`] where no C++ compiler is found.
    #[cfg(feature = "emulation")]
    pub fn emulated() -> Result<Self, GpuError> {
        Self::emulated_with(super::emulation::MEMORY)
    }

    /// [`Gpu::emulated`] with so much memory [bytes].
    ///
    /// # Errors
    /// As [`Gpu::emulated`].
    #[cfg(feature = "emulation")]
    pub fn emulated_with(memory: usize) -> Result<Self, GpuError> {
        Ok(Self::new(super::emulation::open(memory)?))
    }

    /// [`Gpu::emulated`] for tests: `None` and a line on the error stream where no C++ compiler is found.
    ///
    /// # Panics
    /// If there is no compiler and the variable `CRATON_REQUIRE_EMULATION` is set, as where all tests have to run.
    #[cfg(feature = "emulation")]
    pub fn emulated_for_tests() -> Option<Self> {
        use std::io::Write;
        match Self::emulated() {
            Ok(gpu) => Some(gpu),
            Err(error) if std::env::var_os("CRATON_REQUIRE_EMULATION").is_some() => panic!("{error}"),
            Err(error) => {
                // Past the test harness, which swallows what a passing test prints; if nobody listens there is nobody to tell.
                let _ = writeln!(std::io::stderr(), "NOT RUN: {error}");
                None
            }
        }
    }

    fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend, shared: Arc::default() }
    }

    /// What the device is.
    pub fn info(&self) -> &DeviceInfo {
        self.backend.info()
    }

    /// Whether kernels run on this processor instead of a GPU.
    pub fn is_emulated(&self) -> bool {
        self.info().chip == 0
    }

    /// Its memory now.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when earlier work failed.
    pub fn memory(&self) -> Result<Memory, GpuError> {
        self.backend.memory()
    }

    /// Bytes of all buffers that live, from all queues of this device's handle.
    pub fn bytes_held(&self) -> usize {
        self.shared.held.load(Ordering::Relaxed)
    }

    /// `len` zeros.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] with what was asked for and what is free.
    pub fn zeroed<T: Pod>(&self, len: usize) -> Result<Buffer<T>, GpuError> {
        Buffer::zeroed(self, len)
    }

    /// A copy of `values` on the device.
    ///
    /// # Errors
    /// As [`Gpu::zeroed`].
    pub fn upload<T: Pod>(&self, values: &[T]) -> Result<Buffer<T>, GpuError> {
        let mut buffer = self.zeroed(values.len())?;
        buffer.write(0..values.len(), values)?;
        Ok(buffer)
    }

    /// Begins to copy a range of `buffer` to the host: behind the work queued so far, while work queued later goes on.
    ///
    /// Later work must leave the range alone until the values are here: take turns between two ranges.
    ///
    /// # Panics
    /// If the range reaches beyond the array.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when earlier work failed, [`GpuError::Refused`] when the host has no pinned memory left.
    pub fn fetch_start<T: Pod>(&self, buffer: &Buffer<T>, range: Range<usize>) -> Result<Fetch<T>, GpuError> {
        buffer.fetch(self, range)
    }

    /// Marks the place behind the work queued so far, for the host to wait for.
    ///
    /// # Errors
    /// [`GpuError::Refused`] when the driver does not take it.
    pub fn mark(&self) -> Result<Mark, GpuError> {
        self.refuse_while_recording("mark a place")?;
        Ok(Mark(self.backend.mark()?))
    }

    /// Loads the kernels of an image: machine code for exactly this chip, else PTX compiled by the driver, else the source by NVRTC.
    ///
    /// # Errors
    /// [`GpuError::NoCode`] says what was tried; [`GpuError::Compile`] holds the compiler's words.
    pub fn module(&self, image: &Image) -> Result<Module, GpuError> {
        Ok(Module::new(self.clone(), image.name, self.backend.load(image)?))
    }

    /// Notes the launches, clears and copies between buffers of `work` instead of running them, to be run as often as wanted.
    ///
    /// Meanwhile every other operation on this device's queues is refused, from whatever thread.
    ///
    /// # Errors
    /// What `work` fails with; [`GpuError::Recording`] inside another recording.
    pub fn record(&self, work: impl FnOnce() -> Result<(), GpuError>) -> Result<Graph, GpuError> {
        self.refuse_while_recording("begin another recording")?;
        self.backend.begin_recording()?;
        *self.recording() = Some(Vec::new());
        let end = EndRecording(self);
        let worked = work();
        let (recorded, keeps) = end.end();
        worked?;
        Ok(Graph::new(self.clone(), recorded?, keeps))
    }

    /// Waits for all work queued so far.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when some of it failed.
    pub fn synchronize(&self) -> Result<(), GpuError> {
        self.refuse_while_recording("synchronize")?;
        self.backend.synchronize()
    }

    /// Queues `work`, waits for it, and gives the time it took [s], without that of the work queued before.
    ///
    /// # Errors
    /// What `work` fails with.
    pub fn timed(&self, work: impl FnOnce() -> Result<(), GpuError>) -> Result<f64, GpuError> {
        self.refuse_while_recording("measure time")?;
        let mut work = Some(work);
        self.backend.timed(&mut || work.take().map_or(Ok(()), |work| work()))
    }

    /// Another queue of the same device, which runs beside this one.
    ///
    /// # Errors
    /// [`GpuError::Refused`] when the driver has none left.
    pub fn another_queue(&self) -> Result<Self, GpuError> {
        self.queue(Urgency::None)
    }

    /// Another queue of the same device, whose kernels are begun before those that wait in other queues.
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

    /// Work queued here later waits for the work queued so far at `other`, a queue of this device or of another one.
    ///
    /// While `other` records, this queue joins its recording until `other` waits for it in turn.
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

    /// Lets kernels and copies of this device reach the buffers of `other` directly; false where the hardware cannot, and copies pass
    /// through the host.
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

    /// Counts bytes allocated, or given back.
    pub(super) fn count_allocated(&self, bytes: usize) {
        self.shared.held.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes given back.
    pub(super) fn count_released(&self, bytes: usize) {
        self.shared.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Keeps `part` as long as the recording under way, if there is one.
    pub(super) fn keep<T: Send + Sync + 'static>(&self, part: &Arc<T>) {
        if let Some(keeps) = self.recording().as_mut() {
            keeps.push(part.clone());
        }
    }

    pub(super) fn refuse_while_recording(&self, what: &'static str) -> Result<(), GpuError> {
        if self.recording().is_some() { Err(GpuError::Recording { what }) } else { Ok(()) }
    }

    fn recording(&self) -> MutexGuard<'_, Option<Vec<Keep>>> {
        lock(&self.shared.recording)
    }
}

type Recording = (Result<Box<dyn Recorded>, GpuError>, Vec<Keep>);

/// Ends a recording, also when the work in it panics.
struct EndRecording<'a>(&'a Gpu);

impl EndRecording<'_> {
    fn end(self) -> Recording {
        let gpu = self.0;
        std::mem::forget(self);
        let recorded = gpu.backend.end_recording();
        let keeps = gpu.recording().take().unwrap_or_default();
        (recorded, keeps)
    }
}

impl Drop for EndRecording<'_> {
    fn drop(&mut self) {
        // The panic under way says what happened.
        let _ = self.0.backend.end_recording();
        self.0.recording().take();
    }
}
