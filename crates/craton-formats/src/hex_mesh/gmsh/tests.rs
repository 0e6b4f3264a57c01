use super::read;
use crate::error::Result;
use crate::hex_mesh::{HexMeshFile, MarkedFace};

/// Two cubes above each other in version 2.2, with free tags and nodes that no element uses.
const TWO: &str = "$Comments
a line with $ and EndComments
$EndComments
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
2 9 \"top of all\"
3 5 \"soft\"
$EndPhysicalNames
$Nodes
14
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
99 7 7 7
15 0 0 1
16 1 0 1
17 1 1 1
18 0 1 1
25 0 0 2
26 1 0 2
27 1 1 2
28 0 1 2
30 -7 0 0
$EndNodes
$Elements
6
1 15 2 0 1 99
2 3 2 9 1 25 26 27 28
3 3 2 8 1 25 26 27 28
7 5 2 5 1 1 2 3 4 15 16 17 18
8 5 2 6 1 1 2 3 4 15 16 17 18
9 5 2 0 2 15 16 17 18 25 26 27 28
$EndElements
$ElementData
1
\"vs\"
1
0.0
3
0
1
2
9 300.5
7 1500
$EndElementData
";

/// The lower cube in version 4.1 with its top as a surface of two groups.
const FOUR: &str = "$MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
1 0 1 1
1 0 0 0 0 
4 0 0 1 1 1 1 2 -3 4 0 
2 0 0 0 1 1 1 0 1 4 
$EndEntities
$Nodes
2 8 1 8
2 4 1 4
5
6
7
8
0 0 1 0.5 0.5
1 0 1 0.5 0.5
1 1 1 0.5 0.5
0 1 1 0.5 0.5
3 2 0 4
1
2
3
4
0 0 0
1 0 0
1 1 0
0 1 0
$EndNodes
$Elements
2 2 1 2
2 4 3 1
1 5 6 7 8
3 2 5 1
2 1 2 3 4 5 6 7 8 
$EndElements
";

fn read_text(text: &str) -> Result<HexMeshFile> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.msh");
    std::fs::write(&path, text).unwrap();
    read(&path)
}

fn names(groups: &[crate::hex_mesh::Group]) -> Vec<(&str, i64)> {
    groups.iter().map(|group| (&*group.name, group.number)).collect()
}

#[test]
fn version_2_is_read_with_its_own_numbers() {
    for text in [TWO.to_owned(), TWO.replace('\n', "\r\n"), TWO.replace("99", "1234567890123")] {
        let mesh = read_text(&text).unwrap();
        assert_eq!(mesh.nodes.len(), 12);
        assert_eq!(mesh.elements, [0, 1, 3, 2, 4, 5, 7, 6, 4, 5, 7, 6, 8, 9, 11, 10]);
        assert_eq!(names(&mesh.blocks), [("soft", 5), ("unmarked", 0)]);
        assert_eq!(mesh.block_of, [0, 1]);
        assert_eq!(names(&mesh.sides), [("8", 8), ("top of all", 9)]);
        let corners = [8, 9, 10, 11];
        assert_eq!(mesh.faces, [MarkedFace { side: 1, corners }, MarkedFace { side: 0, corners }]);
        assert_eq!(mesh.fields.len(), 1);
        assert_eq!((&*mesh.fields[0].name, &*mesh.fields[0].values), ("vs", &[1500.0, 300.5][..]));
    }
}

#[test]
fn version_4_is_read_with_parametric_nodes_and_surfaces_of_two_groups() {
    let mesh = read_text(FOUR).unwrap();
    assert_eq!(mesh.nodes[4], [0.0, 0.0, 0.0]);
    assert_eq!(mesh.elements, [4, 5, 7, 6, 0, 1, 3, 2]);
    assert_eq!(names(&mesh.blocks), [("volume 2", 2)]);
    assert_eq!(names(&mesh.sides), [("3", 3), ("4", 4)]);
    let corners = [0, 1, 2, 3];
    assert_eq!(mesh.faces, [MarkedFace { side: 0, corners }, MarkedFace { side: 1, corners }]);
}

#[test]
fn a_field_that_does_not_cover_all_hexahedra_or_has_components_is_skipped() {
    for (old, new) in [("2\n9 300.5\n", "1\n"), ("0\n1\n2\n9", "0\n3\n2\n9")] {
        assert!(read_text(&TWO.replace(old, new)).unwrap().fields.is_empty());
    }
}

