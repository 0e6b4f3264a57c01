//! Sources in water and rock next to a flat sea bottom.

use super::alike::{Alike, Part};
use super::reference::Reference;
use super::simulation::Simulation;
use super::stairs::Stairs;
use super::{Case, Tier};
use craton_acquisition::Quantity::{self, Pressure, Velocity};

/// Hydrophones alone.
const WATER: &str = "receivers.quantities=['pressure']";
/// A force in the rock.
const FORCE: &str = "source=[{ position = [0.0, 0.0, -200.0], force = [0.0, 0.0, 1.0e9], time_function = { ricker = { frequency = 10.0, centre = 0.15 } } }]";
/// Receivers at 200 m.
const NEAR: &str = "receivers.stations=[{ code = 'XX.R50', position = [200.0, 0.0, 50.0] }, \
                { code = 'XX.R0', position = [200.0, 0.0, 0.0] }, { code = 'XX.R1', position = [200.0, 0.0, -50.0] }]";

/// A layer of water, in a box of spectral elements from whose sides nothing returns in time.
const LAYER: [&str; 8] = [
    "domain.x=[-1500.0, 1900.0]",
    "domain.y=[-1500.0, 1500.0]",
    "domain.z=[-1500.0, 500.0]",
    "boundaries.top=free",
    "model.layered.layers=[{ top = 500.0, vp = 1500.0, vs = 0.0, rho = 1020.0 }, { top = 0.0, vp = 3200.0, vs = 1847.5, rho = 2200.0 }]",
    "source[0].position=[0.0, 0.0, 450.0]",
    "receivers.stations=[{ code = 'XX.R250', position = [400.0, 0.0, 250.0] }, { code = 'XX.R0', position = [400.0, 0.0, 0.0] }]",
    "duration=2.0",
];

/// Sources in water and rock next to a flat sea bottom, by finite differences. Receiver 0 is on the bottom: pressure in the water, motion of the rock.
pub fn sea_bottom() -> Vec<Case> {
    let of = |name, table: &str, keys: &[&str], limit, quantities: &[Quantity], receivers: &[usize]| {
        let simulation = Simulation::of("sea_bottom").with(keys).by_fd_as_it_is();
        let table = table.to_owned();
        Reference { name, simulation, set: "fluid_solid", table, limit, low_pass: false, whole: true }.cases(
            Tier::B,
            quantities,
            receivers,
        )
    };
    let above = [NEAR, "source[0].position=[0.0, 0.0, 100.0]", "duration=0.8"];
    let below = [NEAR, FORCE, "duration=0.8", WATER];
    let layer = [
        "domain.z=[-350.0, 500.0]",
        "boundaries.top=free",
        "model.layered.layers=[{ top = 500.0, vp = 1500.0, vs = 0.0, rho = 1020.0 }, { top = 0.0, vp = 3200.0, vs = 1847.5, rho = 2200.0 }]",
        "source[0].position=[0.0, 0.0, 450.0]",
        "receivers.stations=[{ code = 'XX.R250', position = [400.0, 0.0, 250.0] }, { code = 'XX.R0', position = [400.0, 0.0, 0.0] }]",
        "duration=2.0",
    ];
    let mut cases = of("scholte-wave", "sea_b_400", &[], 0.02, &[Velocity], &[0, 1]);
    cases.extend(of("scholte-wave", "sea_b_400", &[], 0.02, &[Pressure], &[50]));
    cases.extend(of("explosion-above-the-bottom", "sea_a_200", &above, 0.01, &[Velocity], &[0, 1]));
    cases.extend(of("explosion-above-the-bottom", "sea_a_200", &above, 0.01, &[Pressure], &[50]));
    cases.extend(of("force-below-the-bottom", "sea_c_200", &below, 0.01, &[Pressure], &[0, 50]));
    cases.extend(of("layer-of-water", "sea_d_400", &layer, 0.02, &[Pressure], &[0, 250]));
    cases.extend(of("layer-of-water", "sea_d_400", &layer, 0.02, &[Velocity], &[0]));
    cases
}

