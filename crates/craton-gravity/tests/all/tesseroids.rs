//! Tesseroids on a sphere.

use std::f64::consts::PI;

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, GRAVITATIONAL_CONSTANT, GravityError, Stations, Tesseroid, Tesseroids};

use crate::common::{attraction, difference, gravity, prism, tensor};

/// Mean radius of the Earth [m].
pub const EARTH: f64 = 6_371_000.0;

/// A global shell of cells.
fn shell(degrees: f64, [bottom, top]: [f64; 2], density: f64, gradient: f64) -> Tesseroids {
    let count = |range: f64| (range / degrees).round() as usize;
    let (columns, rows) = (count(360.0), count(180.0));
    let cell = |number: usize| {
        let [west, south] = [degrees * (number % columns) as f64, degrees * (number / columns) as f64 - 90.0];
        Tesseroid { west, east: west + degrees, south, north: south + degrees, bottom, top, density, gradient }
    };
    Tesseroids::new((0..columns * rows).map(cell)).unwrap()
}

/// All local fields at stations (longitude, latitude, radius).
fn fields(tesseroids: &Tesseroids, stations: &[[f64; 3]], accuracy: f64) -> Vec<[f64; 10]> {
    let (workers, isa) = (Workers::new(Some(2)).unwrap(), Isa::detect());
    let stations = Stations::new(stations.iter().copied()).unwrap();
    let gravity = tesseroids.forward(&stations, Fields::ALL, accuracy, &workers, isa);
    (0..stations.points().len()).map(|at| Field::ALL.map(|field| gravity.get(field).unwrap()[at])).collect()
}

/// Closed form of a shell at a radius outside it: a point mass.
fn outside(mass: f64, radius: f64) -> [f64; 10] {
    let over = GRAVITATIONAL_CONSTANT * mass / radius;
    let (g, t) = (over / radius, over / (radius * radius));
    [over, 0.0, 0.0, -g, -t, 0.0, 0.0, -t, 0.0, 2.0 * t]
}

fn errors(fields: &[f64; 10], exact: &[f64; 10]) -> [f64; 3] {
    let error = difference(fields, exact);
    [(error[0] / exact[0]).abs(), attraction(&error) / attraction(exact), tensor(&error) / tensor(exact)]
}

#[test]
fn a_shell_has_its_closed_form() {
    let (bottom, top) = (EARTH - 10_000.0, EARTH + 2000.0);
    let cubes = |from: f64, to: f64| to.powi(3) - from.powi(3);
    for (density, gradient) in [(2670.0, 0.0), (2670.0, -0.05)] {
        let tesseroids = shell(2.0, [bottom, top], density, gradient);
        let (middle, quartic) = (0.5 * (bottom + top), (top.powi(4) - bottom.powi(4)) / 4.0);
        let mass = 4.0 * PI * ((density - gradient * middle) * cubes(bottom, top) / 3.0 + gradient * quartic);
        // Far, above cells, near a corner of cells, at a pole, on the surface at a middle and at a corner.
        let stations = [
            [10.3, 47.9, EARTH + 250e3],
            [201.7, -33.1, EARTH + 4000.0],
            [60.0001, 30.0, EARTH + 2010.0],
            [0.0, 90.0, EARTH + 3000.0],
            [61.0, 31.0, top],
            [60.0, 30.0, top],
        ];
        for (fields, [lon, lat, radius]) in fields(&tesseroids, &stations, 1e-7).iter().zip(stations) {
            let exact = outside(mass, radius);
            let [v, g, _] = errors(fields, &exact);
            // The tensor of a thin shell is what remains of those of its cells.
            let t = tensor(&difference(fields, &exact)) / (4.0 * PI * GRAVITATIONAL_CONSTANT * density);
            assert!(v < 1e-7 && g < 2e-6 && t < 1e-4, "{lon} {lat} {radius}: {v:e} {g:e} {t:e}");
        }
        // Inside the shell there is no attraction.
        let inside = fields(&tesseroids, &[[45.3, -12.7, bottom - 20e3]], 1e-7)[0];
        let scale = GRAVITATIONAL_CONSTANT * mass / EARTH.powi(2);
        assert!(attraction(&inside) < 1e-5 * scale);
    }
}

/// Cells of 0.25 degrees with hills and hollows.
pub fn terrain(side: usize) -> Tesseroids {
    let height = |i: usize, j: usize| 2000.0 * (i as f64 * 0.3).sin() * (j as f64 * 0.4).cos() + 60.0;
    let cell = |number: usize| {
        let (i, j) = (number % side, number / side);
        let z = height(i, j);
        let [west, south] = [i, j].map(|n| 0.25 * n as f64);
        let density = if z > 0.0 { 2670.0 } else { -1640.0 };
        let [bottom, top] = [z.min(0.0), z.max(0.0)].map(|z| EARTH + z);
        Tesseroid {
            west,
            east: west + 0.25,
            south: 30.0 + south,
            north: 30.25 + south,
            bottom,
            top,
            density,
            gradient: 0.0,
        }
    };
    Tesseroids::new((0..side * side).map(cell)).unwrap()
}

#[test]
fn the_error_is_below_the_accuracy() {
    let tesseroids = terrain(60);
    let place = |n: usize| {
        let top = tesseroids.get(n * 71).top;
        let [west, south] = [tesseroids.get(n * 71).west, tesseroids.get(n * 71).south];
        [west + 0.125, south + 0.125, top.max(EARTH) + if n.is_multiple_of(2) { 0.0 } else { 9000.0 }]
    };
    let stations: Vec<_> = (0..50).map(place).collect();
    let exact = fields(&tesseroids, &stations, 0.0);
    for accuracy in [1e-3, 1e-5] {
        let sums = fields(&tesseroids, &stations, accuracy);
        for kind in [0..1, 1..4, 4..10] {
            let size = |fields: &[f64; 10]| fields[kind.clone()].iter().map(|f| f * f).sum::<f64>().sqrt();
            let peak = exact.iter().map(size).fold(0.0, f64::max);
            let worst = sums.iter().zip(&exact).map(|(a, b)| size(&difference(a, b))).fold(0.0, f64::max);
            assert!(worst < accuracy * peak, "{kind:?}: {:e} instead of {accuracy:e}", worst / peak);
        }
    }
}

