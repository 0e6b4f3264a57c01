//! An Earth model with sources and stations: plan and two vertical sections, unfolded like a box.

use std::path::Path;

use crate::colour::ColourMap;
use crate::colour_scale::{ColourScale, fitting_range};
use crate::error::{Error, Result};
use crate::layout::Paper;
use crate::model_picture::Picture;
use crate::trace::{all_finite, check_positive, checked_range};

/// A material property at any point: x east, y north, z up \[m\]; NaN outside the model.
pub type Property<'a> = dyn Fn([f64; 3]) -> f64 + 'a;

/// A height \[m\] at any place: x east, y north \[m\].
pub type Height<'a> = dyn Fn([f64; 2]) -> f64 + 'a;

/// A source in a picture of a model.
#[derive(Clone, Debug)]
pub struct SourceMark {
    /// x east, y north, z up \[m\].
    pub position: [f64; 3],
    /// Moment tensor in Voigt order xx, yy, zz, yz, xz, xy, shown as a beachball; a star without one.
    pub moment_tensor: Option<[f64; 6]>,
}

/// A station in a picture of a model.
#[derive(Clone, Debug)]
pub struct StationMark {
    /// Name, written on the plan if there is room.
    pub label: String,
    /// x east, y north, z up \[m\].
    pub position: [f64; 3],
}

/// Contents of a picture of a model.
pub struct ModelView<'a> {
    /// Ends of the domain along x, y and z \[m\].
    pub domain: [[f64; 2]; 3],
    /// The coloured property.
    pub property: &'a Property<'a>,
    /// Height of the ground; level at the top of the domain when left out.
    pub topography: Option<&'a Height<'a>>,
    /// Interfaces, drawn as lines in the sections.
    pub interfaces: &'a [&'a Height<'a>],
    /// Sources.
    pub sources: &'a [SourceMark],
    /// Stations.
    pub stations: &'a [StationMark],
}

/// Options of a picture of a model.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    /// Size and resolution.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
    /// Name of the coloured property, such as "vs".
    pub quantity: String,
    /// Its unit, such as "m/s".
    pub unit: String,
    /// The colours.
    pub colours: ColourMap,
    /// Reverses the colour map.
    pub reversed: bool,
    /// Values of the first and the last colour; fitted when left out.
    pub range: Option<[f64; 2]>,
    /// Positions of the sections, x and y \[m\]; through the first source, or the middle of the domain, when left out.
    pub through: Option<[f64; 2]>,
    /// Height of the plan \[m\]; just below the ground when left out.
    pub plan_height: Option<f64>,
    /// Factor on heights in the sections; 1, or more for flat models, when left out.
    pub vertical_exaggeration: Option<f64>,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            paper: Paper::default(),
            title: String::new(),
            quantity: "vs".into(),
            unit: "m/s".into(),
            colours: ColourMap::Batlow,
            reversed: false,
            range: None,
            through: None,
            plan_height: None,
            vertical_exaggeration: None,
        }
    }
}

/// Draws a model: the plan, the x–z section below it and the y–z section to its right, all to one scale.
///
/// A model with a few constant values gets a legend, any other one a colour bar.
///
/// # Arguments
/// * `view` – the model; its property is evaluated at every pixel
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Range`, `Error::NotFinite`, `Error::NotPositive`, `Error::Nothing` if the property is NaN everywhere, `Error::Paper`, `Error::Write`
pub fn model_section(view: &ModelView<'_>, options: &ModelOptions, path: impl AsRef<Path>) -> Result<()> {
    check(view)?;
    check_positive("the vertical exaggeration", options.vertical_exaggeration)?;
    let through = options.through.unwrap_or_else(|| view.interesting_place());
    let values = sampled(view, through, options.plan_height);
    if values.is_empty() {
        return Err(Error::Nothing { what: "values of the model" });
    }
    let range = match options.range {
        Some(range) => checked_range("the range of colours", range)?,
        // Material properties are never negative, so a diverging map need not be centred on zero.
        None => fitting_range(values.iter().copied(), ColourMap::Batlow, 1.0),
    };
    let colours =
        ColourScale { map: options.colours, reversed: options.reversed, soft: true, range, logarithmic: false };
    let picture = Picture { view, options, through, colours, values };
    picture.draw()?.save(path.as_ref())
}

impl ModelView<'_> {
    /// The first source inside the domain, or the middle of the domain.
    fn interesting_place(&self) -> [f64; 2] {
        let inside = |position: &[f64; 3]| {
            [0, 1].iter().all(|&axis| {
                let [low, high] = self.domain[axis];
                (low..=high).contains(&position[axis])
            })
        };
        let middle = [0, 1].map(|axis| (self.domain[axis][0] + self.domain[axis][1]) / 2.0);
        let first = self.sources.iter().map(|source| source.position).find(inside);
        first.map_or(middle, |position| [position[0], position[1]])
    }

    /// The model point for a position on the plan: at the requested height, or just below the ground.
    pub(crate) fn plan_point(&self, place: [f64; 2], height: Option<f64>) -> [f64; 3] {
        let [bottom, top] = self.domain[2];
        let ground = self.topography.map_or(top, |topography| topography(place));
        let below = ground - 1e-6 * (top - bottom);
        [place[0], place[1], height.unwrap_or(below)]
    }
}

fn check(view: &ModelView<'_>) -> Result<()> {
    for (what, range) in ["x of the domain", "y of the domain", "z of the domain"].into_iter().zip(view.domain) {
        checked_range(what, range)?;
    }
    for (index, source) in view.sources.iter().enumerate() {
        all_finite(&source.position, || format!("the position of source {index}"))?;
        all_finite(&source.moment_tensor.unwrap_or_default(), || format!("the moment tensor of source {index}"))?;
    }
    for station in view.stations {
        all_finite(&station.position, || format!("the position of station {}", station.label))?;
    }
    Ok(())
}

/// The property on a raster in all three views.
fn sampled(view: &ModelView<'_>, through: [f64; 2], plan_height: Option<f64>) -> Vec<f64> {
    const COUNT: u32 = 256;
    let along = |axis: usize, index: u32| {
        let [low, high] = view.domain[axis];
        low + (high - low) * (f64::from(index) + 0.5) / f64::from(COUNT)
    };
    let pairs = (0..COUNT).flat_map(|i| (0..COUNT).map(move |j| (i, j)));
    pairs
        .flat_map(|(i, j)| {
            [
                view.plan_point([along(0, i), along(1, j)], plan_height),
                [along(0, i), through[1], along(2, j)],
                [through[0], along(1, i), along(2, j)],
            ]
        })
        .map(view.property)
        .filter(|value| value.is_finite())
        .collect()
}
