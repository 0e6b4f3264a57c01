//! The sum over a tree at the points of a tile.

use std::ops::Range;

use craton_device::{Kernel, Lanes};

use super::Tree;
use super::bound::{Errors, KINDS, POINT_TENSOR, accept};
use super::far::expansion;
use super::moments::DEGREE;
use super::node::Node;
use super::solid::COEFFICIENTS;
use crate::fields::Needs;
use crate::forward::Sums;
use crate::multipole::FAR;
use crate::pair::Body;
use crate::tile::{TILE, Tile};
use crate::{Field, GRAVITATIONAL_CONSTANT};

/// Half diagonals within which no prism is taken by its multipole, whatever the tolerance.
const NEAR: f64 = 3.0;

/// What a tile takes of a tree, in the order of the nodes.
pub struct Plan {
    /// Nodes and the orders of their expansions.
    far: Vec<(usize, usize)>,
    /// Leaves that are taken prism by prism, and the half diagonals from which a prism's own multipole serves.
    near: Vec<(usize, f64)>,
    /// What is left out at most, in all.
    pub errors: Errors,
}

impl Plan {
    /// Of a tile, for an error of the whole.
    ///
    /// Each node may leave out its share of the tolerance, as its mass is of all masses without their signs. So what all of those that make the sum leave out is at
    /// most the tolerance.
    pub fn new(tree: &Tree, tile: &Tile, tolerance: &Errors) -> Self {
        let mut plan = Self { far: Vec::new(), near: Vec::new(), errors: [0.0; KINDS] };
        let Some(root) = tree.nodes.first() else { return plan };
        let bounds = tile.bounds();
        let whole = GRAVITATIONAL_CONSTANT * root.mass;
        // What is no number or negative allows nothing; what has no mass leaves nothing out.
        let allowed = tolerance.map(|error| if whole > 0.0 { error.max(0.0) / whole } else { f64::INFINITY });
        let mut index = 0;
        while index < tree.nodes.len() {
            let node = &tree.nodes[index];
            let is_leaf = node.split.nodes == 1;
            let accepted = accept(node, gap(&bounds, &node.centre.map(|x| [x, x])), &allowed);
            if let Some(accepted) = accepted.filter(|accepted| !is_leaf || pays(accepted.order, node)) {
                plan.add(node, &accepted.errors);
                plan.far.push((index, accepted.order));
                index += node.split.nodes;
                continue;
            }
            if is_leaf {
                plan.add(node, &allowed);
                plan.near.push((index, serving(gap(&bounds, &node.bounds), &allowed)));
            }
            index += 1;
        }
        plan
    }

    /// Counts what a node leaves out, per G and its mass.
    fn add(&mut self, node: &Node, errors: &Errors) {
        for (sum, error) in self.errors.iter_mut().zip(errors) {
            if node.mass > 0.0 {
                *sum += GRAVITATIONAL_CONSTANT * node.mass * error;
            }
        }
    }
}

/// Whether an expansion costs less than the prisms of a leaf one by one.
fn pays(order: usize, node: &Node) -> bool {
    node.split.prisms.len() * 32 >= (order + 1) * (order + 2)
}

/// Half diagonals from which a prism's multipole leaves out no more than is allowed, for prisms at a distance.
///
/// With y the square of half the diagonal over the distance it leaves out at most y⁴/(9 (1 - y)) of the potential of a point mass, y⁴/(1 - y) of the attraction
/// and 5 y⁴/(1 - y)² of the tensor: the sums of those terms that `multipole.rs` tells. From [`NEAR`] on y is at most 1/9.
fn serving(distance: f64, allowed: &Errors) -> f64 {
    let scales = [distance, distance * distance, distance * distance * distance];
    let point = [1.0 / 9.0, 1.0, 5.0 * POINT_TENSOR];
    let over = (81.0 / 64.0) * (0..KINDS).map(|kind| point[kind] / (allowed[kind] * scales[kind])).fold(0.0, f64::max);
    // An infinite tolerance at no distance makes no number, which does not count.
    over.powf(0.125).clamp(NEAR, FAR)
}

/// Distance between two boxes.
fn gap(a: &[[f64; 2]; 3], b: &[[f64; 2]; 3]) -> f64 {
    let along = |axis: usize| (a[axis][0] - b[axis][1]).max(b[axis][0] - a[axis][1]).max(0.0);
    [along(0), along(1), along(2)].iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The kernel: what a plan says at the points of its tile.
pub struct TileSum<'a> {
    pub tree: &'a Tree,
    pub tile: &'a Tile,
    pub plan: &'a Plan,
    pub needs: Needs,
    /// Derivatives of the potential that are asked for, at most.
    pub kind: usize,
}

impl Kernel<f64> for TileSum<'_> {
    type Output = Sums;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> Sums {
        let mut sums: Sums = [[0.0; TILE]; Field::ALL.len()];
        for &(node, order) in &self.plan.far {
            match self.kind {
                0 => self.far::<V, 0>(node, order, &mut sums),
                1 => self.far::<V, 1>(node, order, &mut sums),
                _ => self.far::<V, 2>(node, order, &mut sums),
            }
        }
        for &(node, far) in &self.plan.near {
            self.near::<V>(&self.tree.nodes[node], far, &mut sums);
        }
        sums
    }
}

impl TileSum<'_> {
    /// Adds the expansion of a node.
    #[inline(always)]
    fn far<V: Lanes<Scalar = f64>, const KIND: usize>(&self, index: usize, order: usize, sums: &mut Sums) {
        let node = &self.tree.nodes[index];
        let coefficients = &self.tree.coefficients[index * COEFFICIENTS..(index + 1) * COEFFICIENTS];
        let over = 1.0 / node.radius;
        let potential = GRAVITATIONAL_CONSTANT * node.mass * over;
        let scales = [V::splat(potential), V::splat(potential * over), V::splat(potential * over * over)];
        let [east, north, up] = [V::splat(node.centre[0]), V::splat(node.centre[1]), V::splat(node.centre[2])];
        let over = V::splat(over);
        for lane in (0..self.tile.range.len()).step_by(V::COUNT) {
            let [x, y, z] = self.tile.points::<V>(lane);
            let offset = [(x - east) * over, (y - north) * over, (z - up) * over];
            let values = expansion::<V, KIND>(coefficients, order.min(DEGREE), &offset);
            add(sums, lane, 0..1, &values, scales[0]);
            if KIND > 0 {
                add(sums, lane, 1..4, &values, scales[1]);
            }
            if KIND > 1 {
                add(sums, lane, 4..10, &values, scales[2]);
            }
        }
    }

    /// Adds the prisms of a leaf, one by one.
    #[inline(always)]
    fn near<V: Lanes<Scalar = f64>>(&self, leaf: &Node, far: f64, sums: &mut Sums) {
        for prism in leaf.split.prisms.clone() {
            let body = Body::<V>::from_afar(&self.tree.prisms.bounds(prism), far);
            let scale = V::splat(GRAVITATIONAL_CONSTANT * self.tree.prisms.density()[prism]);
            for lane in (0..self.tile.range.len()).step_by(V::COUNT) {
                let values = body.at(&self.tile.points(lane), self.needs);
                add(sums, lane, 0..10, &values, scale);
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
