//! Cartesian moments of prisms about a point: integrals of monomials, exact up to round-off.

use std::ops::Range;

use craton_device::{Isa, Kernel, Lanes};

use crate::Prisms;

/// Highest degree of the moments; even, so that the mean power of the distance is a linear combination of them.
pub const DEGREE: usize = 12;

/// Number of monomials x^i y^j z^k of degree i + j + k up to [`DEGREE`].
pub const COUNT: usize = products(DEGREE);

/// Moments of all monomials, ordered by i, then j, then k.
pub type Moments = [f64; COUNT];

/// Number of monomials of degree up to `degree`.
const fn products(degree: usize) -> usize {
    (degree + 1) * (degree + 2) * (degree + 3) / 6
}

/// Index of the monomial x^i y^j z^k.
#[inline(always)]
pub const fn place([i, j, k]: [usize; 3]) -> usize {
    let rest = DEGREE - i;
    let slabs = COUNT - products(rest);
    slabs + j * (rest + 1) - (j * j - j) / 2 + k
}

/// Means of the powers 0 to [`DEGREE`] of a coordinate between two bounds: (b^(n+1) - a^(n+1))/((n + 1)(b - a)) is the sum of b^k a^(n-k) over k, divided by n
/// + 1, which does not cancel for a thin prism.
#[inline(always)]
fn means<V: Lanes<Scalar = f64>>(low: V, high: V) -> [V; DEGREE + 1] {
    let one = V::constant(1.0);
    let (mut sum, mut power) = (one, one);
    let mut means = [one; DEGREE + 1];
    for n in 1..=DEGREE {
        power = power * high;
        sum = low.mul_add(sum, power);
        means[n] = sum * V::constant(1.0 / (n + 1) as f64);
    }
    means
}

/// Kernel that computes the moments of a run of prisms about a centre, with lengths in units of `radius`.
pub struct OfPrisms<'a> {
    /// In the order of the tree.
    pub prisms: &'a Prisms,
    pub run: Range<usize>,
    pub centre: [f64; 3],
    pub radius: f64,
    /// Mass of each prism of the run [kg].
    pub masses: &'a [f64],
}

impl Kernel<f64> for OfPrisms<'_> {
    type Output = Moments;
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> Moments {
        let mut sums = [V::constant(0.0); COUNT];
        for first in (0..self.masses.len()).step_by(V::COUNT) {
            let mut bounds = [[[0.0; 16]; 2]; 3];
            let mut masses = [0.0; 16];
            for lane in 0..V::COUNT.min(self.masses.len() - first) {
                masses[lane] = self.masses[first + lane];
                for (axis, sides) in self.prisms.bounds(self.run.start + first + lane).into_iter().enumerate() {
                    for side in 0..2 {
                        bounds[axis][side][lane] = (sides[side] - self.centre[axis]) / self.radius;
                    }
                }
            }
            let x = means(V::load(&bounds[0][0], 0), V::load(&bounds[0][1], 0));
            let y = means(V::load(&bounds[1][0], 0), V::load(&bounds[1][1], 0));
            let z = means(V::load(&bounds[2][0], 0), V::load(&bounds[2][1], 0));
            add(&mut sums, V::load(&masses, 0), &[x, y, z]);
        }
        sums_of_lanes(&sums)
    }
}

/// Kernel that computes the moments of point masses: coordinates about a centre, in units of a radius, and mass of each.
pub struct OfNodes<'a> {
    pub nodes: &'a [[f64; 4]],
}

impl Kernel<f64> for OfNodes<'_> {
    type Output = Moments;
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> Moments {
        let mut sums = [V::constant(0.0); COUNT];
        for part in self.nodes.chunks(V::COUNT) {
            let mut lanes = [[0.0; 16]; 4];
            for (lane, node) in part.iter().enumerate() {
                (0..4).for_each(|value| lanes[value][lane] = node[value]);
            }
            let powers = |axis: usize| {
                let place = V::load(&lanes[axis], 0);
                means(place, place)
            };
            add(&mut sums, V::load(&lanes[3], 0), &[powers(0), powers(1), powers(2)]);
        }
        sums_of_lanes(&sums)
    }
}

/// Sums over the lanes.
#[inline(always)]
fn sums_of_lanes<V: Lanes<Scalar = f64>>(sums: &[V; COUNT]) -> Moments {
    let mut moments = [0.0; COUNT];
    for (moment, sum) in moments.iter_mut().zip(sums) {
        let mut lanes = [0.0; 16];
        sum.store(&mut lanes, 0);
        *moment = lanes[..V::COUNT].iter().sum();
    }
    moments
}

