//! GPU time per element and step, and device memory.
//!
//! `cargo bench -p craton-sem --bench gpu [-- NAME]` prints Markdown. A box of general hexahedra of degree 4 in single precision, with absorbing sides, a free
//! surface, one point source and ten receivers, represents a typical run.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

mod problem;

use std::sync::Arc;

use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_mesh::Geometry;
use craton_sem::{
    Boundaries, Boundary, Discretisation, GpuOperator, MaterialKind, Options, Part as _, Patching, Phase, PointSource,
    Precision, Probe, SourceMechanism,
};
use problem::{DEGREE, Variant, mesh_of, model};

/// Number of rounds, of which the best and the median are reported.
const ROUNDS: usize = 7;
/// Steps of a round.
const STEPS: u64 = 40;

/// A row of the table.
struct Case {
    name: &'static str,
    variant: Variant,
    counts: [usize; 3],
    patching: Patching,
}

const MILLION: [usize; 3] = [101, 101, 101];

/// A million elements of one law with 8 or 27 control nodes.
const fn million(name: &'static str, geometry: Geometry, material: MaterialKind, per_point: bool) -> Case {
    let variant = Variant::elastic(geometry, material, per_point);
    Case { name, variant, counts: MILLION, patching: Patching::Blocks }
}

/// Water over rock.
const HALF_WATER: Variant =
    Variant { part: 0.5, ..Variant::elastic(Geometry::Quadratic27, MaterialKind::Fluid, false) };

/// A million elements, of which one tenth has this law and the rest is isotropic.
const fn tenth(name: &'static str, material: MaterialKind) -> Case {
    let variant = Variant { part: 0.1, ..Variant::elastic(Geometry::Linear8, material, true) };
    Case { name, variant, counts: [101, 101, 100], patching: Patching::Blocks }
}

/// A case whose moduli relax, at some or all points.
const fn relaxing(name: &'static str, case: Case, quality: f64) -> Case {
    Case { name, variant: Variant { quality, ..case.variant }, ..case }
}

/// Quality factors with memory at 8, 27 and all points.
const ODD: f64 = 300.0;
const INNER: f64 = 40.0;
const FULL: f64 = 10.0;

const CASES: [Case; 25] = [
    million("isotropic-8", Geometry::Linear8, MaterialKind::Isotropic, false),
    million("isotropic-27", Geometry::Quadratic27, MaterialKind::Isotropic, false),
    million("isotropic-8-points", Geometry::Linear8, MaterialKind::Isotropic, true),
    million("isotropic-27-points", Geometry::Quadratic27, MaterialKind::Isotropic, true),
    million("transverse-8", Geometry::Linear8, MaterialKind::TransverselyIsotropic, false),
    million("transverse-8-points", Geometry::Linear8, MaterialKind::TransverselyIsotropic, true),
    million("transverse-27-points", Geometry::Quadratic27, MaterialKind::TransverselyIsotropic, true),
    million("anisotropic-8", Geometry::Linear8, MaterialKind::Anisotropic, true),
    million("anisotropic-27", Geometry::Quadratic27, MaterialKind::Anisotropic, true),
    relaxing("relaxing-8", million("", Geometry::Linear8, MaterialKind::Isotropic, false), ODD),
    relaxing("relaxing-27", million("", Geometry::Quadratic27, MaterialKind::Isotropic, false), ODD),
    relaxing("relaxing-8-points", million("", Geometry::Linear8, MaterialKind::Isotropic, true), ODD),
    relaxing(
        "relaxing-transverse-27-points",
        million("", Geometry::Quadratic27, MaterialKind::TransverselyIsotropic, true),
        ODD,
    ),
    relaxing("relaxing-anisotropic-8", million("", Geometry::Linear8, MaterialKind::Anisotropic, true), ODD),
    relaxing("relaxing-8-inner", million("", Geometry::Linear8, MaterialKind::Isotropic, false), INNER),
    relaxing(
        "relaxing-transverse-27-inner",
        million("", Geometry::Quadratic27, MaterialKind::TransverselyIsotropic, true),
        INNER,
    ),
    relaxing("relaxing-8-full", million("", Geometry::Linear8, MaterialKind::Isotropic, false), FULL),
    relaxing(
        "relaxing-transverse-27-full",
        million("", Geometry::Quadratic27, MaterialKind::TransverselyIsotropic, true),
        FULL,
    ),
    million("fluid-8", Geometry::Linear8, MaterialKind::Fluid, false),
    million("fluid-27", Geometry::Quadratic27, MaterialKind::Fluid, false),
    Case { variant: HALF_WATER, ..million("fluid-half", Geometry::Quadratic27, MaterialKind::Fluid, false) },
    tenth("anisotropic-tenth", MaterialKind::Anisotropic),
    // The slice of one GPU in Komatitsch et al. (2010): 446,080 elements.
    Case { counts: [82, 80, 68], ..million("slice-27", Geometry::Quadratic27, MaterialKind::Isotropic, false) },
    Case { counts: [28, 28, 26], ..million("small-8", Geometry::Linear8, MaterialKind::Isotropic, false) },
    Case { patching: Patching::Threads, ..million("gather-8", Geometry::Linear8, MaterialKind::Isotropic, false) },
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let gpu = match Gpu::cuda(0) {
        Ok(gpu) => gpu,
        Err(error) => return println!("nothing measured: {error}"),
    };
    let copy = copy_bandwidth(&gpu);
    println!("{}, copy {:.2} TB/s\n", gpu.info().name, copy / 1e12);
    println!(
        "| case | elements | ns per element and step, best (median) | us a step | kB of device memory per element |"
    );
    println!("|---|---|---|---|---|");
    for case in CASES.iter().filter(|case| wanted.is_empty() || wanted.iter().any(|name| name == case.name)) {
        measure(&gpu, case);
    }
}

