//! Gravity from its file to its results: known values, one Earth in every form, and results in every format.

use std::path::Path;

use craton::RunStatus;
use craton::gravity::gravity;
use craton::options::RunOptions;
use craton_formats::netcdf::NetcdfReader;
use craton_formats::ubc::{Component, GradientData, GravityData, Mesh, Model};
use craton_formats::{grid, npy};

/// A prism whose fields are known, at a point above it.
const PRISM: &str = r#"
[[body]]
block = { x = [-20.0, 30.0], y = [-15.0, 10.0], z = [-80.0, -30.0], density = 1000.0 }
[points.list]
rows = [[17.0, 3.0, 5.0]]
[output]
directory = "results"
pictures = false
"#;

/// Four cells in two layers, one of them empty, seen from a small grid.
const CELLS: &str = r#"
BODY
[points.grid]
x = [-150.0, 350.0]
y = [-100.0, 300.0]
count = [6, 5]
z = 40.0
[output]
directory = "results"
formats = ["csv"]
pictures = false
"#;

fn run(folder: &Path, problem: &str, overrides: &[&str]) {
    std::fs::write(folder.join("it.toml"), problem).expect("written");
    let directory = format!("output.directory='{}'", folder.join("results").display());
    let overrides = overrides.iter().map(|&change| change.to_owned()).chain([directory]).collect();
    let options = RunOptions { overrides, quiet: true, overwrite: true, ..RunOptions::default() };
    let report = gravity(&folder.join("it.toml"), &options).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(report.status, RunStatus::Complete);
}

