//! Magnetic fields of prisms.

use std::f64::consts::PI;

use crate::cases::{cases, numbers, rows};
use crate::common::prism;
use craton_device::{Isa, Workers};
use craton_gravity::{
    Field, GRAVITATIONAL_CONSTANT, Limits, MAGNETIC_CONSTANT, Magnetic, MagneticField, MagneticFields, MagneticTree,
    Magnetisation, Points, Poisson, Prism, Prisms, Tolerance, forward, magnetic_forward, magnetic_transpose, transpose,
};

const FACTOR: f64 = MAGNETIC_CONSTANT / (4.0 * PI);

/// Indices of the third derivatives U_ijk in the order eee, een, eeu, enn, enu, euu, nnn, nnu, nuu, uuu, for the gradient ij of B and M along k.
const THIRD: [[usize; 3]; 6] = [[0, 1, 2], [1, 3, 4], [2, 4, 5], [3, 6, 7], [4, 7, 8], [5, 8, 9]];

fn workers() -> Workers {
    Workers::new(Some(2)).expect("two threads")
}

fn magnetisation(vectors: &[[f64; 3]]) -> Magnetisation {
    Magnetisation::new([0, 1, 2].map(|axis| vectors.iter().map(|vector| vector[axis]).collect())).expect("finite")
}

/// All components at one point, in the order of `MagneticField::ALL`.
fn at_point(isa: Isa, prisms: &[Prism], vectors: &[[f64; 3]], point: [f64; 3]) -> [f64; 9] {
    let prisms = Prisms::new(prisms.iter().copied()).expect("sound prisms");
    let points = Points::new([point]).expect("a sound point");
    let all =
        magnetic_forward(&prisms, &magnetisation(vectors), &points, MagneticFields::WithGradient, &workers(), isa);
    let all = all.expect("one vector per prism");
    MagneticField::ALL.map(|field| all.get(field).expect("a requested component")[0])
}

fn norm(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().map(|value| value * value).sum::<f64>().sqrt()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    norm(a.iter().zip(b).map(|(a, b)| a - b))
}

#[test]
fn fields_match_fifty_digits() {
    let m = [1.5, -2.0, 0.75];
    for isa in Isa::available() {
        for case in cases() {
            let [.., ee, en, eu, nn, nu, uu] = case.exact;
            let rows = [[-nn - uu, en, eu], [en, -ee - uu, nu], [eu, nu, -ee - nn]];
            let scale = FACTOR / (GRAVITATIONAL_CONSTANT * case.prism.density);
            let exact = rows.map(|row| scale * (0..3).map(|axis| row[axis] * m[axis]).sum::<f64>());
            let values = at_point(isa, &[case.prism], &[m], case.point);
            let size = (scale * norm(rows.into_iter().flatten())).abs() * norm(m);
            assert!(
                distance(&values[..3], &exact) < 1e-10 * size,
                "{values:?}, not {exact:?}: {:?} {:?}",
                case.prism,
                case.point
            );
        }
    }
}

#[test]
fn gradients_match_fifty_digits() {
    let m = [1.5, -2.0, 0.75];
    let rows = rows("third.csv");
    assert_eq!(rows.len(), 320);
    let mut worst = 0.0_f64;
    for isa in Isa::available() {
        for row in &rows {
            let row = numbers(row);
            let prism = prism(row[..6].try_into().expect("six bounds"), row[6]);
            let scale = FACTOR / (GRAVITATIONAL_CONSTANT * prism.density);
            let third = &row[10..];
            let exact = THIRD.map(|of| scale * (0..3).map(|axis| third[of[axis]] * m[axis]).sum::<f64>());
            let point = row[7..10].try_into().expect("three coordinates");
            let values = at_point(isa, &[prism], &[m], point);
            let error = distance(&values[3..], &exact) / ((scale * norm(third.iter().copied())).abs() * norm(m));
            worst = worst.max(error);
            assert!(error < 1e-9, "{error:e}: {:?}, not {exact:?}: {prism:?} {point:?}", &values[3..]);
        }
    }
    assert!(worst > 1e-15, "the comparison has no digits");
}

