//! The leapfrog with forward and inverse transforms reproduces the continuous equation.

use craton_numerics::dispersion::{
    Derive, Forward, Inverse, Residual, SampledRate, SlipForward, Stagger, UniformTimes, continuous_frequency,
    guard_steps, scheme_frequency,
};
use craton_numerics::gll::gauss;
use craton_numerics::misfit::relative_l2;

/// Exact motion of ü + ω² u = s(t) from rest at the times n dt: displacement, velocity, acceleration.
///
/// Each step is a rotation plus Duhamel's integral over one step by Gauss's rule, both exact to round-off.
fn exact_oscillator(omega: f64, dt: f64, n_steps: usize, source: impl Fn(f64) -> f64) -> [Vec<f64>; 3] {
    let rule = gauss(8).unwrap();
    let sinc = |t: f64| if omega == 0.0 { t } else { (omega * t).sin() / omega };
    let (mut u, mut v) = (0.0, 0.0);
    let mut motion: [Vec<f64>; 3] = std::array::from_fn(|_| Vec::with_capacity(n_steps));
    for n in 0..n_steps {
        let t = n as f64 * dt;
        for (trace, value) in motion.iter_mut().zip([u, v, source(t) - omega * omega * u]) {
            trace.push(value);
        }
        let (mut du, mut dv) = (0.0, 0.0);
        for (x, weight) in rule.points.iter().zip(&rule.weights) {
            let left = 0.5 * dt * (1.0 - x);
            let push = 0.5 * dt * weight * source(t + dt - left);
            du += push * sinc(left);
            dv += push * (omega * left).cos();
        }
        let (cos, sin) = ((omega * dt).cos(), sinc(dt));
        (u, v) = (cos * u + sin * v + du, cos * v - omega * omega * sin * u + dv);
    }
    motion
}

/// The leapfrog: displacements at n dt and velocities at (n + 1/2) dt.
fn leapfrog(omega: f64, dt: f64, force: &[f64]) -> [Vec<f64>; 2] {
    let (mut u, mut v) = (0.0, 0.0);
    let mut displacement = Vec::with_capacity(force.len());
    let mut velocity = Vec::with_capacity(force.len());
    for f in force {
        displacement.push(u);
        v += dt * (f - omega * omega * u);
        velocity.push(v);
        u += dt * v;
    }
    [displacement, velocity]
}

fn gaussian(sigma: f64, centre: f64) -> impl Fn(f64) -> f64 {
    let scale = 1.0 / (sigma * (2.0 * std::f64::consts::PI).sqrt());
    move |t| scale * (-0.5 * ((t - centre) / sigma).powi(2)).exp()
}

/// Relative errors of displacement, velocity and acceleration, all from the half-step velocity, over the first `kept` steps.
fn errors(velocity: &[f64], exact: &[Vec<f64>; 3], dt: f64, kept: usize) -> [f64; 3] {
    let plan = Inverse::new(velocity.len(), dt).unwrap();
    let read = |derive| plan.apply(velocity, Stagger::Half, derive).unwrap();
    let traces = [read(Derive::Integral), read(Derive::Nothing), read(Derive::Derivative)];
    std::array::from_fn(|i| relative_l2(&[&traces[i][..kept]], &[&exact[i][..kept]]).unwrap())
}

/// Sum over oscillators of one motion.
fn sum(traces: impl IntoIterator<Item = Vec<f64>>) -> Vec<f64> {
    traces.into_iter().reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect()).unwrap()
}

#[test]
fn an_oscillator_moves_exactly_up_to_the_stability_limit() {
    let (dt, kept) = (0.01, 1000);
    let n = kept + guard_steps(kept);
    let source = gaussian(0.06, 0.5);
    let force = Forward::new(n, dt).unwrap().samples(&source, Stagger::Whole).unwrap();
    for factor in [0.02, 0.1, 0.3, 0.9] {
        let omega = factor * 2.0 / dt;
        let exact = exact_oscillator(omega, dt, n, &source);
        let [u, v] = leapfrog(omega, dt, &force);
        for error in errors(&v, &exact, dt, kept) {
            assert!(error < 1e-9, "factor {factor}: {error:e}");
        }
        let recorded = Inverse::new(n, dt).unwrap().apply(&u, Stagger::Whole, Derive::Nothing).unwrap();
        let error = relative_l2(&[&recorded[..kept]], &[&exact[0][..kept]]).unwrap();
        assert!(error < 1e-9, "factor {factor}, displacement as recorded: {error:e}");
    }
}

