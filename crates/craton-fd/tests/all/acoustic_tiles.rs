//! Shots in a plane on a GPU: tiles that stay on the chip and blocks of rows give bit-identical results. The kernels run emulated on this processor; with
//! CRATON_TEST_GPU=cuda on a GPU.

use std::sync::Arc;

use craton_device::Isa;
use craton_device::gpu::Gpu;
use craton_fd::acoustic::{
    AcousticField, AcousticGpu, AcousticMaterial, AcousticMedium, AcousticOptions, Drive, Listener, Placed, ShotWay,
    WaveEquation,
};
use craton_fd::{AbsorbingLayer, Boundaries, Grid, Side};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_sim::Failure;
use craton_testkit::devices::gpu;

/// Spacing [m].
const H: f64 = 10.0;

type Shot = (Vec<Drive>, Vec<Listener>);

/// A heterogeneous fluid.
fn fluid(cells: [usize; 3]) -> Arc<AcousticMedium<f32>> {
    let grid = Grid { origin: [0.0; 3], spacing: [H; 3], cells };
    let vary = |[i, j, k]: [usize; 3]| ((i * 7 + j * 13 + k * 29) % 101) as f64;
    let material = |cell| AcousticMaterial { vp: 1500.0 + 10.0 * vary(cell), rho: 1000.0 + vary(cell) };
    Arc::new(AcousticMedium::new(grid, material).unwrap())
}

fn options(half_length: usize, is_free: bool) -> AcousticOptions {
    let layer = AbsorbingLayer {
        cells: 9,
        vp_max: 2510.0,
        dominant_frequency: 15.0,
        reflection: 1e-4,
        exponent: 2.0,
        max_stretch: 1.0,
    };
    let mut boundaries = Boundaries::all(Side::Layer(layer));
    if is_free {
        boundaries.sides[5] = Side::Free;
    }
    AcousticOptions {
        equation: WaveEquation::FirstOrder,
        stencil: StaggeredStencil::taylor(half_length).unwrap(),
        boundaries,
        interpolation: WindowedSinc::new(4, 4.0).unwrap(),
        isa: Isa::detect(),
    }
}

/// Shots with sources and receivers around these points on the edges of tiles, between cell centres.
fn shots(count: usize, edges: &[[f64; 2]]) -> Vec<Shot> {
    let places = |x: f64, z: f64| vec![Placed { position: [H * x, 0.5 * H, H * z], weight: 1.0 }];
    let shot = |number: usize| {
        let [x, z] = edges[number % edges.len()];
        let history = (0..400).map(|step| (0.3 * f64::from(step)).sin()).collect::<Vec<_>>();
        let pressure = Drive { places: places(x + 0.2, z - 0.3), field: AcousticField::Pressure, history };
        let force = Drive { places: places(x, z + 2.1), field: AcousticField::Velocity(2), ..pressure.clone() };
        // Its grid points overlap with those of the first source.
        let history = pressure.history.iter().map(|value| 0.7 * value).collect();
        let other = Drive { places: places(x + 1.1, z - 0.3), field: AcousticField::Pressure, history };
        let fields = [AcousticField::Pressure, AcousticField::Velocity(0), AcousticField::Velocity(2)];
        let around = edges.iter().flat_map(|&[x, z]| (0..9).map(move |n| (x - 4.0 + f64::from(n), z + 0.4)));
        let listeners = around.enumerate().map(|(n, (x, z))| Listener { places: places(x, z), field: fields[n % 3] });
        (vec![pressure, force, other], listeners.collect())
    };
    (0..count).map(shot).collect()
}

/// Samples and pressure of all shots after some advances, the samples taken after each.
fn run(mut operator: AcousticGpu, shots: &[Shot], advances: &[u64]) -> Vec<[Vec<f32>; 2]> {
    operator.place(shots).unwrap();
    let mut samples = vec![Vec::new(); shots.len()];
    for &steps in advances {
        operator.advance(steps).unwrap();
        samples.iter_mut().zip(operator.take_samples().unwrap()).for_each(|(all, more)| all.extend(more));
    }
    (0..shots.len()).for_each(|shot| operator.check(shot).unwrap());
    samples.into_iter().enumerate().map(|(shot, samples)| [samples, operator.pressure(shot).unwrap()]).collect()
}

