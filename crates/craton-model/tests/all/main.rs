//! Tests of the public interface, one module per subject: `cargo test --release -p craton-model --test all SUBJECT::`.

mod earth_model;
mod perturbation;
mod perturbation_cut;
mod profiles;
mod reference;
mod travel_times;
mod travel_times_taup;
