//! Waves in solids whose moduli relax: quality factors, phase speeds, energy, and the elastic limit.

use std::f64::consts::TAU;

use craton_model::{EarthModel, Elasticity, Medium};
use craton_sem::{Field, MaterialKind, Relaxation, Rheologies};
use craton_testkit::meshes::Lattice;
use craton_testkit::oracle::NodeField;
use craton_testkit::random::Random;

use crate::common::busy::{Busy, STEPS, bit_samples};
use crate::common::{Nodes, Setup, StandingWave, dot, earth, gradient, relaxing, rock, tilted, transverse};
use craton_sim::Operator as _;

/// Edges of the periodic box [m], which are unequal so that its plane waves have different directions.
const EDGES: [f64; 3] = [300.0, 360.0, 420.0];

/// A complex number.
type Complex = [f64; 2];

fn times([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a * c - b * d, a * d + b * c]
}

fn over(a: Complex, [c, d]: Complex) -> Complex {
    let size = c * c + d * d;
    times(a, [c / size, -d / size])
}

/// Displacement along a standing wave at every step, from rest with the memory of an unrelaxed solid, and the time step.
///
/// # Arguments
/// * `phase` – of the wave at the origin [rad]
fn amplitudes(setup: &Setup, wave: &StandingWave, phase: f64, steps: usize) -> (Vec<f64>, f64) {
    let mut operator = setup.operator::<f64>(0.5);
    let oracle = setup.oracle(&operator);
    let nodes = Nodes::new(&operator, &oracle);
    let at = |x: &[f64; 3]| wave.polarisation.map(|p| p * (dot(wave.k, *x) + phase).cos());
    let shape: NodeField = oracle.positions().iter().map(at).collect();
    nodes.write(&mut operator, Field::Displacement, &shape);
    let size = oracle.mass_product(&shape, &shape);
    let mut amplitude = || {
        operator.advance_alone(1);
        oracle.mass_product(&nodes.read(&operator, Field::Displacement), &shape) / size
    };
    let all = (0..steps).map(|_| amplitude()).collect();
    (all, operator.dt())
}

/// Complex angular frequency of a damped oscillation beside decaying exponentials of the given rates [1/s]: real part and decay rate.
fn damped_frequency(samples: &[f64], dt: f64, rates: &[f64], start: Complex) -> Complex {
    // Residuals after the best linear combination.
    let residual = |[omega, decay]: Complex| -> f64 {
        let basis = |t: f64| {
            let envelope = (-decay * t).exp();
            let oscillation = [envelope * (omega * t).cos(), envelope * (omega * t).sin()];
            oscillation.into_iter().chain(rates.iter().map(move |rate| (-rate * t).exp())).collect::<Vec<_>>()
        };
        let n = 2 + rates.len();
        let (mut matrix, mut total) = (vec![vec![0.0; n + 1]; n], 0.0);
        for (step, sample) in samples.iter().enumerate() {
            let row = basis((step + 1) as f64 * dt);
            for p in 0..n {
                (0..n).for_each(|q| matrix[p][q] += row[p] * row[q]);
                matrix[p][n] += row[p] * sample;
            }
            total += sample * sample;
        }
        let right: Vec<f64> = matrix.iter().map(|row| row[n]).collect();
        let found = craton_physics::eliminate(matrix).expect("independent shapes");
        total - found.iter().zip(&right).map(|(a, b)| a * b).sum::<f64>()
    };
    // Coordinate descent with parabolas: the residual is smooth and has one minimum near the start.
    let mut best = start;
    let mut step = [1e-3 * start[0], 0.1 * start[1]];
    for _ in 0..60 {
        for c in 0..2 {
            let at = |shift: f64| {
                let mut place = best;
                place[c] += shift * step[c];
                residual(place)
            };
            let [low, middle, high] = [at(-1.0), at(0.0), at(1.0)];
            let bend = low - 2.0 * middle + high;
            let shift = if bend > 0.0 { (0.5 * (low - high) / bend).clamp(-2.0, 2.0) } else { 0.0 };
            best[c] += shift * step[c];
            step[c] *= if shift.abs() > 0.5 { 1.2 } else { 0.6 };
        }
    }
    best
}

/// Complex angular frequency of a wave with a complex modulus, `ρ ω² = k² M(ω)`: real part and decay rate.
fn exact_frequency(model: &EarthModel, medium: &Medium, kind: char, k: f64) -> Complex {
    let attenuation = model.attenuation().unwrap();
    let coefficients = attenuation.coefficients(model.losses(0, [0.0; 3]));
    let unrelaxed = coefficients.of(medium).medium;
    let (kappa, mu) = unrelaxed.mean_moduli();
    let rates = attenuation.relaxation().rates();
    let complex = |y: &[f64], omega: Complex| {
        rates.iter().zip(y).fold([1.0, 0.0], |sum: Complex, (&rate, y)| {
            // Y ω_l / (ω_l + i ω)
            let share = over([y * rate, 0.0], [rate - omega[1], omega[0]]);
            [sum[0] - share[0], sum[1] - share[1]]
        })
    };
    let [bulk, shear] = &coefficients.relaxed;
    let mut omega: Complex = [k * (mu / medium.rho()).sqrt(), 0.0];
    for _ in 0..200 {
        let [of_bulk, of_shear] = [complex(bulk, omega), complex(shear, omega)];
        let modulus = match kind {
            'P' => [0, 1].map(|part| kappa * of_bulk[part] + 4.0 / 3.0 * mu * of_shear[part]),
            _ => of_shear.map(|part| mu * part),
        };
        let [re, im] = modulus.map(|part| k * k * part / medium.rho());
        let size = re.hypot(im);
        let real = (0.5 * (size + re)).sqrt();
        omega = [real, 0.5 * im / real];
    }
    omega
}

