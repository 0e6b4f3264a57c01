//! Local time steps in processes that mesh only their own tiles and two rings of tiles around them.

use std::collections::HashMap;
use std::sync::Arc;

use craton_comm::{Ranks, Solo, on_threads};
use craton_mesh::{BoxPlan, BoxSpec, Doubling, Flat, GlobePlan, GlobeSpec, HexMesh, Horizontal, UniformSize};
use craton_model::EarthModel;
use craton_sem::{GpuOperator, Levels, Order, OwnTiles, Parts, Plan, Rheologies};
use craton_testkit::devices::gpus;
use craton_testkit::meshes::strata;

use crate::common::{Setup, earth, gradient, relaxing, rock, water};
use crate::windows::{OF, Values, assert_equal, at, compute, parts_of_tiles, run, setup};

/// A thin layer between thick ones, in many tiles. Its thickness varies from tile to tile, and with it the levels.
fn with_plan<R>(work: impl FnOnce(&BoxPlan) -> R) -> R {
    let tops = [Flat(0.0), Flat(-700.0), Flat(-750.0)];
    let sizes = UniformSize { size: 630.0, speed: 6000.0 };
    let strata = strata(&[&tops[0], &tops[1], &tops[2]]);
    let mut spec = BoxSpec::new([0.0, 6000.0], [0.0, 4000.0], -3000.0, strata, &sizes);
    spec.horizontal = Horizontal::Elements([24, 16]);
    spec.doubling = Doubling::Never;
    let stretch = |[x, y, z]: [f64; 3]| [x, y, z * (1.0 + 0.7 * (1e-3 * x).sin() * (1.3e-3 * y).cos())];
    spec.deformation = Some(&stretch);
    spec.tile = 50;
    work(&BoxPlan::new(&spec).unwrap())
}

/// A varying elastic layer, and rocks that attenuate.
fn model() -> EarthModel {
    relaxing(earth([gradient(), rock().into(), rock().into()]), [f64::INFINITY, 60.0, 60.0])
}

fn levels(mesh: &HexMesh, model: &EarthModel, tiles: OwnTiles) -> Levels {
    let setup = Setup::new(mesh.clone(), model.clone(), 2);
    let (rheologies, workers) = (Rheologies::new(model, setup.degree, true), setup.workers());
    Levels::of_model::<f32>(mesh, setup.degree, model, &rheologies, setup.isa, tiles, &workers).unwrap().unwrap()
}

/// Asserts that the levels of a window are those of the whole mesh, in each tile for which `is_near` is true.
fn assert_levels(window: (&HexMesh, &Levels), whole: (&HexMesh, &Levels), is_near: impl Fn(u32) -> bool) {
    let of_all = |levels: &Levels| {
        (levels.gain().to_bits(), levels.smallest().map(f64::to_bits), levels.order(), levels.counts().to_vec())
    };
    assert_eq!(of_all(window.1), of_all(whole.1));
    let rates: HashMap<u64, u8> = whole.0.keys().into_iter().zip(whole.1.rates().iter().copied()).collect();
    let keyed = window.0.keys().into_iter().zip(window.1.rates()).filter(|(key, _)| is_near((key >> 32) as u32));
    let mut compared = 0;
    for (key, rate) in keyed {
        assert_eq!(*rate, rates[&key], "element {} of tile {}", key & 0xffff_ffff, key >> 32);
        compared += 1;
    }
    assert!(compared > 0);
}

#[test]
fn levels_of_windows_are_those_of_the_whole_mesh() {
    let (mesh, all) = with_plan(|plan| {
        assert!(plan.tiles()[0] >= 6 && plan.tiles()[1] >= 4, "{:?}", plan.tiles());
        let mesh = plan.build().unwrap();
        let levels = levels(&mesh, &model(), OwnTiles::all());
        (mesh, levels)
    });
    assert_eq!(all.order(), Order::Fourth);
    assert!(all.counts().iter().filter(|&&count| count > 0).count() > 2, "{:?}", all.counts());
    on_threads(OF[0] * OF[1], |rank| {
        with_plan(|plan| {
            let (own, number) = (plan.slice(OF, at(rank.rank())).unwrap(), rank.rank() as u32);
            let part_of_tile = parts_of_tiles(plan);
            let near = plan.with_neighbours(&own);
            let window = plan.window(plan.with_neighbours(&near)).build().unwrap();
            assert!(window.n_elements() < mesh.n_elements());
            let tiles = OwnTiles { ranks: &rank, is_own: Some(&|tile| part_of_tile[&tile] == number) };
            let found = levels(&window, &model(), tiles);
            let near = plan.numbers(&near);
            assert_levels((&window, &found), (&mesh, &all), |tile| near.contains(&tile));
        });
    });
}

