//! The tensor on faces, edges and corners is that of the body, independent of its division into prisms.

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, GRAVITATIONAL_CONSTANT, Gravity, Limits, Points, Prism, Prisms, forward};

fn workers() -> Workers {
    Workers::new(Some(2)).expect("threads")
}

/// Gravity with limits applied.
fn gravity(prisms: &[Prism], places: &[[f64; 3]]) -> (Gravity, usize) {
    let prisms = Prisms::new(prisms.iter().copied()).expect("prisms");
    let points = Points::new(places.iter().copied()).expect("points");
    let (team, isa) = (workers(), Isa::detect());
    let limits = Limits::new(&prisms, &points, &team, isa);
    let mut gravity = forward(&prisms, &points, Fields::ALL.leaving_out_edges(), &team, isa);
    limits.put(&mut gravity);
    (gravity, limits.len())
}

fn tensor(gravity: &Gravity, point: usize) -> [f64; 6] {
    [Field::EastEast, Field::EastNorth, Field::EastUp, Field::NorthNorth, Field::NorthUp, Field::UpUp]
        .map(|field| gravity.get(field).expect("a requested field")[point])
}

/// A block of 800 kg/m³ far from the origin, whole or in cells.
fn block(cells: [usize; 3]) -> Vec<Prism> {
    let [x, y, z] = [[500_000.0, 500_100.0], [4_000_000.0, 4_000_060.0], [-300.0, -100.0]];
    let plane = |[low, high]: [f64; 2], count: usize, n: usize| low + (high - low) * (n as f64 / count as f64);
    let mut prisms = Vec::new();
    for k in 0..cells[2] {
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                let ([west, east], [south, north], [bottom, top]) = (
                    [plane(x, cells[0], i), plane(x, cells[0], i + 1)],
                    [plane(y, cells[1], j), plane(y, cells[1], j + 1)],
                    [plane(z, cells[2], k), plane(z, cells[2], k + 1)],
                );
                prisms.push(Prism { west, east, south, north, bottom, top, density: 800.0 });
            }
        }
    }
    prisms
}

#[test]
fn a_body_split_into_cells_has_the_tensor_of_the_whole_on_inner_faces() {
    // On a face, an edge and a corner of inner cells; at the top; on the side, halfway up.
    let places = [
        [500_010.0, 4_000_005.0, -200.0],
        [500_050.0, 4_000_030.0, -210.0],
        [500_050.0, 4_000_030.0, -200.0],
        [500_050.0, 4_000_010.0, -100.0],
        [500_050.0, 4_000_030.0, -100.0],
        [500_100.0, 4_000_010.0, -200.0],
        [500_123.0, 4_000_030.0, -200.0],
    ];
    let ((whole, on_whole), (cells, on_cells)) =
        (gravity(&block([1, 1, 1]), &places), gravity(&block([2, 2, 2]), &places));
    assert_eq!([on_whole, on_cells], [3, 6]);
    let scale = 800.0 * GRAVITATIONAL_CONSTANT;
    for point in 0..places.len() {
        for (expected, found) in tensor(&whole, point).into_iter().zip(tensor(&cells, point)) {
            assert!(
                (found - expected).abs() < 1e-7 * scale,
                "at {:?}: {found:e} instead of {expected:e}",
                places[point]
            );
        }
    }
    // At the top from above: no mass there.
    let [ee, .., uu] = tensor(&cells, 4);
    let nn = tensor(&cells, 4)[3];
    assert!((ee + nn + uu).abs() < 1e-7 * scale && uu > 0.0, "{ee:e} + {nn:e} + {uu:e}");
    // On the side the mean of both sides: half of Poisson's.
    let on_side = tensor(&cells, 5);
    let trace = (on_side[0] + on_side[3] + on_side[5]) / (-4.0 * std::f64::consts::PI * scale);
    assert!((trace - 0.5).abs() < 1e-7, "{trace}");
}