/// Columns of results, in which NaN stands where there is no value.
struct Results {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

fn results(folder: &Path) -> Results {
    let text = std::fs::read_to_string(folder.join("results/gravity.csv")).expect("results");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names: Vec<String> = lines.next().expect("names").into_iter().map(str::to_owned).collect();
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |index: usize| rows.iter().map(|row| row[index].parse().expect("a number")).collect();
    Results { columns: (0..names.len()).map(column).collect(), names }
}

fn column(results: &Results, name: &str) -> Vec<f64> {
    let index = results.names.iter().position(|known| known == name);
    results.columns[index.unwrap_or_else(|| panic!("there is no {name}"))].clone()
}

fn assert_close(value: f64, expected: f64, relative: f64) {
    assert!((value - expected).abs() <= relative * expected.abs(), "{value} and not {expected}");
}

#[test]
fn a_prism_has_its_known_fields_in_all_directions_and_units() {
    let folder = tempfile::tempdir().expect("a folder");
    let fields = "fields = ['potential', 'g_e', 'g_n', 'g_u', 'g_d', 'g_ee', 'g_en', 'g_eu', 'g_ed', 'g_nn', 'g_nu', 'g_nd', 'g_uu', 'g_dd', 'g_length']";
    run(folder.path(), &format!("{fields}\n{PRISM}"), &[]);
    let known = [
        ("potential_m2_per_s2", 6.912520856938e-5),
        ("g_e_mgal", -0.02145921720683),
        ("g_n_mgal", -0.01160295324674),
        ("g_d_mgal", 0.11341741976889),
        ("g_u_mgal", -0.11341741976889),
        ("g_ee_eotvos", -16.29304345149),
        ("g_en_eotvos", 1.04351181798),
        ("g_nn_eotvos", -20.45753640810),
        ("g_ed_eotvos", -9.83478044401),
        ("g_eu_eotvos", 9.83478044401),
        ("g_nd_eotvos", -6.04566506537),
        ("g_nu_eotvos", 6.04566506537),
        ("g_uu_eotvos", 36.75057985959),
        ("g_dd_eotvos", 36.75057985959),
        (
            "g_length_mgal",
            (0.02145921720683_f64.powi(2) + 0.01160295324674_f64.powi(2) + 0.11341741976889_f64.powi(2)).sqrt(),
        ),
    ];
    let found = results(folder.path());
    known.iter().for_each(|&(name, expected)| assert_close(column(&found, name)[0], expected, 1e-11));
    run(folder.path(), PRISM, &["output.units='si'"]);
    let found = results(folder.path());
    assert_close(column(&found, "g_u_m_per_s2")[0], -0.11341741976889e-5, 1e-11);
    assert_close(column(&found, "g_uu_per_s2")[0], 36.75057985959e-9, 1e-11);
    assert!(!found.names.iter().any(|name| name == "potential_m2_per_s2"), "the potential was not asked for");
}

/// The planes and densities of [`CELLS`]: x fastest, then y, then z upwards.
fn cells() -> ([Vec<f64>; 3], [f64; 8]) {
    let planes = [vec![0.0, 100.0, 200.0], vec![0.0, 100.0, 200.0], vec![-200.0, -100.0, 0.0]];
    (planes, [300.0, -150.0, 0.0, 420.0, 77.0, 0.0, -510.0, 250.0])
}

/// The cells as prisms [west, east, south, north, bottom, top, density].
fn prisms() -> Vec<[f64; 7]> {
    let ([x, y, z], density) = cells();
    let prism = |cell: usize| {
        let (i, j, k) = (cell % 2, cell / 2 % 2, cell / 4);
        [x[i], x[i + 1], y[j], y[j + 1], z[k], z[k + 1], density[cell]]
    };
    (0..8).map(prism).collect()
}

#[test]
fn the_same_cells_attract_alike_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let rows = prisms();
    let row = |row: &[f64; 7]| row.map(|value| value.to_string()).join(",");
    let lines = rows.iter().map(row).collect::<Vec<_>>().join("\n");
    std::fs::write(at("named.csv"), format!("west,east,south,north,bottom,top,density\n{lines}\n")).expect("written");
    std::fs::write(at("bare.txt"), lines.replace(',', " ")).expect("written");
    let columns: Vec<Vec<f64>> = (0..7).map(|column| rows.iter().map(|row| row[column]).collect()).collect();
    npy::write(&at("prisms.npy"), &columns.iter().map(|column| &column[..]).collect::<Vec<_>>()).expect("written");
    let mesh = Mesh::new([0.0, 0.0, 0.0], [vec![100.0; 2], vec![100.0; 2], vec![100.0; 2]]).expect("a mesh");
    mesh.write(&at("mesh.msh")).expect("written");
    let model = Model { densities_g_cm3: cells().1.map(|density| 1e-3 * density).to_vec() };
    model.write(&at("model.den"), &mesh).expect("written");
    // Raw numbers, west to east fastest, then south to north, then downwards; twice as large, and too large by 90.
    let downwards = cells()
        .1
        .chunks(4)
        .rev()
        .flatten()
        .flat_map(|&density| (2.0 * density as f32 + 180.0).to_le_bytes())
        .collect::<Vec<u8>>();
    std::fs::write(at("volume.bin"), downwards).expect("written");
    let volume = "[[body]]\n[body.volume]\nreference = 90.0\ndensity = { file = 'volume.bin', axes = ['x', 'y', 'depth'], shape = [2, 2, 2], \
        spacing = [100.0, 100.0, 100.0], origin = [50.0, 50.0, 50.0], factor = 0.5 }";
    let blocks: Vec<String> = rows
        .iter()
        .map(|[w, e, s, n, b, t, d]| {
            format!(
                "[[body]]\nblock = {{ x = [{w:?}, {e:?}], y = [{s:?}, {n:?}], z = [{b:?}, {t:?}], density = {d:?} }}"
            )
        })
        .collect();
    let listed = format!("[[body]]\nprisms.rows = {rows:?}");
    run(folder.path(), &CELLS.replace("BODY", &blocks.join("\n")), &[]);
    let expected = results(folder.path());
    for body in [
        &*listed,
        "[[body]]\nprisms.file.path = 'named.csv'",
        "[[body]]\nprisms.file.path = 'bare.txt'",
        "[[body]]\nprisms.file.path = 'prisms.npy'",
        "[[body]]\nubc = { mesh = 'mesh.msh', model = 'model.den' }",
        volume,
    ] {
        run(folder.path(), &CELLS.replace("BODY", body), &[]);
        let found = results(folder.path());
        for name in &expected.names {
            let (expected, found) = (column(&expected, name), column(&found, name));
            let largest = expected.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
            let error = expected.iter().zip(&found).fold(0.0_f64, |error, (a, b)| error.max((a - b).abs()));
            assert!(error <= 1e-12 * largest, "{name} of {body}: {error:e} of {largest:e}");
        }
    }
}

