//! The order of work: recordings, queues, time.

use craton_device::args;
use craton_device::gpu::{GpuError, Launch};

use super::{ARGUMENTS, REDUCE, device, failure, kernel};

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
fn other_threads_use_other_queues_during_a_recording() {
    let Some(gpu) = device() else { return };
    let side = gpu.another_queue().unwrap();
    let count_up = kernel(&gpu, &ARGUMENTS, "count_up");
    let (mut counter, mut sum) = (gpu.zeroed::<u32>(1).unwrap(), gpu.zeroed::<f32>(1).unwrap());
    // Everything that a second solver does while the first one records.
    let beside = || {
        let (mut own, mut sum) = (side.upload(&[5_u32]).unwrap(), side.zeroed::<f32>(1).unwrap());
        own.write(0..1, &[6]).unwrap();
        let graph = side.record(|| count_up.on(&side).launch(Launch::new(1, 2), args![&mut own, &mut sum])).unwrap();
        graph.replay().unwrap();
        count_up.on(&side).launch(Launch::new(1, 1), args![&mut own, &mut sum]).unwrap();
        side.synchronize().unwrap();
        let found = own.download().unwrap();
        own.clear().unwrap();
        (found, own.download().unwrap())
    };
    let graph = gpu
        .record(|| {
            count_up.launch(Launch::new(1, 3), args![&mut counter, &mut sum])?;
            let found = std::thread::scope(|scope| scope.spawn(beside).join().unwrap());
            assert_eq!(found, (vec![9], vec![0]));
            count_up.launch(Launch::new(1, 4), args![&mut counter, &mut sum])
        })
        .unwrap();
    assert_eq!(counter.download().unwrap(), [0]);
    graph.replay().unwrap();
    assert_eq!(counter.download().unwrap(), [7]);
}

#[test]
fn blocks_wait_for_one_another_in_two_queues() {
    let Some(gpu) = device() else { return };
    let meet = kernel(&gpu, &REDUCE, "meet");
    // Each block takes a multiprocessor for itself: the launches of two queues have no room side by side.
    let shape = Launch::new(1, 32).shared(gpu.info().shared_per_block).together();
    let blocks = meet.blocks_together(shape).unwrap();
    assert!(blocks > 0 && blocks >= gpu.info().multiprocessors, "{blocks} blocks");
    let shape = Launch { grid: blocks.into(), ..shape };
    let queues = [gpu.another_queue().unwrap(), gpu.another_queue().unwrap()];
    let (times, launches) = if gpu.is_emulated() { (5, 20) } else { (50, 200) };
    let counters: Vec<_> = (0..launches).map(|_| gpu.zeroed::<u32>(1).unwrap()).collect();
    for (n, met) in counters.iter().enumerate() {
        meet.on(&queues[n % 2]).launch(shape, args![met, times]).unwrap();
    }
    queues.iter().for_each(|queue| queue.synchronize().unwrap());
    assert!(counters.iter().all(|met| met.download().unwrap() == [times * blocks]));
}

#[test]
fn more_blocks_than_run_at_once_are_refused() {
    let Some(gpu) = device() else { return };
    let meet = kernel(&gpu, &REDUCE, "meet");
    let mut met = gpu.zeroed::<u32>(1).unwrap();
    let shape = Launch::new(1, 32).together();
    let blocks = meet.blocks_together(shape).unwrap();
    let text = failure(meet.launch(Launch { grid: (blocks + 1).into(), ..shape }, args![&mut met, 1_u32]));
    assert!(text.contains(&format!("{} blocks of 32 threads", blocks + 1)) && text.contains("at once"), "{text}");
    meet.launch(Launch { grid: blocks.into(), ..shape }, args![&mut met, 3_u32]).unwrap();
    assert_eq!(met.download().unwrap(), [3 * blocks]);
    assert_eq!(meet.blocks_together(Launch::new(1, 1025)).unwrap(), 0);
    assert_eq!(meet.blocks_together(shape.shared(1 << 20)).unwrap(), 0);
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
