use super::*;

/// Published coefficients for E = 0.1 %, with five digits (Holberg 1987, as tabulated by later finite-difference codes).
const PUBLISHED: [&[f64]; 4] = [
    &[1.1382, -0.046414],
    &[1.1965, -0.078804, 0.0081781],
    &[1.2257, -0.099537, 0.018063, -0.0026274],
    &[1.2508, -0.12034, 0.032131, -0.010142, 0.0029857, -0.00066667],
];

/// Half-length 8: E, coefficients with seven digits, points per wavelength, sum of absolute values; solved by another program.
const HALF_LENGTH_8: [(f64, [f64; 8], f64, f64); 3] = [
    (
        1e-3,
        [1.260499, -0.1291517, 0.03940658, -0.01554712, 0.006547391, -0.002681816, 0.0009851852, -0.0002986962],
        2.62,
        1.4551,
    ),
    (
        5e-3,
        [1.264099, -0.132537, 0.04239335, -0.01800894, 0.008428431, -0.003996702, 0.00180641, -0.0008511749],
        2.43,
        1.4721,
    ),
    (
        1e-2,
        [1.265677, -0.134045, 0.04376957, -0.0192046, 0.009412523, -0.004757951, 0.002352601, -0.001394417],
        2.36,
        1.4806,
    ),
];

/// Whether `value` rounds to `printed` where `digits` significant digits were printed.
fn agrees(value: f64, printed: f64, digits: i32) -> bool {
    let unit = 10.0_f64.powi(printed.abs().log10().floor() as i32 + 1 - digits);
    (value - printed).abs() <= 0.5001 * unit
}

fn taylor(half_length: usize) -> StaggeredStencil {
    StaggeredStencil::taylor(half_length).unwrap()
}

fn holberg(half_length: usize, group_error: f64) -> StaggeredStencil {
    StaggeredStencil::holberg(half_length, group_error).unwrap()
}

#[test]
fn taylor_has_its_closed_form() {
    let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
    for half_length in 1..=MAX_HALF_LENGTH {
        let l = half_length;
        let scale = (factorial(2 * l - 1) / factorial(l - 1)).powi(2) / 16.0_f64.powi(l as i32 - 1);
        for (i, &c) in taylor(l).coefficients().iter().enumerate() {
            let n = i + 1;
            let sign = if n % 2 == 1 { 1.0 } else { -1.0 };
            let odd = (2 * n - 1) as f64;
            let exact = sign * scale / (odd * odd * factorial(l + n - 1) * factorial(l - n));
            assert!((c / exact - 1.0).abs() < 1e-14, "half-length {l}: c_{n} = {c}, {exact}");
        }
    }
    assert_eq!(taylor(1).coefficients(), [1.0]);
    assert_eq!(taylor(2).coefficients(), [9.0 / 8.0, -1.0 / 24.0]);
}

#[test]
fn holberg_agrees_with_published_coefficients() {
    for published in PUBLISHED {
        let stencil = holberg(published.len(), 1e-3);
        for (&c, &printed) in stencil.coefficients().iter().zip(published) {
            assert!(agrees(c, printed, 5), "half-length {}: {c} {printed}", published.len());
        }
    }
    for (group_error, coefficients, _, sum) in HALF_LENGTH_8 {
        let stencil = holberg(8, group_error);
        for (&c, printed) in stencil.coefficients().iter().zip(coefficients) {
            assert!(agrees(c, printed, 7), "E = {group_error}: {c} {printed}");
        }
        assert!(agrees(stencil.absolute_sum(), sum, 5), "E = {group_error}: {}", stencil.absolute_sum());
    }
}

#[test]
fn holberg_ripples_touch_the_bound() {
    for half_length in 1..=MAX_HALF_LENGTH {
        for bound in (0..=32).map(|i| 10.0_f64.powf(0.25 * f64::from(i) - 9.0).clamp(MIN_GROUP_ERROR, MAX_GROUP_ERROR))
        {
            let stencil = holberg(half_length, bound);
            let end = stencil.largest_wavenumber(bound).unwrap();
            let error = (0..=10_000).map(|i| stencil.group_velocity_error(end * f64::from(i) / 10_000.0));
            let samples: Vec<f64> = error.collect();
            let swings: Vec<&[f64]> = samples.chunk_by(|a, b| a.signum() == b.signum()).collect();
            assert_eq!(swings.len(), half_length + 1, "half-length {half_length}, E = {bound}");
            for swing in swings {
                let peak = swing.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
                // Samples slightly miss a peak, and round-off matters if the bound is small.
                assert!((peak - bound).abs() < 1e-5 * bound + 2e-14, "half-length {half_length}, E = {bound}: {peak}");
            }
        }
    }
}

