//! Memory, copies and launches on a CUDA device.

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cudarc::driver::result::{self, DriverError, event, stream};
use cudarc::driver::sys::{
    self, CUdevice_attribute as Promise, CUevent_flags as EventFlags, CUevent_wait_flags as WaitFlags, CUfunction,
    CUfunction_attribute as Attribute, CUgraphInstantiate_flags, CUresult, CUstreamCaptureMode,
};

use super::backend::{Arriving, Backend, Code, Entry, Reached, Recorded, Urgency};
use super::cuda::{Context, RECORDINGS, reason};
use super::cuda_events::{Event, Fetching};
use super::{DeviceInfo, GpuError, Image, Launch, Memory, cuda_code};

/// Dynamic shared memory that every kernel may use without an attribute [bytes].
const PLAIN_SHARED: u32 = 48 << 10;

/// A queue: a stream for work and one for copies to the host.
pub(super) struct Queue {
    context: Arc<Context>,
    work: sys::CUstream,
    fetches: sys::CUstream,
}

// SAFETY: streams may be used from any thread.
unsafe impl Send for Queue {}
// SAFETY: as above; the driver orders concurrent calls.
unsafe impl Sync for Queue {}

/// Creates a stream of the highest priority.
fn urgent_stream() -> Result<sys::CUstream, DriverError> {
    let (mut least, mut greatest, mut stream) = (0, 0, std::ptr::null_mut());
    let kind = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
    // SAFETY: the context is bound, and all are written to before they are read.
    unsafe {
        sys::cuCtxGetStreamPriorityRange(&mut least, &mut greatest).result()?;
        sys::cuStreamCreateWithPriority(&mut stream, kind, greatest).result()?;
    }
    Ok(stream)
}

impl Queue {
    pub fn new(context: Arc<Context>, urgency: Urgency) -> Result<Self, GpuError> {
        context.bind()?;
        let refused = |error| context.error("make a stream", error);
        let work = match urgency {
            Urgency::None => stream::create(stream::StreamKind::NonBlocking),
            Urgency::First => urgent_stream(),
        };
        let work = work.map_err(refused)?;
        let fetches = stream::create(stream::StreamKind::NonBlocking).map_err(refused)?;
        Ok(Self { context, work, fetches })
    }

    /// The queue behind a back end that the caller knows to be CUDA.
    fn of(other: &dyn Backend) -> &Self {
        other.as_any().downcast_ref().expect("both devices are of the same kind")
    }

    /// Binds the context and calls the driver; an error names the operation `doing`.
    fn call<T>(&self, doing: &str, call: impl FnOnce() -> Result<T, DriverError>) -> Result<T, GpuError> {
        self.context.bind()?;
        call().map_err(|error| self.context.error(doing, error))
    }

    fn wait(&self) -> Result<(), DriverError> {
        // SAFETY: the stream lives as long as self.
        unsafe { stream::synchronize(self.work) }
    }

    /// Records an event behind the work queued so far.
    fn event(&self, stream: sys::CUstream, flags: EventFlags) -> Result<Event, GpuError> {
        self.call("mark a place in its queue", || {
            let event = Event { raw: event::create(flags)?, context: self.context.clone() };
            // SAFETY: event and stream are of this context and live.
            unsafe { event::record(event.raw, stream) }?;
            Ok(event)
        })
    }

    /// Raises the limit of dynamic shared memory if a launch needs more than the default.
    fn allow_shared(&self, entry: &Entry, bytes: u32) -> Result<(), DriverError> {
        if bytes <= PLAIN_SHARED.max(entry.shared_limit.load(Ordering::Relaxed)) {
            return Ok(());
        }
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the handle is a function of a module that the entry's kernel keeps loaded.
        unsafe { result::function::set_function_attribute(entry.handle as CUfunction, attribute, bytes as i32) }?;
        entry.shared_limit.store(bytes, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Errors cannot be reported in `drop`; the driver completes queued work by itself.
        if self.context.bind().is_ok() {
            for stream in [self.work, self.fetches] {
                // SAFETY: created in `new` and not used again.
                let _ = unsafe { stream::destroy(stream) };
            }
        }
    }
}

impl Backend for Queue {
    fn info(&self) -> &DeviceInfo {
        &self.context.info
    }

    fn memory(&self) -> Result<Memory, GpuError> {
        let (free, total) = self.call("tell its free memory", result::mem_get_info)?;
        Ok(Memory { free, total })
    }

    fn allocate(&self, bytes: usize) -> Result<u64, GpuError> {
        self.context.bind()?;
        // SAFETY: the size is positive; what it gives is cleared before anybody reads it.
        match unsafe { result::malloc_sync(bytes) } {
            Ok(address) => Ok(address),
            Err(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                let Memory { free, total } = self.memory()?;
                Err(GpuError::OutOfMemory { device: self.info().name.clone(), asked: bytes, free, total })
            }
            Err(error) => Err(self.context.error("allocate memory", error)),
        }
    }

