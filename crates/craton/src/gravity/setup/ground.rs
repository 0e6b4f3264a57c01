//! Layers whose upper surface is smooth, for points on the ground.

use std::ops::Range;
use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_gravity::{DensityLaw, Fields, Filling, GoOn, Gravity, GravityError, Layer, Points, Prism, Relief, Slices};

use super::Places;
use super::layer::{Between, BodyMessages, Columns};
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{self, Height, Tops};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::Checked;

/// Height above and depth below the upper surface within which a point is near it, in grid spacings.
const NEAR: f64 = 2.0;
/// Largest distance of corrected columns in columns, for accuracies from which on it suffices.
const RADII: [(f64, usize); 3] = [(1e-4, 16), (1e-5, 32), (1e-6, 128)];
/// Number of columns and points up to which all columns are corrected if no accuracy is given; otherwise the last radius applies.
const MOST_PAIRS: f64 = 2e9;

/// The correction of flat columns for a smooth upper surface.
#[derive(Clone)]
pub struct Ground {
    relief: Arc<Relief>,
    body: Body,
}

/// The body below or above a surface.
#[derive(Clone)]
enum Body {
    /// Density of each column [kg/m³], negative where the body lies above the surface.
    Constant(Arc<Vec<f64>>),
    /// A density that is a linear function of depth.
    Linear(Arc<Slices>),
}

/// The corrections of all layers, and the prisms that they replace near the points.
#[derive(Clone, Default)]
pub struct Grounds {
    /// The corrections.
    pub parts: Vec<Ground>,
    /// Ranges of prisms whose faces near a point are not those of the body.
    pub prisms: Vec<Range<usize>>,
}

impl std::fmt::Debug for Ground {
    fn fmt(&self, into: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(into, "Ground of {} columns", self.relief.columns())
    }
}

impl std::fmt::Debug for Grounds {
    fn fmt(&self, into: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        into.debug_list().entries(&self.parts).finish()
    }
}

impl Ground {
    /// The correction of a body, or of constant densities in each column [kg/m³].
    fn new(relief: Relief, body: Option<Body>, density: Vec<f64>) -> Self {
        Self { relief: Arc::new(relief), body: body.unwrap_or_else(|| Body::Constant(Arc::new(density))) }
    }

