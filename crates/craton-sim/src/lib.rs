//! The time loop and its schedule; knows no method.
//!
//! A method offers an [`Operator`], a task a [`Recorder`]; [`run`] takes the operator from event to event of the [`Schedule`].

#![forbid(unsafe_code)]

mod operator;
mod schedule;
mod time_loop;

pub use operator::{Instability, Operator, Recorder};
pub use schedule::{Action, Schedule};
pub use time_loop::{Outcome, run};