    fn release(&self, address: u64) {
        // Errors cannot be reported here; after a fault every release fails.
        if self.context.bind().is_ok() {
            // SAFETY: allocated in `allocate` and released once; the driver waits for work that uses it.
            let _ = unsafe { result::free_sync(address) };
        }
    }

    fn clear(&self, address: u64, bytes: usize) -> Result<(), GpuError> {
        // SAFETY: the caller guarantees that the range lies inside one allocation.
        self.call("clear memory", || unsafe { result::memset_d8_async(address, 0, bytes, self.work) })
    }

    fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), GpuError> {
        // SAFETY: as above, for both ranges; addresses are unique among all devices of the process.
        self.call("copy between buffers", || unsafe { sys::cuMemcpyAsync(to, from, bytes, self.work) }.result())
    }

    fn write(&self, to: u64, bytes: &[u8]) -> Result<(), GpuError> {
        self.call("copy to its memory", || {
            // SAFETY: the range lies inside one allocation; the bytes live until the copy is waited for.
            let queued = unsafe { result::memcpy_htod_async(to, bytes, self.work) };
            queued.and(self.wait())
        })
    }

    fn read(&self, from: u64, into: &mut [u8]) -> Result<(), GpuError> {
        self.call("copy from its memory", || {
            // SAFETY: as above.
            let queued = unsafe { result::memcpy_dtoh_async(into, from, self.work) };
            queued.and(self.wait())
        })
    }

    fn fetch(&self, from: u64, bytes: usize) -> Result<Box<dyn Arriving>, GpuError> {
        let computed = self.event(self.work, EventFlags::CU_EVENT_DISABLE_TIMING)?;
        let pinned = Some(self.context.take_pinned(bytes)?);
        let mut fetching = Fetching { pinned, bytes, arrived: None, context: self.context.clone() };
        self.call("fetch from its memory", || {
            // SAFETY: stream and event live; the range lies inside one allocation that the fetch keeps; the target is pinned memory of
            // at least this size, which `Fetching` gives back only when the copy is over.
            unsafe {
                stream::wait_event(self.fetches, computed.raw, WaitFlags::CU_EVENT_WAIT_DEFAULT)?;
                sys::cuMemcpyDtoHAsync_v2(fetching.start().cast_mut().cast(), from, bytes, self.fetches).result()
            }
        })?;
        fetching.arrived = Some(self.event(self.fetches, EventFlags::CU_EVENT_DISABLE_TIMING)?);
        Ok(Box::new(fetching))
    }

    fn mark(&self) -> Result<Box<dyn Reached>, GpuError> {
        Ok(Box::new(self.event(self.work, EventFlags::CU_EVENT_DISABLE_TIMING)?))
    }

    fn load(&self, image: &Image) -> Result<Arc<dyn Code>, GpuError> {
        Ok(cuda_code::load(&self.context, image)?)
    }

    fn launch(&self, entry: &Entry, launch: &Launch, arguments: &mut [*mut c_void]) -> Result<(), GpuError> {
        self.context.bind()?;
        let ([gx, gy, gz], [bx, by, bz]) = (launch.grid.0, launch.block.0);
        let launched = self.allow_shared(entry, launch.shared_bytes).and_then(|()| {
            let function = entry.handle as CUfunction;
            // SAFETY: function and stream live, and the arguments point to values; that they are what the kernel declares, and that it
            // keeps to its buffers, is trusted as this program's own code (see `Kernel::launch`).
            unsafe {
                let call = if launch.together { result::launch_cooperative_kernel } else { result::launch_kernel };
                call(function, (gx, gy, gz), (bx, by, bz), launch.shared_bytes, self.work, arguments)
            }
        });
        match launched {
            Ok(()) => {
                self.context.note_launch(&entry.name, launch);
                Ok(())
            }
            Err(error) => match self.context.error("launch", error) {
                GpuError::Refused { .. } => Err(GpuError::Launch {
                    kernel: entry.name.to_string(),
                    launch: *launch,
                    reason: refusal(entry, launch, error),
                }),
                fault => Err(fault),
            },
        }
    }

