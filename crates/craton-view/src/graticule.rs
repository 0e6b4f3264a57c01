//! Meridians and parallels on a map, with degree labels.

use crate::azimuthal::Azimuthal;
use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::layout::Area;
use crate::pen::{LABEL, Lettering, Pen, SMALL};
use crate::ticks;

/// Possible spacings of lines \[degrees\].
const STEPS: [f64; 15] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 90.0];
/// Approximate number of lines of either kind across the longer side of a map.
const LINES: f64 = 8.0;
/// Points per line.
const POINTS: usize = 721;
const LINE: Pen = Pen::new(Colour::FRAME, 0.7);
const WRITTEN: Lettering = Lettering::new(LABEL.size, Colour::SOFT_INK).rimmed();

/// The part of the sphere that a sheet shows.
pub(crate) struct Sheet {
    pub(crate) projection: Azimuthal,
    /// Radii of the sphere at the left and lower edges.
    pub(crate) corner: [f64; 2],
    /// Units of the paper per radius.
    pub(crate) scale: f64,
    pub(crate) area: Area,
}

impl Sheet {
    /// Position of a longitude and latitude \[degrees\].
    pub(crate) fn at(&self, place: [f64; 2]) -> [f64; 2] {
        let [right, up] = self.projection.forward(place);
        let [left, low] = self.corner;
        [self.area.left + self.scale * (right - left), self.area.bottom - self.scale * (up - low)]
    }

    /// The longitude and latitude \[degrees\] at a position.
    pub(crate) fn place(&self, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        let [left, low] = self.corner;
        self.projection.inverse([left + (x - self.area.left) / self.scale, low + (self.area.bottom - y) / self.scale])
    }
}

/// Lines at multiples of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Lines {
    /// Distance \[degrees\].
    step: f64,
    first: i64,
    last: i64,
}

impl Lines {
    fn within([low, high]: [f64; 2], step: f64) -> Self {
        Self { step, first: (low / step - 1e-9).ceil() as i64, last: (high / step + 1e-9).floor() as i64 }
    }

    fn values(self) -> impl Iterator<Item = f64> {
        (self.first..=self.last).map(move |number| number as f64 * self.step)
    }
}

/// The meridians and parallels of a map.
pub(crate) struct Graticule {
    meridians: Lines,
    parallels: Lines,
    /// Latitudes at which meridians end, short of a visible pole.
    ends: [f64; 2],
}

impl Graticule {
    /// Lines at round degrees over all that a sheet shows.
    pub(crate) fn over(sheet: &Sheet) -> Self {
        const SIDE: usize = 41;
        let Area { left, top, right, bottom } = sheet.area;
        let part = |index: usize| index as f64 / (SIDE - 1) as f64;
        let places = (0..SIDE * SIDE).filter_map(|index| {
            sheet.place([left + part(index % SIDE) * (right - left), top + part(index / SIDE) * (bottom - top)])
        });
        let reach = |[low, high]: [f64; 2], value: f64| [low.min(value), high.max(value)];
        let nothing = [f64::INFINITY, f64::NEG_INFINITY];
        let (mut longitudes, mut latitudes) = (nothing, nothing);
        for [longitude, latitude] in places {
            (longitudes, latitudes) = (reach(longitudes, longitude), reach(latitudes, latitude));
        }
        let poles = [-90.0, 90.0].map(|pole| sheet.area.contains(sheet.at([0.0, pole])));
        let middle = sheet.place(sheet.area.centre()).map_or(0.0, |[_, latitude]| latitude);
        let across = (sheet.area.width().max(sheet.area.height()) / sheet.scale).to_degrees();
        let step = step(across / LINES);
        if poles.contains(&true) {
            let full = sheet.place(sheet.area.centre()).map_or(0.0, |[longitude, _]| longitude);
            latitudes = [if poles[0] { -90.0 } else { latitudes[0] }, if poles[1] { 90.0 } else { latitudes[1] }];
            let meridians = Lines { step: 30.0, ..Lines::within([full - 180.0 + 1e-6, full + 180.0], 30.0) };
            let ends =
                [latitudes[0] + if poles[0] { step } else { 0.0 }, latitudes[1] - if poles[1] { step } else { 0.0 }];
            return Self { meridians, parallels: Lines::within(latitudes, step), ends };
        }
        // Meridians are spaced like parallels in the middle of the map.
        let wide = self::step(across / LINES / middle.to_radians().cos().max(0.05));
        Self { meridians: Lines::within(longitudes, wide), parallels: Lines::within(latitudes, step), ends: latitudes }
    }

    /// Draws the lines.
    pub(crate) fn draw(&self, canvas: &mut Canvas, sheet: &Sheet) {
        for line in self.all() {
            for piece in pieces(sheet, &line) {
                canvas.line(&piece, &LINE);
            }
        }
    }

