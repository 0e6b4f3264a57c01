//! One half of a step on a device: regular points, rows in layers, points near interfaces.

use std::slice;

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch, Module};

use super::arrays::{DeviceBlock, DeviceRelaxation};
use super::boxes::{Cut, DeviceBox, Shape, THREADS};
use super::images;
use super::marks::{Marks, QUAD};
use crate::regions::{Points, shared};
use crate::setup::Setup;
use crate::sweep::Precision;

/// Launches a kernel of a half of the step on a block; its own arguments follow the semicolon.
macro_rules! launch_step {
    ($kernel:expr, $launch:expr, $block:expr, $half:expr; $($own:expr),*) => {
        launch_step!(@ $kernel, $launch, $block, $half, [$($own),*], match $block.relaxation.as_ref().filter(|_| $half == 1))
    };
    (@ $kernel:expr, $launch:expr, $block:expr, $half:expr, $own:tt, match $relaxation:expr) => {
        match $relaxation {
            None => launch_step!(@ $kernel, $launch, $block, $half, $own, []),
            Some(DeviceRelaxation { losses: [bulk, shear], factors, memory, sets }) => {
                launch_step!(@ $kernel, $launch, $block, $half, $own, [bulk, shear, factors, memory, *sets])
            }
        }
    };
    (@ $kernel:expr, $launch:expr, $block:expr, $half:expr, [$($own:expr),*], [$($last:expr),*]) => {{
        let (block, [lambda, inverse_mu, rho]) = ($block, &$block.material);
        $kernel.launch(
            $launch,
            args![
                block.grid,
                block.coefficients,
                $($own,)*
                &block.fields[1 - $half],
                lambda,
                inverse_mu,
                rho,
                block.layers.slabs,
                &block.layers.factors,
                &block.layers.memory[$half],
                block.sponge(),
                block.sponge_shape,
                block.dt,
                &block.fields[$half]
                $(, $last)*
            ],
        )
    }};
}

/// Boxes of regular points and the kernel that updates them.
struct Boxes {
    kernel: Kernel,
    boxes: Buffer<DeviceBox>,
    launch: Launch,
}

impl Boxes {
    fn new<T: Precision>(gpu: &Gpu, kernel: Kernel, shape: Shape, boxes: &[Points]) -> Result<Self, GpuError> {
        let (boxes, blocks) = shape.share(boxes);
        let shared = if shape.keeps { images::column_bytes::<T>(shape.half_length, shape.width) } else { 0 };
        let launch = Launch::new(blocks, THREADS as u32).shared(shared);
        Ok(Self { kernel, boxes: gpu.upload(&boxes)?, launch })
    }

    fn launch<T: Precision>(&self, half: usize, block: &DeviceBlock<T>, marks: &Marks<T>) -> Result<(), GpuError> {
        launch_step!(self.kernel, self.launch, block, half; &self.boxes, self.boxes.len() as u32, &marks.marks)
    }
}

/// The points of a region.
struct Share {
    /// Points outside layers.
    plain: Boxes,
    /// Ends of rows in layers, or rows with such ends.
    beside: Boxes,
    /// Rows in layers.
    in_layers: Boxes,
    /// Quads near interfaces.
    folded: Kernel,
    list: Buffer<[u32; 4]>,
}

/// A region of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// Inner points, whose stencils stay within the part.
    Inner,
    /// Outer points, which need messages.
    Outer,
}

/// One half of the step: 0 for velocities, 1 for stresses.
pub struct DeviceSweep<T: Precision> {
    half: usize,
    marks: Marks<T>,
    /// Points of the inner and of the outer region.
    shares: [Share; 2],
    queues: Queues,
}

/// The queues of a device on which points are updated.
#[derive(Clone)]
pub struct Queues {
    /// Rows of the inner region.
    pub inner: Gpu,
    /// Other points of the inner region.
    pub beside: Gpu,
    /// The outer region, after the messages have arrived.
    pub outer: Gpu,
}

