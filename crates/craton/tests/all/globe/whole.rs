//! The whole Earth: symmetry, the orientation of the mesh, and a chunk of it.

use super::{misfit, refused, samples, traces};
use craton::traces::Trace;

/// A mantle, a fluid outer and a solid inner core, and an explosion at the centre of a block of the mesh, with stations around it.
const GLOBE: &str = r#"
duration = 2200.0

[domain.globe]
latitudes = "geocentric"
centre = { longitude = 0.0, latitude = 0.0 }

[model.layered]
layers = [
    { vp = 9000.0, vs = 5000.0, rho = 4500.0 },
    { top = -2891e3, vp = 9000.0, vs = 0.0, rho = 11000.0 },
    { top = -5150e3, vp = 11000.0, vs = 3600.0, rho = 13000.0 },
]

[[source]]
longitude = 0.0
latitude = 0.0
depth = 600e3
moment_tensor = { xx = 1e20, yy = 1e20, zz = 1e20 }
time_function.gaussian = { sigma = 150.0, centre = 600.0 }

[receivers]
quantities = ["displacement"]
stations = [
    { code = "XX.N", longitude = 0.0, latitude = 60.0 },
    { code = "XX.E", longitude = 60.0, latitude = 0.0 },
    { code = "XX.S", longitude = 0.0, latitude = -60.0 },
    { code = "XX.W", longitude = -60.0, latitude = 0.0 },
    { code = "XX.P", longitude = 30.0, latitude = 40.0 },
    { code = "XX.Q", longitude = 180.0, latitude = 0.0 },
]

[method.sem]
max_frequency = 0.003

[output]
directory = "results"
sample_interval = 10.0
seismograms = ["text"]
"#;

/// A double couple below Bolivia instead of the explosion.
const SLIP: &str = "source=[{ longitude = -67.25, latitude = -13.82, depth = 600e3, \
                    double_couple = { strike = 30.0, dip = 40.0, rake = 70.0, moment = 1e20 }, \
                    time_function = { gaussian = { sigma = 150.0, centre = 600.0 } } }]";

/// All components of a station in a row.
fn all(traces: &[Trace], station: &str) -> Vec<f64> {
    ["E", "N", "Z"].into_iter().flat_map(|component| samples(traces, station, component).samples.clone()).collect()
}

fn greatest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |greatest, value| greatest.max(value.abs()))
}

#[test]
fn waves_of_an_explosion_are_as_symmetric_as_the_mesh() {
    // The source is in the middle of an element.
    let changes = ["method.sem.precision=double", "method.sem.doubling=false", "method.sem.elements=[5, 5]"];
    let traces = traces(GLOBE, &changes);
    let trace = |station: &str, component: &str| &samples(&traces, station, component).samples;
    let vertical = trace("XX.N", "Z");
    // Components away from the source and to its left.
    for (station, radial, across, sign) in
        [("XX.N", "N", "E", 1.0), ("XX.E", "E", "N", 1.0), ("XX.S", "N", "E", -1.0), ("XX.W", "E", "N", -1.0)]
    {
        let away: Vec<f64> = trace(station, radial).iter().map(|value| sign * value).collect();
        let off = misfit(&away, trace("XX.N", "N")).max(misfit(trace(station, "Z"), vertical));
        assert!(off < 1e-9, "{station}: {off}");
        let across = greatest(trace(station, across)) / greatest(vertical);
        assert!(across < 1e-9, "{station}: {across:e}");
    }
    // Waves of all azimuths arrive at the antipode together, where only their vertical motion adds up.
    let [east, north, up] = ["E", "N", "Z"].map(|component| greatest(trace("XX.Q", component)));
    assert!(up > 0.01 * greatest(vertical) && east.max(north) < 1e-9 * up, "{east} {north} {up}");
}

#[test]
fn the_orientation_of_the_mesh_does_not_change_the_waves() {
    let finer = "method.sem.points_per_wavelength=5";
    let straight = traces(GLOBE, &[SLIP, finer, "duration=1300"]);
    let turned = traces(
        GLOBE,
        &[
            SLIP,
            finer,
            "duration=1300",
            "domain.globe.centre={longitude=-40.0,latitude=25.0}",
            "domain.globe.rotation=25.0",
        ],
    );
    // XX.W is within an element of the source.
    for station in ["XX.N", "XX.E", "XX.S", "XX.P", "XX.Q"] {
        let off = misfit(&all(&turned, station), &all(&straight, station));
        assert!(off < 0.01, "{station}: {off}");
    }
}

#[test]
fn a_chunk_has_the_waves_of_the_globe_until_its_sides_reflect() {
    let near = "receivers.stations=[{ code = \"XX.P\", longitude = -67.25, latitude = 16.0 }, \
                { code = \"XX.Q\", longitude = -40.0, latitude = -30.0 }]";
    let changes = ["duration=1300", "method.sem.points_per_wavelength=5", SLIP, near];
    let globe = traces(GLOBE, &changes);
    let chunk = GLOBE.replace(
        "[domain.globe]\nlatitudes = \"geocentric\"\ncentre = { longitude = 0.0, latitude = 0.0 }",
        "[domain.chunk]\ncentre = { longitude = -67.25, latitude = -13.82 }\nwidths = [120.0, 120.0]\ndepth = 5500e3\nlatitudes = \"geocentric\"",
    );
    let chunk = traces(&chunk, &changes);
    for station in ["XX.P", "XX.Q"] {
        let off = misfit(&all(&chunk, station), &all(&globe, station));
        assert!(off < 0.01, "{station}: {off}");
    }
}

#[test]
fn what_does_not_suit_a_globe_is_refused() {
    for (change, expected) in [
        ("domain.x=[0, 1]", "conflicts with `globe`"),
        ("boundaries.sides=\"rigid\"", "conflicts with `globe`"),
        ("method.sem.elements=[8, 9]", "must be the same number twice"),
        ("source[0].depth=6400e3", "is outside the Earth"),
        ("output.snapshots.slices=[{ x = 0.0, every = 100.0 }]", "is not a plane of the whole Earth"),
        ("source[0].depth=6400e3", "depth from 0 to 6371000 m"),
        ("method={ fd = { max_frequency = 0.005 } }", "is not supported by method.fd"),
    ] {
        let message = refused(GLOBE, &[change]);
        assert!(message.contains(expected), "{change}: {message}");
    }
}
