//! Files written by Gmsh, see `samples/make_gmsh.py`.

use std::fs;

use craton_formats::hex_mesh::HexMeshFile;
use craton_formats::hex_mesh::gmsh::read;

use super::volume::{sample, volumes};
use crate::common::assert_refused;

/// Samples, and the volumes of "rock" and "soft" that Gmsh computes.
const SAMPLES: [(&str, [f64; 2]); 10] = [
    ("v22_ascii_hex8", ORDER_1),
    ("v22_binary_hex27", ORDER_2),
    ("v22_ascii_two_groups", ORDER_1),
    ("v22_binary_partitioned", ORDER_1),
    ("v41_ascii_hex20", [6.536897560926912, 5.463102439073096]),
    ("v41_ascii_hex27", ORDER_2),
    ("v41_binary_hex27", ORDER_2),
    ("v41_binary_hex8", ORDER_1),
    ("v41_ascii_partitioned", ORDER_1),
    ("v41_binary_partitioned", ORDER_1),
];
const ORDER_1: [f64; 2] = [6.458216208797115, 5.5417837912028824];
const ORDER_2: [f64; 2] = [6.5373674713202785, 5.462632528679713];

fn mesh(name: &str) -> HexMeshFile {
    read(&sample(&format!("{name}.msh"))).unwrap()
}

/// Corners of the elements, sorted, with the names of their blocks.
fn bodies(mesh: &HexMeshFile) -> Vec<(Vec<[i64; 3]>, &str)> {
    let last = if mesh.nodes_per_element == 8 { 1 } else { 2 };
    let along = last + 1;
    let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|corner| {
        let at = |axis: usize| corner >> axis & 1;
        last * (at(0) + along * (at(1) + along * at(2)))
    });
    let rounded = |node: u32| mesh.nodes[node as usize].map(|x| (x * 1e6).round() as i64);
    let mut all: Vec<_> = (0..mesh.n_elements())
        .map(|element| {
            let mut nodes = corners.map(|corner| rounded(mesh.nodes_of(element)[corner])).to_vec();
            nodes.sort_unstable();
            (nodes, &*mesh.blocks[usize::from(mesh.block_of[element])].name)
        })
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn all_samples_are_the_same_box() {
    let first = mesh(SAMPLES[0].0);
    for (name, wanted) in SAMPLES {
        let mesh = mesh(name);
        assert_eq!(mesh.n_elements(), 12, "{name}");
        let blocks: Vec<_> = mesh.blocks.iter().map(|block| (&*block.name, block.number)).collect();
        assert_eq!(blocks, [("rock", 7), ("soft", 21)], "{name}");
        let sides: Vec<_> = mesh.sides.iter().map(|side| (&*side.name, side.number)).collect();
        assert_eq!(sides, [("bottom", 1), ("top", 2), ("sides", 3)], "{name}");
        for (side, faces) in [(0, 6), (1, 6), (2, 20)] {
            assert_eq!(mesh.faces.iter().filter(|face| face.side == side).count(), faces, "{name}");
        }
        for (found, wanted) in volumes(&mesh).into_iter().zip(wanted) {
            assert!((found / wanted - 1.0).abs() < 1e-12, "{name}: {found} instead of {wanted}");
        }
        // All nodes of an element of the second order have their own positions.
        let expected = if mesh.nodes_per_element == 8 { 4 * 3 * 3 } else { 7 * 5 * 5 };
        assert_eq!(mesh.nodes.len(), expected, "{name}");
        assert_eq!(bodies(&mesh), bodies(&first), "{name}");
    }
}

#[test]
fn faces_lie_on_their_sides() {
    for (name, _) in SAMPLES {
        let mesh = mesh(name);
        for face in &mesh.faces {
            let corners = face.corners.map(|node| mesh.nodes[node as usize]);
            let are_all = |axis: usize, wanted: f64| corners.iter().all(|corner| (corner[axis] - wanted).abs() < 1e-9);
            let is_on_side = match face.side {
                0 => are_all(2, -1.0),
                1 => are_all(2, 1.0),
                _ => are_all(0, 0.0) || are_all(0, 3.0) || are_all(1, 0.0) || are_all(1, 2.0),
            };
            assert!(is_on_side, "{name}: {corners:?}");
        }
    }
}

