//! Kernels and their launches.

use std::ffi::c_void;
use std::sync::Arc;

use super::backend::{Code, Entry};
use super::{Arg, Gpu, GpuError, Launch};

/// Maximum number of arguments of a kernel.
const MOST_ARGUMENTS: usize = 64;

/// Kernels loaded on a device.
pub struct Module {
    gpu: Gpu,
    name: String,
    code: Arc<Loaded>,
}

/// Code that stays loaded as long as a kernel or a recording uses it.
struct Loaded(Arc<dyn Code>);

impl Module {
    pub(super) fn new(gpu: Gpu, name: &str, code: Arc<dyn Code>) -> Self {
        Self { gpu, name: name.to_owned(), code: Arc::new(Loaded(code)) }
    }

    /// Looks up a kernel by name; it is bound to the queue that loaded the module.
    ///
    /// # Errors
    /// [`GpuError::NoKernel`] if the image does not contain it.
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

    /// Registers per thread; 0 on the emulated device.
    pub fn registers(&self) -> u32 {
        self.entry.registers
    }

    /// Static shared memory [bytes per block].
    pub fn shared_bytes(&self) -> u32 {
        self.entry.shared_bytes
    }

    /// Local memory, for instance spilled registers [bytes per thread].
    pub fn local_bytes(&self) -> u32 {
        self.entry.local_bytes
    }

    /// Queues the kernel.
    ///
    /// This function is safe although a kernel may write to any address: kernels are part of this program and trusted like its
    /// own code. The emulated device checks number and size of their arguments.
    ///
    /// # Panics
    /// If there are more than 64 arguments.
    ///
    /// # Errors
    /// [`GpuError::Launch`] if the shape or the arguments are invalid; [`GpuError::Fault`] if earlier work failed.
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

    /// Maximum number of co-resident blocks for the threads and shared memory of a launch on an otherwise idle device; the limit of
    /// [`Launch::together`]. 0 if a block does not fit, or the device does not support cooperative launches.
    ///
    /// Other kernels and processes on the same GPU only delay such a launch: its blocks begin when all of them fit. Two such launches that do not
    /// fit concurrently run one after the other. Verified by `queues::blocks_wait_for_one_another_in_two_queues`.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when earlier work failed.
    pub fn blocks_together(&self, launch: Launch) -> Result<u32, GpuError> {
        if self.wrong_shape(&launch).is_some() {
            return Ok(0);
        }
        self.gpu.backend().blocks_together(&self.entry, &launch)
    }

    /// Refuses a shape that no device supports, and arguments that the kernel does not declare or cannot access.
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
