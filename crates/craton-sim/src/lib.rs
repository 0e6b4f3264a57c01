//! The time loop and its schedule, independent of the numerical method.
//!
//! A method implements [`Operator`] and, for simulations, [`Solver`]; a task implements [`Recorder`]. [`run`] advances the operator from event to event of the
//! [`Schedule`].
//!
//! A method that is divided into parts, on several devices or ranks, implements [`Together`], which provides both traits with the communication between ranks.
//! [`Crew`] describes the parts and exchanges their messages; [`Carrier`] exchanges messages between devices.

#![forbid(unsafe_code)]

mod crew;
mod far;
mod operator;
mod orders;
mod posts;
mod push;
mod rows;
mod samples;
mod schedule;
mod solver;
mod time_loop;
mod together;

pub use crew::{Crew, Link, Messaging};
pub use operator::{Instability, Operator, Recorder};
pub use orders::{Order, Orders};
pub use posts::{Carrier, Post};
pub use push::Push;
pub use rows::Rows;
pub use samples::{DeviceRing, SampleRing, ring_rows};
pub use schedule::{Action, Schedule};
pub use solver::{Failure, Solver, StateArray};
pub use time_loop::{Outcome, run};
pub use together::{Common, Together};