#[test]
fn fields_match_choclo() {
    let rows = rows("magnetics.csv");
    assert_eq!(rows.len(), 37);
    for row in &rows {
        let row = numbers(row);
        let prism = prism(row[..6].try_into().expect("six bounds"), 1.0);
        let m = row[6..9].try_into().expect("a vector");
        let point = row[9..12].try_into().expect("three coordinates");
        let values = at_point(Isa::detect(), &[prism], &[m], point);
        let (flux, gradient) = (&row[12..15], &row[15..]);
        // The last row is a dipole, without a gradient. Far prisms cost choclo some digits, as its sums cancel.
        let error = distance(&values[..3], flux) / norm(flux.iter().copied());
        assert!(error < 1e-9, "{error:e}: {values:?}, not {flux:?}");
        if gradient[0].is_finite() {
            let error = distance(&values[3..], gradient) / norm(gradient.iter().copied());
            assert!(error < 1e-8, "{error:e}: {values:?}, not {gradient:?}");
        }
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_flux_density() {
    let (body, m) = (prism([-20.0, 30.0, -15.0, 10.0, -80.0, -30.0], 0.0), [2.0, -1.0, 4.0]);
    let flat = prism([-2000.0, 3000.0, -15.0, 10.0, -80.0, -79.0], 0.0);
    for (body, point) in
        [(body, [17.0, 3.0, 5.0]), (body, [4.0, 1.0, -55.0]), (body, [2000.0, 900.0, 100.0]), (flat, [170.0, 3.0, 5.0])]
    {
        let at = |point| at_point(Isa::detect(), &[body], &[m], point);
        let gradient = at(point);
        let step = 1e-3;
        for (axis, along) in [[3, 4, 5], [4, 6, 7], [5, 7, 8]].into_iter().enumerate() {
            let [mut low, mut high]: [[f64; 3]; 2] = [point; 2];
            (low[axis], high[axis]) = (low[axis] - step, high[axis] + step);
            let (low, high) = (at(low), at(high));
            let slopes = [0, 1, 2].map(|component| (high[component] - low[component]) / (2.0 * step));
            let of = along.map(|place| gradient[place]);
            let size = norm(gradient[3..].iter().copied());
            // Differences of the field at 2 km have few digits.
            assert!(distance(&slopes, &of) < 1e-5 * size, "{slopes:?}, not {of:?} at {point:?}");
        }
    }
}

#[test]
fn flux_is_conserved_and_includes_the_magnetisation_inside() {
    // A cube: demagnetisation factor 1/3 at its centre.
    let cube = prism([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0], 0.0);
    let m = [3.0, -2.0, 1.0];
    let values = at_point(Isa::detect(), &[cube], &[m], [0.0; 3]);
    let exact = m.map(|m| 2.0 / 3.0 * MAGNETIC_CONSTANT * m);
    assert!(distance(&values[..3], &exact) < 1e-14 * norm(exact));
    // The component across a face is continuous; the one along it jumps by the magnetisation.
    let [below, above] = [-1e-9, 1e-9].map(|step| at_point(Isa::detect(), &[cube], &[m], [0.2, -0.3, 1.0 + step]));
    let jump = [0, 1, 2].map(|component| below[component] - above[component]);
    assert!(
        distance(&jump, &[MAGNETIC_CONSTANT * m[0], MAGNETIC_CONSTANT * m[1], 0.0]) < 1e-8 * norm(exact),
        "{jump:?}"
    );
    assert!(values[3] + values[6] + values[8] == 0.0 || (values[3] + values[6] + values[8]).abs() < 1e-20);
}

#[test]
fn faces_have_the_limit_from_outside_and_edges_none() {
    let body = prism([-1.0, 3.0, 2.0, 7.0, -6.0, 0.0], 0.0);
    let m = [1.0, 2.0, -3.0];
    for (point, out) in [
        ([3.0, 4.0, -2.0], [1e-9, 0.0, 0.0]),
        ([0.5, 2.0, -5.0], [0.0, -1e-9, 0.0]),
        ([1.0, 4.5, 0.0], [0.0, 0.0, 1e-9]),
    ] {
        let outside = [0, 1, 2].map(|axis| point[axis] + out[axis]);
        let (at, near) =
            (at_point(Isa::detect(), &[body], &[m], point), at_point(Isa::detect(), &[body], &[m], outside));
        assert!(distance(&at[..3], &near[..3]) < 1e-7 * norm(at[..3].iter().copied()), "{at:?}, not {near:?}");
    }
    // On an edge along z: the components across it diverge.
    let at = at_point(Isa::detect(), &[body], &[[0.0, 0.0, 1.0]], [3.0, 7.0, -2.0]);
    assert!(
        at[..3].iter().all(|value| value.is_finite()),
        "{at:?}: a magnetisation along the edge has no charge there"
    );
    let at = at_point(Isa::detect(), &[body], &[[1.0, 0.0, 0.0]], [3.0, 7.0, -2.0]);
    assert!(at[0].is_nan() && at[1].is_nan() && at[2].is_finite(), "{at:?}");
    // On its continuation everything is finite.
    let at = at_point(Isa::detect(), &[body], &[m], [3.0, 7.0, 2.0]);
    assert!(at.iter().all(|value| value.is_finite()), "{at:?}");
}

#[test]
fn poisson_with_limits_makes_a_body_of_cells_whole() {
    let m = 2.5;
    let whole = Prisms::new([prism([-10.0, 10.0, -10.0, 10.0, -20.0, 0.0], m)]).expect("a prism");
    let quarter = |n: usize| {
        let (west, south) = (-10.0 + 10.0 * (n % 2) as f64, -10.0 + 10.0 * (n / 2) as f64);
        prism([west, west + 10.0, south, south + 10.0, -20.0, 0.0], m)
    };
    let cells = Prisms::new((0..4).map(quarter)).expect("four prisms");
    let points = Points::new([[0.0, 0.0, -5.0], [0.0, 3.0, -7.0], [4.0, 5.0, 12.0]]).expect("points");
    let direction = [0.6, 0.0, -0.8];
    let field = |prisms: &Prisms| {
        let mut gravity = forward(prisms, &points, Poisson::FIELDS.leaving_out_edges(), &workers(), Isa::detect());
        Limits::new(prisms, &points, &workers(), Isa::detect()).put(&mut gravity);
        Poisson::new(direction).field(&gravity)
    };
    let vectors = magnetisation(&[direction.map(|x| m * x)]);
    let direct = magnetic_forward(&whole, &vectors, &points, MagneticFields::FluxDensity, &workers(), Isa::detect());
    for other in [field(&cells), field(&whole)] {
        assert_near(&other, direct.as_ref().expect("one vector"), 1e-8);
    }
}

fn assert_near(a: &Magnetic, b: &Magnetic, tolerance: f64) {
    for field in MagneticField::FLUX_DENSITY {
        let (a, b) = (a.get(field).expect("a component"), b.get(field).expect("a component"));
        let size = b.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * size), "{field:?}: {a:?}, not {b:?}");
    }
}

