//! NVRTC, NVIDIA's run-time compiler of CUDA C++, loaded if it is installed.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use libloading::Library;

use super::{DEVICE_OPTIONS, Image};

/// File names of the library.
const NAMES: [&str; 6] =
    ["libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so", "nvrtc64_120_0.dll", "nvrtc64_130_0.dll", "libnvrtc.dylib"];

/// Errors of a compilation.
pub(super) enum NvrtcError {
    /// The library is missing or lacks a function.
    Missing(String),
    /// The source does not compile: the log.
    Source(String),
}

type Program = *mut c_void;

/// The functions used here, all available since CUDA 11.1; each returns 0 on success.
struct Functions {
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    log: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    code_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    code: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    _library: Library,
}

impl Functions {
    fn load() -> Result<Self, NvrtcError> {
        // SAFETY: loading NVIDIA's library has no side effects on this process.
        let library = NAMES.into_iter().find_map(|name| unsafe { Library::new(name) }.ok());
        let library = library.ok_or_else(|| {
            NvrtcError::Missing(
                "NVRTC (`libnvrtc`) was not found; install the CUDA toolkit, or name its folder in LD_LIBRARY_PATH"
                    .to_owned(),
            )
        })?;
        let missing = |error: libloading::Error| NvrtcError::Missing(format!("NVRTC is too old: {error}"));
        // SAFETY: the types are those of the header nvrtc.h.
        unsafe {
            Ok(Self {
                create: *library.get(b"nvrtcCreateProgram").map_err(missing)?,
                compile: *library.get(b"nvrtcCompileProgram").map_err(missing)?,
                log_size: *library.get(b"nvrtcGetProgramLogSize").map_err(missing)?,
                log: *library.get(b"nvrtcGetProgramLog").map_err(missing)?,
                code_size: *library.get(b"nvrtcGetCUBINSize").map_err(missing)?,
                code: *library.get(b"nvrtcGetCUBIN").map_err(missing)?,
                destroy: *library.get(b"nvrtcDestroyProgram").map_err(missing)?,
                _library: library,
            })
        }
    }
}

/// Converts text to a C string.
fn c_string(text: impl Into<Vec<u8>>) -> CString {
    CString::new(text).expect("kernels, their names and options hold no zero byte")
}

/// Compiles an image to machine code for a chip, as in 90.
pub(super) fn compile(image: &Image, chip: u32) -> Result<Vec<u8>, NvrtcError> {
    let nvrtc = Functions::load()?;
    let headers = image.all_headers();
    let texts: Vec<CString> = headers.iter().map(|(_, text)| c_string(*text)).collect();
    let names: Vec<CString> = headers.iter().map(|(name, _)| c_string(*name)).collect();
    let mut options = vec![format!("--gpu-architecture=sm_{chip}")];
    options.extend(DEVICE_OPTIONS.map(str::to_owned));
    options.extend(image.define_options());
    let options: Vec<CString> = options.into_iter().map(c_string).collect();
    let pointers = |strings: &[CString]| strings.iter().map(|string| string.as_ptr()).collect::<Vec<_>>();
    let (source, name) = (c_string(image.source), c_string(image.name));
    let (texts, names, options) = (pointers(&texts), pointers(&names), pointers(&options));
    let mut program: Program = ptr::null_mut();
    // SAFETY: all strings outlive the program, and the counts are those of the arrays; the program is destroyed once, at the end.
    unsafe {
        let count = texts.len() as c_int;
        let code = (nvrtc.create)(&mut program, source.as_ptr(), name.as_ptr(), count, texts.as_ptr(), names.as_ptr());
        if code != 0 {
            return Err(NvrtcError::Missing(format!("NVRTC does not start: its error {code}")));
        }
        let compiled = (nvrtc.compile)(program, options.len() as c_int, options.as_ptr()) == 0;
        let result = if compiled {
            bytes(program, nvrtc.code_size, nvrtc.code)
        } else {
            let log = bytes(program, nvrtc.log_size, nvrtc.log);
            Err(NvrtcError::Source(String::from_utf8_lossy(&log?).trim_end_matches('\0').to_owned()))
        };
        (nvrtc.destroy)(&mut program);
        result
    }
}

/// Output of a pair of functions: the first returns its size, the second its bytes.
///
/// # Safety
/// The functions are NVRTC's and the program lives.
unsafe fn bytes(
    program: Program,
    size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    fill: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
) -> Result<Vec<u8>, NvrtcError> {
    let mut count = 0;
    let mut bytes = Vec::new();
    // SAFETY: the first function says how many bytes the second writes.
    let code = unsafe {
        match size(program, &mut count) {
            0 => {
                bytes.resize(count, 0);
                fill(program, bytes.as_mut_ptr().cast())
            }
            code => code,
        }
    };
    if code == 0 { Ok(bytes) } else { Err(NvrtcError::Missing(format!("NVRTC gives no code: its error {code}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
        #include "device.cuh"
        extern "C" __global__ void set(float* values) {
            CRATON_SHARED(float, tile);
            tile[threadIdx.x] = VALUE;
            __syncthreads();
            values[threadIdx.x] = tile[threadIdx.x];
        }
        CRATON_ENTRY(set)
    "#;

    /// NVRTC is rarely installed where tests run; its absence must then give a readable message.
    #[test]
    fn a_source_becomes_machine_code_or_a_sentence() {
        let image = Image { name: "set.cu", source: SOURCE, defines: &[("VALUE", "1.5f")], ..Image::default() };
        match compile(&image, 90) {
            Ok(code) => assert_eq!(code[..4], *b"\x7fELF"),
            Err(NvrtcError::Missing(why)) => assert!(why.starts_with("NVRTC"), "{why}"),
            Err(NvrtcError::Source(log)) => panic!("{log}"),
        }
        match compile(&Image { defines: &[], ..image }, 90) {
            Err(NvrtcError::Source(log)) => assert!(log.contains("set.cu") && log.contains("VALUE"), "{log}"),
            Err(NvrtcError::Missing(_)) => {}
            Ok(_) => panic!("VALUE is not defined"),
        }
    }
}
