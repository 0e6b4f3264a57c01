//! Tests of the public interface, one module per subject: `cargo test --release -p craton-physics --test all SUBJECT::`.

mod attenuation;
mod backward;
mod cuda_header;
mod laws;
mod love;
mod orthorhombic;
mod staggered;
mod stiffness;
