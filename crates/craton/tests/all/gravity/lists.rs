//! Lists of prisms and points from other programs: other column names, and names of points.

use std::path::Path;

use craton_formats::netcdf::{self, DataType, Dataset, Dimension, NetcdfReader, Variable};

use super::{PRISM, column, refusal, results, run};

/// A prism and points from tables with other column names and densities in g/cm3.
const LISTS: &str = r#"
fields = ['g_d']
[[body]]
prisms = { file = "ore.csv", density_factor = 1000.0, columns = { west = "x_min", east = "x_max", density = "rho (g/cc)" } }
[points.list]
file = "stations.csv"
columns = { x = "Easting (m)", y = "Northing (m)", z = "height", name = "Station" }
[output]
directory = "results"
pictures = false
"#;
const ORE: &str = "id,x_min,x_max,south,north,bottom,top,rho (g/cc),remark\n7,-20,30,-15,10,-80,-30,1.0,\n";
const STATIONS: &str =
    "Station,Northing (m),Easting (m),height,seen\nBase 1,3,17,5,\n\"Hill, east\",100,200,30,2 May\n";

/// A scenario that shows snapshots and records nothing.
const WITHOUT_RECEIVERS: &str = r#"
duration = 1.0
[domain]
x = [0.0, 4e3]
y = [0.0, 4e3]
z = [-4e3, 0.0]
[model.layered]
layers = [{ vp = 3e3, vs = 1.7e3, rho = 2.3e3 }]
[[source]]
position = [2e3, 2e3, -2e3]
moment_tensor = { xx = 1e15, yy = 1e15, zz = 1e15 }
time_function.gaussian = { sigma = 0.3 }
[method.sem]
max_frequency = 1.0
[output]
directory = "results/box"
snapshots.surface = { every = 0.5 }
"#;

fn with_files(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).expect("written"));
    folder
}

#[test]
fn columns_with_other_names_are_read_and_results_contain_point_names() {
    let folder = with_files(&[("ore.csv", ORE), ("stations.csv", STATIONS)]);
    run(folder.path(), LISTS, &["output.formats=['csv', 'netcdf']"]);
    let found = std::fs::read_to_string(folder.path().join("results/gravity.csv")).expect("results");
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[0], "name,x_m,y_m,z_m,g_d_mgal");
    assert!(lines[1].starts_with("Base 1,17,3,5,") && lines[2].starts_with("\"Hill, east\",200,100,30,"), "{found}");
    let mut dataset = NetcdfReader::open(&folder.path().join("results/gravity.nc")).expect("results");
    let rows = "[[17.0, 3.0, 5.0], [200.0, 100.0, 30.0]]";
    run(folder.path(), &PRISM.replace("[[17.0, 3.0, 5.0]]", rows), &["fields=['g_d']"]);
    let expected = column(&results(folder.path()), "g_d_mgal");
    assert_eq!(dataset.values_f64("g_d_mgal").expect("a field"), expected);
    assert_eq!(dataset.texts("name").expect("names"), ["Base 1", "Hill, east"]);
    let known = craton_formats::table::parse_columns(&found, Path::new("gravity.csv"), &["g_d_mgal"]).expect("a table");
    assert_eq!(known.column("g_d_mgal"), Some(&expected[..]));
}

#[test]
fn netcdf_variables_may_have_other_names_and_contain_point_names() {
    let folder = with_files(&[("ore.csv", ORE)]);
    let variable = |name: &str, data_type, dimensions: &[usize]| {
        let dimensions = dimensions.to_vec();
        Variable { name: name.to_owned(), data_type, dimensions, attributes: Vec::new() }
    };
    let places = ["easting", "northing", "z"].map(|name| variable(name, DataType::F64, &[0]));
    let dataset = Dataset {
        dimensions: vec![Dimension::new("station", 2), Dimension::new("length", 3)],
        variables: places.into_iter().chain([variable("code", DataType::Char, &[0, 1])]).collect(),
        ..Dataset::default()
    };
    let values = [[17.0, 200.0], [3.0, 100.0], [5.0, 30.0]];
    netcdf::write(&folder.path().join("stations.nc"), &dataset, |slab| match values.get(slab.index()) {
        Some(places) => slab.write(places),
        None => slab.write(b"A1 B22"),
    })
    .expect("written");
    let columns = "points.list={ file = 'stations.nc', columns = { x = 'easting', y = 'northing', name = 'code' } }";
    run(folder.path(), LISTS, &[columns]);
    let found = std::fs::read_to_string(folder.path().join("results/gravity.csv")).expect("results");
    let lines: Vec<&str> = found.lines().skip(1).collect();
    assert!(lines[0].starts_with("A1,17,3,5,") && lines[1].starts_with("B22,200,100,30,"), "{found}");
}

