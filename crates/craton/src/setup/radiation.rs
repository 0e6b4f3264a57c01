//! Warnings about source time functions: truncated, too late, or beyond the resolution of the mesh or grid.

use craton_acquisition::{Source, TimeFunction};

use super::sources::Sources;
use crate::config::{Config, Method};
use crate::number::Number;

/// Onset threshold of a source as a fraction of its peak; a smaller jump is not visible in a trace.
pub const ONSET_THRESHOLD: f64 = 1e-4;

/// Threshold of the upper frequency of a source as a fraction of its spectral peak.
pub const SPECTRUM_END: f64 = 0.05;

/// The warnings, one for each kind.
pub fn warnings(sources: &Sources, config: &Config) -> Vec<String> {
    // With the correction of time dispersion, the simulation itself starts earlier, by at most its duration.
    let earlier = if config.method.corrects_time_dispersion() { config.duration - sources.start } else { 0.0 };
    let cut = |source: &Source| cut(source, sources.start, earlier);
    let late = |source: &Source| late(source, config.duration);
    let fast = |source: &Source| fast(source, &config.method);
    let all = &sources.all;
    [first_of(all, cut), first_of(all, jump), first_of(all, late), first_of(all, fast)].into_iter().flatten().collect()
}

/// The warning for the first source of a kind, and the number of others.
fn first_of(sources: &[Source], kind: impl Fn(&Source) -> Option<String>) -> Option<String> {
    let mut warnings = sources.iter().filter_map(kind);
    let first = warnings.next()?;
    Some(match warnings.count() {
        0 => first,
        1 => format!("{first}. One more source has the same problem"),
        more => format!("{first}. {more} more sources have the same problem"),
    })
}

/// A source that starts before the simulation, which can start by the time `earlier` [s] before `start`.
fn cut(source: &Source, start: f64, earlier: f64) -> Option<String> {
    let onset = source.onset(ONSET_THRESHOLD);
    let delay = Number(source.delay() + start - onset);
    (onset < start - earlier).then(|| {
        let (onset, start) = (Number(onset), Number(start));
        format!(
            "{} starts at {onset:.4} s, before the simulation at {start} s. The truncation excites all frequencies; \
             use delay = {delay:.4} or more",
            source.name(),
        )
    })
}

/// A time function from a file that begins with a jump.
fn jump(source: &Source) -> Option<String> {
    let TimeFunction::Sampled(sampled) = source.time_function() else { return None };
    let share = sampled.samples()[0].abs() / sampled.peak();
    (share > ONSET_THRESHOLD).then(|| {
        format!(
            "{}: the time function starts at {:.2} % of its peak instead of 0. The jump excites all frequencies; \
             start the file earlier, or taper it",
            source.name(),
            100.0 * share,
        )
    })
}

/// A source that starts after the end of the simulation.
fn late(source: &Source, end: f64) -> Option<String> {
    let onset = source.onset(ONSET_THRESHOLD);
    (onset >= end).then(|| {
        let (onset, end) = (Number(onset), Number(end));
        format!(
            "{} starts at {onset:.4} s, after the end of the simulation at {end} s, and has no effect",
            source.name()
        )
    })
}

/// A source with frequencies that the mesh or grid does not resolve.
fn fast(source: &Source, method: &Method) -> Option<String> {
    let (carrier, max_frequency) = (method.carrier(), method.max_frequency());
    let upper = source.time_function().upper_frequency(SPECTRUM_END);
    (upper > max_frequency).then(|| {
        let (upper, max_frequency) = (Number(upper), Number(max_frequency));
        format!(
            "{} radiates up to {upper:.4} Hz (5 % of its peak spectrum), but the {carrier} resolves only max_frequency = \
             {max_frequency} Hz. Low-pass filter the traces below that, or raise max_frequency",
            source.name(),
        )
    })
}
