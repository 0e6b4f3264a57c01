//! Rotation of north and east to radial and transverse.

use craton_acquisition::Quantity;

use super::files::Outline;
use crate::error::ProcessError;
use crate::traces::clockwise;

/// Epicentral distance below which the direction is undefined [m].
const AT_EVENT: f64 = 1e-6;
/// Tolerance of back-azimuths in headers [degrees].
const SAME_DIRECTION: f64 = 1e-3;

/// The two traces of a group to rotate, and the angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Turn {
    /// Index of the northern component, which becomes the radial one.
    pub north: usize,
    /// Index of the eastern component, which becomes the transverse one.
    pub east: usize,
    /// Direction from the station to the event, clockwise from the northern component [degrees].
    back_azimuth: f64,
}

impl Turn {
    /// Finds the horizontal components of a seismogram and names them R and T; `None` without horizontal components, as
    /// for pressure.
    ///
    /// # Arguments
    /// * `group` – all components of one seismogram
    /// * `event` – position of the event in the model, x and y [m]; otherwise from the headers
    /// # Errors
    /// One horizontal component without the other, two with different times or directions, or an unknown direction to
    /// the event.
    pub fn of(group: &mut [&mut Outline], event: Option<[f64; 2]>) -> Result<Option<Self>, ProcessError> {
        let last = |outline: &Outline| outline.name.component.chars().last();
        let is_vector = |outline: &Outline| outline.quantity.is_none_or(Quantity::is_vector);
        let find = |letters: [char; 2]| {
            let is_it = |outline: &&mut Outline| {
                is_vector(outline) && last(outline).is_some_and(|letter| letters.contains(&letter))
            };
            group.iter().position(is_it)
        };
        let (north, east) = match (find(['N', 'Y']), find(['E', 'X'])) {
            (Some(north), Some(east)) => (north, east),
            (None, None) => return Ok(None),
            (Some(alone), None) | (None, Some(alone)) => {
                return Err(ProcessError::MissingComponent {
                    file: group[alone].file.clone(),
                    missing: if last(group[alone]) == Some('N') || last(group[alone]) == Some('Y') {
                        "E or X"
                    } else {
                        "N or Y"
                    },
                });
            }
        };
        check_equal(group[north], group[east])?;
        let back_azimuth = direction(group[north], event)?;
        let convergence = group[north].situation.convergence;
        for (index, letter, azimuth) in [(north, "R", back_azimuth + 180.0), (east, "T", back_azimuth + 270.0)] {
            let outline = &mut *group[index];
            outline.name.component.pop();
            outline.name.component.push_str(letter);
            outline.azimuth = Some(clockwise(azimuth));
            outline.situation.radial = Some(clockwise(back_azimuth + 180.0));
            outline.back_azimuth = outline.back_azimuth.or(Some(back_azimuth));
        }
        Ok(Some(Self { north, east, back_azimuth: back_azimuth - convergence }))
    }

    /// Rotates the samples: R = -N cos β - E sin β, T = N sin β - E cos β with the back-azimuth β.
    ///
    /// Verified by `process::a_rotation_agrees_with_a_hand_calculation`.
    pub fn turn(self, north: &mut [f64], east: &mut [f64]) {
        let (sin, cos) = self.back_azimuth.to_radians().sin_cos();
        for (north, east) in north.iter_mut().zip(east) {
            (*north, *east) = (-*north * cos - *east * sin, *north * sin - *east * cos);
        }
    }
}

fn check_equal(north: &Outline, east: &Outline) -> Result<(), ProcessError> {
    let differ = |what, of_first: String, of_second: String| {
        let (first, second) = (north.file.clone(), east.file.clone());
        Err(ProcessError::UnequalComponents { first, second, what, of_first, of_second })
    };
    let (a, b) = (north.axis, east.axis);
    if a.count != b.count {
        return differ("samples", a.count.to_string(), b.count.to_string());
    }
    if (a.dt - b.dt).abs() > 1e-6 * a.dt {
        return differ("s between samples", a.dt.to_string(), b.dt.to_string());
    }
    let zeros = north.situation.zero.zip(east.situation.zero);
    let apart = zeros.map_or(0.0, |(zero, other)| zero.seconds_after(&other));
    if (a.start - b.start + apart).abs() > 1e-3 * a.dt {
        return differ("s at the first sample", a.start.to_string(), b.start.to_string());
    }
    let differ_in_direction = |a: f64, b: f64| ((a - b + 180.0).rem_euclid(360.0) - 180.0).abs() > SAME_DIRECTION;
    match (north.back_azimuth, east.back_azimuth) {
        (Some(a), Some(b)) if differ_in_direction(a, b) => {
            return differ("degrees of back-azimuth", a.to_string(), b.to_string());
        }
        _ => {}
    }
    let [a, b] = [north, east].map(|outline| outline.situation.convergence);
    if differ_in_direction(a, b) {
        let (first, second) = (north.file.clone(), east.file.clone());
        let (of_first, of_second) = (clockwise(a), clockwise(b + 90.0));
        return Err(ProcessError::NotPerpendicular { first, second, of_first, of_second });
    }
    Ok(())
}

/// Direction from the station to the event, clockwise from true north [degrees]. Positions in the model refer to the axes of
/// its components.
fn direction(outline: &Outline, event: Option<[f64; 2]>) -> Result<f64, ProcessError> {
    let file = || outline.file.clone();
    let Some([x0, y0]) = event else {
        return outline.back_azimuth.ok_or_else(|| ProcessError::NoBackAzimuth { file: file() });
    };
    if outline.situation.on_sphere {
        return Err(ProcessError::OnSphere { file: file() });
    }
    let [x, y, _] = outline.position.ok_or_else(|| ProcessError::NoPosition { file: file() })?;
    let (dx, dy) = (x0 - x, y0 - y);
    if dx.hypot(dy) < AT_EVENT {
        return Err(ProcessError::AtEvent { file: file(), position: [x, y] });
    }
    Ok(clockwise(dx.atan2(dy).to_degrees() + outline.situation.convergence))
}
