//! Bodies of all kinds, made of prisms.

use craton_gravity::{GravityError, Prism, Prisms, TensorMesh, ball};

use super::{Places, layer, lists, scenario};
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{self, Ball, Block, Body, CellVolume, PrismFile};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::sampled::Sampled;
use crate::setup::findings::{Checked, Findings, of_file};

/// Largest density below which the unit is doubted, and above which it is [kg/m³].
const DOUBTED: [f64; 2] = [30.0, 3e4];
/// Largest density that a volume may hold [kg/m³].
const BELIEVED: f64 = 1e6;
/// Cells of a ball at most.
const MOST_CELLS: f64 = 1e9;

/// All bodies as prisms.
pub struct Bodies {
    /// The prisms, body by body.
    pub prisms: Prisms,
    /// What a user is told of them.
    pub notes: Vec<String>,
}

impl Bodies {
    /// The bodies of a problem; what is wrong with them is among the findings.
    pub fn new(file: &GravityFile, places: &Places, path: &KeyPath, findings: &mut Findings) -> Option<Self> {
        let mut bodies = Self { prisms: Prisms::default(), notes: Vec::new() };
        for (index, body) in file.config.bodies.iter().enumerate() {
            let path = path.index(index);
            let first = bodies.prisms.len();
            let mut warnings = Vec::new();
            findings.keep(bodies.add(body, file, places, &path, &mut warnings));
            findings.warnings.extend(warnings);
            findings.warnings.extend(doubt(&bodies.prisms.density()[first..], index));
            let count = bodies.prisms.len() - first;
            bodies.notes.push(format!("body {index}, {}: {count} prisms", name(body)));
        }
        if bodies.prisms.is_empty() && findings.problems.is_empty() {
            let problem = Problem::new(path, "makes no prism: nothing would attract");
            findings.problems.push(problem.hint("check densities, which are all 0, and sizes of cells"));
        }
        findings.problems.is_empty().then_some(bodies)
    }

    fn add(
        &mut self,
        body: &Body,
        file: &GravityFile,
        places: &Places,
        path: &KeyPath,
        warnings: &mut Vec<String>,
    ) -> Checked<()> {
        match body {
            Body::Prisms(prisms) => self.list(prisms, file, &path.key("prisms")),
            Body::Ubc(ubc) => {
                let mesh = lists::mesh(ubc, file, &path.key("ubc"))?;
                self.extend(mesh.prisms(), &path.key("ubc"))
            }
            Body::Volume(volume) => {
                let mesh = mesh_of(volume, file, &path.key("volume"))?;
                self.extend(mesh.prisms(), &path.key("volume"))
            }
            Body::Layer(layer) => {
                let path = path.key("layer");
                let made = layer::Between::new(layer, file, &path)?;
                warnings.extend(made.points_inside(places));
                let filling = made.filling(layer, &file.config.method, places, &mut self.notes);
                self.extend(made.layer.prisms(&filling), &path)
            }
            Body::Ball(ball) => self.ball(ball, &path.key("ball")),
            Body::Block(Block { x, y, z, density }) => {
                let [[west, east], [south, north], [bottom, top]] = [*x, *y, *z];
                let block = Prism { west, east, south, north, bottom, top, density: *density };
                self.extend([block], &path.key("block"))
            }
            Body::Scenario(model) => {
                let path = path.key("scenario");
                let cells = scenario::cells(model, file, &path)?;
                self.extend(cells.prisms(), &path)
            }
        }
    }

