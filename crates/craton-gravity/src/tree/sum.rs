//! Evaluation of a tree at the points of a tile.

use std::ops::Range;

use craton_device::{Isa, Kernel, Lanes, Scalar};
use rayon::prelude::*;

use super::Tree;
use super::bodies::Bodies;
use super::bound::{Accepted, Errors, KINDS, POINT_TENSOR, accept};
use super::far::expansion;
use super::moments::DEGREE;
use super::node::{Node, distance};
use super::solid::COEFFICIENTS;
use crate::fields::Needs;
use crate::forward::Sums;
use crate::magnetics::{BlockSum, MagneticFields, Magnetisation};
use crate::multipole::FAR;
use crate::pair::{Body, is_compact};
use crate::tesseroid::Cell;
use crate::tile::{GROUP, TILE, Tile};
use crate::{Field, GRAVITATIONAL_CONSTANT, GoOn, Prisms};

/// Number of expansion terms that cost as much as one prism by its multipole.
const TERMS_OF_PRISM: usize = 32;

/// Distance in half diagonals below which no multipole is used, whatever the tolerance.
const NEAR: f64 = 3.0;

/// Leaves of a part of a plan: some thousand bodies, which take a few milliseconds at the points of a tile.
const LEAVES_OF_PART: usize = 256;

/// Interaction lists of a tile: the expansions and leaves that it evaluates, in the order of the nodes.
pub struct TreePlan {
    far: Vec<Far>,
    near: Vec<Near>,
    /// Bound of the total truncation error.
    pub errors: Errors,
    /// Allowed truncation error per unit of G times mass.
    allowed: Errors,
    /// Factor of the fields per unit of mass, and order of the sources.
    strength: f64,
    sources: usize,
}

/// An expansion for some points of the tile.
struct Far {
    node: usize,
    order: usize,
    points: Range<usize>,
}

/// A leaf that is evaluated prism by prism.
struct Near {
    leaf: usize,
    /// Bit mask of the groups of points, lowest bit first.
    groups: u32,
}

impl TreePlan {
    /// Plans the evaluation of a tile for a given total error.
    ///
    /// Each node may use a share of the tolerance proportional to its absolute mass, so that the total truncation error is at most the tolerance.
    pub fn new(tree: &Tree, tile: &Tile, tolerance: &Errors) -> Self {
        let (strength, sources) = (tree.bodies.strength(), tree.bodies.order());
        let whole = strength * tree.nodes.first().map_or(0.0, |root| root.mass);
        // A NaN or negative tolerance allows no error; without mass there is no error.
        let allowed = tolerance.map(|error| if whole > 0.0 { error.max(0.0) / whole } else { f64::INFINITY });
        let mut plan = Self { far: Vec::new(), near: Vec::new(), errors: [0.0; KINDS], allowed, strength, sources };
        let points = 0..tile.range.len();
        let bounds = tile.bounds(points.clone());
        let starts = points.clone().step_by(GROUP);
        let groups: Vec<_> = starts.map(|start| start..points.end.min(start + GROUP)).collect();
        let group_bounds: Vec<_> = groups.iter().map(|group| tile.bounds(group.clone())).collect();
        let mut index = 0;
        while index < tree.nodes.len() {
            let node = &tree.nodes[index];
            let is_leaf = node.split.nodes == 1;
            if let Some(accepted) = plan.accept(node, &bounds) {
                plan.add(node, &accepted.errors);
                plan.far.push(Far { node: index, order: accepted.order, points: points.clone() });
                index += node.split.nodes;
                continue;
            }
            if is_leaf {
                plan.add(node, &allowed);
                let mut near = Near { leaf: index, groups: 0 };
                for (number, (group, bounds)) in groups.iter().zip(&group_bounds).enumerate() {
                    match plan.accept(node, bounds) {
                        Some(Accepted { order, .. }) => {
                            plan.far.push(Far { node: index, order, points: group.clone() })
                        }
                        None => near.groups |= 1 << number,
                    }
                }
                plan.near.push(near);
            }
            index += 1;
        }
        plan
    }

    /// An accurate enough expansion for points within bounds; for a leaf, only if it is cheaper than evaluating its prisms.
    fn accept(&self, node: &Node, bounds: &[[f64; 2]; 3]) -> Option<Accepted> {
        let accepted = accept(node, self.sources, gap(bounds, &node.centre), &self.allowed)?;
        let is_cheap = node.split.nodes > 1
            || node.split.prisms.len() * TERMS_OF_PRISM >= (accepted.order + 1) * (accepted.order + 2);
        is_cheap.then_some(accepted)
    }

