//! Results in all directions, units and formats.

use std::collections::HashMap;
use std::path::Path;

use craton::gravity::{GravityReport, gravity};
use craton::options::RunOptions;
use craton_formats::grid;
use craton_formats::netcdf::{AttributeValue, DataType, NetcdfReader};
use craton_formats::ubc::{Component, GradientData, GravityData};

use super::{CELLS, PRISM, assert_close, column, results, run};

#[test]
fn prism_fields_match_known_values_in_all_directions_and_units() {
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
    assert!(!found.names.iter().any(|name| name == "potential_m2_per_s2"), "the potential was not requested");
}

#[test]
fn results_read_back_unchanged_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join("results").join(name);
    // Some points are on edges and corners of the block, where components of the tensor have no value.
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

#[test]
fn ubc_observations_are_written_with_z_down_and_omitted_fields_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join("results").join(name);
    let body = "[[body]]\nblock = { x = [0.0, 90.0], y = [0.0, 200.0], z = [-200.0, -40.0], density = 300.0 }";
    let problem = |fields: &str| format!("{fields}{}", CELLS.replace("BODY", body));
    let observed = |fields: &str| {
        run(folder.path(), &problem(fields), &["output.formats=['csv', 'ubc']"]);
        let attraction = GravityData::read(&at("gravity.grv")).expect("observations").values_mgal;
        let gradient = GradientData::read(&at("gradient.gg")).expect("observations");
        let values = gradient.values_eotvos.expect("values");
        let components: HashMap<Component, Vec<f64>> = gradient.components.into_iter().zip(values).collect();
        (attraction, components)
    };
    // The default fields have z up.
    let (attraction, components) = observed("");
    assert_eq!(components.len(), 6);
    let record = std::fs::read_to_string(at("run.json")).expect("a record");
    assert!(
        record.contains("support only the vertical attraction and the tensor: g_e_mgal, g_n_mgal not written"),
        "{record}"
    );
    let down = "fields = ['g_d', 'g_dd', 'g_nd', 'g_ed', 'g_ee', 'g_en', 'g_nn']\n";
    assert_eq!(observed(down), (attraction.clone(), components.clone()));
    assert_eq!(column(&results(folder.path()), "g_ed_eotvos"), components[&Component::Yz]);
    assert!(components[&Component::Yz].iter().any(|value| *value > 1.0), "{components:?}");
    let record = std::fs::read_to_string(at("run.json")).expect("a record");
    assert!(!record.contains("left out"), "{record}");
    // Up and down are written as one component.
    let both = "fields = ['g_uu', 'g_dd', 'g_u', 'g_d', 'g_eu', 'g_nu', 'g_ee', 'g_en', 'g_nn']\n";
    assert_eq!(observed(both), (attraction, components));
}

#[test]
fn only_netcdf_fields_have_a_fill_value() {
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path(), PRISM, &["output.formats=['netcdf']"]);
    let dataset = NetcdfReader::open(&folder.path().join("results/gravity.nc")).expect("results");
    for variable in &dataset.dataset().variables {
        let is_marked = matches!(variable.attribute("_FillValue"), Some(AttributeValue::Numbers(DataType::F64, marks)) if marks[0].is_nan());
        assert_eq!(is_marked, variable.name.starts_with("g_"), "{}", variable.name);
    }
}

#[test]
fn a_results_table_is_a_valid_list_of_points() {
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path(), PRISM, &["points.list.rows=[[17.0, 3.0, 5.0], [1.0, 2.0, 30.0]]"]);
    let expected = results(folder.path());
    let table = folder.path().join("results/gravity.csv");
    std::fs::copy(table, folder.path().join("again.csv")).expect("copied");
    run(folder.path(), &PRISM.replace("rows = [[17.0, 3.0, 5.0]]", "file = 'again.csv'"), &[]);
    let found = results(folder.path());
    assert_eq!((found.names, found.columns), (expected.names, expected.columns));
}