/// dk_eff/dk - 1 computed only from the dispersion relation k_eff h = 2 Σ c_n sin((n - 1/2) k h), by extrapolated differences.
fn differentiated_error(stencil: &StaggeredStencil, kh: f64) -> f64 {
    let slope =
        |step: f64| (stencil.numerical_wavenumber(kh + step) - stencil.numerical_wavenumber(kh - step)) / (2.0 * step);
    let [wide, middle, narrow] = [0.04, 0.02, 0.01].map(slope);
    let [wide, narrow] = [(4.0 * middle - wide) / 3.0, (4.0 * narrow - middle) / 3.0];
    (16.0 * narrow - wide) / 15.0 - 1.0
}

#[test]
fn holberg_keeps_its_bound_exactly_up_to_the_end_of_its_band() {
    const SAMPLES: usize = 20_000;
    for (half_length, bound) in (1..=MAX_HALF_LENGTH).flat_map(|l| [1e-4, 1e-3, 1e-2].map(|bound| (l, bound))) {
        let stencil = holberg(half_length, bound);
        let end = stencil.largest_wavenumber(bound).unwrap();
        let case = format!("half-length {half_length}, E = {bound}");
        let errors = (0..=SAMPLES).map(|i| differentiated_error(&stencil, end * i as f64 / SAMPLES as f64).abs());
        let largest = errors.fold(0.0, f64::max);
        assert!(largest <= bound * (1.0 + 1e-6), "{case}: {largest}");
        assert!(largest >= 0.99 * bound, "{case}: {largest}");
        let beyond = (1..=SAMPLES).map(|i| end + (std::f64::consts::PI - end) * i as f64 / SAMPLES as f64);
        assert!(beyond.clone().all(|kh| stencil.group_velocity_error(kh) < -bound), "{case}: it comes back");
        let of_taylor = taylor(half_length).largest_wavenumber(bound).unwrap();
        assert!(end > 1.2 * of_taylor, "{case}: {end} {of_taylor}");
    }
}

#[test]
fn holberg_approaches_taylor_as_the_bound_shrinks() {
    for half_length in 1..=4 {
        let exact = taylor(half_length);
        let distance = |bound: f64| {
            let stencil = holberg(half_length, bound);
            let differences = stencil.coefficients().iter().zip(exact.coefficients()).map(|(a, b)| (a - b).abs());
            differences.fold(0.0, f64::max)
        };
        assert!(distance(1e-9) < 0.1 * distance(1e-4), "{} {}", distance(1e-9), distance(1e-4));
        // The first difference from Taylor's coefficients is of order y_end, the band allowed by E.
        assert!(distance(1e-9) < 2.0 * 1e-9_f64.powf(1.0 / half_length as f64), "{}", distance(1e-9));
    }
}

#[test]
fn points_per_wavelength_agree_with_known_values() {
    for (group_error, _, points, _) in HALF_LENGTH_8 {
        let needed = holberg(8, group_error).points_per_wavelength(group_error).unwrap();
        assert!(agrees(needed, points, 3), "E = {group_error}: {needed}");
    }
    // One pair of taps: cos(k h/2) = 1 - E.
    let exact = std::f64::consts::PI / (1.0_f64 - 0.01).acos();
    assert!((taylor(1).points_per_wavelength(0.01).unwrap() / exact - 1.0).abs() < 1e-8);
    assert_eq!(holberg(4, 0.01).points_per_wavelength(0.001).unwrap(), f64::INFINITY);
    for half_length in 1..=MAX_HALF_LENGTH {
        let wide = holberg(half_length, 1e-3).points_per_wavelength(1e-3).unwrap();
        let narrow = taylor(half_length).points_per_wavelength(1e-3).unwrap();
        assert!(wide < narrow, "half-length {half_length}: {wide} {narrow}");
    }
}

/// Σ c_n (f(x + (n - 1/2) h) - f(x - (n - 1/2) h)) / h.
fn apply(stencil: &StaggeredStencil, f: impl Fn(f64) -> f64, x: f64, h: f64) -> f64 {
    arms(stencil.coefficients()).map(|(arm, c)| c * (f(x + arm * h) - f(x - arm * h))).sum::<f64>() / h
}

