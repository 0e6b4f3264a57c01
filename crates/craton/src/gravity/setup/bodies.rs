//! Conversion of bodies of all kinds to prisms.

use std::ops::Range;

use craton_device::Workers;
use craton_gravity::{GravityError, Prism, Prisms, TensorMesh, Tesseroid, ball};
use rayon::prelude::*;

use super::figures::{Figures, Remedies, below_all, far_away, in_degrees};
use super::ground::{self, Grounds, Smooth};
use super::layer::{Between, BodyMessages};
use super::lists::List;
use super::{Places, Reference, lists, scenario, ubc, volume, workers};
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{self, Ball, Block, Body};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, Findings, of_file};

/// Largest accepted density of a volume or density law [kg/m³].
pub const LARGEST_DENSITY: f64 = 1e6;
/// The hint for a bottom above its top.
pub const UPSIDE_DOWN: &str = "z is positive up: negate the values if they are depths, otherwise swap them";
/// Largest distance of a sphere from the origin, in cells.
const FARTHEST: f64 = 1e12;
/// Largest number of cells of a sphere.
pub const MOST_CELLS: f64 = 1e9;

/// All bodies as prisms.
pub struct Bodies {
    /// The prisms, body by body.
    pub prisms: Prisms,
    /// The tesseroids of a problem in longitude and latitude, body by body.
    pub tesseroids: Vec<Tesseroid>,
    /// The prisms of each body.
    pub runs: Vec<Range<usize>>,
    /// Corrections for smooth surfaces.
    pub grounds: Grounds,
    /// Notes about them for the user.
    pub notes: Vec<String>,
    /// The threads that build them.
    pub workers: Workers,
}

impl Bodies {
    /// The bodies of a problem; their problems are added to the findings.
    ///
    /// # Arguments
    /// * `places` – the points; `None` if they are invalid, so that bodies are checked anyway
    pub fn new(file: &GravityFile, places: Option<&Places>, path: &KeyPath, findings: &mut Findings) -> Option<Self> {
        let workers = findings.keep(workers(file))?;
        let mut bodies = Self {
            prisms: Prisms::default(),
            tesseroids: Vec::new(),
            runs: Vec::new(),
            grounds: Grounds::default(),
            notes: Vec::new(),
            workers,
        };
        let (mut all, mut are_metres) = (Vec::new(), places.is_some_and(|places| places.are_metres));
        for (index, body) in file.config.bodies.iter().enumerate() {
            let path = path.index(index);
            let firsts = [bodies.prisms.len(), bodies.tesseroids.len()];
            let mut messages = BodyMessages::default();
            findings.keep(bodies.add(body, file, places, &path, &mut messages));
            let figures = bodies.figures(firsts, file);
            let is_magnetic = file.config.magnetisation.is_some();
            // Densities of magnetic bodies are susceptibilities, or have no effect.
            let figures_text = if is_magnetic { figures.extent_text() } else { figures.to_string() };
            bodies.notes.push(format!("body {index}, {}: {figures_text}", name(body)));
            bodies.notes.extend(messages.notes);
            findings.warnings.extend(messages.warnings);
            are_metres |= messages.are_metres;
            findings.warnings.extend(figures.unit_warning(index, &remedies(body)).filter(|_| !is_magnetic));
            all.extend((figures.count > 0).then_some(figures));
        }
        findings.warnings.extend(places.and_then(|places| far_away(&all, places)));
        findings.warnings.extend(places.and_then(|places| below_all(&all, places)));
        if !are_metres {
            findings.warnings.extend(places.and_then(|places| in_degrees(&all, places)));
        }
        if bodies.prisms.is_empty() && bodies.tesseroids.is_empty() && findings.problems.is_empty() {
            let what = if file.config.is_geographic() { "tesseroid" } else { "prism" };
            let problem = Problem::new(path, format!("results in no {what}"));
            findings.problems.push(problem.hint("check that densities are not all 0, and check the cell sizes"));
        }
        findings.problems.is_empty().then_some(bodies)
    }

    /// Statistics of the prisms and tesseroids from these numbers on, which are those of a body.
    fn figures(&mut self, [first_prism, first_tesseroid]: [usize; 2], file: &GravityFile) -> Figures {
        let run = first_prism..self.prisms.len();
        self.runs.push(run.clone());
        match file.config.is_geographic() {
            true => Figures::of_tesseroids(&self.tesseroids[first_tesseroid..], &Reference::of(&file.config)),
            false => Figures::of(&self.prisms, run, &self.workers),
        }
    }

