//! Plans of boxes: sizes are satisfied, doublings reduce the cost, invalid input is refused.

use crate::common::{self, LOH1, points};
use craton_mesh::{
    BoxPlan, BoxSpec, Doubling, Flat, Geometry, HexMesh, Horizontal, MeshError, QualityReport, SIZE_TOLERANCE, Side,
    SizeField, UniformSize, mesh_box,
};
use craton_testkit::meshes::{PerStratum, hilly, strata};

fn loh1(tops: &[Flat; 2]) -> BoxSpec<'_> {
    let range = [-4000.0, 14_000.0];
    BoxSpec::new(range, range, -12_000.0, strata(&[&tops[0], &tops[1]]), &LOH1)
}

fn count(mesh: &HexMesh, side: Side) -> usize {
    mesh.faces.iter().filter(|face| face.side == side).count()
}

/// Extents of an element along x, y, z, and its lowest and highest elevation.
fn extents(mesh: &HexMesh, element: u32) -> ([f64; 3], [f64; 2]) {
    let mut buffer = [[0.0; 3]; 27];
    let points = mesh.points_of(element, &mut buffer);
    let low = |axis: usize| points.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
    let high = |axis: usize| points.iter().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
    ([0, 1, 2].map(|axis| high(axis) - low(axis)), [low(2), high(2)])
}

fn assert_sizes_obeyed(mesh: &HexMesh, sizes: &dyn SizeField) {
    for element in 0..mesh.n_elements() as u32 {
        let (extent, [low, high]) = extents(mesh, element);
        let size = sizes.size(mesh.region[element as usize] as usize, low, high);
        for length in extent {
            assert!(length <= SIZE_TOLERANCE * size * (1.0 + 1e-9), "{length} > {size} at {low}");
        }
    }
}

#[test]
fn loh1_doubles_once_from_52_to_26_columns() {
    let tops = [Flat(0.0), Flat(-1000.0)];
    let mesh = mesh_box(&loh1(&tops)).unwrap();
    assert_eq!(count(&mesh, Side::Top), 52 * 52);
    assert_eq!(count(&mesh, Side::Bottom), 26 * 26);
    // Three fine layers, a doubling in y, one in x, fourteen coarse layers.
    let exact = 52 * 52 * 3 + 52 * 13 * 6 + 26 * 13 * 6 + 26 * 26 * 14;
    assert_eq!(mesh.n_elements(), exact);
    assert_sizes_obeyed(&mesh, &LOH1);
}

#[test]
fn the_doubling_brick_has_a_scaled_jacobian_above_0_62() {
    let tops = [Flat(0.0), Flat(-1000.0)];
    for geometry in [Geometry::Linear8, Geometry::Quadratic27] {
        let mut spec = loh1(&tops);
        spec.geometry = geometry;
        let quality = QualityReport::measure(&mesh_box(&spec).unwrap(), &points(8));
        assert!(quality.scaled_jacobian.min > 0.62, "{}", quality.scaled_jacobian.min);
        assert!(quality.aspect_ratio.max < 2.4, "{}", quality.aspect_ratio.max);
        assert!(quality.skew.max < 0.47, "{}", quality.skew.max);
        assert!(quality.edge_min.min > 0.4 * 692.0, "{}", quality.edge_min.min);
    }
}

/// Sizes that grow with depth.
struct Gradient;

impl SizeField for Gradient {
    fn size(&self, _: usize, _: f64, z_high: f64) -> f64 {
        50.0 - 0.2 * z_high
    }

    fn fastest(&self, _: usize, z_low: f64, _: f64) -> f64 {
        1000.0 - 2.0 * z_low
    }
}

#[test]
fn a_gradient_is_followed_by_growing_layers_and_several_doublings() {
    let spec = BoxSpec::new([0.0, 3200.0], [0.0, 1700.0], -3000.0, strata(&[&Flat(0.0)]), &Gradient);
    let mesh = mesh_box(&spec).unwrap();
    common::assert_conforming(&mesh);
    assert_sizes_obeyed(&mesh, &Gradient);
    assert!(count(&mesh, Side::Top) >= 16 * count(&mesh, Side::Bottom));
    let quality = QualityReport::measure(&mesh, &points(4));
    assert!((quality.total_volume() / (3200.0 * 1700.0 * 3000.0) - 1.0).abs() < 1e-12);
    assert!(quality.scaled_jacobian.min > 0.4, "{}", quality.scaled_jacobian.min);
}

#[test]
fn hills_and_basins_keep_two_doublings_good() {
    let quality = QualityReport::measure(&hilly(Geometry::Quadratic27), &points(4));
    assert!(quality.scaled_jacobian.min > 0.4, "{}", quality.scaled_jacobian.min);
    quality.check(&hilly(Geometry::Quadratic27), 0.1).unwrap();
}

