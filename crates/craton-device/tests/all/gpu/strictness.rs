//! Errors that only the emulated device detects.

use craton_device::args;
use craton_device::gpu::Launch;

use super::{REDUCE, emulated, failure, kernel};

#[test]
fn wrong_arguments_are_refused_where_the_signature_is_known() {
    let Some(gpu) = emulated() else { return };
    let sum = kernel(&gpu, &REDUCE, "sum_blocks");
    let buffer = gpu.zeroed::<f32>(1).unwrap();
    let few = failure(sum.launch(Launch::new(1, 1), args![&buffer, &buffer]));
    assert!(few.ends_with("it takes 3 arguments and was given 2"), "{few}");
    let wide = failure(sum.launch(Launch::new(1, 1), args![&buffer, &buffer, 1_u64]));
    assert!(wide.ends_with("argument 2 (from 0) has 4 bytes and was given 8"), "{wide}");
}

#[test]
fn shapes_that_no_device_can_do_are_refused() {
    let Some(gpu) = emulated() else { return };
    let trap = kernel(&gpu, &REDUCE, "trap_at");
    let block = "a block has 1 to 1024 threads, at most 64 along z";
    let grid = "a grid has at most 65535 blocks along y and z";
    for (launch, expected) in [
        (Launch::new(1, 0), block),
        (Launch::new(1, 1025), block),
        (Launch::new(1, [1, 1, 65]), block),
        (Launch::new([1, 65536], 1), grid),
    ] {
        let text = failure(trap.launch(launch, args![9999_u32]));
        assert!(text.ends_with(expected), "{text}");
    }
}

#[test]
fn what_a_gpu_lets_pass_is_found() {
    let Some(gpu) = emulated() else { return };
    let run =
        |name: &str, launch: Launch, arguments: &[_]| failure(kernel(&gpu, &REDUCE, name).launch(launch, arguments));
    let beyond = run("beyond_shared", Launch::new(2, 1).shared(64), args![17_u32]);
    assert!(
        beyond.ends_with("in block (0, 0, 0) something was written at byte 64 of 64 bytes of dynamic shared memory"),
        "{beyond}"
    );
    let half = run("half_a_barrier", Launch::new(1, 32), args![]);
    assert!(
        half.ends_with("thread 0 waits at the barrier at reduce.cu:28, which thread 16, already ended, never reaches"),
        "{half}"
    );
    let two = run("two_barriers", Launch::new(1, 32), args![]);
    assert!(
        two.contains("threads meet at different barriers: thread 0 at reduce.cu:33, thread 16 at reduce.cu:35"),
        "{two}"
    );
    let trap = run("trap_at", Launch::new(1, 32), args![5_u32]);
    assert!(trap.ends_with("thread 5 met a trap at reduce.cu:40"), "{trap}");

    let met = gpu.zeroed::<u32>(1).unwrap();
    let alone = run("meet", Launch::new(2, 32), args![&met, 1_u32]);
    assert!(
        alone.contains("in block (0, 0, 0) thread 0 waits at reduce.cu:") && alone.contains("for another block"),
        "{alone}"
    );

    let ones = gpu.upload(&[1.0_f32; 100]).unwrap();
    let mut sums = gpu.zeroed::<f32>(3).unwrap();
    let sum = kernel(&gpu, &REDUCE, "sum_blocks");
    let text = failure(sum.launch(Launch::new(4, 32).shared(128), args![&ones, &mut sums, 100_u32]));
    assert!(text.ends_with("something was written behind a buffer of 12 bytes"), "{text}");
    sum.launch(Launch::new(3, 32).shared(128), args![&ones, &mut sums, 100_u32]).unwrap();
    assert_eq!(sums.download().unwrap(), [32.0; 3]);
}

#[test]
fn a_missing_barrier_shows_in_the_result() {
    let Some(gpu) = emulated() else { return };
    let mut out = gpu.zeroed::<f32>(64).unwrap();
    kernel(&gpu, &REDUCE, "neighbour_too_early").launch(Launch::new(2, 32).shared(128), args![&mut out]).unwrap();
    assert!(out.download().unwrap().chunks(32).all(|block| block.iter().any(|value| value.is_nan())));
}
