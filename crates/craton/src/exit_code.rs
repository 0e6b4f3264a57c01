//! Exit codes of the program.

/// All was done.
pub const DONE: u8 = 0;
/// A run failed, or a misfit is above its limit.
pub const FAILED: u8 = 1;
/// Bad usage or input.
pub const BAD_INPUT: u8 = 2;
/// Somebody stopped it; it can go on.
pub const INTERRUPTED: u8 = 130;