#[test]
fn a_wide_layer_is_a_slab_and_density_may_change_with_depth() {
    let folder = tempfile::tempdir().expect("a folder");
    let top = |height: f64| {
        let points = [-4e7, 0.0, 4e7];
        let rows = points.iter().flat_map(|y| points.iter().map(move |x| format!("{x} {y} {height}\n")));
        std::fs::write(folder.path().join("top.xyz"), rows.collect::<String>()).expect("written");
    };
    let layer = |density: &str| {
        format!(
            "fields = ['g_d']\n[[body]]\nlayer = {{ top = 'top.xyz', bottom = -100.0, density = {density} }}\n\
             [points.list]\nrows = [[0.0, 0.0, 1.0]]\n[output]\ndirectory = 'results'\n"
        )
    };
    top(0.0);
    run(folder.path(), &layer("{ constant = 2670.0 }"), &[]);
    // What is missing beyond 60,000 km is less than 2e-6 of it.
    assert_close(column(&results(folder.path()), "g_d_mgal")[0], 11.1968756, 3e-6);
    // 2000 + 10 depth, and 500 + 1500 exp(-depth / 50), over 100 m.
    run(folder.path(), &layer("{ polynomial = { coefficients = [2000.0, 10.0], datum = 0.0 } }"), &[]);
    assert_close(column(&results(folder.path()), "g_d_mgal")[0], 11.1968756 * 2500.0 / 2670.0, 3e-6);
    run(folder.path(), &layer("{ exponential = { shallow = 2000.0, deep = 500.0, scale = 50.0 } }"), &[]);
    let mean = 500.0 + 1500.0 * 0.5 * (1.0 - (-2.0_f64).exp());
    assert_close(column(&results(folder.path()), "g_d_mgal")[0], 11.1968756 * mean / 2670.0, 3e-6);
}

#[test]
fn slices_follow_density_as_closely_as_the_accuracy_asks() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("top.xyz"), "0 0 0\n1000 0 0\n0 1000 0\n1000 1000 0\n").expect("written");
    let basin = "fields = ['g_d', 'g_dd']\n[[body]]\nlayer = { top = 'top.xyz', bottom = -1500.0, density.polynomial.coefficients = [-600.0, 0.3] }\n\
        [points.line]\nfrom = [-2000.0, 400.0, 20.0]\nto = [2500.0, 400.0, 20.0]\ncount = 40\n[output]\ndirectory = 'results'\n";
    run(folder.path(), basin, &["body[0].layer.slices=2048"]);
    let fine = results(folder.path());
    run(folder.path(), basin, &["method.accuracy=1e-4", "method.path='direct'"]);
    let chosen = results(folder.path());
    for name in ["g_d_mgal", "g_dd_eotvos"] {
        let (fine, chosen) = (column(&fine, name), column(&chosen, name));
        let largest = fine.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let error = fine.iter().zip(&chosen).fold(0.0_f64, |error, (a, b)| error.max((a - b).abs()));
        assert!((1e-9..1e-4).contains(&(error / largest)), "{name}: {error:e} of {largest:e}");
    }
}

