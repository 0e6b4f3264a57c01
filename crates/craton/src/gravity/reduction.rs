//! Anomalies from observed gravity and the attraction of the terrain: a table and a picture.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use craton_formats::atomic;
use craton_gravity::{
    CAP_RADIUS, EARTH_RADIUS, Ellipsoid, Field, Fields, GRAVITATIONAL_CONSTANT, Isa, Points, Prism, Prisms, Workers,
    atmosphere, bouguer_slab, forward, spherical_cap,
};
use craton_run::{Cancel, OutputDirectory};
use craton_view::{FieldColours, FieldMapOptions, FieldPanel, FieldSamples, field_maps};

use super::columns::Column;
use super::config::{self, Quantity, Units};
use super::distant_terrain::{self, Level, excess};
use super::results::{Plain, quoted};
use super::setup::{Reduced, Setup};
use crate::error::{Error, GravityFailure};

/// The table.
pub const TABLE: &str = "reduction.csv";
/// The maps of the anomalies.
pub const PICTURE: &str = "reduction.png";

/// A column of the table.
struct Term {
    name: &'static str,
    /// Title of its map, if it is drawn.
    title: Option<&'static str>,
    /// One value per point [m/s²].
    values: Vec<f64>,
}

/// Writes the table of anomalies and, if wanted, their maps.
///
/// # Arguments
/// * `columns` – the computed fields, among them the attraction of the terrain
/// # Errors
/// A full or failing disk; [`GravityFailure::Stopped`] if interrupted.
pub fn write(setup: &Setup, columns: &[Column], folder: &OutputDirectory, cancel: &Cancel) -> Result<(), Error> {
    let Some(reduced) = &setup.reduced else { return Ok(()) };
    let terms = terms(setup, reduced, &attraction(setup, columns), cancel)?;
    table(setup, reduced, &terms, &folder.file(TABLE)?)?;
    if setup.output.pictures { draw(setup, &terms, &folder.file(PICTURE)?) } else { Ok(()) }
}

/// Downward attraction of the terrain [m/s²].
fn attraction(setup: &Setup, columns: &[Column]) -> Vec<f64> {
    let sign = |column: &Column| match column.quantity {
        Quantity::GD => Some(1.0),
        Quantity::GU => Some(-1.0),
        _ => None,
    };
    let found = columns.iter().find_map(|column| sign(column).map(|sign| (column, sign)));
    let (column, sign) = found.expect("the fields are checked");
    let factor = sign / column.quantity.unit(setup.output.units).2;
    column.values.iter().map(|value| factor * value).collect()
}

/// The terms of the reduction, in the order of the table.
///
/// # Errors
/// As [`beyond_radius`].
fn terms(setup: &Setup, reduced: &Reduced, attraction: &[f64], cancel: &Cancel) -> Result<Vec<Term>, Error> {
    let Reduced { config, ellipsoid, observed, latitude, height, .. } = reduced;
    let points = &setup.places.points;
    let each = |of: &dyn Fn(usize) -> f64| (0..points.len()).map(of).collect::<Vec<f64>>();
    let above = |point: usize| points.get(point)[2] - config.datum;
    let normal = each(&|point| ellipsoid.normal_gravity(latitude[point], height[point]));
    let air = each(&|point| if config.atmosphere { atmosphere(height[point]) } else { 0.0 });
    let free_air = each(&|point| observed[point] - normal[point] + air[point]);
    let slab = each(&|point| bouguer_slab(above(point), config.density));
    let bent = |point: usize| spherical_cap(above(point), config.density) - slab[point];
    let curvature = each(&|point| if config.curvature { bent(point) } else { 0.0 });
    let simple = each(&|point| free_air[point] - slab[point] - curvature[point]);
    let far = beyond_radius(setup, reduced, cancel)?;
    let within = |point: usize| far.as_ref().map_or(0.0, |far| far[point]) - attraction[point];
    let terrain = each(&|point| slab_of_terrain(points.get(point), reduced) + within(point));
    let complete = each(&|point| simple[point] + terrain[point]);
    let term = |name, title, values| Term { name, title, values };
    Ok(vec![
        term("observed", None, observed.clone()),
        term("normal", None, normal),
        term("atmosphere", None, air),
        term("free_air_anomaly", Some("free-air anomaly"), free_air),
        term("slab", None, slab),
        term("curvature", None, curvature),
        term("bouguer_anomaly", Some("Bouguer anomaly"), simple),
        term("terrain_correction", Some("terrain correction"), terrain),
        term("complete_bouguer_anomaly", Some("complete Bouguer anomaly"), complete),
    ])
}

/// Attraction of the terrain beyond the radius of the terrain correction, minus that of level terrain there [m/s²]; `None` without
/// a radius.
///
/// # Errors
/// Threads that the system refuses; [`GravityFailure::Stopped`] if interrupted.
fn beyond_radius(setup: &Setup, reduced: &Reduced, cancel: &Cancel) -> Result<Option<Vec<f64>>, Error> {
    let config::Reduction { radius: Some(radius), datum, density, .. } = reduced.config else { return Ok(None) };
    let (level, workers) = (Level { radius, datum, density }, Workers::new(setup.threads)?);
    let far = excess(&setup.prisms, &setup.places.points, level, &workers, &|| !cancel.is_cancelled());
    Ok(Some(far.ok_or(GravityFailure::Stopped)?))
}

/// Expected time of the reduction [s].
pub fn seconds(setup: &Setup, workers: &Workers) -> f64 {
    let has_radius = setup.reduced.as_ref().is_some_and(|reduced| reduced.config.radius.is_some());
    if has_radius { distant_terrain::seconds(&setup.prisms, &setup.places.points, workers) } else { 0.0 }
}

