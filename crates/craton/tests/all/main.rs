//! Tests of the public interface, one module per subject: `cargo test --release -p craton --test all SUBJECT::`.

mod absorbing;
mod bad_scenarios;
mod compare;
mod examples;
mod extreme_numbers;
mod faults;
mod fibres;
mod finite_differences;
mod gathers;
mod globe;
mod gravity;
mod grid_snapshots;
mod imports;
mod long_reports;
mod meshes;
mod process;
mod reference;
mod results_folder;
mod setup;
mod snapshots;
mod survey;
