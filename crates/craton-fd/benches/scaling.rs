//! Weak and strong scaling, and the cost of messages by contribution.
//!
//! `cargo bench -p craton-fd --bench scaling -- [weak] [strong] [ablation] [grids] [largest] [--edge N] [--order N] [--emulated N] [--parts N]` prints
//! Markdown, on all GPUs of the machine. There are N x N x N cells per GPU (weak, ablation; default 512) or in total (strong), with layers of ten
//! cells on five sides below a free surface. These experiments are those of Komatitsch et al. (2010), figures 11 to 15 and 17. The others run only
//! if they are named: `grids` and `largest` are the domains of Okamoto et al. (2010), figure 7, the latter on all GPUs.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

use std::sync::Arc;

use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_fd::{
    AbsorbingLayer, Boundaries, GpuOperator, Grid, Material, Medium, Options, Pieces, PointSource, Probe,
    ProbeQuantity, Problem, Side, SourceMechanism, process_grid,
};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_sim::{Messaging, Operator as _, PartExchange, Solver as _};
use craton_testkit::scaling::{Asked, Row, table};

/// Edge of a cell [m].
const H: f64 = 10.0;
/// Domains of Okamoto et al. (2010) that fit on one GPU.
const GRIDS: [[usize; 3]; 4] = [[384, 384, 384], [384, 384, 768], [384, 768, 768], [768, 768, 768]];
/// Their largest: 330 GB on 120 GPUs.
const LARGEST: [usize; 3] = [1920, 3072, 1152];
/// Steps over which the parts of a step are timed separately.
const PIECES: u64 = 100;
/// Fastest speed of the rock [m/s].
const FASTEST: f64 = 4500.0;

fn main() {
    let arguments = match Asked::read(&[("--edge", 512), ("--order", 4)]) {
        Ok(arguments) => arguments,
        Err(error) => return println!("nothing measured: {error}"),
    };
    let (edge, order) = (arguments.number("--edge"), arguments.number("--order"));
    println!("{}, order {order}\n", arguments.title());
    let on = |cells: [usize; 3], count: usize| {
        Rock::new(cells, order / 2).measure(&arguments.gpus[..count], Messaging::Overlapped)
    };
    if arguments.wants("weak") {
        println!("Weak scaling: {edge}^3 cells per GPU\n");
        let rows: Vec<Row> = arguments.counts().iter().map(|&count| on(side_by_side(edge, count), count)).collect();
        println!("{}", table("cell", &rows, Row::weak));
    }
    if arguments.wants("strong") {
        println!("Strong scaling: {edge}^3 cells in total\n");
        let rows: Vec<Row> = arguments.counts().iter().map(|&count| on([edge; 3], count)).collect();
        println!("{}", table("cell", &rows, Row::strong));
    }
    if arguments.names("grids") {
        for grid in GRIDS {
            println!("Strong scaling: {grid:?} cells in total\n");
            let rows: Vec<Row> = arguments.counts().iter().map(|&count| on(grid, count)).collect();
            println!("{}", table("cell", &rows, Row::strong));
        }
    }
    if arguments.names("largest") {
        println!("{LARGEST:?} cells in total\n");
        println!("{}", table("cell", &[on(LARGEST, arguments.gpus.len())], Row::strong));
    }
    if arguments.wants("ablation") {
        let count = arguments.gpus.len();
        for (title, cells) in [("per GPU", side_by_side(edge, count)), ("in total", [edge; 3])] {
            println!("Cost of messages: {edge}^3 cells {title}\n");
            ablation(&Rock::new(cells, order / 2), &arguments.gpus);
        }
    }
}

/// Cost of messages on some GPUs, omitting one contribution after the other, and times of the parts of a step.
fn ablation(problem: &Rock, gpus: &[Gpu]) {
    let kinds = [Messaging::Silent, Messaging::Unsent, Messaging::Overlapped, Messaging::Blocking];
    let rows = kinds.map(|kind| problem.measure(gpus, kind));
    println!("{}", table("cell", &rows, Row::weak));
    let Pieces { side_points, inner_points, buffers } = problem.time_pieces(gpus);
    println!(
        "Separate times per step: side points {:.1} us, inner points {:.1}, packing and unpacking {:.1}.",
        1e6 * side_points,
        1e6 * inner_points,
        1e6 * buffers
    );
    let [silent, _, overlapped, blocking] = rows.map(|row| 1e6 * row.seconds());
    println!(
        "Messages make a step {:.1} us longer, and {:.1} us if they do not overlap with computation.\n",
        overlapped - silent,
        blocking - silent
    );
}

