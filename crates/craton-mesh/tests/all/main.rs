//! Tests of the public interface, one module per subject: `cargo test --release -p craton-mesh --test all SUBJECT::`.

mod common;
mod conformity;
mod globe;
mod locate;
mod numbering;
mod order;
mod partition;
mod plan;
mod pml;
mod sphere;
mod volume;
