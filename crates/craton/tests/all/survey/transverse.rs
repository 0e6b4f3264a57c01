//! Surveys in transversely isotropic media.

use std::f64::consts::PI;

use craton::config::VolumeAxis::{Depth, X};
use craton::survey::{GradientOptions, SurveyFile};
use craton::{Gather, Given, Inputs, Survey};
use craton_numerics::misfit::relative_l2;

/// A source at 300 m depth and two receivers; `domain`, `model`, the equation and more keys are to follow.
const BOX: &str = r#"
    duration = 0.4
    boundaries.top = "absorbing"
    acquisition.fixed.shot_line = [{ from = [1.0, 0.0, 301.0], to = [1.0, 0.0, 301.0], count = 1 }]
    acquisition.fixed.receiver_line = [{ from = [152.0, 0.0, 180.0], to = [203.0, 0.0, 302.0], count = 2 }]
    source = { amplitude = 1e6, time_function.ricker = { frequency = 15.0, centre = 0.1 } }
    method.fd = { max_frequency = 45.0, points_per_wavelength = 6.0, EQUATION }
    output = { directory = "unused", sample_interval = 0.001 }
"#;
const PLANE: &str = "domain = { x = [-200.0, 400.0], depth = [0.0, 600.0] }";
const SPACE: &str = "domain = { x = [-200.0, 400.0], y = [-150.0, 150.0], depth = [0.0, 600.0] }";

fn survey_of(parts: &[&str], equation: &str, inputs: Inputs) -> Result<Survey, String> {
    let text = [BOX].iter().chain(parts).copied().collect::<Vec<_>>().join("\n");
    let text = text.replace("EQUATION", &format!("equation = \"{equation}\""));
    let file = SurveyFile::from_toml(&text, ".", inputs).map_err(|error| format!("{error:?} {error}"))?;
    Survey::new(file).map_err(|error| format!("{error:?} {error}"))
}

fn traces(parts: &[&str], inputs: Inputs) -> Vec<Vec<f64>> {
    let gather = survey_of(parts, "auto", inputs).expect("a sound survey").gather(0).expect("a gather");
    gather.traces.iter().map(|trace| trace.iter().map(|&sample| f64::from(sample)).collect()).collect()
}

fn misfit(test: &[Vec<f64>], exact: &[Vec<f64>]) -> f64 {
    let [test, exact] = [test, exact].map(|list| list.iter().map(|trace| &trace[..]).collect::<Vec<&[f64]>>());
    relative_l2(&test, &exact).unwrap()
}

/// The source of the survey.
fn ricker(t: f64) -> f64 {
    let a = (PI * 15.0 * (t - 0.1)).powi(2);
    1e6 * (1.0 - 2.0 * a) * (-a).exp()
}

#[test]
fn an_elliptic_medium_has_the_stretched_closed_form() {
    let model = "model.layered.layers = [{ vp = 2000.0, rho = 2000.0, epsilon = 0.15, delta = 0.15 }]";
    let found = traces(&[SPACE, model], Inputs::new());
    let lateral: f64 = 1.3;
    let exact: Vec<Vec<f64>> = [[151.0, 121.0], [202.0, -1.0]]
        .iter()
        .map(|[x, z]| {
            let r = (x * x / lateral + z * z).sqrt();
            let sample = |n: usize| ricker(n as f64 * 0.001 - r / 2000.0) / (4.0 * PI * r * lateral);
            (0..found[0].len()).map(sample).collect()
        })
        .collect();
    let misfit = misfit(&found, &exact);
    assert!(misfit < 2e-3, "{misfit}");
}

#[test]
fn an_elliptic_medium_with_a_tilted_axis_has_the_stretched_closed_form() {
    let [tilt, azimuth] = [40.0_f64, 60.0].map(f64::to_radians);
    let axis = [tilt.sin() * azimuth.sin(), tilt.sin() * azimuth.cos(), tilt.cos()];
    let lateral: f64 = 1.3;
    let layered = "model.layered.layers = [{ vp = 2000.0, rho = 2000.0, epsilon = 0.15, delta = 0.15, tilt = 40.0, azimuth = 60.0 }]";
    let found = traces(&[SPACE, layered], Inputs::new());
    let exact: Vec<Vec<f64>> = [[151.0, 0.0, 121.0], [202.0, 0.0, -1.0]]
        .iter()
        .map(|place: &[f64; 3]| {
            let along: f64 = (0..3).map(|n| axis[n] * place[n]).sum();
            let square: f64 = place.iter().map(|x| x * x).sum();
            let r = (along * along + (square - along * along) / lateral).sqrt();
            (0..found[0].len()).map(|n| ricker(n as f64 * 0.001 - r / 2000.0) / (4.0 * PI * r * lateral)).collect()
        })
        .collect();
    let own = misfit(&found, &exact);
    assert!(own < 2e-3, "{own}");
}