/// Computes the windows of all processes.
fn on_windows(
    compute: impl Fn(HexMesh, Arc<dyn Ranks>, OwnTiles, &dyn Fn(&Plan) -> Parts) -> (Values, f64) + Sync,
) -> Vec<(Values, f64)> {
    let count = OF[0] * OF[1];
    on_threads(count, |rank| {
        let rank = Arc::new(rank);
        with_plan(|plan| {
            let part_of_tile = parts_of_tiles(plan);
            let is_own = |tile| part_of_tile[&tile] as usize == rank.rank();
            let near = plan.with_neighbours(&plan.slice(OF, at(rank.rank())).unwrap());
            let mesh = plan.window(plan.with_neighbours(&near)).build().unwrap();
            let parts = |plan: &Plan| Parts::of_tiles(plan, count, |tile| part_of_tile[&tile]);
            compute(mesh, rank.clone(), OwnTiles { ranks: &*rank, is_own: Some(&is_own) }, &parts)
        })
    })
}

#[test]
fn processes_with_windows_of_levels_compute_the_bits_of_the_whole() {
    let mesh = with_plan(|plan| plan.build().unwrap());
    let whole = run(mesh, model(), Arc::new(Solo), Some(OwnTiles::all()), Parts::one);
    let slices = on_windows(|mesh, ranks, tiles, parts| run(mesh, model(), ranks, Some(tiles), parts));
    assert_equal(&slices, &whole);
}

#[test]
fn devices_with_windows_of_levels_compute_the_bits_of_the_whole() {
    let Some(all) = gpus(OF[0] * OF[1]) else { return };
    let on_gpu = |mesh: HexMesh, ranks: Arc<dyn Ranks>, tiles: OwnTiles, parts: &dyn Fn(&Plan) -> Parts| {
        let setup = setup(mesh, model(), 4);
        let (gpu, workers) = (&all[ranks.rank()], setup.workers());
        compute(setup, (ranks, Some(tiles)), 3, parts, |on, dt, sources| {
            GpuOperator::new(gpu, on, dt, sources, &[], workers).unwrap()
        })
    };
    let mesh = with_plan(|plan| plan.build().unwrap());
    let whole = on_gpu(mesh, Arc::new(Solo), OwnTiles::all(), &Parts::one);
    assert_equal(&on_windows(on_gpu), &whole);
}

/// A ball of rock, water and rock with a thin layer at its surface.
fn with_ball<R>(work: impl FnOnce(&GlobePlan) -> R) -> R {
    let tops = [Flat(0.0), Flat(-80.0), Flat(-2500.0), Flat(-4000.0)];
    let sizes = UniformSize { size: 1300.0, speed: 6000.0 };
    let nowhere = |_: [f64; 3]| [0.0; 2];
    let strata = strata(&[&tops[0], &tops[1], &tops[2], &tops[3]]);
    let mut spec = GlobeSpec::new(6000.0, strata, &sizes, &nowhere);
    spec.doubling = Doubling::Never;
    spec.tile = 40;
    work(&GlobePlan::new(&spec).unwrap())
}

#[test]
fn levels_of_windows_of_a_ball_are_those_of_the_whole() {
    const COUNT: usize = 4;
    let model = || earth([rock().into(), rock().into(), water().into(), rock().into()]);
    let (mesh, all) = with_ball(|plan| {
        let mesh = plan.build().unwrap();
        let levels = levels(&mesh, &model(), OwnTiles::all());
        (mesh, levels)
    });
    assert_eq!(all.order(), Order::Second);
    on_threads(COUNT, |rank| {
        with_ball(|plan| {
            let is_own = |tile: u32| tile as usize * COUNT / plan.tiles() == rank.rank();
            let near = plan.with_neighbours(&(0..plan.tiles() as u32).map(is_own).collect::<Vec<_>>());
            let window = plan.window(plan.with_neighbours(&near)).build().unwrap();
            let found = levels(&window, &model(), OwnTiles { ranks: &rank, is_own: Some(&is_own) });
            assert_levels((&window, &found), (&mesh, &all), |tile| near[tile as usize]);
        });
    });
}
