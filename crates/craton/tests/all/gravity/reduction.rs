//! Reduction of observed gravity.

use craton_gravity::{Ellipsoid, atmosphere, bouguer_slab, spherical_cap};

use super::{refusal, run};

/// A level terrain 300 m above the datum, and stations on it.
const PROBLEM: &str = r#"
fields = ["g_d"]
[[body]]
block = { x = [-50000.0, 60000.0], y = [-70000.0, 50000.0], z = [0.0, 300.0], density = 2670.0 }
[points.list]
file = "stations.csv"
columns = { name = "station" }
[reduction]
latitude = "latitude"
[output]
directory = "results"
pictures = false
"#;

/// The columns of the table after its head, by name.
fn table(folder: &std::path::Path) -> (String, Vec<String>, Vec<Vec<String>>) {
    let text = std::fs::read_to_string(folder.join("results/reduction.csv")).expect("the table");
    let (head, rows): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let split = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    (head.join("\n"), split(rows[0]), rows[1..].iter().map(|row| split(row)).collect())
}

fn value(table: &(String, Vec<String>, Vec<Vec<String>>), row: usize, name: &str) -> f64 {
    let column = table.1.iter().position(|known| known == name).unwrap_or_else(|| panic!("no {name} in {:?}", table.1));
    table.2[row][column].parse().expect("a number")
}

/// Gravity of a level terrain with an anomaly [m/s²].
fn gravity(latitude: f64, height: f64, anomaly: f64) -> f64 {
    Ellipsoid::GRS80.normal_gravity(latitude, height) + spherical_cap(height, 2670.0) + anomaly
}

/// Stations with anomalies of 12.5 and -3 mGal.
fn stations() -> String {
    let rows = [("A1", 1000.0, -2000.0, 45.25, 12.5e-5), ("B,2", -8000.0, 4000.0, 45.5, -3e-5)];
    let row = |(name, x, y, latitude, anomaly): (&str, f64, f64, f64, f64)| {
        format!("\"{name}\",{x},{y},300.0,{latitude},{:?}\n", 1e5 * gravity(latitude, 300.0, anomaly))
    };
    format!("station,x,y,z,latitude,gravity\n{}", rows.into_iter().map(row).collect::<String>())
}

#[test]
fn level_terrain_leaves_the_anomaly_without_a_correction() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("stations.csv"), stations()).expect("written");
    run(folder.path(), PROBLEM, &[]);
    let reduced = table(folder.path());
    assert!(
        reduced.0.contains("normal: closed form at height h, GRS80") && reduced.0.contains("G = 6.6743e-11"),
        "{}",
        reduced.0
    );
    assert_eq!((reduced.1[0].as_str(), reduced.2[0][0].as_str()), ("name", "A1"));
    for (row, anomaly) in [(0, 12.5)] {
        let correction = value(&reduced, row, "terrain_correction_mgal");
        assert!(correction.abs() < 1e-9, "{correction} mGal of a level terrain");
        for name in ["bouguer_anomaly_mgal", "complete_bouguer_anomaly_mgal"] {
            assert!((value(&reduced, row, name) - anomaly).abs() < 1e-8, "{name}: {}", value(&reduced, row, name));
        }
        let (slab, bent) = (bouguer_slab(300.0, 2670.0), spherical_cap(300.0, 2670.0));
        assert!((value(&reduced, row, "slab_mgal") - 1e5 * slab).abs() < 1e-9);
        assert!((value(&reduced, row, "curvature_mgal") - 1e5 * (bent - slab)).abs() < 1e-9);
        assert!((value(&reduced, row, "free_air_anomaly_mgal") - anomaly - 1e5 * bent).abs() < 1e-8);
    }
}

