//! A white sheet to draw on: smooth lines, shapes, text and shaded areas.
//!
//! Positions are in units of 1/96 inch from the upper left corner, y downwards.

use std::path::Path;

use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, PremultipliedColorU8, Stroke, StrokeDash, Transform,
};

use crate::colour::Colour;
use crate::error::{Error, Result};
use crate::layout::{Area, Paper};
use crate::pen::{Align, Lettering, Pen};
use crate::text;
use crate::write;

/// The sheet.
pub(crate) struct Canvas {
    pixmap: Pixmap,
    scale: f64,
}

impl Canvas {
    const SMALLEST_UNITS: f64 = 160.0;
    const LARGEST_PIXELS: f64 = 20_000.0;

    /// A white sheet; `height` is used if the paper does not set one.
    ///
    /// # Errors
    /// `Error::Paper`
    pub(crate) fn new(paper: &Paper, height: f64) -> Result<(Self, Area)> {
        let (width, height) = (paper.width, paper.height.unwrap_or(height));
        let refuse = || Error::Paper {
            width,
            height,
            scale: paper.scale,
            smallest: Self::SMALLEST_UNITS,
            largest: Self::LARGEST_PIXELS,
        };
        let pixels = [width, height].map(|length| (length * paper.scale).round());
        let fits = paper.scale > 0.0
            && width.min(height) >= Self::SMALLEST_UNITS
            && pixels.iter().all(|&count| (1.0..=Self::LARGEST_PIXELS).contains(&count));
        if !fits {
            return Err(refuse());
        }
        let mut pixmap = Pixmap::new(pixels[0] as u32, pixels[1] as u32).ok_or_else(refuse)?;
        pixmap.fill(tiny_skia::Color::WHITE);
        let canvas = Self { pixmap, scale: paper.scale };
        let sheet = Area { left: 0.0, top: 0.0, right: width, bottom: height };
        Ok((canvas, sheet))
    }

    /// Length of one pixel.
    pub(crate) fn pixel(&self) -> f64 {
        1.0 / self.scale
    }

    /// The pixel edge nearest to `position`.
    pub(crate) fn snap(&self, position: f64) -> f64 {
        (position * self.scale).round() / self.scale
    }

    /// A line through all points.
    pub(crate) fn line(&mut self, points: &[[f64; 2]], pen: &Pen) {
        if points.len() > 1
            && let Some(path) = self.path(points, false)
        {
            self.stroke(&path, pen);
        }
    }

    /// Draws many straight segments as one path, so that a transparent colour does not darken where they meet.
    pub(crate) fn pieces(&mut self, pieces: &[[[f64; 2]; 2]], pen: &Pen) {
        let mut builder = PathBuilder::with_capacity(2 * pieces.len(), 2 * pieces.len());
        for [from, to] in pieces.iter().map(|ends| ends.map(|end| self.device(end))) {
            builder.move_to(from[0], from[1]);
            builder.line_to(to[0], to[1]);
        }
        if let Some(path) = builder.finish() {
            self.stroke(&path, pen);
        }
    }

    /// A horizontal or vertical line, aligned to pixels.
    pub(crate) fn rule(&mut self, from: [f64; 2], to: [f64; 2], pen: &Pen) {
        // A line of an odd number of pixels is sharp when centred on one of them.
        let pixels = (pen.width * self.scale).round().max(1.0);
        let shift = if pixels % 2.0 == 1.0 { 0.5 } else { 0.0 };
        let sharp = |position: f64| ((position * self.scale - shift).round() + shift) / self.scale;
        let pen = Pen { width: pixels / self.scale, ..*pen };
        self.line(&[from.map(sharp), to.map(sharp)], &pen);
    }

    /// The outline of an area, aligned to pixels.
    pub(crate) fn frame(&mut self, area: &Area, pen: &Pen) {
        let [left, top, right, bottom] = [area.left, area.top, area.right, area.bottom];
        self.rule([left, top], [right, top], pen);
        self.rule([right, top], [right, bottom], pen);
        self.rule([left, bottom], [right, bottom], pen);
        self.rule([left, top], [left, bottom], pen);
    }

    /// Hatches an area diagonally, except for another area inside it.
    pub(crate) fn hatch(&mut self, area: &Area, inner: &Area, pen: &Pen) {
        const DISTANCE: f64 = 7.0;
        // x + y is constant along a line.
        let first = ((area.left + area.top) / DISTANCE).ceil() as i64;
        let last = ((area.right + area.bottom) / DISTANCE).floor() as i64;
        let across = |area: &Area, sum: f64| [area.left.max(sum - area.bottom), area.right.min(sum - area.top)];
        let mut pieces = Vec::new();
        for sum in (first..=last).map(|index| index as f64 * DISTANCE) {
            let [left, right] = across(area, sum);
            let [from, to] = across(inner, sum);
            let parts = if from < to { vec![[left, from], [to, right]] } else { vec![[left, right]] };
            pieces.extend(parts.into_iter().filter(|[from, to]| from < to).map(|ends| ends.map(|x| [x, sum - x])));
        }
        self.pieces(&pieces, pen);
    }

    /// A filled shape and its outline.
    pub(crate) fn polygon(&mut self, points: &[[f64; 2]], fill: Colour, outline: Option<&Pen>) {
        if points.len() < 3 {
            return;
        }
        if let Some(path) = self.path(points, true) {
            self.fill(&path, fill);
            if let Some(pen) = outline {
                self.stroke(&path, pen);
            }
        }
    }

