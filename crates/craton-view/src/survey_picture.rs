//! Drawing of the model of a survey.

use crate::axis::{Axis, MARKER, Side};
use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::colour_bar;
use crate::colour_scale::ColourScale;
use crate::error::Result;
use crate::field_layout::{BAR_ROOM, Proportion, legend_place};
use crate::key::Key;
use crate::layout::{self, Area};
use crate::pen::{FRAME, Pen};
use crate::raster::Raster;
use crate::survey_model::{Rectangle, SurveyModel, SurveyOptions, SurveyPlane, SurveyView};
use crate::symbols;
use crate::ticks::{self, Unit};

/// A checked survey, its options and its colours.
pub(crate) struct Picture<'a> {
    pub(crate) view: &'a SurveyView<'a>,
    pub(crate) options: &'a SurveyOptions,
    pub(crate) colours: ColourScale,
}

/// The panel and its axes.
struct Panel {
    area: Area,
    across: Axis,
    up: Axis,
    /// Sign of the vertical coordinate on its axis: depth is minus z.
    sign: f64,
}

/// Sheet positions of the drawn sources and receivers.
struct Marks {
    sources: Vec<[f64; 2]>,
    receivers: Vec<[f64; 2]>,
    star: f64,
}

const TRIANGLE: f64 = 4.0;
const APERTURE: Pen = Pen::new(MARKER.colour, 1.6);
const HATCH: Pen = Pen::new(Colour::SOFT_INK, 0.6);
const OUTLINE: Pen = Pen::new(Colour::INK, 0.9);

impl Picture<'_> {
    pub(crate) fn draw(&self) -> Result<Canvas> {
        let key_base = layout::heading_height(&self.options.title, "key") - 4.0;
        let extent = self.view.extent();
        let proportion = Proportion::of(extent.map(|[low, high]| high - low), self.options.exaggeration);
        let beside = match self.view.model {
            SurveyModel::Property(_) => BAR_ROOM,
            SurveyModel::Outline(_) => 0.0,
        };
        let (mut canvas, sheet, area) = proportion.sheet(&self.options.paper, key_base + 18.0, beside)?;
        layout::heading(&mut canvas, &sheet, &self.options.title, "");
        let panel = Panel::new(area, extent, self.options.plane);
        let marks = Marks::new(self.view, &panel);
        self.draw_key(&mut canvas, Key::new(&sheet, key_base), &marks, &proportion);
        self.draw_model(&mut canvas, &panel);
        self.draw_frame(&mut canvas, &panel);
        canvas.frame(&panel.area, &FRAME);
        self.draw_rectangles(&mut canvas, &panel);
        marks.draw(&mut canvas);
        panel.across.draw(&mut canvas, &panel.area);
        panel.up.draw(&mut canvas, &panel.area);
        Ok(canvas)
    }

    /// Colours the model, and the layers outside it, by the nearest point, which keeps interfaces sharp.
    fn draw_model(&self, canvas: &mut Canvas, panel: &Panel) {
        let SurveyModel::Property(raster) = &self.view.model else { return };
        self.shade(canvas, panel, raster, self.view.outline());
        if let Some(frame) = self.view.absorbing {
            self.shade(canvas, panel, raster, frame.outer());
        }
        let (title, unit) = (&self.options.quantity, &self.options.unit);
        colour_bar::draw_legend(canvas, &legend_place(&panel.area), || raster.present(), self.colours, title, unit);
    }

    fn shade(&self, canvas: &mut Canvas, panel: &Panel, raster: &Raster<'_>, rectangle: Rectangle) {
        canvas.shade(&panel.place(rectangle), |position| {
            let [x, up] = panel.metres(position);
            raster.nearest(x, up).map(|value| self.colours.colour(value))
        });
    }

    /// Lightens and hatches the absorbing layers.
    fn draw_frame(&self, canvas: &mut Canvas, panel: &Panel) {
        let Some(frame) = self.view.absorbing else { return };
        let (inner, outer) = (panel.place(frame.inner), panel.place(frame.outer()));
        canvas.shade(&outer, |at| (!inner.contains(at)).then(|| Colour::WHITE.with_opacity(0.45)));
        canvas.hatch(&outer, &inner, &HATCH);
        canvas.frame(&outer, &HATCH);
    }

    /// Outlines the aperture, and the model if it does not fill the panel.
    fn draw_rectangles(&self, canvas: &mut Canvas, panel: &Panel) {
        if self.view.outline() != self.view.extent() || matches!(self.view.model, SurveyModel::Outline(_)) {
            canvas.frame(&panel.place(self.view.outline()), &OUTLINE);
        }
        if let Some(aperture) = self.view.aperture {
            let place = panel.place(aperture);
            canvas.frame(&place, &Pen::new(Colour::WHITE.with_opacity(0.7), APERTURE.width + 2.0));
            canvas.frame(&place, &APERTURE);
        }
    }

    fn draw_key(&self, canvas: &mut Canvas, mut key: Key, marks: &Marks, proportion: &Proportion) {
        let counted = |name: &str, drawn: usize, all: usize| match drawn == all {
            true => name.to_owned(),
            false => format!("{name} ({drawn} of {all} drawn)"),
        };
        if !self.view.sources.is_empty() {
            let at = key.sign(canvas, &counted("source", marks.sources.len(), self.view.sources.len()));
            symbols::draw_star(canvas, at, 8.0);
        }
        if !self.view.receivers.is_empty() {
            let at = key.sign(canvas, &counted("receiver", marks.receivers.len(), self.view.receivers.len()));
            symbols::draw_station(canvas, at, 5.0, false);
        }
        if self.view.aperture.is_some() {
            let at = key.sign(canvas, "aperture of a shot");
            canvas.frame(&swatch(at), &APERTURE);
        }
        if self.view.absorbing.is_some() {
            let swatch = swatch(key.sign(canvas, "absorbing layers"));
            canvas.hatch(&swatch, &Area { right: swatch.left, ..swatch }, &HATCH);
            canvas.frame(&swatch, &HATCH);
        }
        if proportion.is_stretched() {
            let name = match self.options.plane {
                SurveyPlane::Section => "depth",
                SurveyPlane::Map => "y",
            };
            key.text(canvas, &format!("{name} × {}", ticks::brief(proportion.stretch)));
        }
    }
}

