//! A single cell along a periodic y axis: fields do not depend on y.

use crate::common::*;
use craton_fd::{
    Boundaries, FdOperator, Grid, Medium, Options, PointSource, Precision, Probe, ProbeQuantity, Side, SourceMechanism,
};

/// Cells along x and z.
const CELLS: [usize; 2] = [70, 60];
const H: f64 = 10.0;

/// Samples of a line source along y, in a box with this number of cells along y: sea over random rock, between absorbing layers.
fn line<T: Precision>(half_length: usize, across: usize, mechanism: SourceMechanism) -> Vec<T> {
    let mut operator = operator(half_length, across, mechanism, [1; 3]);
    advance(&mut operator, 400);
    operator.take_samples().expect("samples")
}

/// The solver of [`line`], in some parts along each axis.
fn operator<T: Precision>(
    half_length: usize,
    across: usize,
    mechanism: SourceMechanism,
    parts: [usize; 3],
) -> FdOperator<T> {
    let grid = Grid { origin: [0.0; 3], spacing: [H; 3], cells: [CELLS[0], across, CELLS[1]] };
    let materials: Vec<_> = {
        let mut random = craton_testkit::random::Random::new(5);
        (0..CELLS[0] * CELLS[1]).map(|_| random_material(&mut random)).collect()
    };
    let medium = Medium::<T>::new(grid, |[i, _, k]| match k {
        50.. => water(),
        _ => materials[i + CELLS[0] * k],
    });
    let layers = layer(10, 4000.0, 15.0);
    let sides = [layers, layers, Side::Periodic, Side::Periodic, layers, Side::Free];
    let boundaries = Boundaries { sides, sponges: [None; 6] };
    let history: Vec<f64> = (0..400).map(|n| ricker(15.0, 1e-3 * f64::from(n))).collect();
    let at = |x: f64, y: f64, z: f64| [x, y, z];
    let source = |j: usize| PointSource {
        position: at(303.0, (j as f64 + 0.5) * H, 341.0),
        mechanism,
        history: history.clone().into(),
        interface: None,
    };
    let quantities = [0, 1, 2].map(ProbeQuantity::Component).into_iter().chain([ProbeQuantity::Pressure]);
    let probes: Vec<Probe> = quantities
        .flat_map(|quantity| {
            // At a point of the grid along y.
            let y = if quantity == ProbeQuantity::Component(1) { 0.0 } else { 0.5 * H };
            [[404.0, y, 402.0], [215.0, y, 541.0]].map(|position| Probe { position, quantity, interface: None })
        })
        .collect();
    let sources: Vec<PointSource> = (0..across).map(source).collect();
    let options = Options { parts, ..options(half_length, boundaries) };
    let medium = medium.expect("sound materials");
    FdOperator::new(&medium, &options, 9e-4, &sources, &probes, workers(1)).expect("a solver")
}

#[test]
fn a_plane_in_two_parts_and_one_that_is_restored_are_bit_identical() {
    for mechanism in [SourceMechanism::Force([1e9, 0.0, 2e9]), SourceMechanism::Force([0.0, 1e9, 0.0])] {
        let expected: Vec<f32> = line(4, 1, mechanism);
        assert!(expected.iter().any(|&sample| sample != 0.0));
        let mut in_parts = operator::<f32>(4, 1, mechanism, [1, 1, 2]);
        advance(&mut in_parts, 400);
        assert!(in_parts.take_samples().expect("samples") == expected, "{mechanism:?} in two parts");
        let mut first = operator::<f32>(4, 1, mechanism, [1; 3]);
        advance(&mut first, 170);
        let (mut samples, saved) = (first.take_samples().expect("samples"), Saved::of(&mut first));
        let mut second = operator::<f32>(4, 1, mechanism, [1; 3]);
        saved.restore(&mut second);
        advance(&mut second, 230);
        samples.extend(second.take_samples().expect("samples"));
        assert!(samples == expected, "{mechanism:?} restored");
    }
}

#[test]
fn a_single_cell_along_y_equals_a_line_source_in_a_periodic_box() {
    let moment = SourceMechanism::Moment([1e12, 0.5e12, -2e12, 0.0, 1e12, 0.0]);
    for (half_length, mechanism, channels) in [
        (2, moment, vec![0, 1, 4, 5, 6, 7]),
        (4, SourceMechanism::Force([1e9, 0.0, 2e9]), vec![0, 1, 4, 5, 6, 7]),
        (4, SourceMechanism::Force([0.0, 1e9, 0.0]), vec![2]),
    ] {
        let [plane, space] = [1, 2 * half_length].map(|across| line::<f64>(half_length, across, mechanism));
        for channel in channels {
            let of = |samples: &[f64]| samples.iter().skip(channel).step_by(8).copied().collect::<Vec<f64>>();
            let (found, expected) = (of(&plane), of(&space));
            let square = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>();
            let size = square(&mut expected.iter().copied());
            let misfit = (square(&mut found.iter().zip(&expected).map(|(a, b)| a - b)) / size).sqrt();
            assert!(size > 0.0 && misfit < 1e-9, "{half_length} {mechanism:?} {channel}: {misfit:e}");
        }
    }
}

/// Next to the flat sea bottom, next to the free surface, and far from both.
#[test]
fn pressure_is_the_integral_of_the_dilatation() {
    for half_length in [2, 4] {
        let grid = Grid { origin: [0.0; 3], spacing: [H; 3], cells: [40, 36, 40] };
        let rock = craton_fd::Material::from_speeds(2000.0, 900.0, 1900.0);
        let medium = Medium::<f64>::new(grid, |[_, _, k]| if k < 20 { rock } else { water() }).expect("materials");
        let layers = layer(8, 2000.0, 15.0);
        let mut boundaries = Boundaries::all(layers);
        boundaries.sides[5] = Side::Free;
        let history: Vec<f64> = (0..300).map(|n| ricker(15.0, 1e-3 * f64::from(n))).collect();
        let mechanism = SourceMechanism::Force([0.0, 0.0, 1e9]);
        let source =
            PointSource { position: [203.0, 181.0, 341.0], mechanism, history: history.into(), interface: None };
        let places = [[153.0, 166.0, 200.001], [243.0, 156.0, 389.0], [223.0, 206.0, 297.0], [253.0, 206.0, 150.0]];
        let quantities = [ProbeQuantity::Pressure, ProbeQuantity::Gradient];
        let probe = |position| quantities.map(|quantity| Probe { position, quantity, interface: None });
        let probes: Vec<Probe> = places.into_iter().flat_map(probe).collect();
        let (options, dt) = (options(half_length, boundaries), 1e-3);
        let mut operator = FdOperator::new(&medium, &options, dt, &[source], &probes, workers(1)).expect("a solver");
        advance(&mut operator, 300);
        let samples = operator.take_samples().expect("samples");
        for (number, [_, _, z]) in places.into_iter().enumerate() {
            let material = if z < 200.0 { rock } else { water() };
            let modulus = material.lambda + 2.0 / 3.0 * material.mu;
            let (mut integral, mut difference, mut size) = (0.0, 0.0, 0.0);
            for row in samples.chunks_exact(10 * places.len()) {
                let own = &row[10 * number..10 * number + 10];
                integral -= dt * modulus * (own[1] + own[5] + own[9]);
                difference += (own[0] - integral).powi(2);
                size += integral * integral;
            }
            let misfit = (difference / size).sqrt();
            assert!(size > 0.0 && misfit < 1e-9, "{half_length}, z = {z}: {misfit:e}");
        }
    }
}
