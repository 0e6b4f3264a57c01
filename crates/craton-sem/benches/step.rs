//! CPU time of an element and step, set-up times and memory, beside what the machine allows.
//!
//! `cargo bench -p craton-sem [-- ELEMENTS_PER_AXIS]` prints Markdown. A box of general hexahedra, degree 4, single precision, absorbing sides and a
//! free surface, one point source: what a real run does in a step but for output.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

mod machine;

use std::sync::Arc;
use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_mesh::{BoxSpec, Flat, Geometry, HexMesh, Horizontal, Numbering, Stratum, UniformSize, mesh_box};
use craton_model::{EarthModel, Interface, Knot, Material, Medium, Profile, Region};
use craton_physics::{Stiffness, Thomsen};
use craton_sem::{Boundaries, Boundary, Discretisation, Memory, Options, PointSource, Push, SemOperator};
use craton_sim::Operator;

/// Polynomial degree.
const DEGREE: usize = 4;
/// Elements along each axis unless told otherwise: 97,336 in all.
const PER_AXIS: usize = 46;
/// Edge of an element before deformation [m].
const EDGE: f64 = 100.0;
/// Rounds of which the best and the median are told, and steps in each.
const ROUNDS: usize = 7;
const STEPS: u64 = 6;

/// What is measured.
#[derive(Clone, Copy)]
struct Variant {
    geometry: Geometry,
    anisotropic: bool,
    /// Material that changes inside elements.
    per_point: bool,
}

/// What was measured.
struct Measured {
    elements: f64,
    /// Seconds of set-up: mesh, numbering, discretisation.
    setup: [f64; 3],
    memory: Memory,
    resident: f64,
    /// Best and median seconds of a step, per number of threads.
    steps: Vec<[f64; 2]>,
}

fn main() {
    let per_axis = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(PER_AXIS);
    let isa = Isa::detect();
    let most = std::thread::available_parallelism().map_or(1, usize::from).min(2);
    let threads: Vec<usize> = (1..=most).collect();
    let peak = machine::multiply_add_peak(isa);
    let copies = threads.iter().map(|&threads| machine::copy_bandwidth(&workers(threads))).collect::<Vec<_>>();
    print_machine(isa, peak, &copies);
    let [linear, quadratic] = [Geometry::Linear8, Geometry::Quadratic27];
    let variants = [
        (linear, false, false),
        (quadratic, false, false),
        (linear, false, true),
        (quadratic, false, true),
        (quadratic, true, true),
    ]
    .map(|(geometry, anisotropic, per_point)| Variant { geometry, anisotropic, per_point });
    print_heads(&threads);
    let measured: Vec<_> =
        variants.into_iter().map(|variant| (variant, measure(variant, per_axis, isa, &threads))).collect();
    for (variant, measured) in &measured {
        print_row(variant, measured, peak, &copies);
    }
    print_setup(&measured);
}

fn workers(threads: usize) -> Workers {
    Workers::new(Some(threads)).expect("the system grants a few threads")
}

fn measure(variant: Variant, per_axis: usize, isa: Isa, threads: &[usize]) -> Measured {
    let before = machine::resident();
    let (mesh, meshing) = timed(|| mesh(variant.geometry, per_axis));
    let (numbering, numbered) = timed(|| Numbering::new(&mesh, DEGREE).expect("a sound mesh"));
    drop(numbering);
    let elements = mesh.n_elements();
    let sides = [[Boundary::Absorbing; 5].as_slice(), &[Boundary::Free]].concat();
    let boundaries = Boundaries { sides: std::array::from_fn(|side| sides[side]) };
    let options = Options { degree: DEGREE, boundaries, isa };
    let mut result = Measured {
        elements: elements as f64,
        setup: [meshing, numbered, f64::INFINITY],
        memory: Memory { elements: 0, state: 0, masses: 0, sums: 0, places: 0, mesh: 0, scratch: 0 },
        resident: 0.0,
        steps: Vec::new(),
    };
    for &threads in threads {
        let workers = Arc::new(workers(threads));
        let (on, discretising) = timed(|| {
            Discretisation::<f32>::new(mesh.clone(), &model(variant), &options, &workers).expect("a sound mesh")
        });
        result.setup[2] = result.setup[2].min(discretising);
        let mut operator = operator(on, workers);
        result.memory = operator.memory();
        result.steps.push(time_steps(&mut operator));
        // The mesh of the benchmark itself is not the operator's.
        result.resident = machine::resident() - before - mesh_bytes(&mesh);
    }
    result
}

fn operator(on: Discretisation<f32>, workers: Arc<Workers>) -> SemOperator<f32> {
    let dt = on.stable().dt;
    let history = (0..=STEPS * (ROUNDS as u64 + 1)).map(|step| (0.1 * step as f64).sin()).collect();
    let element = (on.mesh().n_elements() / 2) as u32;
    let push = Push::Moment([1e15, 2e15, -1e15, 0.0, 3e15, 0.0]);
    let source = PointSource { element, xi: [0.1, 0.2, 0.3], push, history };
    SemOperator::new(on, dt, &[source], &[], workers)
}

/// Best and median seconds of a step; a first round warms up.
fn time_steps(operator: &mut SemOperator<f32>) -> [f64; 2] {
    operator.advance(STEPS);
    let mut rounds: Vec<f64> = (0..ROUNDS).map(|_| timed(|| operator.advance(STEPS)).1 / STEPS as f64).collect();
    operator.check().expect("a stable step");
    rounds.sort_by(f64::total_cmp);
    [rounds[0], rounds[ROUNDS / 2]]
}

