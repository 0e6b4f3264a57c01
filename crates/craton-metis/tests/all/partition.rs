//! Partitions by METIS are as balanced as those by planes, and share fewer nodes in meshes that are not boxes.

use craton_mesh::{MeshError, regular_partition};
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
