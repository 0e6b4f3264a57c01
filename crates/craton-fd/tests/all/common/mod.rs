//! Small problems shared by the tests.
#![allow(dead_code)] // each test takes what it needs

pub mod gradient_cases;
pub mod shots;

use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_fd::{
    AbsorbingLayer, Boundaries, FdError, FdOperator, Grid, Material, Medium, Mixture, Options, PointSource, Precision,
    Probe, ProbeQuantity, Side, SolidInterface, SourceMechanism, Sponge,
};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_physics::Orthorhombic;
pub use craton_sim::{Operator, Solver};
use craton_testkit::random::Random;

/// Rock of the analytic tests.
pub const ROCK: [f64; 3] = [4000.0, 2300.0, 2500.0];

pub fn rock() -> Material {
    Material::from_speeds(ROCK[0], ROCK[1], ROCK[2])
}

pub fn water() -> Material {
    Material::from_speeds(1500.0, 0.0, 1000.0)
}

pub fn cubes(cells: [usize; 3], h: f64) -> Grid {
    Grid { origin: [0.0; 3], spacing: [h; 3], cells }
}

pub fn options(half_length: usize, boundaries: Boundaries) -> Options {
    Options {
        stencil: StaggeredStencil::taylor(half_length).unwrap(),
        boundaries,
        parts: [1; 3],
        interpolation: WindowedSinc::new(4, 4.0).unwrap(),
        isa: Isa::detect(),
    }
}

pub fn workers(threads: usize) -> Arc<Workers> {
    Arc::new(Workers::new(Some(threads)).unwrap())
}

/// Creates an operator with `courant` times its stable step. It has one thread, because tests run concurrently.
pub fn at_courant<T: Precision>(
    medium: &Medium<T>,
    options: &Options,
    courant: f64,
    sources: &[PointSource],
    probes: &[Probe],
) -> Result<FdOperator<T>, FdError> {
    let stable = craton_fd::stable_step(medium, &options.boundaries, &options.stencil)?;
    FdOperator::new(medium, options, courant * stable, sources, probes, workers(1))
}

/// Advances and checks.
pub fn advance<T: Precision>(operator: &mut FdOperator<T>, steps: u64) {
    operator.advance(steps).unwrap();
    operator.check().unwrap();
}

/// Random material, which differs from cell to cell by a factor of up to about four in stiffness and two in density.
pub fn random_material(random: &mut Random) -> Material {
    let vp = 3000.0 + 1000.0 * random.symmetric();
    Material::from_speeds(vp, vp * (0.5 + 0.08 * random.symmetric()), 2000.0 + 600.0 * random.symmetric())
}

/// A Ricker pulse of dominant frequency `f0` centred at 1.2 / f0.
pub fn ricker(f0: f64, t: f64) -> f64 {
    let x = (std::f64::consts::PI * f0 * (t - 1.2 / f0)).powi(2);
    (1.0 - 2.0 * x) * (-x).exp()
}

/// An absorbing layer for waves of speed `vp_max` and frequency `f0`.
pub fn layer(cells: usize, vp_max: f64, f0: f64) -> Side {
    Side::Layer(AbsorbingLayer {
        cells,
        vp_max,
        dominant_frequency: f0,
        reflection: 1e-4,
        exponent: 2.0,
        max_stretch: 1.0,
    })
}

/// The saved state of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved<T> {
    pub step: u64,
    /// The nine fields in the order of [`Field::ALL`], then the memory of layers, paraxial sides and relaxation.
    pub arrays: Vec<Vec<T>>,
}

impl<T: Precision> Saved<T> {
    pub fn of(operator: &mut dyn Solver<T>) -> Self {
        let state = operator.state();
        let saved = 0..state.iter().filter(|array| array.name != "state/displacement").count();
        let mut array = |number: usize| {
            let mut values = Vec::new();
            operator.save(number, &mut |some| values.extend_from_slice(some)).unwrap();
            values
        };
        let arrays = saved.map(&mut array).collect();
        Self { step: operator.step(), arrays }
    }

    pub fn restore(&self, operator: &mut dyn Solver<T>) {
        for (number, array) in self.arrays.iter().enumerate() {
            operator.restore(number, &mut |values| values.copy_from_slice(array)).unwrap();
        }
        operator.restore_step(self.step).unwrap();
    }
}

/// Cells of [`hill`].
pub const CELLS: [usize; 3] = [37, 18, 21];

/// Rock under water under air, with a hill.
pub fn hill<T: Precision>() -> Medium<T> {
    hill_in(CELLS)
}