#[test]
fn without_the_transforms_the_same_oscillator_is_wrong() {
    let (dt, n) = (0.01, 1000);
    let source = gaussian(0.06, 0.5);
    let force: Vec<f64> = (0..n).map(|i| source(i as f64 * dt)).collect();
    let [u, _] = leapfrog(20.0, dt, &force);
    let error = relative_l2(&[&u], &[&exact_oscillator(20.0, dt, n, &source)[0]]).unwrap();
    assert!(error > 0.1, "{error:e}");
}

#[test]
fn fifty_thousand_steps_stay_exact() {
    let (dt, kept) = (1e-3, 50_000);
    let n = kept + guard_steps(kept);
    let source = gaussian(0.008, 0.1);
    let force = Forward::new(n, dt).unwrap().samples(&source, Stagger::Whole).unwrap();
    let omegas = [3.0, 20.0, 57.0, 111.0, 203.0, 290.0, 1800.0];
    let motions = omegas.map(|omega| exact_oscillator(omega, dt, n, &source));
    let exact = [0, 1, 2].map(|i| sum(motions.iter().map(|motion| motion[i].clone())));
    let velocity = sum(omegas.map(|omega| leapfrog(omega, dt, &force)[1].clone()));
    for error in errors(&velocity, &exact, dt, kept) {
        assert!(error < 1e-8, "{error:e}");
    }
}

/// A string with c = 1, closed to a ring of length 20, is struck around x = 0 over a width of 0.2 and recorded at x = 4 until just before the wave travelling
/// the other way arrives. d'Alembert: the velocity is a Gaussian pulse, the displacement ends in the static offset 1/2.
#[test]
fn a_wave_on_a_string_is_exact_and_leaves_its_static_offset() {
    let (length, width, sigma, centre, x) = (20.0, 0.2, 0.2, 2.0, 4.0);
    let modes = 128;
    let wavenumber = |j: i32| std::f64::consts::TAU * f64::from(j) / length;
    let dt = 0.9 * 2.0 / wavenumber(modes);
    let n: i32 = 280;
    let force = Forward::new(n as usize, dt).unwrap().samples(gaussian(sigma, centre), Stagger::Whole).unwrap();
    let velocity = sum((0..=modes).map(|j| {
        let k = wavenumber(j);
        let weight = if j == 0 { 1.0 } else { 2.0 } / length * (-0.5 * (k * width).powi(2)).exp() * (k * x).cos();
        leapfrog(k, dt, &force)[1].iter().map(|v| weight * v).collect()
    }));

    let spread = sigma.hypot(width);
    let pulse = gaussian(spread, centre + x);
    let times = (0..n).map(|i| f64::from(i) * dt);
    // The oscillator of frequency zero is the plain double integral, so its velocity is the integral of the pulse.
    let [_, offset, _] = exact_oscillator(0.0, dt, n as usize, &pulse);
    let exact: [Vec<f64>; 3] = [
        offset.iter().map(|u| 0.5 * u).collect(),
        times.clone().map(|t| 0.5 * pulse(t)).collect(),
        times.map(|t| -0.5 * pulse(t) * (t - centre - x) / (spread * spread)).collect(),
    ];
    assert!((exact[0].last().unwrap() - 0.5_f64).abs() < 1e-12);
    for error in errors(&velocity, &exact, dt, n as usize) {
        assert!(error < 1e-9, "{error:e}");
    }
}

