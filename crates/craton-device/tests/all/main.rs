//! Tests of the public interface, one module per subject: `cargo test --release -p craton-device --test all SUBJECT::`.

mod gpu;
mod gpu_fault;
