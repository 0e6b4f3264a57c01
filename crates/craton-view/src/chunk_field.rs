//! A field on a piece of the sphere, over the map of the piece.

use std::path::Path;

use crate::canvas::Canvas;
use crate::chunk_map::{self, ChunkMapOptions, ChunkView};
use crate::colour_bar::ColourBar;
use crate::colour_scale::ColourScale;
use crate::error::Result;
use crate::field_colours::FieldColours;
use crate::field_layout::bar_place;
use crate::graticule::Sheet;
use crate::layout::Area;
use crate::map::time_text;
use crate::raster::Raster;

/// A field on a piece of the sphere, such as its moving surface.
#[derive(Clone, Copy)]
pub struct ChunkField<'a> {
    /// Its values, on a raster over coordinates of the piece; NaN leaves what is below.
    pub raster: Raster<'a>,
    /// The coordinates of the raster at a longitude and latitude \[degrees\]; none outside of the piece.
    pub place: &'a dyn Fn([f64; 2]) -> Option<[f64; 2]>,
    /// What is coloured.
    pub quantity: &'a str,
    /// Its unit, such as "m/s".
    pub unit: &'a str,
    /// How it is coloured.
    pub colours: FieldColours,
    /// Simulated time \[s\], written below the title.
    pub time: Option<f64>,
}

/// Draws a map as [`crate::chunk_map`] does, with the field inside the sides and its colour bar beside the map.
///
/// # Arguments
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// Those of `chunk_map`; `Error::Length`, `Error::Range`, `Error::NotFinite`, `Error::Nothing`, `Error::NotPositive` for a field or
/// colours that cannot be drawn
///
/// Verified by `chunks::a_field_stands_where_its_places_are`.
pub fn chunk_field(
    view: &ChunkView<'_>,
    field: &ChunkField<'_>,
    options: &ChunkMapOptions,
    path: impl AsRef<Path>,
) -> Result<()> {
    field.raster.check("the field")?;
    let scale = field.colours.fitted(field.raster.present())?;
    chunk_map::picture(view, Some(&Coloured { field, scale }), options)?.save(path.as_ref())
}

/// A field with its colours.
pub(crate) struct Coloured<'a> {
    field: &'a ChunkField<'a>,
    scale: ColourScale,
}

impl Coloured<'_> {
    /// The time, as it is written.
    pub(crate) fn time(&self) -> Option<String> {
        self.field.time.map(|time| format!("t = {} s", time_text(time)))
    }

    /// Colours the piece, and draws the bar so far to the right of the map.
    pub(crate) fn draw(&self, canvas: &mut Canvas, sheet: &Sheet, away: f64) {
        let Self { field, scale } = self;
        canvas.shade(&sheet.area, |at| {
            let [x, y] = (field.place)(sheet.place(at)?)?;
            Some(scale.colour(field.raster.at(x, y)?))
        });
        let bar = ColourBar {
            scale: *scale,
            title: field.quantity,
            unit: field.unit,
            beyond: scale.beyond(field.raster.present()),
        };
        bar.draw(canvas, &bar_place(&Area { right: sheet.area.right + 0.5 * away, ..sheet.area }));
    }
}