#[test]
fn options_of_a_reduction_change_their_terms() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("stations.csv"), stations().replace("\"B,2\"", "B2")).expect("written");
    let changes = [
        "reduction.ellipsoid='wgs84'",
        "reduction.curvature=false",
        "reduction.atmosphere=true",
        "reduction.datum=100.0",
        "output.units='si'",
    ];
    run(folder.path(), PROBLEM, &changes);
    let reduced = table(folder.path());
    assert_eq!(value(&reduced, 1, "curvature_m_per_s2"), 0.0);
    assert!((value(&reduced, 1, "normal_m_per_s2") / Ellipsoid::WGS84.normal_gravity(45.5, 300.0) - 1.0).abs() < 1e-14);
    assert!((value(&reduced, 1, "atmosphere_m_per_s2") / atmosphere(300.0) - 1.0).abs() < 1e-12);
    assert!((value(&reduced, 1, "slab_m_per_s2") / bouguer_slab(200.0, 2670.0) - 1.0).abs() < 1e-12);
    // The bodies still begin at z = 0: 100 m of rock too much.
    let correction = value(&reduced, 1, "terrain_correction_m_per_s2");
    assert!((correction / -bouguer_slab(100.0, 2670.0) - 1.0).abs() < 0.02, "{correction}");
}

#[test]
fn a_hill_and_a_valley_both_increase_the_anomaly() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("stations.csv"), stations()).expect("written");
    let hill =
        "[[body]]\nblock = { x = [1500.0, 2500.0], y = [-2500.0, -1500.0], z = [300.0, 500.0], density = 2670.0 }\n";
    let valley =
        "[[body]]\nblock = { x = [-500.0, 500.0], y = [-2500.0, -1500.0], z = [100.0, 300.0], density = -2670.0 }\n";
    for body in [hill, valley] {
        run(folder.path(), &PROBLEM.replacen("[points.list]", &format!("{body}[points.list]"), 1), &[]);
        let correction = value(&table(folder.path()), 0, "terrain_correction_mgal");
        assert!(correction > 0.1 && correction < 5.0, "{correction} mGal");
    }
}

