//! Devices for tests.

use craton_device::gpu::{Gpu, devices};

/// The device under test: an emulated one, or with `CRATON_TEST_GPU=cuda` a GPU; `None` if no emulator is available.
///
/// # Panics
/// If a GPU is requested but none is found.
pub fn gpu() -> Option<Gpu> {
    gpus(1)?.pop()
}

/// `count` devices under test: emulated ones, or with `CRATON_TEST_GPU=cuda` the available GPUs in round-robin order; `None` if no emulator is available.
///
/// # Panics
/// If GPUs are requested but none is found, or they lack peer access.
pub fn gpus(count: usize) -> Option<Vec<Gpu>> {
    if std::env::var("CRATON_TEST_GPU").as_deref() != Ok("cuda") {
        return (0..count).map(|_| Gpu::emulated_for_tests()).collect();
    }
    let there = devices().expect("a GPU").len();
    let gpus: Vec<Gpu> = (0..count).map(|gpu| Gpu::cuda(gpu % there).expect("a GPU")).collect();
    for gpu in &gpus {
        for other in gpus.iter().filter(|other| other.info().ordinal != gpu.info().ordinal) {
            gpu.reach(other).expect("GPUs of one machine");
        }
    }
    Some(gpus)
}
