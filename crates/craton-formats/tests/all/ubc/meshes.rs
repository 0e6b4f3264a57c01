//! Meshes and models.

use super::*;
use crate::common::assert_refused;
use craton_formats::Result;
use proptest::prelude::*;
use std::fs;

/// Based on the example in the GRAV3D manual, 26 x 27 x 23 cells, in which the widths in x and y are swapped.
const MANUAL: &str = "\
! padding of three cells, but at the top
26 27 23
-350 -400 0
200 100 50 20*50.0 50 100 200   ! 26 widths
200 100 50 21*50.0
50 100 200
20*25.0 50 100 200
";

fn mesh(text: &str) -> Result<Mesh> {
    Mesh::parse(text, Path::new("a.msh"))
}

fn small() -> Mesh {
    Mesh::new([0.0, 10.0, 100.0], [vec![1.0, 2.0], vec![5.0], vec![10.0, 20.0, 20.0]]).unwrap()
}

fn model(text: &str) -> Result<Model> {
    Model::parse(text, Path::new("a.den"), &small())
}

#[test]
fn the_mesh_of_the_manual_has_its_edges() {
    let mesh = mesh(MANUAL).unwrap();
    assert_eq!((mesh.counts(), mesh.cell_count()), ([26, 27, 23], 26 * 27 * 23));
    let [x, y, z] = mesh.edges();
    assert_eq!((x.len(), x[0], x[1], x[3], x[26]), (27, -350.0, -150.0, 0.0, 1350.0));
    assert_eq!((y.len(), y[0], y[27]), (28, -400.0, 1350.0));
    assert_eq!((z.len(), z[0], z[1], z[3], z[22], z[23]), (24, -850.0, -650.0, -500.0, -25.0, 0.0));
}

#[test]
fn cells_far_from_the_origin_are_even() {
    let [west, south, top] = [440_123.37, 4_512_345.61, -0.3];
    let text = format!("300 300 300\n{west} {south} {top}\n300*5.3\n300*5.3\n300*5.3\n");
    let mesh = mesh(&text).unwrap();
    let [x, y, z] = mesh.edges();
    for (edges, first, step) in [(x, west, 5.3), (y, south, 5.3), (z, top - 300.0 * 5.3, 5.3)] {
        for (cell, edge) in edges.iter().enumerate() {
            let expected: f64 = first + cell as f64 * step;
            // Round-off of the coordinate, and of the sum of the widths.
            assert!(
                (edge - expected).abs() <= expected.abs() * f64::EPSILON + 1e-11,
                "{cell}: {edge} and not {expected}"
            );
        }
    }
}

#[test]
fn cells_agree_with_discretize() {
    let mesh = Mesh::read(&sample("discretize.msh")).unwrap();
    assert_eq!(mesh.corner(), [1000.0, 2000.0, 150.0]);
    let [x, y, z] = mesh.edges();
    assert_eq!(x[..], [1000.0, 1100.0, 1150.0, 1200.0]);
    assert_eq!(y[..], [2000.0, 2025.0, 2100.0]);
    assert_eq!(z[..], [70.0, 110.0, 130.0, 140.0, 150.0]);
    let model = Model::read(&sample("discretize.den"), &mesh).unwrap();
    for (k, j, i) in (0..4).flat_map(|k| (0..2).flat_map(move |j| (0..3).map(move |i| (k, j, i)))) {
        assert_eq!(model.densities_g_cm3[i + 3 * (j + 2 * k)], (100 * i + 10 * j + k) as f64, "cell {i}, {j}, {k}");
    }
    assert_eq!(model.densities_kg_m3()[1], 100_000.0);
}