#[test]
fn wrong_files_are_refused_with_their_line() {
    for (text, old, new, message) in [
        (TWO, "2.2 0 8", "4 0 8", "a.msh:5: version of the format = `4`; expected version 2.2 or 4.1: convert"),
        (TWO, "2.2 0 8", "2.2 2 8", "a.msh:5: type of the file = `2`"),
        (TWO, "$MeshFormat", "$NOD", "a.msh:4: the file does not start with `$MeshFormat`"),
        (TWO, "2 1 0 0\n", "2 1 0\n", "a.msh:15: the line ends before the z"),
        (TWO, "2 1 0 0\n", "2 1 0 x\n", "a.msh:15: z = `x`"),
        (TWO, "2 1 0 0\n", "2 1 0 nan\n", "a.msh:15: z = `nan`; expected a finite number"),
        (TWO, "2 1 0 0\n", "2 1 0 0 0\n", "a.msh:15: `0` follows the last value"),
        (TWO, "2 1 0 0\n", "1 1 0 0\n", "node 1 occurs twice"),
        (TWO, "$Nodes\n14", "$Nodes\n15", "a.msh:28: tag of the node = `$EndNodes`"),
        (TWO, "$Nodes\n14", "$Nodes\n13", "a.msh:27: found `30 -7 0 0` instead of `$EndNodes`"),
        (TWO, "$Nodes\n14", "$Nodes\n1400", "a.msh:13: number of nodes = `1400`; expected at most 46"),
        (TWO, "15 16 17 18 25 26 27 28", "15 16 17 18 25 26 27 29", "a.msh:36: node of the element = `29`"),
        (
            TWO,
            "9 5 2 0 2 15",
            "9 4 2 0 2 15",
            "a.msh:36: the volumes have 1 tetrahedra of 4 nodes (element type 4), first element 9; mesh with",
        ),
        (TWO, "9 5 2 0 2 15", "9 92 2 0 2 15", "high-order elements of 64 nodes (element type 92)"),
        (TWO, "9 5 2 0 2 15", "9 17 2 0 2 15", "hexahedron 9 has 20 nodes, but preceding ones have 8"),
        (TWO, "2 3 2 9 1", "2 2 2 9 1", "the physical surfaces, such as 9, have 1 triangles"),
        (TWO, "2 3 2 9 1", "2 200 2 9 1", "type of the element = `200`"),
        (TWO, "$Elements", "$Other", "section `$Other` has no end"),
        (
            FOUR,
            "2 4 3 1\n1 5 6 7 8\n",
            "2 4 2 1\n1 5 6 7\n",
            "a.msh:34: the physical surfaces, such as 3, have 1 triangles",
        ),
        (FOUR, "2 8 1 8", "2 7 1 8", "announces 7 nodes, but has 8"),
        (FOUR, "2 2 1 2", "2 3 1 3", "announces 3 elements, but has 2"),
        (FOUR, "2 4 1 4", "2 4 1 400", "a.msh:12: number of nodes = `400`"),
    ] {
        let changed = text.replacen(old, new, 1);
        let error = read_text(&changed).unwrap_err().to_string();
        assert!(error.contains(message), "{error}\ninstead of\n{message}");
    }
}

#[test]
fn triangles_without_physical_group_are_skipped() {
    read_text(&TWO.replace("2 3 2 9 1 25 26 27 28", "2 2 2 0 1 25 26 27")).unwrap();
}

#[test]
fn a_file_without_hexahedra_is_refused() {
    let text = TWO.split("$Elements").next().unwrap();
    assert!(read_text(text).unwrap_err().to_string().contains("no section `$Elements`"));
    let error = read_text(&format!("{text}$Elements\n0\n$EndElements\n")).unwrap_err().to_string();
    assert!(error.contains("number of hexahedra = 0"), "{error}");
}

#[test]
fn tetrahedra_are_reported_before_the_triangles_at_their_surface() {
    let text = TWO.replace("2 3 2 9 1 25 26 27 28", "2 2 2 9 1 25 26 27").replace("9 5 2 0 2 15", "9 4 2 0 2 15");
    let error = read_text(&text).unwrap_err().to_string();
    assert!(error.contains("a.msh:36: the volumes have 1 tetrahedra"), "{error}");
}
