//! A scenario with its files becomes a set-up in metres, or is refused with everything that is wrong.

use std::path::{Path, PathBuf};

use craton::{Error, Scenario, Setup};
use craton_acquisition::{AxisNames, Mechanism};
use craton_model::Elasticity;
use tempfile::TempDir;

const GOOD: &str = r#"duration = 9.0
[domain]
x = [-4000.0, 14000.0]
y = [-4000.0, 14000.0]
z = [-12000.0, 0.0]
[model.layered]
layers = [
    { vp = 4000.0, vs = 2000.0, rho = 2600.0 },
    { top = -1000.0, vp = 6000.0, vs = 3464.0, rho = 2700.0 },
]
[[source]]
position = [0.0, 0.0, -2000.0]
moment_tensor = { xy = 1.0e18 }
time_function.gaussian = { sigma = 0.1 }
[receivers]
stations = [{ code = "XX.S10", position = [8000.0, 6000.0, 0.0] }]
[method.sem]
max_frequency = 5.0
[output]
directory = "results"
"#;

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file of the test");
    }
    folder
}

/// The set-up of the good scenario with some texts replaced.
fn set_up(folder: &Path, changes: &[(&str, &str)]) -> Result<Setup, Error> {
    let text = changes.iter().fold(GOOD.to_owned(), |text, (right, other)| {
        assert!(text.contains(right), "{right}");
        text.replacen(right, other, 1)
    });
    let scenario = Scenario::parse("it.toml", &text, folder.to_owned(), &[]);
    Setup::new(&scenario?)
}

/// What is said about the good scenario with some texts replaced, the name of the folder left out.
fn said(folder: &Path, changes: &[(&str, &str)]) -> String {
    match set_up(folder, changes) {
        Ok(setup) => panic!("{changes:?} was accepted: {setup:?}"),
        Err(Error::Scenario(errors)) => {
            errors.lines().replace(&format!("{}/", folder.display()), "").trim_end().to_owned()
        }
        Err(other) => panic!("{other}"),
    }
}

#[track_caller]
fn says(files: &[(&str, &str)], changes: &[(&str, &str)], expected: &str) {
    assert_eq!(said(folder(files).path(), changes), expected);
}

/// An ESRI grid of a function.
fn grid(columns: usize, rows: usize, corner: [f64; 2], spacing: f64, z: impl Fn(f64, f64) -> f64) -> String {
    let [x, y] = corner;
    let header = format!("ncols {columns}\nnrows {rows}\nxllcenter {x}\nyllcenter {y}\ncellsize {spacing}\n");
    let line = |row: usize| {
        let y = y + spacing * (rows - 1 - row) as f64;
        let values: Vec<String> = (0..columns).map(|column| z(x + spacing * column as f64, y).to_string()).collect();
        values.join(" ") + "\n"
    };
    header + &(0..rows).map(line).collect::<String>()
}

/// A grid over the whole domain of the good scenario.
fn whole_grid(z: impl Fn(f64, f64) -> f64) -> String {
    grid(19, 19, [-4000.0, -4000.0], 1000.0, z)
}

#[test]
fn every_example_sets_up() {
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (name, regions, receivers) in
        [("full_space", 1, 3), ("half_space", 1, 4), ("loh1", 2, 10), ("valley", 2, 13), ("anisotropic", 1, 25)]
    {
        let file = examples.join(name).join(format!("{name}.toml"));
        let setup = Setup::new(&Scenario::read(&file, &[]).expect("an example")).expect("an example");
        assert_eq!(setup.model.regions().len(), regions, "{name}");
        assert_eq!(setup.receivers.len(), receivers, "{name}");
        assert_eq!(setup.sources.len(), 1, "{name}");
        assert_eq!((setup.start, setup.axis_names), (0.0, AxisNames::Cartesian), "{name}");
        assert_eq!(setup.output.directory, Path::new("results").join(name));
    }
}

#[test]
fn receivers_of_the_valley_are_snapped_to_its_topography() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/valley/valley.toml");
    let setup = Setup::new(&Scenario::read(&file, &[]).expect("an example")).expect("an example");
    for receiver in &setup.receivers {
        let [x, y, z] = receiver.position();
        assert!(receiver.is_on_surface());
        assert_eq!(z, setup.model.surface().elevation(x, y));
        assert!(z > 0.0 && z <= 800.0, "{z}");
    }
}

