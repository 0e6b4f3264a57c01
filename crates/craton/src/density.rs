//! Density derived from wave speeds.

/// Largest speed [m/s] of water without a given density, and the density of water [kg/m³].
const WATER: (f64, f64) = (1550.0, 1025.0);

/// Density from the P-wave speed [m/s], in kg/m³.
///
/// # Source
/// Gardner, Gardner and Gregory (1974), Geophysics 39, 770-780: 0.31 vp^0.25 g/cm³ in m/s, for rock.
pub fn density_of(vp: f64) -> f64 {
    if vp <= WATER.0 { WATER.1 } else { of_rock(vp) }
}

/// Derivative of [`density_of`] with respect to the speed.
pub fn density_slope(vp: f64) -> f64 {
    if vp <= WATER.0 { 0.0 } else { 0.25 * of_rock(vp) / vp }
}

/// Density from the P-wave and S-wave speeds [m/s], which distinguish water from rock.
pub fn density_of_elastic(vp: f64, vs: f64) -> f64 {
    if vs == 0.0 { WATER.1 } else { of_rock(vp) }
}

fn of_rock(vp: f64) -> f64 {
    310.0 * vp.powf(0.25)
}
