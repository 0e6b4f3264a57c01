//! What it costs to compute in parts.
fn main() {}