#[test]
fn the_tilted_block_is_anisotropic() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/anisotropic/anisotropic.toml");
    let setup = Setup::new(&Scenario::read(&file, &[]).expect("an example")).expect("an example");
    let Elasticity::Anisotropic(stiffness) = *setup.model.medium(0, [0.0, 0.0, -1.0]).elasticity() else {
        panic!("21 coefficients were expected");
    };
    // Along the axis, which leans 35 degrees from the vertical towards 60 degrees from north, P runs at vp.
    let (tilt, azimuth) = (35f64.to_radians(), 60f64.to_radians());
    let axis = [tilt.sin() * azimuth.sin(), tilt.sin() * azimuth.cos(), tilt.cos()];
    let fastest = stiffness.christoffel(2400.0, axis).map(|wave| wave.speed).into_iter().fold(0.0, f64::max);
    assert!((fastest - 3300.0).abs() < 1e-6, "{fastest}");
}

#[test]
fn a_default_scenario_has_no_warning_but_one_of_frequency() {
    let folder = folder(&[]);
    assert_eq!(set_up(folder.path(), &[]).expect("a good scenario").warnings, Vec::<String>::new());
    let fast = set_up(folder.path(), &[("sigma = 0.1", "sigma = 0.06")]).expect("a good scenario");
    assert_eq!(
        fast.warnings,
        [
            "source 1 radiates up to 6.4929 Hz (where its spectrum has fallen to 5 %), the mesh resolves up to max_frequency = 5 Hz; \
             low-pass the traces below that, or raise max_frequency"
        ]
    );
}

#[test]
fn media_that_no_solid_has_are_told_at_their_layer() {
    says(
        &[],
        &[("rho = 2700.0", "rho = 2.7")],
        "it.toml:9:54: model.layered.layers[1].rho = 2.7: is not allowed (allowed: at least 50 kg/m3 where vp is 6000 m/s; it looks like \
         g/cm3, give kg/m3)",
    );
    says(
        &[],
        &[("vp = 4000.0, vs = 2000.0", "vp = 4.0, vs = 2.0")],
        "it.toml:8:12: model.layered.layers[0].vp = 4: is not allowed (allowed: at least 100 m/s; it looks like km/s, give m/s)",
    );
}

const TOPOGRAPHY: (&str, &str) = ("z = [-12000.0, 0.0]", "z = [-12000.0, 1000.0]\ntopography = \"top.asc\"");
const SURFACE_STATION: (&str, &str) =
    ("position = [8000.0, 6000.0, 0.0] }]", "position = [8000.0, 6000.0, 0.0] }]\nsnap_to_surface = true");

#[test]
fn fluids_are_told_what_to_do_about_them() {
    let hint = "a vs of 0 is a fluid: let the domain end at the floor of the sea, or give a small vs that the mesh can resolve";
    says(
        &[],
        &[("vs = 2000.0", "vs = 0.0")],
        &format!("it.toml:8:25: model.layered.layers[0].vs = 0.0: is out of range (allowed: > 0; {hint})"),
    );
    let rows = "[model.depth_table]\nrows = [[0.0, 1500.0, 0.0, 1000.0]]";
    says(
        &[],
        &[(TABLE.0, rows)],
        &format!("it.toml:7:23: model.depth_table.rows[0][2] = 0: vs is not positive (allowed: > 0; {hint})"),
    );
}

#[test]
fn a_grid_that_does_not_cover_the_domain_is_told_with_what_is_missing() {
    let short = grid(10, 19, [-4000.0, -4000.0], 1000.0, |_, _| 500.0);
    says(
        &[("top.asc", &short)],
        &[TOPOGRAPHY, SURFACE_STATION],
        "it.toml:6:14: domain.topography = \"top.asc\": the grid does not cover the domain along x: 5000 to 14000 \
         m is missing (allowed: x from -4000 to 14000 m; the grid reaches from -4000 to 5000; extend the grid, or \
         shrink the domain)",
    );
    says(
        &[("deep.asc", &short)],
        &[("top = -1000.0", "top = \"deep.asc\"")],
        "it.toml:9:13: model.layered.layers[1].top = \"deep.asc\": the grid does not cover the domain along x: \
         5000 to 14000 m is missing (allowed: x from -4000 to 14000 m; the grid reaches from -4000 to 5000; \
         extend the grid, or shrink the domain)",
    );
}

#[test]
fn a_grid_with_a_bad_line_or_none_at_all_is_told_with_its_line() {
    let bad = whole_grid(|x, _| if x == 0.0 { f64::NAN } else { 500.0 });
    says(
        &[("top.asc", &bad)],
        &[TOPOGRAPHY, SURFACE_STATION],
        "it.toml:6:14: domain.topography = \"top.asc\": top.asc:6: value in row 1, column 5 = `NaN` (allowed: a \
         finite number (no NaN, no infinity))",
    );
    says(
        &[],
        &[TOPOGRAPHY, SURFACE_STATION],
        "it.toml:6:14: domain.topography = \"top.asc\": top.asc cannot be read: No such file or directory (os \
         error 2) (paths of files to be read start from the folder of the scenario file)",
    );
}

