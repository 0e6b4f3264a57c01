//! Weights of receivers as products of weights along the axes, which take a few hundred bytes per receiver instead of hundreds of kilobytes.
//!
//! A receiver between grid points has a box of weighted points. Away from interfaces, and next to interfaces that are flat around it, each weight is
//! a product of weights along x, y and z ([`Product`]). Other weights are stored row by row: a row along x is a product, too.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use craton_device::Scalar;
use rayon::prelude::*;

use super::layout::Layout;
use super::taps::{Listener, Weights};
use crate::error::FdError;

/// Largest deviation of a weight from a product, relative to the largest weight: round-off.
const SEPARABLE: f64 = 1e-10;
/// Number of receivers that a thread takes at a time.
const TOGETHER: usize = 256;

/// Weighted points of a field at the nodes of a box: products of weights along the axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    pub field: usize,
    /// Indices of the first point.
    pub first: [usize; 3],
    /// Weights along each axis.
    pub along: [Vec<f64>; 3],
}

/// A weighted point: field, indices, weight.
pub type WeightedPoint = (usize, [usize; 3], f64);

impl Product {
    /// The points whose weight is not zero, in ascending order of z, y and x.
    pub fn points(&self) -> impl Iterator<Item = WeightedPoint> + '_ {
        let [x, y, z] = &self.along;
        let [i, j, k] = self.first;
        let all = (k..).zip(z).flat_map(move |(k, z)| {
            (j..).zip(y).flat_map(move |(j, y)| (i..).zip(x).map(move |(i, x)| ([i, j, k], x * y * z)))
        });
        all.filter(|&(_, weight)| weight != 0.0).map(|(point, weight)| (self.field, point, weight))
    }

    /// The product that equals the weights of some points of one field, if there is one.
    fn of(points: &[WeightedPoint]) -> Option<Self> {
        let &(field, start, _) = points.first()?;
        let (mut first, mut last) = (start, start);
        for (_, point, _) in points {
            for axis in 0..3 {
                first[axis] = first[axis].min(point[axis]);
                last[axis] = last[axis].max(point[axis]);
            }
        }
        let [nx, ny, nz] = [0, 1, 2].map(|axis| last[axis] - first[axis] + 1);
        let at = |point: [usize; 3]| point[0] - first[0] + nx * (point[1] - first[1] + ny * (point[2] - first[2]));
        let mut all = vec![0.0; nx * ny * nz];
        points.iter().for_each(|&(_, point, weight)| all[at(point)] = weight);
        let largest = points.iter().max_by(|a, b| a.2.abs().total_cmp(&b.2.abs()))?;
        let ([i, j, k], weight) = (largest.1, largest.2);
        let along = [
            (first[0]..=last[0]).map(|i| all[at([i, j, k])]).collect::<Vec<f64>>(),
            (first[1]..=last[1]).map(|j| all[at([i, j, k])] / weight).collect(),
            (first[2]..=last[2]).map(|k| all[at([i, j, k])] / weight).collect(),
        ];
        let [x, y, z] = &along;
        let mut rows = all.chunks_exact(nx).zip(z.iter().flat_map(|z| y.iter().map(move |y| y * z)));
        let is_product = |(row, yz): (&[f64], f64)| {
            row.iter().zip(x).all(|(found, x)| (found - x * yz).abs() <= SEPARABLE * weight.abs())
        };
        rows.all(is_product).then_some(Self { field, first, along })
    }

    /// Rows along x with the weights of some points in ascending order of z, y and x.
    fn rows(points: &[WeightedPoint]) -> impl Iterator<Item = Self> + '_ {
        let is_next = |a: &WeightedPoint, b: &WeightedPoint| b.1 == [a.1[0] + 1, a.1[1], a.1[2]];
        points.chunk_by(is_next).map(|row| Self {
            field: row[0].0,
            first: row[0].1,
            along: [row.iter().map(|point| point.2).collect(), vec![1.0], vec![1.0]],
        })
    }

    /// The products that together equal the weights of some points, which are in ascending order of field, z, y and x.
    pub fn all_of(points: &[WeightedPoint]) -> Vec<Self> {
        let of_field =
            |points: &[WeightedPoint]| Self::of(points).map_or_else(|| Self::rows(points).collect(), |own| vec![own]);
        points.chunk_by(|a, b| a.0 == b.0).flat_map(of_field).collect()
    }
}

