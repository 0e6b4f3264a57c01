//! Messages between a device and its neighbours: packed faces of its block.

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Module};
use craton_sim::Link;

use super::arrays::DeviceBlock;
use super::faces::{Face, Faces};
use crate::exchange::{self, Halo, Messages};
use crate::layout::Layout;
use crate::sweep::Precision;

/// The messages before one half of the step.
struct Round<T: Precision> {
    sent_faces: Faces,
    received_faces: Faces,
    /// Faces sent and received.
    sent: Buffer<T>,
    received: Buffer<T>,
}

/// The messages of a device.
pub struct DeviceMessages<T: Precision> {
    pack: Kernel,
    unpack: Kernel,
    rounds: [Round<T>; 2],
    /// Links to the neighbours.
    pub links: Vec<Link>,
    /// The queue on which messages are packed and sent concurrently with the computation.
    pub queue: Gpu,
}

impl<T: Precision> DeviceMessages<T> {
    /// Creates the messages of a block.
    ///
    /// # Arguments
    /// * `arrivals` – the queue that continues when messages have arrived
    /// * `module` – module of `kernels/taps.cu`
    pub fn new(
        gpu: &Gpu,
        arrivals: &Gpu,
        module: &Module,
        layout: &Layout,
        messages: &Messages,
    ) -> Result<Self, GpuError> {
        let round = |halo| {
            Ok::<_, GpuError>(Round {
                sent_faces: Faces::new(gpu, layout, &faces(layout, halo, &messages.outgoing))?,
                received_faces: Faces::new(gpu, layout, &faces(layout, halo, &messages.incoming))?,
                sent: gpu.zeroed(messages.values())?,
                received: gpu.zeroed(messages.values())?,
            })
        };
        let [first, second] = Halo::BEFORE;
        let queue = gpu.urgent_queue()?;
        Ok(Self {
            pack: module.kernel("pack_faces")?.on(&queue),
            unpack: module.kernel("unpack_faces")?.on(arrivals),
            rounds: [round(first)?, round(second)?],
            links: messages.links.clone(),
            queue,
        })
    }

    /// The send buffer before a half of the step.
    pub fn sent(&self, half: usize) -> &Buffer<T> {
        &self.rounds[half].sent
    }

    /// The receive buffer before a half of the step.
    pub fn received(&mut self, half: usize) -> &mut Buffer<T> {
        &mut self.rounds[half].received
    }

    /// Queues the packing of the send buffer before a half of the step.
    pub fn launch_pack(&self, block: &DeviceBlock<T>, half: usize) -> Result<(), GpuError> {
        let Round { sent_faces: faces, sent, .. } = &self.rounds[half];
        self.pack.launch(
            faces.launch(),
            args![block.grid, &faces.faces, faces.count, faces.threads, &block.fields[1 - half], sent],
        )
    }

    /// Queues the unpacking of the receive buffer into the halo.
    pub fn launch_unpack(&self, block: &DeviceBlock<T>, half: usize) -> Result<(), GpuError> {
        let Round { received_faces: faces, received, .. } = &self.rounds[half];
        self.unpack.launch(
            faces.launch(),
            args![block.grid, &faces.faces, faces.count, faces.threads, &block.fields[1 - half], received],
        )
    }
}

/// The boxes of the faces of a message.
fn faces(layout: &Layout, halo: Halo, faces: &[exchange::Face]) -> Vec<Face> {
    let kind = if halo == Halo::Stresses { 3 } else { 0 };
    let face = |face: &exchange::Face| {
        let (mut first, mut size) = ([0; 3], layout.extent());
        (first[face.axis], size[face.axis]) = (face.first, layout.halo);
        Face { first, size, fields: halo.fields(face.axis).map(|field| field.index() - kind) }
    };
    faces.iter().map(face).collect()
}
