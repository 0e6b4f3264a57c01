//! Set-up files of SPECFEM3D Cartesian.

use std::fs;
use std::path::Path;

use craton_formats::Result;
use craton_formats::hex_mesh::specfem::{MaterialKind, read_materials};
use craton_formats::specfem::{Interfaces, MeshParFile, ParFile, Region};

use crate::common::assert_refused;

fn par_file(text: &str) -> Result<ParFile> {
    ParFile::parse(text, Path::new("Par_file"))
}

const PAR_FILE: &str = "# forward or adjoint
SIMULATION_TYPE                 = 1
  SAVE_FORWARD = .false.

DT                              = 5.d-2   # seconds
NSTEP = 4000\r
ANISOTROPIC_KL = .false
ATTENUATION = T
TRACTION_PATH                   = \"./DATA/a b/\"
MODEL=default
EMPTY =
";

#[test]
fn a_par_file_has_typed_keys() {
    let file = par_file(PAR_FILE).unwrap();
    assert_eq!(file.integer("SIMULATION_TYPE").unwrap(), Some(1));
    assert_eq!(file.integer("nstep").unwrap(), Some(4000));
    assert_eq!(file.number("DT").unwrap(), Some(0.05));
    assert_eq!(file.logical("SAVE_FORWARD").unwrap(), Some(false));
    assert_eq!(file.logical("ANISOTROPIC_KL").unwrap(), Some(false));
    assert_eq!(file.logical("ATTENUATION").unwrap(), Some(true));
    assert_eq!(file.text("TRACTION_PATH").unwrap(), Some("./DATA/a b/"));
    assert_eq!(file.text("MODEL").unwrap(), Some("default"));
    assert_eq!(file.number("GRAVITY").unwrap(), None);
    let keys: Vec<_> = file.keys().map(|key| (key.line, &*key.name)).collect();
    assert_eq!((keys.len(), keys[0], keys[2]), (9, (2, "SIMULATION_TYPE"), (5, "DT")));
}

#[test]
fn a_wrong_value_is_refused_with_its_line() {
    let file = par_file(PAR_FILE).unwrap();
    assert_refused(file.integer("DT"), &["Par_file:5: DT = `5.d-2`; expected a whole number"]);
    assert_refused(file.number("MODEL"), &["Par_file:10: MODEL = `default`; expected a number"]);
    assert_refused(file.logical("NSTEP"), &["Par_file:6: NSTEP = `4000`; expected .true. or .false."]);
    assert_refused(file.text("EMPTY"), &["Par_file:11: EMPTY = ``; expected a text"]);
    assert_eq!(file.refuse("MODEL", "`gll`").to_string(), "Par_file:10: MODEL = `default`; expected `gll`");
    assert_refused::<()>(Err(file.refuse("F0", "a frequency")), &["Par_file:12: `F0` is missing; add a line `F0 = `"]);
    assert_refused(par_file("A = 1\nNSTEP 4000\n"), &["Par_file:2: line = `NSTEP 4000`; expected `KEY = value`"]);
    assert_refused(par_file("A = 1\nB = 2\na = 3\n"), &["Par_file:3: `a` is `3`, but `1` on line 1"]);
    assert_refused(par_file("A B = 1\n"), &["key = `A B`"]);
    assert!(par_file("A = 1\nA = 1\n").is_ok());
}

const MESH: &str = "LATITUDE_MIN = 0.d0
LATITUDE_MAX = 134000.d0
LONGITUDE_MIN = 0.0
LONGITUDE_MAX = 134000.0
DEPTH_BLOCK_KM = 60.d0
UTM_PROJECTION_ZONE = 11
SUPPRESS_UTM_PROJECTION = .true.
INTERFACES_FILE = interfaces.dat
CAVITY_FILE = no_cavity.dat
NEX_XI = 36
NEX_ETA = 32
NPROC_XI = 2
NPROC_ETA = 1
USE_REGULAR_MESH = .false.
NDOUBLINGS = 2
NZ_DOUBLING_1 = 6
NZ_DOUBLING_2 = 9
CREATE_VTK_FILES = .true.
THICKNESS_OF_X_PML = 12.3d0
NMATERIALS = 4
# #material_id  #rho  #vp  #vs  #Q_Kappa  #Q_mu  #anisotropy_flag  #domain_id
1  2300  2800 1500 2444.4 300.0  0  2
 2  1020  1500 10 9999. 9999.  0  1 # water
3 2700 6000 3500 80 0 2
-1 tomography elastic tomography_model.xyz 0 2
NREGIONS = 2
1 36 1 32 1 10 1
5 6 1 32 10 12 -1
";

fn mesh(text: &str) -> Result<MeshParFile> {
    MeshParFile::parse(text, Path::new("Mesh_Par_file"))
}