/// A product in the arrays of a shot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Channel.
    pub owner: u32,
    /// Index of its first point in the array of the field.
    pub at: u32,
    /// Plane of the first point.
    pub plane: u32,
    /// Number of points along each axis.
    pub counts: [u16; 3],
    pub field: u16,
    /// Index of its first weight: those along x, followed by those along y and z.
    pub weights: usize,
}

/// The weighted points of channels.
#[derive(Debug, Clone, Default)]
pub struct Blocks<T> {
    /// In the order of the channels.
    pub blocks: Vec<Block>,
    pub weights: Arc<Vec<T>>,
}

/// The weighted points of the last channels, which the next shot often has, too.
#[derive(Debug, Default)]
pub struct Recent<T>(Mutex<Option<(Vec<Listener>, Blocks<T>)>>);

impl<T: Scalar> Blocks<T> {
    /// The points of all channels.
    ///
    /// # Errors
    /// A position outside the grid, a velocity along y in 2D.
    pub fn new(listeners: &[Listener], weights: &Weights<T>) -> Result<Self, FdError> {
        let of_some = |(number, some): (usize, &[Listener])| Part::new(number * TOGETHER, some, weights);
        // Outside a pool, the caller has no threads to share.
        let parts: Vec<Part<T>> = match rayon::current_thread_index() {
            Some(_) => listeners.par_chunks(TOGETHER).enumerate().map(of_some).collect::<Result<_, _>>()?,
            None => listeners.chunks(TOGETHER).enumerate().map(of_some).collect::<Result<_, _>>()?,
        };
        let mut blocks = Vec::with_capacity(parts.iter().map(|part| part.blocks.len()).sum());
        let mut all = Vec::with_capacity(parts.iter().map(|part| part.weights.len()).sum());
        for part in parts {
            let before = all.len();
            blocks.extend(part.blocks.iter().map(|block| Block { weights: block.weights + before, ..*block }));
            all.extend(part.weights);
        }
        Ok(Self { blocks, weights: Arc::new(all) })
    }

    /// The points of a block in ascending order of z, y and x: plane, array index and weight.
    pub fn points<'a>(&'a self, block: &'a Block, layout: &'a Layout) -> impl Iterator<Item = (u32, u32, T)> + 'a {
        let [nx, ny, nz] = block.counts.map(usize::from);
        let rows = (0..nz).flat_map(move |k| (0..ny).map(move |j| (j, k)));
        rows.flat_map(move |(j, k)| {
            let (x, yz) = self.row(block, j, k);
            let start = block.at + (j * layout.stride[1] + k * layout.stride[2]) as u32;
            (start..).zip(x).take(nx).map(move |(at, &x)| (block.plane + k as u32, at, x * yz))
        })
    }

    /// Weights along x of a row of a block, and the weight of the row.
    fn row(&self, block: &Block, j: usize, k: usize) -> (&[T], T) {
        let [nx, ny, nz] = block.counts.map(usize::from);
        let (x, rest) = self.weights[block.weights..][..nx + ny + nz].split_at(nx);
        (x, rest[j] * rest[ny + k])
    }
}

impl<T: Scalar> Recent<T> {
    /// As [`Blocks::new`], which is called only for other channels than the last.
    ///
    /// # Errors
    /// As [`Blocks::new`].
    pub fn of(&self, listeners: &[Listener], weights: &Weights<T>) -> Result<Blocks<T>, FdError> {
        // After a panic elsewhere the value is still whole.
        let last = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, blocks)) = last().as_ref().filter(|(known, _)| known == listeners) {
            return Ok(blocks.clone());
        }
        let blocks = Blocks::new(listeners, weights)?;
        *last() = Some((listeners.to_vec(), blocks.clone()));
        Ok(blocks)
    }
}

/// The weighted points of some of the channels.
struct Part<T> {
    blocks: Vec<Block>,
    weights: Vec<T>,
}

impl<T: Scalar> Part<T> {
    /// The points of channels whose numbers begin with `first`.
    fn new(first: usize, listeners: &[Listener], weights: &Weights<T>) -> Result<Self, FdError> {
        // A channel on a grid point shares its weights with others.
        let mut own = Self { blocks: Vec::new(), weights: vec![T::from_f64(1.0); 3] };
        for (owner, listener) in (first as u32..).zip(listeners) {
            for place in &listener.places {
                for product in weights.products(listener.field, place.position)? {
                    own.push(owner, place.weight, &product, weights.layout);
                }
            }
        }
        Ok(own)
    }

