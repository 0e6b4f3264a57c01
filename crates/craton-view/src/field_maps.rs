//! Maps of one or several fields over one region, such as gravity fields and their errors.

use std::path::Path;

use crate::error::Result;
use crate::field_colours::FieldColours;
use crate::field_maps_picture::Picture;
use crate::field_samples::FieldSamples;
use crate::layout::Paper;
use crate::trace::all_finite;

/// One panel of the maps.
#[derive(Clone, Copy, Debug)]
pub struct FieldPanel<'a> {
    /// Title above the panel, such as "g_u".
    pub title: &'a str,
    /// Unit of the values, such as "mGal".
    pub unit: &'a str,
    /// The values and their positions.
    pub samples: FieldSamples<'a>,
    /// Colours of the field.
    pub colours: FieldColours,
    /// Row from the top and column from the left, counted from 0 to 11; chosen by the number of panels when all leave it out.
    pub place: Option<[usize; 2]>,
}

/// Options of maps of fields.
#[derive(Clone, Debug)]
pub struct FieldMapOptions<'a> {
    /// Size and resolution; where the height is left open, a narrow region takes less than the width.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
    /// A note below the title.
    pub note: String,
    /// Names of the axes.
    pub axes: [String; 2],
    /// Whether the coordinates are degrees instead of metres.
    pub are_degrees: bool,
    /// Draws contours at the values marked on the colour bar; for grids only.
    pub contours: bool,
    /// Bodies and borders \[m\], drawn as thin lines on every panel; a line that ends at its start is closed.
    pub outlines: &'a [Vec<[f64; 2]>],
}

impl Default for FieldMapOptions<'_> {
    fn default() -> Self {
        Self {
            paper: Paper::default(),
            title: String::new(),
            note: String::new(),
            axes: ["x".into(), "y".into()],
            are_degrees: false,
            contours: false,
            outlines: &[],
        }
    }
}

/// Draws maps of one or several fields, each with a colour bar of its own, both axes to the same scale.
///
/// All panels show the same region, which contains the samples of all fields, so that only outer panels have axes. The smallest and the largest value are
/// written next to the title of a panel. As in `map`, only regions with an aspect ratio above six are stretched, which the note then states.
///
/// # Arguments
/// * `panels` – 1 to 12 fields; NaN is drawn white on grids and omitted at points
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Nothing`, `Error::TooMany`, `Error::Place`, `Error::Length`, `Error::Range`, `Error::NotFinite`, `Error::NotPositive` on
/// logarithmic scales, `Error::Paper`, `Error::Write`
///
/// Verified by `fields::zero_has_the_middle_colour_and_both_axes_have_one_scale`, `fields::missing_values_are_white_and_outliers_do_not_change_other_colours`,
/// `fields::dots_have_their_positions_and_colours`.
pub fn field_maps(panels: &[FieldPanel<'_>], options: &FieldMapOptions<'_>, path: impl AsRef<Path>) -> Result<()> {
    for panel in panels {
        panel.samples.check(&format!("the field {}", panel.title))?;
    }
    for (index, outline) in options.outlines.iter().enumerate() {
        all_finite(outline.as_flattened(), || format!("a position of outline {}", index + 1))?;
    }
    let scales: Result<Vec<_>> = panels.iter().map(|panel| panel.colours.fitted(panel.samples.present())).collect();
    let picture = Picture { panels, options, scales: scales?, region: region(panels) };
    picture.draw()?.save(path.as_ref())
}

/// Bounding box of the samples of all panels.
fn region(panels: &[FieldPanel<'_>]) -> [[f64; 2]; 2] {
    let nothing = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    panels
        .iter()
        .map(|panel| panel.samples.extent())
        .fold(nothing, |all, one| [0, 1].map(|axis| [all[axis][0].min(one[axis][0]), all[axis][1].max(one[axis][1])]))
}
