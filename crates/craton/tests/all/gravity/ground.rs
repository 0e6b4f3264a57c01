//! Layers with a smooth upper surface, and with a density for each column.

use craton_formats::netcdf::{self, Attribute, DataType, Dataset, Dimension, Variable};

use super::{assert_close, column, refusal, results, run};

/// A plane that dips by 0.4 to the west, from x = 0 to 1000 and y = -300 to 300 m, as lines `x y z`.
fn plane() -> String {
    let points = (0..21 * 13).map(|n| (50.0 * f64::from(n % 21), 50.0 * f64::from(n / 21) - 300.0));
    points.map(|(x, y)| format!("{x} {y} {}\n", 100.0 + 0.4 * x)).collect()
}

const PROBLEM: &str = "fields = ['g_e', 'g_u', 'g_uu', 'g_eu']
[[body]]
layer = { top = 'plane.xyz', bottom = -100.0, density.constant = 2670.0 }
[points.list]
rows = [[487.3, 12.1, 294.92], [500.0, 0.0, 300.0], [525.0, 25.0, 310.001]]
[output]
directory = 'results'
pictures = false
";

/// Fields of the polyhedron, as in the tests of `craton_gravity::Relief`: g_e and g_u [mGal], g_uu and g_eu [E].
const EXACT: [[f64; 4]; 3] = [
    [11.2787126268629, -25.1867261188339, 582.864747293219, -388.625684093951],
    [10.9926176040954, -25.3889341728058, 590.706522959286, -386.099158853621],
    [10.3829668175764, -25.7123566206244, 607.393396460479, -380.748090366867],
];

#[test]
fn stations_on_the_ground_have_the_fields_of_the_smooth_body() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("plane.xyz"), plane()).expect("written");
    // A limit from above needs no correction of the faces on which points lie.
    for method in ["", "method = { accuracy = 1e-6, path = 'tree' }\n"] {
        run(folder.path(), &format!("{method}{PROBLEM}"), &[]);
        let fields = results(folder.path());
        for (field, name) in ["g_e_mgal", "g_u_mgal", "g_uu_eotvos", "g_eu_eotvos"].into_iter().enumerate() {
            let peak = EXACT.iter().map(|exact| exact[field].abs()).fold(0.0, f64::max);
            for (value, exact) in column(&fields, name).into_iter().zip(EXACT) {
                let limit = if method.is_empty() { 1e-6 } else { 4e-6 };
                assert!((value - exact[field]).abs() < limit * peak, "{name}: {value} instead of {}", exact[field]);
            }
        }
    }
    let flat = PROBLEM.replace("bottom = -100.0,", "bottom = -100.0, tops = 'flat',");
    run(folder.path(), &flat, &[]);
    assert!((column(&results(folder.path()), "g_u_mgal")[0] - EXACT[0][1]).abs() > 0.01);
}

#[test]
fn a_level_surface_cannot_be_smooth() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("plane.xyz"), plane()).expect("written");
    let text =
        PROBLEM.replace("top = 'plane.xyz', bottom = -100.0,", "top = 900.0, bottom = 'plane.xyz', tops = 'smooth',");
    std::fs::write(folder.path().join("it.toml"), text).expect("written");
    let message = refusal(&folder.path().join("it.toml"));
    assert!(message.contains("tops") && message.contains("requires a file with the upper surface"), "{message}");
}