#[test]
fn prisms_from_netcdf_equal_prisms_from_rows() {
    let folder = with_files(&[("stations.csv", STATIONS)]);
    let names = ["west", "east", "south", "north", "bottom", "top", "rho"];
    let variable = |name: &str| Variable {
        name: name.to_owned(),
        data_type: DataType::F64,
        dimensions: vec![0],
        attributes: Vec::new(),
    };
    let dataset = Dataset {
        dimensions: vec![Dimension::new("prism", 2)],
        variables: names.map(variable).to_vec(),
        ..Dataset::default()
    };
    let prisms = [[-20.0, 30.0, -15.0, 10.0, -80.0, -30.0, 1.0], [30.0, 60.5, -15.0, 10.0, -80.0, -29.0, -0.25]];
    netcdf::write(&folder.path().join("ore.nc"), &dataset, |slab| slab.write(&prisms.map(|prism| prism[slab.index()])))
        .expect("written");
    let file = "body=[{ prisms = { file = 'ore.nc', density_factor = 1000.0, columns.density = 'rho' } }]";
    let values = |bodies: &str| {
        run(folder.path(), LISTS, &[bodies]);
        std::fs::read_to_string(folder.path().join("results/gravity.csv")).expect("results")
    };
    let rows = "body=[{ prisms.rows = [[-20.0, 30.0, -15.0, 10.0, -80.0, -30.0, 1000.0], [30.0, 60.5, -15.0, 10.0, -80.0, -29.0, -250.0]] }]";
    assert_eq!(values(file), values(rows));
}

#[test]
fn missing_columns_are_reported_with_the_available_ones() {
    let refused = |wrong: &str, right: &str, files: &[(&str, &str)]| {
        let folder = with_files(files);
        let file = folder.path().join("it.toml");
        std::fs::write(&file, LISTS.replace(right, wrong)).expect("written");
        refusal(&file)
    };
    let files = [("ore.csv", ORE), ("stations.csv", STATIONS)];
    let bare = [("ore.csv", ORE), ("stations.csv", "17 3 5\n")];
    let semicolons = [("ore.csv", ORE), ("stations.csv", "Station;x;y;z\nA;17;3;5\n")];
    type Files<'a> = &'a [(&'a str, &'a str)];
    let cases: [(&str, &str, Files, &[&str]); 10] = [
        (
            "x = \"Easting\"",
            "x = \"Easting (m)\"",
            &files,
            &["it.toml:7:", "columns.x = \"Easting\"", "did you mean `Easting (m)`?"],
        ),
        ("", ", density = \"rho (g/cc)\"", &files, &["it.toml:4:", "has no column `density`", "columns = { density ="]),
        ("name = \"station\"", "name = \"Station\"", &files, &["columns.name = \"station\"", "`Station`", "`height`"]),
        ("height = \"z\"", "z = \"height\"", &files, &["columns.height", "unknown key", "`x`, `y`, `z`, `name`"]),
        ("z = \"Easting (m)\"", "z = \"height\"", &files, &["columns.z", "is also the column of `x`"]),
        (
            "z = \"seen\"",
            "z = \"height\"",
            &files,
            &["it.toml:7:", "columns.z = \"seen\": ", "stations.csv, line 2: seen = ``"],
        ),
        ("z = \"\"", "z = \"height\"", &files, &["columns.z = \"\"", "is empty"]),
        ("stations.npy", "stations.csv", &files, &["points.list.columns", "NumPy", "x, y, z"]),
        ("x_m", "x_m", &bare, &["columns.x", " has no column names", "first line"]),
        ("x_m", "x_m", &semicolons, &["line 1", "semicolons"]),
    ];
    for (wrong, right, files, words) in cases {
        let message = refused(wrong, right, files);
        words.iter().for_each(|word| assert!(message.contains(word), "{wrong}: `{word}` is not in\n{message}"));
    }
}

#[test]
fn columns_of_depths_are_refused() {
    let refused = |problem: &str, files: &[(&str, &str)]| {
        let folder = with_files(files);
        let file = folder.path().join("it.toml");
        std::fs::write(&file, problem).expect("written");
        refusal(&file)
    };
    for name in ["depth", "Depth_m", "TVD (m)", "z down"] {
        let table = format!("x,y,{name}\n17,3,5\n");
        let points = format!("file = 'p.csv'\ncolumns = {{ z = \"{name}\" }}");
        let message = refused(&PRISM.replace("rows = [[17.0, 3.0, 5.0]]", &points), &[("p.csv", &table)]);
        let expected =
            format!("points.list.columns.z = \"{name}\": holds heights, positive up, but its name means depth");
        assert!(message.contains(&expected) && message.contains("minus the depth"), "{message}");
    }
    let body = "block = { x = [-20.0, 30.0], y = [-15.0, 10.0], z = [-80.0, -30.0], density = 1000.0 }";
    let prisms = "prisms = { file = 'ore.csv', columns = { bottom = 'depth_bottom', top = 'depth_top' } }";
    let ore = "west,east,south,north,depth_bottom,depth_top,density\n-20,30,-15,10,80,30,1000\n";
    let message = refused(&PRISM.replace(body, prisms), &[("ore.csv", ore)]);
    assert!(message.contains("body[0].prisms.columns.bottom = \"depth_bottom\": holds heights"), "{message}");
    // A word that only contains one of them is a height.
    let table = "x,y,downtown\n17,3,5\n";
    let points = "file = 'p.csv'\ncolumns = { z = \"downtown\" }";
    let folder = with_files(&[("p.csv", table)]);
    run(folder.path(), &PRISM.replace("rows = [[17.0, 3.0, 5.0]]", points), &[]);
}