/// A few prisms of all shapes, with different vectors, and points around them.
fn some() -> (Prisms, Magnetisation, Points) {
    let body = |n: usize| {
        let x = 30.0 * n as f64;
        prism([x, x + 20.0 + n as f64, -5.0 * n as f64, 40.0, -90.0 - x, -10.0 * (1 + n) as f64], 0.0)
    };
    let vector = |n: usize| [n as f64 - 2.0, 1.0 + 0.5 * n as f64, -3.0 + n as f64];
    let points = (0..70).map(|n| [7.0 * (n % 11) as f64 - 20.0, 9.0 * (n / 11) as f64 - 11.0, 1.0 + 0.3 * n as f64]);
    let vectors: Vec<_> = (0..6).map(vector).collect();
    (Prisms::new((0..6).map(body)).expect("prisms"), magnetisation(&vectors), Points::new(points).expect("points"))
}

#[test]
fn the_transpose_is_the_adjoint() {
    let (prisms, magnetisation, points) = some();
    let weight = |n: usize| ((n * 37 % 19) as f64 - 9.0) / 9.0;
    let weights: Vec<Vec<f64>> =
        (0..9).map(|field| (0..points.len()).map(|n| weight(n + 5 * field)).collect()).collect();
    let all =
        magnetic_forward(&prisms, &magnetisation, &points, MagneticFields::WithGradient, &workers(), Isa::detect());
    let all = all.expect("one vector per prism");
    for fields in [&MagneticField::ALL[..3], &MagneticField::ALL] {
        let pairs: Vec<_> = fields.iter().zip(&weights).map(|(&field, of)| (field, of.as_slice())).collect();
        let products = magnetic_transpose(&prisms, &points, &pairs, &workers(), Isa::detect()).expect("weights");
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let data: f64 = pairs.iter().map(|(field, of)| dot(all.get(*field).expect("a component"), of)).sum();
        let model: f64 = products.iter().zip(magnetisation.components()).map(|(a, b)| dot(a, b)).sum();
        assert!((data / model - 1.0).abs() < 1e-12, "{data:e} and {model:e}");
    }
}