#[test]
fn limits_between_small_cells_do_not_depend_on_map_position() {
    // A length that is exact at distant positions, and so short that their round-off would affect the distances from which limits are extrapolated.
    const SIDE: f64 = 1.0 / 128.0;
    let cell = |n: usize, [x, y]: [f64; 2]| {
        let [i, j, k] = [n % 2, n / 2 % 2, n / 4].map(|number| SIDE * number as f64);
        let (west, south, bottom) = (x + i, y + j, k - 2.0 * SIDE);
        let density = 100.0 * (1 + 5 * n % 8) as f64;
        Prism { west, east: west + SIDE, south, north: south + SIDE, bottom, top: bottom + SIDE, density }
    };
    let place = |n: usize, [x, y]: [f64; 2]| {
        let [i, j, k] = [n % 5, n / 5 % 5, n / 25 % 5].map(|number| 0.5 * SIDE * number as f64);
        // The second half is slightly to the north-east, so close that limits are extrapolated from less than the spacing of floating-point coordinates there.
        let shift = if n < 125 { 0.0 } else { 1.0 / f64::from(1 << 26) };
        [x + i + shift, y + j + shift, k - 2.0 * SIDE]
    };
    let at = |origin: [f64; 2]| {
        let cells: Vec<Prism> = (0..8).map(|n| cell(n, origin)).collect();
        gravity(&cells, &(0..250).map(|n| place(n, origin)).collect::<Vec<_>>())
    };
    let ((here, on_here), (there, on_there)) = (at([0.0; 2]), at([500_000.0, 4_000_000.0]));
    assert_eq!([on_here, on_there], [117 + 48; 2]);
    for point in 0..250 {
        for (here, there) in tensor(&here, point).into_iter().zip(tensor(&there, point)) {
            let is_close = (here - there).abs() < 1e-10 * 800.0 * GRAVITATIONAL_CONSTANT;
            assert!(
                is_close || here.is_nan() && there.is_nan(),
                "{here:e} and {there:e} at {:?}",
                place(point, [0.0; 2])
            );
        }
    }
}

/// The limit at a place on the top of a body from just above it.
fn above([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, y, z + 3e-9]
}

#[test]
fn nearby_faces_do_not_affect_limits() {
    // Points on the top of a block, whole or in cells, slightly off an inner or outer face, edge or corner, at distances from above round-off to a tenth of a
    // side.
    let whole = [Prism { west: 0.0, east: 2.0, south: 0.0, north: 2.0, bottom: -1.0, top: 0.0, density: 500.0 }];
    let cells: Vec<Prism> = (0..4)
        .map(|n| {
            let [west, south] = [n % 2, n / 2].map(f64::from);
            Prism { west, east: west + 1.0, south, north: south + 1.0, ..whole[0] }
        })
        .collect();
    for step in [3e-9, 1e-8, 1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 1e-2, 0.1] {
        let places = [[1.0 + step, 0.625, 0.0], [1.0 - step, 1.0 + step, 0.0], [2.0 - step, 0.625, 0.0]];
        let ((on_whole, _), (on_cells, count)) = (gravity(&whole, &places), gravity(&cells, &places));
        let (expected, none) = gravity(&whole, &places.map(above));
        assert_eq!([count, none], [3, 0]);
        for (found, point) in
            [(&on_whole, 0), (&on_whole, 1), (&on_whole, 2), (&on_cells, 0), (&on_cells, 1), (&on_cells, 2)]
        {
            for (found, expected) in tensor(found, point).into_iter().zip(tensor(&expected, point)) {
                // Near the edge of the body the value slightly above differs.
                let most = if point == 2 { 3e-8 / step } else { 3e-8 };
                let error = (found - expected).abs() / (500.0 * GRAVITATIONAL_CONSTANT);
                assert!(error < most, "{step}, {:?}: {error:e}", places[point]);
            }
        }
    }
}

#[test]
fn thin_plates_add_no_round_off() {
    // Columns of four densities with a common corner, of decreasing thickness; the point lies on their top up to the last digits of distant coordinates.
    let column = |n: usize, [x, y, z]: [f64; 3], thick: f64| {
        let [west, south] = [x - 25.0 * (n % 2) as f64, y - 25.0 * (n / 2) as f64];
        let density = 100.0 * (1 + n) as f64;
        Prism { west, east: west + 25.0, south, north: south + 25.0, bottom: z - thick, top: z, density }
    };
    for thick in [1.0, 0.1, 0.01, 1e-3, 1e-4] {
        let tensor_at = |corner: [f64; 3], point: [f64; 3]| {
            tensor(&gravity(&(0..4).map(|n| column(n, corner, thick)).collect::<Vec<_>>(), &[point]).0, 0)
        };
        // The same thickness as at the distant position, where it is rounded.
        let here = tensor_at([0.0; 3], [0.0; 3]);
        let there = tensor_at([500_000.0, 4_000_000.0, 0.0], [500_000.0 + 6e-11, 4_000_000.0 + 5e-10, 0.0]);
        for (here, there) in here.into_iter().zip(there) {
            let is_close = (here - there).abs() < 1e-9 * 400.0 * GRAVITATIONAL_CONSTANT;
            assert!(is_close || here.is_nan() && there.is_nan(), "{thick}: {here:e} and {there:e}");
        }
    }
}

