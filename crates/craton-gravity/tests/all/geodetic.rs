//! Tesseroids and stations in geodetic coordinates.

use std::f64::consts::PI;

use craton_device::{Isa, Workers};
use craton_gravity::{Ellipsoid, Field, Fields, GRAVITATIONAL_CONSTANT, GravityError, Stations, Tesseroid, Tesseroids};

const DENSITY: f64 = 3000.0;

/// Attraction along the axis of rotation and away from it of a homogeneous ellipsoid of revolution with semi-axes a > b, at an outer point.
///
/// With κ the largest root of x²/(a² + κ) + z²/(b² + κ) = 1, these are -2πGρ a²b times x ∫ du/((a² + u)² √(b² + u)) and z ∫ du/((a² + u) (b² + u)^(3/2)) from κ
/// on (Kellogg 1929, Foundations of Potential Theory, chapter VII), here with √(b² + u) as the variable.
fn of_ellipsoid([a, b]: [f64; 2], [x, z]: [f64; 2]) -> [f64; 2] {
    let focal2 = a * a - b * b;
    let (sum, c) = (x * x + z * z - focal2, focal2.sqrt());
    // The square of the semi-minor axis of the confocal ellipsoid through the point.
    let s = (0.5 * (sum + (sum * sum + 4.0 * focal2 * z * z).sqrt())).sqrt();
    let angle = (c / s).atan();
    let across = angle / c.powi(3) - s / (focal2 * (focal2 + s * s));
    let along = 2.0 / focal2 * (1.0 / s - angle / c);
    let scale = -2.0 * PI * GRAVITATIONAL_CONSTANT * DENSITY * a * a * b;
    [scale * x * across, scale * z * along]
}

/// Height above an ellipsoid of the surface of a smaller one, along the normal at a geodetic latitude.
fn height_of(inner: [f64; 2], ellipsoid: &Ellipsoid, latitude: f64) -> f64 {
    let [a, b] = inner;
    let place = ellipsoid.geocentric(latitude, 0.0);
    let (sin_place, cos_place) = place.latitude.to_radians().sin_cos();
    let [x, z] = [place.radius * cos_place, place.radius * sin_place];
    let (sin, cos) = latitude.to_radians().sin_cos();
    // (x + h cos)²/a² + (z + h sin)²/b² = 1.
    let square = (cos / a).powi(2) + (sin / b).powi(2);
    let half = x * cos / (a * a) + z * sin / (b * b);
    let rest = (x / a).powi(2) + (z / b).powi(2) - 1.0;
    -rest / (half + (half * half - square * rest).sqrt())
}

/// The shell between GRS80 and the ellipsoid with semi-axes of `inner`, as cells of some degrees.
fn shell(inner: [f64; 2], degrees: f64) -> Tesseroids {
    let [columns, rows] = [360.0, 180.0].map(|range| (range / degrees).round() as usize);
    let cell = |number: usize| {
        let [west, south] = [degrees * (number % columns) as f64, degrees * (number / columns) as f64 - 90.0];
        let bottom = height_of(inner, &Ellipsoid::GRS80, south + 0.5 * degrees);
        let (east, north) = (west + degrees, south + degrees);
        Tesseroid { west, east, south, north, bottom, top: 0.0, density: DENSITY, gradient: 0.0 }
    };
    Tesseroids::geodetic((0..columns * rows).map(cell), &Ellipsoid::GRS80).expect("sound cells")
}

#[test]
fn a_homogeneous_ellipsoidal_shell_has_its_closed_form() {
    let earth = Ellipsoid::GRS80;
    let outer = [earth.semimajor, earth.semiminor()];
    let inner = [outer[0] - 40_000.0, outer[1] - 30_000.0];
    let (workers, isa) = (Workers::new(Some(2)).expect("threads"), Isa::detect());
    let places =
        [[12.3, 47.1, 300e3], [200.0, -15.0, 300e3], [77.0, 88.9, 300e3], [-5.0, 0.0, 300e3], [33.3, -61.7, 1000e3]];
    let stations = Stations::geodetic(places, &earth).expect("sound stations");
    let mut before = f64::INFINITY;
    for degrees in [4.0, 2.0, 1.0] {
        let gravity = shell(inner, degrees).forward(&stations, Fields::ATTRACTION, 1e-8, &workers, isa);
        let mut worst = 0.0_f64;
        for (at, [_, latitude, height]) in places.into_iter().enumerate() {
            let place = earth.geocentric(latitude, height);
            let (sin_place, cos_place) = place.latitude.to_radians().sin_cos();
            let point = [place.radius * cos_place, place.radius * sin_place];
            let ([x1, z1], [x0, z0]) = (of_ellipsoid(outer, point), of_ellipsoid(inner, point));
            let (sin, cos) = latitude.to_radians().sin_cos();
            // Along the normal of the ellipsoid, and to the north.
            let [x, z] = [x1 - x0, z1 - z0];
            let exact = [0.0, z * cos - x * sin, x * cos + z * sin];
            let fields = [Field::East, Field::North, Field::Up].map(|field| gravity.get(field).expect("requested")[at]);
            let error = fields.iter().zip(exact).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            worst = worst.max(error / exact[1].hypot(exact[2]));
        }
        assert!(worst < before / 3.5, "cells of {degrees} degrees: {worst:e} after {before:e}");
        before = worst;
    }
    assert!(before < 1e-5, "{before:e}");
}

