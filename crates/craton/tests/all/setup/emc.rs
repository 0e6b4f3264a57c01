//! Files of the IRIS Earth Model Collaboration as published: single precision, display attributes, longitudes from 0 to 360 degrees, any order of
//! the dimensions, additional variables.

use std::path::Path;

use craton::Setup;
use craton_formats::netcdf::{self, Attribute, DataType, Dataset, Dimension, Variable};
use craton_model::Elasticity;
use tempfile::TempDir;

use crate::setup::common::{TABLE, UTM, errors, folder, set_up};

/// Marker of missing values.
const FILL: f64 = 99_999.0;
/// Degrees and km: the whole Earth, with the domain of [`UTM`] within one cell.
const LONGITUDES: [f64; 8] = [0.0, 60.0, 120.0, 180.0, 240.0, 290.0, 294.0, 330.0];
const LATITUDES: [f64; 5] = [-90.0, -16.0, -12.0, 40.0, 90.0];
const DEPTHS: [f64; 4] = [0.0, 5.0, 20.0, 40.0];

/// Dimensions: names, units and coordinates.
const AXES: [(&str, &str, &[f64]); 3] = [
    ("depth", "kilometer ", &DEPTHS),
    ("longitude", "degrees_east", &LONGITUDES),
    ("latitude", "degrees_north", &LATITUDES),
];

/// A variable over all dimensions: name, long name, unit, and its value by depth, longitude and latitude.
type Field<'a> = (&'a str, &'a str, &'a str, &'a dyn Fn(f64, f64, f64) -> f64);

fn floats(name: &str, dimensions: &[usize], attributes: Vec<Attribute>) -> Variable {
    Variable { name: name.to_owned(), data_type: DataType::F32, dimensions: dimensions.to_vec(), attributes }
}

fn dataset(fields: &[Field]) -> Dataset {
    let axis = |(number, (name, units, _)): (usize, &(&str, &str, &[f64]))| {
        let mut attributes = vec![Attribute::text("long_name", name), Attribute::text("units", units)];
        match number {
            0 => attributes.push(Attribute::text("positive", "down ")),
            _ => attributes.push(Attribute::text("standard_name", name)),
        }
        floats(name, &[number], attributes)
    };
    let field = |(name, long_name, units, _): &Field| {
        let attributes = vec![
            Attribute::number("_FillValue", DataType::F32, FILL),
            Attribute::text("long_name", long_name),
            Attribute::text("display_name", &format!("{long_name} ({units})")),
            Attribute::text("units", units),
            Attribute::number("missing_value", DataType::F32, FILL),
            Attribute::text("valid_range", "-1000.f, 1000.f"),
        ];
        floats(name, &[0, 1, 2], attributes)
    };
    let moho = floats("moho", &[2, 1], vec![Attribute::text("units", "km")]);
    Dataset {
        dimensions: AXES.iter().map(|(name, _, places)| Dimension::new(name, places.len() as u64)).collect(),
        attributes: vec![
            Attribute::text("title", "A model of the mantle"),
            Attribute::text("geospatial_vertical_positive", "down"),
            Attribute::text("geospatial_lat_units", "degrees_north"),
        ],
        variables: AXES.iter().enumerate().map(axis).chain([moho]).chain(fields.iter().map(field)).collect(),
    }
}

/// A folder with a file `map.nc`.
fn with_map(fields: &[Field]) -> TempDir {
    let folder = folder(&[]);
    netcdf::write(&folder.path().join("map.nc"), &dataset(fields), |slab| {
        match slab.index() {
            axis @ 0..3 => slab.write(AXES[axis].2)?,
            3 => slab.write(&[35.0; LONGITUDES.len() * LATITUDES.len()])?,
            field => {
                let value = fields[field - 4].3;
                for depth in DEPTHS {
                    for longitude in LONGITUDES {
                        slab.write(&LATITUDES.map(|latitude| value(depth, longitude, latitude)))?;
                    }
                }
            }
        }
        Ok(())
    })
    .expect("written");
    folder
}

fn table(lines: &str) -> String {
    format!("[perturbation]\nfile = \"map.nc\"\n{lines}\n[[source]]")
}

fn perturbed(folder: &Path, lines: &str) -> Setup {
    set_up(folder, &[UTM, ("[[source]]", &table(lines))]).unwrap_or_else(|error| panic!("{error:?}"))
}

fn refused(fields: &[Field], lines: &str) -> String {
    errors(with_map(fields).path(), &[UTM, ("[[source]]", &table(lines))])
}

