//! Absorbing layers of elements around the domain.

use craton_mesh::HexMesh;
use craton_sem::{Phase, Plan, PmlProfile};

use crate::config::{AbsorbingSide, BoundaryKind, BoxSide};
use crate::error::Error;
use crate::setup::Setup;

/// Ratio of the highest frequency of a wavelet to its dominant one, for which the damping of layers was optimised.
const HIGHEST_OVER_DOMINANT: f64 = 2.5;

/// Number of elements across the layer outside each side, in the order of the boundaries; 0 without a layer.
pub fn across(setup: &Setup) -> [u16; 6] {
    let absorbing = &setup.method.sem().absorbing;
    let of_side = |side: usize| match absorbing.at(BoxSide::ALL[side]) {
        AbsorbingSide::Cpml(cpml) if setup.boundaries[side] == BoundaryKind::Absorbing => cpml.elements,
        _ => 0,
    };
    std::array::from_fn(of_side)
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
    PmlProfile::new(mesh, &setup.model, setup.method.sem().max_frequency / HIGHEST_OVER_DOMINANT)
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