#[test]
fn the_volume_of_cells_is_that_of_the_ellipsoid() {
    let earth = Ellipsoid::WGS84;
    let volume = |[a, b]: [f64; 2]| 4.0 / 3.0 * PI * a * a * b;
    let inner = [earth.semimajor - 60_000.0, earth.semiminor() - 60_000.0];
    let exact = DENSITY * (volume([earth.semimajor, earth.semiminor()]) - volume(inner));
    // Cells between parallel surfaces: 60 km below the ellipsoid there is no ellipsoid, but at the poles and the equator both coincide.
    for degrees in [0.5, 9.0] {
        let count = (180.0 / degrees) as usize;
        let ring = |number: usize, bottom: f64, top: f64| {
            let south = degrees * number as f64 - 90.0;
            let north = south + degrees;
            Tesseroid { west: 0.0, east: 360.0, south, north, bottom, top, density: DENSITY, gradient: 0.0 }
        };
        let mass = |bottom: f64, top: f64| {
            let rings =
                Tesseroids::geodetic((0..count).map(|number| ring(number, bottom, top)), &earth).expect("sound");
            (0..count).map(|number| rings.get(number).mass()).sum::<f64>()
        };
        let parts = mass(-60_000.0, -20_000.0) + mass(-20_000.0, 0.0);
        assert!((mass(-60_000.0, 0.0) / parts - 1.0).abs() < 1e-12);
        assert!((parts / exact - 1.0).abs() < 1e-4, "{parts:e} {exact:e}");
        // A thin shell has the area of the ellipsoid.
        let e = (1.0 - (earth.semiminor() / earth.semimajor).powi(2)).sqrt();
        let area = 2.0 * PI * earth.semimajor.powi(2) * (1.0 + (1.0 - e * e) / e * e.atanh());
        assert!((mass(-0.5, 0.5) / (DENSITY * area) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn stations_are_at_their_cartesian_coordinates() {
    // WGS84: 47° N 11° E at 250 km; x, y, z by the formula of the prime vertical with 20 digits.
    let stations = Stations::geodetic([[0.0, 90.0, 100.0], [90.0, 0.0, -50.0], [11.0, 47.0, 250e3]], &Ellipsoid::WGS84)
        .expect("sound");
    let points = stations.points();
    let close = |point: [f64; 3], exact: [f64; 3]| point.iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(close(points.get(0), [0.0, 0.0, 6_356_852.314_245_18]), "{:?}", points.get(0));
    assert!(close(points.get(1), [0.0, 6_378_087.0, 0.0]), "{:?}", points.get(1));
    let [_, latitude, radius] = {
        let [x, y, z] = points.get(2);
        [y.atan2(x).to_degrees(), z.atan2(x.hypot(y)).to_degrees(), x.hypot(y).hypot(z)]
    };
    // As boule 0.6 converts it.
    assert!((latitude - 46.815).abs() < 5e-4 && (radius - 6_616_742.0).abs() < 1.0, "{latitude} {radius}");
    let refused = Stations::geodetic([[0.0, 0.0, -6.3e6]], &Ellipsoid::GRS80).expect_err("too deep");
    assert!(matches!(refused, GravityError::OfStation { what: "height", .. }), "{refused}");
}

#[test]
fn invalid_geodetic_cells_are_rejected() {
    let cell =
        Tesseroid { west: 0.0, east: 1.0, south: 0.0, north: 1.0, bottom: -1e3, top: 0.0, density: 1.0, gradient: 0.0 };
    let refusal = |cell: Tesseroid| Tesseroids::geodetic([cell], &Ellipsoid::GRS80).expect_err("refused").to_string();
    assert!(refusal(Tesseroid { bottom: -6.2e6, ..cell }).contains("bottom"));
    assert!(refusal(Tesseroid { north: 91.0, ..cell }).contains("north"));
    assert!(refusal(Tesseroid { top: -2e3, ..cell }).contains("bottom"));
    let one = Tesseroids::geodetic([cell], &Ellipsoid::GRS80).expect("sound").get(0);
    assert!((one.top - one.bottom - 1e3).abs() < 1e-3 && (one.north - 0.993_3).abs() < 1e-4, "{one:?}");
}
