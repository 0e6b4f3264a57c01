//! A mesh seen from outside, in parallel projection with the painter's algorithm.

use std::path::Path;

use crate::canvas::Canvas;
use crate::colour::{Colour, ColourMap};
use crate::colour_bar::{ColourBar, draw_swatches};
use crate::colour_scale::{ColourScale, fitting_range};
use crate::error::{Error, Result};
use crate::layout::{self, Area, MARGIN, Paper};
use crate::pen::{AXIS_TITLE, Pen};
use crate::ticks::{self, Unit};
use crate::trace::{all_finite, check_positive, checked_range};

/// A face of an element.
#[derive(Clone, Copy, Debug)]
pub struct MeshFace {
    /// Corners in order around the face: x east, y north, z up \[m\].
    pub corners: [[f64; 3]; 4],
    /// Index of the region, or the coloured value.
    pub value: f64,
}

/// Meaning of the colours of a mesh.
#[derive(Clone, Debug)]
pub enum MeshColours {
    /// `MeshFace::value` is an index into these names.
    Regions(Vec<String>),
    /// `MeshFace::value` is a quantity.
    Values {
        /// Name of the quantity, such as "scaled Jacobian".
        quantity: String,
        /// Its unit; may be empty.
        unit: String,
        /// The colours.
        colours: ColourMap,
        /// Values of the first and the last colour; fitted when left out.
        range: Option<[f64; 2]>,
    },
}

/// Options of a mesh picture.
#[derive(Clone, Debug)]
pub struct MeshOptions {
    /// Size and resolution.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
    /// A line below the title, such as the number of elements.
    pub note: String,
    /// Meaning of the colours.
    pub colours: MeshColours,
    /// Direction from which the viewer looks \[degrees\], clockwise from north.
    pub azimuth: f64,
    /// Height of the viewer above the horizon \[degrees\].
    pub elevation: f64,
    /// Factor on heights.
    pub vertical_exaggeration: f64,
}

impl Default for MeshOptions {
    fn default() -> Self {
        Self {
            paper: Paper::default(),
            title: String::new(),
            note: String::new(),
            colours: MeshColours::Regions(Vec::new()),
            azimuth: 215.0,
            elevation: 28.0,
            vertical_exaggeration: 1.0,
        }
    }
}