#[test]
fn the_model_of_a_scenario_attracts_as_its_blocks_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let half_space = include_str!("../../../examples/two_layers/two_layers.toml");
    std::fs::write(folder.path().join("two_layers.toml"), half_space).expect("written");
    let scenario = craton::Scenario::read(&folder.path().join("two_layers.toml"), &[]).expect("a scenario");
    let setup = craton::Setup::new(&scenario).expect("a model");
    let [x, y, z] = [setup.x, setup.y, setup.z];
    let interface = setup.model.regions()[1].top.elevation(0.0, 0.0);
    let rho = |region: usize| setup.model.medium(region, [0.0; 3]).rho();
    let points = format!(
        "[points.grid]\nx = {x:?}\ny = {y:?}\ncount = [3, 4]\nz = {:?}\n[output]\ndirectory = 'results'\n",
        z[1] + 200.0
    );
    let cell = (z[1] - z[0]) / 7.0;
    let of_scenario =
        format!("[[body]]\nscenario = {{ file = 'two_layers.toml', cell = {cell:?}, reference = 1000.0 }}\n{points}");
    run(folder.path(), &of_scenario, &["fields=['potential', 'g_d']"]);
    let found = results(folder.path());
    let block = |z: [f64; 2], density: f64| {
        format!("[[body]]\nblock = {{ x = {x:?}, y = {y:?}, z = {z:?}, density = {density:?} }}\n")
    };
    let blocks = block([z[0], interface], rho(1) - 1000.0) + &block([interface, z[1]], rho(0) - 1000.0);
    run(folder.path(), &format!("{blocks}{points}"), &["fields=['potential', 'g_d']"]);
    let expected = results(folder.path());
    for name in ["potential_m2_per_s2", "g_d_mgal"] {
        let pairs = column(&expected, name).into_iter().zip(column(&found, name)).collect::<Vec<_>>();
        // Cells that the interface cuts have its mean density, which stands a little elsewhere.
        pairs.into_iter().for_each(|(expected, found)| assert_close(found, expected, 2e-3));
    }
}

#[test]
fn a_scenario_has_gravity_at_its_receivers() {
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = "[gravity]\ncell = 500.0\nreference = 1000.0\nfields = ['g_d']\ndirectory = 'GRAVITY'\n\n[output]";
    let wanted = wanted.replace("GRAVITY", &folder.path().join("results").display().to_string());
    let scenario = include_str!("../../../examples/two_layers/two_layers.toml").replace("[output]", &wanted);
    std::fs::write(folder.path().join("waves.toml"), &scenario).expect("written");
    let lowered = vec!["domain.z[0]=-17000".to_owned()];
    for overrides in [Vec::new(), lowered] {
        let options =
            RunOptions { overrides: overrides.clone(), quiet: true, overwrite: true, ..RunOptions::default() };
        let file = folder.path().join("waves.toml");
        gravity(&file, &options).unwrap_or_else(|error| panic!("{error:?}"));
        let found = results(folder.path());
        let scenario = craton::Scenario::read(&file, &overrides).expect("a scenario");
        let setup = craton::Setup::new(&scenario).expect("a model");
        let places: Vec<f64> = setup.receivers.iter().map(|receiver| receiver.position()[0]).collect();
        assert_eq!(column(&found, "x_m"), places);
        let set = overrides.iter().map(|change| format!("set = [{change:?}],")).collect::<String>();
        let problem = format!(
            "fields = ['g_d']\n[[body]]\nscenario = {{ file = 'waves.toml', {set} cell = 500.0, reference = 1000.0 }}\n\
             [points.list]\nrows = {:?}\n[output]\ndirectory = 'results'\n",
            setup.receivers.iter().map(|receiver| receiver.position()).collect::<Vec<_>>()
        );
        run(folder.path(), &problem, &[]);
        assert_eq!(column(&found, "g_d_mgal"), column(&results(folder.path()), "g_d_mgal"));
        assert!(column(&found, "g_d_mgal")[0] > 1.0);
    }
}