#[test]
fn flat_cells_that_are_cut_have_the_limits_of_the_whole_plate() {
    let cells = |count: usize| {
        let side = 6000.0 / count as f64;
        let cell = move |n: usize| {
            let [west, south] = [n % count, n / count].map(|n| side * n as f64);
            Prism { west, east: west + side, south, north: south + side, bottom: -0.5, top: 0.0, density: 800.0 }
        };
        (0..count * count).map(cell).collect::<Vec<_>>()
    };
    // On corners, edges and faces of cells, inside the plate and on its top.
    let places = [[2000.0, 2000.0, 0.0], [2000.0, 3000.0, 0.0], [2000.0, 4000.0, -0.25], [2500.0, 2700.0, 0.0]];
    let ((whole, on_whole), (nine, on_nine)) = (gravity(&cells(1), &places), gravity(&cells(3), &places));
    assert_eq!([on_whole, on_nine], [3, 4]);
    for point in 0..places.len() {
        for (expected, found) in tensor(&whole, point).into_iter().zip(tensor(&nine, point)) {
            let error = (found - expected).abs() / (800.0 * GRAVITATIONAL_CONSTANT);
            assert!(error < 1e-7, "at {:?}: {found:e} instead of {expected:e}", places[point]);
        }
    }
}

#[test]
fn dense_neighbours_do_not_remove_the_limit_of_a_weak_prism() {
    // In the middle of the top of a weak cube, below it, and on its far edge, where components across the edge diverge.
    let places = [[12.5, 20.0, 0.0], [12.5, 20.0, -50.0], [0.0, 20.0, 0.0]];
    let above = places.map(|[x, y, z]| [x, y, z + 1e-6]);
    for weak in [10.0, 1.0, 1e-3, 0.0] {
        let cube = |west: f64, density: f64| Prism {
            west,
            east: west + 50.0,
            south: 0.0,
            north: 50.0,
            bottom: -50.0,
            top: 0.0,
            density,
        };
        let prisms = [cube(0.0, weak), cube(50.0, 300.0)];
        let ((on, count), (near, none)) = (gravity(&prisms, &places), gravity(&prisms, &above));
        assert_eq!([count, none], [3, 0]);
        for point in 0..2 {
            for (value, near) in tensor(&on, point).into_iter().zip(tensor(&near, point)) {
                let scale = 300.0 * GRAVITATIONAL_CONSTANT;
                assert!((value - near).abs() < 1e-6 * scale, "{weak} at {:?}: {value:e}, {near:e}", places[point]);
            }
        }
        let without = tensor(&on, 2).map(f64::is_nan);
        assert_eq!(without, [false, false, weak >= 1e-3, false, false, false], "{weak}");
    }
}

#[test]
fn the_tensor_has_no_limit_on_edges_of_the_body() {
    let places = [[500_100.0, 4_000_060.0, -150.0], [500_100.0, 4_000_060.0, -100.0], [500_030.0, 4_000_060.0, -100.0]];
    for cells in [[1, 1, 1], [2, 3, 4]] {
        let (gravity, _) = gravity(&block(cells), &places);
        let without = |point: usize| tensor(&gravity, point).map(f64::is_nan);
        // The components across the edge, and at a corner those of all three.
        assert_eq!(without(0), [false, true, false, false, false, false]);
        assert_eq!(without(1), [false, true, true, false, true, false]);
        assert_eq!(without(2), [false, false, false, false, true, false]);
        for field in [Field::Potential, Field::East, Field::North, Field::Up] {
            assert!(gravity.get(field).expect("a requested field").iter().all(|value| value.is_finite()));
        }
    }
}

/// Whole numbers below a bound without a pattern.
fn dice(state: &mut u64, below: u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % below) as f64
}

/// Prisms with whole sides all over a cube of 24 m, and points in and around it, some of them in a borehole.
fn scattered() -> (Vec<Prism>, Vec<[f64; 3]>) {
    let mut state = 7;
    let prisms = (0..300).map(|_| {
        let [west, south, bottom] = [(); 3].map(|()| dice(&mut state, 20));
        let [dx, dy, dz] = [(); 3].map(|()| 1.0 + dice(&mut state, 4));
        Prism { west, east: west + dx, south, north: south + dy, bottom, top: bottom + dz, density: 100.0 }
    });
    let prisms = prisms.collect();
    let mut points: Vec<[f64; 3]> = (0..700).map(|_| [(); 3].map(|()| 0.5 * dice(&mut state, 80) - 8.0)).collect();
    points.extend((0..200).map(|n| [7.0, 9.25, 0.25 * f64::from(n) - 10.0]));
    (prisms, points)
}

fn is_on(prism: &Prism, point: &[f64; 3]) -> bool {
    let mut along = prism.bounds().into_iter().zip(point);
    let is_within = along.clone().all(|([low, high], place)| (low..=high).contains(place));
    is_within && along.any(|([low, high], place)| *place == low || *place == high)
}