/// Draws the outer faces of a mesh with the edges of its elements.
///
/// # Arguments
/// * `faces` – in any order and orientation
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Nothing`, `Error::NotFinite`, `Error::NotPositive`, `Error::Range`, `Error::Paper`, `Error::Write`
pub fn mesh_picture(faces: &[MeshFace], options: &MeshOptions, path: impl AsRef<Path>) -> Result<()> {
    if faces.is_empty() {
        return Err(Error::Nothing { what: "faces of the mesh" });
    }
    for (index, face) in faces.iter().enumerate() {
        all_finite(face.corners.as_flattened(), || format!("a corner of face {index}"))?;
        all_finite(&[face.value], || format!("the value of face {index}"))?;
    }
    check_positive("the vertical exaggeration", options.vertical_exaggeration)?;
    let camera = Camera::new(options);
    let palette = Palette::new(faces, &options.colours)?;
    let bounds = bounds(faces);
    let top = layout::heading_height(&options.title, &options.note) + 8.0;
    let view = View::new(camera, &bounds, options, top);
    let (mut canvas, sheet) = Canvas::new(&options.paper, view.height)?;
    layout::heading(&mut canvas, &sheet, &options.title, &options.note);
    view.draw_faces(&mut canvas, faces, &palette);
    view.draw_extents(&mut canvas, &bounds);
    palette.draw_legend(&mut canvas, &view.legend);
    canvas.save(path.as_ref())
}

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Parallel projection.
struct Camera {
    /// Unit vectors to the right, upwards and towards the viewer.
    right: Vector,
    up: Vector,
    towards: Vector,
    vertical_exaggeration: f64,
}

impl Camera {
    fn new(options: &MeshOptions) -> Self {
        let (azimuth, elevation) = (options.azimuth.to_radians(), options.elevation.to_radians());
        let right = [-azimuth.cos(), azimuth.sin(), 0.0];
        let towards = [azimuth.sin() * elevation.cos(), azimuth.cos() * elevation.cos(), elevation.sin()];
        Self { right, up: cross(towards, right), towards, vertical_exaggeration: options.vertical_exaggeration }
    }

    fn stretched(&self, point: Vector) -> Vector {
        [point[0], point[1], point[2] * self.vertical_exaggeration]
    }

    /// To the right, upwards and towards the viewer \[m\].
    fn project(&self, point: Vector) -> Vector {
        let point = self.stretched(point);
        [dot(point, self.right), dot(point, self.up), dot(point, self.towards)]
    }

    /// Illumination of a face, 0 to 1, by a lamp above the left shoulder of the viewer.
    fn light(&self, face: &MeshFace) -> f64 {
        let [a, b, c, d] = face.corners.map(|corner| self.stretched(corner));
        let normal = cross(minus(c, a), minus(d, b));
        let length = dot(normal, normal).sqrt();
        if length == 0.0 {
            return 1.0;
        }
        // The orientation of faces is arbitrary, so the normal is flipped towards the viewer.
        let side = dot(normal, self.towards).signum() / length;
        let lamp = [-0.35, 0.60, 0.72];
        let received =
            lamp[0] * dot(normal, self.right) + lamp[1] * dot(normal, self.up) + lamp[2] * dot(normal, self.towards);
        (received * side).max(0.0)
    }
}

/// Colours of faces and their legend.
enum Palette<'a> {
    Regions { names: &'a [String], count: usize },
    Values { scale: ColourScale, quantity: &'a str, unit: &'a str, beyond: [bool; 2] },
}

impl<'a> Palette<'a> {
    fn new(faces: &[MeshFace], colours: &'a MeshColours) -> Result<Self> {
        let values = || faces.iter().map(|face| face.value);
        match colours {
            MeshColours::Regions(names) => {
                let largest = values().fold(0.0, f64::max) as usize;
                Ok(Self::Regions { names, count: names.len().max(largest + 1) })
            }
            MeshColours::Values { quantity, unit, colours, range } => {
                let range = match range {
                    Some(range) => checked_range("the range of colours", *range)?,
                    None => fitting_range(values(), *colours, 1.0),
                };
                let scale = ColourScale { map: *colours, reversed: false, soft: false, range, logarithmic: false };
                Ok(Self::Values { scale, quantity, unit, beyond: scale.beyond(values()) })
            }
        }
    }

    fn colour(&self, value: f64) -> Colour {
        match self {
            Self::Regions { count, .. } => region_colour(value.max(0.0) as usize, *count),
            Self::Values { scale, .. } => scale.colour(value),
        }
    }

    fn draw_legend(&self, canvas: &mut Canvas, area: &Area) {
        match self {
            Self::Values { scale, quantity, unit, beyond } => {
                let bar = ColourBar { scale: *scale, title: quantity, unit, beyond: *beyond };
                let area =
                    Area { right: area.left + ColourBar::WIDTH, bottom: area.bottom.min(area.top + 320.0), ..*area };
                bar.draw(canvas, &area);
            }
            Self::Regions { names, count } => {
                let entry = |(index, name): (usize, &String)| (region_colour(index, *count), name.clone());
                let entries: Vec<_> = names.iter().enumerate().map(entry).collect();
                draw_swatches(canvas, area, "", &entries);
            }
        }
    }

    /// Strength of the shading: weak if colours are read off a bar.
    fn relief(&self) -> f64 {
        match self {
            Self::Regions { .. } => 0.26,
            Self::Values { .. } => 0.18,
        }
    }
}

/// Soft, distinct colours that keep the edges visible.
fn region_colour(index: usize, count: usize) -> Colour {
    ColourMap::Batlow.soft(if count < 2 { 0.5 } else { index as f64 / (count - 1) as f64 })
}

/// Ends of the mesh along x, y and z.
fn bounds(faces: &[MeshFace]) -> [[f64; 2]; 3] {
    let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for corner in faces.iter().flat_map(|face| face.corners) {
        for (axis, ends) in bounds.iter_mut().enumerate() {
            *ends = [ends[0].min(corner[axis]), ends[1].max(corner[axis])];
        }
    }
    bounds
}

/// The projected mesh on the sheet.
struct View {
    camera: Camera,
    /// Units per metre.
    scale: f64,
    /// Projected position of the upper left corner of `picture` \[m\].
    corner: [f64; 2],
    picture: Area,
    legend: Area,
    height: f64,
}

impl View {
    const LEGEND: f64 = 120.0;
    /// Room around the mesh for the labels of its extents.
    const EXTENTS: f64 = 34.0;

    fn new(camera: Camera, bounds: &[[f64; 2]; 3], options: &MeshOptions, top: f64) -> Self {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for corner in 0..8 {
            let point = [0, 1, 2].map(|axis| bounds[axis][(corner >> axis) & 1]);
            let [right, up, _] = camera.project(point);
            low = [low[0].min(right), low[1].min(up)];
            high = [high[0].max(right), high[1].max(up)];
        }
        let paper = &options.paper;
        let width = paper.width - 2.0 * MARGIN - 2.0 * Self::EXTENTS - Self::LEGEND;
        let below = Self::EXTENTS + MARGIN;
        let room = paper.height.map_or(900.0, |height| height - top - below);
        let extent = [0, 1].map(|axis| (high[axis] - low[axis]).max(f64::MIN_POSITIVE));
        let scale = (width / extent[0]).min(room / extent[1]).max(0.0);
        let picture = Area {
            left: MARGIN + Self::EXTENTS,
            top,
            right: MARGIN + Self::EXTENTS + scale * extent[0],
            bottom: top + scale * extent[1],
        };
        let legend = Area {
            left: picture.right + Self::EXTENTS,
            right: picture.right + Self::EXTENTS + Self::LEGEND,
            top,
            bottom: picture.bottom.max(top + 80.0),
        };
        Self { camera, scale, corner: [low[0], high[1]], height: legend.bottom + below, picture, legend }
    }

    fn place(&self, point: Vector) -> [f64; 2] {
        let [right, up, _] = self.camera.project(point);
        [
            self.picture.left + self.scale * (right - self.corner[0]),
            self.picture.top + self.scale * (self.corner[1] - up),
        ]
    }

    /// Painter's algorithm: nearer faces cover farther ones.
    fn draw_faces(&self, canvas: &mut Canvas, faces: &[MeshFace], palette: &Palette<'_>) {
        let depth = |face: &MeshFace| face.corners.iter().map(|&corner| self.camera.project(corner)[2]).sum::<f64>();
        let mut order: Vec<(f64, &MeshFace)> = faces.iter().map(|face| (depth(face), face)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, face) in order {
            let corners = face.corners.map(|corner| self.place(corner));
            let light = 1.02 - palette.relief() * (1.0 - self.camera.light(face));
            let fill = palette.colour(face.value).lit(light);
            canvas.polygon(&corners, fill, Some(&edge_pen(&corners, fill)));
        }
    }

    /// Writes the extent of the mesh along its lower front edges and its left edge.
    fn draw_extents(&self, canvas: &mut Canvas, bounds: &[[f64; 2]; 3]) {
        let largest = bounds.as_flattened().iter().fold(0.0, |a, b| f64::max(a, b.abs()));
        let unit = Unit::for_length(largest);
        let nearest = |axis: usize| usize::from(self.camera.towards[axis] > 0.0);
        let farther = |axis: usize| usize::from(self.camera.towards[axis] <= 0.0);
        let middle = |axis: usize| (bounds[axis][0] + bounds[axis][1]) / 2.0;
        let front = [0, 1].map(|axis| bounds[axis][nearest(axis)]);
        let bottom = bounds[2][0];
        let text = |axis: usize| {
            let [low, high] = bounds[axis].map(|end| ticks::brief(end * unit.factor));
            format!("{} from {low} to {high} {}", ["x", "y", "z"][axis], unit.name)
        };
        self.label(canvas, [middle(0), front[1], bottom], [front[0], front[1], bottom], &text(0));
        self.label(canvas, [front[0], middle(1), bottom], [front[0], front[1], bottom], &text(1));
        // The left one of the two vertical edges of the outline.
        let edges = [[front[0], bounds[1][farther(1)]], [bounds[0][farther(0)], front[1]]];
        let left_first =
            self.place([edges[0][0], edges[0][1], bottom])[0] <= self.place([edges[1][0], edges[1][1], bottom])[0];
        let [x, y] = edges[usize::from(!left_first)];
        let [column, row] = self.place([x, y, middle(2)]);
        canvas.text([column - 12.0, row], &text(2), &AXIS_TITLE.centred().upwards());
    }

    /// Writes below the middle of a lower edge, on the side that leads away from the nearest corner.
    fn label(&self, canvas: &mut Canvas, middle: Vector, nearest: Vector, text: &str) {
        let ([x, y], corner) = (self.place(middle), self.place(nearest));
        let lettering = if x < corner[0] { AXIS_TITLE.to_the_right() } else { AXIS_TITLE };
        let shift = if x < corner[0] { -4.0 } else { 4.0 };
        canvas.text([x + shift, y + 20.0], text, &lettering);
    }
}

/// Edges fade as faces shrink; for the smallest faces only the seams are closed.
fn edge_pen(corners: &[[f64; 2]; 4], fill: Colour) -> Pen {
    let length = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let around: f64 = (0..4).map(|side| length(corners[side], corners[(side + 1) % 4])).sum();
    let strength = ((around / 4.0 - 1.5) / 6.0).clamp(0.0, 0.62);
    Pen::new(fill.towards(Colour::INK, strength), 0.6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewer_in_the_south_sees_east_on_the_right() {
        let options = MeshOptions { azimuth: 180.0, elevation: 0.0, ..MeshOptions::default() };
        let camera = Camera::new(&options);
        let seen = camera.project([1.0, 2.0, 3.0]);
        for (found, wanted) in seen.into_iter().zip([1.0, 3.0, -2.0]) {
            assert!((found - wanted).abs() < 1e-12);
        }
    }

    #[test]
    fn the_side_of_a_face_does_not_change_its_light() {
        let camera = Camera::new(&MeshOptions::default());
        let mut face =
            MeshFace { corners: [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], value: 0.0 };
        let light = camera.light(&face);
        face.corners.reverse();
        assert_eq!(camera.light(&face), light);
        assert!(light > 0.5 && light <= 1.0);
    }
}
