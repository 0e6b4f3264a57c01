//! Slices of a mesh of 85 million elements, one per process of a large machine: time and memory of some of these processes on one machine.
//!
//! PREM in a face of the cubed sphere down to the core, 16 x 12 slices. Each process meshes its own tiles and those that touch them, and discretises its own. First
//! two processes run alone, one after the other; then two neighbours together, which compute some steps and compare the nodes that they share. After `--` may follow
//! the numbers of elements along x and y and the highest frequency [Hz].
#![allow(clippy::print_stderr)] // a benchmark reports to its user

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use craton::{Scenario, Setup, mesh_slice};
use craton_comm::{CommError, Incoming, Outgoing, Ranks, Solo, thread_ranks};
use craton_device::{Isa, Workers};
use craton_sem::{
    Boundaries, Boundary, Discretisation, Field, Part, Parts, Patching, Phase, Plan, PointSource, Rheologies,
    SemOperator, SourceMechanism, Team,
};

/// Number of slices along x and y.
const OF: [usize; 2] = [16, 12];
/// Number of elements at the surface along x and y.
const ELEMENTS: [usize; 2] = [1536, 1536];
/// Highest frequency, which determines the thickness of elements [Hz].
const FREQUENCY: f64 = 0.35;
/// Number of steps that neighbours compute.
const STEPS: u64 = 3;

type Failed = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failed> {
    let numbers: Vec<f64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let (elements, frequency) = match numbers[..] {
        [x, y, frequency] => ([x as usize, y as usize], frequency),
        _ => (ELEMENTS, FREQUENCY),
    };
    let setup = bolivia(elements, frequency)?;
    let workers = Workers::new(None)?;
    let middle = OF.map(|count| count / 2);
    for at in [[0, 0], middle] {
        let present = Present { own: Box::new(Solo), present: vec![part(at)] };
        process(&setup, at, Arc::new(present), &workers)?;
    }
    let neighbours = [middle, [middle[0] + 1, middle[1]]];
    let each = Workers::new(Some(1))?;
    let found: Vec<Result<Shared, Failed>> = std::thread::scope(|scope| {
        let start = |(rank, at)| {
            let present = Present { own: Box::new(rank), present: neighbours.map(part).to_vec() };
            let (setup, workers) = (&setup, &each);
            scope.spawn(move || process(setup, at, Arc::new(present), workers))
        };
        let threads: Vec<_> = thread_ranks(2).into_iter().zip(neighbours).map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("a process does not panic")).collect()
    });
    let [here, there] =
        found.try_into().map(|[here, there]: [Result<Shared, Failed>; 2]| [here, there]).map_err(|_| "two")?;
    let (here, there) = (here?, there?);
    let common = here.iter().filter_map(|(place, value)| Some((value, there.get(place)?)));
    let (mut equal, mut moving, mut count) = (0, 0, 0);
    for (a, b) in common {
        count += 1;
        equal += usize::from(a == b);
        moving += usize::from(a.iter().any(|bits| bits << 1 != 0));
    }
    eprintln!("{count} nodes of both neighbours, {equal} with the same bits, {moving} of them in motion");
    Ok(())
}

/// Number of the process of a slice.
fn part([x, y]: [usize; 2]) -> usize {
    x + OF[0] * y
}

/// Displacement by position, in bits, at shared nodes of a process.
type Shared = HashMap<[u64; 3], [u64; 3]>;

/// What the process of a slice does.
fn process(setup: &Setup, at: [usize; 2], ranks: Arc<dyn Ranks>, workers: &Workers) -> Result<Shared, Failed> {
    let start = Instant::now();
    let report = |stage: &str| {
        let [now, peak] = ["VmRSS:", "VmHWM:"].map(memory);
        eprintln!(
            "{:8.2} s  {now:6.0} MB now  {peak:6.0} MB peak  slice {at:?}: {stage}",
            start.elapsed().as_secs_f64()
        );
    };
    reset_peak();
    let slice = workers.run(|| mesh_slice(setup, OF, at))?;
    let of_whole = slice.elements_of_whole;
    report(&format!("{} elements of {of_whole} with neighbours, meshed and measured", slice.mesh.n_elements()));
    let boundaries = Boundaries { sides: [Boundary::Absorbing; 6] };
    let (degree, count) = (setup.method.sem().degree, OF[0] * OF[1]);
    let rheologies = Rheologies::new(&setup.model, degree, true);
    let plan = workers.run(|| Plan::new(slice.mesh, degree, boundaries, Patching::Threads, &rheologies))?;
    let plan = Arc::new(plan);
    let parts = Parts::of_tiles(&plan, count, |tile| slice.part_of_tile[tile as usize]);
    report(&format!("ordered and numbered: {} patches", plan.n_patches()));
    let team = Team::new(parts, Arc::clone(&ranks));
    let mut all = Discretisation::<f32>::of_parts(&plan, &team, &setup.model, Isa::detect(), workers)?;
    let on = all.pop().ok_or("a part")?;
    report(&format!("discretised: {} elements, {} nodes, dt {:.4} s", on.n_elements(), on.n_nodes(), on.stable().dt));
    if ranks.rank() == part(at) && !ranks.host().starts_with("thread") {
        return Ok(Shared::new());
    }
    // A source in the element of the process that is nearest to the centre of the mesh of neighbours.
    let centre = {
        let [low, high] = plan.mesh().bounding_box();
        [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]))
    };
    let distance =
        |element: u32| plan.mesh().centroid(element).iter().zip(centre).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let own = (0..plan.mesh().n_elements() as u32).filter(|&element| on.contains(element));
    let nearest = own.min_by(|&a, &b| distance(a).total_cmp(&distance(b))).ok_or("an element")?;
    let mechanism = SourceMechanism::Force([1e20; 3]);
    let source = PointSource { element: nearest, xi: [0.3; 3], mechanism, history: vec![1.0; STEPS as usize].into() };
    let dt = 0.9 * ranks.least(on.stable().dt)?;
    let mut parts = [SemOperator::new(on, dt, &[source], &[], Arc::new(Workers::new(Some(1))?))];
    SemOperator::advance_all(&mut parts, &team, STEPS)?;
    report(&format!("{STEPS} steps"));
    Ok(shared(&plan, &parts[0]))
}

