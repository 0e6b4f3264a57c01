//! File formats of geophysics: bytes to plain structs and back.
