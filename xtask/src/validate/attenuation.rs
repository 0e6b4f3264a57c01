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
    cases.extend(loh3(&near.clone().with(LOH1_MIDDLE), Tier::B, 4));
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
    cases.extend(oblique());
    cases
}

/// A force and a moment tensor in a full space, for several quality factors, by both methods.
fn oblique() -> Vec<Case> {
    const MOMENT: &str = "source=[{ position = [10.0, 10.0, 10.0], of = 'history', time_function.ricker = { frequency = 18.0, centre = 0.1 }, \
                          moment_tensor = { xx = 1.0, yy = -0.4, zz = 0.3, yz = 0.9, xz = -0.7, xy = 0.5 } }]";
    const Q40: [&str; 2] = ["model.homogeneous.qp=60.0", "model.homogeneous.qs=40.0"];
    const Q100: [&str; 2] = ["model.homogeneous.qp=150.0", "model.homogeneous.qs=100.0"];
    const CASES: [(&str, [&str; 2], Keys); 6] = [
        ("force_q20", ["force-q20-sem", "force-q20-fd"], &[]),
        ("force_q40", ["force-q40-sem", "force-q40-fd"], &Q40),
        ("force_q100", ["force-q100-sem", "force-q100-fd"], &Q100),
        ("moment_q20", ["moment-q20-sem", "moment-q20-fd"], &[MOMENT]),
        ("moment_q40", ["moment-q40-sem", "moment-q40-fd"], &[MOMENT, Q40[0], Q40[1]]),
        ("moment_q100", ["moment-q100-sem", "moment-q100-fd"], &[MOMENT, Q100[0], Q100[1]]),
    ];
    let of = |(table, names, keys): (&str, [&'static str; 2], Keys)| {
        let simulation = Simulation::of("viscoelastic_oblique").with(keys);
        let by = |name, simulation, limit| {
            let (set, table) = ("viscoelastic", table.to_owned());
            Reference { name, simulation, set, table, limit, low_pass: false, whole: true }
        };
        let elements = by(names[0], simulation.clone().with(&["method.sem.degree=5"]), 0.005);
        let grid = by(names[1], simulation.by_fd("max_frequency = 60.0, order = 8"), 0.01);
        [elements, grid].into_iter().flat_map(|case| case.cases(Tier::B, &[Displacement], &[0])).collect::<Vec<_>>()
    };
    CASES.into_iter().flat_map(of).collect()
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
