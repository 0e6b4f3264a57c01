//! Jumps of density between cells, and what the long stencils make of the kinks of the fields there.
//!
//! The stencil is D = δF / h: a difference of neighbours of values filtered with F. Across an interface the pressure has a kink, since the flow
//! g = (1/ρ) ∂p/∂z is continuous. The filtered values P = F p obey the local relation P_{i+1} - P_i = h ρ_f g_f, so P has the exact kink, and
//! p = F⁻¹ P has the kink and a few decaying oscillations next to it: F⁻¹ = 1 + δ² R.

use craton_device::Scalar;
use craton_numerics::staggered::StaggeredStencil;
use rayon::prelude::*;

use super::effective::{EffectiveFluid, Slab};
use super::medium::{AcousticMedium, at_index};
use super::setup::AcousticOptions;

/// Smallest relative jumps of density and of bulk modulus between adjacent cells that matter: below them the error of a sample is below 0.1 %.
pub const RHO_JUMP: f64 = 0.01;
pub const KAPPA_JUMP: f64 = 0.05;
/// Tolerance of a position on an interface [cells].
pub const ON_JUMP: f64 = 1e-4;
/// Number of points on either side that the oscillations next to a kink reach.
pub const REACH: i64 = 6;
/// Number of wavenumbers of the transform that gives R.
const WAVENUMBERS: usize = 512;

/// The oscillations of a stencil next to a kink, and the planes of a grid with jumps.
pub struct Jumps {
    /// Coefficients of the stencil, without the spacing.
    pub coefficients: Vec<f64>,
    /// F of a constant: 1 for Taylor's coefficients.
    pub gain: f64,
    /// R at distances of 0, 1, ... points, for F divided by its gain.
    kernel: Vec<f64>,
    /// Whether a plane across z has jumps along each axis, of density or of bulk modulus, to the next plane or within it.
    rough: Vec<[bool; 3]>,
    /// Whether nothing varies in a plane across z.
    uniform: Vec<bool>,
}

/// What the weights of a source or receiver need at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InterpolationNeed {
    /// Number of grid points.
    pub points: usize,
    /// Memory of a receiver, whose weights are products where nothing varies in the planes around it, in single precision [bytes].
    pub bytes: usize,
}

/// Memory of a product of weights, and of a weight [bytes].
const BYTES_OF_PRODUCT: usize = 32;
const BYTES_OF_WEIGHT: usize = 4;
/// Memory of a point if the weights are stored row by row [bytes].
const BYTES_OF_UNLIKE_POINT: usize = 8;

impl InterpolationNeed {
    /// The need of a product with this number of points, and of weights along all axes.
    fn of_product(points: usize, weights: usize) -> Self {
        Self { points, bytes: BYTES_OF_PRODUCT + BYTES_OF_WEIGHT * weights }
    }
}

/// An interface between the centres of two adjacent cells along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jump {
    /// Index of the cell below the interface.
    pub cell: i64,
    /// Its distance from the centre of this cell, in cells: 0 to 1.
    pub beyond: f64,
    /// Density [kg/m³] below and above.
    pub rho: [f64; 2],
    /// Bulk modulus [Pa] below and above.
    pub kappa: [f64; 2],
}

impl Jump {
    /// The interface between cell i and the next one, if there is one.
    ///
    /// # Arguments
    /// * `rho` – density at the centres of both [kg/m³]
    /// * `kappa` – bulk modulus of both cells [Pa]; the interface may divide one of them
    /// * `beyond` – its distance from the centre of cell i
    pub fn between(cell: i64, rho: [f64; 2], kappa: [f64; 2], beyond: f64) -> Option<Self> {
        let is_jump = |[a, b]: [f64; 2], least: f64| (a - b).abs() > least * a.min(b);
        let is_there = is_jump(rho, RHO_JUMP) || is_jump(kappa, KAPPA_JUMP);
        is_there.then(|| Self::inside(cell, rho, kappa, beyond))
    }

    /// The interface at a known place between two cells; the arguments are those of [`Self::between`].
    pub fn inside(cell: i64, rho: [f64; 2], kappa: [f64; 2], beyond: f64) -> Self {
        Self { cell, beyond, rho, kappa: moduli(kappa, beyond) }
    }

    /// Whether density jumps, or the bulk modulus alone.
    pub fn is_of_density(&self) -> bool {
        (self.rho[0] - self.rho[1]).abs() > RHO_JUMP * self.rho[0].min(self.rho[1])
    }

    /// Position in cells, with whole numbers on faces.
    pub fn place(&self) -> f64 {
        self.cell as f64 + 0.5 + self.beyond
    }

