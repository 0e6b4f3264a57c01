//! Profiles: polynomials, anisotropy, and bounds of the extreme wave speeds between two heights.

use std::path::Path;

use craton_formats::table;
use craton_model::geodesy::EARTH_RADIUS;
use craton_model::{
    DepthRow, EarthModel, Elasticity, Interface, Material, Medium, Polynomial, Profile, RadialLayer, ReferenceEarth,
    ReferenceOptions, Region, Transverse, TransverseRow,
};

fn model(profile: Profile) -> EarthModel {
    EarthModel::new(vec![Region::elastic(Interface::Flat(0.0), profile.into())]).unwrap()
}

/// Strong anisotropy, whose slowest wave is SH at some heights and quasi-SV in an oblique direction at others.
fn knots() -> [(f64, Transverse); 3] {
    let medium = |vpv, vph, vsv, vsh, eta| Transverse { vpv, vph, vsv, vsh, eta, rho: 3000.0 };
    [
        (0.0, medium(6000.0, 6300.0, 3400.0, 3300.0, 0.9)),
        (-10e3, medium(6500.0, 6900.0, 3700.0, 3900.0, 1.1)),
        (-30e3, medium(7900.0, 7400.0, 4300.0, 4200.0, 0.95)),
    ]
}

fn prem() -> EarthModel {
    EarthModel::reference(ReferenceEarth::PremAnisotropic, ReferenceOptions::default(), -2.8e6).unwrap()
}

#[test]
fn anisotropic_properties_give_21_coefficients_and_isotropic_ones_an_isotropic_medium() {
    let strong = model(Profile::through(&knots()).unwrap());
    assert!(strong.is_anisotropic() && !strong.is_constant(0));
    let medium = strong.medium(0, [0.0, 0.0, -5e3]);
    let c = medium.stiffness().matrix();
    let (a, l) = (3000.0 * 6600.0_f64.powi(2), 3000.0 * 3550.0_f64.powi(2));
    for (got, expected) in [
        (c[0][0], a),
        (c[1][1], a),
        (c[2][2], 3000.0 * 6250.0_f64.powi(2)),
        (c[0][2], a - 2.0 * l),
        (c[3][3], l),
        (c[5][5], 3000.0 * 3600.0_f64.powi(2)),
        (c[0][1], a - 2.0 * 3000.0 * 3600.0_f64.powi(2)),
    ] {
        assert!((got / expected - 1.0).abs() < 1e-12, "{got} {expected}");
    }
    let isotropic = Profile::through(&[(0.0, Transverse::isotropic(6000.0, 3464.0, 2700.0))]).unwrap();
    assert!(matches!(Material::from(isotropic), Material::Homogeneous(_)));
    let constant = model(Profile::through(&knots()[..1]).unwrap());
    assert!(constant.is_anisotropic() && constant.is_constant(0));
}

#[test]
fn extreme_speeds_at_a_height_are_those_of_the_medium() {
    let models = [(model(Profile::through(&knots()).unwrap()), 0, -30e3), (prem(), 2, -220e3)];
    for (model, region, bottom) in models {
        for step in 0..=20 {
            let z = bottom * f64::from(step) / 20.0;
            let medium = model.medium(region, [0.0, 0.0, z]);
            let [least, greatest] = model.slowest_range(region, z, z);
            // `Medium` searches directions with an accuracy of 1e-4.
            assert!((least / medium.slowest() - 1.0).abs() < 1e-4, "{z}: {least} {}", medium.slowest());
            assert!((least - greatest).abs() < 1e-6, "{z}: {least} {greatest}");
            assert!((model.fastest(region, z, z) / medium.fastest() - 1.0).abs() < 1e-4, "{z}");
        }
    }
}

/// Relative deviation of the bounds of a span from the extremes of a thousand heights in it: minimum and maximum speed of the slowest wave,
/// and maximum of the fastest.
fn misses(model: &EarthModel, region: usize, [low, high]: [f64; 2]) -> [f64; 3] {
    let [mut least, mut greatest, mut fastest] = [f64::INFINITY, 0.0, 0.0_f64];
    for step in 0..=1000 {
        let z = low + (high - low) * f64::from(step) / 1000.0;
        let [slowest, _] = model.slowest_range(region, z, z);
        (least, greatest, fastest) =
            (least.min(slowest), greatest.max(slowest), fastest.max(model.fastest(region, z, z)));
    }
    let [low_bound, high_bound] = model.slowest_range(region, low, high);
    [least / low_bound - 1.0, high_bound / greatest - 1.0, model.fastest(region, low, high) / fastest - 1.0]
}

