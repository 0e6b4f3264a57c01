//! Pictures of the results: maps of the fields, or profiles.

use craton_run::OutputDirectory;
use craton_view::{
    FieldColours, FieldMapOptions, FieldPanel, FieldProfileOptions, FieldSamples, ProfileAxis, ProfileCurve,
    ProfilePanel, Raster, field_maps, field_profile,
};

use super::columns::Column;
use super::config::Quantity;
use super::setup::{Setup, Shape};
use crate::error::Error;

/// Largest horizontal deviation of a borehole relative to the length of its line.
const UPRIGHT: f64 = 0.1;
/// Largest number of tensor components in one row.
const FEW: usize = 3;

/// Draws one picture of the attraction and one of the tensor.
///
/// # Errors
/// A full or failing disk.
pub fn draw(setup: &Setup, columns: &[Column], folder: &OutputDirectory) -> Result<(), Error> {
    let (tensor, others): (Vec<&Column>, Vec<&Column>) =
        columns.iter().partition(|column| place_in_tensor(column.quantity).is_some());
    for (name, columns) in [("gravity.png", others), ("gradient.png", tensor)] {
        // A field without any number cannot be drawn.
        let shown: Vec<&Column> =
            columns.into_iter().filter(|column| column.values.iter().any(|value| value.is_finite())).collect();
        if !shown.is_empty() {
            let path = folder.file(name)?;
            match &setup.places.shape {
                Shape::Line(along) => profile(setup, along, &shown, &path)?,
                Shape::Grid { x, y, .. } if x.len() > 1 && y.len() > 1 => {
                    let ends = |places: &[f64]| [places[0], places[places.len() - 1]];
                    let samples = |column| Raster { x: ends(x), y: ends(y), size: [x.len(), y.len()], values: column };
                    maps(setup, &shown, |column| FieldSamples::Grid(samples(&column.values)), &path)?;
                }
                Shape::Grid { .. } | Shape::List => {
                    let points = &setup.places.points;
                    let places: Vec<[f64; 2]> =
                        (0..points.len()).map(|point| [points.get(point)[0], points.get(point)[1]]).collect();
                    maps(setup, &shown, |column| FieldSamples::Points(&places, &column.values), &path)?;
                }
            }
        }
    }
    Ok(())
}

fn maps<'a>(
    setup: &Setup,
    columns: &[&'a Column],
    samples: impl Fn(&'a Column) -> FieldSamples<'a>,
    path: &std::path::Path,
) -> Result<(), Error> {
    let titles: Vec<String> = columns.iter().map(|column| column.quantity.name()).collect();
    let panels = columns.iter().zip(&titles).zip(places(columns)).map(|((column, title), place)| FieldPanel {
        title,
        unit: column.unit,
        samples: samples(column),
        colours: FieldColours::default(),
        place,
    });
    let mut options = FieldMapOptions { title: setup.title.clone(), ..FieldMapOptions::default() };
    if setup.places.are_geographic {
        options = FieldMapOptions { axes: ["Longitude".into(), "Latitude".into()], are_degrees: true, ..options };
    }
    Ok(field_maps(&panels.collect::<Vec<_>>(), &options, path)?)
}

fn profile(setup: &Setup, along: &[f64], columns: &[&Column], path: &std::path::Path) -> Result<(), Error> {
    let points = &setup.places.points;
    let [first, last] = [points.get(0), points.get(points.len() - 1)];
    let aside = ((last[0] - first[0]).powi(2) + (last[1] - first[1]).powi(2)).sqrt();
    let axis = if aside <= UPRIGHT * (last[2] - first[2]).abs() { ProfileAxis::Depth } else { ProfileAxis::Distance };
    let depths: Vec<f64> = (0..points.len()).map(|point| -points.get(point)[2]).collect();
    let places = if axis == ProfileAxis::Depth { &depths } else { along };
    let axis_title = if axis == ProfileAxis::Depth { "Depth below z = 0" } else { "" };
    let titles: Vec<String> = columns.iter().map(|column| column.quantity.name()).collect();
    let curves: Vec<_> = columns
        .iter()
        .zip(&titles)
        .map(|(column, label)| [ProfileCurve { label, places, values: &column.values }])
        .collect();
    let panels = columns.iter().zip(&titles).zip(&curves);
    let panels: Vec<_> =
        panels.map(|((column, title), curves)| ProfilePanel { title, unit: column.unit, curves }).collect();
    let options = FieldProfileOptions {
        title: setup.title.clone(),
        axis,
        axis_title: axis_title.to_owned(),
        ..FieldProfileOptions::default()
    };
    Ok(field_profile(&panels, &options, path)?)
}

/// Positions of the maps: components in the triangle of the tensor. In a row if they are few, because the triangle
/// would be mostly empty, or if one component occurs twice, up and down.
fn places(columns: &[&Column]) -> Vec<Option<[usize; 2]>> {
    let places: Vec<_> = columns.iter().map(|column| place_in_tensor(column.quantity)).collect();
    let is_taken = |index: usize| places[index].is_some() && places[..index].contains(&places[index]);
    let is_triangle = places.len() > FEW && !(0..places.len()).any(is_taken);
    if is_triangle { places } else { vec![None; columns.len()] }
}

/// Row and column of a component in the upper triangle of the tensor.
fn place_in_tensor(quantity: Quantity) -> Option<[usize; 2]> {
    use Quantity::*;
    match quantity {
        GEe | BEe => Some([0, 0]),
        GEn | BEn => Some([0, 1]),
        GEu | GEd | BEu => Some([0, 2]),
        GNn | BNn => Some([1, 1]),
        GNu | GNd | BNu => Some([1, 2]),
        GUu | GDd | BUu => Some([2, 2]),
        _ => None,
    }
}
