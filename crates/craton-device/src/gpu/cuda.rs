//! The CUDA driver: detection, devices, errors.

use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};

use super::backend::{Backend, Urgency, lock};
use super::cuda_queue::Queue;
use super::{DeviceInfo, GpuError, Launch};

/// Oldest CUDA version whose driver has every function called here. The bindings may be newer, so that they contain more error codes.
const OLDEST_DRIVER: (u32, u32) = (12, 0);

/// Opens a device by number, with its first queue.
pub(super) fn open(ordinal: usize) -> Result<Arc<dyn Backend>, GpuError> {
    let present = devices()?;
    let Some(info) = present.iter().find(|info| info.ordinal == ordinal) else {
        return Err(GpuError::NoSuchDevice { ordinal, present });
    };
    let context = Arc::new(Context::new(info.clone())?);
    Ok(Arc::new(Queue::new(context, Urgency::None)?))
}

/// Lists the devices of the driver.
pub(super) fn devices() -> Result<Vec<DeviceInfo>, GpuError> {
    start()?;
    let count = result::device::get_count().map_err(|error| refused_by_driver("count the devices", error))?;
    if count == 0 {
        return Err(GpuError::NoDevice);
    }
    (0..count)
        .map(|ordinal| describe(ordinal).map_err(|error| refused_by_driver(&format!("describe cuda:{ordinal}"), error)))
        .collect()
}

/// Checks that a supported driver is installed; the bindings panic if the library or one of its functions is missing.
fn start() -> Result<(), GpuError> {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: the check loads the library, which has no side effects on this process.
    if !*PRESENT.get_or_init(|| unsafe { sys::is_culib_present() }) {
        return Err(GpuError::NoDriver);
    }
    let mut version = 0;
    // SAFETY: it writes one number; every driver has it, and needs no start before it.
    unsafe { sys::cuDriverGetVersion(&mut version) }
        .result()
        .map_err(|error| refused_by_driver("tell its version", error))?;
    let found = (version as u32 / 1000, version as u32 % 1000 / 10);
    if found < OLDEST_DRIVER {
        return Err(GpuError::DriverTooOld { found, needed: OLDEST_DRIVER });
    }
    match result::init() {
        Ok(()) => Ok(()),
        Err(DriverError(CUresult::CUDA_ERROR_NO_DEVICE)) => Err(GpuError::NoDevice),
        Err(DriverError(CUresult::CUDA_ERROR_STUB_LIBRARY)) => Err(GpuError::NoDriver),
        Err(error) => Err(refused_by_driver("start", error)),
    }
}

fn describe(ordinal: i32) -> Result<DeviceInfo, DriverError> {
    let device = result::device::get(ordinal)?;
    // SAFETY: the device was just given by the driver.
    let attribute = |attribute| unsafe { result::device::get_attribute(device, attribute) }.map(i32::unsigned_abs);
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    Ok(DeviceInfo {
        ordinal: ordinal as usize,
        name: result::device::get_name(device)?,
        chip: 10 * major + minor,
        // SAFETY: as above.
        memory: unsafe { result::device::total_mem(device) }?,
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        shared_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        slot: [
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?,
        ],
    })
}

/// Name and message of a driver error.
pub(super) fn reason(error: DriverError) -> String {
    let words = error.error_string().map_or("unknown", |words| words.to_str().unwrap_or("unknown"));
    format!("{words} ({:?})", error.0)
}

fn refused_by_driver(doing: &str, error: DriverError) -> GpuError {
    GpuError::Refused { device: "the CUDA driver".to_owned(), doing: doing.to_owned(), reason: reason(error) }
}

/// Recordings in progress on all threads, which a wait for the whole context would invalidate.
pub(super) struct Recordings {
    count: Mutex<usize>,
    ended: Condvar,
}

pub(super) static RECORDINGS: Recordings = Recordings { count: Mutex::new(0), ended: Condvar::new() };

impl Recordings {
    /// Registers the start of a recording.
    pub fn begin(&self) {
        *lock(&self.count) += 1;
    }

    /// Registers the end of a recording.
    pub fn end(&self) {
        *lock(&self.count) -= 1;
        self.ended.notify_all();
    }

    /// Waits until there is no recording, and prevents new ones while the guard lives.
    pub fn pause(&self) -> MutexGuard<'_, usize> {
        let mut count = lock(&self.count);
        while *count > 0 {
            count = self.ended.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
        count
    }
}

