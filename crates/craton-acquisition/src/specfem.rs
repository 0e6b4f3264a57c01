//! Conversion of SPECFEM3D set-ups to sources and receivers: units, depths, time shifts and time functions.

use craton_formats::cmtsolution::CmtSource;
use craton_formats::forcesolution::{ForceSource, ForceTimeFunction, TIME_FUNCTIONS};
use craton_formats::stations::Station;

use crate::time_function::HALF_DURATION_OVER_WIDTH;
use crate::{AcquisitionError, Describes, Mechanism, MomentTensor, Receiver, Receivers, Source, TimeFunction};

/// Shortest half duration, in time steps of the set-up.
const SHORTEST_HALF_DURATION: f64 = 5.0;

/// Values that station files use for an unknown elevation \[m\].
const UNKNOWN_ELEVATIONS: [f64; 2] = [-12345.0, 99999.0];

/// Conversion of the positions of a set-up to model coordinates.
pub trait MapFrame {
    /// Converts a longitude and latitude (or x and y, without a projection) to model coordinates x, y \[m\]. The error is the reason why a
    /// position cannot be converted.
    fn to_model(&self, longitude_or_x: f64, latitude_or_y: f64) -> Result<[f64; 2], String>;

    /// Height z of the surface of the model \[m\].
    fn surface(&self, x: f64, y: f64) -> f64;
}

/// Sources of a set-up, delayed so that the simulation begins at t = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecfemSources {
    /// The sources.
    pub sources: Vec<Source>,
    /// The common delay \[s\]: SPECFEM's time axis is t - t0.
    pub t0: f64,
}

/// Converts the sources of a CMTSOLUTION; the moment history is ½ (1 + erf(t/w)), w = half duration / 1.628.
///
/// # Arguments
/// * `cmt` – the sources as read
/// * `frame` – conversion of their positions
/// * `dt` – time step of the set-up \[s\]; half durations shorter than 5 dt are set to 5 dt. 0 for no bound.
/// # Errors
/// A position outside the projection, a moment of zero, a half duration of zero without a bound.
pub fn sources_from_cmt(cmt: &[CmtSource], frame: &dyn MapFrame, dt: f64) -> Result<SpecfemSources, AcquisitionError> {
    let first_shift = earliest(cmt.iter().map(|source| source.time_shift));
    let mut undelayed = Vec::with_capacity(cmt.len());
    let mut t0 = 0.0f64;
    for (index, source) in cmt.iter().enumerate() {
        let name = numbered_name(&source.event_name, index, cmt.len());
        let position = place(frame, &name, [source.longitude_or_x, source.latitude_or_y], source.depth())?;
        let half_duration = source.half_duration.max(SHORTEST_HALF_DURATION * dt);
        let time_function = TimeFunction::gaussian_of_half_duration(half_duration, 0.0)?;
        let tensor = MomentTensor::new(source.moment_newton_metre())?;
        let shift = source.time_shift - first_shift;
        t0 = t0.max(2.0 * (half_duration - shift));
        let mechanism = Mechanism::Moment(tensor);
        undelayed.push((Source::new(name, position, mechanism, time_function)?, shift));
    }
    delayed(undelayed, t0)
}

/// Converts the sources of a FORCESOLUTION.
///
/// # Arguments
/// As [`sources_from_cmt`]; the bound of 5 dt applies to Gaussians and steps.
/// # Errors
/// A position outside the projection, a force or a duration of zero, no time function, a monochromatic or Meschede one.
pub fn sources_from_forces(
    forces: &[ForceSource],
    frame: &dyn MapFrame,
    dt: f64,
) -> Result<SpecfemSources, AcquisitionError> {
    let first_shift = earliest(forces.iter().map(|force| force.time_shift));
    let mut undelayed = Vec::with_capacity(forces.len());
    let mut t0 = 0.0f64;
    for (index, force) in forces.iter().enumerate() {
        let name = numbered_name(&format!("FORCE {}", force.id), index, forces.len());
        let position = place(frame, &name, [force.longitude_or_x, force.latitude_or_y], force.depth())?;
        let (time_function, lead) = force_time_function(force, &name, dt)?;
        let shift = force.time_shift - first_shift;
        t0 = t0.max(lead.factor * (lead.duration - shift));
        let source = Source::new(name, position, Mechanism::Force(force.force()), time_function)?
            .describing(Describes::History)?;
        undelayed.push((source, shift));
    }
    delayed(undelayed, t0)
}

