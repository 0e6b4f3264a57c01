//! A small problem with all features: several patches, all boundary conditions, sources, probes.

use std::sync::Arc;

use craton_comm::{Ranks, Solo};
use craton_device::Scalar;
use craton_device::gpu::Gpu;
use craton_mesh::{Geometry, Locator};
use craton_sem::{
    Boundary, Channels, Discretisation, Field, GpuOperator, Levels, OwnTiles, Part, PartSet, Parts, Patching, Phase,
    Plan, PmlProfile, PointSource, Precision, Probe, Rheologies, SemOperator, Solver, SourceMechanism, Team,
};
use craton_sim::{Operator as _, Solver as _, StateArray};
use craton_testkit::devices::gpus;
use craton_testkit::meshes::Lattice;

use super::{Setup, earth, gradient, in_columns, relaxing, rock, squeezed, water};

/// Number of steps of the source histories.
pub const STEPS: usize = 120;

/// The fields of the state.
pub const FIELDS: [Field; 2] = [Field::Displacement, Field::Velocity];

/// All boundary conditions.
const SIDES: [Boundary; 6] =
    [Boundary::Absorbing, Boundary::Free, Boundary::Rigid, Boundary::Absorbing, Boundary::Absorbing, Boundary::Free];

/// Parameters of the problem.
#[derive(Clone)]
pub struct Busy {
    pub threads: usize,
    pub degree: usize,
    pub patching: Patching,
    /// Elements along each axis.
    pub elements: [usize; 3],
    /// Quality factor of half of the elements, if there are two materials; infinite if both are elastic.
    pub quality: Option<f64>,
    /// Whether half of the columns are water.
    pub water: bool,
    /// Whether no side is free, so that the water is a closed fluid.
    pub closed: bool,
    /// Whether absorbing layers surround the box on all sides but the top.
    pub layers: bool,
    /// Where a column of elements begins along x [m] that is so thin that it needs substeps.
    pub thin: Option<f64>,
    /// Whether the layers of two of these sides are sponges.
    pub sponges: bool,
}

/// The sides with sponges: x = min, and the bottom.
const SPONGES: [bool; 6] = [true, false, false, false, true, false];

impl Default for Busy {
    fn default() -> Self {
        Self {
            threads: 2,
            degree: 3,
            patching: Patching::Threads,
            elements: [9, 8, 8],
            quality: None,
            water: false,
            closed: false,
            layers: false,
            thin: None,
            sponges: false,
        }
    }
}

impl Busy {
    fn setup(&self) -> Setup {
        let mut setup = self.setup_of_box();
        if self.layers {
            setup.mesh = setup.mesh.with_pml([2, 1, 2, 2, 1, 0]).unwrap();
            let sponges = self.sponges();
            setup.sides = [0, 1, 2, 3, 4, 5].map(|side| match side {
                5 => Boundary::Free,
                _ if sponges[side] => Boundary::Absorbing,
                _ => Boundary::LayerEnd,
            });
        }
        if let Some(from) = self.thin {
            setup.mesh = squeezed(setup.mesh, 0, [from, from + 100.0], 0.15);
        }
        setup
    }

    fn sponges(&self) -> [bool; 6] {
        if self.sponges { SPONGES } else { [false; 6] }
    }

    fn setup_of_box(&self) -> Setup {
        if let Some(quality) = self.quality {
            let lattice = Lattice { geometry: Geometry::Linear8, ..Lattice::new(self.elements) };
            let model = earth([gradient(), rock().into()]);
            let (mesh, model) = (in_columns(lattice.deformed(0.1, 2), 2), relaxing(model, [f64::INFINITY, quality]));
            return Setup { sides: SIDES, threads: self.threads, ..Setup::new(mesh, model, self.degree) };
        }
        let geometry = if self.layers { Geometry::Linear8 } else { Geometry::Quadratic27 };
        let mesh = Lattice { geometry, ..Lattice::new(self.elements) }.deformed(0.1, 2);
        if self.water {
            let setup =
                Setup::new(in_columns(mesh, 3), earth([rock().into(), water().into(), gradient()]), self.degree);
            let sides = if self.closed { SIDES.map(closed) } else { SIDES };
            return Setup { sides, threads: self.threads, ..setup };
        }
        Setup { sides: SIDES, threads: self.threads, ..Setup::new(mesh, earth([gradient()]), self.degree) }
    }

    /// Creates the solver with this number of parts on the cores of this process.
    pub fn on_cpu<T: Precision>(&self, parts: usize) -> PartSet<T, SemOperator<T>> {
        self.on_ranks(Arc::new(Solo), |plan| Parts::regular(plan, parts).unwrap())
    }

