//! Perturbations of the Earth model from netCDF: their values in the domain, and the errors of invalid ones.

use std::path::Path;

use craton::Setup;
use craton_formats::netcdf::{self, Attribute, DataType, Dataset, Dimension, Variable};
use craton_model::Elasticity;
use tempfile::TempDir;

use crate::setup::common::{CHUNK, LONG_PERIODS, TABLE, UTM, errors, folder, set_up};

/// Marker of missing values in the file.
const FILL: f64 = 99_999.0;

/// A variable of a test: name, unit, and its values by longitude, latitude and depth in km.
type Field<'a> = (&'a str, &'a str, &'a dyn Fn(f64, f64, f64) -> f64);

/// A map of the whole Earth, every 0.25 degrees near the domain of [`UTM`] and every 30 elsewhere.
struct Map {
    longitudes: Vec<f64>,
    latitudes: Vec<f64>,
    depths: Vec<f64>,
}

impl Map {
    fn new() -> Self {
        let fine = |from: f64| (0..9).map(move |place| from + 0.25 * f64::from(place));
        let longitudes = [-180.0, -150.0, -120.0, -90.0].into_iter().chain(fine(-68.25));
        let longitudes = longitudes.chain([-60.0, -30.0, 0.0, 30.0, 60.0, 90.0, 120.0, 150.0]).collect();
        let latitudes = [-90.0, -60.0, -30.0].into_iter().chain(fine(-14.75)).chain([0.0, 30.0, 60.0, 90.0]).collect();
        Self { longitudes, latitudes, depths: vec![0.0, 3.0, 10.0, 15.0, 40.0] }
    }

    /// Writes the file `map.nc`, with variables over depth, latitude and longitude.
    fn write(&self, folder: &Path, fields: &[Field]) {
        let axes = [
            ("depth", "km", &self.depths),
            ("latitude", "degrees_north", &self.latitudes),
            ("longitude", "degrees_east", &self.longitudes),
        ];
        let variable = |name: &str, units: &str, dimensions: Vec<usize>| Variable {
            name: name.to_owned(),
            data_type: DataType::F64,
            dimensions,
            attributes: vec![Attribute::text("units", units), Attribute::number("missing_value", DataType::F64, FILL)],
        };
        let own = (0..3).map(|axis| variable(axes[axis].0, axes[axis].1, vec![axis]));
        let dataset = Dataset {
            dimensions: axes.iter().map(|(name, _, places)| Dimension::new(name, places.len() as u64)).collect(),
            attributes: Vec::new(),
            variables: own.chain(fields.iter().map(|(name, units, _)| variable(name, units, vec![0, 1, 2]))).collect(),
        };
        netcdf::write(&folder.join("map.nc"), &dataset, |slab| {
            let Some((_, _, value)) = slab.index().checked_sub(3).map(|field| fields[field]) else {
                return slab.write(axes[slab.index()].2);
            };
            for &depth in &self.depths {
                for &latitude in &self.latitudes {
                    let row: Vec<f64> =
                        self.longitudes.iter().map(|&longitude| value(longitude, latitude, depth)).collect();
                    slab.write(&row)?;
                }
            }
            Ok(())
        })
        .expect("written");
    }
}

fn with_map(fields: &[Field]) -> TempDir {
    let folder = folder(&[]);
    Map::new().write(folder.path(), fields);
    folder
}

/// Change of the good scenario: the table `[perturbation]` with more lines.
fn table(lines: &str) -> String {
    format!("[perturbation]\nfile = \"map.nc\"\n{lines}\n[[source]]")
}

fn perturbed(folder: &Path, lines: &str) -> Setup {
    set_up(folder, &[UTM, ("[[source]]", &table(lines))]).unwrap_or_else(|error| panic!("{error:?}"))
}

fn refused(fields: &[Field], lines: &str) -> String {
    errors(with_map(fields).path(), &[UTM, ("[[source]]", &table(lines))])
}

