//! The laws as functions of flat lists of values: the contents of the header, one entry per law.

use std::marker::PhantomData;

use super::print::Argument;
use crate::boundary::paraxial_damping;
use crate::laws::{Anisotropic, Isotropic, Law, TransverselyIsotropic, fluid_displacement, unit_axis};
use crate::metric::{metric, physical_gradient, reference_flux, scalar_flux};
use crate::real::Real;
use crate::tensor::Sym3;
use crate::viscoelastic::{MEMORY, relax};

/// A law with the names and shapes of what it reads and writes.
pub(super) trait DeviceFunction {
    /// What it computes, in a line.
    const SUMMARY: &'static str;

    /// Its name in the header.
    fn name() -> String;

    /// What it reads.
    fn inputs() -> Vec<Argument>;

    /// What it writes.
    fn outputs() -> Vec<Argument>;

    /// The values of all outputs from the values of all inputs, each in order, last index fastest.
    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R>;
}

/// An operation that is applied to every function of the header.
pub(super) trait Visitor {
    /// Applies it to one function.
    fn visit<F: DeviceFunction>(&mut self);
}

/// Visits every function of the header, in its order.
pub(super) fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<Stress<Isotropic>>();
    visitor.visit::<Stress<TransverselyIsotropic>>();
    visitor.visit::<Stress<Anisotropic>>();
    visitor.visit::<Relax>();
    visitor.visit::<UnitAxis>();
    visitor.visit::<Metric>();
    visitor.visit::<PhysicalGradient>();
    visitor.visit::<ReferenceFlux>();
    visitor.visit::<ScalarGradient>();
    visitor.visit::<FluidDisplacement>();
    visitor.visit::<ScalarFlux>();
    visitor.visit::<ParaxialDamping>();
}

/// The stress of a constitutive law.
struct Stress<L>(PhantomData<L>);

impl<L: Law> DeviceFunction for Stress<L> {
    const SUMMARY: &'static str = "Stress, Voigt order, from grad_u[i][j] = du_i/dx_j.";

    fn name() -> String {
        format!("stress_{}", L::NAME)
    }

    fn inputs() -> Vec<Argument> {
        let mut inputs = vec![Argument::new("parameters", &[L::PARAMETERS])];
        inputs.extend(L::HAS_AXIS.then(|| Argument::new("axis", &[3])));
        inputs.push(Argument::new("grad_u", &[3, 3]));
        inputs
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("stress", &[6])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let (parameters, rest) = inputs.split_at(L::PARAMETERS);
        let (axis, grad_u) = rest.split_at(if L::HAS_AXIS { 3 } else { 0 });
        let axis = std::array::from_fn(|c| axis.get(c).copied().unwrap_or(R::constant(0.0)));
        L::stress(|p| parameters[p], axis, matrix(grad_u)).to_voigt().to_vec()
    }
}

struct Relax;

impl DeviceFunction for Relax {
    const SUMMARY: &'static str = "Subtracts the relaxed stress of a mechanism and advances its memory.";

    fn name() -> String {
        "relax".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![
            Argument::new("decay", &[]),
            Argument::new("moduli", &[2]),
            Argument::new("memory", &[MEMORY]),
            Argument::new("grad_u", &[3, 3]),
            Argument::new("stress", &[6]),
        ]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("new_stress", &[6]), Argument::new("new_memory", &[MEMORY])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let memory = std::array::from_fn(|c| inputs[3 + c]);
        let stress = Sym3::from_voigt(std::array::from_fn(|c| inputs[18 + c]));
        let (stress, memory) = relax(inputs[0], [inputs[1], inputs[2]], memory, matrix(&inputs[9..18]), stress);
        [stress.to_voigt(), memory].concat()
    }
}

struct UnitAxis;

impl DeviceFunction for UnitAxis {
    const SUMMARY: &'static str = "Unit axis of an element at the point xi of the reference cube.";

    fn name() -> String {
        "unit_axis".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![Argument::new("coefficients", &[4, 3]), Argument::new("xi", &[3])]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("axis", &[3])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let coefficients = std::array::from_fn(|a| std::array::from_fn(|c| inputs[3 * a + c]));
        unit_axis(coefficients, std::array::from_fn(|c| inputs[12 + c])).to_vec()
    }
}