#[test]
fn models_run_from_the_top_down_then_east_then_north() {
    // The column at x = 0 from the top down, then the one at x = 1.
    let read = model("! contrast\n3 2\n1\t! the bottom\n\n30 20 -100").unwrap();
    assert_eq!(read.densities_g_cm3, [1.0, -100.0, 2.0, 20.0, 3.0, 30.0]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.den");
    read.write(&path, &small()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "3\n2\n1\n30\n20\n-100\n");
}

#[test]
fn large_models_are_read_completely() {
    let widths = |count: usize| vec![25.0; count];
    let mesh = Mesh::new([0.0; 3], [widths(90), widths(110), widths(100)]).unwrap();
    let densities: Vec<f64> = (0..mesh.cell_count()).map(|cell| cell as f64 * 1e-3).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.den");
    let model = Model { densities_g_cm3: densities };
    model.write(&path, &mesh).unwrap();
    assert!(fs::metadata(&path).unwrap().len() > 1 << 22, "the file must take several pieces");
    assert_eq!(Model::read(&path, &mesh).unwrap(), model);
    let text = fs::read_to_string(&path).unwrap();
    let bad = text.lines().enumerate().map(|(line, value)| if line == 876_543 { "inf" } else { value });
    fs::write(&path, bad.collect::<Vec<_>>().join("\n")).unwrap();
    assert_refused(Model::read(&path, &mesh), &["a.den:876544: density = `inf`", "a finite number"]);
}

#[test]
fn gaps_in_models_are_accepted() {
    let densities = model("1 2 nan\nNaN 5 6\n").unwrap().densities_g_cm3;
    assert_eq!(densities.iter().filter(|density| density.is_nan()).count(), 2);
}

#[test]
fn octree_meshes_are_distinguished_from_tensor_meshes() {
    let parse = |text: &str| Mesh::parse(text, Path::new("a.msh"));
    let octree = "4 4 4 ! cells\n0 0 0\n25 25 25\n3\n1 1 1 2\n3 1 1 2\n1 3 1 2\n";
    assert_refused(parse(octree), &["a.msh:1: this is an OcTree mesh", "tensor mesh"]);
    assert_eq!(parse("3 1 4\n0 0 0\n10 20 30\n5\n1 2 3 4\n").unwrap().counts(), [3, 1, 4]);
}

#[test]
fn invalid_models_are_refused() {
    for (text, message) in [
        ("1 2 3 4 5", "a.den:2: the file ends with 5 values; the mesh has 2 x 1 x 3 = 6 cells, with one value each"),
        (
            "1 2 3\n4 5 6\n7\n",
            "a.den:4: the file ends with 7 values; the mesh has 2 x 1 x 3 = 6 cells, with one value each",
        ),
        ("", "a.den:1: the file ends with 0 values; the mesh has 2 x 1 x 3 = 6 cells, with one value each"),
        ("1\n2 x\n", "a.den:2: density = `x`; expected a number, like 1250, -0.5 or 1.2e-3"),
    ] {
        assert_eq!(model(text).unwrap_err().to_string(), message);
    }
    let write = |densities: Vec<f64>| Model { densities_g_cm3: densities }.write(Path::new("a.den"), &small());
    assert_refused(write(vec![1.0; 5]), &["a.den: not written: number of values = 5; expected 6, one for each cell"]);
    assert_refused(write(vec![f64::NAN; 6]), &["density of cell 0 = NaN"]);
}

#[test]
fn invalid_meshes_are_refused() {
    for (from, to, message) in [
        ("26 27 23\n", "26\n", "a.msh:2: number of cells = `26`; expected three integers"),
        ("26 27 23\n", "26 27 0\n", "a.msh:2: number of cells = `26 27 0`; expected three integers"),
        (
            "26 27 23\n",
            "26 27 2000000\n",
            "a.msh:2: number of cells = `26 27 2000000`; expected three integers from 1 to 1000000",
        ),
        ("26 27 23\n", "26 27 2.5\n", "a.msh:2: number of cells = `26 27 2.5`"),
        ("-350 -400 0\n", "-350 -400\n", "a.msh:3: corner = `-350 -400`; expected three numbers: west, south and top"),
        ("-350 -400 0\n", "-350 south 0\n", "a.msh:3: south = `south`; expected a number"),
        (
            "20*50.0 50",
            "20*50.0",
            "a.msh:5: more than 26 widths in x, of which 25 are on previous lines; correct the counts on the first line",
        ),
        ("20*50.0 50", "21*50.0 50", "a.msh:4: more than 26 widths in x, of which 0 are on previous lines"),
        ("20*25.0", "99999999999*25.0", "a.msh:7: more than 23 widths in z, of which 0 are on previous lines"),
        ("20*25.0 ", "", "a.msh:8: the file ends with 3 of 23 widths in z; add the missing widths"),
        ("20*25.0", "20x25.0", "a.msh:7: width in z = `20x25.0`; expected a number"),
        ("20*25.0", "0*25.0", "a.msh:7: width in z = `0*25.0`; expected a width, like 12.5, or a repeated width"),
        ("20*25.0", "20*-25", "a.msh:7: width in z = `20*-25`; expected a length above 0"),
        (
            "20*25.0 50 100 200\n",
            "20*25.0 50 100 200\n1 2\n",
            "a.msh:8: line after the widths in z = `1 2`; expected nothing",
        ),
        (
            "200 100",
            "1e-20 100",
            "a.msh: width of cell 1 in x = 0.00000000000000000001; expected a length above 0 that changes",
        ),
    ] {
        let text = MANUAL.replacen(from, to, 1);
        assert_refused(mesh(&text), &[message]);
    }
    assert_refused(mesh("! nothing\n"), &["a.msh:2: `number of cells` is missing, found the end of the file"]);
    let axis = || vec![1.0];
    assert_refused(Mesh::new([0.0; 3], [axis(), vec![], axis()]), &["number of cells along y = 0; expected from 1"]);
    assert_refused(
        Mesh::new([f64::NAN, 0.0, 0.0], [axis(), axis(), axis()]),
        &["west = NaN; expected a finite number"],
    );
}

#[test]
fn meshes_are_written_with_run_lengths() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.msh");
    mesh(MANUAL).unwrap().write(&path).unwrap();
    let wanted = "26 27 23\n-350 -400 0\n200 100 22*50 100 200\n200 100 23*50 100 200\n20*25 50 100 200\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), wanted);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_mesh_and_model_survive_a_round_trip(
        corner in prop::array::uniform3(-1e7_f64..1e7),
        widths in prop::array::uniform3(prop::collection::vec(prop_oneof![Just(0.1), 1e-3_f64..1e4], 1..6)),
        seed in prop::collection::vec(-5.0_f64..5.0, 125),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (path, values) = (folder.path().join("a.msh"), folder.path().join("a.den"));
        let mesh = Mesh::new(corner, widths).unwrap();
        mesh.write(&path).unwrap();
        prop_assert_eq!(Mesh::read(&path).unwrap(), mesh.clone());
        let model = Model { densities_g_cm3: seed[..mesh.cell_count()].to_vec() };
        model.write(&values, &mesh).unwrap();
        prop_assert_eq!(Model::read(&values, &mesh).unwrap(), model);
    }

    #[test]
    fn readers_never_panic(text in "[0-9 *.!a-e\n-]{0,200}") {
        let _ = mesh(&text);
        let _ = mesh(&format!("2 2 2\n0 0 0\n{text}"));
        let _ = model(&text);
        let _ = GravityData::parse(&text, Path::new("a.grv"));
        let _ = GradientData::parse(&format!("datacomp=xx\n{text}"), Path::new("a.gg"));
    }
}
