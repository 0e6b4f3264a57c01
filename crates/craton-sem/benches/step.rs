//! CPU time per element and step, set-up time and memory, compared with the peak performance of the machine.
//!
//! `cargo bench -p craton-sem [-- ELEMENTS_PER_AXIS]` prints Markdown. A box of general hexahedra of degree 4 in single precision, with absorbing sides, a free
//! surface and one point source, represents a typical run without output.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

mod machine;
mod problem;

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_mesh::{Geometry, HexMesh, Numbering};
use craton_sem::{
    Boundaries, Boundary, Discretisation, MaterialKind, Memory, Options, Part, Patching, Phase, PointSource,
    SemOperator, SourceMechanism,
};
use problem::{DEGREE, Variant, mesh, model};

/// Default number of elements along each axis: 103,823 in total.
const PER_AXIS: usize = 47;
/// Number of rounds, of which the best and the median are reported.
const ROUNDS: usize = 7;
/// Steps of a round.
const STEPS: u64 = 6;

/// Measurements of a variant.
struct Measured {
    elements: f64,
    /// Seconds of set-up: mesh, numbering, discretisation.
    setup: [f64; 3],
    memory: Memory,
    /// Peak memory of the process, including set-up [bytes].
    resident: f64,
    /// Best and median seconds of a step, for 1 and 2 threads.
    steps: Vec<[f64; 2]>,
}

const LINEAR: Geometry = Geometry::Linear8;
const QUADRATIC: Geometry = Geometry::Quadratic27;
const VARIANTS: [Variant; 9] = [
    Variant { quality: 300.0, ..Variant::elastic(LINEAR, MaterialKind::Isotropic, false) },
    Variant { quality: 40.0, ..Variant::elastic(LINEAR, MaterialKind::Isotropic, false) },
    Variant { quality: 10.0, ..Variant::elastic(LINEAR, MaterialKind::Isotropic, false) },
    Variant::elastic(LINEAR, MaterialKind::Isotropic, false),
    Variant::elastic(QUADRATIC, MaterialKind::Isotropic, false),
    Variant::elastic(LINEAR, MaterialKind::Isotropic, true),
    Variant::elastic(QUADRATIC, MaterialKind::Isotropic, true),
    Variant::elastic(QUADRATIC, MaterialKind::TransverselyIsotropic, true),
    Variant::elastic(QUADRATIC, MaterialKind::Anisotropic, true),
];

/// Marks the arguments of a process that measures one variant.
const ONE: &str = "--one";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().position(|word| word == ONE) {
        Some(place) => measure_one(&arguments[place + 1..]),
        None => measure_all(arguments.iter().find_map(|word| word.parse().ok()).unwrap_or(PER_AXIS)),
    }
}

/// Measures each variant in a separate process, so that their memory is independent.
fn measure_all(per_axis: usize) {
    let isa = Isa::detect();
    let peak = machine::multiply_add_peak(isa);
    let copies = [1, 2].map(|threads| machine::copy_bandwidth(&workers(threads)));
    print_machine(isa, peak, &copies);
    let program = std::env::current_exe().expect("this program has a path");
    let rows: Vec<String> = (0..VARIANTS.len())
        .map(|variant| {
            let numbers = [variant as f64, per_axis as f64, peak, copies[0], copies[1]];
            let output = Command::new(&program).arg(ONE).args(numbers.map(|x| x.to_string())).output();
            String::from_utf8(output.expect("this program runs again").stdout).expect("text")
        })
        .collect();
    print_table(&STEP_HEADS, rows.iter().filter_map(|row| row.lines().next()));
    print_table(&SETUP_HEADS, rows.iter().filter_map(|row| row.lines().nth(1)));
}

fn measure_one(numbers: &[String]) {
    let numbers: Vec<f64> = numbers.iter().map(|word| word.parse().expect("a number")).collect();
    let [variant, per_axis, peak, copies @ ..] = &numbers[..] else { panic!("{ONE} requires its numbers") };
    let variant = VARIANTS[*variant as usize];
    let measured = measure(variant, *per_axis as usize);
    println!("{}\n{}", step_row(&variant, &measured, *peak, copies), setup_row(&variant, &measured));
}

fn workers(threads: usize) -> Workers {
    Workers::new(Some(threads)).expect("the system grants a few threads")
}

fn measure(variant: Variant, per_axis: usize) -> Measured {
    let (mesh, meshing) = timed(|| mesh(variant.geometry, [per_axis; 3]));
    let (numbering, numbered) = timed(|| Numbering::new(&mesh, DEGREE).expect("a valid mesh"));
    drop(numbering);
    let (elements, bytes) = (mesh.n_elements() as f64, mesh_bytes(&mesh));
    let mut sides = [Boundary::Absorbing; 6];
    sides[5] = Boundary::Free;
    let options =
        Options { degree: DEGREE, boundaries: Boundaries { sides }, isa: Isa::detect(), patching: Patching::Threads };
    let run = |threads| {
        let workers = Arc::new(workers(threads));
        let discretise =
            || Discretisation::<f32>::new(mesh.clone(), &model(variant), &options, &workers).expect("a valid mesh");
        let (on, seconds) = timed(discretise);
        let mut operator = operator(on, workers.clone());
        let step = time_steps(&mut operator);
        // Excludes the mesh of the benchmark itself.
        (operator.memory(), seconds, step, machine::peak_resident() - bytes)
    };
    let (_, _, one, resident) = run(1);
    let (memory, discretising, two, _) = run(2);
    Measured { elements, setup: [meshing, numbered, discretising], memory, resident, steps: vec![one, two] }
}

