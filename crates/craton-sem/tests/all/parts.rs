//! Results are bit-identical for any number, location and shape of parts.

use std::sync::Arc;

use crate::common::busy::{Busy, FIELDS, STEPS, bit_samples, restore, saved, whole_run};
use craton_comm::{Ranks, Solo, thread_ranks};
use craton_mesh::{HexMesh, MeshError};
use craton_sem::{
    Boundaries, Boundary, Field, MaterialKind, Parts, Patching, Plan, Precision, Rheologies, Selection, SemError,
    Solver,
};
use craton_sim::Operator;
use craton_sim::Solver as _;
use craton_testkit::devices::gpus;
use craton_testkit::meshes::Lattice;

/// Blocks of 24 elements: many patches, as on a GPU.
fn many_patches(degree: usize) -> Busy {
    Busy { patching: Patching::Blocks, degree, ..Busy::default() }
}

#[test]
fn results_are_bit_identical_for_any_number_of_parts() {
    for (busy, most) in [(many_patches(3), 4), (Busy::default(), 3)] {
        let one = whole_run(&mut busy.on_cpu::<f32>(1), STEPS as u64);
        assert!(one.iter().any(|&bits| bits != 0));
        for parts in 2..=most {
            assert!(whole_run(&mut busy.on_cpu::<f32>(parts), STEPS as u64) == one, "{parts} parts");
        }
    }
    let busy = many_patches(2);
    let one = whole_run(&mut busy.on_cpu::<f64>(1), STEPS as u64);
    assert!(whole_run(&mut busy.on_cpu::<f64>(8), STEPS as u64) == one, "8 parts");
}

/// Irregular parts: neighbouring patches belong to different parts.
fn irregular(plan: &Plan, parts: usize) -> Parts {
    Parts::new(plan, (0..plan.n_patches()).map(|patch| ((3 * patch + patch / parts) % parts) as u32).collect())
}

#[test]
fn results_are_bit_identical_for_irregular_parts() {
    let busy = many_patches(3);
    let one = whole_run(&mut busy.on_cpu::<f32>(1), STEPS as u64);
    let mut many = busy.on_ranks::<f32>(Arc::new(Solo), |plan| irregular(plan, 5));
    assert!(whole_run(&mut many, STEPS as u64) == one);
}

#[test]
fn a_graph_partition_receives_the_shared_nodes_of_patches() {
    let free = Boundaries { sides: [Boundary::Free; 6] };
    let plan = Plan::new(
        Lattice::new([4, 4, 6]).mesh(),
        2,
        free,
        Patching::Blocks,
        &Rheologies::of_regions(vec![MaterialKind::Isotropic.elastic()]),
    )
    .unwrap();
    let chosen = [0, 1, 1, 0];
    let parts = Parts::by_graph(&plan, 2, |graph, count| {
        assert_eq!((count, &graph.weights[..]), (2, &[24.0; 4][..]), "two parts, and patches of 24 elements");
        assert_eq!(graph.offsets, [0, 3, 6, 9, 12], "each patch is adjacent to all others");
        for mut shared in graph.neighbour_weights.as_chunks::<3>().0.iter().copied() {
            shared.sort_unstable();
            assert_eq!(shared, [9, 5 * 9, 7 * 9], "nodes of an edge and of two faces");
        }
        Ok(chosen.to_vec())
    });
    assert_eq!(parts.unwrap(), Parts::new(&plan, chosen.to_vec()));
    let refused = Parts::by_graph(&plan, 5, |_, n_parts| Err(MeshError::TooManyParts { n_parts, n_items: 4 }));
    assert!(matches!(refused, Err(SemError::Mesh(MeshError::TooManyParts { n_parts: 5, n_items: 4 }))));
}

/// Runs `work` on several ranks and returns the result of the first one.
fn on_ranks<R: Send>(count: usize, work: impl Fn(Arc<dyn Ranks>) -> Option<R> + Sync) -> R {
    let mut answers: Vec<Option<R>> = std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> =
            thread_ranks(count).into_iter().map(|rank| scope.spawn(move || work(Arc::new(rank)))).collect();
        threads.into_iter().map(|thread| thread.join().expect("the rank does not panic")).collect()
    });
    answers.swap_remove(0).expect("the first rank has a result")
}

/// Runs `work` on the first rank, while the others serve.
fn run_on_root<T: Precision, S: Solver<T>, R>(
    ranks: &dyn Ranks,
    solver: &mut S,
    work: impl FnOnce(&mut S) -> R,
) -> Option<R> {
    let answer = ranks.is_root().then(|| work(solver));
    if answer.is_some() { solver.end() } else { solver.serve() }.unwrap();
    ranks.finish().unwrap();
    answer
}