    fn push(&mut self, owner: u32, scale: f64, product: &Product, layout: &Layout) {
        let [x, y, z] = &product.along;
        let is_single = x.len() * y.len() * z.len() == 1 && scale * x[0] * y[0] * z[0] == 1.0;
        let start = if is_single { 0 } else { self.weights.len() };
        if !is_single {
            let all = x.iter().map(|x| scale * x).chain(y.iter().chain(z).copied());
            self.weights.extend(all.map(T::from_f64));
        }
        self.blocks.push(Block {
            owner,
            at: layout.at(product.first.map(|index| index as i64)) as u32,
            plane: product.first[2] as u32,
            counts: product.along.each_ref().map(|along| along.len() as u16),
            field: product.field as u16,
            weights: start,
        });
    }
}

/// The weighted points of channels, plane by plane.
pub struct ByPlane<T> {
    blocks: Blocks<T>,
    /// Range of the blocks of each field, and the largest number of planes of one of them.
    fields: [(Range<usize>, u32); 4],
}

impl<T: Scalar> ByPlane<T> {
    /// Sorts blocks by their first plane.
    pub fn new(mut blocks: Blocks<T>) -> Self {
        // A stable sort keeps the given order within a plane.
        blocks.blocks.sort_by_key(|block| (block.field, block.plane));
        let of_field = |field: u16| {
            let start = blocks.blocks.partition_point(|block| block.field < field);
            let own = start..blocks.blocks.partition_point(|block| block.field <= field);
            let deepest = blocks.blocks[own.clone()].iter().map(|block| u32::from(block.counts[2])).max();
            (own, deepest.unwrap_or(0))
        };
        Self { fields: [of_field(0), of_field(1), of_field(2), of_field(3)], blocks }
    }

    /// Adds the weighted values of a field in a plane to the samples of the channels.
    pub fn record(&self, (field, plane): (usize, usize), layout: &Layout, values: &[T], samples: &mut [T]) {
        self.each_row((field, plane), layout, |owner, at, x, yz| {
            let sample = &mut samples[owner];
            for (&x, &value) in x.iter().zip(&values[at..]) {
                *sample = *sample + x * yz * value;
            }
        });
    }

    /// The transpose of [`record`](Self::record): adds the weighted samples of the channels to a field in a plane, times the factors of its points.
    ///
    /// # Arguments
    /// * `factors`, `scale` – factors, an array of the size of the field, and their common factor
    pub fn spread(
        &self,
        (field, plane): (usize, usize),
        layout: &Layout,
        samples: &[T],
        (factors, scale): (&[T], T),
        values: &mut [T],
    ) {
        self.each_row((field, plane), layout, |owner, at, x, yz| {
            let sample = scale * samples[owner];
            for ((&x, value), &factor) in x.iter().zip(&mut values[at..]).zip(&factors[at..]) {
                *value = *value + x * yz * factor * sample;
            }
        });
    }

