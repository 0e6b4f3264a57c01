//! Drawing of maps of fields.

use crate::axis::{Axis, Side};
use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::colour_bar::ColourBar;
use crate::colour_scale::{ColourScale, ends};
use crate::error::Result;
use crate::field_layout::Proportion;
use crate::field_maps::{FieldMapOptions, FieldPanel};
use crate::field_samples::{FieldSamples, dot_radius};
use crate::layout::{self, Area, MARGIN, Paper};
use crate::panel_grid::{Neighbour, PanelGrid, Room};
use crate::pen::{FRAME, HEADING, NOTE, Pen, SMALL, TITLE};
use crate::raster::Raster;
use crate::survey_model::Rectangle;
use crate::symbol_text::{width_of_symbols, write_symbols};
use crate::ticks::{self, Unit};

/// Checked fields, their options and colours.
pub(crate) struct Picture<'a> {
    pub(crate) panels: &'a [FieldPanel<'a>],
    pub(crate) options: &'a FieldMapOptions<'a>,
    pub(crate) scales: Vec<ColourScale>,
    /// The region of every panel, along x and y \[m\].
    pub(crate) region: Rectangle,
}

/// A field with its colour bar and axes.
struct Panel<'a> {
    field: &'a FieldPanel<'a>,
    bar: ColourBar<'a>,
    area: Area,
    axes: [Axis; 2],
}

/// From the title of the picture to those of its panels.
const BELOW_TITLE: f64 = 8.0;
/// From a panel to its colour bar.
const BAR_GAP: f64 = 10.0;
const OUTLINE: Pen = Pen::new(Colour::INK, 0.9);

impl Picture<'_> {
    pub(crate) fn draw(&self) -> Result<Canvas> {
        // Without panels there is no region; the panel grid reports that.
        let spans = self.region.map(|[low, high]| (high - low).max(f64::MIN_POSITIVE));
        let proportion = Proportion::of(spans, None);
        let shape = proportion.shape();
        let note = self.note(&proportion);
        let above = layout::heading_height(&self.options.title, &note) + BELOW_TITLE;
        let (grid, height, room, areas) = self.layout(above, shape)?;
        let (mut canvas, sheet) = Canvas::new(&self.fitting_paper(&areas, &room, &note), height)?;
        layout::heading(&mut canvas, &sheet, &self.options.title, &note);
        for (index, area) in areas.iter().enumerate() {
            let panel = self.panel(index, snapped(&canvas, area));
            panel.draw(&mut canvas, self.options, room.beside);
            let [x, y] = &panel.axes;
            for (axis, side) in [(x, Neighbour::Below), (y, Neighbour::Left)] {
                if grid.is_outer(index, side) {
                    axis.draw(&mut canvas, &panel.area);
                }
            }
        }
        Ok(canvas)
    }

    /// The paper, no wider than its content if no height is set.
    fn fitting_paper(&self, areas: &[Area], room: &Room, note: &str) -> Paper {
        const LEAST: f64 = 160.0;
        let panels = areas.iter().map(|area| area.right + room.beside).fold(LEAST, f64::max);
        let texts = [TITLE.width_of(&self.options.title), NOTE.width_of(note)].map(|width| MARGIN + width);
        let needed = panels.max(texts[0]).max(texts[1]) + MARGIN;
        let paper = self.options.paper;
        let width = if paper.height.is_none() { paper.width.min(needed.ceil()) } else { paper.width };
        Paper { width, ..paper }
    }

    /// The order of the panels, the height of the sheet, the room around panels and their positions.
    fn layout(&self, above: f64, shape: f64) -> Result<(PanelGrid, f64, Room, Vec<Area>)> {
        let paper = &self.options.paper;
        let wanted: Vec<_> = self.panels.iter().map(|panel| (panel.title, panel.place)).collect();
        let guess = Room { above, left: 56.0, beside: 66.0 };
        let grid = PanelGrid::new(&wanted, paper, shape, guess)?;
        let mut room = Room { left: 0.0, beside: 0.0, ..guess };
        // Converges: panels shrink with every iteration, and their numbers rarely get longer.
        for _ in 0..3 {
            let (_, areas) = grid.areas(paper, shape, room);
            room.left = room.left.max(self.room_left(&areas));
            room.beside = room.beside.max(self.room_beside(&areas));
        }
        let (height, areas) = grid.areas(paper, shape, room);
        Ok((grid, height, room, areas))
    }

    fn note(&self, proportion: &Proportion) -> String {
        let factor = ticks::brief(proportion.stretch);
        let stretched = format!("{} stretched × {factor}", self.options.axes[1]);
        match (self.options.note.is_empty(), proportion.is_stretched()) {
            (_, false) => self.options.note.clone(),
            (true, true) => stretched,
            (false, true) => format!("{}   {stretched}", self.options.note),
        }
    }

    /// Room for the vertical axis with the widest numbers.
    fn room_left(&self, areas: &[Area]) -> f64 {
        areas.first().map_or(0.0, |area| self.axes(area)[1].thickness())
    }

    /// Room for the widest colour bar.
    fn room_beside(&self, areas: &[Area]) -> f64 {
        let bars = areas.iter().enumerate().map(|(index, area)| self.bar(index).thickness(&bar_place(area)));
        BAR_GAP + bars.fold(0.0, f64::max)
    }

    fn panel(&self, index: usize, area: Area) -> Panel<'_> {
        Panel { field: &self.panels[index], bar: self.bar(index), area, axes: self.axes(&area) }
    }

    fn bar(&self, index: usize) -> ColourBar<'_> {
        let (panel, scale) = (&self.panels[index], self.scales[index]);
        // The title of the panel names the quantity.
        ColourBar { scale, title: "", unit: panel.unit, beyond: scale.beyond(panel.samples.present()) }
    }

    fn axes(&self, area: &Area) -> [Axis; 2] {
        let [x, y] = self.region;
        let largest = [x, y].as_flattened().iter().fold(0.0, |a, b| f64::max(a, b.abs()));
        let unit = if self.options.are_degrees { Unit::degrees(1.0) } else { Unit::for_length(largest) };
        let [across, up] = &self.options.axes;
        [
            Axis::linear(Side::Bottom, x, [area.left, area.right], across, unit),
            Axis::linear(Side::Left, y, [area.bottom, area.top], up, unit),
        ]
    }
}

