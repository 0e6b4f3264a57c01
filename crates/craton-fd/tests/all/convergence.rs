//! Convergence: frequencies of plane waves in a periodic box converge with the order of the derivatives, and the frequency of a Lamé mode
//! between free surfaces with the square of the spacing.

use crate::common::*;
use craton_fd::{
    Boundaries, FdOperator, Field, Grid, Material, Medium, Options, PointSource, Probe, ProbeQuantity, Side,
    SourceMechanism,
};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::GridPoints;

/// Edge of the box [m], along x and y.
const EDGE: f64 = 1000.0;
/// Cells along the edge; `FLAT` along z, where the wave is constant.
const CELLS: [usize; 2] = [12, 24];
const FLAT: usize = 8;

/// A plane wave along the diagonal of x and y: polarisation and speed [m/s].
struct Wave {
    direction: [f64; 3],
    speed: f64,
}

const P: Wave = Wave { direction: [1.0, 1.0, 0.0], speed: ROCK[0] };
const S: Wave = Wave { direction: [0.0, 0.0, 1.0], speed: ROCK[1] };

/// Wavenumber along x and along y [1/m].
fn wave_number() -> f64 {
    std::f64::consts::TAU / EDGE
}

/// A component of velocity at the points of its field.
///
/// # Arguments
/// * `velocity` – at positions in units of the spacing
fn at_rest(component: usize, [nx, ny, nz]: [usize; 3], velocity: impl Fn([f64; 3]) -> f64) -> Vec<f64> {
    let offset = Field::Velocity(component).points().map(|points| if points == GridPoints::Whole { 0.0 } else { 0.5 });
    let place = |number: usize| [number % nx, number / nx % ny, number / (nx * ny)];
    (0..nx * ny * nz).map(|number| velocity([0, 1, 2].map(|axis| place(number)[axis] as f64 + offset[axis]))).collect()
}

/// Frequency [rad/s] of a mode that starts with this velocity and zero stress, without the error of the time step.
///
/// The leapfrog obeys v(n+1/2) - 2 v(n-1/2) + v(n-3/2) = -dt² ω² v(n-1/2) to round-off, with the ω of exact time and discrete space.
///
/// # Arguments
/// * `velocity` – of a component, at a position in units of the spacing
fn frequency(
    grid: Grid,
    material: Material,
    boundaries: Boundaries,
    half_length: usize,
    velocity: impl Fn(usize, [f64; 3]) -> f64,
) -> f64 {
    let medium = Medium::<f64>::new(grid, |_| material).unwrap();
    let mut operator = at_courant(&medium, &options(half_length, boundaries), 0.5, &[], &[]).unwrap();
    let mut saved = Saved::of(&mut operator);
    for component in 0..3 {
        let shape = operator.shape(Field::Velocity(component));
        saved.arrays[component] = at_rest(component, shape, |place| velocity(component, place));
    }
    saved.restore(&mut operator);
    let mut velocities = || {
        advance(&mut operator, 1);
        (0..3).flat_map(|component| operator.field(Field::Velocity(component)).unwrap()).collect::<Vec<f64>>()
    };
    let [before, present, after] = [velocities(), velocities(), velocities()];
    // Volume of each value; on a free surface half of it is air.
    let volumes = (0..3).flat_map(|component| {
        let (field, operator) = (Field::Velocity(component), &operator);
        let [nx, ny, nz] = operator.shape(field);
        let is_surface = move |k: usize| component == 2 && nz > grid.cells[2] && (k == 0 || k == nz - 1);
        let of_plane = move |k: usize| operator.volume(field, k) * if is_surface(k) { 0.5 } else { 1.0 };
        (0..nz).flat_map(move |k| std::iter::repeat_n(of_plane(k), nx * ny))
    });
    let (mut force, mut square) = (0.0, 0.0);
    for (((before, present), after), volume) in before.iter().zip(&present).zip(&after).zip(volumes) {
        force -= volume * present * ((after - present) - (present - before));
        square += volume * present * present;
    }
    (force / square).sqrt() / operator.dt()
}

/// Relative error of the frequency of a plane wave.
fn error_of_wave(wave: &Wave, half_length: usize, cells: usize) -> f64 {
    let h = EDGE / cells as f64;
    let grid = cubes([cells, cells, FLAT], h);
    let velocity =
        |component: usize, [x, y, _]: [f64; 3]| wave.direction[component] * (wave_number() * h * (x + y)).sin();
    frequency(grid, rock(), Boundaries::all(Side::Periodic), half_length, velocity)
        / (wave.speed * wave_number() * 2.0_f64.sqrt())
        - 1.0
}

/// Relative error of the frequency of the Lamé mode in a plate of half a wavelength: shear waves at 45 degrees to the free surfaces. At the
/// surfaces the horizontal velocity is zero, and its gradient is not.
fn error_of_plate(half_length: usize, cells: usize) -> f64 {
    let h = EDGE / cells as f64;
    let grid = cubes([cells, FLAT, cells / 2], h);
    let mut boundaries = Boundaries::all(Side::Periodic);
    boundaries.sides[4..].fill(Side::Free);
    let velocity = |component: usize, [x, _, z]: [f64; 3]| {
        let [x, z] = [x, z].map(|place| wave_number() * h * place);
        [-x.cos() * z.sin(), 0.0, x.sin() * z.cos()][component]
    };
    frequency(grid, rock(), boundaries, half_length, velocity) / (S.speed * wave_number() * 2.0_f64.sqrt()) - 1.0
}

