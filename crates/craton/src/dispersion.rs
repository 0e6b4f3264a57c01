//! Residual error of the time-dispersion correction.

use craton_acquisition::{Describes, Source, TimeFunction};
use craton_numerics::NumericsError;
use craton_numerics::dispersion::Residual;

use crate::error::Error;
use crate::number::Number;
use crate::placing::has_rate_alone;
use crate::setup::{ONSET_THRESHOLD, Setup};
use crate::time_axis::TimeAxis;

/// The source with the largest residual of the time-dispersion correction.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeDispersion {
    /// Relative L2 residual below the highest frequency of the run; 0 if no source is active.
    pub residual: f64,
    /// Name of the source.
    pub source: String,
}

impl TimeDispersion {
    /// The largest residual of the sources of a run; `None` without time-dispersion correction.
    ///
    /// Of active sources with the same time function only the earliest and the latest are checked: the residual depends on
    /// the sharpness of a source, and on its truncation at the start and the end of the run. Other warnings of the scenario
    /// cover inactive sources; their residual would be relative to what round-off and their tails leave.
    ///
    /// # Errors
    /// A source with values that are not finite.
    pub fn new(setup: &Setup, axis: &TimeAxis) -> Result<Option<Self>, Error> {
        if !axis.corrected {
            return Ok(None);
        }
        // The scheme has nothing to compare above its Nyquist frequency.
        let max_frequency = setup.method.max_frequency().min(0.5 / axis.dt);
        let transforms = Residual::new(axis.steps as usize, axis.dt, max_frequency)?;
        let mut worst = Self { residual: 0.0, source: String::new() };
        for source in earliest_and_latest(setup.sources.iter().filter(|source| is_active(source, axis))) {
            let function = |after_start: f64| transformed(source, axis.start + after_start);
            let residual = match transforms.of(function) {
                Err(NumericsError::ZeroTrace { .. }) => continue,
                residual => residual?,
            };
            if worst.source.is_empty() || residual > worst.residual {
                worst = Self { residual, source: source.name().to_owned() };
            }
        }
        Ok(Some(worst))
    }

    /// Residual from which on the user is warned: the error of a good mesh.
    const NEGLIGIBLE: f64 = 0.01;

    /// The warning about a residual.
    pub fn warning(&self) -> Option<String> {
        let (source, percent) = (&self.source, Number(100.0 * self.residual));
        (self.residual > Self::NEGLIGIBLE).then(|| {
            format!(
                "the time-dispersion correction of {source} leaves an error of {percent:.2} % below max_frequency: it is too fast for the \
                 time steps; lower method.sem.courant, or use a smoother time function"
            )
        })
    }
}

/// The function of time [s] to which the transforms are applied.
fn transformed(source: &Source, time: f64) -> f64 {
    if has_rate_alone(source) { source.rate_history(time) } else { source.history(time) }
}

/// Whether a source acts during a run: not only before its start, or after its end.
fn is_active(source: &Source, axis: &TimeAxis) -> bool {
    /// Number of samples before the start.
    const SAMPLES: usize = 1000;
    let onset = source.onset(ONSET_THRESHOLD);
    let value = |time: f64| transformed(source, time).abs();
    let has_ended = || {
        let before = |sample: usize| value(onset + (axis.start - onset) * sample as f64 / SAMPLES as f64);
        let least = ONSET_THRESHOLD * (0..=SAMPLES).map(before).fold(0.0, f64::max);
        (0..=axis.steps).all(|step| value(axis.start + step as f64 * axis.dt) < least)
    };
    onset < axis.end && (onset >= axis.start || !has_ended())
}

