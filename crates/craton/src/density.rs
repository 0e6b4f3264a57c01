//! Density where nothing but a speed is known.

/// Speed up to which what has no density is water [m/s], and its density [kg/m³].
const WATER: (f64, f64) = (1550.0, 1025.0);

/// Density from the speed of P waves [m/s], in kg/m³.
///
/// # Source
/// Gardner, Gardner and Gregory (1974), Geophysics 39, 770-780: 0.31 vp^0.25 g/cm³ in m/s, for rock.
pub fn density_of(vp: f64) -> f64 {
    if vp <= WATER.0 { WATER.1 } else { of_rock(vp) }
}

/// The same where the speed of S waves [m/s] tells water from rock.
pub fn density_of_elastic(vp: f64, vs: f64) -> f64 {
    if vs == 0.0 { WATER.1 } else { of_rock(vp) }
}

fn of_rock(vp: f64) -> f64 {
    310.0 * vp.powf(0.25)
}
