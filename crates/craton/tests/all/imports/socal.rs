//! A set-up in the style of SPECFEM3D's example `socal1D`, coarser and smaller: the import gives bit-identical seismograms to the scenario written by hand.
//!
//! It has a block in degrees with four layers of the crust of Southern California, two doublings, an automatic band of attenuation, and stations outside the
//! block.

use std::fs;

use craton_model::geodesy::Utm;
use tempfile::TempDir;

use super::{imported, traces};

/// Limits of the block [degrees].
const LONGITUDE: [f64; 2] = [-118.48, -118.28];
const LATITUDE: [f64; 2] = [34.0, 34.15];

const PAR_FILE: &str = "\
SIMULATION_TYPE = 1
UTM_PROJECTION_ZONE = 11
SUPPRESS_UTM_PROJECTION = .false.
NSTEP = 501
DT = 0.012
MODEL = default
APPROXIMATE_OCEAN_LOAD = .true.
TOPOGRAPHY = .true.
ATTENUATION = .true.
ANISOTROPY = .true.
ATTENUATION_f0_REFERENCE = 0.33333d0
MIN_ATTENUATION_PERIOD = 999999998.d0
MAX_ATTENUATION_PERIOD = 999999999.d0
COMPUTE_FREQ_BAND_AUTOMATIC = .true.
STACEY_ABSORBING_CONDITIONS = .true.
STACEY_INSTEAD_OF_FREE_SURFACE = .false.
BOTTOM_FREE_SURFACE = .false.
HDUR_MOVIE = 0.0
NTSTEP_BETWEEN_OUTPUT_SAMPLE = 1
SAVE_SEISMOGRAMS_DISPLACEMENT = .true.
SAVE_SEISMOGRAMS_VELOCITY = .false.
";

const CMTSOLUTION: &str = "\
PDE 2001 9 9 23 59 17.78 34.0745 -118.3792 6.4 4.2 4.2 HOLLYWOOD
event name: 9703873
time shift: 0.0
half duration: 0.3114
latorUTM: 34.0745
longorUTM: -118.3792
depth: 5.4
Mrr: -2.0e20
Mtt: -6.4e21
Mpp: 6.6e21
Mrt: -9.0e21
Mrp: -2.0e20
Mtp: 1.88e22
";

/// The last three stations are outside the block.
const STATIONS: &str = "\
24851 CE 34.0700 -118.3460 0 0
24853 CE 34.0770 -118.2860 0 0
BVH CI 34.0762 -118.3960 0 0
DJJ CI 34.1062 -118.4550 0 0
GR2 CI 34.1183 -118.2990 0 0
LAF CI 33.8689 -118.3310 0 0
LAX CI 33.9438 -118.4140 0 0
OUT CI 35.0 -118.4140 0 0
";

const MATERIALS: &str = "\
NMATERIALS = 4
1 3000 7800 4500 9999. 1000. 0 2
2 2800 6700 3870 9999. 500. 0 2
3 2670 6300 3640 9999. 300. 0 2
4 2400 5500 3180 9999. 100. 0 2
NREGIONS = 4
1 8 1 8 1 3 1
1 8 1 8 4 6 2
1 8 1 8 7 9 3
1 8 1 8 10 12 4
";

/// Elevations of the interfaces from the bottom up [m].
const INTERFACES: [i32; 4] = [-32_000, -16_000, -5500, 0];

fn mesh_par_file() -> String {
    let ([west, east], [south, north]) = (LONGITUDE, LATITUDE);
    let block = format!(
        "LATITUDE_MIN = {south}d0\nLATITUDE_MAX = {north}d0\nLONGITUDE_MIN = {west}d0\nLONGITUDE_MAX = {east}d0\n\
         DEPTH_BLOCK_KM = 40.d0\nUTM_PROJECTION_ZONE = 11\nSUPPRESS_UTM_PROJECTION = .false.\n"
    );
    let mesh = "INTERFACES_FILE = interfaces.dat\nCAVITY_FILE = no_cavity.dat\nNEX_XI = 8\nNEX_ETA = 8\nNPROC_XI = 1\nNPROC_ETA = 1\n\
                USE_REGULAR_MESH = .false.\nNDOUBLINGS = 2\nNZ_DOUBLING_1 = 6\nNZ_DOUBLING_2 = 9\n";
    [&*block, mesh, MATERIALS].concat()
}

