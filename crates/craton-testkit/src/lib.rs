//! Analytic solutions, oracles and helpers for tests.
//!
//! Everything here is f64, slow and simple: it is the reference for faster code, so it shares as little as possible with that code.
//!
//! | module | contents |
//! |---|---|
//! | [`full_space`] | waves of point sources in an unbounded solid, in closed form |
//! | [`buried_line`] | a line source of P waves below the free surface of an elastic half-space |
//! | [`half_spaces`] | waves of point and line sources in two fluid half-spaces, as integrals over wavenumbers |
//! | [`oracle`] | a naive spectral-element reference implementation with a leapfrog |
//! | [`meshes`] | small meshes: regular, deformed, with doubling layers, periodic |
//! | [`devices`] | the devices that tests compute on |
//! | [`references`] | the tables of `validation/references` |
//! | [`ranks`], [`partitions`] | conformance tests for every rank transport and every partitioner |
//! | [`scaling`] | command line, measurement and report of the scaling benchmarks |
//! | [`random`] | reproducible pseudorandom numbers |

#![forbid(unsafe_code)]

pub mod buried_line;
pub mod devices;
pub mod full_space;
pub mod half_spaces;
pub mod meshes;
pub mod oracle;
pub mod partitions;
pub mod random;
pub mod ranks;
pub mod references;
pub mod scaling;