/// The same by spectral elements, in boxes from whose sides nothing returns in time.
pub fn sea_bottom_by_elements() -> Vec<Case> {
    const UNBOUNDED: [&str; 4] = [
        "domain.x=[-900.0, 1300.0]",
        "domain.y=[-900.0, 900.0]",
        "domain.z=[-900.0, 900.0]",
        "model.layered.layers=[{ top = 900.0, vp = 1500.0, vs = 0.0, rho = 1020.0 }, { top = 0.0, vp = 3200.0, vs = 1847.5, rho = 2200.0 }]",
    ];
    let of = |name, table: &str, points: f64, keys: &[&str], quantities: &[Quantity], receivers: &[usize]| {
        let method = format!("method={{ sem = {{ max_frequency = 30.0, points_per_wavelength = {points} }} }}");
        let simulation = Simulation::of("sea_bottom").with(&UNBOUNDED).with(keys).with(&[&method]);
        let reference = Reference {
            name,
            simulation,
            set: "fluid_solid",
            table: table.to_owned(),
            limit: 0.01,
            low_pass: false,
            whole: false,
        };
        reference.cases(Tier::B, quantities, receivers)
    };
    let explosion = [NEAR, "source[0].position=[0.0, 0.0, 100.0]", "duration=0.8"];
    let mut cases = of("explosion-above-the-bottom", "sea_a_200", 4.0, &explosion, &[Velocity], &[0, 1]);
    cases.extend(of("explosion-above-the-bottom", "sea_a_200", 4.0, &explosion, &[Pressure], &[50]));
    cases.extend(of(
        "force-below-the-bottom",
        "sea_c_200",
        4.0,
        &[NEAR, FORCE, "duration=0.8", WATER],
        &[Pressure],
        &[0, 50],
    ));
    // The Scholte wave is shorter than the body waves.
    cases.extend(of("scholte-wave", "sea_b_400", 5.0, &[], &[Velocity], &[0, 1]));
    cases.extend(of("scholte-wave", "sea_b_400", 5.0, &[], &[Pressure], &[50]));
    cases.extend(of("layer-of-water", "sea_d_400", 4.0, &LAYER, &[Pressure], &[0, 250]));
    cases.extend(of("layer-of-water", "sea_d_400", 4.0, &LAYER, &[Velocity], &[0]));
    cases
}

/// Scenarios with water by finite differences against spectral elements.
pub fn sea_by_both_methods() -> [Case; 2] {
    let elements = Simulation::of("sea_bottom")
        .with(&LAYER)
        .with(&["method={ sem = { max_frequency = 30.0, points_per_wavelength = 4.0 } }"]);
    let box_of_grid = ["domain.x=[-400.0, 800.0]", "domain.y=[-400.0, 400.0]", "domain.z=[-350.0, 500.0]"];
    let cells = "max_frequency = 30.0, points_per_wavelength = 7.0, order = 8";
    let layer = Alike {
        name: "layer-of-water-by-both-methods",
        simulation: elements.clone().with(&box_of_grid).by_fd(cells),
        like: elements,
        tier: Tier::B,
        part: Part::BeforeReflections,
        limit: 0.02,
        why: "water with a free surface over rock",
    };
    [layer.case(), slope().case()]
}

/// The sloping sea bottom of the example between rigid sides, along faces of elements and as a staircase of cells.
fn slope() -> Stairs {
    let spacing = [62.5, 125.0 / 3.0, 31.25];
    let elements = "max_frequency = 2.4, points_per_wavelength = 5.0, control_nodes = 27";
    let like = Simulation::of_example("ocean", elements).with(&[
        "duration=4.0",
        "source[0].time_function.ricker={ frequency = 1.0 }",
        "receivers={ line = [{ code = 'XX.H', from = [2000.0, 3000.0, -400.0], to = [7000.0, 3000.0, -400.0], count = 6 }] }",
        "output.sample_interval=0.02",
        "output.snapshots={}",
        "boundaries={ x_min = 'rigid', x_max = 'rigid', y_min = 'rigid', y_max = 'rigid', bottom = 'rigid' }",
    ]);
    let with_cells = |edge: f64| like.clone().by_fd(&format!("max_frequency = 2.4, order = 4, grid_spacing = {edge}"));
    Stairs {
        name: "slope-of-the-sea-by-both-methods",
        by_fd: spacing.map(with_cells),
        spacing,
        like: like.clone(),
        tier: Tier::C,
        limit: 0.15,
    }
}
