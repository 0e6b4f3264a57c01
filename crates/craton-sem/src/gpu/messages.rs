//! What a device sends to its neighbours and receives from them: sums of forces on cut nodes.

use std::ops::Range;

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};
use craton_sim::Link;

/// Threads of a block; each collects a vector.
const THREADS: u32 = 256;

/// The sums of forces from which nodes are moved: a device's own, and behind them what it receives.
///
/// The components of a sum stand `stride` apart; sums of one message begin at a multiple of `3 stride` values.
pub struct Slots<T: Scalar> {
    /// All of them.
    pub values: Buffer<T>,
    /// Distance of the components.
    pub stride: usize,
    /// First value that is received.
    pub received: usize,
}

impl<T: Scalar> Slots<T> {
    /// Room for `own` values and for what is received.
    pub fn new(gpu: &Gpu, stride: usize, own: usize, received: &MessageLayout) -> Result<Self, GpuError> {
        Ok(Self { values: gpu.zeroed(own + received.values())?, stride, received: own })
    }
}

/// Where the sums of messages stand in a run of values.
pub struct MessageLayout {
    stride: usize,
    /// Sums of each message, padded: `[start, end)` in vectors.
    messages: Vec<Range<usize>>,
}

impl MessageLayout {
    /// Of messages with so many sums each.
    pub fn new(stride: usize, counts: impl Iterator<Item = usize>) -> Self {
        let mut start = 0;
        let message = |count: usize| {
            let message = start..start + count;
            start = message.end.next_multiple_of(stride);
            message
        };
        Self { stride, messages: counts.map(message).collect() }
    }

    /// First component of a sum of a message.
    pub fn place(&self, message: usize, sum: usize) -> usize {
        let vector = self.messages[message].start + sum;
        vector / self.stride * 3 * self.stride + vector % self.stride
    }

    /// First components of all sums, message by message.
    pub fn places(&self) -> impl Iterator<Item = usize> {
        let sums =
            self.messages.iter().enumerate().flat_map(|(message, sums)| (0..sums.len()).map(move |sum| (message, sum)));
        sums.map(|(message, sum)| self.place(message, sum))
    }

    /// Values of a message.
    pub fn range(&self, message: usize) -> Range<usize> {
        let Range { start, end } = self.messages[message];
        3 * start..3 * end.next_multiple_of(self.stride)
    }

    /// Values in all.
    pub fn values(&self) -> usize {
        self.messages.last().map_or(0, |last| 3 * last.end.next_multiple_of(self.stride))
    }
}

/// The messages of a device.
pub struct Messages<T: Scalar> {
    collect: Kernel,
    places: Buffer<u32>,
    stride: u32,
    /// What is sent.
    pub outgoing: Buffer<T>,
    /// The neighbours: values that each gets, and those of `slots` that come from it.
    pub links: Vec<Link>,
    /// The queue on which messages travel beside the work.
    pub queue: Gpu,
}

impl<T: Scalar> Messages<T> {
    /// Of a device with these neighbours.
    ///
    /// # Arguments
    /// * `neighbours` – their links, in sums
    /// * `sums` – first component of each sum of each message, among the device's own
    /// * `incoming` – where messages are received
    pub fn new(
        gpu: &Gpu,
        collect: Kernel,
        neighbours: &[Link],
        sums: &[Vec<u32>],
        slots: &Slots<T>,
        incoming: &MessageLayout,
    ) -> Result<Self, GpuError> {
        let outgoing = MessageLayout::new(slots.stride, sums.iter().map(Vec::len));
        let mut places = vec![0; outgoing.values() / 3];
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

    /// Queues the collection of what is sent.
    pub fn launch(&self, slots: &Slots<T>) -> Result<(), GpuError> {
        self.collect.launch(
            Launch::covering(self.places.len(), THREADS),
            args![&self.places, self.places.len() as u32, &slots.values, self.stride, &self.outgoing],
        )
    }
}
