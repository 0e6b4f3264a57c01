//! Alternatives to assembly by patches on a GPU: atomic sums, and sums colour by colour.
//!
//! `cargo bench -p craton-sem --bench assembly [-- --elements N] [--emulated]` prints Markdown. It times whole steps of a box of general hexahedra of degree 4
//! in single precision, isotropic, with free sides. Both alternatives compute forces with the kernel of `gather.cu`.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

#[allow(dead_code)] // only its mesh
mod problem;

use std::ops::Range;

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Image, Kernel, Launch};
use craton_mesh::{Colouring, Geometry, HexMesh, Numbering, Topology, colour_elements, recursive_bisection};
use craton_numerics::gll::Gll;
use craton_numerics::lagrange;
use problem::{DEGREE, mesh};

/// Number of rounds, of which the best and the median are reported.
const ROUNDS: usize = 5;
/// Steps of a round.
const STEPS: usize = 20;
/// Time step [s], for elements with edges of 100 m.
const DT: f64 = 1e-3;
/// Lamé parameters [Pa].
const MATERIAL: [f32; 2] = [3.24e10, 3.24e10];
/// Density [kg/m^3].
const RHO: f64 = 2700.0;
const POINTS: usize = DEGREE + 1;
/// Elements of a block of `gather.cu`.
const PER_BLOCK: usize = 5;
/// Threads of an element.
const COLUMNS: usize = POINTS * POINTS;

const HEADERS: [(&str, &str); 3] = [
    ("laws.cuh", include_str!("../kernels/laws.cuh")),
    ("element.cuh", include_str!("../kernels/element.cuh")),
    ("gather.cu", include_str!("../kernels/gather.cu")),
];

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let emulated = words.iter().any(|word| word == "--emulated");
    let elements =
        words.iter().position(|word| word == "--elements").and_then(|at| words.get(at + 1)?.parse::<f64>().ok());
    let edge = elements.unwrap_or(if emulated { 64.0 } else { 1.02e6 }).cbrt().round() as usize;
    let gpu = match if emulated { Gpu::emulated() } else { Gpu::cuda(0) } {
        Ok(gpu) => gpu,
        Err(error) => return println!("nothing measured: {error}"),
    };
    let mesh = compact(&mesh(Geometry::Linear8, [edge; 3]));
    println!("{}, {} elements\n", gpu.info().name, mesh.n_elements());
    println!(
        "| sums | colours | ns per element and step, best (median) | largest displacement [m] |\n|---|---|---|---|"
    );
    let plain = 0..mesh.n_elements();
    let order: Vec<u32> = (0..mesh.n_elements() as u32).collect();
    measure(&gpu, &mesh, "atomic", "1", &order, std::slice::from_ref(&plain)).expect("the device does not fail");
    let (order, colours) = by_colour(&colour_elements(&Topology::new(&mesh).expect("a valid mesh")));
    measure(&gpu, &mesh, "coloured", "2", &order, &colours).expect("the device does not fail");
}

/// Reorders the mesh so that neighbouring elements are close in memory.
fn compact(mesh: &HexMesh) -> HexMesh {
    let patches = recursive_bisection(&mesh.centroids(), 512, 1).expect("a valid patch size");
    mesh.reordered(&patches.elements).expect("a permutation of the elements")
}

/// Elements sorted by colour, and the range of each colour.
fn by_colour(colouring: &Colouring) -> (Vec<u32>, Vec<Range<usize>>) {
    let mut order: Vec<u32> = (0..colouring.colours.len() as u32).collect();
    order.sort_by_key(|&element| colouring.colours[element as usize]);
    let of = |element: &u32| colouring.colours[*element as usize];
    let mut first = 0;
    let ranges = order.chunk_by(|a, b| of(a) == of(b)).map(|chunk| {
        first += chunk.len();
        first - chunk.len()..first
    });
    let ranges = ranges.collect();
    (order, ranges)
}

/// A problem on the device.
struct Step {
    forces_of: Kernel,
    move_by: Kernel,
    tables: Buffer<f32>,
    nodes: Buffer<u32>,
    control: Buffer<f32>,
    material: Buffer<f32>,
    dt_over_mass: Buffer<f32>,
    forces: Buffer<[f32; 4]>,
    u: Buffer<f32>,
    v: Buffer<f32>,
}

