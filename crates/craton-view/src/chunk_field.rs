//! A field on a chunk of the sphere, drawn on the map of the chunk.

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

/// A field on a chunk of the sphere, such as the motion of its surface.
#[derive(Clone, Copy)]
pub struct ChunkField<'a> {
    /// Values on a raster over the coordinates of the chunk; NaN is transparent.
    pub raster: Raster<'a>,
    /// The coordinates of the raster at a longitude and latitude \[degrees\]; `None` outside the chunk.
    pub place: &'a dyn Fn([f64; 2]) -> Option<[f64; 2]>,
    /// Name of the field.
    pub quantity: &'a str,
    /// Its unit, such as "m/s".
    pub unit: &'a str,
    /// Colours of the field.
    pub colours: FieldColours,
    /// Simulated time \[s\], written below the title.
    pub time: Option<f64>,
}

/// Draws a map like [`crate::chunk_map`], with the field inside the outline and its colour bar next to the map.
///
/// # Arguments
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// Those of `chunk_map`; `Error::Length`, `Error::Range`, `Error::NotFinite`, `Error::Nothing`, `Error::NotPositive` for a field or
/// colours that cannot be drawn
///
/// Verified by `chunks::a_field_is_drawn_at_its_positions`.
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
    /// The formatted time.
    pub(crate) fn time(&self) -> Option<String> {
        self.field.time.map(|time| format!("t = {} s", time_text(time)))
    }

    /// Colours the chunk, and draws the bar at a distance to the right of the map.
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