fn operator(on: Discretisation<f32>, workers: Arc<Workers>) -> SemOperator<f32> {
    let dt = on.stable().dt;
    let history: Vec<f64> = (0..=STEPS * (ROUNDS as u64 + 1)).map(|step| (0.1 * step as f64).sin()).collect();
    let element = (on.mesh().n_elements() / 2) as u32;
    let mechanism = SourceMechanism::Moment([1e15, 2e15, -1e15, 0.0, 3e15, 0.0]);
    let source = PointSource { element, xi: [0.1, 0.2, 0.3], mechanism, history: history.into() };
    SemOperator::new(on, dt, &[source], &[], workers)
}

/// Best and median seconds of a step, after a warm-up round.
fn time_steps(operator: &mut SemOperator<f32>) -> [f64; 2] {
    operator.advance_alone(STEPS);
    let mut rounds: Vec<f64> = (0..ROUNDS).map(|_| timed(|| operator.advance_alone(STEPS)).1 / STEPS as f64).collect();
    assert_eq!(operator.broken_place(Phase::Solid).expect("a CPU"), None, "a stable step");
    rounds.sort_by(f64::total_cmp);
    [rounds[0], rounds[ROUNDS / 2]]
}

fn timed<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

fn mesh_bytes(mesh: &HexMesh) -> f64 {
    (28 * mesh.control_nodes.len() + 4 * mesh.connectivity.len() + 2 * mesh.n_elements()) as f64
}

/// Floating-point operations of an element: sums over lines of points, geometry, law. A multiply-add counts as two.
fn operations(variant: &Variant) -> f64 {
    let (n, g) = ((DEGREE + 1) as f64, variant.geometry.per_axis() as f64);
    let lines = 2.0 * 3.0 * 3.0 * n.powi(4) * 2.0;
    let contraction = 3.0 * (2.0 * g - 1.0);
    let geometry = contraction * (2.0 * g * g * n + 3.0 * g * n * n + 3.0 * n.powi(3));
    let (metric, gradient, flux) = (3.0 * 9.0 + 5.0 + 1.0, 9.0 * 6.0, 9.0 * 5.0);
    let law = match variant.material {
        MaterialKind::Anisotropic => 6.0 * 11.0 + 3.0,
        MaterialKind::TransverselyIsotropic => 90.0,
        _ => 16.0,
    };
    lines + geometry + n.powi(3) * (metric + gradient + law + flux)
}

fn print_machine(isa: Isa, peak: f64, copies: &[f64]) {
    println!(
        "{}, {}: multiply-add peak {:.0} GFlop/s per thread, copy {:.1} and {:.1} GB/s on 1 and 2 threads",
        machine::processor(),
        isa.name(),
        peak / 1e9,
        copies[0] / 1e9,
        copies[1] / 1e9
    );
}

fn print_table<'a>(heads: &[&str], rows: impl Iterator<Item = &'a str>) {
    println!("\n| {} |\n|{}", heads.join(" | "), "---|".repeat(heads.len()));
    rows.for_each(|row| println!("{row}"));
}

const STEP_HEADS: [&str; 10] = [
    "law",
    "control nodes",
    "material",
    "us on 1 thread, best (median)",
    "us on 2",
    "faster by",
    "kflop",
    "arithmetic floor us",
    "kB moved",
    "memory floor us on 1, 2 threads",
];

fn step_row(variant: &Variant, measured: &Measured, peak: f64, copies: &[f64]) -> String {
    let us = |seconds: f64| 1e6 * seconds / measured.elements;
    let (one, two) = (measured.steps[0], measured.steps[1]);
    let (traffic, operations) = (measured.memory.traffic() as f64, operations(variant));
    format!(
        "{} {:.3} ({:.3}) | {:.3} ({:.3}) | {:.2} | {:.1} | {:.2} | {:.2} | {:.2}, {:.2} |",
        name(variant),
        us(one[0]),
        us(one[1]),
        us(two[0]),
        us(two[1]),
        one[1] / two[1],
        operations / 1e3,
        1e6 * operations / peak,
        traffic / measured.elements / 1e3,
        us(traffic / copies[0]),
        us(traffic / copies[1]),
    )
}

const SETUP_HEADS: [&str; 9] = [
    "law",
    "control nodes",
    "material",
    "mesh s",
    "numbering s",
    "discretisation s, 2 threads",
    "kB held per element",
    "of these: elements, state, masses, sums, places, mesh",
    "kB resident per element, set-up included",
];

fn setup_row(variant: &Variant, measured: &Measured) -> String {
    let kb = |bytes: f64| format!("{:.2}", bytes / measured.elements / 1e3);
    let Memory { elements, state, masses, sums, places, mesh, .. } = measured.memory;
    let parts = [elements, state, masses, sums, places, mesh].map(|bytes| kb(bytes as f64)).join(", ");
    let [meshing, numbering, discretising] = measured.setup;
    format!(
        "{} {meshing:.2} | {numbering:.2} | {discretising:.2} | {} | {parts} | {} |",
        name(variant),
        kb(measured.memory.total() as f64),
        kb(measured.resident),
    )
}

/// The first columns of a row.
fn name(variant: &Variant) -> String {
    let law = variant.material.elastic().name();
    let material = if variant.per_point { "per point" } else { "per element" };
    let relaxing = if variant.quality.is_finite() { format!(", Q {}", variant.quality) } else { String::new() };
    format!("| {law}{relaxing} | {} | {material} |", variant.geometry.per_element())
}