    fn list(&mut self, prisms: &config::Prisms, file: &GravityFile, path: &KeyPath) -> Checked<()> {
        for (row, &[west, east, south, north, bottom, top, density]) in prisms.rows.iter().enumerate() {
            let prism = Prism { west, east, south, north, bottom, top, density };
            self.extend([prism], &path.key("rows").index(row))?;
        }
        let Some(PrismFile { path: name, format, density_factor }) = &prisms.file else { return Ok(()) };
        let path = path.key("file").key("path");
        let columns = lists::columns(name, *format, lists::PRISM, file, &path)?;
        let [west, east, south, north, bottom, top, density] = columns.values();
        let prism = |row: usize| Prism {
            west: west[row],
            east: east[row],
            south: south[row],
            north: north[row],
            bottom: bottom[row],
            top: top[row],
            density: density_factor * density[row],
        };
        self.prisms.append((0..density.len()).map(prism)).map_err(|error| match error {
            GravityError::Empty { prism, low_name, low, high_name, high } => {
                let message =
                    format!("{}: {low_name} is {} and {high_name} {}", columns.row(prism), Number(low), Number(high));
                of_file(Problem::new(path, message).allowed(format!("{low_name} < {high_name}")), name)
            }
            GravityError::NotFinite { prism, what, value } => {
                of_file(Problem::new(path, format!("{}: {what} is {value}", columns.row(prism))), name)
            }
            other => Box::new(Problem::new(path, other.to_string())),
        })
    }

    fn ball(&mut self, given: &Ball, path: &KeyPath) -> Checked<()> {
        let cells = 4.19 * (given.radius / given.cell).powi(3);
        if cells > MOST_CELLS {
            let problem = Problem::new(path.key("cell"), format!("makes {} cells", Number(cells.round())));
            let least = (4.19 / MOST_CELLS).cbrt() * given.radius;
            return Err(problem.value(Number(given.cell)).allowed(format!("at least {:.3} m", Number(least))).into());
        }
        let before = self.prisms.len();
        self.extend(ball(given.centre, given.radius, given.cell, given.density), path)?;
        if self.prisms.len() == before {
            let problem = Problem::new(path.key("cell"), "is so large that the ball holds the centre of no cell");
            return Err(problem.value(Number(given.cell)).allowed("less than the radius").into());
        }
        Ok(())
    }

    /// Adds prisms that are refused as a whole.
    fn extend(&mut self, prisms: impl IntoIterator<Item = Prism>, path: &KeyPath) -> Checked<()> {
        self.prisms.append(prisms).map_err(|error| match error {
            GravityError::Empty { low_name, low, high_name, high, .. } => {
                let message = format!("{low_name} is {} m and {high_name} {} m", Number(low), Number(high));
                Problem::new(path, message).allowed(format!("{low_name} < {high_name}")).into()
            }
            other => Box::new(Problem::new(path, other.to_string())),
        })
    }
}

/// What a body is.
fn name(body: &Body) -> &'static str {
    match body {
        Body::Prisms(_) => "prisms",
        Body::Ubc(_) => "a mesh of UBC-GIF",
        Body::Volume(_) => "a volume",
        Body::Layer(_) => "a layer",
        Body::Ball(_) => "a ball",
        Body::Block(_) => "a block",
        Body::Scenario(_) => "a scenario's model",
    }
}

/// A volume as cells around its points.
fn mesh_of(volume: &CellVolume, file: &GravityFile, path: &KeyPath) -> Checked<TensorMesh> {
    let path = path.key("density");
    let sampled = Sampled::read(&volume.density, file, -BELIEVED..=BELIEVED, &path)?;
    let Some((planes, density)) = sampled.cells() else {
        let problem = Problem::new(path.key("axes"), "are not three axes with two points or more each");
        return Err(of_file(problem.hint("a cell reaches half way to the next points"), &volume.density.file));
    };
    let density = density.into_iter().map(|value| value - volume.reference).collect();
    TensorMesh::new(planes, density).map_err(|error| Problem::new(path, error.to_string()).into())
}

/// Says when densities look like those of another unit.
fn doubt(density: &[f64], body: usize) -> Option<String> {
    let largest = density.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let told = |hint: &str| format!("the largest density of body {body} is {} kg/m3: {hint}", Number(largest));
    match largest {
        0.0 => None,
        _ if largest < DOUBTED[0] => {
            Some(told("is it in g/cm3? Then it has to be 1000 times larger, see density_factor"))
        }
        _ if largest > DOUBTED[1] => Some(told("more than any rock has; is it in another unit?")),
        _ => None,
    }
}
