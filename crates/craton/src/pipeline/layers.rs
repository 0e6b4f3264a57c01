//! Absorbing layers of elements around the domain.

use craton_mesh::HexMesh;
use craton_sem::{Phase, Plan, PmlProfile};

use crate::config::{AbsorbingSide, BoundaryKind, BoxSide, CpmlElements};
use crate::error::Error;
use crate::setup::Setup;

/// Ratio of the highest frequency of a wavelet to its dominant one, for which the damping of layers was optimised.
const HIGHEST_OVER_DOMINANT: f64 = 2.5;

/// Ratio of the frequencies below which layers do not absorb, with and without permanent displacement.
const PERMANENT: f64 = 0.1;

/// The layer outside each side, in the order of the boundaries.
fn of_sides(setup: &Setup) -> [Option<CpmlElements>; 6] {
    let absorbing = &setup.method.sem().absorbing;
    let of_side = |side: usize| match absorbing.at(BoxSide::ALL[side]) {
        AbsorbingSide::Cpml(cpml) if setup.boundaries[side] == BoundaryKind::Absorbing => Some(cpml),
        _ => None,
    };
    std::array::from_fn(of_side)
}

/// Number of elements across the layer outside each side, in the order of the boundaries; 0 without a layer.
pub fn across(setup: &Setup) -> [u16; 6] {
    of_sides(setup).map(|cpml| cpml.map_or(0, |cpml| cpml.elements))
}

/// The mesh of a domain with its layers; `None` without layers.
///
/// # Errors
/// A side that is concave.
pub fn around(setup: &Setup, domain: &HexMesh) -> Result<Option<HexMesh>, Error> {
    let across = across(setup);
    if across == [0; 6] {
        return Ok(None);
    }
    Ok(Some(domain.clone().with_pml(across)?))
}

/// The damping of the layers of a mesh.
pub fn profile(setup: &Setup, mesh: &HexMesh) -> Option<PmlProfile> {
    let frequency = setup.method.sem().max_frequency / HIGHEST_OVER_DOMINANT;
    let is_permanent = |cpml: Option<CpmlElements>| cpml.is_some_and(|cpml| cpml.permanent_displacement);
    let factors = of_sides(setup).map(|cpml| if is_permanent(cpml) { PERMANENT } else { 1.0 });
    Some(PmlProfile::new(mesh, &setup.model, frequency)?.with_lowest_frequencies(factors))
}

/// Number of memory variables of the layers of a mesh.
pub fn memory_variables(setup: &Setup, mesh: Option<&HexMesh>) -> usize {
    let points = (setup.method.sem().degree + 1).pow(3);
    let axes = mesh
        .and_then(|mesh| mesh.pml.as_ref())
        .map_or(0, |pml| pml.elements.iter().map(|(_, own)| own.axes.iter().flatten().count()).sum::<usize>());
    2 * Phase::Solid.components() * points * axes
}

/// Number of elements in the layers of a plan.
pub fn elements(plan: &Plan) -> usize {
    plan.mesh().pml.as_ref().map_or(0, |pml| pml.elements.len())
}