#[test]
fn parts_with_one_direction_add_up_and_have_a_transpose() {
    let (mut prisms, magnetisation, points) = some();
    let direct =
        magnetic_forward(&prisms, &magnetisation, &points, MagneticFields::FluxDensity, &workers(), Isa::detect());
    let direct = direct.expect("one vector per prism");
    let parts = magnetisation.parts();
    assert_eq!(parts.len(), 3);
    let mut sums = [0, 1, 2].map(|_| vec![0.0; points.len()]);
    for (direction, values) in &parts {
        prisms.set_density(values).expect("finite");
        let field =
            Poisson::new(*direction).field(&forward(&prisms, &points, Poisson::FIELDS, &workers(), Isa::detect()));
        for (sum, component) in sums.iter_mut().zip(MagneticField::FLUX_DENSITY) {
            sum.iter_mut().zip(field.get(component).expect("a component")).for_each(|(sum, value)| *sum += value);
        }
    }
    for (sum, component) in sums.iter().zip(MagneticField::FLUX_DENSITY) {
        assert!(distance(sum, direct.get(component).expect("a component")) < 1e-12 * norm(sum.iter().copied()));
    }
    let weights = sums.each_ref().map(Vec::as_slice);
    let pairs: Vec<_> = MagneticField::FLUX_DENSITY.into_iter().zip(weights).collect();
    let vectors = magnetic_transpose(&prisms, &points, &pairs, &workers(), Isa::detect()).expect("weights");
    let direction = [0.48, -0.6, 0.64];
    let of_tensor = Poisson::new(direction).weights(weights);
    let of_tensor: Vec<(Field, &[f64])> = of_tensor.iter().map(|(field, of)| (*field, of.as_slice())).collect();
    let scalars = transpose(&prisms, &points, &of_tensor, &workers(), Isa::detect()).expect("weights");
    let exact: Vec<f64> =
        (0..prisms.len()).map(|n| (0..3).map(|axis| direction[axis] * vectors[axis][n]).sum()).collect();
    assert!(distance(&scalars, &exact) < 1e-12 * norm(exact.iter().copied()));
    // Parallel vectors, also of opposite sign, are one part.
    let one = self::magnetisation(&[[1.0, 2.0, -2.0], [-2.0, -4.0, 4.0], [0.0; 3]]).parts();
    assert_eq!((one.len(), one[0].1.iter().map(|m| m.abs()).collect::<Vec<_>>()), (1, vec![3.0, 6.0, 0.0]));
    assert!(self::magnetisation(&[[0.0; 3]]).parts().is_empty());
}

#[test]
fn results_are_bit_identical_for_any_number_of_threads() {
    let (prisms, magnetisation, points) = some();
    let with = |threads| {
        let workers = Workers::new(Some(threads)).expect("threads");
        magnetic_forward(&prisms, &magnetisation, &points, MagneticFields::WithGradient, &workers, Isa::detect())
    };
    assert_eq!(with(1).expect("fields"), with(3).expect("fields"));
}

#[test]
fn induced_magnetisation_follows_the_main_field_and_mistakes_are_refused() {
    let main = [0.0, 2e-5, -4e-5];
    let induced = Magnetisation::induced(&[0.05, 0.0], main).expect("finite");
    assert!((induced.get(0)[2] - 0.05 * -4e-5 / MAGNETIC_CONSTANT).abs() < 1e-12 && induced.get(1) == [0.0; 3]);
    let (prisms, ..) = some();
    let points = Points::new([[0.0; 3]]).expect("a point");
    let wrong = magnetic_forward(&prisms, &induced, &points, MagneticFields::FluxDensity, &workers(), Isa::detect());
    let message = wrong.expect_err("refused").to_string();
    assert_eq!(message, "there are 2 magnetisations, but 6 prisms; give exactly one for each");
    let wrong = Magnetisation::new([vec![0.0], vec![f64::NAN], vec![0.0]]).expect_err("refused").to_string();
    assert!(wrong.contains("magnetisation (north) is NaN"), "{wrong}");
    let total = magnetic_forward(
        &prisms,
        &Magnetisation::induced(&[0.1; 6], main).expect("finite"),
        &points,
        MagneticFields::FluxDensity,
        &workers(),
        Isa::detect(),
    );
    let total = total.expect("fields").total_field_anomaly([0.0, 0.0, -1.0]);
    assert!(total[0] > 0.0, "a body below a vertical field adds to it");
}

