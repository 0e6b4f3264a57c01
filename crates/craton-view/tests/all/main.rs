//! Tests of the public interface, one module per subject: `cargo test --release -p craton-view --test all SUBJECT::`.

mod chunks;
mod drawing;
mod fields;
mod pictures;
mod surveys;