/// vp, vs and density in the second layer of the good scenario, where they are 6000, 3464 and 2700.
fn medium(setup: &Setup, at: [f64; 3]) -> [f64; 3] {
    let medium = setup.model.medium(setup.model.region_at(at), at);
    let Elasticity::Isotropic { vp, vs } = *medium.elasticity() else { panic!("not isotropic") };
    [vp, vs, medium.rho()]
}

#[track_caller]
fn assert_close(found: [f64; 3], expected: [f64; 3]) {
    assert!(found.iter().zip(expected).all(|(a, b)| (a / b - 1.0).abs() < 1e-6), "{found:?} instead of {expected:?}");
}

#[test]
fn velocities_of_a_published_model_replace_those_of_the_model() {
    let vs: Field = ("vs", "S-wave velocity", "kilometer sec^-1", &|depth, longitude, _| {
        if longitude < 200.0 { f64::NAN } else { 3.0 + 0.01 * depth + 0.01 * (longitude - 290.0) }
    });
    let rho: Field = ("rho", "density", "g.cm-3", &|_, _, latitude| 2.9 - 0.01 * latitude);
    let setup = perturbed(with_map(&[vs, rho]).path(), "");
    for at in [[0.0, 0.0, -2000.0], [9000.0, -3000.0, -11_000.0]] {
        let [longitude, latitude] = setup.frame.to_map([at[0], at[1]]);
        assert!((-70.0..-66.0).contains(&longitude));
        let speed = 3000.0 - 0.01 * at[2] + 10.0 * (longitude + 70.0);
        assert_close(medium(&setup, at), [6000.0, speed, 2900.0 - 10.0 * latitude]);
    }
    assert_eq!(setup.warnings, Vec::<String>::new());
}

#[test]
fn perturbations_in_per_cent_are_scaled_and_may_be_missing() {
    let dvs: Field =
        ("dvs", "S-wave velocity perturbation", "%", &|depth, longitude, _| match (longitude == 290.0, depth) {
            (true, 0.0) => f64::NAN,
            _ => 2.0,
        });
    let lines = "missing = \"unchanged\"\nscaling = { vp = 0.5 }";
    let setup = perturbed(with_map(&[dvs]).path(), lines);
    assert_close(medium(&setup, [0.0, 0.0, -6000.0]), [6060.0, 3464.0 * 1.02, 2700.0]);
    assert!(setup.warnings.iter().any(|warning| {
        warning.contains(" within the domain have no value, and the model is unchanged there (perturbation.missing)")
    }));
    let errors = refused(&[dvs], "");
    assert!(
        errors.contains("vs is missing at longitude ") && errors.contains("perturbation.missing = \"unchanged\""),
        "{errors}"
    );
}

#[test]
fn ambiguous_files_are_refused_with_the_key_to_set() {
    let speed = |_: f64, _: f64, _: f64| 3.0;
    let both = [("vs", "S-wave velocity", "km/s", &speed as _), ("dvs", "perturbation", "percent", &speed as _)];
    let errors = refused(&both, "");
    assert!(
        errors.contains("the variables vs and dvs are both candidates for vs")
            && errors.contains("perturbation.vs = \"vs\""),
        "{errors}"
    );
    let polarised = [("vsv", "vertical S", "km.s-1", &speed as _), ("vsh", "horizontal S", "km.s-1", &speed as _)];
    let errors = refused(&polarised[..1], "");
    assert!(errors.contains("no variable of the file has a usual name") && errors.contains("moho, vsv"), "{errors}");
    assert!(errors.contains("the file has only one polarisation: select it with perturbation.vs or vp to perturb both alike, or add the other one to the file"), "{errors}");
    let setup = perturbed(with_map(&polarised).path(), "vs = \"vsv\"");
    assert_close(medium(&setup, [0.0, 0.0, -6000.0]), [6000.0, 3000.0, 2700.0]);
    let errors = refused(&both, "vs = \"moho\"\nunits = \"km_s\"");
    assert!(errors.contains("the variable moho is over latitude, longitude"), "{errors}");
}

