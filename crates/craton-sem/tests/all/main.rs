//! Tests of the public interface, one module per subject: `cargo test --release -p craton-sem --test all SUBJECT::`.

mod analytic;
mod attenuation;
mod common;
mod convergence;
mod fields;
mod fluids;
mod gpu;
mod gpu_memory;
mod invariants;
mod kernel;
mod level_windows;
mod levels;
mod parts;
mod plane_waves;
mod pml;
mod promises;
mod rheologies;
mod sea_bottom;
mod stability;
mod windows;
