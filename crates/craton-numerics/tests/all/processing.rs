//! Processing of seismograms, compared with closed forms.

use std::f64::consts::{PI, TAU};

use craton_numerics::band_limited::{decimated, resampled};
use craton_numerics::convolve::Pulse;
use craton_numerics::filter::{Band, Butterworth};

const DT: f64 = 0.01;

fn sampled(count: usize, value: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..count).map(|n| value(n as f64 * DT)).collect()
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().map(f64::abs).fold(0.0, f64::max)
}

/// Complex amplitude of a frequency [Hz] in whole periods, as real and imaginary part of the factor on exp(i ω t).
fn component(samples: &[f64], frequency: f64, start: f64) -> [f64; 2] {
    let part = |basis: fn(f64) -> f64| {
        let wave = |(n, value): (usize, &f64)| value * basis(TAU * frequency * (start + n as f64 * DT));
        2.0 * samples.iter().enumerate().map(wave).sum::<f64>() / samples.len() as f64
    };
    [part(f64::cos), -part(f64::sin)]
}

/// Butterworth's response of a low-pass at tan(π f dt) / tan(π corner dt) = x: the product of 1 / (i x - p) over the poles p.
fn low_pass_response(order: usize, x: f64) -> [f64; 2] {
    let (mut amplitude, mut phase) = (1.0, 0.0);
    for k in 0..order {
        let angle = PI * (2 * k + order + 1) as f64 / (2 * order) as f64;
        let (re, im) = (-angle.cos(), x - angle.sin());
        amplitude /= re.hypot(im);
        phase -= im.atan2(re);
    }
    assert!((amplitude - (1.0 + x.powi(2 * order as i32)).sqrt().recip()).abs() < 1e-12);
    [amplitude, phase]
}

#[test]
fn sinusoids_have_the_butterworth_amplitude_and_phase() {
    let corner = 4.0;
    for order in [1, 2, 4, 7] {
        let low = Butterworth::new(Band::LowPass { corner }, order, DT).unwrap();
        let high = Butterworth::new(Band::HighPass { corner }, order, DT).unwrap();
        for frequency in [1.0, 4.0, 6.25, 12.5] {
            let wave = sampled(8000, |t| (TAU * frequency * t).cos());
            let x = (PI * frequency * DT).tan() / (PI * corner * DT).tan();
            let [low_amplitude, low_phase] = low_pass_response(order, x);
            // A high-pass is the low-pass of the mirrored frequency.
            let [high_amplitude, high_phase] = low_pass_response(order, 1.0 / x);
            // Whole periods in the middle, where initial transients have decayed.
            let middle = |output: Vec<f64>| component(&output[3200..4800], frequency, 32.0);
            for (filter, amplitude, phase) in [(&low, low_amplitude, low_phase), (&high, high_amplitude, -high_phase)] {
                let [re, im] = middle(filter.causal_settled(&wave).unwrap());
                let apart = (re - amplitude * phase.cos()).hypot(im - amplitude * phase.sin());
                assert!(apart < 1e-10, "order {order}, {frequency} Hz: {apart:e}");
                let [re, im] = middle(filter.zero_phase_held(&wave).unwrap());
                let apart = (re - amplitude * amplitude).hypot(im);
                assert!(apart < 1e-10, "order {order}, {frequency} Hz, zero phase: {apart:e}");
            }
        }
    }
}

/// Rises from 0 at 40 s to 2 at 42 s and stays there to 100 s.
fn ramp() -> Vec<f64> {
    sampled(10_001, |t| (t - 40.0).clamp(0.0, 2.0))
}

#[test]
fn a_low_pass_keeps_the_static_offset_of_a_ramp() {
    let ramp = ramp();
    for (corner, order) in [(0.2, 4), (0.5, 2), (2.0, 4), (10.0, 8)] {
        let low = Butterworth::new(Band::LowPass { corner }, order, DT).unwrap();
        for output in [low.zero_phase_held(&ramp).unwrap(), low.causal_settled(&ramp).unwrap()] {
            assert!((output[10_000] - 2.0).abs() < 1e-6, "{corner} Hz: {}", output[10_000]);
            assert!(output[0].abs() < 1e-6, "{corner} Hz: {}", output[0]);
        }
    }
    // Truncated just after its rise, the trace is filtered as if it continued: its last value is held.
    let low = Butterworth::new(Band::LowPass { corner: 0.05 }, 4, DT).unwrap();
    let (whole, cut) = (low.zero_phase_held(&ramp).unwrap(), low.zero_phase_held(&ramp[..4300]).unwrap());
    let apart = largest(whole.iter().zip(&cut).map(|(a, b)| a - b));
    assert!(apart < 1e-9, "{apart:e}");
    // A high-pass removes the offset.
    let high = Butterworth::new(Band::HighPass { corner: 0.5 }, 4, DT).unwrap();
    assert!(high.zero_phase_held(&ramp).unwrap()[10_000].abs() < 1e-9);
    assert!(low.zero_phase_held(&[]).unwrap().is_empty() && low.zero_phase_held(&[f64::NAN]).is_err());
}

