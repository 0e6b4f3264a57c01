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
    cases.extend(on_grids(force));
    cases
}

/// The same by finite differences, with one mechanism per point and with all.
fn on_grids(force: impl Fn(&'static str, Keys, f64) -> Reference) -> Vec<Case> {
    let memories =
        [("coarse", "viscoelastic-force-coarse", "loh3-coarse"), ("full", "viscoelastic-force-full", "loh3-full")];
    let of = |(memory, force_name, loh3_name): (&str, &'static str, &'static str)| {
        let keys = format!("max_frequency = 60.0, order = 8, memory = '{memory}'");
        let in_full_space = force(force_name, &[], 0.005);
        let simulation = in_full_space.simulation.clone().by_fd(&keys);
        let mut cases = Reference { simulation, ..in_full_space }.cases(Tier::B, &[Displacement], &[0]);
        for receiver in [0, 13, 16] {
            let keys = format!("max_frequency = 5.0, order = 8, memory = '{memory}'");
            let loh3 = Reference {
                name: loh3_name,
                simulation: Simulation::of("loh3").by_fd(&keys),
                set: "loh3",
                table: format!("station{receiver:02}"),
                limit: 0.03,
                low_pass: true,
                whole: false,
            };
            cases.extend(loh3.cases(Tier::B, &[Velocity], &[receiver]));
        }
        cases
    };
    memories.into_iter().flat_map(of).collect()
}
