//! Surfaces from grid files: topography and interfaces.

use std::path::Path;

use craton_formats::grid::{Grid, Unit};
use craton_model::geodesy::{EARTH_RADIUS, LocalFrame};
use craton_model::{EarthModel, ElevationGrid, Interface, Medium, ModelError, Neighbours};

use super::findings::{Checked, Findings, bad_model, of_file};
use super::given_mesh::MeshedDomain;
use crate::config::Domain;
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::validate::SURFACE_TOLERANCE;
use crate::written::Scenario;

/// The surface of the Earth: that of the mesh, the topography, or the top of the box (also if the topography is invalid, with a problem).
pub fn topography(
    scenario: &Scenario,
    frame: Option<LocalFrame>,
    mesh: Option<&MeshedDomain>,
    findings: &mut Findings,
) -> Interface {
    if let Some(mesh) = mesh {
        return mesh.surface();
    }
    let domain = &scenario.config.domain;
    let path = KeyPath::default().key("domain").key("topography");
    let read = domain.topography.as_ref().and_then(|file| {
        let surface = findings.keep(from_file(scenario, file, frame, &path))?;
        findings.keep(within_height(&surface, domain, file, &path))?;
        findings.warnings.extend(dry_sea(&surface, domain, file, &path));
        Some(surface)
    });
    read.unwrap_or(Interface::Flat(domain.z()[1]))
}

/// An interface from a grid file, over the whole box.
///
/// With a projection, a grid is in degrees if its file says so or if it does not cover the box otherwise.
///
/// # Arguments
/// * `frame` – `None` if the projection is invalid: degrees are not converted then
/// * `path` – the key of the file
/// # Errors
/// An unreadable file, a grid that does not cover the box, or one in degrees without a projection.
pub fn from_file(scenario: &Scenario, file: &Path, frame: Option<LocalFrame>, path: &KeyPath) -> Checked<Interface> {
    let (written, unit) = scenario.surface(file, path)?;
    over_domain(written, unit, (scenario, file), frame, path)
}

/// Largest Moho depth [km]. If a file has a larger value, all its values are in metres.
const DEEPEST_MOHO: f64 = 100.0;

/// The Moho of a grid file: depths or heights, in kilometres or metres.
///
/// # Errors
/// As [`from_file`]; a depth outside 1 to 100 km.
pub fn moho(scenario: &Scenario, file: &Path, frame: Option<LocalFrame>, path: &KeyPath) -> Checked<Interface> {
    let (mut written, unit) = scenario.surface(file, path)?;
    let deepest = written.values.iter().fold(0.0_f64, |deepest, value| deepest.max(value.abs()));
    let metres = if deepest <= DEEPEST_MOHO { 1000.0 } else { 1.0 };
    written.values.iter_mut().for_each(|value| *value = -metres * value.abs());
    let wrong = written.values.iter().find(|depth| !(-1000.0 * DEEPEST_MOHO..=-1000.0).contains(*depth));
    if let Some(wrong) = wrong {
        let problem = Problem::new(path, "contains an implausible Moho depth").value(format!("{} m", Number(-*wrong)));
        let problem = problem.allowed("depths from 1000 to 100000 m (1 to 100 km)");
        return Err(of_file(problem.hint("check the column and the unit of the file"), file));
    }
    over_domain(written, unit, (scenario, file), frame, path)
}

/// A grid as an interface over the whole box.
fn over_domain(
    written: Grid,
    unit: Option<Unit>,
    (scenario, file): (&Scenario, &Path),
    frame: Option<LocalFrame>,
    path: &KeyPath,
) -> Checked<Interface> {
    let domain = &scenario.config.domain;
    let refuse = |error: ModelError| of_file(*bad_model(&error, path), file);
    let elevations = ElevationGrid::from_file_grid(&written).map_err(refuse)?;
    let surface = Interface::from(elevations.clone());
    let covers = surface.check_covers("the grid", domain.x(), domain.y());
    let is_degrees = unit.map_or_else(|| covers.is_err() && in_degrees(&written), |unit| unit == Unit::Degrees);
    match frame.filter(|_| is_degrees) {
        Some(frame) if frame.is_geographic() => {
            let step = match frame.sphere() {
                Some(_) => between_nodes(scenario).max(METRES_PER_DEGREE * (written.x[1] - written.x[0])),
                None => finest_step(&written, &frame, domain),
            };
            let metres = frame.resample(&elevations, domain.x(), domain.y(), step);
            Ok(Interface::from(metres.map_err(|error| not_covered(error, file, path))?))
        }
        Some(_) if unit == Some(Unit::Degrees) => {
            let problem = Problem::new(path, "is over longitude and latitude, but the domain is in metres");
            Err(of_file(problem.hint("give domain.projection, or project the file"), file))
        }
        _ => covers.map(|()| surface).map_err(|error| not_covered(error, file, path)),
    }
}

