//! A perturbation equals the interpolated map at every position and on the inner side of region boundaries; invalid media are refused.

use std::sync::Arc;

use craton_model::geodesy::{LocalFrame, Projection, Utm};
use craton_model::{
    EarthModel, Elasticity, Interface, MapAxes, MapValues, Maps, Medium, ModelError, Perturbation, ReferenceEarth,
    ReferenceOptions,
};
use craton_physics::{Love, Stiffness};

const CRUST: [f64; 3] = [6000.0, 3464.0, 2700.0];

fn crust() -> EarthModel {
    EarthModel::homogeneous(Medium::isotropic(CRUST[0], CRUST[1], CRUST[2]).unwrap())
}

fn prem(earth: ReferenceEarth) -> EarthModel {
    EarthModel::reference(earth, ReferenceOptions::default(), -800e3).unwrap()
}

fn bolivia() -> LocalFrame {
    LocalFrame::centred(Utm::new(19, true).unwrap(), -67.25, -13.82).unwrap()
}

/// Irregular axes around Bolivia.
fn axes() -> MapAxes {
    MapAxes {
        longitudes: vec![-75.0, -70.0, -66.0, -60.0],
        latitudes: vec![-20.0, -15.0, -13.0, -8.0],
        depths: vec![24.4e3, 100e3, 300e3, 700e3],
    }
}

fn values(axes: &MapAxes, value: impl Fn(f64, f64, f64) -> f64) -> Option<Vec<f32>> {
    let mut values = Vec::new();
    for &depth in &axes.depths {
        for &latitude in &axes.latitudes {
            values.extend(axes.longitudes.iter().map(|&longitude| value(longitude, latitude, depth) as f32));
        }
    }
    Some(values)
}

/// A function that is at most linear in each coordinate, so that trilinear interpolation reproduces it exactly.
fn trilinear(longitude: f64, latitude: f64, depth: f64) -> f64 {
    let (a, b, c) = ((longitude + 67.0) / 10.0, (latitude + 14.0) / 7.0, depth / 700e3);
    0.01 * (a - b + c + a * b - 2.0 * b * c + a * c + a * b * c)
}

fn relative(axes: MapAxes, vp: impl Fn(f64, f64, f64) -> f64, vs: impl Fn(f64, f64, f64) -> f64) -> Arc<Perturbation> {
    let maps = Maps { vp: values(&axes, vp), vs: values(&axes, vs), ..Maps::default() };
    Arc::new(Perturbation::new(axes, maps, MapValues::Relative).unwrap())
}

/// Maps of vsv and vsh.
fn polarised(
    axes: MapAxes,
    meaning: MapValues,
    vsv: impl Fn(f64, f64, f64) -> f64,
    vsh: impl Fn(f64, f64, f64) -> f64,
) -> Arc<Perturbation> {
    let maps = Maps { vs: values(&axes, vsv), vsh: values(&axes, vsh), ..Maps::default() };
    Arc::new(Perturbation::new(axes, maps, meaning).unwrap())
}

fn speeds(medium: &Medium) -> [f64; 2] {
    match *medium.elasticity() {
        Elasticity::Isotropic { vp, vs } => [vp, vs],
        _ => panic!("{medium:?}"),
    }
}

#[test]
fn a_perturbation_is_interpolated_trilinearly() {
    let map = relative(axes(), trilinear, |x, y, z| 2.0 * trilinear(x, y, z));
    let plain = prem(ReferenceEarth::Prem);
    let model = plain.clone().perturbed(map, bolivia()).unwrap();
    for position in [[0.0, 0.0, -50e3], [-8e4, 1.2e5, -180e3], [2.2e5, -9e4, -399e3], [1e5, 1e5, -650e3]] {
        let region = model.region_at(position);
        let [longitude, latitude] = bolivia().to_map([position[0], position[1]]);
        let change = trilinear(longitude, latitude, -position[2]);
        let (was, is) = (plain.medium(region, position), model.medium(region, position));
        let ([vp, vs], [vp0, vs0]) = (speeds(&is), speeds(&was));
        // Changes are stored with seven digits.
        assert!((vp / vp0 - 1.0 - change).abs() < 1e-8, "{position:?}: {} {change}", vp / vp0 - 1.0);
        assert!((vs / vs0 - 1.0 - 2.0 * change).abs() < 2e-8, "{position:?}");
        assert_eq!(is.rho(), was.rho());
    }
}

