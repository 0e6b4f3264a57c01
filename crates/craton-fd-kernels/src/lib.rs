//! The sweeps of `craton-fd` on the CPU: the loops that take almost all of its time, and their inputs.
//!
//! They are compiled only in this crate, for every instruction set, precision and half-length of the stencil: [`Precision`] and [`AcousticPrecision`] are
//! implemented for `f32` and `f64` by functions without type parameters. Changes of other crates therefore do not compile them again. `craton-fd` builds
//! their inputs and orders the sweeps.
//!
//! | module | contents |
//! |---|---|
//! | `sweep` | both halves of a step of elastic waves |
//! | `acoustic` | the update of a row of an acoustic shot |
//! | `pressure` | the relaxation of the pressure of such a row |
//! | `scalar` | the update of a row of the scalar wave equation |
//! | `layout`, `field` | memory layout, and positions of the fields in a cell |
//! | `classes` | stencils folded at interfaces |
//! | `relaxation` | losses of the cells, factors of memory variables |
//! | `layers` | factors and memory variables of absorbing layers |
//! | `taper` | factors of sponges |

#![forbid(unsafe_code)]

mod acoustic;
mod classes;
mod field;
mod layers;
mod layout;
mod pressure;
mod relaxation;
mod scalar;
mod sweep;
mod taper;

use std::ops::Range;

pub use acoustic::{AcousticPrecision, Memory, Slope, Stretching};
pub use classes::{Classes, Pattern};
pub use field::{Field, voigt};
pub use layers::{Profile, Slab};
pub use layout::{GROUP, Layout, row_length};
pub use pressure::{PRESSURE_FACTORS, RelaxingRow, RowFactors};
pub use relaxation::{COMPONENTS, FACTORS, MemorySet, Relaxation};
pub use scalar::{ScalarFactors, ScalarLayer, ScalarRow, ScalarWeights, layer_half_length};
pub use sweep::{MaterialArrays, Precision, SlabTile, Stresses, Sweep, SweepInputs, Tile, Update, Velocities};
pub use taper::Taper;

/// A box of points: a range along each axis.
pub type Points = [Range<usize>; 3];
