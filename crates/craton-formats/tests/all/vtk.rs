//! Files for ParaView. `validation/readers/check_vtk.py` checks that VTK and meshio read them; these tests check that the bytes are at the
//! described offsets.

use std::fs;
use std::path::{Path, PathBuf};

use craton_formats::vtk::{
    CellBlock, CellKind, Field, Image, Mesh, NodeOrder, TimeStep, Values, read_f32, read_pvd, write_pvd, write_vti,
    write_vtu,
};

use crate::common::assert_refused;

const POINTS: [[f64; 3]; 5] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.5], [9.0, 9.0, 9.0]];
const QUAD: CellBlock = CellBlock { kind: CellKind::Quad, nodes: &[0, 1, 2, 3], order: NodeOrder::Lexicographic };
const VERTEX: CellBlock = CellBlock { kind: CellKind::Vertex, nodes: &[4], order: NodeOrder::Vtk };
const SPEED: Field = Field { name: "speed \"<p>\"", components: 1, values: Values::F32(&[1.0, 2.0, 3.0, 4.0, 5.0]) };
const REGION: Field = Field { name: "region", components: 1, values: Values::I32(&[7, -8]) };
const MESH: Mesh =
    Mesh { points: &POINTS, cells: &[QUAD, VERTEX], point_data: &[SPEED], cell_data: &[REGION], time: Some(0.125) };

/// Bytes of the array with this name, located by the offset in its element and its stored size.
fn array(file: &[u8], name: &str) -> Vec<u8> {
    let marker = b"<AppendedData encoding=\"raw\">\n_";
    let start = file.windows(marker.len()).position(|window| window == marker).unwrap() + marker.len();
    let text = std::str::from_utf8(&file[..start]).unwrap();
    let element = text.lines().find(|line| line.contains(&format!("Name=\"{name}\""))).unwrap();
    let offset = element.split("offset=\"").nth(1).unwrap().split('"').next().unwrap();
    let at = start + offset.parse::<usize>().unwrap();
    let size = u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    file[at + 8..at + 8 + size].to_vec()
}

fn written(name: &str, write: impl FnOnce(&Path)) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write(&path);
    fs::read(path).unwrap()
}

