//! The time loop and its schedule; knows no method.
//!
//! A method offers an [`Operator`], and a run asks more of it, by the trait [`Solver`]; a task offers a [`Recorder`]; [`run`] takes the operator from event to event of the [`Schedule`].
//!
//! A method in parts, on several devices or ranks, offers [`Together`], and is both by that: who asks whom is the same for all methods. Its parts
//! are a [`Crew`], which exchanges their messages; a [`Carrier`] does so among devices.

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
