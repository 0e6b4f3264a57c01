//! Misfits of traces, and their derivatives with respect to the samples.

use craton_numerics::envelope::Envelopes;
use craton_numerics::transport::transport_misfit;
use rayon::prelude::*;

use super::observed::in_words;
use crate::survey::Gather;

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
    /// ½ Δt Σ (E(s) - E(o))², E the envelope by the Hilbert transform: see [`Envelopes::misfit`].
    Envelope,
    /// ½ Σ W² over traces, W the Wasserstein distance of second order between traces made positive: see [`transport_misfit`]. Traces do not count if the
    /// norm of the observed one is at most 1e-6 of the largest one of the shot.
    Transport,
    /// Σ s a over samples: the observed traces are adjoint sources a, the derivatives of a misfit with respect to each sample.
    AdjointSource,
}

/// Misfit of the traces of a shot, and its derivative with respect to each sample, `[channel][sample]`.
pub type TraceMisfit = (f64, Vec<Vec<f64>>);

/// A misfit of the calling program: from the computed gather of a shot to the misfit and its derivatives, or why there are none. Several threads call it at once.
pub type MisfitFunction<'a> = dyn Fn(&Gather) -> Result<TraceMisfit, String> + Sync + 'a;

impl MisfitKind {
    /// All misfits.
    pub const ALL: [Self; 6] =
        [Self::L2, Self::Normalised, Self::Correlation, Self::Envelope, Self::Transport, Self::AdjointSource];

    /// Its name in options and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::L2 => "l2",
            Self::Normalised => "normalised",
            Self::Correlation => "correlation",
            Self::Envelope => "envelope",
            Self::Transport => "transport",
            Self::AdjointSource => "adjoint_source",
        }
    }

    /// The misfit with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The misfit of the traces of a shot, and its derivative with respect to each sample of the computed ones. The threads of the current pool share the traces.
    ///
    /// # Arguments
    /// * `observed` – `None` for dead traces, which do not count
    /// * `interval` – sample interval [s]
    pub fn of_traces(self, computed: &[Vec<f32>], observed: &[Option<Vec<f32>>], interval: f64) -> TraceMisfit {
        let pairs = || computed.iter().zip(observed);
        let norms = pairs().filter_map(|(s, o)| Some([norm(s), norm(o.as_ref()?)]));
        let largest = norms.fold([0.0; 2], |[s, o], [norm_s, norm_o]| [norm_s.max(s), norm_o.max(o)]);
        let silent = largest.map(|largest| SILENT * largest);
        let envelopes = (self == Self::Envelope).then(|| Envelopes::new(computed.first().map_or(0, Vec::len)));
        let of_pair = |(s, o): (&Vec<f32>, &Option<Vec<f32>>)| match o {
            Some(o) => self.of_trace([s, o], interval, silent, envelopes.as_ref()),
            None => (0.0, vec![0.0; s.len()]),
        };
        let (misfits, derivatives): (Vec<f64>, Vec<Vec<f64>>) = computed.par_iter().zip(observed).map(of_pair).unzip();
        (misfits.iter().sum(), derivatives)
    }

    /// The misfit of a trace, and its derivative with respect to each sample.
    ///
    /// # Arguments
    /// * `of` – computed and observed trace
    /// * `silent` – largest norm of a computed and of an observed trace without signal
    /// * `envelopes` – for [`Self::Envelope`]
    fn of_trace(
        self,
        of: [&[f32]; 2],
        interval: f64,
        silent: [f64; 2],
        envelopes: Option<&Envelopes>,
    ) -> (f64, Vec<f64>) {
        let none = || (0.0, vec![0.0; of[0].len()]);
        let norms = of.map(norm);
        let is_silent = [0, 1].map(|which| norms[which] <= silent[which]);
        let [computed, observed] = of.map(in_double_precision);
        let pairs = || computed.iter().zip(&observed);
        match self {
            Self::L2 => {
                let residual: Vec<f64> = pairs().map(|(s, o)| interval * (s - o)).collect();
                (0.5 * residual.iter().map(|r| r * r).sum::<f64>() / interval, residual)
            }
            Self::Correlation => {
                let misfit = pairs().map(|(s, o)| -interval * s * o).sum();
                (misfit, observed.iter().map(|o| -interval * o).collect())
            }
            Self::Normalised if is_silent.contains(&true) => none(),
            Self::Normalised => {
                let unit = || pairs().map(|(s, o)| (s / norms[0], o / norms[1]));
                let misfit = 0.5 * unit().map(|(s, o)| (s - o) * (s - o)).sum::<f64>();
                // The change along the trace itself does not count.
                let along: f64 = unit().map(|(s, o)| s * (s - o)).sum();
                (misfit, unit().map(|(s, o)| (s - o - along * s) / norms[0]).collect())
            }
            Self::Envelope => envelopes.map_or_else(none, |own| own.misfit(&computed, &observed, interval)),
            Self::Transport if is_silent[1] => none(),
            Self::Transport => transport_misfit(&computed, &observed, interval),
            Self::AdjointSource => (pairs().map(|(s, a)| s * a).sum(), observed),
        }
    }
}

