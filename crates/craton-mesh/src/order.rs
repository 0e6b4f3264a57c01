//! Ordering of elements by recursive bisection into compact patches.

use std::ops::Range;

use crate::error::MeshError;

/// Elements in an order that keeps neighbours close, divided into patches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patches {
    /// Element at every position of the order
    pub elements: Vec<u32>,
    /// First position of every patch, and the number of elements at the end
    pub offsets: Vec<u32>,
}

impl Patches {
    /// Number of patches.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no patches.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Positions of a patch in the order: its element numbers once the mesh is reordered.
    pub fn range(&self, patch: usize) -> Range<usize> {
        self.offsets[patch] as usize..self.offsets[patch + 1] as usize
    }
}

/// Divides elements into compact patches by recursive bisection of the longest side of their bounding box.
///
/// The bisection continues within patches down to single elements, which keeps neighbours close. The result depends only on
/// the arguments.
///
/// # Arguments
/// * `centroids` – centres of the elements [m]
/// * `max_per_patch` – maximum number of elements in a patch
/// * `multiple` – every patch except the last has a multiple of this number of elements (SIMD lanes)
///
/// # Errors
/// [`MeshError::PatchSize`] when `max_per_patch` < `multiple` or `multiple` is 0.
pub fn recursive_bisection(
    centroids: &[[f64; 3]],
    max_per_patch: usize,
    multiple: usize,
) -> Result<Patches, MeshError> {
    if multiple == 0 || max_per_patch < multiple {
        return Err(MeshError::PatchSize { max_per_patch, multiple });
    }
    let cut = Cut { most: max_per_patch / multiple * multiple, multiple };
    let mut items = quantised(centroids);
    let mut offsets = vec![0];
    offsets.extend(cut.patches(&mut items, 0));
    Ok(Patches { elements: items.iter().map(|item| item.number).collect(), offsets })
}

/// An element or another item, with its centre quantised to 2^20 steps along the longest side of the bounding box of all items.
///
/// Quantised centres that differ only by round-off are equal, so that a plane of elements stays a plane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    place: [u32; 3],
    pub(crate) number: u32,
}

/// Items with these centres, numbered from 0.
pub(crate) fn quantised(centroids: &[[f64; 3]]) -> Vec<Item> {
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for centre in centroids {
        for axis in 0..3 {
            low[axis] = low[axis].min(centre[axis]);
            high[axis] = high[axis].max(centre[axis]);
        }
    }
    let longest = (0..3).fold(f64::MIN_POSITIVE, |longest, axis| longest.max(high[axis] - low[axis]));
    let scale = f64::from(1 << 20) / longest;
    let item = |(number, centre): (usize, &[f64; 3])| Item {
        place: std::array::from_fn(|axis| ((centre[axis] - low[axis]) * scale).round() as u32),
        number: number as u32,
    };
    centroids.iter().enumerate().map(item).collect()
}

/// Limits on the size of a patch.
struct Cut {
    most: usize,
    multiple: usize,
}

impl Cut {
    /// Divides `items`, which start at position `start`, and returns the end of every patch.
    fn patches(&self, items: &mut [Item], start: usize) -> Vec<u32> {
        let count = items.len();
        let patches = count.div_ceil(self.most);
        if patches <= 1 {
            halve_to_single(items);
            return if count > 0 { vec![(start + count) as u32] } else { Vec::new() };
        }
        let left = self.left_share(count, patches);
        let (low, high) = split(items, left);
        let (mut ends, after) = rayon::join(|| self.patches(low, start), || self.patches(high, start + left));
        ends.extend(after);
        ends
    }

    /// Number of elements in the left half of the patches: a whole multiple, so that the rest fits on the right.
    fn left_share(&self, count: usize, patches: usize) -> usize {
        let (left, right) = (patches / 2, patches - patches / 2);
        let even = (count * left).div_ceil(patches).div_ceil(self.multiple) * self.multiple;
        let least = count.saturating_sub(right * self.most).next_multiple_of(self.multiple);
        even.clamp(least, left * self.most)
    }
}

fn halve_to_single(items: &mut [Item]) {
    if items.len() > 1 {
        let (low, high) = split(items, items.len() / 2);
        halve_to_single(low);
        halve_to_single(high);
    }
}

/// Moves the `left` items that are first along the longest side before the others.
fn split(items: &mut [Item], left: usize) -> (&mut [Item], &mut [Item]) {
    let key = rank_along(axes_by_extent(items));
    if left < items.len() {
        items.select_nth_unstable_by_key(left, key);
    }
    items.split_at_mut(left)
}

/// Sort key of items: position along the first axis, then along the others, finally the number.
pub(crate) fn rank_along(axes: [usize; 3]) -> impl Fn(&Item) -> ([u32; 3], u32) {
    move |item| (axes.map(|axis| item.place[axis]), item.number)
}

/// Axes in descending order of the variance of the items along them.
///
/// For a box this is the order of its side lengths. If elements are finer at the top, a wide side comes first even if the box is deep.
pub(crate) fn axes_by_spread(items: &[Item]) -> [usize; 3] {
    let variance = |axis: usize| {
        let places = || items.iter().map(|item| u128::from(item.place[axis]));
        items.len() as u128 * places().map(|place| place * place).sum::<u128>() - places().sum::<u128>().pow(2)
    };
    let variances = [0, 1, 2].map(variance);
    let mut axes = [0, 1, 2];
    axes.sort_by_key(|&axis| std::cmp::Reverse(variances[axis]));
    axes
}

/// Axes from the longest side of the bounding box to the shortest.
fn axes_by_extent(items: &[Item]) -> [usize; 3] {
    let mut low = [u32::MAX; 3];
    let mut high = [0; 3];
    for item in items {
        for axis in 0..3 {
            low[axis] = low[axis].min(item.place[axis]);
            high[axis] = high[axis].max(item.place[axis]);
        }
    }
    let mut axes = [0, 1, 2];
    axes.sort_by_key(|&axis| std::cmp::Reverse(high[axis] - low[axis]));
    axes
}
