//! Tests of the public interface, one module per subject: `cargo test --release -p craton-fd --test all SUBJECT::`.

mod absorption;
mod acoustic;
mod acoustic_relaxation;
mod acoustic_tiles;
mod averages;
mod common;
mod contacts;
mod convergence;
mod energy;
mod frames;
mod full_space;
mod gpu;
mod gradients;
mod gradients_gpu;
mod group_velocity;
mod interface_waves;
mod interfaces;
mod mixtures;
mod moments;
mod parts;
mod places;
mod promises;
mod relaxation;
mod scalar;
mod sea_bottom;
mod slopes;
