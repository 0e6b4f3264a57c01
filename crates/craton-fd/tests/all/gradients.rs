//! Gradients of acoustic shots: the adjoint against the linearised loop, and this against differences of samples.

use std::sync::Arc;

use craton_fd::acoustic::{
    AcousticMedium, AcousticOperator, AcousticPrecision, EffectiveFluid, FluidGradient, Perturbation, Slab,
    StoragePlan, slabs_transposed,
};
use craton_numerics::misfit::relative_l2;
use craton_testkit::random::Random;

use crate::common::gradient_cases::*;
use crate::common::shots::*;

/// Relative difference of ⟨Born(change), residual⟩ and ⟨change, gradient(residual)⟩; velocities are scaled like pressures.
fn mismatch<T: AcousticPrecision>(with: With) -> f64 {
    let case = Case::new(with);
    mismatch_of::<T>(&case, |residual| case.gradient(residual, &case.exact(), 1))
}

#[test]
fn the_adjoint_is_the_transpose_of_the_linearised_loop() {
    // Each piece by itself, and all of them.
    for with in [
        PLANE,
        With { density: true, ..PLANE },
        With { layer: 8, ..PLANE },
        With { is_free: true, ..PLANE },
        With { half_length: 8, ..PLANE },
        With { is_plane: false, ..PLANE },
        With { is_plane: true, layer: 8, is_free: true, half_length: 4, density: true },
        With { is_plane: false, layer: 6, is_free: true, half_length: 4, density: true },
    ] {
        let [double, single] = [mismatch::<f64>(with), mismatch::<f32>(with)];
        assert!(double < 1e-12 && single < 1e-5, "{with:?}: {double:e} {single:e}");
    }
}

/// A random change of vp and ρ of the cells.
fn change_of_material(case: &Case, random: &mut Random) -> Vec<[f64; 2]> {
    case.fluid.iter().map(|_| [100.0 * random.symmetric(), 100.0 * random.symmetric()]).collect()
}

#[test]
fn born_is_the_derivative_of_the_samples() {
    let case = Case::new(ALL).smooth();
    let mut random = Random::new(13);
    let change = case.smoothly(&change_of_material(&case, &mut random));
    // Relative changes of κ = ρ vp² and b = 2 / (ρ + ρ').
    let [nx, _, nz] = case.grid.cells;
    let own = |of: usize, cell: usize| [case.fluid[cell].vp, case.fluid[cell].rho][of];
    let relative = |of: usize, cell: usize| change[cell][of] / own(of, cell);
    let face = |low: usize, high: usize| -(change[low][1] + change[high][1]) / (own(1, low) + own(1, high));
    let x = |i: usize, k: usize| face(i.saturating_sub(1) + nx * k, i + nx * k);
    let z = |i: usize, k: usize| face(i + nx * k.saturating_sub(1), i + nx * k.min(nz - 1));
    let of_rows = |rows: usize, value: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        (0..rows).flat_map(|k| (0..nx).map(move |i| (i, k))).map(|(i, k)| value(i, k)).collect()
    };
    let kappa = of_rows(nz, &|i, k| 2.0 * relative(0, i + nx * k) + relative(1, i + nx * k));
    let mut along_x = of_rows(nz, &x);
    along_x.resize(nx * (nz + 1), 0.0);
    let buoyancy = [along_x, Vec::new(), of_rows(nz + 1, &z)];
    let density = change.iter().map(|own| own[1]).collect();
    let born = case.born::<f64>(&Perturbation { kappa, buoyancy, density });
    let size = 1e-4;
    let [up, down] = [size, -size].map(|size| case.changed(&change, size).samples::<f64>());
    let expected: Vec<f64> = up.iter().zip(&down).map(|(up, down)| (up - down) / (2.0 * size)).collect();
    for channel in 0..case.channels.len() {
        let of =
            |samples: &[f64]| samples.iter().skip(channel).step_by(case.channels.len()).copied().collect::<Vec<_>>();
        let misfit = relative_l2(&[&of(&born)], &[&of(&expected)]).unwrap();
        assert!(misfit < 1e-6, "channel {channel}: {misfit:e}");
    }
}