fn same(expected: &[f64], found: &[f64], name: &str) {
    assert_eq!(expected.len(), found.len(), "{name}");
    for (point, (a, b)) in expected.iter().zip(found).enumerate() {
        assert!(a == b || a.is_nan() && b.is_nan(), "{name} at point {point}: {a} and {b}");
    }
}

/// The columns of an array of doubles, which may contain NaN.
fn npy_with_gaps(path: &Path) -> Vec<Vec<f64>> {
    let bytes = std::fs::read(path).expect("an array");
    let header = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let values: Vec<f64> =
        bytes[10 + header..].chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().expect("a word"))).collect();
    let width = values.len() / 30;
    (0..width).map(|column| values.iter().skip(column).step_by(width).copied().collect()).collect()
}

#[test]
fn formats_requested_later_are_written_from_existing_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join("results").join(name);
    let body = "fields = ['g_d', 'g_dd', 'g_nd']\n[[body]]\nblock = { x = [0.0, 100.0], y = [0.0, 200.0], z = [-200.0, 40.0], density = 300.0 }";
    let problem = CELLS.replace("BODY", body);
    run(folder.path(), &problem, &["output.formats=['csv', 'netcdf', 'esri', 'npy', 'ubc']", "output.pictures=true"]);
    let files =
        ["gravity.csv", "gravity.nc", "gravity.npy", "g_d_mgal.asc", "gravity.grv", "gravity.png", "gradient.png"];
    let bytes = |name: &str| std::fs::read(at(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let expected = files.map(bytes);
    assert!(
        column(&results(folder.path()), "g_nd_eotvos").iter().any(|value| value.is_nan()),
        "some points are on edges"
    );
    // The record reports missing values.
    let record = std::fs::read_to_string(at("run.json")).expect("a record");
    for words in
        ["on faces, edges or corners", "g_nd_eotvos has no value (NaN)", "UBC-GIF files do not support missing values"]
    {
        assert!(record.contains(words), "{words}: {record}");
    }
    for known in ["csv", "netcdf"] {
        run(folder.path(), &problem, &[&format!("output.formats=['{known}']")]);
        let report = again(folder.path(), "['csv', 'netcdf', 'esri', 'npy', 'ubc']");
        assert!(report.was_complete && report.warnings.iter().all(|warning| !warning.contains("anew")), "{report:?}");
        for (name, expected) in
            files.iter().zip(&expected).filter(|(name, _)| !name.ends_with(".nc") && !name.ends_with(".npy"))
        {
            assert!(&bytes(name) == expected, "{name}, from {known}");
        }
        assert!(report.files.iter().any(|file| file == "gravity.grv"), "{report:?}");
        // Arrays are compared by value, since NaN has several bit patterns.
        let table = results(folder.path());
        let array = npy_with_gaps(&at("gravity.npy"));
        table.names.iter().zip(&array).for_each(|(name, values)| same(&column(&table, name), values, name));
        let warns = |words: &str| report.warnings.iter().any(|warning| warning.contains(words));
        assert!(
            warns("g_nd_eotvos has no value (NaN)") && warns("UBC-GIF files do not support missing values"),
            "{report:?}"
        );
        // Removed files are restored when their format is requested again.
        let remove = |name: &str| std::fs::remove_file(at(name)).expect("removed");
        ["gravity.grv", "gravity.npy"].into_iter().for_each(remove);
        assert!(again(folder.path(), "['csv', 'npy']").was_complete && !at("gravity.grv").exists());
        remove("gravity.png");
        assert!(again(folder.path(), "['csv', 'ubc']").was_complete);
        assert!(bytes("gravity.grv") == expected[4] && bytes("gravity.png") == expected[5]);
    }
}

#[test]
fn sums_without_a_csv_or_netcdf_file_are_recomputed_with_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let body = "fields = ['g_d']\n[[body]]\nblock = { x = [0.0, 100.0], y = [0.0, 200.0], z = [-200.0, -40.0], density = 300.0 }";
    run(folder.path(), &CELLS.replace("BODY", body), &["output.formats=['csv']"]);
    let table = || std::fs::read(folder.path().join("results/gravity.csv")).expect("a table");
    let expected = table();
    run(folder.path(), &CELLS.replace("BODY", body), &["output.formats=['npy']"]);
    let report = again(folder.path(), "['npy', 'csv']");
    assert!(
        !report.was_complete && report.warnings.iter().any(|warning| warning.contains(": Craton recomputes the sums")),
        "{report:?}"
    );
    assert!(table() == expected);
}

