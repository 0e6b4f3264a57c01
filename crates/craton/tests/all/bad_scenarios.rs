//! Every kind of invalid input is reported with its position, value, allowed range and remedy.

use std::path::PathBuf;

use craton::options::{CheckOptions, MeshOptions};
use craton::{Error, Scenario, ScenarioError};

const GOOD: &str = r#"title = "a soft layer"
duration = 9.0
[domain]
x = [-4000.0, 14000.0]
y = [-4000.0, 14000.0]
z = [-12000.0, 0.0]
[model.layered]
layers = [
    { top = 0.0, vp = 4000.0, vs = 2000.0, rho = 2600.0 },
    { top = -1000.0, vp = 6000.0, vs = 3464.0, rho = 2700.0 },
]
[[source]]
position = [0.0, 0.0, -2000.0]
moment_tensor = { xy = 1.0e18 }
time_function.gaussian = { sigma = 0.06, centre = 0.36 }
[receivers]
stations = [{ code = "XX.S10", position = [8000.0, 6000.0, 0.0] }]
[method.sem]
max_frequency = 5.0
[output]
directory = "results"
"#;

fn errors(text: &str, overrides: &[&str]) -> Vec<ScenarioError> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    match Scenario::parse("loh1.toml", text, PathBuf::new(), &overrides) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.errors,
    }
}

/// The error lines for the scenario with `right` replaced by `wrong`.
fn line(right: &str, wrong: &str) -> String {
    assert!(GOOD.contains(right), "{right}");
    let text = GOOD.replacen(right, wrong, 1);
    match Scenario::parse("loh1.toml", &text, PathBuf::new(), &[]) {
        Ok(_) => panic!("{wrong} is accepted"),
        Err(errors) => errors.lines().trim_end().to_owned(),
    }
}

#[track_caller]
fn assert_error(right: &str, wrong: &str, expected: &str) {
    assert_eq!(line(right, wrong), expected);
}

#[test]
fn the_scenario_is_valid() {
    assert!(errors(GOOD, &[]).is_empty());
}

#[test]
fn unknown_and_repeated_devices_are_refused() {
    let device = |value: &str| format!("directory = \"results\"\n[compute]\ndevice = {value}");
    for good in ["\"auto\"", "\"cpu\"", "\"cuda\"", "\"cuda:3\"", "[\"cuda:1\"]", "[\"cuda:0\", \"cuda:1\"]"] {
        assert!(errors(&GOOD.replace("directory = \"results\"", &device(good)), &[]).is_empty(), "{good}");
    }
    let right = "directory = \"results\"";
    assert_error(
        right,
        &device("\"gpu\""),
        "loh1.toml:23:10: compute.device: \"gpu\" is not a device (allowed: \"auto\", \"cpu\", \"cuda\", \"cuda:0\", [\"cuda:0\", \"cuda:1\"] ...)",
    );
    assert_error(
        right,
        &device("[\"cuda:1\", \"cuda:1\"]"),
        "loh1.toml:23:10: compute.device: \"cuda:1\" is listed twice (list distinct GPUs, or set the number of devices with compute.devices)",
    );
    assert_error(
        right,
        &device("1"),
        "loh1.toml:23:10: compute.device = 1: expected a string or a list, found an integer",
    );
}

#[test]
fn an_unknown_key_is_reported_with_the_nearest_known_one() {
    assert_error(
        "max_frequency = 5.0",
        "max_frequency = 5.0\ndegre = 4",
        "loh1.toml:20:1: method.sem.degre: unknown key (allowed: `max_frequency`, `degree`, `points_per_wavelength`, \
         `element_size`, `elements`, `doubling`, `doubling_depths`, `control_nodes`, `absorbing`, `precision`, `time_step`, `courant`, \
         `local_time_steps`, `time_dispersion_correction`; \
         did you mean `degree`?)",
    );
}

#[test]
fn a_key_in_the_wrong_table_is_reported_with_its_path() {
    let message = line("duration = 9.0", "duration = 9.0\nmax_frequency = 5.0");
    assert!(message.starts_with("loh1.toml:3:1: max_frequency: unknown key"), "{message}");
    assert!(message.ends_with("did you mean `method.sem.max_frequency`?)"), "{message}");
}

#[test]
fn a_wrong_type_is_reported_with_line_and_column() {
    assert_error(
        "duration = 9.0",
        "duration = \"9.0\"",
        "loh1.toml:2:12: duration = \"9.0\": expected a number, found a string (write the number without quotes: 9.0)",
    );
    assert_error(
        "max_frequency = 5.0",
        "max_frequency = true",
        "loh1.toml:19:17: method.sem.max_frequency = true: expected a number, found true or false (as in max_frequency = 5.0)",
    );
}

