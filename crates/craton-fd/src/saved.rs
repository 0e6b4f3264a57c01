//! The state in a checkpoint, in an order that is independent of parts, threads and registers.

use std::borrow::Cow;
use std::ops::Range;

use craton_sim::StateArray;

use crate::block::Block;
use crate::boundary::{Boundaries, Side};
use crate::gathered::Gathered;
use crate::grid::Grid;
use crate::layers;
use crate::layout::Layout;
use crate::sweep::Precision;
use crate::walls::plane;
use craton_fd_kernels::{COMPONENTS, Field};

/// An array of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    /// A field.
    Field(Field),
    /// The memory variables of absorbing layers.
    Layers,
    /// The state of paraxial sides.
    Paraxial,
    /// Memory variables of the relaxation, by number `[set][component]`.
    Memory(usize),
    /// The displacements of selections.
    Sums,
}

/// Approximate number of values of an array that are transferred at a time.
pub(crate) const WINDOW: usize = 1 << 22;

/// A saved value of a block: its index in the canonical order, and a reference to it.
type Pair<'a, T> = (usize, &'a mut T);

/// The canonical order of a saved state.
#[derive(Debug, Clone, Copy)]
pub struct Canonical {
    /// The grid.
    pub grid: Grid,
    /// Boundary conditions.
    pub boundaries: Boundaries,
    /// Sets of memory variables of the relaxation.
    pub sets: usize,
}

impl Canonical {
    /// Number of points of a field along each axis: one more than cells if it is at whole points, unless the axis is periodic or ends in an absorbing
    /// layer.
    pub fn shape(&self, field: Field) -> [usize; 3] {
        self.boundaries.shape(&self.grid, field)
    }

    /// The array of the state with an index.
    pub fn saved(&self, array: usize) -> Saved {
        let (layers, memory) = (Field::ALL.len(), Field::ALL.len() + 2);
        match array {
            field if field < layers => Saved::Field(Field::ALL[field]),
            _ if array == layers => Saved::Layers,
            _ if array == layers + 1 => Saved::Paraxial,
            _ if array < memory + COMPONENTS * self.sets => Saved::Memory(array - memory),
            _ => Saved::Sums,
        }
    }

    /// The field at whose points an array has values, if it has them at all its points.
    fn field_of(&self, array: usize) -> Option<Field> {
        match self.saved(array) {
            Saved::Field(field) => Some(field),
            Saved::Memory(number) => Some(Field::Stress(number % COMPONENTS)),
            _ => None,
        }
    }

    /// The arrays of the state: the fields in the order of [`Field::ALL`], the memory variables of the layers, the state of paraxial sides, the memory
    /// variables of the relaxation.
    pub fn arrays(&self) -> Vec<StateArray> {
        let array = |(array, (name, shape))| {
            let blocks = self.windows(array).iter().map(Range::len).collect();
            StateArray { name, shape, blocks }
        };
        self.shapes().into_iter().enumerate().map(array).collect()
    }

    /// Names and shapes of the arrays.
    fn shapes(&self) -> Vec<(Cow<'static, str>, Vec<usize>)> {
        let field = |&field: &Field| {
            let [nx, ny, nz] = self.shape(field);
            (Cow::from(field.name()), vec![nz, ny, nx])
        };
        let others = [("state/layers", self.layers_before(6)), ("state/paraxial", self.walls_before(6))];
        let others = others.map(|(name, len)| (Cow::from(name), vec![len]));
        let memory = (0..COMPONENTS * self.sets).map(|number| {
            let (name, shape) = field(&Field::Stress(number % COMPONENTS));
            let component = name.rsplit('/').next().expect("a name");
            (format!("state/relaxation/{}/{component}", number / COMPONENTS).into(), shape)
        });
        Field::ALL.iter().map(field).chain(others).chain(memory).collect()
    }

    /// Windows of an array of the state that are transferred at a time: whole planes of a field.
    pub fn windows(&self, array: usize) -> Vec<Range<usize>> {
        self.windows_of(array, WINDOW)
    }

    /// As [`Self::windows`], with about `values` values per window.
    fn windows_of(&self, array: usize, values: usize) -> Vec<Range<usize>> {
        let len: usize = self.shapes()[array].1.iter().product();
        let window = self.field_of(array).map_or(values, |field| {
            let [nx, ny, _] = self.shape(field);
            (values / (nx * ny)).max(1) * nx * ny
        });
        (0..len).step_by(window).map(|start| start..(start + window).min(len)).collect()
    }

    /// Copies the values of a block that are in a window of an array.
    pub fn collect<T: Precision>(
        &self,
        block: &mut Block<T>,
        array: usize,
        window: &Range<usize>,
        taken: &mut Gathered<T>,
    ) {
        if let Some(field) = self.field_of(array) {
            let rows = rows(block, field, self.shape(field), window);
            let values = self.values(block, array);
            for (start, at, len) in rows {
                taken.push(start, &values[at..at + len]);
            }
            return;
        }
        self.visit(block, array, window, |(place, value)| taken.push(place, &[*value]));
    }