struct Metric;

impl DeviceFunction for Metric {
    const SUMMARY: &'static str = "Cofactors det * dxi_a/dx_i and determinant from jacobian[a][i] = dx_i/dxi_a.";

    fn name() -> String {
        "metric".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![Argument::new("jacobian", &[3, 3])]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("cofactors", &[3, 3]), Argument::new("det", &[])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let (cofactors, det) = metric(matrix(inputs));
        [cofactors.as_flattened(), &[det]].concat()
    }
}

struct PhysicalGradient;

impl DeviceFunction for PhysicalGradient {
    const SUMMARY: &'static str = "grad_u[i][j] = du_i/dx_j from reference_gradient[i][a] = du_i/dxi_a.";

    fn name() -> String {
        "physical_gradient".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![
            Argument::new("cofactors", &[3, 3]),
            Argument::new("inverse_det", &[]),
            Argument::new("reference_gradient", &[3, 3]),
        ]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("grad_u", &[3, 3])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let (cofactors, reference_gradient) = (matrix(&inputs[..9]), matrix(&inputs[10..]));
        physical_gradient(cofactors, inputs[9], reference_gradient).as_flattened().to_vec()
    }
}

struct ReferenceFlux;

impl DeviceFunction for ReferenceFlux {
    const SUMMARY: &'static str = "flux[a][i] = sum over j of cofactors[a][j] stress_ij.";

    fn name() -> String {
        "reference_flux".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![Argument::new("cofactors", &[3, 3]), Argument::new("stress", &[6])]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("flux", &[3, 3])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let stress = Sym3::from_voigt(std::array::from_fn(|k| inputs[9 + k]));
        reference_flux(matrix(&inputs[..9]), stress).as_flattened().to_vec()
    }
}

struct ScalarGradient;

impl DeviceFunction for ScalarGradient {
    const SUMMARY: &'static str = "gradient[j] = dq/dx_j from reference_gradient[a] = dq/dxi_a.";

    fn name() -> String {
        "scalar_gradient".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![
            Argument::new("cofactors", &[3, 3]),
            Argument::new("inverse_det", &[]),
            Argument::new("reference_gradient", &[3]),
        ]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("gradient", &[3])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let reference_gradient = [std::array::from_fn(|a| inputs[10 + a])];
        physical_gradient(matrix(&inputs[..9]), inputs[9], reference_gradient).as_flattened().to_vec()
    }
}

struct FluidDisplacement;

impl DeviceFunction for FluidDisplacement {
    const SUMMARY: &'static str = "Displacement of a fluid from the gradient of its potential.";

    fn name() -> String {
        "fluid_displacement".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![Argument::new("buoyancy", &[]), Argument::new("gradient", &[3])]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("displacement", &[3])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        fluid_displacement(inputs[0], std::array::from_fn(|j| inputs[1 + j])).to_vec()
    }
}

struct ScalarFlux;

impl DeviceFunction for ScalarFlux {
    const SUMMARY: &'static str = "flux[a] = sum over j of cofactors[a][j] vector[j].";

    fn name() -> String {
        "scalar_flux".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![Argument::new("cofactors", &[3, 3]), Argument::new("vector", &[3])]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("flux", &[3])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        scalar_flux(matrix(&inputs[..9]), std::array::from_fn(|j| inputs[9 + j])).to_vec()
    }
}

struct ParaxialDamping;

impl DeviceFunction for ParaxialDamping {
    const SUMMARY: &'static str =
        "Damping of an absorbing boundary, Voigt order: its product with velocity is minus the traction.";

    fn name() -> String {
        "paraxial_damping".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        let scalars = ["rho", "vp", "vs"].map(|name| Argument::new(name, &[]));
        [scalars.as_slice(), &[Argument::new("normal", &[3])]].concat()
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("damping", &[6])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let normal = [inputs[3], inputs[4], inputs[5]];
        paraxial_damping(inputs[0], inputs[1], inputs[2], normal).to_voigt().to_vec()
    }
}

/// Nine values as a matrix, row by row.
fn matrix<R: Real>(values: &[R]) -> [[R; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| values[3 * i + j]))
}