    /// A filled circle.
    pub(crate) fn disc(&mut self, centre: [f64; 2], radius: f64, fill: Colour) {
        if let Some(path) = self.circle(centre, radius) {
            self.fill(&path, fill);
        }
    }

    /// The outline of a circle.
    pub(crate) fn ring(&mut self, centre: [f64; 2], radius: f64, pen: &Pen) {
        if let Some(path) = self.circle(centre, radius) {
            self.stroke(&path, pen);
        }
    }

    /// A line of text whose baseline starts, is centred or ends at `at`.
    pub(crate) fn text(&mut self, at: [f64; 2], text: &str, lettering: &Lettering) {
        let size = lettering.size * self.scale;
        let Some(path) = text::outline(text, lettering.weight, size) else {
            return;
        };
        let width = lettering.width_of(text);
        let back = match lettering.align {
            Align::Left => 0.0,
            Align::Centre => width / 2.0,
            Align::Right => width,
        };
        let [x, y] = self.device(at);
        let back = (back * self.scale) as f32;
        let transform = if lettering.upwards {
            Transform::from_row(0.0, -1.0, 1.0, 0.0, x, y + back)
        } else {
            Transform::from_translate(x - back, y)
        };
        let Some(path) = path.transform(transform) else {
            return;
        };
        if lettering.rim {
            let pen = Pen::new(Colour::WHITE.with_opacity(0.85), 0.3 * lettering.size);
            self.stroke(&path, &pen);
        }
        self.fill(&path, lettering.colour);
    }

    /// Colours every pixel of an area by its position; `None` leaves a pixel unchanged.
    pub(crate) fn shade(&mut self, area: &Area, colour: impl Fn([f64; 2]) -> Option<Colour>) {
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        let pixels = |from: f64, to: f64, count: u32| {
            let edge = |position: f64| ((position * self.scale).round().max(0.0) as u32).min(count);
            edge(from)..edge(to)
        };
        let (columns, rows) = (pixels(area.left, area.right, width), pixels(area.top, area.bottom, height));
        let scale = self.scale;
        let sheet = self.pixmap.pixels_mut();
        for row in rows {
            for column in columns.clone() {
                let position = [column, row].map(|index| (f64::from(index) + 0.5) / scale);
                if let Some(colour) = colour(position) {
                    let place = (row * width + column) as usize;
                    sheet[place] = laid_over(sheet[place], colour);
                }
            }
        }
    }

    /// Writes the sheet as a PNG file, atomically.
    ///
    /// # Errors
    /// `Error::Write`
    pub(crate) fn save(self, path: &Path) -> Result<()> {
        const UNITS_PER_INCH: f64 = 96.0;
        // The sheet is opaque, so premultiplied and straight colours are equal.
        let rgb: Vec<u8> =
            self.pixmap.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
        let size = [self.pixmap.width(), self.pixmap.height()];
        write::png_file(path, size, &rgb, UNITS_PER_INCH * self.scale)
    }

    /// A position in pixels.
    fn device(&self, position: [f64; 2]) -> [f32; 2] {
        position.map(|coordinate| (coordinate * self.scale) as f32)
    }

    fn path(&self, points: &[[f64; 2]], closed: bool) -> Option<tiny_skia::Path> {
        let mut builder = PathBuilder::with_capacity(points.len() + 1, points.len());
        for (index, point) in points.iter().enumerate() {
            let [x, y] = self.device(*point);
            if index == 0 {
                builder.move_to(x, y);
            } else {
                builder.line_to(x, y);
            }
        }
        if closed {
            builder.close();
        }
        builder.finish()
    }

    fn circle(&self, centre: [f64; 2], radius: f64) -> Option<tiny_skia::Path> {
        let [x, y] = self.device(centre);
        PathBuilder::from_circle(x, y, (radius * self.scale) as f32)
    }

    fn fill(&mut self, path: &tiny_skia::Path, colour: Colour) {
        self.pixmap.fill_path(path, &paint(colour), FillRule::Winding, Transform::identity(), None);
    }

    fn stroke(&mut self, path: &tiny_skia::Path, pen: &Pen) {
        let dash = pen
            .dash
            .and_then(|lengths| StrokeDash::new(lengths.map(|length| (length * self.scale) as f32).to_vec(), 0.0));
        let stroke = Stroke {
            width: (pen.width * self.scale) as f32,
            line_cap: if pen.dash.is_some() { LineCap::Butt } else { LineCap::Round },
            line_join: LineJoin::Round,
            dash,
            ..Stroke::default()
        };
        self.pixmap.stroke_path(path, &paint(pen.colour), &stroke, Transform::identity(), None);
    }
}

fn paint(colour: Colour) -> Paint<'static> {
    let [red, green, blue, opacity] = colour.0;
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, opacity);
    paint.anti_alias = true;
    paint
}

/// Blends a colour over an opaque pixel.
fn laid_over(below: PremultipliedColorU8, colour: Colour) -> PremultipliedColorU8 {
    let [red, green, blue, opacity] = colour.0;
    if opacity == 255 {
        return opaque([red, green, blue]);
    }
    let below = Colour::rgb(below.red(), below.green(), below.blue());
    let [red, green, blue, _] = below.towards(colour, f64::from(opacity) / 255.0).0;
    opaque([red, green, blue])
}

fn opaque([red, green, blue]: [u8; 3]) -> PremultipliedColorU8 {
    PremultipliedColorU8::from_rgba(red, green, blue, 255).expect("an opaque colour is premultiplied")
}
