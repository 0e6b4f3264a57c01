//! Conversion of materials as written to media of the model.

use craton_model::{Medium, ModelError};
use craton_physics::{Stiffness, Thomsen, tilted_axis};

use super::findings::{Checked, bad_model};
use crate::config::Material;
use crate::error::Problem;
use crate::key_path::KeyPath;

/// The medium of a material.
///
/// # Errors
/// Impossible materials, and values that are not in SI units.
pub fn medium(material: &Material, path: &KeyPath) -> Checked<Medium> {
    let refused = |error: ModelError| match &error {
        ModelError::Stiffness(_) if material.stiffness.is_some() => bad_model(&error, &path.key("stiffness")),
        ModelError::Stiffness(_) => bad_model(&error, &path.key("thomsen")),
        _ => bad_model(&error, path),
    };
    known(material, path)?.map_err(refused)
}

fn known(material: &Material, path: &KeyPath) -> Checked<Result<Medium, ModelError>> {
    let rho = material.rho;
    if let Some(coefficients) = &material.stiffness {
        let coefficients: [f64; 21] = coefficients.as_slice().try_into().map_err(|_| {
            Problem::new(path.key("stiffness"), format!("has {} coefficients", coefficients.len()))
                .allowed("21 coefficients")
        })?;
        return Ok(Medium::anisotropic(Stiffness(coefficients), rho));
    }
    let (Some(vp), Some(vs)) = (material.vp, material.vs) else {
        let problem = Problem::new(path, "requires vp and vs, or stiffness");
        return Err(problem.hint("give vp, vs and rho, or stiffness and rho").into());
    };
    let Some(shape) = &material.thomsen else {
        return Ok(Medium::isotropic(vp, vs, rho));
    };
    let solid = Thomsen { vp, vs, epsilon: shape.epsilon, delta: shape.delta, gamma: shape.gamma, rho };
    let solid =
        solid.love().and_then(|love| Ok((love, tilted_axis(shape.tilt.to_radians(), shape.azimuth.to_radians())?)));
    Ok(solid.map_err(ModelError::from).and_then(|(love, axis)| Medium::transversely_isotropic(love, axis, rho)))
}