/// The same in a box of this size.
pub fn hill_in<T: Precision>(cells: [usize; 3]) -> Medium<T> {
    let grid = hill_grid(cells);
    let materials = hill_materials(&grid);
    let medium = Medium::new(grid, |cell| materials[grid.number(cell)]).unwrap();
    medium.with_mixtures(|cell| hill_mixture(&grid, &materials, cell))
}

pub fn hill_grid(cells: [usize; 3]) -> Grid {
    Grid { origin: [-100.0, 50.0, -200.0], spacing: [10.0, 11.0, 9.0], cells }
}

/// Materials of all cells, x fastest.
pub fn hill_materials(grid: &Grid) -> Vec<Material> {
    let mut random = Random::new(3);
    let [nx, ny, _] = grid.cells;
    let mut material = |number: usize| match (number % nx, number / nx % ny, number / (nx * ny)) {
        (i, j, 17..) if i + j > 20 => Material::AIR,
        (_, j, 14..) if j > 7 => water(),
        _ => random_material(&mut random),
    };
    (0..grid.n_cells()).map(&mut material).collect()
}

/// In some cells of [`hill`], a laminate of the rock of the cell and that of another cell.
pub fn hill_mixture(grid: &Grid, materials: &[Material], cell: [usize; 3]) -> Option<Mixture> {
    let number = grid.number(cell);
    let solid = |number: usize| {
        let Material { lambda, mu, .. } = materials[number];
        (mu > 0.0).then(|| Orthorhombic::isotropic(lambda, mu))
    };
    let is_mixed = number % 7 < 2 || cell[2] == 9;
    let (own, other) = (solid(number)?, solid((number + 11) % materials.len())?);
    let layers = [(0.3, own), (0.7, other)];
    is_mixed.then(|| Mixture {
        normal: Orthorhombic::laminate(number % 3, &layers),
        shear: Orthorhombic::laminate((number + 1) % 3, &layers).shear,
        rho: [0, 1, 2].map(|axis| materials[number].rho * (1.0 + 0.02 * axis as f64)),
    })
}

/// Boundaries that cover every kind of side.
pub fn all_boundaries() -> Vec<Boundaries> {
    let layers = layer(5, 4500.0, 20.0);
    let mixed = |sides| Boundaries { sides, sponges: [None; 6] };
    let mut sponges = mixed([Side::Paraxial; 6]);
    sponges.sponges = [Some(Sponge { cells: 6, factor: 0.02 }); 6];
    let mut periodic = mixed([Side::Periodic, Side::Periodic, Side::Rigid, layers, Side::Paraxial, Side::Free]);
    periodic.sponges[0] = Some(Sponge { cells: 4, factor: 0.01 });
    periodic.sponges[4] = Some(Sponge { cells: 7, factor: 0.02 });
    vec![
        mixed([layers, layers, layers, layers, layers, Side::Free]),
        periodic,
        mixed([Side::Rigid, Side::Free, Side::Periodic, Side::Periodic, layers, Side::Rigid]),
        sponges,
    ]
}

/// Sources and probes inside [`hill`] and on its surface, between grid points.
pub fn hill_taps() -> (Vec<PointSource>, Vec<Probe>) {
    let history: Vec<f64> = (0..60).map(|n| (0.2 * f64::from(n)).sin()).collect();
    let position = [80.0, 143.0, -140.0];
    let moment = SourceMechanism::Moment([1e15, 2e15, -1e15, 5e14, 3e15, -2e15]);
    let interface = SolidInterface { normal: [0.6, 0.0, 0.8], moduli: [2e10, 1.5e10] };
    let sources = vec![
        PointSource { position, mechanism: moment, history: history.clone().into(), interface: Some(interface) },
        PointSource {
            position: [100.0, 91.0, -101.0],
            mechanism: SourceMechanism::Force([1e12, 2e12, -1e12]),
            history: history.into(),
            interface: None,
        },
    ];
    let at = |position, quantity| Probe { position, quantity, interface: None };
    let probes = vec![
        at([81.0, 149.0, -131.0], ProbeQuantity::Velocity),
        Probe { interface: Some(interface), ..at([75.0, 130.0, -150.0], ProbeQuantity::Gradient) },
        at([-55.0, 80.0, -11.0], ProbeQuantity::Velocity),
        at([130.0, 160.0, -47.0], ProbeQuantity::Gradient),
        at([83.0, 141.0, -128.0], ProbeQuantity::Pressure),
        at([83.0, 141.0, -128.0], ProbeQuantity::Component(2)),
    ];
    (sources, probes)
}