/// Relative error of the frequency of a standing wave in water between a rigid wall below and a free surface, 1.25 wavelengths apart.
fn error_in_water(half_length: usize, cells: usize) -> f64 {
    let (h, wave_number) = (EDGE / cells as f64, 2.5 * std::f64::consts::PI / EDGE);
    let mut boundaries = Boundaries::all(Side::Periodic);
    boundaries.sides[4..].copy_from_slice(&[Side::Rigid, Side::Free]);
    let velocity = |component: usize, [_, _, z]: [f64; 3]| [0.0, 0.0, (wave_number * h * z).sin()][component];
    let found = frequency(cubes([FLAT, FLAT, cells], h), water(), boundaries, half_length, velocity);
    found / (1500.0 * wave_number) - 1.0
}

/// Errors of the coarse and the fine grid, and the order of convergence.
fn order(cells: [usize; 2], error: impl Fn(usize) -> f64) -> ([f64; 2], f64) {
    let errors = cells.map(|cells| error(cells).abs());
    (errors, (errors[0] / errors[1]).ln() / (cells[1] as f64 / cells[0] as f64).ln())
}

#[test]
fn frequencies_converge_with_the_order_of_the_derivatives() {
    for half_length in [1, 2, 4] {
        for wave in [P, S] {
            let ([coarse, fine], order) = order(CELLS, |cells| error_of_wave(&wave, half_length, cells));
            let nominal = 2.0 * half_length as f64;
            let found = format!("order {nominal}, {} m/s: {coarse:.3e}, {fine:.3e}, order {order:.3}", wave.speed);
            assert!((order - nominal).abs() < 0.3, "{found}");
            // Round-off is negligible.
            assert!(fine > 1e-10, "{found}");
        }
    }
}

#[test]
fn between_free_surfaces_the_error_falls_with_the_square_of_the_spacing() {
    for half_length in [1, 2, 4, 8] {
        let ([coarse, fine], order) = order([32, 64], |cells| error_of_plate(half_length, cells));
        let found = format!("half-length {half_length}: {coarse:.3e}, {fine:.3e}, order {order:.3}");
        // Closed stencils have the least error for waves with ten points per wavelength, not the largest order.
        let is_folded = half_length == 1;
        assert!(if is_folded { order > 1.8 } else { coarse < 2e-4 && fine < 5e-5 }, "{found}");
    }
}

#[test]
fn water_keeps_the_order_of_the_derivatives_at_a_wall_and_a_free_surface() {
    for half_length in [1, 2, 4] {
        let ([coarse, fine], order) = order([16, 32], |cells| error_in_water(half_length, cells));
        let nominal = 2.0 * half_length as f64;
        assert!((order - nominal).abs() < 0.3, "order {nominal}: {coarse:.3e}, {fine:.3e}, order {order:.3}");
    }
}

/// Velocity and its gradient at three receivers on a free surface above a force, `[step][receiver][channel]`.
fn on_surface(half_length: usize, cells: usize) -> Vec<f64> {
    let h = 640.0 / cells as f64;
    let grid = cubes([cells / 2, cells / 4, cells / 2], h);
    let mut boundaries = Boundaries::all(Side::Periodic);
    boundaries.sides[4..].copy_from_slice(&[Side::Rigid, Side::Free]);
    let medium = Medium::<f64>::new(grid, |_| rock()).unwrap();
    let (dt, steps) = (5e-4, 500);
    let history: Vec<f64> = (0..steps).map(|n| 1e9 * ricker(6.0, f64::from(n) * dt - 0.05)).collect();
    let source = PointSource {
        position: [100.0, 40.0, 160.0],
        mechanism: SourceMechanism::Force([1.0, 0.5, 0.7]),
        history: history.into(),
        interface: None,
    };
    let quantities = [ProbeQuantity::Velocity, ProbeQuantity::Gradient];
    let both = |x| quantities.map(|quantity| Probe { position: [x, 51.0, 320.0], quantity, interface: None });
    let probes = [163.0, 217.0, 281.0].map(both).concat();
    // Far more than required by any wave, so that the error of the window is negligible.
    let interpolation = WindowedSinc::new(4, 20.0).unwrap();
    let options = Options { interpolation, ..options(half_length, boundaries) };
    let mut operator = FdOperator::new(&medium, &options, dt, &[source], &probes, workers(1)).unwrap();
    advance(&mut operator, steps as u64);
    operator.take_samples().unwrap()
}

#[test]
fn receivers_on_a_free_surface_converge_with_the_square_of_the_spacing() {
    for half_length in [2, 4] {
        let [coarse, middle, fine] = [28, 56, 112].map(|cells| on_surface(half_length, cells));
        for channel in 0..12 {
            let of_channel = |values: &[f64]| values.iter().skip(channel).step_by(12).copied().collect::<Vec<_>>();
            let [coarse, middle, fine] = [&coarse, &middle, &fine].map(|values| of_channel(values));
            let norm = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>().sqrt();
            let between =
                |a: &[f64], b: &[f64]| norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>()) / norm(&fine);
            let [first, second] = [between(&coarse, &middle), between(&middle, &fine)];
            let order = (first / second).log2();
            // Gradients across the surface have few points on the coarsest grid.
            let least = if channel < 3 { 1.8 } else { 1.5 };
            let found =
                format!("half-length {half_length}, channel {channel}: {first:.2e}, {second:.2e}, order {order:.2}");
            assert!(order > least, "{found}");
        }
    }
}
