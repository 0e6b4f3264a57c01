//! Selection of the code of a kernel: machine code, PTX or source.

use craton_device::args;
use craton_device::gpu::{GpuError, Image, Launch, compressed};

use super::{REDUCE, device, kernel};

/// Stores 7, whereas the source stores 8, so that a test can tell which of them ran.
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
    ..REDUCE
};

#[test]
fn ptx_comes_before_the_source_where_there_is_a_driver() {
    let Some(gpu) = device() else { return };
    let mut out = gpu.zeroed::<i32>(1).unwrap();
    kernel(&gpu, &Image { ptx: Some(&compressed(SEVEN.as_bytes())), ..STORE }, "store")
        .launch(Launch::new(1, 1), args![&mut out])
        .unwrap();
    assert_eq!(out.download().unwrap(), [if gpu.is_emulated() { 8 } else { 7 }]);
}

#[test]
fn ptx_that_the_driver_refuses_leads_to_the_source_or_to_a_sentence() {
    let Some(gpu) = device() else { return };
    let newer = compressed(b".version 99.0\n.target sm_52\n");
    match gpu.module(&Image { ptx: Some(&newer), ..STORE }) {
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
