//! Points per second of a step on a GPU, compared with the limit of its memory bandwidth.
//!
//! `cargo bench -p craton-fd --bench gpu [-- NAME...]` prints Markdown: single precision, heterogeneous rock, one source and ten receivers, as in a typical
//! run. The floor is that of two sweeps in which every array is read once and, where it changes, written once: 120 bytes per point,
//! at the speed of a copy measured in the same run; attenuation adds 2 losses, and 6 memory variables twice for each set. Names of cases are
//! CELLS-ORDER-SIDES[-MEMORY], such as 512-4-layers10, 512-4-bare-coarse or 384x328x52-4-bare; `blocks` alone
//! is figure 7 of Michéa and Komatitsch (2010): time per step and block of threads, on grids of increasing numbers of blocks along x and y.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

use std::sync::Arc;

use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_fd::{
    AbsorbingLayer, Boundaries, GpuOperator, Grid, Material, Mechanism, Mechanisms, Medium, MemoryPoints, Options,
    PointSource, Probe, ProbeQuantity, Side, SourceMechanism,
};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_sim::{Operator, Solver};

/// Number of rounds, of which the best and the median are reported, and steps per round.
const ROUNDS: usize = 7;
const STEPS: u64 = 40;
/// Velocities: 6 stresses, 1 density, 3 velocities twice; stresses: 3 velocities, 2 moduli, 6 stresses twice; four bytes each.
const BYTES_PER_POINT: f64 = 4.0 * 30.0;
/// Two losses; six memory variables twice.
const BYTES_OF_LOSSES: f64 = 4.0 * 2.0;
const BYTES_PER_SET: f64 = 4.0 * 12.0;
/// Grids and their orders; those that are not cubes are from Michéa and Komatitsch (2010): table 2 and deeper grids, and the largest model of one of their
/// cards.
const GRIDS: [([usize; 3], &[usize]); 7] = [
    ([256; 3], &[4, 8]),
    ([512; 3], &[4, 8]),
    ([384, 328, 52], &[4]),
    ([384, 328, 104], &[4]),
    ([384, 328, 208], &[4]),
    ([384, 328, 416], &[4]),
    ([540, 484, 189], &[4]),
];
/// Points of a block of threads along x and y, and planes of the grids made of blocks.
const BLOCK: [usize; 3] = [64, 16, 104];
/// Blocks along x and y of these grids.
const BLOCKS: [&[usize]; 2] = [&[1, 2, 3, 4, 6, 8, 12, 16], &[4, 8, 16, 32, 64]];
/// Edge of a cell [m].
const H: f64 = 10.0;
/// Fastest speed of the rock [m/s].
const FASTEST: f64 = 4500.0;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let gpu = match Gpu::cuda(0) {
        Ok(gpu) => gpu,
        Err(error) => return println!("nothing measured: {error}"),
    };
    let copy = copy_bandwidth(&gpu);
    let floor = copy / BYTES_PER_POINT;
    println!("{}, copy {:.2} TB/s, floor {:.1} Gpoint/s\n", gpu.info().name, copy / 1e12, floor / 1e9);
    if wanted == ["blocks"] {
        return blocks(&gpu);
    }
    println!("| case | Gpoint/s, best (median) | share of the floor | us a step | bytes of device memory per point |");
    println!("|---|---|---|---|---|");
    for (cells, orders) in GRIDS {
        for (memory, points) in [("", None), ("-coarse", Some(MemoryPoints::One)), ("-full", Some(MemoryPoints::All))] {
            let mut medium = None;
            for &order in orders {
                for (sides, boundaries) in sides() {
                    let name = format!("{}-{order}-{sides}{memory}", name_of(cells));
                    if wanted.contains(&name) || (wanted.is_empty() && points.is_none()) {
                        let medium = medium.get_or_insert_with(|| with_losses(self::medium(cells), points));
                        let sets = medium.mechanisms().map_or(0, Mechanisms::sets) as f64;
                        let more = if points.is_some() { BYTES_OF_LOSSES + BYTES_PER_SET * sets } else { 0.0 };
                        measure(&gpu, &name, medium, order / 2, boundaries, copy / (BYTES_PER_POINT + more));
                    }
                }
            }
        }
    }
}

/// Name of a grid, such as 512 or 384x328x52.
fn name_of([x, y, z]: [usize; 3]) -> String {
    if x == y && y == z { x.to_string() } else { format!("{x}x{y}x{z}") }
}