#[test]
fn an_unknown_word_is_reported_with_the_nearest_known_one() {
    assert_error(
        "[model.layered]",
        "[boundaries]\ntop = \"fre\"\n[model.layered]",
        "loh1.toml:8:7: boundaries.top = \"fre\": is not an allowed word (allowed: \"free\", \"absorbing\", \
         \"rigid\", \"periodic\"; did you mean \"free\"?)",
    );
}

#[test]
fn a_missing_key_is_reported_with_its_meaning() {
    let message = line("duration = 9.0\n", "");
    assert!(message.starts_with("loh1.toml:1:1: duration: is missing (Simulated time after time 0 [s]."), "{message}");
}

#[test]
fn invalid_toml_is_reported_with_line_and_column() {
    let message = line("duration = 9.0", "duration = ");
    assert!(message.starts_with("loh1.toml:2:12: this is not TOML: string values must be quoted"), "{message}");
}

#[test]
fn two_models_are_refused() {
    let message = line("[model.layered]", "[model.homogeneous]\nvp = 2.0\nvs = 1.0\nrho = 1.0\n[model.layered]");
    assert!(message.contains("model.layered: conflicts with `homogeneous`: give exactly one of them"), "{message}");
}

#[test]
fn a_negative_density_is_refused() {
    assert_error(
        "rho = 2700.0",
        "rho = -2700.0",
        "loh1.toml:10:54: model.layered.layers[1].rho = -2700.0: is out of range (allowed: > 0 and <= 1000000)",
    );
}

#[test]
fn a_delay_of_many_years_is_refused() {
    let message = line("time_function.gaussian", "delay = 1e15\ntime_function.gaussian");
    assert!(
        message.contains("source[0].delay = 1000000000000000.0: is out of range (allowed: >= -1e9 and <= 1e9)"),
        "{message}"
    );
}

#[test]
fn invalid_doubling_depths_are_refused_with_their_index() {
    let message = |keys: &str| line("max_frequency = 5.0", &format!("max_frequency = 5.0\n{keys}"));
    let upwards = message("doubling_depths = [3000.0, 2000.0]");
    assert!(upwards.contains("method.sem.doubling_depths[1] = 2000"), "{upwards}");
    assert!(upwards.contains("> 3000 m (the previous depth) and < 12000 m (the bottom)"), "{upwards}");
    assert!(message("doubling_depths = [12000.0]").contains("method.sem.doubling_depths[0] = 12000"));
    assert!(message("doubling_depths = [-1.0]").contains(">= 0 m and < 12000 m"));
    assert!(message("doubling_depths = []").contains("method.sem.doubling_depths"));
    assert!(message("doubling = false\ndoubling_depths = [3000.0]").contains("conflicts with `doubling = false`"));
}

#[test]
fn errors_of_the_mesh_are_reported_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("loh1.toml");
    let keys = "max_frequency = 5.0\nelements = [42, 42]\ndoubling_depths = [1000.0, 4000.0]";
    std::fs::write(&file, GOOD.replace("max_frequency = 5.0", keys)).unwrap();
    for error in
        [craton::check(&file, &CheckOptions::default()).err(), craton::write_mesh(&file, &MeshOptions::default()).err()]
    {
        let Some(Error::Scenario(errors)) = error else { panic!("{error:?}") };
        let message = errors.lines();
        assert!(message.contains("loh1.toml:21:"), "{message}");
        assert!(message.contains("method.sem.doubling_depths = [1000, 4000]: the numbers of elements along x and y at the top must be multiples of 8"), "{message}");
        assert!(message.contains("set method.sem.elements = [48, 48], or give fewer depths"), "{message}");
    }
}

#[test]
fn nan_is_refused() {
    assert_error(
        "xy = 1.0e18",
        "xy = nan",
        "loh1.toml:14:24: source[0].moment_tensor.xy = nan: is not a finite number (allowed: a finite number)",
    );
}

#[test]
fn vs_too_large_for_vp_is_refused() {
    assert_error(
        "vp = 4000.0, vs = 2000.0",
        "vp = 4000.0, vs = 3600.0",
        "loh1.toml:9:36: model.layered.layers[0].vs = 3600: vs is too large for vp = 4000: the bulk modulus would be negative (allowed: < 3464.1 m/s, which is sqrt(3/4) vp; lower vs or raise vp)",
    );
}

