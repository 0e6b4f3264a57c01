//! Symbols of sources and stations, and placement of names without overlap.

use std::collections::HashMap;
use std::f64::consts::FRAC_1_SQRT_2;

use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::layout::Area;
use crate::pen::{Lettering, Pen, SMALL};

/// Draws a five-pointed star, the symbol of a source whose mechanism is not shown.
pub(crate) fn draw_star(canvas: &mut Canvas, centre: [f64; 2], radius: f64) {
    const INNER: f64 = 0.42;
    let corner = |index: u32| {
        let angle = f64::from(index) * std::f64::consts::PI / 5.0;
        let reach = if index.is_multiple_of(2) { radius } else { INNER * radius };
        [centre[0] + reach * angle.sin(), centre[1] - reach * angle.cos()]
    };
    let corners: Vec<[f64; 2]> = (0..10).map(corner).collect();
    canvas.polygon(&corners, Colour::YELLOW, Some(&Pen::new(Colour::INK, 0.9)));
}

/// Draws a triangle, the symbol of a station; faint if the station is off the section.
pub(crate) fn draw_station(canvas: &mut Canvas, centre: [f64; 2], radius: f64, faint: bool) {
    let opacity = if faint { 0.35 } else { 1.0 };
    let [x, y] = centre;
    let half = 1.1 * radius;
    let corners = [[x, y - radius], [x + half, y + FRAC_1_SQRT_2 * radius], [x - half, y + FRAC_1_SQRT_2 * radius]];
    let pen = Pen::new(Colour::INK.with_opacity(opacity), 1.0);
    canvas.polygon(&corners, Colour::WHITE.with_opacity(opacity), Some(&pen));
}

/// Selects points on a sheet greedily, in order, so that they are at least `room` apart.
pub(crate) fn apart(points: impl Iterator<Item = [f64; 2]>, room: f64) -> Vec<[f64; 2]> {
    // Tolerance, so that rounding does not make uniform spacings irregular.
    let room = room * (1.0 - 1e-9);
    let mut kept = Vec::new();
    let mut cells: HashMap<[i64; 2], Vec<[f64; 2]>> = HashMap::new();
    for point in points {
        let [column, row] = point.map(|position| (position / room).floor() as i64);
        let near = (column - 1..=column + 1).flat_map(|column| (row - 1..=row + 1).map(move |row| [column, row]));
        let mut others = near.filter_map(|cell| cells.get(&cell)).flatten();
        if others.all(|other| (other[0] - point[0]).hypot(other[1] - point[1]) >= room) {
            cells.entry([column, row]).or_default().push(point);
            kept.push(point);
        }
    }
    kept
}

/// Names next to points, omitted if there is no room.
#[derive(Default)]
pub(crate) struct Names {
    taken: Vec<Area>,
}

impl Names {
    const LETTERING: Lettering = Lettering::new(9.5, Colour::INK).rimmed();
    /// Gap between a symbol and its name.
    const GAP: f64 = 4.0;
    /// Increase of the distance of a name from ring to ring, and number of rings.
    const RING: f64 = 12.0;
    const RINGS: u32 = 5;
    /// Candidate directions of a name, right and down, in order of preference.
    const DIRECTIONS: [[f64; 2]; 8] =
        [[1.0, 0.0], [-1.0, 0.0], [0.0, -1.0], [0.0, 1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, -1.0], [-1.0, 1.0]];

    /// Reserves the area of a symbol.
    pub(crate) fn keep_clear(&mut self, centre: [f64; 2], radius: f64) {
        self.taken.push(Area {
            left: centre[0] - radius,
            top: centre[1] - radius,
            right: centre[0] + radius,
            bottom: centre[1] + radius,
        });
    }