#[test]
fn a_slow_layer_below_a_fast_one_narrows_all_columns() {
    let sizes = PerStratum(&[(600.0, 6000.0), (310.0, 3000.0)]);
    let tops = strata(&[&Flat(0.0), &Flat(-1800.0)]);
    let mesh = mesh_box(&BoxSpec::new([0.0, 6000.0], [0.0, 3000.0], -3000.0, tops, &sizes)).unwrap();
    assert_sizes_obeyed(&mesh, &sizes);
    assert_eq!(count(&mesh, Side::Top), 20 * 10);
    assert_eq!(mesh.n_elements(), 20 * 10 * (3 + 4));
}

#[test]
fn a_thin_stratum_gets_one_layer() {
    let sizes = UniformSize { size: 400.0, speed: 3000.0 };
    let tops = strata(&[&Flat(0.0), &Flat(-30.0)]);
    let mesh = mesh_box(&BoxSpec::new([0.0, 2000.0], [0.0, 2000.0], -1000.0, tops, &sizes)).unwrap();
    assert_eq!(mesh.region.iter().filter(|&&region| region == 0).count(), 25);
    assert_eq!(mesh.n_elements(), 25 * (1 + 3));
}

#[test]
fn doubling_occurs_only_if_it_reduces_the_cost() {
    let sizes = PerStratum(&[(100.0, 1000.0), (210.0, 2500.0)]);
    let columns = |bottom: f64, doubling: Doubling| {
        let tops = strata(&[&Flat(0.0), &Flat(-1000.0)]);
        let mut spec = BoxSpec::new([0.0, 2000.0], [0.0, 2000.0], bottom, tops, &sizes);
        spec.doubling = doubling;
        let mesh = mesh_box(&spec).unwrap();
        [Side::Top, Side::Bottom].map(|side| count(&mesh, side))
    };
    assert_eq!(columns(-1450.0, Doubling::Automatic), [400, 400], "too little room below to win anything");
    assert_eq!(columns(-9000.0, Doubling::Automatic), [400, 100]);
    assert_eq!(columns(-9000.0, Doubling::Never), [400, 400]);
}

#[test]
fn prescribed_columns_are_kept() {
    let tops = [Flat(0.0), Flat(-1000.0)];
    let columns = |horizontal: Horizontal| {
        let mut spec = loh1(&tops);
        spec.horizontal = horizontal;
        let mesh = mesh_box(&spec).unwrap();
        [Side::Top, Side::Bottom].map(|side| count(&mesh, side))
    };
    assert_eq!(columns(Horizontal::Elements([56, 52])), [56 * 52, 28 * 26]);
    assert_eq!(columns(Horizontal::Elements([54, 54])), [54 * 54; 2], "54 cannot be doubled");
    assert_eq!(columns(Horizontal::Elements([10, 12])), [120; 2]);
    assert_eq!(columns(Horizontal::Size(340.0)), [56 * 56, 28 * 28]);
}

#[test]
fn the_number_of_elements_with_layers_is_known_before_the_mesh() {
    let tops = [Flat(0.0), Flat(-1000.0)];
    for doubling in [Doubling::Automatic, Doubling::Never, Doubling::Below(vec![-1000.0, -5000.0])] {
        let mut spec = loh1(&tops);
        spec.y = [-2000.0, 3000.0];
        spec.doubling = doubling;
        if let Doubling::Below(_) = spec.doubling {
            spec.horizontal = Horizontal::Elements([64, 24]);
        }
        let plan = BoxPlan::new(&spec).unwrap();
        let mesh = plan.build().unwrap();
        for across in [[0; 6], [3, 2, 0, 1, 2, 0], [0, 0, 2, 2, 0, 3], [3, 3, 3, 3, 3, 1]] {
            let with = mesh.clone().with_pml(across).unwrap();
            assert_eq!(plan.n_elements_with_pml(across), with.n_elements(), "{across:?}");
        }
    }
}

#[test]
fn the_extents_of_outer_elements_are_known_before_the_mesh() {
    let tops = [Flat(0.0), Flat(-1000.0)];
    for doubling in [Doubling::Automatic, Doubling::Never] {
        let mut spec = loh1(&tops);
        spec.y = [-2000.0, 3000.0];
        spec.doubling = doubling;
        let plan = BoxPlan::new(&spec).unwrap();
        let pml = plan.build().unwrap().with_pml([1, 0, 1, 0, 1, 0]).unwrap().pml.unwrap();
        let thickness = [0, 2, 4].map(|side| pml.thickness[side]);
        for (planned, thickness) in plan.outer_extents().into_iter().zip(thickness) {
            assert!((planned / thickness - 1.0).abs() < 0.03, "{planned} {thickness}");
        }
    }
}

