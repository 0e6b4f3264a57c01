//! Misfits of traces, and their derivatives with respect to the samples.

/// A misfit between computed traces s and observed traces o.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MisfitKind {
    /// ½ Δt Σ (s - o)², Δt the sample interval.
    #[default]
    L2,
    /// ½ Σ |s/‖s‖ - o/‖o‖|² over traces, ‖.‖ the L2 norm of a trace: independent of amplitudes. Traces without signal do not count.
    Normalised,
    /// -Δt Σ s o, the correlation without delay: minus its gradient is the image of the observed traces by reverse-time migration, that is the transpose of
    /// Born modelling.
    Correlation,
}

impl MisfitKind {
    /// Its name in options and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::L2 => "l2",
            Self::Normalised => "normalised",
            Self::Correlation => "correlation",
        }
    }

    /// The misfit of a trace, and its derivative with respect to each sample.
    ///
    /// # Arguments
    /// * `interval` – sample interval [s]
    pub fn of_trace(self, computed: &[f32], observed: &[f32], interval: f64) -> (f64, Vec<f64>) {
        let pairs = || computed.iter().zip(observed).map(|(&s, &o)| (f64::from(s), f64::from(o)));
        match self {
            Self::L2 => {
                let residual: Vec<f64> = pairs().map(|(s, o)| interval * (s - o)).collect();
                (0.5 * residual.iter().map(|r| r * r).sum::<f64>() / interval, residual)
            }
            Self::Correlation => {
                let misfit = pairs().map(|(s, o)| -interval * s * o).sum();
                (misfit, pairs().map(|(_, o)| -interval * o).collect())
            }
            Self::Normalised => {
                let norms = pairs().fold([0.0; 2], |[s2, o2], (s, o)| [s2 + s * s, o2 + o * o]).map(f64::sqrt);
                if norms.contains(&0.0) {
                    return (0.0, vec![0.0; computed.len()]);
                }
                let unit = || pairs().map(|(s, o)| (s / norms[0], o / norms[1]));
                let misfit = 0.5 * unit().map(|(s, o)| (s - o) * (s - o)).sum::<f64>();
                // The change along the trace itself does not count.
                let along: f64 = unit().map(|(s, o)| s * (s - o)).sum();
                (misfit, unit().map(|(s, o)| (s - o - along * s) / norms[0]).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_misfits_agree_with_differences() {
        let wave = |shift: f32, size: f32| (0..50).map(|n| size * (0.3 * n as f32 + shift).sin()).collect::<Vec<f32>>();
        let (computed, observed) = (wave(0.0, 2.0), wave(0.4, 3.0));
        for kind in [MisfitKind::L2, MisfitKind::Normalised, MisfitKind::Correlation] {
            let (_, derivative) = kind.of_trace(&computed, &observed, 0.004);
            for at in [3, 17, 49] {
                let changed = |change: f32| {
                    let mut changed = computed.clone();
                    changed[at] += change;
                    (kind.of_trace(&changed, &observed, 0.004).0, f64::from(changed[at]))
                };
                let ((high, above), (low, below)) = (changed(0.0078125), changed(-0.0078125));
                let expected = (high - low) / (above - below);
                assert!((derivative[at] - expected).abs() < 1e-4 * expected.abs(), "{kind:?} {at}");
            }
            let of_same = kind.of_trace(&computed, &computed, 0.004).0;
            assert!(of_same == 0.0 || kind == MisfitKind::Correlation && of_same < 0.0);
        }
        assert_eq!(MisfitKind::Normalised.of_trace(&[0.0; 4], &[1.0; 4], 0.004), (0.0, vec![0.0; 4]));
    }
}
