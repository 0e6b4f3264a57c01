//! Along which directions receivers tell what they record.

use craton_acquisition::{AxisNames, Receiver, Source};
use craton_model::geodesy::LocalFrame;

use super::findings::Findings;
use super::receivers::and_others;
use super::sources::Sources;
use crate::config::{self, Components, Quantity};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::traces::Way;

/// Distance from the epicentre below which a receiver has no direction to it [m].
const AT_EPICENTRE: f64 = 1e-3;

/// The directions of components at every receiver.
#[derive(Debug, Clone, PartialEq)]
pub struct Directions {
    /// Their names, each once: of the axes, radial, or both.
    pub names: Vec<AxisNames>,
    /// Where radial directions come from, x and y [m]; none where nothing is radial.
    pub epicentre: Option<[f64; 2]>,
}

impl Directions {
    /// The directions that a scenario asks for, with a problem for receivers that have none.
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

    /// Unit vectors along the components of a name at a receiver, along the axes of the mesh.
    ///
    /// # Arguments
    /// * `name` – one of these
    ///
    /// Verified by `components::radial_components_of_a_run_are_those_of_a_rotation`.
    pub fn axes_at(&self, name: AxisNames, frame: &LocalFrame, receiver: [f64; 3]) -> [[f64; 3]; 3] {
        let [x, y, _] = receiver;
        let [east, north, up] = frame.axes_at([x, y]);
        match self.azimuth(frame, receiver).filter(|_| name == AxisNames::Radial) {
            None => [east, north, up],
            Some(azimuth) => {
                let (sin, cos) = azimuth.to_radians().sin_cos();
                let mixed = |a: f64, b: f64| std::array::from_fn(|axis| a * east[axis] + b * north[axis]);
                [mixed(sin, cos), mixed(cos, -sin), up]
            }
        }
    }

    /// The direction away from the epicentre at a receiver, clockwise from north or y [degrees]; none where nothing is radial.
    pub fn azimuth(&self, frame: &LocalFrame, receiver: [f64; 3]) -> Option<f64> {
        let [x, y] = self.epicentre?;
        let back = Way::along_the_axes(frame, [x, y, 0.0], receiver).back_azimuth;
        Some((back + 180.0).rem_euclid(360.0))
    }
}

/// What the horizontal axes are called.
pub fn axis_names(frame: &LocalFrame) -> AxisNames {
    if frame.is_geographic() { AxisNames::Geographic } else { AxisNames::Cartesian }
}

fn path() -> KeyPath {
    KeyPath::default().key("receivers").key("components")
}

/// The epicentre of the event, which headers tell too, or of the earliest source where nothing is known of one; with a warning
/// where there are others, and a problem where there is none.
fn epicentre(frame: &LocalFrame, sources: &Sources, findings: &mut Findings) -> Option<[f64; 2]> {
    let Sources { all, event, .. } = sources;
    let of_event = all.iter().find(|source| event.position == Some(source.position()));
    let earliest = || all.iter().min_by(|a, b| a.event_time().total_cmp(&b.event_time()));
    let Some(told) = of_event.or_else(earliest) else {
        // Sources that were refused have a problem of their own.
        if findings.problems.is_empty() {
            let problem = Problem::new(path(), "there is no source from which anything could be radial");
            findings.problems.push(problem.hint("leave \"radial\" out"));
        }
        return None;
    };
    let distance = |source: &Source| Way::along_the_axes(frame, told.position(), source.position()).distance;
    let farthest = all.iter().map(distance).fold(0.0, f64::max);
    if farthest > AT_EPICENTRE {
        findings.warnings.push(format!(
            "{}: radial and transverse are told from the epicentre of {}, the {} of {} sources, of which the farthest lies {:.4} m from there",
            path(),
            told.name(),
            if event.zero.is_some() { "first by date" } else { "earliest" },
            all.len(),
            Number(farthest),
        ));
    }
    let [x, y, _] = told.position();
    Some([x, y])
}

/// The problem of receivers at the epicentre.
fn at_epicentre([x, y]: [f64; 2], frame: &LocalFrame, receivers: &[Receiver]) -> Option<Problem> {
    let is_there =
        |receiver: &&Receiver| Way::along_the_axes(frame, [x, y, 0.0], receiver.position()).distance < AT_EPICENTRE;
    let codes: Vec<String> = receivers.iter().filter(is_there).map(Receiver::code).collect();
    let (first, others) = codes.split_first()?;
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let place = frame.to_map([x, y]).map(Number);
    let unit = if frame.is_geographic() { "longitude and latitude" } else { "x and y" };
    let message = format!(
        "receiver {first} stands at the epicentre, {unit} {}, {}, where no direction is radial{}",
        place[0],
        place[1],
        and_others(&others),
    );
    Some(Problem::new(path(), message).hint("move it by a metre, or record components = [\"axes\"] alone"))
}
