//! Styles of lines and text.

use std::borrow::Cow;

use crate::colour::Colour;
use crate::text::{self, CAP_HEIGHT, Weight};

/// Style of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pen {
    pub(crate) colour: Colour,
    pub(crate) width: f64,
    /// Lengths of dash and gap.
    pub(crate) dash: Option<[f64; 2]>,
}

impl Pen {
    pub(crate) const fn new(colour: Colour, width: f64) -> Self {
        Self { colour, width, dash: None }
    }

    pub(crate) const fn dashed(self, dash: f64, gap: f64) -> Self {
        Self { dash: Some([dash, gap]), ..self }
    }
}

/// Alignment of a text relative to its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Align {
    Left,
    Centre,
    Right,
}

/// Style of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lettering {
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) colour: Colour,
    pub(crate) align: Align,
    /// Written upwards instead of rightwards.
    pub(crate) upwards: bool,
    /// A white rim that keeps letters legible on a picture.
    pub(crate) rim: bool,
}

impl Lettering {
    pub(crate) const fn new(size: f64, colour: Colour) -> Self {
        Self { size, weight: Weight::Regular, colour, align: Align::Left, upwards: false, rim: false }
    }

    pub(crate) const fn bold(self) -> Self {
        Self { weight: Weight::SemiBold, ..self }
    }

    pub(crate) const fn centred(self) -> Self {
        Self { align: Align::Centre, ..self }
    }

    pub(crate) const fn to_the_right(self) -> Self {
        Self { align: Align::Right, ..self }
    }

    pub(crate) const fn upwards(self) -> Self {
        Self { upwards: true, ..self }
    }

    pub(crate) const fn rimmed(self) -> Self {
        Self { rim: true, ..self }
    }

    pub(crate) fn width_of(&self, text: &str) -> f64 {
        text::width(text, self.weight, self.size)
    }

    /// The text, truncated with an ellipsis to fit into `width`.
    pub(crate) fn cut<'a>(&self, text: &'a str, width: f64) -> Cow<'a, str> {
        if self.width_of(text) <= width {
            return Cow::Borrowed(text);
        }
        let mut short = text.to_owned();
        while short.pop().is_some() {
            let candidate = format!("{}…", short.trim_end());
            if self.width_of(&candidate) <= width {
                return Cow::Owned(candidate);
            }
        }
        Cow::Borrowed("…")
    }

    /// Offset from the middle of a line of text to its baseline.
    pub(crate) fn half_height(&self) -> f64 {
        0.5 * CAP_HEIGHT * self.size
    }
}

/// The title of a picture.
pub(crate) const TITLE: Lettering = Lettering::new(15.0, Colour::INK).bold();
/// The line under the title.
pub(crate) const NOTE: Lettering = Lettering::new(11.0, Colour::SOFT_INK);
/// The title of a panel or a column.
pub(crate) const HEADING: Lettering = Lettering::new(11.5, Colour::INK).bold();
/// Titles of axes.
pub(crate) const AXIS_TITLE: Lettering = Lettering::new(11.0, Colour::INK);
/// Numbers on axes and names of stations.
pub(crate) const LABEL: Lettering = Lettering::new(10.5, Colour::INK);
/// Small print inside panels.
pub(crate) const SMALL: Lettering = Lettering::new(9.0, Colour::SOFT_INK);
/// Lines of the grid.
pub(crate) const GRID: Pen = Pen::new(Colour::GRID, 0.75);
/// Frames of panels and tick marks.
pub(crate) const FRAME: Pen = Pen::new(Colour::FRAME, 0.75);
/// Traces.
pub(crate) const TRACE: Pen = Pen::new(Colour::INK, 1.0);
