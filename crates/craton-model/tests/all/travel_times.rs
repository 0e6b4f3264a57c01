//! Travel times agree with closed forms in spheres where rays are known, and satisfy general properties of rays.

use craton_model::geodesy::EARTH_RADIUS;
use craton_model::{
    EarthModel, Elasticity, Interface, Material, Medium, Phase, Polynomial, Profile, RadialLayer, ReferenceEarth,
    ReferenceOptions, Region, Transverse, TravelTimes, Volume, VolumeAxis,
};

const R: f64 = EARTH_RADIUS;

fn rock(vp: f64) -> Medium {
    Medium::isotropic(vp, vp / 2.0, 3000.0).unwrap()
}

fn homogeneous(source_depth: f64) -> TravelTimes {
    TravelTimes::new(&EarthModel::homogeneous(rock(8000.0)), source_depth, R).unwrap()
}

fn ak135(source_depth: f64) -> TravelTimes {
    let earth = ReferenceEarth::Ak135;
    let model = EarthModel::reference(earth, ReferenceOptions::default(), -earth.core_depth()).unwrap();
    TravelTimes::new(&model, source_depth, earth.core_depth()).unwrap()
}

/// Length of the chord between two radii separated by an angle.
fn chord(a: f64, b: f64, degrees: f64) -> f64 {
    ((a - b).powi(2) + 4.0 * a * b * (0.5 * degrees.to_radians()).sin().powi(2)).sqrt()
}

#[test]
fn a_homogeneous_sphere_has_straight_rays() {
    for depth in [0.0, 33e3, 647.1e3, 5e6] {
        let times = homogeneous(depth);
        for distance in [0.0_f64, 0.5, 3.0, 20.0, 89.0, 150.0, 179.5, 180.0] {
            for (phase, v) in [(Phase::P, 8000.0), (Phase::S, 4000.0)] {
                let arrivals = times.arrivals(phase, distance);
                let length = chord(R - depth, R, distance);
                let expected = length / v;
                let last = arrivals.last().unwrap_or_else(|| panic!("{phase} {depth} {distance}"));
                assert!((last.time - expected).abs() < 1e-7, "{phase} {depth} {distance} {last:?} {expected}");
                // By the sine rule, sin i = r sin(distance) / length, with the radius of the other end.
                let sine = R * distance.to_radians().sin() / length;
                if length > 0.0 {
                    assert!((last.takeoff.to_radians().sin() - sine).abs() < 1e-6, "{distance} {last:?} {sine}");
                    assert_eq!(last.takeoff > 90.0, R * distance.to_radians().cos() > R - depth, "{distance} {last:?}");
                }
            }
            assert!(times.arrivals(Phase::PcP, distance).is_empty(), "no reflection at the centre");
        }
    }
}

#[test]
fn reflections_of_straight_rays_arrive_along_both_arcs() {
    let times = homogeneous(0.0);
    let arrivals = times.arrivals(Phase::SS, 100.0);
    let expected = [100.0, 260.0].map(|way| 2.0 * chord(R, R, 0.5 * way) / 4000.0);
    assert_eq!(arrivals.len(), 2);
    for (arrival, expected) in arrivals.iter().zip(expected) {
        assert!((arrival.time - expected).abs() < 1e-7, "{arrivals:?} {expected:?}");
    }
    let curves = times.curves(Phase::SS, [0.0, 180.0], 1.0);
    assert_eq!(curves.iter().map(Vec::len).collect::<Vec<_>>(), [181, 181]);
    for [distance, time] in curves.concat() {
        let both = [distance, 360.0 - distance].map(|way| 2.0 * chord(R, R, 0.5 * way) / 4000.0);
        assert!(both.iter().any(|expected| (time - expected).abs() < 1e-7), "{distance} {time} {both:?}");
    }
}