#[test]
fn the_model_is_unperturbed_outside_the_depths_and_in_regions_that_only_touch_them() {
    let map = relative(axes(), |_, _, _| 0.01, |_, _, _| 0.02);
    let plain = prem(ReferenceEarth::Prem);
    let model = plain.clone().perturbed(map, bolivia()).unwrap();
    let same = |region, z| model.medium(region, [0.0, 0.0, z]) == plain.medium(region, [0.0, 0.0, z]);
    // The crust ends where the map starts, so its lowest nodes are unperturbed in spite of round-off.
    for z in [-24_400.0, -24_400.0 - 1e-6, -24_400.0 + 1e-6] {
        assert!(same(1, z) && !same(2, z), "{z}");
    }
    assert!(model.is_constant(0) && model.is_constant(1) && !model.is_constant(2));
    assert!(same(5, -700.001e3) && !same(5, -699.999e3));
    assert_eq!(model.slowest_range(5, -790e3, -750e3), plain.slowest_range(5, -790e3, -750e3));
    let [low, high] = model.slowest_range(5, -750e3, -690e3);
    let both = plain.slowest_range(5, -750e3, -690e3);
    assert!(low <= both[0] && high >= plain.slowest(5, -700e3, -700e3) * 1.02 - 1e-6, "{low} {high} {both:?}");
}

#[test]
fn a_map_that_starts_at_the_surface_extends_to_the_ground() {
    let axes = MapAxes { depths: vec![0.0, 30e3], ..axes() };
    let map = relative(axes, |_, _, _| 0.01, |_, _, _| -0.01);
    let model = crust().with_surface(Interface::Flat(4000.0)).perturbed(map, bolivia()).unwrap();
    let expected = [6000.0 * 1.01, 3464.0 * 0.99];
    for z in [4000.0, 1e-9, 0.0, -1e-9, -30e3] {
        let got = speeds(&model.medium(0, [0.0, 0.0, z]));
        assert!((got[0] - expected[0]).abs() < 1e-4 && (got[1] - expected[1]).abs() < 1e-4, "{z}: {got:?}");
    }
    assert_eq!(speeds(&model.medium(0, [0.0, 0.0, -31e3])), [6000.0, 3464.0]);
}

#[test]
fn bounds_contain_every_perturbed_medium() {
    let (isotropic, anisotropic) = (ReferenceEarth::Prem, ReferenceEarth::PremAnisotropic);
    for (earth, apart) in [(isotropic, false), (anisotropic, false), (isotropic, true), (anisotropic, true)] {
        let wave = |x: f64, y: f64, z: f64| 0.05 * (3.0 * x + z / 4e4).sin() * (5.0 * y).cos();
        let vs = |x: f64, y: f64, z: f64| 1.5 * wave(y, x, z);
        let map = match apart {
            false => relative(axes(), wave, vs),
            true => polarised(axes(), MapValues::Relative, vs, |x, y, z| 0.5 * wave(x, y, z)),
        };
        let model = prem(earth).perturbed(map, bolivia()).unwrap();
        for (region, [low, high]) in
            [(2, [-60e3, -24.4e3]), (2, [-220e3, -170e3]), (3, [-320e3, -280e3]), (5, [-710e3, -690e3])]
        {
            let [least, greatest] = model.slowest_range(region, low, high);
            let fastest = model.fastest(region, low, high);
            let mut seen = [f64::INFINITY, 0.0, 0.0_f64];
            for step in 0..600 {
                let part = |by: usize| (step * by % 601) as f64 / 600.0;
                let place = [6e5 * (part(7) - 0.5), 6e5 * (part(83) - 0.5), low + (high - low) * part(1)];
                let medium = model.medium(region, place);
                let slowest = medium.slowest();
                seen = [seen[0].min(slowest), seen[1].max(slowest), seen[2].max(medium.fastest())];
            }
            assert!(
                least <= seen[0] * (1.0 + 1e-9) && greatest >= seen[1] * (1.0 - 1e-4),
                "{region}: {least} {greatest} {seen:?}"
            );
            assert!(fastest >= seen[2] * (1.0 - 1e-4), "{region}: {fastest} {seen:?}");
            // The bounds are those of the whole map, with changes of up to 5 and 7.5 per cent.
            assert!(least > 0.8 * seen[0] && fastest < 1.15 * seen[2], "{region}: {least} {fastest} {seen:?}");
        }
    }
}