    /// Creates the solver on the cores of this rank, with its share of the parts.
    pub fn on_ranks<T: Precision>(
        &self,
        ranks: Arc<dyn Ranks>,
        parts: impl FnOnce(&Plan) -> Parts,
    ) -> PartSet<T, SemOperator<T>> {
        let workers = self.setup().workers();
        self.ensemble(ranks, parts, |_, on, dt, sources, probes| {
            SemOperator::new(on, dt, sources, probes, workers.clone())
        })
    }

    /// Creates the solver with one part for each device.
    pub fn on_gpus<T: Precision>(&self, ranks: Arc<dyn Ranks>, gpus: &[Gpu]) -> PartSet<T, GpuOperator<T>> {
        let workers = self.setup().workers();
        let count = gpus.len() * ranks.count();
        self.ensemble(
            ranks,
            |plan| Parts::regular(plan, count).unwrap(),
            |part, on, dt, sources, probes| {
                GpuOperator::new(&gpus[part], on, dt, sources, probes, workers.clone()).unwrap()
            },
        )
    }

    fn ensemble<T: Precision, P: Part<T>>(
        &self,
        ranks: Arc<dyn Ranks>,
        parts: impl FnOnce(&Plan) -> Parts,
        operator: impl Fn(usize, Discretisation<T>, f64, &[PointSource], &[Probe]) -> P,
    ) -> PartSet<T, P> {
        let setup = self.setup();
        let rheologies = Rheologies::new(&setup.model, self.degree, true);
        let profile = PmlProfile::new(&setup.mesh, &setup.model, 10.0);
        let rheologies = rheologies.with_pml(profile.map(|profile| profile.with_sponges(self.sponges())));
        let workers = setup.workers();
        let levels = self.thin.map(|_| {
            let (mesh, tiles) = (&setup.mesh, OwnTiles::all());
            Levels::of_model::<T>(mesh, self.degree, &setup.model, &rheologies, setup.isa, tiles, &workers).unwrap()
        });
        let rheologies = rheologies.with_levels(levels.flatten());
        let plan = Plan::new(setup.mesh.clone(), self.degree, setup.boundaries(), self.patching, &rheologies).unwrap();
        assert_eq!(plan.finest_level() > 0, self.thin.is_some());
        let plan = Arc::new(plan);
        let team = Team::new(parts(&plan), ranks);
        let all = Discretisation::<T>::of_parts(&plan, &team, &setup.model, setup.isa, &workers).unwrap();
        let dt = 0.9 * all[0].stable().dt;
        let (sources, probes) = sources_and_probes(&plan);
        let parts = all.into_iter().enumerate().map(|(part, on)| operator(part, on, dt, &sources, &probes)).collect();
        let channels = Channels::of_probes(&plan, team.parts(), &probes);
        PartSet::new(plan, team, parts, channels, [dt, 0.9], workers)
    }
}

/// An absorbing side instead of a free one.
fn closed(side: Boundary) -> Boundary {
    if side == Boundary::Free { Boundary::Absorbing } else { side }
}

/// Two sources, and probes throughout the box.
fn sources_and_probes(plan: &Plan) -> (Vec<PointSource>, Vec<Probe>) {
    let history: Vec<f64> = (0..STEPS).map(|step| (0.1 * step as f64).sin()).collect();
    let locator = Locator::new(plan.mesh());
    let [low, high] = plan.mesh().bounding_box();
    let place = |part: [f64; 3]| {
        let inside = [0, 1, 2].map(|c| low[c] + part[c] * (high[c] - low[c]));
        locator.locate(inside).expect("a point of the box")
    };
    let source = |point, mechanism| {
        let place = place(point);
        let mechanism = match plan.phase_of(place.element) {
            Phase::Solid => mechanism,
            Phase::Fluid => SourceMechanism::Moment([1e11, 1e11, 1e11, 0.0, 0.0, 0.0]),
        };
        PointSource { element: place.element, xi: place.xi, mechanism, history: history.clone().into() }
    };
    let sources = vec![
        source([0.44, 0.5, 0.5], SourceMechanism::Force([1e9, 2e9, -1e9])),
        source([0.22, 0.81, 0.85], SourceMechanism::Moment([1e11, 2e11, -1e11, 3e11, 0.0, 1e11])),
    ];
    let probe = |(point, gradient)| {
        let place = place(point);
        Probe { element: place.element, xi: place.xi, gradient }
    };
    let points = [
        ([0.78, 0.12, 0.98], false),
        ([0.33, 0.37, 0.62], true),
        ([0.13, 0.9, 0.19], false),
        ([0.5, 0.56, 0.49], true),
        ([0.91, 0.8, 0.89], false),
    ];
    (sources, points.map(probe).to_vec())
}