/// Smallest length of a degree of latitude [m].
const METRES_PER_DEGREE: f64 = 110_000.0;

/// Smallest number of intervals across the box at which a grid in degrees is sampled: a coarse grid is curved.
const LEAST_INTERVALS: f64 = 16.0;

/// S-wave speed [m/s] of a typical crust, for the distance of nodes.
const OF_CRUST: f64 = 3000.0;

/// Expected distance [m] between control nodes at the surface of the spherical Earth, half an element: the surface has no finer detail.
fn between_nodes(scenario: &Scenario) -> f64 {
    let (domain, sem) = (&scenario.config.domain, scenario.config.method.sem());
    let of_elements = |counts: [usize; 2]| match domain.globe {
        // Along an edge of a block.
        Some(_) => 0.5 * std::f64::consts::PI * EARTH_RADIUS / counts[0] as f64,
        None => {
            let [x, y] = [domain.x(), domain.y()].map(|[from, to]| to - from);
            (x / counts[0] as f64).min(y / counts[1] as f64)
        }
    };
    let of_waves = sem.degree as f64 / sem.points_per_wavelength * OF_CRUST / sem.max_frequency;
    0.5 * sem.element_size.or_else(|| sem.elements.map(of_elements)).unwrap_or(of_waves)
}

/// Whether all coordinates could be degrees.
fn in_degrees(grid: &Grid) -> bool {
    let within = |values: &[f64], low: f64, high: f64| values.iter().all(|value| (low..=high).contains(value));
    within(&grid.x, -180.0, 360.0) && within(&grid.y, -90.0, 90.0)
}

/// Sampling distance [m] of a grid in degrees that preserves its detail in the box.
fn finest_step(grid: &Grid, frame: &LocalFrame, domain: &Domain) -> f64 {
    let corners = domain.x().into_iter().flat_map(|x| domain.y().map(|y| frame.to_map([x, y])[1]));
    let farthest_north = corners.fold(0.0f64, |far, latitude| far.max(latitude.abs()));
    let east = METRES_PER_DEGREE * (grid.x[1] - grid.x[0]) * farthest_north.to_radians().cos();
    let north = METRES_PER_DEGREE * (grid.y[1] - grid.y[0]);
    let extent = (domain.x()[1] - domain.x()[0]).min(domain.y()[1] - domain.y()[0]);
    east.min(north).min(extent / LEAST_INTERVALS)
}

/// The warning about sea bottoms of the spherical Earth, above which there is no water.
fn dry_sea(surface: &Interface, domain: &Domain, file: &Path, path: &KeyPath) -> Option<String> {
    let Interface::Grid(grid) = surface else { return None };
    // Meridians converge towards the poles of the globe.
    let narrowing = |y: f64| if domain.globe.is_some() { (y / EARTH_RADIUS).cos() } else { 1.0 };
    let points = grid.points_within(domain.x(), domain.y());
    let sums = points.fold([0.0; 2], |[all, below], [_, y, z]| {
        let area = narrowing(y);
        [all + area, if z < 0.0 { below + area } else { below }]
    });
    let share = 100.0 * sums[1] / sums[0].max(f64::MIN_POSITIVE);
    let share = if share < 1.0 { "less than 1 %".to_owned() } else { format!("{share:.0} %") };
    (domain.is_on_sphere() && sums[1] > 0.0).then(|| {
        format!(
            "{path} = {:?}: {share} of the surface is below sea level. Craton does not add water there: the sea bottom is a free surface",
            file.display().to_string()
        )
    })
}

/// Height below all sea bottoms of the Earth [m].
const DEEPEST_SEA: f64 = -12e3;

