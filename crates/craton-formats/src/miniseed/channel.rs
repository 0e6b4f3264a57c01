//! Channel codes of synthetic seismograms.

/// Channel code of a synthetic seismogram: band code, `X` for "derived or generated", and the component.
///
/// # Arguments
/// * `interval` – sampling interval [s], above 0
/// * `component` – `Z`, `N`, `E`, `R`, `T` ..., the last character of the code
/// # Returns
/// Three characters: `BXZ` at 20 Hz, `MXE` at 5 Hz, `LXZ` at 1 Hz.
/// # Source
/// SEED Reference Manual 2.4, appendix A, "Band Code" and (since its addendum of April 2010) "Derived or Generated Channel": X also for
/// computed data. Verified by `codes::the_channel_follows_the_interval`.
pub fn synthetic_channel(interval: f64, component: char) -> String {
    [band_code(interval), 'X', component].iter().collect()
}

/// Band code for a sampling interval [s], for a channel without a corner period, or with one of at least 10 s.
///
/// | code | samples per second |
/// |---|---|
/// | J | 5000 and more |
/// | F | 1000 to 5000 |
/// | C | 250 to 1000 |
/// | H | 80 to 250 |
/// | B | 10 to 80 |
/// | M | more than 1, to 10 |
/// | L, V, U | about 1, 0.1 and 0.01, separated at the geometric means |
/// | R, P, T | 0.0001 to 0.001, 0.00001 to 0.0001, 0.000001 to 0.00001 |
/// | Q | fewer |
///
/// The lower limit of a range belongs to it. U extends down to R.
///
/// # Source
/// SEED Reference Manual 2.4, appendix A; J from FDSN Source Identifiers 1.0, "Band code". Verified by
/// `codes::the_channel_follows_the_interval`.
pub fn band_code(interval: f64) -> char {
    /// Tolerance, so that an interval of 1/80 s counts as 80 Hz in spite of round-off.
    const ROUNDING: f64 = 1e-9;
    let rate = 1.0 / interval;
    let from = |least: f64| rate >= least * (1.0 - ROUNDING);
    match () {
        () if from(5000.0) => 'J',
        () if from(1000.0) => 'F',
        () if from(250.0) => 'C',
        () if from(80.0) => 'H',
        () if from(10.0) => 'B',
        () if rate > 1.0 + ROUNDING => 'M',
        () if from(0.1_f64.sqrt()) => 'L',
        () if from(0.001_f64.sqrt()) => 'V',
        () if from(1e-3) => 'U',
        () if from(1e-4) => 'R',
        () if from(1e-5) => 'P',
        () if from(1e-6) => 'T',
        () => 'Q',
    }
}
