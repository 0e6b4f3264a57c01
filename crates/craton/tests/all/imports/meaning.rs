//! Settings whose meaning in SPECFEM3D is not obvious.

use std::fs;

use craton::import::specfem;
use craton::{Scenario, Setup};

use super::{PAR_FILE, imported, replace, set_up};

#[test]
fn settings_of_old_versions_have_their_meaning() {
    let of = |par_file: &str| imported(set_up(par_file).path()).scenario;
    let top = PAR_FILE.replace("PML_CONDITIONS", "ABSORB_INSTEAD_OF_FREE_SURFACE = .true.\nPML_CONDITIONS");
    assert!(of(&top).contains("top = \"absorbing\""));
    let layers = of(&PAR_FILE.replace("PML_CONDITIONS = .false.", "PML_CONDITIONS = .true."));
    assert!(layers.contains("absorbing.cpml = {}") && !of(PAR_FILE).contains("cpml"), "{layers}");
    // The misspelt key of doublings, and a mesh that is too large.
    let folder = set_up(PAR_FILE);
    let doubling = "NDOUBLINGS = 1\nNZ_DOUGLING_1 = 4\nNMATERIALS = 3";
    replace(folder.path(), "meshfem3D_files/Mesh_Par_file", "NMATERIALS = 3", doubling);
    let regular = ["USE_REGULAR_MESH = .true.", "USE_REGULAR_MESH = .false."];
    replace(folder.path(), "meshfem3D_files/Mesh_Par_file", regular[0], regular[1]);
    assert!(imported(folder.path()).notes.iter().any(|note| note.setting.contains("NDOUBLINGS = 1")));
    replace(folder.path(), "meshfem3D_files/Mesh_Par_file", "NEX_XI = 6", "NEX_XI = 100000000000");
    let refused = specfem(folder.path(), None).unwrap_err().to_string();
    assert!(refused.contains("NEX_XI") && refused.contains("at most"), "{refused}");
    // A band by the mesh without keys of a band, and the old reference frequency.
    let attenuating = PAR_FILE.replace("ATTENUATION = .false.", "ATTENUATION = .true.");
    let scenario = of(&attenuating);
    assert!(scenario.contains("reference_frequency = 0.3333") && scenario.contains("band = ["), "{scenario}");
}

#[test]
fn anisotropic_runs_of_specfem_use_unrelaxed_speeds() {
    let attenuating = PAR_FILE.replace("ATTENUATION = .false.", "ATTENUATION = .true.\nANISOTROPY = .true.");
    let folder = set_up(&attenuating);
    let all = imported(folder.path());
    assert!(all.notes.iter().any(|note| note.effect.contains("unrelaxed")), "{:?}", all.notes);
    let setup = Setup::new(&Scenario::read(&folder.path().join("it.toml"), &[]).unwrap()).unwrap();
    let attenuation = setup.model.attenuation().unwrap();
    let losses = setup.model.losses(1, [1000.0, 1000.0, -600.0]);
    // The layer with Q 60 and 100.
    assert!((1.0 / losses.shear - 60.0).abs() < 1e-9);
    for unrelaxed in attenuation.coefficients(losses).unrelaxed {
        assert!((unrelaxed - 1.0).abs() < 1e-3, "{unrelaxed}");
    }
}

#[test]
fn half_durations_are_those_that_specfem_uses() {
    let of = |par_file: &str, half_duration: &str| {
        let folder = set_up(par_file);
        replace(folder.path(), "CMTSOLUTION", "half duration: 0.2", half_duration);
        imported(folder.path()).scenario
    };
    assert!(!of(PAR_FILE, "half duration: 0.2").contains("time_function"));
    // 5 DT = 0.025 s.
    let widened = of(PAR_FILE, "half duration: 0.01");
    assert!(widened.contains("sigma = 0.010858") && !widened.contains("of = "), "{widened}");
    let with_movie = of(&format!("{PAR_FILE}HDUR_MOVIE = 0.15\n"), "half duration: 0.2");
    assert!(with_movie.contains("uses is 0.25 s"), "{with_movie}");
}

#[test]
fn forces_without_a_time_function_have_that_of_the_par_file() {
    const FORCE: &str = "FORCE  001\ntime shift: 0.0\nf0: 1.0\nlatorUTM: 900.0\nlongorUTM: 1000.0\ndepth: 0.6\n\
                         factor force source: 1.d15\ncomponent dir vect source E: 0.d0\n\
                         component dir vect source N: 0.d0\ncomponent dir vect source Z_UP: -1.d0\n";
    let force = PAR_FILE.replace("USE_FORCE_POINT_SOURCE = .false.", "USE_FORCE_POINT_SOURCE = .true.");
    let ricker = force.replace("USE_RICKER_TIME_FUNCTION = .false.", "USE_RICKER_TIME_FUNCTION = .true.");
    for (par_file, expected) in [(&force, "gaussian = { sigma = 0.434"), (&ricker, "ricker = { frequency = 1.0")] {
        let folder = set_up(par_file);
        fs::write(folder.path().join("DATA/FORCESOLUTION"), FORCE).unwrap();
        let scenario = imported(folder.path()).scenario;
        assert!(scenario.contains(expected) && scenario.contains("of = \"history\""), "{scenario}");
        let setup = Setup::new(&Scenario::read(&folder.path().join("it.toml"), &[]).unwrap()).unwrap();
        let is_about_function = |warning: &String| warning.contains("source time function");
        assert!(!setup.warnings.iter().any(is_about_function), "{:?}", setup.warnings);
    }
}