#[test]
fn topography_outside_of_the_box_is_told_with_its_place() {
    let high = whole_grid(|x, _| if x == 2000.0 { 1500.0 } else { 500.0 });
    says(
        &[("top.asc", &high)],
        &[TOPOGRAPHY, SURFACE_STATION],
        "it.toml:6:14: domain.topography = \"top.asc\": the topography leaves the box: it is at 1062.5 m at x = \
         1500, y = -4000 m (allowed: elevations above domain.z[0] = -12000 m and up to domain.z[1] = 1000 m; \
         enlarge domain.z; elevations are in metres, positive up)",
    );
    let deep = whole_grid(|_, _| -13000.0);
    says(
        &[("top.asc", &deep)],
        &[TOPOGRAPHY, SURFACE_STATION],
        "it.toml:6:14: domain.topography = \"top.asc\": the topography leaves the box: it is at -13000 m at x = \
         -4000, y = -4000 m (allowed: elevations above domain.z[0] = -12000 m and up to domain.z[1] = 1000 m; \
         enlarge domain.z; elevations are in metres, positive up)",
    );
    let touching = whole_grid(|x, y| 1000.0 - 1e-6 * ((x - 2000.0).powi(2) + y * y));
    let folder = folder(&[("top.asc", &touching)]);
    set_up(folder.path(), &[TOPOGRAPHY, SURFACE_STATION]).expect("a topography up to the top");
}

#[test]
fn layers_out_of_order_are_told_with_their_place() {
    let dipping = whole_grid(|x, _| -1000.0 + 0.1 * x);
    says(
        &[("dip.asc", &dipping)],
        &[("top = -1000.0", "top = \"dip.asc\"")],
        "it.toml:9:13: model.layered.layers[1].top = 0 m at x = 10000, y = -4000 m: cuts the surface (allowed: < \
         0 m, the top of the layer above; lower it below the topography everywhere; layers that end inside the \
         box are not meshed)",
    );
    let valley = whole_grid(|x, _| if x == 2000.0 { -1200.0 } else { 500.0 });
    says(
        &[("top.asc", &valley)],
        &[TOPOGRAPHY, SURFACE_STATION],
        "it.toml:10:13: model.layered.layers[1].top = -1000 m at x = 2000, y = -4000 m: cuts the surface \
         (allowed: < -1200 m, the top of the layer above; lower it below the topography everywhere; layers that \
         end inside the box are not meshed)",
    );
    says(
        &[],
        &[("{ vp = 4000.0", "{ top = 500.0, vp = 4000.0"), ("top = -1000.0", "top = 100.0")],
        "it.toml:9:13: model.layered.layers[1].top = 100 m at x = -4000, y = -4000 m: leaves the first layer \
         entirely above the domain (allowed: < 0 m, the top of the layer above; remove the first layer, or lower \
         this top)",
    );
    let deep = whole_grid(|x, _| -11000.0 - 0.5 * x);
    says(
        &[("deep.asc", &deep)],
        &[("top = -1000.0", "top = \"deep.asc\"")],
        "it.toml:9:13: model.layered.layers[1].top = -12000 m at x = 2000, y = -4000 m: leaves the domain through \
         its bottom (allowed: > domain.z[0] = -12000 m; lower domain.z[0], or remove the layer; layers that end \
         inside the box are not meshed)",
    );
}

#[test]
fn sources_outside_and_above_are_told_by_number() {
    let low = whole_grid(|_, _| -500.0);
    let source = ("position = [0.0, 0.0, -2000.0]", "position = [0.0, 0.0, -400.0]");
    says(
        &[("top.asc", &low)],
        &[TOPOGRAPHY, SURFACE_STATION, source],
        "it.toml:13:12: source[0].position = [0, 0, -400]: source 1 is above the surface (allowed: z from -12000 \
         to -500 m, the surface there; lower it; z is up, so depths are negative)",
    );
}

#[test]
fn receivers_above_the_topography_are_told_by_code() {
    let low = whole_grid(|_, _| -500.0);
    says(
        &[("top.asc", &low)],
        &[TOPOGRAPHY],
        "it.toml:17:43: receivers.stations[0].position = [8000, 6000, 0]: receiver XX.S10 is above the surface \
         (allowed: z from -12000 to -500 m, the surface there; lower it, or set receivers.snap_to_surface = true)",
    );
    let line = "stations = []\n[[receivers.line]]\ncode = \"XX.L\"\nfrom = [0.0, 0.0, -900.0]\nto = [8000.0, 0.0, 0.0]\ncount = 17";
    let stations = ("stations = [{ code = \"XX.S10\", position = [8000.0, 6000.0, 0.0] }]", line);
    says(
        &[("top.asc", &low)],
        &[TOPOGRAPHY, stations],
        "it.toml:18:1: receivers.line[0] = [4000, 0, -450]: receiver XX.L0009 is above the surface, as are \
         XX.L0010, XX.L0011, XX.L0012, XX.L0013, XX.L0014 and 3 more (allowed: z from -12000 to -500 m, the \
         surface there; lower it, or set receivers.snap_to_surface = true)",
    );
}