    /// Writes degree labels outside the frame where lines leave it, and inside for parallels that do not.
    ///
    /// # Returns
    /// Areas of the labels inside the frame.
    pub(crate) fn write(&self, canvas: &mut Canvas, sheet: &Sheet) -> Vec<[f64; 2]> {
        let (mut taken, mut inside) = (Vec::<Area>::new(), Vec::new());
        for line in self.all() {
            let ends: Vec<[f64; 2]> =
                pieces(sheet, &line).iter().flat_map(|piece| [piece[0], piece[piece.len() - 1]]).collect();
            let edges: &[Edge] = match line.is_meridian {
                true => &[Edge::Bottom, Edge::Top, Edge::Left, Edge::Right],
                false => &[Edge::Left, Edge::Right],
            };
            let beside = edges.iter().filter_map(|edge| {
                let at = ends.iter().find(|at| edge.is_at(&sheet.area, **at))?;
                Some(edge.room(&sheet.area, *at, &line.name))
            });
            let within = line.place_inside(sheet).map(|at| around(at, &line.name));
            let is_free = |room: &Area| !taken.iter().any(|other| other.overlaps(room));
            let Some(room) = beside.chain(within).find(is_free) else { continue };
            let at = room.centre();
            canvas.text([at[0], at[1] + LABEL.half_height()], &line.name, &WRITTEN.centred());
            taken.push(room);
            inside.extend(sheet.area.contains(at).then_some(at));
        }
        inside
    }

    fn all(&self) -> impl Iterator<Item = Line> {
        let decimals = |step: f64| if step < 0.1 { 2 } else { usize::from(step < 1.0) };
        let ends = self.ends;
        let along = |low: f64, high: f64, index: usize| low + (high - low) * index as f64 / (POINTS - 1) as f64;
        let parallels = self.parallels.values().filter(|latitude| latitude.abs() < 90.0 - 1e-9);
        let (meridians, of_parallels) = (self.meridians.step, self.parallels.step);
        let round = self.meridians;
        let parallel = move |latitude: f64| {
            let (low, high) = ((round.first - 1) as f64 * round.step, (round.last + 1) as f64 * round.step);
            let (low, high) = if high - low > 360.0 { (low, low + 360.0) } else { (low, high) };
            Line {
                is_meridian: false,
                name: named(latitude, ["N", "S"], decimals(of_parallels)),
                places: (0..POINTS).map(|index| [along(low, high, index), latitude]).collect(),
            }
        };
        let meridian = move |longitude: f64| {
            let longitude = (longitude + 180.0).rem_euclid(360.0) - 180.0;
            Line {
                is_meridian: true,
                name: named(longitude, ["E", "W"], decimals(meridians)),
                places: (0..POINTS).map(|index| [longitude, along(ends[0], ends[1], index)]).collect(),
            }
        };
        self.meridians.values().map(meridian).chain(parallels.map(parallel))
    }
}

/// The round step that comes nearest to one from above.
fn step(least: f64) -> f64 {
    STEPS.into_iter().find(|step| *step >= least).unwrap_or(STEPS[STEPS.len() - 1])
}

/// An angle with its hemisphere: `67.5°W`; none for the equator and the meridians of 0° and 180°.
fn named(degrees: f64, [plus, minus]: [&str; 2], decimals: usize) -> String {
    let size = ticks::decimal(degrees.abs(), decimals);
    let side = match degrees {
        degrees if degrees.abs() < 1e-9 || (plus == "E" && (degrees.abs() - 180.0).abs() < 1e-9) => "",
        degrees if degrees > 0.0 => plus,
        _ => minus,
    };
    format!("{size}°{side}")
}

/// A meridian or a parallel.
struct Line {
    is_meridian: bool,
    name: String,
    /// Longitudes and latitudes \[degrees\].
    places: Vec<[f64; 2]>,
}

impl Line {
    /// Position of the label of a parallel inside the map: the lowest point in the middle column.
    fn place_inside(&self, sheet: &Sheet) -> Option<[f64; 2]> {
        const COLUMN: f64 = 4.0;
        let middle = sheet.area.centre()[0];
        let shown = self.places.iter().map(|place| sheet.at(*place)).filter(|at| sheet.area.contains(*at));
        let near = shown.filter(|at| !self.is_meridian && (at[0] - middle).abs() < COLUMN);
        near.max_by(|a, b| a[1].total_cmp(&b[1]))
    }
}

