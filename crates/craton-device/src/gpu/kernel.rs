//! Kernels and their launches.

use std::ffi::c_void;
use std::sync::Arc;

use super::backend::{Code, Entry};
use super::{Arg, Gpu, GpuError, Launch};

/// Most arguments of a kernel.
const MOST_ARGUMENTS: usize = 64;

/// Kernels loaded on a device.
pub struct Module {
    gpu: Gpu,
    name: String,
    code: Arc<Loaded>,
}

/// Code that stays loaded while a kernel or a recording needs it.
struct Loaded(Arc<dyn Code>);

impl Module {
    pub(super) fn new(gpu: Gpu, name: &str, code: Arc<dyn Code>) -> Self {
        Self { gpu, name: name.to_owned(), code: Arc::new(Loaded(code)) }
    }

    /// The kernel of this name, on the queue that loaded the module.
    ///
    /// # Errors
    /// [`GpuError::NoKernel`] when the image has none of this name.
    pub fn kernel(&self, name: &str) -> Result<Kernel, GpuError> {
        let entry = self
            .code
            .0
            .entry(name)?
            .ok_or_else(|| GpuError::NoKernel { image: self.name.clone(), kernel: name.to_owned() })?;
        Ok(Kernel { gpu: self.gpu.clone(), entry: Arc::new(entry), code: self.code.clone() })
    }
}

/// One kernel, bound to a queue; clones are the same kernel.
#[derive(Clone)]
pub struct Kernel {
    gpu: Gpu,
    entry: Arc<Entry>,
    code: Arc<Loaded>,
}

impl Kernel {
    /// The same kernel on another queue of the same device.
    pub fn on(&self, queue: &Gpu) -> Self {
        Self { gpu: queue.clone(), ..self.clone() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Registers of a thread; 0 on the emulated device.
    pub fn registers(&self) -> u32 {
        self.entry.registers
    }

    /// Shared memory that the kernel declares itself [bytes of a block].
    pub fn shared_bytes(&self) -> u32 {
        self.entry.shared_bytes
    }

    /// Local memory, where registers were too few [bytes of a thread].
    pub fn local_bytes(&self) -> u32 {
        self.entry.local_bytes
    }

    /// Queues the kernel.
    ///
    /// This is a safe function although a kernel may write wherever it likes: kernels are part of this program and as trusted as its
    /// own code, and their arguments are checked where they run emulated, in number and size.
    ///
    /// # Panics
    /// If there are more than 64 arguments.
    ///
    /// # Errors
    /// [`GpuError::Launch`] when the shape or the arguments do not fit; [`GpuError::Fault`] when earlier work failed.
    pub fn launch(&self, launch: Launch, arguments: &[Arg<'_>]) -> Result<(), GpuError> {
        assert!(arguments.len() <= MOST_ARGUMENTS, "at most {MOST_ARGUMENTS} arguments of a kernel");
        self.check(&launch, arguments)?;
        if launch.grid.count() == 0 {
            return Ok(());
        }
        let mut pointers = [std::ptr::null_mut::<c_void>(); MOST_ARGUMENTS];
        for (pointer, argument) in pointers.iter_mut().zip(arguments) {
            *pointer = argument.pointer();
            if let Some(storage) = argument.storage() {
                self.gpu.keep(storage);
            }
        }
        self.gpu.keep(&self.code);
        self.gpu.backend().launch(&self.entry, &launch, &mut pointers[..arguments.len()])
    }

    /// Compares the arguments with what the kernel declares, where that is known, and the shape with what the device can do.
    fn check(&self, launch: &Launch, arguments: &[Arg<'_>]) -> Result<(), GpuError> {
        let fail =
            |reason: String| Err(GpuError::Launch { kernel: self.entry.name.to_string(), launch: *launch, reason });
        let most = self.gpu.info().shared_per_block.saturating_sub(self.entry.shared_bytes);
        if launch.shared_bytes > most {
            return fail(format!(
                "a block has at most {most} bytes of dynamic shared memory here; make blocks smaller"
            ));
        }
        for (index, storage) in arguments.iter().enumerate().filter_map(|(k, argument)| Some((k, argument.storage()?)))
        {
            if !self.gpu.reaches(storage.gpu()) {
                let place = &storage.gpu().info().name;
                return fail(format!(
                    "argument {index} (from 0) stands on another device, {place}; call `Gpu::reach` before"
                ));
            }
        }
        let Some(declared) = &self.entry.argument_bytes else { return Ok(()) };
        if declared.len() != arguments.len() {
            return fail(format!("it takes {} arguments and was given {}", declared.len(), arguments.len()));
        }
        for (index, (&declared, given)) in declared.iter().zip(arguments).enumerate() {
            if declared != given.bytes() {
                let given = given.bytes();
                return fail(format!("argument {index} (from 0) has {declared} bytes and was given {given}"));
            }
        }
        Ok(())
    }
}
