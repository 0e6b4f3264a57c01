//! The list of all cases.

use super::alike::{Alike, Part};
use super::attenuation::attenuation;
use super::both_methods::both_methods;
use super::decay::{Compared, Decay};
use super::fluids::{sea_bottom, sea_bottom_by_elements, sea_by_both_methods};
use super::globe::{bolivia, pole};
use super::layers::{in_layers, long};
use super::reference::Reference;
use super::simulation::Simulation;
use super::travel_times::travel_times;
use super::whole_earth::{fluid_core, thin_crust, whole_earth};
use super::{Case, Finding, Tier};
use anyhow::Result;
use craton_acquisition::Quantity::{Displacement, Pressure, Velocity};
use craton_physics::{Stiffness, stress_anisotropic, stress_isotropic};

/// Every case, in the order of the table.
pub fn all() -> Vec<Case> {
    let mut cases = vec![isotropic_law_as_21_coefficients()];
    cases.extend(alike());
    cases.extend(full_space());
    cases.extend(half_space());
    cases.extend(sea_bottom_by_elements());
    cases.extend(loh1());
    cases.extend(in_layers());
    cases.extend(local_time_steps());
    cases.extend(long());
    cases.extend(attenuation());
    cases.extend(finite_differences());
    cases.extend(both_methods());
    cases.extend(sea_by_both_methods());
    cases.extend(bolivia());
    cases.push(pole());
    cases.push(fluid_core());
    cases.push(thin_crust());
    cases.extend(whole_earth());
    cases.extend(travel_times());
    cases.sort_by_key(|case| case.tier);
    cases
}

/// A thin layer, whose elements dictate the time step: with local time steps against the same step everywhere, and over 100,000 of the largest steps.
fn local_time_steps() -> [Case; 2] {
    let simulation = Simulation::of("thin_layer").with(&["method.sem.courant=0.475"]);
    let like = Simulation::of("thin_layer").with(&["method.sem.local_time_steps=false"]);
    let why = "the same mesh, and half of the largest step; what differs is the error in time";
    let alike = Alike {
        name: "thin-layer-local-time-steps",
        simulation,
        like,
        tier: Tier::A,
        part: Part::Whole,
        limit: 1e-3,
        why,
    };
    let long = Simulation::of("thin_layer").with(&["duration=2230.0", "output.sample_interval=0.04"]);
    let name = "thin-layer-100000-steps".to_owned();
    let steady = Decay { name, simulation: long, tier: Tier::B, limit: 1.2, compared: Compared::Halves };
    [alike.case(), steady.case()]
}

/// Changes for a receiver that needs a separate box.
pub type Keys = &'static [&'static str];

/// The receiver 390 m from the source of the full space has a small box, the one 13 km away a large one.
const FULL_SPACE_NEAR: Keys = &[
    "receivers.stations=[{ code = 'XX.R4', position = [150.0, 200.0, -10300.0] }]",
    "domain.x=[-3000.0, 3100.0]",
    "domain.y=[-3000.0, 3200.0]",
    "domain.z=[-13200.0, -7100.0]",
    "duration=1.25",
];
const FULL_SPACE_FAR: Keys = &[
    "receivers.stations=[{ code = 'XX.R2', position = [-5000.0, 12000.0, -11500.0] }]",
    "domain.x=[-15000.0, 10000.0]",
    "domain.y=[-7500.0, 19500.0]",
    "domain.z=[-23000.0, 1500.0]",
    "duration=5.0",
];
/// The receiver 8 km away on the half-space has a larger box, so that its Rayleigh wave comes before the first reflection.
const HALF_SPACE_FAR: Keys = &[
    "receivers.stations=[{ code = 'XX.R4', position = [4000.0, 6928.203230275509, 0.0] }]",
    "domain.x=[-6500.0, 10500.0]",
    "domain.y=[-5500.0, 12500.0]",
    "domain.z=[-8500.0, 0.0]",
    "duration=6.0",
];
/// Stations of LOH.1 at 5 and 10 km, each in a box that lets its S waves and most of its surface waves come before the first reflection.
pub const LOH1_MIDDLE: Keys = &[
    "receivers.stations=[{ code = 'XX.R4', position = [4000.0, 3000.0, 0.0] }]",
    "domain.x=[-8400.0, 12400.0]",
    "domain.y=[-8800.0, 11800.0]",
    "domain.z=[-11000.0, 0.0]",
    "duration=3.8",
];
pub const LOH1_FAR: Keys = &[
    "receivers.stations=[{ code = 'XX.R9', position = [8000.0, 6000.0, 0.0] }]",
    "domain.x=[-14000.0, 22000.0]",
    "domain.y=[-15000.0, 21000.0]",
    "domain.z=[-19000.0, 0.0]",
    "duration=6.4",
];

