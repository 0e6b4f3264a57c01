//! Plane waves, the free surface and the sea bottom.

use crate::common::*;
use craton_fd::{
    Boundaries, FdOperator, Field, Material, Medium, PointSource, Probe, ProbeQuantity, Side, SourceMechanism,
};
use craton_numerics::staggered::StaggeredStencil;

const H: f64 = 10.0;

/// A column that is periodic along x and y.
fn column(half_length: usize, ends: [Side; 2]) -> craton_fd::Options {
    let mut boundaries = Boundaries::all(Side::Periodic);
    boundaries.sides[4..].copy_from_slice(&ends);
    options(half_length, boundaries)
}

/// Starts a plane wave that travels upward: velocity `shape(z)` of a component half a step before the start, and the matching stress.
fn start_plane_wave(operator: &mut FdOperator<f64>, material: Material, component: usize, shape: impl Fn(f64) -> f64) {
    let (modulus, rho) = (if component == 2 { material.lambda + 2.0 * material.mu } else { material.mu }, material.rho);
    let speed = (modulus / rho).sqrt();
    let mut saved = Saved::of(operator);
    let set = |values: &mut Vec<f64>, shape_of: [usize; 3], value: &dyn Fn(usize) -> f64| {
        for (number, slot) in values.iter_mut().enumerate() {
            *slot = value(number / (shape_of[0] * shape_of[1]));
        }
    };
    let back = 0.5 * speed * operator.dt();
    let whole = |k: usize| k as f64 * H;
    let half = |k: usize| (k as f64 + 0.5) * H;
    let dims = operator.shape(Field::Velocity(component));
    // The wave's velocity at z and time t is shape(z - c t), its stress -rho c shape.
    set(&mut saved.arrays[component], dims, &|k| shape(if component == 2 { whole(k) } else { half(k) } + back));
    let impedance = rho * speed;
    let dims = operator.shape(Field::stress(component, 2));
    if component == 2 {
        let side = material.lambda / modulus;
        for (index, factor) in [(3, side), (4, side), (5, 1.0)] {
            set(&mut saved.arrays[index], dims, &|k| -impedance * factor * shape(half(k)));
        }
    } else {
        let index = if component == 0 { 7 } else { 6 };
        set(&mut saved.arrays[index], dims, &|k| -impedance * shape(whole(k)));
    }
    saved.restore(operator);
}

/// Values of a velocity component along a column.
fn profile(operator: &mut FdOperator<f64>, component: usize) -> Vec<f64> {
    let [nx, ny, _] = operator.shape(Field::Velocity(component));
    operator.field(Field::Velocity(component)).unwrap().into_iter().step_by(nx * ny).collect()
}

#[test]
fn plane_p_and_s_waves_return_in_a_periodic_box() {
    let cells = 48;
    let medium = Medium::<f64>::new(cubes([4, 4, cells], H), |_| rock()).unwrap();
    for (component, speed) in [(0, ROCK[1]), (1, ROCK[1]), (2, ROCK[0])] {
        let options = column(4, [Side::Periodic; 2]);
        let length = cells as f64 * H;
        let stable = craton_fd::stable_step(&medium, &options.boundaries, &options.stencil).unwrap();
        let steps = (length / speed / (0.1 * stable)).ceil();
        let dt = length / speed / steps;
        let mut operator = FdOperator::new(&medium, &options, dt, &[], &[], workers(1)).unwrap();
        start_plane_wave(&mut operator, rock(), component, |z| (std::f64::consts::TAU * 4.0 * z / length).sin());
        let before = profile(&mut operator, component);
        advance(&mut operator, steps as u64);
        let after = profile(&mut operator, component);
        let worst = before.iter().zip(&after).fold(0.0_f64, |a, (x, y)| a.max((x - y).abs()));
        assert!(worst < 5e-3, "{worst}");
    }
}

