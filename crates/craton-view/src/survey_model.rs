//! The model and geometry of a survey, as a vertical section or a map.

use std::path::Path;

use crate::colour::ColourMap;
use crate::colour_scale::{ColourScale, fitting_range};
use crate::error::Result;
use crate::layout::Paper;
use crate::raster::Raster;
use crate::survey_picture::Picture;
use crate::trace::{all_finite, check_positive, checked_range};

/// Limits of a rectangle along both axes of a picture \[m\].
pub type Rectangle = [[f64; 2]; 2];

/// The model of a survey.
#[derive(Clone, Copy, Debug)]
pub enum SurveyModel<'a> {
    /// A property such as velocity or density; white where it is NaN.
    Property(Raster<'a>),
    /// Only its outline.
    Outline(Rectangle),
}

/// Absorbing layers around a rectangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AbsorbingFrame {
    /// The rectangle inside.
    pub inner: Rectangle,
    /// Widths of the layers at the lower and upper end of both axes \[m\]; zero for no layer.
    pub widths: Rectangle,
}

/// Contents of a picture of a survey. Positions have two coordinates \[m\]: x and z (up) in a section, x and y in a map.
#[derive(Clone, Copy, Debug)]
pub struct SurveyView<'a> {
    /// The model.
    pub model: SurveyModel<'a>,
    /// Sources.
    pub sources: &'a [[f64; 2]],
    /// Receivers.
    pub receivers: &'a [[f64; 2]],
    /// Aperture: the part of the model used by one shot.
    pub aperture: Option<Rectangle>,
    /// Absorbing layers.
    pub absorbing: Option<AbsorbingFrame>,
}

/// Axes of a picture of a survey.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SurveyPlane {
    /// x to the right, depth (minus z) downwards.
    #[default]
    Section,
    /// x to the right, y upwards.
    Map,
}

/// Options of a picture of a survey.
#[derive(Clone, Debug)]
pub struct SurveyOptions {
    /// Size and resolution.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
    /// Axes.
    pub plane: SurveyPlane,
    /// Name of the coloured property, such as "vp".
    pub quantity: String,
    /// Its unit, such as "m/s".
    pub unit: String,
    /// The colours.
    pub colours: ColourMap,
    /// Reverses the colour map.
    pub reversed: bool,
    /// Values of the first and the last colour; fitted when left out.
    pub range: Option<[f64; 2]>,
    /// Exaggeration of the vertical axis; when left out, 1 unless the aspect ratio exceeds six.
    pub exaggeration: Option<f64>,
}

impl Default for SurveyOptions {
    fn default() -> Self {
        Self {
            paper: Paper::default(),
            title: String::new(),
            plane: SurveyPlane::default(),
            quantity: "vp".into(),
            unit: "m/s".into(),
            colours: ColourMap::Batlow,
            reversed: false,
            range: None,
            exaggeration: None,
        }
    }
}

/// Draws the model of a survey, sources as stars, receivers as triangles, the aperture of a shot as a rectangle and
/// absorbing layers as a hatched frame.
///
/// The picture contains the model, the aperture and the layers. Layers outside the model have its nearest values, and the outline of the model is drawn.
/// Overlapping symbols are omitted, and the line below the title states how many are drawn. A model with a few values gets a legend, any other one a colour
/// bar.
///
/// # Arguments
/// * `view` – model and geometry; symbols outside the picture are not drawn
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Length`, `Error::Range`, `Error::NotFinite`, `Error::NotPositive`, `Error::Nothing` if no value of the property is finite,
/// `Error::Paper`, `Error::Write`
pub fn survey_model(view: &SurveyView<'_>, options: &SurveyOptions, path: impl AsRef<Path>) -> Result<()> {
    view.check()?;
    check_positive("the vertical exaggeration", options.exaggeration)?;
    let range = match (options.range, view.model) {
        (Some(range), _) => checked_range("the range of colours", range)?,
        // Material properties are never negative, so a diverging map need not be centred on zero.
        (None, SurveyModel::Property(property)) => fitting_range(property.present(), ColourMap::Batlow, 1.0),
        (None, SurveyModel::Outline(_)) => [0.0, 1.0],
    };
    // Maps with a white centre are light where their values are small.
    let soft = !matches!(options.colours, ColourMap::Vik | ColourMap::Grey);
    let colours = ColourScale { map: options.colours, reversed: options.reversed, soft, range, logarithmic: false };
    Picture { view, options, colours }.draw()?.save(path.as_ref())
}

impl SurveyView<'_> {
    /// Limits of the model.
    pub(crate) fn outline(&self) -> Rectangle {
        match self.model {
            SurveyModel::Property(raster) => [raster.x, raster.y],
            SurveyModel::Outline(outline) => outline,
        }
    }

    /// Limits of the picture: model, aperture and layers.
    pub(crate) fn extent(&self) -> Rectangle {
        let others = [self.aperture, self.absorbing.map(|frame| frame.outer())];
        others.into_iter().flatten().fold(self.outline(), |all, other| {
            [0, 1].map(|axis| [all[axis][0].min(other[axis][0]), all[axis][1].max(other[axis][1])])
        })
    }

    fn check(&self) -> Result<()> {
        if let SurveyModel::Property(raster) = &self.model {
            raster.check("the model")?;
        }
        check_rectangle(["the model along x", "the model along the upright axis"], self.outline())?;
        if let Some(aperture) = self.aperture {
            check_rectangle(["the aperture along x", "the aperture along the upright axis"], aperture)?;
        }
        if let Some(frame) = self.absorbing {
            let inner = ["the inside of the layers along x", "the inside of the layers along the upright axis"];
            check_rectangle(inner, frame.inner)?;
            for width in frame.widths.into_iter().flatten().filter(|width| *width != 0.0) {
                check_positive("the width of an absorbing layer", width)?;
            }
        }
        for (what, marks) in [("source", self.sources), ("receiver", self.receivers)] {
            for (index, mark) in marks.iter().enumerate() {
                all_finite(mark, || format!("the position of {what} {}", index + 1))?;
            }
        }
        Ok(())
    }
}

impl AbsorbingFrame {
    /// Outer limits of the layers.
    pub(crate) fn outer(&self) -> Rectangle {
        let grown = |[low, high]: [f64; 2], [below, above]: [f64; 2]| [low - below, high + above];
        [0, 1].map(|axis| grown(self.inner[axis], self.widths[axis]))
    }
}

fn check_rectangle(names: [&'static str; 2], rectangle: Rectangle) -> Result<()> {
    for (name, range) in names.into_iter().zip(rectangle) {
        checked_range(name, range)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_holds_model_aperture_and_layers() {
        let frame = AbsorbingFrame { inner: [[100.0, 600.0], [-400.0, 0.0]], widths: [[150.0, 50.0], [80.0, 0.0]] };
        assert_eq!(frame.outer(), [[-50.0, 650.0], [-480.0, 0.0]]);
        let view = SurveyView {
            model: SurveyModel::Outline([[0.0, 900.0], [-400.0, 0.0]]),
            sources: &[],
            receivers: &[],
            aperture: Some(frame.inner),
            absorbing: Some(frame),
        };
        assert_eq!(view.extent(), [[-50.0, 900.0], [-480.0, 0.0]]);
    }
}
