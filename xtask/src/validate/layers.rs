//! Absorbing layers of spectral elements: whole records in small boxes, and decay over 50,000 steps.

use super::cases::{Keys, half_space_sources};
use super::decay::{Compared, Decay};
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

/// The thin box with other media, and durations of at least 50,000 steps.
const LONG: [(&str, Keys); 8] = [
    ("poissons-ratio-0", &["model.homogeneous.vp=1420.0", "duration=300.0"]),
    ("poissons-ratio-0.25", &["duration=275.0"]),
    ("poissons-ratio-0.45", &["model.homogeneous.vp=3316.62", "duration=130.0"]),
    ("poissons-ratio-0.49", &["model.homogeneous.vp=7141.43", "duration=60.0"]),
    ("hills", &["domain.topography='hills.asc'", SOFT_HILLS, "duration=190.0"]),
    ("water-beside-rock", &[BEACH, "duration=33.0"]),
    ("permanent-displacement", &["method.sem.absorbing.cpml.permanent_displacement=true", "duration=275.0"]),
    ("tilted-shale", &[SHALE, "duration=190.0"]),
];
const SOFT_HILLS: &str = "model={ layered = { layers = [{ vp = 1900.0, vs = 1000.0, rho = 1900.0 }, \
                          { top = -95.0, vp = 2600.0, vs = 1500.0, rho = 2200.0 }] } }";
const BEACH: &str = "model={ layered = { layers = [{ vp = 1480.0, vs = 0.0, rho = 1000.0 }, \
                     { top = 'beach.asc', vp = 2600.0, vs = 1500.0, rho = 2200.0 }] } }";
/// Waves of a tilted shale are backward at the sides, so their layers are sponges.
const SHALE: &str = "model.homogeneous={ vp = 1700.0, vs = 900.0, rho = 2400.0, \
                     thomsen = { epsilon = 0.33, delta = 0.1, gamma = 0.4, tilt = 40.0, azimuth = 25.0 } }";

/// Long records in a thin box: the wavefield decays and never grows.
pub fn long() -> Vec<Case> {
    let case = |(name, keys): (&'static str, Keys)| {
        let simulation = Simulation::of("thin_box").with(keys);
        let name = format!("layers-50000-steps-{name}");
        Decay { name, simulation, tier: Tier::B, limit: 1e-5, compared: Compared::LastTenth }.case()
    };
    LONG.into_iter().map(case).collect()
}
