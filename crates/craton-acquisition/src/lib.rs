//! Sources, time functions and receivers: positions and meanings, no discretisation.
