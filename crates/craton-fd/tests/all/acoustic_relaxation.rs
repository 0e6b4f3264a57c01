//! Acoustic shots with attenuation: closed forms, and results independent of threads, of the grouping of steps, and of the device.

#![allow(clippy::print_stdout)] // a test tells the difference it found

use std::f64::consts::TAU;
use std::sync::Arc;

use crate::common::shots::*;
use craton_fd::Grid;
use craton_fd::MemoryPoints;
use craton_fd::acoustic::{
    AcousticField, AcousticGpu, AcousticMaterial, AcousticMedium, AcousticOperator, Drive, FluidMechanism,
    FluidMechanisms, Listener, ShotWay,
};
use craton_testkit::devices::gpu;
use craton_testkit::references::ReferenceTraces;

/// The law of the closed forms: relaxation rates [rad/s], d_l, κ_R and κ_U [Pa], density [kg/m³].
const RATES: [f64; 3] = [1.45739 * TAU, 8.81830 * TAU, 54.22153 * TAU];
const DEFECTS: [f64; 3] = [5.188273e-02, 3.699242e-02, 5.744027e-02];
const MODULI: [f64; 2] = [7.380990448e9, 8.460943165e9];
const RHO: f64 = 2000.0;

/// The mechanisms of the closed forms for losses of 1.
fn mechanisms(points: MemoryPoints) -> FluidMechanisms {
    let shares = FluidMechanisms::shares(points, 3).unwrap_or(vec![1.0; 3]);
    let mechanism = |l: usize| {
        let part = DEFECTS[l] * MODULI[0] / MODULI[1] / shares[l];
        FluidMechanism { rate: RATES[l], polynomial: [part, 0.0, 0.0] }
    };
    FluidMechanisms { mechanisms: (0..3).map(mechanism).collect(), points }
}

/// Relative L2 misfit with all mechanisms at each point.
fn misfit(table: &str, h: f64, is_plane: bool) -> f64 {
    let grid = around([[-150.0, -150.0, -350.0], [350.0, 150.0, -50.0]], h, is_plane, false);
    let fluid = |_| AcousticMaterial { vp: (MODULI[1] / RHO).sqrt(), rho: RHO };
    let medium = AcousticMedium::<f32>::new(grid, fluid).unwrap().with_losses(mechanisms(MemoryPoints::All), |_| 1.0);
    let mut reference = ReferenceTraces::read("acoustic", table).unwrap();
    // The source of the tables has a peak of 1e6, ours of 2 π² f².
    let scale = 2.0 * (std::f64::consts::PI * RICKER.0).powi(2) / 1e6;
    reference.receivers[0].components[0].iter_mut().for_each(|value| *value *= scale);
    misfit_to(&reference, medium, options(8, boundaries(20, false)), -200.0)
}

#[test]
fn sources_agree_with_the_closed_forms_of_a_relaxing_fluid() {
    for (table, h, is_plane) in [("viscous_2d_solids.txt", 5.0, true), ("viscous_3d_solids.txt", 8.0, false)] {
        let misfit = misfit(table, h, is_plane);
        println!("{table}: {:.4} %", 100.0 * misfit);
        assert!(misfit < 2e-3, "{table}: {misfit}");
    }
}

/// A fluid that varies from cell to cell.
fn varied(cells: [usize; 3], points: MemoryPoints) -> Arc<AcousticMedium<f32>> {
    let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells };
    let vary = |[i, j, k]: [usize; 3]| ((i * 7 + j * 13 + k * 29) % 101) as f64;
    let fluid = |cell| AcousticMaterial { vp: 1500.0 + 10.0 * vary(cell), rho: 1000.0 + vary(cell) };
    let medium = AcousticMedium::new(grid, fluid).unwrap();
    Arc::new(medium.with_losses(mechanisms(points), move |cell| 0.01 * vary(cell)))
}

/// A shot with sources and receivers between the points of the grid.
fn shot([x, y, z]: [f64; 3]) -> (Vec<Drive>, Vec<Listener>) {
    let history: Vec<f64> = (0..400).map(|step| (0.3 * f64::from(step)).sin()).collect();
    let force =
        Drive { places: at([x - 31.0, y, z + 7.0]), field: AcousticField::Velocity(2), history: history.clone() };
    let fields = [AcousticField::Pressure, AcousticField::Velocity(0), AcousticField::Velocity(2)];
    let listener =
        |n: usize| Listener { places: at([x + 11.3 * n as f64 - 40.0, y, z - 3.0 * n as f64]), field: fields[n % 3] };
    (vec![monopole([x, y, z], history), force], (0..8).map(listener).collect())
}

#[test]
fn a_relaxing_shot_is_bit_identical_on_all_devices_and_by_all_ways() {
    let Some(gpu) = gpu() else { return };
    for points in [MemoryPoints::One, MemoryPoints::All] {
        for (cells, half_length, place) in [
            ([150, 1, 83], 8, [803.0, 5.0, 402.0]),
            ([150, 1, 83], 4, [801.0, 5.0, 790.0]),
            ([60, 33, 41], 4, [311.0, 160.0, 222.0]),
        ] {
            let (medium, options) = (varied(cells, points), options(half_length, boundaries(9, true)));
            let dt = 0.9 * medium.stable_step(&options.stencil);
            // More than one recording of a GPU, which has 32 steps.
            let steps = 34;
            let (sources, listeners) = shot(place);
            let on_cpu = [1, 2].map(|threads| {
                let mut operator =
                    AcousticOperator::new(medium.clone(), options.clone(), dt, workers(threads)).unwrap();
                operator.place(&sources, &listeners).unwrap();
                operator.advance(if threads == 1 { steps } else { steps / 3 });
                operator.advance(steps - operator.step());
                operator.check().unwrap();
                (operator.take_samples(), operator.pressure().collect::<Vec<f32>>())
            });
            assert!(on_cpu[0].0.iter().any(|p| p.abs() > 1e-3));
            assert!(on_cpu[0] == on_cpu[1], "{points:?} {cells:?}: threads");
            for way in [ShotWay::Rows, ShotWay::Tiles] {
                let mut operator = AcousticGpu::moving(way, &gpu, medium.clone(), options.clone(), dt, 2).unwrap();
                assert_eq!(operator.tiles().is_some(), way == ShotWay::Tiles && cells[1] == 1);
                // The second shot is elsewhere.
                let shots = [(sources.clone(), listeners.clone()), shot([500.0, place[1], 300.0])];
                operator.place(&shots).unwrap();
                operator.advance(steps).unwrap();
                let samples = operator.take_samples().unwrap();
                assert!(samples[0] == on_cpu[0].0, "{points:?} {cells:?} {way:?}: samples");
                assert!(operator.pressure(0).unwrap() == on_cpu[0].1, "{points:?} {cells:?} {way:?}: pressure");
            }
        }
    }
}