#[test]
fn a_stiffness_that_is_not_positive_definite_is_refused() {
    // Isotropic except for C66 < 0.
    let stiffness =
        "stiffness = [9e10, 3e10, 3e10, 0, 0, 0, 9e10, 3e10, 0, 0, 0, 9e10, 0, 0, 0, 3e10, 0, 0, 3e10, 0, -3e10]";
    let message = line("vp = 4000.0, vs = 2000.0", stiffness);
    assert!(message.contains("model.layered.layers[0].stiffness: is not positive definite"), "{message}");
    assert!(message.contains("the smallest is -6.0000e10 Pa, the largest 1.5000e11 Pa"), "{message}");
}

#[test]
fn a_stiffness_of_the_wrong_length_is_refused() {
    let message = line("vp = 4000.0, vs = 2000.0", "stiffness = [1.0, 2.0]");
    assert_eq!(message, "loh1.toml:9:30: model.layered.layers[0].stiffness: has 2 items (allowed: exactly 21)");
}

#[test]
fn unphysical_thomsen_parameters_are_refused() {
    let message = line("vs = 2000.0,", "vs = 2000.0, thomsen = { epsilon = -0.6 },");
    assert!(
        message.contains("model.layered.layers[0].thomsen.epsilon = -0.6: is out of range (allowed: > -0.5"),
        "{message}"
    );
}

#[test]
fn layers_below_the_domain_are_reported_in_one_error() {
    let deeper = |top: i32| format!("    {{ top = {top}.0, vp = 6000.0, vs = 3464.0, rho = 2700.0 }},\n");
    let layers = [-1000, -12000, -15000, -20000].map(deeper).concat();
    let message = line(&deeper(-1000), &layers);
    assert_eq!(
        message,
        "loh1.toml:11:13: model.layered.layers[2].top = -12000: is below the domain (allowed: < -1000 m and > domain.z[0] = \
         -12000 m; remove layers[2] to layers[4], or lower domain.z[0])"
    );
}

#[test]
fn layers_out_of_order_are_refused() {
    assert_error(
        "top = -1000.0",
        "top = 1000.0",
        "loh1.toml:10:13: model.layered.layers[1].top = 1000: is not below the top of the previous layer (allowed: < 0 m and \
         > domain.z[0] = -12000 m; list the layers from the top down)",
    );
    let message = line("{ top = 0.0,", "{ top = -10.0,");
    assert!(
        message.contains("leaves the uppermost part of the domain without material (allowed: >= domain.z[1] = 0 m"),
        "{message}"
    );
}

#[test]
fn sources_and_receivers_outside_the_domain_are_named() {
    assert_error(
        "position = [0.0, 0.0, -2000.0]",
        "position = [0.0, 0.0, 2000.0]",
        "loh1.toml:13:12: source[0].position = [0, 0, 2000]: source 1 is outside the domain (allowed: z from -12000 to 0 m; \
         move it, or enlarge [domain]; z is up, so depths are negative)",
    );
    let message = line("[8000.0, 6000.0, 0.0]", "[80000.0, 6000.0, 0.0]");
    assert!(message.contains("receiver XX.S10 is outside the domain (allowed: x from -4000 to 14000 m"), "{message}");
}

#[test]
fn degrees_require_a_projection() {
    let message = line("position = [0.0, 0.0, -2000.0]", "longitude = 10.0\nlatitude = 45.0\ndepth = 2000.0");
    assert!(
        message.starts_with("loh1.toml:13:13: source[0].longitude: a position in degrees requires a projection"),
        "{message}"
    );
}

#[test]
fn periodic_sides_come_in_pairs() {
    let message = line("[model.layered]", "[boundaries]\nx_min = \"periodic\"\n[model.layered]");
    assert!(message.contains("`x_min` is periodic, but the opposite side `x_max` is not"), "{message}");
}

#[test]
fn top_and_bottom_are_not_periodic() {
    let message = line("[model.layered]", "[boundaries]\ntop = \"periodic\"\n[model.layered]");
    assert!(message.contains("boundaries.top = periodic: `top` cannot be periodic"), "{message}");
}

#[test]
fn a_reversed_domain_is_refused() {
    let message = line("z = [-12000.0, 0.0]", "z = [0.0, -12000.0]");
    assert!(
        message.starts_with("loh1.toml:6:5: domain.z = [0, -12000]: the bottom limit must be below the top limit"),
        "{message}"
    );
}

#[test]
fn a_source_has_exactly_one_mechanism() {
    let message = line("moment_tensor = { xy = 1.0e18 }", "moment_tensor = { xy = 1.0e18 }\nforce = [0.0, 0.0, 1.0]");
    assert!(
        message.starts_with("loh1.toml:15:1: source[0].force: `moment_tensor` and `force` exclude each other"),
        "{message}"
    );
    let message = line("moment_tensor = { xy = 1.0e18 }", "moment_tensor = {}");
    assert!(message.contains("source[0].moment_tensor: is zero"), "{message}");
}

