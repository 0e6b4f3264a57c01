//! Processes that mesh only their own tiles and those around them compute what one process with the whole mesh computes.

use std::collections::HashMap;
use std::sync::Arc;

use craton_comm::{Ranks, on_threads, thread_ranks};
use craton_mesh::{
    BoxPlan, BoxSpec, Doubling, Flat, Geometry, GlobePlan, GlobeSpec, HexMesh, Horizontal, Locator, UniformSize,
};
use craton_model::EarthModel;
use craton_sem::{
    Channels, Discretisation, Field, Levels, OwnTiles, Part, PartSet, Parts, Patching, Phase, Plan, PointSource,
    Rheologies, SemOperator, SourceMechanism, Team,
};
use craton_sim::{Operator as _, Solver as _};
use craton_testkit::meshes::strata;

use crate::common::{Setup, earth, gradient, relaxing, rock, water};
use craton_sem::Boundary;

/// Number of steps.
const STEPS: u64 = 60;
/// Slices along x and y, one for each process.
pub const OF: [usize; 2] = [3, 2];

/// A layer above a half-space, with doublings, divided into 24 tiles.
fn with_plan<R>(work: impl FnOnce(&BoxPlan) -> R) -> R {
    let tops = [Flat(0.0), Flat(-1500.0)];
    let sizes = UniformSize { size: 630.0, speed: 6000.0 };
    let mut spec = BoxSpec::new([0.0, 6000.0], [0.0, 4000.0], -4000.0, strata(&[&tops[0], &tops[1]]), &sizes);
    spec.geometry = Geometry::Quadratic27;
    spec.horizontal = Horizontal::Elements([24, 16]);
    spec.doubling = Doubling::Below(vec![-1500.0]);
    let bend = |[x, y, z]: [f64; 3]| [x, y, z + 80.0 * (1e-3 * x).sin() * (1.3e-3 * y).cos()];
    spec.deformation = Some(&bend);
    spec.tile = 60;
    work(&BoxPlan::new(&spec).unwrap())
}

/// The parts of the tiles in the slices of a plan.
pub fn parts_of_tiles(plan: &BoxPlan) -> HashMap<u32, u32> {
    let part = |part: usize| {
        let tiles = plan.slice(OF, at(part)).unwrap();
        plan.numbers(&tiles).into_iter().map(move |tile| (tile, part as u32)).collect::<Vec<_>>()
    };
    (0..OF[0] * OF[1]).flat_map(part).collect()
}

/// Indices of a slice along x and y.
pub fn at(part: usize) -> [usize; 2] {
    [part % OF[0], part / OF[0]]
}

/// Asserts that the parts have computed what one part has.
pub fn assert_equal(slices: &[(Values, f64)], (whole, step): &(Values, f64)) {
    assert!(whole.values().flatten().filter(|value| value[0] << 1 != 0).count() > whole.len());
    assert_eq!(slices.iter().map(|(values, _)| values.len()).sum::<usize>(), whole.len());
    for (part, (values, dt)) in slices.iter().enumerate() {
        assert_eq!(dt.to_bits(), step.to_bits(), "time step of part {part}");
        for (centre, found) in values {
            assert!(found == &whole[centre], "part {part}, element at {:?}", centre.map(f64::from_bits));
        }
    }
}

/// A varying elastic layer above a rock that attenuates.
fn model() -> EarthModel {
    relaxing(earth([gradient(), rock().into()]), [f64::INFINITY, 60.0])
}

/// The displacement at the points of an element, by the bits of its centre.
pub type Values = HashMap<[u64; 3], Vec<[u64; 3]>>;

/// Computes one part, and returns the values of its elements and the time step.
///
/// # Arguments
/// * `tiles` – the tiles of the process, for a run with local time steps
pub fn run(
    mesh: HexMesh,
    model: EarthModel,
    ranks: Arc<dyn Ranks>,
    tiles: Option<OwnTiles>,
    parts: impl FnOnce(&Plan) -> Parts,
) -> (Values, f64) {
    let setup = setup(mesh, model, 3);
    let workers = setup.workers();
    compute(setup, (ranks, tiles), STEPS, parts, |on, dt, sources| SemOperator::new(on, dt, sources, &[], workers))
}

/// A problem of a degree with all boundary conditions.
pub fn setup(mesh: HexMesh, model: EarthModel, degree: usize) -> Setup {
    let sides = [
        Boundary::Absorbing,
        Boundary::Free,
        Boundary::Rigid,
        Boundary::Absorbing,
        Boundary::Absorbing,
        Boundary::Free,
    ];
    Setup { sides, ..Setup::new(mesh, model, degree) }
}

