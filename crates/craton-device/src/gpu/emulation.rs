//! The emulated device: memory of this process, and kernels compiled for this processor.
//!
//! It executes every operation immediately, whereas a GPU queues, and checks after each launch that nothing was written outside a buffer.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, ThreadId};
use std::time::Instant;

use super::backend::{Arriving, Backend, Code, Entry, Reached, Recorded, Urgency, lock};
use super::emulation_code::{self, Compiler};
use super::{DeviceInfo, GpuError, Image, Launch, Memory};

/// Guard bytes on both sides of a buffer; a multiple of every alignment.
const GUARD: usize = 256;
/// Value of the guard bytes: neither a valid number nor a valid index.
const UNSET: u8 = 0xff;
/// Memory that a device reports [bytes]: far more than a test should use.
pub(super) const MEMORY: usize = 4 << 30;

/// Maximum number of co-resident blocks: each of their threads has a stack.
const TOGETHER: u32 = 8;

/// Creates an emulated device with `memory` bytes of memory.
pub(super) fn open(memory: usize) -> Result<Arc<dyn Backend>, GpuError> {
    let info = DeviceInfo {
        ordinal: 0,
        name: "the emulated GPU".to_owned(),
        chip: 0,
        memory,
        multiprocessors: 1,
        shared_per_block: 227 << 10,
        slot: [0; 3],
    };
    Ok(Arc::new(Emulation { info, compiler: emulation_code::compiler()?, state: Arc::default() }))
}

struct Emulation {
    info: DeviceInfo,
    compiler: &'static Compiler,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Size of every allocation, by address.
    allocations: BTreeMap<u64, usize>,
    /// Recorded operations of the threads that record.
    recordings: HashMap<ThreadId, Vec<Operation>>,
}

impl Emulation {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Records an operation during a recording of this thread, otherwise executes it.
    fn queue(&self, operation: Operation) -> Result<(), GpuError> {
        if let Some(recording) = self.state().recordings.get_mut(&thread::current().id()) {
            recording.push(operation);
            return Ok(());
        }
        self.run(&operation)
    }

    fn run(&self, operation: &Operation) -> Result<(), GpuError> {
        match operation {
            Operation::Clear { address, bytes } => {
                // SAFETY: the caller of `clear` guarantees that the range lies inside one allocation, kept while it is needed.
                unsafe { std::ptr::write_bytes(*address as *mut u8, 0, *bytes) };
            }
            Operation::Copy { to, from, bytes } => {
                // SAFETY: as above, for both ranges; they may overlap.
                unsafe { std::ptr::copy(*from as *const u8, *to as *mut u8, *bytes) };
            }
            Operation::Launch(call) => {
                call.run()?;
                self.check_guards(call)?;
            }
        }
        Ok(())
    }

    /// Whether the guard bytes of every buffer are intact.
    fn check_guards(&self, call: &Call) -> Result<(), GpuError> {
        for (&address, &bytes) in &self.state().allocations {
            let (before, after) = (address as usize - GUARD, address as usize + bytes);
            for (start, side) in [(before, "before"), (after, "behind")] {
                // SAFETY: `allocate` reserves these bytes on both sides of every buffer that lives.
                let guard = unsafe { std::slice::from_raw_parts_mut(start as *mut u8, GUARD) };
                if guard.iter().any(|&byte| byte != UNSET) {
                    guard.fill(UNSET);
                    return Err(call.failure(format!("something was written {side} a buffer of {bytes} bytes")));
                }
            }
        }
        Ok(())
    }
}

/// The block of memory around a buffer.
fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes + 2 * GUARD, GUARD).expect("the buffer fits into the address space")
}

impl Backend for Emulation {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn memory(&self) -> Result<Memory, GpuError> {
        let held: usize = self.state().allocations.values().sum();
        let total = self.info.memory;
        Ok(Memory { free: total.saturating_sub(held), total })
    }

