//! Messages in device memory, and whether MPI supports them; neither is part of the MPI standard.
#![allow(unsafe_code)] // MPI takes raw addresses; the query function exists only in some MPIs, so it is looked up by name

use super::Mpi;
use craton_comm::{CommError, DeviceRanks, Message, check_addresses};
use craton_device::gpu::{Lent, LentMut};
use mpi::Count;
use mpi::datatype::{AsDatatype, Collection, Pointer, PointerMut, SystemDatatype};
use mpi::traits::{Buffer, BufferMut, Equivalence};
use std::ffi::{c_int, c_void};
use std::ops::Range;

impl DeviceRanks for Mpi {
    fn reach_devices(&self) -> bool {
        supports_device_memory()
    }

    fn exchange_in_place(
        &self,
        outgoing: &[Message<Lent>],
        incoming: &mut [Message<LentMut>],
    ) -> Result<(), CommError> {
        check_addresses(self.count, outgoing, incoming)?;
        let mut spans = Vec::new();
        for message in outgoing {
            spans.extend(self.spans(message.with(message.bytes.address()), message.bytes.len()));
        }
        let mut places = Vec::new();
        for message in incoming.iter_mut() {
            places.extend(self.spans(message.with(message.bytes.address()), message.bytes.len()));
        }
        let sent = spans.iter().map(|piece| piece.with(&piece.bytes)).collect();
        let awaited = places.iter_mut().map(|Message { rank, tag, bytes }| Message { rank: *rank, tag: *tag, bytes });
        let received = self.transfer(sent, awaited.collect(), &mut || ());
        self.check_lengths(incoming.iter().map(|message| message.with(message.bytes.len())), received)
    }
}

impl Mpi {
    /// The pieces of a message of `bytes` bytes at an address.
    fn spans(&self, message: Message<u64>, bytes: usize) -> impl Iterator<Item = Message<Span>> + use<> {
        self.pieces(bytes).map(move |piece| message.with(Span::new(message.bytes, piece)))
    }
}

/// A piece of a message in device memory. The creator must keep that memory alive until MPI is done with it.
struct Span {
    start: *mut c_void,
    bytes: Count,
}

impl Span {
    fn new(address: u64, piece: Range<usize>) -> Self {
        let bytes = Count::try_from(piece.len()).expect("a piece is not longer than MPI can count");
        Self { start: (address as usize + piece.start) as *mut c_void, bytes }
    }
}

// SAFETY: `bytes` from `start` on are in lent memory for the duration of the exchange. Only MPI dereferences the pointer.
unsafe impl Pointer for Span {
    fn pointer(&self) -> *const c_void {
        self.start
    }
}

// SAFETY: as above; receive buffers are lent for writing.
unsafe impl PointerMut for Span {
    fn pointer_mut(&mut self) -> *mut c_void {
        self.start
    }
}

// SAFETY: a message consists of bytes.
unsafe impl AsDatatype for Span {
    type Out = SystemDatatype;

    fn as_datatype(&self) -> SystemDatatype {
        u8::equivalent_datatype()
    }
}

// SAFETY: as for `Pointer`.
unsafe impl Collection for Span {
    fn count(&self) -> Count {
        self.bytes
    }
}

// SAFETY: the three trait implementations above describe the same bytes.
unsafe impl Buffer for Span {}
// SAFETY: as above.
unsafe impl BufferMut for Span {}

/// Queries the MPI of this process; an MPI without the query function is assumed not to support device memory.
#[cfg(unix)]
fn supports_device_memory() -> bool {
    let process = libloading::os::unix::Library::this();
    // SAFETY: Open MPI and MPICH declare `int MPIX_Query_cuda_support(void)`, and no other library uses MPI's prefix.
    unsafe {
        process.get::<unsafe extern "C" fn() -> c_int>(b"MPIX_Query_cuda_support\0").is_ok_and(|query| query() == 1)
    }
}

/// Support of device memory cannot be queried on this operating system.
#[cfg(not(unix))]
fn supports_device_memory() -> bool {
    false
}
