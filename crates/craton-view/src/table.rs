//! Table of panels, used by seismograms and comparisons: a row per station, a column per component, one time axis.

use crate::axis::{Axis, Side};
use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::layout::{Area, MARGIN};
use crate::pen::{GRID, HEADING, LABEL, Lettering, SMALL};
use crate::ticks::Unit;
use crate::trace::{Trace, distinct};

/// Stations, components and row height.
pub(crate) struct Table<'a> {
    stations: Vec<&'a str>,
    components: Vec<&'a str>,
    row_height: f64,
}

/// Area and time axis of one trace.
pub(crate) struct Cell<'t> {
    pub(crate) area: Area,
    pub(crate) time: &'t Axis,
}

/// A table placed on a sheet.
pub(crate) struct PlacedTable<'a> {
    table: Table<'a>,
    body: Area,
    axes: Vec<Axis>,
}

impl Cell<'_> {
    /// Writes small print at a height of the cell, on the left, or on the right if only there it avoids the lines.
    ///
    /// # Arguments
    /// * `lines` – lines drawn in the cell
    /// * `baseline` – distance of the baseline below the top of the cell
    pub(crate) fn write(
        &self,
        canvas: &mut Canvas,
        lines: &[Vec<[f64; 2]>],
        baseline: f64,
        text: &str,
        colour: Colour,
    ) {
        const BESIDE: f64 = 3.0;
        const ROOM: f64 = 2.0;
        let lettering = Lettering { colour, ..SMALL.rimmed() };
        let (width, baseline) = (lettering.width_of(text), self.area.top + baseline);
        let at = |left: f64| Area { left, right: left + width, top: baseline - SMALL.size, bottom: baseline };
        let left = at(self.area.left + BESIDE);
        let right = at(self.area.right - BESIDE - width);
        let [on_the_left, on_the_right] = [&left, &right].map(|area| clearance(lines, area));
        let place = if on_the_left < ROOM.min(on_the_right) { right } else { left };
        canvas.text([place.left, baseline], text, &lettering);
    }
}

/// Smallest vertical distance between an area and the lines above and below it; 0 if one crosses it.
fn clearance(lines: &[Vec<[f64; 2]>], area: &Area) -> f64 {
    let mut least = f64::INFINITY;
    for pair in lines.iter().flat_map(|line| line.windows(2)) {
        let [from, to] = [pair[0], pair[1]];
        let [start, end] = [from[0].max(area.left), to[0].min(area.right)];
        if start > end {
            continue;
        }
        let length = (to[0] - from[0]).max(f64::MIN_POSITIVE);
        let [a, b] = [start, end].map(|x| from[1] + (to[1] - from[1]) * (x - from[0]) / length);
        least = least.min((area.top - a.max(b)).max(a.min(b) - area.bottom).max(0.0));
    }
    least
}

impl<'a> Table<'a> {
    const GAP: f64 = 16.0;
    const HEADING: f64 = 20.0;
    const FOOT: f64 = 38.0;

    /// Rows and columns in the order in which stations and components first appear. Rows are `tallest` high, or lower if there are very many.
    pub(crate) fn new(traces: impl Iterator<Item = &'a Trace<'a>> + Clone, tallest: f64) -> Self {
        const HIGHEST_BODY: f64 = 2400.0;
        const LOWEST_ROW: f64 = 3.0;
        let stations = distinct(traces.clone().map(|trace| trace.label));
        let row_height = (HIGHEST_BODY / stations.len().max(1) as f64).clamp(LOWEST_ROW, tallest);
        Self { stations, components: distinct(traces.map(|trace| trace.component)), row_height }
    }

    /// Height of the table with headings and time axis.
    pub(crate) fn height(&self) -> f64 {
        Self::HEADING + self.stations.len() as f64 * self.row_height + Self::FOOT + MARGIN
    }