/// The displacement at the shared nodes of a part.
fn shared(plan: &Plan, operator: &SemOperator<f32>) -> Shared {
    let layout = operator.own(Phase::Solid);
    let n = plan.gll().points.len();
    let mut all = Shared::new();
    for element in (0..plan.mesh().n_elements() as u32).filter(|&element| layout.patch_of(element).is_some()) {
        for (point, place) in plan.places(element).enumerate() {
            let Some(place @ craton_sem::NodePlace::Shared(_)) = layout.place_of(place) else { continue };
            let xi = [point % n, point / n % n, point / (n * n)].map(|i| plan.gll().points[i]);
            // To a metre: neighbours compute positions in other elements.
            let position = plan.mesh().position(element, xi).map(|x| x.round().to_bits());
            all.insert(position, operator.at(place, Field::Displacement).map(f64::to_bits));
        }
    }
    all
}

/// Some of many ranks. Absent ones send zeros, and have the values of this one in collective calls.
#[derive(Debug)]
struct Present {
    own: Box<dyn Ranks>,
    /// Numbers of the present ranks.
    present: Vec<usize>,
}

impl Present {
    fn index(&self, rank: usize) -> Option<usize> {
        self.present.iter().position(|&present| present == rank)
    }
}

impl Ranks for Present {
    fn rank(&self) -> usize {
        self.present[self.own.rank()]
    }

    fn count(&self) -> usize {
        OF[0] * OF[1]
    }

    fn host(&self) -> String {
        self.own.host()
    }

    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, CommError> {
        let present = self.own.all_gather(own)?;
        let of_rank = |rank: usize| self.index(rank).map_or_else(|| own.to_vec(), |index| present[index].clone());
        Ok((0..self.count()).map(of_rank).collect())
    }

    fn gather_on(&self, rank: usize, own: &[u8]) -> Result<Option<Vec<Vec<u8>>>, CommError> {
        self.own.gather_on(self.index(rank).unwrap_or(0), own)
    }

    fn broadcast_from(&self, rank: usize, bytes: &mut Vec<u8>) -> Result<(), CommError> {
        self.own.broadcast_from(self.index(rank).unwrap_or(0), bytes)
    }

    fn exchange(
        &self,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        let sent = outgoing.iter().filter_map(|message| {
            Some(Outgoing { rank: self.index(message.rank)?, tag: message.tag, bytes: message.bytes })
        });
        let sent: Vec<Outgoing<'_>> = sent.collect();
        let received = incoming.iter_mut().filter_map(|message| {
            let Some(rank) = self.index(message.rank) else {
                message.bytes.fill(0);
                return None;
            };
            Some(Incoming { rank, tag: message.tag, bytes: &mut *message.bytes })
        });
        let mut received: Vec<Incoming<'_>> = received.collect();
        self.own.exchange(&sent, &mut received, work)
    }

    fn abort(&self, status: i32) -> ! {
        self.own.abort(status)
    }
}

/// The scenario of the example with this resolution.
fn bolivia([x, y]: [usize; 2], frequency: f64) -> Result<Setup, craton::Error> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bolivia/bolivia.toml");
    let changes = [
        format!("method.sem.elements=[{x}, {y}]"),
        format!("method.sem.max_frequency={frequency}"),
        "attenuation.enabled=false".to_owned(),
    ];
    Setup::new(&Scenario::read(&file, &changes)?)
}

/// Memory of this process [MB]; zero if unknown.
fn memory(of: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(of));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1000.0
}

/// Makes the peak of memory that of now, where the system allows it.
fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
