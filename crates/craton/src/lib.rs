//! Geophysical forward modelling: one scenario, several methods, every device.