    /// Adds the truncation error of a node, given per unit of G times its mass.
    fn add(&mut self, node: &Node, errors: &Errors) {
        for (sum, error) in self.errors.iter_mut().zip(errors) {
            if node.mass > 0.0 {
                *sum += self.strength * node.mass * error;
            }
        }
    }
}

/// Distance in half diagonals from which the truncation error of the multipole of a prism, and of each piece that it may be cut into, is allowed.
///
/// At a distance R, with d half the diagonal and y = (d/R)², the truncation error is at most y⁴/(9 (1 - y)) of 1/R for the potential, y⁴/(1 - y) of 1/R² for
/// the attraction and 5 y⁴/(1 - y)² of √6/R³ for the tensor: sums of the terms given in `multipole.rs`. From [`NEAR`] on, y is at most 1/9. This gives lower
/// bounds for R/d to the power 9, 10 and 11.
fn serving(bounds: &[[f64; 2]; 3], allowed: &Errors) -> f64 {
    let point = [1.0 / 9.0, 1.0, 5.0 * POINT_TENSOR].map(|point| 81.0 / 64.0 * point);
    let from = |d: f64| {
        let potential = (point[0] / (allowed[0] * d)).powf(1.0 / 9.0);
        let attraction = (point[1] / (allowed[1] * (d * d))).powf(1.0 / 10.0);
        let tensor = (point[2] / (allowed[2] * (d * d * d))).powf(1.0 / 11.0);
        potential.max(attraction).max(tensor).clamp(NEAR, FAR)
    };
    let size = bounds.map(|[low, high]| high - low);
    let whole = from(0.5 * (size[0] * size[0] + size[1] * size[1] + size[2] * size[2]).sqrt());
    // Cuts are needed only if the shortest side is below 0.28 of the longest. A cut leaves at least 3/8 of the longest, so no side becomes shorter than the
    // shortest.
    if is_compact(&size, whole) { whole } else { from(0.5 * size[0].min(size[1]).min(size[2])) }
}

/// Distance of a point from a box.
fn gap(bounds: &[[f64; 2]; 3], point: &[f64; 3]) -> f64 {
    let nearest = std::array::from_fn(|axis| point[axis].clamp(bounds[axis][0], bounds[axis][1]));
    distance(point, &nearest)
}

/// Sums a plan at the points of its tile; `None` if cancelled.
///
/// Long lists of leaves are summed in parts, in parallel, and the sums of the parts are added in order: results do not depend on the number of threads.
///
/// # Arguments
/// * `kind` – highest derivative of the potential that is requested
pub fn tile_sums(
    tree: &Tree,
    (tile, plan): (&Tile, &TreePlan),
    (needs, kind): (Needs, usize),
    isa: Isa,
    go_on: GoOn,
) -> Option<Sums> {
    let sum = |far, near| {
        let allowed = &plan.allowed;
        go_on().then(|| {
            let mut sums = f64::dispatch(isa, TileSum { tree, tile, far, near, allowed, needs, kind });
            if let Bodies::Magnetised(prisms, magnetisation) = &tree.bodies {
                let fields = match (kind > 1, needs.fields.leaves_out_edges()) {
                    (false, _) => MagneticFields::FluxDensity,
                    (true, false) => MagneticFields::WithGradient,
                    (true, true) => MagneticFields::WithGradientLeavingOutEdges,
                };
                add_magnetised(tree, (prisms, magnetisation), (tile, near), fields, isa, &mut sums);
            }
            sums
        })
    };
    let parts: Vec<&[Near]> = plan.near.chunks(LEAVES_OF_PART).collect();
    let Some((first, others)) = parts.split_first() else { return sum(&plan.far, &[]) };
    if others.is_empty() {
        return sum(&plan.far, first);
    }
    let of_others = || others.par_iter().map(|near| sum(&[], near)).collect::<Option<Vec<Sums>>>();
    let (total, others) = rayon::join(|| sum(&plan.far, first), of_others);
    let mut total = total?;
    for sums in others? {
        total.iter_mut().flatten().zip(sums.iter().flatten()).for_each(|(total, sum)| *total += sum);
    }
    Some(total)
}