/// The context of a device and other resources that its queues share.
pub(super) struct Context {
    pub info: DeviceInfo,
    pub device: sys::CUdevice,
    pub raw: sys::CUcontext,
    /// The last launched kernel.
    last: Mutex<Option<(Arc<str>, Launch)>>,
    /// Unused pinned host memory.
    pinned: Mutex<Vec<Pinned>>,
}

// SAFETY: the driver's functions may be called from any thread; each binds the context to its thread first.
unsafe impl Send for Context {}
// SAFETY: as above; mutable state is behind locks.
unsafe impl Sync for Context {}

/// Pinned host memory, which a device can copy to directly.
pub(super) struct Pinned {
    pub start: *mut c_void,
    pub bytes: usize,
}

impl Context {
    fn new(info: DeviceInfo) -> Result<Self, GpuError> {
        let refused = |error| GpuError::Refused {
            device: info.name.clone(),
            doing: "open a context".to_owned(),
            reason: reason(error),
        };
        let device = result::device::get(info.ordinal as i32).map_err(refused)?;
        // SAFETY: the device was just given by the driver; released once, in `drop`.
        let raw = unsafe { result::primary_ctx::retain(device) }.map_err(refused)?;
        Ok(Self { info, device, raw, last: Mutex::default(), pinned: Mutex::default() })
    }

    /// Makes this context current on the calling thread.
    pub fn bind(&self) -> Result<(), GpuError> {
        let mut current = ptr::null_mut();
        // SAFETY: it writes one pointer; the context lives as long as self.
        unsafe {
            sys::cuCtxGetCurrent(&mut current).result().map_err(|error| self.error("bind its context", error))?;
            if current != self.raw {
                result::ctx::set_current(self.raw).map_err(|error| self.error("bind its context", error))?;
            }
        }
        Ok(())
    }

    /// Stores a launch for the message of a later failure.
    pub fn note_launch(&self, kernel: &Arc<str>, launch: &Launch) {
        *lock(&self.last) = Some((kernel.clone(), *launch));
    }

    /// Converts an error code of the driver.
    pub fn error(&self, doing: &str, error: DriverError) -> GpuError {
        let device = self.info.name.clone();
        if !is_fault(error.0) {
            return GpuError::Refused { device, doing: doing.to_owned(), reason: reason(error) };
        }
        let last = match &*lock(&self.last) {
            Some((kernel, launch)) => format!("`{kernel}` with {launch}"),
            None => "none of this program".to_owned(),
        };
        GpuError::Fault { device, last, reason: reason(error) }
    }

    /// Allocates or reuses at least `bytes` bytes (more than zero) of pinned memory.
    pub fn take_pinned(&self, bytes: usize) -> Result<Pinned, GpuError> {
        let mut pool = lock(&self.pinned);
        let fitting = pool.iter().enumerate().filter(|(_, pinned)| pinned.bytes >= bytes);
        if let Some((index, _)) = fitting.min_by_key(|(_, pinned)| pinned.bytes) {
            return Ok(pool.swap_remove(index));
        }
        drop(pool);
        let bytes = bytes.next_power_of_two();
        // SAFETY: the context is bound by the caller; freed once, in `drop`.
        let start = unsafe { result::malloc_host(bytes, 0) }
            .map_err(|error| self.error(&format!("pin {bytes} bytes of the host's memory"), error))?;
        Ok(Pinned { start, bytes })
    }

    /// Returns pinned memory that no copy uses any more.
    pub fn give_pinned(&self, pinned: Pinned) {
        lock(&self.pinned).push(pinned);
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // Errors cannot be reported in `drop`; the operating system frees the rest at exit.
        if self.bind().is_ok() {
            for pinned in lock(&self.pinned).drain(..) {
                // SAFETY: allocated in `take_pinned`, and no copy is under way: those keep the context.
                let _ = unsafe { result::free_host(pinned.start) };
            }
        }
        // SAFETY: retained once, in `new`.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// Errors that invalidate a context.
fn is_fault(code: CUresult) -> bool {
    use CUresult::*;
    matches!(
        code,
        CUDA_ERROR_DEVICE_UNAVAILABLE
            | CUDA_ERROR_ECC_UNCORRECTABLE
            | CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUDA_ERROR_CONTAINED
            | CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_ASSERT
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_LAUNCH_FAILED
            | CUDA_ERROR_TENSOR_MEMORY_LEAK
            | CUDA_ERROR_EXTERNAL_DEVICE
            | CUDA_ERROR_UNKNOWN
    )
}
