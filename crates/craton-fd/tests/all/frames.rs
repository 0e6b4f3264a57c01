//! Frames agree with receivers at the same positions, for any partition and on any device.

use std::sync::Arc;

use crate::common::*;
use craton_comm::{Ranks, thread_ranks};
use craton_fd::{
    Boundaries, FdOperator, GpuOperator, Options, Precision, Probe, ProbeQuantity, Problem, Selection, Solver as _,
    Values, Vector, process_grid, stable_step,
};
use craton_sim::PartExchange;
use craton_testkit::devices::gpus;

const STEPS: u64 = 40;

/// Positions inside [`hill`], on its ground, in water, and next to interfaces.
const PLACES: [[f64; 3]; 6] = [
    [81.0, 149.0, -131.0],
    [75.0, 130.0, -150.0],
    [-55.0, 80.0, -11.0],
    [130.0, 160.0, -47.0],
    [85.0, 138.5, -114.0],
    [-40.0, 200.0, -73.5],
];

/// All cells of the grid, and a plane.
fn selections() -> [Selection; 2] {
    let [nx, ny, nz] = CELLS;
    let all = Selection { cells: [0..nx, 0..ny, 0..nz], displacement: true, strain: true };
    [all, Selection { cells: [0..nx, 7..9, 0..nz], displacement: false, strain: false }]
}

/// Velocity and displacement of all cells, and velocity on a plane.
struct Frame<T>([Values<T>; 3]);

impl<T: Precision> Frame<T> {
    /// The frame after `steps` steps.
    fn of(solver: &mut dyn craton_fd::Solver<T>, steps: u64) -> Self {
        let [all, plane] = selections().map(|selection| solver.select(selection).unwrap());
        solver.advance(steps).unwrap();
        solver.check().unwrap();
        Self::read(solver, all, plane)
    }

    fn read(solver: &dyn craton_fd::Solver<T>, all: usize, plane: usize) -> Self {
        let read = |number, vector| solver.read(number, vector).unwrap();
        Self([read(all, Vector::Velocity), read(all, Vector::Displacement), read(plane, Vector::Velocity)])
    }

    /// All values at the centres of a third of the cells, some in every row and plane: 15 numbers per cell, with zeros for the plane elsewhere.
    fn numbers(&self) -> Vec<f64> {
        let Self([velocity, displacement, plane]) = self;
        let strain = displacement.strain(true);
        let grid = hill_grid(CELLS);
        let [nx, ny, _] = CELLS;
        let mut numbers: Vec<f64> = Vec::new();
        let cells = (0..grid.n_cells()).map(|number| [number % nx, number / nx % ny, number / (nx * ny)]);
        for cell in cells.filter(|cell| cell.iter().sum::<usize>() % 3 == 0) {
            let position = grid.centre(cell);
            let on_plane = if (7..9).contains(&cell[1]) { plane.at(position) } else { Some([0.0; 3]) };
            let vectors = [velocity.at(position), displacement.at(position), on_plane];
            numbers.extend(vectors.iter().flatten().flatten());
            numbers.extend(strain.at(position).iter().flatten());
        }
        assert!(numbers.iter().all(|number| number.is_finite()));
        numbers
    }
}

fn with_solver<T: Precision, R>(
    half_length: usize,
    boundaries: Boundaries,
    parts: usize,
    probes: &[Probe],
    make: impl FnOnce(&Problem<T>) -> R,
) -> R {
    let (medium, (sources, _)) = (hill::<T>(), hill_taps());
    let mut options: Options = options(half_length, boundaries);
    options.parts = process_grid(&hill_grid(CELLS), &boundaries, half_length, parts);
    let dt = 0.9 * stable_step(&medium, &boundaries, &options.stencil).unwrap();
    make(&Problem { medium: &medium, options: &options, dt, sources: &sources, probes })
}

fn on_cpu<T: Precision>(half_length: usize, boundaries: Boundaries, exchange: &PartExchange) -> FdOperator<T> {
    with_solver(half_length, boundaries, exchange.parts(), &[], |problem| {
        FdOperator::distributed(problem, exchange, workers(1)).unwrap()
    })
}

/// Relative L2.
fn misfit(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let square = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    let size = square(&mut expected.iter().copied());
    assert!(size > 0.0);
    (square(&mut found.iter().zip(expected).map(|(a, b)| a - b)) / size).sqrt()
}

