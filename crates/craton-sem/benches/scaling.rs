//! What it costs to compute in parts: weak and strong scaling, and the price of messages piece by piece.
//!
//! `cargo bench -p craton-sem --bench scaling -- [weak] [strong] [ablation] [host] [--elements N] [--emulated N]` prints Markdown, on all GPUs of the
//! machine. N elements stand on each GPU (weak, ablation, host; 2 million unless said) or on all (strong). The experiments are those of
//! Komatitsch et al. (2010), figures 11 to 15 and 17.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

mod problem;

use std::sync::Arc;
use std::time::Instant;

use craton_comm::Solo;
use craton_device::gpu::{Gpu, devices};
use craton_device::{Isa, Workers};
use craton_mesh::Geometry;
use craton_sem::{
    Boundaries, Boundary, Discretisation, Ensemble, GpuOperator, Messaging, Part, Parts, Patching, Plan, PointSource,
    Probe, Push, SemOperator, Team,
};
use craton_sim::{Operator as _, Solver as _};
use problem::{DEGREE, Variant, mesh, model};

/// Runs of each measurement, of which the best, the median and the spread are told.
const RUNS: usize = 3;
/// Seconds that a run takes at least, so that its end does not count.
const LEAST_SECONDS: f64 = 0.5;
const VARIANT: Variant = Variant { geometry: Geometry::Linear8, anisotropic: false, per_point: false };

/// What is asked for.
struct Asked {
    experiments: Vec<String>,
    elements: usize,
    gpus: Vec<Gpu>,
}

impl Asked {
    fn read() -> Result<Self, String> {
        let (mut experiments, mut elements, mut emulated) = (Vec::new(), 2_000_000, 0);
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut number =
                || words.next().and_then(|number| number.parse().ok()).ok_or(format!("{word} takes a number"));
            match &*word {
                "--elements" => elements = number()?,
                "--emulated" => emulated = number()?,
                _ if word.starts_with("--") => {}
                _ => experiments.push(word),
            }
        }
        let gpus: Result<Vec<Gpu>, _> = match emulated {
            0 => devices().and_then(|all| all.iter().map(|gpu| Gpu::cuda(gpu.ordinal)).collect()),
            count => (0..count).map(|_| Gpu::emulated()).collect(),
        };
        let gpus = gpus.map_err(|error| error.to_string())?;
        for gpu in &gpus {
            for other in gpus.iter().filter(|other| other.info().ordinal != gpu.info().ordinal) {
                gpu.reach(other).map_err(|error| error.to_string())?;
            }
        }
        Ok(Self { experiments, elements, gpus })
    }

    fn wants(&self, experiment: &str) -> bool {
        self.experiments.is_empty() || self.experiments.iter().any(|asked| asked == experiment)
    }

    /// 1, 2, 4 ... of the GPUs.
    fn counts(&self) -> Vec<usize> {
        (0..).map(|power| 1 << power).take_while(|&count| count <= self.gpus.len()).collect()
    }
}

fn main() {
    let asked = match Asked::read() {
        Ok(asked) => asked,
        Err(error) => return println!("nothing measured: {error}"),
    };
    println!("{} x {}\n", asked.gpus.len(), asked.gpus[0].info().name);
    let million = asked.elements as f64 / 1e6;
    if asked.wants("weak") {
        println!("Weak scaling: {million:.2} million elements on each GPU\n\n{HEAD}");
        let of_count =
            |&count: &usize| Problem::new(asked.elements, count).measure(&asked.gpus[..count], Messaging::Overlapped);
        tell(&asked.counts().iter().map(of_count).collect::<Vec<_>>(), |first, row| first.seconds() / row.seconds());
    }
    if asked.wants("strong") {
        println!("Strong scaling: {million:.2} million elements in all\n\n{HEAD}");
        let of_count = |&count: &usize| {
            Problem::new(asked.elements / count, count).measure(&asked.gpus[..count], Messaging::Overlapped)
        };
        let ideal = |first: &Row, row: &Row| first.seconds() * first.gpus as f64 / (row.seconds() * row.gpus as f64);
        tell(&asked.counts().iter().map(of_count).collect::<Vec<_>>(), ideal);
    }
    if asked.wants("ablation") {
        println!("The price of messages: {million:.2} million elements on each GPU\n\n{HEAD}");
        let kinds = [Messaging::Silent, Messaging::Unsent, Messaging::Overlapped, Messaging::Blocking];
        let problem = Problem::new(asked.elements, asked.gpus.len());
        let rows = kinds.map(|kind| problem.measure(&asked.gpus, kind));
        tell(&rows, |first, row| first.seconds() / row.seconds());
    }
    if asked.wants("host") {
        println!("All GPUs of the machine beside all its cores\n\n{HEAD}");
        let problem = Problem::new(asked.elements, asked.gpus.len());
        let rows = [problem.measure_cpu(), problem.measure(&asked.gpus, Messaging::Overlapped)];
        tell(&rows, |first, row| first.seconds() / row.seconds());
    }
}

