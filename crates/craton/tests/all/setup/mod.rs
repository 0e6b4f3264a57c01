//! A scenario with its files becomes a set-up in metres, or is refused with everything that is wrong.

mod common;
mod emc;
mod model;
mod perturbation;
mod places;
mod situations;
mod sources;
mod volume;

use std::path::Path;

use craton_acquisition::AxisNames;

use common::{example, folder, said, set_up};

#[test]
fn every_example_sets_up() {
    use AxisNames::{Cartesian, Geographic};
    for (name, regions, receivers, start, axes) in [
        ("full_space", 1, 3, 0.0, Cartesian),
        ("half_space", 1, 4, 0.0, Cartesian),
        ("loh1", 2, 10, 0.0, Cartesian),
        ("valley", 2, 13, 0.0, Cartesian),
        ("anisotropic", 1, 25, 0.0, Cartesian),
        ("bolivia_flat", 5, 6, -40.0, Geographic),
        ("bolivia", 6, 10, -40.0, Geographic),
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
fn a_default_scenario_has_no_warning_but_one_of_frequency() {
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
fn everything_that_is_wrong_is_told_at_once() {
    let changes = [
        ("rho = 2600.0", "rho = 2.6"),
        ("z = [-12000.0, 0.0]", "z = [-12000.0, 0.0]\ntopography = \"none.asc\""),
        ("stations = [", "stations_file = \"none\"\nstations = ["),
        ("time_function.gaussian = { sigma = 0.1 }", "time_function.file = \"none.txt\""),
        ("top = -1000.0", "top = \"none.xyz\""),
    ];
    let said = said(folder(&[]).path(), &changes);
    let places: Vec<&str> = said.lines().map(|line| line.split(' ').nth(1).expect("a key")).collect();
    assert_eq!(
        places,
        [
            "domain.topography",
            "model.layered.layers[0].rho",
            "model.layered.layers[1].top",
            "source[0].time_function.file",
            "receivers.stations_file"
        ]
    );
}
