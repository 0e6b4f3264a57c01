//! The elements that the snapshots of a scenario show. If the processes of a run have slices of the mesh, the first one gets these elements from the others.

use std::collections::HashSet;

use craton_mesh::HexMesh;

use super::view::{View, What};
use crate::meshing;
use crate::setup::Setup;

/// Distance from a plane up to which elements are seen, in units of their extent: faces are curved.
const MARGIN: f64 = 0.25;

/// The elements of a mesh that snapshots show, and those that reach farthest along each axis, which determine the extent of the pictures.
///
/// # Arguments
/// * `is_own` – whether this process computes an element
pub fn seen(setup: &Setup, mesh: &HexMesh, is_own: impl Fn(u32) -> bool) -> HashSet<u32> {
    let views = View::all(setup);
    if views.is_empty() {
        return HashSet::new();
    }
    let straight = meshing::straight(mesh, &setup.frame);
    // The mesh of a globe stays in space.
    let in_model = |point| if setup.frame.is_globe() { setup.frame.from_space(point) } else { point };
    let mut seen = HashSet::new();
    let mut farthest = [(f64::NEG_INFINITY, None); 6];
    let mut buffer = [[0.0; 3]; 27];
    for element in straight.domain_elements().filter(|&element| is_own(element)) {
        let points = straight.points_of(element, &mut buffer);
        for (side, (most, of)) in farthest.iter_mut().enumerate() {
            let sign = if side < 3 { 1.0 } else { -1.0 };
            let reach = points.iter().map(|point| sign * point[side % 3]).fold(f64::NEG_INFINITY, f64::max);
            if reach > *most {
                (*most, *of) = (reach, Some(element));
            }
        }
        let is_cut = |view: &View| match view.what {
            What::Surface => false,
            What::Volume => true,
            What::Slice(cut) => {
                let sides = points.iter().map(|&point| cut.side(in_model(point)));
                let [low, high] =
                    sides.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], side| [low.min(side), high.max(side)]);
                let margin = MARGIN * (high - low);
                low - margin <= 0.0 && high + margin >= 0.0
            }
        };
        if views.iter().any(is_cut) {
            seen.insert(element);
        }
    }
    // The number of faces at the surface of a globe determines the resolution of all its pictures.
    if setup.frame.is_globe() || views.iter().any(|view| view.what == What::Surface) {
        seen.extend(straight.top_faces().map(|face| face.element).filter(|&element| is_own(element)));
    }
    seen.extend(farthest.iter().filter_map(|(_, element)| *element));
    seen
}