#[test]
fn a_receiver_above_the_surface_by_rounding_is_put_on_it() {
    let folder = folder(&[]);
    let setup = set_up(folder.path(), &[("6000.0, 0.0] }", "6000.0, 0.01] }")]).expect("a good scenario");
    assert_eq!(setup.receivers[0].position(), [8000.0, 6000.0, 0.0]);
    assert!(setup.receivers[0].is_on_surface());
    let setup = set_up(folder.path(), &[("6000.0, 0.0] }", "6000.0, -0.02] }")]).expect("a good scenario");
    assert_eq!(setup.receivers[0].position(), [8000.0, 6000.0, -0.02]);
    assert!(!setup.receivers[0].is_on_surface());
}

#[test]
fn codes_that_stand_in_two_places_are_told() {
    let line = "\n[[receivers.line]]\ncode = \"XX.S\"\nfrom = [0.0, 0.0, 0.0]\nto = [8000.0, 0.0, 0.0]\ncount = 12";
    let second =
        format!("code = \"XX.S0010\", position = [8000.0, 6000.0, 0.0] }}]\nstations_file = \"STATIONS\"{line}");
    let change = ("code = \"XX.S10\", position = [8000.0, 6000.0, 0.0] }]", second.as_str());
    says(
        &[("STATIONS", "S0011 XX 10 10 0 0\nS0012 XX 20 20 0 0\nA XX 3e3 2e3 0 0\n")],
        &[change],
        "it.toml:17:17: receivers.stations_file: receiver XX.S0011 stands in receivers.line[0] too, as is \
         XX.S0012 (give each receiver its own code)\nit.toml:18:1: receivers.line[0]: receiver XX.S0010 stands in \
         receivers.stations[0] too (give each receiver its own code)",
    );
}

const UTM: (&str, &str) = (
    "z = [-12000.0, 0.0]",
    "z = [-12000.0, 0.0]\nprojection.utm = { zone = 19, south = true, origin = { longitude = -67.25, latitude = -13.82 } }",
);
const STATIONS: (&str, &str) =
    ("stations = [{ code = \"XX.S10\", position = [8000.0, 6000.0, 0.0] }]", "stations_file = \"STATIONS\"");
const CMT: (&str, &str) = (
    "position = [0.0, 0.0, -2000.0]\nmoment_tensor = { xy = 1.0e18 }\ntime_function.gaussian = { sigma = 0.1 }",
    "cmtsolution = \"CMTSOLUTION\"",
);
const CMTSOLUTION: &str = "PDE  1994  6  9  0 33 16.40 -13.8300  -67.5600 637.0 6.9 6.8 NORTHERN BOLIVIA
event name:     060994A
time shift:     3.0000
half duration:  0.5000
latorUTM:     -13.8000
longorUTM:    -67.2000
depth:        6.5000
Mrr:      -7.590000e+27
Mtt:       7.750000e+27
Mpp:      -1.600000e+26
Mrt: -2.503000e+28
Mrp:       4.200000e+26
Mtp:      -2.480000e+27
";

#[track_caller]
fn assert_near(found: [f64; 3], expected: [f64; 3]) {
    let distance = (0..3).map(|axis| (found[axis] - expected[axis]).powi(2)).sum::<f64>().sqrt();
    assert!(distance < 2e-6, "{found:?} instead of {expected:?}");
}

