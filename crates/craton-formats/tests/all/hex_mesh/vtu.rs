//! VTU of VTK, meshio and Craton.

use std::path::Path;

use craton_formats::hex_mesh::vtu::read;
use craton_formats::hex_mesh::{Group, HexMeshFile};
use craton_formats::vtk::{CellBlock, CellKind, Field, Mesh, NodeOrder, Values, write_vtu};

use super::volume::{assert_box, assert_no_panic, assert_side, assert_vp, sample};
use crate::common::assert_refused;

const WITH_FACES: [(&str, usize); 5] = [
    ("vtk_hex8_ascii.vtu", 8),
    ("vtk_hex8_raw_u64.vtu", 8),
    ("vtk_hex8_appended_u64_big.vtu", 8),
    ("vtk_hex20_base64.vtu", 27),
    ("vtk_hex27_raw_zlib.vtu", 27),
];

const WITHOUT_FACES: [(&str, usize); 3] =
    [("vtk_hex27_base64_zlib_u64.vtu", 27), ("vtk_lagrange27_zlib.vtu", 27), ("meshio_hex8_zlib.vtu", 8)];

fn names(groups: &[Group]) -> Vec<&str> {
    groups.iter().map(|group| &*group.name).collect()
}

#[test]
fn all_encodings_of_vtk_are_read() {
    for (name, nodes) in WITH_FACES {
        let mesh = read(&sample(name)).unwrap_or_else(|error| panic!("{error}"));
        assert_box(&mesh, nodes, 1e-12);
        assert_eq!((names(&mesh.blocks), names(&mesh.sides)), (vec!["1", "2"], vec!["101", "102"]), "{name}");
        assert_side(&mesh, "101", 6, 2, 0.0);
        assert_side(&mesh, "102", 6, 2, 2.0);
        assert_vp(&mesh);
        assert_eq!(mesh.fields.len(), 1);
    }
    for (name, nodes) in WITHOUT_FACES {
        let mesh = read(&sample(name)).unwrap_or_else(|error| panic!("{error}"));
        assert_box(&mesh, nodes, 1e-12);
        assert_eq!(names(&mesh.blocks), if name.starts_with("meshio") { ["5", "6"] } else { ["1", "2"] }, "{name}");
        assert_vp(&mesh);
    }
}

#[test]
fn pieces_are_joined_without_copies_of_cells_and_points() {
    let mesh = read(&sample("vtk_hex8_pieces.vtu")).unwrap();
    // VTK wrote the points in single precision.
    assert_box(&mesh, 8, 1e-6);
    assert_eq!(mesh.nodes.len(), 36);
    assert_vp(&mesh);
}

/// Reads a sample in which a text is replaced.
fn read_replaced(name: &str, from: &str, to: &str) -> craton_formats::Result<HexMeshFile> {
    let text = std::fs::read_to_string(sample(name)).unwrap();
    assert!(text.contains(from), "{from}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtu");
    std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    read(&path)
}

#[test]
fn lagrange_hexahedra_of_vtk_8_have_other_edges() {
    let old = read_replaced("vtk_lagrange27_zlib.vtu", "version=\"2.3\"", "version=\"2.0\"").unwrap();
    let new = read(&sample("vtk_lagrange27_zlib.vtu")).unwrap();
    // The middles of the vertical edges at the back.
    for (old, new) in old.elements.chunks_exact(27).zip(new.elements.chunks_exact(27)) {
        let mut swapped = new.to_vec();
        swapped.swap(15, 17);
        assert_eq!(old, swapped);
    }
}

#[test]
fn files_that_are_not_supported_are_refused() {
    assert_refused(read(&sample("vtk_hex8_lz4.vtu")), &["compressor = `vtkLZ4DataCompressor`", "zlib"]);
    let ascii = "vtk_hex8_ascii.vtu";
    let type_of_first = "RangeMin=\"1\" RangeMax=\"12\">\n          1 12 12";
    for (from, to, message) in [
        (type_of_first, "RangeMin=\"1\">\n 1 10 12", "cells = 1 tetrahedra (type 10) of 8 nodes"),
        (type_of_first, "RangeMin=\"1\">\n 1 25 12", "cells = 1 hexahedra (type 25) of 8 nodes"),
        ("byte_order=\"LittleEndian\"", "byte_order=\"x\"", "byte_order = `x`"),
        ("header_type=\"UInt32\"", "header_type=\"UInt16\"", "header_type = `UInt16`"),
        ("NumberOfPoints=\"36\"", "NumberOfPoints=\"99999999999999999\"", "the piece needs 299999999999999997"),
        ("NumberOfPoints=\"36\"", "NumberOfPoints=\"x\"", "NumberOfPoints = `x`"),
        ("Name=\"offsets\"", "Name=\"other\"", "<Cells> has no array `offsets`"),
        ("<VTKFile ", "<x><VTKFile ", "not well-formed XML"),
    ] {
        assert_refused(read_replaced(ascii, from, to), &[message]);
    }
    assert_refused(read_replaced("vtk_hex20_base64.vtu", "UInt32", "UInt64"), &["the bytes of `", "incomplete"]);
}

#[test]
fn damaged_files_do_not_panic() {
    for (name, _) in WITH_FACES.into_iter().chain(WITHOUT_FACES) {
        assert_no_panic(name, read);
    }
    assert_no_panic("vtk_hex8_pieces.vtu", read);
}

/// Writes a mesh of the samples with Craton.
fn written(mesh: &HexMeshFile, path: &Path) {
    let kind = if mesh.nodes_per_element == 8 { CellKind::Hexahedron } else { CellKind::TriquadraticHexahedron };
    let corners: Vec<u32> = mesh.faces.iter().flat_map(|face| face.corners).collect();
    let elements = CellBlock { kind, nodes: &mesh.elements, order: NodeOrder::Lexicographic };
    let faces = CellBlock { kind: CellKind::Quad, nodes: &corners, order: NodeOrder::Vtk };
    let numbers = mesh.block_of.iter().map(|&block| mesh.blocks[usize::from(block)].number);
    let numbers = numbers.chain(mesh.faces.iter().map(|face| mesh.sides[usize::from(face.side)].number));
    let numbers: Vec<i32> = numbers.map(|number| number as i32).collect();
    let mut vp = mesh.fields[0].values.clone();
    vp.resize(numbers.len(), -1.0);
    let cell_data = [
        Field { name: "Material", components: 1, values: Values::I32(&numbers) },
        Field { name: "vp", components: 1, values: Values::F64(&vp) },
    ];
    let mesh = Mesh {
        points: &mesh.nodes,
        cells: &[elements, faces],
        point_data: &[],
        cell_data: &cell_data,
        time: Some(0.0),
    };
    write_vtu(path, &mesh).unwrap();
}

#[test]
fn files_of_craton_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.vtu");
    for (name, _) in WITH_FACES {
        let mesh = read(&sample(name)).unwrap();
        written(&mesh, &path);
        assert_eq!(read(&path).unwrap(), mesh, "{name}");
    }
}
