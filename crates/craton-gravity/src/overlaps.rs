//! Detection of overlapping prisms.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::Prisms;

/// Number of prisms up to which all pairs are compared.
const FEW: usize = 32;
/// Number of prisms above which both sides of a cut are searched in parallel.
const MANY: usize = 1 << 12;
/// Largest fraction of the prisms that may remain on one side of a cut for it to be worthwhile.
const WORTH: f64 = 0.9;
/// Fraction of a side by which two prisms may overlap and still count as touching, because coordinates are rounded.
const SLACK: f64 = 1e-9;

/// Finds pairs of overlapping prisms, by index from 0: at most `most` pairs, not necessarily the first ones. Runs in parallel; the result does not depend on
/// the number of threads.
///
/// Prisms that only touch do not overlap. Space is bisected until few prisms are left in each part, so that meshes of millions of cells take seconds.
pub fn overlaps(prisms: &Prisms, most: usize) -> Vec<[usize; 2]> {
    let bounds = |index: usize| {
        prisms.bounds(index).map(|[low, high]| {
            let slack = SLACK * (high - low);
            [low + slack, high - slack]
        })
    };
    let bounds: Vec<[[f64; 2]; 3]> = (0..prisms.len()).into_par_iter().map(bounds).collect();
    let search = Search { bounds: &bounds, most };
    search.among((0..prisms.len()).collect()).into_iter().take(most).collect()
}

struct Search<'a> {
    bounds: &'a [[[f64; 2]; 3]],
    most: usize,
}

impl Search<'_> {
    /// Overlapping pairs among some prisms; may return more than `most`.
    fn among(&self, list: Vec<usize>) -> BTreeSet<[usize; 2]> {
        let is_large = list.len() > MANY;
        let Some([below, above]) = (list.len() > FEW).then(|| self.cut(&list)).flatten() else {
            return self.sweep(list);
        };
        drop(list);
        if is_large {
            let (mut found, more) = rayon::join(|| self.among(below), || self.among(above));
            found.extend(more);
            return found;
        }
        let mut found = self.among(below);
        if found.len() < self.most {
            found.extend(self.among(above));
        }
        found
    }

    /// The prisms below and above the plane that separates them best; prisms that it intersects are in both lists.
    fn cut(&self, list: &[usize]) -> Option<[Vec<usize>; 2]> {
        let sides = |axis: usize| {
            let mut lows: Vec<f64> = list.iter().map(|&prism| self.bounds[prism][axis][0]).collect();
            let middle = lows.len() / 2;
            let plane = *lows.select_nth_unstable_by(middle, f64::total_cmp).1;
            let below: Vec<usize> = list.iter().copied().filter(|&prism| self.bounds[prism][axis][0] < plane).collect();
            let above: Vec<usize> = list.iter().copied().filter(|&prism| self.bounds[prism][axis][1] > plane).collect();
            [below, above]
        };
        let larger = |[below, above]: &[Vec<usize>; 2]| below.len().max(above.len());
        let sides: Vec<_> =
            if list.len() > MANY { (0..3).into_par_iter().map(sides).collect() } else { (0..3).map(sides).collect() };
        let best = sides.into_iter().min_by_key(larger)?;
        (larger(&best) <= (WORTH * list.len() as f64) as usize).then_some(best)
    }

    /// Compares the prisms whose intervals along x overlap (sweep and prune).
    fn sweep(&self, mut list: Vec<usize>) -> BTreeSet<[usize; 2]> {
        let mut found = BTreeSet::new();
        list.sort_by(|&a, &b| self.bounds[a][0][0].total_cmp(&self.bounds[b][0][0]));
        for (place, &first) in list.iter().enumerate() {
            for &second in &list[place + 1..] {
                let (a, b) = (&self.bounds[first], &self.bounds[second]);
                if b[0][0] >= a[0][1] || found.len() >= self.most {
                    break;
                }
                if (1..3).all(|axis| a[axis][0] < b[axis][1] && b[axis][0] < a[axis][1]) {
                    found.insert([first.min(second), first.max(second)]);
                }
            }
        }
        found
    }
}