    /// Applies a function to the rows of the blocks in a plane: channel, index of the first point, weights along x, weight of the row.
    fn each_row(&self, (field, plane): (usize, usize), layout: &Layout, mut apply: impl FnMut(usize, usize, &[T], T)) {
        let (own, deepest) = &self.fields[field];
        let (own, plane) = (&self.blocks.blocks[own.clone()], plane as u32);
        let first = own.partition_point(|block| block.plane + deepest <= plane);
        let end = own.partition_point(|block| block.plane <= plane);
        for block in &own[first..end] {
            let k = (plane - block.plane) as usize;
            if k >= usize::from(block.counts[2]) {
                continue;
            }
            for j in 0..usize::from(block.counts[1]) {
                let (x, yz) = self.blocks.row(block, j, k);
                let at = block.at as usize + j * layout.stride[1] + k * layout.stride[2];
                apply(block.owner as usize, at, x, yz);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use craton_device::Isa;
    use craton_numerics::sinc::WindowedSinc;
    use craton_numerics::staggered::StaggeredStencil;

    use super::*;
    use crate::acoustic::setup::{AcousticOptions, Setup};
    use crate::acoustic::taps::Placed;
    use crate::acoustic::{AcousticField, AcousticMaterial, AcousticMedium, WaveEquation};
    use crate::boundary::{AbsorbingLayer, Boundaries, Side};
    use crate::grid::Grid;

    /// Water over a flat or sloping bottom at half height.
    fn setup(slope: usize) -> Setup<f32> {
        let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells: [60, 50, 70] };
        let [water, rock] = [(1500.0, 1000.0), (2000.0, 2000.0)].map(|(vp, rho)| AcousticMaterial { vp, rho });
        let fluid = |[i, _, k]: [usize; 3]| if 10 * k < 350 + slope * i { rock } else { water };
        let medium = AcousticMedium::new(grid, fluid).unwrap();
        let layer = Side::Layer(AbsorbingLayer {
            cells: 10,
            vp_max: 2000.0,
            dominant_frequency: 15.0,
            reflection: 1e-4,
            exponent: 2.0,
            max_stretch: 1.0,
        });
        let mut boundaries = Boundaries::all(layer);
        boundaries.sides[5] = Side::Free;
        let options = AcousticOptions {
            equation: WaveEquation::FirstOrder,
            stencil: StaggeredStencil::taylor(4).unwrap(),
            boundaries,
            interpolation: WindowedSinc::new(8, 4.0).unwrap(),
            isa: Isa::detect(),
        };
        Setup::new(Arc::new(medium), options, 1e-3).unwrap()
    }

    fn listener(field: AcousticField, position: [f64; 3]) -> Listener {
        Listener { places: vec![Placed { position, weight: 1.0 }], field }
    }

    #[test]
    fn a_receiver_needs_at_most_one_kilobyte_per_component_and_none_on_a_grid_point() {
        let flat = setup(0);
        let fields = [0, 1, 2].map(AcousticField::Velocity).into_iter().chain([AcousticField::Pressure]);
        for field in fields.clone() {
            for depth in [3.0, 123.0, 337.0, 349.0, 352.0] {
                let position = [301.3, 247.9, 700.0 - depth];
                let blocks = Blocks::new(&[listener(field, position)], &flat.weights()).unwrap();
                let bytes = size_of::<Block>() * blocks.blocks.len() + 4 * (blocks.weights.len() - 3);
                let need = flat.medium.interpolation_need(&flat.options, [position].into_iter());
                assert!(bytes <= need.bytes && need.bytes <= 1000, "{field:?} at {depth} m: {bytes} of {need:?}");
            }
        }
        let on_points =
            [[305.0, 245.0, 345.0], [305.0, 245.0, 505.0]].map(|place| listener(AcousticField::Pressure, place));
        let away = Blocks::new(&on_points[1..], &flat.weights()).unwrap();
        assert_eq!((away.blocks.len(), away.weights.len()), (1, 3));
        let steep = setup(5).medium.interpolation_need(&flat.options, [[300.0, 250.0, 500.0]].into_iter());
        assert!(steep.bytes > 100_000, "{steep:?}");
    }

    #[test]
    fn blocks_have_the_weights_of_all_points() {
        for slope in [0, 1] {
            let setup = setup(slope);
            let weights = setup.weights();
            let fields = [0, 1, 2].map(AcousticField::Velocity).into_iter().chain([AcousticField::Pressure]);
            for (field, z) in fields.flat_map(|field| [697.0, 520.5, 362.1, 348.0].map(|z| (field, z))) {
                let position = [283.7, 251.2, z];
                let mut left = std::collections::BTreeMap::new();
                for (field, point, weight) in weights.of(field, position).unwrap() {
                    left.insert((field, setup.layout.at(point.map(|i| i as i64)) as u32), weight);
                }
                let largest = left.values().fold(0.0_f64, |most, weight| most.max(weight.abs()));
                let blocks = Blocks::new(&[listener(field, position)], &weights).unwrap();
                for block in &blocks.blocks {
                    for (_, at, weight) in blocks.points(block, &setup.layout) {
                        *left.entry((block.field.into(), at)).or_insert(0.0) -= f64::from(weight);
                    }
                }
                let worst = left.values().fold(0.0_f64, |most, weight| most.max(weight.abs()));
                assert!(worst < 2e-7 * largest, "{field:?} at {z}: {worst} of {largest}");
            }
        }
    }

    #[test]
    fn weights_are_products_exactly_if_they_can_be() {
        let product = Product {
            field: 2,
            first: [3, 0, 7],
            along: [vec![0.25, -1.5, 0.125], vec![2.0, 0.5], vec![0.0625, 4.0, -0.5, 1.0]],
        };
        let points: Vec<_> = product.points().collect();
        assert_eq!(points.len(), 24);
        let found = Product::all_of(&points);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].points().collect::<Vec<_>>(), points);
        // A hole is no product; rows are.
        let holed: Vec<_> = points.iter().copied().filter(|point| point.1 != [4, 1, 8]).collect();
        let rows = Product::all_of(&holed);
        assert_eq!(rows.len(), 9, "eight rows, one of them in two parts");
        assert_eq!(rows.iter().flat_map(Product::points).collect::<Vec<_>>(), holed);
    }
}
