//! Tests of the public interface, one module per subject: `cargo test --release -p craton-formats --test all SUBJECT::`.

mod asdf;
mod common;
mod geotiff;
mod grids_and_tables;
mod hdf5;
mod hex_mesh;
mod litho1;
mod miniseed;
mod ndk;
mod netcdf;
mod nonlinloc;
mod npy;
mod prodml;
mod segy;
mod sofi3d;
mod sources;
mod specfem;
mod sps;
mod srf;
mod su;
mod tables;
mod traces;
mod ubc;
mod volumes;
mod vtk;
mod xml;
