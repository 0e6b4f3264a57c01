//! The state as a checkpoint holds it: in an order that knows nothing of parts, threads or registers.

use craton_sim::StateArray;

use crate::block::Block;
use crate::boundary::{Boundaries, Side};
use crate::field::Field;
use crate::grid::Grid;
use crate::layers::Slab;
use crate::sweep::Precision;
use crate::walls::plane;

/// Number of the array that holds the memory of absorbing layers; those before are fields, the one after it is what paraxial sides remember.
pub const LAYERS: usize = Field::ALL.len();

/// A value of a block that is saved: its place in the canonical order, and in the block.
type Pair<'a, T> = (usize, &'a mut T);

/// What the order of a saved state depends on.
#[derive(Debug, Clone, Copy)]
pub struct Canonical {
    /// All cells.
    pub grid: Grid,
    /// What stands at the sides.
    pub boundaries: Boundaries,
}

impl Canonical {
    /// Points of a field along each axis: one more than cells where it stands on whole points, unless the axis closes on itself or a layer ends it.
    pub fn shape(&self, field: Field) -> [usize; 3] {
        self.boundaries.shape(&self.grid, field)
    }

    /// The arrays of the state, in the order of [`Field::ALL`], then the memory of the layers, then what paraxial sides remember.
    pub fn arrays(&self) -> Vec<StateArray> {
        let field = |&field: &Field| {
            let [nx, ny, nz] = self.shape(field);
            StateArray { name: field.name(), shape: vec![nz, ny, nx] }
        };
        let others = [("state/layers", self.layers_before(6)), ("state/paraxial", self.walls_before(6))];
        let others = others.map(|(name, len)| StateArray { name, shape: vec![len] });
        Field::ALL.iter().map(field).chain(others).collect()
    }

    /// Values of an array of the state.
    fn len(&self, array: usize) -> usize {
        self.arrays()[array].shape.iter().product()
    }

    /// A field on the whole grid, x fastest.
    pub fn field<T: Precision>(&self, blocks: &[Block<T>], field: Field) -> Vec<T> {
        let shape = self.shape(field);
        let mut values = vec![T::default(); shape.iter().product()];
        for block in blocks {
            for (start, at, len) in rows(block, field, shape) {
                values[start..start + len].copy_from_slice(&block.field(field)[at..at + len]);
            }
        }
        values
    }

    /// An array of the state.
    pub fn save<T: Precision>(&self, blocks: &mut [Block<T>], array: usize) -> Vec<T> {
        if let Some(&field) = Field::ALL.get(array) {
            return self.field(blocks, field);
        }
        let mut values = vec![T::default(); self.len(array)];
        match array == LAYERS {
            true => self.visit_layers(blocks, |(place, value)| values[place] = *value),
            false => self.visit_walls(blocks, |(place, value)| values[place] = *value),
        }
        values
    }

    /// Takes back what [`Self::save`] gave, whatever the parts.
    pub fn restore<T: Precision>(&self, blocks: &mut [Block<T>], array: usize, source: &mut dyn FnMut(&mut [T])) {
        let mut values = vec![T::default(); self.len(array)];
        source(&mut values);
        if let Some(&field) = Field::ALL.get(array) {
            let shape = self.shape(field);
            for block in blocks {
                for (start, at, len) in rows(block, field, shape) {
                    block.field_mut(field)[at..at + len].copy_from_slice(&values[start..start + len]);
                }
            }
            return;
        }
        match array == LAYERS {
            true => self.visit_layers(blocks, |(place, value)| *value = values[place]),
            false => self.visit_walls(blocks, |(place, value)| *value = values[place]),
        }
    }

    /// Points along each axis, those at the upper sides included.
    fn points(&self) -> [usize; 3] {
        self.grid.cells.map(|n| n + 1)
    }

    /// Points of the layer of a side along each axis, and its first index across.
    fn layer_shape(&self, side: usize) -> Option<([usize; 3], usize)> {
        let Side::Layer(layer) = self.boundaries.sides[side] else { return None };
        let range = Slab::<f64>::points(&self.grid, side, layer.cells);
        let mut shape = self.points();
        shape[side / 2] = range.len();
        Some((shape, range.start))
    }