/// A folder with the set-up.
fn set_up(par_file: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("DATA");
    let mesher = data.join("meshfem3D_files");
    fs::create_dir_all(&mesher).unwrap();
    fs::write(data.join("Par_file"), par_file).unwrap();
    fs::write(data.join("CMTSOLUTION"), CMTSOLUTION).unwrap();
    fs::write(data.join("STATIONS"), STATIONS).unwrap();
    fs::write(mesher.join("Mesh_Par_file"), mesh_par_file()).unwrap();
    let mut interfaces = format!("{}\n", INTERFACES.len());
    for (index, elevation) in INTERFACES.iter().enumerate() {
        let name = format!("interface{}.dat", index + 1);
        interfaces.push_str(&format!(".false. 2 2 -121.d0 32.d0 6.0d0 6.0d0\n{name}\n"));
        fs::write(mesher.join(name), format!("{elevation}\n").repeat(4)).unwrap();
    }
    fs::write(mesher.join("interfaces.dat"), interfaces + &"3\n".repeat(INTERFACES.len())).unwrap();
    folder
}

/// The scenario written by hand.
///
/// The elements of the set-up are 2335 m wide at the top, so that four points per wavelength resolve 1.36 Hz. Those of the third layer, with 3870 m/s, have four
/// times this width and resolve 0.414 Hz. The band of attenuation ends at this frequency over 1.25 x 0.99, and has 1.75 decades. SPECFEM3D starts two half
/// durations before time 0: 500 steps of 0.012 s end at 5.3772 s.
fn by_hand(reference_frequency: f64) -> String {
    let zone = Utm::new(11, false).unwrap();
    let [[west, south], [east, north]] = [0, 1].map(|end| zone.forward(LONGITUDE[end], LATITUDE[end]).unwrap());
    format!(
        r#"
duration = 5.3772

[domain]
x = [{west}, {east}]
y = [{south}, {north}]
z = [-40e3, 0.0]
projection.utm.zone = 11

[model.layered]
layers = [
    {{ top = 0.0, vp = 5500.0, vs = 3180.0, rho = 2400.0, qmu = 100.0 }},
    {{ top = -5.5e3, vp = 6300.0, vs = 3640.0, rho = 2670.0, qmu = 300.0 }},
    {{ top = -16e3, vp = 6700.0, vs = 3870.0, rho = 2800.0, qmu = 500.0 }},
    {{ top = -32e3, vp = 7800.0, vs = 4500.0, rho = 3000.0, qmu = 1000.0 }},
]

[attenuation]
reference_frequency = {reference_frequency}
band = [0.00593, 0.334]

[[source]]
cmtsolution = "DATA/CMTSOLUTION"

[receivers]
quantities = ["displacement"]
stations = [
    {{ code = "CI.GR2", longitude = -118.299, latitude = 34.1183 }},
    {{ code = "CI.DJJ", longitude = -118.455, latitude = 34.1062 }},
    {{ code = "CI.BVH", longitude = -118.396, latitude = 34.0762 }},
    {{ code = "CE.24853", longitude = -118.286, latitude = 34.077 }},
    {{ code = "CE.24851", longitude = -118.346, latitude = 34.07 }},
]

[method.sem]
max_frequency = 1.36

[output]
directory = "results"
sample_interval = 0.012
seismograms = ["specfem"]
"#
    )
}

#[test]
fn the_import_gives_the_seismograms_of_the_scenario_written_by_hand() {
    let isotropic = PAR_FILE.replace("ANISOTROPY = .true.", "ANISOTROPY = .false.");
    // The speeds of SPECFEM3D's anisotropic branch are unrelaxed: those of a reference frequency of 4.2 times the end of the band.
    for (par_file, reference_frequency) in [(&*isotropic, 0.33333), (PAR_FILE, 1.40)] {
        let folder = set_up(par_file);
        imported(folder.path());
        fs::write(folder.path().join("hand.toml"), by_hand(reference_frequency)).unwrap();
        let [ours, theirs] = ["it.toml", "hand.toml"].map(|name| traces(folder.path(), name));
        let stations = ["CE.24851", "CE.24853", "CI.BVH", "CI.DJJ", "CI.GR2"];
        let expected: Vec<_> =
            stations.iter().flat_map(|station| ["E", "N", "Z"].map(|axis| (*station, axis))).collect();
        let names: Vec<_> = ours.iter().map(|trace| (&*trace.name.station, &*trace.name.component)).collect();
        assert_eq!(names, expected);
        assert_eq!(theirs.len(), ours.len());
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!((&ours.name, ours.start, ours.dt), (&theirs.name, theirs.start, theirs.dt));
            assert!(theirs.samples.iter().any(|sample| sample.abs() > 1e-5), "{:?}", theirs.name);
            assert!(ours.samples == theirs.samples, "{:?}", ours.name);
        }
    }
}
