//! Optimal transport between traces, as a misfit.

/// Factor of the exponent of [`softplus`], relative to the largest magnitude of the observed trace.
///
/// For a Ricker wavelet of 10 Hz in a trace of 2 s, the misfit increases with the shift of the trace without a local minimum, and is convex for shifts up to
/// three periods. With a factor of 3 it is convex up to 0.6 periods. If a constant is added to the trace instead, the misfit has a maximum at 0.6 periods, as
/// the L2 misfit.
const STEEPNESS: f64 = 10.0;

/// Squared Wasserstein distance of second order between two densities on an interval of unit cells, and its derivative with respect to each value of the first.
///
/// The densities are constant in each cell and divided by their sums, f and g. With their cumulative sums F and G and the optimal map T = G⁻¹ ∘ F,
/// W² = ∫ (x - T(x))² f(x) dx. Its derivative with respect to f(x) is the potential φ, φ' = 2 (x - T(x)). T is linear between the points at which F or G passes a
/// border of a cell, so both integrals are exact.
///
/// # Arguments
/// * `f`, `g` – positive values, as many of each
/// # Panics
/// If the numbers of values differ.
/// # Source
/// Villani (2003), Topics in optimal transportation, section 2.2; Yang, Engquist, Sun and Hamfeldt (2018), Geophysics 83, R43-R62. Verified by
/// `the_distance_of_shifted_boxes_is_their_shift` and `derivatives_of_distances_agree_with_differences`.
pub fn squared_wasserstein(f: &[f64], g: &[f64]) -> (f64, Vec<f64>) {
    assert_eq!(f.len(), g.len(), "the densities have the same cells");
    let [sum, of_g] = [f, g].map(|values| values.iter().sum::<f64>());
    let mut walk = Walk::default();
    let (mut distance, mut potential) = (0.0, 0.0);
    let mut means = vec![0.0; f.len()];
    while walk.cells.iter().all(|&cell| cell < f.len()) {
        let [i, j] = walk.cells;
        let (before, [along, _], mass) = walk.step([f[i] / sum, g[j] / of_g]);
        let after = walk.places[0] - walk.places[1];
        distance += mass * (before * before + before * after + after * after) / 3.0;
        means[i] += along * (potential + along * (2.0 * before + after) / 3.0);
        potential += along * (before + after);
        walk.leave();
    }
    // The sum of f does not count.
    let mean: f64 = means.iter().zip(f).map(|(own, f)| own * f / sum).sum();
    (distance, means.into_iter().map(|own| (own - mean) / sum).collect())
}

/// Positions in two densities up to which the masses are equal.
#[derive(Default)]
struct Walk {
    cells: [usize; 2],
    places: [f64; 2],
    /// Mass of the current cells up to the positions.
    used: [f64; 2],
    /// Which cells end.
    ends: [bool; 2],
}

impl Walk {
    /// Advances to the next border of a cell. Returns the distance of the positions before, their movement, and the mass.
    ///
    /// # Arguments
    /// * `of_cells` – masses of the current cells
    fn step(&mut self, of_cells: [f64; 2]) -> (f64, [f64; 2], f64) {
        let before = self.places[0] - self.places[1];
        let left = [0, 1].map(|which| (of_cells[which] - self.used[which]).max(0.0));
        let mass = left[0].min(left[1]);
        self.ends = [left[0] <= left[1], left[1] <= left[0]];
        let mut along = [0.0; 2];
        for which in [0, 1] {
            let border = (self.cells[which] + 1) as f64;
            let next =
                if self.ends[which] { border } else { (self.places[which] + mass / of_cells[which]).min(border) };
            along[which] = next - self.places[which];
            self.places[which] = next;
            self.used[which] += mass;
        }
        (before, along, mass)
    }

    /// Enters the next cells.
    fn leave(&mut self) {
        for which in [0, 1] {
            if self.ends[which] {
                self.cells[which] += 1;
                self.used[which] = 0.0;
            }
        }
    }
}

/// ln(1 + exp x) and its derivative, without overflow.
fn softplus(x: f64) -> (f64, f64) {
    let decay = (-x.abs()).exp();
    let slope = if x >= 0.0 { 1.0 / (1.0 + decay) } else { decay / (1.0 + decay) };
    (x.max(0.0) + decay.ln_1p(), slope)
}