#[test]
fn the_terrain_correction_extends_to_a_radius() {
    let folder = tempfile::tempdir().expect("a folder");
    // Level terrain but for a ridge 9 to 11 km from the station, and stations on the level part.
    let heights = (0..121 * 121).map(|n| {
        let [x, y] = [n % 121, n / 121].map(|n| 250.0 * f64::from(n) - 15_000.0);
        format!("{x} {y} {}\n", if (9000.0..11_000.0).contains(&x) { 800.0 } else { 300.0 })
    });
    std::fs::write(folder.path().join("top.xyz"), heights.collect::<String>()).expect("written");
    let rows = ["0.0,0.0", "-500.0,250.0"].map(|place| format!("s,{place},300.0,45.25,980500.0\n"));
    std::fs::write(folder.path().join("stations.csv"), format!("station,x,y,z,latitude,gravity\n{}", rows.concat()))
        .expect("written");
    let (start, end) = (PROBLEM.find("block").expect("a body"), PROBLEM.find("[points.list]").expect("points"));
    let layer = "layer = { top = 'top.xyz', bottom = 0.0, density.constant = 2670.0, tops = 'flat' }\n";
    let problem = format!("{}{layer}{}", &PROBLEM[..start], &PROBLEM[end..]);
    let correction = |radius: f64| {
        run(folder.path(), &problem, &[&format!("reduction.radius={radius:?}")]);
        let reduced = table(folder.path());
        let text = format!("columns with their centre within {radius} m");
        assert!(reduced.0.contains(&text), "{}", reduced.0);
        value(&reduced, 0, "terrain_correction_mgal")
    };
    // Within 8 km the terrain is level: what remains is the error of the distant ridge.
    assert!(correction(8000.0).abs() < 1e-4, "{} mGal", correction(8000.0));
    let ridge = correction(14_000.0);
    run(folder.path(), &problem, &[]);
    let all = value(&table(folder.path()), 0, "terrain_correction_mgal");
    assert!(ridge > 0.05 && ridge < all && ridge > 0.6 * all, "{ridge} of {all} mGal");
    let file = folder.path().join("it.toml");
    for (radius, expected) in [
        ("2000.0", "is too small for the columns of the terrain (allowed: at least 2500 m"),
        ("20e3", "reaches beyond the terrain at point 1 (counted from 0) (allowed: at most 14625 m"),
    ] {
        let at = "latitude = \"latitude\"";
        std::fs::write(&file, problem.replace(at, &format!("{at}\nradius = {radius}"))).expect("written");
        let message = refusal(&file);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn high_level_terrain_has_no_correction_within_ten_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    let heights = (0..61 * 61).map(|n| format!("{} {} 1500\n", 100 * (n % 61), 100 * (n / 61)));
    std::fs::write(folder.path().join("top.xyz"), heights.collect::<String>()).expect("written");
    // On a grid point, whose columns are also at the radius itself, on an edge of columns, and elsewhere.
    let rows = ["3000,3000", "2950,3100", "3011.5,2973.25"].map(|place| format!("s,{place},1500.0,45.25,980500.0\n"));
    std::fs::write(folder.path().join("stations.csv"), format!("station,x,y,z,latitude,gravity\n{}", rows.concat()))
        .expect("written");
    let (start, end) = (PROBLEM.find("block").expect("a body"), PROBLEM.find("[points.list]").expect("points"));
    for datum in [0.0, 1700.0] {
        // Below the datum the terrain is a lack of rock.
        let density = "density.constant = 2670.0, inverted_density = -2670.0";
        let layer = format!("layer = {{ top = 'top.xyz', bottom = {datum:?}, {density}, tops = 'flat' }}\n");
        let problem = format!("{}{layer}{}", &PROBLEM[..start], &PROBLEM[end..]);
        run(folder.path(), &problem, &["reduction.radius=1000.0", &format!("reduction.datum={datum:?}")]);
        let reduced = table(folder.path());
        for row in 0..rows.len() {
            let correction = value(&reduced, row, "terrain_correction_mgal");
            assert!(correction.abs() < 1e-3, "{correction} mGal at point {row} of a level terrain");
        }
    }
}

#[test]
fn stations_in_degrees_are_projected() {
    let folder = tempfile::tempdir().expect("a folder");
    let row = |longitude: f64, latitude: f64| {
        format!("s,{longitude},{latitude},300.0,{:?}\n", 1e5 * gravity(latitude, 300.0, 5e-5))
    };
    let rows = format!("station,longitude,latitude,z,gravity\n{}{}", row(7.0, 45.0), row(7.1, 45.05));
    std::fs::write(folder.path().join("stations.csv"), rows).expect("written");
    let problem = PROBLEM.replace("latitude = \"latitude\"", "").replace(
        "columns = { name = \"station\" }",
        "columns = { name = \"station\", x = \"longitude\", y = \"latitude\" }\nprojection.azimuthal.origin = { longitude = 7.0, latitude = 45.0 }",
    );
    run(folder.path(), &problem, &[]);
    let reduced = table(folder.path());
    assert!(value(&reduced, 0, "x_m").abs() < 1e-6 && (value(&reduced, 1, "x_m") - 7883.0).abs() < 10.0);
    assert_eq!(value(&reduced, 1, "latitude_deg"), 45.05);
    assert!((value(&reduced, 1, "complete_bouguer_anomaly_mgal") - 5.0).abs() < 1e-7);
}

#[test]
fn mistakes_in_reductions_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let stations = stations();
    let far = stations.replace("1000.0,-2000.0", "61000.0,-2000.0").replace("1000,-2000", "61000,-2000");
    let small = stations.replace(",98", ",8");
    for (stations, right, wrong, expected) in [
        (&stations, "fields = [\"g_d\"]", "fields = [\"g_dd\"]", "lack the attraction of the terrain"),
        (&stations, "latitude = \"latitude\"", "", "reduction.latitude"),
        (&stations, "latitude = \"latitude\"", "latitude = \"lat\"", "no column \"lat\""),
        (&stations, "latitude = \"latitude\"", "latitude = \"gravity\"", "has a latitude of"),
        (&stations, "latitude = \"latitude\"", "latitude = \"latitude\"\nobserved = \"g\"", "no column \"g\""),
        (&stations, "latitude = \"latitude\"", "latitude = \"latitude\"\nunit = \"si\"", "has an observed gravity of"),
        (&small, "", "", "has an observed gravity of"),
        (&far, "", "", "point 0 (counted from 0) at x = 61000"),
        (
            &stations,
            "file = \"stations.csv\"\ncolumns = { name = \"station\" }",
            "rows = [[0.0, 0.0, 300.0]]",
            "requires a file with the points",
        ),
    ] {
        std::fs::write(folder.path().join("stations.csv"), stations).expect("written");
        assert!(PROBLEM.contains(right));
        let file = folder.path().join("wrong.toml");
        std::fs::write(&file, PROBLEM.replacen(right, wrong, 1)).expect("written");
        let message = refusal(&file);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}