/// The sources of the full space: names of cases, tables and simulations.
fn full_space_sources() -> [(&'static str, &'static str, Simulation); 3] {
    let north = Simulation::of("full_space_force");
    [
        ("full-space-moment", "mt", Simulation::of("full_space_mt")),
        ("full-space-force-north", "fN", north.clone()),
        ("full-space-force-up", "fUp", north.with(&["source[0].force=[0.0, 0.0, 1.0e12]"])),
    ]
}

/// Those of the half-space.
pub fn half_space_sources() -> [(&'static str, &'static str, Simulation); 4] {
    let explosion = Simulation::of("half_space_explosion");
    let deep = ["source[0].position=[0.0, 0.0, -2000.0]"];
    [
        ("half-space-explosion-500m", "ex_d500", explosion.clone()),
        ("half-space-explosion-2000m", "ex_d2000", explosion.with(&deep)),
        ("half-space-double-couple-2000m", "dc_d2000", Simulation::of("half_space_double_couple")),
        ("half-space-force-500m", "fN_d500", Simulation::of("half_space_force")),
    ]
}

/// Closed form.
fn full_space() -> Vec<Case> {
    let of_source = |(name, table, simulation): (&'static str, &str, Simulation)| {
        let against = |simulation: Simulation| Reference {
            name,
            simulation,
            set: "full_space",
            table: table.to_owned(),
            limit: 0.003,
            low_pass: false,
            whole: false,
        };
        let quantities = [Displacement, Velocity];
        let tier = if table == "fUp" { Tier::B } else { Tier::A };
        let middle = against(simulation.clone()).cases(tier, &quantities, &[0, 1, 3]);
        let fine = simulation.clone().with(FULL_SPACE_NEAR).with(&["method.sem.max_frequency=10.0"]);
        let tier = if table == "mt" { Tier::A } else { Tier::B };
        let near = against(fine).cases(tier, &quantities, &[4]);
        let far = against(simulation.with(FULL_SPACE_FAR)).cases(Tier::B, &quantities, &[2]);
        middle.into_iter().chain(near).chain(far).collect::<Vec<_>>()
    };
    full_space_sources().into_iter().flat_map(of_source).collect()
}

/// Two semi-analytic solvers.
fn half_space() -> Vec<Case> {
    let of_source = |(name, table, simulation): (&'static str, &str, Simulation)| {
        let against = |simulation: Simulation| Reference {
            name,
            simulation,
            set: "half_space",
            table: table.to_owned(),
            limit: 0.01,
            low_pass: false,
            whole: false,
        };
        let quantities = [Displacement, Velocity];
        // Shallow sources have the strongest surface waves.
        let tier = if table.ends_with("d500") { Tier::A } else { Tier::B };
        let near = against(simulation.clone()).cases(tier, &quantities, &[0, 1, 2, 3]);
        let far = against(simulation.with(HALF_SPACE_FAR)).cases(Tier::B, &quantities, &[4]);
        near.into_iter().chain(far).collect::<Vec<_>>()
    };
    half_space_sources().into_iter().flat_map(of_source).collect()
}