#[test]
fn changed_results_are_recomputed_before_other_formats_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join("results").join(name);
    let body = "fields = ['g_d']\n[[body]]\nblock = { x = [0.0, 100.0], y = [0.0, 200.0], z = [-200.0, -40.0], density = 300.0 }";
    let problem = CELLS.replace("BODY", body);
    let changed = |change: &dyn Fn(String) -> String| {
        run(folder.path(), &problem, &[]);
        let expected = std::fs::read_to_string(at("gravity.csv")).expect("results");
        std::fs::write(at("gravity.csv"), change(expected.clone())).expect("written");
        let report = again(folder.path(), "['csv', 'npy']");
        assert!(!report.was_complete, "{report:?}");
        assert!(std::fs::read_to_string(at("gravity.csv")).expect("results") == expected);
        let table = results(folder.path());
        same(table.columns.last().expect("g_d"), &npy_with_gaps(&at("gravity.npy"))[3], "g_d");
        let warning = report.warnings.into_iter().find(|warning| warning.contains(": Craton recomputes the sums"));
        warning.unwrap_or_else(|| panic!("no warning about a changed table"))
    };
    let expected = "results are missing, and gravity.csv has been changed: Craton recomputes the sums";
    assert_eq!(changed(&|table| table.replacen(",0.", ",9.", 1)), expected);
    assert_eq!(changed(&|table| table.lines().take(20).map(|line| format!("{line}\n")).collect()), expected);
    // Records of earlier versions have no hashes.
    run(folder.path(), &problem, &[]);
    let record = std::fs::read_to_string(at("run.json")).expect("a record");
    std::fs::write(at("run.json"), record.replace("result_hashes", "others")).expect("written");
    let warnings = again(folder.path(), "['csv', 'npy']").warnings;
    assert!(
        warnings.iter().any(|warning| warning.contains("it is unknown whether gravity.csv has been changed")),
        "{warnings:?}"
    );
    // A changed table is ignored if the netCDF file is unchanged.
    run(folder.path(), &problem, &["output.formats=['csv', 'netcdf']"]);
    std::fs::write(at("gravity.csv"), "x_m,y_m,z_m,g_d_mgal\n").expect("written");
    let report = again(folder.path(), "['csv', 'netcdf', 'npy']");
    assert!(report.was_complete && results(folder.path()).columns[0].len() == 30, "{report:?}");
    // Complete results do not need the journal.
    std::fs::remove_dir_all(at("journal")).expect("a journal");
    assert!(again(folder.path(), "['csv', 'netcdf', 'npy']").was_complete);
}

/// Runs the same problem again with these formats and with pictures.
fn again(folder: &Path, formats: &str) -> GravityReport {
    let directory = format!("output.directory='{}'", folder.join("results").display());
    let overrides = vec![directory, format!("output.formats={formats}"), "output.pictures=true".to_owned()];
    let options = RunOptions { overrides, ..RunOptions::default() };
    gravity(&folder.join("it.toml"), &options).unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn upward_and_downward_components_share_one_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("results/gradient.png");
    let body = "[[body]]\nblock = { x = [0.0, 90.0], y = [0.0, 200.0], z = [-200.0, -40.0], density = 300.0 }";
    for fields in ["'g_uu', 'g_dd'", "'g_ee', 'g_en', 'g_eu', 'g_ed', 'g_nn', 'g_nu', 'g_nd', 'g_uu', 'g_dd'"] {
        let problem = format!("fields = [{fields}]{}", CELLS.replace("BODY", body));
        run(folder.path(), &problem, &["output.pictures=true"]);
        assert!(picture.exists(), "{fields}");
    }
}