#[test]
fn results_read_back_the_same_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join("results").join(name);
    // Points over corners of cells, and on them: there components of the tensor have no value.
    let body = "fields = ['g_d', 'g_ee', 'g_en', 'g_ed', 'g_nn', 'g_nd', 'g_dd']\n[[body]]\n\
        block = { x = [0.0, 100.0], y = [0.0, 200.0], z = [-200.0, 40.0], density = 300.0 }";
    run(folder.path(), &CELLS.replace("BODY", body), &["output.formats=['csv', 'netcdf', 'esri', 'npy']"]);
    let expected = results(folder.path());
    let numbers = |name: &str| column(&expected, name);
    assert_eq!(expected.columns[0].len(), 30);
    let array = npy_with_gaps(&at("gravity.npy"));
    let mut dataset = NetcdfReader::open(&at("gravity.nc")).expect("results");
    assert_eq!(dataset.values_f64("x").expect("x"), [-150.0, -50.0, 50.0, 150.0, 250.0, 350.0]);
    assert_eq!(dataset.values_f64("z").expect("z"), [40.0]);
    for (index, name) in expected.names.iter().enumerate() {
        same(&numbers(name), &array[index], name);
        if index >= 3 {
            same(&numbers(name), &dataset.values_f64(name).expect("a field"), name);
            let map = grid::esri::read_with_gaps(&at(&format!("{name}.asc"))).expect("a map");
            assert_eq!(map.y, [-100.0, 0.0, 100.0, 200.0, 300.0]);
            same(&numbers(name), &map.values, name);
        }
    }
    let above = CELLS.replace("BODY", body).replace("z = 40.0", "z = 50.0");
    run(folder.path(), &above, &["output.formats=['csv', 'ubc']"]);
    let expected = results(folder.path());
    let attraction = GravityData::read(&at("gravity.grv")).expect("observations");
    same(&column(&expected, "g_d_mgal"), &attraction.values_mgal.expect("values"), "g_d");
    assert_eq!(attraction.points[1], [-50.0, -100.0, 50.0]);
    let gradient = GradientData::read(&at("gradient.gg")).expect("observations");
    let names = [
        (Component::Yy, "g_ee_eotvos"),
        (Component::Xy, "g_en_eotvos"),
        (Component::Yz, "g_ed_eotvos"),
        (Component::Xx, "g_nn_eotvos"),
        (Component::Xz, "g_nd_eotvos"),
        (Component::Zz, "g_dd_eotvos"),
    ];
    let values = gradient.values_eotvos.expect("values");
    for ((component, name), values) in names.into_iter().zip(&values) {
        assert!(gradient.components.contains(&component));
        same(&column(&expected, name), values, name);
    }
}

fn same(expected: &[f64], found: &[f64], name: &str) {
    assert_eq!(expected.len(), found.len(), "{name}");
    for (point, (a, b)) in expected.iter().zip(found).enumerate() {
        assert!(a == b || a.is_nan() && b.is_nan(), "{name} at point {point}: {a} and {b}");
    }
}

/// The columns of an array of doubles, in which NaN may stand.
fn npy_with_gaps(path: &Path) -> Vec<Vec<f64>> {
    let bytes = std::fs::read(path).expect("an array");
    let header = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let values: Vec<f64> =
        bytes[10 + header..].chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().expect("a word"))).collect();
    let width = values.len() / 30;
    (0..width).map(|column| values.iter().skip(column).step_by(width).copied().collect()).collect()
}

fn example(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).join(format!("{name}.toml"))
}

fn run_example(folder: &Path, name: &str, changes: &[&str]) -> Results {
    let directory = format!("output.directory='{}'", folder.join("results").display());
    let overrides = changes.iter().map(|&change| change.to_owned()).chain([directory]).collect();
    let options = RunOptions { overrides, quiet: true, overwrite: true, ..RunOptions::default() };
    gravity(&example(name), &options).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    results(folder)
}

