//! Expected computing times of the summation algorithms, for the automatic choice.
//!
//! Estimates depend only on the problem and the kind of GPU, not on the numbers of GPUs, cores and processes. So all
//! processes of a problem choose the same algorithm, and these numbers do not change a bit of the results. A wrong
//! choice costs only time.

use craton_device::gpu::DeviceInfo;

use super::config::Precision;

/// Prism-point pairs per second of direct sums on one core, and the time of a tree per prism and per point [s] for an
/// accuracy of 1e-5 without near prisms. Measured.
pub const DIRECT_RATE: f64 = 1e8;
const OF_TREE: [f64; 2] = [0.6e-6, 5e-6];
/// Distance in half diagonals of a prism within which a tree is inefficient: points just above a mesh take 30 to 60
/// times as long as distant points. Measured.
pub const NEAR: f64 = 24.0;
/// Exponent of the accuracy in the time per point of a tree. Measured: three more digits take 1.9 to 4.4 times as long.
const PER_ACCURACY: f64 = -0.15;
/// The same for tesseroids at stations on the ground; the time of a tree is that for an accuracy of 1e-4. Measured: direct
/// sums on two busy cores have 4e6 to 1.4e7 pairs per second, a tree of a million tesseroids at 10,000 stations takes 26 to 45 s
/// of a core.
const TESSEROID_RATE: f64 = 1e7;
const OF_TESSEROID_TREE: [f64; 2] = [5e-6, 4e-3];
/// Number of cores that are compared with a GPU.
pub const CORES: f64 = 16.0;
/// Start-up time of a GPU: driver, kernels, memory [s].
pub const START: f64 = 0.5;
/// Pairs per second of a multiprocessor of an NVIDIA H200 in double precision, nine fields in closed form. Measured.
const OF_MULTIPROCESSOR: f64 = 9.0e7;
/// The same for tesseroids, next to stations on the ground. Measured.
const TESSEROIDS_OF_MULTIPROCESSOR: f64 = 4.2e7;
/// Speed-up of single precision there, and slow-down of double precision on chips with few double-precision units. From
/// the numbers of units.
const SINGLE: f64 = 3.0;
const LITTLE_DOUBLE: f64 = 32.0;
/// Compute capabilities of chips with half as many double-precision as single-precision units.
const FULL_DOUBLE: [u32; 5] = [60, 70, 80, 90, 100];

/// The size of a problem.
#[derive(Debug, Clone, Copy)]
pub struct Costs {
    /// Number of prisms or tesseroids.
    bodies: f64,
    are_tesseroids: bool,
    points: f64,
    /// Number of prisms within [`NEAR`] of a point; `None` if unknown.
    near: f64,
}

impl Costs {
    /// Costs for numbers of prisms and points.
    pub fn new(prisms: usize, points: usize) -> Self {
        Self { bodies: prisms as f64, are_tesseroids: false, points: points as f64, near: 0.0 }
    }

    /// Costs for numbers of tesseroids and points.
    pub fn of_tesseroids(tesseroids: usize, points: usize) -> Self {
        Self { are_tesseroids: true, ..Self::new(tesseroids, points) }
    }

    /// The same costs with a number of prisms within [`NEAR`] of a point.
    pub fn among(self, near: f64) -> Self {
        Self { near, ..self }
    }

    /// Number of pairs of a body and a point.
    pub fn pairs(self) -> f64 {
        self.bodies * self.points
    }

    /// Time of direct sums on one core [s].
    pub fn direct(self) -> f64 {
        self.pairs() / if self.are_tesseroids { TESSEROID_RATE } else { DIRECT_RATE }
    }

    /// Time of a tree with an accuracy on one core [s].
    pub fn tree(self, accuracy: f64) -> f64 {
        let ([of_body, of_point], reference) =
            if self.are_tesseroids { (OF_TESSEROID_TREE, 1e-4) } else { (OF_TREE, 1e-5) };
        let of_point = of_point + self.near / DIRECT_RATE;
        of_body * self.bodies + of_point * (accuracy / reference).powf(PER_ACCURACY) * self.points
    }

    /// Time of direct sums on one GPU [s]; `None` for an emulated GPU.
    pub fn on_gpu(self, gpu: &DeviceInfo, precision: Precision) -> Option<f64> {
        let factor = match precision {
            Precision::Single => SINGLE,
            Precision::Double if FULL_DOUBLE.contains(&gpu.chip) => 1.0,
            Precision::Double => 1.0 / LITTLE_DOUBLE,
        };
        let of_one = if self.are_tesseroids { TESSEROIDS_OF_MULTIPROCESSOR } else { OF_MULTIPROCESSOR };
        let rate = of_one * factor * f64::from(gpu.multiprocessors);
        (gpu.chip > 0).then(|| START + self.pairs() / rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chip(chip: u32, multiprocessors: u32) -> DeviceInfo {
        let name = "a GPU".to_owned();
        DeviceInfo {
            ordinal: 0,
            name,
            chip,
            memory: 1 << 34,
            multiprocessors,
            shared_per_block: 48 << 10,
            slot: [0; 3],
        }
    }

    #[test]
    fn a_gpu_is_faster_for_many_pairs_and_with_fast_double_precision() {
        let on_gpu = |costs: Costs, gpu: &DeviceInfo, precision| costs.on_gpu(gpu, precision).expect("a GPU");
        let (strong, weak) = (chip(90, 132), chip(89, 128));
        let balls = Costs::new(251_946, 15_000);
        let [double, single] = [Precision::Double, Precision::Single];
        assert!((on_gpu(balls, &strong, double) - 0.818).abs() < 1e-3, "{}", on_gpu(balls, &strong, double));
        assert!(on_gpu(balls, &strong, double) < balls.direct() / CORES);
        assert!(on_gpu(balls, &weak, double) > balls.direct() / CORES);
        assert!(on_gpu(balls, &weak, single) < balls.direct() / CORES);
        let small = Costs::new(1000, 1000);
        assert!(on_gpu(small, &strong, double) > small.direct() / CORES, "the start alone takes longer");
        assert!(balls.tree(1e-5) / CORES < on_gpu(balls, &strong, double), "a tree is faster");
        assert!(balls.tree(1e-8) > balls.tree(1e-5));
        assert!(balls.among(1e4).tree(1e-5) > 5.0 * balls.tree(1e-5), "near prisms are taken one by one");
        assert_eq!(small.on_gpu(&chip(0, 1), double), None);
        let continent = Costs::of_tesseroids(1_000_000, 10_000);
        assert!(on_gpu(continent, &strong, double) < continent.direct() / CORES, "direct sums of tesseroids");
        assert!(on_gpu(continent, &weak, double) > continent.tree(1e-4) / CORES, "little double precision");
        let region = Costs::of_tesseroids(10_000, 1000);
        assert!(on_gpu(region, &strong, double) > region.direct() / CORES, "the start alone takes longer");
    }
}