#[test]
fn a_corner_a_hundred_thousand_times_below_the_sampling_rate_leaves_a_constant_as_it_is() {
    let low = Butterworth::new(Band::LowPass { corner: 1e-3 }, 4, DT).unwrap();
    let apart = largest(low.zero_phase_held(&[3.0; 100]).unwrap().iter().map(|value| value - 3.0));
    assert!(apart < 3e-6, "{apart:e}");
}

/// Error function, by its power series and its continued fraction.
fn erf(x: f64) -> f64 {
    if x < 0.0 {
        return -erf(-x);
    }
    if x > 3.0 {
        let fraction = (1..80).rev().fold(x, |rest, k| x + 0.5 * f64::from(k) / rest);
        return 1.0 - (-x * x).exp() / (PI.sqrt() * fraction);
    }
    let (mut term, mut sum) = (x, x);
    for k in 1..200 {
        term *= -x * x / f64::from(k);
        sum += term / f64::from(2 * k + 1);
    }
    2.0 / PI.sqrt() * sum
}

/// exp(-(a t)²) a / √π with a = 1.628 / half duration.
fn gaussian(half_duration: f64, t: f64) -> f64 {
    let a = 1.628 / half_duration;
    a / PI.sqrt() * (-(a * t).powi(2)).exp()
}

#[test]
fn a_gaussian_convolved_with_a_gaussian_is_wider() {
    let trace = sampled(4001, |t| gaussian(0.3, t - 18.0));
    for half_duration in [0.001, 0.02, 0.4, 3.0, 10.0] {
        let output = Pulse::Gaussian { half_duration }.convolve(&trace, DT).unwrap();
        let wider = half_duration.hypot(0.3);
        let exact = |n: usize| gaussian(wider, n as f64 * DT - 18.0);
        let last = if half_duration > 5.0 { 0 } else { 4000 };
        let apart = largest((0..=last).map(|n| output[n] - exact(n))) / gaussian(wider, 0.0);
        let at_peak = (output[1800] / exact(1800) - 1.0).abs();
        assert!(apart < 1e-10 && at_peak < 1e-10, "half duration {half_duration} s: {apart:e}, {at_peak:e}");
    }
}

#[test]
fn steps_become_error_functions() {
    let step = |half_duration: f64, t: f64| 0.5 + 0.5 * erf(1.628 * t / half_duration);
    let trace = sampled(4001, |t| 5.0 * step(0.3, t - 12.0));
    for half_duration in [0.02, 0.4, 3.0] {
        let output = Pulse::Gaussian { half_duration }.convolve(&trace, DT).unwrap();
        let wider = half_duration.hypot(0.3);
        let apart = largest((0..=4000).map(|n| output[n] - 5.0 * step(wider, n as f64 * DT - 12.0)));
        assert!(apart < 5e-10, "half duration {half_duration} s: {apart:e}");
    }
    // Between sample 1200 and the one before.
    let sharp: Vec<f64> = (0..4001).map(|n| if n < 1200 { 0.0 } else { 1.0 }).collect();
    for half_duration in [0.1, 0.4, 2.0] {
        let output = Pulse::Gaussian { half_duration }.convolve(&sharp, DT).unwrap();
        let apart = largest((0..=4000).map(|n| output[n] - step(half_duration, (n as f64 - 1199.5) * DT)));
        let stated = (DT / half_duration).powi(2) / 18.0;
        assert!(
            apart < stated && apart > 0.9 * stated,
            "half duration {half_duration} s: {apart:e}, stated {stated:e}"
        );
    }
}

