//! Coordinates of chunks and of the globe.

use super::*;

fn bolivia(latitudes: Latitudes) -> Sphere {
    Sphere::chunk(-67.25, -13.82, 20.0, latitudes).unwrap()
}

#[test]
fn the_centre_is_the_origin_and_positions_survive_a_round_trip() {
    for latitudes in [Latitudes::Geographic, Latitudes::Geocentric] {
        let chunk = bolivia(latitudes);
        let [x, y] = chunk.forward(-67.25, -13.82).unwrap();
        assert!(x.abs() < 1e-6 && y.abs() < 1e-6);
        for (longitude, latitude) in [(-67.25, -18.82), (-30.0, 10.0), (-100.0, -60.0), (-67.0, 40.0)] {
            let [back, north] = chunk.inverse(chunk.forward(longitude, latitude).unwrap());
            assert!((back - longitude).abs() < 1e-11 && (north - latitude).abs() < 1e-11, "{back} {north}");
        }
    }
}

#[test]
fn positions_survive_a_round_trip_through_space() {
    let chunk = bolivia(Latitudes::Geocentric);
    for sphere in [chunk, chunk.elliptical()] {
        for position in [[0.0, 0.0, 0.0], [4e6, -3e6, -600e3], [-5e6, -5e6, 8e3]] {
            let back = sphere.from_space(sphere.to_space(position));
            for (back, wanted) in back.into_iter().zip(position) {
                assert!((back - wanted).abs() < 1e-7, "{back} {wanted}");
            }
        }
    }
}

#[test]
fn up_is_perpendicular_to_the_ellipsoid() {
    let globe = Sphere::globe(20.0, 50.0, 30.0, Latitudes::Geographic).unwrap().elliptical();
    for (longitude, latitude) in [(0.0, 0.0), (-67.25, -13.82), (130.0, 45.0), (10.0, 89.0)] {
        let [east, north, up] = globe.axes_at(globe.forward(longitude, latitude).unwrap());
        let at = |east: f64, north: f64| {
            let [x, y] = globe.forward(longitude + east, latitude + north).unwrap();
            globe.to_space([x, y, 0.0])
        };
        for (axis, [from, to]) in [(east, [at(-0.1, 0.0), at(0.1, 0.0)]), (north, [at(0.0, -0.1), at(0.0, 0.1)])] {
            let along: [f64; 3] = std::array::from_fn(|i| to[i] - from[i]);
            let size = length(along);
            let dot = |other: [f64; 3]| (0..3).map(|i| along[i] * other[i]).sum::<f64>() / size;
            // The hydrostatic ellipsoid is 0.5 % rounder than that of latitudes.
            assert!((dot(axis) - 1.0).abs() < 1e-9 && dot(up).abs() < 3e-5, "{} {}", dot(axis), dot(up));
        }
    }
}

#[test]
fn great_circles_have_the_correct_lengths() {
    let chunk = Sphere::chunk(10.0, 20.0, 0.0, Latitudes::Geocentric).unwrap();
    let [x, y] = chunk.forward(10.0, 35.0).unwrap();
    assert!(x.abs() < 1e-6 && (y - EARTH_RADIUS * 15f64.to_radians()).abs() < 1e-6, "{x} {y}");
    // Rotated by 90 degrees, y points east, so north is at -x.
    let rotated = Sphere::chunk(10.0, 20.0, 90.0, Latitudes::Geocentric).unwrap();
    let [x, y] = rotated.forward(10.0, 35.0).unwrap();
    assert!((x + EARTH_RADIUS * 15f64.to_radians()).abs() < 1e-6 && y.abs() < 1e-6, "{x} {y}");
}

#[test]
fn axes_point_to_increasing_longitude_and_latitude() {
    let chunk = bolivia(Latitudes::Geocentric);
    let (longitude, latitude, step) = (-40.0, 12.0, 1e-4);
    let at = |longitude, latitude, z| {
        let [x, y] = chunk.forward(longitude, latitude).unwrap();
        chunk.to_space([x, y, z])
    };
    let here = at(longitude, latitude, 0.0);
    let moved = [
        at(longitude + step / latitude.to_radians().cos(), latitude, 0.0),
        at(longitude, latitude + step, 0.0),
        at(longitude, latitude, EARTH_RADIUS * step.to_radians()),
    ];
    let axes = chunk.axes_at(chunk.forward(longitude, latitude).unwrap());
    for (axis, moved) in axes.into_iter().zip(moved) {
        for component in 0..3 {
            let slope = (moved[component] - here[component]) / (EARTH_RADIUS * step.to_radians());
            assert!((slope - axis[component]).abs() < 2e-6, "{slope} {axis:?}");
        }
    }
}

#[test]
fn geocentric_latitudes_are_nearer_to_the_equator_than_geographic_ones() {
    let chunk = Sphere::chunk(0.0, 0.0, 0.0, Latitudes::Geographic).unwrap();
    let [_, y] = chunk.forward(0.0, 45.0).unwrap();
    // The difference is 11.545 minutes of arc at 45 degrees.
    let minutes = (45.0 - (y / EARTH_RADIUS).to_degrees()) * 60.0;
    assert!((minutes - 11.545).abs() < 0.001, "{minutes}");
}

