//! Set-ups of SPECFEM3D, imported as scenarios.

mod meaning;
mod socal;

use std::fs;
use std::path::Path;

use craton::import::{Imported, specfem};
use craton::options::RunOptions;
use craton::traces::{Trace, read_folder};
use craton::{Scenario, Setup, run};
use tempfile::TempDir;

const PAR_FILE: &str = "\
# a comment
SIMULATION_TYPE = 1
SUPPRESS_UTM_PROJECTION = .true.
NSTEP = 401
DT = 0.005d0 # seconds
MODEL = default
TOMOGRAPHY_PATH = ./DATA/tomo_files
ATTENUATION = .false.
GRAVITY = .false
PML_CONDITIONS = .false.
STACEY_ABSORBING_CONDITIONS = .true.
BOTTOM_FREE_SURFACE = .false.
USE_FORCE_POINT_SOURCE = .false.
USE_RICKER_TIME_FUNCTION = .false.
USE_EXTERNAL_SOURCE_FILE = .false.
NTSTEP_BETWEEN_OUTPUT_SAMPLE = 2
SAVE_SEISMOGRAMS_DISPLACEMENT = .true.
SAVE_SEISMOGRAMS_PRESSURE = .false.
MOVIE_SURFACE = .true.
";

const CMTSOLUTION: &str = "\
PDE 1999 01 01 00 00 00.00 1000 900 -600 4.2 4.2 explosion
event name: explosion
time shift: 0.0
half duration: 0.2
latorUTM: 900.0
longorUTM: 1000.0
depth: 0.6
Mrr: 1e23
Mtt: 1e23
Mpp: -1e23
Mrt: 0
Mrp: 0
Mtp: 2e22
";

const MESH_PAR_FILE: &str = "\
LATITUDE_MIN = 0.d0
LATITUDE_MAX = 2000.d0
LONGITUDE_MIN = 0.d0
LONGITUDE_MAX = 2400.d0
DEPTH_BLOCK_KM = 2.d0
UTM_PROJECTION_ZONE = 0
SUPPRESS_UTM_PROJECTION = .true.
INTERFACES_FILE = interfaces.dat
NEX_XI = 6
NEX_ETA = 5
NPROC_XI = 1
NPROC_ETA = 1
USE_REGULAR_MESH = .true.
NMATERIALS = 3
1 2500 4000 2300 9999. 9999. 0 2
2 2000 3000 1500 100. 60. 0 2
3 1000 1500 0 9999. 9999. 0 1
NREGIONS = 3
1 6 1 5 1 5 1
1 6 1 5 4 8 2
1 6 1 5 7 8 3
";

const INTERFACES: &str = "\
2
.true. 2 2 0 0 1e6 1e6
flat.dat
.true. 2 2 1000. 0 1000. 3000.
top.dat
6
2
";

/// A folder with a set-up.
fn set_up(par_file: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mesher = folder.path().join("DATA/meshfem3D_files");
    fs::create_dir_all(&mesher).unwrap();
    for (name, text) in [
        ("Par_file", par_file),
        ("CMTSOLUTION", CMTSOLUTION),
        ("STATIONS", "A XX 1500 1600 0 10\nFAR XX 9000 1600 0 0\n"),
    ] {
        fs::write(folder.path().join("DATA").join(name), text).unwrap();
    }
    for (name, text) in [
        ("Mesh_Par_file", MESH_PAR_FILE),
        ("interfaces.dat", INTERFACES),
        ("flat.dat", "-500\n-500\n-500\n-500\n"),
        ("top.dat", "0\n100\n0\n100\n"),
    ] {
        fs::write(mesher.join(name), text).unwrap();
    }
    folder
}

fn imported(folder: &Path) -> Imported {
    let imported = specfem(folder, None).unwrap_or_else(|error| panic!("{error}"));
    imported.write(folder, Path::new("it.toml"), false).unwrap();
    imported
}