/// Relative error of the speed of a plane wave with `waves` wavelengths in a periodic box of 48 cells.
fn speed_error(stencil: &StaggeredStencil, (component, speed): (usize, f64), waves: f64) -> f64 {
    let cells = 48;
    let medium = Medium::<f64>::new(cubes([4, 4, cells], H), |_| rock()).unwrap();
    let mut options = column(stencil.half_length(), [Side::Periodic; 2]);
    options.stencil = stencil.clone();
    let length = cells as f64 * H;
    let stable = craton_fd::stable_step(&medium, &options.boundaries, stencil).unwrap();
    let steps = (length / speed / (0.1 * stable)).ceil();
    let mut operator = FdOperator::new(&medium, &options, length / speed / steps, &[], &[], workers(1)).unwrap();
    let wavenumber = std::f64::consts::TAU * waves / length;
    start_plane_wave(&mut operator, rock(), component, |z| (wavenumber * z).sin());
    let phase = |profile: &[f64]| {
        let sum = |part: fn(f64) -> f64| {
            profile.iter().zip(0..cells).map(|(v, k)| v * part(wavenumber * k as f64 * H)).sum::<f64>()
        };
        sum(f64::cos).atan2(sum(f64::sin))
    };
    let before = phase(&profile(&mut operator, component));
    advance(&mut operator, steps as u64);
    // The wave crosses the box once; a slow wave lags by a fraction of its wavelength.
    let behind = phase(&profile(&mut operator, component)) - before;
    -behind / (std::f64::consts::TAU * waves)
}

#[test]
fn holberg_coefficients_propagate_p_and_s_waves_that_taylor_coefficients_delay() {
    let bound = 1e-3;
    let [taylor, holberg] = [StaggeredStencil::taylor(4).unwrap(), StaggeredStencil::holberg(4, bound).unwrap()];
    // 3.7 points per wavelength.
    let (waves, kh) = (13.0, std::f64::consts::TAU * 13.0 / 48.0);
    for wave in [(0, ROCK[1]), (2, ROCK[0])] {
        let found = [&taylor, &holberg].map(|stencil| speed_error(stencil, wave, waves));
        let predicted = [&taylor, &holberg].map(|stencil| stencil.phase_velocity_error(kh));
        for (found, predicted) in found.into_iter().zip(predicted) {
            // The error of the time step remains.
            assert!((found - predicted).abs() < 3e-4, "{found} {predicted}");
        }
        assert!(found[1].abs() < bound && found[0].abs() > 4.0 * found[1].abs().max(5e-4), "{found:?}");
    }
}

/// Amplitudes of the pulse reflected into material 0 and of the pulse transmitted into material 1.
fn reflect(component: usize, materials: [Material; 2], half_length: usize) -> [f64; 2] {
    let cells = 400;
    // As narrow as the stencil allows along the periodic axes.
    let medium = Medium::<f64>::new(cubes([half_length.max(2), half_length.max(2), cells], H), |[_, _, k]| {
        materials[usize::from(k >= cells / 2)]
    })
    .unwrap();
    let mut operator = at_courant(&medium, &column(half_length, [Side::Rigid; 2]), 0.5, &[], &[]).unwrap();
    let pulse = |z: f64| (-0.5 * ((z - 1400.0) / 120.0).powi(2)).exp();
    start_plane_wave(&mut operator, materials[0], component, pulse);
    let modulus = |m: Material| if component == 2 { m.lambda + 2.0 * m.mu } else { m.mu };
    let speed = (modulus(materials[0]) / materials[0].rho).sqrt();
    let steps = (1000.0 / speed / operator.dt()) as u64;
    advance(&mut operator, steps);
    let profile = profile(&mut operator, component);
    let extreme = |values: &[f64]| values.iter().fold(0.0_f64, |a, &v| if v.abs() > a.abs() { v } else { a });
    let contact = cells / 2;
    [extreme(&profile[..contact - 10]), extreme(&profile[contact + 2..])]
}

#[test]
fn the_sea_bottom_has_the_exact_reflection_and_transmission_coefficients() {
    let impedance = |m: Material| (m.rho * (m.lambda + 2.0 * m.mu)).sqrt();
    for [below, above] in [[rock(), water()], [water(), rock()]] {
        let [z1, z2] = [below, above].map(impedance);
        // Coefficients of velocity.
        let exact = [(z1 - z2) / (z1 + z2), 2.0 * z1 / (z1 + z2)];
        for half_length in [1, 4] {
            let found = reflect(2, [below, above], half_length);
            for (found, exact) in found.into_iter().zip(exact) {
                assert!((found - exact).abs() < 0.02, "{half_length}: {found} {exact}");
            }
        }
    }
}

#[test]
fn shear_waves_do_not_enter_water_and_double_at_the_interface() {
    let [reflected, transmitted] = reflect(0, [rock(), water()], 2);
    assert!((reflected - 1.0).abs() < 0.02 && transmitted.abs() < 1e-3, "{reflected} {transmitted}");
}