#[test]
fn a_mesh_par_file_has_materials_and_regions() {
    let file = mesh(MESH).unwrap();
    assert_eq!((file.latitude_or_y, file.longitude_or_x), ([0.0, 134_000.0], [0.0, 134_000.0]));
    assert_eq!((file.depth(), file.utm_zone, file.is_cartesian), (60_000.0, 11, true));
    assert_eq!((&*file.interfaces_file, file.cavity_file.as_deref()), ("interfaces.dat", Some("no_cavity.dat")));
    assert_eq!((file.elements, file.processes, &file.doublings[..]), ([36, 32], [2, 1], &[9, 6][..]));
    assert_eq!(file.pml_thickness, [12.3, 0.0, 0.0]);
    let solid = |rho, vp, vs, qkappa, qmu| MaterialKind::Homogeneous { rho, vp, vs, qkappa, qmu };
    let kinds: Vec<_> = file.materials.iter().map(|material| (material.number, material.kind.clone())).collect();
    assert_eq!(
        kinds,
        [
            (1, solid(2300.0, 2800.0, 1500.0, Some(2444.4), Some(300.0))),
            (2, solid(1020.0, 1500.0, 0.0, None, None)),
            (3, solid(2700.0, 6000.0, 3500.0, None, Some(80.0))),
            (-1, MaterialKind::Tomography { file: "tomography_model.xyz".to_owned(), is_fluid: false }),
        ]
    );
    assert_eq!(file.regions[1], Region { xi: [5, 6], eta: [1, 32], z: [10, 12], material: -1 });
    assert_eq!(file.keys.logical("CREATE_VTK_FILES").unwrap(), Some(true));
    assert!(mesh(&MESH.replace("_MESH = .false.", "_MESH = .true.")).unwrap().doublings.is_empty());
}

#[test]
fn a_damaged_mesh_par_file_is_refused() {
    for (from, to, message) in [
        ("NEX_XI = 36\n", "", "`NEX_XI` is missing; add a line `NEX_XI = `"),
        (
            "LATITUDE_MAX = 134000.d0",
            "LATITUDE_MAX = 0",
            "Mesh_Par_file:2: LATITUDE_MAX = `0`; expected more than LATITUDE_MIN",
        ),
        ("NPROC_XI = 2", "NPROC_XI = 0", "Mesh_Par_file:12: NPROC_XI = `0`; expected a whole number, at least 1"),
        (
            "ION_ZONE = 11\nSUPPRESS_UTM_PROJECTION = .true.",
            "ION_ZONE = 0\nSUPPRESS_UTM_PROJECTION = .false.",
            "_ZONE = `0`; expected 1 to 60",
        ),
        ("DEPTH_BLOCK_KM = 60.d0", "DEPTH_BLOCK_KM = 0", "expected a depth other than 0"),
        ("NDOUBLINGS = 2", "NDOUBLINGS = 3", "`NZ_DOUBLING_3` is missing"),
        ("NMATERIALS = 4", "NMATERIALS = 5", "Mesh_Par_file:20: `NMATERIALS` is 5, but 4 lines follow"),
        ("NREGIONS = 2", "NREGIONS = 1", "`NREGIONS` is 1, but 2 lines follow"),
        ("\n 2  1020", "\n 1  1020", "material 1 occurs twice"),
        ("300.0  0  2", "300.0  1  2", "Mesh_Par_file:22: anisotropy = `1`"),
        ("300.0  0  2", "300.0  0  3", "domain = `3`; expected 1 (acoustic) or 2 (elastic)"),
        ("1  2300  2800", "1  -2300  2800", "material 1 has rho = -2300"),
        ("1  2300  2800 1500", "1", "a material has 5 words"),
        ("-1 tomography elastic", "-1 interface 14", "is not a tomographic material"),
        ("5 6 1 32 10 12 -1", "5 6 1 32 10 12 7", "material_id = `7`; expected the number of one"),
        ("5 6 1 32 10 12 -1", "5 37 1 32 10 12 1", "NEX_XI_END = `37`; expected at most NEX_XI = 36"),
        ("5 6 1 32 10 12 -1", "5 4 1 32 10 12 1", "NEX_XI_END = `4`; expected a whole number, at least 5"),
        ("5 6 1 32 10 12 -1", "5 6 1 32 10", "a region has 5 words"),
        ("CREATE_VTK_FILES = ", "CREATE_VTK_FILES ", "line = `CREATE_VTK_FILES .true.`"),
    ] {
        assert!(MESH.contains(from), "{from}");
        let text = MESH.replace(from, to);
        assert_refused(mesh(&text), &[message]);
    }
}

