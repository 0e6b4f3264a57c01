//! Domains that are meshes of other programs.

use std::path::Path;

use craton::options::{CheckOptions, MeshOptions, RunOptions};
use craton::traces::{Trace, read_folder};
use craton::{Error, Scenario, Setup, check, run, write_mesh};
use tempfile::TempDir;

/// Water above a sloping bottom, two kinds of rock, and a station on the bottom.
const BOX: &str = r#"
duration = 1.2

[domain]
x = [0.0, 3000.0]
y = [0.0, 2000.0]
z = [-2000.0, 0.0]

[model.layered]
layers = [
    { vp = 1500.0, vs = 0.0, rho = 1000.0 },
    { top = "bottom.asc", vp = 3000.0, vs = 1700.0, rho = 2200.0, qp = 80.0, qs = 40.0 },
    { top = -1300.0, vp = 4500.0, vs = 2600.0, rho = 2500.0 },
]
"#;

/// The same domain and model, from the mesh of the box.
const MESH: &str = r#"
duration = 1.2

[domain.mesh]
file = "mesh.vtu"

[model.mesh]
blocks = [
    { block = "0", material = { vp = 1500.0, vs = 0.0, rho = 1000.0 } },
    { block = "2", material = { vp = 4500.0, vs = 2600.0, rho = 2500.0 } },
    { block = "1", material = { vp = 3000.0, vs = 1700.0, rho = 2200.0, qp = 80.0, qs = 40.0 } },
]
"#;

const REST: &str = r#"
[attenuation]
reference_frequency = 1.0

[boundaries]
x_min = "rigid"

[[source]]
position = [1100.0, 900.0, -900.0]
moment_tensor = { xx = 1e13, yy = -2e13, xz = 3e13 }
time_function.ricker = { frequency = 3.0 }

[receivers]
quantities = ["velocity", "pressure"]
stations = [
    { code = "XX.TOP", position = [2000.0, 1000.0, 0.0] },
    { code = "XX.SEA", position = [2000.0, 1100.0, -150.0] },
    { code = "XX.DEEP", position = [700.0, 1500.0, -1600.0] },
]

[method.sem]
max_frequency = 5.0

[output]
directory = "results"
seismograms = ["text"]
"#;

/// A sea bottom that descends along x.
fn bottom() -> String {
    let row = (0..8).map(|i| format!("{}", -300 - 40 * i)).collect::<Vec<_>>().join(" ");
    let rows = vec![row; 6].join("\n");
    format!("ncols 8\nnrows 6\nxllcenter -250\nyllcenter -250\ncellsize 500\n{rows}\n")
}

/// A folder with scenarios in a box and in the mesh of that box.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bottom.asc"), bottom()).unwrap();
    std::fs::write(folder.path().join("box.toml"), [BOX, REST].concat()).unwrap();
    std::fs::write(folder.path().join("mesh.toml"), [MESH, REST].concat()).unwrap();
    let options = MeshOptions { directory: Some(folder.path().to_owned()), ..MeshOptions::default() };
    write_mesh(&folder.path().join("box.toml"), &options).unwrap_or_else(|error| panic!("{}", refusal(error)));
    folder
}

fn traces(folder: &Path, name: &str, changes: &[&str]) -> Vec<Trace> {
    let results = folder.join(format!("{name}_{}", changes.len()));
    let mut overrides: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    overrides.push(format!("output.directory={}", results.display()));
    run(&folder.join(name), &RunOptions { overrides, ..RunOptions::default() })
        .unwrap_or_else(|error| panic!("{}", refusal(error)));
    read_folder(&results.join("seismograms")).unwrap()
}

fn refusal(error: Error) -> String {
    match error {
        Error::Scenario(errors) => errors.lines(),
        other => other.to_string(),
    }
}

fn refused(file: &Path, changes: &[&str]) -> String {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    match Scenario::read(file, &changes).and_then(|scenario| Setup::new(&scenario)) {
        Ok(_) => panic!("{changes:?} was accepted"),
        Err(error) => refusal(error),
    }
}

#[test]
fn a_box_that_is_read_as_a_mesh_gives_bit_identical_traces() {
    let folder = folder();
    let parts = ["compute.device=cpu", "compute.devices=2"];
    let [of_box, of_mesh, in_parts] = [("box.toml", &[][..]), ("mesh.toml", &[]), ("mesh.toml", &parts)]
        .map(|(name, changes)| traces(folder.path(), name, changes));
    assert_eq!(of_box.len(), of_mesh.len());
    for (one, other) in of_box.iter().zip(of_mesh.iter().zip(&in_parts)).flat_map(|(one, (a, b))| [(one, a), (one, b)])
    {
        // The surface of water only moves vertically, without pressure.
        let is_still = one.name.station == "XX.TOP" && one.name.component != "Z";
        assert_eq!(one.samples.iter().all(|sample| *sample == 0.0), is_still, "{:?}", one.name);
        let difference = one.samples.iter().zip(&other.samples).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let greatest = one.samples.iter().fold(0.0_f64, |greatest, sample| greatest.max(sample.abs()));
        assert!(one.samples == other.samples, "{:?}: {difference:e} of {greatest:e}", one.name);
    }
}