/// Operators of both kinds for a problem: in tiles and in rows.
fn both(gpu: &Gpu, cells: [usize; 2], (half_length, is_free): (usize, bool), count: usize) -> [AcousticGpu; 2] {
    let (medium, options) = (fluid([cells[0], 1, cells[1]]), options(half_length, is_free));
    let dt = 0.9 * medium.stable_step(&options.stencil);
    [ShotWay::Tiles, ShotWay::Rows]
        .map(|way| AcousticGpu::moving(way, gpu, medium.clone(), options.clone(), dt, count).unwrap())
}

/// Asserts that both kinds give identical bits. `tiles`: on the emulated device, tiles along x and z, and concurrent shots.
fn compare(cells: [usize; 2], problem: (usize, bool), count: usize, tiles: ([usize; 2], usize), edges: &[[f64; 2]]) {
    let Some(gpu) = gpu() else { return };
    let [in_tiles, in_rows] = both(&gpu, cells, problem, count);
    let found = in_tiles.tiles().expect("a plane that fits");
    assert!(!gpu.is_emulated() || found == tiles, "{cells:?}: {found:?}");
    assert!(in_rows.tiles().is_none());
    let shots = shots(count, edges);
    let steps = if gpu.is_emulated() { 36 } else { 90 };
    let (tiled, expected) = (run(in_tiles, &shots, &[steps]), run(in_rows, &shots, &[steps]));
    for (number, ([samples, pressure], [of_samples, of_pressure])) in tiled.iter().zip(&expected).enumerate() {
        assert!(of_pressure.iter().any(|p| p.abs() > 1e-3) && of_samples.iter().any(|p| p.abs() > 1e-3));
        assert!(pressure == of_pressure, "{cells:?}, {problem:?}, shot {number}");
        assert!(samples == of_samples, "{cells:?}, {problem:?}, samples of shot {number}");
    }
}

#[test]
fn an_unstable_shot_does_not_affect_concurrent_shots() {
    let Some(gpu) = gpu() else { return };
    let (problem, edges) = ((4, true), [[80.0, 20.0], [41.0, 20.5]]);
    let pairs = both(&gpu, [150, 83], problem, 2);
    for (mut operator, alone) in pairs.into_iter().zip(both(&gpu, [150, 83], problem, 1)) {
        let mut shots = shots(2, &edges);
        let [expected] = <[_; 1]>::try_from(run(alone, &shots[..1], &[40])).unwrap();
        shots[1].0[0].history.fill(f64::from(f32::MAX));
        operator.place(&shots).unwrap();
        operator.advance(40).unwrap();
        operator.check(0).unwrap();
        let Failure::Unstable(broken) = operator.check(1).unwrap_err() else { panic!("a field that is not finite") };
        assert_eq!(broken.step, 40);
        assert!([operator.take_samples().unwrap().swap_remove(0), operator.pressure(0).unwrap()] == expected);
    }
}

#[test]
fn adjacent_tiles_are_bit_identical_to_rows() {
    // Edges at 80 along x, at 20, 41 and 62 along z.
    let edges = [[80.0, 20.0], [80.0, 41.0], [79.0, 62.0], [41.0, 20.5]];
    for half_length in [4, 8] {
        for is_free in [false, true] {
            // A free top adds a row: 84 in four tiles.
            compare([150, 83], (half_length, is_free), 1, ([2, 4], 1), &edges);
        }
    }
}

#[test]
fn sizes_that_are_not_multiples_of_tiles_are_bit_identical_to_rows() {
    compare([397, 61], (8, true), 1, ([4, 2], 1), &[[112.0, 3.0], [224.0, 30.0], [336.0, 31.0]]);
    compare([97, 59], (4, false), 1, ([1, 8], 1), &[[60.0, 7.0], [30.0, 14.0], [50.0, 51.0]]);
    compare([64, 20], (8, true), 1, ([1, 2], 1), &[[20.0, 10.0]]);
    compare([58, 25], (4, false), 1, ([1, 3], 1), &[[20.0, 10.0]]);
}

#[test]
fn concurrent_and_successive_shots_are_bit_identical_to_rows() {
    let edges = [[80.0, 60.0], [79.0, 59.0], [60.0, 61.0]];
    compare([150, 120], (8, false), 3, ([2, 2], 2), &edges);
    compare([75, 62], (8, true), 3, ([1, 2], 3), &[[40.0, 31.0], [41.0, 30.0]]);
    compare([75, 62], (4, false), 5, ([1, 1], 5), &[[40.0, 31.0], [41.0, 30.0]]);
}