    fn add(
        &mut self,
        body: &Body,
        file: &GravityFile,
        places: Option<&Places>,
        path: &KeyPath,
        messages: &mut BodyMessages,
    ) -> Checked<()> {
        match body {
            Body::Prisms(prisms) => self.list(prisms, file, &path.key("prisms"), messages),
            Body::Ubc(given) => {
                let mesh = ubc::mesh(given, file, &path.key("ubc"), messages)?;
                messages.warnings.extend(places.and_then(|places| points_inside(&mesh, file, places)));
                self.cells(&mesh, &path.key("ubc"))
            }
            Body::Volume(volume) if volume.coordinates == config::Coordinates::Geographic => {
                self.geographic_volume(volume, file, places, &path.key("volume"), messages)
            }
            Body::Volume(volume) => {
                let mesh = volume::mesh(volume, file, &path.key("volume"), messages)?;
                messages.warnings.extend(places.and_then(|places| points_inside(&mesh, file, places)));
                self.cells(&mesh, &path.key("volume"))
            }
            Body::Layer(layer) if layer.coordinates == config::Coordinates::Geographic => {
                self.geographic_layer(layer, file, places, &path.key("layer"), messages)
            }
            Body::Layer(layer) => self.layer(layer, file, places, &path.key("layer"), messages),
            Body::Ball(ball) => self.ball(ball, &path.key("ball")),
            Body::Block(Block { x, y, z, density }) => {
                let [[west, east], [south, north], [bottom, top]] = [*x, *y, *z];
                let block = Prism { west, east, south, north, bottom, top, density: *density };
                self.extend([block], &path.key("block"))
            }
            Body::Scenario(model) => {
                let path = path.key("scenario");
                let cells = scenario::cells(model, file, places, &path, messages)?;
                self.cells(&cells, &path)
            }
            Body::Tesseroids(list) => self.tesseroid_list(list, file, &path.key("tesseroids"), messages),
        }
    }

    fn list(
        &mut self,
        prisms: &config::Prisms,
        file: &GravityFile,
        path: &KeyPath,
        messages: &mut BodyMessages,
    ) -> Checked<()> {
        for (row, &[west, east, south, north, bottom, top, density]) in prisms.rows.iter().enumerate() {
            let prism = Prism { west, east, south, north, bottom, top, density: prisms.density_factor * density };
            self.extend([prism], &path.key("rows").index(row))?;
        }
        let config::Prisms { file: Some(name), format, columns, density_factor, .. } = prisms else { return Ok(()) };
        let columns = columns.clone().unwrap_or_default();
        let format = lists::format_of(name, *format, file.inputs());
        let mut columns =
            List { name, format, numbers: columns.numbers(), words: None, is_geographic: false }.read(file, path)?;
        messages.warnings.extend(columns.warning.take());
        let path = path.key("file");
        let mut numbers = columns.take();
        let added = self.workers.run(|| {
            if *density_factor != 1.0 {
                numbers[6].par_iter_mut().for_each(|density| *density *= density_factor);
            }
            self.prisms.append_columns(numbers)
        });
        added.map_err(|error| match error {
            GravityError::Empty { prism, low_name, low, high_name, high } => {
                let ends = format!("{low_name} is {} m and {high_name} {} m", Number(low), Number(high));
                let message = format!("{}: {ends}", columns.row(prism));
                let problem = Problem::new(path, message).allowed(format!("{low_name} < {high_name}"));
                of_file(problem.hint(hint_of_empty(low_name, low == high)), name)
            }
            GravityError::NotFinite { prism, what, value } => {
                of_file(Problem::new(path, format!("{}: {what} is {value}", columns.row(prism))), name)
            }
            other => Box::new(Problem::new(path, other.to_string())),
        })
    }

    fn layer(
        &mut self,
        layer: &config::Layer,
        file: &GravityFile,
        places: Option<&Places>,
        path: &KeyPath,
        messages: &mut BodyMessages,
    ) -> Checked<()> {
        let made = Between::new(layer, file, path, messages)?;
        messages.are_metres = made.are_metres;
        let Some(places) = places else { return Ok(()) };
        let is_magnetic = file.config.magnetisation.is_some();
        if is_magnetic && layer.tops == config::Tops::Smooth {
            let problem = Problem::new(path.key("tops"), "is not available for magnetic fields").value("\"smooth\"");
            return Err(problem.hint("remove `tops`: magnetic columns have flat tops").into());
        }
        if !is_magnetic && ground::is_smooth(layer, &made, places, path)? {
            let Smooth { land, sea, grounds } = Smooth::new(layer, &made, file, places, path, messages)?;
            let first = self.prisms.len();
            self.extend(land, path)?;
            self.grounds.prisms.push(first..self.prisms.len());
            self.grounds.parts.extend(grounds);
            return self.extend(sea, path);
        }
        messages.warnings.extend(made.points_inside(file, places));
        if let Some(densities) = &made.densities {
            self.extend(made.layer.prisms_by_column(densities), path)?;
            return self.extend(made.inverted(layer), path);
        }
        let filling = made.filling(layer, file, places, path, messages)?;
        self.extend(made.layer.prisms(&filling), path)
    }

