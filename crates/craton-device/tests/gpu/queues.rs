//! The order of work: recordings, queues, time.

use craton_device::args;
use craton_device::gpu::{GpuError, Launch};

use super::{ARGUMENTS, REDUCE, device, kernel};

#[test]
fn a_recording_runs_as_often_as_it_is_replayed() {
    let Some(gpu) = device() else { return };
    let count_up = kernel(&gpu, &ARGUMENTS, "count_up");
    let mut counter = gpu.zeroed::<u32>(1).unwrap();
    let mut copy = gpu.zeroed::<u32>(2).unwrap();
    let graph = {
        let mut sum = gpu.zeroed::<f32>(1).unwrap();
        gpu.record(|| {
            sum.clear()?;
            count_up.launch(Launch::new(1, 3), args![&mut counter, &mut sum])?;
            copy.copy_from(&gpu, 0, &counter, 0..1)?;
            count_up.launch(Launch::new(1, 4), args![&mut counter, &mut sum])
        })
        .unwrap()
    };
    drop(count_up);
    assert_eq!(counter.download().unwrap(), [0]);
    for _ in 0..3 {
        graph.replay().unwrap();
    }
    assert_eq!((counter.download().unwrap(), copy.download().unwrap()), (vec![21], vec![17, 0]));
    assert_eq!(gpu.bytes_held(), 4 + 8 + 4);
    drop(graph);
    assert_eq!(gpu.bytes_held(), 4 + 8);
}

#[test]
fn a_recording_refuses_what_it_cannot_hold_and_leaves_the_device_well() {
    let Some(gpu) = device() else { return };
    let mut buffer = gpu.upload(&[7_u32]).unwrap();
    let refused = gpu.record(|| buffer.download().map(|_| ())).err().unwrap();
    assert_eq!(refused.to_string(), "cannot download while launches are recorded; do it before `record` or after it");
    assert!(matches!(gpu.record(|| gpu.synchronize()), Err(GpuError::Recording { what: "synchronize" })));
    assert!(matches!(gpu.record(|| buffer.write(0..1, &[1])), Err(GpuError::Recording { .. })));
    let nested = gpu.record(|| gpu.record(|| Ok(())).map(|_| ()));
    assert!(matches!(nested, Err(GpuError::Recording { .. })));
    assert_eq!(buffer.download().unwrap(), [7]);
    gpu.record(|| Ok(())).unwrap().replay().unwrap();
}

#[test]
fn queues_of_one_device_wait_for_each_other() {
    let Some(gpu) = device() else { return };
    let side = gpu.another_queue().unwrap();
    let count_up = kernel(&gpu, &ARGUMENTS, "count_up");
    let mut counter = gpu.zeroed::<u32>(1).unwrap();
    let mut sum = gpu.zeroed::<f32>(1).unwrap();
    for _ in 0..50 {
        count_up.launch(Launch::new(1, 32), args![&mut counter, &mut sum]).unwrap();
        side.wait_for(&gpu).unwrap();
        count_up.on(&side).launch(Launch::new(1, 32), args![&mut counter, &mut sum]).unwrap();
        gpu.wait_for(&side).unwrap();
    }
    assert_eq!(counter.download().unwrap(), [3200]);
    assert!(gpu.reach(&side).unwrap());
}

#[test]
fn a_recording_spans_queues_that_join_it() {
    let Some(gpu) = device() else { return };
    let side = gpu.another_queue().unwrap();
    let count_up = kernel(&gpu, &ARGUMENTS, "count_up");
    let mut counter = gpu.zeroed::<u32>(1).unwrap();
    let mut sum = gpu.zeroed::<f32>(1).unwrap();
    let graph = gpu
        .record(|| {
            count_up.launch(Launch::new(1, 1), args![&mut counter, &mut sum])?;
            side.wait_for(&gpu)?;
            count_up.on(&side).launch(Launch::new(1, 10), args![&mut counter, &mut sum])?;
            gpu.wait_for(&side)?;
            count_up.launch(Launch::new(1, 100), args![&mut counter, &mut sum])
        })
        .unwrap();
    graph.replay().unwrap();
    graph.replay().unwrap();
    assert_eq!(counter.download().unwrap(), [222]);
}

#[test]
fn time_is_measured() {
    let Some(gpu) = device() else { return };
    let sum = kernel(&gpu, &REDUCE, "sum_blocks");
    let values = gpu.zeroed::<f32>(1024).unwrap();
    let mut sums = gpu.zeroed::<f32>(4).unwrap();
    let seconds =
        gpu.timed(|| sum.launch(Launch::new(4, 256).shared(1024), args![&values, &mut sums, 1024_u32])).unwrap();
    assert!(seconds > 0.0 && seconds < 5.0, "{seconds}");
}