fn measure(gpu: &Gpu, case: &Case) {
    let workers = Arc::new(Workers::new(None).expect("the system grants threads"));
    let mesh = mesh_of(case.variant.geometry, case.counts, case.variant.part);
    let elements = mesh.n_elements() as f64;
    let mut sides = [Boundary::Absorbing; 6];
    sides[5] = Boundary::Free;
    let options =
        Options { degree: DEGREE, boundaries: Boundaries { sides }, isa: Isa::detect(), patching: case.patching };
    let before = gpu.bytes_held();
    let mut operator = operator::<f32>(
        gpu,
        Discretisation::new(mesh, &model(case.variant), &options, &workers).expect("a valid mesh"),
        workers,
    );
    let held = (gpu.bytes_held() - before) as f64;
    operator.advance_alone(STEPS).expect("the device does not fail");
    // The operator has a queue of its own.
    let queue = operator.gpu().clone();
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| queue.timed(|| operator.advance_alone(STEPS)).expect("the device does not fail") / STEPS as f64)
        .collect();
    for phase in operator.plan().clone().phases() {
        assert_eq!(operator.broken_place(phase).expect("the device does not fail"), None, "a stable step");
    }
    let samples = operator.take_samples().expect("the device does not fail");
    assert!(samples.iter().any(|&sample| sample != 0.0), "the receivers have recorded a signal");
    rounds.sort_by(f64::total_cmp);
    let [best, median] = [rounds[0], rounds[ROUNDS / 2]];
    println!(
        "| {} | {elements} | {:.3} ({:.3}) | {:.1} | {:.2} |",
        case.name,
        1e9 * best / elements,
        1e9 * median / elements,
        1e6 * median,
        1e-3 * held / elements
    );
}

fn operator<T: Precision>(gpu: &Gpu, on: Discretisation<T>, workers: Arc<Workers>) -> GpuOperator<T> {
    let dt = on.stable().dt;
    let history: Vec<f64> = (0..=STEPS * (ROUNDS as u64 + 1)).map(|step| (0.1 * step as f64).sin()).collect();
    let element = (on.mesh().n_elements() / 2) as u32;
    let mechanism = match on.plan().phase_of(element) {
        Phase::Solid => SourceMechanism::Moment([1e15, 2e15, -1e15, 0.0, 3e15, 0.0]),
        Phase::Fluid => SourceMechanism::Moment([1e15, 1e15, 1e15, 0.0, 0.0, 0.0]),
    };
    let source = PointSource { element, xi: [0.1, 0.2, 0.3], mechanism, history: history.into() };
    let probe = |number: u32| Probe { element: element + 97 * number, xi: [0.3, -0.4, 0.9], gradient: false };
    let probes: Vec<Probe> = (0..10).map(probe).collect();
    GpuOperator::new(gpu, on, dt, &[source], &probes, workers).expect("memory for the operator")
}

/// Bytes per second that a copy within device memory reads and writes.
fn copy_bandwidth(gpu: &Gpu) -> f64 {
    const VALUES: usize = 1 << 29;
    let from = gpu.zeroed::<f32>(VALUES).expect("4 GB of device memory");
    let mut to = gpu.zeroed::<f32>(VALUES).expect("4 GB of device memory");
    let mut copy = || gpu.timed(|| to.copy_from(gpu, 0, &from, 0..VALUES)).expect("the device does not fail");
    let best = (0..5).map(|_| copy()).fold(f64::INFINITY, f64::min);
    (2 * 4 * VALUES) as f64 / best
}
