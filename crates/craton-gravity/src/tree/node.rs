//! Nodes of the tree: bounds, mass, centre and expansion.

use craton_device::{Isa, Scalar};
use rayon::prelude::*;

use super::bodies::Bodies;
use super::moments::{COUNT, DEGREE, Moments, Moved};
use super::solid::{COEFFICIENTS, Solid};
use super::split::Split;
use crate::GoOn;

/// Safety factor for round-off in a radius.
const ROUND: f64 = 1.0 + 1e-12;

/// A group of prisms.
#[derive(Debug, Clone)]
pub struct Node {
    pub split: Split,
    /// Bounds along x, y, z [m].
    pub bounds: [[f64; 2]; 3],
    /// Sum of the absolute masses [kg].
    pub mass: f64,
    /// Centre of these masses [m].
    pub centre: [f64; 3],
    /// Radius of a sphere around the centre that contains all corners [m].
    pub radius: f64,
    /// Upper bound of the potential of each degree l times r^(l + 1), per unit of G, `mass` and radius^l.
    pub norms: [f64; DEGREE + 1],
    /// Mean of the distance from the centre, in radii, to the power [`DEGREE`], weighted by the absolute masses; of dipoles over the radius [m].
    pub power: f64,
}

/// Data passed from a node to its parent: moments about its centre, with lengths in radii.
struct Part {
    signed: Box<Moments>,
    /// Moments of the absolute masses, if both signs occur.
    absolute: Option<Box<Moments>>,
    /// Common sign of all masses: 1, -1, or 0 if all are zero.
    sign: f64,
}

/// Builds the nodes.
pub struct Builder<'a> {
    /// In the order of the tree.
    pub bodies: &'a Bodies,
    pub solid: &'a Solid,
    pub isa: Isa,
    pub go_on: GoOn<'a>,
}

impl Builder<'_> {
    /// All nodes and their concatenated coefficients; `None` if cancelled.
    pub fn nodes(&self, splits: &[Split]) -> Option<(Vec<Node>, Vec<f64>)> {
        let mut nodes: Vec<Node> = splits.par_iter().map(|split| Node::new(split.clone())).collect();
        let mut coefficients = vec![0.0; COEFFICIENTS * nodes.len()];
        if !nodes.is_empty() {
            self.fill(&mut nodes, &mut coefficients)?;
        }
        Some((nodes, coefficients))
    }

    /// Fills the first node and all its descendants.
    fn fill(&self, nodes: &mut [Node], coefficients: &mut [f64]) -> Option<Part> {
        let (node, below) = nodes.split_at_mut(1);
        let (own, below_own) = coefficients.split_at_mut(COEFFICIENTS);
        let node = &mut node[0];
        let part = if below.is_empty() {
            self.leaf(node)
        } else {
            let first = below[0].split.nodes;
            let (low, high) = below.split_at_mut(first);
            let (own_low, own_high) = below_own.split_at_mut(first * COEFFICIENTS);
            let parts = if node.split.nodes <= 64 {
                (self.fill(low, own_low), self.fill(high, own_high))
            } else if (self.go_on)() {
                rayon::join(|| self.fill(low, own_low), || self.fill(high, own_high))
            } else {
                return None;
            };
            self.merge(node, [&low[0], &high[0]], [parts.0?, parts.1?])
        };
        if node.mass > 0.0 {
            self.solid.coefficients(&part.signed, 1.0 / node.mass, own);
            node.norms = self.solid.norms(own);
            let power = self.solid.power(part.absolute.as_ref().unwrap_or(&part.signed)).abs() / node.mass;
            node.power = power / node.radius.powi(self.bodies.order() as i32);
        }
        Some(part)
    }

    /// Fills a leaf and returns its moments.
    fn leaf(&self, node: &mut Node) -> Part {
        let run = node.split.prisms.clone();
        let mut masses = Vec::with_capacity(run.len());
        let mut is_mixed = false;
        let bounds: Vec<_> = run.clone().map(|body| self.bodies.bounds(body)).collect();
        for (body, bounds) in run.clone().zip(&bounds) {
            let (mass, has_both) = self.bodies.mass(body);
            masses.push(mass);
            is_mixed |= has_both;
            node.enclose(bounds);
        }
        let middles = run.clone().map(|body| self.bodies.middle(body));
        node.balance(masses.iter().map(|mass| mass.abs()).zip(middles));
        let reach = |bounds| farthest(&node.centre, bounds);
        node.radius = ROUND * bounds.iter().map(reach).fold(0.0, f64::max).sqrt();
        let about = (node.centre, node.radius);
        let moments =
            |masses: &[f64], is_absolute| self.bodies.moments(run.clone(), about, masses, is_absolute, self.isa);
        let sign = common_sign(masses.iter().map(|mass| if *mass == 0.0 { 0.0 } else { mass.signum() }));
        let (signed, sign) = (moments(&masses, false), sign.filter(|_| !is_mixed));
        masses.iter_mut().for_each(|mass| *mass = mass.abs());
        Part { signed, absolute: sign.is_none().then(|| moments(&masses, true)), sign: sign.unwrap_or(0.0) }
    }

    /// Fills an inner node from its children and returns its moments.
    fn merge(&self, node: &mut Node, halves: [&Node; 2], parts: [Part; 2]) -> Part {
        halves.iter().for_each(|half| node.enclose(&half.bounds));
        node.balance(halves.iter().map(|half| (half.mass, half.centre)));
        let reach = |half: &&Node| distance(&node.centre, &half.centre) + half.radius;
        let of_halves = halves.iter().map(reach).fold(0.0, f64::max);
        node.radius = ROUND * of_halves.min(farthest(&node.centre, &node.bounds).sqrt());
        let is_mixed = parts.iter().any(|part| part.absolute.is_some());
        let sign = if is_mixed { None } else { common_sign(parts.iter().map(|part| part.sign)) };
        let mut signed = Box::new([0.0; COUNT]);
        let mut absolute = sign.is_none().then(|| Box::new([0.0; COUNT]));
        for (half, part) in halves.iter().zip(parts) {
            let shift = std::array::from_fn(|axis| (half.centre[axis] - node.centre[axis]) / node.radius);
            let ratio = half.radius / node.radius;
            f64::dispatch(self.isa, Moved { part: &part.signed, ratio, shift, whole: &mut signed });
            if let Some(whole) = &mut absolute {
                let mut positive = part.signed;
                positive.iter_mut().for_each(|moment| *moment *= part.sign);
                f64::dispatch(self.isa, Moved { part: &part.absolute.unwrap_or(positive), ratio, shift, whole });
            }
        }
        Part { signed, absolute, sign: sign.unwrap_or(0.0) }
    }
}

