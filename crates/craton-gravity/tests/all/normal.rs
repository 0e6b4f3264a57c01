//! Normal gravity and the terms of reductions.

use crate::cases::rows;
use craton_gravity::{Ellipsoid, bouguer_slab, spherical_cap};

/// Rows of a kind: latitude, height and value.
fn of_kind(kind: &str) -> Vec<[f64; 3]> {
    let rows = rows("normal.csv");
    let of = rows.iter().filter(|row| row[0] == kind);
    of.map(|row| [1, 2, 3].map(|column| row[column].parse().expect("a number"))).collect()
}

#[test]
fn gravity_matches_boule_and_the_gradient_of_the_potential() {
    for ellipsoid in [Ellipsoid::GRS80, Ellipsoid::WGS84] {
        // boule leaves out the component along the confocal ellipsoid.
        for (kind, count, tolerance) in
            [(ellipsoid.name.to_owned(), 40, 1e-10), (format!("{} exact", ellipsoid.name), 50, 1e-14)]
        {
            let rows = of_kind(&kind);
            assert_eq!(rows.len(), count);
            for [latitude, height, exact] in rows {
                let error = ellipsoid.normal_gravity(latitude, height) / exact - 1.0;
                assert!(error.abs() < tolerance, "{kind} at {latitude} degrees, {height} m: {error:e}");
            }
        }
    }
}

#[test]
fn gravity_has_the_published_values_of_grs80() {
    // Moritz (2000), Geodetic Reference System 1980: ten digits at the equator and at the poles.
    let grs80 = Ellipsoid::GRS80;
    assert!((grs80.normal_gravity(0.0, 0.0) - 9.7803267715).abs() < 1e-10);
    assert!((grs80.normal_gravity(90.0, 0.0) - 9.8321863685).abs() < 1e-10);
    assert!((grs80.semiminor() - 6_356_752.314_1).abs() < 1e-4);
}

#[test]
fn gravity_decays_as_the_quadrupole_and_obeys_bruns_formula() {
    // Along the axis of rotation the field of the ellipsoid is harmonic without centrifugal part: compare the decay with its quadrupole.
    let ellipsoid = Ellipsoid::GRS80;
    let gravity = |height: f64| ellipsoid.normal_gravity(90.0, height);
    let radius = |height: f64| ellipsoid.semiminor() + height;
    let j2 = 0.001_082_63;
    for height in [1e7, 1e8] {
        let r = radius(height);
        let quadrupole = ellipsoid.gm / (r * r) * (1.0 - 3.0 * j2 * (ellipsoid.semimajor / r).powi(2));
        assert!((gravity(height) / quadrupole - 1.0).abs() < 1e-5 * (1e7 / height).powi(3), "{height} m");
    }
    // Free air: the gradient at the surface by Bruns' formula, -2 γ J - 2 ω², with the mean curvature J.
    for latitude in [0.0, 30.0, 45.0, 80.0, 90.0_f64] {
        let sin2 = latitude.to_radians().sin().powi(2);
        let e2 = ellipsoid.flattening * (2.0 - ellipsoid.flattening);
        let w = (1.0 - e2 * sin2).sqrt();
        let (n, m) = (ellipsoid.semimajor / w, ellipsoid.semimajor * (1.0 - e2) / w.powi(3));
        let at = |height: f64| ellipsoid.normal_gravity(latitude, height);
        let bruns = -at(0.0) * (1.0 / n + 1.0 / m) - 2.0 * ellipsoid.angular_velocity.powi(2);
        let slope = (at(100.0) - at(-100.0)) / 200.0;
        assert!((slope / bruns - 1.0).abs() < 1e-7, "{slope:e}, not {bruns:e} at {latitude} degrees");
    }
}

#[test]
fn the_slab_matches_harmonica() {
    let rows = of_kind("slab");
    assert_eq!(rows.len(), 3);
    for [_, height, exact] in rows {
        assert!((bouguer_slab(height, 2670.0) / exact - 1.0).abs() < 1e-9, "{height} m");
    }
}

#[test]
fn the_spherical_cap_matches_its_integral_to_thirty_digits() {
    let rows = of_kind("cap");
    assert_eq!(rows.len(), 4);
    for [_, height, exact] in rows {
        let error = spherical_cap(height, 2670.0) / exact - 1.0;
        assert!(error.abs() < 1e-12, "{height} m: {error:e}");
    }
    // LaFehr (1991): the term is 1.464e-3 h - 3.533e-7 h² + 1.002e-13 h³ mGal more than the slab, a fit of 0.01 mGal.
    for height in [500.0, 2000.0, 4000.0] {
        let more = 1e5 * (spherical_cap(height, 2670.0) - bouguer_slab(height, 2670.0));
        let fit = 1.464e-3 * height - 3.533e-7 * height * height + 1.002e-13 * height.powi(3);
        assert!((more - fit).abs() < 0.02, "{more}, not {fit} mGal at {height} m");
    }
}