#[test]
fn a_free_top_equals_air_above() {
    let run = |air: usize, side: Side| {
        let grid = cubes([24, 20, 18 + air], H);
        let material = |[i, j, k]: [usize; 3]| match k {
            18.. => Material::AIR,
            _ => Material::from_speeds(3000.0 + 20.0 * ((i + 2 * j + 3 * k) % 7) as f64, 1700.0, 2300.0),
        };
        let medium = Medium::<f32>::new(grid, material).unwrap();
        let mut boundaries = Boundaries::all(layer(5, 3200.0, 20.0));
        boundaries.sides[5] = side;
        let history: Vec<f64> = (0..120).map(|n| (0.2 * f64::from(n)).sin()).collect();
        let mechanism = SourceMechanism::Moment([1e12, 2e12, 3e12, 4e11, 5e11, 6e11]);
        let source =
            PointSource { position: [121.0, 104.0, 153.0], mechanism, history: history.into(), interface: None };
        let probes = [[121.0, 104.0, 180.0], [83.0, 91.0, 176.0]].map(|position| Probe {
            position,
            quantity: ProbeQuantity::Gradient,
            interface: None,
        });
        let options = options(3, boundaries);
        let mut operator = FdOperator::new(&medium, &options, 1.2e-3, &[source], &probes, workers(1)).unwrap();
        advance(&mut operator, 120);
        operator.take_samples().unwrap()
    };
    let free = run(0, Side::Free);
    assert!(free.iter().all(|v| v.is_finite()) && free.iter().any(|v| v.abs() > 1e-9));
    for (air, side) in [(1, Side::Free), (7, Side::Free), (7, Side::Rigid)] {
        assert!(run(air, side) == free, "{air} {side:?}");
    }
}

/// Velocity at the surface of a half-space when a vertical P or S pulse arrives: twice the incident one.
fn surface_error(component: usize, cells: usize) -> f64 {
    let h = 4000.0 / cells as f64;
    let medium = Medium::<f64>::new(cubes([8, 8, cells], h), |_| rock()).unwrap();
    let options = column(2, [Side::Rigid, Side::Free]);
    let stable = craton_fd::stable_step(&medium, &options.boundaries, &options.stencil).unwrap();
    let dt = 0.2 * stable;
    let speed = if component == 2 { ROCK[0] } else { ROCK[1] };
    let modulus = ROCK[2] * speed * speed;
    let pulse = |x: f64| (-0.5 * (x / 200.0).powi(2)).exp();
    // On grid points along x and y: otherwise the interpolation window adds an error that does not depend on the spacing.
    let x = if component == 0 { 3.0 } else { 3.5 };
    let probe = Probe { position: [x * h, 2.5 * h, 4000.0], quantity: ProbeQuantity::Velocity, interface: None };
    let mut operator = FdOperator::new(&medium, &options, dt, &[], &[probe], workers(1)).unwrap();
    let mut saved = Saved::of(&mut operator);
    let at = |k: usize, is_whole: bool| (k as f64 + if is_whole { 0.0 } else { 0.5 }) * h - 2600.0;
    for (field, values) in saved.arrays.iter_mut().enumerate() {
        let layer = 64;
        for (number, value) in values.iter_mut().enumerate() {
            let k = number / layer;
            *value = match (component, field) {
                (2, 2) => pulse(at(k, true) + 0.5 * speed * dt),
                (2, 5) => -modulus / speed * pulse(at(k, false)),
                (2, 3 | 4) => -modulus / speed * pulse(at(k, false)) * (1.0 - 2.0 * (ROCK[1] / ROCK[0]).powi(2)),
                (0, 0) => pulse(at(k, false) + 0.5 * speed * dt),
                (0, 7) => -modulus / speed * pulse(at(k, true)),
                _ => 0.0,
            };
        }
    }
    saved.restore(&mut operator);
    let steps = (2400.0 / speed / dt) as u64;
    advance(&mut operator, steps);
    let samples = operator.take_samples().unwrap();
    let exact = |n: usize| 2.0 * pulse(1400.0 - speed * (n as f64 + 0.5) * dt);
    let rows = samples.chunks(3).enumerate();
    rows.fold(0.0_f64, |a, (n, row)| a.max((row[component] - exact(n)).abs())) / 2.0
}

#[test]
fn a_receiver_on_the_surface_has_at_least_second_order() {
    for component in [0, 2] {
        let errors = [80, 160].map(|cells| surface_error(component, cells));
        let order = (errors[0] / errors[1]).log2();
        assert!(errors[1] < 5e-3 && order > 1.8, "{errors:?} {order}");
    }
}
