//! Fields along a line or down a borehole.

use std::path::Path;

use crate::error::{Error, Result};
use crate::field_profile_picture::Picture;
use crate::layout::Paper;
use crate::panel_grid::PanelGrid;
use crate::trace::{all_finite, distinct};

/// Values along a line.
#[derive(Clone, Copy, Debug)]
pub struct ProfileCurve<'a> {
    /// Name of the curve in the key; curves with the same name have the same colour on all panels.
    pub label: &'a str,
    /// Distances along the line, or depths \[m\], in the order in which the curve runs.
    pub places: &'a [f64],
    /// Values at these places, in the unit of the panel; NaN interrupts the curve.
    pub values: &'a [f64],
}

/// A panel of curves in one unit.
#[derive(Clone, Copy, Debug)]
pub struct ProfilePanel<'a> {
    /// Title above the panel, such as "g_u".
    pub title: &'a str,
    /// Unit of the values, such as "mGal".
    pub unit: &'a str,
    /// One or several curves.
    pub curves: &'a [ProfileCurve<'a>],
}

/// The coordinate along a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProfileAxis {
    /// Distance to the right; panels are stacked vertically.
    #[default]
    Distance,
    /// Depth downwards; panels are arranged side by side.
    Depth,
}

/// Options of profiles.
#[derive(Clone, Debug, Default)]
pub struct FieldProfileOptions {
    /// Size and resolution.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
    /// The coordinate along the profile.
    pub axis: ProfileAxis,
    /// Title of the coordinate axis; "Distance" or "Depth" if empty.
    pub axis_title: String,
}

/// Draws values along a line or down a borehole, a panel for each field.
///
/// All panels share the coordinate axis. Where curves coincide, the earlier one is visible as a rim of the later one.
///
/// # Arguments
/// * `panels` – 1 to 12
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Nothing`, `Error::TooMany`, `Error::Length`, `Error::NotFinite`, `Error::Paper`, `Error::Write`
///
/// Verified by `fields::depth_points_downwards_and_nan_interrupts_curves`.
pub fn field_profile(panels: &[ProfilePanel<'_>], options: &FieldProfileOptions, path: impl AsRef<Path>) -> Result<()> {
    if panels.is_empty() {
        return Err(Error::Nothing { what: "panels" });
    }
    if panels.len() > PanelGrid::MOST {
        return Err(Error::TooMany { what: "panels", count: panels.len(), most: PanelGrid::MOST });
    }
    for panel in panels {
        panel.check()?;
    }
    let labels = distinct(panels.iter().flat_map(|panel| panel.curves).map(|curve| curve.label));
    Picture { panels, options, labels }.draw()?.save(path.as_ref())
}

impl ProfilePanel<'_> {
    fn check(&self) -> Result<()> {
        for curve in self.curves {
            let name = || format!("curve {:?} of {}", curve.label, self.title);
            if curve.values.len() != curve.places.len() {
                return Err(Error::Length { what: name(), found: curve.values.len(), expected: curve.places.len() });
            }
            all_finite(curve.places, || format!("a place of {}", name()))?;
            if let Some(index) = curve.values.iter().position(|value| value.is_infinite()) {
                return Err(Error::NotFinite { what: name(), index, value: curve.values[index] });
            }
        }
        match self.values().next() {
            Some(_) => Ok(()),
            None => Err(Error::Nothing { what: "values of a profile" }),
        }
    }

    /// Finite values of all curves.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.curves.iter().flat_map(|curve| curve.values.iter().copied()).filter(|value| !value.is_nan())
    }
}
