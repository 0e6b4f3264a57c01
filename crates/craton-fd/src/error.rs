//! Errors in the definition of a problem.

use craton_comm::CommError;
use craton_device::gpu::GpuError;
use craton_numerics::NumericsError;

use crate::grid::Grid;
use crate::medium::Material;

/// Reasons why a problem cannot be solved on a grid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FdError {
    /// A stencil, an absorbing layer or a position out of range.
    #[error(transparent)]
    Numerics(#[from] NumericsError),
    /// A rank that is lost.
    #[error(transparent)]
    Ranks(#[from] CommError),
    /// The grid is not valid.
    #[error(
        "the grid is not valid: {0:?}; its origin must be finite, its spacing positive, and each axis needs at least one cell"
    )]
    Grid(Grid),
    /// A material that is not physical.
    #[error(
        "the material of cell {cell:?} is not valid: {material:?}; the moduli must be finite, mu >= 0, lambda + 2/3 mu > 0 and the density positive; use Material::AIR for a cell of air"
    )]
    Material {
        /// The cell.
        cell: [usize; 3],
        /// Its material.
        material: Material,
    },
    /// A fluid that is not physical.
    #[error("cell {cell:?} has a speed of {vp} m/s and a density of {rho} kg/m3: both must be finite and positive")]
    Fluid {
        /// The cell.
        cell: [usize; 3],
        /// Speed [m/s].
        vp: f64,
        /// Density [kg/m³].
        rho: f64,
    },
    /// A field with more values than 32-bit indices can address.
    #[error(
        "a field has {places} values, but a shot may have at most 4294967295; use a coarser grid or a smaller part of the model"
    )]
    Places {
        /// Values of a field, its padding included.
        places: usize,
    },
    /// A component of velocity that a plane does not have.
    #[error("a plane of x and z has no velocity along {}; orient sources and receivers along x or z", name(*axis))]
    Motionless {
        /// 0 to 2.
        axis: usize,
    },
    /// A problem that the scalar wave equation does not describe.
    #[error(
        "the scalar wave equation does not support {found}; it requires constant density, no attenuation, three dimensions, and sources and receivers \
         of pressure. Use the equations of first order (method.fd.equation)"
    )]
    Scalar {
        /// What it does not support.
        found: &'static str,
    },
    /// A gradient with attenuation.
    #[error(
        "gradients of fluids with attenuation are not supported; remove the quality factors, or set attenuation.enabled = false"
    )]
    LossyGradient,
    /// A kind of side that acoustic shots do not support.
    #[error("the side {} of an acoustic grid must be absorbing, or free if it is the top; put an absorbing layer there", SIDES[*side])]
    Unserved {
        /// 0 to 5.
        side: usize,
    },
    /// One side is periodic and the other is not.
    #[error(
        "only one of the two sides along {} is periodic; make both periodic, or neither (boundaries.{} and boundaries.{})",
        name(*axis), SIDES[2 * axis], SIDES[2 * axis + 1]
    )]
    Unpaired {
        /// 0 to 2.
        axis: usize,
    },
    /// Absorbing layers that leave no cells between them.
    #[error(
        "the absorbing layers across {} take {layers} of {cells} cells and leave none; make them thinner (method.fd.absorbing.cpml.cells), the cells smaller \
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
    /// A sponge factor that amplifies or has no effect.
    #[error("the factor of the sponge is {0}, but must be finite and positive; 0.015 is common")]
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
        /// Minimum number of cells of a part: half the order of the stencil, and at least 2 at a paraxial side.
        min: usize,
    },
    /// A time step beyond the stable one.
    #[error(
        "a time step of {dt} s is unstable; it must be positive and at most {stable} s; use a smaller step or a coarser grid"
    )]
    TimeStep {
        /// Requested time step [s].
        dt: f64,
        /// Largest stable time step [s].
        stable: f64,
    },
    /// A source or receiver that is not in the box.
    #[error(
        "the point at {position:?} m is outside the grid, which extends from {low:?} to {high:?} m; move it inside"
    )]
    Outside {
        /// The point [m].
        position: [f64; 3],
        /// Lower corner of the box [m].
        low: [f64; 3],
        /// Upper corner [m].
        high: [f64; 3],
    },
    /// A source or receiver in air.
    #[error("the point at {position:?} m is in air; move it to the surface or below")]
    InAir {
        /// The point [m].
        position: [f64; 3],
    },
    /// A deviatoric moment in a fluid.
    #[error(
        "the source at {position:?} m has a deviatoric moment in a fluid, which supports no shear stress; move it at least one cell into rock, or use \
         an isotropic moment (xx = yy = zz)"
    )]
    Shear {
        /// The source [m].
        position: [f64; 3],
    },
    /// A force on points whose velocity is fixed.
    #[error(
        "the source at {position:?} m acts only on points that cannot move: a rigid side, or rock one cell wide between air; move it into \
         the ground, or make the cells smaller (method.fd.grid_spacing)"
    )]
    Held {
        /// The source [m].
        position: [f64; 3],
    },
}

/// Reasons why a problem cannot be solved on a GPU.
#[derive(Debug, thiserror::Error)]
pub enum GpuSetupError {
    /// The problem cannot be solved on any device.
    #[error(transparent)]
    Problem(#[from] FdError),
    /// The device fails.
    #[error(transparent)]
    Device(#[from] GpuError),
    /// Kernels that are not part of the program and cannot be compiled on this machine.
    #[error(
        "{0}; the program contains the kernels of method.fd.order = 4 and 8 in single precision; use one of these, or compute on the CPU \
         (compute.device, --device cpu)"
    )]
    NoKernels(GpuError),
    /// An array with more values than the kernels can index.
    #[error(
        "an array has {places} values, more than the kernels can index; compute on more devices (compute.devices) or on the CPU (compute.device), or \
         use a coarser grid (method.fd.grid_spacing)"
    )]
    Large {
        /// Values of a field with its halo, of the memory variables of layers, or of the histories of sources.
        places: usize,
    },
}

/// The sides as a scenario names them.
const SIDES: [&str; 6] = ["x_min", "x_max", "y_min", "y_max", "bottom", "top"];

/// The letter of an axis.
fn name(axis: usize) -> &'static str {
    ["x", "y", "z"][axis]
}

/// Message of [`FdError::Parts`].
fn too_few(axis: &str, cells: usize, parts: usize, min: usize) -> String {
    let more = "a stencil of a lower order (method.fd.order) or more cells (method.fd.grid_spacing)";
    match parts {
        1 => format!("the periodic axis {axis} has {cells} cells, but the stencil needs at least {min}; use {more}"),
        _ => format!(
            "{cells} cells along {axis} are too few for {parts} parts, each of which needs at least {min}; use fewer parts (compute.devices, and ranks of mpirun), {more}"
        ),
    }
}
