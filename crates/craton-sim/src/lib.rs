//! The time loop and its schedule; knows no method.
//!
//! A method offers an [`Operator`], and a run asks more of it, by the trait [`Solver`]; a task offers a [`Recorder`]; [`run`] takes the operator from event to event of the [`Schedule`].

#![forbid(unsafe_code)]

mod operator;
mod push;
mod samples;
mod schedule;
mod solver;
mod time_loop;

pub use operator::{Instability, Operator, Recorder};
pub use push::Push;
pub use samples::{DeviceRing, SampleRing, ring_rows};
pub use schedule::{Action, Schedule};
pub use solver::{Failure, Solver, StateArray};
pub use time_loop::{Outcome, run};
