//! Tests of the public interface, one module per subject: `cargo test --release -p craton-metis --test all SUBJECT::`.

mod partition;
