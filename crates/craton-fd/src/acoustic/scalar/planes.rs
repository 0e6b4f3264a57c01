//! A step of the scalar wave equation in consecutive planes across z, divided among threads.

use std::ops::Range;

use craton_device::Isa;
use craton_fd_kernels::{AcousticPrecision, ScalarFactors, ScalarLayer as LayerOfRow, ScalarRow};

use super::layers::{MARGIN, ROW_MARGIN, ScalarLayer};
use super::parts::ScalarParts;
use crate::acoustic::layout::Layout;
use crate::layout::GROUP;

/// Cache of a core for the rows that the stencils of a block of rows read [bytes].
const NEAR: usize = 3 << 17;
/// Smallest number of values of a thread.
const GRAIN: usize = 1 << 16;

/// What all planes of a step share.
pub struct Step<'a, T: AcousticPrecision> {
    pub layout: &'a Layout,
    pub parts: &'a ScalarParts<T>,
    /// Pressure at the present step.
    pub now: &'a [T],
    /// ψ of the previous step for each side; empty without a layer.
    pub before: [&'a [T]; 6],
    pub half_length: usize,
    pub isa: Isa,
    /// Smallest number of planes of a thread.
    pub fewest: usize,
}

/// ψ of this step and χ of each side; empty without a layer.
pub type Memory<'a, T> = [[&'a mut [T]; 2]; 6];

/// Consecutive planes, with the parts of the layers in them.
pub struct Planes<'a, T> {
    planes: Range<usize>,
    /// The updated pressure from the first point of the first plane on.
    target: &'a mut [T],
    /// ψ of this step and χ of the layer of each side, from the first plane of the layer on that is one of these planes.
    memory: Memory<'a, T>,
}

impl<T: AcousticPrecision> Step<'_, T> {
    /// Smallest number of planes per thread for a number of threads: halos are read several times.
    pub fn fewest_planes(layout: &Layout, half_length: usize, threads: usize) -> usize {
        let of_grain = GRAIN.div_ceil(layout.stride[2]);
        (layout.cells[2] / (4 * threads)).max(4 * half_length).max(of_grain)
    }

    /// Rows whose neighbours in all planes of the stencil fit into the cache.
    fn rows_at_once(&self) -> usize {
        let row = self.layout.stride[1] * size_of::<T>();
        let rows = NEAR / (row * (2 * self.half_length + 1));
        rows.saturating_sub(2 * self.half_length).max(4)
    }
}

impl<'a, T: AcousticPrecision> Planes<'a, T> {
    /// All planes.
    ///
    /// # Arguments
    /// * `pressure` – of the previous step, which becomes that of the next one
    /// * `memory` – ψ of this step and χ of each side
    pub fn new(step: &Step<T>, pressure: &'a mut [T], mut memory: Memory<'a, T>) -> Self {
        for (layer, [after, _]) in step.parts.layers.iter().zip(&mut memory) {
            // The margin below the first plane of a layer normal to z is never updated.
            if let Some(layer) = layer.as_ref().filter(|layer| layer.axis == 2) {
                let [nx, ny, _] = layer.face_shape();
                *after = &mut std::mem::take(after)[MARGIN * nx * ny..];
            }
        }
        let first = step.layout.row(0, 0);
        Self { planes: 0..step.layout.cells[2], target: &mut pressure[first..], memory }
    }

    /// Updates the planes, recursively split over idle threads.
    pub fn advance(self, step: &Step<T>) {
        if self.planes.len() < 2 * step.fewest {
            return self.advance_rows(step);
        }
        let [low, high] = self.split(step);
        rayon::join(|| low.advance(step), || high.advance(step));
    }

