//! Decomposition of a grid into parts: a process grid with cuts that balance the work.

use crate::boundary::{Boundaries, Side};
use crate::error::FdError;
use crate::grid::Grid;
use crate::layout::{GROUP, Layout};

/// Cost of a cell in an absorbing layer relative to other cells [–]. On a GPU the cost is bound by memory: a point transfers 120 bytes and its memory
/// variables in a layer 48 more, a ratio of 1.4. In addition, the kernel for layers has lower occupancy and hides less latency. A cell in the layers
/// of two sides counts along each axis.
const COST_IN_LAYER: f64 = 1.6;

/// Cost of a face normal to x relative to an equally large face normal to another axis [–]. Each of its points is in a cache line of its own, and
/// whole groups of [`GROUP`] points wait for it, in rows too short for the kernels. Four parts of 512³ cells, two of them along x, took 1.4 times as
/// long on GPUs as parts along y and z.
const COST_ACROSS_X: f64 = GROUP as f64;

/// Chooses the number of parts along each axis: the process grid with the cheapest faces among those that a stencil of `half_length` fits.
/// If it fits none, returns the cheapest process grid of all, which [`largest_part`] and the solvers refuse with [`FdError::Parts`].
///
/// Verified by `parts_balance_the_work_and_share_few_points`.
pub fn process_grid(grid: &Grid, boundaries: &Boundaries, half_length: usize, parts: usize) -> [usize; 3] {
    let divisors = |n: usize| (1..=n).filter(move |d| n.is_multiple_of(*d));
    let grids = divisors(parts).flat_map(|px| divisors(parts / px).map(move |py| [px, py, parts / px / py]));
    let cells = grid.cells;
    let key = |parts: &[usize; 3]| {
        let cut = |axis: usize| {
            let cuts = if boundaries.is_periodic(axis) && parts[axis] > 1 { parts[axis] } else { parts[axis] - 1 };
            cuts as f64 * cells[(axis + 1) % 3] as f64 * cells[(axis + 2) % 3] as f64
        };
        let is_refused = Cut::new(grid, boundaries, half_length, *parts).is_err();
        (is_refused, (COST_ACROSS_X * cut(0) + cut(1) + cut(2)).to_bits(), parts[0], parts[1])
    };
    grids.min_by_key(key).expect("one part is a grid")
}

/// Number of cells along each axis of the largest part, for a grid with `parts` along each axis.
///
/// # Errors
/// [`FdError::Parts`]: a stencil of `half_length` would cross more than one cut, or a paraxial side would read beyond one.
pub fn largest_part(
    grid: &Grid,
    boundaries: &Boundaries,
    half_length: usize,
    parts: [usize; 3],
) -> Result<[usize; 3], FdError> {
    let cut = Cut::new(grid, boundaries, half_length, parts)?;
    let most = |axis: usize| cut.starts[axis].windows(2).map(|ends| ends[1] - ends[0]).max();
    Ok([0, 1, 2].map(|axis| most(axis).expect("an axis has a part")))
}

/// Decomposition of a grid into a process grid of parts, x fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    parts: [usize; 3],
    /// First cell of each part along each axis, followed by the number of cells.
    starts: [Vec<usize>; 3],
    is_periodic: [bool; 3],
    /// Whether y is periodic with a single cell: fields do not depend on it.
    is_constant: bool,
    /// Additional planes of whole points at the upper sides of the grid.
    extra: [usize; 3],
    halo: usize,
}

impl Cut {
    /// Divides a grid into `parts` along each axis.
    ///
    /// # Errors
    /// [`FdError::Parts`]: a stencil would cross more than one cut, or a paraxial side would read beyond one. A single cell along a periodic y axis is
    /// allowed.
    pub fn new(grid: &Grid, boundaries: &Boundaries, halo: usize, parts: [usize; 3]) -> Result<Self, FdError> {
        let is_periodic = [0, 1, 2].map(|axis| boundaries.is_periodic(axis));
        let is_constant = is_periodic[1] && grid.cells[1] == 1;
        for axis in 0..3 {
            let (cells, parts) = (grid.cells[axis], parts[axis]);
            let (is_cut, min) = (parts > 1 || is_periodic[axis], least(boundaries, axis, halo));
            if axis == 1 && is_constant && parts == 1 {
                continue;
            }
            if parts == 0 || is_cut && cells / parts < min {
                return Err(FdError::Parts { axis, cells, parts, min });
            }
        }
        let starts = |axis: usize| starts(&costs(grid, boundaries, axis), parts[axis], least(boundaries, axis, halo));
        let starts = [0, 1, 2].map(starts);
        Ok(Self { parts, starts, is_periodic, is_constant, extra: [0, 1, 2].map(|axis| boundaries.extra(axis)), halo })
    }

