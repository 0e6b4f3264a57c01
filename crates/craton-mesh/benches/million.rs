//! Meshes and numbers a box of a million elements; reports time and peak memory.
#![allow(clippy::print_stderr)] // a benchmark reports to its user

use std::time::Instant;

use craton_mesh::{
    BoxSpec, Doubling, Flat, Geometry, Horizontal, Numbering, QualityReport, Stratum, Topology, UniformSize,
    colour_patches, mesh_box, recursive_bisection,
};

fn main() -> Result<(), craton_mesh::MeshError> {
    let top = |x: f64, y: f64| 800.0 * (x / 7000.0).sin() * (y / 5000.0).cos();
    let sizes = UniformSize { size: 100.0, speed: 6000.0 };
    let strata = vec![Stratum { top: &top, region: 0 }, Stratum { top: &Flat(-3000.0), region: 1 }];
    let mut spec = BoxSpec::new([0.0, 10_000.0], [0.0, 10_000.0], -9_900.0, strata, &sizes);
    spec.geometry = Geometry::Quadratic27;
    spec.horizontal = Horizontal::Elements([100, 100]);
    spec.doubling = Doubling::Never;

    let start = Instant::now();
    let report = |stage: &str| {
        eprintln!("{:8.2} s  {:6.0} MB peak  {stage}", start.elapsed().as_secs_f64(), peak());
    };
    let mesh = mesh_box(&spec)?;
    report(&format!("meshed {} elements", mesh.n_elements()));
    let patches = recursive_bisection(&mesh.centroids(), 64, 16)?;
    report(&format!("cut into {} patches", patches.len()));
    let mesh = mesh.reordered(&patches.elements)?;
    report("reordered");
    let topology = Topology::new(&mesh)?;
    report("shared faces found");
    let numbering = Numbering::from_topology(&topology, 4)?;
    report(&format!("numbered {} nodes", numbering.n_nodes));
    let colouring = colour_patches(&topology, &patches);
    report(&format!("coloured patches with {} colours", colouring.n_colours));
    let gll = [-1.0, -(3.0_f64 / 7.0).sqrt(), 0.0, (3.0_f64 / 7.0).sqrt(), 1.0];
    let quality = QualityReport::measure(&mesh, &gll);
    report(&format!("smallest scaled Jacobian {:.4}", quality.scaled_jacobian.min));
    Ok(())
}

/// Peak resident memory [MB]; zero if the system does not report it.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1000.0
}
