//! LITHO1.0: profiles at the nodes of a tessellation, built here by bisecting the edges of an icosahedron.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use craton_formats::grid::litho1::{self, Boundary, Layer, Node};
use craton_formats::grid::{self, Unit};

use crate::common::assert_refused;

const PROFILE: &str = include_str!("../../../../xtask/corpus/litho1/profile");

fn normalised(vector: [f64; 3]) -> [f64; 3] {
    let length = vector.iter().map(|part| part * part).sum::<f64>().sqrt();
    vector.map(|part| part / length)
}

/// Nodes of a tessellation as latitude and longitude [degrees].
fn tessellation(level: usize) -> Vec<[f64; 2]> {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let mut nodes: Vec<[f64; 3]> = Vec::new();
    for [one, two] in signs {
        nodes.extend([[0.0, one, two * golden], [one, two * golden, 0.0], [two * golden, 0.0, one]].map(normalised));
    }
    let distance = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let is_edge = |a: usize, b: usize| distance(nodes[a], nodes[b]) < 1.2;
    let mut triangles = Vec::new();
    for (a, b, c) in (0..12).flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| (a, b, c)))) {
        if is_edge(a, b) && is_edge(b, c) && is_edge(a, c) {
            triangles.push([a, b, c]);
        }
    }
    for _ in 1..level {
        let mut middles = BTreeMap::new();
        let mut finer = Vec::new();
        for [a, b, c] in triangles {
            let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(one, two)| {
                *middles.entry((one.min(two), one.max(two))).or_insert_with(|| {
                    nodes.push(normalised(std::array::from_fn(|axis| nodes[one][axis] + nodes[two][axis])));
                    nodes.len() - 1
                })
            });
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    nodes.into_iter().map(|[x, y, z]| [z.asin().to_degrees(), y.atan2(x).to_degrees()]).collect()
}

fn node([latitude, longitude]: [f64; 2], moho: f64) -> Node {
    Node { latitude, longitude, boundaries: Vec::new(), moho }
}

/// A smooth Moho [m].
fn smooth(latitude: f64, longitude: f64) -> f64 {
    let (latitude, longitude) = (latitude.to_radians(), longitude.to_radians());
    -30_000.0 + 5000.0 * (2.0 * latitude).sin() * longitude.cos()
}

#[test]
fn a_profile_has_its_layers_and_the_moho() {
    let (boundaries, moho) = litho1::profile(PROFILE, Path::new("node1.model")).unwrap();
    assert_eq!((boundaries.len(), moho), (8, -31_500.0));
    let wanted = Boundary {
        layer: Layer::LowerCrust,
        is_top: false,
        elevation: -31_500.0,
        density: 2950.0,
        vp: 7000.0,
        vs: 3900.0,
    };
    assert_eq!(boundaries[2], wanted);
    assert_eq!((boundaries[7].layer, boundaries[7].is_top, boundaries[7].elevation), (Layer::Water, true, 250.0));
    let (_, moho) = litho1::profile(&PROFILE.replace("CRUST3", "M9"), Path::new("node1.model")).unwrap();
    assert_eq!(moho, -31_500.0);
}

#[test]
fn a_value_is_interpolated_within_the_triangle() {
    let constant: Vec<Node> = tessellation(3).into_iter().map(|place| node(place, -35_000.0)).collect();
    let grid = litho1::interpolated(&constant, |node| node.moho);
    assert!(grid.values.iter().all(|value| (value + 35_000.0).abs() < 1e-8));
    // The error of linear interpolation is of second order in the distance of the nodes.
    let errors = [4, 5, 6].map(|level| {
        let places = tessellation(level);
        let nodes: Vec<Node> = places.into_iter().map(|place| node(place, smooth(place[0], place[1]))).collect();
        let grid = litho1::interpolated(&nodes, |node| node.moho);
        let points = (0..180).flat_map(|j| (0..360).map(move |i| (i, j)));
        let error = |(i, j)| (grid.value(i, j) - smooth(grid.y[j], grid.x[i])).abs();
        points.map(error).fold(0.0, f64::max)
    });
    assert!(errors[0] < 150.0 && errors[1] < errors[0] / 3.5 && errors[2] < errors[1] / 3.5, "{errors:?}");
}

#[test]
fn the_published_files_give_the_moho_at_the_centres_of_cells() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("Icosahedron_Level3_LatLon_mod.txt");
    let mut lines = String::new();
    for (number, [latitude, longitude]) in (1..).zip(tessellation(3)) {
        lines += &format!("{latitude:.6} {:.6} {longitude:.6}\n", latitude * 0.99);
        let depth = format!("{:.0}.", -smooth(latitude, longitude));
        let profile = PROFILE.replace("31500.", &depth);
        fs::write(folder.path().join(format!("node{number}.model")), profile).unwrap();
    }
    fs::write(&list, &lines).unwrap();
    let (grid, unit) = grid::read(&list).unwrap();
    assert_eq!((grid.x.len(), grid.y.len(), unit), (360, 180, Some(Unit::Degrees)));
    assert_eq!([grid.x[0], grid.x[359], grid.y[0], grid.y[179]], [-179.5, 179.5, -89.5, 89.5]);
    let error = (grid.value(200, 120) - smooth(30.5, 20.5)).abs();
    assert!(error < 500.0, "{error}");
    fs::remove_file(folder.path().join("node162.model")).unwrap();
    assert_refused(litho1::read(&list), &["node162.model", "cannot read the file"]);
    let short: Vec<&str> = lines.lines().take(100).collect();
    fs::write(&list, short.join("\n")).unwrap();
    assert_refused(grid::read(&list), &["_mod.txt:101: the list has 100 nodes", "40962 nodes at level 7"]);
}

#[test]
fn invalid_lines_are_refused() {
    let profile = |text: &str| litho1::profile(text, Path::new("node1.model"));
    for (old, new, fragments) in [
        ("31500.  2950.00", "31500.", ["node1.model:5: boundary = `", "nine numbers and a name"]),
        ("-250.", "-25000.", ["node1.model:10: depth = `-25000.`", "a number from -20000 to 7000000"]),
        ("2800.00", "dense", ["node1.model:7: density = `dense`", "a number"]),
    ] {
        assert!(PROFILE.contains(old), "{old}");
        assert_refused(profile(&PROFILE.replacen(old, new, 1)), &fragments);
    }
    let start: Vec<&str> = PROFILE.lines().take(3).collect();
    assert_refused(profile(&start.join("\n")), &["node1.model:4: the profile has no Moho", "truncated"]);
    let places = |text: &str| litho1::places(text, Path::new("a.txt"));
    assert_refused(places("1 1 2\n91 90 2\n"), &["a.txt:2: latitude = `91`", "from -90 to 90"]);
    assert_refused(places("1 2\n"), &["a.txt:1: node = `1 2`", "latitude, latitude and longitude"]);
}
