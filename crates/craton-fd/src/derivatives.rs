//! Derivatives on a grid with interfaces: regular, folded (`stencil.rs`), or closed at a flat interface (`closure.rs`).
//!
//! An interface is flat if it is a plane of cell faces normal to z that extends over the whole grid, with enough cells of one kind on both sides, or with
//! air on one of them. Only there do the weights of a closure depend on z alone, so that derivatives along x and y need no weights.

use craton_numerics::staggered::{GridPoints, StaggeredStencil};
use rayon::prelude::*;

use crate::boundary::Boundaries;
use crate::closure::Closure;
use crate::grid::Grid;
use crate::kinds::all_are;
use crate::layout::GROUP;
use crate::medium::Kind;
use crate::stencil::{Derivative, Runs};
use craton_fd_kernels::Field;

/// The axis that flat interfaces are normal to.
const Z: usize = 2;

/// The stencils of a grid.
#[derive(Debug, Clone)]
pub struct Derivatives {
    stencil: StaggeredStencil,
    closure: Option<Closure>,
    /// Flat interfaces, upwards.
    interfaces: Vec<FlatInterface>,
}

/// A flat interface.
#[derive(Debug, Clone, Copy)]
struct FlatInterface {
    /// Index of its plane of whole points.
    level: i64,
    /// Whether there is matter below and above it.
    matter: [bool; 2],
}

/// The surroundings of a point that determine its stencil.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// By the runs of cells of one kind along the axis.
    Runs(Runs),
    /// By the place next to a flat interface.
    Flat(Place),
}

/// A place next to a flat interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index of the plane minus that of the interface.
    offset: i8,
    /// Whether there is matter below and above the interface.
    matter: [bool; 2],
}

impl Derivatives {
    /// Finds the flat interfaces of a grid.
    ///
    /// # Arguments
    /// * `kinds` – kinds of all cells, x fastest
    pub fn new(grid: &Grid, boundaries: &Boundaries, kinds: &[Kind], stencil: &StaggeredStencil) -> Self {
        let closure = Closure::new(stencil.coefficients()).filter(|_| !boundaries.is_periodic(Z));
        let mut derivatives = Self { stencil: stencil.clone(), closure, interfaces: Vec::new() };
        let Some(closure) = &derivatives.closure else { return derivatives };
        let planes = kinds.par_chunks_exact(grid.cells[0] * grid.cells[1]);
        let uniform: Vec<Option<Kind>> = planes.map(|plane| all_are(plane, plane[0]).then_some(plane[0])).collect();
        // Kind of all cells above a level; `None` if the plane contains several kinds.
        let kind = |level: i64| {
            let mut several = false;
            let own = |cell: [usize; 3]| {
                uniform[cell[Z]].unwrap_or_else(|| {
                    several = true;
                    Kind::Air
                })
            };
            let kind = boundaries.kind_at(grid, [0, 0, level], own);
            (!several).then_some(kind)
        };
        let needed = 2 * closure.depth() as i64;
        let flat = |level: i64| {
            let sides = [kind(level - 1)?, kind(level)?];
            let is_contact = sides[0] != sides[1] && sides.contains(&Kind::Solid);
            let is_thick = [0, 1].into_iter().all(|side| match sides[side] {
                Kind::Air => true,
                Kind::Rigid | Kind::Prescribed => false,
                own => (0..needed).all(|l| kind(if side == 0 { level - 1 - l } else { level + l }) == Some(own)),
            });
            let matter = sides.map(|kind| kind != Kind::Air);
            (is_contact && is_thick).then_some(FlatInterface { level, matter })
        };
        derivatives.interfaces = (0..=grid.cells[Z] as i64).filter_map(flat).collect();
        derivatives
    }

    /// The regular stencil.
    pub fn stencil(&self) -> &StaggeredStencil {
        &self.stencil
    }

    /// Whether a plane of whole points is a flat interface.
    pub fn is_flat(&self, level: i64) -> bool {
        self.interfaces.iter().any(|interface| interface.level == level)
    }

    /// Whether no point of a plane is next to a flat interface.
    pub fn is_regular(&self, level: i64) -> bool {
        [GridPoints::Whole, GridPoints::Half].iter().all(|&points| self.place(points, level).is_none())
    }