impl Node {
    /// An empty node.
    fn new(split: Split) -> Self {
        let bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        Self { split, bounds, mass: 0.0, centre: [0.0; 3], radius: 0.0, norms: [0.0; DEGREE + 1], power: 0.0 }
    }

    fn enclose(&mut self, other: &[[f64; 2]; 3]) {
        for (bounds, other) in self.bounds.iter_mut().zip(other) {
            *bounds = [bounds[0].min(other[0]), bounds[1].max(other[1])];
        }
    }

    /// Sums masses and sets the centre to their centre of mass, or to the middle of the bounds if there is no mass.
    fn balance(&mut self, masses: impl Iterator<Item = (f64, [f64; 3])>) {
        let middle = self.bounds.map(|[low, high]| 0.5 * (low + high));
        let mut moment = [0.0; 3];
        for (mass, place) in masses {
            self.mass += mass;
            (0..3).for_each(|axis| moment[axis] += mass * (place[axis] - middle[axis]));
        }
        let mass = if self.mass > 0.0 { self.mass } else { 1.0 };
        self.centre = std::array::from_fn(|axis| middle[axis] + moment[axis] / mass);
    }
}

/// The common sign of all nonzero values; `None` if both signs occur.
fn common_sign(signs: impl Iterator<Item = f64>) -> Option<f64> {
    let (low, high) = signs.fold((0.0_f64, 0.0_f64), |(low, high), sign| (low.min(sign), high.max(sign)));
    (low == 0.0 || high == 0.0).then_some(low + high)
}

pub fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

/// Squared distance to the farthest corner of a box.
fn farthest(point: &[f64; 3], bounds: &[[f64; 2]; 3]) -> f64 {
    let along = |axis: usize| (point[axis] - bounds[axis][0]).max(bounds[axis][1] - point[axis]);
    let [x, y, z] = [along(0), along(1), along(2)];
    x * x + y * y + z * z
}
