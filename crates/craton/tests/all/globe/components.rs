//! Radial and transverse components, and the headers of their traces.

use craton::config::SeismogramFormat;
use craton::process;
use craton::process::{Operation, ProcessingPlan};
use craton_formats::{sac, text_trace};

use super::*;

/// Names and relative L2 misfits of traces, which must have the same names.
fn misfits(ours: &[Trace], theirs: &[Trace]) -> Vec<(String, f64)> {
    let names = |traces: &[Trace]| traces.iter().map(|trace| trace.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(ours), names(theirs));
    ours.iter().zip(theirs).map(|(a, b)| (a.name.to_string(), misfit(&a.samples, &b.samples))).collect()
}

/// Runs the homogeneous sphere with changes; the folder holds `results`.
fn results(changes: &[&str]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (file, results) = (folder.path().join("chunk.toml"), folder.path().join("results"));
    std::fs::write(&file, HOMOGENEOUS).unwrap();
    let mut overrides: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    // Relations between components hold for any accuracy.
    overrides.push("method.sem.points_per_wavelength=4".to_owned());
    overrides.push(format!("output.directory={}", results.display()));
    run(&file, &RunOptions { overrides, ..RunOptions::default() }).unwrap();
    (folder, results)
}

/// Copies the seismograms of these components into a new folder.
fn chosen(results: &std::path::Path, components: &[&str], folder: &std::path::Path) {
    std::fs::create_dir(folder).unwrap();
    for entry in std::fs::read_dir(results.join("seismograms")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if components.contains(&name.rsplit('.').nth(1).unwrap()) {
            std::fs::copy(&path, folder.join(name)).unwrap();
        }
    }
}

#[test]
fn radial_components_of_a_run_equal_rotated_ones() {
    let (folder, results) = results(&[
        "duration=120",
        "receivers.components=[\"axes\", \"radial\"]",
        "receivers.quantities=[\"displacement\"]",
        "output.seismograms=[\"text\", \"sac\"]",
    ]);
    let (along_axes, radial) = (folder.path().join("axes"), folder.path().join("radial"));
    chosen(&results, &["E", "N"], &along_axes);
    chosen(&results, &["R", "T"], &radial);
    // With the headers of text files, and of SAC files, whose angles and samples have seven digits.
    for (format, tolerance) in [(SeismogramFormat::Text, 1e-8), (SeismogramFormat::Sac, 1e-6)] {
        let turned = folder.path().join(format!("{format:?}"));
        let plan = ProcessingPlan {
            operations: vec![Operation::Rotate { event: None }],
            format: Some(format),
            ..ProcessingPlan::default()
        };
        process(std::slice::from_ref(&along_axes), &turned, &plan).unwrap();
        let extension = if format == SeismogramFormat::Sac { "sac" } else { "txt" };
        let of_run: Vec<Trace> = read_all(&radial, extension);
        for (name, misfit) in misfits(&read_all(&turned, extension), &of_run) {
            assert!(misfit < tolerance, "{format:?} {name}: {misfit:e}");
        }
        for file in std::fs::read_dir(&radial).unwrap().map(|entry| entry.unwrap().path()) {
            if file.extension().is_some_and(|found| found == "sac") && format == SeismogramFormat::Sac {
                let (ours, theirs) = (sac::read(&file).unwrap(), sac::read(&turned.join(file.file_name().unwrap())));
                let theirs = theirs.unwrap();
                assert!((ours.azimuth.unwrap() - theirs.azimuth.unwrap()).abs() < 1e-4, "{}", file.display());
                assert_eq!((ours.inclination, ours.component.len()), (Some(90.0), 3));
            }
        }
    }
    // Positions on a plane have no direction on the sphere.
    let nowhere =
        ProcessingPlan { operations: vec![Operation::Rotate { event: Some([0.0, 0.0]) }], ..ProcessingPlan::default() };
    let message =
        process(std::slice::from_ref(&along_axes), &folder.path().join("no"), &nowhere).unwrap_err().to_string();
    assert!(
        message.contains(": --event-position: positions in metres do not give a direction in a chunk of the Earth"),
        "{message}"
    );
}