    /// Volume that a value stands for, over that of a cell [–].
    ///
    /// # Arguments
    /// * `level` – index of its plane
    pub fn volume(&self, field: Field, level: i64) -> f64 {
        let points = field.points()[Z];
        match (self.place(points, level), &self.closure) {
            (Some(Place { offset, .. }), Some(closure)) if points == GridPoints::Half => {
                closure.half_weight(half_point(offset.into()) as usize)
            }
            (Some(Place { offset, .. }), Some(closure)) => closure.whole_weight(offset.unsigned_abs().into()),
            _ => 1.0,
        }
    }

    /// Determines the shape from the cells around a point.
    ///
    /// # Arguments
    /// * `kind` – kind of any cell that the stencil touches
    /// * `point` – indices of the target's point, in the system of `kind`
    /// * `level` – index of its plane in the grid
    pub fn shape(
        &self,
        derivative: &Derivative,
        kind: impl Fn([i64; 3]) -> Kind,
        point: [i64; 3],
        level: i64,
    ) -> Shape {
        let place = if derivative.axis == Z { self.place(derivative.target.points()[Z], level) } else { None };
        let runs = || derivative.runs(kind, point, self.stencil.half_length());
        place.map_or_else(|| Shape::Runs(runs()), Shape::Flat)
    }

    /// Determines the shapes at the points of a group along x, as [`Self::shape`].
    ///
    /// # Arguments
    /// * `kinds` – kinds of a cell and of those after it along x
    /// * `first` – indices of the first point, in the system of `kinds`
    /// * `level` – index of its plane in the grid
    pub fn shapes<'a>(
        &self,
        derivative: &Derivative,
        kinds: impl Fn([i64; 3]) -> &'a [Kind; GROUP],
        first: [i64; 3],
        level: i64,
        shapes: &mut [Shape],
    ) {
        let place = if derivative.axis == Z { self.place(derivative.target.points()[Z], level) } else { None };
        match place {
            Some(place) => shapes.fill(Shape::Flat(place)),
            None => {
                let runs = derivative.group_runs(kinds, first, self.stencil.half_length());
                shapes.iter_mut().zip(runs).for_each(|(shape, runs)| *shape = Shape::Runs(runs));
            }
        }
    }

    /// Shape of a point far from all interfaces.
    pub fn regular(&self) -> Shape {
        Shape::Runs(Runs::regular(self.stencil.half_length()))
    }

    /// Coefficients of the 2 L points that a stencil reads, from the first one on [–].
    pub fn coefficients(&self, derivative: &Derivative, shape: Shape) -> Vec<f64> {
        match (shape, &self.closure) {
            (Shape::Flat(place), Some(closure)) => closed(closure, derivative, place),
            (Shape::Flat(_), None) => unreachable!("there are no flat interfaces without a closure"),
            (Shape::Runs(runs), _) => derivative.coefficients(runs, &self.stencil),
        }
    }

    /// The place of a plane of whole or half points, if it is in matter next to a flat interface.
    fn place(&self, points: GridPoints, level: i64) -> Option<Place> {
        let closure = self.closure.as_ref()?;
        self.interfaces.iter().find_map(|&FlatInterface { level: interface, matter }| {
            let offset = level - interface;
            let (number, depth) = match points {
                GridPoints::Whole => (offset.abs(), closure.depth()),
                GridPoints::Half => (half_point(offset), closure.half_depth()),
            };
            let is_interface = points == GridPoints::Whole && offset == 0;
            let is_near = number < depth as i64 && (is_interface || matter[usize::from(offset >= 0)]);
            is_near.then_some(Place { offset: offset as i8, matter })
        })
    }
}

/// Number of a half point on its side of the interface.
fn half_point(offset: i64) -> i64 {
    if offset < 0 { -1 - offset } else { offset }
}

/// Coefficients next to a flat interface.
fn closed(closure: &Closure, derivative: &Derivative, Place { offset, matter }: Place) -> Vec<f64> {
    if derivative.is_at_whole_points() {
        let point = usize::from(offset.unsigned_abs());
        let above = closure.at_whole(point);
        return match offset {
            0 => {
                let shares = [matter[0].then(|| mirrored(&above)), matter[1].then(|| above.clone())];
                let sum = |t: usize| shares.iter().flatten().map(|taps| taps[t]).sum();
                (0..above.len()).map(sum).collect()
            }
            1.. => above,
            _ => mirrored(&above),
        };
    }
    let above = closure.at_half(half_point(offset.into()) as usize);
    if offset < 0 { mirrored(&above) } else { above }
}

/// The coefficients on the other side of an interface.
fn mirrored(taps: &[f64]) -> Vec<f64> {
    taps.iter().rev().map(|tap| -tap).collect()
}