impl Panel<'_> {
    /// Draws everything except the axes; `beside` is the room for the colour bar.
    fn draw(&self, canvas: &mut Canvas, options: &FieldMapOptions<'_>, beside: f64) {
        match self.field.samples {
            FieldSamples::Grid(raster) => {
                self.shade(canvas, &raster);
                if options.contours {
                    self.draw_contours(canvas, &raster);
                }
            }
            FieldSamples::Points(positions, values) => self.draw_dots(canvas, positions, values),
        }
        self.draw_outlines(canvas, options.outlines);
        canvas.frame(&self.area, &FRAME);
        self.draw_heading(canvas, beside);
        self.bar.draw(canvas, &bar_place(&self.area));
    }

    /// The smallest and the largest value.
    fn ends(&self) -> [f64; 2] {
        ends(self.field.samples.present())
    }

    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.axes[0].scale.at(x), self.axes[1].scale.at(y)]
    }

    fn shade(&self, canvas: &mut Canvas, raster: &Raster<'_>) {
        let [left, bottom] = self.place([raster.x[0], raster.y[0]]);
        let [right, top] = self.place([raster.x[1], raster.y[1]]);
        canvas.shade(&Area { left, top, right, bottom }, |[column, row]| {
            let (x, y) = (self.axes[0].scale.value_at(column), self.axes[1].scale.value_at(row));
            Some(self.bar.scale.colour(raster.at(x, y)?))
        });
    }

    fn draw_contours(&self, canvas: &mut Canvas, raster: &Raster<'_>) {
        // The variation is less than a shade: contours would only follow round-off.
        const LEAST: f64 = 1e-6;
        let [low, high] = self.ends();
        if high - low < LEAST * (self.bar.scale.range[1] - self.bar.scale.range[0]) {
            return;
        }
        for level in self.bar.marks(&bar_place(&self.area)) {
            let colour = if self.bar.scale.colour(level).is_dark() { Colour::WHITE } else { Colour::INK };
            let pieces: Vec<_> =
                raster.contour(level).into_iter().map(|piece| piece.map(|point| self.place(point))).collect();
            canvas.pieces(&pieces, &Pen::new(colour.with_opacity(0.55), 0.6));
        }
    }

    fn draw_dots(&self, canvas: &mut Canvas, positions: &[[f64; 2]], values: &[f64]) {
        const LEAST_WITH_RIM: f64 = 1.2;
        let present = positions.iter().zip(values).filter(|(_, value)| !value.is_nan());
        let dots: Vec<_> =
            present.map(|(&position, &value)| (self.place(position), self.bar.scale.colour(value))).collect();
        let places: Vec<[f64; 2]> = dots.iter().map(|(place, _)| *place).collect();
        let radius = dot_radius(&places, &self.area);
        // The rim makes a pale dot visible on white.
        let rim = Pen::new(Colour::INK.with_opacity(0.45), 0.4);
        for (place, colour) in dots {
            canvas.disc(place, radius, colour);
            if radius >= LEAST_WITH_RIM {
                canvas.ring(place, radius, &rim);
            }
        }
    }

    fn draw_outlines(&self, canvas: &mut Canvas, outlines: &[Vec<[f64; 2]>]) {
        let lines = outlines.iter().flat_map(|outline| outline.windows(2));
        let pieces: Vec<_> =
            lines.filter_map(|ends| self.area.clipped([self.place(ends[0]), self.place(ends[1])])).collect();
        // The pale rim makes a line visible on dark colours.
        let rim = Pen::new(Colour::WHITE.with_opacity(0.6), 2.2);
        for pen in [rim, OUTLINE] {
            canvas.pieces(&pieces, &pen);
        }
    }

    /// The title on the left, and the smallest and the largest value on the right, if there is room for both.
    fn draw_heading(&self, canvas: &mut Canvas, beside: f64) {
        const GAP: f64 = 12.0;
        let baseline = self.area.top - 8.0;
        let width = self.area.width() + beside;
        let title = HEADING.cut(self.field.title, width);
        write_symbols(canvas, [self.area.left, baseline], &title, &HEADING);
        let [low, high] = self.ends().map(ticks::significant);
        let range = format!("{low} to {high}");
        // Three digits are not informative if values hardly differ.
        if low != high && width_of_symbols(&title, &HEADING) + GAP + SMALL.width_of(&range) <= self.area.width() {
            canvas.text([self.area.right, baseline], &range, &SMALL.to_the_right());
        }
    }
}