#[test]
fn exactly_the_points_on_prisms_are_found() {
    let (prisms, places) = scattered();
    let points = Points::new(places.iter().copied()).expect("points");
    let expected: Vec<usize> = (0..places.len()).filter(|&n| prisms.iter().any(|p| is_on(p, &places[n]))).collect();
    assert!((50..800).contains(&expected.len()), "{}", expected.len());
    let prisms = Prisms::new(prisms).expect("prisms");
    let find = |prisms: &Prisms, points: &Points| Limits::new(prisms, points, &workers(), Isa::detect());
    let limits = find(&prisms, &points);
    assert_eq!((limits.points(), limits.len()), (&expected[..], expected.len()));
    assert!(Limits::new_while(&prisms, &points, &workers(), Isa::detect(), &|| false).is_none(), "cancelled");
    assert!(find(&Prisms::default(), &points).is_empty());
    // Points far to one side are never found.
    let aside = Points::new(places.iter().map(|[x, y, z]| [x + 100.0, *y, *z])).expect("points");
    assert!(find(&prisms, &aside).is_empty());
}

#[test]
fn a_far_face_does_not_widen_the_tolerance_of_a_near_one() {
    // A column and a half slab that extend far: 5 m above the top, above a corner; 5 m beside the edge of the slab.
    let of = |far: f64| {
        let column =
            Prism { west: 0.0, east: 100.0, south: 0.0, north: 100.0, bottom: -far, top: -100.0, density: 100.0 };
        let slab = Prism { west: 0.0, east: far, south: -far, north: far, bottom: -200.0, top: -100.0, density: 100.0 };
        let (above, found) = gravity(&[column], &[[100.0, 100.0, -95.0]]);
        let (beside, others) = gravity(&[slab], &[[-5.0, 0.0, -150.0]]);
        assert_eq!([found, others], [0, 0], "{far}");
        [tensor(&above, 0), tensor(&beside, 0)]
    };
    let near = of(1e8);
    assert!((near[0][0] * 1e9 + 5.006).abs() < 1e-3 && (near[0][1] * 1e9 - 13.486).abs() < 1e-3, "{near:?}");
    for (found, expected) in of(1e10).into_iter().flatten().zip(near.into_iter().flatten()) {
        assert!((found - expected).abs() < 1e-4 * 100.0 * GRAVITATIONAL_CONSTANT, "{found:e} {expected:e}");
    }
}

#[test]
fn points_in_another_order_have_the_same_limits() {
    let (prisms, places) = scattered();
    let (prisms, points) = (Prisms::new(prisms).expect("prisms"), Points::new(places).expect("points"));
    let order = points.runs();
    assert!(order.windows(2).any(|pair| pair[0] > pair[1]), "it is another order");
    let sums = |points: &Points, limits: &Limits| {
        let mut gravity = forward(&prisms, points, Fields::ALL.leaving_out_edges(), &workers(), Isa::detect());
        limits.put(&mut gravity);
        (0..points.len()).map(|point| tensor(&gravity, point).map(f64::to_bits)).collect::<Vec<_>>()
    };
    let limits = Limits::new(&prisms, &points, &workers(), Isa::detect());
    let all = sums(&points, &limits);
    let ordered: Vec<_> = order.iter().map(|&number| all[number]).collect();
    let (points, limits) = (points.select(&order), limits.select(&order));
    assert_eq!(sums(&points, &limits), ordered);
    for range in [0..64, 64..500, 500..900] {
        assert_eq!(sums(&points.part(range.clone()), &limits.within(&range)), ordered[range]);
    }
    assert!(Limits::default().select(&order).is_empty());
}

#[test]
fn edges_are_nan_unless_they_are_left_out() {
    let (team, isa) = (workers(), Isa::detect());
    let prisms = Prisms::new(block([2, 2, 2])).expect("prisms");
    let points = Points::new([[500_050.0, 4_000_030.0, -200.0], [500_050.0, 4_000_031.0, -90.0]]).expect("points");
    let [plain, without] =
        [Fields::ALL, Fields::ALL.leaving_out_edges()].map(|fields| forward(&prisms, &points, fields, &team, isa));
    assert_eq!(tensor(&plain, 0).map(f64::is_nan), [true; 6]);
    assert_eq!(tensor(&without, 0), [0.0; 6]);
    assert_eq!(tensor(&without, 1), tensor(&plain, 1));
    // Limits do not replace NaN unless edges were left out.
    let mut gravity = plain;
    Limits::new(&prisms, &points, &team, isa).put(&mut gravity);
    assert_eq!(tensor(&gravity, 0).map(f64::is_nan), [true; 6]);
}
