//! Depths are measured from the top of the mesh; positions on interfaces belong to the region below.

use craton_mesh::Locator;

use super::in_elements::Placing;
use crate::inputs::{Given, Inputs};
use crate::meshing;
use crate::setup::Setup;
use crate::written::Scenario;

/// A hill of 400 m on a ground that elements of about a kilometre do not resolve, over an interface at z = -1 km.
fn hill(nodes: u32, receivers: &str) -> Setup {
    let text = format!(
        r#"
duration = 1.0
[domain]
x = [-4e3, 4e3]
y = [-4e3, 4e3]
z = [-8e3, 500.0]
topography = "hill"
[model.layered]
layers = [{{ vp = 3e3, vs = 1.7e3, rho = 2.3e3 }}, {{ top = -1e3, vp = 5e3, vs = 2.9e3, rho = 2.6e3 }}]
[[source]]
position = [0.0, 0.0, -2e3]
moment_tensor = {{ xz = 1e15 }}
time_function.gaussian = {{ sigma = 0.3 }}
[receivers]
stations = [{receivers}]
[method.sem]
max_frequency = 1.0
control_nodes = {nodes}
[output]
directory = "results"
"#
    );
    let axis: Vec<f64> = (0..41).map(|i| -4e3 + 200.0 * f64::from(i)).collect();
    let elevation = |x: f64, y: f64| 400.0 * (-(x * x + y * y) / 1.5e6).exp();
    let z: Vec<f64> = axis.iter().flat_map(|&y| axis.iter().map(move |&x| elevation(x, y))).collect();
    let inputs = Inputs::new().with("hill", Given::surface(axis.clone(), axis.clone(), z));
    Setup::new(&Scenario::from_toml(&text, ".", inputs).unwrap()).unwrap()
}

#[test]
fn positions_keep_their_depth_below_the_top_of_the_mesh() {
    let places = [[0.0, 0.0], [700.0, 900.0], [-1310.0, 420.0], [2000.0, -1999.0]];
    for nodes in [8, 27] {
        let setup = hill(nodes, r#"{ code = "XX.A", position = [0.0, 0.0, 0.0] }"#);
        let (mesh, _) = meshing::mesh(&setup, |_| Ok(())).unwrap();
        let locator = Locator::new(&mesh);
        let mut placing = Placing::new(&setup, &locator, &|_| true);
        let mut largest = 0.0_f64;
        for [x, y] in places {
            let ground = setup.model.surface().elevation(x, y);
            let top = locator.locate_on_surface([x, y, 0.0]).map(|top| mesh.position(top.element, top.xi)[2]).unwrap();
            largest = largest.max((top - ground).abs());
            for depth in [1e-6, 0.01, 1.0, 30.0, 250.0, ground + 999.0, 3e3, 7e3] {
                let place = placing.locate("XX.A", [x, y, ground - depth]).unwrap();
                let [found_x, found_y, z] = mesh.position(place.element, place.xi);
                assert!((found_x - x).abs() < 1e-3 && (found_y - y).abs() < 1e-3);
                // The shift decreases from the ground to the interface.
                let expected = (top - ground) * (1.0 - depth / (ground + 1e3)).max(0.0);
                assert!((z - (ground - depth) - expected).abs() < 2e-3, "{nodes} nodes, depth {depth}: z {z}");
                let region = setup.model.region_at([x, y, ground - depth]);
                assert_eq!(usize::from(mesh.region[place.element as usize]), region);
            }
        }
        let warning = placing.moved.warning("moves", "");
        assert_eq!(warning.is_some(), largest > 0.2, "{nodes} nodes: {largest} m, {warning:?}");
        assert!(nodes == 27 || largest > 5.0, "{largest}");
    }
}

#[test]
fn receivers_on_the_ground_are_reported_as_positions_just_below_it() {
    for nodes in [8, 27] {
        let setup = hill(nodes, r#"{ code = "XX.A", position = [0.0, 0.0, 0.0] }"#);
        let (mesh, _) = meshing::mesh(&setup, |_| Ok(())).unwrap();
        let locator = Locator::new(&mesh);
        let placing = || Placing::new(&setup, &locator, &|_| true);
        let mut reports = 0;
        for [x, y] in [[0.0, 0.0], [700.0, 900.0], [-1310.0, 420.0], [2000.0, -1999.0]] {
            let ground = setup.model.surface().elevation(x, y);
            let [mut on, mut below] = [placing(), placing()];
            let place = on.on_surface("XX.A", [x, y, ground]).unwrap();
            below.locate("XX.A", [x, y, ground - 1e-6]).unwrap();
            let report = on.moved.warning("moves", "");
            assert_eq!(report, below.moved.warning("moves", ""), "{nodes} nodes at {x}, {y}");
            let shift = (mesh.position(place.element, place.xi)[2] - ground).abs();
            assert!(report.is_some() || shift < 0.2, "{nodes} nodes at {x}, {y}: {shift} m");
            reports += usize::from(report.is_some());
        }
        assert!(nodes == 27 || reports > 1, "{reports}");
    }
}

#[test]
fn positions_on_interfaces_belong_to_the_region_below() {
    let depths: &[f64] = &[15e3, 24.4e3, 220e3, 400e3, 670e3];
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bolivia/bolivia.toml");
    let coarse = ["method.sem.max_frequency=0.003".to_owned(), "domain.chunk.widths=[40, 40]".to_owned()];
    let outside = ["receivers.outside=left_out".to_owned()];
    let setup = Setup::new(&Scenario::read(&file, &[&coarse[..], &outside].concat()).unwrap()).unwrap();
    let (mesh, _) = meshing::mesh(&setup, |_| Ok(())).unwrap();
    let locator = Locator::new(&mesh);
    let mut placing = Placing::new(&setup, &locator, &|_| true);
    for place in [[0.0, 0.0], [123_456.0, -98_765.0], [1.5e6, 1.1e6], [-2.1e6, 3e5]] {
        for &depth in depths {
            let position = [place[0], place[1], -depth];
            let found = placing.locate("S", position).unwrap();
            let tops = setup.model.regions().iter().filter(|region| region.top.elevation(place[0], place[1]) >= -depth);
            assert_eq!(usize::from(mesh.region[found.element as usize]), tops.count() - 1, "{place:?}, {depth} m");
        }
    }
    let box_setup = hill(8, r#"{ code = "XX.ON", position = [100.0, 0.0, -1e3] }"#);
    let note = box_setup.warnings.iter().find(|warning| warning.contains("XX.ON is on an interface of the model"));
    assert!(note.is_some_and(|note| note.contains("z = -1000.000 m")), "{:?}", box_setup.warnings);
}