#[test]
fn the_remainder_of_taylor_is_of_second_order_over_five_decades() {
    for (largest, with) in
        [(1.0, With { is_free: true, layer: 8, ..PLANE }), (1.0, With { density: true, ..PLANE }), (3.0, ALL)]
    {
        let case = Case::new(with);
        // Weights of interpolation next to jumps of density are those of the background: there are none within their reach.
        let case = case.smooth();
        let mut random = Random::new(17);
        let change: Vec<[f64; 2]> = case.smoothly(&change_of_material(&case, &mut random));
        let samples = case.samples::<f64>();
        let value = misfit(&samples);
        let gradient = case.gradient(residual(samples), &case.exact(), 1);
        let gradient = case.of_material(&gradient);
        let slope: f64 =
            gradient.iter().zip(&change).map(|(own, change)| own[0] * change[0] + own[1] * change[1]).sum();
        let remainder = |size: f64| {
            let changed = misfit(&case.changed(&change, size).samples::<f64>());
            (changed - value - size * slope).abs()
        };
        let sizes = [1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5];
        let remainders = sizes.map(|size| remainder(largest * size));
        for pair in remainders.windows(2) {
            let order = (pair[0] / pair[1]).log10();
            assert!((order - 2.0).abs() < 0.15, "{with:?}: {remainders:?}");
        }
    }
}

#[test]
fn derivatives_agree_with_finite_differences_at_random_cells() {
    let case = Case::new(ALL).smooth();
    let samples = case.samples::<f64>();
    let gradient = case.gradient(residual(samples), &case.exact(), 1);
    let gradient = case.of_material(&gradient);
    let mut random = Random::new(23);
    let largest = [0, 1].map(|of| gradient.iter().fold(0.0_f64, |most, own| most.max(own[of].abs())));
    for _ in 0..10 {
        let cell = (random.unit() * case.fluid.len() as f64) as usize;
        for of in 0..2 {
            let mut change = vec![[0.0; 2]; case.fluid.len()];
            change[cell][of] = 1.0;
            let [up, down] = [0.02, -0.02].map(|size| misfit(&case.changed(&change, size).samples::<f64>()));
            let (expected, found) = ((up - down) / 0.04, gradient[cell][of]);
            assert!((expected - found).abs() < 1e-6 * largest[of], "{cell} {of}: {found} instead of {expected}");
        }
    }
}

/// A fluid of two slabs in each cell along x and z: vp and ρ of each.
type Slabs = Vec<[[f64; 2]; 2]>;

fn slabs_of(own: &[[f64; 2]; 2]) -> [Slab; 2] {
    let parts = [0.4, 0.6];
    [0, 1].map(|number| {
        let [vp, rho] = own[number];
        Slab { part: parts[number], rho, kappa: rho * vp * vp }
    })
}

fn effective(own: &[[f64; 2]; 2]) -> EffectiveFluid {
    let slabs = slabs_of(own);
    EffectiveFluid::new(0.5 * (own[0][1] + own[1][1]), [&slabs; 3])
}

/// The transpose of [`effective`] for a cell.
fn effective_transposed(own: &[[f64; 2]; 2], fluid: &FluidGradient, cell: usize) -> [[f64; 2]; 2] {
    let slabs = slabs_of(own);
    let mut found = [[0.0; 2]; 2];
    for axis in [0, 2] {
        let of_kappa = if axis == 2 { fluid.kappa[cell] } else { 0.0 };
        for (number, [of_rho, of_kappa]) in
            slabs_transposed(&slabs, of_kappa, fluid.shares[cell][axis]).into_iter().enumerate()
        {
            let [vp, rho] = own[number];
            found[number][0] += 2.0 * rho * vp * of_kappa;
            found[number][1] += of_rho + vp * vp * of_kappa;
        }
    }
    found.iter_mut().for_each(|own| own[1] += 0.5 * fluid.rho[cell]);
    found
}

