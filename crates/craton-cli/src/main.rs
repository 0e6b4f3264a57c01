//! The craton command.
fn main() {}