#[test]
fn the_arrays_of_a_mesh_are_at_their_offsets() {
    let file = written("a.vtu", |path| write_vtu(path, &MESH).unwrap());
    let i64s = |values: &[i64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    let f64s = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    assert_eq!(array(&file, "Points"), f64s(POINTS.as_flattened()));
    assert_eq!(array(&file, "connectivity"), i64s(&[0, 1, 3, 2, 4]));
    assert_eq!(array(&file, "offsets"), i64s(&[4, 5]));
    assert_eq!(array(&file, "types"), [9, 1]);
    assert_eq!(array(&file, "TimeValue"), f64s(&[0.125]));
    assert_eq!(array(&file, "region"), [7_i32.to_le_bytes(), (-8_i32).to_le_bytes()].concat());
    assert_eq!(array(&file, "speed &quot;&lt;p&gt;&quot;")[16..], 5.0_f32.to_le_bytes());
}

#[test]
fn an_image_has_the_correct_extent() {
    let pressure = Field { name: "p", components: 1, values: Values::F64(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) };
    let image = Image {
        shape: [3, 2, 1],
        origin: [-1.0, 0.5, 0.0],
        spacing: [0.5, 1.0, 1.0],
        point_data: &[pressure],
        cell_data: &[Field { name: "q", components: 1, values: Values::F64(&[1.0, 2.0]) }],
        time: None,
    };
    let file = written("a.vti", |path| write_vti(path, &image).unwrap());
    let text = String::from_utf8_lossy(&file);
    assert!(text.contains("WholeExtent=\"0 2 0 1 0 0\" Origin=\"-1 0.5 0\" Spacing=\"0.5 1 1\""), "{text}");
    assert_eq!(array(&file, "p").len(), 48);
    assert_eq!(array(&file, "q").len(), 16);
}

#[test]
fn a_field_is_read_back_from_a_mesh_and_from_an_image() {
    let folder = tempfile::tempdir().unwrap();
    let (mesh, image) = (folder.path().join("a.vtu"), folder.path().join("a.vti"));
    write_vtu(&mesh, &MESH).unwrap();
    assert_eq!(read_f32(&mesh, SPEED.name).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_refused(read_f32(&mesh, "slowness"), &["a.vtu: slowness = no such field"]);
    assert_refused(read_f32(&mesh, "region"), &["a.vtu: region", "a field of type Float32"]);
    let hidden = Field { name: "vtkGhostType", components: 1, values: Values::U8(&[0, 2, 0]) };
    let velocity = Field { name: "velocity", components: 1, values: Values::F32(&[0.5, f32::NAN, -2.0]) };
    let fields = [hidden, velocity];
    write_vti(
        &image,
        &Image {
            shape: [3, 1, 1],
            origin: [0.0; 3],
            spacing: [1.0; 3],
            point_data: &fields,
            cell_data: &[],
            time: None,
        },
    )
    .unwrap();
    let read = read_f32(&image, "velocity").unwrap();
    assert!(read[0] == 0.5 && read[1].is_nan() && read[2] == -2.0, "{read:?}");
    let whole = fs::read(&image).unwrap();
    assert_eq!(array(&whole, "vtkGhostType"), [0, 2, 0]);
    fs::write(&image, &whole[..whole.len() - 40]).unwrap();
    assert_refused(read_f32(&image, "velocity"), &["a.vti: velocity", "this one was truncated"]);
}

#[test]
fn inconsistent_meshes_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtu");
    let cut = CellBlock { nodes: &[0, 1, 2], ..QUAD };
    let beyond = CellBlock { nodes: &[0, 1, 2, 5], ..QUAD };
    let short = Field { values: Values::F32(&[1.0]), ..SPEED };
    for (mesh, fragments) in [
        (
            Mesh { cells: &[cut], ..MESH },
            ["a.vtu: not written: number of indices of Quad cells = 3", "a multiple of 4"],
        ),
        (Mesh { cells: &[beyond, VERTEX], ..MESH }, ["point of cell 0 = 5", "an index below 5"]),
        (Mesh { point_data: &[short], ..MESH }, ["number of values of `speed", "5 points x 1 components"]),
        (Mesh { cell_data: &[short], ..MESH }, ["number of values of `speed", "2 cells x 1 components"]),
    ] {
        assert_refused(write_vtu(&path, &mesh), &fragments);
        assert!(!path.exists());
    }
    let image =
        Image { shape: [2, 2, 0], origin: [0.0; 3], spacing: [1.0; 3], point_data: &[], cell_data: &[], time: None };
    assert_refused(write_vti(&path, &image), &["shape = [2, 2, 0]", "at least 1"]);
    let image =
        Image { shape: [2, 3, 1], cell_data: &[Field { name: "q", components: 1, values: Values::U8(&[0]) }], ..image };
    assert_refused(write_vti(&path, &image), &["number of values of `q", "2 cells x 1 components"]);
    let image = Image { shape: [2, 2, 1], spacing: [1.0, 0.0, 1.0], ..image };
    assert_refused(write_vti(&path, &image), &["spacing = [1.0, 0.0, 1.0]", "above 0"]);
}

#[test]
fn a_series_survives_a_round_trip_and_its_times_must_increase() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("surface.pvd");
    let step = |time: f64, file: &str| TimeStep { time, file: PathBuf::from(file) };
    let steps = [step(0.1, "surface/a & b.vtu"), step(0.2, "surface/2.vtu")];
    write_pvd(&path, &steps).unwrap();
    assert_eq!(read_pvd(&path).unwrap(), steps);
    assert_refused(
        write_pvd(&path, &[step(0.2, "a"), step(0.2, "b")]),
        &["surface.pvd: not written: time of b = 0.2", "a finite time after 0.2 s"],
    );
    fs::write(&path, "<x>\n<DataSet file=\"a\"/>\n").unwrap();
    assert_refused(read_pvd(&path), &["surface.pvd:2: timestep", "an attribute `timestep="]);
}
