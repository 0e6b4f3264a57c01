//! Each region is sampled by one-sided limits at its boundaries; models whose layers are out of order are refused.

use std::path::Path;
use std::sync::Arc;

use craton_formats::table;
use craton_model::geodesy::{EARTH_RADIUS, Latitudes, Sphere};
use craton_model::{
    Attenuation, DepthRow, EarthModel, ElevationGrid, Interface, LossField, Losses, Material, Medium, ModelError,
    ReferenceEarth, ReferenceOptions,
};
use craton_physics::{QualityLaw, Relaxation, Stiffness};

fn soft() -> Medium {
    Medium::isotropic(4000.0, 2000.0, 2600.0).unwrap()
}

fn hard() -> Medium {
    Medium::isotropic(6000.0, 3464.0, 2700.0).unwrap()
}

fn loh1() -> EarthModel {
    EarthModel::layered(vec![(Interface::Flat(0.0), soft()), (Interface::Flat(-1000.0), hard())]).unwrap()
}

fn row(depth: f64, vp: f64, vs: f64, rho: f64) -> DepthRow {
    DepthRow { depth, vp, vs, rho }
}

/// An ocean, a crust with a gradient and a kink, and a mantle.
fn crust() -> EarthModel {
    let rows = [
        row(0.0, 1500.0, 0.0, 1000.0),
        row(3000.0, 1500.0, 0.0, 1000.0),
        row(3000.0, 5000.0, 2800.0, 2600.0),
        row(10_000.0, 6400.0, 3500.0, 2800.0),
        row(20_000.0, 6400.0, 3300.0, 2900.0),
        row(20_000.0, 8100.0, 4500.0, 3300.0),
    ];
    EarthModel::depth_table(Interface::Flat(0.0), &rows).unwrap()
}

fn waves(medium: Medium) -> (f64, f64, f64) {
    (medium.fastest(), medium.slowest(), medium.rho())
}

#[test]
fn a_layer_is_sampled_from_inside_at_an_interface() {
    let model = loh1();
    let on_interface = [300.0, -20.0, -1000.0];
    assert_eq!(model.medium(0, on_interface), soft());
    assert_eq!(model.medium(1, on_interface), hard());
    assert_eq!(model.region_at([0.0, 0.0, 10.0]), 0);
    assert_eq!(model.region_at([0.0, 0.0, -999.9]), 0);
    assert_eq!(model.region_at(on_interface), 1);
    assert_eq!(model.region_at([0.0, 0.0, -9e9]), 1);
    assert!(model.is_constant(0) && model.is_constant(1));
}

#[test]
fn a_homogeneous_model_is_constant() {
    let model = EarthModel::homogeneous(hard());
    assert_eq!(model.regions().len(), 1);
    assert_eq!(model.medium(0, [1.0, 2.0, -3e5]), hard());
    assert_eq!((model.slowest(0, -1e4, 0.0), model.fastest(0, -1e4, 0.0)), (3464.0, 6000.0));
}

#[test]
fn repeated_depths_become_regions_with_linear_profiles() {
    let model = crust();
    assert_eq!(model.regions().len(), 3);
    assert_eq!(model.regions()[1].top, Interface::Flat(-3000.0));
    assert_eq!(model.regions()[2].top, Interface::Flat(-20_000.0));
    assert!(model.is_constant(0) && !model.is_constant(1) && model.is_constant(2));

    let at = |region, z| waves(model.medium(region, [0.0, 0.0, z]));
    assert_eq!(at(0, -3000.0), (1500.0, 1500.0, 1000.0));
    assert_eq!(at(1, -3000.0), (5000.0, 2800.0, 2600.0));
    assert_eq!(at(1, -6500.0), (5700.0, 3150.0, 2700.0));
    assert_eq!(at(1, -20_000.0), (6400.0, 3300.0, 2900.0));
    assert_eq!(at(1, -25_000.0), (6400.0, 3300.0, 2900.0));
    assert_eq!(at(2, -20_000.0), (8100.0, 4500.0, 3300.0));
}

#[test]
fn bounds_include_the_knots_inside_the_range() {
    let model = crust();
    assert_eq!(model.slowest(0, -3000.0, 0.0), 1500.0);
    assert_eq!(model.slowest(1, -20_000.0, -3000.0), 2800.0);
    assert_eq!(model.slowest(1, -20_000.0, -9000.0), 3300.0);
    assert_eq!(model.fastest(1, -12_000.0, -9000.0), 6400.0);
    assert_eq!(model.fastest(1, -6500.0, -3000.0), 5700.0);
}