/// Extremes over 200 heights of a span and all combinations of changes by two per cent: minimum and maximum speed of the slowest wave, and
/// maximum of the fastest.
fn extremes(model: &EarthModel, region: usize, [low, high]: [f64; 2], has_p: bool) -> [f64; 3] {
    let [mut least, mut greatest, mut fastest] = [f64::INFINITY, 0.0, 0.0_f64];
    for step in 0..=200 {
        let medium = model.medium(region, [0.0, 0.0, low + (high - low) * f64::from(step) / 200.0]);
        let Stiffness(c) = medium.stiffness();
        let eta = c[2] / (c[0] - 2.0 * c[15]);
        for corner in 0..16 {
            let is_changed = |bit: usize| has_p || bit > 1;
            let factor =
                |bit: usize| 1.0 + f64::from([-0.02_f32, 0.02][corner >> bit & 1]) * f64::from(is_changed(bit));
            let [a, c, l, n] = [0, 11, 15, 20].map(|at| c[at]);
            let [a, c, l, n] = [(a, 0), (c, 1), (l, 2), (n, 3)].map(|(modulus, bit)| modulus * factor(bit).powi(2));
            let love = Love { a, c, f: eta * (a - 2.0 * l), l, n };
            let (slowest, fast) = (love.slowest(medium.rho()), love.fastest(medium.rho()));
            (least, greatest, fastest) = (least.min(slowest), greatest.max(slowest), fastest.max(fast));
        }
    }
    [least, greatest, fastest]
}

#[test]
fn long_spans_are_bounded_closely_where_polarisations_differ() {
    let places = MapAxes { depths: vec![24.4e3, 2891e3], ..axes() };
    // Each map has both signs, so that its extremes are the same at all depths.
    let map = |axis: usize| values(&places, |x, y, _| 0.02 * [x + 68.0, y + 14.0][axis].signum());
    for earth in [ReferenceEarth::Prem, ReferenceEarth::PremAnisotropic] {
        let plain = EarthModel::reference(earth, ReferenceOptions::default(), -2891e3).unwrap();
        for has_p in [false, true] {
            let mut maps = Maps { vs: map(0), vsh: map(1), ..Maps::default() };
            if has_p {
                (maps.vp, maps.vph) = (map(1), map(0));
            }
            let perturbation = Perturbation::new(places.clone(), maps, MapValues::Relative).unwrap();
            let model = plain.clone().perturbed(Arc::new(perturbation), bolivia()).unwrap();
            for (region, [low, high]) in [
                (2, [-220e3, -24.4e3]),
                (4, [-600e3, -400e3]),
                (4, [-670e3, -400e3]),
                (5, [-2741e3, -771e3]),
                (5, [-2891e3, -670e3]),
            ] {
                let [least, greatest, fastest] = extremes(&plain, region, [low, high], has_p);
                let [low_bound, high_bound] = model.slowest_range(region, low, high);
                let fast_bound = model.fastest(region, low, high);
                let case =
                    format!("{earth:?} {has_p} {low} to {high}: {low_bound} of {least}, {fast_bound} of {fastest}");
                let slack = 1e-9;
                assert!((0.98..=1.0 + slack).contains(&(low_bound / least)), "{case}");
                assert!((1.0 - slack..=1.02).contains(&(fast_bound / fastest)), "{case}");
                assert!(high_bound >= greatest * (1.0 - slack), "{case}: {high_bound} {greatest}");
            }
        }
    }
}

#[test]
fn a_fluid_is_unchanged_where_s_polarisations_differ() {
    let water = EarthModel::homogeneous(Medium::isotropic(1500.0, 0.0, 1000.0).unwrap());
    let map = polarised(axes(), MapValues::Relative, |_, _, _| 0.02, |_, _, _| -0.02);
    let model = water.perturbed(map, bolivia()).unwrap();
    assert_eq!(model.slowest_range(0, -100e3, -50e3), [1500.0, 1500.0]);
    assert_eq!(model.fastest(0, -100e3, -50e3), 1500.0);
}

#[test]
fn both_polarisations_change_equally_and_eta_is_unchanged() {
    let map = relative(axes(), |_, _, _| 0.5f64.sqrt() - 1.0, |_, _, _| 0.5f64.sqrt() - 1.0);
    let plain = prem(ReferenceEarth::PremAnisotropic);
    let model = plain.clone().perturbed(map, bolivia()).unwrap();
    let place = [0.0, 0.0, -100e3];
    let [was, is] = [&plain, &model].map(|model| model.medium(2, place).stiffness());
    for (is, was) in is.0.iter().zip(was.0) {
        assert!((is - 0.5 * was).abs() <= 1e-7 * was.abs(), "{is} {was}");
    }
    assert!(model.is_anisotropic());
}