#[test]
fn elements_double_only_below_the_given_elevations() {
    let tops = [Flat(0.0), Flat(-1000.0)];
    let mut spec = loh1(&tops);
    spec.horizontal = Horizontal::Elements([64, 64]);
    spec.doubling = Doubling::Below(vec![-1000.0, -5000.0]);
    let mesh = mesh_box(&spec).unwrap();
    common::assert_conforming(&mesh);
    let fine = 18_000.0 / 64.0;
    for element in 0..mesh.n_elements() as u32 {
        let ([x, y, _], [low, high]) = extents(&mesh, element);
        // Two layers of 690 m at most, one for each axis, are below each elevation.
        let width = match (low, high) {
            (-1000.0.., _) => fine,
            (-5000.0.., ..-2380.0) => 2.0 * fine,
            (_, ..-6380.0) => 4.0 * fine,
            _ => continue,
        };
        assert!((x / width - 1.0).abs() < 1e-9 && (y / width - 1.0).abs() < 1e-9, "{x} x {y} m from {low} to {high} m");
    }
    assert_eq!([Side::Top, Side::Bottom].map(|side| count(&mesh, side)), [64 * 64, 16 * 16]);
}

#[test]
fn no_doubling_begins_above_its_given_elevation() {
    let sizes = UniformSize { size: 3000.0, speed: 5000.0 };
    let range = [0.0, 8000.0];
    let mut spec = BoxSpec::new(range, range, -20_000.0, strata(&[&Flat(0.0)]), &sizes);
    spec.horizontal = Horizontal::Elements([4, 4]);
    // Seven layers of 2857 m: the height may lie inside of one, or where two meet.
    for (below, fine) in [(-2800.0, 1), (-20_000.0 / 7.0, 1), (-2900.0, 2), (-5700.0, 2), (-5800.0, 3)] {
        spec.doubling = Doubling::Below(vec![below]);
        let elements = mesh_box(&spec).unwrap().n_elements();
        assert_eq!(elements, 16 * fine + 24 + 12 + 4 * (5 - fine), "{fine} layers above the doublings below {below} m");
    }
}

#[test]
fn impossible_doublings_are_refused() {
    let tops = [Flat(0.0), Flat(-1000.0)];
    let refused = |columns: usize, below: &[f64]| {
        let mut spec = loh1(&tops);
        spec.horizontal = Horizontal::Elements([columns, columns]);
        spec.doubling = Doubling::Below(below.to_vec());
        refusal(&spec).to_string()
    };
    assert!(refused(54, &[-1000.0]).contains("4 must divide the elements along x and y"));
    // Twelve kilometres hold no layer half as thick as elements of 9 km.
    assert!(refused(4, &[-1000.0]).contains("at least half as thick"));
    for out_of_order in [&[-5000.0, -1000.0][..], &[-1000.0, -1000.0], &[-12_000.0], &[f64::NAN], &[-1.0; 9]] {
        assert!(
            refused(64, out_of_order)
                .contains("at most 8 elevations in descending order, above the bottom at -12000 m")
        );
    }
}

fn refusal(spec: &BoxSpec) -> MeshError {
    mesh_box(spec).unwrap_err()
}

#[test]
fn strata_that_pinch_out_or_cross_are_refused_with_the_place() {
    let sizes = UniformSize { size: 200.0, speed: 3000.0 };
    let wedge = |x: f64, _: f64| -1000.0 + x;
    let tops = strata(&[&Flat(0.0), &Flat(-500.0), &wedge]);
    let spec = BoxSpec::new([0.0, 600.0], [0.0, 600.0], -2000.0, tops, &sizes);
    match refusal(&spec) {
        MeshError::StrataCross { upper: 1, lower: 2, x, thickness, .. } => {
            assert_eq!((x, thickness), (600.0, -100.0));
        }
        other => panic!("{other}"),
    }
    let touching = |x: f64, _: f64| -(x - 300.0).abs();
    let spec = BoxSpec::new([0.0, 600.0], [0.0, 600.0], -2000.0, strata(&[&Flat(0.0), &touching]), &sizes);
    let message = refusal(&spec).to_string();
    assert!(message.starts_with("interfaces 0 and 1"), "{message}");
    assert!(message.contains("0.000 m thick at x = 300, y = 0"), "{message}");
    // A spike between the samples of the survey is found when the mesh is built.
    let spike = |x: f64, y: f64| if (x, y) == (1.0 / 6.0, 0.5) { 10.0 } else { -1.0 };
    let sizes = UniformSize { size: 1.0 / 3.0, speed: 1.0 };
    let mut spec = BoxSpec::new([0.0, 1.0], [0.0, 1.0], -2.0, strata(&[&Flat(0.0), &spike]), &sizes);
    spec.horizontal = Horizontal::Elements([3, 3]);
    assert!(matches!(refusal(&spec), MeshError::StrataCross { upper: 0, lower: 1, .. }));
}