    fn ball(&mut self, given: &Ball, path: &KeyPath) -> Checked<()> {
        if given.centre.iter().any(|place| place.abs() / given.cell > FARTHEST) {
            let problem = Problem::new(path.key("centre"), "is too far from the origin for this cell size");
            return Err(problem.allowed(format!("within {} cells of the origin", Number(FARTHEST))).into());
        }
        let cells = 4.19 * (given.radius / given.cell).powi(3);
        if cells > MOST_CELLS {
            let problem = Problem::new(path.key("cell"), format!("results in {} cells", Number(cells.round())));
            let least = (4.19 / MOST_CELLS).cbrt() * given.radius;
            return Err(problem.value(Number(given.cell)).allowed(format!("at least {:.3} m", Number(least))).into());
        }
        let before = self.prisms.len();
        self.extend(ball(given.centre, given.radius, given.cell, given.density), path)?;
        if self.prisms.len() == before {
            let problem = Problem::new(path.key("cell"), "is too large: the sphere contains no cell centre");
            return Err(problem.value(Number(given.cell)).allowed("less than the radius").into());
        }
        Ok(())
    }

    /// Adds the cells of a mesh.
    fn cells(&mut self, mesh: &TensorMesh, path: &KeyPath) -> Checked<()> {
        let added = self.workers.run(|| self.prisms.append_columns(mesh.columns()));
        added.map_err(|error| Problem::new(path, error.to_string()).into())
    }

    /// Adds prisms; an error rejects all of them.
    fn extend(&mut self, prisms: impl IntoIterator<Item = Prism>, path: &KeyPath) -> Checked<()> {
        self.prisms.append(prisms).map_err(|error| match error {
            GravityError::Empty { low_name, low, high_name, high, .. } => {
                let message = format!("{low_name} is {} m and {high_name} {} m", Number(low), Number(high));
                let problem = Problem::new(path, message).allowed(format!("{low_name} < {high_name}"));
                problem.hint(hint_of_empty(low_name, low == high)).into()
            }
            other => Box::new(Problem::new(path, other.to_string())),
        })
    }
}

/// The hint for a prism with zero or negative extent.
fn hint_of_empty(low_name: &str, is_flat: bool) -> &'static str {
    match low_name {
        _ if is_flat => "remove it: a flat prism has no mass",
        "bottom" => UPSIDE_DOWN,
        _ => "swap the two values, or remove the prism",
    }
}

/// Hints for densities of a body that look like another unit. Small densities cause no warning if the unit of the file
/// is known or already checked, or if they are density contrasts.
fn remedies(body: &Body) -> Remedies {
    let (too_large, too_small) = match body {
        // All warnings are given when the file is read.
        Body::Ubc(_) => (None, None),
        Body::Volume(_) => (Some(" See `factor` of its file"), None),
        Body::Scenario(_) => (Some(""), None),
        Body::Prisms(config::Prisms { density_factor: factor, .. })
        | Body::Tesseroids(config::Tesseroids { density_factor: factor, .. }) => match *factor > 1.0 {
            true => (Some(" For densities in kg/m3, set density_factor = 1"), None),
            false => (Some(""), Some("If so, set density_factor = 1000")),
        },
        Body::Layer(_) | Body::Ball(_) | Body::Block(_) => (Some(""), Some("If so, multiply it by 1000")),
    };
    Remedies { too_large, too_small }
}

/// The number of points inside cells of a mesh, as a warning.
pub(super) fn points_inside(mesh: &TensorMesh, file: &GravityFile, places: &Places) -> Option<String> {
    // Longitudes of points and cells may differ by whole turns.
    let west = mesh.planes()[0][0];
    let is_inside = |[x, y, z]: [f64; 3]| match file.config.is_geographic() {
        true => mesh.holds([west + (x - west).rem_euclid(360.0), y, z]),
        false => mesh.holds([x, y, z]),
    };
    let warning = || places.told_of("inside cells of a mesh", is_inside);
    if file.config.points.may_be_in_the_ground() { None } else { warning() }
}

/// The kind of a body.
fn name(body: &Body) -> &'static str {
    match body {
        Body::Prisms(_) => "prisms",
        Body::Ubc(_) => "a UBC-GIF mesh",
        Body::Volume(_) => "a volume",
        Body::Layer(_) => "a layer",
        Body::Ball(_) => "a sphere",
        Body::Block(_) => "a block",
        Body::Scenario(_) => "the model of a scenario",
        Body::Tesseroids(_) => "tesseroids",
    }
}
