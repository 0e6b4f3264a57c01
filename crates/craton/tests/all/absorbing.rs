//! Absorbing layers around meshes of spectral elements, in scenarios.

use craton::traces::Trace;
use craton::{Error, Inputs, Memory, Scenario, Setup, Simulation};

const SCENARIO: &str = r#"
duration = 2.2
[domain]
x = [-WIDTH, WIDTH]
y = [-WIDTH, WIDTH]
z = [-DEPTH, 0.0]
[[model.layered.layers]]
vp = 3000.0
vs = 1700.0
rho = 2200.0
qp = 200.0
qs = 100.0
[[model.layered.layers]]
top = -1000.0
vp = 5200.0
vs = 3000.0
rho = 2500.0
qp = 400.0
qs = 200.0
[[source]]
position = [100.0, -50.0, -900.0]
moment_tensor = { xx = 1e15, yy = -2e15, zz = 1e15, xy = 3e15, xz = -1e15, yz = 2e15 }
time_function.gaussian = { sigma = 0.15, centre = 0.7 }
[receivers]
stations = [
    { code = "XX.A", position = [900.0, 300.0, 0.0] },
    { code = "XX.B", position = [-700.0, 950.0, 0.0] },
    { code = "XX.C", position = [0.0, -980.0, -700.0] },
]
[attenuation]
reference_frequency = 1.0
[method.sem]
max_frequency = 3.0
element_size = 500.0
doubling = false
absorbing = ABSORBING
[output]
directory = "results"
sample_interval = 0.01
"#;

fn scenario(width: f64, depth: f64, absorbing: &str) -> Scenario {
    let text = SCENARIO.replace("WIDTH", &format!("{width:.1}")).replace("DEPTH", &format!("{depth:.1}"));
    let text = text.replace("ABSORBING", absorbing);
    Scenario::from_toml(&text, ".", Inputs::new()).unwrap_or_else(|error| panic!("{}", error.lines()))
}

fn completed(scenario: Scenario) -> Memory {
    let mut memory = Memory::new();
    let mut simulation = Simulation::new(scenario).unwrap_or_else(|error| panic!("{error}"));
    simulation.run(&mut memory).unwrap();
    memory
}

/// Largest difference of the traces of two runs relative to the largest value of each receiver.
fn difference(a: &Memory, b: &Memory) -> f64 {
    assert_eq!(a.traces.len(), 9);
    let of_receiver = |(a, b): (&[Trace], &[Trace])| {
        let pairs = || a.iter().zip(b).flat_map(|(a, b)| a.samples.iter().zip(&b.samples));
        let peak = pairs().fold(0.0_f64, |peak, (_, b)| peak.max(b.abs()));
        pairs().fold(0.0_f64, |off, (a, b)| off.max((a - b).abs())) / peak
    };
    a.traces.chunks(3).zip(b.traces.chunks(3)).map(of_receiver).fold(0.0, f64::max)
}

#[test]
fn a_small_box_in_layers_gives_the_traces_of_a_large_one() {
    let large = completed(scenario(4500.0, 5000.0, "{ paraxial = {} }"));
    let layers = difference(&completed(scenario(1000.0, 2000.0, "{ cpml = {} }")), &large);
    let paraxial = difference(&completed(scenario(1000.0, 2000.0, "{ paraxial = {} }")), &large);
    assert!(layers < 0.02 && paraxial > 0.1, "{layers:e} {paraxial:e}");
}

#[test]
fn layers_inside_the_domain_absorb_and_hold_no_receivers() {
    let large = completed(scenario(4500.0, 5000.0, "{ paraxial = {} }"));
    let inside = completed(scenario(2600.0, 4800.0, "{ cpml = { inside = true } }"));
    let off = difference(&inside, &large);
    assert!(off < 0.02, "{off:e}");
    let error = |width: f64, depth: f64, elements: u16| {
        let absorbing = format!("{{ cpml = {{ inside = true, elements = {elements} }} }}");
        match Simulation::new(scenario(width, depth, &absorbing)).err().expect("an error") {
            Error::Scenario(errors) => errors.lines(),
            error => error.to_string(),
        }
    };
    let in_layer = error(1500.0, 4800.0, 3);
    assert!(in_layer.starts_with("XX.A at x = 900") && in_layer.contains("is in an absorbing layer"), "{in_layer}");
    let nothing_left = error(1500.0, 4800.0, 40);
    let shallow = error(2600.0, 1300.0, 5);
    assert!(shallow.contains("does not fit into the lowest region of the model"), "{shallow}");
    assert!(nothing_left.contains("fill almost the whole width of domain.x"), "{nothing_left}");
}

/// Water over rock, with a hydrophone and seismometers on the bottom.
const SEA: &str = r#"
duration = 1.6
[domain]
x = [-WIDTH, WIDTH]
y = [-WIDTH, WIDTH]
z = [-DEPTH, 0.0]
[[model.layered.layers]]
vp = 1500.0
vs = 0.0
rho = 1025.0
[[model.layered.layers]]
top = -500.0
vp = 3000.0
vs = 1700.0
rho = 2200.0
[[source]]
position = [50.0, -30.0, -240.0]
moment_tensor = { xx = 1e12, yy = 1e12, zz = 1e12 }
time_function.gaussian = { sigma = 0.12, centre = 0.55 }
[receivers]
quantities = ["velocity", "pressure"]
stations = [
    { code = "XX.A", position = [430.0, 200.0, -260.0] },
    { code = "XX.B", position = [-350.0, 440.0, -500.0] },
    { code = "XX.C", position = [100.0, -400.0, -800.0] },
]
[method.sem]
max_frequency = 3.0
element_size = 250.0
doubling = false
absorbing = ABSORBING
[output]
directory = "results"
sample_interval = 0.01
"#;

