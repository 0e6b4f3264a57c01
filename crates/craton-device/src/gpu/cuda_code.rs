//! Modules on a CUDA device.

use std::ffi::{CString, c_char, c_uint, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUfunction_attribute as Attribute, CUjit_option as JitOption, CUresult};

use super::backend::{Code, Entry};
use super::cuda::{Context, RECORDINGS, reason};
use super::image::decompressed;
use super::nvrtc::{self, NvrtcError};
use super::{GpuError, Image};

/// Loads an image: tries its machine code for this chip, then its PTX, then its source.
pub(super) fn load(context: &Arc<Context>, image: &Image) -> Result<Arc<LoadedModule>, GpuError> {
    context.bind()?;
    let chip = context.info.chip;
    let mut tried = Vec::new();
    match image.machine_code.iter().find(|(own, _)| *own == chip).map(|(_, code)| decompressed(code)) {
        Some(Ok(code)) => match load_code(&code) {
            Ok(raw) => return Ok(loaded(context, raw)),
            Err(error) => tried.push(format!("its machine code is refused: {}", words(context, error)?)),
        },
        Some(Err(error)) => tried.push(format!("its machine code is damaged: {error}")),
        None => tried.push("it has no machine code for this chip".to_owned()),
    }
    match image.ptx.map(decompressed) {
        Some(Ok(ptx)) => match load_ptx(ptx) {
            Ok(raw) => return Ok(loaded(context, raw)),
            Err((error, log)) => tried.push(format!("its PTX is refused: {} {log}", words(context, error)?)),
        },
        Some(Err(error)) => tried.push(format!("its PTX is damaged: {error}")),
        None => tried.push("it has no PTX".to_owned()),
    }
    match nvrtc::compile(image, chip) {
        Ok(code) => match load_code(&code) {
            Ok(raw) => return Ok(loaded(context, raw)),
            Err(error) => tried.push(format!("what NVRTC made of its source is refused: {}", words(context, error)?)),
        },
        Err(NvrtcError::Source(log)) => return Err(GpuError::Compile { image: image.name.to_owned(), log }),
        Err(NvrtcError::Missing(why)) => tried.push(format!("its source needs a compiler: {why}")),
    }
    Err(GpuError::NoCode {
        image: image.name.to_owned(),
        device: context.info.name.clone(),
        chip,
        reason: tried.join("; "),
    })
}

/// The message of the driver for code that it refuses, with advice if known; a fault of the device ends the search.
fn words(context: &Context, error: DriverError) -> Result<String, GpuError> {
    if let fault @ GpuError::Fault { .. } = context.error("load code", error) {
        return Err(fault);
    }
    Ok(match error.0 {
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            "it is newer than the driver: update NVIDIA's driver".to_owned()
        }
        _ => reason(error),
    })
}

fn loaded(context: &Arc<Context>, raw: sys::CUmodule) -> Arc<LoadedModule> {
    Arc::new(LoadedModule { raw, context: context.clone() })
}

/// Loads a cubin; the context is bound.
fn load_code(code: &[u8]) -> Result<sys::CUmodule, DriverError> {
    // SAFETY: a cubin is an ELF file, which contains its own length.
    unsafe { result::module::load_data(code.as_ptr().cast()) }
}

/// Loads PTX, with the log of the driver's compiler on failure; the context is bound.
fn load_ptx(ptx: Vec<u8>) -> Result<sys::CUmodule, (DriverError, String)> {
    /// Size of the log in bytes.
    const ROOM: usize = 4096;
    let text = CString::new(ptx).expect("PTX holds no zero byte");
    let mut log = [0_u8; ROOM];
    let mut options = [JitOption::CU_JIT_ERROR_LOG_BUFFER, JitOption::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values = [log.as_mut_ptr().cast::<c_char>().cast::<c_void>(), ROOM as *mut c_void];
    let mut module = ptr::null_mut();
    // SAFETY: the text ends with a zero byte; two options with their values, a buffer and its size passed as a pointer, as the driver requires.
    let code = unsafe {
        sys::cuModuleLoadDataEx(
            &mut module,
            text.as_ptr().cast(),
            options.len() as c_uint,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    code.result().map_err(|error| {
        let end = log.iter().position(|&byte| byte == 0).unwrap_or(ROOM);
        (error, String::from_utf8_lossy(&log[..end]).trim().to_owned())
    })?;
    Ok(module)
}

/// A module of the driver.
pub(super) struct LoadedModule {
    raw: sys::CUmodule,
    context: Arc<Context>,
}

// SAFETY: modules may be used from any thread.
unsafe impl Send for LoadedModule {}
// SAFETY: as above; it is immutable.
unsafe impl Sync for LoadedModule {}

impl Code for LoadedModule {
    fn entry(&self, kernel: &str) -> Result<Option<Entry>, GpuError> {
        self.context.bind()?;
        let name = CString::new(kernel).expect("a kernel's name holds no zero byte");
        // SAFETY: the module lives as long as self.
        let function = match unsafe { result::module::get_function(self.raw, name) } {
            Ok(function) => function,
            Err(DriverError(CUresult::CUDA_ERROR_NOT_FOUND)) => return Ok(None),
            Err(error) => return Err(self.context.error("find a kernel", error)),
        };
        let attribute = |attribute| {
            // SAFETY: the function was just given by the driver.
            unsafe { result::function::get_function_attribute(function, attribute) }
                .map(i32::unsigned_abs)
                .map_err(|error| self.context.error("describe a kernel", error))
        };
        Ok(Some(Entry {
            name: kernel.into(),
            handle: function as usize,
            registers: attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            shared_bytes: attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            local_bytes: attribute(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            argument_bytes: None,
            shared_limit: AtomicU32::new(0),
        }))
    }
}

impl Drop for LoadedModule {
    fn drop(&mut self) {
        let _no_recording = RECORDINGS.pause();
        // Its kernels may still run; errors cannot be reported in `drop`.
        if self.context.bind().is_ok() && result::ctx::synchronize().is_ok() {
            // SAFETY: loaded once and not used again: kernels and recordings keep it.
            let _ = unsafe { result::module::unload(self.raw) };
        }
    }
}
