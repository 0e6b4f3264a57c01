//! Messages between a device and its neighbours: force sums on cut nodes.

use std::ops::Range;

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};
use craton_sim::Link;

/// Threads of a block, each of which packs a vector.
const THREADS: u32 = 256;

/// The force sums that update nodes: those of the device, followed by received ones and those of the other phase.
///
/// The components of a sum are `stride` values apart. The sums of a message begin at a multiple of `3 stride` values.
pub struct Slots<T: Scalar> {
    /// All sums.
    pub values: Buffer<T>,
    /// Distance between the components of a sum.
    pub stride: usize,
    /// Index of the first received value.
    pub received: usize,
}

impl<T: Scalar> Slots<T> {
    /// Allocates slots for `own` values and for received ones.
    pub fn new(gpu: &Gpu, stride: usize, own: usize, received: &MessageLayout) -> Result<Self, GpuError> {
        Ok(Self { values: gpu.zeroed(own + received.values())?, stride, received: own })
    }
}

/// Layout of the sums of messages in an array.
pub struct MessageLayout {
    /// Number of components of a sum.
    components: usize,
    stride: usize,
    /// Range of the sums of each message, in vectors; the start is aligned to `stride`.
    messages: Vec<Range<usize>>,
}

impl MessageLayout {
    /// Lays out messages with `counts` sums.
    pub fn new(components: usize, stride: usize, counts: impl Iterator<Item = usize>) -> Self {
        let mut start = 0;
        let message = |count: usize| {
            let message = start..start + count;
            start = message.end.next_multiple_of(stride);
            message
        };
        Self { components, stride, messages: counts.map(message).collect() }
    }

    /// Number of messages.
    pub fn messages(&self) -> usize {
        self.messages.len()
    }

    /// Index of the first component of a sum of a message.
    pub fn place(&self, message: usize, sum: usize) -> usize {
        let vector = self.messages[message].start + sum;
        vector / self.stride * self.components * self.stride + vector % self.stride
    }

    /// Indices of the first components of all sums, message by message.
    pub fn places(&self) -> impl Iterator<Item = usize> {
        let sums =
            self.messages.iter().enumerate().flat_map(|(message, sums)| (0..sums.len()).map(move |sum| (message, sum)));
        sums.map(|(message, sum)| self.place(message, sum))
    }

    /// Range of the values of a message.
    pub fn range(&self, message: usize) -> Range<usize> {
        let Range { start, end } = self.messages[message];
        self.components * start..self.components * end.next_multiple_of(self.stride)
    }

    /// Total number of values.
    pub fn values(&self) -> usize {
        self.messages.last().map_or(0, |last| self.components * last.end.next_multiple_of(self.stride))
    }
}

/// The messages of a device.
pub struct Messages<T: Scalar> {
    collect: Kernel,
    places: Buffer<u32>,
    stride: u32,
    /// Outgoing values.
    pub outgoing: Buffer<T>,
    /// Neighbours, with ranges of `outgoing` and of the slots.
    pub links: Vec<Link>,
    /// The queue that copies messages, concurrently with the compute queue.
    pub queue: Gpu,
}

impl<T: Scalar> Messages<T> {
    /// Allocates the messages of a device.
    ///
    /// # Arguments
    /// * `neighbours` – links to the neighbours, with ranges in sums
    /// * `sums` – index of the first component of each sum of each message in `slots`
    /// * `incoming` – layout of the incoming messages
    pub fn new(
        gpu: &Gpu,
        collect: Kernel,
        neighbours: &[Link],
        sums: &[Vec<u32>],
        slots: &Slots<T>,
        incoming: &MessageLayout,
    ) -> Result<Self, GpuError> {
        let outgoing = MessageLayout::new(incoming.components, slots.stride, sums.iter().map(Vec::len));
        let mut places = vec![0; outgoing.values() / outgoing.components];
        for (message, sums) in sums.iter().enumerate() {
            places[outgoing.messages[message].clone()].copy_from_slice(sums);
        }
        let link = |(message, neighbour): (usize, &Link)| {
            let Range { start, end } = incoming.range(message);
            let incoming = slots.received + start..slots.received + end;
            Link { part: neighbour.part, outgoing: outgoing.range(message), incoming }
        };
        Ok(Self {
            collect,
            places: gpu.upload(&places)?,
            stride: slots.stride as u32,
            outgoing: gpu.zeroed(outgoing.values())?,
            links: neighbours.iter().enumerate().map(link).collect(),
            queue: gpu.another_queue()?,
        })
    }

    /// Enqueues the packing of the outgoing messages.
    pub fn launch(&self, slots: &Slots<T>) -> Result<(), GpuError> {
        self.collect.launch(
            Launch::covering(self.places.len(), THREADS),
            args![&self.places, self.places.len() as u32, &slots.values, self.stride, &self.outgoing],
        )
    }
}
