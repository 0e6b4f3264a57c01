//! Prisms that share volume.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::Prisms;

/// Prisms that are compared pair by pair.
const FEW: usize = 32;
/// Prisms from which on both sides of a cut are searched side by side.
const MANY: usize = 1 << 12;
/// Largest part of the prisms that a side of a cut may keep for the cut to be worth it.
const WORTH: f64 = 0.9;
/// Part of a side by which prisms may reach into one another and still only touch: places are rounded.
const SLACK: f64 = 1e-9;

/// Pairs of prisms that share volume, by their numbers from 0: some that are found early, `most` at most; by all threads of the team, whose number changes nothing.
///
/// Sides that touch share nothing. Space is cut in halves until few prisms are left in each, so that meshes of millions take seconds.
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
    /// Pairs among some prisms; there may be more than are asked for.
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

    /// What lies below and above the plane that parts the prisms best; what it crosses is on both sides.
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

    /// Compares those that share an interval along x.
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
