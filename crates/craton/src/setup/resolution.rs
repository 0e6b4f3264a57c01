//! Unreasonable sizes of elements and cells, detected before meshing.

use craton_model::EarthModel;

use super::findings::Findings;
use crate::config::{Config, Method};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// Largest number of elements or cells along an axis; other checks limit the total number.
const MOST_ACROSS: f64 = 1e6;

/// Points along the edge of an element or a cell, and points per wavelength.
fn points(method: &Method) -> (f64, f64) {
    match method {
        Method::Sem(sem) => (sem.degree as f64, sem.points_per_wavelength),
        Method::Fd(fd) => (1.0, fd.points_per_wavelength()),
    }
}

/// Longest side of the box [m].
fn extent(config: &Config) -> f64 {
    let domain = &config.domain;
    [domain.x(), domain.y(), domain.z()].iter().map(|[from, to]| to - from).fold(0.0, f64::max)
}

/// The least speed of the slowest wave [m/s] that [`check`] accepts.
pub fn least_speed(config: &Config) -> f64 {
    let (points, points_per_wavelength) = points(&config.method);
    config.method.max_frequency() * extent(config) / MOST_ACROSS * points_per_wavelength / points
}

/// Finds elements and cells that are far too small for the box.
pub fn check(config: &Config, model: &EarthModel, findings: &mut Findings) {
    let method = &config.method;
    let path = KeyPath::default().key("method").key(method.name());
    let (what, (size_key, size)) = match method {
        Method::Sem(sem) => ("elements", ("element_size", sem.element_size)),
        Method::Fd(fd) => ("cells", ("grid_spacing", fd.grid_spacing)),
    };
    let (points, points_per_wavelength) = points(method);
    let (max_frequency, extent, domain) = (method.max_frequency(), extent(config), &config.domain);
    let slowest = (0..model.regions().len()).map(|region| model.slowest(region, domain.z()[0], domain.z()[1]));
    let slowest = slowest.fold(f64::INFINITY, f64::min);
    // Size times frequency: an element has `degree` intervals between its points.
    let speed = slowest * points / points_per_wavelength;
    if max_frequency * extent > MOST_ACROSS * speed {
        let message = format!(
            "the slowest wave of {} m/s requires {what} of {} m in a box of {} m",
            Number(slowest),
            Number(speed / max_frequency),
            Number(extent)
        );
        let problem = Problem::new(path.key("max_frequency"), message).value(Number(max_frequency));
        let problem = problem.allowed(format!("<= {:.4} Hz in this box", Number(MOST_ACROSS * speed / extent)));
        findings.problems.push(problem.hint("lower max_frequency, shrink the domain, or raise the slowest wave speed"));
    }
    if let Some(size) = size.filter(|size| extent > MOST_ACROSS * size) {
        let problem = Problem::new(path.key(size_key), "is too small for the box").value(Number(size));
        let problem = problem.allowed(format!(">= {:.4} m in this box", Number(extent / MOST_ACROSS)));
        findings.problems.push(problem.hint("check the unit: metres"));
    }
}