#[test]
fn results_are_bit_identical_for_any_grouping_of_steps() {
    let Some(gpu) = gpu() else { return };
    let shots = shots(2, &[[30.0, 20.0], [25.0, 12.0]]);
    let tiles = || {
        let [tiles, _] = both(&gpu, [50, 25], (4, true), 2);
        tiles
    };
    let [_, rows] = both(&gpu, [50, 25], (4, true), 2);
    let expected = run(rows, &shots, &[300]);
    // A launch has 256 steps.
    for advances in [&[1, 2, 60, 1, 236][..], &[257, 43]] {
        assert!(run(tiles(), &shots, advances) == expected, "{advances:?}");
    }
    // Fewer shots than the operator holds, after other shots.
    let mut again = tiles();
    again.place(&shots[1..]).unwrap();
    again.advance(40).unwrap();
    assert!(run(again, &shots[..1], &[300]) == expected[..1]);
}

#[test]
fn parts_of_a_field_equal_the_whole_field() {
    let Some(gpu) = gpu() else { return };
    for [nx, ny, nz] in [[75, 1, 42], [30, 22, 25]] {
        let (medium, options) = (fluid([nx, ny, nz]), options(4, true));
        let dt = 0.9 * medium.stable_step(&options.stencil);
        let mut operator = AcousticGpu::moving(ShotWay::Tiles, &gpu, medium, options, dt, 2).unwrap();
        operator.place(&shots(2, &[[15.0, 12.0], [14.0, 13.0]])).unwrap();
        operator.advance(25).unwrap();
        let whole = operator.pressure(1).unwrap();
        // Whole planes, and parts of them.
        for part in [[3..nx, 0..ny, 5..nz - 1], [0..nx, ny / 2..ny / 2 + 1, 0..nz], [7..8, 0..ny, 0..nz]] {
            let [x, y, z] = part.clone();
            let rows = z.flat_map(|k| y.clone().map(move |j| nx * (j + ny * k)));
            let expected: Vec<f32> = rows.flat_map(|row| whole[row + x.start..row + x.end].to_vec()).collect();
            assert!(operator.pressure_in(1, &part).unwrap() == expected, "{part:?}");
        }
    }
}

#[test]
fn problems_without_tiles_use_rows() {
    let Some(gpu) = gpu() else { return };
    let tiles = |cells: [usize; 3], half_length: usize| {
        let (medium, options) = (fluid(cells), options(half_length, false));
        let dt = 0.9 * medium.stable_step(&options.stencil);
        AcousticGpu::moving(ShotWay::Tiles, &gpu, medium, options, dt, 1).unwrap().tiles()
    };
    assert!(tiles([150, 1, 40], 8).is_some());
    // Three dimensions, and a plane too large for any device.
    assert_eq!(tiles([40, 30, 40], 4), None);
    let large = if gpu.is_emulated() { [700, 1, 400] } else { [2600, 1, 1200] };
    assert_eq!(tiles(large, 8), None);
    // Layers of 9 cells on both sides along z, and along x, where they hold whole groups of 16 points.
    for (between, is_tiled) in [(6, false), (7, true)] {
        assert_eq!(tiles([150, 1, 18 + between], 8).is_some(), is_tiled);
    }
    assert_eq!((tiles([40, 1, 40], 8), tiles([41, 1, 40], 8).is_some()), (None, true));
    if gpu.is_emulated() {
        assert_eq!(tiles([150, 1, 40], 3), None);
        // Nine tiles of 128 points, of which eight run concurrently.
        assert_eq!(tiles([9 * 128, 1, 40], 8), None);
        assert!(tiles([8 * 128, 1, 40], 8).is_some());
    }
}

#[test]
fn channels_without_weights_are_zero_after_other_shots() {
    let Some(gpu) = gpu() else { return };
    for mut operator in both(&gpu, [61, 40], (2, false), 1) {
        let mut shots = shots(1, &[[30.0, 20.0]]);
        let channels = shots[0].1.len();
        let mut first_channel = |shots: &[Shot]| {
            operator.place(shots).unwrap();
            operator.advance(60).unwrap();
            let recorded = operator.take_samples().unwrap().remove(0);
            assert!(recorded.iter().any(|&sample| sample != 0.0));
            recorded.into_iter().step_by(channels).collect::<Vec<_>>()
        };
        assert!(first_channel(&shots).iter().any(|&sample| sample != 0.0));
        shots[0].1[0].places[0].weight = 0.0;
        assert!(first_channel(&shots).iter().all(|&sample| sample == 0.0));
    }
}