#[test]
fn ubc_points_with_another_file_ending_are_recognised() {
    let stations = ["2\n17 3 5\n20 3 5\n", "1 ! one\n17 3 5 0.25 0.01\n", "datacomp=xx\n1\n17 3 5 0.25\n"];
    for text in stations {
        let folder = with_files(&[("stations.obs", text)]);
        let problem = PRISM.replace("rows = [[17.0, 3.0, 5.0]]", "file = 'stations.obs'");
        let file = folder.path().join("it.toml");
        std::fs::write(&file, &problem).expect("written");
        let message = refusal(&file);
        assert!(
            message.contains("stations.obs") && message.contains("these are UBC-GIF points: set format = \"ubc\""),
            "{message}"
        );
        run(folder.path(), &problem, &["points.list.format='ubc'", "fields=['g_d']"]);
    }
    let folder = with_files(&[("stations.obs", "a b c\n17 3 5\n")]);
    std::fs::write(folder.path().join("it.toml"), PRISM.replace("rows = [[17.0, 3.0, 5.0]]", "file = 'stations.obs'"))
        .expect("written");
    let message = refusal(&folder.path().join("it.toml"));
    assert!(message.contains("has no column `x`") && !message.contains("ubc"), "{message}");
}

#[test]
fn lists_without_rows_are_refused_from_every_format() {
    let folder = with_files(&[("ore.csv", ORE), ("empty.csv", "x,y,z\n"), ("scenario.toml", WITHOUT_RECEIVERS)]);
    let variable = |name: &str| Variable {
        name: name.to_owned(),
        data_type: DataType::F64,
        dimensions: vec![0],
        attributes: Vec::new(),
    };
    let names = ["x", "y", "z", "west", "east", "south", "north", "bottom", "top", "density"];
    let dataset = Dataset {
        dimensions: vec![Dimension::unlimited("record", 0)],
        variables: names.into_iter().map(variable).collect(),
        ..Dataset::default()
    };
    netcdf::write(&folder.path().join("empty.nc"), &dataset, |slab| slab.write(&[0.0; 0])).expect("written");
    // x, y and z without records; see `craton-formats/tests/all/netcdf/samples/make.py`.
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../craton-formats/tests/all/netcdf/samples");
    std::fs::copy(samples.join("netcdf4_no_records_nc4.nc"), folder.path().join("empty4.nc")).expect("copied");
    let file = folder.path().join("it.toml");
    let list = "[points.list]\nrows = [[17.0, 3.0, 5.0]]";
    for (points, said) in [
        ("[points.list]\nfile = 'empty.csv'", "the table has no rows"),
        ("[points.list]\nfile = 'empty.nc'", "points.list.file = \"empty.nc\": has no rows"),
        ("[points.list]\nfile = 'empty4.nc'", "points.list.file = \"empty4.nc\": has no rows"),
        ("[points.list]\nfile = 'empty4.nc'\ncolumns.z = 'height'", "has no such column"),
        ("[points.list]\nrows = []", "points.list"),
        ("[points.receivers]\nfile = 'scenario.toml'", "points.receivers: has no points"),
    ] {
        std::fs::write(&file, PRISM.replace(list, points)).expect("written");
        assert!(refusal(&file).contains(said), "{}", refusal(&file));
    }
    let body = "[[body]]\nprisms.file = 'empty.nc'";
    std::fs::write(&file, format!("{body}\n{list}\n[output]\ndirectory = 'results'\n")).expect("written");
    assert!(refusal(&file).contains("prisms.file = \"empty.nc\": has no rows"), "{}", refusal(&file));
}

#[cfg(unix)]
#[test]
fn a_file_of_values_that_is_a_link_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let (results, outside) = (folder.path().join("results"), folder.path().join("mine"));
    std::fs::create_dir(&results).expect("a folder");
    std::fs::write(&outside, "mine").expect("written");
    std::os::unix::fs::symlink(&outside, results.join("gravity.values")).expect("a link");
    run(folder.path(), PRISM, &[]);
    assert_eq!(std::fs::read_to_string(&outside).expect("a file"), "mine");
}
