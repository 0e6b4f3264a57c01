//! Places of interfaces between the centres of adjacent cells that are not on the face between them.

use std::ops::Range;

use super::effective::EffectiveFluid;
use super::jumps::{KAPPA_JUMP, RHO_JUMP};

/// Distance [cells] below which an interface is on the face between two cells.
const ON_FACE: f64 = 1e-4;

/// The interfaces that cross lines along an axis.
#[derive(Debug, Clone)]
pub struct Interfaces {
    axis: usize,
    /// Faces normal to the axis, along each axis, x fastest: one more than cells along its own.
    count: [usize; 3],
    /// Index of the face between the adjacent centres, in ascending order, and distance from the lower centre in cells.
    found: Vec<(usize, f32)>,
}

impl Interfaces {
    /// Creates an empty list.
    pub fn new(axis: usize, cells: [usize; 3]) -> Self {
        let mut count = cells;
        count[axis] += 1;
        Self { axis, count, found: Vec::new() }
    }

    /// Distance of the interface between two centres from the lower one [cells], by the index of the face between them; none where no interface is
    /// known, or where it is on the face.
    pub fn at(&self, face: [usize; 3]) -> Option<f64> {
        let found = self.found.binary_search_by_key(&self.number(face), |own| own.0);
        found.ok().map(|at| f64::from(self.found[at].1))
    }

    /// Adds the interface between two cells, if there is one inside one of them; faces come in ascending order.
    pub fn add(&mut self, face: [usize; 3], [low, high]: [&EffectiveFluid; 2]) {
        let beyond = place_between([low, high], self.axis).filter(|beyond| (beyond - 0.5).abs() > ON_FACE);
        self.found.extend(beyond.map(|beyond| (self.number(face), beyond.clamp(0.0, 1.0) as f32)));
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        self.found.len() * size_of::<(usize, f32)>()
    }

    /// Those of some cells, with the outermost ones repeated around them.
    ///
    /// # Arguments
    /// * `cells`, `around` – as for [`super::AcousticMedium::part`]
    pub fn part(&self, cells: &[Range<usize>; 3], around: [[usize; 2]; 3]) -> Self {
        let total = [0, 1, 2].map(|axis| cells[axis].len() + around[axis][0] + around[axis][1]);
        let mut part = Self::new(self.axis, total);
        if self.found.is_empty() {
            return part;
        }
        let nearest = |axis: usize, i: usize| {
            let Range { start, end } = cells[axis];
            let last = if axis == self.axis { end } else { end - 1 };
            (start + i).saturating_sub(around[axis][0]).clamp(start, last)
        };
        let rows = part.count[1];
        for row in 0..rows * part.count[2] {
            let [j, k] = [nearest(1, row % rows), nearest(2, row / rows)];
            let first = self.number([0, j, k]);
            let [from, to] = [first, first + self.count[0]].map(|end| self.found.partition_point(|own| own.0 < end));
            for i in (0..part.count[0]).filter(|_| from < to) {
                let own = first + nearest(0, i);
                let found = self.found[from..to].binary_search_by_key(&own, |found| found.0).ok();
                part.found.extend(found.map(|at| (i + part.count[0] * row, self.found[from + at].1)));
            }
        }
        part
    }

    fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.count[0] * (j + self.count[1] * k)
    }
}

/// Place of the interface between the centres of two cells, from the means between them of 1/ρ, or of 1/κ where the bulk modulus alone jumps: both are
/// linear in the volumes of the fluids.
fn place_between([low, high]: [&EffectiveFluid; 2], axis: usize) -> Option<f64> {
    let is_jump = |[a, b]: [f64; 2], least: f64| (a - b).abs() > least * a.min(b);
    let place = |of_halves: [f64; 2], [low, high]: [f64; 2]| {
        let mean = 0.5 * (of_halves[0] + of_halves[1]);
        (mean - high) / (low - high)
    };
    let (rho, kappa) = ([low.rho, high.rho], [low, high].map(|own| own.kappa_at_centre[axis]));
    if is_jump(rho, RHO_JUMP) {
        return Some(place([low.lightness[axis][1], high.lightness[axis][0]], rho.map(f64::recip)));
    }
    is_jump(kappa, KAPPA_JUMP)
        .then(|| place([low.compliance[axis][1], high.compliance[axis][0]], kappa.map(f64::recip)))
}
