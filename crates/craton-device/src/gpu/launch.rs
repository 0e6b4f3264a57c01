//! Shape and arguments of a launch.

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use bytemuck::Pod;

use super::Buffer;
use super::buffer::Storage;

/// Extent of a grid or a block along x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent(pub [u32; 3]);

impl Extent {
    /// Number of blocks or threads.
    pub fn count(self) -> u64 {
        self.0.iter().map(|&n| u64::from(n)).product()
    }
}

impl From<u32> for Extent {
    fn from(x: u32) -> Self {
        Self([x, 1, 1])
    }
}

impl From<[u32; 2]> for Extent {
    fn from([x, y]: [u32; 2]) -> Self {
        Self([x, y, 1])
    }
}

impl From<[u32; 3]> for Extent {
    fn from(extent: [u32; 3]) -> Self {
        Self(extent)
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [x, 1, 1] => write!(f, "{x}"),
            [x, y, z] => write!(f, "{x}x{y}x{z}"),
        }
    }
}

/// Shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks.
    pub grid: Extent,
    /// Threads per block, at most 1024.
    pub block: Extent,
    /// Dynamic shared memory per block [bytes]; above 48 kB the limit of the kernel is raised automatically.
    pub shared_bytes: u32,
    /// Whether all blocks are co-resident, so that they may wait for one another.
    pub together: bool,
}

impl Launch {
    /// A launch of `grid` blocks of `block` threads without dynamic shared memory. An empty grid does nothing.
    pub fn new(grid: impl Into<Extent>, block: impl Into<Extent>) -> Self {
        Self { grid: grid.into(), block: block.into(), shared_bytes: 0, together: false }
    }

    /// A launch of enough blocks of `block` threads to cover `threads` threads.
    ///
    /// # Panics
    /// If that is more than 2^31 - 1 blocks, or `block` is zero.
    pub fn covering(threads: usize, block: u32) -> Self {
        let blocks = threads.div_ceil(block as usize);
        Self::new(i32::try_from(blocks).expect("at most 2^31 - 1 blocks").unsigned_abs(), block)
    }

    /// Sets the dynamic shared memory per block [bytes].
    pub fn shared(self, bytes: u32) -> Self {
        Self { shared_bytes: bytes, ..self }
    }

    /// Makes the launch cooperative: all blocks are co-resident, so that they may wait for one another. None begins before all of them fit.
    ///
    /// A launch of more blocks than [`Kernel::blocks_together`](super::Kernel::blocks_together) is refused.
    pub fn together(self) -> Self {
        Self { together: true, ..self }
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} blocks of {} threads and {} bytes of shared memory", self.grid, self.block, self.shared_bytes)?;
        if self.together { write!(f, " at once") } else { Ok(()) }
    }
}

/// One argument of a launch.
#[derive(Clone, Copy)]
pub struct Arg<'a>(pub(super) Content<'a>);

/// Content of an argument.
#[derive(Clone, Copy)]
pub(super) enum Content<'a> {
    /// A device address, and the memory behind it.
    Address { address: u64, storage: Option<&'a Arc<Storage>> },
    /// A value, copied by the launch.
    Value(&'a [u8]),
}

impl Arg<'_> {
    /// Host pointer to the value of the argument.
    pub(super) fn pointer(&self) -> *mut c_void {
        match &self.0 {
            Content::Address { address, .. } => std::ptr::from_ref(address).cast_mut().cast(),
            Content::Value(bytes) => bytes.as_ptr().cast_mut().cast(),
        }
    }

    /// Size of the value of the argument.
    pub(super) fn bytes(&self) -> usize {
        match &self.0 {
            Content::Address { .. } => size_of::<u64>(),
            Content::Value(bytes) => bytes.len(),
        }
    }

    /// The memory behind an address.
    pub(super) fn storage(&self) -> Option<&Arc<Storage>> {
        match &self.0 {
            Content::Address { storage, .. } => *storage,
            Content::Value(_) => None,
        }
    }
}

/// Types of kernel arguments: `&Buffer`, `&mut Buffer` (for writing), [`OrNull`], and plain values.
pub trait Argument {
    /// The argument as a launch takes it.
    fn arg(&self) -> Arg<'_>;
}

impl<T: Pod> Argument for T {
    fn arg(&self) -> Arg<'_> {
        Arg(Content::Value(bytemuck::bytes_of(self)))
    }
}

impl<T: Pod> Argument for &Buffer<T> {
    fn arg(&self) -> Arg<'_> {
        Arg(Content::Address { address: self.address(), storage: Some(self.storage()) })
    }
}

impl<T: Pod> Argument for &mut Buffer<T> {
    fn arg(&self) -> Arg<'_> {
        Arg(Content::Address { address: self.address(), storage: Some(self.storage()) })
    }
}

/// An optional buffer; `None` is passed as a null pointer.
pub struct OrNull<'a, T: Pod>(pub Option<&'a Buffer<T>>);

impl<T: Pod> Argument for OrNull<'_, T> {
    fn arg(&self) -> Arg<'_> {
        match self.0 {
            Some(buffer) => Arg(Content::Address { address: buffer.address(), storage: Some(buffer.storage()) }),
            None => Arg(Content::Address { address: 0, storage: None }),
        }
    }
}

/// The arguments of a launch, in the kernel's order: `kernel.launch(shape, args![&buffer, &mut sums, 3_u32, 0.5_f32])`.
///
/// Use it directly in the call, because it borrows its arguments.
#[macro_export]
macro_rules! args {
    ($($argument:expr),* $(,)?) => {
        &[$($crate::gpu::Argument::arg(&$argument)),*]
    };
}