/// Adds masses times the products of means.
#[inline(always)]
fn add<V: Lanes<Scalar = f64>>(sums: &mut [V; COUNT], masses: V, [x, y, z]: &[[V; DEGREE + 1]; 3]) {
    let mut row = 0;
    for i in 0..=DEGREE {
        let along_x = masses * x[i];
        for j in 0..=DEGREE - i {
            let across = along_x * y[j];
            let length = DEGREE - i - j + 1;
            for (sum, z) in sums[row..row + length].iter_mut().zip(z) {
                *sum = across.mul_add(*z, *sum);
            }
            row += length;
        }
    }
}

/// Kernel that translates the moments of a part from its own centre and adds them to those of the whole.
pub struct Moved<'a> {
    pub part: &'a Moments,
    /// Radius of the part over that of the whole.
    pub ratio: f64,
    /// Vector from the centre of the whole to that of the part, in radii of the whole.
    pub shift: [f64; 3],
    pub whole: &'a mut Moments,
}

impl Kernel<f64> for Moved<'_> {
    type Output = ();
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) {
        let mut scaled = *self.part;
        scale(&mut scaled, self.ratio);
        let [x, y, z] = self.shift;
        let mut turned = scaled;
        for (moment, place) in turned.iter_mut().zip(TURNED) {
            *moment = scaled[usize::from(place)];
        }
        shift_first(&mut turned, z);
        let mut moments = turned;
        for (moment, place) in moments.iter_mut().zip(TURNED) {
            *moment = turned[usize::from(place)];
        }
        shift_first(&mut moments, x);
        shift_second(&mut moments, y);
        for (whole, part) in self.whole.iter_mut().zip(moments) {
            *whole += part;
        }
    }
}

/// Index of the monomial with the powers of x and z exchanged, so that only whole rows are added.
const TURNED: [u16; COUNT] = {
    let mut turned = [0; COUNT];
    let mut i = 0;
    while i <= DEGREE {
        let mut j = 0;
        while i + j <= DEGREE {
            let mut k = 0;
            while i + j + k <= DEGREE {
                turned[place([i, j, k])] = place([k, j, i]) as u16;
                k += 1;
            }
            j += 1;
        }
        i += 1;
    }
    turned
};

/// Shifts the origin along x. The matrix of binomial coefficients factors into bidiagonal matrices, so that only sums of neighbours are needed.
#[inline(always)]
fn shift_first(moments: &mut Moments, x: f64) {
    for step in 1..=DEGREE {
        for i in (step..=DEGREE).rev() {
            for j in 0..=DEGREE - i {
                add_row(moments, [i - 1, j], [i, j], x);
            }
        }
    }
}

/// Shifts the origin along y.
#[inline(always)]
fn shift_second(moments: &mut Moments, y: f64) {
    for step in 1..=DEGREE {
        for i in 0..=DEGREE - step {
            for j in (step..=DEGREE - i).rev() {
                add_row(moments, [i, j - 1], [i, j], y);
            }
        }
    }
}

/// Multiplies each moment by `ratio` to the power of its degree.
#[inline(always)]
fn scale(moments: &mut Moments, ratio: f64) {
    let mut powers = [1.0; DEGREE + 1];
    for n in 1..=DEGREE {
        powers[n] = powers[n - 1] * ratio;
    }
    let mut row = 0;
    for i in 0..=DEGREE {
        for j in 0..=DEGREE - i {
            let length = DEGREE - i - j + 1;
            for (moment, power) in moments[row..row + length].iter_mut().zip(&powers[i + j..]) {
                *moment *= power;
            }
            row += length;
        }
    }
}

/// Adds `factor` times the moments of the neighbouring row (a, b), which is longer by one, to those of row (i, j).
#[inline(always)]
fn add_row(moments: &mut Moments, [a, b]: [usize; 2], [i, j]: [usize; 2], factor: f64) {
    let (from, to) = (place([a, b, 0]), place([i, j, 0]));
    let length = DEGREE - i - j + 1;
    let (before, after) = moments.split_at_mut(to);
    for (moment, neighbour) in after[..length].iter_mut().zip(&before[from..from + length]) {
        *moment += factor * neighbour;
    }
}
