//! Smooth surfaces over columns.

use std::f64::consts::PI;

use craton_device::{Isa, Workers};
use craton_gravity::{
    Field, Fields, GRAVITATIONAL_CONSTANT, GravityError, Points, Prism, Prisms, Relief, Surface, forward,
};

use crate::common::{attraction, difference, tensor};

/// Grid points from `first` on.
fn axis(first: f64, step: f64, count: usize) -> Vec<f64> {
    (0..count).map(|n| first + step * n as f64).collect()
}

/// A body of 2670 kg/m³ between a level and a surface, summed as prisms and corrected.
struct Body {
    relief: Relief,
    prisms: Prisms,
}

impl Body {
    fn new(x: Vec<f64>, y: Vec<f64>, bottom: f64, surface: impl Fn(f64, f64) -> f64) -> Self {
        let heights = y.iter().flat_map(|&y| x.iter().map(move |&x| [x, y])).map(|[x, y]| surface(x, y)).collect();
        let edges = |points: &[f64]| {
            let last = points.len() - 1;
            let mut edges = vec![1.5 * points[0] - 0.5 * points[1]];
            edges.extend(points.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])));
            edges.push(1.5 * points[last] - 0.5 * points[last - 1]);
            edges
        };
        let (xs, ys, count) = (edges(&x), edges(&y), x.len());
        let relief = Relief::new(x, y, heights).unwrap();
        let columns = relief.columns();
        let relief = relief.with_bases(vec![bottom; columns]).unwrap();
        let prism = |column: usize| {
            let (i, j) = (column % count, column / count);
            let [west, east, south, north] = [xs[i], xs[i + 1], ys[j], ys[j + 1]];
            Prism { west, east, south, north, bottom, top: relief.flat()[column], density: 2670.0 }
        };
        let prisms = Prisms::new((0..columns).map(prism).filter(|prism| prism.top > prism.bottom)).unwrap();
        Self { relief, prisms }
    }

    /// All fields at points, and those of the flat columns alone.
    fn fields(&self, points: &[[f64; 3]]) -> Vec<[[f64; 10]; 2]> {
        let (workers, isa) = (Workers::new(Some(2)).unwrap(), Isa::detect());
        let places = Points::new(points.iter().copied()).unwrap();
        let density = vec![2670.0; self.relief.columns()];
        let flat = forward(&self.prisms, &places, Fields::ALL.leaving_out_edges(), &workers, isa);
        let more = self.relief.forward(&density, &places, Fields::ALL, &workers, isa).unwrap();
        let value = |point: usize| {
            let flat = Field::ALL.map(|field| flat.get(field).unwrap()[point]);
            let more = Field::ALL.map(|field| more.get(field).unwrap()[point]);
            [std::array::from_fn(|field| flat[field] + more[field]), flat]
        };
        (0..points.len()).map(value).collect()
    }
}

/// Errors of the attraction and the tensor, relative to the exact ones.
fn errors(fields: &[f64; 10], exact: &[f64; 9]) -> [f64; 2] {
    let mut all = [0.0; 10];
    all[1..].copy_from_slice(exact);
    let error = difference(fields, &all);
    [attraction(&error) / attraction(&all), tensor(&error) / tensor(&all)]
}

/// A plane that dips by 0.4 to the west. The exact fields are those of the polyhedron, in closed form over its faces with
/// 40 digits, with the limit from above on the surface.
#[test]
fn stations_on_a_dipping_plane() {
    let body = Body::new(axis(0.0, 50.0, 21), axis(-300.0, 50.0, 13), -100.0, |x, _| 100.0 + 0.4 * x);
    let at = |x: f64, y: f64, above: f64| [x, y, 100.0 + 0.4 * x + above];
    // Inside a column, at a grid point, at the corner of columns just above and just below the surface, near the edge, and between columns.
    let points = [
        at(487.3, 12.1, 0.0),
        at(500.0, 0.0, 0.0),
        at(525.0, 25.0, 1e-3),
        at(487.3, 12.1, -1e-3),
        at(487.3, 12.1, 5.0),
        at(487.3, 12.1, -5.0),
        at(30.0, 280.0, 0.0),
        at(725.0, -25.0, 0.0),
    ];
    for (point, ([fields, _], exact)) in body.fields(&points).iter().zip(&PLANE).enumerate() {
        let [g, t] = errors(fields, exact);
        assert!(g < 3e-7 && t < 6e-7, "point {point}: {g:e}, {t:e}");
    }
}

