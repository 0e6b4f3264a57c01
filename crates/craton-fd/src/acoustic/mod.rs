//! Acoustic waves of single shots, in a plane or in space: pressure and particle velocity on a staggered grid, second order in time, order 2 to 16 in
//! space.
//!
//! ```text
//! ∂v/∂t = -(1/ρ) ∇p            ∂p/∂t = -κ (∇·v - q)
//! ```
//!
//! Pressure and material stand at the centres of the cells, velocities on their faces, as those of elastic waves do. A grid of one cell along y is a
//! plane: nothing varies along y, and a source is a line. A survey has thousands of shots, each of which fits one device, so that a shot is not cut into
//! parts; what it is made of is this:
//!
//! | file | what it does |
//! |---|---|
//! | `medium` | bulk modulus and density on the cells; the stable step |
//! | `layout` | where points stand in the arrays |
//! | `layers` | absorbing layers and their memory |
//! | `row` | the kernel: a row of points by one step |
//! | `sheet` | the rows of a plane across z, shared among threads in space; in a plane there is one |
//! | `march` | the way of a CPU through planes and steps, several steps in flight |
//! | `taps` | sources and receivers as weights of points |
//! | `setup` | what all devices begin with |
//! | `operator` | a shot in motion on a CPU |
//! | `gpu` | shots side by side in motion on a GPU |
//! | `arrays`, `shots` | what stands there, and what makes shots differ |
//! | `heard` | samples on their way to the host |
//! | `cut` | what each block of threads moves of a shot there |
//! | `rows` | the way through memory, in blocks of rows; `kernels/acoustic.cu` |
//! | `tiles` | the way of planes that fit on the chip; `kernels/acoustic_tiles.cu` |
//!
//! Sides absorb; the top may be free: pressure is odd and velocity even about it, and the points beyond it are images of those below.

mod arrays;
mod cut;
mod gpu;
mod heard;
mod layers;
mod layout;
mod march;
mod medium;
mod operator;
mod rows;
mod setup;
mod sheet;
mod shots;
mod taps;
mod tiles;

pub use craton_fd_kernels::AcousticPrecision;
pub use gpu::{AcousticGpu, ShotWay};
pub use medium::{AcousticMaterial, AcousticMedium};
pub use operator::AcousticOperator;
pub use setup::AcousticOptions;
pub use taps::{AcousticField, Drive, Listener, Placed};
