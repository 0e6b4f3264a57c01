//! Component directions of the receivers.

use craton_acquisition::{AxisNames, Receiver, Source};
use craton_model::geodesy::LocalFrame;

use super::findings::Findings;
use super::receivers::and_others;
use super::sources::Sources;
use crate::config::{self, Components, Quantity};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::traces::{Way, clockwise};

/// Epicentral distance below which the direction to the epicentre is undefined [m].
const AT_EPICENTRE: f64 = 1e-3;

/// The component directions of all receivers.
#[derive(Debug, Clone, PartialEq)]
pub struct Directions {
    /// The sets of component names, without duplicates: axes, radial, or both.
    pub names: Vec<AxisNames>,
    /// The epicentre for radial directions, x and y [m]; `None` without radial components.
    pub epicentre: Option<[f64; 2]>,
}

impl Directions {
    /// The directions that a scenario requests, with a problem for receivers whose direction is undefined.
    pub fn new(
        written: &config::Receivers,
        frame: &LocalFrame,
        (sources, receivers): (&Sources, &[Receiver]),
        findings: &mut Findings,
    ) -> Self {
        let name = |components: &Components| match components {
            Components::Axes => axis_names(frame),
            Components::Radial => AxisNames::Radial,
        };
        let mut names = Vec::new();
        for name in written.components.iter().map(name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let is_vector = |quantity: &Quantity| *quantity != Quantity::Pressure;
        if !names.contains(&AxisNames::Radial) || !written.quantities.iter().any(is_vector) {
            return Self { names, epicentre: None };
        }
        let epicentre = epicentre(frame, sources, findings);
        if let Some(epicentre) = epicentre {
            findings.problems.extend(at_epicentre(epicentre, frame, receivers));
        }
        Self { names, epicentre }
    }

    /// Unit vectors of a set of components at a receiver, in the axes of the mesh.
    ///
    /// # Arguments
    /// * `name` – one of the sets
    ///
    /// Verified by `components::radial_components_of_a_run_equal_rotated_ones`.
    pub fn axes_at(&self, name: AxisNames, frame: &LocalFrame, receiver: [f64; 3]) -> [[f64; 3]; 3] {
        let [x, y, _] = receiver;
        let [east, north, up] = frame.axes_at([x, y]);
        match self.azimuth(frame, receiver).filter(|_| name == AxisNames::Radial) {
            None => [east, north, up],
            Some(azimuth) => {
                let (sin, cos) = (azimuth - frame.convergence([x, y])).to_radians().sin_cos();
                let mixed = |a: f64, b: f64| std::array::from_fn(|axis| a * east[axis] + b * north[axis]);
                [mixed(sin, cos), mixed(cos, -sin), up]
            }
        }
    }

    /// Azimuth of the radial component at a receiver, clockwise from true north or y [degrees]: opposite to the back-azimuth of
    /// the headers; `None` without radial components.
    ///
    /// Verified by `directions::the_radial_component_of_a_run_equals_the_rotated_one`.
    pub fn azimuth(&self, frame: &LocalFrame, receiver: [f64; 3]) -> Option<f64> {
        let [x, y] = self.epicentre?;
        Some(clockwise(Way::between(frame, [x, y, 0.0], receiver).back_azimuth + 180.0))
    }
}

/// The names of the horizontal axes.
pub fn axis_names(frame: &LocalFrame) -> AxisNames {
    if frame.is_geographic() { AxisNames::Geographic } else { AxisNames::Cartesian }
}

fn path() -> KeyPath {
    KeyPath::default().key("receivers").key("components")
}

/// The epicentre of the event in the headers, or of the earliest source if there is no event. Warns if other sources
/// have another epicentre; a problem if there is no source.
fn epicentre(frame: &LocalFrame, sources: &Sources, findings: &mut Findings) -> Option<[f64; 2]> {
    let Sources { all, event, .. } = sources;
    let of_event = all.iter().find(|source| event.position == Some(source.position()));
    let earliest = || all.iter().min_by(|a, b| a.event_time().total_cmp(&b.event_time()));
    let Some(reference) = of_event.or_else(earliest) else {
        // Invalid sources have their own problems.
        if findings.problems.is_empty() {
            let problem = Problem::new(path(), "radial components require a source");
            findings.problems.push(problem.hint("remove \"radial\""));
        }
        return None;
    };
    let distance = |source: &Source| Way::in_the_model(frame, reference.position(), source.position()).distance;
    let farthest = all.iter().map(distance).fold(0.0, f64::max);
    if farthest > AT_EPICENTRE {
        findings.warnings.push(format!(
            "{}: radial and transverse directions refer to the epicentre of {}, the {} of {} sources; the farthest one is {:.4} m away",
            path(),
            reference.name(),
            if event.zero.is_some() { "first by date" } else { "earliest" },
            all.len(),
            Number(farthest),
        ));
    }
    let [x, y, _] = reference.position();
    Some([x, y])
}

/// The problem of receivers at the epicentre.
fn at_epicentre([x, y]: [f64; 2], frame: &LocalFrame, receivers: &[Receiver]) -> Option<Problem> {
    let is_there =
        |receiver: &&Receiver| Way::in_the_model(frame, [x, y, 0.0], receiver.position()).distance < AT_EPICENTRE;
    let codes: Vec<String> = receivers.iter().filter(is_there).map(Receiver::code).collect();
    let (first, others) = codes.split_first()?;
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let place = frame.to_map([x, y]).map(Number);
    let unit = if frame.is_geographic() { "longitude and latitude" } else { "x and y" };
    let message = format!(
        "receiver {first} is at the epicentre, {unit} {}, {}, where the radial direction is undefined{}",
        place[0],
        place[1],
        and_others(&others),
    );
    Some(Problem::new(path(), message).hint("move it by a metre, or record only components = [\"axes\"]"))
}
