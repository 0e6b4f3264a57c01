//! Bodies of all kinds, made of prisms.

use craton_gravity::{GravityError, Prism, Prisms, TensorMesh, ball};

use super::layer::{Between, Told};
use super::lists::List;
use super::{Places, lists, scenario};
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{self, Ball, Block, Body, CellVolume};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::sampled::Sampled;
use crate::setup::findings::{Checked, Findings, of_file};

/// Largest density below which the unit is doubted, and above which it is [kg/m³].
const DOUBTED: [f64; 2] = [30.0, 3e4];
/// Largest density that a volume may hold [kg/m³].
const BELIEVED: f64 = 1e6;
/// Cells from the origin to a ball at most.
const FARTHEST: f64 = 1e12;
/// Distance between points and bodies that is doubted, in the size of both.
const FAR: f64 = 10.0;
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
            let mut told = Told::default();
            findings.keep(bodies.add(body, file, places, &path, &mut told));
            let own = first..bodies.prisms.len();
            bodies.notes.push(format!("body {index}, {}: {}", name(body), summary(&bodies.prisms, own.clone())));
            bodies.notes.extend(told.notes);
            findings.warnings.extend(told.warnings);
            findings.warnings.extend(doubt(&bodies.prisms.density()[own], index));
        }
        findings.warnings.extend(far_away(&bodies.prisms, places));
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
        told: &mut Told,
    ) -> Checked<()> {
        match body {
            Body::Prisms(prisms) => self.list(prisms, file, &path.key("prisms")),
            Body::Ubc(ubc) => {
                let mesh = lists::mesh(ubc, file, &path.key("ubc"))?;
                self.extend(mesh.prisms(), &path.key("ubc"))
            }
            Body::Volume(volume) => {
                let mesh = mesh_of(volume, file, &path.key("volume"), told)?;
                self.extend(mesh.prisms(), &path.key("volume"))
            }
            Body::Layer(layer) => {
                let path = path.key("layer");
                let made = Between::new(layer, file, &path)?;
                told.warnings.extend(made.points_inside(places));
                let filling = made.filling(layer, file, places, told)?;
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
        let config::Prisms { file: Some(name), format, columns, density_factor, .. } = prisms else { return Ok(()) };
        let columns = columns.clone().unwrap_or_default();
        let format = lists::format_of(name, *format);
        let columns = List { name, format, numbers: columns.numbers(), words: None }.read(file, path)?;
        let path = path.key("file");
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
        if given.centre.iter().any(|place| place.abs() / given.cell > FARTHEST) {
            let problem = Problem::new(path.key("centre"), "is so far away that its cells cannot be told apart");
            return Err(problem.allowed(format!("within {} cells of the origin", Number(FARTHEST))).into());
        }
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
fn mesh_of(volume: &CellVolume, file: &GravityFile, path: &KeyPath, told: &mut Told) -> Checked<TensorMesh> {
    let path = path.key("density");
    let sampled = Sampled::read(&volume.density, file, [None; 3], -BELIEVED..=BELIEVED, &path)?;
    let Some((planes, density)) = sampled.cells() else {
        let problem = Problem::new(path.key("axes"), "are not three axes with two points or more each");
        return Err(of_file(problem.hint("a cell reaches half way to the next points"), &volume.density.file));
    };
    if volume.reference != 0.0 && density.iter().all(|value| value.abs() < DOUBTED[0]) {
        let message =
            "no density reaches 30 kg/m3, and a reference is taken away: is the file in g/cm3? See its `factor`";
        told.warnings.push(format!("{path}: {message}"));
    }
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

/// Number, extent, densities and mass of some prisms.
fn summary(prisms: &Prisms, own: std::ops::Range<usize>) -> String {
    let count = own.len();
    if count == 0 {
        return "no prisms".to_owned();
    }
    let extent = extent(own.clone().map(|prism| prisms.bounds(prism)));
    let axes: Vec<String> = ["x", "y", "z"]
        .iter()
        .zip(extent)
        .map(|(axis, [low, high])| format!("{axis} {} to {}", Number(low), Number(high)))
        .collect();
    let density = own.clone().map(|prism| prisms.density()[prism]);
    let [least, most] =
        density.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], value| [value.min(least), value.max(most)]);
    let volume = |prism: usize| prisms.bounds(prism).iter().map(|[low, high]| high - low).product::<f64>();
    let mass: f64 = own.map(|prism| prisms.density()[prism] * volume(prism)).sum();
    let density =
        if least == most { Number(least).to_string() } else { format!("{:.1} to {:.1}", Number(least), Number(most)) };
    format!("{count} prisms, {} m, {density} kg/m3, {mass:.4e} kg", axes.join(", "))
}

/// Ends of boxes along x, y and z.
fn extent(boxes: impl Iterator<Item = [[f64; 2]; 3]>) -> [[f64; 2]; 3] {
    boxes.fold([[f64::INFINITY, f64::NEG_INFINITY]; 3], |all, one| {
        [0, 1, 2].map(|axis| [all[axis][0].min(one[axis][0]), all[axis][1].max(one[axis][1])])
    })
}

/// Says when points and bodies are so far from one another that they hardly are of one map.
fn far_away(prisms: &Prisms, places: &Places) -> Option<String> {
    let points = &places.points;
    if prisms.is_empty() || points.is_empty() {
        return None;
    }
    let bodies = extent((0..prisms.len()).map(|prism| prisms.bounds(prism)));
    let points = extent((0..points.len()).map(|point| points.get(point).map(|place| [place; 2])));
    let map = [0, 1];
    let gap = map.map(|axis| (points[axis][0] - bodies[axis][1]).max(bodies[axis][0] - points[axis][1]).max(0.0));
    let size = |ends: &[[f64; 2]; 3]| map.iter().map(|&axis| ends[axis][1] - ends[axis][0]).fold(0.0, f64::max);
    let distance = gap[0].hypot(gap[1]);
    (distance > FAR * size(&bodies).max(size(&points))).then(|| {
        format!(
            "the points lie {:.3} km from all bodies on the map: are both in metres, in the same coordinates?",
            Number(1e-3 * distance)
        )
    })
}
