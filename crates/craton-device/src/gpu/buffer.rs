//! Arrays on a device.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;

use super::backend::Arriving;
use super::{Gpu, GpuError, Lent, LentMut};

/// Device memory, freed when no buffer, recording or fetch uses it any more.
pub(super) struct Storage {
    gpu: Gpu,
    address: u64,
    bytes: usize,
}

impl Storage {
    fn new(gpu: &Gpu, bytes: usize) -> Result<Self, GpuError> {
        let address = if bytes == 0 { 0 } else { gpu.backend().allocate(bytes)? };
        gpu.count_allocated(bytes);
        Ok(Self { gpu: gpu.clone(), address, bytes })
    }

    /// The device that owns the memory.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.gpu.backend().release(self.address);
            self.gpu.count_released(self.bytes);
        }
    }
}

/// An array of plain values on a device.
///
/// Dropping it waits for the work that may still use it. Kernels read it as `const T*` and write it as `T*`.
pub struct Buffer<T: Pod> {
    storage: Arc<Storage>,
    len: usize,
    values: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    pub(super) fn zeroed(gpu: &Gpu, len: usize) -> Result<Self, GpuError> {
        gpu.refuse_while_recording("allocate memory")?;
        let bytes = len.checked_mul(size_of::<T>()).expect("the array fits into the address space");
        let storage = Arc::new(Storage::new(gpu, bytes)?);
        if bytes > 0 {
            gpu.backend().clear(storage.address, bytes)?;
        }
        Ok(Self { storage, len, values: PhantomData })
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes held on the device.
    pub fn bytes(&self) -> usize {
        self.storage.bytes
    }

    /// The device that owns the buffer, with the queue of its copies.
    pub fn gpu(&self) -> &Gpu {
        &self.storage.gpu
    }

    /// Copies all values to the host, after the work queued so far.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when earlier work failed.
    pub fn download(&self) -> Result<Vec<T>, GpuError> {
        self.download_range(0..self.len)
    }

    /// Copies the values of a range to the host, after the work queued so far.
    ///
    /// # Panics
    /// If the range reaches beyond the array.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when earlier work failed.
    pub fn download_range(&self, range: Range<usize>) -> Result<Vec<T>, GpuError> {
        let mut values = vec![T::zeroed(); range.len()];
        self.download_into(range, &mut values)?;
        Ok(values)
    }

    /// Copies the values of a range into `values`, after the work queued so far.
    ///
    /// # Panics
    /// If the range reaches beyond the array or has another length than `values`.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when earlier work failed.
    pub fn download_into(&self, range: Range<usize>, values: &mut [T]) -> Result<(), GpuError> {
        self.gpu().refuse_while_recording("download")?;
        let (from, len) = self.place(&range);
        assert_eq!(len, values.len(), "room for {} values of the range {range:?}", values.len());
        if len == 0 { Ok(()) } else { self.gpu().backend().read(from, bytemuck::cast_slice_mut(values)) }
    }

    /// Replaces the values of a range, after the work queued so far, and waits for completion.
    ///
    /// # Panics
    /// If the range reaches beyond the array or has another length than `values`.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when earlier work failed.
    pub fn write(&mut self, range: Range<usize>, values: &[T]) -> Result<(), GpuError> {
        self.gpu().refuse_while_recording("write to a buffer")?;
        let (to, len) = self.place(&range);
        assert_eq!(len, values.len(), "{} values for the range {range:?}", values.len());
        if len == 0 { Ok(()) } else { self.gpu().backend().write(to, bytemuck::cast_slice(values)) }
    }

    /// Replaces all values. If the length is unchanged the copy is in place, because freeing memory waits for all queues of the device.
    ///
    /// # Errors
    /// Those of [`Gpu::upload`] and of [`Self::write`].
    pub fn refill(&mut self, values: &[T]) -> Result<(), GpuError> {
        if values.len() == self.len {
            return self.write(0..self.len, values);
        }
        *self = self.gpu().clone().upload(values)?;
        Ok(())
    }

    /// Queues filling of all values with zeros.
    ///
    /// # Errors
    /// [`GpuError::Refused`] when the driver does not take it.
    pub fn clear(&mut self) -> Result<(), GpuError> {
        if self.is_empty() {
            return Ok(());
        }
        self.gpu().keep(&self.storage);
        self.gpu().backend().clear(self.storage.address, self.bytes())
    }

    /// Queues a copy of `range` of `from` to the values from `at` on; `queue` must be a queue of the device of this buffer.
    ///
    /// `from` may be on another device; [`Gpu::reach`] makes that copy direct. The queues are not ordered with each other:
    /// see [`Gpu::wait_for`].
    ///
    /// # Panics
    /// If a range reaches beyond its array, or one is emulated and the other is not.
    ///
    /// # Errors
    /// [`GpuError::Refused`] when the driver does not take it.
    pub fn copy_from(&mut self, queue: &Gpu, at: usize, from: &Self, range: Range<usize>) -> Result<(), GpuError> {
        assert_eq!(queue.is_emulated(), from.gpu().is_emulated(), "a copy between devices of one kind");
        let (source, len) = from.place(&range);
        let (to, _) = self.place(&(at..at + len));
        if len == 0 {
            return Ok(());
        }
        queue.keep(&self.storage);
        queue.keep(&from.storage);
        queue.backend().copy(to, source, len * size_of::<T>())
    }

    /// Lends a range to another library for reading.
    ///
    /// # Panics
    /// If the range reaches beyond the array.
    pub fn lend(&self, range: Range<usize>) -> Lent {
        let (address, len) = self.place(&range);
        Lent::new(&self.storage, address, len * size_of::<T>())
    }

    /// Lends a range to another library for writing.
    ///
    /// # Panics
    /// If the range reaches beyond the array.
    pub fn lend_mut(&mut self, range: Range<usize>) -> LentMut {
        LentMut(self.lend(range))
    }

    pub(super) fn fetch(&self, queue: &Gpu, range: Range<usize>) -> Result<Fetch<T>, GpuError> {
        queue.refuse_while_recording("fetch")?;
        let (from, len) = self.place(&range);
        let arriving = if len == 0 { None } else { Some(queue.backend().fetch(from, len * size_of::<T>())?) };
        Ok(Fetch { arriving, _storage: self.storage.clone(), values: PhantomData })
    }

    pub(super) fn address(&self) -> u64 {
        self.storage.address
    }

    pub(super) fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// Address and length of a range.
    fn place(&self, range: &Range<usize>) -> (u64, usize) {
        assert!(
            range.start <= range.end && range.end <= self.len,
            "the range {range:?} of a buffer of {} values",
            self.len
        );
        (self.storage.address + (range.start * size_of::<T>()) as u64, range.len())
    }
}

/// An asynchronous copy from a device to the host; see [`Gpu::fetch_start`].
pub struct Fetch<T: Pod> {
    // Dropped before the source memory: dropping it waits for the copy.
    arriving: Option<Box<dyn Arriving>>,
    _storage: Arc<Storage>,
    values: PhantomData<T>,
}

impl<T: Pod> Fetch<T> {
    /// Whether the values have arrived, so that [`Fetch::wait`] returns immediately.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when work on the device failed.
    pub fn is_here(&self) -> Result<bool, GpuError> {
        self.arriving.as_ref().map_or(Ok(true), |arriving| arriving.is_here())
    }

    /// Waits for the values.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when work on the device failed.
    pub fn wait(&self) -> Result<&[T], GpuError> {
        match &self.arriving {
            Some(arriving) => Ok(bytemuck::cast_slice(arriving.wait()?)),
            None => Ok(&[]),
        }
    }
}
