//! Analytic solutions, oracles and helpers for tests.