/// An area snapped to pixel edges.
fn snapped(canvas: &Canvas, area: &Area) -> Area {
    Area {
        left: canvas.snap(area.left),
        top: canvas.snap(area.top),
        right: canvas.snap(area.right),
        bottom: canvas.snap(area.bottom),
    }
}

/// Area of the colour bar of a panel, without its numbers.
fn bar_place(area: &Area) -> Area {
    const TALLEST: f64 = 400.0;
    let left = area.right + BAR_GAP;
    Area { left, right: left + ColourBar::WIDTH, top: area.top, bottom: area.bottom.min(area.top + TALLEST) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field_colours::FieldColours;

    #[test]
    fn bars_and_axes_fit_their_areas() {
        let ends = [[-1.234e-7, 9.876e-7], [979_812.3, 979_812.6], [-8000.0, 7000.0], [3.2, 3.20001], [0.1, 0.3]];
        let regions = [[[455_000.0, 455_900.0], [5_412_000.0, 5_412_600.0]], [[-50.0, 50.0], [0.0, 100.0]]];
        for (region, count) in regions.into_iter().flat_map(|region| [1, 2, 5, 12].map(|count| (region, count))) {
            let values: Vec<Vec<f64>> = (0..count).map(|panel| ends[panel % 5].repeat(2)).collect();
            let panels: Vec<FieldPanel<'_>> = values
                .iter()
                .map(|values| FieldPanel {
                    title: "g",
                    unit: "m²/s²",
                    samples: FieldSamples::Grid(Raster { size: [2, 2], x: region[0], y: region[1], values }),
                    colours: FieldColours::default(),
                    place: None,
                })
                .collect();
            let scales = panels.iter().map(|panel| panel.colours.fitted(panel.samples.present()).unwrap()).collect();
            let options = FieldMapOptions { paper: Paper { width: 900.0, ..Paper::default() }, ..Default::default() };
            let picture = Picture { panels: &panels, options: &options, scales, region };
            let (_, _, room, areas) = picture.layout(50.0, 1.0).unwrap();
            for (index, area) in areas.iter().enumerate() {
                let bar = BAR_GAP + picture.bar(index).thickness(&bar_place(area));
                assert!(bar <= room.beside + 1e-9, "{count} {index} {bar} {}", room.beside);
                assert!(picture.axes(area)[1].thickness() <= room.left + 1e-9, "{count} {index}");
            }
        }
    }
}