fn timed<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// A box whose elements are bent in all directions.
fn mesh(geometry: Geometry, per_axis: usize) -> HexMesh {
    let length = EDGE * per_axis as f64;
    let bend = |[x, y, z]: [f64; 3]| {
        let wave = |a: f64, b: f64| 15.0 * (a / 230.0).sin() * (b / 310.0).cos();
        [x + wave(y, z), y + wave(z, x), z + wave(x, y)]
    };
    let sizes = UniformSize { size: EDGE, speed: 6000.0 };
    let top = Flat(0.0);
    let mut spec = BoxSpec::new([0.0, length], [0.0, length], -length, vec![Stratum { top: &top, region: 0 }], &sizes);
    spec.geometry = geometry;
    spec.horizontal = Horizontal::Elements([per_axis; 2]);
    spec.doubling = false;
    spec.deformation = Some(&bend);
    mesh_box(&spec).expect("a box that can be meshed")
}

fn mesh_bytes(mesh: &HexMesh) -> f64 {
    (28 * mesh.control_nodes.len() + 4 * mesh.connectivity.len() + 2 * mesh.n_elements()) as f64
}

fn model(variant: Variant) -> EarthModel {
    let solid = Thomsen { vp: 4000.0, vs: 2200.0, epsilon: 0.25, delta: 0.1, gamma: 0.2, rho: 2500.0 };
    let stiffness = Stiffness::tti(solid, 0.6, 0.9).expect("a solid");
    let tilted = Medium::anisotropic(stiffness, solid.rho).expect("a solid");
    let rock = Medium::isotropic(6000.0, 3464.0, 2700.0).expect("a rock");
    let knot = |z, vp| Knot { z, vp, vs: 0.577 * vp, rho: 2500.0 };
    let gradient = Profile::new(vec![knot(0.0, 5000.0), knot(-10_000.0, 7000.0)]).expect("knots in order");
    let material: Material = if variant.per_point { gradient.into() } else { rock.into() };
    let region = |z, material| Region { top: Interface::Flat(z), material };
    let mut regions = vec![region(0.0, material)];
    if variant.anisotropic {
        // A second region, in which no element lies, makes all elements carry 21 coefficients.
        regions.push(region(-1e6, tilted.into()));
    }
    EarthModel::new(regions).expect("layers in order")
}

/// Floating-point operations of an element: sums over lines of points, geometry, law; a multiply-add counts as two.
fn operations(variant: &Variant) -> f64 {
    let (n, g) = ((DEGREE + 1) as f64, variant.geometry.per_axis() as f64);
    let lines = 2.0 * 3.0 * 3.0 * n.powi(4) * 2.0;
    let contraction = 3.0 * (2.0 * g - 1.0);
    let geometry = contraction * (2.0 * g * g * n + 3.0 * g * n * n + 3.0 * n.powi(3));
    let (metric, gradient, flux) = (3.0 * 9.0 + 5.0 + 1.0, 9.0 * 6.0, 9.0 * 5.0);
    let law = if variant.anisotropic { 6.0 * 11.0 + 3.0 } else { 16.0 };
    lines + geometry + n.powi(3) * (metric + gradient + law + flux)
}

fn print_machine(isa: Isa, peak: f64, copies: &[f64]) {
    let copies: Vec<_> = copies.iter().map(|copy| format!("{:.1}", copy / 1e9)).collect();
    println!(
        "{}, {}: multiply-add peak {:.0} GFlop/s per thread, copy {} GB/s (1, 2 threads)\n",
        machine::processor(),
        isa.name(),
        peak / 1e9,
        copies.join(", ")
    );
}

fn print_heads(threads: &[usize]) {
    println!(
        "| law | control nodes | material | us, 1 thread (median) | us, {} threads (median) | faster by | kflop | arithmetic floor us | kB | memory floor us (1, 2 threads) |",
        threads.len()
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
}

fn print_row(variant: &Variant, measured: &Measured, peak: f64, copies: &[f64]) {
    let us = |seconds: f64| 1e6 * seconds / measured.elements;
    let law = if variant.anisotropic { "anisotropic" } else { "isotropic" };
    let material = if variant.per_point { "per point" } else { "per element" };
    let (one, all) = (measured.steps[0], measured.steps[measured.steps.len() - 1]);
    let traffic = measured.memory.traffic() as f64;
    let floors: Vec<_> = copies.iter().map(|copy| format!("{:.2}", us(traffic / copy))).collect();
    let operations = operations(variant);
    println!(
        "| {law} | {} | {material} | {:.3} ({:.3}) | {:.3} ({:.3}) | {:.2} | {:.1} | {:.2} | {:.2} | {} |",
        variant.geometry.per_element(),
        us(one[0]),
        us(one[1]),
        us(all[0]),
        us(all[1]),
        one[1] / all[1],
        operations / 1e3,
        1e6 * operations / peak,
        traffic / measured.elements / 1e3,
        floors.join(", "),
    );
}

fn print_setup(all: &[(Variant, Measured)]) {
    println!(
        "\n| law | control nodes | material | mesh s | numbering s | discretisation s | kB held per element | of these: elements, state, masses, sums, places, mesh | resident kB per element |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (variant, measured) in all {
        let kb = |bytes: usize| format!("{:.2}", bytes as f64 / measured.elements / 1e3);
        let Memory { elements, state, masses, sums, places, mesh, .. } = measured.memory;
        let parts = [elements, state, masses, sums, places, mesh].map(kb).join(", ");
        let [meshing, numbering, discretising] = measured.setup;
        println!(
            "| {} | {} | {} | {meshing:.2} | {numbering:.2} | {discretising:.2} | {} | {parts} | {:.2} |",
            if variant.anisotropic { "anisotropic" } else { "isotropic" },
            variant.geometry.per_element(),
            if variant.per_point { "per point" } else { "per element" },
            kb(measured.memory.total()),
            measured.resident / measured.elements / 1e3,
        );
    }
}