/// Positions in the second layer of the good scenario: vp 6000, vs 3464, rho 2700.
const PLACES: [[f64; 3]; 3] = [[0.0, 0.0, -2000.0], [-3900.0, 13_500.0, -9000.0], [13_000.0, -3000.0, -11_999.0]];

fn medium(setup: &Setup, at: [f64; 3]) -> [f64; 3] {
    let medium = setup.model.medium(setup.model.region_at(at), at);
    match *medium.elasticity() {
        Elasticity::Isotropic { vp, vs } => [vp, vs, medium.rho()],
        _ => panic!("not isotropic"),
    }
}

#[track_caller]
fn assert_close(found: [f64; 3], expected: [f64; 3]) {
    // Values have single precision.
    let apart = found.iter().zip(expected).map(|(found, expected)| (found / expected - 1.0).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-7, "{found:?} instead of {expected:?}");
}

/// Per cent, linear in every coordinate, so that the map represents it exactly; with the other sign on the other side of the Earth.
fn percent(longitude: f64, latitude: f64, depth: f64) -> f64 {
    if longitude > -45.0 { -50.0 } else { 2.0 + 0.5 * (longitude + 67.0) - 0.25 * (latitude + 14.0) + 0.05 * depth }
}

#[test]
fn perturbations_in_per_cent_act_at_their_position() {
    let folder = with_map(&[("dvs", "percent", &percent)]);
    let setup = perturbed(folder.path(), "[perturbation.scaling]\nvp = 0.5\nrho = 0.25");
    for at in PLACES {
        let [longitude, latitude] = setup.frame.to_map([at[0], at[1]]);
        let change = percent(longitude, latitude, -at[2] / 1e3) / 100.0;
        let expected = [6000.0 * (1.0 + 0.5 * change), 3464.0 * (1.0 + change), 2700.0 * (1.0 + 0.25 * change)];
        assert_close(medium(&setup, at), expected);
    }
    // Slow regions elsewhere on the Earth do not affect the element size: the smallest perturbation around the domain is 1.2 %.
    let slowest = setup.model.slowest(1, -12000.0, -1000.0);
    assert!(slowest > 3464.0 && slowest < 3464.0 * 1.03, "{slowest}");
    assert_eq!(setup.warnings, Vec::<String>::new());
    assert!(setup.files.contains_key("map.nc"));
}

#[test]
fn a_chunk_is_perturbed_and_meshed_with_its_part_of_the_map() {
    let small = CHUNK.1.replace("[16, 16]", "[8, 6]");
    let earth = (TABLE.0, "[model.earth]\nname = \"prem_anisotropic\"");
    let changes = [earth, (CHUNK.0, &*small), LONG_PERIODS];
    let folder = folder(&[]);
    let map = Map { depths: vec![0.0, 100.0, 410.0, 700.0], ..Map::new() };
    map.write(folder.path(), &[("dvs", "percent", &|longitude, _, _| if longitude > -45.0 { -50.0 } else { 1.0 })]);
    let with = |lines: &[(&str, &str)]| {
        set_up(folder.path(), &[&changes[..], lines].concat()).unwrap_or_else(|error| panic!("{error:?}"))
    };
    let (plain, changed) = (with(&[]), with(&[("[[source]]", &table(""))]));
    let region = changed.model.region_at([0.0, 0.0, -100e3]);
    let [before, after] =
        [&plain, &changed].map(|setup| match *setup.model.medium(region, [0.0, 0.0, -100e3]).elasticity() {
            Elasticity::Transverse { love, .. } => [love.l, love.n, love.c],
            _ => panic!("not transversely isotropic"),
        });
    for (before, after, factor) in
        [(before[0], after[0], 1.01_f64), (before[1], after[1], 1.01), (before[2], after[2], 1.0)]
    {
        assert!((after / before / factor.powi(2) - 1.0).abs() < 1e-7, "{before} {after}");
    }
    for (region, ends) in [(region, [-150e3, -100e3]), (plain.model.regions().len() - 1, [-600e3, -500e3])] {
        let [before, after] = [&plain, &changed].map(|setup| setup.model.slowest(region, ends[0], ends[1]));
        // Bounds of anisotropic media are not exact; elsewhere on the Earth the velocity is halved.
        assert!((0.99..1.02).contains(&(after / before)), "{before} {after}");
    }
}