/// The first and the last of all sources with the same time function.
fn earliest_and_latest<'a>(sources: impl IntoIterator<Item = &'a Source>) -> Vec<&'a Source> {
    let mut groups: Vec<(&TimeFunction, Describes, [&Source; 2])> = Vec::new();
    for source in sources {
        let same = |(function, describes, _): &&mut (&TimeFunction, Describes, _)| {
            *function == source.time_function() && *describes == source.describes()
        };
        match groups.iter_mut().find(same) {
            None => groups.push((source.time_function(), source.describes(), [source; 2])),
            Some((_, _, [first, _])) if source.delay() < first.delay() => *first = source,
            Some((_, _, [_, last])) if source.delay() > last.delay() => *last = source,
            Some(_) => (),
        }
    }
    groups
        .into_iter()
        .flat_map(|(_, _, [first, last])| if first == last { vec![first] } else { vec![first, last] })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::pipeline::{Limit, time_axis};
    use crate::written::Scenario;

    /// The largest residual of the half-space example with this source, at a time step of `dt` [s].
    fn worst(source: &str, dt: f64, corrected: bool) -> Option<TimeDispersion> {
        let file = format!("{}/../../examples/half_space/half_space.toml", env!("CARGO_MANIFEST_DIR"));
        let source = format!("source=[{{ position = [0, 0, -500], force = [0, 0, 1], {source} }}]");
        let scenario = Scenario::read(Path::new(&file), &[source, "duration=2".to_owned()]).unwrap();
        let setup = Setup::new(&scenario).unwrap();
        let axis = TimeAxis {
            start: setup.start,
            lead: 0,
            end: 2.0,
            dt,
            steps: (2.0 / dt) as u64 + 1,
            guard: 54,
            corrected,
            fourth_order: false,
        };
        TimeDispersion::new(&setup, &axis).unwrap()
    }

    #[test]
    fn a_source_with_a_complete_pulse_has_a_negligible_residual() {
        for source in [
            "time_function.gaussian = { sigma = 0.1 }",
            // The extra steps preserve what is active at the end of the run.
            "time_function.gaussian = { sigma = 0.1 }, delay = 1.35",
            "time_function.triangle = { half_duration = 0.2 }",
            "time_function.brune = { corner_frequency = 2 }, delay = 0.05",
        ] {
            let left = worst(source, 0.005, true).unwrap();
            assert!(left.residual < 5e-3 && left.source == "source 1", "{source}: {left:?}");
            assert_eq!(left.warning(), None);
            assert_eq!(worst(source, 0.005, false), None);
        }
    }

    #[test]
    fn too_fast_sources_are_reported_with_a_remedy() {
        let left = worst("time_function.gaussian = { sigma = 0.02 }, delay = 1", 0.05, true).unwrap();
        let warning = left.warning().unwrap_or_else(|| panic!("{left:?}"));
        let percent = format!("correction of source 1 leaves an error of {:.2} %", 100.0 * left.residual);
        assert!(left.residual < 1.0 && warning.contains(&percent), "{warning}");
        assert!(warning.contains("lower method.sem.courant"), "{warning}");
    }

    #[test]
    fn sources_that_do_not_act_during_the_run_have_no_residual() {
        for source in [
            "time_function.gaussian = { sigma = 0.1 }, delay = 3",
            "time_function.gaussian = { sigma = 0.1 }, delay = 1.9",
            "time_function.gaussian = { sigma = 0.1, centre = -1.2 }",
            "time_function.brune = { corner_frequency = 2 }, delay = 2",
        ] {
            let left = worst(source, 0.005, true).unwrap();
            assert_eq!(left, TimeDispersion { residual: 0.0, source: String::new() }, "{source}");
            assert_eq!(left.warning(), None);
        }
        // An active one with the same time function is checked.
        let file = format!("{}/../../examples/half_space/half_space.toml", env!("CARGO_MANIFEST_DIR"));
        let setup = Setup::new(&Scenario::read(Path::new(&file), &["duration=2".to_owned()]).unwrap()).unwrap();
        let delayed = |delay: f64| setup.sources[0].clone().delayed(delay).unwrap();
        let axis = TimeAxis {
            start: 0.0,
            lead: 0,
            end: 2.0,
            dt: 0.005,
            steps: 401,
            guard: 54,
            corrected: true,
            fourth_order: false,
        };
        assert!(is_active(&delayed(0.0), &axis) && !is_active(&delayed(5.0), &axis));
        let sources = [delayed(5.0), delayed(0.0), delayed(-9.0)];
        let active = sources.iter().filter(|source| is_active(source, &axis));
        assert_eq!(earliest_and_latest(active), [&sources[1]]);
    }

    #[test]
    fn a_sharp_pulse_at_the_first_steps_has_a_small_error_in_the_resolved_band() {
        // Much sharper than the time step, with its peak at step 1.2; the mesh resolves 0.5 Hz.
        let file = format!("{}/../../examples/half_space/half_space.toml", env!("CARGO_MANIFEST_DIR"));
        let pulse =
            "source=[{ position = [0, 0, -500], force = [0, 0, 1], time_function.gaussian = { sigma = 0.01 } }]";
        let changes = [pulse, "duration=2", "method.sem.max_frequency=0.5"].map(str::to_owned);
        let setup = Setup::new(&Scenario::read(Path::new(&file), &changes).unwrap()).unwrap();
        let limit = Limit { dt: 0.05 / setup.method.courant(), cause: String::new() };
        let (axis, _) = time_axis(&setup, None, limit, false).unwrap();
        assert!(axis.lead >= 23 && (axis.start + axis.lead as f64 * axis.dt).abs() < 1e-12, "{axis:?}");
        let left = TimeDispersion::new(&setup, &axis).unwrap().unwrap();
        assert!(left.residual < 1e-3, "{left:?}");
        assert_eq!(left.warning(), None);
    }

    #[test]
    fn only_the_first_and_the_last_source_with_a_time_function_are_checked() {
        let file = format!("{}/../../examples/half_space/half_space.toml", env!("CARGO_MANIFEST_DIR"));
        let scenario = Scenario::read(Path::new(&file), &[]).unwrap();
        let source = Setup::new(&scenario).unwrap().sources.remove(0);
        let delayed = |delay: f64| source.clone().delayed(delay).unwrap();
        let sources: Vec<Source> = [0.3, 0.1, 0.7, 0.2].map(delayed).to_vec();
        assert_eq!(earliest_and_latest(&sources), [&sources[1], &sources[2]]);
        assert_eq!(earliest_and_latest(&sources[..1]), [&sources[0]]);
    }
}
