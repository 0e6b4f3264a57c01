//! Memory of a device that another library uses in place: MPI.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use super::GpuError;
use super::backend::Reached;
use super::buffer::Storage;

/// Bytes of a device for another library to read, kept until it is dropped; see [`Buffer::lend`](super::Buffer::lend).
///
/// The library stands in no queue: wait for a [`Mark`] behind the work that writes them, and queue what overwrites them once it has read them.
pub struct Lent {
    memory: Arc<Storage>,
    address: u64,
    bytes: usize,
}

impl Lent {
    pub(super) fn new(memory: &Arc<Storage>, address: u64, bytes: usize) -> Self {
        Self { memory: memory.clone(), address, bytes }
    }

    /// Address of the first byte: the device's own, which this processor cannot read; that of the emulated device is the host's.
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

/// Bytes of a device for another library to write; see [`Buffer::lend_mut`](super::Buffer::lend_mut).
///
/// The library stands in no queue: wait for a [`Mark`] behind the work that uses what the bytes held, and queue what reads them once they are there.
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

/// A place in a queue; see [`Gpu::mark`](super::Gpu::mark).
pub struct Mark(pub(super) Box<dyn Reached>);

impl Mark {
    /// Waits until the device has done what was queued before the mark. Its context is then the calling thread's, as other libraries expect.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when work on the device failed.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.0.wait()
    }
}
