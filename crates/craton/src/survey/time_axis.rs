//! Time steps of shots and sample times of traces.

use std::ops::Range;
use std::sync::Arc;

use craton_numerics::NumericsError;
use craton_numerics::dispersion::{Derive, Forward, Inverse, Stagger, UniformTimes, guard_steps};
use rayon::prelude::*;

use super::setup::{TraceTimes, Wavelets};

/// Largest number of samples of a trace: the header field has two bytes, signed for some readers.
pub const MOST_SAMPLES: usize = i16::MAX as usize;

/// Number of channels whose samples are gathered at a time: those of a cache line.
const CHANNELS_AT_ONCE: usize = 16;

/// Number of samples from 0 to the end, both included, even if it exceeds the limit.
pub fn samples_of(duration: f64, interval: f64) -> f64 {
    // An end that is a multiple within round-off counts as one.
    (duration / interval * (1.0 + 4.0 * f64::EPSILON)).floor() + 1.0
}

/// Steps of all shots, and samples of all traces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeAxis {
    /// Time step [s].
    pub dt: f64,
    /// Number of steps of a shot; the last ones keep the end of the traces accurate when time dispersion is removed.
    pub steps: u64,
    /// Sample interval [s].
    pub interval: f64,
    /// Number of samples of a trace.
    pub samples: usize,
    /// Time 0 of the traces, and the number of samples before it.
    pub times: TraceTimes,
}

impl TimeAxis {
    /// The axis for traces of this length after time 0 [s].
    pub fn new(duration: f64, interval: f64, dt: f64, times: TraceTimes) -> Self {
        let after = samples_of(duration, interval) as usize;
        let covered = ((times.zero + (after - 1) as f64 * interval) / dt).ceil() as usize + 1;
        let steps = (covered + guard_steps(covered)) as u64;
        Self { dt, steps, interval, samples: times.before + after, times }
    }

    /// Time of the first sample of a trace [s].
    pub fn first(&self) -> f64 {
        0.0 - self.times.before as f64 * self.interval
    }
}

/// Correction of time dispersion of sources and recordings, planned once for all shots.
pub struct Clock {
    inverse: Inverse,
    forward: Forward,
    wavelets: Arc<Wavelets>,
    amplitude: f64,
    /// History of the only wavelet without delay; empty if there are several.
    only: Vec<f64>,
}

impl Clock {
    /// The correction for shots with these wavelets, with this amplitude.
    ///
    /// # Errors
    /// A time function with a value that is not finite.
    pub fn new(axis: &TimeAxis, wavelets: &Arc<Wavelets>, amplitude: f64) -> Result<Self, NumericsError> {
        let start = axis.times.zero + axis.first();
        let times = UniformTimes { start, interval: axis.interval, count: axis.samples };
        let mut clock = Self {
            inverse: Inverse::onto(axis.steps as usize + 1, axis.dt, times)?,
            forward: Forward::new(axis.steps as usize, axis.dt)?,
            wavelets: Arc::clone(wavelets),
            amplitude,
            only: Vec::new(),
        };
        if wavelets.count() == 1 {
            clock.only = clock.history_of(0, 0.0)?;
        }
        Ok(clock)
    }

    /// Amplitude at each step of a source of a shot that fires later by some time \[s\].
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn history(&self, shot: u32, delay: f64) -> Result<Vec<f64>, NumericsError> {
        if delay == 0.0 && !self.only.is_empty() {
            return Ok(self.only.clone());
        }
        self.history_of(self.wavelets.of(shot), delay)
    }

    /// A value of each wavelet, from its history.
    ///
    /// # Errors
    /// A value that is not finite, an error of `of`.
    pub fn of_histories<T: Send>(
        &self,
        of: impl Fn(&[f64]) -> Result<T, NumericsError> + Sync,
    ) -> Result<Vec<T>, NumericsError> {
        let of_wavelet = |index: usize| match self.only.is_empty() {
            true => of(&self.history_of(index, 0.0)?),
            false => of(&self.only),
        };
        (0..self.wavelets.count()).into_par_iter().map(of_wavelet).collect()
    }

    fn history_of(&self, wavelet: usize, delay: f64) -> Result<Vec<f64>, NumericsError> {
        let (function, later) = self.wavelets.wavelet(wavelet);
        self.forward.samples(|t| self.amplitude * function.value(t - (later + delay)), Stagger::Whole)
    }

    /// The traces of a shot.
    ///
    /// # Arguments
    /// * `samples` – samples of each step, `[step][column]`, and the number of columns: pressure after the step,
    ///   velocity half a step before
    /// * `channels` – the columns of the traces
    /// * `is_velocity` – whether they are velocities
    ///
    /// # Returns
    /// `[channel][sample]`.
    ///
    /// # Errors
    /// A sample that is not finite.
    pub fn traces(
        &self,
        (samples, width): (&[f32], usize),
        channels: Range<usize>,
        is_velocity: bool,
    ) -> Result<Vec<Vec<f32>>, NumericsError> {
        // At step 0 all fields are zero; velocity starts half a step later.
        let (rest, stagger) = if is_velocity { (0, Stagger::Half) } else { (1, Stagger::Whole) };
        let steps = samples.len() / width;
        let of_block = |block: usize| {
            // Adjacent columns are gathered together, so that each row is read once for all of them.
            let first = channels.start + block * CHANNELS_AT_ONCE;
            let count = CHANNELS_AT_ONCE.min(channels.end - first);
            let mut columns = vec![vec![0.0; rest + steps]; count];
            for (step, row) in samples.chunks_exact(width).enumerate() {
                for (column, &value) in columns.iter_mut().zip(&row[first..first + count]) {
                    column[rest + step] = f64::from(value);
                }
            }
            let trace = |column: Vec<f64>| -> Result<Vec<f32>, NumericsError> {
                let times = self.inverse.apply(&column, stagger, Derive::Nothing)?;
                Ok(times.into_iter().map(|value| value as f32).collect())
            };
            columns.into_iter().map(trace).collect::<Result<Vec<_>, _>>()
        };
        let blocks: Vec<Vec<Vec<f32>>> =
            (0..channels.len().div_ceil(CHANNELS_AT_ONCE)).into_par_iter().map(of_block).collect::<Result<_, _>>()?;
        Ok(blocks.into_iter().flatten().collect())
    }

    /// The transpose of [`traces`](Self::traces): from derivatives with respect to the samples of traces to those with respect to the samples of the steps.
    ///
    /// # Arguments
    /// * `traces` – `[channel][sample]`
    /// * `scale` – by which the result is divided
    /// * `steps` – number of steps of the recording
    ///
    /// # Returns
    /// `[step][channel]`.
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn transposed(
        &self,
        traces: &[Vec<f64>],
        scale: f64,
        steps: usize,
        is_velocity: bool,
    ) -> Result<Vec<f32>, NumericsError> {
        let (rest, stagger) = if is_velocity { (0, Stagger::Half) } else { (1, Stagger::Whole) };
        let of_trace = |trace: &Vec<f64>| self.inverse.transposed(trace, rest + steps, stagger);
        let columns: Vec<Vec<f64>> = traces.par_iter().map(of_trace).collect::<Result<_, _>>()?;
        let rows = (rest..rest + steps).flat_map(|step| columns.iter().map(move |column| column[step]));
        Ok(rows.map(|value| (value / scale) as f32).collect())
    }
}