#[test]
fn every_way_to_the_sums_of_the_example_keeps_its_accuracy() {
    let folder = tempfile::tempdir().expect("a folder");
    let small = "points.grid={ x = [0.0, 14000.0], y = [0.0, 9000.0], count = [15, 10], z = 100.0 }";
    let exact = run_example(folder.path(), "seven_balls", &[small, "method.path='direct'"]);
    for (path, accuracy, kept) in [("tree", "1e-5", 1e-5), ("tree", "1e-9", 1e-9), ("convolution", "1e-5", 1e-11)] {
        let changes = [small, &format!("method.path='{path}'"), &format!("method.accuracy={accuracy}")];
        let found = run_example(folder.path(), "seven_balls", &changes);
        for (names, unit) in [(["e", "n", "u"].as_slice(), "mgal"), (&["ee", "en", "eu", "nn", "nu", "uu"], "eotvos")] {
            let field = |results: &Results| {
                names.iter().map(|name| column(results, &format!("g_{name}_{unit}"))).collect::<Vec<_>>()
            };
            let (exact, found) = (field(&exact), field(&found));
            let norm = |of: &dyn Fn(usize, usize) -> f64| {
                let at = |point: usize| (0..names.len()).map(|part| of(part, point).powi(2)).sum::<f64>().sqrt();
                (0..150).map(at).fold(0.0, f64::max)
            };
            let peak = norm(&|part, point| exact[part][point]);
            let error = norm(&|part, point| exact[part][point] - found[part][point]);
            assert!(error <= kept * peak, "{path} to {accuracy}: {error:e} of {peak:e} {unit}");
        }
    }
    // Far from the balls there is no more to see than their masses.
    let far = run_example(
        folder.path(),
        "seven_balls",
        &["points={ list = { rows = [[9000.0, 4000.0, 900000.0]] } }", "fields=['g_d']"],
    );
    let balls = [
        (36137.0, 600.0),
        (36137.0, -450.0),
        (36000.0, 300.0),
        (36032.0, 400.0),
        (35880.0, -300.0),
        (35880.0, 500.0),
        (35880.0, -200.0),
    ];
    let mass: f64 = balls.iter().map(|(cells, density)| cells * density * 50.0_f64.powi(3)).sum();
    assert_close(column(&far, "g_d_mgal")[0], 1e5 * 6.6743e-11 * mass / 901_800.0_f64.powi(2), 1e-3);
}

#[test]
fn the_basin_of_the_example_is_light_and_its_hills_are_heavy() {
    let folder = tempfile::tempdir().expect("a folder");
    let found = run_example(folder.path(), "basin", &["method.accuracy=1e-3", "points.draped.count=[25, 20]"]);
    let (x, y, down) = (column(&found, "x_m"), column(&found, "y_m"), column(&found, "g_d_mgal"));
    let nearest = |place: [f64; 2]| {
        let far = |point: &usize| (x[*point] - place[0]).hypot(y[*point] - place[1]);
        (0..x.len()).min_by(|a, b| far(a).total_cmp(&far(b))).expect("there are points")
    };
    assert!((-35.0..-15.0).contains(&down[nearest([16_000.0, 12_500.0])]), "above the basin");
    assert!((30.0..60.0).contains(&down[nearest([6_200.0, 4_100.0])]), "on the highest hill");
    // What is free of mass has no divergence.
    let trace = |point: usize| {
        ["ee", "nn", "dd"].iter().map(|name| column(&found, &format!("g_{name}_eotvos"))[point]).sum::<f64>()
    };
    assert!((0..x.len()).all(|point| trace(point).abs() < 0.6), "{:?}", (0..x.len()).map(trace).fold(0.0, f64::max));
}
