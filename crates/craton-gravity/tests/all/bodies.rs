//! Bodies made of prisms: balls, meshes, layers.

use std::f64::consts::PI;

use craton_gravity::{DensityLaw, Filling, GravityError, Layer, Prism, Prisms, TensorMesh, ball, overlaps};

fn volume(prism: &Prism) -> f64 {
    prism.bounds().iter().map(|[low, high]| high - low).product()
}

fn mass(prisms: impl Iterator<Item = Prism>) -> f64 {
    prisms.map(|prism| prism.density * volume(&prism)).sum()
}

#[test]
fn a_ball_has_its_volume_and_its_cells_lie_on_one_lattice() {
    let cells: Vec<_> = ball([30.0, -70.0, -900.0], 600.0, 50.0, 300.0).collect();
    let expected = 4.0 / 3.0 * PI * 600.0_f64.powi(3) * 300.0;
    assert!((mass(cells.iter().copied()) / expected - 1.0).abs() < 0.01, "{}", mass(cells.into_iter()) / expected);
    for cell in ball([30.0, -70.0, -900.0], 600.0, 50.0, 300.0) {
        assert_eq!([cell.west % 50.0, cell.south % 50.0, cell.top % 50.0], [0.0; 3]);
        let middle = [cell.west + 25.0 - 30.0, cell.south + 25.0 + 70.0, cell.bottom + 25.0 + 900.0];
        assert!(middle.iter().map(|offset| offset * offset).sum::<f64>() <= 600.0_f64.powi(2));
    }
}

#[test]
fn a_mesh_gives_its_full_cells_as_prisms() {
    let planes = [vec![0.0, 10.0, 30.0], vec![-5.0, 5.0], vec![-40.0, -20.0, 0.0]];
    let mesh = TensorMesh::new(planes.clone(), vec![1.0, 0.0, 3.0, 4.0]).unwrap();
    let prisms: Vec<_> = mesh.prisms().collect();
    assert_eq!(prisms.len(), 3);
    let second = Prism { west: 0.0, east: 10.0, south: -5.0, north: 5.0, bottom: -20.0, top: 0.0, density: 3.0 };
    assert_eq!(prisms[1], second);
    let refused = TensorMesh::new(planes.clone(), vec![1.0; 5]).unwrap_err();
    assert_eq!(refused.to_string(), "there are 5 densities, but 4 cells; give exactly one for each");
    let refused = TensorMesh::new(planes, vec![1.0, 2.0, f64::NAN, 4.0]).unwrap_err();
    assert!(matches!(refused, GravityError::CellNotFinite { cell: [0, 0, 1], .. }), "{refused}");
    let refused = TensorMesh::new([vec![0.0, 1.0], vec![0.0, 2.0, 2.0], vec![0.0, 1.0]], vec![1.0; 2]).unwrap_err();
    assert!(matches!(refused, GravityError::Planes { axis: "y", plane: 1, count: 3 }), "{refused}");
}

#[test]
fn slices_of_a_linear_law_have_its_moment() {
    let points = vec![0.0, 100.0];
    let layer = Layer::new(points.clone(), points, vec![500.0; 4], vec![-1000.0; 4]).unwrap();
    for slices in [2, 3, 10] {
        let law = DensityLaw::Polynomial(vec![2400.0, 0.3]);
        let filling = Filling { law, datum: Some(500.0), inverted: None, slices };
        // Of a column of unit area, with respect to its top.
        let moment =
            |prism: Prism| prism.density * (prism.top - prism.bottom) * (500.0 - 0.5 * (prism.top + prism.bottom));
        let found: f64 = layer.prisms(&filling).take(slices).map(moment).sum();
        let expected = 2400.0 * 1500.0_f64.powi(2) / 2.0 + 0.3 * 1500.0_f64.powi(3) / 3.0;
        assert!((found / expected - 1.0).abs() < 1e-12, "{slices} slices: {found}, not {expected}");
    }
}