#[test]
fn bounds_contain_every_medium_and_converge() {
    let close = |[least, greatest, fastest]: [f64; 3], [second_order, first_order]: [f64; 2]| {
        assert!(
            (-1e-12..second_order).contains(&least) && (-1e-12..second_order).contains(&fastest),
            "{least} {fastest}"
        );
        assert!((-1e-12..first_order).contains(&greatest), "{greatest}");
    };
    let prem = prem();
    for span in [[-220e3, -200e3], [-80e3, -24.4e3], [-150e3, -100e3]] {
        close(misses(&prem, 2, span), [1e-5, 1e-3]);
    }
    // Where eta changes by a fifth in 10 km: the bounds used for meshes and time steps converge with the square of the span, the maximum
    // speed of the slowest wave linearly.
    let strong = model(Profile::through(&knots()).unwrap());
    for span in [[-10e3, -7e3], [-12e3, -8e3], [-30e3, -20e3], [-40e3, -28e3], [-2e3, 1e3]] {
        for (part, slack) in [(1.0, [1e-3, 3e-2]), (0.2, [4e-5, 6e-3]), (0.04, [1.6e-6, 1.2e-3])] {
            close(misses(&strong, 0, [span[1] - part * (span[1] - span[0]), span[1]]), slack);
        }
    }
}

#[test]
fn polynomials_can_be_extreme_inside() {
    // vs = 3000 + 1000 (2 t - t²) m/s with t = -z / 100 km: 4000 at 100 km, where vp is least.
    let t = Polynomial([EARTH_RADIUS / 1e5, -EARTH_RADIUS / 1e5, 0.0, 0.0]);
    let square = |a: f64, b: f64, c: f64| {
        let [t0, t1, ..] = t.0;
        Polynomial([a + b * t0 + c * t0 * t0, b * t1 + 2.0 * c * t0 * t1, c * t1 * t1, 0.0])
    };
    let law = Transverse::isotropic_law(
        square(8000.0, -1000.0, 500.0),
        square(3000.0, 2000.0, -1000.0),
        Polynomial::constant(3300.0),
    );
    let layer = RadialLayer { top: 0.0, bottom: -150e3, law };
    let model = model(Profile::radial(&[layer]).unwrap());
    let close = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-8, "{got} {expected}");
    let [least, greatest] = model.slowest_range(0, -150e3, -50e3);
    close(least, 3750.0);
    close(greatest, 4000.0);
    close(model.slowest(0, -150e3, 0.0), 3000.0);
    close(model.fastest(0, -150e3, -50e3), 7625.0);
    close(model.fastest(0, -1e6, 1e6), 8000.0);
}

#[test]
fn invalid_profiles_are_refused_with_their_height() {
    let law = |vs: [f64; 3]| {
        let [a, b, c] = vs;
        Transverse::isotropic_law(
            Polynomial::constant(8000.0),
            Polynomial([a, b, c, 0.0]),
            Polynomial::constant(3300.0),
        )
    };
    let layer = |top, bottom, law| RadialLayer { top, bottom, law };
    let refused = |layers: &[RadialLayer]| Profile::radial(layers).unwrap_err().to_string();
    let rock = law([4500.0, 0.0, 0.0]);
    assert_eq!(
        refused(&[layer(0.0, -10e3, rock), layer(-20e3, -30e3, rock)]),
        "layer 2 from z = -20000 to -30000 m: it does not start where the previous one ends; close the gap"
    );
    assert!(refused(&[layer(-10e3, -10e3, rock)]).contains("is not below its top"));
    assert!(refused(&[layer(0.0, -7e6, rock)]).contains("centre"));
    assert!(refused(&[layer(f64::NAN, -7e3, rock)]).contains("NaN"));
    assert!(refused(&[]).contains("no layer"));
    let fluid = layer(-10e3, -20e3, law([0.0; 3]));
    assert!(refused(&[layer(0.0, -10e3, rock), fluid]).contains("a fluid and a solid are in one profile"));
    // A vs that is valid at both ends, but negative or too large in between: 4000 m/s ± 1e9 (x - x0)².
    let middle = 1.0 - 50e3 / EARTH_RADIUS;
    for sign in [-1.0, 1.0] {
        let bend = sign * 7e7;
        let hidden = law([4000.0 - sign * 4200.0 + bend * middle * middle, -2.0 * bend * middle, bend]);
        let error = refused(&[layer(0.0, -100e3, hidden)]);
        assert!(error.starts_with("layer 1 from z = 0 to -100000 m: z = -50000 m: vs = "), "{error}");
    }
    let mut fluid_like = knots();
    (fluid_like[1].1.vsv, fluid_like[1].1.vsh) = (0.0, 0.0);
    let error = Profile::through(&fluid_like).unwrap_err().to_string();
    assert!(
        error.starts_with("knot 2 at z = -10000 m: vsv = 0 is not allowed") && error.contains("isotropic"),
        "{error}"
    );
}

#[test]
fn invalid_anisotropic_properties_are_refused_by_name() {
    let good = knots()[0].1;
    let refused = |medium: Transverse| medium.check().unwrap_err().to_string();
    assert!(
        refused(Transverse { vpv: 6.0, ..good }).starts_with("vpv = 6 is not allowed: it must be at least 100 m/s")
    );
    assert!(refused(Transverse { eta: -1.0, ..good }).starts_with("eta = -1 is not allowed"));
    assert!(refused(Transverse { rho: 2.7, ..good }).contains("g/cm3"));
    assert!(refused(Transverse { eta: 3.0, ..good }).contains("not positive definite"));
    assert!(refused(Transverse { vsh: f64::NAN, ..good }).contains("vsh = NaN"));
    assert!(good.check().is_ok());
    assert!(Transverse::isotropic(1500.0, 0.0, 1000.0).check().is_ok());
}

