//! Kernels compiled for this processor and loaded into this process.

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::{env, fs, io, process};

use libloading::Library;
use xxhash_rust::xxh3::Xxh3;

use super::backend::{Code, Entry, lock};
use super::{GpuError, Image};

/// Header that is included before a kernel file.
const HOST_HEADER: (&str, &str) = ("host.cuh", include_str!("../../kernels/host.cuh"));
/// Maximum number of checked arguments of a kernel.
const MOST_ARGUMENTS: usize = 64;

/// `NAME__launch` of `host.cuh`: grid, block, shared bytes, whether all blocks are co-resident, arguments, message buffer and its size;
/// returns 0 on success.
pub(super) type LaunchFunction =
    unsafe extern "C" fn(*const u32, *const u32, u32, u32, *mut *mut c_void, *mut c_char, usize) -> c_int;
/// `NAME__arguments` of `host.cuh`: writes the size of each argument and returns their number.
type ArgumentsFunction = unsafe extern "C" fn(*mut u64, u32) -> u32;

/// A C++ compiler.
pub(super) struct Compiler {
    command: String,
    /// Its version message.
    version: Vec<u8>,
}

/// Finds the compiler of this system: the variable CXX, otherwise the usual names.
pub(super) fn compiler() -> Result<&'static Compiler, GpuError> {
    static FOUND: OnceLock<Option<Compiler>> = OnceLock::new();
    let find = || {
        let names = env::var("CXX").into_iter().chain(["c++", "g++", "clang++"].map(str::to_owned));
        names.into_iter().find_map(|command| {
            let output = Command::new(&command).arg("--version").stderr(Stdio::null()).output().ok()?;
            output.status.success().then_some(Compiler { command, version: output.stdout })
        })
    };
    FOUND.get_or_init(find).as_ref().ok_or(GpuError::NoCompiler)
}

/// Options of every compilation; as on a GPU, only explicit operations are fused.
fn options(image: &Image) -> Vec<String> {
    let mut options: Vec<String> =
        ["-O2", "-std=c++17", "-shared", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-U_FORTIFY_SOURCE"]
            .map(str::to_owned)
            .to_vec();
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("fma") {
        options.push("-mfma".to_owned());
    }
    options.extend(image.define_options());
    options
}

/// Compiles an image, unless it is cached, and loads it.
pub(super) fn load(compiler: &Compiler, image: &Image) -> Result<Arc<LoadedLibrary>, GpuError> {
    type Slot = Arc<Mutex<Option<Arc<LoadedLibrary>>>>;
    static LOADED: Mutex<Option<HashMap<u128, Slot>>> = Mutex::new(None);
    let options = options(image);
    let hash = hash(compiler, image, &options);
    let slot = lock(&LOADED).get_or_insert_default().entry(hash).or_default().clone();
    // The first thread compiles; others that need the same image wait here.
    let mut slot = lock(&slot);
    if let Some(library) = &*slot {
        return Ok(library.clone());
    }
    let refused = |error: io::Error| refused(image.name, &error);
    let folder = cache_folder().map_err(refused)?;
    let path = folder.join(format!("{hash:032x}.so"));
    if !path.exists() {
        compile(compiler, image, &options, &path)?;
    }
    // SAFETY: the library was compiled from this program's own kernels; its constructors do nothing.
    let library = unsafe { Library::new(&path) }.map_err(|error| refused(io::Error::other(error)))?;
    let library = Arc::new(LoadedLibrary { library });
    *slot = Some(library.clone());
    Ok(library)
}

fn refused(image: &str, error: &dyn std::fmt::Display) -> GpuError {
    GpuError::Refused {
        device: "the emulated GPU".to_owned(),
        doing: format!("prepare `{image}`"),
        reason: error.to_string(),
    }
}

/// Hash of everything that the compiled code depends on.
fn hash(compiler: &Compiler, image: &Image, options: &[String]) -> u128 {
    let mut hasher = Xxh3::new();
    let mut add = |part: &[u8]| {
        hasher.update(&part.len().to_le_bytes());
        hasher.update(part);
    };
    add(compiler.command.as_bytes());
    add(&compiler.version);
    options.iter().for_each(|option| add(option.as_bytes()));
    for (name, text) in files(image) {
        add(name.as_bytes());
        add(text.as_bytes());
    }
    hasher.digest128()
}

/// Name and text of all files of a compilation.
fn files<'a>(image: &Image<'a>) -> Vec<(&'a str, &'a str)> {
    let mut files = image.all_headers();
    files.extend([HOST_HEADER, (image.name, image.source)]);
    files
}

/// Cache folder of compiled kernels: next to the running program, which in tests is in the build folder.
fn cache_folder() -> io::Result<PathBuf> {
    let program = env::current_exe()?;
    let folder = program.parent().unwrap_or(Path::new(".")).join("emulated-kernels");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Compiles an image to `target` atomically.
fn compile(compiler: &Compiler, image: &Image, options: &[String], target: &Path) -> Result<(), GpuError> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let refused = |error: io::Error| refused(image.name, &error);
    let unique = format!("{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = target.with_extension(unique);
    fs::create_dir_all(&folder).map_err(refused)?;
    for (name, text) in files(image) {
        fs::write(folder.join(name), text).map_err(refused)?;
    }
    let output = Command::new(&compiler.command)
        .current_dir(&folder)
        .args(options)
        .args(["-x", "c++", "-include", HOST_HEADER.0, image.name, "-o", "library.so"])
        .output()
        .map_err(refused)?;
    let result = if output.status.success() {
        fs::rename(folder.join("library.so"), target).map_err(refused)
    } else {
        Err(GpuError::Compile {
            image: image.name.to_owned(),
            log: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    };
    fs::remove_dir_all(&folder).map_err(refused)?;
    result
}

/// A library of kernels. It is never unloaded, because fibres may still execute in it.
pub(super) struct LoadedLibrary {
    library: Library,
}

impl LoadedLibrary {
    /// The function `NAME__SUFFIX`, if there is one.
    fn function<F: Copy>(&self, kernel: &str, suffix: &str) -> Option<F> {
        // SAFETY: the callers request functions that `host.cuh` defines, with their types there.
        unsafe { self.library.get::<F>(format!("{kernel}__{suffix}")) }.ok().map(|symbol| *symbol)
    }
}

impl Code for LoadedLibrary {
    fn entry(&self, kernel: &str) -> Result<Option<Entry>, GpuError> {
        let launch = self.function::<LaunchFunction>(kernel, "launch");
        let arguments = self.function::<ArgumentsFunction>(kernel, "arguments");
        let (Some(launch), Some(arguments)) = (launch, arguments) else { return Ok(None) };
        let mut sizes = [0_u64; MOST_ARGUMENTS];
        // SAFETY: it writes at most the given number of sizes.
        let count = unsafe { arguments(sizes.as_mut_ptr(), MOST_ARGUMENTS as u32) } as usize;
        Ok(Some(Entry {
            name: kernel.into(),
            handle: launch as usize,
            registers: 0,
            shared_bytes: 0,
            local_bytes: 0,
            argument_bytes: Some(sizes[..count.min(MOST_ARGUMENTS)].iter().map(|&bytes| bytes as usize).collect()),
            shared_limit: AtomicU32::new(0),
        }))
    }
}

/// The function of an entry of a [`LoadedLibrary`].
pub(super) fn launch_function(entry: &Entry) -> LaunchFunction {
    // SAFETY: the handle of an emulated entry is such a function, put there above.
    unsafe { std::mem::transmute::<usize, LaunchFunction>(entry.handle) }
}
