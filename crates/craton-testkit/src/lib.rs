//! Analytic solutions, oracles and helpers for tests.
//!
//! Everything here is f64, slow and plain: it is what faster code is compared with, so it shares as little with that code as it can.
//!
//! | module | what it holds |
//! |---|---|
//! | [`full_space`] | waves of point sources in an unbounded solid, in closed form |
//! | [`oracle`] | spectral elements by loops as written on paper, and the leapfrog |
//! | [`meshes`] | small meshes: plain, deformed, doubled, periodic |
//! | [`devices`] | the devices that tests compute on |
//! | [`references`] | the tables of `validation/references` |
//! | [`ranks`], [`partitions`] | what all ranks promise, however they reach one another, and all partitions, whoever makes them |
//! | [`scaling`] | what the benchmarks of many parts ask, measure and tell |
//! | [`random`] | numbers that look random and are the same every time |

#![forbid(unsafe_code)]

pub mod devices;
pub mod full_space;
pub mod meshes;
pub mod oracle;
pub mod partitions;
pub mod random;
pub mod ranks;
pub mod references;
pub mod scaling;