    /// Whether a position, in cells, belongs to the cell below. One on the interface belongs to the medium at larger depth, or to the east or north.
    pub fn is_below(&self, place: f64, axis: usize) -> bool {
        let tolerance = if axis == 2 { ON_JUMP } else { -ON_JUMP };
        place <= self.place() + tolerance
    }

    /// The cell that the interface divides, and by how much its value exceeds that at its centre, for a unit flow (1/ρ) ∂p/∂n along the axis
    /// [kg/m³, per cell].
    ///
    /// It is the value at the centroid of 1/κ, since the density of the faces is that of [`super::EffectiveFluid`].
    pub fn divided(&self) -> (i64, f64) {
        let (cell, from) = if self.beyond < 0.5 { (0, 0.5 + self.beyond) } else { (1, self.beyond - 0.5) };
        let ([low, _], parts) = (self.rho, [from, 1.0 - from]);
        let slab = |side: usize| Slab { part: parts[side], rho: self.rho[side], kappa: self.kappa[side] };
        let of_cell = EffectiveFluid::new(low, [&[slab(0), slab(1)]; 3]);
        (self.cell + cell, 0.5 * (of_cell.shares[2][0] - of_cell.halves[2][0]))
    }

    /// Weights of the values in the two cells that give a continuous field on the interface, whose slope is proportional to density.
    pub fn halfway(&self) -> [f64; 2] {
        let (divided, excess) = self.divided();
        let [low, high] = [0, 1].map(|side| if divided == self.cell + side { excess } else { 0.0 });
        let [low, high] = [self.rho[0] * self.beyond - low, self.rho[1] * (1.0 - self.beyond) + high];
        [high / (low + high), low / (low + high)]
    }
}

/// Bulk moduli [Pa] below and above an interface, from those of its cells, one of which it may divide.
fn moduli([low, high]: [f64; 2], beyond: f64) -> [f64; 2] {
    let inside = beyond - 0.5;
    let pure = |mixed: f64, other: f64, share: f64| {
        let compliance = (1.0 / mixed - share / other) / (1.0 - share);
        if compliance > 0.0 { 1.0 / compliance } else { mixed }
    };
    if inside < 0.0 { [pure(low, high, -inside), high] } else { [low, pure(high, low, inside)] }
}

impl Jumps {
    /// Finds the jumps of a medium.
    pub fn new<T: Scalar>(medium: &AcousticMedium<T>, stencil: &StaggeredStencil) -> Self {
        let coefficients = stencil.coefficients().to_vec();
        let gain = (1..).zip(&coefficients).map(|(n, c)| f64::from(2 * n - 1) * c).sum();
        let wavenumbers: Vec<[f64; 2]> = (0..WAVENUMBERS)
            .map(|n| {
                let kh = std::f64::consts::PI * (n as f64 + 0.5) / WAVENUMBERS as f64;
                let local = 2.0 * (0.5 * kh).sin();
                let filter = stencil.numerical_wavenumber(kh) / local;
                [kh, (1.0 - gain / filter) / (local * local)]
            })
            .collect();
        let at = |m: i64| wavenumbers.iter().map(|[kh, r]| r * (m as f64 * kh).cos()).sum::<f64>();
        let kernel = (0..=REACH).map(|m| at(m) / WAVENUMBERS as f64).collect();
        let (rough, uniform) = planes(medium).into_iter().unzip();
        Self { coefficients, gain, kernel, rough, uniform }
    }

    /// Whether there are jumps in some planes across z, which may lie beyond the grid.
    pub fn any(&self, first: i64, last: i64) -> bool {
        self.axes_with_jumps(first, last).contains(&true)
    }

    /// The axes with jumps in some planes across z, which may lie beyond the grid.
    pub fn axes_with_jumps(&self, first: i64, last: i64) -> [bool; 3] {
        let [first, last] = self.planes_of(first, last);
        let either = |a: [bool; 3], b: &[bool; 3]| [a[0] || b[0], a[1] || b[1], a[2] || b[2]];
        self.rough[first..=last].iter().fold([false; 3], either)
    }

    /// Whether nothing varies in each of some planes across z, which may lie beyond the grid.
    fn are_uniform(&self, first: i64, last: i64) -> bool {
        let [first, last] = self.planes_of(first, last);
        self.uniform[first..=last].iter().all(|&is| is)
    }

    /// The planes of the grid nearest to two planes.
    fn planes_of(&self, first: i64, last: i64) -> [usize; 2] {
        let top = self.rough.len() as i64 - 1;
        [first, last].map(|plane| plane.clamp(0, top) as usize)
    }