#[test]
fn slices_of_a_layer_have_the_mass_of_the_density_law() {
    let laws = [
        (DensityLaw::Polynomial(vec![-500.0, 0.2, -1e-5]), -500.0 * 3e3 + 0.1 * 9e6 - 1e-5 / 3.0 * 27e9),
        (
            DensityLaw::Exponential { shallow: -600.0, deep: -50.0, scale: 800.0 },
            -50.0 * 3e3 - 550.0 * 800.0 * (1.0 - (-3.75_f64).exp()),
        ),
        (DensityLaw::Constant(-400.0), -400.0 * 3e3),
    ];
    let points = vec![0.0, 100.0, 200.0];
    let layer = Layer::new(points.clone(), points, vec![500.0; 9], vec![-2500.0; 9]).unwrap();
    for (law, expected) in laws {
        for slices in [1, 7, 64] {
            let filling = Filling { law: law.clone(), datum: None, inverted: None, slices };
            let prisms: Vec<_> = layer.prisms(&filling).collect();
            assert_eq!(prisms.len(), 9 * slices);
            let mass = mass(prisms.into_iter()) / 9e4;
            assert!((mass / expected - 1.0).abs() < 1e-12, "{law:?}, {slices} slices: {mass} instead of {expected}");
        }
    }
}

#[test]
fn inverted_columns_have_their_own_density_or_none() {
    let layer = Layer::new(vec![0.0, 2.0], vec![0.0, 3.0], vec![10.0, -4.0, 0.0, 7.0], vec![0.0; 4]).unwrap();
    assert_eq!(layer.inverted(), 1);
    let mut filling = Filling { law: DensityLaw::Constant(2670.0), datum: None, inverted: None, slices: 2 };
    // Columns of 10 and 7 m in slices of at most 5 m.
    assert_eq!(layer.prisms(&filling).count(), 4);
    filling.inverted = Some(-1630.0);
    let prisms: Vec<_> = layer.prisms(&filling).collect();
    assert_eq!(prisms.len(), 5);
    let sea = Prism { west: 1.0, east: 3.0, south: -1.5, north: 1.5, bottom: -4.0, top: 0.0, density: -1630.0 };
    assert_eq!(prisms[2], sea);
    let inside = [[0.5, 0.0, 9.0], [1.0, 2.0, 6.0]];
    // The first one is in the sea.
    let outside =
        [[1.5, 0.0, -3.0], [1.5, 0.0, 1.0], [3.5, 0.0, -3.0], [0.5, 0.0, 11.0], [0.5, 2.0, 0.0], [-1.5, 0.0, 5.0]];
    assert!(inside.iter().all(|&place| layer.holds(place)));
    assert!(!outside.iter().any(|&place| layer.holds(place)));
}

#[test]
fn invalid_layers_are_rejected() {
    let refusal = |x: [f64; 2], top: [f64; 4]| {
        Layer::new(x.to_vec(), vec![0.0, 1.0], top.to_vec(), vec![0.0; 4]).expect_err("refused").to_string()
    };
    assert_eq!(
        refusal([0.0, 1.0], [1.0, 1.0, 1.0, f64::NAN]),
        "top: the height at grid point [1, 1] (x, y, counted from 0) is NaN, but must be finite; fill the gap or crop the grid"
    );
    let message = "along x: coordinate 1 of 2 is not followed by a larger one; give at least two finite coordinates in ascending order";
    assert_eq!(refusal([0.0, f64::INFINITY], [1.0; 4]), message);
    assert_eq!(refusal([1.0, 1.0], [1.0; 4]), message);
}

#[test]
fn overlapping_prisms_are_found_and_touching_ones_are_not() {
    // A mesh of thin cells far from the origin, whose planes are rounded.
    let plane = |count: usize, first: f64, step: f64| (0..=count).map(|n| first + n as f64 * step).collect::<Vec<_>>();
    let planes = [plane(40, 512_345.1, 33.3), plane(30, 4_987_654.3, 71.7), plane(10, -900.0, 0.1)];
    let mesh = TensorMesh::new(planes, vec![1.0; 12_000]).unwrap();
    let mut prisms: Vec<_> = mesh.prisms().collect();
    assert_eq!(overlaps(&Prisms::new(prisms.iter().copied()).unwrap(), 10), <[[usize; 2]; 0]>::default());
    let inside = Prism { west: 512_350.0, east: 512_351.0, south: 4_987_660.0, north: 4_987_661.0, ..prisms[0] };
    let across = Prism { east: prisms[777].east + 0.5, ..prisms[777] };
    prisms.extend([inside, across]);
    let found = overlaps(&Prisms::new(prisms.iter().copied()).unwrap(), 10);
    assert_eq!(found, [[0, 12_000], [777, 12_001], [778, 12_001]]);
    let twice = Prisms::new(prisms.iter().chain(&prisms).copied()).unwrap();
    let by_threads = |threads| craton_device::Workers::new(Some(threads)).unwrap().run(|| overlaps(&twice, 3));
    assert!(by_threads(1) == by_threads(3) && by_threads(1).len() == 3);
    assert_eq!(overlaps(&Prisms::new(vec![prisms[5]; 500]).unwrap(), 7).len(), 7);
}