#[test]
fn derivative_of_a_sine_converges_at_its_order() {
    for half_length in 1..=MAX_HALF_LENGTH {
        let stencil = taylor(half_length);
        let error = |h: f64| (apply(&stencil, f64::sin, 0.3, h) - 0.3_f64.cos()).abs();
        let order = (error(0.5) / error(0.4)).ln() / 1.25_f64.ln();
        assert!((order - 2.0 * half_length as f64).abs() < 0.2, "half-length {half_length}: observed order {order}");
    }
}

#[test]
fn numerical_wavenumber_is_that_of_the_applied_stencil() {
    for stencil in [taylor(3), holberg(8, 1e-3)] {
        for kh in [0.1, 1.0, 2.0, 3.0] {
            // The derivative of sin(k x) at 0 is k.
            let applied = apply(&stencil, |x| (kh * x).sin(), 0.0, 1.0);
            assert!((stencil.numerical_wavenumber(kh) - applied).abs() < 1e-14, "{kh}: {applied}");
        }
    }
}

#[test]
fn velocity_errors_agree_with_the_numerical_wavenumber() {
    for stencil in [taylor(4), holberg(6, 5e-3)] {
        for kh in [0.2, 0.9, 2.4] {
            let step = 1e-5;
            let difference = stencil.numerical_wavenumber(kh + step) - stencil.numerical_wavenumber(kh - step);
            assert!((difference / (2.0 * step) - 1.0 - stencil.group_velocity_error(kh)).abs() < 1e-9);
            let phase = stencil.numerical_wavenumber(kh) / kh - 1.0;
            assert_eq!(stencil.phase_velocity_error(kh), phase);
        }
        assert!((stencil.phase_velocity_error(1e-4) - stencil.phase_velocity_error(0.0)).abs() < 1e-8);
    }
}

/// Largest |u| of a one-dimensional leapfrog on a periodic grid with v dt / h = `courant`, starting from the shortest wave.
fn leapfrog_amplitude(stencil: &StaggeredStencil, courant: f64) -> f64 {
    const POINTS: usize = 32;
    let at = |i: usize, shift: isize| (i as isize + shift).rem_euclid(POINTS as isize) as usize;
    let derive = |field: &[f64], i: usize, ahead: isize| -> f64 {
        let terms = stencil.coefficients().iter().zip(1_isize..);
        terms.map(|(c, n)| c * (field[at(i, n - 1 + ahead)] - field[at(i, ahead - n)])).sum()
    };
    let mut pressure: Vec<f64> = (0..POINTS).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let mut velocity = vec![0.0; POINTS];
    for _ in 0..2000 {
        (0..POINTS).for_each(|i| velocity[i] += courant * derive(&pressure, i, 1));
        (0..POINTS).for_each(|i| pressure[i] += courant * derive(&velocity, i, 0));
    }
    pressure.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

#[test]
fn leapfrog_is_stable_up_to_the_factor_and_no_further() {
    for stencil in [taylor(1), taylor(2), holberg(8, 1e-3)] {
        let limit = stencil.stable_step_factor(1).unwrap();
        assert!(leapfrog_amplitude(&stencil, 0.999 * limit) < 50.0);
        assert!(leapfrog_amplitude(&stencil, 1.001 * limit) > 1e6);
        assert_eq!(stencil.stable_step_factor(3).unwrap(), 1.0 / (stencil.absolute_sum() * 3.0_f64.sqrt()));
    }
    let sixth_sevenths = 6.0 / 7.0;
    assert!((taylor(2).stable_step_factor(1).unwrap() - sixth_sevenths).abs() < 1e-15);
}

#[test]
fn requests_out_of_range_are_rejected_with_the_range() {
    for half_length in [0, 9] {
        let message = StaggeredStencil::taylor(half_length).unwrap_err().to_string();
        assert!(message.contains(&half_length.to_string()) && message.contains("between 1 and 8"), "{message}");
        assert!(StaggeredStencil::holberg(half_length, 1e-3).is_err());
    }
    for group_error in [0.0, -1.0, 0.2, f64::NAN] {
        let message = StaggeredStencil::holberg(4, group_error).unwrap_err().to_string();
        assert!(message.contains("0.000000001 and 0.1") && message.contains("group velocity"), "{message}");
    }
    assert!(taylor(2).largest_wavenumber(0.0).is_err() && taylor(2).points_per_wavelength(2.0).is_err());
    assert!(taylor(2).stable_step_factor(0).is_err() && taylor(2).stable_step_factor(4).is_err());
}