/// The response to an integrated source is the integral of the response to the source.
#[test]
fn a_step_source_ends_in_the_exact_static_offset() {
    let (dt, kept) = (0.01, 1500);
    let n = kept + guard_steps(kept);
    // The pulse is already active at step 0, so the step does not start from zero.
    for centre in [0.5, 0.1] {
        let rate = gaussian(0.06, centre);
        let force = Forward::new(n, dt).unwrap().integral(&rate).unwrap();
        assert!((force[n - 1] - 1.0).abs() < 1e-10, "the step reaches {}", force[n - 1]);
        if centre == 0.5 {
            let omega = 40.0;
            let [displacement, velocity, _] = exact_oscillator(omega, dt, n, &rate);
            let [_, v] = leapfrog(omega, dt, &force);
            let plan = Inverse::new(n, dt).unwrap();
            for (derive, exact) in [(Derive::Nothing, &displacement), (Derive::Derivative, &velocity)] {
                let trace = plan.apply(&v, Stagger::Half, derive).unwrap();
                let error = relative_l2(&[&trace[..kept]], &[&exact[..kept]]).unwrap();
                assert!(error < 1e-9, "{derive:?}: {error:e}");
            }
            // The oscillator swings about its static offset 1/ω², by the amplitude that the pulse's spectrum has at ω.
            let offset = plan.apply(&v, Stagger::Half, Derive::Integral).unwrap();
            let swing = (-0.5_f64 * (omega * 0.06).powi(2)).exp();
            for (i, u) in offset.iter().enumerate().take(kept).skip(200) {
                let exact = (1.0 - swing * (omega * (i as f64 * dt - centre)).cos()) / (omega * omega);
                assert!((u * omega * omega - exact * omega * omega).abs() < 1e-8, "step {i}");
            }
        }
    }
}

#[test]
fn guard_steps_keep_the_end_of_a_busy_record_clean() {
    let dt = 0.01;
    for kept in [40_usize, 300, 3000, 20_000] {
        let n = kept + guard_steps(kept);
        for omega_dt in [0.02, 0.06, 0.2, 0.6_f64] {
            // A wave that has always been present: no source, only the oscillation of the scheme.
            let theta = scheme_frequency(omega_dt / dt, dt);
            let fade = |t: f64| (20.0 * t / (kept as f64 * dt) - 10.0).tanh();
            let carried = |t: f64| (1.0 + fade(t)) * (theta * t).sin();
            let trace: Vec<f64> = (0..n + 2000).map(|i| carried(i as f64 * dt)).collect();
            let whole = Inverse::new(n + 2000, dt).unwrap().apply(&trace, Stagger::Whole, Derive::Nothing).unwrap();
            let cut = Inverse::new(n, dt).unwrap().apply(&trace[..n], Stagger::Whole, Derive::Nothing).unwrap();
            let worst = (0..kept).map(|i| (whole[i] - cut[i]).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-6, "{kept} steps, ω dt = {omega_dt}: {worst:e}");
        }
    }
}

#[test]
fn any_uniform_output_times_are_possible() {
    let (dt, n, omega) = (0.01, 1200, 30.0);
    let source = gaussian(0.06, 0.5);
    let force = Forward::new(n, dt).unwrap().samples(&source, Stagger::Whole).unwrap();
    let [_, v] = leapfrog(omega, dt, &force);
    // Every fourth of the finer exact samples, from the third on; then finer than the scheme's step.
    let fine = exact_oscillator(omega, dt / 4.0, 4 * 1100, &source);
    for (first, every, count) in [(3, 13, 330), (1, 1, 4000)] {
        let times = UniformTimes { start: first as f64 * dt / 4.0, interval: every as f64 * dt / 4.0, count };
        let trace = Inverse::onto(n, dt, times).unwrap().apply(&v, Stagger::Half, Derive::Nothing).unwrap();
        let exact: Vec<f64> = (0..count).map(|i| fine[1][first + every * i]).collect();
        let error = relative_l2(&[&trace], &[&exact]).unwrap();
        assert!(error < 1e-9, "every {every}: {error:e}");
    }
}