/// The misfit of optimal transport between two traces, and its derivative with respect to each sample of the first one.
///
/// J = ½ W², [`squared_wasserstein`] of the densities ln(1 + exp(10 s / A)) and ln(1 + exp(10 o / A)), with the largest magnitude A of the observed trace. J is
/// half the mean squared time \[s²\] by which the mass of one density must be moved to obtain the other. It is zero if the observed trace is zero.
///
/// # Arguments
/// * `computed`, `observed` – s and o
/// * `interval` – sample interval \[s\]
/// # Panics
/// If the numbers of samples differ.
/// # Source
/// Engquist and Froese (2014), Communications in Mathematical Sciences 12, for the misfit; Yang, Engquist, Sun and Hamfeldt (2018), Geophysics 83, R43-R62, for
/// traces one by one; Engquist and Yang (2019), Methods and Applications of Analysis 26, for the soft-plus function. Verified by
/// `derivatives_of_transport_misfits_agree_with_differences`.
pub fn transport_misfit(computed: &[f64], observed: &[f64], interval: f64) -> (f64, Vec<f64>) {
    let largest = observed.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    if largest == 0.0 {
        return (0.0, vec![0.0; computed.len()]);
    }
    let scale = STEEPNESS / largest;
    let (f, slopes): (Vec<f64>, Vec<f64>) = computed.iter().map(|s| softplus(scale * s)).unzip();
    let g: Vec<f64> = observed.iter().map(|o| softplus(scale * o).0).collect();
    let (distance, derivative) = squared_wasserstein(&f, &g);
    let half = 0.5 * interval * interval;
    let derivative = derivative.into_iter().zip(slopes).map(|(own, slope)| half * own * scale * slope);
    (half * distance, derivative.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differences::assert_derivative;

    fn ricker(count: usize, centre: f64) -> Vec<f64> {
        let of = |n: usize| {
            let x = ((n as f64 - centre) * 0.126).powi(2);
            (1.0 - 2.0 * x) * (-x).exp()
        };
        (0..count).map(of).collect()
    }

    #[test]
    fn the_distance_of_shifted_boxes_is_their_shift() {
        let of = |first: usize| {
            (0..40).map(|n| if (first..first + 5).contains(&n) { 1.0 } else { 1e-14 }).collect::<Vec<_>>()
        };
        let (distance, _) = squared_wasserstein(&of(23), &of(11));
        assert!((distance - 144.0).abs() < 1e-9, "{distance}");
        // The mass of one cell, spread over two: x - T(x) is between 0 and -1, and its square has the mean 1/3.
        let (distance, _) = squared_wasserstein(&[1e-15, 1.0, 1e-15, 1e-15], &[1e-15, 0.5, 0.5, 1e-15]);
        assert!((distance - 1.0 / 3.0).abs() < 1e-12, "{distance}");
    }

    #[test]
    fn derivatives_of_distances_agree_with_differences() {
        let [f, g] =
            [17.0, 29.0].map(|centre| ricker(60, centre).into_iter().map(|value| 1.2 + value).collect::<Vec<_>>());
        assert_derivative(|f| squared_wasserstein(f, &g), &f, &[0, 7, 16, 30, 59], [1e-5, 1e-8]);
    }

    #[test]
    fn derivatives_of_transport_misfits_agree_with_differences() {
        let (computed, observed) = (ricker(90, 30.0), ricker(90, 42.5));
        let misfit = |trace: &[f64]| transport_misfit(trace, &observed, 0.004);
        assert_derivative(misfit, &computed, &[0, 12, 25, 30, 41, 89], [1e-5, 1e-8]);
        let (same, derivative) = misfit(&observed);
        assert!(same < 1e-20 && derivative.iter().all(|value| value.abs() < 1e-14), "{same:e}");
        assert!(transport_misfit(&computed, &[0.0; 90], 0.004) == (0.0, vec![0.0; 90]));
        // Amplitudes count, too.
        let twice: Vec<f64> = observed.iter().map(|value| 2.0 * value).collect();
        assert!(misfit(&twice).0 > 1e-8);
    }

    #[test]
    fn the_misfit_of_a_shifted_wavelet_has_no_local_minimum() {
        // Ten hertz at 4 ms: a period has 25 samples.
        let observed = ricker(500, 250.0);
        let misfits: Vec<f64> = (0..35)
            .map(|shift| transport_misfit(&ricker(500, 250.0 + 5.0 * f64::from(shift)), &observed, 0.004).0)
            .collect();
        assert!(misfits.windows(2).all(|pair| pair[0] < pair[1]), "{misfits:?}");
        let convex = misfits.windows(3).take_while(|of| of[2] - 2.0 * of[1] + of[0] > 0.0).count();
        assert!(convex >= 13, "{convex}");
    }
}
