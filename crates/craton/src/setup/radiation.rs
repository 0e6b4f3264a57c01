//! What to tell about the time functions of sources: cut, too late, too fast for the mesh or grid.

use craton_acquisition::{Source, TimeFunction};

use super::sources::Sources;
use crate::config::{Config, Method};
use crate::number::Number;

/// Level at which a source counts as begun, as a fraction of its peak: a smaller jump is not seen in a trace.
pub const HEARD: f64 = 1e-4;

/// Level at which the spectrum of a source counts as ended, as a fraction of its largest value.
pub const SPECTRUM_END: f64 = 0.05;

/// What to tell, each kind of thing once.
pub fn warnings(sources: &Sources, config: &Config) -> Vec<String> {
    let cut = |source: &Source| cut(source, sources.start);
    let late = |source: &Source| late(source, config.duration);
    let fast = |source: &Source| fast(source, &config.method);
    let all = &sources.all;
    [first_of(all, cut), first_of(all, jump), first_of(all, late), first_of(all, fast)].into_iter().flatten().collect()
}

/// What is to be told about the first source that has it, and how many more have it.
fn first_of(sources: &[Source], kind: impl Fn(&Source) -> Option<String>) -> Option<String> {
    let mut told = sources.iter().filter_map(kind);
    let first = told.next()?;
    Some(match told.count() {
        0 => first,
        1 => format!("{first}; the same holds for one more source"),
        more => format!("{first}; the same holds for {more} more sources"),
    })
}

/// A source that is at work before the simulation begins.
fn cut(source: &Source, start: f64) -> Option<String> {
    let onset = source.onset(HEARD);
    let delay = Number(source.delay() + start - onset);
    (onset < start).then(|| {
        let (onset, start) = (Number(onset), Number(start));
        format!(
            "{} begins at {onset:.4} s, before the simulation at {start} s, and is cut there, which excites all frequencies; \
             delay = {delay:.4} or more would spare it",
            source.name(),
        )
    })
}

/// A time function from a file that begins with a jump.
fn jump(source: &Source) -> Option<String> {
    let TimeFunction::Sampled(sampled) = source.time_function() else { return None };
    let share = sampled.samples()[0].abs() / sampled.peak();
    (share > HEARD).then(|| {
        format!(
            "{}: its time function begins with {:.2} % of its peak instead of 0, a jump that excites all frequencies; \
             let the file begin earlier, or taper it",
            source.name(),
            100.0 * share,
        )
    })
}

/// A source that does not begin in time.
fn late(source: &Source, end: f64) -> Option<String> {
    let onset = source.onset(HEARD);
    (onset >= end).then(|| {
        let (onset, end) = (Number(onset), Number(end));
        format!(
            "{} begins at {onset:.4} s, after the end of the simulation at {end} s: it is never heard",
            source.name()
        )
    })
}

/// A source that radiates more than the mesh or grid resolves.
fn fast(source: &Source, method: &Method) -> Option<String> {
    let (carrier, max_frequency) = (method.carrier(), method.max_frequency());
    let upper = source.time_function().upper_frequency(SPECTRUM_END);
    (upper > max_frequency).then(|| {
        let (upper, max_frequency) = (Number(upper), Number(max_frequency));
        format!(
            "{} radiates up to {upper:.4} Hz (where its spectrum has fallen to 5 %), the {carrier} resolves up to max_frequency = \
             {max_frequency} Hz; low-pass the traces below that, or raise max_frequency",
            source.name(),
        )
    })
}
