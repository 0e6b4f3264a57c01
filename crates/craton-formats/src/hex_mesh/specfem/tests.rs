//! Folders of meshes and their materials.

use super::*;

/// Two cubes above each other, with free numbers, and a fluid upper one.
const FILES: [(&str, &str); 6] = [
    (
        "nodes_coords_file",
        "12\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n15 0 0 1\n16 1 0 1\n17 1 1 1\n18 0 1 1\n25 0 0 2.d0\n26 1 0 2\n27 1 1 2\n28 0 1 2\n",
    ),
    ("mesh_file", "2\n7 1 2 3 4 15 16 17 18\n3 15 16 17 18 25 26 27 28\n"),
    ("materials_file", "3 5\n7 -1\n"),
    ("nummaterial_velocity_file", "1 5 1020.0 1500.0 0.0 9999. 9999. 0\n2 -1 tomography elastic model.xyz 1\n"),
    ("free_or_absorbing_surface_file_zmax", "1\n3 25 26 27 28\n"),
    ("absorbing_surface_file_xmin", "0\n"),
];

fn folder(changed: (&str, &str)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        std::fs::write(folder.path().join(name), if name == changed.0 { changed.1 } else { text }).unwrap();
    }
    folder
}

#[test]
fn quality_classes_of_the_first_versions_are_quality_factors() {
    let quality = |class: &str| {
        let text = format!("2 5 2500.0 4000.0 2300.0 {class} 0\n2 -1 tomography elastic model.xyz 1\n");
        let folder = folder(("nummaterial_velocity_file", &text));
        match &read_materials(folder.path()).unwrap()[0].kind {
            MaterialKind::Homogeneous { qmu, .. } => *qmu,
            MaterialKind::Tomography { .. } => unreachable!("a homogeneous material"),
        }
    };
    assert_eq!([quality("1"), quality("12"), quality("13")], [Some(40.0), Some(150.0), None]);
    assert_eq!([quality("60.0"), quality("12.5")], [Some(60.0), Some(12.5)]);
    // With two quality factors, they are no classes.
    assert_eq!(quality("9999.0 12"), Some(12.0));
}

#[test]
fn a_folder_is_read_with_its_own_numbers() {
    let folder = folder(("", ""));
    let mesh = read(folder.path()).unwrap();
    assert_eq!(mesh.elements, [0, 1, 3, 2, 4, 5, 7, 6, 4, 5, 7, 6, 8, 9, 11, 10]);
    assert_eq!(mesh.block_of, [1, 0]);
    assert_eq!(mesh.blocks.iter().map(|block| block.number).collect::<Vec<_>>(), [5, -1]);
    assert_eq!(mesh.sides.iter().map(|side| &*side.name).collect::<Vec<_>>(), ["zmax"]);
    assert_eq!(mesh.faces, [MarkedFace { side: 0, corners: [8, 9, 10, 11] }]);
    let water = MaterialKind::Homogeneous { rho: 1020.0, vp: 1500.0, vs: 0.0, qkappa: None, qmu: None };
    let rock = MaterialKind::Tomography { file: "model.xyz".to_owned(), is_fluid: false };
    let expected = [Material { number: 5, kind: water }, Material { number: -1, kind: rock }];
    assert_eq!(read_materials(folder.path()).unwrap(), expected);
}

#[test]
fn wrong_files_are_refused_with_their_line() {
    for (name, text, message) in [
        ("mesh_file", "3\n7 1 2 3 4 15 16 17 18\n", "announces 3 lines, but there are 1"),
        ("mesh_file", "1\n7 1 2 3 4 15 16 17 99\n", "mesh_file:2: node = `99`"),
        ("mesh_file", "1\n7 1 2 3 4 15 16 17\n", "element 7 has 7 nodes"),
        ("materials_file", "3 5\n", "1 elements of `mesh_file` have no material"),
        ("nodes_coords_file", "1\n1 0 0 x\n", "nodes_coords_file:2: z = `x`"),
        ("free_or_absorbing_surface_file_zmax", "1\n3 25 26 27\n", "the line ends before the fourth node of a face"),
    ] {
        let error = read(folder((name, text)).path()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    for (text, message) in [
        ("3 1 2000 3000 1500 9999 9999 0\n", "no poroelastic"),
        ("2 1 2000 3000 1500 9999 9999 1\n", "anisotropy = `1`"),
        ("2 1 2000\n", "a material has 3 words"),
    ] {
        let error = read_materials(folder(("nummaterial_velocity_file", text)).path()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