#[test]
fn layers_of_water_and_rock_absorb_together() {
    let of = |width: &str, depth: &str, absorbing: &str| {
        let text = SEA.replace("WIDTH", width).replace("DEPTH", depth).replace("ABSORBING", absorbing);
        completed(Scenario::from_toml(&text, ".", Inputs::new()).unwrap_or_else(|error| panic!("{}", error.lines())))
    };
    let large = of("2000.0", "2500.0", "{ paraxial = {} }");
    let small = of("500.0", "1000.0", "{ cpml = {} }");
    let paraxial = of("500.0", "1000.0", "{ paraxial = {} }");
    for (index, trace) in large.traces.iter().enumerate() {
        let peak = trace.samples.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
        let off = |other: &Memory| {
            let pairs = other.traces[index].samples.iter().zip(&trace.samples);
            pairs.fold(0.0_f64, |off, (a, b)| off.max((a - b).abs())) / peak
        };
        assert!(
            off(&small) < 0.02 && off(&small) < 0.2 * off(&paraxial),
            "{}: {:e} {:e}",
            trace.name,
            off(&small),
            off(&paraxial)
        );
    }
}

#[test]
fn sides_absorb_as_their_keys_say() {
    let check = |absorbing: &str| match Setup::new(&scenario(1000.0, 2000.0, absorbing)) {
        Err(Error::Scenario(errors)) => errors.lines(),
        Err(other) => other.to_string(),
        Ok(_) => String::new(),
    };
    assert_eq!(check("{ cpml = { elements = 2 }, bottom = { paraxial = {} } }"), "");
    let twice = check("{ cpml = {}, paraxial = {} }");
    assert!(twice.contains("method.sem.absorbing.paraxial") && twice.contains("conflicts with `cpml`"), "{twice}");
    let idle = check("{ top = { cpml = {} } }");
    assert!(idle.contains("boundaries.top is not absorbing"), "{idle}");
}

/// The scenario in a shale with this tilt of its bedding [degrees].
fn shale(width: f64, depth: f64, tilt: f64, absorbing: &str) -> Scenario {
    let text = SCENARIO.replace("WIDTH", &format!("{width:.1}")).replace("DEPTH", &format!("{depth:.1}"));
    let model = format!(
        "[model.homogeneous]\nvp = 3300.0\nvs = 1700.0\nrho = 2400.0\n\
         thomsen = {{ epsilon = 0.2, delta = 0.1, gamma = 0.15, tilt = {tilt:.1}, azimuth = 90.0 }}\n"
    );
    let [before, after] = [text.find("[[model").unwrap(), text.find("[[source").unwrap()];
    let text = format!("{}{model}{}", &text[..before], &text[after..]).replace("ABSORBING", absorbing);
    let text = text.replace("[attenuation]\nreference_frequency = 1.0\n", "");
    Scenario::from_toml(&text, ".", Inputs::new()).unwrap_or_else(|error| panic!("{}", error.lines()))
}

#[test]
fn a_tilted_medium_has_sponges_where_its_waves_are_backward() {
    let warnings = |tilt| {
        let simulation = Simulation::new(shale(1000.0, 2000.0, tilt, "{ cpml = {} }")).unwrap();
        simulation.setup().warnings.iter().filter(|text| text.contains("sponges")).cloned().collect::<Vec<_>>()
    };
    assert_eq!(warnings(0.0), [""; 0]);
    // The axis is in the plane of x and z: waves along y are as in an upright medium.
    let [tilted] = &warnings(35.0)[..] else { panic!("one warning") };
    assert!(tilted.contains("the anisotropic media at x_min, x_max, bottom, where"), "{tilted}");
}

#[test]
fn sponges_absorb_waves_of_a_tilted_medium_better_than_paraxial_sides() {
    let large = completed(shale(3500.0, 4500.0, 35.0, "{ paraxial = {} }"));
    let [sponges, paraxial] = ["{ cpml = { elements = 6 } }", "{ paraxial = {} }"]
        .map(|absorbing| difference(&completed(shale(1000.0, 2000.0, 35.0, absorbing)), &large));
    assert!(sponges < 0.5 * paraxial, "{sponges:e} {paraxial:e}");
}

#[test]
fn layers_surround_chunks_of_the_earth() {
    let text = r#"
        duration = 60.0
        [domain.chunk]
        centre = { longitude = 10.0, latitude = 45.0 }
        widths = [4.0, 3.0]
        depth = 150e3
        [model.homogeneous]
        vp = 8000.0
        vs = 4500.0
        rho = 3300.0
        [[source]]
        latitude = 45.1
        longitude = 10.2
        depth = 30e3
        moment_tensor = { xx = 1e18, yy = -1e18, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0 }
        time_function.gaussian = { sigma = 6.0 }
        [receivers]
        stations = [{ code = "XX.A", latitude = 45.6, longitude = 10.9 }]
        [method.sem]
        max_frequency = 0.03
        absorbing.cpml.elements = 2
        [output]
        directory = "results"
    "#;
    let scenario = Scenario::from_toml(text, ".", Inputs::new()).unwrap_or_else(|error| panic!("{}", error.lines()));
    let memory = completed(scenario);
    assert!(memory.traces.iter().all(|trace| trace.samples.iter().any(|&value| value != 0.0)));
}