#[test]
fn fields_belong_to_their_elements() {
    for name in ["v22_ascii_hex8", "v22_binary_hex27", "v41_binary_hex8"] {
        let mesh = mesh(name);
        let [field] = &mesh.fields[..] else { panic!("{name} has {} fields", mesh.fields.len()) };
        assert_eq!(field.name, "vs");
        for (element, value) in field.values.iter().enumerate() {
            // The script gives each element 1000 plus its number, which counts the elements of volumes from 33 on.
            assert_eq!(*value, 1033.0 + element as f64, "{name}");
        }
    }
}

#[test]
fn both_byte_orders_are_read() {
    // Version 2.2 with a hexahedron, its numbers as words of 4 bytes and its positions of 8 bytes.
    let corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
    let file = |is_big: bool| {
        let word = |number: i32| if is_big { number.to_be_bytes() } else { number.to_le_bytes() };
        let real = |x: i32| if is_big { f64::from(x).to_be_bytes() } else { f64::from(x).to_le_bytes() };
        let mut bytes = b"$MeshFormat\n2.2 1 8\n".to_vec();
        bytes.extend(word(1));
        bytes.extend(b"\n$EndMeshFormat\n$Nodes\n8\n");
        for (tag, corner) in (10..).zip(corners) {
            bytes.extend(word(tag));
            corner.iter().for_each(|&x| bytes.extend(real(x)));
        }
        bytes.extend(b"\n$EndNodes\n$Elements\n1\n");
        [5, 1, 2, 1, 4, 3, 10, 11, 12, 13, 14, 15, 16, 17].iter().for_each(|&number| bytes.extend(word(number)));
        bytes.extend(b"\n$EndElements\n");
        bytes
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.msh");
    let read_bytes = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        read(&path)
    };
    let little = read_bytes(&file(false)).unwrap();
    assert_eq!(little, read_bytes(&file(true)).unwrap());
    assert_eq!(little.elements, [0, 1, 3, 2, 4, 5, 7, 6]);
    assert_eq!((&*little.blocks[0].name, little.blocks[0].number), ("4", 4));
    let mut other = file(false);
    other[20] = 2;
    assert_refused(read_bytes(&other), &["a.msh: section $MeshFormat: number that gives the byte order"]);
}

#[test]
fn a_file_truncated_before_the_end_of_the_elements_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.msh");
    for (name, _) in SAMPLES {
        let bytes = fs::read(sample(&format!("{name}.msh"))).unwrap();
        let end = bytes.windows(12).position(|window| window == b"$EndElements").unwrap();
        for length in (0..end + 12).step_by(7).chain([end - 1, end, end + 11]) {
            fs::write(&path, &bytes[..length]).unwrap();
            assert_refused(read(&path), &["a.msh"]);
            fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn damaged_files_do_not_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.msh");
    let mut state = 1_u64;
    let mut random = |below: usize| {
        // Knuth's linear congruential generator.
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for (name, _) in SAMPLES {
        let bytes = fs::read(sample(&format!("{name}.msh"))).unwrap();
        for _ in 0..600 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random(3) {
                let place = random(damaged.len());
                match random(4) {
                    0 => damaged[place] = [0x00, 0x01, 0x7F, 0x80, 0xFF, b' ', b'\n', b'-', b'9', b'$'][random(10)],
                    1 => damaged[place] ^= 1 << random(8),
                    2 => drop(damaged.drain(place..(place + 1 + random(9)).min(bytes.len() / 2).max(place))),
                    _ => damaged.insert(place, b'0' + random(10) as u8),
                }
            }
            fs::write(&path, damaged).unwrap();
            let _ = read(&path);
            // Some file systems wait for the disk when a file is overwritten.
            fs::remove_file(&path).unwrap();
        }
    }
}