#[test]
fn a_block_of_layers_becomes_a_scenario() {
    let folder = set_up(PAR_FILE);
    let Imported { scenario, files, notes } = imported(folder.path());
    let expected = "\
[domain]
x = [0.0, 2400.0]
y = [0.0, 2000.0]
z = [-2000.0, 120.0]
topography = \"interface_1.asc\"

[model.layered]
layers = [
    { vp = 1500.0, vs = 0.0, rho = 1000.0 },
    { top = -500.0, vp = 3000.0, vs = 1500.0, rho = 2000.0 },
    { top = -1250.0, vp = 4000.0, vs = 2300.0, rho = 2500.0 },
]

[boundaries]
top = \"free\"
bottom = \"absorbing\"
sides = \"absorbing\"

[[source]]
cmtsolution = \"DATA/CMTSOLUTION\"

[receivers]
stations_file = \"DATA/STATIONS\"
outside = \"left_out\"
quantities = [\"displacement\"]

[method.sem]
max_frequency = 3.75 # resolved by the mesh with 4 points per wavelength
";
    assert!(scenario.contains(expected), "{scenario}");
    // 400 steps of 5 ms, from two half durations before the origin.
    assert!(scenario.contains("duration = 1.6\n") && scenario.contains("sample_interval = 0.01\n"), "{scenario}");
    // The grid is continued to the west and east sides of the block.
    let grid = "ncols 4\nnrows 2\nxllcenter 0\nyllcenter 0\ndx 1000\ndy 3000\n0 0 100 100\n0 0 100 100\n";
    assert_eq!(files[0].1, grid);
    let notes: Vec<&str> = notes.iter().map(|note| &*note.setting).collect();
    assert_eq!(notes, ["Par_file:5: DT = 0.005d0", "Par_file:19: MOVIE_SURFACE = .true."]);
    let setup = Setup::new(&Scenario::read(&folder.path().join("it.toml"), &[]).unwrap()).unwrap();
    assert_eq!(setup.receivers.len(), 1);
    assert!((setup.receivers[0].position()[2] - (60.0 - 10.0)).abs() < 5.0, "{:?}", setup.receivers[0].position());
    assert_eq!(setup.sources[0].position()[..2], [1000.0, 900.0]);
}

/// The traces of a scenario.
fn traces(folder: &Path, name: &str) -> Vec<Trace> {
    let results = folder.join("results").join(name);
    let overrides = vec![format!("output.directory={}", results.display())];
    run(&folder.join(name), &RunOptions { overrides, ..RunOptions::default() })
        .unwrap_or_else(|error| panic!("{error}"));
    read_folder(&results.join("seismograms")).unwrap()
}

/// Writes an external mesh of cubes of 400 m, rock below water, to a folder.
fn write_mesh(mesh: &Path) {
    let [nx, ny, nz] = [5, 5, 5];
    fs::create_dir(mesh).unwrap();
    let node = |i: usize, j: usize, k: usize| 1 + i + (nx + 1) * (j + (ny + 1) * k);
    let indices =
        |[x, y, z]: [usize; 3]| (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])));
    let nodes: Vec<String> = indices([nx + 1, ny + 1, nz + 1])
        .map(|[i, j, k]| format!("{} {} {} {}\n", node(i, j, k), 400 * i, 400 * j, 400 * k as i32 - 2000))
        .collect();
    let elements: Vec<[usize; 8]> = indices([nx, ny, nz])
        .map(|[i, j, k]| {
            [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
                .map(|[a, b, c]| node(i + a, j + b, k + c))
        })
        .collect();
    let words = |nodes: &[usize]| nodes.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let lines = elements.iter().enumerate().map(|(index, nodes)| format!("{} {}\n", index + 1, words(nodes)));
    let materials =
        (0..elements.len()).map(|index| format!("{} {}\n", index + 1, if index >= nx * ny * (nz - 1) { 2 } else { 1 }));
    let top = elements[nx * ny * (nz - 1)..].iter().enumerate();
    let top: Vec<String> =
        top.map(|(index, nodes)| format!("{} {}\n", nx * ny * (nz - 1) + index + 1, words(&nodes[4..]))).collect();
    let side = |name: &str, is_there: fn([usize; 2]) -> bool, corners: [usize; 4]| {
        let faces = elements.iter().enumerate().filter(|(index, _)| is_there([index % 5, index / 5 % 5]));
        let faces: Vec<String> = faces
            .map(|(index, nodes)| format!("{} {}\n", index + 1, words(&corners.map(|corner| nodes[corner]))))
            .collect();
        let text = format!("{}\n{}", faces.len(), faces.concat());
        fs::write(mesh.join(format!("absorbing_surface_file_{name}")), text).unwrap();
    };
    side("xmin", |[i, _]| i == 0, [0, 3, 7, 4]);
    side("xmax", |[i, _]| i == 4, [1, 2, 6, 5]);
    side("ymin", |[_, j]| j == 0, [0, 1, 5, 4]);
    side("ymax", |[_, j]| j == 4, [3, 2, 6, 7]);
    for (name, text) in [
        ("nodes_coords_file", format!("{}\n{}", nodes.len(), nodes.concat())),
        ("mesh_file", format!("{}\n{}", elements.len(), lines.collect::<String>())),
        ("materials_file", materials.collect()),
        (
            "nummaterial_velocity_file",
            "2 1 2500 3000 1500 9999 9999 0\n1 2 1000 1500 0 9999 9999 0\n! a note\n".to_owned(),
        ),
        ("free_or_absorbing_surface_file_zmax", format!("{}\n{}", top.len(), top.concat())),
    ] {
        fs::write(mesh.join(name), text).unwrap();
    }
}

