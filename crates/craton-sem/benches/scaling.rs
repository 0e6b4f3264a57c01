//! Weak and strong scaling, and the cost of messages.
//!
//! `cargo bench -p craton-sem --bench scaling -- [weak] [strong] [ablation] [host] [--elements N] [--emulated N] [--parts N]` prints Markdown, for all GPUs of
//! the machine. N is the number of elements per GPU (weak, ablation, host; default 2 million) or in total (strong). The experiments are those of
//! Komatitsch et al. (2010), figures 11 to 15 and 17.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

mod problem;

use std::sync::Arc;

use craton_comm::Solo;
use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_mesh::Geometry;
use craton_sem::{
    Boundaries, Boundary, Channels, Discretisation, GpuOperator, MaterialKind, Messaging, Part, PartSet, Parts,
    Patching, Plan, PointSource, Probe, SemOperator, SourceMechanism, Team,
};
use craton_sim::{Operator as _, Solver as _};
use craton_testkit::scaling::{Asked, Row, table};
use problem::{DEGREE, Variant, mesh, model};

const VARIANT: Variant = Variant::elastic(Geometry::Linear8, MaterialKind::Isotropic, false);

fn main() {
    let arguments = match Asked::read(&[("--elements", 2_000_000)]) {
        Ok(arguments) => arguments,
        Err(error) => return println!("nothing measured: {error}"),
    };
    println!("{}\n", arguments.title());
    let elements = arguments.number("--elements");
    let million = elements as f64 / 1e6;
    let on =
        |each: usize, count: usize| Problem::new(each, count).measure(&arguments.gpus[..count], Messaging::Overlapped);
    if arguments.wants("weak") {
        println!("Weak scaling: {million:.2} million elements per GPU\n");
        let rows: Vec<Row> = arguments.counts().iter().map(|&count| on(elements, count)).collect();
        println!("{}", table("element", &rows, Row::weak));
    }
    if arguments.wants("strong") {
        println!("Strong scaling: {million:.2} million elements in total\n");
        let rows: Vec<Row> = arguments.counts().iter().map(|&count| on(elements / count, count)).collect();
        println!("{}", table("element", &rows, Row::strong));
    }
    if arguments.wants("ablation") {
        println!("Cost of messages: {million:.2} million elements per GPU\n");
        let kinds = [Messaging::Silent, Messaging::Unsent, Messaging::Overlapped, Messaging::Blocking];
        let problem = Problem::new(elements, arguments.gpus.len());
        let rows = kinds.map(|kind| problem.measure(&arguments.gpus, kind));
        println!("{}", table("element", &rows, Row::weak));
    }
    if arguments.wants("host") {
        println!("All GPUs of the machine compared with all its cores\n");
        let problem = Problem::new(elements, arguments.gpus.len());
        let rows = [problem.measure_cpu(), problem.measure(&arguments.gpus, Messaging::Overlapped)];
        println!("{}", table("element", &rows, Row::weak));
    }
}

/// A mesh that can be divided into parts.
struct Problem {
    plan: Arc<Plan>,
    workers: Arc<Workers>,
}

impl Problem {
    /// Adjacent boxes of about `each` elements, one for each of `count` devices.
    fn new(each: usize, count: usize) -> Self {
        let edge = (each as f64).cbrt().round() as usize;
        let [x, y] = if count.is_multiple_of(4) { [2, count / 2] } else { [count, 1] };
        let mut sides = [Boundary::Absorbing; 6];
        sides[5] = Boundary::Free;
        let mesh = mesh(VARIANT.geometry, [x * edge, y * edge, edge]);
        let plan = Plan::new(
            mesh,
            DEGREE,
            Boundaries { sides },
            Patching::Blocks,
            &craton_sem::Rheologies::new(&model(VARIANT), DEGREE, true),
        )
        .expect("a valid mesh");
        Self { plan: Arc::new(plan), workers: Arc::new(Workers::new(None).expect("the system grants threads")) }
    }

    fn measure(&self, gpus: &[Gpu], messaging: Messaging) -> Row {
        let team =
            Team::new(Parts::regular(&self.plan, gpus.len()).expect("a large mesh"), Arc::new(Solo)).with(messaging);
        let mut solver = self.solver(team, |part, on, dt, sources, probes| {
            GpuOperator::new(&gpus[part], on, dt, sources, probes, self.workers.clone())
                .expect("memory for the operator")
        });
        self.time(&mut solver, gpus, format!("{messaging:?}").to_lowercase())
    }

    /// Measures one part on all CPU cores.
    fn measure_cpu(&self) -> Row {
        let team = Team::new(Parts::one(&self.plan), Arc::new(Solo));
        let mut solver = self
            .solver(team, |_, on, dt, sources, probes| SemOperator::new(on, dt, sources, probes, self.workers.clone()));
        self.time(&mut solver, &[], format!("{} cores", self.workers.threads()))
    }

    fn solver<P: Part<f32>>(
        &self,
        team: Team,
        operator: impl Fn(usize, Discretisation<f32>, f64, &[PointSource], &[Probe]) -> P,
    ) -> PartSet<f32, P> {
        let (plan, workers) = (&self.plan, &self.workers);
        let on = Discretisation::of_parts(plan, &team, &model(VARIANT), Isa::detect(), workers).expect("a valid mesh");
        let dt = on[0].stable().dt;
        let element = (plan.mesh().n_elements() / 2) as u32;
        let history: Vec<f64> = (0..1 << 20).map(|step| (0.1 * f64::from(step)).sin()).collect();
        let mechanism = SourceMechanism::Moment([1e15, 2e15, -1e15, 0.0, 3e15, 0.0]);
        let source = PointSource { element, xi: [0.1, 0.2, 0.3], mechanism, history: history.into() };
        let probes: Vec<Probe> = (0..10)
            .map(|number| Probe { element: element / 10 * number, xi: [0.3, -0.4, 0.9], gradient: false })
            .collect();
        let sources = [source];
        let parts = on.into_iter().enumerate().map(|(part, on)| operator(part, on, dt, &sources, &probes)).collect();
        let channels = Channels::of_probes(plan, team.parts(), &probes);
        PartSet::new(plan.clone(), team, parts, channels, [dt, 1.0], workers.clone())
    }

    fn time<P: Part<f32>>(&self, solver: &mut PartSet<f32, P>, gpus: &[Gpu], messages: String) -> Row {
        Row::measure(gpus.len(), messages, self.plan.mesh().n_elements(), |steps| {
            solver.advance(steps).expect("the devices do not fail");
            gpus.iter().for_each(|gpu| gpu.synchronize().expect("the devices do not fail"));
            solver.take_samples().expect("the devices do not fail");
        })
    }
}
