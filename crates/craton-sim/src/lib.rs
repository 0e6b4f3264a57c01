//! The time loop and its schedule, independent of the numerical method.
//!
//! A method implements [`Operator`] and, for simulations, [`Solver`]; a task implements [`Recorder`]. [`run`] advances the operator from event to event of the
//! [`Schedule`].
//!
//! A method that is divided into parts, on several devices or ranks, implements [`DistributedSolver`], which provides both traits with the communication between ranks.
//! [`PartExchange`] describes the parts and exchanges their messages; [`Carrier`] exchanges messages between devices.

#![forbid(unsafe_code)]

mod carrier;
mod collective;
mod distributed_solver;
mod history;
mod part_exchange;
mod remote_exchange;
mod requests;
mod rows;
mod samples;
mod schedule;
mod solver;
mod source_mechanism;
mod state_file;
mod time_loop;

pub use carrier::{Carrier, Endpoint};
pub use collective::{broadcast_block, gather_values, gather_values_on};
pub use distributed_solver::{Common, DistributedSolver};
pub use history::History;
pub use part_exchange::{Link, Messaging, PartExchange};
pub use requests::{Request, Requests};
pub use rows::Rows;
pub use samples::{DeviceRing, SampleRing, ring_rows};
pub use schedule::{Action, Schedule};
pub use solver::{Failure, Instability, Solver, StateArray};
pub use source_mechanism::SourceMechanism;
pub use state_file::{FileBlock, Holders, StateFile};
pub use time_loop::{Operator, Outcome, Recorder, run};
