//! Acoustic waves of single shots, in 2D or 3D: pressure and particle velocity on a staggered grid, second order in time, order 2 to 16 in
//! space.
//!
//! ```text
//! ∂v/∂t = -(1/ρ) ∇p            ∂p/∂t = -κ (∇·v - q)
//! ```
//!
//! In a fluid with attenuation, κ relaxes; an injected volume q acts on the relaxing modulus, too.
//!
//! Pressure and material are located at the centres of the cells, velocities on their faces, as for elastic waves. A grid of one cell along y is 2D:
//! nothing varies along y, and a source is a line. A survey has thousands of shots, each of which fits on one device, so a shot is not divided into
//! parts.
//!
//! | file | contents |
//! |---|---|
//! | `medium`, `effective`, `faces`, `interfaces` | bulk modulus and density on cells and faces; interfaces inside cells; the stable step |
//! | `equation` | the equations that a shot may solve |
//! | `scalar` | the scalar wave equation for constant density |
//! | `layout` | memory layout of the arrays |
//! | `layers` | absorbing layers and their memory variables |
//! | `relaxation` | mechanisms of attenuation and their memory variables |
//! | `sheet` | the rows of a plane across z, which threads share in 3D; a single row in 2D |
//! | `march` | temporal blocking on a CPU, with several steps in flight |
//! | `taps` | sources and receivers as weighted grid points |
//! | `blocks` | weights of receivers as products of weights along the axes |
//! | `jumps`, `sampler` | the same next to jumps of density |
//! | `setup` | the discretised problem, common to all devices |
//! | `operator`, `shot` | the solver for a shot on a CPU, and that of any equation |
//! | `gradient` | its linearised loop, the adjoint of this loop, and gradients of misfits |
//! | `gpu` | the solver for concurrent shots on a GPU |
//! | `arrays`, `shots` | arrays on the GPU; sources and receivers of its shots |
//! | `samples` | asynchronous transfer of samples to the host |
//! | `cut` | distribution of a shot over thread blocks |
//! | `recording` | recorded launches of one step and of several |
//! | `rows` | propagation in blocks of rows, streamed through memory; `kernels/acoustic.cu` |
//! | `tiles` | propagation of planes that fit on the chip; `kernels/acoustic_tiles.cu` |
//!
//! Sides are absorbing; the top may be free. Pressure is odd and velocity even about a free top, and the points beyond it are images of those below.

mod arrays;
mod blocks;
mod cut;
mod effective;
mod equation;
mod faces;
mod gpu;
mod gradient;
mod interfaces;
mod jumps;
mod layers;
mod layout;
mod march;
mod medium;
mod operator;
mod recording;
mod relaxation;
mod rows;
mod sampler;
mod samples;
mod scalar;
mod setup;
mod sheet;
mod shot;
mod shots;
mod slopes;
mod taps;
mod tiles;

pub use craton_fd_kernels::AcousticPrecision;
pub use effective::{EffectiveFluid, Slab};
pub use equation::WaveEquation;
pub use gpu::{AcousticGpu, ShotWay};
pub use gradient::{
    AcousticAdjoint, Born, FluidGradient, GradientGpu, GradientOperator, GridGradient, Increments, Perturbation,
    ShotGradient, SlabGradient, StoragePlan, gradient_of_shot, slabs_transposed,
};
pub use jumps::InterpolationNeed;
pub use medium::{AcousticMaterial, AcousticMedium};
pub use operator::{AcousticOperator, Checkpoint};
pub use relaxation::{FluidMechanism, FluidMechanisms};
pub use scalar::{CentralStencil, ScalarOperator};
pub use setup::AcousticOptions;
pub use shot::AcousticShot;
pub use taps::{AcousticField, Drive, Listener, Placed};
