//! Effective fluids of cells in which the material varies.

use super::jumps::KAPPA_JUMP;

/// A slab of a cell, normal to an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slab {
    /// Thickness as a part of the cell [–].
    pub part: f64,
    /// Density of a flow along the axis, 1 / ⟨1/ρ⟩ over the slab [kg/m³].
    pub rho: f64,
    /// Bulk modulus 1 / ⟨1/κ⟩ [Pa].
    pub kappa: f64,
}

/// The effective fluid of a cell.
///
/// Pressure is uniform in a cell, so its compliances add: κ = 1 / ⟨1/κ⟩. A flow along an axis passes slabs in series, and the parts of a slab in
/// parallel. Inside a cell it varies linearly with the compliance on the way, since ∂g/∂z ~ p / κ, from its value on one face to that on the other;
/// the density of a face is that of the inertia ∫ ρ φ dz with these shape functions φ. For the pressure this is the lowest mixed finite element
/// with a lumped mass matrix. The plain mean of density between two centres also converges at second order, but its error of a reflection is up to four
/// times as large.
///
/// Verified by `interfaces::a_reflection_is_accurate_wherever_the_interface_is_in_a_cell`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EffectiveFluid {
    /// 1 / ⟨1/κ⟩ [Pa].
    pub kappa: f64,
    /// Density at the centre [kg/m³].
    pub rho: f64,
    /// Mean density [kg/m³] of a flow along each axis, in the lower and the upper half of the cell.
    pub halves: [[f64; 2]; 3],
    /// Mean of 1/ρ [m³/kg] in the lower and the upper half along each axis: linear in the volumes of the materials.
    pub lightness: [[f64; 2]; 3],
    /// Mean of 1/κ [1/Pa] in the same halves.
    pub compliance: [[f64; 2]; 3],
    /// Bulk modulus [Pa] of the slabs at the centre along each axis.
    pub kappa_at_centre: [f64; 3],
    /// Density [kg/m³] along each axis for the flow through the lower and the upper face: 2 ∫ ρ φ dz.
    pub shares: [[f64; 2]; 3],
}

impl EffectiveFluid {
    /// A cell with a density at its centre and slabs from its lower to its upper face along each axis.
    pub fn new(rho: f64, slabs: [&[Slab]; 3]) -> Self {
        let compliance: f64 = slabs[2].iter().map(|slab| slab.part / slab.kappa).sum();
        Self {
            kappa: 1.0 / compliance,
            rho,
            halves: slabs.map(|slabs| halves(slabs, |slab| slab.rho)),
            lightness: slabs.map(|slabs| halves(slabs, |slab| 1.0 / slab.rho)),
            compliance: slabs.map(|slabs| halves(slabs, |slab| 1.0 / slab.kappa)),
            kappa_at_centre: slabs.map(|slabs| kappa_at_centre(slabs, rho)),
            shares: slabs.map(shares),
        }
    }

    /// Densities at the centre and of the halves [kg/m³]: all the same where the density does not vary.
    pub(super) fn densities(&self) -> impl Iterator<Item = f64> {
        self.halves.iter().flatten().copied().chain([self.rho])
    }

    /// Whether all values are finite and positive.
    pub(super) fn is_sound(&self) -> bool {
        let densities = self.halves.iter().chain(&self.shares).flatten();
        densities.chain([&self.kappa, &self.rho]).all(|x| x.is_finite() && *x > 0.0)
    }
}

/// Mean of a value of slabs in the lower and the upper half.
fn halves(slabs: &[Slab], of: fn(&Slab) -> f64) -> [f64; 2] {
    let (mut from, mut sums) = (0.0, [0.0; 2]);
    for slab in slabs {
        let lower = (0.5_f64 - from).clamp(0.0, slab.part);
        sums[0] += 2.0 * of(slab) * lower;
        sums[1] += 2.0 * of(slab) * (slab.part - lower);
        from += slab.part;
    }
    sums
}

/// Bulk modulus at the centre. Where two slabs meet there, that of the slab with the density at the centre, or the mean of slabs that hardly differ.
fn kappa_at_centre(slabs: &[Slab], rho: f64) -> f64 {
    /// Tolerance of the centre [–].
    const NEAR: f64 = 1e-9;
    let mut to = 0.0;
    let touches = |slab: &&Slab| {
        let from = to;
        to += slab.part;
        from < 0.5 + NEAR && to > 0.5 - NEAR
    };
    match slabs.iter().filter(touches).collect::<Vec<_>>()[..] {
        [one] => one.kappa,
        [low, high, ..] => {
            let are_alike = (low.kappa - high.kappa).abs() <= KAPPA_JUMP * low.kappa.min(high.kappa);
            match (are_alike, (high.rho - rho).abs() < (low.rho - rho).abs()) {
                (true, _) => 2.0 / (1.0 / low.kappa + 1.0 / high.kappa),
                (false, true) => high.kappa,
                (false, false) => low.kappa,
            }
        }
        [] => slabs[0].kappa,
    }
}

fn shares(slabs: &[Slab]) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for (slab, upper) in slabs.iter().zip(upper_part(slabs)) {
        sums[0] += 2.0 * slab.rho * slab.part * (1.0 - upper);
        sums[1] += 2.0 * slab.rho * slab.part * upper;
    }
    sums
}

/// The part of the compliance of all slabs below the middle of each.
pub(super) fn upper_part(slabs: &[Slab]) -> Vec<f64> {
    let total: f64 = slabs.iter().map(|slab| slab.part / slab.kappa).sum();
    let mut from = 0.0;
    let middle = |slab: &Slab| {
        let to = from + slab.part / slab.kappa / total;
        let middle = 0.5 * (from + to);
        from = to;
        middle
    };
    slabs.iter().map(middle).collect()
}
