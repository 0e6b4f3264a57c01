//! Exploration wavelets: Ormsby and minimum-phase wavelets.

use craton_acquisition::TimeFunction;
use craton_acquisition::time_function::minimum_phase;
use std::f64::consts::TAU;

const CORNERS: [f64; 4] = [5.0, 10.0, 40.0, 60.0];
const CENTRE: f64 = 0.3;

fn ormsby() -> TimeFunction {
    TimeFunction::ormsby(CORNERS, CENTRE).unwrap()
}

/// Composite Simpson rule.
fn quadrature(from: f64, to: f64, function: impl Fn(f64) -> f64) -> f64 {
    let panels = 4000;
    let h = (to - from) / f64::from(panels);
    let panel = |k: i32| {
        let left = from + h * f64::from(k);
        h / 6.0 * (function(left) + 4.0 * function(left + 0.5 * h) + function(left + h))
    };
    (0..panels).map(panel).sum()
}

#[test]
fn an_ormsby_wavelet_is_the_transform_of_its_trapezoid() {
    let wavelet = ormsby();
    for corners in [CORNERS, [0.0, 10.0, 10.0, 60.0]] {
        let wavelet = TimeFunction::ormsby(corners, CENTRE).unwrap();
        for t in [0.3, 0.3 + 1e-9, 0.301, 0.313, 0.35, 0.2, -0.4, 2.0] {
            let part = |ends: &[f64]| {
                quadrature(ends[0], ends[1], |f| 2.0 * wavelet.amplitude_spectrum(f) * (TAU * f * (t - CENTRE)).cos())
            };
            let expected: f64 = corners.windows(2).map(part).sum();
            assert!((wavelet.value(t) - expected).abs() < 1e-11, "{t}: {}, {expected}", wavelet.value(t));
        }
    }
    assert!((wavelet.value(CENTRE) - 1.0).abs() < 1e-15, "unit peak within round-off");
    let plateau = 1.0 / 85.0;
    let spectrum = [0.0, 5.0, 7.5, 10.0, 25.0, 40.0, 50.0, 60.0, 99.0].map(|f| wavelet.amplitude_spectrum(f));
    let shape = [0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 0.5, 0.0, 0.0];
    assert!(spectrum.iter().zip(shape).all(|(found, share)| (found - share * plateau).abs() < 1e-16), "{spectrum:?}");
    assert!((wavelet.upper_frequency(0.05) - 59.0).abs() < 1e-12);
}

#[test]
fn integral_and_derivative_of_an_ormsby_wavelet_are_its_area_and_slope() {
    let wavelet = ormsby();
    for (from, to) in [(-0.5, 0.1), (0.1, 0.3), (0.29, 0.33), (0.3, 1.5)] {
        let area = quadrature(from, to, |t| wavelet.value(t));
        let integral = wavelet.integral(to) - wavelet.integral(from);
        assert!((area - integral).abs() < 1e-11, "{from} to {to}: {integral} against {area}");
    }
    assert!(wavelet.integral(CENTRE).abs() < 1e-15, "half of a zero area");
    // The remainder decays as the inverse of time: 0.25 / (π² 85) divided by 1e6 s.
    assert!(wavelet.integral(-1e6).abs() < 3e-10 && wavelet.integral(1e6).abs() < 3e-10);
    let h = 1e-6;
    for t in [-0.5, 0.2, 0.2995, 0.3, 0.3003, 0.31, 0.7] {
        let slope = (wavelet.value(t + h) - wavelet.value(t - h)) / (2.0 * h);
        let derivative = wavelet.derivative(t);
        // Error bound: the third derivative, of order (2π 50)³, times h² / 6, plus round-off divided by h.
        assert!((slope - derivative).abs() < 1e-4, "{t}: {derivative} against {slope}");
    }
}

#[test]
fn an_ormsby_wavelet_stays_below_the_level_before_its_onset_and_reaches_it_after() {
    let wavelet = ormsby();
    for level in [1e-4, 1e-3, 1e-2] {
        let onset = wavelet.onset(level);
        let largest = |from: f64, to: f64| {
            let times = (0..100_000).map(|k| from + (to - from) * f64::from(k) * 1e-5);
            times.map(|t| wavelet.value(t).abs()).fold(0.0, f64::max)
        };
        assert!(largest(onset - 2.0, onset) <= level, "{level}");
        assert!(largest(onset, onset + 0.2) > 0.8 * level, "{level}");
    }
    assert_eq!(wavelet.event_time(), CENTRE);
    assert_eq!(wavelet.final_value(), 0.0);
}