#[test]
fn materials_of_elements_are_those_of_blocks() {
    let folder = folder();
    // The quality factors of the shear modulus are any field.
    let blocks = MESH
        .replace(", qp = 80.0, qs = 40.0", ", qmu = 2200.0")
        .replace("rho = 2500.0 }", "rho = 2500.0, qmu = 2500.0 }");
    let rock = "fields = { vp = \"vp [m/s]\", vs = \"vs [m/s]\", rho = \"rho [kg/m^3]\", qmu = \"rho [kg/m^3]\" }";
    let water = "blocks = [{ block = \"0\", material = { vp = 1500.0, vs = 0.0, rho = 1000.0 } }]";
    let by_element = format!("{}\n{rock}\n{water}\n", MESH.split_once("blocks = [").unwrap().0);
    // Also the water: its shear modulus has no losses.
    let all = by_element.replace(water, "");
    for (name, mesh) in [("blocks.toml", &blocks), ("fields.toml", &by_element), ("all.toml", &all)] {
        std::fs::write(folder.path().join(name), [mesh, REST].concat()).unwrap();
    }
    let [blocks, fields, all] = ["blocks.toml", "fields.toml", "all.toml"].map(|name| traces(folder.path(), name, &[]));
    for (one, (other, third)) in blocks.iter().zip(fields.iter().zip(&all)) {
        assert!(one.samples == other.samples && one.samples == third.samples, "{:?}", one.name);
    }
    // Fields need no valid values in other blocks: here the water has no density, and rock that of vs.
    let rho = [&by_element.replace("rho = \"rho [kg/m^3]\"", "rho = \"vs [m/s]\""), REST].concat();
    std::fs::write(folder.path().join("rho.toml"), rho).unwrap();
    assert!(!traces(folder.path(), "rho.toml", &[]).is_empty());
    let refused = |from: &str, to: &str| {
        std::fs::write(folder.path().join("bad.toml"), [&by_element.replace(from, to), REST].concat()).unwrap();
        refused(&folder.path().join("bad.toml"), &[])
    };
    let unknown = refused("vs = \"vs [m/s]\"", "vs = \"Vs\"");
    assert!(unknown.contains("model.mesh.fields.vs") && unknown.contains("the fields of the mesh: "), "{unknown}");
    let wrong = refused("qmu = ", "speed_unit = 1e9, qmu = ");
    assert!(wrong.contains("block \"1\", element ") && wrong.contains("speed_unit"), "{wrong}");
}

#[test]
fn check_reports_the_blocks_and_sides_of_a_mesh() {
    let folder = folder();
    let report = check(&folder.path().join("mesh.toml"), &CheckOptions::default()).unwrap().to_string();
    assert!(report.contains("  blocks                 0, 1, 2\n"), "{report}");
    assert!(report.contains("  faces of sides         x_min ") && report.contains("by direction"), "{report}");
}

/// A cube of two elements above each other in SPECFEM3D's files, with free numbers, in km.
fn specfem_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mesh = folder.path().join("MESH");
    std::fs::create_dir(&mesh).unwrap();
    for (name, text) in [
        (
            "nodes_coords_file",
            "12\n1 0 0 -2\n2 1 0 -2\n3 1 1 -2\n4 0 1 -2\n15 0 0 -1\n16 1 0 -1\n17 1 1 -1\n18 0 1 -1\n25 0 0 0\n26 1 0 0\n27 1 1 0\n28 0 1 0.1\n",
        ),
        ("mesh_file", "2\n7 1 2 3 4 15 16 17 18\n3 15 16 17 18 25 26 27 28\n"),
        ("materials_file", "3 5\n7 2\n"),
        ("nummaterial_velocity_file", "2 5 2000.0 3000.0 1500.0 9999. 60. 0\n2 2 2500. 4000. 2300. 9999. 9999. 0\n"),
        ("free_or_absorbing_surface_file_zmax", "1\n3 25 26 27 28\n"),
    ] {
        std::fs::write(mesh.join(name), text).unwrap();
    }
    let scenario = MESH.replace("file = \"mesh.vtu\"", "file = \"MESH\"\nunit = 1000.0");
    let scenario = scenario.split("blocks").next().unwrap().to_owned() + REST;
    let scenario = scenario.replace("[1100.0, 900.0, -900.0]", "[500.0, 500.0, -900.0]");
    let stations = "stations = [{ code = \"XX.S\", position = [500.0, 400.0, 0.0] }]\nsnap_to_surface = true\n[method";
    let (before, after) = scenario.split_once("stations = ").unwrap();
    let after = after.split_once("[method").unwrap().1;
    std::fs::write(folder.path().join("it.toml"), [before, stations, after].concat()).unwrap();
    folder
}

