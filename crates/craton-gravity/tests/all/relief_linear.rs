//! Smooth surfaces over columns whose density is a linear function of depth.

use std::f64::consts::PI;

use craton_device::{Isa, Workers};
use craton_gravity::{
    DensityLaw, Field, Fields, Filling, GRAVITATIONAL_CONSTANT, Layer, Points, Prisms, Relief, Slices, SmoothLayer,
    forward,
};

use crate::common::{attraction, difference, tensor};

/// All fields at points of a Gaussian hill 400 m high with a standard deviation of 500 m, 2400 kg/m³ at its summit and 0.3 kg/m³ per metre of depth, above a
/// level bottom: a grid of 12.5 m, 40 spacings per standard deviation, in slices of the given number.
fn fields(points: &[[f64; 3]], slices: usize, datum: Option<f64>) -> Vec<[f64; 10]> {
    let axis: Vec<f64> = (0..481).map(|n| 12.5 * f64::from(n) - 3000.0).collect();
    let height = |x: f64, y: f64| 400.0 * (-(x * x + y * y) / 5e5).exp();
    let heights: Vec<f64> = axis.iter().flat_map(|&y| axis.iter().map(move |&x| height(x, y))).collect();
    let count = heights.len();
    let relief = Relief::clamped(axis.clone(), axis.clone(), heights, vec![[0.0, f64::INFINITY]; count]).unwrap();
    let layer = Layer::new(axis.clone(), axis, relief.flat().to_vec(), vec![0.0; count]).unwrap();
    let law = DensityLaw::Polynomial(vec![2400.0, 0.3]);
    let filling = Filling { law, datum, inverted: None, slices };
    let prisms = Prisms::new(layer.prisms(&filling)).unwrap();
    let (workers, isa) = (Workers::new(Some(2)).unwrap(), Isa::detect());
    let places = Points::new(points.iter().copied()).unwrap();
    let slices = Slices::new(layer, filling, vec![false; count]).unwrap().expect("a linear density");
    let flat = forward(&prisms, &places, Fields::ALL.leaving_out_edges(), &workers, isa);
    let more = relief.forward_sliced_while(&slices, &places, Fields::ALL, &workers, isa, &|| true);
    let more = more.unwrap().expect("never cancelled");
    let value = |field: Field, point: usize| flat.get(field).unwrap()[point] + more.get(field).unwrap()[point];
    (0..points.len()).map(|point| Field::ALL.map(|field| value(field, point))).collect()
}

#[test]
fn a_hill_of_linear_density_has_the_field_of_a_quadrature() {
    let surface = |x: f64, y: f64| 400.0 * (-(x * x + y * y) / 5e5).exp();
    // A millimetre above the surface the tensor is its limit from above; the attraction on the surface follows from both.
    let ground = HILL.into_iter().filter(|row| row[2] == 1e-3).map(|mut row| {
        (0..3).for_each(|axis| row[3 + axis] -= 1e-3 * row[[8, 10, 11][axis]]);
        row[2] = 0.0;
        row
    });
    let rows: Vec<[f64; 12]> = HILL.into_iter().chain(ground).collect();
    let points: Vec<[f64; 3]> = rows.iter().map(|&[x, y, above, ..]| [x, y, surface(x, y) + above]).collect();
    let found = fields(&points, 32, Some(400.0));
    let mut worst = [0.0_f64; 2];
    for ((row, point), found) in rows.iter().zip(points).zip(&found) {
        let mut exact = [0.0; 10];
        exact[1..].copy_from_slice(&row[3..]);
        if row[2] < 0.0 {
            // The quadrature leaves out a vertical needle around the station.
            let inside = 2.0 * PI * GRAVITATIONAL_CONSTANT * (2400.0 + 0.3 * (400.0 - point[2]));
            (exact[4], exact[7]) = (exact[4] - inside, exact[7] - inside);
        }
        let error = difference(found, &exact);
        let error = [attraction(&error) / attraction(&exact), tensor(&error) / tensor(&exact)];
        worst = [worst[0].max(error[0]), worst[1].max(error[1])];
        assert!(error[0] < 1e-6 && error[1] < 2e-5, "{error:?} at {point:?}: {found:?}, not {exact:?}");
    }
    assert!(worst.iter().all(|&worst| worst > 1e-12), "{worst:?}: the comparison has no digits");
}

#[test]
fn slices_of_other_laws_and_inverted_columns_are_refused() {
    let axis = vec![0.0, 1.0, 2.0];
    let layer = |top: f64| Layer::new(axis.clone(), axis.clone(), vec![top; 9], vec![0.0; 9]).unwrap();
    let filling = |law: DensityLaw| Filling { law, datum: None, inverted: None, slices: 3 };
    let slices = |top: f64, law: DensityLaw, flags: usize| Slices::new(layer(top), filling(law), vec![false; flags]);
    let linear = || DensityLaw::Polynomial(vec![2400.0, 0.3]);
    assert!(slices(1.0, linear(), 9).unwrap().is_some());
    assert!(slices(-1.0, linear(), 9).unwrap().is_none());
    assert!(slices(1.0, DensityLaw::Polynomial(vec![2400.0, 0.3, 1e-3]), 9).unwrap().is_none());
    let message = slices(1.0, linear(), 8).err().expect("refused").to_string();
    assert!(message.contains("8 flags, but 9 columns"), "{message}");
}

