//! Warnings about solvable problems: depths given as heights, air and units of meshes, degrees, slices.

use craton::LookAhead;

use super::messages::checked;

/// A body of one block, with its ends along z.
fn block(z: [f64; 2]) -> String {
    format!("body = [{{ block = {{ x = [0.0, 100.0], y = [0.0, 100.0], z = {z:?}, density = 300.0 }} }}]")
}

/// The warning that contains `words`.
fn warning(ahead: &LookAhead, words: &str) -> Option<String> {
    ahead.warnings.iter().find(|warning| warning.contains(words)).cloned()
}

#[test]
fn points_below_all_bodies_cause_a_warning_that_z_is_up() {
    let warned = |z: [f64; 2], place: [f64; 3]| {
        warning(&checked(&format!("{}\npoints.list.rows = [{place:?}]", block(z)), &[]), "z is positive up")
    };
    let expected = "all points are below all bodies: the highest is at z = 0.5 m, the lowest bottom of a body at z = 20 m. z is positive up, so depths are negative";
    assert_eq!(warned([20.0, 80.0], [500.0, 50.0, 0.5]).as_deref(), Some(expected));
    assert!(warned([0.0, 80.0], [50.0, 50.0, 0.0]).is_some(), "a depth range that starts at the ground");
    assert_eq!(warned([0.0, 80.0], [500.0, 50.0, 0.0]), None, "next to a hill");
    assert_eq!(warned([-80.0, -20.0], [50.0, 50.0, 0.0]), None);
    assert_eq!(warned([-80.0, -20.0], [50.0, 50.0, -50.0]), None);
}

#[test]
fn warnings_about_air_and_units_of_meshes_name_the_key_to_set() {
    let check = |values: &str, keys: &str, expected: Option<&str>| {
        let files = [("cells.msh", "2 1 2\n0 0 0\n2*100\n1*100\n2*50\n"), ("cells.den", values)];
        let problem = format!(
            "body = [{{ ubc = {{ mesh = 'cells.msh', model = 'cells.den'{keys} }} }}]\npoints.list.rows = [[0.0, 0.0, 9.0]]"
        );
        let ahead = checked(&problem, &files);
        let found = warning(&ahead, "body[0].ubc");
        assert_eq!(ahead.warnings.len(), usize::from(expected.is_some()), "{ahead:?}");
        assert!(
            expected.is_none_or(|end| found.as_ref().is_some_and(|found| found.ends_with(end))),
            "{values}: {found:?}"
        );
    };
    check("-100\n0.1\n0.2\n0.3\n", "", None);
    check("nan\n0.1\nnan\n0.3\n", "", Some(": 2 cells of 4 have no value (NaN) and are treated as air"));
    check(
        "-100 0.1 -100 0.3",
        ", air = 1e-8",
        Some(
            "2 of 4 cells have the value -100, that is -100000 kg/m3, which exceeds the density of any rock: if these cells are air, set air = -100",
        ),
    );
    check("-99999 2.67 -99999 2.4", "", Some(": if these cells are air, set air = -99999"));
    check(
        "1e-8 0.1 1e-8 0.3",
        "",
        Some("2 of 4 cells have the value 1e-8, which is almost 0. If these cells are air, set air = 1e-8"),
    );
    check("1e-8 0.1 1e-8 0.3", ", air = 1e-8", None);
    check("-100 2670 -100 2400", "", Some(": for a model in kg/m3, set density_factor = 1"));
    check("0 300 0 300", "", Some(": for a model in kg/m3, set density_factor = 1"));
    check(
        "-99999 2670 2400 2670",
        "",
        Some(": if these cells are air, set air = -99999; for a model in kg/m3, set density_factor = 1"),
    );
    check(
        "500 2.67 500 2.4",
        "",
        Some(": if these cells are air, set air = 500; for a model in kg/m3, set density_factor = 1"),
    );
    check(
        "-100 2.67 -100 2.4",
        ", density_factor = 1.0",
        Some("is 2.67 kg/m3: for a model in g/cm3, set density_factor = 1000"),
    );
    check("-100 2670 -100 2400", ", density_factor = 1.0", None);
}

#[test]
fn columns_called_longitude_and_latitude_cause_a_warning() {
    let warned = |head: &str, row: &str, x: &str, y: &str| {
        let table = format!("{head}\n{row}\n");
        let list = format!("points.list = {{ file = 'p.csv', columns = {{ x = '{x}', y = '{y}' }} }}");
        warning(&checked(&format!("{}\n{list}", block([-80.0, -20.0])), &[("p.csv", &table)]), "look like degrees")
    };
    let expected = "points.list: the columns `Longitude` and `lat` look like degrees, but are interpreted in metres: project the coordinates first";
    assert_eq!(warned("Longitude,lat,z", "11.5,47.2,3", "Longitude", "lat").as_deref(), Some(expected));
    assert_eq!(warned("lon,lat,z", "611000,4712000,3", "lon", "lat"), None, "metres under a wrong name");
    assert_eq!(warned("lateral,along,z", "11.5,47.2,3", "lateral", "along"), None);
}

#[test]
fn warnings_about_slices_propose_a_sufficient_number() {
    let warned = |keys: &str, accuracy: f64| {
        let problem = format!(
            "body = [{{ layer = {{ top = 'top.xyz', bottom = -1500.0, {keys} density.exponential = {{ shallow = -600.0, scale = 300.0 }} }} }}]\n\
             points.list.rows = [[0.0, 0.0, 100.0]]\nmethod.accuracy = {accuracy:e}"
        );
        let files = [("top.xyz", "0 0 0\n1000 0 0\n0 1000 0\n1000 1000 0\n")];
        warning(&checked(&problem, &files), "The slicing error is about ")
    };
    for (keys, accuracy) in [("slices = 3,", 1e-5), ("slices = 5,", 1e-6)] {
        let advice = warned(keys, accuracy).expect("a warning");
        let number = advice.split("set slices = ").nth(1).and_then(|rest| rest.split(' ').next());
        let number = number.unwrap_or_else(|| panic!("{keys}: no number in {advice}"));
        assert_eq!(warned(&format!("slices = {number},"), accuracy), None, "{advice}");
    }
    let advice = warned("", 1e-12).expect("a warning");
    assert!(
        advice.contains("even 4096 slices have an error of about ")
            && advice.contains(". Request that accuracy, or use points farther from the layer"),
        "{advice}"
    );
}