/// Largest difference of the vectors (B) and of the tensors (gradient of B) at points.
fn largest_differences(a: &Magnetic, b: &Magnetic, points: usize) -> [f64; 2] {
    let (mut vector, mut tensor) = (0.0_f64, 0.0_f64);
    for point in 0..points {
        let square = |field: &MagneticField| {
            let [a, b] = [a, b].map(|all| all.get(*field).expect("a component")[point]);
            (a - b) * (a - b)
        };
        let (flux, gradient) = MagneticField::ALL.split_at(3);
        vector = vector.max(flux.iter().map(square).sum::<f64>().sqrt());
        // The tensor is symmetric: its mixed components count twice.
        let twice = [1.0, 2.0, 2.0, 1.0, 2.0, 1.0];
        tensor = tensor.max(gradient.iter().zip(twice).map(|(field, times)| times * square(field)).sum::<f64>().sqrt());
    }
    [vector, tensor]
}

#[test]
fn a_tree_keeps_its_tolerance() {
    let random = |n: usize| ((n * 7919 + 13) % 100_003) as f64 / 100_003.0;
    let body = |n: usize| {
        let [x, y, z] = [n, 3 * n + 5, 7 * n + 11].map(|n| 1000.0 * random(n));
        prism([x, x + 5.0 + 20.0 * random(n + 1), y, y + 15.0, -20.0 - z, -5.0 - 0.9 * z], 0.0)
    };
    let prisms = Prisms::new((0..3000).map(body)).expect("prisms");
    let vectors: Vec<[f64; 3]> =
        (0..3000).map(|n| [random(2 * n) - 0.3, random(5 * n + 1) - 0.5, -random(11 * n + 3)]).collect();
    let magnetisation = magnetisation(&vectors);
    let place = |n: usize| [1400.0 * random(13 * n) - 200.0, 1400.0 * random(17 * n + 1) - 200.0, 90.0 * random(n)];
    let points = Points::new((0..300).map(place)).expect("points");
    let points = points.select(&points.runs());
    let (workers, isa, fields) = (workers(), Isa::detect(), MagneticFields::WithGradient);
    let direct = magnetic_forward(&prisms, &magnetisation, &points, fields, &workers, isa).expect("one vector each");
    let tree = MagneticTree::new_while(&prisms, &magnetisation, &workers, isa, &|| true);
    let tree = tree.expect("one vector each").expect("never cancelled");
    let peaks = tree.peaks_while(&points, fields, &workers, isa, &|| true).expect("never cancelled");
    let sum = |tolerance: &Tolerance, workers: &Workers| {
        tree.forward_while(&points, fields, tolerance, workers, isa, &|| true).expect("never cancelled")
    };
    let mut errors = Vec::new();
    for accuracy in [1e-2, 1e-4, 1e-6] {
        let tolerance = peaks.tolerance(accuracy);
        let found = sum(&tolerance, &workers);
        let [vector, tensor] = largest_differences(&found, &direct, points.len());
        assert!(vector <= tolerance.attraction() && tensor <= tolerance.tensor(), "{accuracy}: {vector:e}, {tensor:e}");
        assert!(sum(&tolerance, &Workers::new(Some(1)).expect("a thread")) == found, "results depend on threads");
        errors.push(vector / tolerance.attraction());
    }
    // Expansions replace prisms: the errors are not those of round-off.
    assert!(errors.iter().all(|&error| error > 1e-4), "{errors:?}");
    let [vector, tensor] = largest_differences(&sum(&Tolerance::new(0.0, 0.0, 0.0), &workers), &direct, points.len());
    let one = peaks.tolerance(1.0);
    assert!(vector < 1e-13 * one.attraction() && tensor < 1e-13 * one.tensor(), "{vector:e}, {tensor:e}");
    let only =
        tree.forward_while(&points, MagneticFields::FluxDensity, &peaks.tolerance(1e-6), &workers, isa, &|| true);
    assert_near(&only.expect("never cancelled"), &direct, 2e-6);
    assert!(MagneticTree::new_while(&prisms, &Magnetisation::default(), &workers, isa, &|| true).is_err());
}
