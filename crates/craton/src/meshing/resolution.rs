//! The resolution of a mesh: its longest edges against the slowest waves.

use craton_mesh::{HexMesh, QualityReport};
use craton_model::geodesy::LocalFrame;
use rayon::prelude::*;

use super::WaveSpeeds;
use crate::format_position::format_position;
use crate::number::Number;
use crate::setup::Setup;

/// The worst sampling of the slowest wave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolution {
    /// Points per wavelength at the highest requested frequency, in the worst element.
    pub points_per_wavelength: f64,
    /// Frequency up to which every element has the requested points per wavelength [Hz].
    pub resolved_frequency: f64,
    /// Approximate position [m].
    pub centre: [f64; 3],
}

impl Resolution {
    /// The resolution of a mesh: its longest edges against the slowest waves.
    ///
    /// # Arguments
    /// * `points` – [`points_per_wavelength`] of each element
    pub fn new(mesh: &HexMesh, quality: &QualityReport, setup: &Setup, points: &[f64]) -> Self {
        let worst = points.iter().copied().fold(f64::INFINITY, f64::min);
        let centre = |element: usize| setup.frame.from_space(mesh.centroid(element as u32));
        // Wave speeds of an element are those of its heights in the whole region, so several elements may be the worst:
        // the medium at their centres decides.
        let of_centre = |element: usize| {
            let speed = setup.model.medium(usize::from(mesh.region[element]), centre(element)).slowest();
            speed / quality.elements[element].edge_max
        };
        let nearly = (0..points.len()).filter(|&element| points[element] <= Self::NEARLY * worst);
        let least = nearly
            .map(|element| (of_centre(element), element))
            .reduce(|least, other| if other.0 < (1.0 - 1e-9) * least.0 { other } else { least });
        Self {
            points_per_wavelength: worst,
            resolved_frequency: setup.method.max_frequency() * worst / setup.method.sem().points_per_wavelength,
            centre: centre(least.map_or(0, |(_, element)| element)),
        }
    }

    /// Points per wavelength relative to the fewest, below which an element may be the worst.
    const NEARLY: f64 = 1.01;

    /// Smallest acceptable resolved frequency, relative to the highest frequency; slopes reduce it.
    const ENOUGH: f64 = 0.9;

    /// The warning about a mesh that is too coarse.
    pub fn warning(&self, setup: &Setup) -> Option<String> {
        let method = setup.method.sem();
        let (resolved, required) = (self.resolved_frequency, method.max_frequency);
        let place = format_position(&setup.frame, self.centre);
        let remedy = match method.element_size {
            _ if setup.mesh.is_some() => "lower it, raise method.sem.degree, or use a finer mesh. `craton mesh` shows the elements that are too long".to_owned(),
            _ if method.elements.is_some() => "increase method.sem.elements, or leave it out".to_owned(),
            Some(size) => format!(
                "lower method.sem.element_size to about {:.4}, or leave it out",
                Number(size * resolved / required)
            ),
            None => "`craton mesh` shows the elements that are too long".to_owned(),
        };
        (resolved < Self::ENOUGH * required).then(|| {
            format!(
                "the mesh resolves only {:.4} Hz near {place}, less than method.sem.max_frequency = {} Hz: {remedy}",
                Number(resolved),
                Number(required)
            )
        })
    }
}

/// Points per wavelength of the slowest wave at the highest frequency, along the longest edge of every element.
pub fn points_per_wavelength(mesh: &HexMesh, quality: &QualityReport, setup: &Setup) -> Vec<f64> {
    let (method, speeds) = (setup.method.sem(), WaveSpeeds::new(setup));
    let points = |element: usize| {
        let [low, high] = vertical_extent(mesh, element as u32, &setup.frame);
        let wavelength = speeds.slowest(usize::from(mesh.region[element]), low, high) / method.max_frequency;
        method.degree as f64 * wavelength / quality.elements[element].edge_max
    };
    (0..mesh.n_elements()).into_par_iter().map(points).collect()
}

/// Elevations of the lowest and the highest corner of an element [m].
pub fn vertical_extent(mesh: &HexMesh, element: u32, frame: &LocalFrame) -> [f64; 2] {
    let heights = mesh.corners_of(element).map(|corner| frame.height(mesh.control_nodes[corner as usize]));
    let extremes = |[low, high]: [f64; 2], z: f64| [low.min(z), high.max(z)];
    heights.into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], extremes)
}
