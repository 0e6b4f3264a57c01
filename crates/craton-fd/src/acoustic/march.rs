//! Temporal blocking on a CPU: several steps march through the planes across z, each some planes behind the previous one, so that a step finds the
//! data of the previous one in cache.

/// Half of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Velocity update from the pressure.
    Velocity,
    /// Pressure update from the velocities.
    Pressure,
}

/// The update of a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Step, counted from the first of those in flight.
    pub step: usize,
    /// Half of the step.
    pub half: Half,
    /// The plane, counted from the bottom.
    pub plane: usize,
}

/// The order of the updates of some steps. Velocities in a plane need the pressure of L planes below and L - 1 above; pressure needs the velocities
/// of L - 1 planes below and L above.
///
/// # Arguments
/// * `planes` – planes of pressure; velocities have one more, at the free top
/// * `half_length` – L of the stencil
/// * `steps` – number of steps in flight
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
    fn every_update_reads_values_of_the_right_step() {
        for (planes, half_length, steps) in [(1, 1, 3), (5, 2, 1), (9, 4, 3), (40, 8, 4), (3, 8, 2)] {
            // Number of completed steps of each plane.
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