/// Checks the result of a misfit of the calling program.
///
/// # Errors
/// Another number of traces or samples than that of the gather, or a value that is not finite.
pub fn checked((misfit, derivatives): TraceMisfit, of: &Gather) -> Result<TraceMisfit, String> {
    let (number, found, needed) = (of.shot, derivatives.len(), of.traces.len());
    if found != needed {
        return Err(format!("the adjoint source of shot {number} has {found} traces instead of {needed}"));
    }
    if !misfit.is_finite() {
        return Err(format!("the misfit of shot {number} is {misfit}, which is not finite"));
    }
    for ((channel, computed), trace) in of.channels.iter().zip(&of.traces).zip(&derivatives) {
        let own = || format!("the adjoint source of {}", in_words([number, *channel]));
        let samples = computed.len();
        if trace.len() != samples {
            return Err(format!("{} has {} samples instead of {samples}", own(), trace.len()));
        }
        if let Some(sample) = trace.iter().position(|value| !value.is_finite()) {
            return Err(format!("{} has the value {} at sample {sample}, which is not finite", own(), trace[sample]));
        }
    }
    Ok((misfit, derivatives))
}

/// The L2 norm of samples.
fn norm(samples: &[f32]) -> f64 {
    samples.iter().map(|&sample| f64::from(sample).powi(2)).sum::<f64>().sqrt()
}

fn in_double_precision(samples: &[f32]) -> Vec<f64> {
    samples.iter().map(|&sample| f64::from(sample)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_misfits_agree_with_differences() {
        let wave = |shift: f32, size: f32| (0..50).map(|n| size * (0.3 * n as f32 + shift).sin()).collect::<Vec<f32>>();
        let (computed, observed) = (wave(0.0, 2.0), wave(0.4, 3.0));
        for kind in MisfitKind::ALL {
            let of = |trace: &Vec<f32>| {
                let (misfit, mut derivatives) =
                    kind.of_traces(std::slice::from_ref(trace), &[Some(observed.clone())], 0.004);
                (misfit, derivatives.remove(0))
            };
            let (_, derivative) = of(&computed);
            for at in [3, 17, 49] {
                let changed = |change: f32| {
                    let mut changed = computed.clone();
                    changed[at] += change;
                    (of(&changed).0, f64::from(changed[at]))
                };
                let ((high, above), (low, below)) = (changed(0.0078125), changed(-0.0078125));
                let expected = (high - low) / (above - below);
                assert!((derivative[at] - expected).abs() < 3e-4 * expected.abs(), "{kind:?} {at}");
            }
            let of_same = of(&observed).0;
            let is_difference = !matches!(kind, MisfitKind::Correlation | MisfitKind::AdjointSource);
            assert!(of_same.abs() < 1e-15 || !is_difference, "{kind:?} {of_same}");
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
        let (misfit, derivatives) = MisfitKind::Transport.of_traces(
            &[alive(), alive()],
            &[Some(vec![1.0, 0.0, 0.0, 0.0]), Some(faint())],
            0.004,
        );
        assert!(misfit > 0.0 && derivatives[0] != [0.0; 4] && derivatives[1] == [0.0; 4]);
        for kind in MisfitKind::ALL {
            let expected = Some(vec![1.0, 0.0, 0.0, 0.0]);
            let (misfit, derivatives) = kind.of_traces(&[alive(), alive()], &[None, expected.clone()], 0.004);
            assert_eq!(misfit, kind.of_traces(&[alive()], &[expected], 0.004).0);
            assert!(derivatives[0] == [0.0; 4] && derivatives[1] != [0.0; 4], "{kind:?}");
        }
    }
}
