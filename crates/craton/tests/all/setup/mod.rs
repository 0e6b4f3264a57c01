//! A scenario with its files is converted to a set-up in metres, or refused with all errors.

mod attenuation;
mod boxes;
mod common;
mod directions;
mod emc;
mod model;
mod perturbation;
mod places;
mod readers;
mod situations;
mod sources;
mod volume;

use std::path::Path;

use craton_acquisition::AxisNames;

use common::{errors, example, folder, set_up};

#[test]
fn every_example_is_valid() {
    use AxisNames::{Cartesian, Geographic};
    for (name, regions, receivers, start, axes) in [
        ("full_space", 1, 3, 0.0, Cartesian),
        ("half_space", 1, 4, 0.0, Cartesian),
        ("loh1", 2, 10, 0.0, Cartesian),
        ("valley", 2, 13, 0.0, Cartesian),
        ("anisotropic", 1, 25, 0.0, Cartesian),
        ("bolivia_flat", 5, 6, -40.0, Geographic),
        ("bolivia", 7, 10, -40.0, Geographic),
    ] {
        let setup = example(name);
        assert_eq!(setup.model.regions().len(), regions, "{name}");
        assert_eq!(setup.receivers.len(), receivers, "{name}");
        assert_eq!(setup.sources.len(), 1, "{name}");
        assert_eq!((setup.start, setup.axis_names), (start, axes), "{name}");
        assert_eq!(setup.output.directory, Path::new("results").join(name));
    }
}

#[test]
fn a_default_scenario_warns_only_about_frequency() {
    let folder = folder(&[]);
    assert_eq!(set_up(folder.path(), &[]).expect("a good scenario").warnings, Vec::<String>::new());
    let fast = set_up(folder.path(), &[("sigma = 0.1", "sigma = 0.06")]).expect("a good scenario");
    assert_eq!(
        fast.warnings,
        [
            "source 1 radiates up to 6.4929 Hz (5 % of its peak spectrum), but the mesh resolves only max_frequency = 5 Hz. Low-pass filter the traces below that, or raise max_frequency"
        ]
    );
}

#[test]
fn all_errors_are_reported_at_once() {
    let changes = [
        ("rho = 2600.0", "rho = 2.6"),
        ("z = [-12000.0, 0.0]", "z = [-12000.0, 0.0]\ntopography = \"none.asc\""),
        ("stations = [", "stations_file = \"none\"\nstations = ["),
        ("time_function.gaussian = { sigma = 0.1 }", "time_function.file = \"none.txt\""),
        ("top = -1000.0", "top = \"none.xyz\""),
    ];
    let errors = errors(folder(&[]).path(), &changes);
    let keys: Vec<&str> = errors.lines().map(|line| line.split(' ').nth(1).expect("a key")).collect();
    assert_eq!(
        keys,
        [
            "domain.topography",
            "model.layered.layers[0].rho",
            "model.layered.layers[1].top",
            "source[0].time_function.file",
            "receivers.stations_file"
        ]
    );
}