#[test]
fn notes_below_the_materials_of_an_external_mesh_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let text = "2 1 2300.0 2800.0 1500.0 9999.0 300.0 0\n2 -1 tomography elastic tomo.xyz 1\n\n\n! note: format of this file\n!\n! or\n";
    fs::write(folder.path().join("nummaterial_velocity_file"), text).unwrap();
    let materials = read_materials(folder.path()).unwrap();
    let solid = MaterialKind::Homogeneous { rho: 2300.0, vp: 2800.0, vs: 1500.0, qkappa: None, qmu: Some(300.0) };
    assert_eq!((materials.len(), materials[0].kind == solid, materials[1].number), (2, true, -1));
    fs::write(folder.path().join("nummaterial_velocity_file"), "3 1 2300 2800 1500 9999 300 0\n").unwrap();
    assert_refused(read_materials(folder.path()), &[":1: domain = `3`; expected 1 (acoustic) or 2 (elastic)"]);
    fs::write(folder.path().join("nummaterial_velocity_file"), "2 1 2300 2800 1500 9999\n").unwrap();
    assert_refused(read_materials(folder.path()), &[":1: a material has 6 words"]);
}

const INTERFACES: &str = "# number of interfaces
 2
# SUPPRESS_UTM_PROJECTION  NXI  NETA LONG_MIN   LAT_MIN    SPACING_XI SPACING_ETA
 .true. 3 2 0.d0 -10.d0 1000.d0 500.d0
 interface1.dat
 .false. 2 2 -121.6 32.2 0.5 0.25  # the top
 topo.dat
# layers
 12
 6
";

/// Reads an interfaces file from a folder with its grids.
fn interfaces(text: &str, lower: &str) -> Result<Interfaces> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("interfaces.dat"), text).unwrap();
    fs::write(folder.path().join("interface1.dat"), lower).unwrap();
    fs::write(folder.path().join("topo.dat"), "1.0\n-2.d1\n\n3\n4\n").unwrap();
    Interfaces::read(&folder.path().join("interfaces.dat"))
}

const LOWER: &str = "-1\n-2\n-3\n-4\n-5\n-6\n";

#[test]
fn interfaces_have_their_grids() {
    let file = interfaces(INTERFACES, LOWER).unwrap();
    assert_eq!(file.layers, [12, 6]);
    let [lower, top] = &file.interfaces[..] else { panic!("two interfaces") };
    assert_eq!((lower.is_geographic, lower.counts), (false, [3, 2]));
    assert_eq!((lower.origin, lower.spacing), ([0.0, -10.0], [1000.0, 500.0]));
    assert_eq!(lower.values, [-1.0, -2.0, -3.0, -4.0, -5.0, -6.0]);
    assert_eq!((top.is_geographic, top.origin), (true, [-121.6, 32.2]));
    assert_eq!(top.values, [1.0, -20.0, 3.0, 4.0]);
}

#[test]
fn damaged_interfaces_are_refused() {
    assert_refused(
        interfaces(INTERFACES, "1\n2\n3\n"),
        &["interface1.dat:4: the file has 3 elevations, but NXI x NETA is 3 x 2"],
    );
    assert_refused(interfaces(INTERFACES, "1\n2 3\n"), &["interface1.dat:2: elevation = `2 3`"]);
    for (from, to, message) in [
        (" 6\n", "", ":10: the file ends before the number of elements of layer 2"),
        (" 6\n", " 6\n 7\n", ":11: `7` follows the last of 2 layers"),
        (" 6\n", " 0\n", "layer 2 = `0`; expected a whole number, at least 1"),
        ("topo.dat", "none.dat", "none.dat: cannot read the file"),
        ("3 2 0.d0", "3 1 0.d0", ":4: NETA = `1`; expected a whole number, at least 2"),
        ("1000.d0 500.d0", "1000.d0 0", "SPACING_ETA = `0`; expected a spacing other than 0"),
        ("1000.d0 500.d0", "1000.d0", "interface 1 has 6 words"),
        (".true.", "yes", ":4: SUPPRESS_UTM_PROJECTION = `yes`"),
        ("\n 2\n", "\n two\n", "number of interfaces = `two`"),
    ] {
        assert_refused(interfaces(&INTERFACES.replacen(from, to, 1), LOWER), &[message]);
    }
}

#[test]
fn mutated_set_ups_never_panic() {
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("interfaces.dat");
    fs::write(folder.path().join("interface1.dat"), LOWER).unwrap();
    fs::write(folder.path().join("topo.dat"), "1\n2\n3\n4\n").unwrap();
    for (text, rounds) in [(PAR_FILE, 3000), (MESH, 6000), (INTERFACES, 1500)] {
        for _ in 0..rounds {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=next(3) {
                let at = next(bytes.len().max(1));
                match next(8) {
                    _ if bytes.is_empty() => bytes.push(b'1'),
                    0 => bytes.truncate(at + 1),
                    1 | 2 => drop(bytes.remove(at)),
                    _ => bytes[at] = b"0123456789.-+ed \t\n,#=!()\"xyT\xC3\xFF"[next(29)],
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            drop(par_file(&text).map(|file| (file.number("DT").is_ok(), file.text("MODEL").is_ok())));
            drop(mesh(&text));
            if rounds == 1500 {
                fs::write(&path, &bytes).unwrap();
                drop(Interfaces::read(&path));
            }
        }
    }
}