#[test]
fn invalid_boxes_and_sizes_are_refused() {
    let sizes = UniformSize { size: 200.0, speed: 3000.0 };
    let flat = Flat(0.0);
    let good = BoxSpec::new([0.0, 600.0], [0.0, 600.0], -600.0, strata(&[&flat]), &sizes);
    assert_eq!(mesh_box(&good).unwrap().n_elements(), 27);

    let spec = BoxSpec { y: [5.0, 5.0], ..good.clone() };
    assert_eq!(refusal(&spec), MeshError::EmptyRange { axis: 'y', low: 5.0, high: 5.0 });
    let spec = BoxSpec { x: [0.0, f64::NAN], ..good.clone() };
    assert!(matches!(refusal(&spec), MeshError::EmptyRange { axis: 'x', .. }));
    assert_eq!(refusal(&BoxSpec { strata: Vec::new(), ..good.clone() }), MeshError::NoStratum);
    let spec = BoxSpec { horizontal: Horizontal::Elements([3, 0]), ..good.clone() };
    assert_eq!(refusal(&spec), MeshError::Horizontal { axis: 'y', value: 0.0 });

    let hole = |x: f64, _: f64| if x > 300.0 { f64::NAN } else { 0.0 };
    let spec = BoxSpec { strata: strata(&[&hole]), ..good.clone() };
    assert!(matches!(refusal(&spec), MeshError::InterfaceNotFinite { interface: 0, .. }));
    let sizes = UniformSize { size: -1.0, speed: 3000.0 };
    let spec = BoxSpec { sizes: &sizes, ..good.clone() };
    assert!(matches!(refusal(&spec), MeshError::SizeField { what: "element size", .. }));
    let sizes = UniformSize { size: 100.0, speed: f64::NAN };
    let spec = BoxSpec { sizes: &sizes, ..good.clone() };
    assert!(matches!(refusal(&spec), MeshError::SizeField { what: "fastest wave speed", .. }));
    let sizes = UniformSize { size: 1e-3, speed: 3000.0 };
    let spec = BoxSpec { sizes: &sizes, ..good.clone() };
    assert!(matches!(refusal(&spec), MeshError::NoPlan { .. } | MeshError::TooLarge { .. }));
}

#[test]
fn periodic_sides_must_match() {
    let sizes = UniformSize { size: 200.0, speed: 3000.0 };
    let slope = |x: f64, _: f64| 0.1 * x;
    let mut spec = BoxSpec::new([0.0, 600.0], [0.0, 600.0], -600.0, strata(&[&slope]), &sizes);
    spec.periodic = [true, false];
    match refusal(&spec) {
        MeshError::PeriodicMismatch { x, offset, .. } => {
            assert_eq!(x, 600.0);
            assert!((offset - 60.0).abs() < 1e-9);
        }
        other => panic!("{other}"),
    }
}

#[test]
fn inverted_elements_are_refused_by_number_and_place() {
    let mut mesh = common::cube(Geometry::Linear8, [3, 3, 3], [false; 2]);
    let [low, high] = [mesh.corners_of(13)[0], mesh.corners_of(13)[4]];
    mesh.control_nodes.swap(low as usize, high as usize);
    let error = QualityReport::measure(&mesh, &points(2)).check(&mesh, 0.05).unwrap_err();
    assert!(error.to_string().contains(" near x = 0.2, y = 0.2, z = 0.5 m is inverted"), "{error}");
    match error {
        MeshError::Degenerate { element, centre, scaled_jacobian, least, count } => {
            let near = |x: f64| (x - 0.5).abs() < 0.34;
            assert!(centre.into_iter().all(near));
            assert!(scaled_jacobian < 0.0 && least == 0.05 && count == 4, "{element} {count}");
        }
        other => panic!("{other}"),
    }
    mesh.control_nodes[low as usize][0] = f64::NAN;
    assert!(QualityReport::measure(&mesh, &points(2)).check(&mesh, 0.05).is_err());
}

#[test]
fn statistics_add_up() {
    let mesh = common::cube(Geometry::Quadratic27, [2, 4, 5], [false; 2]);
    let quality = QualityReport::measure(&mesh, &points(4));
    assert!((quality.aspect_ratio.mean - 2.5).abs() < 1e-12);
    assert!((quality.edge_max.max - 0.5).abs() < 1e-15);
    assert!((quality.edge_min.min - 0.2).abs() < 1e-15);
    assert!(quality.skew.max < 1e-12 && (quality.scaled_jacobian.min - 1.0).abs() < 1e-12);
    assert_eq!(quality.volume.histogram.counts.iter().sum::<u64>(), 40);
}