    fn allocate(&self, bytes: usize) -> Result<u64, GpuError> {
        let Memory { free, total } = self.memory()?;
        if bytes > free {
            return Err(GpuError::OutOfMemory { device: self.info.name.clone(), asked: bytes, free, total });
        }
        let layout = layout(bytes);
        // SAFETY: the layout has a positive size.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            handle_alloc_error(layout);
        }
        // SAFETY: these are the bytes just allocated.
        unsafe { std::ptr::write_bytes(start, UNSET, layout.size()) };
        let address = (start as usize + GUARD) as u64;
        self.state().allocations.insert(address, bytes);
        Ok(address)
    }

    fn release(&self, address: u64) {
        if let Some(bytes) = self.state().allocations.remove(&address) {
            // SAFETY: allocated in `allocate` with this very layout, and released once, since it was still in the list.
            unsafe { dealloc((address as usize - GUARD) as *mut u8, layout(bytes)) };
        }
    }

    fn clear(&self, address: u64, bytes: usize) -> Result<(), GpuError> {
        self.queue(Operation::Clear { address, bytes })
    }

    fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), GpuError> {
        self.queue(Operation::Copy { to, from, bytes })
    }

    fn write(&self, to: u64, bytes: &[u8]) -> Result<(), GpuError> {
        // SAFETY: the caller guarantees that the range is inside one allocation; memory borrowed elsewhere is not in it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to as *mut u8, bytes.len()) };
        Ok(())
    }

    fn read(&self, from: u64, into: &mut [u8]) -> Result<(), GpuError> {
        // SAFETY: as in `write`.
        unsafe { std::ptr::copy_nonoverlapping(from as *const u8, into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    fn fetch(&self, from: u64, bytes: usize) -> Result<Box<dyn Arriving>, GpuError> {
        let mut words = vec![0_u128; bytes.div_ceil(size_of::<u128>())];
        self.read(from, &mut bytemuck::cast_slice_mut(&mut words)[..bytes])?;
        Ok(Box::new(Arrived { words, bytes }))
    }

    fn mark(&self) -> Result<Box<dyn Reached>, GpuError> {
        Ok(Box::new(Passed))
    }

    fn load(&self, image: &Image) -> Result<Arc<dyn Code>, GpuError> {
        Ok(emulation_code::load(self.compiler, image)?)
    }

    fn launch(&self, entry: &Entry, launch: &Launch, arguments: &mut [*mut c_void]) -> Result<(), GpuError> {
        self.queue(Operation::Launch(Call::new(entry, launch, arguments)))
    }

    fn blocks_together(&self, _: &Entry, _: &Launch) -> Result<u32, GpuError> {
        Ok(TOGETHER)
    }

    fn synchronize(&self) -> Result<(), GpuError> {
        Ok(())
    }

    fn timed(&self, work: &mut dyn FnMut() -> Result<(), GpuError>) -> Result<f64, GpuError> {
        let start = Instant::now();
        work()?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn begin_recording(&self) -> Result<(), GpuError> {
        self.state().recordings.insert(thread::current().id(), Vec::new());
        Ok(())
    }

    fn end_recording(&self) -> Result<Box<dyn Recorded>, GpuError> {
        let recorded = self.state().recordings.remove(&thread::current().id());
        Ok(Box::new(Operations(recorded.unwrap_or_default())))
    }

    fn another_queue(&self, _: Urgency) -> Result<Arc<dyn Backend>, GpuError> {
        Ok(Arc::new(Self { info: self.info.clone(), compiler: self.compiler, state: self.state.clone() }))
    }

    fn wait_for(&self, _: &dyn Backend) -> Result<(), GpuError> {
        Ok(())
    }

    fn reach(&self, _: &dyn Backend) -> Result<bool, GpuError> {
        Ok(true)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// An operation of a queue.
enum Operation {
    Clear { address: u64, bytes: usize },
    Copy { to: u64, from: u64, bytes: usize },
    Launch(Call),
}

/// Recorded operations.
struct Operations(Vec<Operation>);

impl Recorded for Operations {
    fn replay(&self, device: &dyn Backend) -> Result<(), GpuError> {
        let device = device.as_any().downcast_ref::<Emulation>().expect("the graph belongs to an emulated device");
        self.0.iter().try_for_each(|operation| device.run(operation))
    }
}

/// A launch with its arguments.
struct Call {
    kernel: Arc<str>,
    function: emulation_code::LaunchFunction,
    launch: Launch,
    /// Values of all arguments, each aligned to a word.
    words: Vec<u128>,
    /// Offset of each argument.
    starts: Vec<usize>,
}

impl Call {
    fn new(entry: &Entry, launch: &Launch, arguments: &[*mut c_void]) -> Self {
        let (mut words, mut starts) = (Vec::new(), Vec::new());
        let sizes = entry.argument_bytes.as_deref().unwrap_or_default();
        for (&argument, &bytes) in arguments.iter().zip(sizes) {
            let start = words.len();
            starts.push(start);
            words.resize(start + bytes.div_ceil(size_of::<u128>()), 0);
            let target = &mut bytemuck::cast_slice_mut(&mut words[start..])[..bytes];
            // SAFETY: the caller of `launch` points to values of the sizes that the kernel declares; `Kernel::launch` has compared them.
            target.copy_from_slice(unsafe { std::slice::from_raw_parts(argument.cast::<u8>(), bytes) });
        }
        let function = emulation_code::launch_function(entry);
        Self { kernel: entry.name.clone(), function, launch: *launch, words, starts }
    }

    fn run(&self) -> Result<(), GpuError> {
        let mut arguments: Vec<*mut c_void> =
            self.starts.iter().map(|&start| self.words[start..].as_ptr().cast_mut().cast()).collect();
        let mut message = [0_u8; 600];
        let Launch { grid, block, shared_bytes, together } = self.launch;
        if together && grid.count() > u64::from(TOGETHER) {
            return Err(self.failure(format!("the emulated device runs at most {TOGETHER} blocks at once")));
        }
        // SAFETY: the function was compiled from `host.cuh` with this signature, its library is never unloaded, and the arguments point
        // to values of the sizes that it declares; what the kernel does with them is trusted as this program's own code.
        let code = unsafe {
            (self.function)(
                grid.0.as_ptr(),
                block.0.as_ptr(),
                shared_bytes,
                together.into(),
                arguments.as_mut_ptr(),
                message.as_mut_ptr().cast(),
                message.len(),
            )
        };
        if code == 0 {
            return Ok(());
        }
        let end = message.iter().position(|&byte| byte == 0).unwrap_or(message.len());
        Err(self.failure(String::from_utf8_lossy(&message[..end]).into_owned()))
    }

    fn failure(&self, reason: String) -> GpuError {
        GpuError::Launch { kernel: self.kernel.to_string(), launch: self.launch, reason }
    }
}

/// A mark that has always been reached.
struct Passed;

impl Reached for Passed {
    fn wait(&self) -> Result<(), GpuError> {
        Ok(())
    }
}

/// Bytes that are already on the host.
struct Arrived {
    words: Vec<u128>,
    bytes: usize,
}

impl Arriving for Arrived {
    fn is_here(&self) -> Result<bool, GpuError> {
        Ok(true)
    }

    fn wait(&self) -> Result<&[u8], GpuError> {
        Ok(&bytemuck::cast_slice(&self.words)[..self.bytes])
    }
}