/// Expected positions: pyproj 3.7.2 with PROJ 9.5.1, `+proj=utm +zone=19 +south +ellps=WGS84`, minus the same of the origin.
#[test]
fn cmtsolution_and_stations_stand_where_proj_puts_them() {
    let stations = "# name network latitude longitude elevation burial\nA XX -13.80 -67.20 3000.0 0.0\n\
                    B XX -13.75 -67.10 0.0 0.0\nC XX -13.79 -67.28 0.0 150.0\n";
    let hills = whole_grid(|x, y| 200.0 + 0.01 * x + 0.02 * y);
    let folder = folder(&[("STATIONS", stations), ("CMTSOLUTION", CMTSOLUTION), ("top.asc", &hills)]);
    let utm = format!("{}\ntopography = \"top.asc\"", UTM.1.replace("0.0]", "1000.0]"));
    let changes = [(UTM.0, utm.as_str()), STATIONS, CMT, ("duration = 9.0", "duration = 30.0")];
    assert_eq!(
        said(folder.path(), &changes),
        "it.toml:16:17: receivers.stations_file = [16279.709937, 7621.873552, 492.437471]: receiver XX.B is \
         outside the domain (allowed: x from -4000 to 14000 m; move it, or enlarge [domain]; z is up, so depths \
         are negative)"
    );

    let wider = [("x = [-4000.0, 14000.0]", "x = [-4000.0, 17000.0]")];
    let hills = grid(22, 19, [-4000.0, -4000.0], 1000.0, |x, y| 200.0 + 0.01 * x + 0.02 * y);
    std::fs::write(folder.path().join("top.asc"), hills).expect("a file of the test");
    let setup = set_up(folder.path(), &[&wider[..], &changes].concat()).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(setup.axis_names, AxisNames::Geographic);
    let height = |x: f64, y: f64| 200.0 + 0.01 * x + 0.02 * y;
    let positions: Vec<[f64; 3]> = setup.receivers.iter().map(|receiver| receiver.position()).collect();
    let [a, b, c] = [[5422.628510, 2172.821751], [16279.709937, 7621.873552], [-3219.772277, 3342.601507]];
    assert_near(positions[0], [a[0], a[1], height(a[0], a[1])]);
    assert_near(positions[1], [b[0], b[1], height(b[0], b[1])]);
    assert_near(positions[2], [c[0], c[1], height(c[0], c[1]) - 150.0]);
    assert_eq!(
        setup.receivers.iter().map(|receiver| receiver.is_on_surface()).collect::<Vec<_>>(),
        [true, true, false]
    );

    let source = &setup.sources[0];
    assert_near(source.position(), [a[0], a[1], height(a[0], a[1]) - 6500.0]);
    let Mechanism::Moment(tensor) = source.mechanism() else { panic!("a moment was expected") };
    let expected = [-0.16e20, 7.75e20, -7.59e20, 25.03e20, 0.42e20, 2.48e20];
    for (found, expected) in tensor.to_voigt().into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e8, "{found} instead of {expected}");
    }
}

#[test]
fn a_solution_file_brings_its_time_axis() {
    let folder = folder(&[("CMTSOLUTION", CMTSOLUTION)]);
    let cmt = |lines: &str| format!("cmtsolution = \"CMTSOLUTION\"\n{lines}");
    let with = |lines: &str| {
        let changed = cmt(lines);
        set_up(folder.path(), &[UTM, (CMT.0, &changed)]).unwrap_or_else(|error| panic!("{error:?}"))
    };
    // The centroid is at t = 0, whatever its time shift from the origin time; SPECFEM begins two half durations before it.
    let plain = with("");
    assert_eq!((plain.start, plain.end), (-1.0, 9.0));
    assert!((plain.sources[0].history(0.0) - 0.5).abs() < 1e-12);
    let late = with("delay = 0.4");
    assert!((late.start + 0.6).abs() < 1e-12 && (late.sources[0].history(0.4) - 0.5).abs() < 1e-12);
    assert_eq!(with("delay = 4.0").start, 0.0);
    // Another time function keeps the place and the tensor, and begins where it begins.
    let replaced = with("time_function.triangle = { half_duration = 0.5 }");
    assert_eq!(replaced.start, 0.0);
    assert!((replaced.sources[0].history(0.5) - 0.5).abs() < 1e-12);
}

#[test]
fn a_half_duration_of_zero_is_replaced_and_told() {
    let folder = folder(&[("CMTSOLUTION", &CMTSOLUTION.replace("0.5000", "0.0"))]);
    let setup = set_up(folder.path(), &[UTM, CMT]).expect("a solution file");
    assert_eq!(
        setup.warnings,
        ["source[0].cmtsolution: a half duration of 0 s is a step, which no mesh resolves; 0.1794 s stands in its \
         place (in 1 of its sources), the shortest that max_frequency = 5 Hz resolves; write another into the \
         file, or give a time_function"]
    );
    let upper = setup.sources[0].time_function().upper_frequency(0.05);
    assert!((upper - 5.0).abs() < 1e-9, "{upper}");
}

const FORCESOLUTION: &str = "FORCE  001
time shift:     0.0
hdurorf0:       0.5
latorUTM:       1000.0
longorUTM:      2000.0
depth:          0.5
source time function:            0
factor force source:             1.d15
component dir vect source E:     0.d0
component dir vect source N:     3.d0
component dir vect source Z_UP:  -4.d0
";