impl Step {
    fn new(gpu: &Gpu, mesh: &HexMesh, sums: &str, order: &[u32]) -> Result<Self, GpuError> {
        let numbering = Numbering::new(mesh, DEGREE).expect("a mesh that is small enough");
        let gll = Gll::new(DEGREE).expect("a supported degree");
        let count = numbering.n_nodes;
        let mut buffer = [[0.0; 3]; 27];
        let control = order.iter().flat_map(|&element| mesh.points_of(element, &mut buffer).to_vec());
        let control: Vec<f32> = control.flatten().map(|x| x as f32).collect();
        let macros = [("POINTS", "5"), ("CONTROL", "2"), ("LAW", "Isotropic"), ("REAL", "float"), ("SUMS", sums)];
        let image = |name, source| Image { name, source, headers: &HEADERS, defines: &macros, ..Image::default() };
        // An initial displacement that is nonzero in all elements.
        let displacement = |index: usize| 1e-3 * (index as f32 * 1e-3).sin();
        Ok(Self {
            forces_of: gpu.module(&image("gather.cu", HEADERS[2].1))?.kernel("element_forces")?,
            move_by: gpu.module(&image("assembly.cu", include_str!("assembly.cu")))?.kernel("move_by_forces")?,
            tables: gpu.upload(&tables(&gll))?,
            nodes: gpu
                .upload(&order.iter().flat_map(|&e| numbering.nodes_of(e).iter().copied()).collect::<Vec<u32>>())?,
            control: gpu.upload(&control)?,
            material: gpu.upload(&MATERIAL.repeat(order.len()))?,
            dt_over_mass: gpu
                .upload(&masses(mesh, &numbering, &gll).iter().map(|m| (DT / m) as f32).collect::<Vec<_>>())?,
            forces: gpu.zeroed(count)?,
            u: gpu.upload(&(0..3 * count).map(displacement).collect::<Vec<f32>>())?,
            v: gpu.zeroed(3 * count)?,
        })
    }

    fn launch(&self, ranges: &[Range<usize>]) -> Result<(), GpuError> {
        let workspace = (6 * POINTS.pow(3) + 6 * COLUMNS) * size_of::<f32>();
        for range in ranges {
            let shape = Launch::covering(range.len() * COLUMNS, (PER_BLOCK * COLUMNS) as u32);
            self.forces_of.launch(
                shape.shared((PER_BLOCK * workspace) as u32),
                args![
                    &self.tables,
                    &self.nodes,
                    &self.u,
                    &self.control,
                    &self.material,
                    0_u32,
                    range.start as u32,
                    range.end as u32,
                    &self.forces
                ],
            )?;
        }
        let nodes = self.forces.len();
        self.move_by.launch(
            Launch::covering(nodes, 256),
            args![&self.forces, &self.dt_over_mass, nodes as u32, DT as f32, &self.u, &self.v],
        )
    }
}

/// Times whole steps, with one launch for each range of `order`.
fn measure(
    gpu: &Gpu,
    mesh: &HexMesh,
    name: &str,
    sums: &str,
    order: &[u32],
    ranges: &[Range<usize>],
) -> Result<(), GpuError> {
    let step = Step::new(gpu, mesh, sums, order)?;
    let recorded = gpu.record(|| step.launch(ranges))?;
    let mut rounds = Vec::new();
    for _ in 0..=ROUNDS {
        rounds.push(gpu.timed(|| (0..STEPS).try_for_each(|_| recorded.replay()))? / STEPS as f64);
    }
    // The first round is a warm-up.
    rounds.remove(0);
    rounds.sort_by(f64::total_cmp);
    let largest = step.u.download()?.iter().fold(0.0_f32, |largest, u| largest.max(u.abs()));
    let elements = mesh.n_elements() as f64;
    let [best, median] = [rounds[0], rounds[ROUNDS / 2]].map(|seconds| 1e9 * seconds / elements);
    println!("| {name} | {} | {best:.3} ({median:.3}) | {largest:.5e} |", ranges.len());
    Ok(())
}

/// One-dimensional tables of `gather.cu`.
fn tables(gll: &Gll) -> Vec<f32> {
    let derivative = lagrange::derivative_matrix(&gll.points);
    let control = [-1.0, 1.0];
    let shapes = gll.points.iter().flat_map(|&x| lagrange::basis(&control, x));
    let slopes = gll.points.iter().flat_map(|&x| lagrange::basis_derivative(&control, x));
    derivative.into_iter().chain(shapes).chain(slopes).chain(gll.weights.iter().copied()).map(|x| x as f32).collect()
}

/// Mass of every node [kg].
fn masses(mesh: &HexMesh, numbering: &Numbering, gll: &Gll) -> Vec<f64> {
    let mut masses = vec![0.0; numbering.n_nodes];
    for element in 0..mesh.n_elements() as u32 {
        for (point, &node) in numbering.nodes_of(element).iter().enumerate() {
            let at = [point % POINTS, point / POINTS % POINTS, point / COLUMNS];
            let [[a, b, c], [d, e, f], [g, h, i]] = mesh.jacobian(element, at.map(|i| gll.points[i]));
            let det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
            masses[node as usize] += RHO * det * at.iter().map(|&i| gll.weights[i]).product::<f64>();
        }
    }
    masses
}
