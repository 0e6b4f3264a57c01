//! Exodus II of SEACAS, meshio, and in the layout of Cubit.

use craton_formats::hex_mesh::exodus::read;
use craton_formats::hex_mesh::{Group, HexMeshFile};

use super::volume::{assert_box, assert_no_panic, assert_side, assert_vp, sample};
use crate::common::assert_refused;

const SAMPLES: [&str; 8] = [
    "cubit_hex8_cdf2.exo",
    "cubit_hex8_nc4.exo",
    "cubit_hex20_cdf2.exo",
    "cubit_hex27_cdf1.exo",
    "ioss_hex8.exo",
    "ioss_hex20.exo",
    "ioss_hex27.exo",
    "meshio_hex8.e",
];

fn groups(groups: &[Group]) -> Vec<(&str, i64)> {
    groups.iter().map(|group| (&*group.name, group.number)).collect()
}

fn assert_all_sides(mesh: &HexMeshFile) {
    for (name, n_faces, axis, at) in [
        ("xmin", 4, 0, 0.0),
        ("xmax", 4, 0, 3.0),
        ("ymin", 6, 1, 0.0),
        ("ymax", 6, 1, 2.0),
        ("bottom", 6, 2, 0.0),
        ("top", 6, 2, 2.0),
    ] {
        assert_side(mesh, name, n_faces, axis, at);
    }
}

#[test]
fn a_file_of_cubit_has_blocks_sides_and_the_fields_of_the_last_step() {
    let mesh = read(&sample("cubit_hex8_cdf2.exo")).unwrap();
    assert_box(&mesh, 8, 1e-12);
    assert_eq!(groups(&mesh.blocks), [("rock", 10), ("sediment", 20)]);
    // The block of shells without a name is a side; the bar and the empty block and side set are left out.
    let sides = [("77", 77), ("ymin", 101), ("xmax", 102), ("ymax", 103), ("xmin", 104), ("bottom", 105), ("top", 106)];
    assert_eq!(groups(&mesh.sides), sides);
    assert_all_sides(&mesh);
    assert_vp(&mesh);
    assert_eq!(mesh.fields.len(), 1);
    let interface: Vec<_> = mesh.faces.iter().filter(|face| face.side == 0).collect();
    assert_eq!(interface.len(), 6);
    for &node in interface.iter().flat_map(|face| &face.corners) {
        let [x, y, z] = mesh.nodes[node as usize];
        assert!((z - (1.0 + x * (3.0 - x) / 10.0 + y * (2.0 - y) / 20.0)).abs() < 1e-14);
    }
}

#[test]
fn a_netcdf_4_file_without_time_steps_is_read() {
    let mesh = read(&sample("cubit_hex8_nc4.exo")).unwrap();
    assert_box(&mesh, 8, 1e-12);
    assert_eq!(groups(&mesh.blocks), [("rock", 10), ("sediment", 20)]);
    assert_side(&mesh, "bottom", 6, 2, 0.0);
    assert_side(&mesh, "top", 6, 2, 2.0);
    assert!(mesh.fields.is_empty());
}

#[test]
fn curved_elements_have_their_exact_volume() {
    for name in ["cubit_hex20_cdf2.exo", "cubit_hex27_cdf1.exo"] {
        let mesh = read(&sample(name)).unwrap();
        assert_box(&mesh, 27, 1e-12);
        assert_eq!(groups(&mesh.blocks), [("rock", 10), ("sediment", 20)], "{name}");
        assert_all_sides(&mesh);
    }
}

#[test]
fn files_of_seacas_are_read() {
    for (name, nodes) in [("ioss_hex8.exo", 8), ("ioss_hex20.exo", 27), ("ioss_hex27.exo", 27)] {
        let mesh = read(&sample(name)).unwrap();
        assert_box(&mesh, nodes, 1e-12);
        assert_eq!(groups(&mesh.blocks), [("layer_1", 1), ("layer_2", 2)], "{name}");
        assert_vp(&mesh);
    }
}

#[test]
fn a_file_of_meshio_is_read() {
    let mesh = read(&sample("meshio_hex8.e")).unwrap();
    assert_box(&mesh, 8, 1e-12);
    assert_eq!(groups(&mesh.blocks), [("0", 0), ("1", 1)]);
}

#[test]
fn damaged_files_do_not_panic() {
    for name in SAMPLES {
        assert_no_panic(name, read);
    }
}

/// Reads a sample in which a text is replaced by one of the same length.
fn read_replaced(name: &str, from: &[u8], to: &[u8]) -> craton_formats::Result<HexMeshFile> {
    let mut bytes = std::fs::read(sample(name)).unwrap();
    let place = bytes.windows(from.len()).position(|window| window == from).unwrap();
    bytes[place..place + from.len()].copy_from_slice(to);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.exo");
    std::fs::write(&path, bytes).unwrap();
    read(&path)
}

#[test]
fn other_elements_are_refused_with_their_number() {
    let result = read_replaced("cubit_hex8_cdf2.exo", b"HEX8", b"TET8");
    assert_refused(result, &["a.exo: elements = 6 TET8 of 8 nodes", "mesh all volumes with hexahedra"]);
    let result = read_replaced("cubit_hex8_cdf2.exo", b"coordz", b"coordw");
    assert_refused(result, &["coordinates = [36, 36, 0]", "three coordinates of each node"]);
}