/// Cells of `count` adjacent cubes, along y, or along x and y.
fn side_by_side(edge: usize, count: usize) -> [usize; 3] {
    let x = if count.is_multiple_of(4) { 2 } else { 1 };
    [x * edge, count / x * edge, edge]
}

/// A box of rock that can be divided into parts.
struct Rock {
    medium: Medium<f32>,
    half_length: usize,
    boundaries: Boundaries,
    workers: Arc<Workers>,
}

impl Rock {
    fn new(cells: [usize; 3], half_length: usize) -> Self {
        let layer = AbsorbingLayer {
            cells: 10,
            vp_max: FASTEST,
            dominant_frequency: 10.0,
            reflection: 1e-4,
            exponent: 2.0,
            max_stretch: 1.0,
        };
        let mut boundaries = Boundaries::all(Side::Layer(layer));
        boundaries.sides[5] = Side::Free;
        let vary = |[i, j, k]: [usize; 3]| ((i * 7 + j * 13 + k * 29) % 101) as f64 / 101.0;
        let rock = |cell| {
            let vp = FASTEST - 1000.0 * vary(cell);
            Material::from_speeds(vp, vp / 1.8, 2200.0 + 0.1 * vp)
        };
        let grid = Grid { origin: [0.0; 3], spacing: [H; 3], cells };
        let medium = Medium::distributed(grid, &boundaries, half_length, [1; 3], &PartExchange::solo(1), rock);
        let medium = medium.expect("sound material");
        let workers = Arc::new(Workers::new(None).expect("the system grants threads"));
        Self { medium, half_length, boundaries, workers }
    }

    fn measure(&self, gpus: &[Gpu], messaging: Messaging) -> Row {
        let (mut operator, parts) = self.operator(gpus, messaging);
        let outer = 100.0 * operator.outer_share();
        let name = format!("{messaging:?}, {parts:?}, {outer:.2} % of the cells wait for them").to_lowercase();
        Row::measure(gpus.len(), name, self.medium.grid().n_cells(), |steps| {
            operator.advance(steps).expect("no device failure");
            gpus.iter().for_each(|gpu| gpu.synchronize().expect("no device failure"));
            operator.take_samples().expect("no device failure");
        })
    }

    /// Times of the parts of a step, measured separately.
    fn time_pieces(&self, gpus: &[Gpu]) -> Pieces {
        self.operator(gpus, Messaging::Silent).0.time_pieces(PIECES).expect("no device failure")
    }

    /// An operator for the box on some GPUs, and the parts along each axis.
    fn operator(&self, gpus: &[Gpu], messaging: Messaging) -> (GpuOperator<f32>, [usize; 3]) {
        let Self { medium, half_length, boundaries, workers } = self;
        let grid = medium.grid();
        let parts = process_grid(grid, boundaries, *half_length, gpus.len());
        let options = Options {
            stencil: StaggeredStencil::taylor(*half_length).expect("a half-length in range"),
            boundaries: *boundaries,
            parts,
            interpolation: WindowedSinc::new(4, 4.0).expect("a sound window"),
            isa: Isa::detect(),
        };
        let history: Vec<f64> = (0..1 << 16).map(|step| (0.1 * f64::from(step)).sin()).collect();
        let position = grid.centre(grid.cells.map(|n| n / 2));
        let mechanism = SourceMechanism::Moment([1e15, 2e15, -1e15, 0.0, 3e15, 0.0]);
        let sources = [PointSource { position, mechanism, history: history.into(), interface: None }];
        let probe = |number: u32| Probe {
            position: [position[0] + 13.0 * f64::from(number), position[1] + 147.0, position[2] + 147.0],
            quantity: ProbeQuantity::Velocity,
            interface: None,
        };
        let probes: Vec<Probe> = (0..10).map(probe).collect();
        let dt = 0.35 * H / FASTEST;
        let problem = Problem { medium, options: &options, dt, sources: &sources, probes: &probes };
        let exchange = PartExchange::solo(gpus.len()).with(messaging);
        let operator =
            GpuOperator::distributed(gpus, &problem, &exchange, workers.clone()).expect("memory for the operator");
        (operator, parts)
    }
}
