//! Tests of the public interface, one module per subject: `cargo test --release -p craton-formats --test all SUBJECT::`.

mod common;
mod grids_and_tables;
mod hex_mesh;
mod miniseed;
mod netcdf;
mod npy;
mod segy;
mod sources;
mod specfem;
mod sps;
mod su;
mod tables;
mod traces;
mod ubc;
mod volumes;
mod vtk;
mod xml;