#[test]
fn duplicate_and_invalid_station_codes_are_refused() {
    let twice = "{ code = \"XX.S10\", position = [1.0, 1.0, 0.0] }, { code = \"XX.S10\"";
    let message = line("{ code = \"XX.S10\"", twice);
    assert!(message.contains("receivers.stations[1].code = \"XX.S10\": station [0] has the same code"), "{message}");
    let message = line("XX.S10", "S10");
    assert!(message.contains("receivers.stations[0].code = \"S10\": is not a valid station code"), "{message}");
}

#[test]
fn a_code_too_long_for_sac_is_refused_before_the_run() {
    let message = line("XX.S10", "XX.STATION10");
    assert!(
        message.contains("receivers.stations[0].code = \"XX.STATION10\": is too long for SAC (allowed: at most 8"),
        "{message}"
    );
    let text = GOOD.replace("XX.S10", "XX.STATION10");
    assert!(errors(&text, &["output.seismograms=[\"text\"]"]).is_empty());
}

#[test]
fn codes_and_quantities_unsupported_by_miniseed_are_refused_before_the_run() {
    let miniseed = "directory = \"results\"\nseismograms = [\"miniseed\"]";
    let message = |text: &str| {
        let text = text.replace("directory = \"results\"", miniseed);
        errors(&text, &[]).iter().map(|error| error.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(message(GOOD), Vec::<String>::new());
    for code in ["XX.STATIO", "XXX.S10", "XX.S10.LOC"] {
        let expected = format!("receivers.stations[0].code = \"{code}\": is too long for miniSEED");
        assert_eq!(message(&GOOD.replace("XX.S10", code)), [expected]);
    }
    let line =
        "[[receivers.line]]\ncode = \"XX.LI\"\nfrom = [0.0, 0.0, 0.0]\nto = [9.0, 0.0, 0.0]\ncount = 3\n[method.sem]";
    let expected = "receivers.line[0].code = \"XX.LI\": is too long for miniSEED";
    assert_eq!(message(&GOOD.replace("[method.sem]", line)), [expected]);
    let strain = GOOD.replace("[receivers]", "[receivers]\nquantities = [\"velocity\", \"strain\"]");
    let expected = "output.seismograms: strain is recorded, but miniSEED cannot represent it";
    assert_eq!(message(&strain), [expected]);
}

#[test]
fn snapshots_of_acceleration_are_refused() {
    assert_error(
        "directory = \"results\"",
        "directory = \"results\"\nsnapshots.surface = { every = 0.1, quantities = [\"velocity\", \"acceleration\"] }",
        "loh1.toml:22:62: output.snapshots.surface.quantities[1] = \"acceleration\": is not an allowed word (allowed: \"displacement\", \"velocity\", \"strain\", \"pressure\")",
    );
}

#[test]
fn all_errors_are_reported_in_the_order_of_lines() {
    let text = GOOD
        .replace("duration = 9.0", "duration = -9.0")
        .replace("rho = 2600.0", "rho = 0.0")
        .replace("5.0\n", "5.0\nx = 1\n");
    let lines: Vec<usize> = errors(&text, &[]).iter().map(|error| error.line).collect();
    assert_eq!(lines, [2, 9, 20]);
}

#[test]
fn errors_of_overrides_are_reported_with_their_option() {
    let found = errors(GOOD, &["duration=5", "method.sem.degree=40", "method.sem.degre=4"]);
    let message: Vec<String> = found.iter().map(|error| format!("{}:{}: {error}", error.file, error.column)).collect();
    assert_eq!(
        message,
        ["--set:19: method.sem.degree = 40: is out of range", "--set:1: method.sem.degre: unknown key"]
            .map(String::from)
            .iter()
            .rev()
            .cloned()
            .collect::<Vec<_>>()
    );
}

#[test]
fn overrides_change_the_scenario_and_its_saved_copy() {
    let scenario =
        Scenario::parse("a.toml", GOOD, PathBuf::new(), &["duration=5".into(), "source[0].position[2]=-500".into()])
            .expect("a valid scenario");
    assert_eq!(scenario.config.duration, 5.0);
    assert_eq!(scenario.config.sources[0].position, Some([0.0, 0.0, -500.0]));
    let saved = Scenario::parse("saved.toml", &scenario.to_toml(), PathBuf::new(), &[]).expect("a valid scenario");
    assert_eq!(saved.config, scenario.config);
}