#[test]
fn a_sphere_with_circular_rays_agrees_with_the_closed_form() {
    // ds / (a - b r²) is the metric of the Poincaré disc x = r √(b/a): times are hyperbolic distances divided by 2 √(a b).
    let (a, b_r2) = (13e3, 7e3);
    let law = Transverse::<Polynomial>::isotropic_law(
        Polynomial([a, 0.0, -b_r2, 0.0]),
        Polynomial([0.5 * a, 0.0, -0.5 * b_r2, 0.0]),
        Polynomial([3000.0, 0.0, 0.0, 0.0]),
    );
    let profile = Profile::radial(&[RadialLayer { top: 0.0, bottom: -R, law }]).unwrap();
    let model = EarthModel::new(vec![Region::elastic(Interface::Flat(0.0), Material::from(profile))]).unwrap();
    let time = |depth: f64, degrees: f64| {
        let ratio = b_r2 / a;
        let (x, y) = (ratio.sqrt() * (1.0 - depth / R), ratio.sqrt());
        let gap = chord(x, y, degrees).powi(2);
        (1.0 + 2.0 * gap / ((1.0 - x * x) * (1.0 - y * y))).acosh() * R / (2.0 * (a * b_r2).sqrt())
    };
    let mut worst = 0.0_f64;
    for depth in [0.0, 15e3, 647.1e3, 2e6] {
        let times = TravelTimes::new(&model, depth, R).unwrap();
        for distance in [0.3, 1.0, 5.0, 20.0, 60.0, 100.0, 150.0, 175.0] {
            let (p, s) = (times.arrivals(Phase::P, distance), times.arrivals(Phase::S, distance));
            assert_eq!((p.len(), s.len()), (1, 1), "{depth} {distance} {p:?}");
            let expected = time(depth, distance);
            worst = worst.max((p[0].time - expected).abs()).max((0.5 * s[0].time - expected).abs());
            let slope = (time(depth, distance + 1e-4) - time(depth, distance - 1e-4)) / 2e-4;
            assert!((p[0].ray_parameter - slope).abs() < 1e-4 * slope, "{depth} {distance} {p:?} {slope}");
        }
    }
    // Compared with about 1000 s; the remaining error is that of shells 5 km thick.
    assert!(worst < 3e-4, "{worst}");
}

#[test]
fn a_slow_inner_sphere_causes_a_shadow_zone() {
    let (inner, fast, slow) = (R - 600e3, 8000.0, 7000.0);
    let layers = vec![(Interface::Flat(0.0), rock(fast)), (Interface::Flat(-600e3), rock(slow))];
    let times = TravelTimes::new(&EarthModel::layered(layers).unwrap(), 0.0, R).unwrap();
    let grazing = 2.0 * (inner / R).acos().to_degrees();
    // The ray that grazes the inner sphere is refracted: sin i = slow / fast inside.
    let entering = grazing + 2.0 * (slow / fast).acos().to_degrees();
    let direct = times.first(Phase::P, grazing - 0.01).unwrap();
    assert!((direct.time - chord(R, R, grazing - 0.01) / fast).abs() < 1e-7);
    let midpoint = R * (1.0 - (0.5 * (grazing - 0.01)).to_radians().cos());
    assert!((direct.turning_depth - midpoint).abs() < 0.01, "{direct:?} {midpoint}");
    let curves = times.curves(Phase::P, [0.0, 180.0], 1.0);
    let seen = |distance: f64| {
        curves.iter().any(|curve| curve.windows(2).any(|pair| (pair[0][0] - distance) * (pair[1][0] - distance) <= 0.0))
    };
    for distance in [0.5, grazing - 0.01, entering + 0.01, 179.0] {
        assert!(!times.arrivals(Phase::P, distance).is_empty() && seen(distance), "{distance}");
    }
    let least = curves[1].iter().map(|point| point[0]).fold(f64::INFINITY, f64::min);
    for distance in [grazing + 0.01, least - 0.01] {
        assert!(times.arrivals(Phase::P, distance).is_empty() && !seen(distance), "{distance}");
    }
    assert!((curves[0].last().unwrap()[0] - grazing).abs() < 1e-9, "{grazing} {:?}", curves[0].last());
    assert!((curves[1][0][0] - entering).abs() < 1e-6, "{entering} {:?}", curves[1][0]);
    // Vertically down and up: no refraction.
    let through = times.arrivals(Phase::P, 180.0);
    let expected = 2.0 * (600e3 / fast + inner / slow);
    assert!(through.iter().any(|ray| (ray.time - expected).abs() < 1e-7), "{through:?} {expected}");
}

