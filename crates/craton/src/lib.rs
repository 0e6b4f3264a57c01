//! Geophysical forward modelling: one scenario, several methods, every device.
#![forbid(unsafe_code)]

pub mod config;

pub use config::Config;