#[test]
fn corners_out_of_order_are_refused_by_name() {
    let refused = |corners| TimeFunction::ormsby(corners, 0.0).unwrap_err().to_string();
    assert!(refused([-1.0, 10.0, 40.0, 60.0]).starts_with("f1 of the Ormsby wavelet = -1 "));
    assert!(refused([10.0, 10.0, 40.0, 60.0]).starts_with("f2 of the Ormsby wavelet = 10 "));
    assert!(refused([5.0, 10.0, 9.0, 60.0]).starts_with("f3 of the Ormsby wavelet = 9 "));
    assert!(refused([5.0, 10.0, 40.0, f64::INFINITY]).starts_with("f4 of the Ormsby wavelet = inf "));
    assert!(refused([f64::NAN, 10.0, 40.0, 60.0]).contains("f1 of the Ormsby wavelet = NaN"));
}

/// Samples every 2 ms around the peak of a wavelet centred at 0.1 s.
fn sampled(wavelet: &TimeFunction) -> Vec<f64> {
    (0..101).map(|k| wavelet.value(2e-3 * f64::from(k))).collect()
}

/// Two zero-phase wavelets: one with zero mean, one band-limited.
fn zero_phase() -> [Vec<f64>; 2] {
    [TimeFunction::ricker(25.0, 0.1).unwrap(), TimeFunction::ormsby(CORNERS, 0.1).unwrap()].map(|w| sampled(&w))
}

/// Amplitude at a frequency in cycles per sample.
fn amplitude(samples: &[f64], frequency: f64) -> f64 {
    let sum = |wave: fn(f64) -> f64| -> f64 {
        samples.iter().enumerate().map(|(k, value)| value * wave(TAU * frequency * k as f64)).sum()
    };
    sum(f64::cos).hypot(sum(f64::sin))
}

fn convolved(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        b.iter().enumerate().for_each(|(j, y)| product[i + j] += x * y);
    }
    product
}

#[test]
fn a_minimum_phase_wavelet_keeps_the_amplitude_spectrum() {
    for samples in zero_phase() {
        let wavelet = minimum_phase(&samples).unwrap();
        assert_eq!(wavelet.len(), samples.len());
        let frequencies = || (0..=1000).map(|k| 5e-4 * f64::from(k));
        let peak = frequencies().map(|f| amplitude(&samples, f)).fold(0.0, f64::max);
        let apart = frequencies().map(|f| (amplitude(&wavelet, f) - amplitude(&samples, f)).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-6 * peak, "{}", apart / peak);
    }
}

#[test]
fn a_minimum_phase_wavelet_has_the_earliest_energy() {
    for samples in zero_phase() {
        let wavelet = minimum_phase(&samples).unwrap();
        let [mut energy, mut of_samples] = [0.0; 2];
        let total: f64 = samples.iter().map(|value| value * value).sum();
        for (value, sample) in wavelet.iter().zip(&samples) {
            energy += value * value;
            of_samples += sample * sample;
            // The spectra differ by 1e-7 of their peak, and so do the energies.
            assert!(energy > of_samples - 1e-6 * total);
        }
        assert!((energy / total - 1.0).abs() < 1e-6);
    }
}

#[test]
fn a_minimum_phase_wavelet_is_recovered_from_itself_and_its_reverse() {
    // All zeros of the z transform, a polynomial in the unit delay, lie outside the unit circle.
    let known = convolved(&convolved(&[2.0, -1.0], &[1.0, 0.8]), &convolved(&[1.0, 0.3, 0.1], &[1.0, -1.2, 0.72]));
    let reversed: Vec<f64> = known.iter().rev().copied().collect();
    let negative: Vec<f64> = known.iter().map(|value| -value).collect();
    for samples in [&known, &reversed, &negative] {
        let wavelet = minimum_phase(samples).unwrap();
        // White noise of 1e-7 changes squared spectra without small values by 1e-14 of their peak.
        let apart = wavelet.iter().zip(&known).map(|(found, value)| (found - value).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{apart}: {wavelet:?}");
    }
}

#[test]
fn invalid_samples_have_no_minimum_phase_wavelet() {
    assert!(minimum_phase(&[1.0]).is_err());
    assert!(minimum_phase(&[0.0; 9]).unwrap_err().to_string().contains("nothing but zeros"));
    assert!(minimum_phase(&[1.0, f64::NAN]).is_err());
}