#[test]
fn a_triangle_of_a_gaussian_has_its_closed_form() {
    // The second integral of the Gaussian, of which the triangle takes the second difference.
    let a = 1.628 / 0.3;
    let twice = |t: f64| 0.5 * t * erf(a * t) + (-(a * t).powi(2)).exp() / (2.0 * a * PI.sqrt());
    let trace = sampled(4001, |t| gaussian(0.3, t - 18.0));
    for half_duration in [0.1, 0.25, 1.0, 6.0] {
        let h: f64 = half_duration;
        let exact = |t: f64| (twice(t + h) - 2.0 * twice(t) + twice(t - h)) / (h * h);
        let output = Pulse::Triangle { half_duration }.convolve(&trace, DT).unwrap();
        let apart = largest((0..=4000).map(|n| output[n] - exact(n as f64 * DT - 18.0))) / exact(0.0);
        assert!(apart < 1e-10, "half duration {half_duration} s: {apart:e}");
    }
}

#[test]
fn convolution_keeps_a_static_offset() {
    let ramp = ramp();
    for half_duration in [0.005, 0.1, 5.0] {
        for pulse in [Pulse::Gaussian { half_duration }, Pulse::Triangle { half_duration }] {
            let output = pulse.convolve(&ramp, DT).unwrap();
            let before = (40.0 - 4.0 * half_duration).min(39.0);
            let quiet = output[..(before / DT) as usize].iter().copied();
            let settled = output[((43.0 + 4.0 * half_duration) / DT) as usize..].iter().map(|value| value - 2.0);
            let apart = largest(quiet.chain(settled));
            assert!(apart < 1e-6, "{pulse:?}: {apart:e}");
        }
    }
    // Truncated after its rise, the trace is extended by its last value: no wrap-around, no ringing.
    let pulse = Pulse::Gaussian { half_duration: 4.0 };
    let (whole, cut) = (pulse.convolve(&ramp, DT).unwrap(), pulse.convolve(&ramp[..4300], DT).unwrap());
    let apart = largest(whole.iter().zip(&cut).map(|(a, b)| a - b));
    assert!(apart < 1e-12, "{apart:e}");
}

#[test]
fn decimation_has_the_stated_pass_and_stop_bands() {
    for factor in [2, 5, 8] {
        let nyquist = 50.0 / factor as f64;
        for part in [0.1, 0.5, 0.8, 1.0, 1.2, 1.7] {
            let wave = |t: f64| (TAU * part * nyquist * (t - 20.0) + 0.7).cos();
            let output = decimated(&sampled(4001, wave), factor).unwrap();
            assert_eq!(output.len(), 4000 / factor + 1);
            let exact = |k: usize| if part > 0.9 { 0.0 } else { wave((k * factor) as f64 * DT) };
            let inner = 100..output.len() - 100;
            let apart = largest(inner.map(|k| output[k] - exact(k)));
            assert!(apart < 1.3e-5, "factor {factor}, {part} of the new Nyquist frequency: {apart:e}");
        }
    }
}

#[test]
fn sinusoids_are_resampled_to_one_in_a_hundred_thousand() {
    for interval in [0.002, 0.007, 0.0123, 0.03, 0.25] {
        let nyquist = 0.5 / f64::max(interval, DT);
        for part in [0.05, 0.4, 0.8] {
            let wave = |t: f64| (TAU * part * nyquist * t + 0.3).sin();
            let output = resampled(&sampled(6001, wave), DT, interval).unwrap();
            assert_eq!(output.len(), (60.0_f64 / interval + 1e-9).floor() as usize + 1);
            let margin = (34.0 * f64::max(interval, DT) / interval).ceil() as usize;
            let inner = margin..output.len() - margin;
            let apart = largest(inner.map(|k| output[k] - wave(k as f64 * interval)));
            assert!(apart < 1.3e-5, "{interval} s, {part} of the lower Nyquist frequency: {apart:e}");
        }
    }
    let trace = sampled(50, f64::sin);
    assert_eq!(resampled(&trace, DT, DT).unwrap(), trace);
}

#[test]
fn resampling_keeps_a_static_offset() {
    let ramp = ramp();
    for output in
        [decimated(&ramp, 20).unwrap(), resampled(&ramp, DT, 0.037).unwrap(), resampled(&ramp, DT, 0.003).unwrap()]
    {
        let ends = [output[0], output[output.len() - 1] - 2.0];
        assert!(largest(ends) < 1e-12, "{ends:?}");
    }
}
