//! Volumes of meshes, and the box of the samples.

use std::path::{Path, PathBuf};

use craton_formats::hex_mesh::HexMeshFile;

/// Points and weights of Gauss' quadrature of order 5 on [-1, 1].
const GAUSS: [[f64; 2]; 3] =
    [[-0.774_596_669_241_483_4, 5.0 / 9.0], [0.0, 8.0 / 9.0], [0.774_596_669_241_483_4, 5.0 / 9.0]];

/// Number of mutations of each sample.
const MUTATIONS: u64 = 500;

/// A file of another program, see the scripts in `samples`.
pub fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/hex_mesh/samples").join(name)
}

/// Values and derivatives of the 2 or 3 shape functions along an axis.
fn shapes(along: usize, x: f64) -> Vec<[f64; 2]> {
    match along {
        2 => vec![[0.5 * (1.0 - x), -0.5], [0.5 * (1.0 + x), 0.5]],
        _ => vec![[0.5 * x * (x - 1.0), x - 0.5], [1.0 - x * x, -2.0 * x], [0.5 * x * (x + 1.0), x + 0.5]],
    }
}

/// Determinant of the Jacobian matrix at a point of the reference cube.
fn determinant(mesh: &HexMeshFile, element: usize, at: [f64; 3]) -> f64 {
    let along = if mesh.nodes_per_element == 8 { 2 } else { 3 };
    let of_axis = at.map(|x| shapes(along, x));
    let mut rows = [[0.0; 3]; 3];
    for (index, &node) in mesh.nodes_of(element).iter().enumerate() {
        let place = [index % along, index / along % along, index / along / along];
        for (derived, row) in rows.iter_mut().enumerate() {
            let shape: f64 = (0..3).map(|axis| of_axis[axis][place[axis]][usize::from(axis == derived)]).product();
            for (sum, x) in row.iter_mut().zip(mesh.nodes[node as usize]) {
                *sum += shape * x;
            }
        }
    }
    let [a, b, c] = rows;
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Absolute volume of each block.
pub fn volumes(mesh: &HexMeshFile) -> Vec<f64> {
    let mut volumes = vec![0.0; mesh.blocks.len()];
    for element in 0..mesh.n_elements() {
        for [z, wz] in GAUSS {
            for [y, wy] in GAUSS {
                for [x, wx] in GAUSS {
                    let volume = wx * wy * wz * determinant(mesh, element, [x, y, z]).abs();
                    volumes[usize::from(mesh.block_of[element])] += volume;
                }
            }
        }
    }
    volumes
}

/// Asserts that a mesh is the box of the samples, with the lower layer as block 0 and the upper one as block 1.
///
/// # Arguments
/// * `tolerance` – relative error of the volumes
pub fn assert_box(mesh: &HexMeshFile, nodes_per_element: usize, tolerance: f64) {
    assert_eq!((mesh.n_elements(), mesh.nodes_per_element), (12, nodes_per_element));
    assert_eq!(mesh.elements.len(), 12 * nodes_per_element);
    // The interface is exact with quadratic functions, and bilinear between the corners otherwise.
    let below = if nodes_per_element == 8 { 6.95 } else { 7.1 };
    let found = volumes(mesh);
    assert_eq!(found.len(), 2);
    for (found, expected) in found.iter().zip([below, 12.0 - below]) {
        assert!((found / expected - 1.0).abs() < tolerance, "{found} instead of {expected}");
    }
}

/// Asserts the wave speeds of the samples: 1000 times the number of the layer, and 10 times x.
pub fn assert_vp(mesh: &HexMeshFile) {
    let vp = mesh.fields.iter().find(|field| field.name == "vp").expect("a field `vp`");
    assert_eq!(vp.values.len(), mesh.n_elements());
    for (element, &value) in vp.values.iter().enumerate() {
        let nodes = mesh.nodes_of(element);
        let x = nodes.iter().map(|&node| mesh.nodes[node as usize][0]).sum::<f64>() / nodes.len() as f64;
        let expected = 1000.0 * f64::from(mesh.block_of[element] + 1) + 10.0 * x;
        assert!((value - expected).abs() < 1e-3, "element {element}: {value} instead of {expected}");
    }
}

/// Asserts that a side has faces with four corners on a plane.
pub fn assert_side(mesh: &HexMeshFile, name: &str, n_faces: usize, axis: usize, at: f64) {
    let side = mesh.sides.iter().position(|side| side.name == name).unwrap_or_else(|| panic!("a side `{name}`"));
    let faces: Vec<_> = mesh.faces.iter().filter(|face| usize::from(face.side) == side).collect();
    assert_eq!(faces.len(), n_faces, "{name}");
    for face in faces {
        let mut corners = face.corners;
        corners.sort_unstable();
        assert!(corners.windows(2).all(|pair| pair[0] < pair[1]), "{name}: {corners:?}");
        assert!(corners.iter().all(|&node| mesh.nodes[node as usize][axis] == at), "{name}: {corners:?}");
        // Corners, not nodes of edges or centres, which are halfway between whole numbers.
        let on_corners = |axis: usize| corners.iter().all(|&node| mesh.nodes[node as usize][axis].fract() == 0.0);
        assert!((0..2).all(on_corners), "{name}: {corners:?}");
    }
}

/// Reads truncated files and files with wrong bytes; none may panic.
pub fn assert_no_panic<T>(name: &str, read: impl Fn(&Path) -> T) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let bytes = std::fs::read(sample(name)).unwrap();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for mutation in 0..MUTATIONS {
        let mut damaged = bytes.clone();
        for _ in 0..=random(3) {
            let place = random(damaged.len());
            damaged[place] = [0, 1, 0x20, b'9', 0x7F, 0x80, 0xFF, bytes[place] ^ 1 << random(8)][random(8)];
        }
        if mutation % 8 == 0 {
            damaged.truncate(random(damaged.len()));
        }
        std::fs::write(&path, damaged).unwrap();
        read(&path);
    }
}
