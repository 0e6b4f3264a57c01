//! Layout of a field and its colour bar on a sheet.

use crate::canvas::Canvas;
use crate::colour_bar::ColourBar;
use crate::error::Result;
use crate::layout::{Area, MARGIN, Paper};
use crate::ticks;

/// Room for a colour bar, its numbers and its title next to a panel.
pub(crate) const BAR_ROOM: f64 = 92.0;
/// Room for the axis below a panel.
pub(crate) const FOOT: f64 = 38.0;
const LEFT: f64 = 56.0;

/// The shape of a field on paper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Proportion {
    /// Height over width.
    shape: f64,
    /// Vertical stretch relative to the true aspect ratio.
    pub(crate) stretch: f64,
}

impl Proportion {
    /// The true aspect ratio, or the requested stretch; without a request, fields with an aspect ratio above six are stretched.
    pub(crate) fn of([width, height]: [f64; 2], wanted: Option<f64>) -> Self {
        const LONGEST: f64 = 6.0;
        let true_shape = height / width;
        let stretch = wanted.unwrap_or(match true_shape {
            flat if flat < 1.0 / LONGEST => ticks::round_step(1.0 / LONGEST / flat),
            tall if tall > LONGEST => 1.0 / ticks::round_step(tall / LONGEST),
            _ => 1.0,
        });
        Self { shape: true_shape * stretch, stretch }
    }

    /// Height over width.
    pub(crate) fn shape(&self) -> f64 {
        self.shape
    }

    /// Whether the field is not drawn to scale.
    pub(crate) fn is_stretched(&self) -> bool {
        (self.stretch - 1.0).abs() > 1e-6
    }

    /// A sheet with the panel of the field, on edges between pixels, as large as the paper allows.
    ///
    /// # Arguments
    /// * `above`, `beside` – room above the panel, and on its right
    /// # Errors
    /// `Error::Paper`
    pub(crate) fn sheet(&self, paper: &Paper, above: f64, beside: f64) -> Result<(Canvas, Area, Area)> {
        const TALLEST: f64 = 800.0;
        let width = (paper.width - 2.0 * MARGIN - LEFT - beside).max(1.0);
        let height = above + (width * self.shape).min(TALLEST) + FOOT + MARGIN;
        let (canvas, sheet) = Canvas::new(paper, height)?;
        let height = (sheet.bottom - above - FOOT - MARGIN).max(1.0);
        let fitting = width.min(height / self.shape);
        let left = sheet.left + MARGIN + LEFT;
        let area = Area {
            left: canvas.snap(left),
            top: canvas.snap(above),
            right: canvas.snap(left + fitting),
            bottom: canvas.snap(above + fitting * self.shape),
        };
        Ok((canvas, sheet, area))
    }
}

/// Area of the legend of a panel.
pub(crate) fn legend_place(area: &Area) -> Area {
    const TALLEST: f64 = 320.0;
    let bottom = area.bottom.min(area.top + TALLEST);
    Area { left: area.right + 18.0, top: area.top, right: area.right + BAR_ROOM, bottom }
}

/// Area of the colour bar of a panel, without its numbers.
pub(crate) fn bar_place(area: &Area) -> Area {
    let legend = legend_place(area);
    Area { right: legend.left + ColourBar::WIDTH, ..legend }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_very_long_fields_are_stretched_unless_it_is_wanted() {
        assert_eq!(Proportion::of([10e3, 4e3], None), Proportion { shape: 0.4, stretch: 1.0 });
        assert_eq!(Proportion::of([100e3, 4e3], None).stretch, 5.0);
        assert_eq!(Proportion::of([1e3, 24e3], None).stretch, 0.2);
        assert_eq!(Proportion::of([100e3, 4e3], Some(1.0)).stretch, 1.0);
        assert!(!Proportion::of([100e3, 4e3], Some(1.0)).is_stretched());
    }

    #[test]
    fn a_panel_keeps_its_proportion_inside_the_sheet() {
        let paper = Paper { width: 600.0, height: Some(300.0), scale: 2.0 };
        let (_, sheet, area) = Proportion::of([1e3, 1e3], None).sheet(&paper, 50.0, BAR_ROOM).unwrap();
        // Edges are snapped to pixels.
        assert!((area.width() - area.height()).abs() <= 0.5 && area.is_inside(&sheet));
    }
}