#[test]
fn the_residual_detects_sources_too_sharp_or_truncated() {
    let (dt, n) = (0.01, 2000);
    let left =
        |max_frequency, source: &dyn Fn(f64) -> f64| Residual::new(n, dt, max_frequency).unwrap().of(source).unwrap();
    assert!(left(8.0, &gaussian(0.06, 0.5)) < 1e-10);
    assert!(left(8.0, &|t: f64| (20.0 * t).sin() * (1.0 - (-t * t).exp())) < 1e-5);
    // A pulse as short as the time step exceeds the band of the scheme; its low frequencies do not.
    assert!(left(60.0, &gaussian(dt, 0.5)) > 0.01);
    assert!(left(8.0, &gaussian(dt, 0.5)) < 1e-4);
    // Brune's pulse has a kink at its onset.
    let brune = |t: f64| if t < 0.2 { 0.0 } else { (t - 0.2) / 0.04 * (-(t - 0.2) / 0.2).exp() };
    assert!(left(8.0, &brune) < 1e-4);
    assert!(left(8.0, &gaussian(0.06, 0.05)) > 1e-3);
}

#[test]
fn frequencies_map_back_and_forth() {
    let dt = 0.02;
    for omega in [-99.0, -1.0, 0.0, 3.0, 50.0, 99.9] {
        assert!((continuous_frequency(scheme_frequency(omega, dt), dt) - omega).abs() < 1e-11);
        assert!(scheme_frequency(omega, dt).abs() >= omega.abs());
    }
    assert!(scheme_frequency(101.0, dt).is_nan());
}

#[test]
fn the_round_off_of_single_precision_is_not_magnified() {
    let (dt, kept) = (0.01, 2000);
    let n = kept + guard_steps(kept);
    let source = gaussian(0.06, 0.5);
    let force = Forward::new(n, dt).unwrap().samples(&source, Stagger::Whole).unwrap();
    let exact = exact_oscillator(25.0, dt, n, &source);
    let single: Vec<f64> = leapfrog(25.0, dt, &force)[1].iter().map(|&v| f64::from(v as f32)).collect();
    let [displacement, velocity, acceleration] = errors(&single, &exact, dt, kept);
    assert!(displacement < 1e-6 && velocity < 1e-7 && acceleration < 1e-6);
}

#[test]
fn one_plan_serves_many_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&Forward::new(10, 0.1).unwrap());
    shared(&Inverse::new(10, 0.1).unwrap());
}

#[test]
fn a_shorter_trace_than_planned_reads_the_same() {
    let dt = 0.01;
    let trace: Vec<f64> = (0..400).map(|i| gaussian(0.05, 1.0)(f64::from(i) * dt)).collect();
    let read = |n| Inverse::new(n, dt).unwrap().apply(&trace, Stagger::Whole, Derive::Nothing).unwrap();
    let (short, long) = (read(400), read(900));
    assert!(relative_l2(&[&long[..400]], &[&short]).unwrap() < 1e-9);
    assert!(long[400..].iter().all(|value| value.abs() < 1e-9));
}

#[test]
fn invalid_requests_are_rejected_with_reasons() {
    let plan = Inverse::new(10, 0.1).unwrap();
    let refuse = |trace: &[f64]| plan.apply(trace, Stagger::Whole, Derive::Nothing).unwrap_err().to_string();
    assert!(refuse(&[]).contains("at least 1"));
    assert!(refuse(&[0.0; 11]).contains("11") && refuse(&[0.0; 11]).contains("10"));
    assert!(refuse(&[0.0, f64::NAN]).contains("sample 1"));
    assert!(Forward::new(10, -0.1).is_err_and(|error| error.to_string().contains("-0.1")));
    let singular = Forward::new(10, 0.1).unwrap().samples(|t| 1.0 / (t - 0.5), Stagger::Whole).unwrap_err();
    assert!(singular.to_string().contains("inf at 0.5 s"), "{singular}");
    let late = UniformTimes { start: 0.5, interval: 0.1, count: 7 };
    let message = Inverse::onto(10, 0.1, late).err().unwrap().to_string();
    assert!(message.contains("1.1") && message.contains("0 s to 1 s"), "{message}");
    assert!(Residual::new(10, 0.1, 1.0).unwrap().of(|_| 0.0).is_err());
}

