//! Direct summation of magnetic fields.

use std::ops::Range;

use craton_device::{Isa, Kernel, Lanes, Scalar, Workers};
use rayon::prelude::*;

use super::third::{INDEX, ThirdBody};
use super::{FACTOR, Magnetic, MagneticField, MagneticFields, Magnetisation};
use crate::fields::Needs;
use crate::forward::BLOCK;
use crate::pair::Body;
use crate::tile::{GROUP, TILE, Tile};
use crate::{GoOn, GravityError, Points, Prisms};

/// Number of components.
pub const COUNT: usize = MagneticField::ALL.len();

/// Sums of all components at the points of a tile, `[component][point]`.
pub type Sums = [[f64; TILE]; COUNT];

/// Bit mask of all groups of a tile.
const ALL_GROUPS: u32 = u32::MAX;

/// Flux density of magnetised prisms at points, and its gradient.
///
/// For each pair of a prism and a point, the error of |B| is at most 1e-10 of μ₀/(4π) |M| times the norm of the tensor of the prism per G ρ, at any distance;
/// the error of the gradient is at most 1e-9 of the norm of the third derivatives. Verified by `magnetics::fields_match_fifty_digits` and
/// `magnetics::fields_match_choclo`. The result is bit-identical for any number of threads.
///
/// # Arguments
/// * `prisms` – their densities are not used
/// * `fields` – whether to compute the gradient
/// * `isa` – instruction set; results of different ones may differ by round-off
/// # Errors
/// [`GravityError::Count`] unless every prism has a magnetisation.
/// # Domain
/// Inside a prism B includes its magnetisation. On a face B is the limit from outside that prism; the sum over touching prisms of one body has the right limit
/// only with [`super::Poisson`] and [`crate::Limits`]. On edges and corners the components that diverge are NaN. Verified by
/// `magnetics::faces_have_the_limit_from_outside_and_edges_none`.
/// # Panics
/// If this processor lacks `isa`.
pub fn magnetic_forward(
    prisms: &Prisms,
    magnetisation: &Magnetisation,
    points: &Points,
    fields: MagneticFields,
    workers: &Workers,
    isa: Isa,
) -> Result<Magnetic, GravityError> {
    let magnetic = magnetic_forward_while(prisms, magnetisation, points, fields, workers, isa, &|| true)?;
    Ok(magnetic.expect("never cancelled"))
}

/// Like [`magnetic_forward`], but can be cancelled: returns `None` if `go_on` returns `false`.
///
/// # Errors
/// As [`magnetic_forward`].
pub fn magnetic_forward_while(
    prisms: &Prisms,
    magnetisation: &Magnetisation,
    points: &Points,
    fields: MagneticFields,
    workers: &Workers,
    isa: Isa,
    go_on: GoOn,
) -> Result<Option<Magnetic>, GravityError> {
    GravityError::check_count("magnetisations", magnetisation.len(), "prisms", prisms.len())?;
    let tiles = Tile::all(points);
    let blocks: Vec<Range<usize>> =
        (0..prisms.len()).step_by(BLOCK).map(|start| start..(start + BLOCK).min(prisms.len())).collect();
    let sums: Option<Vec<Sums>> = workers.run(|| {
        let sum_of_tile = |points: &Tile| {
            let mut total: Sums = [[0.0; TILE]; COUNT];
            for block in &blocks {
                if !go_on() {
                    return None;
                }
                let kernel =
                    BlockSum { prisms, magnetisation, block: block.clone(), points, groups: ALL_GROUPS, fields };
                let sum = f64::dispatch(isa, kernel);
                total.iter_mut().flatten().zip(sum.iter().flatten()).for_each(|(total, sum)| *total += sum);
            }
            Some(total)
        };
        tiles.par_iter().map(sum_of_tile).collect()
    });
    let Some(sums) = sums else { return Ok(None) };
    let of = |field: MagneticField| {
        let parts = tiles.iter().zip(&sums);
        parts.flat_map(|(tile, sums)| sums[field as usize][..tile.range.len()].iter().copied()).collect()
    };
    Ok(Some(Magnetic::new(fields.iter().map(of).collect())))
}

/// Kernel that sums a block of prisms at the points of a tile.
pub struct BlockSum<'a> {
    pub prisms: &'a Prisms,
    pub magnetisation: &'a Magnetisation,
    pub block: Range<usize>,
    pub points: &'a Tile,
    /// Bit mask of the groups of points, lowest bit first.
    pub groups: u32,
    pub fields: MagneticFields,
}

impl Kernel<f64> for BlockSum<'_> {
    type Output = Sums;
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> Sums {
        let mut sums: Sums = [[0.0; TILE]; COUNT];
        for prism in self.block {
            let pair = Pair::<V>::new(&self.prisms.bounds(prism), self.fields);
            let vector = self.magnetisation.get(prism);
            for lane in (0..self.points.range.len()).step_by(V::COUNT) {
                if self.groups >> (lane / GROUP) & 1 == 0 {
                    continue;
                }
                let values = pair.at(&self.points.points(lane));
                for axis in (0..3).filter(|&axis| vector[axis] != 0.0) {
                    let scale = V::splat(FACTOR * vector[axis]);
                    for (value, sum) in values[axis].iter().zip(&mut sums) {
                        value.mul_add(scale, V::load(sum, lane)).store(sum, lane);
                    }
                }
            }
        }
        sums
    }
}

/// A prism, prepared for magnetic fields.
pub struct Pair<V> {
    tensor: Body<V>,
    needs: Needs,
    third: Option<ThirdBody<V>>,
}

impl<V: Lanes<Scalar = f64>> Pair<V> {
    /// Prepares a prism from its bounds along x, y, z [m].
    #[inline(always)]
    pub fn new(bounds: &[[f64; 2]; 3], fields: MagneticFields) -> Self {
        let third = if fields.has_gradient() { Some(ThirdBody::new(bounds)) } else { None };
        Self { tensor: Body::new(bounds), needs: Needs::of(fields.tensor()), third }
    }

    /// Components of B at points, in the order of [`MagneticField::ALL`], for a magnetisation of one along x, y and z, per μ₀/4π; zero for a gradient that is
    /// not requested.
    #[inline(always)]
    pub fn at(&self, points: &[V; 3]) -> [[V; COUNT]; 3] {
        let [.., ee, en, eu, nn, nu, uu] = self.tensor.at(points, self.needs);
        let zero = V::constant(0.0);
        let mut values = [[zero; COUNT]; 3];
        // The diagonal: T - tr T. Where the others diverge, the trace is that outside the prism.
        let (own_e, own_n, own_u) = (own(ee, nn, uu), own(nn, ee, uu), own(uu, ee, nn));
        for (to, from) in values.iter_mut().zip([[own_e, en, eu], [en, own_n, nu], [eu, nu, own_u]]) {
            to[0] = from[0];
            to[1] = from[1];
            to[2] = from[2];
        }
        if let Some(third) = &self.third {
            let third = third.at(points);
            for axis in 0..3 {
                for component in 0..INDEX.len() {
                    values[axis][3 + component] = third[INDEX[component][axis]];
                }
            }
        }
        values
    }
}

/// A diagonal component of T - tr T, from the three of T.
#[inline(always)]
fn own<V: Lanes<Scalar = f64>>(diagonal: V, second: V, third: V) -> V {
    let value = -(second + third);
    V::select_less(value.abs(), V::constant(f64::INFINITY), value, diagonal)
}