#[test]
fn gridded_angles_are_those_of_layers() {
    let layered = "model.layered.layers = [{ vp = 2000.0, rho = 2000.0, epsilon = 0.15, delta = 0.1, tilt = 40.0, azimuth = 90.0 }]";
    let found = traces(&[PLANE, layered], Inputs::new());
    let axes = [(Depth, 0.0, 100.0, 7), (X, -200.0, 100.0, 7)];
    let grid = |value: f32| Given::volume(&axes, vec![value; 49]).expect("a sound volume");
    for angles in [
        "tilt.file = \"tilt\", azimuth.file = \"azimuth\"",
        "tilt.file = \"tilt\", azimuth = 90.0",
        "tilt = 40.0, azimuth = 90.0",
    ] {
        let volume = format!(
            "model.volume = {{ velocity.file = \"vp\", density = 2000.0, epsilon = 0.15, delta = 0.1, {angles} }}"
        );
        let names = ["vp", "tilt", "azimuth"].into_iter().zip([2000.0, 40.0, 90.0]);
        let names = names.filter(|(name, _)| volume.contains(&format!("\"{name}\"")));
        let inputs = names.fold(Inputs::new(), |inputs, (name, value)| inputs.with(name, grid(value)));
        let misfit = misfit(&traces(&[PLANE, &volume], inputs), &found);
        assert!(misfit < 1e-4, "{angles}: {misfit}");
    }
}

#[test]
fn parameters_of_zero_are_those_of_a_fluid() {
    let fluid = traces(&[PLANE, "model.layered.layers = [{ vp = 2000.0, rho = 2000.0 }]"], Inputs::new());
    let zero = "model.layered.layers = [{ vp = 2000.0, rho = 2000.0, epsilon = 0.0, delta = 0.0 }]";
    assert!(traces(&[PLANE, zero], Inputs::new()) == fluid);
    let tiny = "model.layered.layers = [{ vp = 2000.0, rho = 2000.0, epsilon = 1e-9 }]";
    let tiny = misfit(&traces(&[PLANE, tiny], Inputs::new()), &fluid);
    assert!(tiny < 1e-4, "{tiny}");
}

#[test]
fn gridded_parameters_are_those_of_layers() {
    let layered = traces(
        &[PLANE, "model.layered.layers = [{ vp = 2000.0, rho = 2000.0, epsilon = 0.2, delta = 0.1 }]"],
        Inputs::new(),
    );
    let axes = [(Depth, 0.0, 100.0, 7), (X, -200.0, 100.0, 7)];
    let grid = |value: f32| Given::volume(&axes, vec![value; 49]).expect("a sound volume");
    for parameters in [
        "epsilon.file = \"epsilon\", delta.file = \"delta\"",
        "epsilon = 0.2, delta.file = \"delta\"",
        "epsilon = 0.2, delta = 0.1",
    ] {
        let model = format!("model.volume = {{ velocity.file = \"vp\", density = 2000.0, {parameters} }}");
        let inputs = ["vp", "epsilon", "delta"].into_iter().zip([2000.0, 0.2, 0.1]);
        let inputs = inputs.filter(|(name, _)| model.contains(&format!("\"{name}\"")));
        let inputs = inputs.fold(Inputs::new(), |inputs, (name, value)| inputs.with(name, grid(value)));
        let misfit = misfit(&traces(&[PLANE, &model], inputs), &layered);
        assert!(misfit < 1e-4, "{parameters}: {misfit}");
    }
}