#[rustfmt::skip]
const PLANE: [[f64; 9]; 8] = [
    [0.000112787126268629, -6.20730156582238e-6, -0.000251867261188339, -6.96902481104484e-8, -6.36869439926731e-9, -3.88625684094099e-7, -5.13174499182771e-7, 1.36999290432899e-8, 5.82864747293219e-7],
    [0.000109926176040954, 2.09477571950008e-45, -0.000253889341728058, -7.698825482397e-8, 0.0, -3.86099158853621e-7, -5.13718268135238e-7, 0.0, 5.90706522959286e-7],
    [0.000103829668175764, -1.28727977352942e-5, -0.000257123566206244, -9.17408400749804e-8, -1.20139572210201e-8, -3.80748090366867e-7, -5.15652556385498e-7, 2.9261669783348e-8, 6.07393396460479e-7],
    [0.000112786742696495, -6.20731526573693e-6, -0.000251865913557757, -3.7856936969418e-7, -6.3686946095882e-9, 3.83571633776603e-7, -5.1317563376907e-7, 1.36999000462876e-8, -1.3476301178876e-6],
    [0.000110856496329087, -6.13845011447624e-6, -0.000248964618911755, -7.07062962180581e-8, -6.36582687284684e-9, -3.83626270494445e-7, -5.07472503171965e-7, 1.38385229224152e-8, 5.78178799390023e-7],
    [0.000110881759695425, -6.27542808213366e-6, -0.000245140649651144, -3.77530756579805e-7, -6.36793063790272e-9, 3.78574351650445e-7, -5.18816607906026e-7, 1.35485423594327e-8, -1.34302775686501e-6],
    [0.00015235905214427, -0.000105480818919353, -9.49617261839974e-5, 4.90826498108848e-8, -4.3204133777703e-7, -6.30377349127164e-7, -5.23465287456556e-7, 3.73411218216025e-7, 4.74382637645671e-7],
    [4.16850959439494e-5, 1.19769399496739e-5, -0.000272606922138577, -2.70527506726553e-7, 2.55095561972086e-9, -3.00274463230642e-7, -4.79894449750654e-7, -3.12861474413526e-8, 7.50421956477207e-7],
];

/// A Gaussian hill 400 m high with a standard deviation of 500 m above a level bottom, on a grid of `step`; its three stations on the ground.
fn hill(step: f64) -> (Body, [[f64; 3]; 3]) {
    let height = |x: f64, y: f64| 400.0 * (-(x * x + y * y) / 5e5).exp();
    let half = (3000.0 / step).round() as usize;
    let points = axis(-step * half as f64, step, 2 * half + 1);
    let body = Body::new(points.clone(), points, 0.0, height);
    let points = [[0.0, 0.0], [300.0, -150.0], [287.3, 411.9]].map(|[x, y]| [x, y, body.relief.height(x, y).unwrap()]);
    (body, points)
}

#[test]
fn stations_on_a_gaussian_hill() {
    let mut before = [f64::INFINITY; 2];
    for step in [50.0, 25.0, 12.5] {
        let (body, points) = hill(step);
        let mut worst = [0.0_f64; 2];
        for ([fields, flat], exact) in body.fields(&points).iter().zip(&HILL) {
            let error = errors(fields, exact);
            worst = [worst[0].max(error[0]), worst[1].max(error[1])];
            assert!(errors(flat, exact)[0] > 20.0 * error[0]);
        }
        // What remains is the interpolation, of third order in the tensor; the attraction reaches the error of the point masses.
        let is_less = worst[0] < (before[0] / 6.0).max(1e-7) && worst[1] < before[1] / 7.0;
        assert!(is_less, "{step} m: {worst:?} after {before:?}");
        before = worst;
    }
    assert!(before[0] < 1e-7 && before[1] < 1e-6, "{before:?}");
}

/// A cone 400 m high with a radius of 1000 m. At its apex the attraction is 2πGρh (1 - cos α); elsewhere it is an integral over rings of elliptic integrals.
#[test]
fn stations_on_a_cone() {
    let height = |x: f64, y: f64| (400.0 - 0.4 * x.hypot(y)).max(0.0);
    let exact = [
        (0.0, 0.0, -2.8153841608436e-4),
        (437.5, -1.5571977038169e-4, -1.9196209395775e-4),
        (612.3, -1.702778757421e-4, -1.3185501397997e-4),
    ];
    let points = axis(-1050.0, 5.0, 421);
    let body = Body::new(points.clone(), points, 0.0, height);
    let stations = exact.map(|(x, _, _)| [x, 0.0, height(x, 0.0)]);
    for ([fields, _], (x, east, up)) in body.fields(&stations).iter().zip(exact) {
        let error = (fields[1] - east).hypot(fields[3] - up) / f64::hypot(east, up);
        // The interpolation rounds the apex over a column: by 0.4 times a twentieth of the spacing, which attracts as a slab.
        let limit = if x == 0.0 { 1e-3 } else { 1e-6 };
        assert!(error < limit, "x = {x}: {error:e}");
    }
}