#[test]
fn an_external_mesh_runs_as_the_scenario_written_by_hand() {
    let folder = set_up(PAR_FILE);
    fs::remove_dir_all(folder.path().join("DATA/meshfem3D_files")).unwrap();
    write_mesh(&folder.path().join("MESH"));
    let Imported { scenario, .. } = imported(folder.path());
    assert!(scenario.contains("max_frequency = 3.75 ") && scenario.contains("unmarked = \"free\""), "{scenario}");
    let by_hand = r#"
duration = 1.6
[domain]
x = [0.0, 2000.0]
y = [0.0, 2000.0]
z = [-2000.0, 0.0]
[model.layered]
layers = [{ vp = 1500.0, vs = 0.0, rho = 1000.0 }, { top = -400.0, vp = 3000.0, vs = 1500.0, rho = 2500.0 }]
[boundaries]
bottom = "free"
[[source]]
position = [1000.0, 900.0, -600.0]
moment_tensor = { xx = -1e16, yy = 1e16, zz = 1e16, xy = -2e15 }
time_function.gaussian = { sigma = 0.08686889638065036, centre = 0.0 }
[receivers]
stations = [{ code = "XX.A", position = [1600.0, 1500.0, -10.0] }]
quantities = ["displacement"]
[method.sem]
max_frequency = 3.75
elements = [5, 5]
doubling = false
[output]
directory = "results"
sample_interval = 0.01
"#;
    fs::write(folder.path().join("hand.toml"), by_hand).unwrap();
    let [ours, theirs] = ["it.toml", "hand.toml"].map(|name| traces(folder.path(), name));
    assert_eq!(ours.len(), 3);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        let greatest = theirs.samples.iter().fold(0.0_f64, |greatest, sample| greatest.max(sample.abs()));
        assert_eq!(ours.name, theirs.name);
        assert!(greatest > 1e-9, "{:?}", theirs.name);
        let first = ((theirs.start - ours.start) / ours.dt).round() as usize;
        let difference =
            theirs.samples.iter().zip(&ours.samples[first..]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference < 1e-4 * greatest, "{:?}: {difference:e} of {greatest:e}", ours.name);
    }
}

