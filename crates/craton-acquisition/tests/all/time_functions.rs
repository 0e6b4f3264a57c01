//! Consistency of every time function with its integral, derivative and spectrum.

use craton_acquisition::TimeFunction;

/// One of each kind, with sample times inside, outside and at the edges of its support.
fn every_kind() -> Vec<(&'static str, TimeFunction)> {
    let samples = vec![0.0, 1.0, 3.0, -2.0, 0.5, 0.0];
    let named = [
        ("Gaussian", TimeFunction::gaussian(0.1, 0.6)),
        ("Gaussian of half duration", TimeFunction::gaussian_of_half_duration(0.3, 0.5)),
        ("Ricker", TimeFunction::ricker(2.5, 0.7)),
        ("Brune", TimeFunction::brune(3.0, 0.1)),
        ("smoothed Brune", TimeFunction::smoothed_brune(3.0, 0.1)),
        ("error function", TimeFunction::error_function(0.15, 0.6)),
        ("triangle", TimeFunction::triangle(0.4, 0.6)),
        ("samples", TimeFunction::sampled(0.2, 0.1, samples)),
    ];
    named.map(|(name, function)| (name, function.unwrap())).into()
}

fn pulses_of_unit_area() -> Vec<(&'static str, TimeFunction)> {
    let pulse = |(name, _): &(&'static str, TimeFunction)| !["Ricker", "error function", "samples"].contains(name);
    every_kind().into_iter().filter(pulse).collect()
}

/// Composite Simpson rule. Its intervals end at multiples of 0.1 s, where the functions above have their corners.
fn quadrature(from: f64, to: f64, function: impl Fn(f64) -> f64) -> f64 {
    let count = ((to - from) * 2000.0).round() as usize;
    let h = (to - from) / count as f64;
    let panel = |k: usize| {
        // Sample slightly inside the panel, so that a jump at its edge counts on the correct side.
        let (left, right) = (from + h * (k as f64 + 1e-9), from + h * (k as f64 + 1.0 - 1e-9));
        h / 6.0 * (function(left) + 4.0 * function(0.5 * (left + right)) + function(right))
    };
    (0..count).map(panel).sum()
}

#[test]
fn pulses_have_unit_area() {
    for (name, function) in pulses_of_unit_area() {
        let area = quadrature(-1.0, 5.0, |t| function.value(t));
        assert!((area - 1.0).abs() < 1e-9, "{name}: {area}");
        assert!((function.integral(50.0) - 1.0).abs() < 1e-14, "{name}");
        assert!((function.amplitude_spectrum(0.0) - 1.0).abs() < 1e-14, "{name}");
    }
}

#[test]
fn ricker_has_unit_peak_and_zero_area() {
    let ricker = TimeFunction::ricker(2.5, 0.7).unwrap();
    assert_eq!(ricker.value(0.7), 1.0);
    assert!(quadrature(-1.0, 3.0, |t| ricker.value(t)).abs() < 1e-12);
    assert!(ricker.integral(10.0).abs() < 1e-14);
}

#[test]
fn integral_is_the_area_up_to_t() {
    for (name, function) in every_kind() {
        for t in [0.1, 0.35, 0.6, 0.8, 1.3, 2.0] {
            let area = quadrature(-1.0, t, |t| function.value(t));
            let integral = function.integral(t);
            assert!((area - integral).abs() < 2e-9, "{name} at {t}: {integral} against {area}");
        }
        assert!(function.integral(-1.0).abs() < 1e-12, "{name}");
    }
}

#[test]
fn derivative_is_the_slope() {
    let h = 1e-5;
    for (name, function) in every_kind() {
        for t in [0.05, 0.23, 0.51, 0.77, 0.93, 1.31, 1.9] {
            let slope = (function.value(t + h) - function.value(t - h)) / (2.0 * h);
            let derivative = function.derivative(t);
            assert!(
                (slope - derivative).abs() < 1e-6 * (1.0 + slope.abs()),
                "{name} at {t}: {derivative} against {slope}"
            );
        }
    }
}

#[test]
fn peak_times_are_those_of_the_largest_magnitude() {
    for (name, function) in every_kind() {
        // A step has no peak, and the parabola through samples is not their interpolation.
        if ["error function", "samples"].contains(&name) {
            continue;
        }
        let peak = function.value(function.peak_time()).abs();
        let largest = (-1000..5000).map(|step| function.value(1e-3 * f64::from(step)).abs()).fold(0.0, f64::max);
        assert!(peak >= largest - 2e-3 * largest, "{name}: {peak} of {largest}");
    }
    let pulse = |n: i32| -(-0.5 * ((f64::from(n) - 7.3) / 3.0).powi(2)).exp();
    let sampled = TimeFunction::sampled(0.1, 2.0, (0..20).map(pulse).collect()).unwrap();
    assert!((sampled.peak_time() - 2.73).abs() < 1e-3, "{}", sampled.peak_time());
}

#[test]
fn amplitude_spectrum_is_the_fourier_transform() {
    for (name, function) in every_kind() {
        if name == "error function" {
            continue;
        }
        for frequency in [0.3, 1.0, 2.5, 6.0, 11.0] {
            let omega = std::f64::consts::TAU * frequency;
            let real = quadrature(-1.0, 5.0, |t| function.value(t) * (omega * t).cos());
            let imaginary = quadrature(-1.0, 5.0, |t| function.value(t) * (omega * t).sin());
            let expected = real.hypot(imaginary);
            let found = function.amplitude_spectrum(frequency);
            assert!((found - expected).abs() < 2e-8, "{name} at {frequency} Hz: {found}, {expected}");
        }
    }
}

#[test]
fn spectrum_of_a_step_is_that_of_its_rate_divided_by_omega() {
    let step = TimeFunction::error_function(0.15, 0.6).unwrap();
    let rate = TimeFunction::gaussian(0.15 / 2f64.sqrt(), 0.6).unwrap();
    let omega = std::f64::consts::TAU * 2.0;
    let difference = step.amplitude_spectrum(2.0) * omega / rate.amplitude_spectrum(2.0) - 1.0;
    assert!(difference.abs() < 1e-14);
    assert!((step.upper_frequency(0.05) / rate.upper_frequency(0.05) - 1.0).abs() < 1e-14);
    assert_eq!(step.amplitude_spectrum(0.0), f64::INFINITY);
}

#[test]
fn spectrum_stays_below_the_level_above_the_upper_frequency() {
    for (name, function) in every_kind() {
        let weight = |f: f64| match name {
            "error function" => function.amplitude_spectrum(f) * f,
            _ => function.amplitude_spectrum(f),
        };
        let highest = (1..40_000).map(|k| weight(k as f64 * 1e-3)).fold(0.0, f64::max);
        for level in [0.05, 0.01] {
            let upper = function.upper_frequency(level);
            if name == "samples" && upper == 2.5 {
                continue; // the search ends at the Nyquist frequency
            }
            let above = (1..4000).map(|k| weight(upper * (1.001 + k as f64 * 1e-3)));
            assert!(above.fold(0.0, f64::max) <= level * highest, "{name} above {upper} Hz");
            assert!(weight(upper) > 0.97 * level * highest, "{name} at {upper} Hz");
        }
    }
}

#[test]
fn upper_frequencies_match_known_values() {
    let gaussian = TimeFunction::gaussian(0.06, 0.36).unwrap();
    assert!((gaussian.upper_frequency(0.05) - 6.4928).abs() < 1e-4);
    assert!((gaussian.upper_frequency(0.01) - 8.0502).abs() < 1e-4);
    let ricker = TimeFunction::ricker(1.0, 0.0).unwrap();
    assert!((ricker.upper_frequency(0.05) - 2.396_636).abs() < 1e-6);
    let brune = TimeFunction::brune(2.0, 0.0).unwrap();
    assert!((brune.upper_frequency(0.2) - 4.0).abs() < 1e-12);
    let triangle = TimeFunction::triangle(1.0, 0.0).unwrap();
    // Of the lobes, the main lobe is the last above 5 %, the second side lobe the last above 1 %.
    let x5 = std::f64::consts::PI * triangle.upper_frequency(0.05);
    assert!((x5 - 2.538_086).abs() < 1e-6);
    let x1 = std::f64::consts::PI * triangle.upper_frequency(0.01);
    assert!((x1 - 8.423_204).abs() < 1e-6);
}

#[test]
fn the_function_is_below_the_level_before_its_onset() {
    for (name, function) in every_kind() {
        let peak = (0..4000).map(|k| function.value(k as f64 * 1e-3).abs()).fold(0.0, f64::max);
        for level in [1e-9, 1e-3, 0.2, 0.6] {
            let onset = function.onset(level);
            let before = (1..1000).map(|k| function.value(onset - k as f64 * 1e-3).abs());
            assert!(before.fold(0.0, f64::max) <= level * peak * 1.0001, "{name}, {level}");
            if name != "samples" {
                let there = function.value(onset).abs();
                assert!((there / (level * peak) - 1.0).abs() < 1e-3, "{name}, {level}: {there}");
            }
        }
    }
    let reference = TimeFunction::gaussian(0.1, 0.6).unwrap();
    assert!((reference.start() - (0.6 - 0.643_790)).abs() < 1e-6);
}

#[test]
fn gaussians_by_half_duration_and_by_sigma_agree() {
    let by_half_duration = TimeFunction::gaussian_of_half_duration(20.0, 0.0).unwrap();
    let w = 20.0 / 1.628;
    let expected = (-(10.0f64 / w).powi(2)).exp() / (std::f64::consts::PI.sqrt() * w);
    assert!((by_half_duration.value(10.0) / expected - 1.0).abs() < 1e-14);
}

#[test]
fn samples_are_interpolated_zero_before_and_constant_after() {
    let step = TimeFunction::sampled(0.5, 1.0, vec![0.0, 1.0, 2.0]).unwrap();
    assert_eq!(step.value(0.99), 0.0);
    assert_eq!(step.value(1.5), 1.0);
    assert_eq!(step.value(1.75), 1.5);
    assert_eq!(step.value(9.0), 2.0);
    assert_eq!(step.integral(2.0), 1.0);
    assert_eq!(step.integral(3.0), 3.0);
    assert_eq!(step.final_value(), 2.0);
    let pulse = TimeFunction::sampled(0.5, 0.0, vec![0.0, 1.0, 1e-9]).unwrap();
    assert_eq!(pulse.final_value(), 0.0);
}

#[test]
fn a_well_sampled_gaussian_behaves_like_the_gaussian() {
    let exact = TimeFunction::gaussian(0.1, 0.6).unwrap();
    let samples = (0..1300).map(|k| exact.value(k as f64 * 1e-3)).collect();
    let sampled = TimeFunction::sampled(1e-3, 0.0, samples).unwrap();
    for t in [0.3, 0.5555, 0.8] {
        assert!((sampled.value(t) - exact.value(t)).abs() < 1e-4);
        assert!((sampled.integral(t) - exact.integral(t)).abs() < 1e-4);
    }
    let upper = sampled.upper_frequency(0.05);
    assert!((upper - exact.upper_frequency(0.05)).abs() < 0.3, "{upper}");
}

#[test]
fn invalid_time_functions_are_refused_with_value_and_range() {
    let sigma = TimeFunction::gaussian(0.0, 1.0).unwrap_err();
    assert_eq!(
        sigma.to_string(),
        "sigma of the Gaussian = 0 is not allowed: it must be above 0 s; a source of zero duration excites all frequencies, which no mesh can resolve"
    );
    assert!(TimeFunction::ricker(-1.0, 0.0).is_err());
    assert!(TimeFunction::brune(1.0, f64::INFINITY).is_err());
    assert!(TimeFunction::sampled(0.1, 0.0, vec![1.0]).is_err());
    assert!(TimeFunction::sampled(0.1, 0.0, vec![0.0; 8]).is_err());
    let nan = TimeFunction::sampled(0.1, 0.0, vec![0.0, f64::NAN]).unwrap_err();
    assert!(nan.to_string().contains("NaN as sample 2"), "{nan}");
}
