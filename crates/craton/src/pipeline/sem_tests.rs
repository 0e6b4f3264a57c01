//! The mesh and the parts of a scenario.

use std::cell::RefCell;
use std::path::Path;

use craton_sem::{Parts, Patching, Phase};

use super::super::layers::Layers;
use super::super::sem_parts::{cut, slices};
use super::*;
use crate::written::Scenario;

#[test]
fn a_slow_wave_is_named_before_anything_is_built() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/loh1/loh1.toml");
    let rows = "rows = [[0, 4000, 2000, 2600], [1000, 1500, 0.03, 2000], [2000, 4000, 2000, 2600]]";
    let changes = [format!("model={{ depth_table = {{ {rows} }} }}"), "method.sem.max_frequency=0.2".to_owned()];
    let setup = Setup::new(&Scenario::read(&file, &changes).unwrap()).unwrap();
    // Such a mesh is refused by its lower bound, which is close to the number of elements.
    let elements = fewest_elements(&setup);
    assert!(elements > 1e8, "{elements:e}");
    let message = mesh_alone(&setup, &Room::look(1, 1)).map(drop).unwrap_err().to_string();
    let expected = "method.sem.max_frequency = 0.2: the slowest wave of 0.0300 m/s near x = ";
    assert!(message.starts_with(expected) && message.contains("z = -1000 m requires elements of"), "{message}");
}

#[test]
fn slices_have_minimal_common_area() {
    let of = |count, [x, y]: [f64; 2]| slices(count, [[-x, x], [0.0, 2.0 * y]]);
    assert_eq!(of(64, [5e6, 5e6]), [8, 8]);
    for (count, ratio, expected) in [(6, 2.0, [3, 2]), (6, 8.0, [6, 1]), (7, 2.0, [7, 1]), (1, 3.0, [1, 1])] {
        let [along_x, along_y] = expected;
        assert_eq!(of(count, [ratio * 1e5, 1e5]), expected);
        assert_eq!(of(count, [1e5, ratio * 1e5]), [along_y, along_x]);
    }
}

/// For each part, the ranges of x and y of the centres of its patches [m].
fn ranges_of_parts(parts: &Parts, centres: &[[f64; 3]]) -> Vec<[[f64; 2]; 2]> {
    let mut ranges = vec![[[f64::INFINITY, f64::NEG_INFINITY]; 2]; parts.count()];
    for (patch, centre) in centres.iter().enumerate() {
        for (range, at) in ranges[parts.of_patch(Phase::Solid, patch)].iter_mut().zip(centre) {
            *range = [range[0].min(*at), range[1].max(*at)];
        }
    }
    ranges
}

#[test]
fn slices_of_a_chunk_are_vertical_and_disjoint() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bolivia/bolivia.toml");
    let coarse = ["method.sem.max_frequency=0.004", "method.sem.elements=[16, 16]", "compute.partition=slices"];
    let changes: Vec<String> = coarse.into_iter().map(str::to_owned).collect();
    let setup = Setup::new(&Scenario::read(&file, &changes).unwrap()).unwrap();
    let (mesh, _) = meshing::mesh(&setup, |_| Ok(())).unwrap();
    let workers = Workers::new(Some(1)).unwrap();
    let sides = Layers::new(&setup, &mesh, OwnTiles::all(), &workers).unwrap().boundaries(&setup);
    let plan = Plan::new(mesh, 4, sides, Patching::Blocks, &rheologies::expected(&setup)).unwrap();
    let parts = cut(&plan, 6, &setup, None, None).unwrap();
    let centres = RefCell::new(Vec::new());
    let straight = |place| {
        let centre = setup.frame.from_space(place);
        centres.borrow_mut().push(centre);
        centre
    };
    assert_eq!(parts, Parts::slices(&plan, [2, 3], straight).unwrap());
    let ranges = ranges_of_parts(&parts, &centres.into_inner());
    assert_eq!(ranges.len(), 6);
    // They are sorted in steps of ten metres; elements are hundreds of kilometres wide.
    let shared = |[a, b]: [f64; 2], [c, d]: [f64; 2]| b.min(d) - a.max(c) > 1e3;
    for (index, one) in ranges.iter().enumerate() {
        let other = ranges[..index].iter().find(|other| shared(one[0], other[0]) && shared(one[1], other[1]));
        assert_eq!(other, None, "part {index}: {one:?}");
    }
}
