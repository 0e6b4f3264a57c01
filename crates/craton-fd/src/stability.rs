//! The stability limit of the time step.

use craton_device::Scalar;
use craton_numerics::staggered::StaggeredStencil;
use craton_physics::face_buoyancy;

use crate::boundary::Boundaries;
use crate::error::FdError;
use crate::medium::{Kind, Medium, Stored};

/// Largest stable time step [s] of a medium: dt = 1 / (Σ|c_n| v_max √(1/dx² + 1/dy² + 1/dz²)).
///
/// v_max is the largest of the vP of each cell and of the speed from its stiffness and the buoyancies of its faces. The latter is larger
/// where a dense cell is next to a light one. A face to air has twice the buoyancy, but no stress beyond it, and counts half. Cells with several
/// solids count with the stiffness and the densities of their mixtures.
///
/// # Errors
/// Boundaries that do not fit the grid.
///
/// # Source
/// von Neumann's condition in a homogeneous medium; Gershgorin's circles of d²σ/dt² = (λ + 2 μ) ∂/∂x (1/ρ ∂σ/∂x) elsewhere.
/// Verified by `a_random_medium_is_stable_at_the_limit` and `thin_layers_across_faces_are_stable_at_the_limit`.
pub fn stable_step<T: Scalar>(
    medium: &Medium<T>,
    boundaries: &Boundaries,
    stencil: &StaggeredStencil,
) -> Result<f64, FdError> {
    let grid = medium.grid();
    grid.check()?;
    boundaries.check(grid)?;
    let fastest = medium.fastest(boundaries);
    let per_square: f64 = grid.spacing.iter().map(|h| 1.0 / (h * h)).sum();
    Ok(1.0 / (stencil.absolute_sum() * (fastest * per_square).sqrt()))
}

/// Square of the largest speed of a cell between neighbours of density `others` [m²/s²]. [`square_speed`] is at most that if no neighbour is lighter.
pub fn square_speed_between<T: Scalar>(own: &Stored<T>, others: f64) -> f64 {
    let rho = own.rho.to_f64();
    if own.kind == Kind::Air { 0.0 } else { modulus(own) * face_buoyancy([rho, others]).max(1.0 / rho) }
}

/// λ + 2 μ [Pa].
pub fn modulus<T: Scalar>(cell: &Stored<T>) -> f64 {
    cell.lambda.to_f64() + 2.0 / cell.inverse_mu.to_f64()
}

/// Square of the largest speed of a cell and its faces [m²/s²].
pub fn square_speed<T: Scalar>(medium: &Medium<T>, boundaries: &Boundaries, cell: [usize; 3]) -> f64 {
    let cell = cell.map(|i| i as i64);
    let own = medium.beyond(cell, boundaries);
    let rho = own.rho.to_f64();
    if own.kind == Kind::Air {
        return 0.0;
    }
    let face = |axis: usize, step: i64| {
        let mut neighbour = cell;
        neighbour[axis] += step;
        let other = medium.beyond(neighbour, boundaries);
        let buoyancy = face_buoyancy([rho, other.rho.to_f64()]);
        if other.kind == Kind::Air { 0.5 * buoyancy } else { buoyancy }
    };
    let buoyancy = (0..3).map(|axis| 0.5 * (face(axis, -1) + face(axis, 1))).fold(1.0 / rho, f64::max);
    modulus(&own) * buoyancy
}
