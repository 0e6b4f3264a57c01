//! Comparisons of finite differences with spectral elements, and cases for finite differences only.

use super::alike::{Alike, Part};
use super::decay::{Compared, Decay};
use super::simulation::Simulation;
use super::stairs::Stairs;
use super::{Case, Tier};

/// All cases of both methods.
pub fn both_methods() -> Vec<Case> {
    let mut cases: Vec<Case> = half_spaces().into_iter().map(Alike::case).collect();
    cases.extend([two_layers().case(), grazing().case()]);
    cases.extend([
        valley("valley-by-both-methods", [80.0, 160.0 / 3.0, 40.0], Tier::B, 0.1).case(),
        valley("fine-valley-by-both-methods", [40.0, 80.0 / 3.0, 20.0], Tier::C, 0.05).case(),
    ]);
    cases
}

/// A scenario by finite differences against spectral elements.
fn against(name: &'static str, scenario: &Simulation, keys: &str, why: &'static str) -> Alike {
    let (simulation, like) = (scenario.clone().by_fd(keys), scenario.clone());
    Alike { name, simulation, like, tier: Tier::B, part: Part::BeforeReflections, limit: 0.02, why }
}

/// Half-spaces: traces until the first reflection from a side of the box of spectral elements.
fn half_spaces() -> [Alike; 5] {
    const RESOLVED: &[&str] = &["source[0].time_function.gaussian={ sigma = 0.1, centre = 0.6 }"];
    let half_space = Simulation::of("half_space_double_couple");
    let [loh1, loh3] = ["loh1", "loh3"].map(|name| Simulation::of(name).with(RESOLVED));
    let whole = Simulation::of_example("two_layers", "max_frequency = 4.0, points_per_wavelength = 4.5")
        .with(&["output.sample_interval=0.02"]);
    let between_cells = "max_frequency = 5.0, order = 8, points_per_wavelength = 6.0";
    [
        against(
            "half-space-by-both-methods",
            &half_space,
            "max_frequency = 5.0, points_per_wavelength = 10.0",
            "a free surface on a grid of order 4 against elements",
        ),
        against(
            "loh1-by-both-methods",
            &loh1,
            between_cells,
            "a source that grid and mesh resolve; an interface between cells, and along faces of elements",
        ),
        against(
            "loh3-by-both-methods",
            &loh3,
            between_cells,
            "the same with attenuation: memory variables at some points of elements, and of one mechanism per grid point",
        ),
        against(
            "loh1-cut-by-both-methods",
            &loh1,
            "max_frequency = 5.0, order = 8, points_per_wavelength = 6.2",
            "the same with an interface in the middle of cells",
        ),
        Alike {
            tier: Tier::C,
            part: Part::Below(3.0),
            ..against(
                "two-layers-whole-by-both-methods",
                &whole,
                "max_frequency = 4.0, order = 8, grid_spacing = 50.0",
                "their box and pulse, below 3 Hz, which the pulse goes beyond; cells half as large as theirs",
            )
        },
    ]
}

/// The two layers of Michéa and Komatitsch (2010) at lower frequencies.
fn two_layers() -> Alike {
    // The sides of the box of elements reflect more, so it is large enough that no reflections arrive; the layers of the grid may be near.
    let near = Simulation::of_example("two_layers", "max_frequency = 2.1, points_per_wavelength = 5.0").with(&[
        "duration=6.5",
        "output.sample_interval=0.02",
        "source[0].time_function.gaussian={ sigma = 0.25, centre = 1.0 }",
        "domain.x=[-10500.0, 22500.0]",
        "domain.y=[-9500.0, 23500.0]",
        "domain.z=[-18000.0, 0.0]",
    ]);
    let small = ["domain.x=[-4000.0, 16000.0]", "domain.y=[-2000.0, 16000.0]", "domain.z=[-9000.0, 0.0]"];
    Alike {
        name: "two-layers-by-both-methods",
        simulation: near.clone().with(&small).by_fd("max_frequency = 2.1, order = 8, grid_spacing = 100.0"),
        like: near,
        tier: Tier::B,
        part: Part::BeforeReflections,
        limit: 0.02,
        why: "the layers, cells, source and station of Michéa and Komatitsch (2010) in a smaller box, with a longer pulse",
    }
}

/// A valley with a staircase surface between rigid sides: without absorption, the whole records solve the same problem.
fn valley(name: &'static str, spacing: [f64; 3], tier: Tier, limit: f64) -> Stairs {
    let elements = "max_frequency = 2.4, points_per_wavelength = 5.0, control_nodes = 27";
    let like = Simulation::of_example("valley", elements).with(&[
        "duration=3.5",
        "source[0].time_function.ricker={ frequency = 1.0 }",
        "output.sample_interval=0.02",
        "output.snapshots={}",
        "boundaries={ x_min = 'rigid', x_max = 'rigid', y_min = 'rigid', y_max = 'rigid', bottom = 'rigid' }",
    ]);
    let with_cells = |edge: f64| like.clone().by_fd(&format!("max_frequency = 2.4, order = 4, grid_spacing = {edge}"));
    Stairs { name, by_fd: spacing.map(with_cells), spacing, like: like.clone(), tier, limit }
}

/// A thin slab in layers, along which waves travel at grazing incidence, for 50,000 steps: the test of Komatitsch and Martin (2007).
fn grazing() -> Decay {
    let keys = "max_frequency = 18.0, grid_spacing = 10.0, time_step = 0.0014, time_dispersion_correction = false";
    let simulation = Simulation::of("slab").by_fd(keys);
    let name = "layers-at-grazing-incidence".to_owned();
    Decay { name, simulation, tier: Tier::B, limit: 1e-7, compared: Compared::LastTenth }
}
