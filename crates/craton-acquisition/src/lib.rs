//! Sources, time functions and receivers: their positions and parameters, independent of any discretisation.
//!
//! SI units; x east, y north, z up.
//!
//! | type | what it is |
//! |---|---|
//! | [`Source`] | a point, a [`Mechanism`], a [`TimeFunction`] and a delay |
//! | [`MomentTensor`] | from components, a fault, a magnitude or a CMT catalogue |
//! | [`TimeFunction`] | s(t), its integral, derivative, onset and spectrum |
//! | [`time_function::minimum_phase`] | the minimum-phase wavelet of an amplitude spectrum |
//! | [`Receiver`], [`Receivers`] | points with codes; lists, lines and grids |
//! | [`Fibre`] | strain along an optical fibre |
//! | [`Quantity`] | what a receiver records, and the names of its components |
//! | [`positions`] | positions on lines and grids |
//! | [`survey`] | shots with their sources and receivers: lines, spreads, tables |
//! | [`specfem`] | conversion of CMTSOLUTION, FORCESOLUTION and STATIONS |

#![forbid(unsafe_code)]

mod error;
mod fibre;
mod moment;
pub mod positions;
mod receiver;
mod receivers;
mod source;
pub mod specfem;
pub mod survey;
pub mod time_function;

pub use error::AcquisitionError;
pub use fibre::{Fibre, FibreChannel, FibreTerm};
pub use moment::{MomentTensor, SphericalMoment, magnitude_of_moment, moment_of_magnitude};
pub use receiver::{AxisNames, Quantity, Receiver};
pub use receivers::Receivers;
pub use source::{Describes, Mechanism, Source};
pub use time_function::TimeFunction;
