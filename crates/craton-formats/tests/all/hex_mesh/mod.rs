//! Meshes of hexahedra written by other programs.

use std::path::{Path, PathBuf};

use craton_formats::hex_mesh::HexMeshFile;

mod gmsh;

/// A file written by another program, see the scripts in the folder `samples`.
fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/hex_mesh/samples").join(name)
}

/// Places and weights of Gauss quadrature with three points along [-1, 1].
const GAUSS: [(f64, f64); 3] =
    [(-0.774_596_669_241_483_4, 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.774_596_669_241_483_4, 5.0 / 9.0)];

/// Lagrange functions through 2 or 3 equidistant nodes on [-1, 1], and their derivatives.
fn lagrange(along: usize, x: f64) -> Vec<(f64, f64)> {
    match along {
        2 => vec![(0.5 * (1.0 - x), -0.5), (0.5 * (1.0 + x), 0.5)],
        _ => vec![(0.5 * x * (x - 1.0), x - 0.5), (1.0 - x * x, -2.0 * x), (0.5 * x * (x + 1.0), x + 0.5)],
    }
}

/// Determinant of the derivatives of the position by the reference coordinates.
fn determinant(mesh: &HexMeshFile, element: usize, place: [f64; 3]) -> f64 {
    let along = if mesh.nodes_per_element == 8 { 2 } else { 3 };
    let functions = place.map(|x| lagrange(along, x));
    let mut jacobian = [[0.0; 3]; 3];
    for (index, &node) in mesh.nodes_of(element).iter().enumerate() {
        let at = [index % along, index / along % along, index / along / along];
        for direction in 0..3 {
            let value = |axis: usize| {
                let (value, derivative) = functions[axis][at[axis]];
                if axis == direction { derivative } else { value }
            };
            let weight = value(0) * value(1) * value(2);
            for axis in 0..3 {
                jacobian[axis][direction] += weight * mesh.nodes[node as usize][axis];
            }
        }
    }
    let [a, b, c] = jacobian;
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Volumes of the blocks; all elements must have the same handedness at all points of quadrature.
fn volumes(mesh: &HexMeshFile) -> Vec<f64> {
    let mut volumes = vec![0.0; mesh.blocks.len()];
    for element in 0..mesh.n_elements() {
        for (x, a) in GAUSS {
            for (y, b) in GAUSS {
                for (z, c) in GAUSS {
                    let determinant = determinant(mesh, element, [x, y, z]);
                    assert!(determinant > 0.0, "element {element} has the determinant {determinant}");
                    volumes[usize::from(mesh.block_of[element])] += a * b * c * determinant;
                }
            }
        }
    }
    volumes
}
