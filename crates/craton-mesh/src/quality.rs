//! Quality of elements, and the refusal of inverted ones.

use rayon::prelude::*;

use crate::error::MeshError;
use crate::mesh::{HexMesh, determinant, dot, norm, sub};
use crate::reference::{EDGE_CORNERS, ElementMap};

/// Minimum number of elements per task.
const PER_TASK: usize = 256;

/// Number of bins of a [`Histogram`].
const BINS: usize = 20;

/// Gauss points and weights that integrate the Jacobian determinant of 27-node elements exactly (degree 5).
const GAUSS: [(f64, f64); 3] =
    [(-0.774_596_669_241_483_4, 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.774_596_669_241_483_4, 5.0 / 9.0)];

/// Measures of one element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementQuality {
    /// Smallest Jacobian determinant over the product of its column lengths:
    /// 1 for a box, <= 0 if inverted, minus infinity if NaN
    pub scaled_jacobian: f64,
    /// Longest edge over shortest edge
    pub aspect_ratio: f64,
    /// Shortest edge [m]
    pub edge_min: f64,
    /// Longest edge [m]
    pub edge_max: f64,
    /// Volume [m^3], exact for the geometry
    pub volume: f64,
    /// Largest |cosine| between two of the three lines that join the centres of opposite faces: 0 for a box
    pub skew: f64,
}

/// Counts over equal bins from the smallest to the largest value.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Lower end of the first bin
    pub low: f64,
    /// Upper end of the last bin
    pub high: f64,
    /// Elements per bin
    pub counts: Vec<u64>,
}

/// Summary of one measure over all elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistic {
    /// Smallest value
    pub min: f64,
    /// Mean value
    pub mean: f64,
    /// Largest value
    pub max: f64,
    /// Element with the smallest value
    pub min_element: u32,
    /// Element with the largest value
    pub max_element: u32,
    /// Distribution
    pub histogram: Histogram,
}

/// Quality of a whole mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct QualityReport {
    /// Measures of every element
    pub elements: Vec<ElementQuality>,
    /// Summary of [`ElementQuality::scaled_jacobian`]
    pub scaled_jacobian: Statistic,
    /// Summary of [`ElementQuality::aspect_ratio`]
    pub aspect_ratio: Statistic,
    /// Summary of [`ElementQuality::edge_min`]
    pub edge_min: Statistic,
    /// Summary of [`ElementQuality::edge_max`]
    pub edge_max: Statistic,
    /// Summary of [`ElementQuality::volume`]
    pub volume: Statistic,
    /// Summary of [`ElementQuality::skew`]
    pub skew: Statistic,
}

impl QualityReport {
    /// Measures every element.
    ///
    /// # Arguments
    /// * `points` – points along each axis of [-1, 1] where the Jacobian is evaluated: the GLL points of the method, both
    ///   ends included, so that what passes here is positive wherever the method evaluates it
    pub fn measure(mesh: &HexMesh, points: &[f64]) -> Self {
        let elements: Vec<ElementQuality> = (0..mesh.n_elements() as u32)
            .into_par_iter()
            .with_min_len(PER_TASK)
            .map_init(|| Ruler::new(mesh, points), |ruler, element| ruler.measure(mesh, element))
            .collect();
        let summary = |measure: fn(&ElementQuality) -> f64| Statistic::new(&elements, measure);
        Self {
            scaled_jacobian: summary(|q| q.scaled_jacobian),
            aspect_ratio: summary(|q| q.aspect_ratio),
            edge_min: summary(|q| q.edge_min),
            edge_max: summary(|q| q.edge_max),
            volume: summary(|q| q.volume),
            skew: summary(|q| q.skew),
            elements,
        }
    }

    /// Total volume [m^3].
    pub fn total_volume(&self) -> f64 {
        self.elements.iter().map(|quality| quality.volume).sum()
    }

    /// Refuses a mesh with an element whose scaled Jacobian is below `least` (0.05, say).
    ///
    /// # Errors
    /// [`MeshError::Degenerate`] with the worst element, its position and the number of such elements.
    pub fn check(&self, mesh: &HexMesh, least: f64) -> Result<(), MeshError> {
        let bad = |quality: &&ElementQuality| quality.scaled_jacobian < least;
        let count = self.elements.iter().filter(bad).count();
        if count == 0 {
            return Ok(());
        }
        let element = self.scaled_jacobian.min_element;
        Err(MeshError::Degenerate {
            element,
            centre: mesh.centroid(element),
            scaled_jacobian: self.elements[element as usize].scaled_jacobian,
            least,
            count,
        })
    }
}

