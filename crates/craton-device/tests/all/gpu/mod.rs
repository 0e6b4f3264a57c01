//! Devices: memory, kernels, recordings and faults, on the emulated device or, with `CRATON_TEST_GPU` set, on the first CUDA device.

mod code;
mod kernels;
mod memory;
mod queues;
mod strictness;

use craton_device::gpu::{Gpu, GpuError, Image, Kernel};

const REDUCE: Image = Image {
    name: "reduce.cu",
    source: include_str!("reduce.cu"),
    headers: &[],
    defines: &[],
    ptx: None,
    machine_code: &[],
};

const ARGUMENTS: Image = Image {
    name: "arguments.cu",
    source: include_str!("arguments.cu"),
    headers: &[("scale.cuh", "static __device__ __forceinline__ double scaled(double x) { return SCALE * x; }\n")],
    defines: &[("SCALE", "2.0")],
    ptx: None,
    machine_code: &[],
};

/// The device under test, if there is one.
fn device() -> Option<Gpu> {
    if std::env::var_os("CRATON_TEST_GPU").is_some() { Some(Gpu::cuda(0).unwrap()) } else { Gpu::emulated_for_tests() }
}

/// The emulated device, for errors that only it detects.
fn emulated() -> Option<Gpu> {
    Gpu::emulated_for_tests()
}

fn kernel(gpu: &Gpu, image: &Image, name: &str) -> Kernel {
    gpu.module(image).unwrap().kernel(name).unwrap()
}

/// Message of a failed launch.
fn failure(result: Result<(), GpuError>) -> String {
    match result {
        Err(error @ GpuError::Launch { .. }) => error.to_string(),
        other => panic!("a launch that fails, not {other:?}"),
    }
}
