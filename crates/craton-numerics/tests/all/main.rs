//! Tests of the public interface, one module per subject: `cargo test --release -p craton-numerics --test all SUBJECT::`.

mod dispersion;
mod processing;