    /// What an interface adds to a pressure that is continued from one side, for a unit flow (1/ρ) ∂p/∂n: its value in a cell [kg/m³, per cell].
    ///
    /// # Arguments
    /// * `is_above` – whether the other side is above the interface
    pub fn kink_of_pressure(&self, cell: i64, jump: &Jump, is_above: bool) -> f64 {
        let (divided, excess) = jump.divided();
        let from = cell - divided;
        let spread = [-1, 0, 1].map(|to| self.oscillation(from + to));
        let unit = if from == 0 { 1.0 } else { 0.0 };
        let ramp = (jump.rho[1] - jump.rho[0]) * self.kink(cell, jump.place() - 0.5, is_above);
        ramp + excess * (unit + spread[0] - 2.0 * spread[1] + spread[2])
    }

    /// A kink of unit slope on one side of an interface, as the stencil makes it: its value at a grid point.
    ///
    /// # Arguments
    /// * `point` – index of the point
    /// * `interface` – position in units of these indices
    /// * `is_above` – whether the field increases above the interface, or below it
    pub fn kink(&self, point: i64, interface: f64, is_above: bool) -> f64 {
        let (below, distance) = (interface.floor(), point as f64 - interface);
        let part = interface - below;
        let from = point - below as i64;
        let ramp = if is_above { distance } else { -distance };
        ramp.max(0.0) + (1.0 - part) * self.oscillation(from) + part * self.oscillation(from - 1)
    }

    fn oscillation(&self, distance: i64) -> f64 {
        self.kernel.get(distance.unsigned_abs() as usize).copied().unwrap_or(0.0)
    }
}

/// The axes along which each plane across z has jumps, to the next plane or within it, and whether nothing varies in the plane.
fn planes<T: Scalar>(medium: &AcousticMedium<T>) -> Vec<([bool; 3], bool)> {
    let cells = medium.grid().cells;
    let is_rough = |cell: [usize; 3], axis: usize| {
        let next = at_index(cell, axis, (cell[axis] + 1).min(cells[axis] - 1));
        let [rho, kappa] = [[cell, next].map(|cell| medium.rho(cell)), [cell, next].map(|cell| medium.kappa(cell))];
        Jump::between(0, rho, kappa, 0.5).is_some()
    };
    let values = |cell: [usize; 3]| {
        let buoyancy = medium.axes().iter().map(move |&axis| medium.buoyancy(cell, axis));
        let interface = medium.interface(cell, 2).unwrap_or(0.5);
        [medium.rho(cell), medium.kappa(cell), interface].into_iter().chain(buoyancy)
    };
    let of_plane = |k: usize| {
        let all = || (0..cells[1]).flat_map(|j| (0..cells[0]).map(move |i| [i, j, k]));
        let rough = [0, 1, 2].map(|axis| all().any(|cell| is_rough(cell, axis)));
        (rough, all().all(|cell| values(cell).eq(values([0, 0, k]))))
    };
    (0..cells[2]).into_par_iter().map(of_plane).collect()
}

impl<T: Scalar> AcousticMedium<T> {
    /// What a source or receiver at some of the positions needs at most.
    ///
    /// # Arguments
    /// * `options` – interpolation and stencil
    /// * `positions` – positions [m]
    pub fn interpolation_need(
        &self,
        options: &AcousticOptions,
        positions: impl Iterator<Item = [f64; 3]>,
    ) -> InterpolationNeed {
        let jumps = Jumps::new(self, &options.stencil);
        let radius = options.interpolation.radius();
        let (width, half_length) = (2 * radius, options.stencil.half_length());
        let more = 2 * (REACH as usize + 1 + half_length);
        let mut planes: Vec<i64> = positions.map(|position| self.place(position)[2].floor() as i64).collect();
        planes.sort_unstable();
        planes.dedup();
        let around = radius as i64 + REACH + 1;
        let axes = self.axes();
        let of_plane = |&plane: &i64| {
            let [first, last] = [plane - around, plane + around];
            let rough = jumps.axes_with_jumps(first, last);
            let along = |&axis: &usize| width + if rough[axis] { more } else { 0 };
            let own: usize = axes.iter().map(along).product();
            if !rough.contains(&true) {
                return InterpolationNeed::of_product(own, width * axes.len());
            }
            // Other velocities contribute to a velocity along the axis of a jump.
            let points = own + own / 2;
            if !jumps.are_uniform(first, last) {
                return InterpolationNeed { points, bytes: BYTES_OF_UNLIKE_POINT * points };
            }
            let alone = InterpolationNeed::of_product(points, width * axes.len() + more).bytes;
            // The divergence in all cells next to a jump.
            let around_jumps = 2 * REACH as usize + 2;
            let other = width * axes.len() + 2 * half_length - 1 + around_jumps;
            let other = InterpolationNeed::of_product(0, other).bytes;
            InterpolationNeed { points, bytes: alone + (axes.len() - 1) * other }
        };
        planes.iter().map(of_plane).fold(InterpolationNeed::default(), |most, need| InterpolationNeed {
            points: most.points.max(need.points),
            bytes: most.bytes.max(need.bytes),
        })
    }

