//! The box of a mesh with absorbing layers inside the domain.

use craton_mesh::{BoxPlan, BoxSpec};

use super::of_scenario;
use crate::config::BoxSide;
use crate::error::{Error, Problem};
use crate::key_path::KeyPath;
use crate::setup::Setup;

/// Number of plans after which the thickness of the layers is that of the elements of the box that is left.
const ROUNDS: usize = 3;

/// Smallest thickness of the lowest elements relative to that without layers: thinner ones are what the layers leave of a stratum.
const THINNEST: f64 = 0.2;

/// Shrinks a box by the thickness of the layers inside the domain of a scenario. Their outer ends are near the sides of the domain, since numbers of elements
/// change in steps.
///
/// # Errors
/// Layers that leave nothing of the domain.
///
/// Verified by `layers_inside_the_domain_end_at_its_sides`.
pub fn without_layers_inside(setup: &Setup, spec: &mut BoxSpec) -> Result<(), Error> {
    let inside = setup.elements_across_layers_inside().map(f64::from);
    if inside == [0.0; 6] {
        return Ok(());
    }
    let mut lowest = 0.0;
    for round in 0..=ROUNDS {
        let pinched = || too_thick(setup, 2, "the absorbing layers reach above the lowest interface of the model");
        let plan = BoxPlan::new(spec).map_err(|error| match round {
            0 => of_scenario(error, setup.method.sem()),
            _ => pinched(),
        })?;
        let extents = plan.outer_extents();
        lowest = f64::max(lowest, extents[2]);
        if extents[2] < THINNEST * lowest {
            return Err(pinched());
        }
        if round == ROUNDS {
            break;
        }
        let range = |axis: usize, [low, high]: [f64; 2]| {
            let left = [low + inside[2 * axis] * extents[axis], high - inside[2 * axis + 1] * extents[axis]];
            let message = format!("the absorbing layers fill the whole width of domain.{}", ["x", "y", "z"][axis]);
            if left[0] < left[1] { Ok(left) } else { Err(too_thick(setup, axis, &message)) }
        };
        [spec.x, spec.y, [spec.bottom, _]] = [range(0, setup.x)?, range(1, setup.y)?, range(2, setup.z)?];
    }
    Ok(())
}

/// The error of layers that leave too little of the domain along an axis.
fn too_thick(setup: &Setup, axis: usize, message: &str) -> Error {
    let absorbing = &setup.method.sem().absorbing;
    let path = KeyPath::default().key("method").key("sem").key("absorbing");
    let side = BoxSide::ALL[2 * axis];
    let path = if absorbing.named(side).is_some() { path.key(side.name()) } else { path };
    let problem = Problem::new(path.key("cpml").key("elements"), message);
    let elements = setup.elements_across_layers_inside()[2 * axis];
    Error::OfKey(Box::new(
        problem.value(elements).hint("make the layers thinner, or remove `inside` to place them around the domain"),
    ))
}
