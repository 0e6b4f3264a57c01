//! Equal bodies give equal results in every input format.

use std::path::Path;

use craton::Error;
use craton::gravity::{check_gravity, gravity};
use craton::options::{CheckOptions, RunOptions};
use craton_formats::netcdf::{Attribute, DataType, Dataset, Dimension, Variable};
use craton_formats::ubc::{Mesh, Model};
use craton_formats::{netcdf, npy};

use super::{CELLS, assert_close, column, refusal, results, run};

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

/// Writes the cells in every file format.
fn write_cells(folder: &Path) {
    let at = |name: &str| folder.join(name);
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
    // Raw numbers, west to east fastest, then south to north, then downwards, as 2 * density + 180: `factor` and `reference` undo this.
    let downwards = cells()
        .1
        .chunks(4)
        .rev()
        .flatten()
        .flat_map(|&density| (2.0 * density as f32 + 180.0).to_le_bytes())
        .collect::<Vec<u8>>();
    std::fs::write(at("volume.bin"), downwards).expect("written");
}

#[test]
fn equal_cells_give_equal_fields_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    write_cells(folder.path());
    let rows = prisms();
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
        "[[body]]\nprisms.file = 'named.csv'",
        "[[body]]\nprisms.file = 'bare.txt'",
        "[[body]]\nprisms.file = 'prisms.npy'",
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
fn a_wide_layer_matches_a_slab_of_constant_or_depth_dependent_density() {
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
    // The part of the slab beyond 60,000 km contributes less than 2e-6.
    assert_close(column(&results(folder.path()), "g_d_mgal")[0], 11.1968756, 3e-6);
    // 2000 + 10 depth, and 500 + 1500 exp(-depth / 50), over 100 m.
    run(folder.path(), &layer("{ polynomial = { coefficients = [2000.0, 10.0], datum = 0.0 } }"), &[]);
    assert_close(column(&results(folder.path()), "g_d_mgal")[0], 11.1968756 * 2500.0 / 2670.0, 3e-6);
    run(folder.path(), &layer("{ exponential = { shallow = 2000.0, deep = 500.0, scale = 50.0 } }"), &[]);
    let mean = 500.0 + 1500.0 * 0.5 * (1.0 - (-2.0_f64).exp());
    assert_close(column(&results(folder.path()), "g_d_mgal")[0], 11.1968756 * mean / 2670.0, 3e-6);
}

#[test]
fn the_number_of_slices_meets_the_accuracy() {
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
fn the_model_of_a_scenario_has_the_gravity_of_its_blocks() {
    let folder = tempfile::tempdir().expect("a folder");
    let half_space = include_str!("../../../../../examples/two_layers/two_layers.toml");
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
        // Cells cut by the interface have the mean density, which shifts their centre of mass slightly.
        pairs.into_iter().for_each(|(expected, found)| assert_close(found, expected, 2e-3));
    }
}