#[test]
fn absolute_heights_of_sources_and_stations_are_kept() {
    let folder = set_up(&format!("{PAR_FILE}USE_SOURCES_RECEIVERS_Z = .true.\n"));
    replace(folder.path(), "CMTSOLUTION", "depth: 0.6", "depth: -0.7");
    // The second station is above the ground.
    replace(folder.path(), "STATIONS", "A XX 1500 1600 0 10", "A XX 1500 1600 0 -30\nB XX 1500 1600 0 200");
    imported(folder.path());
    let setup = Setup::new(&Scenario::read(&folder.path().join("it.toml"), &[]).unwrap()).unwrap();
    assert_eq!(setup.sources[0].position(), [1000.0, 900.0, -700.0]);
    assert_eq!(setup.receivers[0].position(), [1600.0, 1500.0, -30.0]);
    let [x, y, z] = setup.receivers[1].position();
    assert_eq!([x, y, z], [1600.0, 1500.0, setup.model.surface().elevation(x, y)]);
    assert!(z < 200.0);
}

#[test]
fn files_that_would_be_ignored_are_refused() {
    let folder = set_up(PAR_FILE);
    fs::write(folder.path().join("DATA/Par_file_faults"), "1\n").unwrap();
    let refused = specfem(folder.path(), None).unwrap_err().to_string();
    assert!(refused.contains("dynamic faults"), "{refused}");
    let folder = set_up(PAR_FILE);
    fs::remove_file(folder.path().join("DATA/STATIONS")).unwrap();
    let refused = specfem(folder.path(), None).unwrap_err().to_string();
    assert!(refused.contains("STATIONS"), "{refused}");
    let every = PAR_FILE.replace("NTSTEP_BETWEEN_OUTPUT_SAMPLE = 2", "NTSTEP_BETWEEN_OUTPUT_SAMPLE = 0");
    let refused = specfem(set_up(&every).path(), None).unwrap_err().to_string();
    assert!(refused.contains("NTSTEP_BETWEEN_OUTPUT_SAMPLE"), "{refused}");
}

#[test]
fn external_time_functions_may_begin_with_the_time_step() {
    let external = PAR_FILE.replace("USE_EXTERNAL_SOURCE_FILE = .false.", "EXTERNAL_SOURCE_FILE = .true.");
    let folder = set_up(&external.replace("NSTEP = 401", "NSTEP = 300"));
    replace(folder.path(), "CMTSOLUTION", "Mtp: 2e22\n", "Mtp: 2e22\nDATA/stf.txt\n");
    let samples = |first: &str, count: usize| {
        let text: String = (0..count).map(|index| format!("{}\n", index as f64)).collect();
        fs::write(folder.path().join("DATA/stf.txt"), format!("{first}{text}")).unwrap();
        let imported = specfem(folder.path(), None).unwrap_or_else(|error| panic!("{error}"));
        let name = std::path::Path::new("source_time_function.txt");
        imported.files.into_iter().find(|(file, _)| file == name).expect("a time function").1
    };
    assert!(samples("0.005\n", 300).starts_with("0.0 0.0\n0.005 1.0\n"));
    // As many samples as steps, or another first one.
    assert!(samples("0.005\n", 299).starts_with("0.0 0.005\n0.005 0.0\n"));
    assert!(samples("0.5\n", 300).starts_with("0.0 0.5\n"));
}

#[test]
fn the_automatic_band_is_that_of_the_coarsest_elements() {
    let attenuating = PAR_FILE.replace("ATTENUATION = .false.", "ATTENUATION = .true.");
    let band = |doublings: &str| {
        let folder = set_up(&attenuating);
        replace(
            folder.path(),
            "meshfem3D_files/Mesh_Par_file",
            "USE_REGULAR_MESH = .true.",
            "USE_REGULAR_MESH = .false.",
        );
        replace(
            folder.path(),
            "meshfem3D_files/Mesh_Par_file",
            "NMATERIALS = 3",
            &format!("{doublings}\nNMATERIALS = 3"),
        );
        imported(folder.path());
        let setup = Setup::new(&Scenario::read(&folder.path().join("it.toml"), &[]).unwrap()).unwrap();
        setup.model.attenuation().unwrap().relaxation().band()[1]
    };
    // Elements of 400 m, and of twice that width in the layers below a doubling: 1500 (water), 1500 and 2300 m/s from the top down.
    let end = |speed: f64, width: f64| speed / width / (1.25 * 0.99);
    let close = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 0.01, "{found}, {expected}");
    close(band("NDOUBLINGS = 0"), end(1500.0, 400.0));
    close(band("NDOUBLINGS = 1\nNZ_DOUBLING_1 = 6"), end(1500.0, 800.0));
    close(band("NDOUBLINGS = 2\nNZ_DOUBLING_1 = 6\nNZ_DOUBLING_2 = 2"), end(2300.0, 1600.0));
}
