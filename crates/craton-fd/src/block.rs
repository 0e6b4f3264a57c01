//! A block of cells: fields, material, boundaries, and their update.

use std::ops::Range;

use craton_device::{AlignedVec, Isa, Scalar};
use craton_fd_kernels::{
    Classes, MaterialArrays, Precision, Relaxation, Slab, Stresses, Sweep, SweepInputs, Taper, Velocities,
};
use craton_numerics::staggered::MAX_HALF_LENGTH;
use craton_physics::face_buoyancy;
use rayon::prelude::*;

use crate::boundary::Boundaries;
use crate::classes::{Surroundings, classes};
use crate::derivatives::Derivatives;
use crate::error::FdError;
use crate::kinds::Kinds;
use crate::layers::slabs;
use crate::layout::Layout;
use crate::march::March;
use crate::medium::Medium;
use crate::regions::Points;
use crate::relaxation::{self, relaxation};
use crate::rows::{ends_of_row, rows_around};
use crate::sponge::taper;
use crate::sweep::{Half, Turn, borrow, columns_of, layers, tiles, turns};
use crate::walls::Wall;
use craton_fd_kernels::Field;

/// A block of cells with its fields, its material and its absorbing boundaries.
pub struct Block<T: Scalar> {
    /// Memory layout of its arrays.
    pub layout: Layout,
    /// Velocities x, y, z, then stresses in Voigt order.
    pub fields: [AlignedVec<T>; 9],
    /// λ, 1/μ, ρ, with the same layout.
    pub material: MaterialArrays<AlignedVec<T>>,
    /// Relaxation of the moduli, if the medium attenuates waves.
    pub relaxation: Option<Relaxation<T>>,
    /// Its memory variables, `[set][component]`, with the same layout.
    pub relaxation_memory: Vec<AlignedVec<T>>,
    /// Coefficients of the derivatives over the spacing, along each axis [1/m].
    pub coefficients: [[T; MAX_HALF_LENGTH]; 3],
    /// Stencil classes of the points, for the velocity and the stress update.
    pub classes: [Classes<T>; 2],
    /// Damping factors of the sponges.
    pub taper: Option<Taper<T>>,
    /// Its share of the absorbing layers.
    pub slabs: Vec<Slab<T>>,
    /// Memory variables of the layers, for the velocity and the stress update.
    pub memory: [Vec<AlignedVec<T>>; 2],
    /// Paraxial sides, where velocity is prescribed.
    pub walls: Vec<Wall<T>>,
    /// Time step [s].
    pub dt: f64,
}

impl<T: Precision> Block<T> {
    /// Creates a block at rest.
    ///
    /// # Errors
    /// An absorbing layer whose parameters are out of range.
    pub fn new(
        medium: &Medium<T>,
        boundaries: &Boundaries,
        derivatives: &Derivatives,
        layout: Layout,
        dt: f64,
    ) -> Result<Self, FdError> {
        let grid = medium.grid();
        let material = material(medium, boundaries, &layout);
        let kinds = Kinds::new(medium, boundaries, &layout);
        let slabs = slabs(grid, boundaries, &layout, dt)?;
        let around = Surroundings { layout: &layout, kinds: &kinds, derivatives, medium, boundaries };
        let memory = || slabs.iter().map(Slab::memory).collect();
        let relaxation = relaxation(medium, boundaries, &layout, dt);
        Ok(Self {
            fields: std::array::from_fn(|_| AlignedVec::zeroed(layout.len())),
            coefficients: grid.spacing.map(|h| {
                let c = derivatives.stencil().coefficients();
                std::array::from_fn(|m| T::from_f64(c.get(m).map_or(0.0, |c| c / h)))
            }),
            classes: [classes::<T, Velocities>(&around), classes::<T, Stresses>(&around)],
            taper: taper(grid, boundaries, &layout),
            memory: [memory(), memory()],
            walls: Wall::all(grid, boundaries, &layout, &material, dt),
            slabs,
            material,
            relaxation_memory: relaxation::memory(relaxation.as_ref(), &layout),
            relaxation,
            layout,
            dt,
        })
    }

    /// A field, with the padding of the layout.
    pub fn field(&self, field: Field) -> &[T] {
        &self.fields[field.index()]
    }

    /// A field, mutable.
    pub fn field_mut(&mut self, field: Field) -> &mut [T] {
        &mut self.fields[field.index()]
    }

    /// Updates the velocities of some points; the stresses within reach of their stencils must be complete.
    pub fn advance_velocities(&mut self, isa: Isa, region: &[Points]) {
        let (inputs, [velocities, stresses]) = self.halves();
        let tiles = tiles(inputs.layout, region, &layers(inputs.layout, region), 0, velocities);
        let stresses = slices(&stresses.fields);
        let sweep = Sweep::new::<Velocities>(inputs, &stresses, 0);
        tiles.into_par_iter().for_each(|mut tile| {
            for column in columns_of(&tile, inputs.layout) {
                T::move_velocities(&sweep, isa, &mut tile, &column);
            }
        });
    }

