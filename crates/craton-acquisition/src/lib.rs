//! Sources, time functions and receivers: positions and meanings, no discretisation.
//!
//! SI units; x east, y north, z up.
//!
//! | type | what it is |
//! |---|---|
//! | [`Source`] | a point, a [`Mechanism`], a [`TimeFunction`] and a delay |
//! | [`MomentTensor`] | from components, a fault, a magnitude or a CMT catalogue |
//! | [`TimeFunction`] | s(t), its integral, derivative, beginning and spectrum |
//! | [`time_function::minimum_phase`] | the wavelet of a spectrum whose energy comes first |
//! | [`Receiver`], [`Receivers`] | points with codes; lists, lines and grids |
//! | [`Quantity`] | what a receiver records, and the names of its components |
//! | [`positions`] | lines and grids |
//! | [`survey`] | shots with their sources and receivers: lines, spreads, tables |
//! | [`specfem`] | CMTSOLUTION, FORCESOLUTION and STATIONS in these terms |

#![forbid(unsafe_code)]

mod error;
mod moment;
pub mod positions;
mod receiver;
mod receivers;
mod source;
pub mod specfem;
pub mod survey;
pub mod time_function;

pub use error::AcquisitionError;
pub use moment::{MomentTensor, SphericalMoment, magnitude_of_moment, moment_of_magnitude};
pub use receiver::{AxisNames, Quantity, Receiver};
pub use receivers::Receivers;
pub use source::{Describes, Mechanism, Source};
pub use time_function::TimeFunction;
