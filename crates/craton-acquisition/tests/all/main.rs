//! Tests of the public interface, one module per subject: `cargo test --release -p craton-acquisition --test all SUBJECT::`.

mod fibres;
mod receivers;
mod specfem;
mod survey;
mod survey_tables;
mod time_functions;
mod wavelets;
