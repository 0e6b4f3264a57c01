//! The laws on a staggered grid as functions of flat lists of values.

use super::functions::{DeviceFunction, Visitor};
use super::print::Argument;
use crate::real::Real;
use crate::staggered::{
    acoustic_rate, edge_modulus, face_buoyancy, mixed_slopes, normal_stress_rates, relax_pressure, relax_stress,
    relaxing_normal_rates, relaxing_shear_rate, shear_stress_rate,
};

/// Visits the laws on a staggered grid.
pub(super) fn visit_staggered(visitor: &mut impl Visitor) {
    visitor.visit::<EdgeModulus>();
    visitor.visit::<FaceBuoyancy>();
    visitor.visit::<NormalStressRates>();
    visitor.visit::<ShearStressRate>();
    visitor.visit::<MixedSlopes>();
    visitor.visit::<RelaxingNormalRates>();
    visitor.visit::<RelaxingShearRate>();
    visitor.visit::<RelaxStress>();
    visitor.visit::<RelaxPressure>();
    visitor.visit::<AcousticRate<1>>();
    visitor.visit::<AcousticRate<2>>();
    visitor.visit::<AcousticRate<3>>();
}

struct EdgeModulus;

impl DeviceFunction for EdgeModulus {
    const SUMMARY: &'static str = "Shear modulus at an edge from 1/mu of its four cells.";

    fn name() -> String {
        "edge_modulus".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![Argument::new("inverse_mu", &[4])]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("mu", &[])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        vec![edge_modulus([inputs[0], inputs[1], inputs[2], inputs[3]])]
    }
}

struct FaceBuoyancy;

impl DeviceFunction for FaceBuoyancy {
    const SUMMARY: &'static str = "Buoyancy at a face from the densities of its two cells.";

    fn name() -> String {
        "face_buoyancy".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![Argument::new("rho", &[2])]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("buoyancy", &[])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        vec![face_buoyancy([inputs[0], inputs[1]])]
    }
}

struct NormalStressRates;

impl DeviceFunction for NormalStressRates {
    const SUMMARY: &'static str = "Rates of the normal stresses from slopes[i] = dv_i/dx_i.";

    fn name() -> String {
        "normal_stress_rates".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![Argument::new("lambda", &[]), Argument::new("inverse_mu", &[]), Argument::new("slopes", &[3])]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("rates", &[3])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        normal_stress_rates(inputs[0], inputs[1], [inputs[2], inputs[3], inputs[4]]).to_vec()
    }
}

struct MixedSlopes;

impl DeviceFunction for MixedSlopes {
    const SUMMARY: &'static str =
        "Derivatives with which the isotropic law gives the normal stresses of a cell with several solids.";

    fn name() -> String {
        "mixed_slopes".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![Argument::new("mixing", &[9]), Argument::new("slopes", &[3])]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("mixed", &[3])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let (mixing, slopes) = inputs.split_at(9);
        mixed_slopes(std::array::from_fn(|m| mixing[m]), std::array::from_fn(|c| slopes[c])).to_vec()
    }
}

struct ShearStressRate;

impl DeviceFunction for ShearStressRate {
    const SUMMARY: &'static str = "Rate of a shear stress from dv_i/dx_j and dv_j/dx_i.";

    fn name() -> String {
        "shear_stress_rate".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![Argument::new("mu", &[]), Argument::new("slopes", &[2])]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("rate", &[])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        vec![shear_stress_rate(inputs[0], [inputs[1], inputs[2]])]
    }
}

struct RelaxingNormalRates;

impl DeviceFunction for RelaxingNormalRates {
    const SUMMARY: &'static str = "Rates of the normal stresses that a mechanism relaxes, from slopes[i] = dv_i/dx_i.";

    fn name() -> String {
        "relaxing_normal_rates".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![
            Argument::new("lambda", &[]),
            Argument::new("inverse_mu", &[]),
            Argument::new("losses", &[2]),
            Argument::new("polynomials", &[2, 3]),
            Argument::new("slopes", &[3]),
        ]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("rates", &[3])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let polynomials = [0, 1].map(|modulus| std::array::from_fn(|power| inputs[4 + 3 * modulus + power]));
        let (losses, slopes) = ([inputs[2], inputs[3]], [inputs[10], inputs[11], inputs[12]]);
        relaxing_normal_rates(inputs[0], inputs[1], losses, polynomials, slopes).to_vec()
    }
}

struct RelaxingShearRate;

impl DeviceFunction for RelaxingShearRate {
    const SUMMARY: &'static str = "Rate of the shear stress that a mechanism relaxes at an edge between four cells.";

    fn name() -> String {
        "relaxing_shear_rate".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![
            Argument::new("mu", &[]),
            Argument::new("losses", &[4]),
            Argument::new("polynomial", &[3]),
            Argument::new("slopes", &[2]),
        ]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("rate", &[])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let losses = std::array::from_fn(|cell| inputs[1 + cell]);
        let polynomial = std::array::from_fn(|power| inputs[5 + power]);
        vec![relaxing_shear_rate(inputs[0], losses, polynomial, [inputs[8], inputs[9]])]
    }
}

struct RelaxStress;

impl DeviceFunction for RelaxStress {
    const SUMMARY: &'static str = "Advances a memory variable; additional change of its stress.";

    fn name() -> String {
        "relax_stress".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        ["decay", "change", "memory"].map(|name| Argument::new(name, &[])).to_vec()
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("moved", &[]), Argument::new("relaxed", &[])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        relax_stress(inputs[0], inputs[1], inputs[2]).to_vec()
    }
}

struct RelaxPressure;

impl DeviceFunction for RelaxPressure {
    const SUMMARY: &'static str = "Advances the memory variable of a fluid; additional change of pressure.";

    fn name() -> String {
        "relax_pressure".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![
            Argument::new("decay", &[]),
            Argument::new("loss", &[]),
            Argument::new("polynomial", &[3]),
            Argument::new("change", &[]),
            Argument::new("memory", &[]),
        ]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("moved", &[]), Argument::new("relaxed", &[])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let polynomial = std::array::from_fn(|power| inputs[2 + power]);
        relax_pressure(inputs[0], inputs[1], polynomial, inputs[5], inputs[6]).to_vec()
    }
}

struct AcousticRate<const D: usize>;

impl<const D: usize> DeviceFunction for AcousticRate<D> {
    const SUMMARY: &'static str =
        "Rate of an acoustic field from derivatives: of a velocity component from one, of pressure from all.";

    fn name() -> String {
        format!("acoustic_rate_{D}")
    }

    fn inputs() -> Vec<Argument> {
        vec![Argument::new("factor", &[]), Argument::new("slopes", &[D])]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("rate", &[])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        vec![acoustic_rate::<R, D>(inputs[0], std::array::from_fn(|i| inputs[1 + i]))]
    }
}
