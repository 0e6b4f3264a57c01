//! Absorbing layers: the profile of their damping.
//!
//! A perfectly matched layer stretches the coordinate across it. A sponge damps all motion; it is stable in every medium, and absorbs less.
//!
//! The element kernel filters derivatives and forces along the absorbing axes of elements outside the domain (`craton-sem-kernels/src/pml.rs`); the mesh
//! contains these elements (`craton_mesh::Pml`).

use std::f64::consts::PI;

use craton_mesh::{HexMesh, Pml, PmlAxis, PmlElement, Side, TileSums, added};
use craton_model::{EarthModel, Medium};
use craton_numerics::gll::Gll;
use craton_sem_kernels::PML_CONSTANTS;

use crate::moduli::medium_in_element;

/// Damping of short waves relative to d, and its largest value [vs per element]. With 0.06 layers are stable for all Poisson's ratios; resolved waves hardly
/// notice it.
const SHORT_WAVES: [f64; 2] = [0.06, 2.0];
/// Speed that d is proportional to, if P waves are faster: multiple of the S speed. In soft sediments, d for the speed of P waves would reflect S waves.
const MOST_OF_SHEAR: f64 = 2.5;
/// Attenuation in a sponge at normal incidence of waves of the reference speed that leave [Np]. With 1.5, sponges of three to eight elements reflect least.
const SPONGE: f64 = 1.5;

/// The damping of the layers around a domain.
#[derive(Debug, Clone, PartialEq)]
pub struct PmlProfile {
    /// Dominant frequency of the waves [Hz].
    frequency: f64,
    /// Reference speed in the layer of each side, in the order of [`craton_mesh::Side`] [m/s]; 0 without a layer.
    speeds: [f64; 6],
    /// Factors of the rate α, below which layers do not absorb, on each side.
    lowest: [f64; 6],
    /// Whether the layer of each side is a sponge.
    sponges: [bool; 6],
}

/// The stretching s = κ + d / (α + iω) of a coordinate at a point.
struct Stretch {
    /// [1/s]; infinite at the outer end.
    d: f64,
    kappa: f64,
    /// [rad/s]
    alpha: f64,
}

impl PmlProfile {
    /// The damping of the layers of a mesh; `None` without layers.
    ///
    /// # Arguments
    /// * `frequency` – dominant frequency of the waves [Hz]
    pub fn new(mesh: &HexMesh, model: &EarthModel, frequency: f64) -> Option<Self> {
        let sums = Self::speeds(mesh, model);
        mesh.pml.is_some().then(|| Self::of_speeds(sums.each_ref().map(added), frequency))
    }

    /// Sums of the reference speeds of the elements next to the domain on each side [m/s], and their number.
    pub fn speeds(mesh: &HexMesh, model: &EarthModel) -> [TileSums; 6] {
        let mut sums: [TileSums; 6] = Default::default();
        for (element, own) in mesh.pml.iter().flat_map(|pml| &pml.elements) {
            if let [Some(PmlAxis { side, depth: 0 }), None, _] = own.axes {
                let medium = medium_in_element(model, mesh, *element, mesh.medium_position(*element, [0.0; 3]));
                let [sum, count] = sums[side as usize].entry(mesh.tile_of(*element)).or_default();
                *sum += reference_speed(&medium);
                *count += 1.0;
            }
        }
        sums
    }

    /// The damping of layers.
    ///
    /// # Arguments
    /// * `speeds` – for each side, the sum of [`Self::speeds`] over all tiles
    /// * `frequency` – dominant frequency of the waves [Hz]
    pub fn of_speeds(speeds: [[f64; 2]; 6], frequency: f64) -> Self {
        let speeds = speeds.map(|[sum, count]| if count > 0.0 { sum / count } else { 0.0 });
        Self { frequency, speeds, lowest: [1.0; 6], sponges: [false; 6] }
    }

    /// Multiplies the frequencies below which the layer of each side does not absorb. Displacement that remains after the waves have left deviates less with smaller factors, and
    /// waves along the layer are absorbed less.
    pub fn with_lowest_frequencies(self, lowest: [f64; 6]) -> Self {
        Self { lowest, ..self }
    }

    /// Makes the layers of these sides sponges, in the order of [`craton_mesh::Side`].
    pub fn with_sponges(self, sponges: [bool; 6]) -> Self {
        Self { sponges, ..self }
    }

