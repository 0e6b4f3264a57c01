//! Slices of a mesh of 85 million elements, one per process of a large machine: time and memory of a single slice.
//!
//! PREM in a face of the cubed sphere down to the core, 16 x 12 slices. After `--` may follow the numbers of elements
//! along x and y and the highest frequency [Hz].
#![allow(clippy::print_stderr)] // a benchmark reports to its user

use std::path::Path;
use std::time::Instant;

use craton::{Scenario, Setup, mesh_slice};
use craton_device::{Isa, Workers};
use craton_sem::{Boundaries, Boundary, Discretisation, Options, Patching};

/// Number of slices along x and y.
const OF: [usize; 2] = [16, 12];
/// Number of elements at the surface along x and y.
const ELEMENTS: [usize; 2] = [1536, 1536];
/// Highest frequency, which determines the thickness of elements [Hz].
const FREQUENCY: f64 = 0.35;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<f64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let (elements, frequency) = match numbers[..] {
        [x, y, frequency] => ([x as usize, y as usize], frequency),
        _ => (ELEMENTS, FREQUENCY),
    };
    let setup = bolivia(elements, frequency)?;
    let start = Instant::now();
    let report = |stage: &str| {
        eprintln!(
            "{:8.2} s  {:6.0} MB now  {:6.0} MB peak  {stage}",
            start.elapsed().as_secs_f64(),
            memory("VmRSS:"),
            memory("VmHWM:")
        );
    };
    let workers = Workers::new(None)?;
    // A corner slice and an interior one, which have no nodes in common.
    for at in [[0, 0], OF.map(|count| count / 2)] {
        let slice = workers.run(|| mesh_slice(&setup, OF, at))?;
        let own = slice.mesh.n_elements();
        report(&format!("slice {at:?}: {own} elements of {}, meshed and measured", slice.elements_of_whole));
        let options = Options {
            degree: setup.method.sem().degree,
            boundaries: Boundaries { sides: [Boundary::Absorbing; 6] },
            isa: Isa::detect(),
            patching: Patching::Threads,
        };
        let part = Discretisation::<f32>::new(slice.mesh, &setup.model, &options, &workers)?;
        report(&format!("ordered, numbered, discretised: {} nodes, dt {:.4} s", part.n_nodes(), part.stable().dt));
    }
    Ok(())
}

/// The scenario of the example with this resolution.
fn bolivia([x, y]: [usize; 2], frequency: f64) -> Result<Setup, craton::Error> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bolivia/bolivia.toml");
    let changes = [format!("method.sem.elements=[{x}, {y}]"), format!("method.sem.max_frequency={frequency}")];
    Setup::new(&Scenario::read(&file, &changes)?)
}

/// Memory of this process [MB]; zero if unknown.
fn memory(of: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(of));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1000.0
}