#[test]
fn inverted_columns_hold_no_points_and_need_no_density_law() {
    let points = vec![0.0, 100.0];
    let layer = Layer::new(points.clone(), points, vec![-50.0, 80.0, 30.0, -10.0], vec![0.0; 4]).unwrap();
    assert!(!layer.holds([0.0, 0.0, -20.0]), "in the sea");
    assert!(layer.holds([100.0, 0.0, 20.0]) && !layer.holds([100.0, 0.0, -20.0]));
    assert_eq!(layer.depths(None), Some([0.0, 80.0]));
    assert_eq!(layer.depths(Some(100.0)), Some([20.0, 100.0]));
    let sea = Layer::new(vec![0.0, 1.0], vec![0.0, 1.0], vec![-9.0; 4], vec![0.0; 4]).unwrap();
    assert_eq!(sea.depths(None), None);
    // Equal densities give exactly that density, however far from the datum.
    let law = DensityLaw::Exponential { shallow: 300.0, deep: 300.0, scale: 1.0 };
    assert_eq!([law.at(-1e4), law.mean(-1e4, -9e3)], [300.0; 2]);
}

#[test]
fn prisms_from_columns_equal_prisms_from_rows() {
    let row = |n: i32| {
        let x = f64::from(n);
        Prism { west: x, east: x + 2.0, south: -x, north: 1.0, bottom: -3.0 * x, top: 5.0, density: x - 7.0 }
    };
    let rows: Vec<Prism> = (0..1000).map(row).collect();
    let columns = |rows: &[Prism]| {
        let column = |of: fn(&Prism) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
        [
            column(|p| p.west),
            column(|p| p.east),
            column(|p| p.south),
            column(|p| p.north),
            column(|p| p.bottom),
            column(|p| p.top),
            column(|p| p.density),
        ]
    };
    let expected = Prisms::new(rows.iter().copied()).unwrap();
    let mut found = Prisms::default();
    found.append_columns(columns(&rows[..400])).unwrap();
    found.append_columns(columns(&rows[400..])).unwrap();
    assert_eq!(found, expected);
    let planes = [vec![0.0, 1.0, 3.0, 4.0], vec![-5.0, 2.0, 9.0], vec![-8.0, -1.5, 0.0]];
    let mesh = TensorMesh::new(planes, (0..12).map(|cell| f64::from(cell % 5)).collect()).unwrap();
    let mut cells = Prisms::default();
    cells.append_columns(mesh.columns()).unwrap();
    assert_eq!((cells.len(), cells), (9, Prisms::try_from(&mesh).unwrap()));
    assert_eq!(found.extent(0..1000), [[0.0, 1001.0], [-999.0, 1.0], [-2997.0, 5.0]]);
    assert_eq!(found.extent(3..5), [[3.0, 6.0], [-4.0, 1.0], [-12.0, 5.0]]);
    // The first of several invalid prisms is reported, and nothing is appended.
    let mut bad = rows.clone();
    (bad[700].east, bad[333].top, bad[990].density) = (0.0, -999.0, f64::NAN);
    let refused = found.append_columns(columns(&bad)).unwrap_err();
    assert!(matches!(refused, GravityError::Empty { prism: 333, low_name: "bottom", .. }), "{refused}");
    let mut short = columns(&rows);
    short[2].pop();
    let refused = found.append_columns(short).unwrap_err();
    assert!(matches!(refused, GravityError::Count { given: 999, expected: 1000, .. }), "{refused}");
    assert_eq!(found, expected);
}

#[test]
fn layers_know_the_number_of_their_prisms() {
    let axis = |count: usize| (0..count).map(|n| n as f64).collect::<Vec<f64>>();
    let top = (0..30).map(|n| f64::from(n % 7) * 33.3 - 40.0).collect();
    let layer = Layer::new(axis(6), axis(5), top, vec![0.0; 30]).unwrap();
    for slices in [1, 7, 64] {
        for inverted in [None, Some(-1640.0)] {
            let law = DensityLaw::Exponential { shallow: 2200.0, deep: 2700.0, scale: 50.0 };
            let filling = Filling { law, datum: None, inverted, slices };
            assert_eq!(layer.count(&filling), layer.prisms(&filling).count());
        }
    }
}
