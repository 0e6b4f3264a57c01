//! Results of kernels.

use bytemuck::{Pod, Zeroable};
use craton_device::args;
use craton_device::gpu::{Launch, OrNull};

use super::{ARGUMENTS, REDUCE, device, failure, kernel};

#[test]
fn a_block_sums_through_shared_memory() {
    let Some(gpu) = device() else { return };
    let values: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let on_device = gpu.upload(&values).unwrap();
    let launch = Launch::covering(values.len(), 128).shared(128 * 4);
    let mut sums = gpu.zeroed::<f32>(8).unwrap();
    kernel(&gpu, &REDUCE, "sum_blocks").launch(launch, args![&on_device, &mut sums, 1000_u32]).unwrap();
    let expected: Vec<f32> = values.chunks(128).map(|block| block.iter().sum()).collect();
    assert_eq!(sums.download().unwrap(), expected);
}

#[test]
fn a_block_may_have_more_shared_memory_than_48_kb() {
    let Some(gpu) = device() else { return };
    let ones = gpu.upload(&[1.0_f32; 1024]).unwrap();
    let mut sums = gpu.zeroed::<f32>(1).unwrap();
    let sum = kernel(&gpu, &REDUCE, "sum_blocks");
    sum.launch(Launch::new(1, 1024).shared(90 << 10), args![&ones, &mut sums, 1024_u32]).unwrap();
    assert_eq!(sums.download().unwrap(), [1024.0]);
    let text = failure(sum.launch(Launch::new(1, 1024).shared(1 << 20), args![&ones, &mut sums, 1024_u32]));
    assert!(text.contains("`sum_blocks`") && text.contains("make blocks smaller"), "{text}");
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Line {
    slope: f64,
    offset: f32,
    step: i32,
}

#[test]
fn arguments_of_every_kind_arrive() {
    let Some(gpu) = device() else { return };
    let evaluate = kernel(&gpu, &ARGUMENTS, "evaluate");
    let line = Line { slope: 3.0, offset: 0.5, step: 2 };
    let x = gpu.upload(&[10.0_f64, 11.0, 12.0, 13.0, 14.0]).unwrap();
    let extra = gpu.upload(&[[0.0_f32, 0.0, 0.0, 0.25]]).unwrap();
    let mut y = gpu.zeroed::<f64>(3).unwrap();
    evaluate
        .launch(Launch::new(1, 32), args![line, 1_u16, &x, OrNull(None::<&_>.or(Some(&extra))), &mut y, 2_u64])
        .unwrap();
    assert_eq!(y.download().unwrap(), [67.5, 79.5, 0.0]);
    let none = OrNull::<[f32; 4]>(None);
    evaluate.launch(Launch::new(1, 32), args![line, 1_u16, &x, none, &mut y, 1_u64]).unwrap();
    assert_eq!(y.download().unwrap(), [67.0, 79.5, 0.0]);
}

#[test]
fn a_grid_and_a_block_have_three_axes() {
    let Some(gpu) = device() else { return };
    let mut out = gpu.zeroed::<[u32; 4]>(2 * 3 * 4 * 5 * 6 * 7).unwrap();
    kernel(&gpu, &ARGUMENTS, "places").launch(Launch::new([2, 3, 4], [5, 6, 7]), args![&mut out]).unwrap();
    let out = out.download().unwrap();
    for (i, place) in out.iter().enumerate() {
        let (block, thread) = (i as u32 / 210, i as u32 % 210);
        assert_eq!(*place, [block / 6, thread % 5, thread / 5 % 6, thread / 30]);
    }
}

#[test]
fn warps_exchange_values() {
    let Some(gpu) = device() else { return };
    let [mut total, mut many] = [(); 2].map(|()| gpu.zeroed::<i32>(1).unwrap());
    let [mut first, mut reversed] = [(); 2].map(|()| gpu.zeroed::<i32>(64).unwrap());
    let mut odd = gpu.zeroed::<u32>(1).unwrap();
    let warps = kernel(&gpu, &ARGUMENTS, "warps");
    warps.launch(Launch::new(1, 64), args![&mut total, &mut first, &mut reversed, &mut odd, &mut many]).unwrap();
    assert_eq!(total.download().unwrap(), [63 * 64 / 2]);
    assert_eq!(many.download().unwrap(), [4]);
    assert_eq!(odd.download().unwrap(), [0xaaaa_aaaa]);
    assert_eq!(reversed.download().unwrap(), (0..64).map(|i| i ^ 31).collect::<Vec<i32>>());
    assert_eq!(first.download().unwrap(), (0..64).map(|i| i / 8 * 8 % 32 + i / 32 * 32 + 3).collect::<Vec<i32>>());
}

#[test]
fn atomic_sums_count_every_thread() {
    let Some(gpu) = device() else { return };
    let mut counter = gpu.zeroed::<u32>(1).unwrap();
    let mut sum = gpu.zeroed::<f32>(1).unwrap();
    kernel(&gpu, &ARGUMENTS, "count_up").launch(Launch::new(5, 96), args![&mut counter, &mut sum]).unwrap();
    assert_eq!((counter.download().unwrap()[0], sum.download().unwrap()[0]), (480, 240.0));
}

#[test]
fn several_threads_may_use_one_device() {
    let Some(gpu) = device() else { return };
    std::thread::scope(|scope| {
        for thread in 0..4_u16 {
            let gpu = &gpu;
            scope.spawn(move || {
                let values = vec![f32::from(thread); 256];
                let on_device = gpu.upload(&values).unwrap();
                let mut sums = gpu.zeroed::<f32>(2).unwrap();
                let sum = kernel(gpu, &REDUCE, "sum_blocks");
                for _ in 0..20 {
                    sum.launch(Launch::new(2, 128).shared(512), args![&on_device, &mut sums, 256_u32]).unwrap();
                }
                assert_eq!(sums.download().unwrap(), [128.0 * f32::from(thread); 2]);
            });
        }
    });
}

#[test]
fn a_grid_without_blocks_does_nothing() {
    let Some(gpu) = device() else { return };
    kernel(&gpu, &REDUCE, "trap_at").launch(Launch::covering(0, 32), args![0_u32]).unwrap();
    gpu.synchronize().unwrap();
}
