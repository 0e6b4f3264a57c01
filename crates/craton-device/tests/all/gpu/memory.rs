//! Arrays on a device, and their transfer to the host.

use craton_device::args;
use craton_device::gpu::{Gpu, GpuError, Launch, devices};

use super::{ARGUMENTS, device, emulated, kernel};

#[test]
fn a_machine_without_driver_says_so() {
    match devices() {
        Ok(found) => assert!(!found.is_empty() && found[0].memory > 0 && found[0].chip >= 30),
        Err(error @ GpuError::NoDriver) => {
            let text = error.to_string();
            assert!(
                text.starts_with("no CUDA driver on this machine") && text.contains("compute on the CPU"),
                "{text}"
            );
            assert!(matches!(Gpu::cuda(0), Err(GpuError::NoDriver)));
        }
        Err(GpuError::DriverTooOld { .. } | GpuError::NoDevice) => {}
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn buffers_keep_what_is_written_and_are_counted() {
    let Some(gpu) = device() else { return };
    let mut buffer = gpu.upload(&[1_u16, 2, 3, 4, 5]).unwrap();
    let empty = gpu.zeroed::<f64>(0).unwrap();
    buffer.write(1..3, &[20, 30]).unwrap();
    assert_eq!(buffer.download_range(1..4).unwrap(), [20, 30, 4]);
    let mut other = gpu.zeroed::<u16>(7).unwrap();
    other.copy_from(&gpu, 2, &buffer, 0..3).unwrap();
    assert_eq!(other.download().unwrap(), [0, 0, 1, 20, 30, 0, 0]);
    other.clear().unwrap();
    assert_eq!(other.download().unwrap(), [0; 7]);
    assert!(empty.is_empty() && empty.download().unwrap().is_empty());
    assert_eq!((gpu.bytes_held(), other.bytes(), buffer.len()), (24, 14, 5));
    drop(buffer);
    assert_eq!(gpu.bytes_held(), 14);
}

#[test]
fn too_large_an_array_names_the_sizes() {
    let Some(gpu) = device() else { return };
    let error = gpu.zeroed::<f64>(1 << 40).err().unwrap();
    assert!(matches!(error, GpuError::OutOfMemory { asked, free, total, .. } if asked == 8 << 40 && free <= total));
    assert!(error.to_string().contains("8388608.0 MiB requested"), "{error}");
    assert_eq!(gpu.bytes_held(), 0);
    assert_eq!(gpu.upload(&[1_u8]).unwrap().download().unwrap(), [1]);
}

#[test]
fn a_fetch_brings_what_was_computed_before_it() {
    let Some(gpu) = device() else { return };
    let count_up = kernel(&gpu, &ARGUMENTS, "count_up");
    let mut counters = gpu.zeroed::<u32>(1000).unwrap();
    let mut sum = gpu.zeroed::<f32>(1).unwrap();
    count_up.launch(Launch::new(4, 32), args![&mut counters, &mut sum]).unwrap();
    let fetch = gpu.fetch_start(&counters, 0..3).unwrap();
    let empty = gpu.fetch_start(&counters, 3..3).unwrap();
    drop(counters);
    assert_eq!(fetch.wait().unwrap(), [128, 0, 0]);
    assert!(fetch.is_here().unwrap());
    assert!(empty.wait().unwrap().is_empty());
    drop((fetch, empty));
    assert_eq!(gpu.bytes_held(), 4);
    assert_eq!(gpu.fetch_start(&sum, 0..1).unwrap().wait().unwrap(), [64.0]);
}

#[test]
fn emulated_devices_reach_each_other_and_copy() {
    let (Some(here), Some(there)) = (emulated(), emulated()) else { return };
    let far = there.upload(&[1.0_f32, 2.0, 3.0]).unwrap();
    let mut near = here.zeroed::<f32>(2).unwrap();
    assert!(here.reach(&there).unwrap());
    here.wait_for(&there).unwrap();
    near.copy_from(&here, 0, &far, 1..3).unwrap();
    assert_eq!(near.download().unwrap(), [2.0, 3.0]);
    assert_eq!((here.bytes_held(), there.bytes_held()), (8, 12));
}
