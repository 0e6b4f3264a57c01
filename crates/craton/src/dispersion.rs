//! What the removal of time dispersion leaves of the scheme's error of time.

use craton_acquisition::{Describes, Source, TimeFunction};
use craton_numerics::NumericsError;
use craton_numerics::dispersion::Residual;

use crate::error::Error;
use crate::number::Number;
use crate::placing::has_rate_alone;
use crate::setup::Setup;
use crate::time_axis::TimeAxis;

/// The source of a run whose error of time is removed worst.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeDispersion {
    /// Relative L2 error that is left, below the highest frequency of the run; 0 where no source is heard.
    pub residual: f64,
    /// Name of the source.
    pub source: String,
    /// Why it is left.
    cause: Cause,
}

/// Why an error of time is left.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cause {
    /// The source acts in the first steps already, and should set in at this time [s] or later.
    Early(f64),
    /// The source is faster than the scheme's steps.
    Sharp,
}

/// Steps after the first before which no source should set in: what the transform sends ahead of a kink would be cut.
const FIRST_STEPS: u64 = 10;

/// Level at which a source acts, as a fraction of its peak.
const ACTS: f64 = 1e-3;

impl TimeDispersion {
    /// The worst of the sources of a run; `None` where time dispersion is not removed.
    ///
    /// Of sources with the same time function the earliest and the latest are looked at: the residual tells how sharp a source is, and what
    /// the beginning and the end of the run cut of it.
    ///
    /// # Errors
    /// A source that is not finite.
    pub fn new(setup: &Setup, axis: &TimeAxis) -> Result<Option<Self>, Error> {
        if !axis.corrected {
            return Ok(None);
        }
        // Above half of the rate of steps there is nothing of the scheme to compare.
        let max_frequency = setup.method.max_frequency().min(0.5 / axis.dt);
        let transforms = Residual::new(axis.steps as usize, axis.dt, max_frequency)?;
        let mut worst = Self { residual: 0.0, source: String::new(), cause: Cause::Sharp };
        for source in earliest_and_latest(&setup.sources) {
            let heard = |after_start: f64| heard(source, axis.start + after_start);
            let residual = match transforms.of(heard) {
                // Not heard at all, of which the scenario's own warnings tell.
                Err(NumericsError::ZeroTrace { .. }) => continue,
                residual => residual?,
            };
            if worst.source.is_empty() || residual > worst.residual {
                worst = Self { residual, source: source.name().to_owned(), cause: cause(axis, heard) };
            }
        }
        Ok(Some(worst))
    }

    /// Relative error that is worth a warning: that of a good mesh.
    const NEGLIGIBLE: f64 = 0.01;

    /// What a user should know of an error of time that stays.
    pub fn warning(&self) -> Option<String> {
        let (source, percent) = (&self.source, Number(100.0 * self.residual));
        let remedy = match self.cause {
            Cause::Early(time) => {
                let time = Number(time);
                &format!("it acts in the first steps already; raise its delay until it sets in at {time:.4} s or later")
            }
            Cause::Sharp => {
                "it changes faster than the time steps; lower method.sem.courant, or take a smoother time function"
            }
        };
        (self.residual > Self::NEGLIGIBLE).then(|| {
            format!(
                "the removal of time dispersion leaves an error of {percent:.2} % in {source}, below max_frequency: {remedy}"
            )
        })
    }
}

/// The function of time [s] that the transforms take of a source.
fn heard(source: &Source, time: f64) -> f64 {
    if has_rate_alone(source) { source.rate_history(time) } else { source.history(time) }
}

/// The first and the last of all sources that have the same time function.
fn earliest_and_latest(sources: &[Source]) -> Vec<&Source> {
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

fn cause(axis: &TimeAxis, heard: impl Fn(f64) -> f64) -> Cause {
    let at = |step: u64| heard(step as f64 * axis.dt).abs();
    let peak = (0..axis.steps).map(at).fold(0.0, f64::max);
    if (0..=FIRST_STEPS).any(|step| at(step) > ACTS * peak) {
        Cause::Early(axis.start + FIRST_STEPS as f64 * axis.dt)
    } else {
        Cause::Sharp
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::written::Scenario;

    /// The worst source of the example of a half-space with this source, in steps of `dt` [s].
    fn worst(source: &str, dt: f64, corrected: bool) -> Option<TimeDispersion> {
        let file = format!("{}/../../examples/half_space/half_space.toml", env!("CARGO_MANIFEST_DIR"));
        let source = format!("source=[{{ position = [0, 0, -500], force = [0, 0, 1], {source} }}]");
        let scenario = Scenario::read(Path::new(&file), &[source, "duration=2".to_owned()]).unwrap();
        let setup = Setup::new(&scenario).unwrap();
        let axis = TimeAxis { start: setup.start, end: 2.0, dt, steps: (2.0 / dt) as u64 + 1, guard: 54, corrected };
        TimeDispersion::new(&setup, &axis).unwrap()
    }

    #[test]
    fn of_a_source_in_time_next_to_nothing_is_left() {
        for source in [
            "time_function.gaussian = { sigma = 0.1 }",
            // The guard steps keep what acts at the end of the run.
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
    fn a_source_that_is_cut_or_too_sharp_is_told_of_with_what_to_change() {
        for (source, dt, remedy) in [
            (
                "time_function.gaussian = { sigma = 0.1, centre = 0.05 }",
                0.005,
                "raise its delay until it sets in at 0.0500 s or later",
            ),
            ("time_function.brune = { corner_frequency = 2 }", 0.005, "raise its delay until it sets in at 0.0500 s"),
            ("time_function.gaussian = { sigma = 0.02 }, delay = 1", 0.05, "lower method.sem.courant"),
        ] {
            let left = worst(source, dt, true).unwrap();
            let told = left.warning().unwrap_or_else(|| panic!("{source}: {left:?}"));
            let percent = format!("leaves an error of {:.2} % in source 1", 100.0 * left.residual);
            assert!(left.residual < 1.0 && told.contains(&percent) && told.contains(remedy), "{told}");
        }
    }

    #[test]
    fn of_many_sources_with_one_time_function_two_are_looked_at() {
        let file = format!("{}/../../examples/half_space/half_space.toml", env!("CARGO_MANIFEST_DIR"));
        let scenario = Scenario::read(Path::new(&file), &[]).unwrap();
        let source = Setup::new(&scenario).unwrap().sources.remove(0);
        let delayed = |delay: f64| source.clone().delayed(delay).unwrap();
        let sources: Vec<Source> = [0.3, 0.1, 0.7, 0.2].map(delayed).to_vec();
        assert_eq!(earliest_and_latest(&sources), [&sources[1], &sources[2]]);
        assert_eq!(earliest_and_latest(&sources[..1]), [&sources[0]]);
    }
}