#[test]
fn a_force_begins_before_its_pulse_is_heard() {
    let folder = folder(&[("FORCESOLUTION", FORCESOLUTION)]);
    let setup = set_up(folder.path(), &[(CMT.0, "forcesolution = \"FORCESOLUTION\"")]).expect("a solution file");
    let source = &setup.sources[0];
    assert_eq!(source.position(), [2000.0, 1000.0, -500.0]);
    assert_eq!(*source.mechanism(), Mechanism::Force([0.0, 6e14, -8e14]));
    // SPECFEM would begin at -0.75 s, where the pulse has 3e-3 of its peak.
    assert!((source.history(setup.start) / source.history(0.0) - 1e-4).abs() < 1e-9);
    assert!((setup.start + 0.932).abs() < 1e-3, "{}", setup.start);
    assert_eq!(setup.warnings, Vec::<String>::new());
}

#[test]
fn a_solution_file_with_a_missing_line_is_told_with_its_line() {
    let short = CMTSOLUTION.replace("Mpp:      -1.600000e+26\n", "");
    says(
        &[("CMTSOLUTION", &short)],
        &[UTM, CMT],
        "it.toml:13:15: source[0].cmtsolution = \"CMTSOLUTION\": CMTSOLUTION:10: `mpp` is missing, found `Mrt: -2.503000e+28` (allowed: a line `mpp: moment [dyn cm]`)",
    );
    says(
        &[("CMTSOLUTION", CMTSOLUTION), ("STATIONS", "A XX 48.8 2.3 0 0\n")],
        &[UTM, CMT, STATIONS],
        "it.toml:15:17: receivers.stations_file = \"STATIONS\": \"XX.A\" cannot be placed: longitude = 2.3 is not allowed: it must be within 30 degrees of -69, the central \
         meridian of UTM zone 19; it lies in zone 31",
    );
    let far = CMTSOLUTION.replace("-67.2000", "2.3");
    says(
        &[("CMTSOLUTION", &far)],
        &[UTM, CMT],
        "it.toml:13:15: source[0].cmtsolution = \"CMTSOLUTION\": \"060994A\" cannot be placed: longitude = 2.3 is not allowed: it must be within 30 degrees of -69, the central \
         meridian of UTM zone 19; it lies in zone 31",
    );
}

#[test]
fn degrees_without_a_projection_are_doubted() {
    let doubt = "is taken as metres; if these are longitude and latitude, give domain.projection";
    let files = folder(&[("CMTSOLUTION", CMTSOLUTION), ("STATIONS", "A XX -13.80 -67.20 0.0 0.0\n")]);
    let setup = set_up(files.path(), &[CMT, STATIONS]).expect("places of metres");
    assert_eq!(
        setup.warnings,
        [
            format!("source[0].cmtsolution: x = -67.2, y = -13.8 {doubt}"),
            format!("receivers.stations_file: x = -67.2, y = -13.8 {doubt}")
        ]
    );
    let east = ("x = [-4000.0, 14000.0]", "x = [0.0, 14000.0]");
    says(
        &[("STATIONS", "A XX -13.80 -67.20 0.0 0.0\n")],
        &[east, STATIONS],
        "it.toml:16:17: receivers.stations_file = [-67.2, -13.8, 0]: receiver XX.A is outside the domain (allowed: x from 0 to \
         14000 m; if these are longitude and latitude, give domain.projection)",
    );
}

#[test]
fn a_zone_far_from_the_domain_is_told() {
    let folder = folder(&[]);
    let setup = set_up(folder.path(), &[(UTM.0, &UTM.1.replace("zone = 19", "zone = 21"))]).expect("a far zone");
    assert_eq!(
        setup.warnings,
        [
            "a corner of the domain: longitude -67.28799604820789 lies 10.3 degrees from -57, the central meridian of UTM zone \
         21, where distances are stretched; zone 19 would fit better"
        ]
    );
    let error = said(folder.path(), &[(UTM.0, &UTM.1.replace("zone = 19", "zone = 31"))]);
    assert_eq!(
        error,
        "it.toml:6:68: domain.projection.utm.origin.longitude = -67.25: is not allowed (allowed: within 30 degrees of 3, the \
         central meridian of UTM zone 31; it lies in zone 19)"
    );
}