#[test]
fn extreme_speeds_of_anisotropic_regions_are_correct() {
    let same = Medium::anisotropic(Stiffness::from_speeds(6000.0, 3464.0, 2700.0), 2700.0).unwrap();
    let model = EarthModel::homogeneous(same);
    assert!((model.slowest(0, -1.0, 0.0) / 3464.0 - 1.0).abs() < 1e-9);
    assert!((model.fastest(0, -1.0, 0.0) / 6000.0 - 1.0).abs() < 1e-9);
}

#[test]
fn a_depth_table_is_read_from_a_file() {
    let text = "depth vp vs rho\n0 4000 2000 2600\n1000 4000 2000 2600\n1000 6000 3464 2700\n";
    let rows = DepthRow::from_table(&table::parse(text, Path::new("loh1.txt")).unwrap()).unwrap();
    let model = EarthModel::depth_table(Interface::Flat(0.0), &rows).unwrap();
    assert_eq!(model, loh1());
    let missing = table::parse("depth vp rho\n0 1 1\n", Path::new("bad.txt")).unwrap();
    assert!(DepthRow::from_table(&missing).is_err());
}

#[test]
fn invalid_depth_tables_are_refused_with_their_row() {
    let refused = |rows: &[DepthRow]| EarthModel::depth_table(Interface::Flat(0.0), rows).unwrap_err().to_string();
    let rock = |depth| row(depth, 6000.0, 3464.0, 2700.0);
    assert_eq!(
        refused(&[rock(0.0), rock(2000.0), rock(1000.0)]),
        "row 3 at depth 1000 m: it is above the previous row; list the rows from the top down"
    );
    assert_eq!(
        refused(&[rock(0.0), row(2000.0, 6000.0, 3464.0, -1.0)]),
        "row 2 at depth 2000 m: rho = -1 is not allowed: it must be above 0 kg/m3; give the density"
    );
    assert!(refused(&[rock(0.0), rock(5.0), rock(5.0), rock(5.0)]).contains("occurs three times"));
    assert!(refused(&[rock(0.0), rock(0.0)]).contains("nothing above it"));
    assert!(refused(&[row(0.0, 1500.0, 0.0, 1000.0), rock(10.0)]).contains("give the depth twice"));
    assert!(refused(&[rock(f64::NAN)]).contains("depth = NaN"));
    assert_eq!(refused(&[]), "the model has no row; give at least one");
    assert_eq!(EarthModel::new(vec![]).unwrap_err(), ModelError::Empty { what: "layer" });
}

#[test]
fn layers_out_of_order_are_refused_with_number_and_position() {
    let upside_down =
        EarthModel::layered(vec![(Interface::Flat(-1000.0), soft()), (Interface::Flat(0.0), hard())]).unwrap();
    assert_eq!(
        upside_down.check_over([0.0, 10.0], [0.0, 20.0]).unwrap_err().to_string(),
        "layers are out of order: the top of layer 2 (counted from the top) lies at z = 0 m, not below the top of layer 1 \
         at -1000 m, at x = 0, y = 0 m; list the layers from the top down and keep their tops apart"
    );
    assert!(loh1().check_over([-1e4, 1e4], [-1e4, 1e4]).is_ok());
}

#[test]
fn a_valley_that_cuts_through_an_interface_is_found() {
    let valley = |x: f64, y: f64| Ok(-1200.0 * (-((x - 400.0) / 150.0).powi(2) - ((y - 700.0) / 150.0).powi(2)).exp());
    let topography = ElevationGrid::from_function([0.0, 1000.0], [0.0, 1000.0], 50.0, valley).unwrap();
    let model = loh1().with_surface(topography.into());
    let error = model.check_over([0.0, 1000.0], [0.0, 1000.0]).unwrap_err();
    let ModelError::OutOfOrder { upper_layer: 1, x, y, .. } = error else {
        panic!("{error}");
    };
    assert!((x - 400.0).hypot(y - 700.0) < 100.0, "{x} {y}");
    assert!(model.check_over([600.0, 1000.0], [0.0, 400.0]).is_ok());
    let missing = model.check_over([0.0, 1001.0], [0.0, 1000.0]).unwrap_err();
    assert!(missing.to_string().starts_with("the top of layer 1 does not cover the domain along x"));
}

