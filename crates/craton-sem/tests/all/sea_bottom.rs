//! Plane waves at the bottom of the sea against exact coefficients, and the limit of a solid without rigidity.
//!
//! All fields are proportional to cos(k x) or sin(k x), so that few elements along x suffice and a pulse contains waves of known angles.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use crate::common::{Setup, earth, water};
use craton_fft::Complex64;
use craton_mesh::{ElementMap, HexMesh};
use craton_model::Medium;
use craton_sem::{Field, NodePlace, Part, Phase, SemOperator};
use craton_testkit::meshes::Lattice;

const I: Complex64 = Complex64::new(0.0, 1.0);
/// Elements along x and y.
const ACROSS: usize = 3;
/// Vertical elements per vertical wavelength of the pulse.
const PER_WAVE: f64 = 5.5;
/// Initial height of the pulse and height of the receiver, in vertical wavelengths of the pulse.
const START: f64 = 2.7;
const RECEIVER: f64 = 0.3;
/// Width of the spectrum of the pulse over its mean vertical wavenumber.
const SPREAD: f64 = 0.25;

/// vp 3200, vs 1847.5, rho 2200.
fn bottom() -> Medium {
    Medium::isotropic(3200.0, 1847.5, 2200.0).unwrap()
}

const WATER: [f64; 2] = [1500.0, 1020.0];
const ROCK: [f64; 3] = [3200.0, 1847.5, 2200.0];

/// Amplitudes of an incident wave of unit potential: of the reflected potential, and of vertical and horizontal displacement of the rock at the bottom.
///
/// # Arguments
/// * `along`, `down` – wavenumbers \[1/m\] of the incident wave
/// # Source
/// Aki & Richards (2002), section 5.2: continuous vertical displacement and traction, no shear traction.
fn exact(along: f64, down: f64) -> [Complex64; 3] {
    let ([c, rho_f], [vp, vs, rho_s]) = (WATER, ROCK);
    let omega = c * along.hypot(down);
    // Vertical wavenumbers of the transmitted waves, which decay downwards where they are evanescent.
    let vertical = |speed: f64| -> Complex64 {
        let squared = (omega / speed).powi(2) - along * along;
        if squared >= 0.0 { squared.sqrt().into() } else { -I * (-squared).sqrt() }
    };
    let [ka, kb] = [vp, vs].map(vertical);
    let shear = (omega / vs).powi(2) - 2.0 * along * along;
    let rayleigh = 4.0 * along * along * ka * kb + shear * shear;
    let [solid, fluid] = [rho_s * rayleigh * (vs / omega).powi(4) / ka, Complex64::from(rho_f / down)];
    let reflected = (solid - fluid) / (solid + fluid);
    let vertical = I * down / rho_f * (1.0 - reflected);
    // Potentials of P and S waves without shear traction.
    let ratio = 2.0 * along * ka / (kb * kb - along * along);
    let horizontal = vertical * (along - kb * ratio) / (ka + along * ratio);
    [reflected, vertical, horizontal]
}

/// A pulse of plane waves that go down.
struct Pulse {
    along: f64,
    /// Mean vertical wavenumber [1/m].
    down: f64,
    dt: f64,
}

impl Pulse {
    fn wave(&self) -> f64 {
        TAU / self.down
    }

    /// A field of the pulse: `of` is its amplitude for an incident wave of unit amplitude and this vertical wavenumber.
    fn field(&self, of: impl Fn(f64) -> Complex64) -> Field1d {
        const TERMS: usize = 1000;
        let term = |index: usize| {
            let offset = 8.0 * (index as f64 + 0.5) / TERMS as f64 - 4.0;
            let down = self.down * (1.0 + offset * SPREAD);
            let omega = WATER[0] * self.along.hypot(down);
            // The angular frequency at which a leapfrog has this wave.
            let discrete = 2.0 / self.dt * (0.5 * omega * self.dt).asin();
            let start = (-I * down * START * self.wave()).exp() * (-0.5 * offset * offset).exp();
            (down > 0.0).then(|| (discrete, start * of(down)))
        };
        Field1d((0..TERMS).filter_map(term).collect())
    }

    fn incident(&self, height: f64) -> Field1d {
        self.field(|down| (I * down * height).exp())
    }
}

