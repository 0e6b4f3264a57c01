//! Whole records in small boxes with absorbing layers of spectral elements.

use super::cases::{Keys, half_space_sources};
use super::reference::Reference;
use super::simulation::Simulation;
use super::{Case, Tier};
use craton_acquisition::Quantity::{Displacement, Velocity};

/// Whole records of LOH.1 in boxes that end next to the source and the receivers, surrounded by absorbing layers.
const LOH1_LAYERS: Keys = &[
    "method.sem.absorbing={ cpml = {} }",
    "domain.x=[-400.0, 1200.0]",
    "domain.y=[-400.0, 1000.0]",
    "domain.z=[-2800.0, 0.0]",
    "duration=9.0",
];
/// The same for the half-space.
const HALF_SPACE_LAYERS: Keys = &[
    "method.sem.absorbing={ cpml = { permanent_displacement = true } }",
    "domain.x=[-400.0, 2300.0]",
    "domain.y=[-400.0, 3800.0]",
    "domain.z=[-2600.0, 0.0]",
    "duration=6.0",
];
const LOH1_LAYERS_FAR: Keys = &[
    "receivers.stations=[{ code = 'XX.R9', position = [8000.0, 6000.0, 0.0] }]",
    "method.sem.absorbing={ cpml = {} }",
    "domain.x=[-400.0, 8400.0]",
    "domain.y=[-400.0, 6400.0]",
    "domain.z=[-2800.0, 0.0]",
    "duration=9.0",
];

/// LOH.1 and the half-space.
pub fn in_layers() -> Vec<Case> {
    let mut cases = Vec::new();
    for receiver in [0, 13, 16] {
        cases.extend(loh1(LOH1_LAYERS, Tier::A, receiver));
    }
    cases.extend(loh1(LOH1_LAYERS_FAR, Tier::B, 9));
    cases.extend(half_space());
    cases
}

fn loh1(keys: Keys, tier: Tier, receiver: usize) -> Vec<Case> {
    let own = Reference {
        name: "loh1-in-layers-whole-record",
        simulation: Simulation::of("loh1").with(keys),
        set: "loh1",
        table: format!("station{receiver:02}"),
        limit: 0.015,
        low_pass: true,
        whole: true,
    };
    own.cases(tier, &[Velocity], &[receiver])
}

/// An explosion at 500 m and a double couple at 2000 m.
fn half_space() -> Vec<Case> {
    let in_layers = |(name, table, simulation): (&str, &str, Simulation)| {
        let is_explosion = name.contains("explosion");
        let own = Reference {
            name: if is_explosion { "half-space-explosion-in-layers" } else { "half-space-double-couple-in-layers" },
            simulation: simulation.with(HALF_SPACE_LAYERS),
            set: "half_space",
            table: table.to_owned(),
            limit: 0.01,
            low_pass: false,
            whole: true,
        };
        own.cases(Tier::A, &[Displacement, Velocity], &[0, 1, 2, 3])
    };
    half_space_sources().into_iter().step_by(2).flat_map(in_layers).collect()
}
