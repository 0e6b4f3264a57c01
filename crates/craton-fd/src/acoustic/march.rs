//! The way of a CPU through the planes across z: several steps are in flight, each some planes behind the one before, so that what a step has brought near
//! serves the next ones, too.

/// Half of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Velocities, by the pressure.
    Velocity,
    /// Pressure, by the velocities.
    Pressure,
}

/// A plane whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Steps before it, of those that march together.
    pub step: usize,
    /// What moves.
    pub half: Half,
    /// The plane, from the bottom.
    pub plane: usize,
}

/// The turns of some steps. Velocities in a plane need the pressure of L planes below and L - 1 above, pressure the velocities of L - 1 below and L above.
///
/// # Arguments
/// * `planes` – of pressure; velocities have one more, the free top
/// * `half_length` – L of the stencil
/// * `steps` – in flight together
pub fn turns(planes: usize, half_length: usize, steps: usize) -> impl Iterator<Item = Turn> {
    let lag = 2 * half_length - 1;
    let fronts = planes + 1 + half_length + lag * steps.saturating_sub(1);
    (0..fronts).flat_map(move |front| {
        (0..steps).flat_map(move |step| {
            let velocity = front.checked_sub(lag * step);
            let pressure = front.checked_sub(lag * step + half_length);
            let turn = move |half, plane: Option<usize>, count: usize| {
                plane.filter(|&plane| plane < count).map(|plane| Turn { step, half, plane })
            };
            [turn(Half::Velocity, velocity, planes + 1), turn(Half::Pressure, pressure, planes)].into_iter().flatten()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plane_finds_what_it_needs_and_nothing_newer() {
        for (planes, half_length, steps) in [(1, 1, 3), (5, 2, 1), (9, 4, 3), (40, 8, 4), (3, 8, 2)] {
            // Steps that each plane has behind it.
            let (mut velocity, mut pressure) = (vec![0; planes + 1], vec![0; planes]);
            let around = |plane: usize, below: usize, above: usize, len: usize| {
                plane.saturating_sub(below)..(plane + above + 1).min(len)
            };
            for Turn { step, half, plane } in turns(planes, half_length, steps) {
                match half {
                    Half::Velocity => {
                        let needed = around(plane, half_length, half_length - 1, planes);
                        assert!(pressure[needed].iter().all(|&done| done == step), "{plane} {step}");
                        assert_eq!(velocity[plane], step);
                        velocity[plane] += 1;
                    }
                    Half::Pressure => {
                        let needed = around(plane, half_length - 1, half_length, planes + 1);
                        assert!(velocity[needed].iter().all(|&done| done == step + 1), "{plane} {step}");
                        assert_eq!(pressure[plane], step);
                        pressure[plane] += 1;
                    }
                }
            }
            assert!(velocity.iter().chain(&pressure).all(|&done| done == steps));
        }
    }
}
