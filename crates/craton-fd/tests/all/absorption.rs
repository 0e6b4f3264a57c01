//! Reflections from absorbing sides.

use crate::common::*;
use craton_fd::{
    AbsorbingLayer, Boundaries, Field, Material, Medium, PointSource, Probe, ProbeQuantity, Side, SourceMechanism,
    Sponge,
};

const H: f64 = 10.0;
const F0: f64 = 20.0;

/// Traces of a force in a box of `cells` that starts at cell `first`, with the given sides.
fn traces(
    cells: [usize; 3],
    first: [f64; 3],
    boundaries: Boundaries,
    probes: &[[f64; 3]],
    dt: f64,
    steps: usize,
) -> Vec<f64> {
    let mut grid = cubes(cells, H);
    grid.origin = first.map(|cell| cell * H);
    let medium = Medium::<f32>::new(grid, |_| rock()).unwrap();
    let history: Vec<f64> = (0..steps).map(|n| ricker(F0, n as f64 * dt)).collect();
    let source = PointSource {
        position: [145.0, 145.0, 120.0],
        mechanism: SourceMechanism::Force([1e10, 0.0, 1e10]),
        history: history.into(),
        interface: None,
    };
    let probes: Vec<_> =
        probes.iter().map(|&position| Probe { position, quantity: ProbeQuantity::Velocity, interface: None }).collect();
    let options = options(2, boundaries);
    let mut operator = craton_fd::FdOperator::new(&medium, &options, dt, &[source], &probes, workers(1)).unwrap();
    advance(&mut operator, steps as u64);
    operator.take_samples().unwrap().iter().map(|&v| f64::from(v)).collect()
}

/// Largest difference of the samples of each probe, relative to the largest sample of that probe [dB].
fn echoes(test: &[f64], reference: &[f64], probes: usize) -> Vec<f64> {
    let of = |probe: usize| {
        let mut largest = [0.0_f64; 2];
        for (test, reference) in test.chunks(3 * probes).zip(reference.chunks(3 * probes)) {
            for channel in 3 * probe..3 * probe + 3 {
                largest[0] = largest[0].max((test[channel] - reference[channel]).abs());
                largest[1] = largest[1].max(reference[channel].abs());
            }
        }
        20.0 * (largest[0] / largest[1]).log10()
    };
    (0..probes).map(of).collect()
}

/// A layer with this thickness and this reflection at normal incidence.
fn layer_of(cells: usize, reflection: f64) -> Side {
    let Side::Layer(layer) = layer(cells, ROCK[0], F0) else { unreachable!("it is a layer") };
    Side::Layer(AbsorbingLayer { reflection, ..layer })
}

/// A source next to the layers in a narrow box; echoes are relative to a larger box.
struct Narrow {
    /// Cells inside the layers.
    inner: [usize; 3],
    steps: usize,
    probes: [[f64; 3]; 3],
    reference: Vec<f64>,
}

impl Narrow {
    const DT: f64 = 1.2e-3;

    /// # Arguments
    /// * `margin` – cells of the reference on each side of the box, 24 of them in its layers
    fn new(inner: [usize; 3], steps: usize, probes: [[f64; 3]; 3], margin: usize) -> Self {
        let mut own = Self { inner, steps, probes, reference: Vec::new() };
        own.reference = own.traces(margin, Boundaries::all(layer_of(24, 1e-6)));
        own
    }

    fn traces(&self, margin: usize, boundaries: Boundaries) -> Vec<f64> {
        let (cells, first) = (self.inner.map(|n| n + 2 * margin), [-(margin as f64); 3]);
        traces(cells, first, boundaries, &self.probes, Self::DT, self.steps)
    }

    /// Echoes of the sides, behind a margin of cells for the layers or sponges [dB].
    fn echoes(&self, margin: usize, boundaries: Boundaries) -> Vec<f64> {
        echoes(&self.traces(margin, boundaries), &self.reference, 3)
    }
}

