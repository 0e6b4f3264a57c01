//! Misfits of traces, and their derivatives with respect to the samples.

/// Largest norm of a trace without signal, relative to the largest one of the shot.
const SILENT: f64 = 1e-6;

/// A misfit between computed traces s and observed traces o.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MisfitKind {
    /// ½ Δt Σ (s - o)², Δt the sample interval.
    #[default]
    L2,
    /// ½ Σ |s/‖s‖ - o/‖o‖|² over traces, ‖.‖ the L2 norm of a trace: independent of amplitudes. A trace does not count if its norm is
    /// at most 1e-6 of the largest one of the shot, among computed or among observed traces.
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

    /// The misfit of the traces of a shot, and its derivative with respect to each sample of the computed ones.
    ///
    /// # Arguments
    /// * `observed` – `None` for dead traces, which do not count
    /// * `interval` – sample interval [s]
    pub fn of_traces(
        self,
        computed: &[Vec<f32>],
        observed: &[Option<Vec<f32>>],
        interval: f64,
    ) -> (f64, Vec<Vec<f64>>) {
        let pairs = || computed.iter().zip(observed);
        let norms = pairs().filter_map(|(s, o)| Some([norm(s), norm(o.as_ref()?)]));
        let largest = norms.fold([0.0; 2], |[s, o], [norm_s, norm_o]| [norm_s.max(s), norm_o.max(o)]);
        let silent = largest.map(|largest| SILENT * largest);
        let of_pair = |(s, o): (&Vec<f32>, &Option<Vec<f32>>)| match o {
            Some(o) => self.of_trace(s, o, interval, silent),
            None => (0.0, vec![0.0; s.len()]),
        };
        let (misfits, derivatives): (Vec<f64>, Vec<Vec<f64>>) = pairs().map(of_pair).unzip();
        (misfits.iter().sum(), derivatives)
    }

    /// The misfit of a trace, and its derivative with respect to each sample.
    ///
    /// # Arguments
    /// * `silent` – largest norm of a computed and of an observed trace without signal
    fn of_trace(self, computed: &[f32], observed: &[f32], interval: f64, silent: [f64; 2]) -> (f64, Vec<f64>) {
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
                let norms = [computed, observed].map(norm);
                if norms.iter().zip(silent).any(|(&norm, silent)| norm <= silent) {
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

/// The L2 norm of samples.
fn norm(samples: &[f32]) -> f64 {
    samples.iter().map(|&sample| f64::from(sample).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_misfits_agree_with_differences() {
        let wave = |shift: f32, size: f32| (0..50).map(|n| size * (0.3 * n as f32 + shift).sin()).collect::<Vec<f32>>();
        let (computed, observed) = (wave(0.0, 2.0), wave(0.4, 3.0));
        for kind in [MisfitKind::L2, MisfitKind::Normalised, MisfitKind::Correlation] {
            let (_, derivative) = kind.of_trace(&computed, &observed, 0.004, [0.0; 2]);
            for at in [3, 17, 49] {
                let changed = |change: f32| {
                    let mut changed = computed.clone();
                    changed[at] += change;
                    (kind.of_trace(&changed, &observed, 0.004, [0.0; 2]).0, f64::from(changed[at]))
                };
                let ((high, above), (low, below)) = (changed(0.0078125), changed(-0.0078125));
                let expected = (high - low) / (above - below);
                assert!((derivative[at] - expected).abs() < 1e-4 * expected.abs(), "{kind:?} {at}");
            }
            let of_same = kind.of_trace(&computed, &computed, 0.004, [0.0; 2]).0;
            assert!(of_same == 0.0 || kind == MisfitKind::Correlation && of_same < 0.0);
        }
    }

    #[test]
    fn traces_without_signal_and_dead_traces_do_not_count() {
        let alive = || vec![1.0, 2.0, -1.0, 0.5];
        let faint = || alive().into_iter().map(|value: f32| 1e-7 * value).collect::<Vec<_>>();
        let kind = MisfitKind::Normalised;
        let (alone, _) = kind.of_traces(&[alive()], &[Some(vec![1.0; 4])], 0.004);
        assert!(alone > 0.0);
        for (computed, observed) in [(vec![0.0; 4], alive()), (faint(), alive()), (alive(), faint())] {
            let (misfit, derivatives) =
                kind.of_traces(&[alive(), computed], &[Some(vec![1.0; 4]), Some(observed)], 0.004);
            assert!(misfit == alone && derivatives[0] != [0.0; 4] && derivatives[1] == [0.0; 4]);
        }
        // The threshold is relative: a shot of small amplitudes counts.
        assert!(kind.of_traces(&[faint()], &[Some(vec![1e-9; 4])], 0.004).0 > 0.0);
        for kind in [MisfitKind::L2, MisfitKind::Normalised, MisfitKind::Correlation] {
            let (misfit, derivatives) = kind.of_traces(&[alive(), alive()], &[None, Some(vec![1.0; 4])], 0.004);
            assert_eq!(misfit, kind.of_traces(&[alive()], &[Some(vec![1.0; 4])], 0.004).0);
            assert!(derivatives[0] == [0.0; 4] && derivatives[1] != [0.0; 4]);
        }
    }
}