#[test]
fn results_are_bit_identical_for_any_number_of_ranks() {
    // Some of the ranks have no water, whose potential is lowered by all of them together.
    let watery = Busy { water: true, closed: true, elements: [9, 6, 4], ..many_patches(3) };
    let thin = Busy { thin: Some(100.0), elements: [7, 5, 5], ..many_patches(3) };
    for busy in [many_patches(3), watery, thin] {
        let one = whole_run(&mut busy.on_cpu::<f32>(1), STEPS as u64);
        for (count, parts) in [(2, 2), (3, 3), (4, 4), (2, 4)] {
            let many = on_ranks(count, |ranks| {
                let mut solver = busy.on_ranks::<f32>(ranks.clone(), |plan| Parts::regular(plan, parts).unwrap());
                run_on_root(&*ranks, &mut solver, |solver| whole_run(solver, STEPS as u64))
            });
            assert!(many == one, "{count} ranks, {parts} parts");
        }
    }
}

#[test]
fn a_run_resumes_with_another_number_of_parts() {
    for busy in [many_patches(3), Busy { thin: Some(100.0), elements: [7, 5, 5], ..many_patches(3) }] {
        let mut whole = busy.on_cpu::<f32>(3);
        whole.advance(50).unwrap();
        let fields = FIELDS.map(|field| saved(&mut whole, field));
        let _ = bit_samples(&mut whole);
        whole.advance(STEPS as u64 - 50).unwrap();
        let expected = bit_samples(&mut whole);
        for parts in [1, 2, 5] {
            let mut resumed = busy.on_cpu::<f32>(parts);
            FIELDS.iter().zip(&fields).for_each(|(&field, saved)| restore(&mut resumed, field, saved));
            resumed.restore_step(50).unwrap();
            resumed.advance(STEPS as u64 - 50).unwrap();
            assert!(bit_samples(&mut resumed) == expected, "{parts} parts");
        }
    }
}

/// Reads what a snapshot reads: nodes, and all points of elements.
fn selected(solver: &impl Solver<f32>) -> Vec<f64> {
    let mesh: &HexMesh = solver.mesh();
    let elements: Vec<u32> = (0..mesh.n_elements() as u32).step_by(7).collect();
    let points = 0..solver.gll().points.len().pow(3) as u16;
    let points: Vec<_> =
        elements.iter().flat_map(|&e| points.clone().step_by(5).map(move |point| (e, point))).collect();
    let count = points.len();
    let selections = [Selection::Points(points), Selection::Elements(elements.clone())];
    let [nodes, whole] = selections.map(|what| solver.select(what).unwrap());
    let values = solver.read(&nodes, Field::Displacement).unwrap();
    let mut all = vec![0.0; 3 * count];
    all.chunks_exact_mut(3).enumerate().for_each(|(index, node)| values.node(index, node));
    let values = solver.read(&whole, Field::Velocity).unwrap();
    all.extend((0..elements.len()).flat_map(|index| values.element(index)));
    all
}

#[test]
fn selections_are_independent_of_parts() {
    let busy = many_patches(3);
    let mut one = busy.on_cpu::<f32>(1);
    one.advance(30).unwrap();
    let expected = selected(&one);
    let mut three = busy.on_cpu::<f32>(3);
    three.advance(30).unwrap();
    assert!(selected(&three) == expected);
    let far = on_ranks(2, |ranks| {
        let mut solver = busy.on_ranks::<f32>(ranks.clone(), |plan| Parts::regular(plan, 4).unwrap());
        run_on_root(&*ranks, &mut solver, |solver| {
            solver.advance(30).unwrap();
            selected(solver)
        })
    });
    assert!(far == expected);
}

/// Compares parts on several devices with one part on one device.
fn compare_devices<T: Precision>(busy: &Busy, counts: &[usize], steps: u64) {
    let Some(one) = gpus(1) else { return };
    let one = whole_run(&mut busy.on_gpus::<T>(Arc::new(Solo), &one), steps);
    assert!(one.iter().any(|&bits| bits != 0));
    for &count in counts {
        let gpus = gpus(count).expect("devices are available");
        assert!(whole_run(&mut busy.on_gpus::<T>(Arc::new(Solo), &gpus), steps) == one, "{count} devices");
    }
    let far = on_ranks(2, |ranks| {
        let gpus = gpus(2).expect("devices are available");
        let mut solver = busy.on_gpus::<T>(ranks.clone(), &gpus);
        run_on_root(&*ranks, &mut solver, |solver| whole_run(solver, steps))
    });
    assert!(far == one, "two ranks of two devices");
}

#[test]
fn results_are_bit_identical_for_any_number_of_devices() {
    compare_devices::<f32>(&Busy { elements: [6, 5, 4], ..many_patches(4) }, &[2, 3, 4], 12);
    compare_devices::<f64>(&Busy { elements: [6, 5, 4], ..many_patches(3) }, &[2, 3], 12);
    if std::env::var("CRATON_TEST_GPU").is_ok() {
        compare_devices::<f32>(&Busy { elements: [20, 18, 16], ..many_patches(4) }, &[2, 3, 4, 8], STEPS as u64);
    }
}