impl Statistic {
    fn new(elements: &[ElementQuality], measure: fn(&ElementQuality) -> f64) -> Self {
        let (mut min, mut max, mut sum) = ((f64::INFINITY, 0), (f64::NEG_INFINITY, 0), 0.0);
        for (element, quality) in elements.iter().enumerate() {
            let value = measure(quality);
            sum += value;
            if value < min.0 {
                min = (value, element);
            }
            if value > max.0 {
                max = (value, element);
            }
        }
        let mut counts = vec![0; BINS];
        let scale = BINS as f64 / (max.0 - min.0);
        for quality in elements {
            let bin = (measure(quality) - min.0) * scale;
            counts[(bin as usize).min(BINS - 1)] += 1;
        }
        Self {
            min: min.0,
            mean: sum / elements.len() as f64,
            max: max.0,
            min_element: min.1 as u32,
            max_element: max.1 as u32,
            histogram: Histogram { low: min.0, high: max.0, counts },
        }
    }
}

/// Tables and buffers for measuring element after element.
struct Ruler {
    points: ElementMap,
    gauss: ElementMap,
    control: [[f64; 3]; 27],
    jacobians: Vec<[[f64; 3]; 3]>,
}

impl Ruler {
    fn new(mesh: &HexMesh, points: &[f64]) -> Self {
        Self {
            points: ElementMap::new(mesh.geometry, points),
            gauss: ElementMap::new(mesh.geometry, &GAUSS.map(|(point, _)| point)),
            control: [[0.0; 3]; 27],
            jacobians: Vec::new(),
        }
    }

    fn measure(&mut self, mesh: &HexMesh, element: u32) -> ElementQuality {
        let control = mesh.points_of(element, &mut self.control);
        self.points.jacobians(control, &mut self.jacobians);
        let scaled_jacobian = self.jacobians.iter().map(scaled).fold(f64::INFINITY, f64::min);
        self.gauss.jacobians(control, &mut self.jacobians);
        let volume = self
            .jacobians
            .iter()
            .enumerate()
            .map(|(point, jacobian)| {
                let weight = GAUSS[point % 3].1 * GAUSS[point / 3 % 3].1 * GAUSS[point / 9].1;
                weight * determinant(jacobian)
            })
            .sum();
        let (edge_min, edge_max) = edges(control, mesh.geometry.per_axis());
        let corners = mesh.geometry.corners().map(|corner| control[corner]);
        let aspect_ratio = edge_max / edge_min;
        ElementQuality { scaled_jacobian, aspect_ratio, edge_min, edge_max, volume, skew: skew(&corners) }
    }
}

/// Scaled Jacobian at one point; minus infinity if it is NaN.
fn scaled(jacobian: &[[f64; 3]; 3]) -> f64 {
    let square = |column: usize| jacobian.iter().map(|row| row[column] * row[column]).sum::<f64>();
    let scaled = determinant(jacobian) / (square(0) * square(1) * square(2)).sqrt();
    if scaled.is_nan() { f64::NEG_INFINITY } else { scaled }
}

/// Shortest and longest edge, each measured along its control nodes.
fn edges(control: &[[f64; 3]], per_axis: usize) -> (f64, f64) {
    let stride = [1, per_axis, per_axis * per_axis];
    let place =
        |corner: usize| -> usize { (0..3).map(|axis| (corner >> axis & 1) * (per_axis - 1) * stride[axis]).sum() };
    EDGE_CORNERS.iter().enumerate().fold((f64::INFINITY, 0.0), |(low, high), (edge, corners)| {
        let (start, step) = (place(corners[0]), stride[edge / 4]);
        let length: f64 =
            (0..per_axis - 1).map(|i| norm(sub(control[start + (i + 1) * step], control[start + i * step]))).sum();
        (length.min(low), length.max(high))
    })
}

fn skew(corners: &[[f64; 3]; 8]) -> f64 {
    let axes: [[f64; 3]; 3] = std::array::from_fn(|axis| {
        let mut line = [0.0; 3];
        for (corner, point) in corners.iter().enumerate() {
            let sign = if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
            for (line, x) in line.iter_mut().zip(point) {
                *line += sign * x;
            }
        }
        line
    });
    let cosine = |a: usize, b: usize| dot(axes[a], axes[b]).abs() / (norm(axes[a]) * norm(axes[b]));
    cosine(0, 1).max(cosine(0, 2)).max(cosine(1, 2))
}
