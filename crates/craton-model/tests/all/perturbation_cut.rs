//! A map restricted to a domain has the same values there, and fewer outside.

use std::sync::Arc;

use craton_model::geodesy::{Latitudes, LocalFrame, Projection, Sphere};
use craton_model::{EarthModel, Elasticity, MapAxes, MapCut, MapValues, Maps, Medium, Perturbation};

const DOMAIN: [[f64; 2]; 3] = [[-5e5, 6e5], [-7e5, 4e5], [-400e3, 0.0]];

/// A map of the whole Earth in which neighbouring values differ.
fn whole(longitudes: Vec<f64>, latitudes: Vec<f64>) -> (MapAxes, Vec<f32>) {
    let axes = MapAxes { longitudes, latitudes, depths: vec![25e3, 75e3, 150e3, 300e3, 350e3, 500e3, 700e3, 1000e3] };
    let count = axes.longitudes.len() * axes.latitudes.len() * axes.depths.len();
    let value = |index: usize| 0.05 * ((index * 7919) % 10_007) as f32 / 10_007.0 - 0.02;
    (axes, (0..count).map(value).collect())
}

fn degrees(from: f64, step: f64, count: u32) -> Vec<f64> {
    (0..count).map(|place| from + step * f64::from(place)).collect()
}

fn taken(cut: &MapCut, axes: &MapAxes, values: &[f32]) -> Vec<f32> {
    let [columns, rows] = [axes.longitudes.len(), axes.latitudes.len()];
    cut.values(|[i, j, k]| values[i + columns * (j + rows * k)])
}

fn model(axes: MapAxes, vs: Vec<f32>, frame: LocalFrame) -> EarthModel {
    let map = Perturbation::new(axes, Maps { vs: Some(vs), ..Maps::default() }, MapValues::Relative).unwrap();
    EarthModel::homogeneous(Medium::isotropic(8000.0, 4500.0, 3300.0).unwrap()).perturbed(Arc::new(map), frame).unwrap()
}

fn vs(model: &EarthModel, at: [f64; 3]) -> f64 {
    match *model.medium(0, at).elasticity() {
        Elasticity::Isotropic { vs, .. } => vs,
        _ => panic!("expected an isotropic medium"),
    }
}

fn chunk(longitude: f64, latitude: f64) -> LocalFrame {
    LocalFrame::on_sphere(Sphere::chunk(longitude, latitude, 30.0, Latitudes::Geocentric).unwrap())
}

#[test]
fn a_map_is_restricted_to_the_domain() {
    let ascending = whole(degrees(-180.0, 2.0, 180), degrees(-89.0, 2.0, 90));
    let mut descending = whole(degrees(360.0, -3.0, 121), degrees(88.5, -3.0, 60));
    // 360 degrees is the same as 0 degrees.
    descending.1.chunks_mut(121).for_each(|row| row[120] = row[0]);
    // Across both ends of the axes, over a pole, and next to it.
    for (longitude, latitude) in [(10.3, 20.0), (179.7, -13.0), (0.2, 45.0), (40.0, 88.0), (-120.0, -82.0)] {
        let frame = chunk(longitude, latitude);
        for (axes, values) in [&ascending, &descending] {
            let cut = axes.over(&frame, DOMAIN).unwrap();
            let part = taken(&cut, axes, values);
            assert_eq!(cut.axes().depths, [25e3, 75e3, 150e3, 300e3, 350e3, 500e3]);
            let is_polar = latitude.abs() > 80.0;
            assert!(is_polar || part.len() < values.len() / 50, "{longitude}: {} of {}", part.len(), values.len());
            let (all, few) = (model(axes.clone(), values.clone(), frame), model(cut.axes().clone(), part, frame));
            few.check_over(DOMAIN[0], DOMAIN[1]).unwrap();
            let mut worst: f64 = 0.0;
            for place in 0..30 * 30 * 9 {
                let along = |[from, to]: [f64; 2], part: usize, parts: usize| {
                    from + (to - from) * part as f64 / (parts - 1) as f64
                };
                let at = [
                    along(DOMAIN[0], place % 30, 30),
                    along(DOMAIN[1], place / 30 % 30, 30),
                    along(DOMAIN[2], place / 900, 9),
                ];
                worst = worst.max((vs(&all, at) - vs(&few, at)).abs());
            }
            // Relative to 4500 m/s; wrapping a longitude around the Earth causes round-off.
            assert!(worst < 1e-8, "{longitude} {latitude}: {worst}");
            let extremes = |model: &EarthModel| model.slowest_range(0, -340e3, -310e3);
            let ([low, high], [least, most]) = (extremes(&few), extremes(&all));
            assert!(least <= low && high <= most, "{least} {low} {high} {most}");
        }
    }
}

