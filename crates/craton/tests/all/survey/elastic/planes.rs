//! Elastic surveys in two dimensions.

use craton_testkit::buried_line::BuriedLine;

use super::*;

/// A monopole below the free surface of a half-space, with geophones on the surface.
const HALF_SPACE: &str = r#"
duration = 0.6
[domain]
x = [-150.0, 550.0]
depth = [0.0, 300.0]
[model.layered]
layers = [{ vp = 2000.0, vs = 1150.0, rho = 2000.0 }]
[acquisition.tables]
shots = "shots.csv"
receivers = "receivers.csv"
[receivers]
quantities = ["velocity_x", "velocity_z"]
[source]
time_function.ricker = { frequency = 12.0, centre = 0.13 }
amplitude = 1e6
[method.fd]
equation = "elastic"
max_frequency = 40.0
order = 4
grid_spacing = 2.5
[output]
directory = "results"
sample_interval = 0.002
"#;

const DEPTH: f64 = 50.0;
const DISTANCES: [f64; 3] = [100.0, 250.0, 400.0];

#[test]
fn a_plane_matches_the_closed_form_of_a_buried_line_source() {
    let folder = written(HALF_SPACE);
    std::fs::write(folder.path().join("shots.csv"), format!("shot,x,y,depth\n1,0,0,{DEPTH}\n")).expect("written");
    let row = |(channel, x): (usize, &f64)| format!("{channel},{x},0,0\n");
    let receivers: String = (1..).zip(&DISTANCES).map(row).collect();
    std::fs::write(folder.path().join("receivers.csv"), format!("channel,x,y,depth\n{receivers}")).expect("written");
    surveyed(folder.path(), &options(folder.path(), &[]));
    let line = BuriedLine { alpha: 2000.0, beta: 1150.0, rho: 2000.0, depth: DEPTH };
    let pulse = |t: f64| {
        let angle = (PI * 12.0 * (t - 0.13)).powi(2);
        1e6 * (1.0 - 2.0 * angle) * (-angle).exp()
    };
    for (component, name) in ["velocity_x", "velocity_z"].into_iter().enumerate() {
        let found = traces(&folder.path().join("results/gathers").join(format!("{name}.segy")));
        let count = found[0].samples.len();
        let trace = |&x: &f64| (0..count).map(|n| line.velocity(x, 0.002 * n as f64, pulse)[component]).collect();
        let expected: Vec<Vec<f64>> = DISTANCES.iter().map(trace).collect();
        let misfit = misfit(&found, &expected);
        assert!(misfit < 0.002, "{name}: relative L2 {misfit}");
    }
}

/// Sea over rock in a plane.
fn sea() -> String {
    SEA.replace("y = [0.0, 400.0]\n", "")
        .replace(", 204.0, ", ", 0.0, ")
        .replace(", 205.0, ", ", 0.0, ")
        .replace(", 106.0, ", ", 0.0, ")
        .replace(", 304.0, ", ", 0.0, ")
}

#[test]
fn in_a_plane_of_fluid_elastic_gathers_equal_acoustic_ones() {
    let folder = written(&sea());
    let quantities = "receivers.quantities=['pressure', 'velocity_z', 'velocity_x']";
    let water = "model.layered.layers=[{ vp = 1500.0, vs = 0.0, rho = 1000.0 }]";
    let run = |equation: &str| {
        let equation = format!("method.fd.equation='{equation}'");
        surveyed(folder.path(), &options(folder.path(), &[quantities, water, &equation, "method.fd.order=8"]));
        ["pressure", "velocity_z", "velocity_x"]
            .map(|name| traces(&folder.path().join("results/gathers").join(format!("{name}.segy"))))
    };
    let [found, expected] = ["elastic", "auto"].map(run);
    for (found, expected) in found.iter().zip(&expected) {
        let misfit = misfit(found, &samples(expected));
        assert!(misfit > 0.0 && misfit < 1.5e-3, "relative L2 {misfit}");
    }
}

#[test]
fn a_gpu_matches_the_cpu_in_a_plane() {
    let folder = written(&sea());
    for kind in ["monopole", "force_y"] {
        let depth =
            if kind == "force_y" { "acquisition.fixed.shot_line[0].from=[203.0, 0.0, 141.0]" } else { "duration=0.2" };
        let options = options(folder.path(), &[&format!("source.kind='{kind}'"), depth]);
        let Some(on_gpu) = on_gpu(options.clone()) else { return };
        let [found, expected] = [&on_gpu, &options].map(|options| gathers(folder.path(), options));
        // P-SV waves have no motion along y, SH waves no other.
        let quantities = if kind == "force_y" { 3..4 } else { 0..3 };
        for (found, expected) in found[quantities.clone()].iter().zip(&expected[quantities]) {
            let misfit = misfit(found, &samples(expected));
            assert!(misfit < 1e-5, "{kind}: relative L2 {misfit}");
        }
    }
}

/// In a plane a force along y causes SH waves only, and other sources none.
#[test]
fn sources_whose_waves_no_receiver_records_are_refused() {
    let folder = written(&sea());
    let file = folder.path().join("it.toml");
    for (kind, quantities, needed) in [
        ("monopole", "['velocity_y']", "pressure, velocity_x, velocity_z"),
        ("force_z", "['velocity_y']", "pressure, velocity_x, velocity_z"),
        ("force_y", "['pressure', 'velocity_x', 'velocity_z']", "velocity_y"),
    ] {
        let changes = [format!("source.kind='{kind}'"), format!("receivers.quantities={quantities}")];
        let message = error_text(survey(&file, &options(folder.path(), &[&changes[0], &changes[1]])));
        assert!(message.contains("receivers.quantities") && message.contains(needed), "{kind}: {message}");
    }
}
