//! Element sizes that no mesh can have, known before there is one.

use craton_model::EarthModel;

use super::findings::Findings;
use crate::config::{Config, Method};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// Elements side by side at most; a mesh of so many is refused by its number long before.
const MOST_ACROSS: f64 = 1e6;

/// Finds element sizes that are a tiny part of the box.
pub fn check(config: &Config, model: &EarthModel, findings: &mut Findings) {
    let Method::Sem(method) = &config.method;
    let path = KeyPath::default().key("method").key("sem");
    let domain = &config.domain;
    let extent = [domain.x, domain.y, domain.z].iter().map(|[from, to]| to - from).fold(0.0, f64::max);
    let slowest = (0..model.regions().len()).map(|region| model.slowest(region, domain.z[0], domain.z[1]));
    let slowest = slowest.fold(f64::INFINITY, f64::min);
    // Size times frequency: with so many points per wavelength, degree of them in an element.
    let speed = slowest * method.degree as f64 / method.points_per_wavelength;
    if method.max_frequency * extent > MOST_ACROSS * speed {
        let message = format!(
            "the slowest wave, of {} m/s, would need elements of {} m in a box of {} m",
            Number(slowest),
            Number(speed / method.max_frequency),
            Number(extent)
        );
        let problem = Problem::new(path.key("max_frequency"), message).value(Number(method.max_frequency));
        let problem = problem.allowed(format!("<= {:.4} Hz in this box", Number(MOST_ACROSS * speed / extent)));
        findings.problems.push(problem.hint("lower it, shrink the domain, or raise the slowest speed"));
    }
    if let Some(size) = method.element_size.filter(|size| extent > MOST_ACROSS * size) {
        let problem = Problem::new(path.key("element_size"), "is a tiny part of the box").value(Number(size));
        let problem = problem.allowed(format!(">= {:.4} m in this box", Number(extent / MOST_ACROSS)));
        findings.problems.push(problem.hint("is the unit right? it is in metres"));
    }
}