/// Compares phase speed and decay of standing waves with those of the complex moduli.
fn check_waves(quality: f64, expected: fn(u8) -> Relaxation, [of_speed, of_decay]: [f64; 2]) {
    let lattice = Lattice { lengths: EDGES, periodic: [true; 3], ..Lattice::new([3, 3, 3]) };
    let model = relaxing(EarthModel::homogeneous(rock()), [quality]);
    assert_eq!(Rheologies::new(&model, 4, true).by_region()[0].relaxation, expected(3));
    let setup = Setup::new(lattice.deformed(0.1, 2), model, 4);
    let Elasticity::Isotropic { vp, vs } = *rock().elasticity() else { unreachable!() };
    let k = StandingWave::in_box(EDGES, [1, -1, 0], [0.0; 3], 1.0).k;
    let size = dot(k, k).sqrt();
    for (kind, polarisation, speed) in [('P', k.map(|k| k / size), vp), ('S', [0.0, 0.0, 1.0], vs)] {
        let exact = exact_frequency(&setup.model, &rock(), kind, size);
        let wave = StandingWave { k, polarisation, omega: size * speed };
        let steps = (6.0 * TAU / exact[0] / (0.5 * setup.discretise::<f64>().stable().dt)) as usize;
        let rates = setup.model.attenuation().unwrap().relaxation().rates();
        // A travelling wave is the sum of two standing waves a quarter of a wavelength apart.
        let both = [0.0, 0.25 * TAU].map(|phase| {
            let (all, dt) = amplitudes(&setup, &wave, phase, steps);
            damped_frequency(&all, dt, rates, exact)
        });
        let found = [0, 1].map(|part| 0.5 * (both[0][part] + both[1][part]));
        let [speed, decay] = [found[0] / exact[0] - 1.0, found[1] / exact[1] - 1.0];
        assert!(speed.abs() < of_speed && decay.abs() < of_decay, "Q {quality}, {kind}: {speed:e} {decay:e}");
    }
}

#[test]
fn waves_have_the_speed_and_quality_factor_of_their_moduli() {
    let full = |mechanisms| Relaxation::Full { mechanisms };
    let inner = |mechanisms| Relaxation::Inner { mechanisms };
    let odd = |mechanisms| Relaxation::Odd { mechanisms };
    check_waves(10.0, full, [1e-3, 0.01]);
    check_waves(20.0, inner, [1e-3, 0.02]);
    check_waves(40.0, inner, [1e-3, 0.02]);
    check_waves(200.0, odd, [1e-3, 0.02]);
}

#[test]
fn energy_never_grows() {
    for (quality, material) in
        [(10.0, rock().into()), (60.0, gradient()), (60.0, tilted().into()), (60.0, transverse().into())]
    {
        let mesh = Lattice { periodic: [true; 3], ..Lattice::new([3, 3, 3]) }.deformed(0.12, 6);
        let setup = Setup::new(mesh, relaxing(earth([material]), [quality]), 4);
        let mut operator = setup.operator::<f64>(0.95);
        let oracle = setup.oracle(&operator);
        let nodes = Nodes::new(&operator, &oracle);
        let mut random = Random::new(3);
        let v: NodeField = (0..oracle.n_nodes()).map(|_| random.vector()).collect();
        nodes.write(&mut operator, Field::Velocity, &v);
        let mut largest = f64::INFINITY;
        for _ in 0..6 {
            // The largest kinetic energy of many steps: kinetic energy alone oscillates.
            let mut of_block = 0.0_f64;
            for _ in 0..150 {
                operator.advance_alone(1);
                let v = nodes.read(&operator, Field::Velocity);
                of_block = of_block.max(oracle.mass_product(&v, &v));
            }
            assert!(of_block < largest, "Q {quality}: {of_block} after {largest}");
            largest = of_block;
        }
    }
}

#[test]
fn a_very_high_quality_factor_is_elastic() {
    let run = |quality: f64| {
        let mut solver =
            Busy { quality: Some(quality), degree: 4, elements: [6, 5, 4], ..Busy::default() }.on_cpu::<f64>(1);
        solver.advance(STEPS as u64).unwrap();
        bit_samples(&mut solver).into_iter().map(f64::from_bits).collect::<Vec<_>>()
    };
    let (nearly, elastic) = (run(1e9), run(f64::INFINITY));
    let size: f64 = elastic.iter().map(|x| x * x).sum();
    let difference: f64 = nearly.iter().zip(&elastic).map(|(a, b)| (a - b) * (a - b)).sum();
    assert!(difference > 0.0 && difference < 1e-10 * size, "{:e}", (difference / size).sqrt());
}

#[test]
fn each_region_has_its_own_relaxation() {
    let model =
        relaxing(earth([rock().into(), gradient(), rock().into(), rock().into()]), [f64::INFINITY, 60.0, 8.0, 300.0]);
    let found: Vec<Relaxation> =
        Rheologies::new(&model, 4, true).by_region().iter().map(|own| own.relaxation).collect();
    let mechanisms = 3;
    let [inner, full, odd] =
        [Relaxation::Inner { mechanisms }, Relaxation::Full { mechanisms }, Relaxation::Odd { mechanisms }];
    assert_eq!(found, [Relaxation::None, inner, full, odd]);
    for (degree, coarse) in [(4, false), (5, true), (3, true)] {
        let found = Rheologies::new(&model, degree, coarse).by_region()[1];
        assert_eq!((found.material, found.relaxation), (MaterialKind::Isotropic, Relaxation::Full { mechanisms }));
    }
}
