//! A kernel that fails, in a separate process: a process cannot use the CUDA device afterwards.
//!
//! The test binary starts itself again: the test named `child_...` does nothing unless [`CHILD`] is set.

use craton_device::args;
use craton_device::gpu::{Gpu, GpuError, Image, Launch};
use std::process::{Command, Stdio};

const CHILD: &str = "CRATON_DEVICE_TEST_FAULT";

#[test]
fn a_kernel_that_fails_is_named() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "gpu_fault::child_fails_a_kernel", "--nocapture"]).env(CHILD, "1");
    let output = command.stderr(Stdio::inherit()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn child_fails_a_kernel() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let image = Image { name: "reduce.cu", source: include_str!("gpu/reduce.cu"), ..Image::default() };
    let on_gpu = std::env::var_os("CRATON_TEST_GPU").is_some();
    let Some(gpu) = (if on_gpu { Some(Gpu::cuda(0).unwrap()) } else { Gpu::emulated_for_tests() }) else { return };
    let buffer = gpu.upload(&[1_u8]).unwrap();
    let trap = gpu.module(&image).unwrap().kernel("trap_at").unwrap();
    let error = trap.launch(Launch::new(3, 64), args![33_u32]).and_then(|()| gpu.synchronize()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("`trap_at`") && text.contains("3 blocks of 64 threads"), "{text}");
    if on_gpu {
        assert!(matches!(error, GpuError::Fault { .. }) && text.contains("last checkpoint"), "{text}");
        assert!(matches!(buffer.download(), Err(GpuError::Fault { .. })));
    } else {
        assert!(matches!(error, GpuError::Launch { .. }) && text.contains("thread 33 met a trap"), "{text}");
        assert_eq!(buffer.download().unwrap(), [1]);
    }
}