/// At 14 degrees, geographic latitudes on an ellipsoid of flattening 1 / 298.257223563 differ from geocentric ones by 0.09 degrees.
#[test]
fn a_map_has_geographic_latitudes_by_default() {
    let folder = with_map(&[("dvs", "percent", &|_, latitude, _| latitude)]);
    let change = |latitudes: &str, lines: &str| {
        let chunk = CHUNK.1.replace("rotation", &format!("latitudes = \"{latitudes}\", rotation"));
        let changes = [(CHUNK.0, &*chunk), LONG_PERIODS, ("[[source]]", &table(lines))];
        let setup = set_up(folder.path(), &changes).unwrap_or_else(|error| panic!("{error:?}"));
        let at = setup.frame.to_model(-67.0, -14.0).expect("a place in the chunk");
        100.0 * (medium(&setup, [at[0], at[1], -5000.0])[1] / 3464.0 - 1.0)
    };
    let flattening = 1.0 / 298.257_223_563_f64;
    let with = |factor: f64| (14f64.to_radians().tan() * factor).atan().to_degrees();
    let [of_sphere, of_map] = [(1.0 - flattening).powi(2), (1.0 - flattening).powi(-2)].map(with);
    for (latitudes, lines, expected) in [
        ("geographic", "", 14.0),
        ("geocentric", "", of_map),
        ("geocentric", "latitudes = \"geocentric\"", 14.0),
        ("geographic", "latitudes = \"geocentric\"", of_sphere),
    ] {
        let found = -change(latitudes, lines);
        assert!((found - expected).abs() < 2e-4, "{latitudes} {lines}: {found} instead of {expected}");
    }
    assert_eq!(
        refused(&[("dvs", "percent", &|_, _, _| 1.0)], "latitudes = \"geocentric\""),
        "it.toml:14:1: perturbation.latitudes: must be geographic if the domain is a box (remove `latitudes`, or give domain.chunk or domain.globe)"
    );
}

#[test]
fn absolute_values_in_any_unit_replace_those_of_the_model() {
    let folder = with_map(&[
        ("vp", "km/s", &|_, _, depth| 5.0 + 0.1 * depth),
        ("vs", "m.s-1", &|longitude, _, _| 3000.0 - 10.0 * longitude),
        ("rho", "g/cm^3", &|_, latitude, _| 2.5 - 0.01 * latitude),
    ]);
    let setup = perturbed(folder.path(), "");
    for at in PLACES {
        let [longitude, latitude] = setup.frame.to_map([at[0], at[1]]);
        assert_close(medium(&setup, at), [5000.0 - 0.1 * at[2], 3000.0 - 10.0 * longitude, 2500.0 - 10.0 * latitude]);
    }
    // A selected variable is read alone.
    let setup = perturbed(folder.path(), "vp = \"vp\"");
    assert_close(medium(&setup, PLACES[0]), [5200.0, 3464.0, 2700.0]);
}

#[test]
fn names_and_units_of_a_file_can_be_overridden() {
    let folder = with_map(&[("dvs", "count", &|_, _, _| 0.01), ("other", "", &|_, _, _| 0.02)]);
    assert_close(medium(&perturbed(folder.path(), "units = \"fraction\""), PLACES[0]), [6000.0, 3464.0 * 1.01, 2700.0]);
    let setup = perturbed(folder.path(), "vs = \"other\"\nunits = \"fraction\"");
    assert_close(medium(&setup, PLACES[0]), [6000.0, 3464.0 * 1.02, 2700.0]);
    let setup = perturbed(folder.path(), "vs = \"dvs\"\nunits = \"percent\"");
    assert_close(medium(&setup, PLACES[0]), [6000.0, 3464.0 * 1.0001, 2700.0]);
    assert_eq!(
        refused(&[("dvs", "count", &|_, _, _| 0.01)], ""),
        "it.toml:13:8: perturbation.file = \"map.nc\": the variable dvs has the unit `count` (allowed: percent, fraction, km/s \
         or m/s; set perturbation.units = \"percent\", \"fraction\", \"km_s\" or \"si\")"
    );
}

