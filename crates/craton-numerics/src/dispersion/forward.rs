//! Forward transform: from a continuous source to samples that drive the scheme without time dispersion.

use std::sync::Arc;

use craton_fft::Complex64;
use craton_fft::{ComplexToReal, RealPlanner};

use super::{PhaseGrid, Stagger, airy_width, smooth_step};
use crate::error::{NumericsError, at_least, positive};
use crate::nufft::{Nufft, fast_even_length};

/// Averages of the source per step that enter its spectrum.
const AVERAGES: usize = 2;
/// Samples of the source per average, enough that a source with a kink, whose spectrum falls as 1/ω², hardly aliases.
const SAMPLES: usize = 16;

/// The forward transform of a run; plan once and use for all sources.
pub struct Forward {
    dt: f64,
    n_steps: usize,
    /// Steps before step 0 and after the last one over which sources are sampled and tapered.
    margin: usize,
    grid: PhaseGrid,
    to_spectrum: Nufft,
    to_steps: Arc<dyn ComplexToReal<f64>>,
}

impl Forward {
    /// Plans the transform for samples at `n_steps` steps of length `dt` [s].
    ///
    /// # Errors
    /// No steps, or a time step that is not positive.
    pub fn new(n_steps: usize, dt: f64) -> Result<Self, NumericsError> {
        positive("the time step", dt)?;
        at_least("the run", n_steps, 1)?;
        let margin = 2 * airy_width(n_steps, 6.0) + n_steps / 8;
        let sampled = n_steps + 2 * margin;
        let grid = PhaseGrid::new(fast_even_length(sampled + airy_width(n_steps, 6.0)));
        let to_spectrum = Nufft::new(sampled * AVERAGES, &grid.angles(1.0 / AVERAGES as f64));
        let to_steps = RealPlanner::new().inverse(grid.period);
        Ok(Self { dt, n_steps, margin, grid, to_spectrum, to_steps })
    }

    /// Samples that drive the scheme as `source` drives the continuous equation.
    ///
    /// # Arguments
    /// * `source` – the time function, in seconds after step 0; it is also sampled slightly before step 0 and after the last step, so that a pulse truncated
    ///   there does not act as a jump. A source with a kink at its onset should start about ten steps after step 0
    /// * `at` – times of the samples relative to the steps
    /// # Returns
    /// One sample per step, at n dt or (n + 1/2) dt, in the unit of `source`.
    /// # Errors
    /// [`NumericsError::SourceNotFinite`] if the source is not finite somewhere.
    pub fn samples(&self, source: impl Fn(f64) -> f64, at: Stagger) -> Result<Vec<f64>, NumericsError> {
        let periodic = self.periodic(source, at)?;
        Ok(periodic[..self.n_steps].to_vec())
    }

    /// Samples at whole steps of the time integral of `rate`: a moment from a moment rate, or a force that persists after its onset.
    ///
    /// A step function has no ordinary spectrum, but its rate has one. The samples of the rate at half steps are summed as in the scheme, which divides their
    /// spectrum by iΩ(θ): the exact integral under the transform.
    ///
    /// # Arguments
    /// * `rate` – time derivative of the source, in seconds after step 0
    /// # Returns
    /// One sample per step, at n dt, in the unit of `rate` times second.
    /// # Errors
    /// [`NumericsError::SourceNotFinite`] if the rate is not finite somewhere.
    /// Verified by `dispersion::a_step_source_ends_in_the_exact_static_offset`.
    pub fn integral(&self, rate: impl Fn(f64) -> f64) -> Result<Vec<f64>, NumericsError> {
        let periodic = self.periodic(rate, Stagger::Half)?;
        let before: f64 = periodic[self.grid.period - self.margin..].iter().sum();
        let mut total = before * self.dt;
        let history = periodic[..self.n_steps].iter().map(|rate| {
            let before = total;
            total += rate * self.dt;
            before
        });
        Ok(history.collect())
    }

    /// Samples on the periodic time axis; those before step 0 are at its end.
    fn periodic(&self, source: impl Fn(f64) -> f64, at: Stagger) -> Result<Vec<f64>, NumericsError> {
        let spectrum = self.to_spectrum.analyse(&self.averages(source)?);
        // The first average is centred `margin` steps before step 0.
        let margin = 2.0 * self.margin as f64;
        let mut driven: Vec<Complex64> = spectrum
            .iter()
            .zip(&self.grid.phases)
            .zip(self.grid.window())
            .map(|((value, phase), window)| {
                let shift = match at {
                    Stagger::Whole => 0.0,
                    Stagger::Half => *phase,
                };
                let scale = window / (averaging_response(phase.sin()) * (AVERAGES * self.grid.period) as f64);
                value * Complex64::from_polar(scale, margin * phase.sin() + shift)
            })
            .collect();
        driven[0].im = 0.0;
        driven[self.grid.period / 2] = Complex64::ZERO;
        let mut samples = self.to_steps.make_output_vec();
        self.to_steps.process(&mut driven, &mut samples).expect("the buffers have the plan's lengths and real ends");
        Ok(samples)
    }

    /// Triangular averages of the source over the run and its margins, where it is tapered.
    ///
    /// The triangle's spectrum vanishes to second order where sampling would fold frequencies onto those of the scheme.
    fn averages(&self, source: impl Fn(f64) -> f64) -> Result<Vec<f64>, NumericsError> {
        let margin = self.margin as f64;
        let count = (self.n_steps + 2 * self.margin) * AVERAGES;
        let end = (self.n_steps + self.margin) as f64;
        // The first triangle begins one average before the margin.
        let samples: Vec<f64> = (0..(count + 1) * SAMPLES)
            .map(|i| {
                let step = (i as f64 / SAMPLES as f64 - 1.0) / AVERAGES as f64 - margin;
                let edge = (step + margin).min(end - step);
                let time = step * self.dt;
                match source(time) {
                    value if value.is_finite() => Ok(value * smooth_step(2.0 * edge / margin)),
                    value => Err(NumericsError::SourceNotFinite { time, value }),
                }
            })
            .collect::<Result<_, _>>()?;
        let weights: Vec<f64> =
            (0..2 * SAMPLES).map(|i| (SAMPLES - i.abs_diff(SAMPLES)) as f64 / (SAMPLES * SAMPLES) as f64).collect();
        let average = |window: &[f64]| window.iter().zip(&weights).map(|(sample, weight)| sample * weight).sum();
        Ok(samples.windows(2 * SAMPLES).step_by(SAMPLES).map(average).collect())
    }
}

/// Response of the averaging at the frequency Ω = (2/dt) `sine`: the squared response of a boxcar.
fn averaging_response(sine: f64) -> f64 {
    let angle = sine / (AVERAGES * SAMPLES) as f64;
    if angle == 0.0 { 1.0 } else { ((SAMPLES as f64 * angle).sin() / (SAMPLES as f64 * angle.sin())).powi(2) }
}
