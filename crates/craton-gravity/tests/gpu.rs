//! Sums on a GPU. The kernels run emulated on this processor; with CRATON_TEST_GPU=cuda on a GPU.

mod common;

use common::{attraction, cases, difference, tensor, Case};
use craton_gravity::{Field, Fields, GRAVITATIONAL_CONSTANT, GpuPrisms, Points, Precision, Prisms};
use craton_device::gpu::Gpu;
use craton_testkit::devices;

fn gravity(gpu: &Gpu, precision: Precision, prisms: &[craton_gravity::Prism], points: &[[f64; 3]]) -> Vec<[f64; 10]> {
    let prisms = GpuPrisms::new(gpu, &Prisms::new(prisms.iter().copied()).unwrap()).unwrap();
    let places = Points::new(points.iter().copied()).unwrap();
    let all = prisms.forward(&places, Fields::ALL, precision, &|| true).unwrap().unwrap();
    (0..points.len()).map(|point| Field::ALL.map(|field| all.get(field).unwrap()[point])).collect()
}

#[test]
fn ten_digits_inside_near_and_far() {
    let Some(gpu) = devices::gpu() else { return };
    for precision in [Precision::Double, Precision::Single] {
        let mut worst = [(0.0, String::new()), (0.0, String::new()), (0.0, String::new())];
        for Case { prism, point, exact } in cases() {
            let error = difference(&gravity(&gpu, precision, &[prism], &[point])[0], &exact);
            let shortest = prism.bounds().map(|[low, high]| high - low).into_iter().fold(f64::INFINITY, f64::min);
            let least = GRAVITATIONAL_CONSTANT * prism.density.abs() * shortest;
            let errors = [
                (error[0] / exact[0]).abs(),
                attraction(&error) / attraction(&exact).max(least),
                tensor(&error) / tensor(&exact),
            ];
            for k in 0..3 {
                if !(errors[k] <= worst[k].0) { worst[k] = (errors[k], format!("{prism:?} at {point:?}")); }
                if errors[k] > 2e-5 || (precision == Precision::Double && errors[k] > 1e-10) || errors[k].is_nan() { println!("{k} {:e} {prism:?} {point:?}", errors[k]); }
            }
        }
        println!("{precision:?} {worst:?}");
    }
}