#[test]
fn a_grid_in_degrees_covers_the_domain_of_a_projection() {
    let height = |longitude: f64, latitude: f64| 500.0 + 100.0 * (longitude + 67.25) + 50.0 * (latitude + 13.82);
    let degrees = grid(31, 31, [-67.4, -14.0], 0.02, height);
    let top = format!("{}\ntopography = \"top.asc\"", UTM.1.replace("0.0]", "1000.0]"));
    let in_degrees = "longitude = -67.2, latitude = -13.8, depth = 20.0 }";
    let changes = [(UTM.0, top.as_str()), ("position = [8000.0, 6000.0, 0.0] }", in_degrees)];
    let folder = folder(&[("top.asc", &degrees)]);
    let setup = set_up(folder.path(), &changes).unwrap_or_else(|error| panic!("{error:?}"));
    let [x, y, z] = setup.receivers[0].position();
    assert!((x - 5422.628510).abs() < 1e-6 && (y - 2172.821751).abs() < 1e-6);
    assert!((z - (height(-67.2, -13.8) - 20.0)).abs() < 1e-6, "{z}");
    std::fs::write(folder.path().join("top.asc"), grid(73, 37, [-180.0, -90.0], 5.0, height))
        .expect("a file of the test");
    let setup = set_up(folder.path(), &changes).unwrap_or_else(|error| panic!("{error:?}"));
    assert!((setup.receivers[0].position()[2] - z).abs() < 0.01);
    let short = grid(10, 31, [-67.4, -14.0], 0.02, height);
    says(
        &[("top.asc", &short)],
        &changes,
        "it.toml:7:14: domain.topography = \"top.asc\": the grid, in degrees, does not cover the domain: longitude -67.213886 \
         is missing (allowed: between -67.4 and -67.22, where the grid is known; it is needed at x = 3875, y = -4000 m of \
         the model; extend the grid or shrink the domain)",
    );
}

const TABLE: (&str, &str) = (
    "[model.layered]\nlayers = [\n    { vp = 4000.0, vs = 2000.0, rho = 2600.0 },\n    { top = -1000.0, vp = 6000.0, vs = 3464.0, rho = 2700.0 },\n]",
    "[model.depth_table]\nfile = \"crust.txt\"",
);

#[test]
fn a_depth_table_is_cropped_to_the_box() {
    let table = "depth vp vs rho\n-3000 340 0 1.2\n0 340 0 1.2\n0 4000 2000 2600\n1000 5000 2900 2700\n1000 6000 3464 2700\n\
                 12000 6000 3464 2700\n12000 8000 0 3000\n20000 8000 0 3000\n";
    let folder = folder(&[("crust.txt", table)]);
    let setup = set_up(folder.path(), &[TABLE]).unwrap_or_else(|error| panic!("{error:?}"));
    let model = &setup.model;
    assert_eq!(model.regions().len(), 2);
    assert_eq!(model.surface().elevation(0.0, 0.0), 0.0);
    assert_eq!(model.slowest(0, 0.0, 0.0), 2000.0);
    assert_eq!(model.medium(0, [0.0, 0.0, -500.0]).rho(), 2650.0);
    assert_eq!(model.fastest(1, -12000.0, -1000.0), 6000.0);
}

#[test]
fn what_a_depth_table_cannot_hold_is_told_with_its_line() {
    let row = |row: &str| {
        format!("depth vp vs rho\n0 4000 2000 2600\n1000 5000 2900 2700\n1000 {row}\n30000 6000 3464 2700\n")
    };
    says(
        &[("crust.txt", &row("6000 3464 -2700"))],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file = \"crust.txt\": crust.txt:4: rho = `-2700` (allowed: above 0 kg/m3; \
         give the density)",
    );
    says(
        &[("crust.txt", &row("6000 5500 2700"))],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file = \"crust.txt\": crust.txt:4: vs = `5500` (allowed: between 0 and \
         5196.152423 m/s (vp sqrt(3)/2, beyond which the bulk modulus is negative) for vp = 6000 m/s; lower vs or \
         raise vp)",
    );
    says(
        &[("crust.txt", &row("6000 0 2700"))],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file: knot 2 at z = -30000 m: vs falls to zero along a line, where no \
         mesh can follow it (repeat the depth, so that fluid and solid meet at a discontinuity)",
    );
    says(
        &[("crust.txt", &row("nan 0 2700"))],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file = \"crust.txt\": crust.txt:4: vp = `nan` (allowed: a finite number \
         (no NaN, no infinity))",
    );
    says(
        &[("crust.txt", "depth vp rho\n0 1 2\n")],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file = \"crust.txt\": crust.txt:1: there is no column `vs`, only `depth`, \
         `vp`, `rho` (rename or add the column)",
    );
    says(
        &[("crust.txt", "depth vp vs rho\n100 4000 2000 2600\n0 4000 2000 2600\n")],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file: row 2 at depth 0 m: it lies above the row before (list the rows \
         from the top down)",
    );
    let ocean = "depth vp vs rho\n0 1500 0 1000\n4000 1500 0 1000\n4000 6000 3464 2700\n";
    says(
        &[("crust.txt", ocean)],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file = \"crust.txt\": crust.txt:2: vs = `0` (allowed: above 0 m/s: \
         spectral elements solve elastic solids here, not fluids; a vs of 0 is a fluid: let the domain end at the floor \
         of the sea, or give a small vs that the mesh can resolve)",
    );
    let valley = whole_grid(|x, _| if x == 2000.0 { -1200.0 } else { 500.0 });
    says(
        &[("crust.txt", &row("6000 3464 2700")), ("top.asc", &valley)],
        &[TABLE, TOPOGRAPHY, SURFACE_STATION],
        "it.toml:8:8: model.depth_table.file: the jump at z = -1000 m cuts the surface (allowed: jumps below the \
         surface, which is at -1200 m at x = 2000, y = -4000 m; move the jump down, or spread it over two depths; \
         regions that end inside the box are not meshed)",
    );
}

