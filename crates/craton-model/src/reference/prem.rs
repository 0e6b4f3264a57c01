//! PREM: Dziewonski & Anderson (1981), table I.

use super::{Law, Shell, in_si};
use crate::{Polynomial, Transverse};

/// Depth of the Moho \[km\].
pub(super) const MOHO: f64 = 24.4;

/// PREM with equivalent isotropic speeds from the Moho to 220 km.
pub(super) fn isotropic() -> Vec<Shell> {
    let upper = |depth| Shell::isotropic(depth, [4.1875, 3.9382], [2.1519, 2.3481], UPPER_MANTLE_RHO);
    assembled([upper([MOHO, 80.0]), upper([80.0, 220.0])])
}

/// PREM, transversely isotropic from the Moho to 220 km.
pub(super) fn anisotropic() -> Vec<Shell> {
    let law = Transverse {
        vpv: in_si([0.8317, 7.2180]),
        vph: in_si([3.5908, 4.6172]),
        vsv: in_si([5.8582, -1.4678]),
        vsh: in_si([-1.0839, 5.7176]),
        eta: Polynomial([3.3687, -2.4778, 0.0, 0.0]),
        rho: in_si(UPPER_MANTLE_RHO),
    };
    let upper = |depth| Shell { depth, law: Law::Radial(law) };
    assembled([upper([MOHO, 80.0]), upper([80.0, 220.0])])
}

/// Density from the Moho to 220 km.
const UPPER_MANTLE_RHO: [f64; 2] = [2.6910, 0.6924];

/// Density from 670 km to the core.
const LOWER_MANTLE_RHO: [f64; 4] = [7.9565, -6.4761, 5.5283, -3.0807];

/// Assembles the shells of PREM, with the two between the Moho and 220 km given.
fn assembled([lid, low_velocity_zone]: [Shell; 2]) -> Vec<Shell> {
    let lower = |depth, vp, vs| Shell::isotropic::<4, 4, 4>(depth, vp, vs, LOWER_MANTLE_RHO);
    vec![
        // The upper crust replaces the ocean.
        Shell::isotropic([0.0, 15.0], [5.8], [3.2], [2.6]),
        Shell::isotropic([15.0, MOHO], [6.8], [3.9], [2.9]),
        lid,
        low_velocity_zone,
        Shell::isotropic([220.0, 400.0], [20.3926, -12.2569], [8.9496, -4.4597], [7.1089, -3.8045]),
        Shell::isotropic([400.0, 600.0], [39.7027, -32.6166], [22.3512, -18.5856], [11.2494, -8.0298]),
        Shell::isotropic([600.0, 670.0], [19.0957, -9.8672], [9.9839, -4.9324], [5.3197, -1.4836]),
        lower([670.0, 771.0], [29.2766, -23.6027, 5.5242, -2.5514], [22.3459, -17.2473, -2.0834, 0.9783]),
        lower([771.0, 2741.0], [24.9520, -40.4673, 51.4832, -26.6419], [11.1671, -13.7818, 17.4575, -9.2777]),
        lower([2741.0, 2891.0], [15.3891, -5.3181, 5.5242, -2.5514], [6.9254, 1.4672, -2.0834, 0.9783]),
        Shell::isotropic(
            [2891.0, 5149.5],
            [11.0487, -4.0362, 4.8023, -13.5732],
            [0.0],
            [12.5815, -1.2638, -3.6426, -5.5281],
        ),
        Shell::isotropic([5149.5, 6371.0], [11.2622, 0.0, -6.3640], [3.6678, 0.0, -4.4475], [13.0885, 0.0, -8.8381]),
    ]
}