#[test]
fn an_interface_inside_cells_reflects_as_on_their_faces() {
    let layers = |depth: f64| {
        let below = format!("{{ top = {depth:?}, vp = 1900.0, rho = 1900.0, epsilon = 0.25, delta = 0.1 }}");
        format!("model.layered.layers = [{{ vp = 1500.0, rho = 1000.0 }}, {below}]")
    };
    let run = |spacing: f64| {
        let text = [BOX, PLANE, &layers(412.0)].join("\n");
        let text = text.replace("points_per_wavelength = 6.0, EQUATION", &format!("grid_spacing = {spacing:?}"));
        let file = SurveyFile::from_toml(&text, ".", Inputs::new()).expect("a sound survey");
        let gather = Survey::new(file).expect("a sound survey").gather(0).expect("a gather");
        gather.traces.iter().map(|trace| trace.iter().map(|&p| f64::from(p)).collect()).collect::<Vec<Vec<f64>>>()
    };
    let misfit = misfit(&run(5.0), &run(2.0));
    // In a fluid the difference is 0.13 %.
    assert!(misfit < 2e-2, "{misfit}");
}

#[test]
fn what_is_not_supported_is_refused() {
    let refused =
        |parts: &[&str], equation: &str, inputs: Inputs| survey_of(parts, equation, inputs).err().expect("a refusal");
    let layer = |more: &str| format!("model.layered.layers = [{{ vp = 2000.0, rho = 2000.0, {more} }}]");
    let unstable = refused(&[PLANE, &layer("epsilon = 0.1, delta = 0.2")], "auto", Inputs::new());
    for part in ["model.layered.layers[0].delta", "0.2", "<= epsilon = 0.1", "reduce delta"] {
        assert!(unstable.contains(part), "{part}: {unstable}");
    }
    let range = refused(&[PLANE, &layer("epsilon = -0.7, delta = -0.8")], "auto", Inputs::new());
    assert!(range.contains("epsilon") && range.contains("-0.45"), "{range}");
    let lossy = [&layer("epsilon = 0.1, delta = 0.05, qp = 50.0"), "attenuation = { reference_frequency = 15.0 }"];
    let lossy = refused(&[PLANE, lossy[0], lossy[1]], "auto", Inputs::new());
    assert!(lossy.contains("quality factors") && lossy.contains("epsilon"), "{lossy}");
    let elastic = refused(&[PLANE, &layer("vs = 900.0, epsilon = 0.1")], "elastic", Inputs::new());
    assert!(elastic.contains("layers[0].epsilon") && elastic.contains("elastic"), "{elastic}");
    let across = refused(&[PLANE, &layer("epsilon = 0.1, tilt = 30.0")], "auto", Inputs::new());
    assert!(across.contains("layers[0].azimuth") && across.contains("90 or 270"), "{across}");
    let tilted = layer("epsilon = 0.1, tilt = 30.0, azimuth = 90.0");
    assert!(survey_of(&[PLANE, &tilted], "auto", Inputs::new()).is_ok());
    let on_gpu = refused(&[PLANE, &tilted, "compute.device = \"cuda:0\""], "auto", Inputs::new());
    assert!(on_gpu.contains("compute.device") && on_gpu.contains("tilted"), "{on_gpu}");
    let scalar = refused(&[SPACE, &layer("epsilon = 0.1")], "scalar", Inputs::new());
    assert!(scalar.contains("anisotropic"), "{scalar}");
    let axes = [(Depth, 0.0, 100.0, 7), (X, -200.0, 100.0, 7)];
    let mut delta = vec![0.1_f32; 49];
    delta[3 * 7 + 2] = 0.3;
    let volume = |values: Vec<f32>| Given::volume(&axes, values).expect("a sound volume");
    let inputs = Inputs::new().with("vp", volume(vec![2000.0; 49])).with("delta", volume(delta));
    let model = "model.volume = { velocity.file = \"vp\", density = 2000.0, epsilon = 0.2, delta.file = \"delta\" }";
    let gridded = refused(&[PLANE, model], "auto", inputs);
    for part in
        ["model.volume.delta.file", "x = 100, y = 0, depth = 200 m", "delta = 0.3", "<= epsilon = 0.2", "reduce delta"]
    {
        assert!(gridded.contains(part), "{part}: {gridded}");
    }
    let inputs = Inputs::new().with("vp", volume(vec![2000.0; 49]));
    let model = "model.volume = { velocity.file = \"vp\", density = 2000.0, epsilon = 0.2 }";
    let survey = survey_of(&[PLANE, model], "auto", inputs).expect("a sound survey");
    let observed: Vec<Gather> = Vec::new();
    let gradient = survey.misfit_and_gradient(&observed, &GradientOptions::default(), &mut ()).unwrap_err();
    assert!(gradient.to_string().contains("anisotropic"), "{gradient}");
}
