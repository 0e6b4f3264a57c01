//! What can be wrong with a problem.

use craton_device::gpu::GpuError;
use craton_numerics::NumericsError;

use crate::grid::Grid;
use crate::medium::Material;

/// Why a problem cannot be solved on this grid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FdError {
    /// A stencil, an absorbing layer or a position out of range.
    #[error(transparent)]
    Numerics(#[from] NumericsError),
    /// The grid is not sound.
    #[error("{0:?} is no grid: its origin must be finite, its spacing positive, and each axis needs a cell")]
    Grid(Grid),
    /// Material that cannot be.
    #[error(
        "cell {cell:?} has {material:?}: moduli must be finite, mu not negative, lambda + 2/3 mu and density positive; a cell of air has neither modulus, Material::AIR"
    )]
    Material {
        /// The cell.
        cell: [usize; 3],
        /// What it was given.
        material: Material,
    },
    /// A fluid that cannot be.
    #[error("cell {cell:?} has a speed of {vp} m/s and a density of {rho} kg/m3: both must be finite and positive")]
    Fluid {
        /// The cell.
        cell: [usize; 3],
        /// Speed [m/s].
        vp: f64,
        /// Density [kg/m³].
        rho: f64,
    },
    /// More points than places are counted.
    #[error(
        "a field of {places} values is more than the 4294967295 that a shot may have: take a coarser grid, or a smaller part of the model"
    )]
    Places {
        /// Values of a field, its padding included.
        places: usize,
    },
    /// A component of velocity that is not there.
    #[error("nothing moves along {} in a plane of x and z: let sources and receivers act along these", name(*axis))]
    Motionless {
        /// 0 to 2.
        axis: usize,
    },
    /// A side that acoustic waves of single shots do not know.
    #[error("the side {} of an acoustic grid can be absorbing, or free at the top; put an absorbing layer there", SIDES[*side])]
    Unserved {
        /// 0 to 5.
        side: usize,
    },
    /// One side is periodic and the other is not.
    #[error(
        "one side across {} is periodic, the other is not: make both periodic, or none (boundaries.{} and boundaries.{})",
        name(*axis), SIDES[2 * axis], SIDES[2 * axis + 1]
    )]
    Unpaired {
        /// 0 to 2.
        axis: usize,
    },
    /// Absorbing layers or sponges that do not fit.
    #[error(
        "the absorbing layers across {} take {layers} of {cells} cells, and leave none: make them thinner (method.fd.absorbing.cpml.cells), the cells smaller \
         (method.fd.grid_spacing), or the grid larger",
        name(*axis)
    )]
    Layers {
        /// 0 to 2.
        axis: usize,
        /// Cells of the layers, both sides.
        layers: usize,
        /// Cells along the axis.
        cells: usize,
    },
    /// A sponge that amplifies or does nothing.
    #[error("the sponge's factor is {0}, but must be finite and positive; 0.015 is common")]
    Sponge(f64),
    /// Too few cells for the stencil or the parts.
    #[error("{}", too_few(name(*axis), *cells, *parts, *min))]
    Parts {
        /// 0 to 2.
        axis: usize,
        /// Cells along the axis.
        cells: usize,
        /// Parts along the axis.
        parts: usize,
        /// Least number of cells of a part: half the order of the stencil, and 2 beside a paraxial side.
        min: usize,
    },
    /// A time step beyond the stable one.
    #[error(
        "a time step of {dt} s is unstable: it must be positive and at most {stable} s; take a smaller step or a coarser grid"
    )]
    TimeStep {
        /// Asked for [s].
        dt: f64,
        /// Largest stable one [s].
        stable: f64,
    },
    /// A source or receiver that is not in the box.
    #[error("the point at {position:?} m lies outside the grid, which ends at {low:?} and {high:?} m: move it inside")]
    Outside {
        /// The point [m].
        position: [f64; 3],
        /// Lower corner of the box [m].
        low: [f64; 3],
        /// Upper corner [m].
        high: [f64; 3],
    },
    /// A source or receiver in air.
    #[error("the point at {position:?} m lies in air: move it to the surface or below")]
    InAir {
        /// The point [m].
        position: [f64; 3],
    },
    /// A moment that a fluid cannot hold.
    #[error(
        "the source at {position:?} m shears a fluid, where no stress of shear ever ends: move it into rock, by a cell at least, or let its moment be \
         that of an explosion, xx = yy = zz"
    )]
    Shear {
        /// The source [m].
        position: [f64; 3],
    },
    /// A source that moves nothing.
    #[error(
        "the source at {position:?} m acts on nothing that can move: it pushes a rigid side, or stands in rock one cell wide between air; move it into \
         the ground, or make the cells smaller (method.fd.grid_spacing)"
    )]
    Held {
        /// The source [m].
        position: [f64; 3],
    },
}

/// Why a problem cannot be solved on a GPU.
#[derive(Debug, thiserror::Error)]
pub enum GpuSetupError {
    /// It cannot be solved at all.
    #[error(transparent)]
    Problem(#[from] FdError),
    /// The device cannot do it.
    #[error(transparent)]
    Device(#[from] GpuError),
    /// Kernels that the program does not carry, where they cannot be compiled.
    #[error(
        "{0}; the program carries the kernels of method.fd.order = 4 and 8 in single precision: take one of these, or compute on the CPU \
         (compute.device, --device cpu)"
    )]
    NoKernels(GpuError),
    /// More places than the kernels can count.
    #[error(
        "an array of {places} places is more than a device can count: compute on more devices (compute.devices) or on the CPU (compute.device), or \
         take a coarser grid (method.fd.grid_spacing)"
    )]
    Large {
        /// Of a field with its halo, of the memory of layers, or of the histories of sources.
        places: usize,
    },
}

/// The sides as a scenario names them.
const SIDES: [&str; 6] = ["x_min", "x_max", "y_min", "y_max", "bottom", "top"];

/// The letter of an axis.
fn name(axis: usize) -> &'static str {
    ["x", "y", "z"][axis]
}

/// What is wrong with so many cells along an axis, and what helps.
fn too_few(axis: &str, cells: usize, parts: usize, min: usize) -> String {
    let more = "a stencil of a lower order (method.fd.order) or more cells (method.fd.grid_spacing)";
    match parts {
        1 => format!(
            "{cells} cells along {axis}, which is periodic, are fewer than the {min} that the stencil reaches: use {more}"
        ),
        _ => format!(
            "{cells} cells along {axis} in {parts} parts leave fewer than the {min} that each needs: use fewer parts (compute.devices, and ranks of mpirun), {more}"
        ),
    }
}
