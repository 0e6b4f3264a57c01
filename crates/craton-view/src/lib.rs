//! Pictures: record sections, traces, spectra, models, wavefields.
