//! Partitions by METIS are as balanced as those by planes, and share fewer nodes in meshes that are not boxes.

use craton_mesh::{MeshError, imbalance, regular_partition};
use craton_metis::metis_partition;
use craton_testkit::partitions::{Items, keep_all_promises};

fn by_metis(items: &Items, n_parts: usize) -> Result<Vec<u32>, MeshError> {
    metis_partition(&items.graph, n_parts)
}

#[test]
fn metis_satisfies_all_guarantees_of_partitions() {
    keep_all_promises(by_metis);
}

#[test]
fn metis_shares_fewer_nodes_in_a_mesh_that_is_not_a_box() {
    let items = Items::on_lattice([40, 40, 6], |[x, y, _]| x < 10 || y < 10);
    for n_parts in 2..=8 {
        let planes = regular_partition(&items.centres, &items.graph.weights, n_parts).unwrap();
        let [planes, metis] = [planes, by_metis(&items, n_parts).unwrap()].map(|parts| items.graph.cut(&parts));
        assert!(5 * metis < 4 * planes, "cut {metis} of METIS, {planes} of planes, {n_parts} parts");
    }
}

/// A box in which the items of a block are computed eight times in a step.
fn with_fast_block(counts: [usize; 3], block: f64) -> Items {
    let mut items = Items::boxed(counts);
    let level = |centre: &[f64; 3]| if centre.iter().all(|x| *x < 10.0 * block) { 3 } else { 0 };
    items.graph.levels = items.centres.iter().map(level).collect();
    items.graph.weights = items.graph.levels.iter().map(|&level| f64::from(1_u8 << level)).collect();
    items
}

#[test]
fn metis_balances_every_level() {
    let items = with_fast_block([20, 20, 20], 6.0);
    for n_parts in 2..=8 {
        let parts = by_metis(&items, n_parts).unwrap();
        for level in [0, 3] {
            let own = |item: &usize| items.graph.levels[*item] == level;
            let (weights, parts): (Vec<f64>, Vec<u32>) =
                (0..parts.len()).filter(own).map(|item| (items.graph.weights[item], parts[item])).unzip();
            let imbalance = imbalance(&weights, &parts, n_parts);
            assert!(imbalance < 1.1, "level {level}, {n_parts} parts: {imbalance}");
        }
    }
}

#[test]
fn metis_balances_the_sum_of_levels_with_few_items() {
    let items = with_fast_block([12, 12, 12], 1.0);
    for n_parts in [2, 4, 8] {
        let parts = by_metis(&items, n_parts).unwrap();
        let imbalance = imbalance(&items.graph.weights, &parts, n_parts);
        assert!(imbalance < 1.02, "{n_parts} parts: {imbalance}");
    }
}