#[test]
fn averages_over_cells_and_parts_of_a_medium_are_differentiated() {
    let mut case = Case::new(ALL).smooth();
    // The outermost cells are repeated around a part of the medium.
    let (cells, around) = ([3..34, 0..1, 5..29], [[4, 5], [0, 0], [3, 0]]);
    let box_of_cells = case.grid;
    let mut random = Random::new(31);
    let fluid: Slabs = case
        .fluid
        .iter()
        .map(|own| {
            [0, 1].map(|_| [own.vp * (1.0 + 0.01 * random.symmetric()), own.rho * (1.0 + 0.002 * random.symmetric())])
        })
        .collect();
    let change: Slabs =
        fluid.iter().map(|_| [0, 1].map(|_| [10.0 * random.symmetric(), 0.5 * random.symmetric()])).collect();
    let whole = |size: f64| {
        let changed = |cell: [usize; 3]| {
            let number = box_of_cells.number(cell);
            let (own, change) = (fluid[number], change[number]);
            effective(&[0, 1].map(|slab| [0, 1].map(|of| own[slab][of] + size * change[slab][of])))
        };
        AcousticMedium::<f64>::averaged(box_of_cells, changed).unwrap()
    };
    case.options = options(4, boundaries(6, true));
    let run = |size: f64| {
        let part = Arc::new(whole(size).part(cells.clone(), around));
        let mut operator = AcousticOperator::new(part, case.options.clone(), case.dt, workers(1)).unwrap();
        operator.place(&case.sources, &case.channels).unwrap();
        operator.advance(case.steps);
        operator.take_samples()
    };
    let (medium, samples) = (whole(0.0), run(0.0));
    let part = Arc::new(medium.part(cells.clone(), around));
    let found = case.gradient_in(&part, &|samples| residual(samples));
    let mut of_fluid = FluidGradient::zeros(&box_of_cells, true);
    medium.add_gradient_of_part((&cells, around), &part, &found, &mut of_fluid);
    let slope: f64 = (0..fluid.len())
        .flat_map(|cell| {
            let own = effective_transposed(&fluid[cell], &of_fluid, cell);
            let change = change[cell];
            [0, 1].into_iter().flat_map(move |slab| [0, 1].map(|of| own[slab][of] * change[slab][of]))
        })
        .sum();
    let remainder = |size: f64| (misfit(&run(size)) - misfit(&samples) - size * slope).abs();
    // Larger changes make jumps between cells, next to which sources and receivers have other weights.
    let remainders = [0.3, 3e-2, 3e-3, 3e-4].map(remainder);
    for pair in remainders.windows(2) {
        assert!(((pair[0] / pair[1]).log10() - 2.0).abs() < 0.15, "{remainders:?}, slope {slope}");
    }
}

#[test]
fn increments_at_the_nyquist_rate_of_the_source_are_sufficient() {
    let case = Case::new(ALL).smooth();
    let samples = case.samples::<f64>();
    let exact = case.gradient(residual(samples.clone()), &case.exact(), 1);
    let error = |every: u64| {
        let plan = StoragePlan::new(case.steps, every, [1, 1], u64::MAX).unwrap();
        let found = case.gradient(residual(samples.clone()), &plan, 1);
        relative_l2(&[&found.kappa], &[&exact.kappa]).unwrap()
    };
    // The spectrum of the source falls to a thousandth at a period of eight steps.
    let errors = [2, 3, 4, 6].map(error);
    assert!(errors[1] < 1e-3 && errors[3] > 1e-2, "{errors:?}");
}

#[test]
fn gradients_are_bit_identical_for_any_memory_and_number_of_threads() {
    for with in [ALL, With { is_plane: false, ..ALL }] {
        let case = Case::new(with);
        let mut random = Random::new(29);
        let residual = random_residual::<f32>(&case, &mut random);
        let exact = case.gradient(residual.clone(), &case.exact(), 1);
        for segments in [3, 11] {
            let plan = StoragePlan::new(case.steps, 1, [1, 0], case.steps.div_ceil(segments)).unwrap();
            assert_eq!(plan.segments().len() as u64, segments);
            assert!(case.gradient(residual.clone(), &plan, 2) == exact, "{with:?}, {segments} segments");
        }
    }
}
