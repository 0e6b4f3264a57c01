//! Seismograms and gathers.

use crate::fuzz::mutate::Form;
use crate::fuzz::target::{Outcome, Target};
use craton_formats::segy::{self, SegyReader, TraceReader};
use craton_formats::volume::Volume;
use craton_formats::{miniseed, sac, su, text_trace};
use std::path::Path;

/// The targets of this module.
pub fn all() -> Vec<Target> {
    vec![
        Target::new("sac", Form::Binary, "a.sac", read_sac),
        Target {
            corpus: &["crates/craton-formats/tests/all/miniseed/samples"],
            ..Target::new("miniseed", Form::Binary, "a.mseed", read_miniseed)
        },
        Target::new("text_trace", Form::Text, "a.txt", read_text_trace),
        Target::new("segy", Form::Binary, "a.segy", read_segy),
        Target::new("su", Form::Binary, "a.su", |path| Outcome::of(su::open(path), |traces| gathers(traces, 1.0))),
    ]
}

fn read_sac(path: &Path) -> Outcome {
    Outcome::of(sac::read(path), |trace| {
        let times = [trace.begin, trace.end(), trace.delta];
        let given = [trace.origin, trace.station_latitude, trace.station_longitude, trace.event_depth_km];
        let samples = trace.samples.iter().map(|&sample| f64::from(sample));
        if trace.delta <= 0.0 {
            return Outcome::Broken(format!("the interval is {}", trace.delta));
        }
        Outcome::finite(samples.chain(times).chain(given.into_iter().flatten()).chain(trace.user.into_iter().flatten()))
    })
}

fn read_miniseed(path: &Path) -> Outcome {
    Outcome::of(miniseed::read(path), |traces| {
        let values = traces.into_iter().flat_map(|trace| {
            assert!(trace.start.is_valid() && trace.interval > 0.0, "start or interval is invalid");
            let mut samples = trace.samples.to_f64();
            samples.push(trace.interval);
            samples
        });
        Outcome::finite(values)
    })
}

fn read_text_trace(path: &Path) -> Outcome {
    Outcome::of(text_trace::read(path), |trace| {
        if trace.dt <= 0.0 {
            return Outcome::Broken(format!("the interval is {}", trace.dt));
        }
        Outcome::finite([trace.start_time, trace.dt])
    })
}

fn read_segy(path: &Path) -> Outcome {
    let traces =
        Outcome::of(SegyReader::open(path), |file| gathers(file.traces, file.binary.metres_per_unit().unwrap_or(1.0)));
    let _ = segy::warning(path);
    let volumes =
        [segy::read_volume(path), segy::read_model(path, false, None), segy::read_model(path, true, Some([73, 77]))];
    volumes.into_iter().map(|volume| Outcome::of(volume, |volume| finite_volume(&volume))).fold(traces, Outcome::or)
}

/// Reads all traces and their geometry.
fn gathers(mut traces: TraceReader, metres: f64) -> Outcome {
    let mut values = vec![traces.interval()];
    for index in 0..traces.count() {
        let trace = match traces.trace(index) {
            Ok(trace) => trace,
            Err(error) => return Outcome::Refused(error.to_string()),
        };
        values.extend(trace.samples.iter().map(|&sample| f64::from(sample)));
        values.extend(trace.header.source_point());
        values.extend(trace.header.delay_ms());
        values.extend(trace.header.geometry(metres).map(|geometry| geometry.offset()));
    }
    Outcome::finite(values)
}

/// Checks the axes; values may be NaN, which the callers refuse.
pub fn finite_volume(volume: &Volume) -> Outcome {
    let count: usize = volume.axes().iter().map(|axis| axis.count).product();
    assert_eq!(count, volume.values().len(), "the number of values differs from that of the points");
    Outcome::finite(volume.axes().iter().flat_map(|axis| [axis.origin, axis.spacing]))
}