    /// Number of parts.
    pub fn count(&self) -> usize {
        self.parts.iter().product()
    }

    /// Whether an axis is periodic within each part, with halos.
    pub fn closes(&self, axis: usize) -> bool {
        self.is_periodic[axis] && self.parts[axis] == 1 && !(axis == 1 && self.is_constant)
    }

    /// Indices of a part in the process grid.
    fn place(&self, part: usize) -> [usize; 3] {
        [part % self.parts[0], part / self.parts[0] % self.parts[1], part / (self.parts[0] * self.parts[1])]
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.parts[0] * (y + self.parts[1] * z)
    }

    /// The block of a part.
    pub fn layout(&self, part: usize) -> Layout {
        let place = self.place(part);
        let first = [0, 1, 2].map(|axis| self.starts[axis][place[axis]]);
        let cells = [0, 1, 2].map(|axis| self.starts[axis][place[axis] + 1] - first[axis]);
        let extra = |axis: usize| if place[axis] + 1 == self.parts[axis] { self.extra[axis] } else { 0 };
        let layout = Layout::new(first, cells, [0, 1, 2].map(extra), self.halo);
        if self.is_constant { layout.constant_along_y() } else { layout }
    }

    /// The neighbour above or below a part along an axis, if there is one.
    pub fn neighbour(&self, part: usize, axis: usize, upward: bool) -> Option<usize> {
        let (mut place, parts) = (self.place(part), self.parts[axis]);
        let is_last = place[axis] == if upward { parts - 1 } else { 0 };
        if parts == 1 || is_last && !self.is_periodic[axis] {
            return None;
        }
        place[axis] = (place[axis] + if upward { 1 } else { parts - 1 }) % parts;
        Some(self.number(place))
    }

    /// The part that owns a point of any field, and the index of the point in its arrays.
    pub fn place_of(&self, point: [usize; 3]) -> (usize, usize) {
        let along = |axis: usize| {
            let after = self.starts[axis].partition_point(|&start| start <= point[axis]);
            // The last points at an upper side belong to the last part.
            let part = after.min(self.parts[axis]) - 1;
            (part, (point[axis] - self.starts[axis][part]) as i64)
        };
        let found = [along(0), along(1), along(2)];
        let part = self.number(found.map(|(part, _)| part));
        (part, self.layout(part).at(found.map(|(_, local)| local)))
    }
}

/// Minimum number of planes of cells of a part along an axis: the half-length of the stencil, and at least two at a paraxial side. The values there
/// are computed from the adjacent plane in the current half step, whereas halos contain values of the previous one.
fn least(boundaries: &Boundaries, axis: usize, halo: usize) -> usize {
    let is_paraxial = boundaries.sides[2 * axis..2 * axis + 2].contains(&Side::Paraxial);
    if is_paraxial { halo.max(2) } else { halo }
}

/// Cost of each plane of cells normal to an axis.
fn costs(grid: &Grid, boundaries: &Boundaries, axis: usize) -> Vec<f64> {
    let cells = grid.cells[axis];
    let depth = |side: usize| if let Side::Layer(layer) = boundaries.sides[side] { layer.cells } else { 0 };
    let [below, above] = [depth(2 * axis), depth(2 * axis + 1)];
    (0..cells).map(|i| if i < below || i + above >= cells { COST_IN_LAYER } else { 1.0 }).collect()
}

/// First planes of parts of equal cost, each with at least `least` planes, followed by the number of planes.
fn starts(costs: &[f64], parts: usize, least: usize) -> Vec<usize> {
    let (cells, total) = (costs.len(), costs.iter().sum::<f64>());
    let mut starts = vec![0];
    let (mut passed, mut next) = (0.0, 0);
    for part in 1..parts {
        let share = total * part as f64 / parts as f64;
        while next < cells && passed + 0.5 * costs[next] < share {
            passed += costs[next];
            next += 1;
        }
        starts.push(next.max(starts[part - 1] + least).min(cells - (parts - part) * least));
    }
    starts.push(cells);
    starts
}
