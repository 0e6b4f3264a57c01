//! Checks of elastic constants.

use craton_physics::{PhysicsError, Stiffness, Thomsen};

use super::exactly_one;
use crate::config::Material;
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// Upper limit of vs / vp of a solid with positive bulk modulus rho (vp^2 - 4/3 vs^2).
pub const LARGEST_VS_TO_VP: f64 = 0.866_025_403_784_438_6;

/// Problems of a material.
pub fn material(material: &Material, path: &KeyPath) -> Vec<Problem> {
    let speeds = material.vp.is_some() || material.vs.is_some() || material.thomsen.is_some();
    if let Some(problem) = exactly_one(path, &[("vp", speeds), ("stiffness", material.stiffness.is_some())]) {
        return vec![problem.hint("give vp, vs and rho, or stiffness and rho")];
    }
    if let Some(coefficients) = &material.stiffness {
        return stiffness(coefficients, &path.key("stiffness")).into_iter().collect();
    }
    match (material.vp, material.vs) {
        (Some(vp), Some(vs)) => match &material.thomsen {
            None => speeds_of_solid(vp, vs, &path.key("vs")).into_iter().collect(),
            Some(shape) => thomsen(material.rho, vp, vs, shape, path).into_iter().collect(),
        },
        (vp, _) => {
            let missing = if vp.is_none() { "vp" } else { "vs" };
            vec![Problem::new(path.key(missing), "is missing").hint("give vp, vs and rho, or stiffness and rho")]
        }
    }
}

/// The problem of an S-wave speed that is too large for the P-wave speed.
pub fn speeds_of_solid(vp: f64, vs: f64, path: &KeyPath) -> Option<Problem> {
    let largest = LARGEST_VS_TO_VP * vp;
    let problem = || {
        let hint = if vs > vp { "check whether vp and vs are swapped" } else { "lower vs or raise vp" };
        Problem::new(path, format!("vs is too large for vp = {}: the bulk modulus would be negative", Number(vp)))
            .value(Number(vs))
            .allowed(format!("< {:.1} m/s, which is sqrt(3/4) vp", Number(largest)))
            .hint(hint)
    };
    (vs >= largest).then(problem)
}

fn stiffness(coefficients: &[f64], path: &KeyPath) -> Option<Problem> {
    let coefficients: [f64; 21] = coefficients.try_into().ok()?;
    Stiffness(coefficients).check().err().map(|error| refused(&error, path, path))
}

fn thomsen(rho: f64, vp: f64, vs: f64, shape: &crate::config::Thomsen, path: &KeyPath) -> Option<Problem> {
    let crate::config::Thomsen { epsilon, delta, gamma, .. } = *shape;
    let error = Stiffness::vti(Thomsen { vp, vs, epsilon, delta, gamma, rho }).err()?;
    Some(refused(&error, path, &path.key("thomsen")))
}

/// Converts an error of the material laws to a problem.
///
/// # Arguments
/// * `material` – path of the material with vp, vs and rho
/// * `shape` – path of its anisotropy
fn refused(error: &PhysicsError, material: &KeyPath, shape: &KeyPath) -> Problem {
    match error {
        PhysicsError::OutOfRange { name, value, allowed, hint } => {
            let table = if ["vp", "vs", "rho"].contains(name) { material } else { shape };
            Problem::new(table.key(name), "is out of range").value(Number(*value)).allowed(allowed).hint(*hint)
        }
        PhysicsError::StiffnessNotPositive { smallest, largest } => Problem::new(shape, "is not positive definite")
            .allowed(format!(
                "six positive eigenvalues; the smallest is {smallest:.4e} Pa, the largest {largest:.4e} Pa"
            ))
            .hint("check signs, units (Pa) and the Voigt order xx, yy, zz, yz, xz, xy"),
        other => Problem::new(shape, other.to_string()),
    }
}