    /// Sets the values of a block that are in a window of an array.
    pub fn put<T: Precision>(&self, block: &mut Block<T>, array: usize, window: &Range<usize>, values: &[T]) {
        if let Some(field) = self.field_of(array) {
            let rows = rows(block, field, self.shape(field), window);
            let own = self.values(block, array);
            for (start, at, len) in rows {
                let from = start - window.start;
                own[at..at + len].copy_from_slice(&values[from..from + len]);
            }
            return;
        }
        self.visit(block, array, window, |(place, value)| *value = values[place - window.start]);
    }

    /// The array of a block with the values of a field or of a memory variable of the relaxation.
    fn values<'a, T: Precision>(&self, block: &'a mut Block<T>, array: usize) -> &'a mut [T] {
        match self.saved(array) {
            Saved::Memory(number) => &mut block.relaxation_memory[number],
            _ => &mut block.fields[array],
        }
    }

    /// Visits the values of a block that are in a window of an array other than these.
    fn visit<T: Precision>(
        &self,
        block: &mut Block<T>,
        array: usize,
        window: &Range<usize>,
        mut visit: impl FnMut(Pair<T>),
    ) {
        let visit_own = |(place, value): Pair<T>| {
            if window.contains(&place) {
                visit((place, value));
            }
        };
        if self.saved(array) == Saved::Layers {
            self.visit_layers(block, window, visit_own);
        } else {
            self.visit_walls(block, visit_own);
        }
    }

    /// Number of points along each axis, including those at the upper sides.
    fn points(&self) -> [usize; 3] {
        self.grid.cells.map(|n| n + 1)
    }

    /// Number of points of the layer of a side along each axis, and its first index normal to the side.
    fn layer_shape(&self, side: usize) -> Option<([usize; 3], usize)> {
        let Side::Layer(layer) = self.boundaries.sides[side] else { return None };
        let range = layers::points(&self.grid, side, layer.cells);
        let mut shape = self.points();
        shape[side / 2] = range.len();
        Some((shape, range.start))
    }

    /// Number of values of the layers of sides before `side`: six per point.
    fn layers_before(&self, side: usize) -> usize {
        (0..side).filter_map(|side| self.layer_shape(side)).map(|(shape, _)| 6 * shape.iter().product::<usize>()).sum()
    }

    /// The planes normal to z of a layer that overlap a window, as local indices of a block.
    fn planes(
        &self,
        side: usize,
        shape: [usize; 3],
        first: usize,
        layout: &Layout,
        window: &Range<usize>,
    ) -> Range<usize> {
        let (before, plane) = (self.layers_before(side), 6 * shape[0] * shape[1]);
        let start = if side / 2 == 2 { first } else { 0 };
        let from = start + window.start.saturating_sub(before) / plane;
        let to = start + window.end.saturating_sub(before).div_ceil(plane);
        from.saturating_sub(layout.first[2])..to.saturating_sub(layout.first[2])
    }

    /// Visits the memory variables of layers in the planes that overlap a window.
    fn visit_layers<T: Precision>(&self, block: &mut Block<T>, window: &Range<usize>, mut visit: impl FnMut(Pair<T>)) {
        let shapes: Vec<_> = (0..6).map(|side| (self.layers_before(side), self.layer_shape(side))).collect();
        let extent = block.layout.extent();
        for (number, slab) in block.slabs.iter().enumerate() {
            let (before, Some((shape, first))) = shapes[slab.side] else { continue };
            let axis = slab.axis();
            let reached = self.planes(slab.side, shape, first, &block.layout, window);
            let planes = slab.planes(extent[2]);
            let first_plane = planes.start;
            let planes = planes.start.max(reached.start)..planes.end.min(reached.end);
            for (half, memory) in block.memory.iter_mut().enumerate() {
                let memory = &mut memory[number];
                let counts = [0, 1, 2].map(|c| block.layout.count(slab.target(half, c)));
                let place = |local: [usize; 3], c: usize| {
                    // At the upper sides there are memory variables without a point of the field.
                    let is_own = (0..3).all(|a| local[a] < counts[c][a]);
                    let mut global = [0, 1, 2].map(|a| block.layout.first[a] + local[a]);
                    global[axis] = global[axis].checked_sub(first).filter(|&i| is_own && i < shape[axis])?;
                    let point = global[0] + shape[0] * (global[1] + shape[1] * global[2]);
                    Some(before + 6 * point + 3 * half + c)
                };
                for k in planes.clone() {
                    for j in 0..extent[1] {
                        let Some((row, first_x)) = slab.row(j, k, first_plane) else { continue };
                        // Component by component, so that indices are evenly spaced.
                        for c in 0..3 {
                            for i in first_x..(first_x + slab.width()).min(extent[0]) {
                                let Some(place) = place([i, j, k], c) else { continue };
                                visit((place, &mut memory[row + c * slab.width() + i - first_x]));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Number of values of the paraxial sides before `side`: six per point of the plane.
    fn walls_before(&self, side: usize) -> usize {
        let points = self.points();
        let plane = |side: usize| 6 * points[(side / 2 + 1) % 3] * points[(side / 2 + 2) % 3];
        (0..side).filter(|&side| self.boundaries.sides[side] == Side::Paraxial).map(plane).sum()
    }

    /// Visits the outermost velocities of paraxial sides, and the adjacent velocities of the previous step.
    fn visit_walls<T: Precision>(&self, block: &mut Block<T>, mut visit: impl FnMut(Pair<T>)) {
        let (points, before) = (self.points(), [0, 1, 2, 3, 4, 5].map(|side| self.walls_before(side)));
        let Block { layout, walls, fields, .. } = block;
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

/// Own rows of a field in a window of whole planes: start in the whole field, start in the block, and length.
fn rows<T: Precision>(
    block: &Block<T>,
    field: Field,
    shape: [usize; 3],
    window: &Range<usize>,
) -> impl Iterator<Item = (usize, usize, usize)> + use<T> {
    let layout = block.layout.clone();
    let ([nx, ny, nz], plane) = (layout.count(field), shape[0] * shape[1]);
    let local = |k: usize| k.saturating_sub(layout.first[2]).min(nz);
    let planes = local(window.start / plane)..local(window.end / plane);
    planes.flat_map(move |k| (0..ny).map(move |j| (j, k))).map(move |(j, k)| {
        let start = layout.first[0] + shape[0] * (layout.first[1] + j + shape[1] * (layout.first[2] + k));
        (start, layout.at([0, j as i64, k as i64]), nx)
    })
}

#[cfg(test)]
mod tests {
    use craton_numerics::staggered::StaggeredStencil;

    use super::*;
    use crate::boundary::AbsorbingLayer;
    use crate::cut::Cut;
    use crate::derivatives::Derivatives;
    use crate::medium::{Material, Medium};
    use crate::relaxation::{Mechanism, Mechanisms, MemoryPoints};

    /// A grid with layers across x and z, paraxial sides across y.
    fn canonical() -> Canonical {
        let layer = AbsorbingLayer {
            cells: 2,
            vp_max: 4000.0,
            dominant_frequency: 10.0,
            reflection: 1e-3,
            exponent: 2.0,
            max_stretch: 1.0,
        };
        let (layer, paraxial) = (Side::Layer(layer), Side::Paraxial);
        let sides = [layer, layer, paraxial, paraxial, layer, Side::Free];
        let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells: [9, 8, 7] };
        Canonical { grid, boundaries: Boundaries { sides, sponges: [None; 6] }, sets: 2 }
    }

    /// Its parts at rest.
    fn blocks(canonical: &Canonical) -> Vec<Block<f64>> {
        let Canonical { grid, boundaries, .. } = canonical;
        let mechanism = Mechanism { rate: 10.0, polynomials: [[1.0, 0.0, 0.0]; 2] };
        let mechanisms = Mechanisms { mechanisms: vec![mechanism; 2], points: MemoryPoints::All };
        let medium = Medium::new(*grid, |_| Material::from_speeds(4000.0, 2300.0, 2500.0)).unwrap();
        let medium = medium.with_losses(mechanisms, |_| [0.01; 2]);
        let cut = Cut::new(grid, boundaries, 2, [2, 1, 2]).unwrap();
        let stencil = StaggeredStencil::taylor(2).unwrap();
        let derivatives = Derivatives::new(grid, boundaries, &medium.kinds(), &stencil);
        (0..cut.count())
            .map(|part| Block::new(&medium, boundaries, &derivatives, cut.layout(part), 1e-4).unwrap())
            .collect()
    }

    fn collected(canonical: &Canonical, blocks: &mut [Block<f64>], array: usize, values: usize) -> Vec<f64> {
        let window = |window: Range<usize>| {
            let (mut taken, mut all) = (Gathered::default(), vec![0.0; window.len()]);
            blocks.iter_mut().for_each(|block| canonical.collect(block, array, &window, &mut taken));
            taken.place(&window, &mut all);
            all
        };
        canonical.windows_of(array, values).into_iter().flat_map(window).collect()
    }

    #[test]
    fn windows_of_any_size_hold_the_same_values() {
        let canonical = canonical();
        for (array, StateArray { name, shape, .. }) in canonical.arrays().into_iter().enumerate() {
            let all: Vec<f64> = (1..=shape.iter().product()).map(|number: usize| number as f64).collect();
            let mut expected = Vec::new();
            for values in [1 << 20, 1000, 7, 1] {
                let mut blocks = blocks(&canonical);
                for window in canonical.windows_of(array, values) {
                    blocks.iter_mut().for_each(|block| canonical.put(block, array, &window, &all[window.clone()]));
                }
                let whole = collected(&canonical, &mut blocks, array, usize::MAX);
                assert!(whole.iter().zip(&all).all(|(&found, &put)| found == put || found == 0.0), "{name}, {values}");
                assert!(whole.iter().filter(|value| **value > 0.0).count() > all.len() / 2, "{name}, {values}");
                expected = if expected.is_empty() { whole.clone() } else { expected };
                assert!(whole == expected && collected(&canonical, &mut blocks, array, values) == expected, "{name}");
            }
        }
    }
}