#[test]
fn frames_agree_with_receivers() {
    let quantities = [ProbeQuantity::Velocity, ProbeQuantity::Gradient];
    let probes: Vec<Probe> = PLACES
        .into_iter()
        .flat_map(|position| quantities.map(|quantity| Probe { position, quantity, interface: None }))
        .collect();
    for (half_length, boundaries) in [1, 2, 4, 2].into_iter().zip(all_boundaries()) {
        let mut solver = with_solver::<f64, _>(half_length, boundaries, 1, &probes, |problem| {
            FdOperator::distributed(problem, &PartExchange::solo(1), workers(1)).unwrap()
        });
        let Frame([velocity, displacement, _]) = Frame::of(&mut solver, STEPS);
        let samples = solver.take_samples().unwrap();
        let rows: Vec<&[f64]> = samples.chunks_exact(12 * PLACES.len()).collect();
        let strain = displacement.strain(true);
        for (number, position) in PLACES.into_iter().enumerate() {
            let channel = |row: &[f64], c: usize| row[12 * number + c];
            let sum = |c: usize| solver.dt() * rows.iter().map(|row| channel(row, c)).sum::<f64>();
            let recorded = [0, 1, 2].map(|c| channel(rows[rows.len() - 1], c));
            assert_eq!(velocity.at(position).unwrap(), recorded, "{position:?}");
            // Sums of the same numbers in another order.
            let displaced = misfit(&displacement.at(position).unwrap(), &[0, 1, 2].map(sum));
            assert!(displaced < 1e-12, "{position:?}: {displaced:e}");
            let gradient = |i: usize, j: usize| sum(3 + 3 * i + j);
            let pairs = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];
            let expected = pairs.map(|(i, j)| 0.5 * (gradient(i, j) + gradient(j, i)));
            let strained = misfit(&strain.at(position).unwrap(), &expected);
            assert!(strained < 1e-11, "{position:?}, {boundaries:?}: {strained:e}");
        }
        let above = [150.0, 240.0, -20.0];
        assert!(!solver.is_matter(above) && velocity.at(above).is_none() && strain.at(above).is_none());
    }
}

#[test]
fn frames_are_bit_identical_for_any_parts_and_ranks() {
    for (half_length, boundaries) in [(2, all_boundaries()[0]), (1, all_boundaries()[1]), (2, all_boundaries()[2])] {
        let expected = Frame::of(&mut on_cpu::<f32>(half_length, boundaries, &PartExchange::solo(1)), STEPS).numbers();
        assert!(expected.iter().any(|value| value.abs() > 1e-12));
        for parts in [2, 8] {
            let found =
                Frame::of(&mut on_cpu::<f32>(half_length, boundaries, &PartExchange::solo(parts)), STEPS).numbers();
            assert!(found == expected, "{parts} parts, {boundaries:?}");
        }
        let rank = |ranks: Arc<dyn Ranks>| {
            let mut own = on_cpu::<f32>(half_length, boundaries, &PartExchange::new(6, Arc::clone(&ranks)));
            let frame = ranks.is_root().then(|| Frame::of(&mut own, STEPS).numbers());
            if frame.is_some() { own.end() } else { own.serve() }.unwrap();
            ranks.finish().unwrap();
            frame
        };
        let frames: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = thread_ranks(3).into_iter().map(|own| scope.spawn(|| rank(Arc::new(own)))).collect();
            threads.into_iter().map(|thread| thread.join().expect("a rank without a panic")).collect()
        });
        assert!(frames[0].as_ref() == Some(&expected), "ranks, {boundaries:?}");
    }
}

#[test]
fn frames_are_the_same_on_devices_and_after_a_restart() {
    let Some(devices) = gpus(2) else { return };
    let boundaries = all_boundaries()[0];
    let expected = Frame::of(&mut on_cpu::<f32>(2, boundaries, &PartExchange::solo(1)), STEPS).numbers();
    let on_gpus = |parts: usize| {
        with_solver::<f32, _>(2, boundaries, parts, &[], |problem| {
            GpuOperator::distributed(&devices[..parts], problem, &PartExchange::solo(parts), workers(1)).unwrap()
        })
    };
    let one = Frame::of(&mut on_gpus(1), STEPS).numbers();
    // Round-off of the steps, which is larger for strain, a difference of displacements.
    let difference = misfit(&one, &expected);
    assert!(difference < 1e-5, "{difference:e}");
    assert!(Frame::of(&mut on_gpus(2), STEPS).numbers() == one, "two devices");

    // Half of the steps on a CPU in parts and half on devices, with saving and restoring in between.
    let mut first = on_cpu::<f32>(2, boundaries, &PartExchange::solo(4));
    drop(Frame::of(&mut first, STEPS / 2));
    let mut second = on_gpus(2);
    let [all, plane] = selections().map(|selection| second.select(selection).unwrap());
    let states = [first.state(), second.state()];
    assert_eq!(states[0], states[1]);
    for number in 0..states[0].len() {
        let mut values = Vec::new();
        first.save(number, &mut |some| values.extend_from_slice(some)).unwrap();
        let mut rest = &values[..];
        let give = &mut |some: &mut [f32]| {
            let (own, after) = rest.split_at(some.len());
            some.copy_from_slice(own);
            rest = after;
        };
        second.restore(number, give).unwrap();
        assert!(rest.is_empty());
    }
    second.restore_step(STEPS / 2).unwrap();
    second.advance(STEPS - STEPS / 2).unwrap();
    let difference = misfit(&Frame::read(&second, all, plane).numbers(), &expected);
    assert!(difference < 1e-5, "{difference:e}");
}
