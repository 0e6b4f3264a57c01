//! Magnetic fields on a GPU.

use std::f64::consts::PI;

use super::{many, mixture};
use crate::cases::{cases, numbers, rows};
use crate::common::prism;
use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_gravity::{
    GRAVITATIONAL_CONSTANT, GpuMagnetisedPrisms, MAGNETIC_CONSTANT, Magnetic, MagneticField, MagneticFields,
    Magnetisation, Points, Precision, Prism, Prisms, magnetic_forward,
};
use craton_testkit::devices;

const FIELDS: MagneticFields = MagneticFields::WithGradient;
const PRECISIONS: [Precision; 2] = [Precision::Double, Precision::Single];

fn vectors(count: usize) -> Magnetisation {
    let component = |k: usize| (0..count).map(|n| ((n * (37 + k) % 19) as f64 - 9.0) / (4.0 + k as f64)).collect();
    Magnetisation::new([0, 1, 2].map(component)).expect("finite")
}

fn on_device(gpu: &Gpu, prisms: &[Prism], magnetisation: &Magnetisation) -> GpuMagnetisedPrisms {
    let prisms = Prisms::new(prisms.iter().copied()).expect("sound prisms");
    GpuMagnetisedPrisms::new(gpu, &prisms, magnetisation).expect("a device that works")
}

fn sums(here: &GpuMagnetisedPrisms, points: &[[f64; 3]], precision: Precision) -> Magnetic {
    let places = Points::new(points.iter().copied()).expect("sound points");
    here.forward(&places, FIELDS, precision, &|| true).expect("a device that works").expect("never cancelled")
}

/// All components of one prism at one point.
fn of_pair(gpu: &Gpu, prism: Prism, m: [f64; 3], point: [f64; 3], precision: Precision) -> [f64; 9] {
    let magnetisation = Magnetisation::new(m.map(|component| vec![component])).expect("finite");
    let all = sums(&on_device(gpu, &[prism], &magnetisation), &[point], precision);
    MagneticField::ALL.map(|field| all.get(field).expect("a component")[0])
}

fn on_cpu(prisms: &[Prism], magnetisation: &Magnetisation, points: &[[f64; 3]]) -> Magnetic {
    let prisms = Prisms::new(prisms.iter().copied()).expect("sound prisms");
    let points = Points::new(points.iter().copied()).expect("sound points");
    let workers = Workers::new(Some(2)).expect("two threads");
    magnetic_forward(&prisms, magnetisation, &points, FIELDS, &workers, Isa::detect()).expect("one vector per prism")
}

