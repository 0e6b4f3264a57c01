//! The scalar wave equation of a fluid with constant density, second order in time, in 3D.
//!
//! ```text
//! (1/c²) ∂²p/∂t² = ∇²p + s        p(n+1) = 2 p(n) - p(n-1) + c² dt² (D² p(n) + s(n))
//! ```
//!
//! It stores the pressure of two steps and c² dt²: 16 bytes per point and step instead of 40. Its time axis, and thus its time dispersion, is that of the leapfrog
//! of pressure and velocity, from which it follows by elimination of the velocity; only the second derivative in space has a stencil of its own. A monopole that
//! adds the integral of its history to the rate of pressure there adds the history itself here.
//!
//! | file | contents |
//! |---|---|
//! | `stencil`, `equiripple` | coefficients of second derivatives |
//! | `parts` | the discretised equation: factors and layers |
//! | `layers` | absorbing layers |
//! | `planes` | a step in the planes of a thread |
//! | `operator` | the solver for a shot on a CPU |
//! | `gpu` | propagation on a GPU; `kernels/scalar.cu` |

mod equiripple;
mod gpu;
mod layers;
mod operator;
mod parts;
mod planes;
mod stencil;

use crate::layout::GROUP;

/// Values of a cache line of a GPU.
pub const LINE: usize = 32;
/// Values before the first one of the arrays of a GPU, so that rows begin at cache lines.
pub const LEAD: usize = LINE - GROUP;

pub use gpu::ScalarRows;
pub use operator::ScalarOperator;
pub use parts::{amplitudes, check_listeners, require, sources};
pub use stencil::CentralStencil;