/// The parts of a line inside the frame, clipped to it.
fn pieces(sheet: &Sheet, line: &Line) -> Vec<Vec<[f64; 2]>> {
    let points: Vec<[f64; 2]> = line.places.iter().map(|place| sheet.at(*place)).collect();
    let longest = 0.5 * sheet.area.width().max(sheet.area.height());
    let mut pieces: Vec<Vec<[f64; 2]>> = Vec::new();
    for pair in points.windows(2) {
        // A line is discontinuous at the antipode of the centre.
        let is_jump = (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]) > longest;
        let Some([from, to]) = sheet.area.clipped([pair[0], pair[1]]).filter(|_| !is_jump) else { continue };
        match pieces.last_mut() {
            Some(piece) if piece[piece.len() - 1] == from => piece.push(to),
            _ => pieces.push(vec![from, to]),
        }
    }
    pieces
}

/// A side of the frame.
#[derive(Clone, Copy)]
enum Edge {
    Bottom,
    Left,
    Top,
    Right,
}

impl Edge {
    /// Gap between the frame and a label.
    const GAP: f64 = 5.0;

    fn is_at(self, area: &Area, [x, y]: [f64; 2]) -> bool {
        const NEAR: f64 = 1e-6;
        match self {
            Self::Bottom => (y - area.bottom).abs() < NEAR,
            Self::Top => (y - area.top).abs() < NEAR,
            Self::Left => (x - area.left).abs() < NEAR,
            Self::Right => (x - area.right).abs() < NEAR,
        }
    }

    /// Area of a label outside the frame.
    fn room(self, area: &Area, [x, y]: [f64; 2], name: &str) -> Area {
        let (half_width, half) = (0.5 * LABEL.width_of(name) + 1.0, 0.5 * LABEL.size + 1.0);
        let [x, y] = match self {
            Self::Bottom => [x, area.bottom + Self::GAP + half],
            Self::Top => [x, area.top - Self::GAP - half],
            Self::Left => [area.left - Self::GAP - half_width, y],
            Self::Right => [area.right + Self::GAP + half_width, y],
        };
        Area { left: x - half_width, right: x + half_width, top: y - half, bottom: y + half }
    }
}

/// Area of a label on its line.
fn around([x, y]: [f64; 2], name: &str) -> Area {
    let (half_width, half) = (0.5 * LABEL.width_of(name) + 1.0, 0.5 * SMALL.size + 2.0);
    Area { left: x - half_width, right: x + half_width, top: y - half, bottom: y + half }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square sheet of 600 units about a centre, with a given width in degrees.
    fn sheet(centre: [f64; 2], degrees: f64) -> Sheet {
        let half = 2.0 * (0.25 * degrees.to_radians()).sin();
        let area = Area { left: 50.0, top: 40.0, right: 650.0, bottom: 640.0 };
        Sheet { projection: Azimuthal::about(centre), corner: [-half; 2], scale: 300.0 / half, area }
    }

    fn names(centre: [f64; 2], degrees: f64) -> Vec<String> {
        Graticule::over(&sheet(centre, degrees)).all().map(|line| line.name).collect()
    }

    #[test]
    fn lines_are_at_round_degrees_and_labelled() {
        let small = "68.0°W 67.5°W 67.0°W 66.5°W 14.5°S 14.0°S 13.5°S 13.0°S";
        assert_eq!(names([-67.25, -13.82], 2.0).join(" "), small);
        // Labels on both sides of the 180th meridian are consecutive.
        assert_eq!(names([179.0, 0.0], 20.0)[..4].join(" "), "170°E 175°E 180° 175°W");
        let wide = names([0.0, 0.0], 90.0);
        assert!(wide.contains(&"0°".to_owned()) && wide.contains(&"45°N".to_owned()), "{wide:?}");
    }

    #[test]
    fn around_a_pole_all_meridians_are_drawn_and_end_before_it() {
        let polar = Graticule::over(&sheet([20.0, 88.0], 40.0));
        assert_eq!(polar.all().filter(|line| line.is_meridian).count(), 12);
        assert!((polar.ends[1] - 85.0).abs() < 1e-9 && polar.parallels.values().all(|latitude| latitude > 50.0));
        // A parallel around the pole inside the map is closed.
        let sheet = sheet([20.0, 88.0], 40.0);
        let closed = polar.all().find(|line| line.name == "80°N").unwrap();
        let [first, last] = [closed.places[0], closed.places[POINTS - 1]].map(|place| sheet.at(place));
        assert!((first[0] - last[0]).hypot(first[1] - last[1]) < 1e-9);
    }

    #[test]
    fn a_line_ends_at_the_frame() {
        let sheet = sheet([10.0, 45.0], 30.0);
        for line in Graticule::over(&sheet).all() {
            for piece in pieces(&sheet, &line) {
                assert!(piece.iter().all(|&[x, y]| (49.99..650.01).contains(&x) && (39.99..640.01).contains(&y)));
            }
        }
    }
}