/// Converts the receivers of a STATIONS file: those with a burial of zero are on the surface, the others below it. As in SPECFEM, the
/// elevation column does not change the position; it is kept for trace headers unless it is -12345 or 99999, which mean unknown.
///
/// # Errors
/// A position outside the projection, a code that cannot be used in a file name or occurs twice.
pub fn receivers_from_stations(stations: &[Station], frame: &dyn MapFrame) -> Result<Receivers, AcquisitionError> {
    let receivers = stations.iter().map(|station| {
        let code = format!("{}.{}", station.network, station.name);
        let map = [station.longitude_or_x, station.latitude_or_y];
        let position = place(frame, &code, map, station.burial)?;
        let elevation = Some(station.elevation).filter(|elevation| !UNKNOWN_ELEVATIONS.contains(elevation));
        let receiver = Receiver::new(&code, position)?.at_elevation(elevation);
        Ok(match station.burial {
            0.0 => receiver.on_surface(),
            _ => receiver,
        })
    });
    Receivers::new(receivers.collect::<Result<_, AcquisitionError>>()?)
}

/// Lead time of a force: it starts `factor` times `duration` before t = 0.
struct Lead {
    factor: f64,
    duration: f64,
}

/// Returns the time function of a force and its lead time. Brune's functions start at t = 0 and need none.
fn force_time_function(force: &ForceSource, name: &str, dt: f64) -> Result<(TimeFunction, Lead), AcquisitionError> {
    let given = force.half_duration_or_frequency;
    let half_duration = given.max(SHORTEST_HALF_DURATION * dt);
    let smooth = Lead { factor: 1.5, duration: half_duration };
    let prompt = Lead { factor: 0.0, duration: 0.0 };
    let missing = || AcquisitionError::NoTimeFunction { source_name: name.to_owned(), meanings: TIME_FUNCTIONS };
    let chosen = force.time_function.ok_or_else(missing)?;
    Ok(match chosen {
        ForceTimeFunction::Gaussian => (TimeFunction::gaussian_of_half_duration(half_duration, 0.0)?, smooth),
        ForceTimeFunction::Step => {
            let width = half_duration / HALF_DURATION_OVER_WIDTH;
            (TimeFunction::error_function(width, 0.0)?, smooth)
        }
        ForceTimeFunction::Ricker => {
            let wavelet = TimeFunction::ricker(given, 0.0)?;
            (wavelet, Lead { factor: 1.2, duration: given.recip() })
        }
        ForceTimeFunction::Brune => (TimeFunction::brune(given.recip(), 0.0)?, prompt),
        ForceTimeFunction::SmoothedBrune => (TimeFunction::smoothed_brune(given.recip(), 0.0)?, prompt),
        ForceTimeFunction::Monochromatic | ForceTimeFunction::MeschedeGaussian => {
            return Err(AcquisitionError::UnknownTimeFunction { source_name: name.to_owned(), code: chosen as usize });
        }
    })
}

fn earliest(shifts: impl Iterator<Item = f64>) -> f64 {
    shifts.fold(f64::INFINITY, f64::min)
}

/// Returns the name, with a number from 1 if there are several sources.
fn numbered_name(name: &str, index: usize, count: usize) -> String {
    match count {
        1 => name.to_owned(),
        _ => format!("{name} ({} of {count})", index + 1),
    }
}

fn place(
    frame: &dyn MapFrame,
    name: &str,
    [longitude_or_x, latitude_or_y]: [f64; 2],
    depth: f64,
) -> Result<[f64; 3], AcquisitionError> {
    let [x, y] = frame
        .to_model(longitude_or_x, latitude_or_y)
        .map_err(|reason| AcquisitionError::Unplaceable { name: name.to_owned(), reason })?;
    Ok([x, y, frame.surface(x, y) - depth])
}

fn delayed(undelayed: Vec<(Source, f64)>, t0: f64) -> Result<SpecfemSources, AcquisitionError> {
    let sources = undelayed.into_iter().map(|(source, shift)| source.delayed(t0 + shift)).collect::<Result<_, _>>()?;
    Ok(SpecfemSources { sources, t0 })
}
