//! GPU results agree with CPU results. The kernels run emulated on this processor; with CRATON_TEST_GPU=cuda on a GPU.

#![allow(clippy::print_stdout)] // tests print the differences

use crate::common::*;
use craton_device::gpu::{Gpu, GpuError};
use craton_fd::{
    Boundaries, FdError, FdOperator, Field, GpuOperator, GpuSetupError, Medium, Options, Precision, Side, stable_step,
};
use craton_sim::Failure;
use craton_testkit::devices::gpu;

fn on_cpu<T: Precision>(medium: &Medium<T>, options: &Options) -> FdOperator<T> {
    let (sources, probes) = hill_taps();
    let dt = 0.9 * stable_step(medium, &options.boundaries, &options.stencil).unwrap();
    FdOperator::new(medium, options, dt, &sources, &probes, workers(1)).unwrap()
}

fn try_on_gpu<T: Precision>(gpu: &Gpu, medium: &Medium<T>, options: &Options) -> Result<GpuOperator<T>, GpuSetupError> {
    let (sources, probes) = hill_taps();
    let dt = 0.9 * stable_step(medium, &options.boundaries, &options.stencil).unwrap();
    GpuOperator::new(gpu, medium, options, dt, &sources, &probes, workers(1))
}

fn on_gpu<T: Precision>(gpu: &Gpu, medium: &Medium<T>, options: &Options) -> GpuOperator<T> {
    try_on_gpu(gpu, medium, options).unwrap()
}

/// Samples of `steps` steps, taken twice, and the state after them.
fn run<T: Precision>(operator: &mut dyn Solver<T>, steps: u64) -> (Vec<T>, Saved<T>) {
    operator.advance(steps / 3).unwrap();
    let mut samples = operator.take_samples().unwrap();
    operator.advance(steps - steps / 3).unwrap();
    operator.check().unwrap();
    samples.extend(operator.take_samples().unwrap());
    (samples, Saved::of(operator))
}

/// Relative difference in L2.
fn difference<T: Precision>(found: &[T], expected: &[T]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let square = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    let size = square(&mut expected.iter().map(|x| x.to_f64()));
    let difference = square(&mut found.iter().zip(expected).map(|(a, b)| a.to_f64() - b.to_f64()));
    if difference == 0.0 { 0.0 } else { (difference / size).sqrt() }
}

/// Largest relative difference of samples, channel by channel, and of the arrays of the state.
fn worst<T: Precision>((samples, state): &(Vec<T>, Saved<T>), expected: &(Vec<T>, Saved<T>)) -> f64 {
    let channels: usize = hill_taps().1.iter().map(|probe| probe.channels()).sum();
    let channel = |samples: &[T], c: usize| samples.iter().skip(c).step_by(channels).copied().collect::<Vec<T>>();
    let of_channels = (0..channels).map(|c| difference(&channel(samples, c), &channel(&expected.0, c)));
    let of_arrays = state.arrays.iter().zip(&expected.1.arrays).map(|(found, expected)| difference(found, expected));
    of_channels.chain(of_arrays).fold(0.0, f64::max)
}

#[allow(clippy::print_stderr, reason = "a skipped test must be reported")]
pub fn compare<T: Precision>(gpu: &Gpu, medium: &Medium<T>, options: &Options, steps: u64, limit: f64) {
    let half_length = options.stencil.half_length();
    let mut device = match try_on_gpu(gpu, medium, options) {
        // Common orders are compiled ahead of time; for the others a machine needs NVRTC.
        Err(GpuSetupError::Device(error @ GpuError::NoCode { .. }))
            if !(size_of::<T>() == 4 && [2, 4].contains(&half_length)) =>
        {
            return eprintln!("NOT RUN: {error}");
        }
        operator => operator.unwrap(),
    };
    let expected = run(&mut on_cpu(medium, options), steps);
    let found = run(&mut device, steps);
    assert!(found.0.iter().any(|v| v.to_f64().abs() > 1e-12));
    let worst = worst(&found, &expected);
    println!("half-length {half_length}, {} bytes: {worst:e}", size_of::<T>());
    assert!(worst <= limit, "half-length {half_length}, {:?}: {worst:e}", options.boundaries);
}