    /// The correction at points; `None` if `go_on` returns `false`.
    pub fn forward(
        &self,
        points: &Points,
        fields: Fields,
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Option<Gravity> {
        let more = match &self.body {
            Body::Constant(density) => self.relief.forward_while(density, points, fields, workers, isa, go_on),
            Body::Linear(slices) => self.relief.forward_sliced_while(slices, points, fields, workers, isa, go_on),
        };
        more.expect("one density for each column")
    }
}

/// A layer with a smooth upper surface, as prisms and their correction.
pub struct Smooth {
    /// Prisms whose uppermost faces are corrected.
    pub land: Vec<Prism>,
    /// Prisms above the surface, such as water.
    pub sea: Vec<Prism>,
    /// The corrections.
    pub grounds: Vec<Ground>,
}

/// Whether the upper surface of a layer is smooth: if it is requested, or if a point is near it.
///
/// # Errors
/// Smooth tops of a level surface.
pub fn is_smooth(given: &config::Layer, made: &Between, places: &Places, path: &KeyPath) -> Checked<bool> {
    let has_file = matches!(given.top, Height::File(_));
    match given.tops {
        Tops::Flat => Ok(false),
        Tops::Smooth if !has_file => {
            let problem = Problem::new(path.key("tops"), "requires a file with the upper surface").value("\"smooth\"");
            Err(problem.hint("remove `tops`: a level surface has level columns").into())
        }
        Tops::Smooth => Ok(true),
        Tops::Auto if !has_file => Ok(false),
        Tops::Auto => {
            let [top, _] = made.layer.surfaces();
            let reach = NEAR * spacing(&made.layer);
            let is_near = |[x, y, z]: [f64; 3]| {
                made.layer.column_at([x, y]).is_some_and(|column| (z - top[column]).abs() <= reach)
            };
            let are_level = top.iter().all(|height| *height == top[0]);
            Ok(!are_level && (0..places.points.len()).any(|point| is_near(places.points.get(point))))
        }
    }
}

/// Largest spacing of the grid points of a layer [m].
fn spacing(layer: &Layer) -> f64 {
    let largest = |points: &[f64]| points.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    let [x, y] = layer.axes();
    largest(x).max(largest(y))
}

impl Smooth {
    /// The prisms of a layer, with flat tops at the means of the surface, and the corrections.
    ///
    /// # Arguments
    /// * `messages` – receives notes and warnings about points and slices
    /// # Errors
    /// As [`Between::filling`].
    pub fn new(
        given: &config::Layer,
        made: &Between,
        file: &GravityFile,
        places: &Places,
        path: &KeyPath,
        messages: &mut BodyMessages,
    ) -> Checked<Self> {
        let [x, y] = made.layer.axes().map(<[f64]>::to_vec);
        let [_, bottom] = made.layer.surfaces();
        let refuse = |error: GravityError| Problem::new(path, error.to_string());
        let clamped = |range: fn(f64) -> [f64; 2]| {
            let ranges = bottom.iter().map(|&bottom| range(bottom)).collect();
            Relief::clamped(x.clone(), y.clone(), made.heights.clone(), ranges)
        };
        let is_clamped = matches!(given.bottom, Height::At(_)) || given.inverted_density.is_some();
        let land = match is_clamped {
            true => clamped(|bottom| [bottom, f64::INFINITY]),
            // Between two grids a thin layer would gain mass where its smooth top is cut off at its flat bottom.
            false => Relief::new(x.clone(), y.clone(), made.heights.clone()),
        };
        let land = land.map_err(refuse)?;
        let absent = if is_clamped { made.holes.clone() } else { made.without_thickness() };
        let mut tops: Vec<f64> = land.flat().iter().zip(bottom).map(|(flat, bottom)| flat.max(*bottom)).collect();
        absent.iter().for_each(|&column| tops[column] = bottom[column]);
        let layer = Layer::new(x.clone(), y.clone(), tops, bottom.to_vec()).map_err(refuse)?;
        let columns = Between { least_slices: least_slices(&layer), layer, ..made.clone() };
        let Columns { mut prisms, uppermost, filling } = columns.prisms(given, file, places, path, messages)?;
        let (mut bases, mut density): (Vec<f64>, Vec<f64>) = uppermost.into_iter().unzip();
        for &column in &absent {
            (bases[column], density[column]) = (land.flat()[column], 0.0);
        }
        prisms.extend(columns.layer.inside_out(land.flat(), &density));
        messages.warnings.extend(below_ground(&land, made, file, places));
        let radius = radius(file, land.columns(), places);
        messages.notes.push(note(radius));
        let land = land.with_bases(bases).map_err(refuse)?.within(radius);
        let is_inverted = land.flat().iter().zip(bottom).any(|(flat, bottom)| flat < bottom);
        let filling = filling.filter(|filling| !is_inverted && !filling.law.is_constant());
        let slices = slices(columns.layer, filling, &absent).map_err(refuse)?;
        let mut grounds = vec![Ground::new(land, slices.map(|slices| Body::Linear(Arc::new(slices))), density)];
        let mut sea = Vec::new();
        if let Some(density) = given.inverted_density.filter(|density| *density != 0.0) {
            let relief = clamped(|bottom| [f64::NEG_INFINITY, bottom]).map_err(refuse)?;
            let ground;
            (sea, ground) = below(relief, made, density, radius).map_err(refuse)?;
            grounds.push(ground);
        }
        Ok(Self { land: prisms, sea, grounds })
    }
}

/// Smallest number of slices below a smooth surface: the body replaces slices within some columns of a point, so that they are no thicker than a column is wide.
/// It is 1 if a column is inverted, because then no body replaces slices.
fn least_slices(layer: &Layer) -> usize {
    let [top, bottom] = layer.surfaces();
    if top.iter().zip(bottom).any(|(top, bottom)| top < bottom) {
        return 1;
    }
    let thickest = top.iter().zip(bottom).fold(0.0_f64, |most, (top, bottom)| most.max(top - bottom));
    ((thickest / spacing(layer)).ceil() as usize).clamp(1, config::MOST_SLICES)
}

/// The slices of columns with a linear density, if it is one.
///
/// # Arguments
/// * `absent` – indices of columns without a body
fn slices(layer: Layer, filling: Option<Filling>, absent: &[usize]) -> Result<Option<Slices>, GravityError> {
    let Some(filling) = filling else { return Ok(None) };
    let mut is_absent = vec![false; layer.columns()];
    absent.iter().for_each(|&column| is_absent[column] = true);
    Slices::new(layer, filling, is_absent)
}

/// The prisms between the surface and the bottom above it, and their correction.
fn below(relief: Relief, made: &Between, density: f64, radius: usize) -> Result<(Vec<Prism>, Ground), GravityError> {
    let [x, y] = made.layer.axes().map(<[f64]>::to_vec);
    let [_, bottom] = made.layer.surfaces();
    let mut floors: Vec<f64> = relief.flat().iter().zip(bottom).map(|(flat, bottom)| flat.min(*bottom)).collect();
    let mut densities = vec![-density; relief.columns()];
    for &hole in &made.holes {
        (floors[hole], densities[hole]) = (bottom[hole], 0.0);
    }
    let layer = Layer::new(x, y, floors, bottom.to_vec())?;
    let filling = Filling { law: DensityLaw::Constant(density), datum: None, inverted: Some(density), slices: 1 };
    Ok((layer.prisms(&filling).collect(), Ground::new(relief.within(radius), None, densities)))
}

/// The largest distance of corrected columns, in columns.
fn radius(file: &GravityFile, columns: usize, places: &Places) -> usize {
    let [.., (_, most)] = RADII;
    match file.config.method.accuracy {
        Some(accuracy) => RADII.iter().find(|(least, _)| accuracy >= *least).map_or(most, |(_, radius)| *radius),
        None if columns as f64 * places.points.len() as f64 <= MOST_PAIRS => usize::MAX,
        None => most,
    }
}

/// The note about the shape of the tops.
fn note(radius: usize) -> String {
    let within = match radius {
        usize::MAX => "for all columns".to_owned(),
        radius => format!("within {radius} columns of a point"),
    };
    format!("the upper surface is smooth between its grid points, {within}; tops = \"flat\" gives flat columns")
}

/// The number of points below a smooth surface, as a warning.
fn below_ground(relief: &Relief, made: &Between, file: &GravityFile, places: &Places) -> Option<String> {
    if file.config.points.may_be_in_the_ground() {
        return None;
    }
    let [_, bottom] = made.layer.surfaces();
    let depth = |[x, y, z]: [f64; 3]| {
        let column = made.layer.column_at([x, y]).filter(|column| made.holes.binary_search(column).is_err())?;
        relief.depth([x, y, z]).filter(|_| z > bottom[column])
    };
    let warning = places.told_of("below the smooth surface of a layer", |place| depth(place).is_some())?;
    let depths = (0..places.points.len()).filter_map(|point| depth(places.points.get(point)));
    let deepest = Number(depths.fold(0.0, f64::max));
    Some(format!("{warning}. The deepest is {deepest} m below it; the tensor there is that inside the body"))
}