    /// Values of the layers before those of a side: six for each point.
    fn layers_before(&self, side: usize) -> usize {
        (0..side).filter_map(|side| self.layer_shape(side)).map(|(shape, _)| 6 * shape.iter().product::<usize>()).sum()
    }

    fn visit_layers<T: Precision>(&self, blocks: &mut [Block<T>], mut visit: impl FnMut(Pair<T>)) {
        let shapes: Vec<_> = (0..6).map(|side| (self.layers_before(side), self.layer_shape(side))).collect();
        for block in blocks {
            let extent = block.layout.extent();
            for (number, slab) in block.slabs.iter().enumerate() {
                let (before, Some((shape, first))) = shapes[slab.side] else { continue };
                let axis = slab.axis();
                for (half, memory) in block.memory.iter_mut().enumerate() {
                    let memory = &mut memory[number];
                    let counts = [0, 1, 2].map(|c| block.layout.count(slab.target(half, c)));
                    let place = |local: [usize; 3], c: usize| {
                        // At the upper sides there is memory of points that no field has.
                        let is_own = (0..3).all(|a| local[a] < counts[c][a]);
                        let mut global = [0, 1, 2].map(|a| block.layout.first[a] + local[a]);
                        global[axis] = global[axis].checked_sub(first).filter(|&i| is_own && i < shape[axis])?;
                        let point = global[0] + shape[0] * (global[1] + shape[1] * global[2]);
                        Some(before + 6 * point + 3 * half + c)
                    };
                    for k in slab.planes(extent[2]) {
                        for j in 0..extent[1] {
                            let first_plane = slab.planes(extent[2]).start;
                            let Some((row, first_x)) = slab.row(j, k, first_plane) else { continue };
                            for i in first_x..(first_x + slab.width()).min(extent[0]) {
                                for c in 0..3 {
                                    let Some(place) = place([i, j, k], c) else { continue };
                                    visit((place, &mut memory[row + c * slab.width() + i - first_x]));
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Values of the paraxial sides before those of a side: six for each point of its plane.
    fn walls_before(&self, side: usize) -> usize {
        let points = self.points();
        let plane = |side: usize| 6 * points[(side / 2 + 1) % 3] * points[(side / 2 + 2) % 3];
        (0..side).filter(|&side| self.boundaries.sides[side] == Side::Paraxial).map(plane).sum()
    }

    /// The outermost velocities of paraxial sides, and those next to them one step before.
    fn visit_walls<T: Precision>(&self, blocks: &mut [Block<T>], mut visit: impl FnMut(Pair<T>)) {
        let (points, before) = (self.points(), [0, 1, 2, 3, 4, 5].map(|side| self.walls_before(side)));
        for Block { layout, walls, fields, .. } in blocks {
            for wall in walls {
                let side = wall.side;
                let [a, b] = [(side / 2 + 1) % 3, (side / 2 + 2) % 3];
                for (c, outgoing) in wall.outgoing.iter_mut().enumerate() {
                    let width = layout.count(Field::Velocity(c))[a];
                    for (number, ([outer, _], past)) in plane(layout, side, c).zip(&mut outgoing.past).enumerate() {
                        let global = [layout.first[a] + number % width, layout.first[b] + number / width];
                        let place = before[side] + 6 * (global[0] + points[a] * global[1]) + 2 * c;
                        visit((place, &mut fields[c][outer]));
                        visit((place + 1, past));
                    }
                }
            }
        }
    }
}

/// Own rows of a field: where each begins in the whole field and in the block, and its length.
fn rows<T: Precision>(block: &Block<T>, field: Field, shape: [usize; 3]) -> Vec<(usize, usize, usize)> {
    let layout = &block.layout;
    let [nx, ny, nz] = layout.count(field);
    let row = |(j, k): (usize, usize)| {
        let start = layout.first[0] + shape[0] * (layout.first[1] + j + shape[1] * (layout.first[2] + k));
        (start, layout.at([0, j as i64, k as i64]), nx)
    };
    (0..nz).flat_map(|k| (0..ny).map(move |j| (j, k))).map(row).collect()
}
