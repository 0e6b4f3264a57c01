//! Tests of the public interface, one module per subject: `cargo test --release -p craton-gravity --test all SUBJECT::`.

mod bodies;
mod cases;
mod common;
mod convolution;
mod convolution_magnetic;
mod geodetic;
mod gpu;
mod igrf;
mod laws;
mod limit;
mod magnetics;
mod normal;
mod reference;
mod relief;
mod relief_linear;
mod singular;
mod spectral;
mod tesseroids;
mod tree;