/// A sum of oscillations: angular frequencies and amplitudes.
struct Field1d(Vec<(f64, Complex64)>);

impl Field1d {
    fn at(&self, time: f64) -> f64 {
        self.0.iter().map(|(omega, amplitude)| (Complex64::cis(omega * time) * amplitude).re).sum()
    }
}

/// All nodes of a phase with their positions.
fn nodes(operator: &SemOperator<f64>, phase: Phase) -> Vec<(NodePlace, [f64; 3])> {
    let mesh = operator.mesh();
    let mut map = ElementMap::new(mesh.geometry, &operator.gll().points);
    let elements = (0..mesh.n_elements() as u32).filter(|&element| operator.plan().phase_of(element) == phase);
    let mut all = Vec::new();
    for element in elements {
        let (mut positions, mut buffer) = (Vec::new(), [[0.0; 3]; 27]);
        map.positions(mesh.points_of(element, &mut buffer), &mut positions);
        all.extend(operator.plan().places(element).zip(positions));
    }
    all
}

/// A box of water over another medium: elements ACROSS along x and y, and these numbers along z in each; the bottom is at z = 0.
fn layers([above, below]: [usize; 2], [width, height]: [f64; 2]) -> HexMesh {
    let across = ACROSS as f64 * width;
    let lengths = [across, across, (above + below) as f64 * height];
    let lattice = Lattice { lengths, periodic: [true, true, false], ..Lattice::new([ACROSS, ACROSS, above + below]) };
    let mut mesh = lattice.mesh();
    mesh.control_nodes.iter_mut().for_each(|node| node[2] += above as f64 * height);
    let centroids = mesh.centroids();
    mesh.region = centroids.iter().map(|centre| u16::from(centre[2] < 0.0)).collect();
    mesh
}

/// Sets a potential with the factor cos(along x) as a function of height, now and half a step before.
fn start(operator: &mut SemOperator<f64>, along: f64, [now, rate]: [&dyn Fn(f64) -> f64; 2]) {
    for (field, profile) in [(Field::Potential, now), (Field::PotentialRate, rate)] {
        let mut values = vec![0.0; operator.numbers(Phase::Fluid)];
        // Many nodes have the same height.
        let mut known = BTreeMap::new();
        for (place, [x, _, z]) in nodes(operator, Phase::Fluid) {
            let at_height = *known.entry((1e6 * z).round() as i64).or_insert_with(|| profile(z));
            values[operator.number_of(Phase::Fluid, place)] = (along * x).cos() * at_height;
        }
        operator.replace(field, &values).unwrap();
    }
}

/// The node nearest to a position.
fn node_at(operator: &SemOperator<f64>, phase: Phase, wanted: [f64; 3]) -> (NodePlace, [f64; 3]) {
    let distance = |at: &[f64; 3]| (0..3).map(|i| (at[i] - wanted[i]).powi(2)).sum::<f64>();
    let all = nodes(operator, phase);
    all.into_iter().min_by(|(_, one), (_, other)| distance(one).total_cmp(&distance(other))).expect("a node")
}

fn read(operator: &SemOperator<f64>, field: Field, place: NodePlace) -> Vec<f64> {
    let mut values = Vec::new();
    operator.reader(field).unwrap()(place, &mut |value| values.push(value));
    values
}

fn relative_l2(found: &[f64], expected: &[f64]) -> f64 {
    let square = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    let difference = square(&mut found.iter().zip(expected).map(|(a, b)| a - b));
    (difference / square(&mut expected.iter().copied())).sqrt()
}

