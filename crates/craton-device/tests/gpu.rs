//! Devices: memory, kernels, recordings and faults, on the emulated device or, with `CRATON_TEST_GPU` set, on the first CUDA device.

use bytemuck::{Pod, Zeroable};
use craton_device::args;
use craton_device::gpu::{Gpu, GpuError, Image, Kernel, Launch, OrNull, devices};

const REDUCE: Image = Image {
    name: "reduce.cu",
    source: include_str!("kernels/reduce.cu"),
    headers: &[],
    defines: &[],
    ptx: None,
    machine_code: &[],
};

const ARGUMENTS: Image = Image {
    name: "arguments.cu",
    source: include_str!("kernels/arguments.cu"),
    headers: &[("scale.cuh", "static __device__ __forceinline__ double scaled(double x) { return SCALE * x; }\n")],
    defines: &[("SCALE", "2.0")],
    ptx: None,
    machine_code: &[],
};

/// The device under test, if there is one.
fn device() -> Option<Gpu> {
    if std::env::var_os("CRATON_TEST_GPU").is_some() { Some(Gpu::cuda(0).unwrap()) } else { Gpu::emulated_for_tests() }
}

/// The emulated device, for what only it finds.
fn emulated() -> Option<Gpu> {
    Gpu::emulated_for_tests()
}

fn kernel(gpu: &Gpu, image: &Image, name: &str) -> Kernel {
    gpu.module(image).unwrap().kernel(name).unwrap()
}

/// What a launch says when it fails.
fn failure(result: Result<(), GpuError>) -> String {
    match result {
        Err(error @ GpuError::Launch { .. }) => error.to_string(),
        other => panic!("a launch that fails, not {other:?}"),
    }
}

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
    assert!(error.to_string().contains("asked for 8388608.0 MiB"), "{error}");
    assert_eq!(gpu.bytes_held(), 0);
    assert_eq!(gpu.upload(&[1_u8]).unwrap().download().unwrap(), [1]);
}

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

/// Stores 7, where the source beside it stores 8: so a test sees which of them ran.
const SEVEN: &str = ".version 7.0
.target sm_52
.address_size 64
.visible .entry store(.param .u64 out) {
    .reg .b64 %address;
    .reg .b32 %value;
    ld.param.u64 %address, [out];
    cvta.to.global.u64 %address, %address;
    mov.u32 %value, 7;
    st.global.u32 [%address], %value;
    ret;
}
";

const STORE: Image = Image {
    name: "store.cu",
    source: "#include \"device.cuh\"\nextern \"C\" __global__ void store(int* out) { *out = 8; }\nCRATON_ENTRY(store)\n",
    ptx: Some(SEVEN),
    ..REDUCE
};

#[test]
fn ptx_comes_before_the_source_where_there_is_a_driver() {
    let Some(gpu) = device() else { return };
    let mut out = gpu.zeroed::<i32>(1).unwrap();
    kernel(&gpu, &STORE, "store").launch(Launch::new(1, 1), args![&mut out]).unwrap();
    assert_eq!(out.download().unwrap(), [if gpu.is_emulated() { 8 } else { 7 }]);
}

#[test]
fn ptx_that_the_driver_refuses_leads_to_the_source_or_to_a_sentence() {
    let Some(gpu) = device() else { return };
    match gpu.module(&Image { ptx: Some(".version 99.0\n.target sm_52\n"), ..STORE }) {
        Ok(module) => {
            let mut out = gpu.zeroed::<i32>(1).unwrap();
            module.kernel("store").unwrap().launch(Launch::new(1, 1), args![&mut out]).unwrap();
            assert_eq!(out.download().unwrap(), [8]);
        }
        Err(error @ GpuError::NoCode { .. }) => {
            let text = error.to_string();
            assert!(text.contains("its PTX is refused") && text.contains("install the CUDA toolkit"), "{text}");
        }
        Err(error) => panic!("{error}"),
    }
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

#[test]
fn a_module_says_what_it_lacks() {
    let Some(gpu) = device() else { return };
    let module = gpu.module(&REDUCE).unwrap();
    let error = module.kernel("absent").err().unwrap();
    assert!(matches!(&error, GpuError::NoKernel { image, kernel } if image == "reduce.cu" && kernel == "absent"));
    let broken = Image { name: "broken.cu", source: "extern \"C\" __global__ void f( {}", ..REDUCE };
    match gpu.module(&broken) {
        Err(GpuError::Compile { image, log }) => assert!(image == "broken.cu" && log.contains("broken.cu"), "{log}"),
        other => panic!("a source that does not compile, not {:?}", other.err()),
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

#[test]
fn a_grid_without_blocks_does_nothing() {
    let Some(gpu) = device() else { return };
    kernel(&gpu, &REDUCE, "trap_at").launch(Launch::covering(0, 32), args![0_u32]).unwrap();
    gpu.synchronize().unwrap();
}
