//! From a continuous source to the samples that make the scheme feel it exactly.

use std::sync::Arc;

use realfft::num_complex::Complex64;
use realfft::{ComplexToReal, RealFftPlanner};

use super::{Band, Stagger, airy_width, smooth_step};
use crate::error::{NumericsError, at_least, finite, positive};
use crate::nufft::{Nufft, fast_even_length};

/// Samples of the source per step: even a source with a kink, whose spectrum falls as 1/ω², then aliases below 1e-6.
const OVERSAMPLING: usize = 4;

/// The forward transform of a run: plan once, use for every source.
pub struct Forward {
    dt: f64,
    n_steps: usize,
    /// Steps before step 0 and after the last one over which sources are heard and then faded out.
    margin: usize,
    band: Band,
    to_band: Nufft,
    to_steps: Arc<dyn ComplexToReal<f64>>,
}

impl Forward {
    /// Plans the transform for samples at `n_steps` steps of length `dt` [s].
    ///
    /// # Errors
    /// No steps at all, or a step that is not positive.
    pub fn new(n_steps: usize, dt: f64) -> Result<Self, NumericsError> {
        positive("the time step", dt)?;
        at_least("the run", n_steps, 1)?;
        let margin = 2 * airy_width(n_steps, 6.0) + n_steps / 8;
        let heard = n_steps + 2 * margin;
        let band = Band::new(fast_even_length(heard + airy_width(n_steps, 6.0)));
        let to_band = Nufft::new(heard * OVERSAMPLING, &band.angles(1.0 / OVERSAMPLING as f64));
        let to_steps = RealFftPlanner::new().plan_fft_inverse(band.period);
        Ok(Self { dt, n_steps, margin, band, to_band, to_steps })
    }

    /// Samples that drive the scheme as `source` drives the continuous equation.
    ///
    /// # Arguments
    /// * `source` – the time function, in seconds after step 0; it is also heard a little before step 0 and after the last step, so
    ///   that a pulse cut there is not taken for a jump
    /// * `at` – where the samples stand
    /// # Returns
    /// One sample per step, at n dt or (n + 1/2) dt, in the unit of `source`.
    /// # Errors
    /// [`NumericsError::NotFinite`] if the source is not finite somewhere.
    pub fn samples(&self, source: impl Fn(f64) -> f64, at: Stagger) -> Result<Vec<f64>, NumericsError> {
        let periodic = self.periodic(source, at)?;
        Ok(periodic[..self.n_steps].to_vec())
    }

    /// Samples at whole steps of the integral of `rate` from the distant past: a moment from a moment rate, a force held after its onset.
    ///
    /// A step has no spectrum of its own, but its rate has. The rate's samples at half steps are summed as the scheme itself would
    /// sum them, which divides their spectrum by iΩ(θ), the exact integral under the transform.
    ///
    /// # Arguments
    /// * `rate` – time derivative of the source, in seconds after step 0
    /// # Returns
    /// One sample per step, at n dt, in the unit of `rate` times second.
    /// # Errors
    /// [`NumericsError::NotFinite`] if the rate is not finite somewhere.
    /// Verified by `dispersion::a_step_source_ends_in_the_exact_static_offset`.
    pub fn integral(&self, rate: impl Fn(f64) -> f64) -> Result<Vec<f64>, NumericsError> {
        let periodic = self.periodic(rate, Stagger::Half)?;
        let before: f64 = periodic[self.band.period - self.margin..].iter().sum();
        let mut total = before * self.dt;
        let history = periodic[..self.n_steps].iter().map(|rate| {
            let before = total;
            total += rate * self.dt;
            before
        });
        Ok(history.collect())
    }

    /// Samples on the whole periodic axis; those before step 0 stand at its end.
    fn periodic(&self, source: impl Fn(f64) -> f64, at: Stagger) -> Result<Vec<f64>, NumericsError> {
        let spectrum = self.to_band.analyse(&self.heard(source)?);
        // The first sample heard stands `margin` steps before step 0.
        let margin = 2.0 * self.margin as f64;
        let scale = 1.0 / (OVERSAMPLING * self.band.period) as f64;
        let mut driven: Vec<Complex64> = spectrum
            .iter()
            .zip(&self.band.phases)
            .zip(self.band.window())
            .map(|((value, phase), window)| {
                let shift = match at {
                    Stagger::Whole => 0.0,
                    Stagger::Half => *phase,
                };
                value * Complex64::from_polar(window * scale, margin * phase.sin() + shift)
            })
            .collect();
        driven[0].im = 0.0;
        driven[self.band.period / 2] = Complex64::ZERO;
        let mut samples = self.to_steps.make_output_vec();
        self.to_steps.process(&mut driven, &mut samples).expect("the buffers have the plan's lengths and real ends");
        Ok(samples)
    }

    /// The source, sampled finely over the run and its margins, and faded out in them.
    fn heard(&self, source: impl Fn(f64) -> f64) -> Result<Vec<f64>, NumericsError> {
        let margin = self.margin as f64;
        let end = (self.n_steps + self.margin) as f64;
        let samples: Vec<f64> = (0..(self.n_steps + 2 * self.margin) * OVERSAMPLING)
            .map(|j| {
                let step = j as f64 / OVERSAMPLING as f64 - margin;
                let edge = (step + margin).min(end - step);
                source(step * self.dt) * smooth_step(2.0 * edge / margin)
            })
            .collect();
        finite("the source time function", &samples)?;
        Ok(samples)
    }
}