/// The symbol of an area in the key.
fn swatch([x, y]: [f64; 2]) -> Area {
    Area { left: x - 7.0, top: y - 4.5, right: x + 7.0, bottom: y + 4.5 }
}

impl Panel {
    fn new(area: Area, [x, upright]: Rectangle, plane: SurveyPlane) -> Self {
        let largest = [x, upright].as_flattened().iter().fold(0.0, |a, b| f64::max(a, b.abs()));
        let unit = Unit::for_length(largest);
        let (title, sign) = match plane {
            SurveyPlane::Section => ("Depth", -1.0),
            SurveyPlane::Map => ("y", 1.0),
        };
        let across = Axis::linear(Side::Bottom, x, [area.left, area.right], "x", unit);
        let ends = upright.map(|end| sign * end);
        let up = Axis::linear(Side::Left, ends, [area.bottom, area.top], title, unit);
        Self { area, across, up, sign }
    }

    fn at(&self, [x, upright]: [f64; 2]) -> [f64; 2] {
        [self.across.scale.at(x), self.up.scale.at(self.sign * upright)]
    }

    fn metres(&self, [across, up]: [f64; 2]) -> [f64; 2] {
        [self.across.scale.value_at(across), self.sign * self.up.scale.value_at(up)]
    }

    fn place(&self, [x, upright]: Rectangle) -> Area {
        let [left, bottom] = self.at([x[0], upright[0]]);
        let [right, top] = self.at([x[1], upright[1]]);
        Area { left, top, right, bottom }
    }
}

impl Marks {
    fn new(view: &SurveyView<'_>, panel: &Panel) -> Self {
        let star = match view.sources.len() {
            0..=8 => 10.0,
            9..=400 => 5.5,
            _ => 4.0,
        };
        let inside = |marks: &[[f64; 2]], room: f64| {
            // Tolerance, so that symbols on the rim are not lost by rounding.
            let rim = Area {
                left: panel.area.left - 1.0,
                top: panel.area.top - 1.0,
                right: panel.area.right + 1.0,
                bottom: panel.area.bottom + 1.0,
            };
            symbols::apart(marks.iter().map(|&mark| panel.at(mark)).filter(|&at| rim.contains(at)), room)
        };
        Self { sources: inside(view.sources, 2.0 * star), receivers: inside(view.receivers, 2.4 * TRIANGLE), star }
    }

    fn draw(&self, canvas: &mut Canvas) {
        for receiver in &self.receivers {
            symbols::draw_station(canvas, *receiver, TRIANGLE, false);
        }
        for source in &self.sources {
            symbols::draw_star(canvas, *source, self.star);
        }
    }
}