fn parsed<T>(
    text: &str,
    read: impl Fn(&table::Table) -> Result<Vec<T>, craton_formats::FormatError>,
) -> Result<Vec<T>, String> {
    read(&table::parse(text, Path::new("model.txt")).unwrap()).map_err(|error| error.to_string())
}

#[test]
fn columns_with_a_unit_in_their_name_are_converted() {
    let kilometres = "depth_km vp_km_s vs_km_s rho_g_cm3\n0 5.8 3.2 2.6\n24.4 8.11 4.49 3.38\n";
    let metres = "depth vp vs rho\n0 5800 3200 2600\n24400 8110 4490 3380\n";
    let [km, si] = [kilometres, metres].map(|text| parsed(text, DepthRow::from_table).unwrap());
    for (a, b) in km.iter().zip(&si) {
        for (x, y) in [(a.depth, b.depth), (a.vp, b.vp), (a.vs, b.vs), (a.rho, b.rho)] {
            assert!((x - y).abs() <= 1e-12 * y, "{x} {y}");
        }
    }
    let mixed = "depth_km vp vs_km_s rho\n24.4 8110 4.49 3380\n";
    let mixed = parsed(mixed, DepthRow::from_table).unwrap()[0];
    assert!(
        (mixed.vp - km[1].vp).abs() < 1e-9 && mixed.vs == km[1].vs && mixed.depth == 24_400.0 && mixed.rho == 3380.0
    );
}

#[test]
fn a_column_is_named_as_in_the_table() {
    let table = table::parse("depth_km vp vs_km_s rho_g_cm3\n24.4 8110 4.49 3.38\n", Path::new("model.txt")).unwrap();
    let names = ["depth", "vp", "vs", "rho", "eta"].map(|name| DepthRow::name_in(&table, name));
    assert_eq!(names, ["depth_km", "vp", "vs_km_s", "rho_g_cm3", "eta"]);
}

#[test]
fn columns_of_both_directions_give_an_anisotropic_medium() {
    let text = "depth_km vpv_km_s vph_km_s vsv_km_s vsh_km_s eta rho_g_cm3\n24.4 8.02 8.19 4.40 4.61 0.9 3.38\n220 7.8 8.05 4.44 4.44 0.98 3.36\n";
    let rows = parsed(text, TransverseRow::from_table).unwrap();
    let expected = Transverse { vpv: 8020.0, vph: 8190.0, vsv: 4400.0, vsh: 4610.0, eta: 0.9, rho: 3380.0 };
    for (got, expected) in
        [(rows[0].medium.vpv, expected.vpv), (rows[0].medium.vsh, expected.vsh), (rows[0].medium.rho, 3380.0)]
    {
        assert!((got - expected).abs() < 1e-9, "{got} {expected}");
    }
    let model = EarthModel::depth_table(Interface::Flat(0.0), &rows).unwrap();
    assert!(model.is_anisotropic());
    assert!(matches!(model.medium(0, [0.0, 0.0, -1e5]).elasticity(), Elasticity::Transverse { .. }));
    let isotropic = parsed("depth vp vs rho\n0 5800 3200 2600\n", TransverseRow::from_table).unwrap();
    assert_eq!(isotropic[0].medium, Transverse::isotropic(5800.0, 3200.0, 2600.0));
    let error = parsed("depth vpv vph vsv vsh rho\n0 1 1 1 1 1\n", TransverseRow::from_table).unwrap_err();
    assert!(error.contains("no column `eta`"), "{error}");
}

#[test]
fn values_not_in_the_unit_of_their_column_are_refused() {
    let refused = |text| parsed(text, DepthRow::from_table).unwrap_err();
    assert_eq!(
        refused("depth_km vp_km_s vs rho\n0 5800 3200 2600\n"),
        "model.txt:2: vp_km_s = `5800`; expected at most 50 km/s; speeds in m/s belong in a column without `_km_s`"
    );
    assert!(refused("depth_km vp vs rho\n24400 5800 3200 2600\n").contains("depths in m belong in a column `depth`"));
    assert!(refused("depth vp vs rho_g_cm3\n0 5800 3200 2600\n").contains("kg/m3"));
    assert!(refused("depth vp vp_km_s vs rho\n0 5800 5.8 3200 2600\n").contains("remove one of them"));
    assert!(refused("depth vp_km_s rho\n0 5.8 2600\n").contains("no column `vs`"));
    let rows = parsed("depth vp vs rho\n0 5.8 3.2 2600\n", DepthRow::from_table).unwrap();
    let error = EarthModel::depth_table(Interface::Flat(0.0), &rows).unwrap_err().to_string();
    assert!(error.ends_with("it seems to be in km/s; convert it to m/s"), "{error}");
    assert!(Medium::isotropic(5800.0, 3200.0, 2600.0).is_ok());
}