    /// Whether an element is in a perfectly matched layer, and not only in sponges.
    pub(crate) fn is_matched(&self, own: &PmlElement) -> bool {
        own.axes.iter().flatten().any(|axis| !self.sponges[axis.side as usize])
    }

    /// Damping rate of the motion at the points of sponges [1/s]: (element, point, rate).
    ///
    /// The rate increases with the square of the depth.
    pub(crate) fn sponge_points(&self, pml: &Pml, gll: &Gll) -> Vec<(u32, usize, f64)> {
        let along = gll.points.len();
        let mut all = Vec::new();
        for (element, own) in &pml.elements {
            let axes = own.axes.iter().zip([2, 1, 0]).filter_map(|(axis, place)| Some(((*axis)?, place)));
            let axes: Vec<(PmlAxis, u32)> = axes.filter(|(axis, _)| self.sponges[axis.side as usize]).collect();
            let rate = |point: usize| {
                let of_axis = |(axis, place): &(PmlAxis, u32)| {
                    let thickness = f64::from(pml.across[axis.side as usize]) * pml.thickness[axis.side as usize];
                    let x = depth(pml, *axis, gll.points[point / along.pow(*place) % along]);
                    6.0 * SPONGE * self.speeds[axis.side as usize] / thickness * x * x
                };
                axes.iter().map(of_axis).sum::<f64>()
            };
            let points = (0..along.pow(3)).map(|point| (*element, point, rate(point)));
            all.extend(points.filter(|(.., rate)| *rate > 0.0));
        }
        all
    }

    /// Stretching of the coordinate across the layer of a side with this thickness [m].
    ///
    /// The profile is the optimum of a search for three elements of degree 4, over waves at normal and grazing incidence and surface waves.
    ///
    /// # Arguments
    /// * `x` – depth as a fraction of the thickness
    fn stretch(&self, x: f64, thickness: f64, side: Side) -> Stretch {
        Stretch {
            d: 1.35 * self.speeds[side as usize] / thickness * x.powf(0.44) / (1.0 - x).powf(1.25),
            kappa: 1.0 + 1.3 * x.powf(5.6),
            alpha: self.lowest[side as usize] * PI * self.frequency * (0.15 + 0.55 * (1.0 - x)),
        }
    }

    /// Appends the constants of the absorbing axes of an element, `[axis][point along it][constant]`, as the kernel reads them.
    ///
    /// # Arguments
    /// * `mass` – mean of density times the Jacobian determinant of the element [kg]
    /// * `shear` – S speed [m/s]; 0 in a fluid
    pub(crate) fn constants(
        &self,
        pml: &Pml,
        own: &PmlElement,
        gll: &Gll,
        [mass, shear]: [f64; 2],
        all: &mut Vec<f64>,
    ) {
        for axis @ PmlAxis { side, depth: before } in own.axes.iter().flatten() {
            let (count, across) = (pml.across[*side as usize], pml.thickness[*side as usize]);
            let thickness = f64::from(count) * across;
            if self.sponges[*side as usize] {
                let unchanged: [f64; PML_CONSTANTS] = [0.0, 0.0, 1.0, 0.0];
                all.extend(gll.points.iter().flat_map(|_| unchanged));
                continue;
            }
            for (index, point) in gll.points.iter().enumerate() {
                let is_end = before + 1 == count && index + 1 == gll.points.len();
                let x = depth(pml, *axis, *point);
                let Stretch { d, kappa, alpha } = self.stretch(x, thickness, *side);
                let short = (SHORT_WAVES[0] * d).min(SHORT_WAVES[1] * shear / across);
                let own: [f64; PML_CONSTANTS] = match is_end {
                    // Nothing passes, and the nodes do not move.
                    true => [0.0; PML_CONSTANTS],
                    false => [d / kappa, alpha + d / kappa, 1.0 / kappa, mass * short],
                };
                all.extend(own);
            }
        }
    }
}

/// Depth as a fraction of the thickness of a layer, at a coordinate of the reference cube.
fn depth(pml: &Pml, axis: PmlAxis, point: f64) -> f64 {
    (f64::from(axis.depth) + 0.5 * (1.0 + point)) / f64::from(pml.across[axis.side as usize])
}

/// The speed that the damping of a layer is proportional to [m/s].
fn reference_speed(medium: &Medium) -> f64 {
    match medium.is_fluid() {
        true => medium.fastest(),
        false => medium.fastest().min(MOST_OF_SHEAR * medium.slowest()),
    }
}
