//! Order of convergence against exact standing waves, in element size and in degree.

use crate::common::{Nodes, Setup, StandingWave, rock};
use craton_mesh::Geometry;
use craton_model::{EarthModel, Elasticity};
use craton_numerics::gll::gauss;
use craton_numerics::lagrange;
use craton_sem::{Field, SemOperator};
use craton_testkit::meshes::Lattice;

const LENGTH: f64 = 1000.0;

/// P and S waves along (1, 1, 0), with one wavelength along x and y.
fn wave(kind: char) -> StandingWave {
    let Elasticity::Isotropic { vp, vs } = *rock().elasticity() else { unreachable!() };
    let h = 0.5_f64.sqrt();
    match kind {
        'P' => StandingWave::in_box([LENGTH; 3], [1, 1, 0], [h, h, 0.0], vp),
        _ => StandingWave::in_box([LENGTH; 3], [1, 1, 0], [0.5, -0.5, h], vs),
    }
}

/// L2 error of the displacement, relative to the amplitude, after 0.6 periods in a periodic, smoothly deformed box of `count`³ elements. The reference uses
/// the frequency of the leapfrog scheme, which excludes the error of time integration.
fn error(kind: char, geometry: Geometry, degree: usize, count: usize) -> f64 {
    let lattice = Lattice { counts: [count; 3], lengths: [LENGTH; 3], geometry, periodic: [true; 3] };
    let setup = Setup::new(lattice.waved(0.015), EarthModel::homogeneous(rock()), degree);
    let wave = wave(kind);
    let mut operator = setup.operator::<f64>(0.9);
    let oracle = setup.oracle(&operator);
    let nodes = Nodes::new(&operator, &oracle);
    wave.start(&mut operator, &oracle, &nodes);
    let steps = (0.6 * std::f64::consts::TAU / wave.omega / operator.dt()).round() as u64;
    operator.advance_alone(steps);
    l2_error(&operator, |position| wave.displacement(position, steps, operator.dt()))
}

/// Root mean square over the box of the difference between the polynomial displacement and an exact one.
fn l2_error(operator: &SemOperator<f64>, exact: impl Fn([f64; 3]) -> [f64; 3]) -> f64 {
    let points = &operator.gll().points;
    let rule = gauss(points.len() + 2).unwrap();
    let basis: Vec<_> = rule.points.iter().map(|&x| lagrange::basis(points, x)).collect();
    let mesh = operator.mesh();
    let (mut squares, mut volume) = (0.0, 0.0);
    for element in 0..mesh.n_elements() as u32 {
        let field = operator.element_field(element, Field::Displacement);
        let g = rule.points.len();
        for q in 0..g * g * g {
            let at = [q % g, q / g % g, q / (g * g)];
            let xi = at.map(|i| rule.points[i]);
            let weight = at.map(|i| rule.weights[i]).iter().product::<f64>() * determinant(mesh.jacobian(element, xi));
            let value = interpolate(&field, at.map(|i| &basis[i][..]));
            let known = exact(mesh.position(element, xi));
            squares += weight * (0..3).map(|c| (value[c] - known[c]).powi(2)).sum::<f64>();
            volume += weight;
        }
    }
    (squares / volume).sqrt()
}

fn interpolate(field: &[[f64; 3]], [x, y, z]: [&[f64]; 3]) -> [f64; 3] {
    let n = x.len();
    let mut value = [0.0; 3];
    for (p, u) in field.iter().enumerate() {
        let phi = x[p % n] * y[p / n % n] * z[p / (n * n)];
        for c in 0..3 {
            value[c] += phi * u[c];
        }
    }
    value
}

fn determinant([a, b, c]: [[f64; 3]; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
}

fn assert_order(geometry: Geometry, degree: usize, [coarse, fine]: [usize; 2]) {
    for kind in ['P', 'S'] {
        let errors = [coarse, fine].map(|count| error(kind, geometry, degree, count));
        let order = (errors[0] / errors[1]).ln() / (fine as f64 / coarse as f64).ln();
        assert!(order >= degree as f64 + 0.8, "{kind}, degree {degree}: {errors:?}, order {order:.2}");
    }
}

#[test]
fn error_decreases_with_element_size_at_the_order_of_degrees_1_and_2() {
    assert_order(Geometry::Linear8, 1, [10, 20]);
    assert_order(Geometry::Linear8, 2, [6, 12]);
}

#[test]
fn error_decreases_with_element_size_at_the_order_of_degrees_3_to_5() {
    assert_order(Geometry::Quadratic27, 3, [4, 8]);
    assert_order(Geometry::Quadratic27, 4, [4, 8]);
    assert_order(Geometry::Quadratic27, 5, [3, 6]);
}

#[test]
fn error_decreases_exponentially_with_degree() {
    let errors: Vec<f64> = (2..=9).map(|degree| error('P', Geometry::Quadratic27, degree, 3)).collect();
    for pair in errors.windows(2) {
        assert!(pair[1] < 0.4 * pair[0], "{errors:?}");
    }
}
