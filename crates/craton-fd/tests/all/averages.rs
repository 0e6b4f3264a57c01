//! Acoustic media that vary inside cells: parts, stability and memory.

use craton_fd::Grid;
use craton_fd::acoustic::{AcousticMaterial, AcousticMedium, EffectiveFluid, Slab};
use craton_numerics::staggered::StaggeredStencil;

/// A cell of two slabs along each axis, of a material that varies from cell to cell.
fn varied([i, j, k]: [usize; 3]) -> EffectiveFluid {
    let vary = ((i * 7 + j * 13 + k * 29) % 101) as f64 / 101.0;
    let slab = |part: f64, more: f64| {
        let rho = 1000.0 + 900.0 * more;
        Slab { part, rho, kappa: rho * (1500.0 + 1000.0 * more).powi(2) }
    };
    let slabs = [slab(vary, vary), slab(1.0 - vary, 1.0 - vary)];
    EffectiveFluid::new(slabs[usize::from(vary < 0.5)].rho, [&slabs, &slabs, &slabs])
}

#[test]
fn a_part_of_averaged_cells_is_stable_at_the_step_of_all_parts() {
    let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells: [60, 1, 50] };
    let medium = AcousticMedium::<f64>::averaged(grid, varied).unwrap();
    for half_length in [1, 4, 8] {
        let stencil = StaggeredStencil::taylor(half_length).unwrap();
        let (dt, whole) = (medium.stable_step_of_parts(&stencil), medium.stable_step(&stencil));
        assert!(dt <= whole && dt > 0.5 * whole, "{dt} of {whole}");
        for first in [0, 7, 21, 40] {
            let part = medium.part([first..first + 20, 0..1, 3..40], [[8, 8], [0, 0], [8, 0]]);
            assert!(dt <= part.stable_step(&stencil), "from cell {first} on");
            for axis in [0, 2] {
                let face = [8 + 5, 0, 8 + 9];
                let same = [first + 5, 0, 3 + 9];
                assert_eq!(part.buoyancy(face, axis), medium.buoyancy(same, axis));
                assert_eq!(part.interface(face, axis), medium.interface(same, axis));
            }
        }
    }
}

#[test]
fn uniform_cells_need_no_faces() {
    let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells: [12, 5, 9] };
    let fluid = |[.., k]: [usize; 3]| if k < 4 { [2500.0, 2200.0] } else { [1500.0, 1000.0] };
    let plain = AcousticMedium::<f32>::new(grid, |cell| {
        let [vp, rho] = fluid(cell);
        AcousticMaterial { vp, rho }
    });
    let averaged = AcousticMedium::<f32>::averaged(grid, |cell| {
        let [vp, rho] = fluid(cell);
        let slab = [Slab { part: 1.0, rho, kappa: rho * vp * vp }];
        EffectiveFluid::new(rho, [&slab, &slab, &slab])
    });
    let [plain, averaged] = [plain.unwrap(), averaged.unwrap()];
    assert_eq!(plain.bytes(), averaged.bytes());
    assert_eq!(plain.buoyancy([3, 2, 4], 2), averaged.buoyancy([3, 2, 4], 2));
}