/// Rejects a topography outside the height range of the box.
fn within_height(surface: &Interface, domain: &Domain, file: &Path, path: &KeyPath) -> Checked<()> {
    let [bottom, top] = domain.z();
    let bottom = if domain.is_on_sphere() { bottom.max(DEEPEST_SEA) } else { bottom };
    // Interfaces must be strictly ordered, but a topography may touch the top of the box.
    let above_top = top + SURFACE_TOLERANCE * (top - bottom);
    for (upper, lower) in [(&Interface::Flat(above_top), surface), (surface, &Interface::Flat(bottom))] {
        if let Some(crossing) = crossing(upper, lower, domain) {
            let at = if upper == surface { crossing.at_upper() } else { crossing.at_lower() };
            let message = format!("the topography leaves the box: its elevation is {at}");
            let problem = match domain.is_on_sphere() {
                true => Problem::new(path, format!("the topography has an elevation of {at}"))
                    .allowed(format!("elevations from {} to {} m", Number(bottom), Number(top)))
                    .hint("elevations are in metres, positive up"),
                false => Problem::new(path, message)
                    .allowed(format!("elevations above domain.z[0] = {bottom} m and up to domain.z[1] = {top} m"))
                    .hint("enlarge domain.z. Elevations are in metres, positive up"),
            };
            return Err(of_file(problem, file));
        }
    }
    Ok(())
}

/// A point where an interface reaches another one.
pub struct Crossing {
    /// Elevation of the upper interface [m].
    pub upper: f64,
    /// Elevation of the lower interface [m].
    pub lower: f64,
    place: [f64; 2],
    /// The grid points around the position in both grids.
    neighbours: [Option<Neighbours>; 2],
}

impl Crossing {
    /// Position on the upper interface, in words.
    pub fn at_upper(&self) -> String {
        self.at(self.upper, self.neighbours[0].as_ref())
    }

    /// Position on the lower interface, in words.
    pub fn at_lower(&self) -> String {
        self.at(self.lower, self.neighbours[1].as_ref())
    }

    /// An interpolated elevation is reported with the neighbouring grid values.
    fn at(&self, height: f64, neighbours: Option<&Neighbours>) -> String {
        let [x, y] = self.place.map(Number);
        let between = neighbours.map_or_else(String::new, |Neighbours { x, y, z }| {
            let range = |[low, high]: [f64; 2], join: &str| match low == high {
                true => Number(low).to_string(),
                false => format!("{}{join}{}", Number(low), Number(high)),
            };
            let beyond = match (z[0]..=z[1]).contains(&height) {
                true => "",
                false => "; the interpolation overshoots next to a step, less so if the step is smoothed",
            };
            let (heights, x, y) = (range(*z, " to "), range(*x, " and "), range(*y, " and "));
            format!(" (interpolated between points of the grid at {heights} m, x = {x}, y = {y} m{beyond})")
        });
        format!("{} m at x = {x}, y = {y} m{between}", Number(height))
    }
}

/// The first point of the box where `lower` is not below `upper`.
pub fn crossing(upper: &Interface, lower: &Interface, domain: &Domain) -> Option<Crossing> {
    // The material does not affect the order of two interfaces.
    let rock = Medium::isotropic(6000.0, 3464.0, 2700.0).expect("granite is a medium");
    let layers = EarthModel::layered(vec![(upper.clone(), rock), (lower.clone(), rock)]);
    match layers.and_then(|layers| layers.check_over(domain.x(), domain.y())) {
        Err(ModelError::OutOfOrder { upper: above, lower: below, x, y, .. }) => {
            let neighbours = [upper, lower].map(|interface| interface.neighbours(x, y));
            Some(Crossing { upper: above, lower: below, place: [x, y], neighbours })
        }
        _ => None,
    }
}

/// The problem of a grid that ends inside the box.
fn not_covered(error: ModelError, file: &Path, path: &KeyPath) -> Box<Problem> {
    let problem = match error {
        ModelError::NotCovered { axis, known, needed, .. } => {
            let before = (needed[0] < known[0]).then(|| format!("{} to {} m", needed[0], known[0]));
            let after = (needed[1] > known[1]).then(|| format!("{} to {} m", known[1], needed[1]));
            let missing = before.into_iter().chain(after).collect::<Vec<_>>().join(" and ");
            let reach = format!(
                "{axis} from {} to {} m; the grid extends from {} to {}",
                needed[0], needed[1], known[0], known[1]
            );
            Problem::new(path, format!("the grid does not cover the domain along {axis}: {missing} is missing"))
                .allowed(reach)
                .hint("extend the grid, or shrink the domain")
        }
        ModelError::OutOfRange { what, value, allowed, hint } => {
            let axis = if what.contains("longitude") { "longitude" } else { "latitude" };
            Problem::new(path, format!("the grid, in degrees, does not cover the domain: {axis} {value:.6} is missing"))
                .allowed(allowed)
                .hint(hint)
        }
        other => *bad_model(&other, path),
    };
    of_file(problem, file)
}