#[test]
fn traces_and_state_agree_with_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let steps = if gpu.is_emulated() { 24 } else { 200 };
    for (number, half_length) in [1, 4, 8, 2].into_iter().enumerate() {
        // Emulated, the others run with one kind of boundaries each.
        let is_every = !gpu.is_emulated() || half_length == 2;
        let boundaries = all_boundaries().into_iter().enumerate();
        for (_, boundaries) in boundaries.filter(|(own, _)| is_every || *own == number) {
            compare::<f32>(&gpu, &hill(), &options(half_length, boundaries), steps, 1e-5);
        }
        compare::<f64>(&gpu, &hill(), &options(half_length, all_boundaries()[1]), steps, 1e-12);
    }
}

#[test]
fn long_runs_agree_with_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let steps = if gpu.is_emulated() { 200 } else { 1500 };
    compare::<f32>(&gpu, &hill(), &options(2, all_boundaries()[0]), steps, 1e-5);
}

#[test]
fn planes_of_several_blocks_agree_with_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let cells = if gpu.is_emulated() { [263, 20, 22] } else { [263, 45, 22] };
    for (half_length, boundaries) in [(2, all_boundaries()[0]), (4, all_boundaries()[2])] {
        compare::<f32>(&gpu, &hill_in(cells), &options(half_length, boundaries), 8, 1e-5);
    }
}

#[test]
fn separate_ends_of_long_rows_agree_with_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for (half_length, along_x) in [(2, 471), (4, 327)] {
        compare::<f32>(&gpu, &hill_in([along_x, 18, 22]), &options(half_length, all_boundaries()[0]), 8, 1e-5);
    }
}

#[test]
fn two_runs_are_bit_identical() {
    let Some(gpu) = gpu() else { return };
    let medium = hill::<f32>();
    let options = options(2, all_boundaries()[1]);
    let again = || run(&mut on_gpu(&gpu, &medium, &options), 30);
    assert!(again() == again());
}

#[test]
fn a_run_continues_from_the_cpu_on_the_gpu_and_back() {
    let Some(gpu) = gpu() else { return };
    let medium = hill::<f32>();
    for boundaries in all_boundaries() {
        let options = options(2, boundaries);
        let whole = run(&mut on_cpu(&medium, &options), 45);
        let mut first = on_cpu(&medium, &options);
        first.advance(15).unwrap();
        let mut samples = first.take_samples().unwrap();
        let mut second = on_gpu(&gpu, &medium, &options);
        Saved::of(&mut first).restore(&mut second);
        assert!(Saved::of(&mut first) == Saved::of(&mut second), "the restored state equals the saved one");
        second.advance(15).unwrap();
        samples.extend(second.take_samples().unwrap());
        let mut third = on_cpu(&medium, &options);
        Saved::of(&mut second).restore(&mut third);
        third.advance(15).unwrap();
        samples.extend(third.take_samples().unwrap());
        assert!(worst(&(samples, Saved::of(&mut third)), &whole) <= 1e-5, "{boundaries:?}");
    }
}

#[test]
fn a_non_finite_field_is_reported_with_its_position() {
    let Some(gpu) = gpu() else { return };
    let medium = hill::<f32>();
    let mut operator = on_gpu(&gpu, &medium, &options(2, Boundaries::all(Side::Free)));
    let mut saved = Saved::of(&mut operator);
    let [nx, ny, _] = on_cpu(&medium, &options(2, Boundaries::all(Side::Free))).shape(Field::Velocity(1));
    saved.arrays[1][5 + nx * (6 + ny * 7)] = f32::NAN;
    saved.restore(&mut operator);
    let Failure::Unstable(broken) = operator.check().unwrap_err() else { panic!("an unstable field") };
    assert_eq!(broken.position, [-100.0 + 50.0, 50.0 + 66.0, -200.0 + 63.0]);
}

#[test]
fn the_gpu_refuses_invalid_problems() {
    let Some(gpu) = gpu() else { return };
    let refused =
        GpuOperator::new(&gpu, &hill::<f32>(), &options(2, Boundaries::all(Side::Free)), 1.0, &[], &[], workers(1));
    assert!(matches!(refused.map(|_| ()), Err(GpuSetupError::Problem(FdError::TimeStep { .. }))));
}
