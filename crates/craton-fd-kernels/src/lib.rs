//! The sweeps of `craton-fd` on the CPU: the loops that take almost all of its time, and what they read.
//!
//! They are compiled here, for every instruction set, precision and half-length of the stencil, and nowhere else: [`Precision`] and [`AcousticPrecision`] are
//! implemented for `f32` and `f64` by functions without type parameters. So no change of another crate compiles them again. What builds their inputs,
//! and the order of the sweeps, is in `craton-fd`.
//!
//! | module | what it has |
//! |---|---|
//! | `sweep` | both halves of a step of elastic waves |
//! | `acoustic` | a row of an acoustic shot |
//! | `layout`, `field` | where values stand in memory, and where fields stand in a cell |
//! | `classes` | stencils folded at contacts |
//! | `layers` | factors and memory of absorbing layers |
//! | `taper` | factors of sponges |

#![forbid(unsafe_code)]

mod acoustic;
mod classes;
mod field;
mod layers;
mod layout;
mod sweep;
mod taper;

use std::ops::Range;

pub use acoustic::{AcousticPrecision, Memory, Slope, Stretching};
pub use classes::{Classes, Pattern};
pub use field::{Field, voigt};
pub use layers::{Profile, Slab};
pub use layout::{GROUP, Layout, row_length};
pub use sweep::{MaterialArrays, Precision, SlabTile, Stresses, Sweep, SweepInputs, Tile, Update, Velocities};
pub use taper::Taper;

/// A box of points: a range along each axis.
pub type Points = [Range<usize>; 3];