const HEAD: &str = "| devices | messages | elements | ms a step, best (median, worst) | ns per element and device | in parts of the first row |\n\
                    |---|---|---|---|---|---|";

/// One line of a table.
struct Row {
    gpus: usize,
    messages: String,
    elements: usize,
    /// Seconds of a step in each run, ascending.
    steps: Vec<f64>,
}

impl Row {
    /// The median.
    fn seconds(&self) -> f64 {
        self.steps[RUNS / 2]
    }
}

fn tell(rows: &[Row], part: impl Fn(&Row, &Row) -> f64) {
    for row in rows {
        let Row { gpus, messages, elements, steps } = row;
        let [best, worst] = [steps[0], steps[RUNS - 1]].map(|seconds| 1e3 * seconds);
        let median = 1e3 * row.seconds();
        let each = 1e6 * median / (*elements as f64 / (*gpus).max(1) as f64);
        println!(
            "| {gpus} | {messages} | {elements} | {best:.3} ({median:.3}, {worst:.3}) | {each:.3} | {:.4} |",
            part(&rows[0], row)
        );
    }
    println!();
}

/// A mesh, ready to be cut.
struct Problem {
    plan: Arc<Plan>,
    workers: Arc<Workers>,
}

impl Problem {
    /// Of about `each` elements on each of `count` devices: boxes side by side.
    fn new(each: usize, count: usize) -> Self {
        let edge = (each as f64).cbrt().round() as usize;
        let [x, y] = if count.is_multiple_of(4) { [2, count / 2] } else { [count, 1] };
        let mut sides = [Boundary::Absorbing; 6];
        sides[5] = Boundary::Free;
        let mesh = mesh(VARIANT.geometry, [x * edge, y * edge, edge]);
        let plan = Plan::new(mesh, DEGREE, Boundaries { sides }, Patching::Blocks).expect("a sound mesh");
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

    /// On all cores, in one part.
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
    ) -> Ensemble<f32, P> {
        let (plan, workers) = (&self.plan, &self.workers);
        let on = Discretisation::of_parts(plan, &team, &model(VARIANT), Isa::detect(), workers).expect("a sound mesh");
        let dt = on[0].stable().dt;
        let element = (plan.mesh().n_elements() / 2) as u32;
        let history = (0..1 << 20).map(|step| (0.1 * f64::from(step)).sin()).collect();
        let push = Push::Moment([1e15, 2e15, -1e15, 0.0, 3e15, 0.0]);
        let source = PointSource { element, xi: [0.1, 0.2, 0.3], push, history };
        let probes: Vec<Probe> = (0..10)
            .map(|number| Probe { element: element / 10 * number, xi: [0.3, -0.4, 0.9], gradient: false })
            .collect();
        let sources = [source];
        let parts = on.into_iter().enumerate().map(|(part, on)| operator(part, on, dt, &sources, &probes)).collect();
        Ensemble::new(plan.clone(), team, parts, &probes, [dt, 1.0], workers.clone())
    }

    fn time<P: Part<f32>>(&self, solver: &mut Ensemble<f32, P>, gpus: &[Gpu], messages: String) -> Row {
        let mut advance = |steps: u64| {
            let start = Instant::now();
            solver.advance(steps).expect("devices that work");
            gpus.iter().for_each(|gpu| gpu.synchronize().expect("devices that work"));
            let seconds = start.elapsed().as_secs_f64();
            solver.take_samples().expect("devices that work");
            seconds
        };
        // A first go warms up and says how many steps a run needs.
        advance(2);
        let steps = ((LEAST_SECONDS / (advance(4) / 4.0)) as u64).clamp(4, 2000);
        let mut rounds: Vec<f64> = (0..RUNS).map(|_| advance(steps) / steps as f64).collect();
        rounds.sort_by(f64::total_cmp);
        Row { gpus: gpus.len(), messages, elements: self.plan.mesh().n_elements(), steps: rounds }
    }
}