#[test]
fn all_models_except_21_coefficients_are_perturbed() {
    let folder = with_map(&[("dlnvs", "fraction", &|_, _, _| 0.1)]);
    std::fs::write(
        folder.path().join("crust.txt"),
        "depth vpv vph vsv vsh eta rho\n0 5000 5100 2900 3000 0.95 2600\n20000 7000 7100 3900 4000 0.95 2900\n",
    )
    .expect("a file");
    let setup =
        set_up(folder.path(), &[TABLE, UTM, ("[[source]]", &table(""))]).unwrap_or_else(|error| panic!("{error:?}"));
    let Elasticity::Transverse { love, .. } = *setup.model.medium(0, [0.0; 3]).elasticity() else {
        panic!("not transversely isotropic")
    };
    // C44 of vsv, C66 of vsh.
    let [c44, c66] = [love.l, love.n];
    assert!((c44 / (2600.0 * 3190.0_f64.powi(2)) - 1.0).abs() < 1e-6, "{c44}");
    assert!((c66 / (2600.0 * 3300.0_f64.powi(2)) - 1.0).abs() < 1e-6, "{c66}");
    let tilted = ("vs = 3464.0, rho = 2700.0", "vs = 3464.0, rho = 2700.0, thomsen = { epsilon = 0.1 }");
    assert_eq!(
        errors(folder.path(), &[tilted, UTM, ("[[source]]", &table(""))]),
        "it.toml:13:8: perturbation.file = \"map.nc\": layer 2: the perturbation has to change a medium of 21 coefficients, which is not supported \
         (describe the medium by vpv, vph, vsv, vsh and eta)"
    );
}

#[test]
fn missing_values_matter_only_within_the_domain() {
    let elsewhere: Field = ("dvs", "percent", &|longitude, _, _| if longitude > -45.0 { f64::NAN } else { 1.0 });
    assert_close(medium(&perturbed(with_map(&[elsewhere]).path(), ""), PLACES[0]), [6000.0, 3464.0 * 1.01, 2700.0]);
    let here: Field =
        ("dvs", "percent", &|longitude, latitude, depth| match (longitude == -67.25, latitude, depth == 3.0) {
            (true, -15.0..-13.6, true) => f64::NAN,
            _ => 1.0,
        });
    assert_eq!(
        refused(&[here], ""),
        "it.toml:13:8: perturbation.file = \"map.nc\": vs is missing at longitude -67.25, latitude -14, depth 3000 m, and at 1 more point within the domain (fill the missing values, shrink the domain, or set perturbation.missing = \"unchanged\")"
    );
    let setup = perturbed(with_map(&[here]).path(), "missing = \"unchanged\"");
    assert_eq!(
        setup.warnings,
        [
            "perturbation.file = \"map.nc\": 2 points within the domain have no value, and the model is unchanged there (perturbation.missing)"
        ]
    );
    let at = setup.frame.to_model(-67.25, -13.75).expect("a place of the zone");
    assert_close(medium(&setup, [at[0], at[1], -3000.0]), [6000.0, 3464.0, 2700.0]);
    let speeds: Field = ("vs", "km/s", &|_, _, depth| if depth == 3.0 { f64::NAN } else { 3.0 });
    let absolute = refused(&[speeds], "missing = \"unchanged\"");
    assert!(absolute.ends_with("(fill the missing values, or shrink the domain)"), "{absolute}");
}