/// Adds the magnetised prisms of leaves individually.
fn add_magnetised(
    tree: &Tree,
    (prisms, magnetisation): (&Prisms, &Magnetisation),
    (points, near): (&Tile, &[Near]),
    fields: MagneticFields,
    isa: Isa,
    sums: &mut Sums,
) {
    for &Near { leaf, groups } in near.iter().filter(|near| near.groups != 0) {
        let block = tree.nodes[leaf].split.prisms.clone();
        let values = f64::dispatch(isa, BlockSum { prisms, magnetisation, block, points, groups, fields });
        // There is no potential.
        let (_, sums) = sums.split_at_mut(1);
        sums.iter_mut().flatten().zip(values.iter().flatten()).for_each(|(sum, value)| *sum += value);
    }
}

/// Kernel that evaluates expansions and leaves of a plan at the points of its tile.
struct TileSum<'a> {
    tree: &'a Tree,
    tile: &'a Tile,
    far: &'a [Far],
    near: &'a [Near],
    /// Allowed truncation error per unit of G times mass.
    allowed: &'a Errors,
    needs: Needs,
    kind: usize,
}

impl Kernel<f64> for TileSum<'_> {
    type Output = Sums;
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> Sums {
        let mut sums: Sums = [[0.0; TILE]; Field::ALL.len()];
        for far in self.far {
            match self.kind {
                0 => self.add_far::<V, 0>(far, &mut sums),
                1 => self.add_far::<V, 1>(far, &mut sums),
                _ => self.add_far::<V, 2>(far, &mut sums),
            }
        }
        for near in self.near {
            self.add_near::<V>(near, &mut sums);
        }
        sums
    }
}

impl TileSum<'_> {
    /// Adds the expansion of a node.
    #[inline(always)]
    fn add_far<V: Lanes<Scalar = f64>, const KIND: usize>(&self, far: &Far, sums: &mut Sums) {
        let node = &self.tree.nodes[far.node];
        let coefficients = &self.tree.coefficients[far.node * COEFFICIENTS..(far.node + 1) * COEFFICIENTS];
        let over = 1.0 / node.radius;
        let potential = self.tree.bodies.strength() * node.mass * over;
        let scales = [V::splat(potential), V::splat(potential * over), V::splat(potential * over * over)];
        let [east, north, up] = [V::splat(node.centre[0]), V::splat(node.centre[1]), V::splat(node.centre[2])];
        let over = V::splat(over);
        for lane in far.points.clone().step_by(V::COUNT) {
            let [x, y, z] = self.tile.points::<V>(lane);
            let offset = [(x - east) * over, (y - north) * over, (z - up) * over];
            let values = expansion::<V, KIND>(coefficients, far.order.min(DEGREE), &offset);
            add(sums, lane, 0..1, &values, scales[0]);
            if KIND > 0 {
                add(sums, lane, 1..4, &values, scales[1]);
            }
            if KIND > 1 {
                add(sums, lane, 4..10, &values, scales[2]);
            }
        }
    }

    /// Adds the prisms of a leaf individually.
    #[inline(always)]
    fn add_near<V: Lanes<Scalar = f64>>(&self, near: &Near, sums: &mut Sums) {
        if near.groups == 0 {
            return;
        }
        let run = self.tree.nodes[near.leaf].split.prisms.clone();
        let lanes = self.tile.range.len();
        // Plain loops: the code of a closure would not be compiled for the vectors of the kernel.
        match &self.tree.bodies {
            Bodies::Prisms(prisms) => {
                for prism in run {
                    let bounds = prisms.bounds(prism);
                    let body = Body::<V>::from_afar(&bounds, serving(&bounds, self.allowed));
                    let scale = V::splat(GRAVITATIONAL_CONSTANT * prisms.density()[prism]);
                    for lane in (0..lanes).step_by(V::COUNT) {
                        if near.groups >> (lane / GROUP) & 1 == 1 {
                            let values = body.at(&self.tile.points(lane), self.needs);
                            add(sums, lane, 0..10, &values, scale);
                        }
                    }
                }
            }
            // They have a kernel of their own.
            Bodies::Magnetised(..) => {}
            Bodies::Tesseroids(tesseroids) => {
                for number in run {
                    let cell = Cell::new(tesseroids.at(number));
                    for lane in (0..lanes).step_by(V::COUNT) {
                        if near.groups >> (lane / GROUP) & 1 == 1 {
                            cell.add(&self.tile.points::<V>(lane), lane, sums);
                        }
                    }
                }
            }
        }
    }
}

/// Adds fields times a factor.
#[inline(always)]
fn add<V: Lanes<Scalar = f64>>(sums: &mut Sums, lane: usize, fields: Range<usize>, values: &[V; 10], factor: V) {
    for field in fields {
        let sum = &mut sums[field];
        values[field].mul_add(factor, V::load(sum, lane)).store(sum, lane);
    }
}