#[test]
fn the_tensor_jumps_across_the_surface_as_it_must() {
    let (body, [_, on, _]) = hill(25.0);
    // Also at the corner of four columns, and on the edge between two.
    for [x, y] in [[on[0], on[1]], [312.5, -137.5], [300.0, 262.5]] {
        let z = body.relief.height(x, y).unwrap();
        let [above, at, below] = [0.002, 0.0, -0.002].map(|step| body.fields(&[[x, y, z + step]])[0][0]);
        let slope = |step: [f64; 2]| {
            let height = |sign: f64| body.relief.height(x + sign * step[0], y + sign * step[1]).unwrap();
            (height(1.0) - height(-1.0)) / (2.0 * step[0].hypot(step[1]))
        };
        let normal = [-slope([1e-3, 0.0]), -slope([0.0, 1e-3]), 1.0];
        let over = 1.0 / normal.iter().map(|n| n * n).sum::<f64>();
        let pairs = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];
        let unit = 4.0 * PI * GRAVITATIONAL_CONSTANT * 2670.0;
        for (component, [i, j]) in pairs.into_iter().enumerate() {
            let jump = above[4 + component] - below[4 + component];
            let expected = unit * normal[i] * normal[j] * over;
            assert!((jump - expected).abs() < 1e-5 * unit, "{component} at {x}, {y}: {jump:e} instead of {expected:e}");
            assert!((at[4 + component] - above[4 + component]).abs() < 1e-5 * unit);
        }
        let trace = |fields: &[f64; 10]| fields[4] + fields[7] + fields[9];
        assert!(trace(&at).abs() < 1e-6 * unit && (trace(&below) + unit).abs() < 1e-6 * unit);
        assert!(attraction(&difference(&above, &below)) < 0.005 * unit);
    }
}

#[test]
fn the_surface_is_that_of_its_relief() {
    let (x, y) = (vec![0.0, 1.0, 3.0, 4.0, 4.5, 7.0, 9.0], axis(-3.0, 2.0, 6));
    // Polynomials of third degree are reproduced away from the ends.
    let height = |x: f64, y: f64| 2.0 + x * (0.3 - 0.1 * x * (1.0 - 0.05 * x)) + 0.07 * y * y * (y - 2.0);
    let heights: Vec<f64> = y.iter().flat_map(|&y| x.iter().map(move |&x| height(x, y))).collect();
    let surface = Surface::new(x.clone(), y.clone(), heights.clone()).unwrap();
    let relief = Relief::new(x, y, heights).unwrap();
    for [x, y] in [[3.3, 1.5], [4.4, 2.9], [4.0, 1.0], [3.999, 2.1]] {
        assert!((surface.height(x, y).unwrap() - height(x, y)).abs() < 1e-12, "{x}, {y}");
    }
    for [x, y] in [[-0.4, -3.9], [9.5, 7.9], [0.2, 6.0], [5.1, -2.0]] {
        assert_eq!(surface.height(x, y), relief.height(x, y));
    }
    assert_eq!([surface.height(-0.6, 0.0), surface.height(0.0, 8.1)], [None; 2]);
}

