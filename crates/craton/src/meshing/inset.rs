//! The box of a mesh with absorbing layers inside the domain.

use craton_mesh::{BoxPlan, BoxSpec, MeshError};

use super::of_scenario;
use crate::config::BoxSide;
use crate::error::{Error, Problem};
use crate::key_path::KeyPath;
use crate::setup::Setup;

/// Largest number of plans. The numbers of elements rarely change after the third.
const ROUNDS: usize = 8;

/// Smallest size of elements next to layers relative to that in a mesh without layers; smaller elements would shorten the time step.
const THINNEST: f64 = 0.2;

/// Relative change of the box below which it stays as it is.
const UNCHANGED: f64 = 1e-9;

/// Shrinks a box by the thickness of the layers inside the domain of a scenario, so that the box with its layers fills the domain. If the number of elements
/// depends on the size of the box, the outer ends of the layers are within an element of the sides.
///
/// # Errors
/// Layers that leave too little of the domain or of its lowest region; errors of the mesh.
///
/// Verified by `layers_inside_the_domain_end_at_its_sides`.
pub fn without_layers_inside(setup: &Setup, spec: &mut BoxSpec) -> Result<(), Error> {
    let inside = setup.elements_across_layers_inside().map(f64::from);
    if inside == [0.0; 6] {
        return Ok(());
    }
    let mut whole = None;
    for _ in 0..ROUNDS {
        let plan = BoxPlan::new(spec).map_err(|error| match error {
            MeshError::StrataCross { .. } if whole.is_some() => too_thick(setup, 2),
            error => of_scenario(error, setup.method.sem()),
        })?;
        let outer = plan.outer_extents();
        let lengths = [spec.x[1] - spec.x[0], spec.y[1] - spec.y[0], plan.lowest_thickness()];
        let (lengths_of_whole, outer_of_whole) = *whole.get_or_insert((lengths, outer));
        if let Some(axis) = (0..3).find(|&axis| outer[axis] < THINNEST * outer_of_whole[axis]) {
            return Err(too_thick(setup, axis));
        }
        // The width of elements if the box with its layers fills the domain.
        let width = |axis: usize| {
            let elements = lengths[axis] / outer[axis] + inside[2 * axis] + inside[2 * axis + 1];
            lengths_of_whole[axis] / elements
        };
        let range = |axis: usize, [low, high]: [f64; 2]| {
            [low + inside[2 * axis] * width(axis), high - inside[2 * axis + 1] * width(axis)]
        };
        let ([x, y], bottom) = ([range(0, setup.x), range(1, setup.y)], range(2, setup.z)[0]);
        let changes = [x[0] - spec.x[0], x[1] - spec.x[1], y[0] - spec.y[0], y[1] - spec.y[1], bottom - spec.bottom];
        (spec.x, spec.y, spec.bottom) = (x, y, bottom);
        if changes.iter().all(|change| change.abs() < UNCHANGED * lengths_of_whole[0]) {
            break;
        }
    }
    Ok(())
}

/// The error of layers that leave too little along an axis.
fn too_thick(setup: &Setup, axis: usize) -> Error {
    let across = setup.elements_across_layers_inside();
    let side = if across[2 * axis] >= across[2 * axis + 1] { 2 * axis } else { 2 * axis + 1 };
    let absorbing = &setup.method.sem().absorbing;
    let path = KeyPath::default().key("method").key("sem").key("absorbing");
    let named = BoxSide::ALL[side];
    let path = if absorbing.named(named).is_some() { path.key(named.name()) } else { path };
    let message = match axis {
        2 => "a layer of this thickness does not fit into the lowest region of the model".to_owned(),
        _ => format!("layers of this thickness fill almost the whole width of domain.{}", ["x", "y"][axis]),
    };
    let problem = Problem::new(path.key("cpml").key("elements"), message);
    let hint = "enlarge the domain, use fewer elements, or remove `inside` to place the layers around the domain";
    Error::OfKey(Box::new(problem.value(across[side]).hint(hint)))
}