#[test]
fn gravity_of_a_scenario_is_computed_at_its_receivers() {
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = "[gravity]\ncell = 500.0\nreference = 1000.0\nfields = ['g_d']\ndirectory = 'GRAVITY'\n\n[output]";
    let wanted = wanted.replace("GRAVITY", &folder.path().join("results").display().to_string());
    let scenario = include_str!("../../../../../examples/two_layers/two_layers.toml").replace("[output]", &wanted);
    std::fs::write(folder.path().join("waves.toml"), &scenario).expect("written");
    let lowered = vec!["domain.z[0]=-17000".to_owned()];
    for overrides in [Vec::new(), lowered] {
        let options = RunOptions { overrides: overrides.clone(), overwrite: true, ..RunOptions::default() };
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
fn gravity_errors_of_a_scenario_name_file_line_and_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("waves.toml");
    let scenario = include_str!("../../../../../examples/two_layers/two_layers.toml");
    let own = "[gravity]\ncell = 500.0\nfields = ['g_d', 'g_e']\nformats = ['csv', 'npy']\n\n[output]";
    let scenario = scenario.replace("[output]", own);
    let line = |key: &str| 1 + scenario.lines().position(|line| line.starts_with(key)).expect("a key");
    let cases = [
        ("'g_e']", "'g_d']", line("fields"), "gravity.fields[1] = \"g_d\": is a duplicate"),
        ("'npy']", "'esri']", line("formats"), "gravity.formats[1] = \"esri\": requires points on a grid"),
        ("cell = 500.0", "cell = 0.5", line("cell"), "gravity.cell = 0.5: results in"),
        (
            "cell = 500.0",
            "cell = 500.0\nmethod.path = 'tree'",
            line("cell") + 1,
            "gravity.method.path = \"tree\": requires",
        ),
        (
            "stations = [{ code = \"XX.STA\", position = [10000.0, 10000.0, 0.0] }]",
            "stations_file = 'nowhere'",
            line("stations"),
            "receivers.stations_file = \"nowhere\": ",
        ),
    ];
    for (right, wrong, line, words) in cases {
        std::fs::write(&file, scenario.replace(right, wrong)).expect("written");
        let message = refusal(&file);
        assert!(
            message.starts_with(&format!("{}:{line}:", file.display())) && message.contains(words),
            "{wrong}: {message}"
        );
    }
    std::fs::write(&file, &scenario).expect("written");
    let overrides = vec!["gravity.formats=['esri']".to_owned()];
    let refused = check_gravity(&file, &CheckOptions { overrides, ..CheckOptions::default() });
    let Err(Error::Scenario(errors)) = refused else { panic!("{refused:?}") };
    assert_eq!((&*errors.errors[0].file, errors.errors[0].line), ("--set", 1), "{errors:?}");
}

/// Writes the densities of [`cells`] as netCDF with these dimension names, the last one fastest.
fn write_volume(path: &Path, names: [&str; 3], upright: [f64; 2]) {
    let places = [upright.to_vec(), vec![50.0, 150.0], vec![50.0, 150.0]];
    write_densities(path, names, &places, &cells().1);
}

/// Writes densities as netCDF at these coordinates, the last axis fastest.
fn write_densities(path: &Path, names: [&str; 3], places: &[Vec<f64>; 3], density: &[f64]) {
    write_in_units(path, names.map(|name| (name, "m")), places, density);
}

/// The same with names and units of the axes.
pub(super) fn write_in_units(path: &Path, named: [(&str, &str); 3], places: &[Vec<f64>; 3], density: &[f64]) {
    let (names, units) = (named.map(|(name, _)| name), named.map(|(_, unit)| unit));
    let of_axis = |axis: usize| vec![Attribute::text("units", units[axis])];
    let mut variables: Vec<Variable> = (0..3).map(|axis| doubles(names[axis], vec![axis], of_axis(axis))).collect();
    variables.push(doubles("density", vec![0, 1, 2], Vec::new()));
    let dimensions = names.iter().zip(places).map(|(name, places)| Dimension::new(name, places.len() as u64)).collect();
    let dataset = Dataset { dimensions, attributes: Vec::new(), variables };
    netcdf::write(path, &dataset, |slab| match places.get(slab.index()) {
        Some(places) => slab.write(places),
        None => slab.write(density),
    })
    .expect("written");
}

fn doubles(name: &str, dimensions: Vec<usize>, attributes: Vec<Attribute>) -> Variable {
    Variable { name: name.to_owned(), data_type: DataType::F64, dimensions, attributes }
}

#[test]
fn netcdf_axes_follow_their_names_or_the_key_axes() {
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path(), &CELLS.replace("BODY", &format!("[[body]]\nprisms.rows = {:?}", prisms())), &[]);
    let expected = results(folder.path());
    let volume = |more: &str| {
        CELLS.replace("BODY", &format!("[[body]]\nvolume.density = {{ file = 'v.nc', variable = 'density'{more} }}"))
    };
    // The lower cells first, by increasing height or decreasing depth.
    for (upright, places, more) in [
        ("height", [-150.0, -50.0], ""),
        ("depth", [150.0, 50.0], ""),
        ("z", [-150.0, -50.0], ", axes = ['x', 'y', 'z']"),
    ] {
        write_volume(&folder.path().join("v.nc"), [upright, "northing", "x"], places);
        run(folder.path(), &volume(more), &[]);
        let found = results(folder.path());
        for name in ["g_e_mgal", "g_n_mgal", "g_u_mgal", "g_uu_eotvos"] {
            let pairs = column(&expected, name).into_iter().zip(column(&found, name));
            pairs.for_each(|(expected, found)| assert_close(found, expected, 1e-9));
        }
    }
    std::fs::write(folder.path().join("it.toml"), volume("")).expect("written");
    let refused = gravity(&folder.path().join("it.toml"), &RunOptions::default()).expect_err("z is ambiguous");
    let craton::Error::Scenario(errors) = refused else { panic!("{refused:?}") };
    assert!(errors.lines().contains("the axes of the file are named x, northing, z"), "{}", errors.lines());
}