/// Sides below a free surface: layers of 16, 10 and no cells, rigid walls, and all axes periodic.
fn sides() -> [(&'static str, Boundaries); 5] {
    let layer = |cells| {
        Side::Layer(AbsorbingLayer {
            cells,
            vp_max: FASTEST,
            dominant_frequency: 10.0,
            reflection: 1e-4,
            exponent: 2.0,
            max_stretch: 1.0,
        })
    };
    let under_a_free_surface = |side| {
        let mut boundaries = Boundaries::all(side);
        boundaries.sides[5] = Side::Free;
        boundaries
    };
    [
        ("bare", under_a_free_surface(layer(0))),
        ("layers10", under_a_free_surface(layer(10))),
        ("layers16", under_a_free_surface(layer(16))),
        ("rigid", under_a_free_surface(Side::Rigid)),
        ("periodic", Boundaries::all(Side::Periodic)),
    ]
}

fn medium(cells: [usize; 3]) -> Medium<f32> {
    let grid = Grid { origin: [0.0; 3], spacing: [H; 3], cells };
    let vary = |[i, j, k]: [usize; 3]| ((i * 7 + j * 13 + k * 29) % 101) as f64 / 101.0;
    let rock = |cell| {
        let vp = FASTEST - 1000.0 * vary(cell);
        Material::from_speeds(vp, vp / 1.8, 2200.0 + 0.1 * vp)
    };
    Medium::new(grid, rock).expect("sound material")
}

/// A medium that attenuates waves by three mechanisms.
fn with_losses(medium: Medium<f32>, points: Option<MemoryPoints>) -> Medium<f32> {
    let Some(points) = points else { return medium };
    let mechanism = |rate| Mechanism { rate, polynomials: [[1.2, -0.5, 0.3]; 2] };
    let mechanisms = [1.0, 10.0, 60.0].map(mechanism).to_vec();
    medium.with_losses(Mechanisms { mechanisms, points }, |_| [0.005, 0.02])
}

/// Time per step and block in ns; rows are numbers of blocks along y, columns along x.
fn blocks(gpu: &Gpu) {
    let [along_x, along_y] = BLOCKS;
    let row = |cells: Vec<String>| println!("| {} |", cells.join(" | "));
    let numbers = along_x.iter().map(usize::to_string);
    row(std::iter::once("blocks along y, x".to_owned()).chain(numbers).collect());
    row(vec!["---".to_owned(); along_x.len() + 1]);
    let (_, boundaries) = sides()[0];
    for &y in along_y {
        let of_block = |&x: &usize| {
            let medium = medium([x * BLOCK[0], y * BLOCK[1], BLOCK[2]]);
            let mut operator = operator(gpu, &medium, 2, boundaries);
            format!("{:.0}", 1e9 * seconds_per_step(gpu, &mut operator)[ROUNDS / 2] / (x * y) as f64)
        };
        row(std::iter::once(y.to_string()).chain(along_x.iter().map(of_block)).collect());
    }
}

/// Seconds per step of all rounds, in ascending order.
fn seconds_per_step(gpu: &Gpu, operator: &mut GpuOperator<f32>) -> Vec<f64> {
    let mut round = || {
        let advance = || {
            operator.advance(STEPS).expect("no device failure");
            Ok(())
        };
        gpu.timed(advance).expect("no device failure") / STEPS as f64
    };
    // The first round is a warm-up.
    let mut rounds: Vec<f64> = (0..=ROUNDS).map(|_| round()).skip(1).collect();
    operator.check().expect("a stable step");
    let samples = operator.take_samples().expect("no device failure");
    assert!(samples.iter().any(|&sample| sample != 0.0), "the receivers have recorded a signal");
    rounds.sort_by(f64::total_cmp);
    rounds
}

fn measure(gpu: &Gpu, name: &str, medium: &Medium<f32>, half_length: usize, boundaries: Boundaries, floor: f64) {
    let before = gpu.bytes_held();
    let mut operator = operator(gpu, medium, half_length, boundaries);
    let points = medium.grid().n_cells() as f64;
    let held = (gpu.bytes_held() - before) as f64;
    let rounds = seconds_per_step(gpu, &mut operator);
    let [best, median] = [rounds[0], rounds[ROUNDS / 2]];
    println!(
        "| {name} | {:.2} ({:.2}) | {:.2} | {:.1} | {:.1} |",
        points / best / 1e9,
        points / median / 1e9,
        points / median / floor,
        1e6 * median,
        held / points
    );
}

fn operator(gpu: &Gpu, medium: &Medium<f32>, half_length: usize, boundaries: Boundaries) -> GpuOperator<f32> {
    let options = Options {
        stencil: StaggeredStencil::taylor(half_length).expect("a half-length in range"),
        boundaries,
        parts: [1; 3],
        interpolation: WindowedSinc::new(4, 4.0).expect("a sound window"),
        isa: Isa::detect(),
    };
    let history: Vec<f64> = (0..=STEPS * (ROUNDS as u64 + 1)).map(|step| (0.1 * step as f64).sin()).collect();
    let middle = medium.grid().centre(medium.grid().cells.map(|n| n / 2));
    let mechanism = SourceMechanism::Moment([1e15, 2e15, -1e15, 0.0, 3e15, 0.0]);
    let source = PointSource { position: middle, mechanism, history: history.into(), interface: None };
    let probe = |number: u32| Probe {
        interface: None,
        position: [middle[0] + 13.0 * f64::from(number), middle[1], middle[2] + 47.0],
        quantity: ProbeQuantity::Velocity,
    };
    let probes: Vec<Probe> = (0..10).map(probe).collect();
    let dt = 0.35 * H / FASTEST;
    let workers = Arc::new(Workers::new(None).expect("the system grants threads"));
    GpuOperator::new(gpu, medium, &options, dt, &[source], &probes, workers).expect("memory for the operator")
}

/// Bytes per second that a copy within device memory reads and writes.
fn copy_bandwidth(gpu: &Gpu) -> f64 {
    const VALUES: usize = 1 << 29;
    let from = gpu.zeroed::<f32>(VALUES).expect("4 GB of device memory");
    let mut to = gpu.zeroed::<f32>(VALUES).expect("4 GB of device memory");
    let mut copy = || gpu.timed(|| to.copy_from(gpu, 0, &from, 0..VALUES)).expect("no device failure");
    let best = (0..5).map(|_| copy()).fold(f64::INFINITY, f64::min);
    (2 * 4 * VALUES) as f64 / best
}