/// The plan of a problem, with local time steps if the tiles of the process are given.
fn planned(setup: &Setup, tiles: Option<OwnTiles>) -> Arc<Plan> {
    let workers = setup.workers();
    let rheologies = Rheologies::new(&setup.model, setup.degree, true);
    let levels = tiles.and_then(|tiles| {
        let Setup { mesh, model, degree, isa, .. } = setup;
        Levels::of_model::<f32>(mesh, *degree, model, &rheologies, *isa, tiles, &workers).unwrap()
    });
    assert_eq!(levels.is_some(), tiles.is_some());
    let rheologies = rheologies.with_levels(levels);
    let plan = Plan::new(setup.mesh.clone(), setup.degree, setup.boundaries(), Patching::Blocks, &rheologies).unwrap();
    Arc::new(plan)
}

/// As [`run`], for a number of steps of the operator that `operator` creates.
pub fn compute<P: Part<f32>>(
    setup: Setup,
    (ranks, tiles): (Arc<dyn Ranks>, Option<OwnTiles>),
    count: u64,
    parts: impl FnOnce(&Plan) -> Parts,
    operator: impl FnOnce(Discretisation<f32>, f64, &[PointSource]) -> P,
) -> (Values, f64) {
    let plan = planned(&setup, tiles);
    let team = Team::new(parts(&plan), ranks);
    let workers = setup.workers();
    let mut all = Discretisation::<f32>::of_parts(&plan, &team, &setup.model, setup.isa, &workers).unwrap();
    let on = all.pop().unwrap();
    let dt = 0.9 * on.stable().dt;
    let own: Vec<u32> = (0..plan.mesh().n_elements() as u32).filter(|&element| on.contains(element)).collect();
    let history: Vec<f64> = (0..count).map(|step| (0.1 * step as f64).sin()).collect();
    let source = |point: [f64; 3]| {
        let place = Locator::new(plan.mesh()).locate(point)?;
        let mechanism = SourceMechanism::Force([1e9, 2e9, -1e9]);
        Some(PointSource { element: place.element, xi: place.xi, mechanism, history: history.clone().into() })
    };
    // The first one is near the edge of a slice.
    let sources: Vec<PointSource> =
        [[1990.0, 2010.0, -700.0], [5100.0, 900.0, -2600.0]].into_iter().filter_map(source).collect();
    let mut parts = [operator(on, dt, &sources)];
    let mut left = count;
    while left > 0 {
        let steps = left.min(parts[0].longest_advance());
        P::advance_all(&mut parts, &team, steps).unwrap();
        left -= steps;
    }
    let [operator] = parts;
    let read = operator.reader(Field::Displacement).unwrap();
    let bits = |place| {
        let mut values = Vec::new();
        read(place, &mut |value| values.push(f64::from(value).to_bits()));
        [values[0], values[1], values[2]]
    };
    let layout = operator.own(Phase::Solid);
    let values = |&element: &u32| {
        let places = plan.places(element).map(|place| layout.place_of(place).expect("a node of the part"));
        (plan.mesh().centroid(element).map(f64::to_bits), places.map(bits).collect())
    };
    (own.iter().map(values).collect(), dt)
}

#[test]
fn processes_with_windows_of_the_mesh_compute_the_bits_of_the_whole() {
    let whole = with_plan(|plan| {
        assert!(plan.tiles()[0] >= 6 && plan.tiles()[1] >= 4, "{:?}", plan.tiles());
        run(plan.build().unwrap(), model(), Arc::new(craton_comm::Solo), None, Parts::one)
    });
    let count = OF[0] * OF[1];
    let slices: Vec<(Values, f64)> = on_threads(count, |rank| {
        with_plan(|plan| {
            let part_of_tile = parts_of_tiles(plan);
            let tiles = plan.slice(OF, at(rank.rank())).unwrap();
            let mesh = plan.window(plan.with_neighbours(&tiles)).build().unwrap();
            let parts = |plan: &Plan| Parts::of_tiles(plan, count, |tile| part_of_tile[&tile]);
            run(mesh, model(), Arc::new(rank), None, parts)
        })
    });
    assert_equal(&slices, &whole);
}

/// Number of steps of a ball, in which the potential of its water is lowered several times.
const STEPS_OF_BALL: u64 = 100;