impl<T: Precision> DeviceSweep<T> {
    /// Distributes the points of a part over threads.
    ///
    /// # Arguments
    /// * `module` – of `kernels/step.cu`, with the kernels of this half
    pub fn new(
        queues: &Queues,
        module: &Module,
        half: usize,
        setup: &Setup<T>,
        device: &DeviceBlock<T>,
    ) -> Result<Self, GpuError> {
        let (block, layout, gpu) = (&setup.block, &setup.block.layout, &queues.inner);
        // Like their kernels, short stencils in layers keep no values along z.
        let shape = Shape {
            width: images::width::<T>(gpu, layout.halo, half == 1 && block.relaxation.is_some()),
            half_length: layout.halo,
            bytes: size_of::<T>(),
            multiprocessors: gpu.info().multiprocessors as usize,
            keeps: layout.halo > 2,
        };
        // The last points at an upper side are near an interface, or in air, where the fields are zero; second-order stencils are not folded.
        let points = if layout.halo > 1 { layout.cells } else { layout.extent() };
        let Cut { in_layers, beside, plain } = shape.cut(points, &device.layers.ranges);
        let kernel = |what: &str| module.kernel(&format!("{}_{what}", ["velocities", "stresses"][half]));
        let marks = Marks::new(gpu, layout, half, &block.classes[half], &block.coefficients)?;
        let share = |region: &[Points], [own, others]: [&Gpu; 2]| {
            let in_region = |boxes: &[Points]| {
                let pairs = boxes.iter().flat_map(|points| region.iter().map(move |piece| (points, piece)));
                pairs.filter_map(|(points, piece)| shared(points, piece)).collect::<Vec<_>>()
            };
            let moved = |what: &str, queue: &Gpu, boxes: &[Points]| {
                let shape = Shape { keeps: shape.keeps || what == "plain", ..shape };
                Boxes::new::<T>(gpu, kernel(what)?.on(queue), shape, &in_region(boxes))
            };
            let holds = |&&[quad, j, k, _]: &&[u32; 4]| {
                let point = [quad as usize * QUAD, j as usize, k as usize];
                region.iter().any(|piece| piece.iter().zip(point).all(|(range, i)| range.contains(&i)))
            };
            Ok::<_, GpuError>(Share {
                plain: moved("plain", own, slice::from_ref(&plain))?,
                beside: moved("beside", own, &beside)?,
                in_layers: moved("in_layers", others, &in_layers)?,
                folded: kernel("folded")?.on(others),
                list: gpu.upload(&marks.list.iter().filter(holds).copied().collect::<Vec<_>>())?,
            })
        };
        let Queues { inner, beside, outer } = queues;
        let shares = [share(&setup.regions.inner, [inner, beside])?, share(&setup.regions.outer, [outer; 2])?];
        Ok(Self { half, marks, shares, queues: queues.clone() })
    }

    /// Queues the half step of a region on the queue of the region.
    pub fn launch(&self, block: &DeviceBlock<T>, region: Region) -> Result<(), GpuError> {
        let share = &self.shares[usize::from(region == Region::Outer)];
        let Queues { inner, beside, .. } = &self.queues;
        let is_beside = region == Region::Inner && (!share.in_layers.boxes.is_empty() || !share.list.is_empty());
        if is_beside {
            beside.wait_for(inner)?;
        }
        share.in_layers.launch(self.half, block, &self.marks)?;
        self.launch_folded(block, share)?;
        share.beside.launch(self.half, block, &self.marks)?;
        share.plain.launch(self.half, block, &self.marks)?;
        if is_beside { inner.wait_for(beside) } else { Ok(()) }
    }

    fn launch_folded(&self, block: &DeviceBlock<T>, Share { folded, list, .. }: &Share) -> Result<(), GpuError> {
        let Marks { patterns, taps, factors, .. } = &self.marks;
        let launch = Launch::covering(list.len() * QUAD, THREADS as u32);
        launch_step!(folded, launch, block, self.half; list, list.len() as u32, patterns, taps, factors)
    }
}
