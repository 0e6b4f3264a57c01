//! Tests of the public interface, one module per subject: `cargo test --release -p craton-testkit --test all SUBJECT::`.

mod half_spaces;
mod oracle;
mod references;