/// A ball of rock, water and rock in tiles. The water has no free surface.
fn with_ball<R>(work: impl FnOnce(&GlobePlan) -> R) -> R {
    let tops = [Flat(0.0), Flat(-1500.0), Flat(-3500.0)];
    let sizes = UniformSize { size: 1300.0, speed: 6000.0 };
    let nowhere = |_: [f64; 3]| [0.0; 2];
    let mut spec = GlobeSpec::new(6000.0, strata(&[&tops[0], &tops[1], &tops[2]]), &sizes, &nowhere);
    spec.doubling = Doubling::Never;
    spec.tile = 40;
    work(&GlobePlan::new(&spec).unwrap())
}

/// Computes one part of the ball, and returns the unknowns at the points of its elements, by the bits of their centres.
fn run_ball(mesh: HexMesh, ranks: Arc<dyn Ranks>, parts: impl FnOnce(&Plan) -> Parts) -> HashMap<[u64; 3], Vec<u64>> {
    let setup = Setup::new(mesh, earth([rock().into(), water().into(), rock().into()]), 2);
    let rheologies = Rheologies::new(&setup.model, setup.degree, true);
    let plan = Plan::new(setup.mesh.clone(), setup.degree, setup.boundaries(), Patching::Blocks, &rheologies).unwrap();
    let plan = Arc::new(plan);
    let team = Team::new(parts(&plan), Arc::clone(&ranks));
    let workers = setup.workers();
    let mut all = Discretisation::<f32>::of_parts(&plan, &team, &setup.model, setup.isa, &workers).unwrap();
    let on = all.pop().unwrap();
    let dt = 0.9 * on.stable().dt;
    let own: Vec<u32> = (0..plan.mesh().n_elements() as u32).filter(|&element| on.contains(element)).collect();
    let mechanism = SourceMechanism::Force([1e9, 2e9, -1e9]);
    let history = vec![1.0; STEPS_OF_BALL as usize];
    let source = Locator::new(plan.mesh()).locate([5000.0, 800.0, 300.0]).map(|place| PointSource {
        element: place.element,
        xi: place.xi,
        mechanism,
        history: history.into(),
    });
    let operator = SemOperator::new(on, dt, source.as_slice(), &[], Arc::clone(&workers));
    let channels = Channels::of_owners(team.parts().count(), []);
    let mut solver = PartSet::new(Arc::clone(&plan), team, vec![operator], channels, [dt, 0.9], workers);
    match ranks.is_root() {
        true => {
            solver.advance(STEPS_OF_BALL).unwrap();
            solver.end().unwrap();
        }
        false => solver.serve().unwrap(),
    }
    let operator = &solver.parts()[0];
    let values = |&element: &u32| {
        let phase = plan.phase_of(element);
        let field = if phase == Phase::Solid { Field::Displacement } else { Field::Potential };
        let of_place = |place| {
            let place = operator.own(phase).place_of(place).expect("a node of the part");
            f64::from(Part::value(operator, field, place).unwrap()).to_bits()
        };
        (plan.mesh().centroid(element).map(f64::to_bits), plan.places(element).map(of_place).collect())
    };
    own.iter().map(values).collect()
}

#[test]
fn processes_with_windows_of_a_ball_compute_the_bits_of_the_whole() {
    const COUNT: usize = 4;
    let whole = with_ball(|plan| run_ball(plan.build().unwrap(), Arc::new(craton_comm::Solo), Parts::one));
    assert!(whole.values().flatten().filter(|value| **value << 1 != 0).count() > whole.len());
    let slices: Vec<_> = std::thread::scope(|scope| {
        let work = |ranks: Arc<dyn Ranks>| {
            with_ball(|plan| {
                let part = |tile: u32| (tile as usize * COUNT / plan.tiles()) as u32;
                let own = (0..plan.tiles() as u32).map(|tile| part(tile) as usize == ranks.rank());
                let window = plan.window(plan.with_neighbours(&own.collect::<Vec<bool>>()));
                assert!(window.n_elements() < whole.len(), "{} of {}", window.n_elements(), whole.len());
                run_ball(window.build().unwrap(), ranks, |plan| Parts::of_tiles(plan, COUNT, part))
            })
        };
        let threads: Vec<_> =
            thread_ranks(COUNT).into_iter().map(|rank| scope.spawn(move || work(Arc::new(rank)))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(slices.iter().map(HashMap::len).sum::<usize>(), whole.len());
    for (part, values) in slices.iter().enumerate() {
        assert!(values.iter().all(|(centre, found)| found == &whole[centre]), "part {part}");
    }
}