#[test]
fn a_time_function_of_a_file_is_taken_as_it_is() {
    let change = ("time_function.gaussian = { sigma = 0.1 }", "time_function.file = \"rate.txt\"");
    let boxcar = "1.0 0\n1.5 1\n2.0 1\n2.5 0\n";
    let folder = folder(&[("rate.txt", boxcar)]);
    let setup = set_up(folder.path(), &[change]).expect("a time function");
    assert_eq!(setup.sources[0].rate_history(1.75), 1.0);
    assert_eq!(setup.sources[0].history(9.0), 1.0);
    says(
        &[("rate.txt", "0 0\n1 1\n3 0\n")],
        &[change],
        "it.toml:14:22: source[0].time_function.file = \"rate.txt\": rate.txt:2: time = `1` (allowed: 1.5: even \
         steps of 1.5 s from 0 s; resample the trace)",
    );
    says(
        &[("rate.txt", "0 0\n1 0\n2 0\n")],
        &[change],
        "it.toml:14:22: source[0].time_function.file = \"rate.txt\": the time function has nothing but zeros \
         (check the file and its column)",
    );
    says(
        &[("rate.txt", "0 0\n1 1\n2 1\n")],
        &[change],
        "it.toml:14:1: source[0].time_function: the time function ends at 1; as a rate it would make the moment \
         tensor grow for ever (allowed: a rate that ends at 0; let it end at 0, or give of = \"history\")",
    );
}

#[test]
fn sources_that_are_cut_or_late_are_told_with_the_delay_they_need() {
    let warning = |function: &str, file: &str| {
        let folder = folder(&[("rate.txt", file)]);
        let setup = set_up(folder.path(), &[("time_function.gaussian = { sigma = 0.1 }", function)]);
        setup.unwrap_or_else(|error| panic!("{error:?}")).warnings.join("\n")
    };
    assert_eq!(
        warning("time_function.gaussian = { sigma = 0.1, centre = 0.2 }", ""),
        "source 1 begins at -0.2292 s, before the simulation at 0 s, and is cut there, which excites all \
         frequencies; delay = 0.2292 or more would spare it"
    );
    assert_eq!(warning("time_function.gaussian = { sigma = 0.1, centre = 0.2 }\ndelay = 0.2293", ""), "");
    assert_eq!(
        warning("time_function.gaussian = { sigma = 0.1 }\ndelay = 20.0", ""),
        "source 1 begins at 20.1708 s, after the end of the simulation at 9 s: it is never heard"
    );
    assert_eq!(
        warning("time_function.file = \"rate.txt\"", "0 0.5\n1 1\n2 1\n3 0\n"),
        "source 1: its time function begins with 50.00 % of its peak instead of 0, a jump that excites all frequencies; let the file \
         begin earlier, or taper it"
    );
}

#[test]
fn a_source_in_degrees_stands_below_the_local_surface() {
    let hills = whole_grid(|x, y| 200.0 + 0.01 * x + 0.02 * y);
    let folder = folder(&[("top.asc", &hills)]);
    let top = format!("{}\ntopography = \"top.asc\"", UTM.1.replace("0.0]", "1000.0]"));
    let source =
        |depth: &'static str| [(UTM.0, top.as_str()), SURFACE_STATION, ("position = [0.0, 0.0, -2000.0]", depth)];
    let setup =
        set_up(folder.path(), &source("longitude = -67.2\nlatitude = -13.8\ndepth = 3000.0")).expect("a source");
    let [x, y] = [5422.628510, 2172.821751];
    assert_near(setup.sources[0].position(), [x, y, 200.0 + 0.01 * x + 0.02 * y - 3000.0]);
    let said = said(folder.path(), &source("longitude = -67.2\nlatitude = -13.8"));
    assert!(
        said.ends_with("source[0].depth: is missing (give the depth below the surface in metres; 0 is on it)"),
        "{said}"
    );
}

#[test]
fn a_table_written_in_the_scenario_is_told_by_row_and_column() {
    let rows = "[model.depth_table]\nrows = [[0.0, 4000.0, 2000.0, 2600.0], [500.0, 4000.0, 2000.0, 2.6]]";
    says(
        &[],
        &[(TABLE.0, rows)],
        "it.toml:7:64: model.depth_table.rows[1][3] = 2.6: rho is not allowed (allowed: at least 50 kg/m3 where vp is 4000 m/s; \
         it looks like g/cm3, give kg/m3)",
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