    /// Places the table below `top` of a sheet.
    pub(crate) fn place(self, sheet: &Area, top: f64, window: [f64; 2]) -> PlacedTable<'a> {
        let labels = self.stations.iter().map(|name| LABEL.bold().width_of(name));
        let label_width = labels.fold(34.0, f64::max).min(120.0);
        let body = Area {
            left: sheet.left + MARGIN + label_width + 12.0,
            top: top + Self::HEADING,
            right: sheet.right - MARGIN,
            bottom: (sheet.bottom - MARGIN - Self::FOOT).max(top + Self::HEADING + 1.0),
        };
        let count = self.components.len();
        let unit = Unit::for_time(window[1] - window[0]);
        let axes = (0..count)
            .map(|index| body.column(index, count, Self::GAP))
            .map(|column| Axis::linear(Side::Bottom, window, [column.left, column.right], "Time", unit))
            .collect();
        PlacedTable { table: self, body, axes }
    }
}

impl PlacedTable<'_> {
    /// The area of a trace.
    pub(crate) fn cell(&self, trace: &Trace<'_>) -> Cell<'_> {
        let index = |names: &[&str], name: &str| names.iter().position(|other| *other == name).unwrap_or(0);
        let row = index(&self.table.stations, trace.label);
        let column = index(&self.table.components, trace.component);
        Cell { area: self.column(column).row(row, self.table.stations.len()), time: &self.axes[column] }
    }

    fn column(&self, index: usize) -> Area {
        self.body.column(index, self.table.components.len(), Table::GAP)
    }

    /// Draws everything but the traces.
    ///
    /// # Arguments
    /// * `traces` – provide the offsets written below the names
    pub(crate) fn draw<'b: 'c, 'c>(&self, canvas: &mut Canvas, traces: impl Iterator<Item = &'c Trace<'b>>) {
        for (index, (component, axis)) in self.table.components.iter().zip(&self.axes).enumerate() {
            let column = self.column(index);
            axis.draw_grid(canvas, &column);
            axis.draw(canvas, &column);
            let long = heading_of(component);
            let fits = HEADING.width_of(&long) <= column.width();
            let heading = if fits { long.into() } else { HEADING.cut(component, column.width()) };
            canvas.text([column.left, column.top - 9.0], &heading, &HEADING);
            for row in 0..=self.table.stations.len() {
                let y = column.top + column.height() * row as f64 / self.table.stations.len() as f64;
                canvas.rule([column.left, y], [column.right, y], &GRID);
            }
        }
        self.draw_names(canvas, &traces.collect::<Vec<_>>());
    }

    fn draw_names(&self, canvas: &mut Canvas, traces: &[&Trace<'_>]) {
        let right = self.body.left - 12.0;
        let width = right - MARGIN + 4.0;
        let offsets = traces.iter().filter_map(|trace| trace.offset_m);
        let farthest = offsets.fold(0.0, |largest, offset| f64::max(largest, offset.abs()));
        let unit = Unit::for_length(farthest);
        for (row, name) in self.table.stations.iter().enumerate() {
            let area = self.body.row(row, self.table.stations.len());
            let lettering = Lettering { size: LABEL.size.min(0.9 * area.height()), ..LABEL.bold().to_the_right() };
            let offset = traces.iter().find(|trace| trace.label == *name).and_then(|trace| trace.offset_m);
            let middle = area.centre()[1] + lettering.half_height();
            match offset {
                Some(offset) if area.height() >= 30.0 => {
                    canvas.text([right, middle - 6.0], &lettering.cut(name, width), &lettering);
                    canvas.text([right, middle + 7.0], &unit.write_alike(offset, farthest), &SMALL.to_the_right());
                }
                _ => canvas.text([right, middle], &lettering.cut(name, width), &lettering),
            }
        }
    }
}

/// "X component" for a single letter; a longer name unchanged.
pub(crate) fn heading_of(component: &str) -> String {
    match component.chars().count() {
        1 => format!("{component} component"),
        _ => component.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearance_is_the_distance_of_the_nearest_line_above_or_below() {
        let area = Area { left: 10.0, right: 20.0, top: 50.0, bottom: 60.0 };
        let far_away = vec![[0.0, 55.0], [9.0, 55.0]];
        let below = vec![[0.0, 100.0], [30.0, 70.0]];
        let through = vec![[0.0, 0.0], [30.0, 110.0]];
        assert_eq!(clearance(std::slice::from_ref(&far_away), &area), f64::INFINITY);
        assert!((clearance(&[far_away, below.clone()], &area) - 20.0).abs() < 1e-12);
        assert_eq!(clearance(&[below, through], &area), 0.0);
    }
}
