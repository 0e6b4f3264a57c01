//! IASP91: Kennett & Engdahl (1991), table 2, with the density of PEM: Dziewonski, Hales & Lapwood (1975).

use super::Shell;

/// Density of PEM above its discontinuity at 420 km, used above 410 km.
const ABOVE_410_RHO: [f64; 2] = [7.15855, -3.85999];

/// Density of PEM above its discontinuity at 670 km, used above 660 km.
const ABOVE_660_RHO: [f64; 2] = [11.11978, -7.87054];

/// Density of PEM in the lower mantle.
const LOWER_MANTLE_RHO: [f64; 3] = [6.81430, -1.66273, -1.18531];

/// Density of PEM in the outer core.
const OUTER_CORE_RHO: [f64; 4] = [12.58416, -1.69929, -1.94128, -7.11215];

/// Density of PEM in the inner core.
const INNER_CORE_RHO: [f64; 3] = [13.01219, 0.0, -8.45292];

pub(super) fn shells() -> Vec<Shell> {
    let above_410 = |depth, vp, vs| Shell::isotropic::<2, 2, 2>(depth, vp, vs, ABOVE_410_RHO);
    vec![
        Shell::isotropic([0.0, 20.0], [5.80], [3.36], [2.72]),
        Shell::isotropic([20.0, 35.0], [6.50], [3.75], [2.92]),
        above_410([35.0, 120.0], [8.78541, -0.74953], [6.706231, -2.248585]),
        above_410([120.0, 210.0], [25.41389, -17.69722], [5.75020, -1.27420]),
        above_410([210.0, 410.0], [30.78765, -23.25415], [15.24213, -11.08552]),
        Shell::isotropic([410.0, 660.0], [29.38896, -21.40656], [17.70732, -13.50652], ABOVE_660_RHO),
        Shell::isotropic([660.0, 760.0], [25.96984, -16.93412], [20.76890, -16.53147], LOWER_MANTLE_RHO),
        Shell::isotropic(
            [760.0, 2740.0],
            [25.1486, -41.1538, 51.9932, -26.6083],
            [12.9303, -21.2590, 27.8988, -14.1080],
            LOWER_MANTLE_RHO,
        ),
        Shell::isotropic([2740.0, 2889.0], [14.49470, -1.47089], [8.16616, -1.58206], LOWER_MANTLE_RHO),
        Shell::isotropic([2889.0, 5153.9], [10.03904, 3.75665, -13.67046], [0.0], OUTER_CORE_RHO),
        Shell::isotropic([5153.9, 6371.0], [11.24094, 0.0, -4.09689], [3.56454, 0.0, -3.45241], INNER_CORE_RHO),
    ]
}