/// Two solvers that agree to 1e-4.
fn loh1() -> Vec<Case> {
    let near = Simulation::of("loh1");
    let whole = [
        "receivers.stations=[{ code = 'XX.R9', position = [8000.0, 6000.0, 0.0] }]",
        "domain.x=[-22500.0, 30500.0]",
        "domain.y=[-23500.0, 29500.0]",
        "domain.z=[-28000.0, 0.0]",
        "duration=9.0",
        "method.sem.max_frequency=10.0",
    ];
    let against = |name, simulation: Simulation, receiver: usize| Reference {
        name,
        simulation,
        set: "loh1",
        table: format!("station{receiver:02}"),
        limit: 0.015,
        low_pass: true,
        whole: false,
    };
    let case = |name, simulation: &Simulation, tier, receiver: usize| {
        against(name, simulation.clone(), receiver).cases(tier, &[Velocity], &[receiver])
    };
    let mut cases = Vec::new();
    for receiver in [0, 13, 16] {
        cases.extend(case("loh1", &near, Tier::A, receiver));
    }
    cases.extend(case("loh1", &near.clone().with(LOH1_MIDDLE), Tier::B, 4));
    cases.extend(case("loh1", &near.clone().with(LOH1_FAR), Tier::B, 9));
    cases.extend(case("loh1-10-hz-whole-record", &near.with(&whole), Tier::C, 9));
    cases
}

/// A half-space whose sides are periodic, with sponges near them, over a paraxial bottom.
fn half_space_in_sponges() -> Vec<Case> {
    let simulation = Simulation::of("half_space_sponges").by_fd_as_it_is();
    let name = "half-space-in-sponges";
    Reference {
        name,
        simulation,
        set: "half_space",
        table: "ex_d500".to_owned(),
        limit: 0.02,
        low_pass: false,
        whole: false,
    }
    .cases(Tier::B, &[Displacement, Velocity], &[0, 1, 2])
}

/// A monopole in water, without and with a free surface, by finite differences.
fn in_water() -> Vec<Case> {
    const GRID: &str = "max_frequency = 45.0, order = 8, points_per_wavelength = 6.0";
    let unbounded: Keys = &["boundaries.top=absorbing", "domain.z=[-500.0, 200.0]"];
    let of = |(name, table, keys): (&'static str, &str, Keys)| {
        let simulation = Simulation::of("acoustic").with(keys).by_fd(GRID);
        Reference {
            name,
            simulation,
            set: "acoustic",
            table: table.to_owned(),
            limit: 0.005,
            low_pass: false,
            whole: false,
        }
        .cases(Tier::A, &[Pressure], &[100, 200, 300, 400])
    };
    let both = [("monopole-in-water", "p3d_hom", unbounded), ("monopole-below-the-surface", "p3d_free", &[])];
    both.into_iter().flat_map(of).collect()
}

/// The same references by finite differences, with a number of points per wavelength of the highest frequency; more at large distances, because
/// dispersion accumulates.
fn finite_differences() -> Vec<Case> {
    const ORDER_8: &str = "max_frequency = 5.0, order = 8, points_per_wavelength = 6.0";
    const FINE: &str = "max_frequency = 10.0, order = 8, points_per_wavelength = 6.0";
    const ORDER_4: &str = "max_frequency = 5.0, points_per_wavelength = 10.0";
    const FAR: &str = "max_frequency = 5.0, points_per_wavelength = 18.0";
    let against = |name, simulation: Simulation, keys, set, table: &str, limit| Reference {
        name,
        simulation: simulation.by_fd(keys),
        set,
        table: table.to_owned(),
        limit,
        low_pass: set == "loh1",
        whole: false,
    };
    let both = [Displacement, Velocity];
    let mut cases = half_space_in_sponges();
    cases.extend(in_water());
    cases.extend(sea_bottom());
    for (name, table, simulation) in full_space_sources() {
        let tier = if table == "mt" { Tier::A } else { Tier::B };
        let full = |simulation, keys| against(name, simulation, keys, "full_space", table, 0.01);
        cases.extend(full(simulation.clone(), ORDER_8).cases(tier, &both, &[0, 1, 3]));
        cases.extend(full(simulation.clone().with(FULL_SPACE_NEAR), FINE).cases(Tier::B, &both, &[4]));
        cases.extend(full(simulation.with(FULL_SPACE_FAR), ORDER_8).cases(Tier::B, &both, &[2]));
    }
    let fourth =
        against("full-space-moment-order-4", Simulation::of("full_space_mt"), ORDER_4, "full_space", "mt", 0.01);
    cases.extend(fourth.cases(Tier::B, &both, &[0, 1, 3]));
    for (name, table, simulation) in half_space_sources() {
        let half = |simulation, keys| against(name, simulation, keys, "half_space", table, 0.02);
        cases.extend(half(simulation.clone(), ORDER_4).cases(Tier::B, &both, &[0, 1, 2, 3]));
        cases.extend(half(simulation.with(HALF_SPACE_FAR), FAR).cases(Tier::C, &both, &[4]));
    }
    let near: Keys = &[];
    for (receiver, keys, tier) in [
        (0, near, Tier::B),
        (13, near, Tier::B),
        (16, near, Tier::B),
        (4, LOH1_MIDDLE, Tier::C),
        (9, LOH1_FAR, Tier::C),
    ] {
        let simulation = Simulation::of("loh1").with(keys);
        let loh1 = against("loh1", simulation, ORDER_4, "loh1", &format!("station{receiver:02}"), 0.03);
        cases.extend(loh1.cases(tier, &[Velocity], &[receiver]));
    }
    cases
}

