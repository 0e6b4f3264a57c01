//! The time loop and its schedule; knows no method.