fn norm(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// The largest errors of B and its gradient for the reference cases, relative to the norm of the tensor and of the third derivatives.
fn largest_errors(gpu: &Gpu, precision: Precision) -> [f64; 2] {
    let m = [1.5, -2.0, 0.75];
    let factor = MAGNETIC_CONSTANT / (4.0 * PI * GRAVITATIONAL_CONSTANT);
    let mut worst = [0.0_f64; 2];
    for case in cases() {
        let [.., ee, en, eu, nn, nu, uu] = case.exact;
        let scale = factor / case.prism.density;
        let rows = [[-nn - uu, en, eu], [en, -ee - uu, nu], [eu, nu, -ee - nn]];
        let size = scale.abs() * norm(rows.into_iter().flatten()) * norm(m);
        let found = of_pair(gpu, case.prism, m, case.point, precision);
        let exact = rows.map(|row| scale * (0..3).map(|axis| row[axis] * m[axis]).sum::<f64>());
        let error = norm((0..3).map(|axis| found[axis] - exact[axis])) / size;
        assert!(error.is_finite(), "{found:?} of {:?} at {:?}", case.prism, case.point);
        worst[0] = worst[0].max(error);
    }
    const THIRD: [[usize; 3]; 6] = [[0, 1, 2], [1, 3, 4], [2, 4, 5], [3, 6, 7], [4, 7, 8], [5, 8, 9]];
    for row in rows("third.csv") {
        let row = numbers(&row);
        let prism = prism(row[..6].try_into().expect("six bounds"), row[6]);
        let (scale, third) = (factor / prism.density, &row[10..]);
        let exact = THIRD.map(|of| scale * (0..3).map(|axis| third[of[axis]] * m[axis]).sum::<f64>());
        let found = of_pair(gpu, prism, m, row[7..10].try_into().expect("three coordinates"), precision);
        let size = scale.abs() * norm(third.iter().copied()) * norm(m);
        let error = norm((0..6).map(|component| found[3 + component] - exact[component])) / size;
        assert!(error.is_finite(), "{found:?} of {prism:?} at {:?}", &row[7..10]);
        worst[1] = worst[1].max(error);
    }
    worst
}

#[test]
fn fields_match_fifty_digits() {
    let Some(gpu) = devices::gpu() else { return };
    let worst = largest_errors(&gpu, Precision::Double);
    assert!(worst[0] < 1e-10 && worst[1] < 1e-9, "{worst:?}");
    assert!(worst.iter().all(|&error| error > 1e-15), "{worst:?}: the comparison has no digits");
}

#[test]
fn single_precision_is_accurate_for_each_pair() {
    let Some(gpu) = devices::gpu() else { return };
    let worst = largest_errors(&gpu, Precision::Single);
    assert!(worst[0] < 2e-4 && worst[1] < 2e-3 && worst.iter().all(|&error| error > 1e-8), "{worst:?}");
}

/// Largest differences of B and of its gradient at all points, relative to the largest values.
fn differences(found: &Magnetic, exact: &Magnetic, points: usize) -> [f64; 2] {
    [0..3, 3..9].map(|kind| {
        let largest = |is_difference: bool| {
            let at = |point: usize| {
                let value = |field: usize| {
                    let [found, exact] =
                        [found, exact].map(|all| all.get(MagneticField::ALL[field]).expect("a component")[point]);
                    if is_difference { found - exact } else { exact }
                };
                norm(kind.clone().map(value))
            };
            (0..points).map(at).fold(0.0, f64::max)
        };
        largest(true) / largest(false)
    })
}

#[test]
fn sums_match_the_cpu() {
    let Some(gpu) = devices::gpu() else { return };
    let (prisms, points) = many();
    let magnetisation = vectors(prisms.len());
    let expected = on_cpu(&prisms, &magnetisation, &points);
    let here = on_device(&gpu, &prisms, &magnetisation);
    for (precision, allowed) in [(Precision::Double, 1e-10), (Precision::Single, 1e-4)] {
        let errors = differences(&sums(&here, &points, precision), &expected, points.len());
        assert!(errors.iter().all(|&error| error < allowed), "{precision:?}: {errors:?}");
    }
}

#[test]
fn results_are_bit_identical_for_any_partition() {
    let Some(gpus) = devices::gpus(3) else { return };
    let (prisms, points) = many();
    let magnetisation = vectors(prisms.len());
    let on_gpus: Vec<_> = gpus.iter().map(|gpu| on_device(gpu, &prisms, &magnetisation)).collect();
    let places = Points::new(points.iter().copied()).expect("sound points");
    for precision in PRECISIONS {
        let whole = sums(&on_gpus[0], &points, precision);
        for count in [2, 3] {
            let shared = GpuMagnetisedPrisms::forward_on(&on_gpus[..count], &places, FIELDS, precision, &|| true);
            assert_eq!(shared.expect("devices that work").expect("never cancelled"), whole, "{precision:?}, {count}");
        }
        let small = on_device(&gpus[0], &prisms, &magnetisation).with_room(points.len());
        assert_eq!(sums(&small, &points, precision), whole, "{precision:?}");
        let part = sums(&on_gpus[0], &points[5..9], precision);
        for field in MagneticField::ALL {
            let [part, whole] = [&part, &whole].map(|all| all.get(field).expect("a component"));
            assert_eq!(part, &whole[5..9], "{precision:?}, {field:?}");
        }
    }
    let stopped = GpuMagnetisedPrisms::forward_on(&on_gpus, &places, FIELDS, Precision::Double, &|| false);
    assert_eq!(stopped.expect("devices that work"), None);
    let only = on_gpus[0].forward(&places, MagneticFields::FluxDensity, Precision::Double, &|| true);
    let only = only.expect("a device that works").expect("never cancelled");
    let all = sums(&on_gpus[0], &points, Precision::Double);
    assert_eq!(only.get(MagneticField::Up), all.get(MagneticField::Up));
    assert_eq!(only.get(MagneticField::UpUp), None);
}

#[test]
fn edges_have_no_gradient_as_on_the_cpu() {
    let Some(gpu) = devices::gpu() else { return };
    let body = prism([-1.0, 3.0, 2.0, 7.0, -6.0, 0.0], 0.0);
    let flat = prism([-100.0, 300.0, 2.0, 7.0, -6.0, -5.9], 0.0);
    // On faces, edges along each axis, a corner, their continuations, and off the body.
    let points = [
        [3.0, 4.0, -2.0],
        [1.0, 4.0, 0.0],
        [3.0, 7.0, -2.0],
        [0.5, 2.0, 0.0],
        [-1.0, 3.0, -6.0],
        [3.0, 7.0, 0.0],
        [3.0, 7.0, 2.0],
        [9.0, 2.0, 0.0],
        [1.0, 3.0, -3.0],
    ];
    for prism in [body, flat] {
        for m in [[1.0, 2.0, -3.0], [0.0, 0.0, 1.0], [2.0, 0.0, 0.0]] {
            let magnetisation = Magnetisation::new(m.map(|component| vec![component])).expect("finite");
            let expected = on_cpu(&[prism], &magnetisation, &points);
            for precision in PRECISIONS {
                let found = sums(&on_device(&gpu, &[prism], &magnetisation), &points, precision);
                for field in MagneticField::ALL {
                    let [found, expected] = [&found, &expected].map(|all| all.get(field).expect("a component"));
                    let nans = |values: &[f64]| values.iter().map(|value| value.is_nan()).collect::<Vec<_>>();
                    assert_eq!(nans(found), nans(expected), "{precision:?}, {field:?}, {m:?}: {found:?}, {expected:?}");
                }
            }
        }
    }
}

#[test]
fn mistakes_are_refused_and_prisms_without_magnetisation_have_no_field() {
    let Some(gpu) = devices::gpu() else { return };
    let (prisms, points) = mixture(3, 5);
    let all = Prisms::new(prisms.iter().copied()).expect("sound prisms");
    let wrong = GpuMagnetisedPrisms::new(&gpu, &all, &vectors(2)).err().expect("refused").to_string();
    assert_eq!(wrong, "there are 2 magnetisations, but 3 prisms; give exactly one for each");
    let none = Magnetisation::new([const { Vec::new() }; 3].map(|_: Vec<f64>| vec![0.0; 3])).expect("finite");
    let fields = sums(&on_device(&gpu, &prisms, &none), &points, Precision::Double);
    assert!(MagneticField::ALL.iter().all(|&field| fields.get(field).expect("a component").iter().all(|v| *v == 0.0)));
    let before = gpu.bytes_held();
    let here = on_device(&gpu, &prisms, &vectors(3));
    assert_eq!((gpu.bytes_held() - before) as u64, GpuMagnetisedPrisms::bytes(3, 0));
    drop(here);
}
