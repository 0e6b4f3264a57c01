//! Seismograms that a requested gather cannot represent.

use craton_acquisition::Receiver;
use craton_formats::asdf;
use craton_formats::segy::{BinaryHeader, SampleFormat};

use super::findings::Findings;
use crate::config::{Config, FibreFormat, GatherFormat};
use crate::error::Problem;
use crate::key_path::KeyPath;

/// Finds receivers and sampling that the formats of `output.gathers` and `output.fibres` cannot represent.
///
/// # Arguments
/// * `start` – start of the seismograms [s]
///
/// Verified by `gathers_that_cannot_be_written_are_refused`.
pub fn check(config: &Config, receivers: &[Receiver], start: f64, findings: &mut Findings) {
    let path = KeyPath::default().key("output").key("gathers");
    if config.output.gathers.contains(&GatherFormat::Asdf) {
        let codes = |receiver: &Receiver| {
            asdf::check_codes(receiver.network(), receiver.station(), receiver.location().unwrap_or_default()).err()
        };
        if let Some((receiver, refused)) =
            receivers.iter().find_map(|receiver| Some((receiver.code(), codes(receiver)?)))
        {
            let problem = Problem::new(&path, format!("ASDF does not support the code of {receiver}: {refused}"));
            findings.problems.push(problem.hint("change the code, or remove \"asdf\""));
        }
    }
    let of_fibres = !config.receivers.fibres.is_empty() && config.output.fibres.contains(&FibreFormat::Segy);
    if config.output.gathers.contains(&GatherFormat::Segy) || of_fibres {
        let path = if of_fibres { KeyPath::default().key("output").key("fibres") } else { path };
        let Some(interval) = config.output.sample_interval else {
            let problem =
                Problem::new(&path, "SEG-Y requires `sample_interval`: the time step is not known beforehand");
            findings.problems.push(problem.hint("set output.sample_interval to a whole number of microseconds"));
            return;
        };
        let samples = ((config.duration - start) / interval + 1e-6).floor() as usize + 1;
        if let Err(refused) = BinaryHeader::new(interval, samples, SampleFormat::Ieee) {
            let problem = Problem::new(&path, format!("SEG-Y does not support these seismograms: {refused}"));
            findings.problems.push(problem.hint("change output.sample_interval, or remove \"segy\""));
        }
    }
}