#[test]
fn sides_absorb_waves_at_normal_and_grazing_incidence() {
    // Probes next to the source in front of the layer, and far along the side, where P and S waves are at grazing incidence.
    let probes = [[275.0, 145.0, 120.0], [275.0, 145.0, 470.0], [145.0, 275.0, 520.0]];
    let narrow = Narrow::new([30, 30, 60], 200, probes, 28);
    // The table of docs/validation.md [dB].
    let table = [
        (10, 1e-3, [-73.7, -57.7, -63.9]),
        (10, 1e-4, [-71.3, -80.2, -84.5]),
        (10, 1e-5, [-69.3, -85.8, -90.3]),
        (16, 1e-4, [-83.7, -82.0, -90.0]),
        (16, 1e-5, [-81.7, -98.7, -102.2]),
    ];
    for (cells, reflection, documented) in table {
        let found = narrow.echoes(cells, Boundaries::all(layer_of(cells, reflection)));
        let is_as_documented = found.iter().zip(documented).all(|(found, documented)| *found < documented + 0.5);
        assert!(is_as_documented, "{cells} cells, {reflection:e}: {found:?} dB, documented {documented:?}");
    }
    let with = |side, sponge| narrow.echoes(10, Boundaries { sides: [side; 6], sponges: [sponge; 6] });
    let paraxial = with(Side::Paraxial, None);
    let sponges = with(Side::Rigid, Some(Sponge { cells: 10, factor: 0.03 }));
    assert!(sponges.iter().all(|&echo| echo < -12.0), "{sponges:?}");
    assert!(paraxial.iter().all(|&echo| echo < -10.0), "{paraxial:?}");
}

#[test]
fn sponges_damp_waves_that_leave_periodic_sides() {
    let probes = [[275.0, 145.0, 120.0], [145.0, 145.0, 320.0], [145.0, 275.0, 300.0]];
    let narrow = Narrow::new([30, 30, 40], 260, probes, 26);
    // Waves that leave a periodic side re-enter at the opposite one.
    let periodic = |sponge| {
        let mut boundaries = Boundaries { sides: [Side::Periodic; 6], sponges: [sponge; 6] };
        boundaries.sides[4..].fill(Side::Paraxial);
        narrow.echoes(20, boundaries)
    };
    let (bare, damped) = (periodic(None), periodic(Some(Sponge { cells: 20, factor: 0.015 })));
    let is_damped = |(&bare, &damped): (&f64, &f64)| damped < bare - 12.0 && damped < -20.0;
    assert!(bare.iter().zip(&damped).all(is_damped), "{bare:?} {damped:?}");
}

/// Largest velocity after 150 steps, when the source ends, after 1150 and after 3150.
fn amplitudes(mut boundaries: Boundaries, material: impl Fn([usize; 3]) -> Material) -> [f32; 3] {
    let medium = Medium::<f32>::new(cubes([34, 30, 32], H), material).unwrap();
    boundaries.sides[5] = Side::Free;
    let history: Vec<f64> = (0..150).map(|n| ricker(F0, f64::from(n) * 1e-3)).collect();
    let mechanism = SourceMechanism::Moment([1e12, 1e12, 2e12, 5e11, 0.0, -5e11]);
    let source = PointSource { position: [163.0, 151.0, 120.0], mechanism, history: history.into(), interface: None };
    let mut operator = at_courant(&medium, &options(2, boundaries), 0.95, &[source], &[]).unwrap();
    [150, 1000, 2000].map(|steps| {
        advance(&mut operator, steps);
        let values = (0..3).flat_map(|c| operator.field(Field::Velocity(c)).unwrap());
        values.fold(0.0_f32, |a, v| a.max(v.abs()))
    })
}

#[test]
fn layers_next_to_air_and_water_are_stable_in_long_runs() {
    // Air over water over rock, with sloping interfaces that cross the layers.
    let [early, middle, late] = amplitudes(Boundaries::all(layer(8, ROCK[0], F0)), |[i, j, k]| match k {
        _ if 4 * k + i > 132 => Material::AIR,
        _ if 3 * k + j > 76 => water(),
        _ => rock(),
    });
    assert!(middle < 0.05 * early && late < middle, "{early:e} {middle:e} {late:e}");
}

#[test]
fn paraxial_sides_of_rock_are_stable_in_long_runs() {
    let [early, middle, late] = amplitudes(Boundaries::all(Side::Paraxial), |_| rock());
    assert!(middle < 0.05 * early && late <= middle, "{early:e} {middle:e} {late:e}");
}

#[test]
fn periodic_sides_with_sponges_over_a_paraxial_bottom_are_stable_in_long_runs() {
    let mut boundaries = Boundaries::all(Side::Periodic);
    boundaries.sides[4] = Side::Paraxial;
    boundaries.sponges[..5].fill(Some(Sponge { cells: 10, factor: 0.015 }));
    let [early, middle, late] = amplitudes(boundaries, |_| rock());
    assert!(middle < 1e-3 * early && late <= middle, "{early:e} {middle:e} {late:e}");
}