#[test]
fn a_map_does_not_depend_on_its_first_meridian() {
    let latitudes = degrees(-89.0, 2.0, 90);
    // Maps of the whole Earth, and of parts around each chunk.
    let around = [degrees(0.0, 2.0, 180), degrees(0.0, 2.0, 181), degrees(-180.0, 2.0, 180), degrees(-180.0, 2.0, 181)];
    for (longitude, latitude) in [(-68.0, -14.0), (179.0, 10.0), (-178.0, 30.0), (1.0, -40.0)] {
        let frame = chunk(longitude, latitude);
        let parts = [-12.0, 348.0, -372.0].map(|west| degrees(2.0 * (0.5 * (longitude + west)).round(), 2.0, 13));
        let models: Vec<EarthModel> = around
            .iter()
            .chain(&parts)
            .map(|longitudes| {
                let (axes, mut values) = whole(longitudes.clone(), latitudes.clone());
                let columns = axes.longitudes.len();
                for (index, value) in values.iter_mut().enumerate() {
                    let turned = axes.longitudes[index % columns].rem_euclid(360.0);
                    *value = 0.04 * (((turned as usize + index / columns * 31) * 7919) % 10_007) as f32 / 10_007.0;
                }
                let cut = axes.over(&frame, DOMAIN).unwrap();
                model(cut.axes().clone(), taken(&cut, &axes, &values), frame)
            })
            .collect();
        for place in 0..20 * 20 {
            let along = |[from, to]: [f64; 2], part: usize| from + (to - from) * part as f64 / 19.0;
            let at = [along(DOMAIN[0], place % 20), along(DOMAIN[1], place / 20), -200e3];
            let first = vs(&models[0], at);
            for (number, model) in models.iter().enumerate() {
                assert!((vs(model, at) - first).abs() < 1e-8, "{longitude} {number}: {} {first}", vs(model, at));
            }
        }
    }
}

#[test]
fn extremes_outside_the_domain_do_not_affect_the_bounds() {
    let (axes, mut values) = whole(degrees(0.0, 2.0, 180), degrees(-89.0, 2.0, 90));
    for (index, value) in values.iter_mut().enumerate() {
        *value = if (90..100).contains(&(index % 180)) { -0.5 } else { 0.02 };
    }
    let frame = chunk(10.0, 20.0);
    let cut = axes.over(&frame, DOMAIN).unwrap();
    let [all, few] =
        [model(axes.clone(), values.clone(), frame), model(cut.axes().clone(), taken(&cut, &axes, &values), frame)]
            .map(|model| model.slowest(0, -340e3, -310e3));
    assert!((all - 2250.0).abs() < 1e-3 && (few - 4590.0).abs() < 1e-3, "{all} {few}");
}

#[test]
fn corners_outside_a_rotated_domain_are_not_needed() {
    let (axes, _) = whole(degrees(0.0, 0.5, 121), degrees(-20.0, 0.5, 101));
    let frame = LocalFrame::on_sphere(Sphere::chunk(30.0, 10.0, 45.0, Latitudes::Geocentric).unwrap());
    let cut = axes.over(&frame, [[-5e5, 5e5], [-5e5, 5e5], [-400e3, 0.0]]).unwrap();
    let level = cut.axes().longitudes.len() * cut.axes().latitudes.len();
    let needed: Vec<usize> = (0..level).filter(|&index| cut.is_needed(index)).collect();
    // A square rotated by 45 degrees fills half of its bounding box; intervals on its edges add some.
    let share = needed.len() as f64 / level as f64;
    assert!((0.5..0.7).contains(&share), "{share}");
    let [longitude, latitude, depth] = cut.place(needed[0]);
    assert!(
        (latitude - 3.5).abs() < 0.51 && (longitude - 30.0).abs() < 1.01 && depth == 25e3,
        "{longitude} {latitude}"
    );
    // All values that a position in the domain is interpolated from are needed.
    for place in 0..101 * 101 {
        let along = |part: usize| -5e5 + 1e4 * part as f64;
        let [longitude, latitude] = frame.to_map([along(place % 101), along(place / 101)]);
        let [i, j] = [
            cut.axes().longitudes.partition_point(|at| *at <= longitude),
            cut.axes().latitudes.partition_point(|at| *at <= latitude),
        ];
        for corner in [[i - 1, j - 1], [i, j - 1], [i - 1, j], [i, j]] {
            assert!(cut.is_needed(corner[0] + cut.axes().longitudes.len() * corner[1]), "{longitude} {latitude}");
        }
    }
}

#[test]
fn a_domain_that_the_map_does_not_cover_is_refused() {
    let (axes, _) = whole(degrees(0.0, 2.0, 20), degrees(0.0, 2.0, 20));
    let said = |domain| axes.over(&chunk(5.0, 5.0), domain).unwrap_err().to_string();
    let wide = said([[-5e5, 6e5], [-9e5, 4e5], [-400e3, 0.0]]);
    assert!(wide.starts_with("longitude = -") || wide.starts_with("latitude = -"), "{wide}");
    assert!(wide.contains("between 0 and 38 degrees, the range of the perturbation"), "{wide}");
    let shallow = said([[-1e5, 1e5], [-1e5, 1e5], [-20e3, 0.0]]);
    assert_eq!(
        shallow,
        "the perturbation has depths from 25000 to 1000000 m, outside the domain from 0 to 20000 m; extend either; depths are \
         positive down"
    );
    let plane = LocalFrame::new(Projection::None, [0.0; 2]).unwrap();
    let cut = axes.over(&plane, [[3.0, 5.0], [4.0, 4.5], [-400e3, 0.0]]).unwrap();
    assert_eq!((&*cut.axes().longitudes, &*cut.axes().latitudes), (&[2.0, 4.0, 6.0][..], &[2.0, 4.0, 6.0][..]));
}