#[test]
fn strain_is_rotated_as_a_tensor_and_pressure_is_unchanged() {
    let components = "receivers.components=[\"axes\", \"radial\"]";
    let (_folder, results) = results(&["duration=120", components, "receivers.quantities=[\"strain\", \"pressure\"]"]);
    let all = read_all(&results.join("seismograms"), "txt");
    // Strain has 11 components, because both systems share ZZ; pressure has one.
    assert_eq!(all.len(), 3 * (11 + 1));
    for station in ["XX.E", "XX.N", "XX.S"] {
        let of = |component: &str| &samples(&all, station, component).samples;
        let sum = |a: &str, b: &str| of(a).iter().zip(of(b)).map(|(a, b)| a + b).collect::<Vec<f64>>();
        let off = misfit(&sum("RR", "TT"), &sum("EE", "NN"));
        assert!(off < 1e-8, "{station}: {off:e}");
        let azimuth = samples(&all, station, "RT").situation.radial.unwrap().to_radians();
        let (sin, cos) = azimuth.sin_cos();
        let [ee, nn, en] = ["EE", "NN", "EN"].map(of);
        let rt: Vec<f64> =
            (0..ee.len()).map(|n| sin * cos * (ee[n] - nn[n]) + (cos * cos - sin * sin) * en[n]).collect();
        let off = misfit(of("RT"), &rt);
        assert!(off < 1e-8, "{station}: {off:e}");
    }
}

/// The traces of the files of a folder with an extension, in the order of their names.
fn read_all(folder: &std::path::Path, extension: &str) -> Vec<Trace> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    files.iter().flat_map(|file| craton::traces::read_file(file).unwrap()).collect()
}

#[test]
fn headers_of_a_chunk_contain_angles_on_the_sphere() {
    let (_folder, results) = results(&["duration=10", "output.seismograms=[\"text\", \"sac\"]"]);
    // From 21 S, 61 W to 18.5 S, 61.5 W by the formulae of spherical trigonometry.
    let [from, to, longitudes] = [-21f64, -18.5, -0.5].map(f64::to_radians);
    let arc = (from.sin() * to.sin() + from.cos() * to.cos() * longitudes.cos()).acos().to_degrees();
    let towards = |a: f64, b: f64, difference: f64| {
        let north = a.cos() * b.sin() - a.sin() * b.cos() * difference.cos();
        (difference.sin() * b.cos()).atan2(north).to_degrees().rem_euclid(360.0)
    };
    let (azimuth, back) = (towards(from, to, longitudes), towards(to, from, -longitudes));
    let text = text_trace::read(&results.join("seismograms/XX.N.velocity.Z.txt")).unwrap();
    let number = |key: &str| text.value(key).unwrap().parse::<f64>().unwrap();
    assert!((number("azimuth") - azimuth).abs() < 1e-9 && (number("back_azimuth") - back).abs() < 1e-9);
    assert!((number("distance_degrees") - arc).abs() < 1e-9 && text.value("surface") == Some("sphere"));
    let sac = sac::read(&results.join("seismograms/XX.N.velocity.Z.sac")).unwrap();
    assert!((sac.back_azimuth.unwrap() - back).abs() < 1e-4 && (sac.arc.unwrap() - arc).abs() < 1e-6);
    assert_eq!(sac.surface, "sphere");
    // LCALDA, the 39th integer after 70 numbers, is false: readers must not recompute these on an ellipsoid.
    let bytes = std::fs::read(results.join("seismograms/XX.N.velocity.Z.sac")).unwrap();
    assert_eq!(bytes[4 * (70 + 38)..][..4], [0; 4]);
    assert!(sac.event_longitude.is_some() && sac.station_longitude.is_some());
}

#[test]
fn a_receiver_at_the_epicentre_is_refused_and_the_chosen_epicentre_is_reported() {
    let radial = "receivers.components=[\"radial\"]";
    let errors =
        refused(MANTLE, &[radial, "receivers.stations[0].longitude=-66.8", "receivers.stations[0].latitude=-13.5"]);
    assert!(
        errors.contains("receivers.components") && errors.contains("receiver XX.S05 is at the epicentre"),
        "{errors}"
    );
    assert!(errors.contains("longitude and latitude -66.8"), "{errors}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chunk.toml");
    let begin = MANTLE.find("[[source]]").unwrap();
    let end = MANTLE.find("[receivers]").unwrap();
    let source = &MANTLE[begin..end];
    let second = source.replace("-13.5", "-14.5").replace("centre = 100.0", "centre = 90.0");
    std::fs::write(&file, format!("{}{source}{second}{}", &MANTLE[..begin], &MANTLE[end..])).unwrap();
    let scenario = Scenario::read(&file, &[radial.to_owned()]).unwrap();
    let setup = craton::Setup::new(&scenario).unwrap();
    let warning = setup.warnings.iter().find(|warning| warning.contains("receivers.components")).unwrap();
    assert!(warning.contains("the epicentre of source 2, the earliest of 2 sources"), "{warning}");
    // Geocentric latitudes differ by 0.9938 degrees.
    assert!(warning.contains("is 1105"), "{warning}");
}