#[test]
fn positions_survive_a_round_trip_across_the_date_line_and_around_a_pole() {
    let over_the_date_line = Sphere::chunk(178.0, -18.0, 25.0, Latitudes::Geographic).unwrap();
    let around_a_pole = Sphere::chunk(30.0, -80.0, 10.0, Latitudes::Geographic).unwrap();
    let beyond_fiji = [(-170.0, -20.0), (170.0, -20.0), (180.0, 5.0), (-180.0, 5.0)];
    let antarctica = [(-150.0, -85.0), (120.0, -71.0), (-60.0, -62.0), (30.0, -50.0)];
    for (chunk, places) in [(over_the_date_line, beyond_fiji), (around_a_pole, antarctica)] {
        for (longitude, latitude) in places {
            let [x, y] = chunk.forward(longitude, latitude).unwrap();
            let [back, north] = chunk.inverse([x, y]);
            let turn = (back - longitude + 180.0).rem_euclid(360.0) - 180.0;
            assert!(turn.abs() < 1e-11 && (north - latitude).abs() < 1e-11, "{longitude}: {back} {north}");
            // 360 degrees farther east is the same position.
            let [same_x, same_y] = chunk.forward(longitude.rem_euclid(360.0), latitude).unwrap();
            assert!((same_x - x).abs() < 1e-6 && (same_y - y).abs() < 1e-6);
        }
    }
    // Neighbours across the date line are neighbours in the model: two degrees of longitude at 20 degrees south.
    let chunk = Sphere::chunk(180.0, -20.0, 0.0, Latitudes::Geocentric).unwrap();
    let [west, east] = [179.0, -179.0].map(|longitude| chunk.forward(longitude, -20.0).unwrap());
    let apart = (east[0] - west[0]) / EARTH_RADIUS;
    assert!((apart.to_degrees() - 2.0 * 20f64.to_radians().cos()).abs() < 1e-3 && (east[1] - west[1]).abs() < 1e-6);
}

#[test]
fn axes_are_continuous_across_the_date_line() {
    let chunk = Sphere::chunk(180.0, -20.0, 0.0, Latitudes::Geographic).unwrap();
    let [west, east] = [179.999_999, -179.999_999].map(|longitude| chunk.forward(longitude, -25.0).unwrap());
    for (a, b) in chunk.axes_at(west).into_iter().flatten().zip(chunk.axes_at(east).into_iter().flatten()) {
        assert!((a - b).abs() < 1e-7, "{a} {b}");
    }
}

#[test]
fn a_pole_keeps_its_given_longitude() {
    for (centre, latitude) in [((30.0, -80.0), -90.0), ((0.0, 90.0), 90.0), ((-120.0, 60.0), 90.0)] {
        let chunk = Sphere::chunk(centre.0, centre.1, 15.0, Latitudes::Geographic).unwrap();
        for longitude in [0.0, -75.0, 140.0, 180.0] {
            let place = chunk.forward(longitude, latitude).unwrap();
            let [back, north] = chunk.inverse(place);
            let turn = (back - longitude + 180.0).rem_euclid(360.0) - 180.0;
            assert!(turn.abs() < 1e-4 && (north - latitude).abs() < 2e-6, "{longitude}: {back} {north}");
            // East and north are those of the meridian, at the shifted pole and farther along the meridian.
            let [at_pole, nearby] = [place, chunk.forward(longitude, latitude - 1e-3 * latitude.signum()).unwrap()];
            let [at_pole, nearby] = [at_pole, nearby].map(|place| chunk.axes_at(place));
            for (a, b) in at_pole.into_iter().flatten().zip(nearby.into_iter().flatten()) {
                assert!((a - b).abs() < 2e-5, "{longitude}: {a} {b}");
            }
        }
        // A point of a slice may be the pole itself.
        let pole = [0.0, 0.0, latitude.signum()];
        let [x, y, _] = chunk.from_space(chunk.geocentric_to_local(pole).map(|along| EARTH_RADIUS * along));
        assert_eq!(chunk.inverse([x, y])[0], 0.0, "{centre:?}");
    }
}

#[test]
fn positions_on_the_other_side_are_refused() {
    let error = bolivia(Latitudes::Geocentric).forward(112.0, 14.0).unwrap_err().to_string();
    assert!(error.starts_with("distance from the centre of the chunk = 179."), "{error}");
    assert!(error.contains("it must be below 85 degrees"), "{error}");
    assert!(bolivia(Latitudes::Geocentric).forward(0.0, 91.0).is_err());
}

#[test]
fn coordinates_of_the_globe_are_longitude_and_latitude_everywhere() {
    let globe = Sphere::globe(-40.0, 25.0, 20.0, Latitudes::Geocentric).unwrap();
    for (longitude, latitude) in
        [(0.0, 0.0), (180.0, 10.0), (-180.0, 10.0), (360.0, -5.0), (75.0, 90.0), (-30.0, -90.0)]
    {
        let [x, y] = globe.forward(longitude, latitude).unwrap();
        let [back, north] = globe.inverse([x, y]);
        let turn = (back - longitude + 180.0).rem_euclid(360.0) - 180.0;
        assert!(turn.abs() < 1e-9 && (north - latitude).abs() < 2e-6, "{longitude} {latitude}: {back} {north}");
        let position = [x, y, -500e3];
        let space = globe.to_space(position);
        let [x_back, y_back, z] = globe.from_space(space);
        let again = globe.to_space([x_back, y_back, z]);
        assert!((0..3).all(|axis| (again[axis] - space[axis]).abs() < 1e-6), "{longitude} {latitude}");
        let up = globe.axes_at([x, y])[2];
        let radius = EARTH_RADIUS - 500e3;
        assert!((0..3).all(|axis| (up[axis] * radius - space[axis]).abs() < 1e-6), "{longitude} {latitude}");
    }
    // The block of the mesh around its centre.
    let [x, y] = globe.forward(-40.0, 25.0).unwrap();
    let [a, b, c] = globe.to_space([x, y, 0.0]);
    assert!(a.abs() < 1e-6 && b.abs() < 1e-6 && (c - EARTH_RADIUS).abs() < 1e-6);
    assert!(globe.from_space([0.0; 3]).iter().all(|coordinate| coordinate.is_finite()));
}
