//! Device memory that is lent to another library: MPI.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use super::GpuError;
use super::backend::Reached;
use super::buffer::Storage;

/// Device memory lent to another library for reading, kept alive until dropped; see [`Buffer::lend`](super::Buffer::lend).
///
/// The library is not ordered with queues: wait for a [`Mark`] behind the work that writes the bytes, and queue work that overwrites them only
/// after the library has read them.
pub struct Lent {
    memory: Arc<Storage>,
    address: u64,
    bytes: usize,
}

impl Lent {
    pub(super) fn new(memory: &Arc<Storage>, address: u64, bytes: usize) -> Self {
        Self { memory: memory.clone(), address, bytes }
    }

    /// Device address of the first byte, which the host cannot dereference; for the emulated device, a host address.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }
}

impl Debug for Lent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Lent({} bytes on {})", self.bytes, self.memory.gpu().info().name)
    }
}

/// Device memory lent to another library for writing; see [`Buffer::lend_mut`](super::Buffer::lend_mut).
///
/// The library is not ordered with queues: wait for a [`Mark`] behind the work that uses the previous bytes, and queue work that reads the new
/// ones only after the library has written them.
#[derive(Debug)]
pub struct LentMut(pub(super) Lent);

impl LentMut {
    /// Address of the first byte, as [`Lent::address`].
    pub fn address(&self) -> u64 {
        self.0.address
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.0.bytes
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A position in a queue; see [`Gpu::mark`](super::Gpu::mark).
pub struct Mark(pub(super) Box<dyn Reached>);

impl Mark {
    /// Waits until the device has completed the work queued before the mark. It also makes the context current on the calling thread, as other
    /// libraries expect.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when work on the device failed.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.0.wait()
    }
}