#[test]
fn isotropic_models_take_the_voigt_average_of_both_polarisations() {
    let constant = |value: f64| move |_: f64, _: f64, _: f64| value;
    let (vsv, vsh, vpv, vph) = (constant(3.0), constant(3.3), constant(6.0), constant(6.5));
    let speeds: [Field; 4] = [
        ("vsv", "vertical S", "km/s", &vsv),
        ("vsh", "horizontal S", "km/s", &vsh),
        ("vpv", "vertical P", "km/s", &vpv),
        ("vph", "horizontal P", "km/s", &vph),
    ];
    let setup = perturbed(with_map(&speeds).path(), "");
    let root = |squares: f64| 1e3 * squares.sqrt();
    let expected = [root((36.0 + 4.0 * 42.25) / 5.0), root((2.0 * 9.0 + 10.89) / 3.0), 2700.0];
    assert_close(medium(&setup, [0.0, 0.0, -6000.0]), expected);
    let warned = |name: &str| {
        setup.warnings.iter().any(|warning| {
            warning.contains(&format!(": the model is isotropic, so that {name} is the Voigt average of "))
        })
    };
    assert!(warned("vp") && warned("vs"), "{:?}", setup.warnings);
    // Perturbations of one velocity, and a selected one.
    let (dvsv, dvsh) = (constant(2.0), constant(-1.0));
    let changes: [Field; 2] = [("dvsv", "vertical S", "percent", &dvsv), ("dvsh", "horizontal S", "percent", &dvsh)];
    let setup = perturbed(with_map(&changes).path(), "");
    let changed = 3464.0 * ((2.0 * 1.02_f64.powi(2) + 0.99_f64.powi(2)) / 3.0).sqrt();
    assert_close(medium(&setup, [0.0, 0.0, -6000.0]), [6000.0, changed, 2700.0]);
    let setup = perturbed(with_map(&changes).path(), "vs = \"dvsh\"");
    assert_close(medium(&setup, [0.0, 0.0, -6000.0]), [6000.0, 3464.0 * 0.99, 2700.0]);
    assert_eq!(setup.warnings, Vec::<String>::new());
}

#[test]
fn anisotropic_models_take_both_polarisations() {
    let constant = |value: f64| move |_: f64, _: f64, _: f64| value;
    let (dvs, dvsv, dvsh) = (constant(9.0), constant(2.0), constant(-1.0));
    // A file may also contain the mean.
    let changes: [Field; 3] = [
        ("dvs", "S", "percent", &dvs),
        ("dvsv", "vertical S", "percent", &dvsv),
        ("dvsh", "horizontal S", "percent", &dvsh),
    ];
    let folder = with_map(&changes);
    let rows = "depth vpv vph vsv vsh eta rho\n0 5000 5200 2900 3000 0.9 2600\n20000 7000 7000 4000 4000 1 3000\n";
    std::fs::write(folder.path().join("crust.txt"), rows).expect("a table");
    // C33 of P waves, C44 and C66 of S waves, and density.
    let moduli = |changes: &[(&str, &str)]| {
        let setup =
            set_up(folder.path(), &[&[UTM, TABLE][..], changes].concat()).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(setup.warnings, Vec::<String>::new());
        let medium = setup.model.medium(0, [0.0, 0.0, -6000.0]);
        let Elasticity::Transverse { love, .. } = *medium.elasticity() else { panic!("not transversely isotropic") };
        [love.c, love.l, love.n, medium.rho()]
    };
    let factors = |lines: &str| {
        let (was, is) = (moduli(&[]), moduli(&[("[[source]]", &table(lines))]));
        [0, 1, 2, 3].map(|at| is[at] / was[at])
    };
    let close = |found: [f64; 4], expected: [f64; 4]| {
        let near = found.iter().zip(expected).all(|(a, b)| (a / b - 1.0).abs() < 1e-6);
        assert!(near, "{found:?} instead of {expected:?}");
    };
    let (up, down) = (1.02_f64.powi(2), 0.99_f64.powi(2));
    close(factors(""), [1.0, up, down, 1.0]);
    close(factors("vs = \"dvsv\""), [1.0, up, up, 1.0]);
    // Density follows the mean of both.
    let rho = 1.0 + 0.5 * (((2.0 * up + down) / 3.0).sqrt() - 1.0);
    close(factors("scaling.rho = 0.5"), [rho, up * rho, down * rho, rho]);
}

#[test]
fn a_netcdf_4_file_is_refused_with_the_conversion_command() {
    let folder = folder(&[("map.nc", "")]);
    std::fs::write(folder.path().join("map.nc"), b"\x89HDF\r\n\x1a\n\0\0\0\0\0\0\0\0").expect("a file");
    let errors = errors(folder.path(), &[UTM, ("[[source]]", &table(""))]);
    assert!(errors.contains("map.nc") && errors.contains("nccopy -k classic in.nc out.nc"), "{errors}");
}