#[test]
fn the_slope_of_every_curve_is_the_ray_parameter() {
    for (depth, phase) in [33e3, 647.1e3].into_iter().flat_map(|depth| Phase::ALL.map(|phase| (depth, phase))) {
        let times = ak135(depth);
        let mut compared = 0;
        for distance in [3.0, 17.0, 28.0, 44.0, 71.0, 88.0] {
            let [before, here, after] = [-1e-3, 0.0, 1e-3].map(|shift| times.arrivals(phase, distance + shift));
            if before.len() != here.len() || after.len() != here.len() {
                continue;
            }
            for ((before, here), after) in before.iter().zip(&here).zip(&after) {
                let slope = (after.time - before.time) / 2e-3;
                assert!((slope - here.ray_parameter).abs() < 2e-4, "{phase} {depth} {distance} {here:?} {slope}");
                compared += 1;
            }
        }
        // PS exists only at large distances, and not at all at these distances from great depth.
        let least = match phase {
            Phase::pS | Phase::PS if depth > 600e3 => 0,
            Phase::pS | Phase::PS => 1,
            // The model ends at the core.
            phase if phase.name().contains('K') => 0,
            _ => 4,
        };
        assert!(compared >= least, "{phase} {depth}: {compared}");
    }
}

#[test]
fn travel_times_are_reciprocal() {
    let times = ak135(0.0);
    for (phase, back) in [(Phase::ScP, Phase::PcS), (Phase::SP, Phase::PS)] {
        for distance in [5.0, 30.0, 60.0, 100.0, 125.0] {
            let (there, back) = (times.arrivals(phase, distance), times.arrivals(back, distance));
            assert_eq!(there.len(), back.len());
            for (there, back) in there.iter().zip(&back) {
                assert!((there.time - back.time).abs() < 1e-9, "{phase} {distance} {there:?} {back:?}");
                assert!((there.takeoff - back.incidence).abs() < 1e-4 && (there.incidence - back.takeoff).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn phases_of_a_source_at_the_surface_and_just_below_agree() {
    let (at, below) = (ak135(0.0), ak135(1.0));
    for phase in [Phase::P, Phase::S, Phase::PP, Phase::SS, Phase::PcP, Phase::ScS, Phase::ScP] {
        let (at, below) = (at.first(phase, 40.0).unwrap(), below.first(phase, 40.0).unwrap());
        assert!((at.time - below.time).abs() < 1e-3, "{phase} {at:?} {below:?}");
    }
    for phase in [Phase::pP, Phase::sP, Phase::pS, Phase::sS, Phase::pPcP, Phase::sScS] {
        assert_eq!(at.first(phase, 40.0), None);
    }
    let [direct, reflected] = [Phase::P, Phase::pP].map(|phase| below.first(phase, 40.0).unwrap().time);
    assert!((0.0..1e-3).contains(&(reflected - direct)), "{direct} {reflected}");
}

#[test]
fn the_bottom_of_a_chunk_reflects_waves() {
    let times = TravelTimes::new(&EarthModel::homogeneous(rock(8000.0)), 100e3, 1000e3).unwrap();
    let reflected = times.first(Phase::PcP, 0.0).unwrap();
    assert!((reflected.time - (900e3 + 1000e3) / 8000.0).abs() < 1e-9 && reflected.turning_depth == 1000e3);
    let converted = times.first(Phase::ScP, 0.0).unwrap();
    assert!((converted.time - (900e3 / 4000.0 + 1000e3 / 8000.0)).abs() < 1e-9);
    let over_the_surface = times.first(Phase::sScS, 0.0).unwrap();
    assert!((over_the_surface.time - (100e3 + 2.0 * 1000e3) / 4000.0).abs() < 1e-9);
    // Direct waves that would turn below the bottom do not exist.
    assert!(times.first(Phase::P, 60.0).is_some() && times.first(Phase::P, 70.0).is_none());
}

#[test]
fn anisotropic_prem_is_replaced_by_its_isotropic_average() {
    let times = |earth: ReferenceEarth| {
        let model = EarthModel::reference(earth, ReferenceOptions::default(), -earth.core_depth()).unwrap();
        let medium = model.medium(2, [0.0, 0.0, -100e3]);
        let is_isotropic = matches!(medium.elasticity(), Elasticity::Isotropic { .. });
        (is_isotropic, TravelTimes::new(&model, 10e3, earth.core_depth()).unwrap())
    };
    let ((_, isotropic), (is_isotropic, anisotropic)) =
        (times(ReferenceEarth::Prem), times(ReferenceEarth::PremAnisotropic));
    assert!(!is_isotropic);
    for (phase, limit) in [(Phase::P, 0.02), (Phase::S, 0.05)] {
        let [a, b] = [&isotropic, &anisotropic].map(|times| times.first(phase, 60.0).unwrap().time);
        assert!((a - b).abs() < limit, "{phase} {a} {b}");
    }
}

#[test]
fn only_p_waves_propagate_in_fluids() {
    let water = Medium::isotropic(1500.0, 0.0, 1000.0).unwrap();
    let layers = vec![(Interface::Flat(0.0), water), (Interface::Flat(-4e3), rock(8000.0))];
    let times = TravelTimes::new(&EarthModel::layered(layers).unwrap(), 10e3, R).unwrap();
    let straight_up = times.first(Phase::P, 0.0).unwrap();
    assert!((straight_up.time - (4e3 / 1500.0 + 6e3 / 8000.0)).abs() < 1e-9);
    assert!((0..=180).all(|distance| times.first(Phase::S, f64::from(distance)).is_none()));
}

#[test]
fn models_without_rays_are_refused() {
    let model = EarthModel::homogeneous(rock(8000.0));
    let refused = |source, bottom| TravelTimes::new(&model, source, bottom).unwrap_err().to_string();
    assert_eq!(
        refused(700e3, 600e3),
        "depth of the source = 700000 is not allowed: it must be between the surface at 0 m and the bottom at 600000 m; depths are positive down from z = 0, in m"
    );
    for (source, bottom) in [(-1.0, R), (f64::NAN, R), (0.0, -1.0), (0.0, R + 1.0), (0.0, f64::NAN), (R, R)] {
        refused(source, bottom);
    }
    let upside_down = vec![(Interface::Flat(0.0), rock(8000.0)), (Interface::Flat(10.0), rock(7000.0))];
    let error = TravelTimes::new(&EarthModel::layered(upside_down).unwrap(), 0.0, R).unwrap_err().to_string();
    assert!(error.contains("the top of layer 2 ") && error.contains("the top of layer 1 at 0 m"), "{error}");
    let grid = craton_model::ElevationGrid::new([0.0, 0.0], [50.0, 50.0], [3, 3], &[0.0; 9]).unwrap();
    let uneven = EarthModel::layered(vec![(Interface::from(grid), rock(8000.0))]).unwrap();
    assert_eq!(
        TravelTimes::new(&uneven, 0.0, R).unwrap_err().to_string(),
        "layer 1 (counted from the top) varies laterally, because its top is a grid or its material is a volume, but travel times require a \
         model that depends on depth only; give it a flat top, such as its mean elevation, and media by depth"
    );
    let axes = [0.0, 0.0, -1000.0].map(|first| VolumeAxis { first, spacing: 1000.0, count: 2 });
    let speeds = [3000.0, 4000.0].map(|fast| [fast; 4]).concat();
    let volume = Volume::new(axes, [&speeds, &[1500.0; 8], &[2500.0; 8]]).unwrap();
    let uneven = EarthModel::volume(Interface::Flat(0.0), volume);
    assert!(TravelTimes::new(&uneven, 0.0, R).unwrap_err().to_string().contains("its material is a volume"));
}

#[test]
fn a_shallow_fluid_is_no_core_and_sources_in_the_core_are_refused() {
    let medium = |vp: f64, vs: f64| Medium::isotropic(vp, vs, 3000.0).unwrap();
    let layers = |top: f64| {
        EarthModel::layered(vec![
            (Interface::Flat(0.0), medium(3800.0, 1900.0)),
            (Interface::Flat(-1e3), medium(1500.0, 0.0)),
            (Interface::Flat(-top), medium(8000.0, 4500.0)),
            (Interface::Flat(-2891e3), medium(8500.0, 0.0)),
        ])
        .unwrap()
    };
    // P waves pass through water below ice and are reflected at the core.
    let times = TravelTimes::new(&layers(4e3), 100e3, EARTH_RADIUS).unwrap();
    assert!(times.first(Phase::P, 30.0).is_some() && times.first(Phase::PKP, 170.0).is_some());
    let expected = 2.0 * (2891e3 - 4e3) / 8000.0 - 96e3 / 8000.0;
    assert!((times.first(Phase::PcP, 0.0).unwrap().time / expected - 1.0).abs() < 0.02);
    for depth in [3000e3, 6000e3] {
        let error = TravelTimes::new(&layers(4e3), depth, EARTH_RADIUS).unwrap_err();
        assert!(error.to_string().contains("above the core at 2891000 m"), "{error}");
    }
}