/// Saves a field at all nodes.
pub fn saved<T: Scalar>(solver: &mut impl Solver<T>, field: Field) -> Vec<[T; 3]> {
    let mut all = Vec::new();
    solver.save(field as usize, &mut |values| all.extend_from_slice(values.as_chunks().0)).unwrap();
    all
}

/// Saves all arrays of the state, as in a checkpoint.
pub fn whole_state<T: Scalar>(solver: &mut impl Solver<T>) -> Vec<Vec<T>> {
    let shapes = solver.state();
    let mut save = |(array, of): (usize, &StateArray)| {
        let mut all = Vec::new();
        solver.save(array, &mut |values| all.extend_from_slice(values)).unwrap();
        assert_eq!(all.len(), of.shape.iter().product::<usize>(), "{}", of.name);
        all
    };
    shapes.iter().enumerate().map(&mut save).collect()
}

/// Restores all arrays of the state.
pub fn restore_state<T: Scalar>(solver: &mut impl Solver<T>, state: &[Vec<T>], step: u64) {
    for (array, saved) in state.iter().enumerate() {
        let mut left = &saved[..];
        let mut next = |values: &mut [T]| {
            let (now, rest) = left.split_at(values.len());
            values.copy_from_slice(now);
            left = rest;
        };
        solver.restore(array, &mut next).unwrap();
        assert!(left.is_empty());
    }
    solver.restore_step(step).unwrap();
}

/// Restores a field.
pub fn restore<T: Scalar>(solver: &mut impl Solver<T>, field: Field, saved: &[[T; 3]]) {
    let mut left = saved;
    let mut next = |values: &mut [T]| {
        let (now, rest) = left.split_at(values.len() / 3);
        values.copy_from_slice(now.as_flattened());
        left = rest;
    };
    solver.restore(field as usize, &mut next).unwrap();
    assert!(left.is_empty());
}

/// Takes the samples as bits.
pub fn bit_samples<T: Scalar>(solver: &mut impl Solver<T>) -> Vec<u64> {
    solver.take_samples().unwrap().into_iter().map(|sample| sample.to_f64().to_bits()).collect()
}

/// Advances a run in two calls, and returns the bits of its samples and final state.
pub fn whole_run<T: Scalar>(solver: &mut impl Solver<T>, steps: u64) -> Vec<u64> {
    let first = steps / 3;
    solver.advance(first).unwrap();
    solver.check().unwrap();
    let mut bits = bit_samples(solver);
    solver.advance(steps - first).unwrap();
    bits.extend(bit_samples(solver));
    for array in whole_state(solver) {
        bits.extend(array.into_iter().map(|x| x.to_f64().to_bits()));
    }
    bits
}

/// Checks memory on devices: results are bit-identical for one and two devices, and a state can be transferred from CPU to device.
pub fn memory_on_devices<T: Precision>(busy: &Busy, limit: f64) {
    let Some(one) = gpus(1) else { return };
    let steps = 12;
    let expected = whole_run(&mut busy.on_gpus::<T>(Arc::new(Solo), &one), steps);
    let two = gpus(2).expect("devices are available");
    assert!(whole_run(&mut busy.on_gpus::<T>(Arc::new(Solo), &two), steps) == expected, "two devices");
    let mut cpu = busy.on_cpu::<T>(1);
    cpu.advance(steps).unwrap();
    let state = whole_state(&mut cpu);
    let mut device = busy.on_gpus::<T>(Arc::new(Solo), &two);
    restore_state(&mut device, &state, steps);
    assert!(whole_state(&mut device) == state, "the restored state differs");
    assert_eq!(cpu.state().last().unwrap().name, "state/element_memory");
    cpu.advance(steps).unwrap();
    device.advance(steps).unwrap();
    for (a, b) in whole_state(&mut cpu).into_iter().zip(whole_state(&mut device)) {
        let to_f64 = |values: Vec<T>| values.into_iter().map(T::to_f64).collect();
        assert_alike([to_f64(b), to_f64(a)], limit);
    }
}

/// Asserts that the relative L2 difference of two sets of values is below a limit.
pub fn assert_alike([found, expected]: [Vec<f64>; 2], limit: f64) {
    let size: f64 = expected.iter().map(|x| x * x).sum();
    let difference: f64 = found.iter().zip(&expected).map(|(a, b)| (a - b) * (a - b)).sum();
    assert!(size > 0.0 && difference < limit * limit * size, "{:e}", (difference / size).sqrt());
}