#[test]
fn a_specfem_mesh_brings_its_materials_and_sides() {
    let folder = specfem_folder();
    let scenario = Scenario::read(&folder.path().join("it.toml"), &[]).unwrap();
    let setup = Setup::new(&scenario).unwrap_or_else(|error| panic!("{}", refusal(error)));
    assert_eq!([setup.x, setup.y, setup.z], [[0.0, 1000.0], [0.0, 1000.0], [-2000.0, 100.0]]);
    let medium = |z: f64| setup.model.medium(setup.model.region_at([500.0, 500.0, z]), [500.0, 500.0, z]).rho();
    assert_eq!([medium(-1500.0), medium(-500.0)], [2500.0, 2000.0]);
    // The surface is bilinear between its corners.
    let [x, y, z] = setup.receivers[0].position();
    assert!([x, y] == [500.0, 400.0] && (z - 0.5 * 0.4 * 100.0).abs() < 1e-6, "{z}");
    assert!(setup.model.has_losses(setup.model.region_at([500.0, 500.0, -500.0])));
    assert!(!setup.model.has_losses(setup.model.region_at([500.0, 500.0, -1500.0])));
    assert!(setup.files.contains_key("MESH/mesh_file"), "{:?}", setup.files);
}

#[test]
fn groups_blocks_and_keys_that_do_not_fit_the_mesh_are_refused() {
    let folder = specfem_folder();
    let file = folder.path().join("it.toml");
    for (change, expected) in [
        (
            "domain.mesh.sides.top=['free']",
            "domain.mesh.sides.top[0] = \"free\": is not a group of faces of the mesh (allowed: the groups of the mesh: zmax)",
        ),
        (
            "model.mesh.blocks=[{block='3',material={vp=3000,vs=1500,rho=2000}}]",
            "model.mesh.blocks[0].block = \"3\": is not a block of the mesh (allowed: the blocks of the mesh: 5, 2)",
        ),
        ("model.mesh.blocks=[{block='5'}]", "requires exactly one of `material` and `volume`"),
        ("model.mesh.blocks=[{block='5',material={vp=3,vs=1500,rho=2000}}]", "model.mesh.blocks[0].material"),
        ("domain.x=[0,1]", "domain.x: conflicts with `mesh`"),
        ("method.sem.elements=[4,4]", "method.sem.elements: conflicts with `domain.mesh`"),
        ("method={fd={max_frequency=5}}", "domain.mesh: is not supported by method.fd"),
        ("boundaries.sides=periodic", "cannot be periodic"),
        ("domain.mesh.file=it.toml", "beginning of the file"),
        ("domain.mesh.file=none", "none"),
        ("domain.mesh.unit=1e20", "domain.mesh.unit = 1e20: places nodes too far from the origin"),
        ("source[0].position=[500,500,-2500]", "allowed: z from -2000 to 100 m"),
    ] {
        let found = refused(&file, &[change]);
        assert!(found.contains(expected), "{change}: {found}");
    }
    let box_without_mesh = "domain={x=[0,1000],y=[0,1000],z=[-2000,0]}";
    assert!(refused(&file, &[box_without_mesh]).contains("model.mesh: requires `domain.mesh`"));
    std::fs::write(
        folder.path().join("MESH/nummaterial_velocity_file"),
        "2 5 2000 3000 1500 9999 60 0\n2 2 tomography elastic a.xyz 1\n",
    )
    .unwrap();
    let found = refused(&file, &[]);
    assert!(found.contains("block \"2\" has no material") && found.contains("with the values of a.xyz"), "{found}");
}

#[test]
fn layers_that_cut_elements_of_a_mesh_cause_a_warning() {
    let folder = specfem_folder();
    let file = folder.path().join("it.toml");
    let warnings = |top: f64| {
        let layers = format!("[{{vp=3000,vs=1500,rho=2000}},{{top={top},vp=4000,vs=2300,rho=2500}}]");
        let scenario = Scenario::read(&file, &[format!("model={{layered={{layers={layers}}}}}")]).unwrap();
        let setup = Setup::new(&scenario).unwrap_or_else(|error| panic!("{}", refusal(error)));
        setup.warnings.join("\n")
    };
    assert!(!warnings(-1000.0).contains("interfaces"), "{}", warnings(-1000.0));
    assert!(warnings(-700.0).contains("interfaces of the model cut 1 of 2 elements"), "{}", warnings(-700.0));
}