#[test]
fn histories_of_slip_are_those_of_the_whole_run() {
    let (dt, steps, interval) = (0.01, 4000, 0.04);
    let pulse = gaussian(0.3, 2.1);
    let samples: Vec<f32> = (0..105).map(|index| pulse(f64::from(index) * interval) as f32).collect();
    for start in [0.9, 17.0037, 34.0] {
        let rate = SampledRate { start, interval, samples: &samples };
        let linear = |time: f64| {
            let at = (time - start) / interval;
            let value = |index: f64| samples.get(index as usize).map_or(0.0, |&value| f64::from(value));
            let share = at - at.floor();
            if at < 0.0 { 0.0 } else { (1.0 - share) * value(at.floor()) + share * value(at.floor() + 1.0) }
        };
        let whole = Forward::new(steps, dt).unwrap().integral(linear).unwrap();
        let (first, values) = SlipForward::new(dt, 2.0, true).unwrap().integral(&rate).unwrap();
        let at = |step: usize| match usize::try_from(step as i64 - first) {
            Ok(since) => values[since.min(values.len() - 1)],
            Err(_) => 0.0,
        };
        assert!(values.len() < 1000, "{start}: {} values", values.len());
        let error = whole.iter().enumerate().map(|(step, value)| (value - at(step)).abs()).fold(0.0, f64::max);
        // The corners of the linear interpolation, at 25 Hz, are beyond the band.
        assert!(error < 2e-5, "{start}: {error:e}");
        assert!((values[values.len() - 1] - rate.total()).abs() < 1e-12);
        // Without the correction, the same without the delay of the scheme.
        let (first, values) = SlipForward::new(dt, 2.0, false).unwrap().integral(&rate).unwrap();
        let middle = ((start + 2.1) / dt).round() as i64;
        let half = values[usize::try_from(middle - first).unwrap()];
        assert!((half / rate.total() - 0.5).abs() < 0.01, "{start}: {half}");
    }
}

#[test]
fn an_oscillator_driven_by_slip_moves_exactly() {
    let (omega, dt, steps) = (6.0, 0.05, 1200);
    let samples = [0.2_f32, 1.0, 0.6, 0.5, 0.1];
    let rate = SampledRate { start: 20.0, interval: 0.9, samples: &samples };
    let (first, values) = SlipForward::new(dt, 1.2, true).unwrap().integral(&rate).unwrap();
    let force: Vec<f64> = (0..steps as i64)
        .map(|step| usize::try_from(step - first).map_or(0.0, |since| values[since.min(values.len() - 1)]))
        .collect();
    let exact = exact_oscillator(omega, dt, steps, |time| {
        let hat = |(index, &sample): (usize, &f32)| {
            let at = ((time - 20.0) / 0.9 - index as f64).clamp(-1.0, 1.0);
            0.9 * f64::from(sample) * if at < 0.0 { 0.5 * (1.0 + at).powi(2) } else { 1.0 - 0.5 * (1.0 - at).powi(2) }
        };
        samples.iter().enumerate().map(hat).sum()
    });
    // Every frequency of the oscillator is below that of the run: its motion is exact but for the corners of the rate.
    let [_, v] = leapfrog(omega, dt, &force);
    let [displacement, _, _] = errors(&v, &exact, dt, 1000);
    assert!(displacement < 1e-3, "{displacement:e}");
}

/// ⟨T x, y⟩ = ⟨x, Tᵀ y⟩ for whole and half steps, shorter traces and other times.
#[test]
fn the_inverse_transform_is_transposed_exactly() {
    let noise = |count: usize, seed: usize| -> Vec<f64> {
        (0..count).map(|n| ((n * n * 7919 + seed * 104_729 + n * 31) % 1009) as f64 / 504.5 - 1.0).collect()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for (planned, count, interval, times) in [(300, 300, 0.004, 70), (301, 211, 0.0013, 230), (64, 1, 0.001, 64)] {
        let times = UniformTimes { start: 0.0, interval, count: times };
        let inverse = Inverse::onto(planned, 1e-3, times).unwrap();
        for at in [Stagger::Whole, Stagger::Half] {
            let (x, y) = (noise(count, 3), noise(times.count, 5));
            let direct = dot(&inverse.apply(&x, at, Derive::Nothing).unwrap(), &y);
            let transposed = dot(&x, &inverse.transposed(&y, count, at).unwrap());
            assert!((direct - transposed).abs() < 1e-12 * count as f64, "{planned} {at:?}: {direct} {transposed}");
        }
    }
}