#[test]
fn netcdf_cells_may_have_unequal_sizes() {
    let folder = tempfile::tempdir().expect("a folder");
    // Depths, y and x, uneven along x.
    let places = [vec![20.0, 100.0], vec![30.0, 120.0], vec![10.0, 30.0, 130.0]];
    let density: Vec<f64> = (0..12).map(|n| 1.0 / 3.0 + 100.0 * f64::from(n)).collect();
    let (depths, north, east) = ([-20.0, 60.0, 140.0], [-15.0, 75.0, 165.0], [0.0, 20.0, 80.0, 180.0]);
    let prism = |n: usize| {
        let (i, j, k) = (n % 3, n / 3 % 2, n / 6);
        [east[i], east[i + 1], north[j], north[j + 1], -depths[k + 1], -depths[k], density[n]]
    };
    let rows: Vec<[f64; 7]> = (0..12).map(prism).collect();
    run(folder.path(), &CELLS.replace("BODY", &format!("[[body]]\nprisms.rows = {rows:?}")), &[]);
    let expected = results(folder.path());
    write_densities(&folder.path().join("v.nc"), ["depth", "y", "x"], &places, &density);
    run(folder.path(), &CELLS.replace("BODY", "[[body]]\nvolume.density.file = 'v.nc'"), &[]);
    let found = results(folder.path());
    for name in ["g_e_mgal", "g_n_mgal", "g_u_mgal", "g_uu_eotvos"] {
        let pairs = column(&expected, name).into_iter().zip(column(&found, name));
        pairs.for_each(|(expected, found)| assert_close(found, expected, 1e-9));
    }
}