    /// Updates the stresses of some points; the velocities within reach of their stencils must be complete.
    pub fn advance_stresses(&mut self, isa: Isa, region: &[Points]) {
        let (inputs, [velocities, stresses]) = self.halves();
        let tiles = tiles(inputs.layout, region, &layers(inputs.layout, region), 0, stresses);
        let velocities = slices(&velocities.fields);
        let sweep = Sweep::new::<Stresses>(inputs, &velocities, 0);
        tiles.into_par_iter().for_each(|mut tile| {
            for column in columns_of(&tile, inputs.layout) {
                T::move_stresses(&sweep, isa, &mut tile, &column);
            }
        });
    }

    /// Updates velocities and stresses of the marching points. The velocities around them must be updated already, the stresses not yet.
    pub fn march(&mut self, isa: Isa, march: &March, step: usize) {
        let (inputs, halves) = self.halves();
        let planes: Vec<Range<usize>> = march.boxes.iter().map(|[_, _, z]| z.clone()).collect();
        let forces = march.forces(step);
        let [velocities, stresses] =
            halves.map(|half| tiles(inputs.layout, &march.boxes, &planes, inputs.layout.halo, half));
        velocities.into_par_iter().zip(stresses).for_each(|(mut velocities, mut stresses)| {
            for (half, points) in turns(inputs.layout, &velocities.points[0].clone(), size_of::<T>()) {
                match half {
                    Turn::Velocities => {
                        let sweep = Sweep::new::<Velocities>(inputs, &stresses.fields, stresses.start);
                        T::move_velocities(&sweep, isa, &mut velocities, &points);
                        forces.act(&mut velocities, &points);
                    }
                    Turn::Stresses => {
                        let sweep = Sweep::new::<Stresses>(inputs, &velocities.fields, velocities.start);
                        T::move_stresses(&sweep, isa, &mut stresses, &points);
                    }
                }
            }
        });
    }

    /// The read-only inputs of a step, and what each of its halves changes.
    fn halves(&mut self) -> (SweepInputs<'_, T>, [Half<'_, T>; 2]) {
        let inputs = SweepInputs {
            layout: &self.layout,
            material: borrow(&self.material),
            coefficients: self.coefficients,
            classes: &self.classes,
            taper: self.taper.as_ref(),
            relaxation: self.relaxation.as_ref(),
            dt: T::from_f64(self.dt),
        };
        let (velocities, stresses) = self.fields.split_at_mut(3);
        let ([of_velocities, of_stresses], slabs) = (&mut self.memory, &self.slabs[..]);
        let stresses = stresses.iter_mut().chain(&mut self.relaxation_memory).collect();
        let half = |fields, memory| Half { fields, slabs, memory };
        (inputs, [half(velocities.iter_mut().collect(), of_velocities), half(stresses, of_stresses)])
    }

    /// Prescribes the velocities at paraxial sides.
    pub fn fill_walls(&mut self) {
        let (velocities, _) = self.fields.split_at_mut(3);
        for wall in &mut self.walls {
            wall.fill(&self.layout, velocities);
        }
    }

    /// Buoyancy at the point of velocity component c at an index of the arrays [m³/kg].
    pub fn buoyancy(&self, at: usize, c: usize) -> f64 {
        let rho = [at - self.layout.stride[c], at].map(|cell| self.material.rho[cell].to_f64());
        face_buoyancy(rho) * self.classes[0].factor(&self.layout, at, c).to_f64()
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        let arrays = self.fields.iter().chain(self.memory.iter().flatten()).chain(&self.relaxation_memory);
        let arrays: usize = arrays.map(AlignedVec::bytes).sum();
        let classes: usize = self.classes.iter().map(Classes::bytes).sum();
        let losses = self.relaxation.as_ref().map_or(0, Relaxation::bytes);
        arrays + classes + losses + 3 * self.material.rho.bytes()
    }
}

/// The values of arrays.
fn slices<'a, T: Scalar>(arrays: &'a [&mut AlignedVec<T>]) -> Vec<&'a [T]> {
    arrays.iter().map(|array| &array[..]).collect()
}

/// Collects the material of all cells of a block and its halo.
fn material<T: Scalar>(medium: &Medium<T>, boundaries: &Boundaries, layout: &Layout) -> MaterialArrays<AlignedVec<T>> {
    let array = || AlignedVec::zeroed(layout.len());
    let mut material = MaterialArrays { lambda: array(), inverse_mu: array(), rho: array() };
    let plane = layout.stride[2];
    let MaterialArrays { lambda, inverse_mu, rho } = &mut material;
    let moduli = lambda.par_chunks_mut(plane).zip(inverse_mu.par_chunks_mut(plane));
    let planes = moduli.zip(rho.par_chunks_mut(plane)).take(layout.planes_around()).enumerate();
    let cells = layout.cells[0];
    planes.for_each(|(plane, ((lambda, inverse_mu), rho))| {
        for (first, start) in rows_around(layout, plane) {
            let row = start..start + cells;
            medium.copy_row(boundaries, first, [&mut lambda[row.clone()], &mut inverse_mu[row.clone()], &mut rho[row]]);
            for (cell, at) in ends_of_row(layout, first, start) {
                let stored = medium.beyond(cell, boundaries);
                lambda[at] = stored.lambda;
                inverse_mu[at] = stored.inverse_mu;
                rho[at] = stored.rho;
            }
        }
    });
    material
}
