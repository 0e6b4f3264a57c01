//! Prisms that share volume.

use std::collections::BTreeSet;

use crate::Prisms;

/// Prisms that are compared pair by pair.
const FEW: usize = 32;
/// Largest part of the prisms that a side of a cut may keep for the cut to be worth it.
const WORTH: f64 = 0.9;
/// Part of a side by which prisms may reach into one another and still only touch: places are rounded.
const SLACK: f64 = 1e-9;

/// Pairs of prisms that share volume, by their numbers from 0: the first that are found, `most` at most.
///
/// Sides that touch share nothing. Space is cut in halves until few prisms are left in each, so that meshes of millions take seconds.
pub fn overlaps(prisms: &Prisms, most: usize) -> Vec<[usize; 2]> {
    let bounds = |index: usize| {
        prisms.bounds(index).map(|[low, high]| {
            let slack = SLACK * (high - low);
            [low + slack, high - slack]
        })
    };
    let bounds: Vec<[[f64; 2]; 3]> = (0..prisms.len()).map(bounds).collect();
    let mut search = Search { bounds: &bounds, found: BTreeSet::new(), most };
    search.among((0..prisms.len()).collect());
    search.found.into_iter().take(most).collect()
}

struct Search<'a> {
    bounds: &'a [[[f64; 2]; 3]],
    found: BTreeSet<[usize; 2]>,
    most: usize,
}

impl Search<'_> {
    fn among(&mut self, list: Vec<usize>) {
        if self.found.len() >= self.most || list.len() < 2 {
            return;
        }
        match (list.len() > FEW).then(|| self.cut(&list)).flatten() {
            None => self.sweep(list),
            Some((below, above)) => {
                drop(list);
                self.among(below);
                self.among(above);
            }
        }
    }

    /// What lies below and above the plane that parts the prisms best; what it crosses is on both sides.
    fn cut(&self, list: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
        let sides = (0..3).map(|axis| {
            let mut lows: Vec<f64> = list.iter().map(|&prism| self.bounds[prism][axis][0]).collect();
            let middle = lows.len() / 2;
            let plane = *lows.select_nth_unstable_by(middle, f64::total_cmp).1;
            let below: Vec<usize> = list.iter().copied().filter(|&prism| self.bounds[prism][axis][0] < plane).collect();
            let above: Vec<usize> = list.iter().copied().filter(|&prism| self.bounds[prism][axis][1] > plane).collect();
            (below, above)
        });
        let (below, above) = sides.min_by_key(|(below, above)| below.len().max(above.len()))?;
        let most = (WORTH * list.len() as f64) as usize;
        (below.len() <= most && above.len() <= most).then_some((below, above))
    }

    /// Compares those that share an interval along x.
    fn sweep(&mut self, mut list: Vec<usize>) {
        list.sort_by(|&a, &b| self.bounds[a][0][0].total_cmp(&self.bounds[b][0][0]));
        for (place, &first) in list.iter().enumerate() {
            for &second in &list[place + 1..] {
                let (a, b) = (&self.bounds[first], &self.bounds[second]);
                if b[0][0] >= a[0][1] || self.found.len() >= self.most {
                    break;
                }
                if (1..3).all(|axis| a[axis][0] < b[axis][1] && b[axis][0] < a[axis][1]) {
                    self.found.insert([first.min(second), first.max(second)]);
                }
            }
        }
    }
}
