//! Elements of 20 nodes, completed to 27.

use std::collections::HashMap;

use super::{CORNERS_AND_EDGES, lexicographic};

/// Places of the centres of the faces in the reference cube, and of the centre.
const CENTRES: [[u8; 3]; 7] = [[0, 1, 1], [2, 1, 1], [1, 0, 1], [1, 2, 1], [1, 1, 0], [1, 1, 2], [1, 1, 1]];

/// Completes elements of 20 nodes, in the order of [`CORNERS_AND_EDGES`], to 27 nodes in lexicographic order that map the reference cube to the same places; neighbours share the nodes
/// at the centres of their faces.
///
/// The serendipity functions at the centre of a face are -1/4 at its corners and 1/2 on its edges, at the centre of the element -1/4 at the corners and 1/4 on the edges.
///
/// # Errors
/// The number of nodes if they exceed 2³².
pub(crate) fn completed(elements: &[u32], nodes: &mut Vec<[f64; 3]>) -> Result<Vec<u32>, usize> {
    let mut centre_of: HashMap<[u32; 4], u32> = HashMap::new();
    let places: Vec<[u8; 3]> = CORNERS_AND_EDGES.into_iter().chain(CENTRES).collect();
    let mut all = Vec::with_capacity(elements.len() / 20 * 27);
    for element in elements.chunks_exact(20) {
        let mut own = element.to_vec();
        for centre in CENTRES {
            let on_face = |place: &[u8; 3]| (0..3).all(|axis| centre[axis] == 1 || centre[axis] == place[axis]);
            let near: Vec<usize> = (0..20).filter(|&node| on_face(&CORNERS_AND_EDGES[node])).collect();
            let weight = |node: usize| match (node < 8, near.len()) {
                (true, _) => -0.25,
                (false, 8) => 0.5,
                (false, _) => 0.25,
            };
            let position = [0, 1, 2]
                .map(|axis| near.iter().map(|&node| weight(node) * nodes[element[node] as usize][axis]).sum::<f64>());
            let new = u32::try_from(nodes.len()).map_err(|_| nodes.len())?;
            let number = match <[u32; 4]>::try_from(
                near.iter().filter(|&&node| node < 8).map(|&node| element[node]).collect::<Vec<_>>(),
            ) {
                Ok(mut corners) => {
                    corners.sort_unstable();
                    *centre_of.entry(corners).or_insert(new)
                }
                Err(_) => new,
            };
            if number == new {
                nodes.push(position);
            }
            own.push(number);
        }
        all.extend(lexicographic(&places, &own));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_completed_element_maps_as_the_serendipity_element() {
        // A quadratic deformation in the space of serendipity functions, which 27 nodes reproduce.
        let bent = |[x, y, z]: [f64; 3]| [x + 0.2 * y * y * z, y + 0.1 * x * z, z - 0.3 * x * x * y];
        let mut nodes: Vec<[f64; 3]> =
            CORNERS_AND_EDGES.map(|place| bent(place.map(|at| f64::from(at) - 1.0))).to_vec();
        let elements: Vec<u32> = (0..20).collect();
        let all = completed(&elements, &mut nodes).unwrap();
        for (index, &node) in all.iter().enumerate() {
            let place = [index % 3, index / 3 % 3, index / 9].map(|at| at as f64 - 1.0);
            for (found, expected) in nodes[node as usize].iter().zip(bent(place)) {
                assert!((found - expected).abs() < 1e-14, "{place:?}");
            }
        }
        assert_eq!(nodes.len(), 27);
    }
}