#[test]
fn a_single_netcdf_cell_requires_bounds_and_a_unit() {
    let folder = tempfile::tempdir().expect("a folder");
    let lengths = [("height", 1), ("y", 2), ("x", 2), ("ends", 2)];
    let values: [&[f64]; 5] = [&[-60.0], &[50.0, 150.0], &[50.0, 150.0], &[-100.0, 0.0], &[100.0, 200.0, 300.0, 400.0]];
    let write = |upright: &[(&str, &str)]| {
        let attributes =
            |of: &[(&str, &str)]| of.iter().map(|(key, value)| Attribute::text(key, value)).collect::<Vec<_>>();
        let variables = vec![
            doubles("height", vec![0], attributes(upright)),
            doubles("y", vec![1], attributes(&[("units", "m")])),
            doubles("x", vec![2], attributes(&[("units", "m")])),
            doubles("ends_of_height", vec![0, 3], Vec::new()),
            doubles("density", vec![0, 1, 2], Vec::new()),
        ];
        let dimensions = lengths.map(|(name, length)| Dimension::new(name, length)).to_vec();
        let dataset = Dataset { dimensions, attributes: Vec::new(), variables };
        netcdf::write(&folder.path().join("v.nc"), &dataset, |slab| slab.write(values[slab.index()])).expect("written");
    };
    let row = |n: usize| {
        let [west, south] = [n % 2, n / 2].map(|cell| 100.0 * cell as f64);
        [west, west + 100.0, south, south + 100.0, -100.0, 0.0, values[4][n]]
    };
    let rows: Vec<[f64; 7]> = (0..4).map(row).collect();
    run(folder.path(), &CELLS.replace("BODY", &format!("[[body]]\nprisms.rows = {rows:?}")), &[]);
    let expected = column(&results(folder.path()), "g_u_mgal");
    write(&[("units", "m"), ("bounds", "ends_of_height")]);
    let volume = "[[body]]\nvolume.density = { file = 'v.nc', variable = 'density' }";
    run(folder.path(), &CELLS.replace("BODY", volume), &[]);
    let found = column(&results(folder.path()), "g_u_mgal");
    expected.into_iter().zip(found).for_each(|(expected, found)| assert_close(found, expected, 1e-9));
    for (upright, words) in [
        (("bounds", "ends_of_height"), "is missing: the file has only indices along `height`, without metres"),
        (("units", "m"), "coordinates of height = a single one"),
    ] {
        write(&[upright]);
        let message = refusal(&folder.path().join("it.toml"));
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn slices_resolve_a_density_law_symmetric_about_mid_depth() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("top.xyz"), "0 0 0\n1000 0 0\n0 1000 0\n1000 1000 0\n").expect("written");
    let layer = "fields = ['g_d']\n[[body]]\nlayer = { top = 'top.xyz', bottom = -1000.0, density.polynomial.coefficients = [3000.0, -12.0, 0.012] }\n\
        [points.list]\nrows = [[900.0, 0.0, 10.0]]\n[output]\ndirectory = 'results'\n";
    run(folder.path(), layer, &["body[0].layer.slices=2048"]);
    let fine = column(&results(folder.path()), "g_d_mgal")[0];
    run(folder.path(), layer, &["method.accuracy=1e-4"]);
    assert_close(column(&results(folder.path()), "g_d_mgal")[0], fine, 1e-4);
}

#[test]
fn a_borehole_along_cell_edges_has_the_field_of_the_undivided_body() {
    let folder = tempfile::tempdir().expect("a folder");
    let hole = "fields = ['g_d', 'g_ee', 'g_dd']\n[[body]]\nBODY\n[points.line]\nfrom = [100.0, 100.0, 100.0]\nto = [100.0, 100.0, -500.0]\ncount = 61\n\
        [output]\ndirectory = 'results'\npictures = false\n";
    let block = "block = { x = [0.0, 300.0], y = [-100.0, 200.0], z = [-400.0, 0.0], density = 900.0 }";
    run(folder.path(), &hole.replace("BODY", block), &[]);
    let whole = results(folder.path());
    let plane = |n: i32| f64::from(100 * n);
    let cells: Vec<[f64; 7]> = (0..36)
        .map(|n| {
            let (i, j, k) = (n % 3, n / 3 % 3 - 1, n / 9 - 4);
            [plane(i), plane(i + 1), plane(j), plane(j + 1), plane(k), plane(k + 1), 900.0]
        })
        .collect();
    run(folder.path(), &hole.replace("BODY", &format!("prisms.rows = {cells:?}")), &[]);
    let found = results(folder.path());
    for name in ["g_d_mgal", "g_ee_eotvos", "g_dd_eotvos"] {
        for (expected, found) in column(&whole, name).into_iter().zip(column(&found, name)) {
            assert!((found - expected).abs() < 1e-5, "{name}: {found} instead of {expected}");
        }
    }
}