#[test]
fn a_small_tesseroid_is_a_prism() {
    let size = 100.0 / EARTH.to_radians();
    let half = 0.5 * size;
    let cell = Tesseroid {
        west: 20.0 - half / 40.0_f64.to_radians().cos(),
        east: 20.0 + half / 40.0_f64.to_radians().cos(),
        south: 40.0 - half,
        north: 40.0 + half,
        bottom: EARTH - 100.0,
        top: EARTH,
        density: 1000.0,
        gradient: 0.0,
    };
    let tesseroids = Tesseroids::new([cell]).unwrap();
    let prism = prism([-50.0, 50.0, -50.0, 50.0, -100.0, 0.0], 1000.0);
    for [x, y, z] in
        [[0.0, 0.0, 1e-3], [30.0, -20.0, 5.0], [70.0, 10.0, -40.0], [10.0, 20.0, -30.0], [200.0, 150.0, 40.0]]
    {
        let [lon, lat] = [20.0 + x / EARTH.to_radians() / 40.0_f64.to_radians().cos(), 40.0 + y / EARTH.to_radians()];
        let own = fields(&tesseroids, &[[lon, lat, EARTH + z]], 0.0)[0];
        let [_, g, t] = errors(&own, &gravity(&[prism], &[[x, y, z]])[0]);
        // The faces converge by 2e-5 towards the pole and the centre, and within 250 m the sphere falls off by 2e-5 of the distance.
        assert!(g < 4e-5 && t < 1e-4, "{x}, {y}, {z}: {g:e}, {t:e}");
    }
}

#[test]
fn transpose_is_the_adjoint_of_forward() {
    let tesseroids = terrain(12);
    let place = |n: usize| [0.3 * n as f64 % 3.0, 30.0 + 0.17 * n as f64 % 3.0, EARTH + 2500.0 + 900.0 * n as f64];
    let stations = Stations::new((0..20).map(place)).unwrap();
    let (workers, isa) = (Workers::new(Some(2)).unwrap(), Isa::detect());
    let gravity = tesseroids.forward(&stations, Fields::ALL, 0.0, &workers, isa);
    for field in Field::ALL {
        let weights: Vec<f64> = (0..20).map(|n| ((n * 37 + 11) % 19) as f64 / 19.0 - 0.3).collect();
        let back = tesseroids.transpose(&stations, &[(field, &weights)], &workers, isa).unwrap();
        let values = gravity.get(field).unwrap();
        let one: f64 = values.iter().zip(&weights).map(|(value, weight)| value * weight).sum();
        let other: f64 = back.iter().enumerate().map(|(n, back)| back * tesseroids.get(n).density).sum();
        let size: f64 = values.iter().map(|value| value.abs()).sum();
        assert!((one - other).abs() < 1e-11 * size, "{field:?}: {one:e} and {other:e}");
    }
    let single = tesseroids.forward(&stations, Fields::ALL, 0.0, &Workers::new(Some(1)).unwrap(), isa);
    assert!(single == gravity, "results depend on the number of threads");
}

#[test]
fn selected_stations_keep_their_place_and_axes() {
    let (tesseroids, workers, isa) = (terrain(6), Workers::new(Some(1)).unwrap(), Isa::detect());
    let place = |n: usize| [0.3 * n as f64, 30.0 + 0.2 * n as f64, EARTH + 3000.0 + 500.0 * n as f64];
    let all = Stations::new((0..9).map(place)).unwrap();
    let some = all.select(&[7, 0, 4]);
    assert_eq!([0, 1, 2].map(|index| some.get(index)), [7, 0, 4].map(|index| all.get(index)));
    let [every, few] = [&all, &some].map(|stations| tesseroids.forward(stations, Fields::ALL, 0.0, &workers, isa));
    for field in Field::ALL {
        let (every, few) = (every.get(field).unwrap(), few.get(field).unwrap());
        let peak = every.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
        assert!(few.iter().zip([7, 0, 4]).all(|(value, index)| (value - every[index]).abs() <= 1e-12 * peak));
    }
}

#[test]
fn invalid_tesseroids_are_rejected() {
    let good = Tesseroid {
        west: 0.0,
        east: 1.0,
        south: 0.0,
        north: 1.0,
        bottom: 6e6,
        top: 6.1e6,
        density: 1.0,
        gradient: 0.0,
    };
    let refusal = |bad: Tesseroid| Tesseroids::new([good, bad]).expect_err("refused").to_string();
    assert_eq!(
        refusal(Tesseroid { north: 91.0, ..good }),
        "tesseroid 1: north is 91, but must be from -90 to 90; check its row"
    );
    assert!(refusal(Tesseroid { density: f64::NAN, ..good }).contains("density is NaN"));
    assert!(refusal(Tesseroid { top: 6e6, ..good }).contains("top must be larger"));
    assert!(refusal(Tesseroid { east: 361.0, ..good }).contains("east minus west is 361"));
    let refused = Stations::new([[0.0, -90.5, 6e6]]).unwrap_err();
    assert!(matches!(refused, GravityError::OfStation { station: 0, what: "latitude", .. }), "{refused}");
}