#[test]
fn a_map_that_ends_within_the_domain_causes_a_warning_or_is_refused() {
    let folder = folder(&[]);
    let mut map = Map::new();
    map.depths = vec![2.0, 5.0, 10.0];
    map.write(folder.path(), &[("dvs", "percent", &|_, _, _| 1.0)]);
    let setup = perturbed(folder.path(), "");
    assert_eq!(
        setup.warnings,
        [
            "perturbation.file = \"map.nc\": the file covers depths from 2000 to 10000 m, but the domain extends from 0 to 12000 m. Craton does not perturb the model above 2000 m and below 10000 m, which leaves a discontinuity if the perturbation does not end at 0"
        ]
    );
    assert_close(medium(&setup, [0.0, 0.0, -1500.0]), [6000.0, 3464.0, 2700.0]);
    map.depths = vec![20.0, 50.0];
    map.write(folder.path(), &[("dvs", "percent", &|_, _, _| 1.0)]);
    let change = table("");
    let deep = errors(folder.path(), &[UTM, ("[[source]]", &change)]);
    assert_eq!(
        deep,
        "it.toml:13:8: perturbation.file = \"map.nc\": the perturbation has depths from 20000 to 50000 m, outside the domain from 0 to 12000 m (extend either; depths are positive down)"
    );
    let map = Map { longitudes: vec![-67.2, -67.0, -66.0], ..Map::new() };
    map.write(folder.path(), &[("dvs", "percent", &|_, _, _| 1.0)]);
    let narrow = errors(folder.path(), &[UTM, ("[[source]]", &change)]);
    assert!(narrow.starts_with("it.toml:13:8: perturbation.file = \"map.nc\": longitude = -67.28"), "{narrow}");
    assert!(
        narrow.contains(
            "(allowed: between -67.2 and -66 degrees, the range of the perturbation; the model needs it at x = -4000"
        ),
        "{narrow}"
    );
}

#[test]
fn invalid_files_and_keys_are_refused() {
    let one: Field = ("dvs", "percent", &|_, _, _| 1.0);
    let file = "it.toml:13:8: perturbation.file = \"map.nc\": ";
    for (fields, lines, expected) in [
        (&[one, ("vs", "km/s", &|_, _, _| 3.0)][..], "", format!("{file}the variables dvs and vs are both candidates for vs (choose one, as in perturbation.vs = \"dvs\")")),
        (&[("speed", "km/s", &|_, _, _| 3.0)], "", format!("{file}no variable of the file has a usual name (allowed: one of: depth, latitude, longitude, speed; name the variables with perturbation.vp, vs and rho)")),
        (&[one], "vs = \"dv\"", "it.toml:14:6: perturbation.vs = \"dv\": the file has no such variable (allowed: one of the variables of the file: depth, latitude, longitude, dvs)".to_owned()),
        (&[one], "vs = \"depth\"\nunits = \"fraction\"", format!("{file}the variable depth is over depth (allowed: depth, latitude and longitude, in any order; choose another variable with perturbation.vp, vs or rho)")),
        (&[one, ("vp", "km/s", &|_, _, _| 6.0)], "", format!("{file}the file mixes relative and absolute variables (choose variables of one kind with perturbation.vp, vs and rho)")),
        (&[one], "scaling = { vs = 2.0 }", "it.toml:14:13: perturbation.scaling.vs = 2: the file has values of this quantity (remove the factor, or name the variables to read with perturbation.vp, vs and rho)".to_owned()),
        (&[("vs", "km/s", &|_, _, _| 3.0)], "scaling = { vp = 2.0 }", "it.toml:14:13: perturbation.scaling.vp = 2: requires relative perturbations, but the file has absolute values (use a file with relative perturbations, or one with all perturbed quantities)".to_owned()),
        (&[("drho", "%", &|_, _, _| 3.0)], "scaling = { vp = 2.0 }", "it.toml:14:13: perturbation.scaling.vp = 2: scales perturbations of vs or vp, but the file has neither".to_owned()),
        (&[("dvs", "fraction", &|_, _, _| 3.0)], "", format!("{file}perturbation at longitude -67.5, latitude -14, depth 0 m: vs = 3 is out of range (allowed: above -1 and at most 2, a fraction; give fractions, not per cent, and 0 where the change is unknown)")),
    ] {
        assert_eq!(refused(fields, lines), expected);
    }
    let plane = errors(with_map(&[one]).path(), &[("[[source]]", &table(""))]);
    assert_eq!(
        plane,
        "it.toml:12:8: perturbation.file = \"map.nc\": the file has no coordinate `x` (allowed: coordinate variables, named like their dimensions: x, y, depth; the file is over longitude and latitude: give domain.projection or domain.chunk)"
    );
    let none = errors(folder(&[]).path(), &[("[[source]]", &table(""))]);
    assert!(none.starts_with("it.toml:12:8: perturbation.file = \"map.nc\": cannot be read: "), "{none}");
}