    /// Writes a name next to a point, at the nearest free position inside `bounds`; a leader line connects more distant names.
    pub(crate) fn write(&mut self, canvas: &mut Canvas, bounds: &Area, centre: [f64; 2], radius: f64, name: &str) {
        let places = (0..Self::RINGS).flat_map(|ring| Self::DIRECTIONS.map(|direction| (ring, direction)));
        let free = places
            .map(|(ring, direction)| (ring, Self::room(bounds, centre, radius, name, ring, direction)))
            .find(|(_, area)| area.is_inside(bounds) && !self.taken.iter().any(|other| other.overlaps(area)));
        let Some((ring, area)) = free else { return };
        if ring > 0 {
            let end = [centre[0].clamp(area.left, area.right), centre[1].clamp(area.top, area.bottom)];
            canvas.rule(centre, end, &Pen::new(Colour::INK.with_opacity(0.7), 0.7));
        }
        canvas.text([area.left, area.centre()[1] + SMALL.half_height()], name, &Self::LETTERING);
        self.taken.push(area);
    }

    /// Area of a name in a direction from a point; above and below, it is shifted sideways into the bounds.
    fn room(bounds: &Area, [x, y]: [f64; 2], radius: f64, name: &str, ring: u32, [right, down]: [f64; 2]) -> Area {
        let (width, half) = (Self::LETTERING.width_of(name), 0.55 * Self::LETTERING.size);
        let away = radius + Self::GAP + f64::from(ring) * Self::RING;
        let left = match right {
            0.0 => (x - width / 2.0).min(bounds.right - width - Self::GAP).max(bounds.left + Self::GAP),
            right if right > 0.0 => x + away,
            _ => x - away - width,
        };
        // The nearest point of a name above or below is a corner, not its middle.
        let middle = y + down * (away + half);
        Area { left, top: middle - half, right: left + width, bottom: middle + half }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Paper;

    #[test]
    fn names_of_a_crowd_are_all_written_without_covering_each_other() {
        let (mut canvas, sheet) = Canvas::new(&Paper { width: 300.0, height: Some(300.0), scale: 1.0 }, 300.0).unwrap();
        let stations: Vec<[f64; 2]> =
            (0..8).map(|i| [120.0 + 5.0 * f64::from(i % 3), 140.0 + 4.0 * f64::from(i)]).collect();
        let mut names = Names::default();
        for at in &stations {
            names.keep_clear(*at, 5.0);
        }
        for at in &stations {
            names.write(&mut canvas, &sheet, *at, 5.0, "S017");
        }
        assert_eq!(names.taken.len(), 16);
        for (index, name) in names.taken[8..].iter().enumerate() {
            assert!(name.is_inside(&sheet));
            assert!(names.taken[..8 + index].iter().all(|other| !other.overlaps(name)), "{index}");
        }
    }

    #[test]
    fn points_are_thinned_evenly_and_leave_no_gap() {
        let line = (0..100).map(|index| [0.3 * f64::from(index), 5.0]);
        let kept = apart(line, 0.9);
        assert_eq!(kept.len(), 34);
        assert!(kept.windows(2).all(|pair| (pair[1][0] - pair[0][0] - 0.9).abs() < 1e-12));
        let square: Vec<[f64; 2]> = (0..400).map(|index| [f64::from(index % 20), f64::from(index / 20)]).collect();
        let kept = apart(square.iter().copied(), 3.0);
        let distance = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        for point in &square {
            assert!(kept.iter().any(|other| distance(point, other) < 3.0));
        }
        for (index, point) in kept.iter().enumerate() {
            assert!(kept[..index].iter().all(|other| distance(point, other) >= 3.0 - 1e-8));
        }
    }

    #[test]
    fn a_name_at_an_edge_stands_inside() {
        let bounds = Area { left: 0.0, top: 0.0, right: 100.0, bottom: 100.0 };
        let above = Names::room(&bounds, [2.0, 50.0], 5.0, "S017", 0, [0.0, -1.0]);
        assert!(above.is_inside(&bounds) && above.bottom < 45.0, "{above:?}");
    }
}
