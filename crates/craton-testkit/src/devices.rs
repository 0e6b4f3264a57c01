//! The devices that tests compute on.

use craton_device::gpu::{Gpu, devices};

/// The device under test: an emulated one, or with `CRATON_TEST_GPU=cuda` a GPU; none where nothing emulates it.
///
/// # Panics
/// If there should be a GPU, and is none.
pub fn gpu() -> Option<Gpu> {
    gpus(1)?.pop()
}

/// So many devices under test: emulated ones, or with `CRATON_TEST_GPU=cuda` the GPUs that are there, in turn; none where nothing emulates them.
///
/// # Panics
/// If there should be GPUs, and are none, or they do not reach one another.
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