#[test]
fn transpose_is_the_adjoint_of_forward() {
    let uneven: Vec<f64> = (0..24).map(|n| 20.0 * f64::from(n) + 3.0 * f64::from(n * n)).collect();
    let height = |x: f64, y: f64| 60.0 * (x / 700.0).sin() * (y / 500.0).cos() + 0.03 * x;
    let heights = uneven.iter().flat_map(|&y| uneven.iter().map(move |&x| height(x, y))).collect();
    let relief = Relief::new(uneven.clone(), uneven, heights).unwrap().within(15);
    let (workers, isa) = (Workers::new(Some(2)).unwrap(), Isa::detect());
    let some = |n: usize| ((n * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
    let density: Vec<f64> = (0..relief.columns()).map(|n| 2000.0 + 1000.0 * some(n)).collect();
    let place = |n: usize| {
        let [x, y] = [some(3 * n) * 1800.0 + 900.0, some(5 * n + 1) * 1800.0 + 900.0];
        [x, y, relief.height(x, y).unwrap_or(20.0) + [0.0, 2.0, 700.0][n % 3]]
    };
    let points = Points::new((0..40).map(place)).unwrap();
    let gravity = relief.forward(&density, &points, Fields::ALL, &workers, isa).unwrap();
    for field in Field::ALL {
        let weights: Vec<f64> = (0..40).map(|n| some(11 * n)).collect();
        let back = relief.transpose(&points, &[(field, &weights)], &workers, isa).unwrap();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (one, other) = (dot(gravity.get(field).unwrap(), &weights), dot(&back, &density));
        let size = dot(&gravity.get(field).unwrap().iter().map(|v| v.abs()).collect::<Vec<_>>(), &vec![1.0; 40]);
        assert!((one - other).abs() < 1e-11 * size, "{field:?}: {one:e} and {other:e}");
    }
    let single = relief.forward(&density, &points, Fields::ALL, &Workers::new(Some(1)).unwrap(), isa).unwrap();
    assert!(single == gravity, "results depend on the number of threads");
}

/// The same tilted plane on an uneven grid.
#[test]
fn uneven_spacing_reproduces_a_plane() {
    let x = vec![
        0.0, 50.0, 100.0, 130.0, 190.0, 200.0, 260.0, 350.0, 400.0, 430.0, 470.0, 510.0, 530.0, 600.0, 660.0, 740.0,
        800.0, 860.0, 900.0, 950.0, 1000.0,
    ];
    let plane = |x: f64, _: f64| 100.0 + 0.4 * x;
    let body = Body::new(x, axis(-300.0, 50.0, 13), -100.0, plane);
    let [fields, _] = body.fields(&[[487.3, 12.1, plane(487.3, 0.0)]])[0];
    let [g, t] = errors(&fields, &PLANE[0]);
    assert!(g < 3e-7 && t < 6e-7, "{g:e}, {t:e}");
}

#[test]
fn invalid_surfaces_are_rejected() {
    let refusal = |x: [f64; 2], heights: Vec<f64>| {
        Relief::new(x.to_vec(), vec![0.0, 1.0], heights).err().expect("refused").to_string()
    };
    assert!(matches!(
        Relief::new(vec![0.0, 1.0], vec![0.0, 1.0], vec![1.0, 1.0, 1.0, f64::NAN]),
        Err(GravityError::HeightNotFinite { point: [1, 1], .. })
    ));
    assert!(refusal([1.0, 1.0], vec![0.0; 4]).starts_with("along x: coordinate 1 of 2"));
    assert!(refusal([0.0, 1.0], vec![0.0; 3]).contains("3 heights"));
    let relief = Relief::new(vec![0.0, 1.0], vec![0.0, 1.0], vec![0.0; 4]).unwrap();
    let refused = relief.with_bases(vec![0.0]).err().expect("refused");
    assert!(matches!(refused, GravityError::Count { what: "bases", .. }), "{refused}");
}

/// Rock above the sea and water below it: the ground is clamped to either side of z = 0.
#[test]
fn a_clamped_surface_has_the_mass_on_its_side() {
    let points = axis(0.0, 10.0, 41);
    let heights: Vec<f64> = (0..41 * 41).map(|n| 0.3 * f64::from(n % 41 - 20) + 1.0).collect();
    let land = vec![[0.0, f64::INFINITY]; 41 * 41];
    let sea = vec![[f64::NEG_INFINITY, 0.0]; 41 * 41];
    let whole = Relief::new(points.clone(), points.clone(), heights.clone()).unwrap();
    let parts =
        [land, sea].map(|range| Relief::clamped(points.clone(), points.clone(), heights.clone(), range).unwrap());
    let volume = |relief: &Relief| relief.flat().iter().sum::<f64>();
    let [land, sea] = parts.each_ref().map(volume);
    assert!((land + sea - volume(&whole)).abs() < 1e-3 * land && land > 0.0 && sea < 0.0);
    let [above, below] = parts.each_ref().map(|part| [part.height(123.0, 70.0), part.height(333.0, 70.0)]);
    assert!(above[0] == Some(0.0) && below[1] == Some(0.0) && above[1] == whole.height(333.0, 70.0));
}

#[rustfmt::skip]
const HILL: [[f64; 9]; 3] = [
    [0.0, 0.0, -3.225212086286e-4, -5.149517169846e-7, 0.0, 0.0, -5.149517169846e-7, 0.0, 1.029903433969e-6],
    [-1.326583174656e-4, 6.632915873281e-5, -2.636459023035e-4, -1.476596847073e-7, -1.472673534224e-7, 4.867496342809e-7, -3.685607148409e-7, -2.433748171405e-7, 5.162203995481e-7],
    [-1.051432089570e-4, -1.507430830817e-4, -2.032210277712e-4, -2.045255699574e-7, 2.314618893710e-7, 2.878592571894e-7, -3.412480586517e-8, 4.127018031198e-7, 2.386503758225e-7],
];