/// Downward attraction of a slab between the datum and a station, over the extent of the terrain [m/s²]: the terrain as it
/// would be if it were level. Below the datum the slab is a lack of rock.
fn slab_of_terrain([x, y, z]: [f64; 3], reduced: &Reduced) -> f64 {
    let Reduced { config, terrain: [[west, east], [south, north]], .. } = reduced;
    let (bottom, top) = (z.min(config.datum), z.max(config.datum));
    let density = config.density.copysign(z - config.datum);
    let prism = Prism { west: *west, east: *east, south: *south, north: *north, bottom, top, density };
    // A station on the datum has no slab.
    let Ok(prisms) = Prisms::new([prism]) else { return 0.0 };
    let point = Points::new([[x, y, z]]).expect("the points are checked");
    let workers = Workers::new(Some(1)).expect("one thread");
    let fields = Fields::from_iter([Field::Up]);
    -forward(&prisms, &point, fields, &workers, Isa::detect()).get(Field::Up).expect("a requested field")[0]
}

/// The steps and constants of the reduction, as comment lines.
fn header(reduced: &Reduced) -> String {
    let Reduced { config, ellipsoid, terrain: [x, y], .. } = reduced;
    let Ellipsoid { name, semimajor, flattening, gm, angular_velocity } = ellipsoid;
    let curvature = match config.curvature {
        true => format!(
            "spherical cap of {CAP_RADIUS} m radius along the surface of a sphere of {EARTH_RADIUS} m, minus slab (Bullard B)"
        ),
        false => "0 (not requested)".to_owned(),
    };
    let atmosphere = match config.atmosphere {
        true => "0.874 - 9.9e-5 h + 3.56e-9 h^2 mGal (Hinze and others, 2005)",
        false => "0 (not requested)",
    };
    let mut text = String::new();
    let mut line = |line: String| {
        let _ = writeln!(text, "# {line}");
    };
    line(format!("Reduction of observed gravity, Craton {}", env!("CARGO_PKG_VERSION")));
    line(format!(
        "normal: closed form at height h, {name}: a = {semimajor} m, 1/f = {}, GM = {gm:e} m3/s2, omega = {angular_velocity:e} rad/s",
        1.0 / flattening
    ));
    line(format!("atmosphere: {atmosphere}"));
    line("free_air_anomaly = observed - normal + atmosphere".to_owned());
    line(format!(
        "slab = 2 pi G rho (z - datum): G = {GRAVITATIONAL_CONSTANT:e} m3/(kg s2), rho = {} kg/m3, datum = {} m",
        config.density, config.datum
    ));
    line(format!("curvature = {curvature}"));
    line("bouguer_anomaly = free_air_anomaly - slab - curvature".to_owned());
    let extent = match config.radius {
        None => {
            format!("level slab minus that of the bodies, both over x {} to {} m, y {} to {} m", x[0], x[1], y[0], y[1])
        }
        Some(radius) => {
            format!("level slab minus that of the bodies, both in the columns with their centre within {radius} m")
        }
    };
    line(format!("terrain_correction = attraction of a {extent}"));
    line("complete_bouguer_anomaly = bouguer_anomaly + terrain_correction".to_owned());
    text
}

fn table(setup: &Setup, reduced: &Reduced, terms: &[Term], path: &Path) -> Result<(), Error> {
    let (unit, factor) = match setup.output.units {
        Units::Geophysical => ("mgal", 1e5),
        Units::Si => ("m_per_s2", 1.0),
    };
    let write = |out: &mut dyn Write| {
        write!(out, "{}", header(reduced))?;
        let named = setup.places.names.as_ref();
        let names: Vec<String> = terms.iter().map(|term| format!("{}_{unit}", term.name)).collect();
        writeln!(
            out,
            "{}x_m,y_m,z_m,latitude_deg,height_m,{}",
            if named.is_some() { "name," } else { "" },
            names.join(",")
        )?;
        for point in 0..setup.places.points.len() {
            let mut row = named.map_or_else(String::new, |names| format!("{},", quoted(&names[point])));
            let places =
                setup.places.points.get(point).into_iter().chain([reduced.latitude[point], reduced.height[point]]);
            let values: Vec<String> = places
                .chain(terms.iter().map(|term| factor * term.values[point]))
                .map(|v| Plain(v + 0.0).to_string())
                .collect();
            row += &values.join(",");
            writeln!(out, "{row}")?;
        }
        Ok(())
    };
    Ok(atomic::write_with(path, |out| write(out))?)
}

fn draw(setup: &Setup, terms: &[Term], path: &Path) -> Result<(), Error> {
    let (unit, factor) = match setup.output.units {
        Units::Geophysical => ("mGal", 1e5),
        Units::Si => ("m/s²", 1.0),
    };
    let points = &setup.places.points;
    let places: Vec<[f64; 2]> = (0..points.len()).map(|point| [points.get(point)[0], points.get(point)[1]]).collect();
    let drawn: Vec<(&str, Vec<f64>)> = terms
        .iter()
        .filter_map(|term| Some((term.title?, term.values.iter().map(|value| factor * value).collect())))
        .collect();
    let panels: Vec<FieldPanel> = drawn
        .iter()
        .map(|(title, values)| FieldPanel {
            title,
            unit,
            samples: FieldSamples::Points(&places, values),
            colours: FieldColours::default(),
            place: None,
        })
        .collect();
    let options = FieldMapOptions { title: setup.title.clone(), ..FieldMapOptions::default() };
    Ok(field_maps(&panels, &options, path)?)
}