/// Comparisons of equivalent simulations of Craton, in a small box.
fn alike() -> Vec<Case> {
    let small = Simulation::of("half_space_double_couple").with(&[
        "domain.x=[-2000.0, 3000.0]",
        "domain.y=[-2000.0, 3000.0]",
        "domain.z=[-4000.0, 0.0]",
        "duration=3.0",
        "receivers.stations=[{ code = 'XX.R0', position = [250.0, 433.0127018922193, 0.0] }, \
         { code = 'XX.R2', position = [1000.0, 1732.0508075688772, 0.0] }]",
    ]);
    let same_solid = "vp = 3200.0, vs = 1847.5, rho = 2200.0";
    let curved = format!(
        "model={{ layered = {{ layers = [{{ top = 0.0, {same_solid} }}, {{ top = 'bump.asc', {same_solid} }}] }} }}"
    );
    let over_soft = small.clone().with(&[
        "model={ layered = { layers = [{ top = 0.0, vp = 2000.0, vs = 1000.0, rho = 2000.0 }, \
         { top = -500.0, vp = 4400.0, vs = 2500.0, rho = 2400.0 }] } }",
        "method.sem.max_frequency=6.0",
    ]);
    let twenty_one = format!("model={{ homogeneous = {{ rho = 2200.0, stiffness = {:?} }} }}", upper_triangle());
    let curved = small.clone().with(&[&curved]);
    [
        same(
            "isotropic-run-as-21-coefficients",
            small.clone().with(&[&twenty_one]),
            small.clone(),
            1e-4,
            "the same solid by another law: round-off of single precision remains",
        ),
        same(
            "deformed-mesh-8-nodes",
            curved.clone(),
            small.clone(),
            0.01,
            "elements bent along a hidden curved interface: the space error of both meshes remains",
        ),
        same(
            "deformed-mesh-27-nodes",
            curved.with(&["method.sem.control_nodes=27"]),
            small.clone(),
            0.01,
            "the same with curved elements",
        ),
        same(
            "doubled-mesh",
            over_soft.clone(),
            over_soft.with(&["method.sem.doubling=false"]),
            2e-3,
            "elements that grow by doubling below a soft layer against small ones throughout",
        ),
        same(
            "time-step-095-against-02",
            small.clone(),
            small.with(&["method.sem.courant=0.2"]),
            5e-4,
            "the time dispersion that is left after its removal",
        ),
    ]
    .into()
}

/// A case of two simulations whose whole records should not differ.
fn same(name: &'static str, simulation: Simulation, like: Simulation, limit: f64, why: &'static str) -> Case {
    Alike { name, simulation, like, tier: Tier::A, part: Part::Whole, limit, why }.case()
}

/// The solid of the half-space by its 21 stiffnesses [Pa].
fn upper_triangle() -> [f64; 21] {
    let (vp, vs, rho) = (3200.0f64, 1847.5f64, 2200.0);
    let mu = rho * vs * vs;
    Stiffness::isotropic(rho * vp * vp - 2.0 * mu, mu).0
}

/// The stress of the isotropic law in double precision against that of the general law in single precision, for simple shears and stretches.
fn isotropic_law_as_21_coefficients() -> Case {
    Case {
        name: "isotropic-law-as-21-coefficients".to_owned(),
        method: "law",
        tier: Tier::A,
        limit: 1e-6,
        run: Box::new(|_| law_misfit()),
    }
}

fn law_misfit() -> Result<Finding> {
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
