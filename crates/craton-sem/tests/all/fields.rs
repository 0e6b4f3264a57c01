//! Access to fields at nodes, in elements and at any point.

use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_mesh::{BoxSpec, Flat, Stratum, UniformSize, mesh_box};
use craton_model::{EarthModel, Medium};

use craton_sem::{Boundaries, Boundary, Discretisation, Field, NodePlace, Options, Patching, SemOperator};

/// Displacement component i is 1 + i + the dot product of row i and the position in km.
const SLOPES: [[f64; 3]; 3] = [[1.0, -2.0, 0.5], [0.0, 3.0, 1.0], [-1.0, 0.25, 2.0]];

fn linear(position: [f64; 3]) -> [f64; 3] {
    let along = |row: [f64; 3]| (0..3).map(|j| row[j] * position[j] / 1000.0).sum::<f64>();
    [0, 1, 2].map(|i| 1.0 + i as f64 + along(SLOPES[i]))
}

/// A box of 3 x 2 x 3 elements with a linear displacement.
fn sheared_box() -> SemOperator<f64> {
    let (sizes, top) = (UniformSize { size: 100.0, speed: 3464.0 }, Flat(0.0));
    let strata = vec![Stratum { top: &top, region: 0 }];
    let mesh = mesh_box(&BoxSpec::new([0.0, 300.0], [0.0, 200.0], -300.0, strata, &sizes)).unwrap();
    let model = EarthModel::homogeneous(Medium::isotropic(6000.0, 3464.0, 2700.0).unwrap());
    let workers = Arc::new(Workers::new(Some(1)).unwrap());
    let absorbing = Boundaries { sides: [Boundary::Absorbing; 6] };
    let options = Options { degree: 3, boundaries: absorbing, isa: Isa::Portable, patching: Patching::Threads };
    let on = Discretisation::<f64>::new(mesh, &model, &options, &workers).unwrap();
    let dt = on.stable().dt;
    let mut operator = SemOperator::new(on, dt, &[], &[], workers);
    for element in 0..operator.mesh().n_elements() as u32 {
        for (point, place) in operator.plan().clone().places(element).enumerate() {
            let xi = [point % 4, point / 4 % 4, point / 16].map(|i| operator.gll().points[i]);
            let [x, y, z] = linear(operator.mesh().position(element, xi));
            let mut state = operator.state_mut();
            let shared = state.len() - 2;
            let node = match place {
                NodePlace::Inner { patch, node } => &mut state[2 * patch as usize][4 * node as usize..],
                NodePlace::Shared(node) => &mut state[shared][4 * node as usize..],
            };
            node[..3].copy_from_slice(&[x, y, z]);
        }
    }
    operator
}

#[test]
fn a_linear_field_and_its_gradient_are_interpolated_exactly() {
    let operator = sheared_box();
    for element in 0..operator.mesh().n_elements() as u32 {
        let xi = [0.3, -0.85, 1.0];
        let expected = linear(operator.mesh().position(element, xi));
        let value = operator.field_at(element, xi, Field::Displacement);
        let gradient = operator.gradient_at(element, xi, Field::Displacement);
        for i in 0..3 {
            assert!((value[i] - expected[i]).abs() < 1e-13, "{value:?} {expected:?}");
            for j in 0..3 {
                assert!((gradient[i][j] - SLOPES[i][j] / 1000.0).abs() < 1e-15, "{gradient:?}");
            }
        }
    }
}

#[test]
fn element_fields_equal_the_fields_at_their_nodes() {
    let operator = sheared_box();
    for element in 0..operator.mesh().n_elements() as u32 {
        let places = operator.plan().places(element).collect::<Vec<_>>();
        let one_by_one: Vec<_> = places.iter().map(|&place| operator.at(place, Field::Displacement)).collect();
        assert_eq!(operator.element_field(element, Field::Displacement), one_by_one);
        assert!(places.iter().any(|place| matches!(place, NodePlace::Inner { .. })));
    }
}