#[test]
fn densities_of_columns_come_from_a_grid_or_a_variable() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("plane.xyz"), plane()).expect("written");
    let far = PROBLEM.replace("294.92]", "5294.92]").replace("300.0]", "5300.0]").replace("310.001]", "5310.0]");
    run(folder.path(), &far, &[]);
    let expected = column(&results(folder.path()), "g_u_mgal");
    // In g/cm3: 2.67 in the east, and half of it in the west.
    let density = |n: usize| if n % 21 > 10 { 2.67 } else { 1.335 };
    let lines: String = plane()
        .lines()
        .enumerate()
        .map(|(n, line)| {
            let words: Vec<&str> = line.split(' ').collect();
            format!("{} {} {}\n", words[0], words[1], density(n))
        })
        .collect();
    std::fs::write(folder.path().join("density.xyz"), lines).expect("written");
    let of = |density: &str| far.replace("density.constant = 2670.0", density);
    run(folder.path(), &of("density.columns = { file = 'density.xyz', factor = 1000.0 }"), &[]);
    let uneven = column(&results(folder.path()), "g_u_mgal");
    assert!(uneven.iter().zip(&expected).all(|(a, b)| a / b > 0.6 && a / b < 0.9), "{uneven:?}, {expected:?}");
    let axis = |name: &str, dimension: usize| Variable {
        name: name.to_owned(),
        data_type: DataType::F64,
        dimensions: vec![dimension],
        attributes: vec![Attribute::text("units", "m")],
    };
    let values = |name: &str| Variable { dimensions: vec![1, 0], attributes: Vec::new(), ..axis(name, 0) };
    let dataset = Dataset {
        dimensions: vec![Dimension::new("x", 21), Dimension::new("y", 13)],
        variables: vec![axis("x", 0), axis("y", 1), values("other"), values("rho")],
        ..Dataset::default()
    };
    let x: Vec<f64> = (0..21).map(|n| 50.0 * f64::from(n)).collect();
    let y: Vec<f64> = (0..13).map(|n| 50.0 * f64::from(n) - 300.0).collect();
    let (other, rho) = (vec![0.0; 273], (0..273).map(|n| 1000.0 * density(n)).collect::<Vec<f64>>());
    let all = [x, y, other, rho];
    netcdf::write(&folder.path().join("density.nc"), &dataset, |slab| slab.write(&all[slab.index()])).expect("written");
    run(folder.path(), &of("density.columns = { file = 'density.nc', variable = 'rho' }"), &[]);
    for (value, expected) in column(&results(folder.path()), "g_u_mgal").into_iter().zip(uneven) {
        assert_close(value, expected, 1e-12);
    }
    let text = of("density.columns = { file = 'density.xyz', variable = 'rho' }");
    std::fs::write(folder.path().join("it.toml"), text).expect("written");
    let message = refusal(&folder.path().join("it.toml"));
    assert!(message.contains("is not a netCDF file"), "{message}");
}

#[test]
fn holes_are_air_or_filled() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, rows: &str| {
        let head = "ncols 4\nnrows 3\nxllcenter 0\nyllcenter 0\ncellsize 100\nNODATA_value -9999\n";
        std::fs::write(folder.path().join(name), format!("{head}{rows}")).expect("written");
    };
    write("whole.asc", "50 50 50 50\n50 50 50 50\n50 50 50 50\n");
    write("holes.asc", "50 50 50 50\n50 -9999 50 50\n50 50 50 50\n");
    let text = |body: &str| {
        format!(
            "fields = ['g_d']\n{body}\npoints.list.rows = [[100, 100, 90]]\noutput = {{ directory = 'results', pictures = false }}\n"
        )
    };
    let value = |body: &str| {
        run(folder.path(), &text(body), &[]);
        column(&results(folder.path()), "g_d_mgal")[0]
    };
    let layer = |file: &str, more: &str| {
        format!("body = [{{ layer = {{ top = '{file}', bottom = 0.0, density.constant = 2670.0 {more} }} }}]")
    };
    let whole = value(&layer("whole.asc", ""));
    let block = "{ block = { x = [50, 150], y = [50, 150], z = [0, 50], density = 2670 } }";
    let column = value(&format!("body = [{block}]"));
    for tops in ["", ", tops = 'flat'"] {
        assert_close(value(&layer("holes.asc", tops)), whole - column, 1e-9);
        assert_close(value(&layer("holes.asc", &format!("{tops}, holes = 'fill'"))), whole, 1e-12);
    }
    write("empty.asc", &"-9999 -9999 -9999 -9999\n".repeat(3));
    std::fs::write(folder.path().join("it.toml"), text(&layer("empty.asc", ""))).expect("written");
    let message = refusal(&folder.path().join("it.toml"));
    assert!(message.contains("all of its grid points are gaps"), "{message}");
}