/// Relative L2 of the reflected potential, and of vertical and horizontal displacement of the rock, for a pulse around an angle of incidence [degrees].
fn misfits(degrees: f64) -> [f64; 3] {
    let angle = degrees.to_radians();
    // A wavelength of 1000 m.
    let (along, down) = (TAU / 1000.0 * angle.sin(), TAU / 1000.0 * angle.cos());
    let height = TAU / down / PER_WAVE;
    let width = if along > 0.0 { TAU / along / ACROSS as f64 } else { height };
    let time = (START + RECEIVER + 3.0) * TAU / down / (WATER[0] * angle.cos());
    // Nothing returns from the lower end in time, and evanescent waves do not reach it.
    let [below_p, below_s] = [ROCK[0], ROCK[1]].map(|speed| {
        let sine = speed / WATER[0] * (angle - 0.35 * angle.cos()).max(0.0).sin();
        if sine < 1.0 { 0.5 * time * speed * (1.0 - sine * sine).sqrt() } else { 0.0 }
    });
    let deep = 1.6 * below_p.max(below_s).max(4.0 * width * ACROSS as f64 * f64::from(u8::from(along > 0.0)));
    let elements = |length: f64| (length / height).ceil() as usize;
    let mesh = layers([elements((2.0 * START + 1.0) * TAU / down), elements(deep)], [width, height]);
    let model = earth([water().into(), bottom().into()]);
    let mut operator = Setup::new(mesh, model, 5).operator::<f64>(0.9);
    let pulse = Pulse { along, down, dt: operator.dt() };
    let dt = pulse.dt;
    let now = |z: f64| pulse.incident(z).at(0.0);
    let rate = |z: f64| (pulse.incident(z).at(0.0) - pulse.incident(z).at(-dt)) / dt;
    start(&mut operator, along, [&now, &rate]);
    let (in_water, [_, _, receiver]) = node_at(&operator, Phase::Fluid, [0.0, 0.0, RECEIVER * pulse.wave()]);
    let (in_rock, _) = node_at(&operator, Phase::Solid, [0.0, 0.0, 0.0]);
    let (beside, [x, ..]) = node_at(&operator, Phase::Solid, [0.5 * width, 0.0, 0.0]);
    let fields = [
        pulse.incident(receiver),
        pulse.field(|down| exact(along, down)[0] * (-I * down * receiver).exp()),
        pulse.field(|down| exact(along, down)[1]),
        pulse.field(|down| I * exact(along, down)[2] * (along * x).sin()),
    ];
    let mut found = [const { Vec::new() }; 3];
    let mut expected = [const { Vec::new() }; 3];
    for step in 1..=(time / dt) as u64 {
        operator.advance_alone(1);
        let [incident, reflected, vertical, horizontal] = fields.each_ref().map(|field| field.at(step as f64 * dt));
        found[0].push(read(&operator, Field::Potential, in_water)[0] - incident);
        found[1].push(read(&operator, Field::Displacement, in_rock)[2]);
        found[2].push(read(&operator, Field::Displacement, beside)[0]);
        expected.iter_mut().zip([reflected, vertical, horizontal]).for_each(|(all, now)| all.push(now));
    }
    std::array::from_fn(|of| relative_l2(&found[of], &expected[of]))
}

#[test]
fn plane_waves_at_the_sea_bottom_have_exact_coefficients() {
    for degrees in [0.0, 30.0, 60.0] {
        let misfits = misfits(degrees);
        // Without a horizontal wavenumber nothing moves horizontally.
        let compared = if degrees == 0.0 { 2 } else { 3 };
        assert!(misfits[..compared].iter().all(|misfit| *misfit < 5e-3), "{degrees} degrees: {misfits:?}");
    }
}

/// Slow: a grazing wave descends slowly.
#[test]
fn grazing_waves_at_the_sea_bottom_have_exact_coefficients() {
    let misfits = misfits(80.0);
    assert!(misfits.iter().all(|misfit| *misfit < 5e-3), "{misfits:?}");
}

#[test]
fn a_solid_without_rigidity_is_a_fluid() {
    let run = |below: Medium| {
        let mesh = layers([12, 8], [100.0, 100.0]);
        let setup = Setup::new(mesh, earth([water().into(), below.into()]), 4);
        let mut operator = SemOperator::<f64>::new(setup.discretise(), 1e-3, &[], &[], setup.workers());
        let profile = |z: f64| (-((z - 600.0) / 120.0).powi(2)).exp();
        start(&mut operator, TAU / 300.0, [&profile, &|_| 0.0]);
        let (place, _) = node_at(&operator, Phase::Fluid, [0.0, 0.0, 300.0]);
        let mut record = Vec::new();
        for _ in 0..900 {
            operator.advance_alone(1);
            record.push(read(&operator, Field::Potential, place)[0]);
        }
        record
    };
    let [fluid, soft] = [0.0, 1e-3].map(|vs| run(Medium::isotropic(2500.0, vs, 1800.0).unwrap()));
    let misfit = relative_l2(&soft, &fluid);
    assert!(misfit < 1e-2, "{misfit:e}");
}
