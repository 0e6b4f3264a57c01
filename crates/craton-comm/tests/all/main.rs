//! Tests of the public interface, one module per subject: `cargo test --release -p craton-comm --test all SUBJECT::`.

mod threads;