    /// Whether a position [m] is on an interface at which density jumps.
    pub fn is_on_interface(&self, position: [f64; 3]) -> bool {
        let (place, cells) = (self.place(position), self.grid().cells);
        let own = [0, 1, 2].map(|axis| (place[axis].max(0.0) as usize).min(cells[axis] - 1));
        self.axes().iter().any(|&axis| {
            [-ON_JUMP, ON_JUMP].iter().any(|shift| {
                let low = (place[axis] - 0.5 + shift).floor();
                if !(0.0..(cells[axis] - 1) as f64).contains(&low) {
                    return false;
                }
                let [cell, next] = [0, 1].map(|step| at_index(own, axis, low as usize + step));
                let [rho, kappa] = [[cell, next].map(|cell| self.rho(cell)), [cell, next].map(|cell| self.kappa(cell))];
                let jump = Jump::between(low as i64, rho, kappa, self.interface(next, axis).unwrap_or(0.5));
                jump.is_some_and(|jump| jump.is_of_density() && (place[axis] - jump.place()).abs() <= ON_JUMP)
            })
        })
    }

    /// A position [m] in cells.
    fn place(&self, position: [f64; 3]) -> [f64; 3] {
        let grid = self.grid();
        [0, 1, 2].map(|axis| (position[axis] - grid.origin[axis]) / grid.spacing[axis])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acoustic::AcousticMaterial;
    use crate::grid::Grid;

    /// The filtered kink is the ramp itself: F p = P.
    #[test]
    fn the_filter_of_a_stencil_turns_its_kink_into_a_ramp() {
        let grid = Grid { origin: [0.0; 3], spacing: [1.0; 3], cells: [4, 1, 4] };
        let medium = AcousticMedium::<f64>::new(grid, |_| AcousticMaterial { vp: 1500.0, rho: 1000.0 }).unwrap();
        for stencil in [1, 2, 4, 8]
            .map(|n| StaggeredStencil::taylor(n).unwrap())
            .into_iter()
            .chain([StaggeredStencil::holberg(8, 1e-3).unwrap()])
        {
            let jumps = Jumps::new(&medium, &stencil);
            assert!(!jumps.any(-9, 9));
            for interface in [0.0, 0.3, 0.5, 0.96] {
                let kink = |i: i64| jumps.kink(i, interface, true);
                for i in -12..=12 {
                    // D p / gain is the local difference of the ramp.
                    let pairs = (1..).zip(&jumps.coefficients);
                    let slope =
                        pairs.map(|(m, c): (i64, &f64)| c * (kink(i + m) - kink(i + 1 - m))).sum::<f64>() / jumps.gain;
                    let ramp = |i: i64| (i as f64 - interface).max(0.0);
                    let difference = slope - (ramp(i + 1) - ramp(i));
                    assert!(difference.abs() < 2e-4, "{interface}, {i}: {difference}");
                }
                let other = (-9..9).map(|i| jumps.kink(i, interface, false) - kink(i) + i as f64 - interface);
                assert!(other.fold(0.0_f64, |most, x| most.max(x.abs())) < 1e-12);
            }
        }
    }

    #[test]
    fn an_interface_and_its_moduli_follow_from_the_means_of_cells() {
        let (rho, kappa) = ([2200.0, 1000.0], [13.75e9, 2.25e9]);
        for beyond in [0.0, 0.2, 0.5, 0.75, 1.0] {
            // Shares of the lower medium in both cells.
            let shares = [(0.5_f64 + beyond).min(1.0), (beyond - 0.5_f64).max(0.0)];
            let mixed = shares.map(|share| 1.0 / (share / kappa[0] + (1.0 - share) / kappa[1]));
            let jump = Jump::between(3, rho, mixed, beyond).unwrap();
            assert!((jump.place() - 3.5 - beyond).abs() < 1e-12);
            assert!((0..2).all(|side| (jump.kappa[side] / kappa[side] - 1.0).abs() < 1e-12), "{jump:?}");
            assert!(jump.is_below(jump.place(), 2) && !jump.is_below(jump.place(), 0));
        }
        assert_eq!(Jump::between(3, [1000.0, 1005.0], [1.0, 1.04], 0.5), None);
    }
}
