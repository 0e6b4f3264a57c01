//! Memory of grids, for the estimates of scenarios and surveys.

/// Arrays of the whole grid: nine fields and three material parameters.
pub const ARRAYS: f64 = 12.0;
/// Arrays of the whole grid for attenuation: two losses, and a set of memory variables.
pub const LOSSES: f64 = 2.0;
pub const SET: f64 = 6.0;
/// Additional host numbers per cell during set-up: another copy of the material, and the stencil class. Each rank
/// stores one byte per cell of the whole grid.
pub const SETTING_UP: f64 = 5.0;
/// Additional numbers per cell on a GPU: the stencil class.
pub const ON_DEVICE: f64 = 1.0;
/// Memory variables of an absorbing layer per cell.
pub const OF_LAYERS: f64 = 6.0;

/// Memory of a cell with several solids on the host and on a GPU [bytes]: averages, factors and stencil classes.
pub const MIXED: f64 = 350.0;
pub const MIXED_ON_DEVICE: f64 = 80.0;
