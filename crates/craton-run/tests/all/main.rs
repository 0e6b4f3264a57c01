//! Tests of the public interface, one module per subject: `cargo test --release -p craton-run --test all SUBJECT::`.

mod checkpoint;
mod journal;
mod killed;
mod output;
mod record;