#[test]
fn polarisations_change_separately_if_each_has_a_map() {
    let plain = prem(ReferenceEarth::PremAnisotropic);
    let changed = |meaning, [vsv, vsh]: [f64; 2]| {
        let map = polarised(axes(), meaning, |_, _, _| vsv, |_, _, _| vsh);
        plain.clone().perturbed(map, bolivia()).unwrap()
    };
    // Above 220 km the model is anisotropic, below it becomes so.
    let moduli = |model: &EarthModel, depth: f64| {
        let place = [0.0, 0.0, -depth];
        let medium = model.medium(model.region_at(place), place);
        let Stiffness(c) = medium.stiffness();
        // Density-normalised C11 and C33 of horizontal and vertical P waves, C44 and C66 of S waves.
        [c[0], c[11], c[15], c[20]].map(|modulus| modulus / medium.rho())
    };
    for depth in [100e3, 300e3] {
        let [was, is] = [&plain, &changed(MapValues::Relative, [0.02, -0.03])].map(|model| moduli(model, depth));
        for ((was, is), factor) in was.into_iter().zip(is).zip([1.0, 1.0, 1.02, 0.97]) {
            assert!((is / (was * factor * factor) - 1.0).abs() < 1e-7, "{depth} m: {was} {is}");
        }
        let [_, _, l, n] = moduli(&changed(MapValues::Absolute, [4400.0, 4600.0]), depth);
        assert!((l.sqrt() - 4400.0).abs() < 1e-6 && (n.sqrt() - 4600.0).abs() < 1e-6, "{l} {n}");
    }
    let without = prem(ReferenceEarth::Prem);
    assert!(!without.is_anisotropic());
    let map = polarised(axes(), MapValues::Relative, |_, _, _| 0.02, |_, _, _| 0.0);
    assert!(without.perturbed(map, bolivia()).unwrap().is_anisotropic());
}

#[test]
fn longitudes_are_periodic() {
    let longitudes: Vec<f64> = (0..36).map(|i| f64::from(10 * i)).collect();
    let axes = MapAxes { longitudes, latitudes: vec![80.0, -80.0], depths: vec![30e3, 0.0] };
    // Descending latitudes and depths; the change is a triangle in longitude with its peak at 0.
    let triangle = |longitude: f64, _: f64, _: f64| 0.1 * ((longitude + 180.0).rem_euclid(360.0) - 180.0).abs() / 180.0;
    let map = relative(axes, triangle, |_, latitude, depth| 1e-3 * latitude / 80.0 + depth / 30e3 * 1e-2);
    for (zone, longitude) in [(60, 179.5), (1, -179.5), (31, 0.3), (30, -4.0), (19, -67.0)] {
        let frame = LocalFrame::centred(Utm::new(zone, false).unwrap(), longitude, 10.0).unwrap();
        let model = crust().perturbed(map.clone(), frame).unwrap();
        let [vp, vs] = speeds(&model.medium(0, [0.0, 0.0, -15e3]));
        let expected = [6000.0 * (1.0 + triangle(longitude, 0.0, 0.0)), 3464.0 * (1.0 + 0.125e-3 + 0.5e-2)];
        assert!(
            (vp - expected[0]).abs() < 1e-3 && (vs - expected[1]).abs() < 1e-3,
            "{longitude}: {vp} {vs} {expected:?}"
        );
        model.check_over([-1e5, 1e5], [-1e5, 1e5]).unwrap();
    }
}

#[test]
fn a_domain_beyond_the_map_is_refused_with_the_position() {
    let model = crust().perturbed(relative(axes(), trilinear, trilinear), bolivia()).unwrap();
    model.check_over([-3e5, 3e5], [-3e5, 3e5]).unwrap();
    let message = model.check_over([-3e5, 9e5], [-3e5, 3e5]).unwrap_err().to_string();
    assert!(message.starts_with("longitude = -59.88"), "{message}");
    assert!(
        message
            .contains("between -75 and -60 degrees, the range of the perturbation; the model needs it at x = 787500"),
        "{message}"
    );
    assert!(model.check_over([0.0, 1.0], [0.0, 7e5]).unwrap_err().to_string().starts_with("latitude = -7."));
    let plane = LocalFrame::new(Projection::None, [-67.0, -14.0]).unwrap();
    let model = crust().perturbed(relative(axes(), trilinear, trilinear), plane).unwrap();
    assert!(model.check_over([-8.0, 7.0], [-6.0, 6.0]).is_ok());
    assert!(model.check_over([-8.1, 7.0], [-6.0, 6.0]).is_err());
}