    fn blocks_together(&self, entry: &Entry, launch: &Launch) -> Result<u32, GpuError> {
        self.call("count blocks that run at once", || {
            let promises = Promise::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH;
            // SAFETY: the device is that of the context.
            if unsafe { result::device::get_attribute(self.context.device, promises) }? == 0 {
                return Ok(0);
            }
            self.allow_shared(entry, launch.shared_bytes)?;
            let (function, threads) = (entry.handle as CUfunction, launch.block.count() as i32);
            let mut blocks = 0;
            // SAFETY: it writes one number; the handle is a function of a module that the entry's kernel keeps loaded.
            unsafe {
                let shared = launch.shared_bytes as usize;
                sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, function, threads, shared).result()?;
            }
            Ok(blocks.unsigned_abs() * self.info().multiprocessors)
        })
    }

    fn synchronize(&self) -> Result<(), GpuError> {
        self.call("finish its work", || self.wait())
    }

    fn timed(&self, work: &mut dyn FnMut() -> Result<(), GpuError>) -> Result<f64, GpuError> {
        let start = self.event(self.work, EventFlags::CU_EVENT_DEFAULT)?;
        work()?;
        let end = self.event(self.work, EventFlags::CU_EVENT_DEFAULT)?;
        let milliseconds = self.call("measure time", || {
            // SAFETY: both events live and were recorded.
            unsafe { event::synchronize(end.raw).and_then(|()| event::elapsed(start.raw, end.raw)) }
        })?;
        Ok(f64::from(milliseconds) * 1e-3)
    }

    fn begin_recording(&self) -> Result<(), GpuError> {
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        RECORDINGS.begin();
        // SAFETY: the stream lives and does not record: `Gpu::record` sees to it.
        let begun = self.call("begin a recording", || unsafe { stream::begin_capture(self.work, mode) });
        begun.inspect_err(|_| RECORDINGS.end())
    }

    fn end_recording(&self) -> Result<Box<dyn Recorded>, GpuError> {
        let ended = self.call("end a recording", || {
            // SAFETY: the stream records; the graph is destroyed once, when the executable form is made or failed.
            let raw = unsafe {
                let graph = stream::end_capture(self.work)?;
                let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
                let instantiated = result::graph::instantiate(graph, flags);
                result::graph::destroy(graph)?;
                instantiated?
            };
            Ok(Box::new(Replay { raw, context: self.context.clone() }) as Box<dyn Recorded>)
        });
        RECORDINGS.end();
        ended
    }

    fn another_queue(&self, urgency: Urgency) -> Result<Arc<dyn Backend>, GpuError> {
        Ok(Arc::new(Self::new(self.context.clone(), urgency)?))
    }

    fn wait_for(&self, other: &dyn Backend) -> Result<(), GpuError> {
        let other = Self::of(other);
        let reached = other.event(other.work, EventFlags::CU_EVENT_DISABLE_TIMING)?;
        // SAFETY: stream and event live; the driver keeps the event until it was waited for.
        self.call("wait for another queue", || unsafe {
            stream::wait_event(self.work, reached.raw, WaitFlags::CU_EVENT_WAIT_DEFAULT)
        })
    }

    fn reach(&self, other: &dyn Backend) -> Result<bool, GpuError> {
        let other = &Self::of(other).context;
        if other.device == self.context.device {
            return Ok(true);
        }
        self.call("reach another device", || {
            let mut can = 0;
            // SAFETY: both devices and contexts live.
            let code = unsafe {
                sys::cuDeviceCanAccessPeer(&mut can, self.context.device, other.device).result()?;
                if can == 0 {
                    CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
                } else {
                    sys::cuCtxEnablePeerAccess(other.raw, 0)
                }
            };
            match code {
                CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => Ok(true),
                CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED | CUresult::CUDA_ERROR_TOO_MANY_PEERS => Ok(false),
                code => code.result().map(|()| true),
            }
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Reason why the driver refuses a launch, and advice.
fn refusal(entry: &Entry, launch: &Launch, error: DriverError) -> String {
    let hint = match error.0 {
        CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => {
            format!(
                "{} registers per thread are too many for blocks of {} threads; use smaller blocks",
                entry.registers, launch.block
            )
        }
        CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => {
            "not all blocks fit on the device concurrently; check `Kernel::blocks_together` first".to_owned()
        }
        CUresult::CUDA_ERROR_INVALID_VALUE => {
            format!("does the kernel take blocks of {}, and the arguments that it was given?", launch.block)
        }
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU | CUresult::CUDA_ERROR_INVALID_IMAGE => {
            "its code was not compiled for this chip; generate the kernels again".to_owned()
        }
        _ => "see the driver's words".to_owned(),
    };
    format!("{}; {hint}", reason(error))
}

/// An executable graph.
struct Replay {
    raw: sys::CUgraphExec,
    context: Arc<Context>,
}

// SAFETY: `replay` only launches it, which the driver orders; it is immutable.
unsafe impl Send for Replay {}
// SAFETY: as above.
unsafe impl Sync for Replay {}

impl Recorded for Replay {
    fn replay(&self, device: &dyn Backend) -> Result<(), GpuError> {
        let queue = Queue::of(device);
        // SAFETY: graph and stream live, and so does all that the graph uses: its owner keeps it.
        queue.call("replay a recording", || unsafe { result::graph::launch(self.raw, queue.work) })
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: instantiated once and not used again; work in progress continues. Errors cannot be reported in `drop`.
            let _ = unsafe { result::graph::exec_destroy(self.raw) };
        }
    }
}
