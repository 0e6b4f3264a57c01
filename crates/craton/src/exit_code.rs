//! Exit codes of the program.

/// Success.
pub const DONE: u8 = 0;
/// A run failed, or a misfit is above its limit.
pub const FAILED: u8 = 1;
/// Invalid usage or input.
pub const BAD_INPUT: u8 = 2;
/// Interrupted by the user; can be continued.
pub const INTERRUPTED: u8 = 130;
