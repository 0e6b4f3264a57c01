//! Balance of the work of parts at each level of local time steps, for meshes in which one element in a hundred is eight times smaller.
#![allow(clippy::print_stdout)] // with `--nocapture`, it prints the table of docs/local-time-steps.md

use std::collections::BTreeMap;

use craton_device::{Isa, Workers};
use craton_mesh::{Geometry, HexMesh};
use craton_metis::metis_partition;
use craton_model::{EarthModel, Interface, Medium, Region};
use craton_sem::{Boundaries, Boundary, Levels, OwnTiles, Parts, Patching, Plan, Rheologies};
use craton_testkit::meshes::Lattice;

const DEGREE: usize = 4;

fn lattice(counts: [usize; 3]) -> HexMesh {
    Lattice { geometry: Geometry::Linear8, ..Lattice::new(counts) }.mesh()
}

/// One layer in a hundred is eight times thinner.
fn thin_layer() -> (HexMesh, EarthModel) {
    let mut mesh = lattice([12, 12, 100]);
    for node in &mut mesh.control_nodes {
        node[2] -= 0.875 * (node[2].clamp(-5100.0, -5000.0) + 5100.0);
    }
    (mesh, EarthModel::homogeneous(medium(1.0)))
}

/// A block of 147 of 14,400 elements has waves eight times as fast.
fn fast_block() -> (HexMesh, EarthModel) {
    let mut mesh = lattice([24, 24, 25]);
    let is_fast = |[x, y, z]: [f64; 3]| x < 700.0 && y < 700.0 && z > -300.0;
    mesh.region = mesh.centroids().into_iter().map(|centre| u16::from(is_fast(centre))).collect();
    let region = |speed, top| Region::elastic(Interface::Flat(top), medium(speed).into());
    (mesh, EarthModel::new(vec![region(1.0, 0.0), region(8.0, -100.0)]).unwrap())
}

fn medium(speed: f64) -> Medium {
    Medium::isotropic(6000.0 * speed, 3464.0 * speed, 2700.0).unwrap()
}

fn plan((mesh, model): &(HexMesh, EarthModel), patching: Patching) -> Plan {
    let workers = Workers::new(Some(2)).unwrap();
    let rheologies = Rheologies::new(model, DEGREE, true);
    let (isa, tiles) = (Isa::detect(), OwnTiles::all());
    let levels = Levels::of_model::<f32>(mesh, DEGREE, model, &rheologies, isa, tiles, &workers).unwrap();
    let counts = levels.as_ref().map(Levels::counts);
    println!("elements of each level, from 0 on: {counts:?}");
    let free = Boundaries { sides: [Boundary::Free; 6] };
    Plan::new(mesh.clone(), DEGREE, free, patching, &rheologies.with_levels(levels)).unwrap()
}

/// Largest share of the work of a level in one patch.
fn grain(plan: &Plan, level: u8) -> f64 {
    let mut patches: BTreeMap<usize, usize> = BTreeMap::new();
    let own = (0..plan.mesh().n_elements() as u32).filter(|&element| plan.level_of(element) == level);
    own.for_each(|element| *patches.entry(plan.patch_of_element(element)).or_default() += 1);
    let largest = patches.values().max().map_or(0, |&elements| elements);
    largest as f64 / patches.values().sum::<usize>() as f64
}

#[test]
fn every_level_is_balanced() {
    println!("mesh, patches; parts, partition: imbalance of a step; of its levels");
    for (name, mesh, patching) in [
        ("layer, CPU", thin_layer(), Patching::Threads),
        ("layer, GPU", thin_layer(), Patching::Blocks),
        ("block, CPU", fast_block(), Patching::Threads),
        ("block, GPU", fast_block(), Patching::Blocks),
    ] {
        let plan = plan(&mesh, patching);
        println!("{name}, {} patches", plan.n_patches());
        for count in [2, 4, 8] {
            for (way, parts) in [
                ("regular", Parts::regular(&plan, count).unwrap()),
                ("slices", Parts::slices(&plan, [2, count / 2], |place| place).unwrap()),
                ("METIS", Parts::by_graph(&plan, count, metis_partition).unwrap()),
            ] {
                let (total, levels) = (parts.imbalance(&plan), parts.imbalance_of_levels(&plan));
                println!("{count} parts, {way}: {total:.3}; {levels:.3?}");
                assert!(total < 1.1, "{name}, {count} parts, {way}: {total}");
                for (level, imbalance) in levels {
                    // A patch, and what METIS leaves in addition.
                    let allowed = 1.03 + count as f64 * grain(&plan, level);
                    assert!(imbalance < allowed, "{name}, {count} parts, {way}, level {level}: {imbalance}");
                }
            }
        }
    }
}
