//! Boxes and checks that several tests use.
#![allow(dead_code)] // each test file uses some of them

use std::collections::HashMap;

use craton_mesh::{
    BoxSpec, Doubling, ElementMap, FACE_AXES, Geometry, HexMesh, Horizontal, Numbering, UniformSize, mesh_box,
};
use craton_testkit::meshes::{PerStratum, strata};

/// LOH.1 at 5 Hz: 1000 m of soft rock over a half-space.
pub const LOH1: PerStratum = PerStratum(&[(400.0, 4000.0), (690.0, 6000.0)]);

/// A unit cube with this many elements per axis.
pub fn cube(geometry: Geometry, counts: [usize; 3], periodic: [bool; 2]) -> HexMesh {
    let sizes = UniformSize { size: 1.0 / counts[2] as f64, speed: 1.0 };
    let top = craton_mesh::Flat(1.0);
    let mut spec = BoxSpec::new([0.0, 1.0], [0.0, 1.0], 0.0, strata(&[&top]), &sizes);
    spec.geometry = geometry;
    spec.horizontal = Horizontal::Elements([counts[0], counts[1]]);
    spec.periodic = periodic;
    spec.doubling = Doubling::Never;
    mesh_box(&spec).unwrap()
}

/// Points symmetric about 0 with both ends, as GLL points are.
pub fn points(degree: usize) -> Vec<f64> {
    let angle = |i: usize| std::f64::consts::PI * i as f64 / degree as f64;
    (0..=degree).map(|i| if 2 * i == degree { 0.0 } else { 0.5 * (angle(degree - i).cos() - angle(i).cos()) }).collect()
}

/// Asserts that neighbours share whole faces, control node by control node, and that exactly the other faces are
/// listed as boundary.
pub fn assert_conforming(mesh: &HexMesh) {
    let n = mesh.geometry.per_axis();
    let stride = [1, n, n * n];
    let mut shared: HashMap<Vec<u32>, Vec<(u32, u8)>> = HashMap::new();
    let mut by_corners: HashMap<Vec<u32>, u32> = HashMap::new();
    for element in 0..mesh.n_elements() as u32 {
        for face in 0..6_u8 {
            let [normal, a, b] = FACE_AXES[face as usize];
            let origin = usize::from(face % 2) * (n - 1) * stride[normal];
            let node =
                |i: usize, j: usize| mesh.twin[mesh.nodes_of(element)[origin + i * stride[a] + j * stride[b]] as usize];
            let mut nodes: Vec<u32> = (0..n * n).map(|at| node(at % n, at / n)).collect();
            let mut corners: Vec<u32> =
                [(0, 0), (n - 1, 0), (0, n - 1), (n - 1, n - 1)].map(|(i, j)| node(i, j)).into();
            nodes.sort_unstable();
            corners.sort_unstable();
            shared.entry(nodes).or_default().push((element, face));
            *by_corners.entry(corners).or_default() += 1;
        }
    }
    assert_eq!(shared.len(), by_corners.len(), "faces with equal corners have equal nodes");
    assert!(shared.values().all(|users| users.len() <= 2));
    let mut alone: Vec<(u32, u8)> = shared.values().filter(|users| users.len() == 1).map(|users| users[0]).collect();
    let mut listed: Vec<(u32, u8)> = mesh.faces.iter().map(|f| (f.element, f.face)).collect();
    alone.sort_unstable();
    listed.sort_unstable();
    assert_eq!(alone, listed);
}

/// Coordinates of every node, asserting that all elements agree on them (`period` apart at most) and that no two
/// nodes coincide.
pub fn node_positions(mesh: &HexMesh, numbering: &Numbering, period: [f64; 2]) -> Vec<[f64; 3]> {
    let mut map = ElementMap::new(mesh.geometry, &points(numbering.degree));
    let bounds = mesh.bounding_box();
    let tolerance = 1e-9 * (0..3).map(|axis| bounds[1][axis] - bounds[0][axis]).sum::<f64>();
    let mut positions = vec![[f64::NAN; 3]; numbering.n_nodes];
    let (mut buffer, mut local) = ([[0.0; 3]; 27], Vec::new());
    for element in 0..mesh.n_elements() as u32 {
        map.positions(mesh.points_of(element, &mut buffer), &mut local);
        for (&node, &point) in numbering.nodes_of(element).iter().zip(&local) {
            let known = &mut positions[node as usize];
            if known[0].is_nan() {
                *known = point;
            }
            for axis in 0..3 {
                let gap = (known[axis] - point[axis]).abs();
                let gap = period.get(axis).map_or(gap, |period| gap.min((gap - period).abs()));
                assert!(gap < tolerance, "node {node} differs by {gap} between elements");
            }
        }
    }
    let quantised = |point: &[f64; 3]| point.map(|x| (x / (100.0 * tolerance)).round() as i64);
    let mut places: Vec<_> = positions.iter().map(quantised).collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), numbering.n_nodes, "no two nodes coincide, none is unused");
    positions
}

/// A small reproducible random generator (xorshift), uniform in [0, 1).
pub struct Random(pub u64);

impl Random {
    /// Next number.
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Next number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() * count as f64) as usize
    }
}

/// The 24 turns of a cube: for each new axis the old axis, and whether it is reversed.
pub fn turns() -> Vec<[(usize, bool); 3]> {
    let mut turns = Vec::new();
    for axes in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
        let odd = [[0, 2, 1], [2, 1, 0], [1, 0, 2]].contains(&axes);
        for signs in 0..8_u32 {
            if (signs.count_ones() % 2 == 1) == odd {
                turns.push(std::array::from_fn(|axis| (axes[axis], signs >> axis & 1 == 1)));
            }
        }
    }
    turns
}

/// The same mesh with every element turned at random inside its place; sides keep their faces.
pub fn turned(mesh: &HexMesh, seed: u64) -> HexMesh {
    let (turns, mut random) = (turns(), Random(seed));
    let chosen: Vec<_> = (0..mesh.n_elements()).map(|_| turns[random.below(24)]).collect();
    let n = mesh.geometry.per_axis();
    let mut new = mesh.clone();
    new.connectivity.clear();
    for (element, turn) in chosen.iter().enumerate() {
        for local in 0..n * n * n {
            let place = [local % n, local / n % n, local / (n * n)];
            let mut old = [0; 3];
            for (axis, &(from, reversed)) in turn.iter().enumerate() {
                old[from] = if reversed { n - 1 - place[axis] } else { place[axis] };
            }
            let old = old[0] + n * (old[1] + n * old[2]);
            new.connectivity.push(mesh.nodes_of(element as u32)[old]);
        }
    }
    for face in &mut new.faces {
        let turn = chosen[face.element as usize];
        let (normal, end) = (face.face as usize / 2, face.face % 2);
        let axis = turn.iter().position(|&(from, _)| from == normal).unwrap();
        face.face = (2 * axis) as u8 + (end ^ u8::from(turn[axis].1));
    }
    new
}