#[test]
fn topography_changes_the_surface_but_not_the_depths() {
    let hill = ElevationGrid::from_function([0.0, 100.0], [0.0, 100.0], 10.0, |x, _| Ok(x)).unwrap();
    let model = crust().with_surface(hill.into());
    assert!((model.surface().elevation(55.0, 5.0) - 55.0).abs() < 1e-12);
    assert_eq!(model.region_at([55.0, 5.0, -3000.5]), 1);
    assert!(matches!(model.regions()[0].material, Material::Homogeneous(_)));
}

#[test]
fn directions_rotate_with_the_sphere() {
    // Faster vertically than horizontally: up is Z in space at the centre, and halfway between Z and X 45 degrees to the east.
    let mut upright = Stiffness::from_speeds(6000.0, 3464.0, 2700.0);
    upright.0[11] *= 1.3;
    let upper = upright.matrix();
    let solid = Medium::anisotropic(upright, 2700.0).unwrap();
    let chunk = Sphere::chunk(30.0, 0.0, 0.0, Latitudes::Geocentric).unwrap();
    let model = EarthModel::homogeneous(solid).on_sphere(chunk);
    assert!(!model.is_constant(0));
    let at = |east: f64| {
        let position = chunk.to_space([EARTH_RADIUS * east.to_radians(), 0.0, -1e5]);
        model.medium_in_space(0, position).stiffness().matrix()
    };
    let centre = at(0.0);
    assert!((centre[2][2] / upper[2][2] - 1.0).abs() < 1e-12 && (centre[0][0] / upper[0][0] - 1.0).abs() < 1e-12);
    let east = at(45.0);
    assert!((east[0][0] / east[2][2] - 1.0).abs() < 1e-12, "halfway, X and Z are equivalent");
    assert!((east[1][1] / upper[1][1] - 1.0).abs() < 1e-12, "north is unchanged");
    let density = model.medium_in_space(0, chunk.to_space([1e6, 2e6, -3e5])).rho();
    assert_eq!(density, 2700.0);
}

#[test]
fn media_that_depend_on_height_are_the_same_at_many_positions() {
    let sphere = Sphere::globe(20.0, -35.0, 0.0, Latitudes::Geographic).unwrap();
    for earth in [ReferenceEarth::Prem, ReferenceEarth::PremAnisotropic, ReferenceEarth::Ak135] {
        let flat = EarthModel::reference(earth, ReferenceOptions::default(), -2891e3).unwrap();
        for (model, is_sphere) in [(flat.clone(), false), (flat.on_sphere(sphere), true)] {
            for region in 0..model.regions().len() {
                let Some(media) = model.radial_media(region) else { continue };
                let place = |index: u32| {
                    let [x, y, z] =
                        [1e4 * f64::from(index % 7), -2e4 * f64::from(index % 5), -1.5e3 * f64::from(index)];
                    if is_sphere { sphere.to_space([x, y, z]) } else { [x, y, z] }
                };
                let places: Vec<[f64; 3]> = (0..1900).map(place).collect();
                let mut found = Vec::new();
                media.properties(&places, &mut found);
                for (own, place) in found.iter().zip(&places) {
                    let expected = model.medium_in_space(region, *place);
                    let own = own.medium();
                    assert_eq!((own.rho(), own.mean_moduli()), (expected.rho(), expected.mean_moduli()), "{place:?}");
                    assert_eq!(own.fastest(), expected.fastest());
                }
            }
        }
    }
    assert!(EarthModel::homogeneous(hard()).radial_media(0).is_none());
}

#[test]
fn waves_are_slower_in_a_band_below_the_reference_frequency() {
    let losses = LossField::Constant(Losses { bulk: 0.0, shear: 1.0 / 80.0 });
    let slowing = |band: [f64; 2], losses: LossField, frequency: f64| {
        let relaxation = Relaxation::new(band, 3, QualityLaw::CONSTANT).unwrap();
        let model = EarthModel::homogeneous(hard()).with_losses(vec![losses]);
        model.attenuated(Arc::new(Attenuation::new(relaxation, 1.0).unwrap())).slowing(0, frequency)
    };
    let expected = 0.04_f64.powf((1.0_f64 / 80.0).atan() / std::f64::consts::PI);
    assert!((slowing([0.0004, 0.04], losses.clone(), 0.05) / expected - 1.0).abs() < 2e-3);
    assert!((slowing([0.01, 1.0], losses.clone(), 0.04) / expected - 1.0).abs() < 2e-3);
    assert_eq!(slowing([0.05, 5.0], losses, 5.0), 1.0);
    assert_eq!(slowing([0.0004, 0.04], LossField::NONE, 0.04), 1.0);
}
