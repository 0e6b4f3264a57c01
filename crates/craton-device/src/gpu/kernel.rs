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

    /// Blocks of a launch's threads and shared memory that the device runs at once where nothing else does: as many as
    /// [`Launch::together`] may have. 0 where a block does not fit, or the device cannot promise it.
    ///
    /// Other kernels and processes on the same GPU only make such a launch wait: its blocks begin when there is room for all of them. Two
    /// of them that do not fit side by side run one after the other. Verified by `queues::blocks_wait_for_one_another_in_two_queues`.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when earlier work failed.
    pub fn blocks_together(&self, launch: Launch) -> Result<u32, GpuError> {
        if self.wrong_shape(&launch).is_some() {
            return Ok(0);
        }
        self.gpu.backend().blocks_together(&self.entry, &launch)
    }

    /// Refuses a shape that no device can do, and arguments that the kernel does not declare or cannot reach.
    fn check(&self, launch: &Launch, arguments: &[Arg<'_>]) -> Result<(), GpuError> {
        let wrong =
            self.wrong_shape(launch).or_else(|| self.wrong_place(arguments)).or_else(|| self.wrong_size(arguments));
        match wrong {
            Some(reason) => Err(GpuError::Launch { kernel: self.entry.name.to_string(), launch: *launch, reason }),
            None => Ok(()),
        }
    }

    fn wrong_shape(&self, launch: &Launch) -> Option<String> {
        let ([_, gy, gz], [_, _, bz]) = (launch.grid.0, launch.block.0);
        if !(1..=1024).contains(&launch.block.count()) || bz > 64 {
            return Some("a block has 1 to 1024 threads, at most 64 along z".to_owned());
        }
        if gy.max(gz) > 65535 {
            return Some("a grid has at most 65535 blocks along y and z".to_owned());
        }
        let most = self.gpu.info().shared_per_block.saturating_sub(self.entry.shared_bytes);
        (launch.shared_bytes > most)
            .then(|| format!("a block has at most {most} bytes of dynamic shared memory here; make blocks smaller"))
    }

    fn wrong_place(&self, arguments: &[Arg<'_>]) -> Option<String> {
        let mut places = arguments.iter().map(|argument| argument.storage().map(|storage| storage.gpu()));
        let index = places.position(|place| place.is_some_and(|gpu| !self.gpu.reaches(gpu)))?;
        let name = &arguments[index].storage()?.gpu().info().name;
        Some(format!("argument {index} (from 0) stands on another device, {name}; call `Gpu::reach` before"))
    }

    fn wrong_size(&self, arguments: &[Arg<'_>]) -> Option<String> {
        let declared = self.entry.argument_bytes.as_ref()?;
        if declared.len() != arguments.len() {
            return Some(format!("it takes {} arguments and was given {}", declared.len(), arguments.len()));
        }
        let pairs = declared.iter().zip(arguments.iter().map(Arg::bytes));
        let (index, (declared, given)) = pairs.enumerate().find(|(_, (declared, given))| *declared != given)?;
        Some(format!("argument {index} (from 0) has {declared} bytes and was given {given}"))
    }
}
