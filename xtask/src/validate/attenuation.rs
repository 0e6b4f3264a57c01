//! Cases with attenuation.

use super::cases::{Keys, LOH1_FAR, LOH1_MIDDLE};
use super::reference::Reference;
use super::simulation::Simulation;
use super::{Case, Tier};
use craton_acquisition::Quantity::{Displacement, Velocity};

/// Media with attenuation: LOH.3 against a semi-analytic solver, and a force in a full space against the closed form with complex moduli.
pub fn attenuation() -> Vec<Case> {
    let near = Simulation::of("loh3");
    let loh3 = |simulation: &Simulation, tier, receiver: usize| {
        let simulation = simulation.clone();
        let table = format!("station{receiver:02}");
        let (name, set) = ("loh3", "loh3");
        Reference { name, simulation, set, table, limit: 0.015, low_pass: true, whole: false }.cases(
            tier,
            &[Velocity],
            &[receiver],
        )
    };
    let mut cases: Vec<Case> = [0, 13, 16].into_iter().flat_map(|receiver| loh3(&near, Tier::A, receiver)).collect();
    cases.extend(loh3(&near.clone().with(LOH1_MIDDLE), Tier::A, 4));
    // Over 10 km, the errors of memory at some points of elements accumulate; degree 5 has it at all points.
    let accurate = ["method.sem.degree=5", "method.sem.points_per_wavelength=5.0"];
    cases.extend(loh3(&near.with(LOH1_FAR).with(&accurate), Tier::B, 9));
    let force = |name, keys: Keys, limit| Reference {
        name,
        simulation: Simulation::of("viscoelastic_force").with(keys),
        set: "viscoelastic",
        table: "force".to_owned(),
        limit,
        low_pass: false,
        whole: true,
    };
    const SHIFTED: Keys = &["domain.x=[-312.0, 568.0]", "domain.z=[-352.0, 388.0]"];
    cases.extend(force("viscoelastic-force", &[], 0.005).cases(Tier::A, &[Displacement], &[0]));
    cases.extend(force("viscoelastic-force-shifted", SHIFTED, 0.01).cases(Tier::A, &[Displacement], &[0]));
    cases
}