#[test]
fn settings_that_cannot_be_honoured_are_refused_with_their_line() {
    for (from, to, expected) in [
        (
            "GRAVITY = .false",
            "GRAVITY = .true.",
            "Par_file:9: GRAVITY = `.true.`; expected .false.: Craton computes no gravity",
        ),
        ("MODEL = default", "MODEL = 1d_prem", "Par_file:6: MODEL = `1d_prem`; expected default or tomo"),
        ("SIMULATION_TYPE = 1", "SIMULATION_TYPE = 3", "Par_file:2: SIMULATION_TYPE = `3`; expected 1"),
        ("USE_EXTERNAL_SOURCE_FILE = .false.", "USE_EXTERNAL_SOURCE_FILE = .true.", "the source names no file"),
        ("NSTEP = 401\n", "", "NSTEP"),
    ] {
        let folder = set_up(&PAR_FILE.replace(from, to));
        let error = specfem(folder.path(), None).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let folder = set_up(PAR_FILE);
    let part = MESH_PAR_FILE.replace("1 6 1 5 7 8 3", "2 4 1 5 7 8 3");
    fs::write(folder.path().join("DATA/meshfem3D_files/Mesh_Par_file"), part).unwrap();
    let error = specfem(folder.path(), None).unwrap_err().to_string();
    assert!(
        error.contains("material 3 covers only elements 2 to 4 along x") && error.contains("SAVE_MESH_AS_CUBIT"),
        "{error}"
    );
    assert!(imported(set_up(PAR_FILE).path()).write(folder.path(), Path::new("DATA/STATIONS"), false).is_err());
}

#[test]
fn external_time_functions_and_ricker_wavelets_are_imported() {
    let folder = set_up(&PAR_FILE.replace("USE_EXTERNAL_SOURCE_FILE = .false.", "USE_EXTERNAL_SOURCE_FILE = .true."));
    fs::write(folder.path().join("DATA/CMTSOLUTION"), format!("{CMTSOLUTION}DATA/stf.txt\n")).unwrap();
    fs::write(folder.path().join("DATA/stf.txt"), "# amplitudes\n0.0\n1.0d0\n0.5\n").unwrap();
    let Imported { scenario, files, .. } = imported(folder.path());
    assert!(
        scenario.contains("time_function = { file = \"source_time_function.txt\" }\nof = \"history\"\n"),
        "{scenario}"
    );
    assert_eq!(files[1].1, "0.0 0.0\n0.005 1.0\n0.01 0.5\n");
    Setup::new(&Scenario::read(&folder.path().join("it.toml"), &[]).unwrap()).unwrap();
    let folder = set_up(&PAR_FILE.replace("USE_RICKER_TIME_FUNCTION = .false.", "USE_RICKER_TIME_FUNCTION = .true."));
    fs::write(folder.path().join("DATA/CMTSOLUTION"), CMTSOLUTION.replace("half duration: 0.2", "half duration: 2.0"))
        .unwrap();
    let Imported { scenario, .. } = imported(folder.path());
    assert!(
        scenario.contains("duration = 1.4\n") && scenario.contains("ricker = { frequency = 2.0, centre = 0.0 }"),
        "{scenario}"
    );
    Setup::new(&Scenario::read(&folder.path().join("it.toml"), &[]).unwrap()).unwrap();
}

/// Replaces a text in a file of a set-up.
fn replace(folder: &Path, file: &str, from: &str, to: &str) {
    let file = folder.join("DATA").join(file);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(file, text.replace(from, to)).unwrap();
}

#[test]
fn an_explosion_in_a_fluid_has_the_gaussian_of_specfem_as_its_moment() {
    let in_rock = set_up(PAR_FILE);
    assert!(!imported(in_rock.path()).scenario.contains("time_function"));
    let in_water = set_up(PAR_FILE);
    replace(in_water.path(), "CMTSOLUTION", "depth: 0.6", "depth: 0.2");
    replace(in_water.path(), "CMTSOLUTION", "Mpp: -1e23", "Mpp: 1e23");
    replace(in_water.path(), "CMTSOLUTION", "Mtp: 2e22", "Mtp: 0");
    let Imported { scenario, notes, .. } = imported(in_water.path());
    // 0.2 s / 1.628 / sqrt 2.
    assert!(scenario.contains("gaussian = { sigma = 0.08686"), "{scenario}");
    assert!(scenario.contains("of = \"history\""), "{scenario}");
    assert!(notes.iter().any(|note| note.effect.contains("the source is in a fluid")), "{notes:?}");
}

#[test]
fn cavities_are_refused_and_regions_painted_over_each_other_are_layers() {
    let folder = set_up(PAR_FILE);
    replace(folder.path(), "meshfem3D_files/Mesh_Par_file", "NEX_XI = 6", "CAVITY_FILE = cavity.dat\nNEX_XI = 6");
    fs::write(folder.path().join("DATA/meshfem3D_files/cavity.dat"), "# cavities\n0\n").unwrap();
    let layers = specfem(folder.path(), None).unwrap().scenario;
    fs::write(folder.path().join("DATA/meshfem3D_files/cavity.dat"), "# cavities\n1\n1 2 1 2 1 2\n").unwrap();
    let refused = specfem(folder.path(), None).unwrap_err().to_string();
    assert!(refused.contains("the mesh has cavities"), "{refused}");
    // A part of the same material changes nothing.
    let folder = set_up(PAR_FILE);
    let file = "meshfem3D_files/Mesh_Par_file";
    replace(folder.path(), file, "NREGIONS = 3\n1 6 1 5 1 5 1\n", "NREGIONS = 4\n1 6 1 5 1 5 1\n2 3 1 2 1 2 1\n");
    assert_eq!(imported(folder.path()).scenario.split("title").count(), layers.split("title").count());
    replace(folder.path(), file, "2 3 1 2 1 2 1\n", "2 3 1 2 1 2 2\n");
    assert!(specfem(folder.path(), None).unwrap_err().to_string().contains("covers only elements 2 to 3"));
}

#[test]
fn old_names_of_settings_count() {
    let old = PAR_FILE.replace("STACEY_ABSORBING_CONDITIONS", "ABSORBING_CONDITIONS");
    assert!(imported(set_up(&old).path()).scenario.contains("sides = \"absorbing\""));
    let coupled = format!("{PAR_FILE}COUPLE_WITH_EXTERNAL_CODE = .true.\n");
    let refused = specfem(set_up(&coupled).path(), None).unwrap_err().to_string();
    assert!(refused.contains("injected wavefields"), "{refused}");
}
