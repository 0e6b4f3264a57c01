//! Corrections of the sums for smooth surfaces.

use craton_device::{Isa, Workers};
use craton_gravity::{Gravity, Limits, Points, Prisms};
use craton_run::Cancel;

use crate::gravity::setup::{Grounds, Setup};

/// The limits on faces of prisms, and those of all prisms including the ones under a smooth surface, whose faces are corrected instead; `None` if
/// interrupted.
///
/// # Arguments
/// * `prisms` – the prisms of the sums: all of the setup if it has smooth surfaces
pub fn limits(
    setup: &Setup,
    prisms: &Prisms,
    points: &Points,
    workers: &Workers,
    isa: Isa,
    cancel: &Cancel,
) -> Option<[Limits; 2]> {
    let may_continue = || !cancel.is_cancelled();
    let all = Limits::new_while(prisms, points, workers, isa, &may_continue)?;
    let corrected = &setup.grounds.prisms;
    if corrected.is_empty() || all.is_empty() {
        return Some([all.clone(), all]);
    }
    let others: Vec<usize> =
        (0..prisms.len()).filter(|prism| !corrected.iter().any(|range| range.contains(prism))).collect();
    let others = workers.run(|| prisms.ordered(&others));
    Some([Limits::new_while(&others, points, workers, isa, &may_continue)?, all])
}

/// Adds the corrections at points; `None` if interrupted.
pub fn add(
    grounds: &Grounds,
    gravity: &mut Gravity,
    points: &Points,
    workers: &Workers,
    isa: Isa,
    cancel: &Cancel,
) -> Option<()> {
    let may_continue = || !cancel.is_cancelled();
    for ground in &grounds.parts {
        gravity.add(&ground.forward(points, gravity.fields(), workers, isa, &may_continue)?);
    }
    Some(())
}
