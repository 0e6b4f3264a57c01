//! Gauss-Legendre rules on the unit interval and the unit square.

use crate::gauss::rule;

/// A product rule on the unit square, as one list of nodes.
pub struct Rule {
    /// Coordinates of the nodes, 0 to 1, and weights with sum 1.
    pub u: Vec<f64>,
    pub v: Vec<f64>,
    pub weight: Vec<f64>,
}

/// The rules of this module.
pub struct Rules {
    /// 4 x 4 and 8 x 8 nodes.
    pub four: Rule,
    pub eight: Rule,
    /// 8 nodes on the unit interval: coordinates and weights.
    pub line: [[f64; 8]; 2],
}

impl Rules {
    pub fn new() -> Self {
        let (four, eight) = (on_unit(rule(4)), on_unit(rule(8)));
        let mut line = [[0.0; 8]; 2];
        for (at, [node, weight]) in eight.iter().enumerate() {
            (line[0][at], line[1][at]) = (*node, *weight);
        }
        Self { four: product(&four), eight: product(&eight), line }
    }
}

/// A rule on [0, 1].
fn on_unit(rule: &[[f64; 2]]) -> Vec<[f64; 2]> {
    rule.iter().map(|[node, weight]| [0.5 + 0.5 * node, 0.5 * weight]).collect()
}

fn product(line: &[[f64; 2]]) -> Rule {
    let pairs = || line.iter().flat_map(|v| line.iter().map(move |u| (u, v)));
    Rule {
        u: pairs().map(|(u, _)| u[0]).collect(),
        v: pairs().map(|(_, v)| v[0]).collect(),
        weight: pairs().map(|(u, v)| u[1] * v[1]).collect(),
    }
}