#[test]
fn absolute_values_replace_those_of_the_model() {
    let axes = axes();
    let (vs, rho) = (values(&axes, |_, _, z| 4000.0 + z / 1e3), values(&axes, |_, _, _| 3300.0));
    let maps = Maps { vs, rho, ..Maps::default() };
    let map = Arc::new(Perturbation::new(axes, maps, MapValues::Absolute).unwrap());
    let model = prem(ReferenceEarth::Prem).perturbed(map.clone(), bolivia()).unwrap();
    let medium = model.medium(2, [0.0, 0.0, -200e3]);
    let [vp, vs] = speeds(&medium);
    assert!((vs - 4200.0).abs() < 1e-9 && medium.rho() == 3300.0 && vp > 7990.0, "{medium:?}");
    assert_eq!(model.slowest_range(2, -200e3, -150e3), [4150.0, 4200.0]);
    let refused = |model: EarthModel| model.perturbed(map.clone(), bolivia()).unwrap_err().to_string();
    let message = refused(prem(ReferenceEarth::PremAnisotropic));
    assert!(message.contains("layer 3: the perturbation has absolute speeds for an anisotropic medium"), "{message}");
    let water = EarthModel::homogeneous(Medium::isotropic(1500.0, 0.0, 1000.0).unwrap());
    assert!(refused(water).contains("S waves in a fluid"));
}

#[test]
fn changes_that_make_a_medium_invalid_are_refused_with_the_position() {
    let spike = |x: f64, y: f64, z: f64| if (x, y, z) == (-66.0, -15.0, 100e3) { 0.6 } else { 0.0 };
    let refused = |model: EarthModel, map| model.perturbed(map, bolivia()).unwrap_err().to_string();
    let message = refused(prem(ReferenceEarth::Prem), relative(axes(), |_, _, _| 0.0, spike));
    assert!(
        message.starts_with("layer 3: perturbation at longitude -66, latitude -15, depth 100000 m: vs = 7141.03"),
        "{message}"
    );
    // Anisotropic, and invalid between two depths of the map: vs increases and vp decreases over the interval.
    let message = refused(
        prem(ReferenceEarth::PremAnisotropic),
        relative(axes(), |_, _, z| -0.4 * f64::from(z > 50e3), |_, _, z| 0.4 * f64::from(z < 250e3)),
    );
    assert!(message.contains("layer 3: perturbation at longitude -75, latitude -20, depth 100000 m"), "{message}");
    let anisotropic = Medium::anisotropic(Stiffness::from_speeds(6000.0, 3464.0, 2700.0), 2700.0).unwrap();
    let message = refused(EarthModel::homogeneous(anisotropic), relative(axes(), trilinear, trilinear));
    assert!(message.contains("21 coefficients"), "{message}");
}

#[test]
fn invalid_maps_are_refused() {
    let refused = |axes: MapAxes, vs: Option<Vec<f32>>, meaning| {
        Perturbation::new(axes, Maps { vs, ..Maps::default() }, meaning).unwrap_err().to_string()
    };
    let relative = MapValues::Relative;
    let constant = |value: f64| values(&axes(), |_, _, _| value);
    assert_eq!(refused(axes(), None, relative), "the perturbation has no maps; give a map of vp, vs, rho or Q");
    assert!(refused(axes(), Some(vec![0.0; 63]), relative).contains("63 values of vs on 4 x 4 x 4 points"));
    let message = refused(axes(), constant(2.5), relative);
    assert!(
        message.starts_with("perturbation at longitude -75, latitude -20, depth 24400 m: vs = 2.5 is not allowed")
            && message.contains("not per cent"),
        "{message}"
    );
    for value in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(axes(), constant(value), relative).contains("0 where the change is unknown"));
    }
    assert!(refused(axes(), constant(0.0), MapValues::Absolute).contains("above 0"));
    let twice = MapAxes { depths: vec![0.0, 5.0, 5.0, 7.0], ..axes() };
    assert_eq!(
        refused(twice, constant(0.0), relative),
        "the perturbation has the successive points 5 and 5 m along depth; give each point once, in ascending or descending order"
    );
    let short = MapAxes { latitudes: vec![1.0], ..axes() };
    assert!(refused(short, constant(0.0), relative).contains("1 point along latitude"));
    assert!(refused(MapAxes { longitudes: vec![0.0, f64::NAN], ..axes() }, None, relative).contains("NaN"));
    let wide = MapAxes { longitudes: vec![-200.0, 0.0, 100.0, 200.0], ..axes() };
    let maps = Maps { vs: values(&wide, |_, _, _| 0.0), ..Maps::default() };
    let map = Arc::new(Perturbation::new(wide, maps, relative).unwrap());
    assert!(matches!(crust().perturbed(map, bolivia()), Err(ModelError::BadMap { .. })));
}
