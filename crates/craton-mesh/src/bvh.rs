//! Bounding-volume hierarchy: finds the few items whose boxes contain a point.

/// A box: smallest and largest coordinates.
pub(crate) type Bounds = [[f64; 3]; 2];

/// Number of items in a leaf: small enough to prune well, large enough to keep the tree small.
const LEAF: usize = 8;

/// A node in depth-first order: if its box does not contain the point, the search continues at `skip`.
#[derive(Debug, Clone)]
struct Node {
    bounds: Bounds,
    skip: u32,
    /// First item and number of items; zero items for an inner node
    items: [u32; 2],
}

/// Bounding-volume hierarchy over numbered boxes.
#[derive(Debug, Clone)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

impl Bvh {
    /// Builds the tree over `boxes`, numbered by position.
    pub(crate) fn new(boxes: &[Bounds]) -> Self {
        let mut items: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::new();
        if !boxes.is_empty() {
            build(boxes, &mut items, 0, &mut nodes);
        }
        Self { nodes, items }
    }

    /// Items of the leaves whose boxes contain `point`, in the order of the tree.
    pub(crate) fn candidates(&self, point: [f64; 3]) -> impl Iterator<Item = u32> {
        let mut next = 0;
        let leaves = std::iter::from_fn(move || {
            while let Some(node) = self.nodes.get(next) {
                if !contains(&node.bounds, point) {
                    next = node.skip as usize;
                    continue;
                }
                next += 1;
                if node.items[1] > 0 {
                    return Some(node.items);
                }
            }
            None
        });
        leaves.flat_map(|[start, count]| &self.items[start as usize..][..count as usize]).copied()
    }
}

/// Whether the point is in the box or on its border.
pub(crate) fn contains(bounds: &Bounds, point: [f64; 3]) -> bool {
    (0..3).all(|axis| bounds[0][axis] <= point[axis] && point[axis] <= bounds[1][axis])
}

/// The smallest box that contains both.
fn union(a: Bounds, b: &Bounds) -> Bounds {
    let mut both = a;
    for axis in 0..3 {
        both[0][axis] = both[0][axis].min(b[0][axis]);
        both[1][axis] = both[1][axis].max(b[1][axis]);
    }
    both
}

fn build(boxes: &[Bounds], items: &mut [u32], start: u32, nodes: &mut Vec<Node>) {
    let nothing = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    let bounds = items.iter().fold(nothing, |all, &item| union(all, &boxes[item as usize]));
    let here = nodes.len();
    let leaf = items.len() <= LEAF;
    let own = if leaf { [start, items.len() as u32] } else { [0, 0] };
    nodes.push(Node { bounds, skip: 0, items: own });
    if !leaf {
        let extent = |axis: usize| bounds[1][axis] - bounds[0][axis];
        let axis = (1..3).fold(0, |best, axis| if extent(axis) > extent(best) { axis } else { best });
        let centre = |item: u32| boxes[item as usize][0][axis] + boxes[item as usize][1][axis];
        let middle = items.len() / 2;
        items.select_nth_unstable_by(middle, |&a, &b| centre(a).total_cmp(&centre(b)).then(a.cmp(&b)));
        let (low, high) = items.split_at_mut(middle);
        build(boxes, low, start, nodes);
        build(boxes, high, start + middle as u32, nodes);
    }
    nodes[here].skip = nodes.len() as u32;
}