#[test]
fn a_smooth_layer_has_an_exact_transpose() {
    let axis: Vec<f64> = (0..14).map(|n| 20.0 * f64::from(n) + 2.0 * f64::from(n * n)).collect();
    let height = |x: f64, y: f64| 60.0 * (x / 100.0).sin() * (y / 90.0).cos();
    let heights: Vec<f64> = axis.iter().flat_map(|&y| axis.iter().map(move |&x| height(x, y))).collect();
    let count = heights.len();
    let some = |n: usize| ((n * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
    // Level, uneven, and partly above the surface.
    let bottoms: [Vec<f64>; 3] =
        [vec![-100.0; count], (0..count).map(|n| -120.0 + 40.0 * some(n)).collect(), vec![0.0; count]];
    let (workers, isa) = (Workers::new(Some(2)).unwrap(), Isa::detect());
    for bottom in bottoms {
        let layer = SmoothLayer::new(axis.clone(), axis.clone(), heights.clone(), &bottom).unwrap().within(6);
        assert_eq!(layer.columns(), count);
        let density: Vec<f64> = (0..count).map(|n| 2000.0 + 1000.0 * some(n)).collect();
        // On the ground, at grid points and between them, and above it.
        let place = |n: usize| {
            let [x, y] = [axis[3 + n % 7] + [0.0, 7.0][n % 2], axis[2 + n % 5] + [0.0, 3.0][n % 2]];
            [x, y, height(x, y) + [0.0, 40.0, 0.0][n % 3]]
        };
        let points = Points::new((0..30).map(place)).unwrap();
        let gravity = layer.forward_while(&density, &points, Fields::ALL, &workers, isa, &|| true);
        let gravity = gravity.unwrap().expect("never cancelled");
        for field in Field::ALL {
            let weights: Vec<f64> = (0..30).map(|n| some(11 * n)).collect();
            let back = layer.transpose_while(&points, &[(field, &weights)], &workers, isa, &|| true);
            let back = back.unwrap().expect("never cancelled");
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let values = gravity.get(field).unwrap();
            let (one, other) = (dot(values, &weights), dot(&back, &density));
            let size = values.iter().map(|value| value.abs()).sum::<f64>();
            assert!((one - other).abs() < 1e-10 * size, "{field:?}: {one:e} and {other:e}");
        }
    }
    let refused = SmoothLayer::new(axis.clone(), axis, heights, &[0.0]).err().expect("refused").to_string();
    assert!(refused.contains("1 heights of the bottom"), "{refused}");
}

/// x, y, height above the surface, attraction and tensor: `validation/references/gravity/linear_hill.py`.
#[rustfmt::skip]
const HILL: [[f64; 12]; 9] = [
    [0.0, 0.0, 0.001, 0.0, 0.0, -2.9684725742e-04, -4.6927614490e-07, 0.0, 0.0, -4.6927614490e-07, 0.0, 9.3855228979e-07],
    [0.0, 0.0, 2.0, 0.0, 0.0, -2.9498105709e-04, -4.6430455478e-07, 0.0, 0.0, -4.6430455478e-07, 0.0, 9.2860910955e-07],
    [0.0, 0.0, -2.0, 0.0, 0.0, -2.9469611365e-04, 5.3885889255e-07, 0.0, 0.0, 5.3885889255e-07, 0.0, -1.0777177851e-06],
    [300.0, -150.0, 0.001, -1.2158170713e-04, 6.0790853563e-05, -2.4411110272e-04, -1.3941735963e-07, -1.3292749873e-07, 4.4391579557e-07, -3.3880860772e-07, -2.2195789779e-07, 4.7822596736e-07],
    [300.0, -150.0, 2.0, -1.2069803106e-04, 6.0349015528e-05, -2.4315666467e-04, -1.3995416493e-07, -1.3118630263e-07, 4.4020697265e-07, -3.3673361887e-07, -2.2010348633e-07, 4.7668778381e-07],
    [300.0, -150.0, -2.0, -1.2115358984e-04, 6.0576794919e-05, -2.4162901801e-04, 6.2662184598e-07, -6.8077629465e-09, -2.1408325040e-07, 6.1641020156e-07, 1.0704162520e-07, -1.2430320475e-06],
    [287.3, 411.9, 0.001, -9.6881231966e-05, -1.3889794447e-04, -1.8923632780e-04, -1.9030413759e-07, 2.1062189418e-07, 2.6514392929e-07, -3.5245644811e-08, 3.8013499643e-07, 2.2554978240e-07],
    [287.3, 411.9, 2.0, -9.6352572882e-05, -1.3814000964e-04, -1.8878521309e-04, -1.8974670925e-07, 2.0878294501e-07, 2.6378013873e-07, -3.6042039091e-08, 3.7817973945e-07, 2.2578874834e-07],
    [287.3, 411.9, -2.0, -9.6489936797e-05, -1.3833694733e-04, -1.8636106557e-04, 7.0972865734e-07, 2.7143203911e-08, -1.9547189925e-07, 7.2971131063e-07, -2.8024669440e-07, -1.4394399680e-06],
];