#[test]
fn conflicting_factors_are_refused_before_any_file_is_read() {
    for (lines, expected) in [
        (
            "vp = \"dvp\"\nscaling = { vp = 0.5 }",
            "it.toml:15:13: perturbation.scaling.vp = 0.5: conflicts with perturbation.vp, which gives the values of vp (remove one of the two keys)",
        ),
        (
            "units = \"si\"\nscaling = { rho = 0.5 }",
            "it.toml:15:13: perturbation.scaling.rho = 0.5: requires relative perturbations, but perturbation.units selects absolute values",
        ),
        (
            "scaling = { vp = 0.5, vs = 2 }",
            "it.toml:14:23: perturbation.scaling.vs = 2: conflicts with `vp`, which derives vp from vs (remove one of the two keys)",
        ),
    ] {
        assert_eq!(errors(folder(&[]).path(), &[UTM, ("[[source]]", &table(lines))]), expected);
    }
}

#[test]
fn quality_factors_of_a_map_replace_those_of_the_model() {
    let attenuation = "[attenuation]\nreference_frequency = 2.5\n[[source]]";
    let table = |lines: &str| table(lines).replace("[[source]]", attenuation);
    let quality = |depth: f64| if depth > 12.0 { f64::NAN } else { 100.0 - depth };
    let fields: [Field; 2] =
        [("qs", "", &|_, _, depth| quality(depth)), ("qp", "", &|_, _, depth| 2.0 * quality(depth))];
    let folder = with_map(&fields);
    let changes = |lines: &str| set_up(folder.path(), &[UTM, ("[[source]]", &table(lines))]);
    let refused = format!("{:?}", changes("").expect_err("a missing value"));
    assert!(refused.contains("qp is missing at longitude"), "{refused}");
    let setup = changes("missing = \"unchanged\"").expect("a good scenario");
    assert!(setup.warnings[0].contains("values of Q within the domain are missing"), "{:?}", setup.warnings);
    let model = &setup.model;
    assert_eq!([0, 1].map(|region| model.relaxes(region)), [true; 2]);
    // 1/Q is linear between the depths of the map, 3 and 10 km.
    let (share, [upper, lower]) = ((4.0 - 3.0) / 7.0, [97.0, 90.0]);
    let losses = model.losses(1, [0.0, 0.0, -4000.0]);
    let shear = (1.0 - share) / upper + share / lower;
    assert!((losses.shear / shear - 1.0).abs() < 1e-6, "{losses:?}");
    assert!((losses.of_p_waves(6000.0, 3464.0) / (0.5 * shear) - 1.0).abs() < 1e-6, "{losses:?}");
    assert_eq!(model.losses(1, [0.0, 0.0, -11_000.0]).shear, 0.0);
    assert!((model.greatest_losses(1).shear * 90.0 - 1.0).abs() < 1e-6);
    let wrong: [Field; 2] = [("qs", "", &|_, _, _| 20.0), ("qp", "", &|_, _, _| 400.0)];
    let found = errors(with_map(&wrong).path(), &[UTM, ("[[source]]", &table(""))]);
    assert!(found.contains("compression gains energy"), "{found}");
    let inverse: [Field; 1] = [("qmu", "", &|_, _, _| 0.01)];
    let found = errors(with_map(&inverse).path(), &[UTM, ("[[source]]", &table(""))]);
    assert!(found.contains("the values seem to be 1/Q"), "{found}");
}
