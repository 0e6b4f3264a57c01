//! The list of all cases.

use super::{Case, Finding, Tier};
use anyhow::Result;
use craton_physics::{Stiffness, stress_anisotropic, stress_isotropic};

/// Every case, in the order of the table.
pub fn all() -> Vec<Case> {
    vec![Case {
        name: "isotropic-as-21-coefficients",
        method: "law",
        device: "cpu",
        tier: Tier::A,
        limit: 1e-6,
        run: isotropic_as_21_coefficients,
    }]
}

/// The stress of the isotropic law in double precision against that of the general law in single precision, for simple shears and stretches.
fn isotropic_as_21_coefficients() -> Result<Finding> {
    let (lambda, mu) = (1e11 / 3.0, 1e11 / 7.0);
    let coefficients = Stiffness::isotropic(lambda, mu).0.map(|c| c as f32);
    let (mut difference, mut norm) = (0.0, 0.0);
    for entry in 0..9 {
        let mut grad_u = [[0.0; 3]; 3];
        grad_u[entry / 3][entry % 3] = 1e-5;
        let expected = stress_isotropic(lambda, mu, grad_u).to_voigt();
        let found = stress_anisotropic(&coefficients, grad_u.map(|row| row.map(|value: f64| value as f32))).to_voigt();
        for (found, expected) in found.into_iter().zip(expected) {
            difference += (f64::from(found) - expected).powi(2);
            norm += expected.powi(2);
        }
    }
    Ok(Finding { rel_l2: (difference / norm).sqrt(), notes: Vec::new() })
}