    fn split(self, step: &Step<T>) -> [Self; 2] {
        let Self { planes: Range { start, end }, target, memory } = self;
        let middle = start.midpoint(end);
        let (low, high) = target.split_at_mut((middle - start) * step.layout.stride[2]);
        let (mut of_low, mut of_high): (Memory<T>, Memory<T>) = Default::default();
        for (side, [after, chi]) in memory.into_iter().enumerate() {
            let Some(layer) = &step.parts.layers[side] else { continue };
            let within =
                |plane: usize| if layer.axis == 2 { plane.clamp(layer.range.start, layer.range.end) } else { plane };
            let count = within(middle) - within(start);
            let [of_faces, of_centres] = [layer.face_shape(), layer.shape].map(|[nx, ny, _]| nx * ny * count);
            let (low, high) = (after.split_at_mut(of_faces), chi.split_at_mut(of_centres));
            (of_low[side], of_high[side]) = ([low.0, high.0], [low.1, high.1]);
        }
        [
            Self { planes: start..middle, target: low, memory: of_low },
            Self { planes: middle..end, target: high, memory: of_high },
        ]
    }

    /// Updates the planes in blocks of rows, so that a plane finds the neighbours of its rows in the cache.
    fn advance_rows(mut self, step: &Step<T>) {
        let (rows, at_once) = (step.layout.cells[1], step.rows_at_once());
        for first in (0..rows).step_by(at_once) {
            for k in self.planes.clone() {
                for j in first..rows.min(first + at_once) {
                    self.advance_row(step, j, k);
                }
            }
        }
    }

    fn advance_row(&mut self, step: &Step<T>, j: usize, k: usize) {
        let Step { layout, parts, now, half_length, isa, .. } = *step;
        let (at, len, start) = (layout.row(j, k), layout.groups * GROUP, self.planes.start);
        let mut of_sides = self.memory.iter_mut().enumerate();
        let mut layer = || {
            let (side, memory) = of_sides.next()?;
            row_of(parts.layers[side].as_ref()?, step.before[side], memory, [j, k, start])
        };
        let layers = [[layer(), layer()], [layer(), layer()], [layer(), layer()]];
        let row = ScalarRow {
            now,
            at,
            stride: layout.stride,
            weights: &parts.weights,
            factor: &parts.factor[at..at + len],
            layers,
            target: &mut self.target[at - layout.row(0, start)..][..len],
        };
        T::advance_scalar(isa, half_length, row);
    }
}

/// The part of a layer in row j of plane k, if there is one.
///
/// # Arguments
/// * `memory` – ψ and χ from plane `start` on
fn row_of<'a, T: AcousticPrecision>(
    layer: &'a ScalarLayer<T>,
    before: &'a [T],
    [after, chi]: &'a mut [&mut [T]; 2],
    [j, k, start]: [usize; 3],
) -> Option<LayerOfRow<'a, T>> {
    let (ScalarLayer { axis, own, range, .. }, [nx, ny, _]) = (layer, layer.shape);
    let [fx, fy, _] = layer.face_shape();
    let (axis, own) = (*axis, *own);
    let index = [0, j, k][axis];
    if axis > 0 && !range.contains(&index) {
        return None;
    }
    // Row and plane in the memory of centres and of faces, and the first plane of the part.
    let within = index.wrapping_sub(range.start);
    let (row, plane, first, step) = match axis {
        0 => (j, k, start, 1),
        1 => (within, k, start, fx),
        _ => (j, within, start.max(range.start) - range.start, fx * fy),
    };
    let [x, y, z] = [
        if axis == 0 { ROW_MARGIN } else { 0 },
        if axis == 1 { MARGIN } else { 0 },
        if axis == 2 { MARGIN } else { 0 },
    ];
    let in_plane = (row + y) * fx + x;
    let factors = if axis == 0 {
        let [faces, centres] = [&layer.faces, &layer.centres].map(|lists| [&lists[0][..], &lists[1][..]]);
        ScalarFactors::Along { faces: faces.map(|list| &list[1 - own..]), centres }
    } else {
        let face = |face: usize| [0, 1].map(|list| layer.faces[list][within + 1 - own + face]);
        ScalarFactors::Across { faces: [0, 1, 2, 3].map(face), centres: [0, 1].map(|list| layer.centres[list][within]) }
    };
    Some(LayerOfRow {
        first: if axis == 0 { range.start / GROUP } else { 0 },
        before,
        lower: (plane + z) * fx * fy + in_plane - own * step,
        step,
        own,
        after: &mut after[(plane - first) * fx * fy + in_plane..][..nx],
        memory: &mut chi[((plane - first) * ny + row) * nx..][..nx],
        factors,
    })
}
