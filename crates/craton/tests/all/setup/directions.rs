//! Directions of components with a map projection.

use craton::config::SeismogramFormat;
use craton::process;
use craton::process::{Operation, ProcessingPlan};
use craton::traces::{self, Situation, Trace, TraceName, Way};
use craton_acquisition::{AxisNames, Quantity};
use craton_formats::sac;
use craton_model::geodesy::Geodesic;

use crate::setup::common::{CMT, CMTSOLUTION, STATIONS, UTM, folder, set_up};

/// Change: radial components.
const RADIAL: (&str, &str) = ("[receivers]\n", "[receivers]\ncomponents = [\"axes\", \"radial\"]\n");

/// A set-up in a UTM zone, with a station away from its central meridian.
fn in_a_zone() -> craton::Setup {
    let folder = folder(&[("CMTSOLUTION", CMTSOLUTION), ("STATIONS", "A XX -13.82 -67.25 3000.0 0.0\n")]);
    set_up(folder.path(), &[UTM, STATIONS, CMT, RADIAL]).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Traces whose first sample is a vector along the axes of the model.
fn traces_of(setup: &craton::Setup, names: AxisNames, vector: [f64; 3]) -> Vec<Trace> {
    let receiver = &setup.receivers[0];
    let axes = setup.directions.axes_at(names, &setup.frame, receiver.position());
    let source = setup.event.position.expect("an event");
    let offset = Some(Way::in_the_model(&setup.frame, source, receiver.position()).distance);
    let along = axes.map(|axis| (0..3).map(|at| axis[at] * vector[at]).sum::<f64>());
    let of = |(component, value): (&&str, f64)| Trace {
        name: TraceName {
            station: receiver.code(),
            quantity: Some(Quantity::Velocity),
            component: (*component).to_owned(),
        },
        start: 0.0,
        dt: 0.05,
        samples: [vec![value], vec![0.0; 63]].concat(),
        position: Some(receiver.position()),
        offset,
        situation: Situation::new(setup, receiver),
    };
    Quantity::Velocity.components(names).iter().zip(along).map(of).collect()
}

#[test]
fn headers_contain_the_true_azimuths_of_the_axes_of_a_map_grid() {
    let setup = in_a_zone();
    let [x, y, _] = setup.receivers[0].position();
    let towards = |step: [f64; 2]| {
        let to = setup.frame.to_map([x + step[0], y + step[1]]);
        Geodesic::between(setup.frame.to_map([x, y]), to).azimuth
    };
    let traces = traces_of(&setup, AxisNames::Geographic, [1.0, 2.0, 3.0]);
    let [east, north] = [towards([100.0, 0.0]), towards([0.0, 100.0])];
    assert!((90.0 - east - 0.418).abs() < 1e-3, "south of the equator and east of the meridian: {east}");
    let channels = traces::channels(&traces);
    for (index, exact) in [(0, east), (1, north)] {
        let header = traces[index].azimuth().expect("a direction");
        assert!((header - exact).abs() < 1e-4, "{header} {exact}");
        assert_eq!(channels[index].direction, Some([header, 0.0]));
    }
    // The offset is that of the model, the distance that of the ellipsoid: UTM scales lengths.
    let (offset, distance) = (traces[0].offset.expect("one"), traces[0].situation.way.expect("one").distance);
    let [x0, y0, _] = setup.event.position.expect("an event");
    assert!((offset - (x - x0).hypot(y - y0)).abs() < 1e-9 && (offset - distance).abs() > 0.1, "{offset} {distance}");
    let folder = folder(&[]);
    for format in [SeismogramFormat::Sac, SeismogramFormat::Text] {
        let files = traces::write(folder.path(), &traces[..1], format).expect("written");
        let read = &traces::read_file(&files[0]).expect("readable")[0];
        assert!((read.azimuth().expect("a direction") - east).abs() < 1e-4, "{format:?}");
        assert!((read.offset.expect("one") - offset).abs() < 1e-3, "{format:?}");
        assert!((read.situation.way.expect("one").distance - distance).abs() < 1e-3, "{format:?}");
    }
}

#[test]
fn the_radial_component_of_a_run_equals_the_rotated_one() {
    let setup = in_a_zone();
    let vector = [0.7, -1.3, 0.4];
    let expected = traces_of(&setup, AxisNames::Radial, vector);
    let along_axes = traces_of(&setup, AxisNames::Geographic, vector);
    let [x, y, _] = setup.event.position.expect("an event");
    // A straight line in the model is nearly a geodesic.
    for (format, event, tolerance) in [
        (SeismogramFormat::Text, None, 1e-8),
        (SeismogramFormat::Sac, None, 1e-6),
        (SeismogramFormat::Text, Some([x, y]), 1e-4),
        (SeismogramFormat::Sac, Some([x, y]), 1e-4),
    ] {
        let folder = folder(&[]);
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        std::fs::create_dir(&from).expect("a folder");
        traces::write(&from, &along_axes, format).expect("written");
        let plan = ProcessingPlan { operations: vec![Operation::Rotate { event }], ..ProcessingPlan::default() };
        process(&[from], &to, &plan).expect("rotated");
        let rotated = traces::read_folder(&to).expect("readable");
        assert_eq!(rotated.len(), 3);
        for (found, exact) in rotated.iter().zip(&expected) {
            assert_eq!(found.name, exact.name);
            let off = (found.samples[0] - exact.samples[0]).abs();
            assert!(off < tolerance, "{format:?} {event:?} {}: {off:e}", found.name);
            let azimuths = [found, exact].map(|trace| trace.azimuth().expect("a direction"));
            assert!((azimuths[0] - azimuths[1]).abs() < 100.0 * tolerance + 1e-4, "{azimuths:?}");
        }
    }
}

#[test]
fn components_of_different_directions_are_not_rotated() {
    let setup = in_a_zone();
    let mut traces = traces_of(&setup, AxisNames::Geographic, [1.0; 3]);
    traces[1].situation.convergence += 2.0;
    let folder = folder(&[]);
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    std::fs::create_dir(&from).expect("a folder");
    traces::write(&from, &traces, SeismogramFormat::Sac).expect("written");
    let plan = ProcessingPlan { operations: vec![Operation::Rotate { event: None }], ..ProcessingPlan::default() };
    let said = process(&[from], &to, &plan).expect_err("directions").to_string();
    assert!(said.contains("they are not perpendicular") && !to.exists(), "{said}");
}

#[test]
fn sac_and_stationxml_have_the_same_channel_code() {
    let setup = in_a_zone();
    let traces = traces_of(&setup, AxisNames::Geographic, [1.0; 3]);
    let codes: Vec<String> = traces::channels(&traces).iter().map(|channel| channel.channel[1].clone()).collect();
    assert_eq!(codes, ["BXE", "BXN", "BXZ"]);
    let folder = folder(&[]);
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    std::fs::create_dir(&from).expect("a folder");
    for file in traces::write(&from, &traces, SeismogramFormat::Sac).expect("written") {
        let code = sac::read(&file).expect("SAC").component;
        assert!(codes.contains(&code), "{code}");
    }
    // The band code follows the interval of processed traces.
    let operations = vec![Operation::Resample(0.5), Operation::Rotate { event: None }];
    process(&[from], &to, &ProcessingPlan { operations, ..ProcessingPlan::default() }).expect("rotated");
    let radial = sac::read(&to.join("XX.A.velocity.R.sac")).expect("SAC");
    assert_eq!((&*radial.component, &*radial.station), ("MXR", "A"));
}
