//! Elastic waves by spectral elements.
