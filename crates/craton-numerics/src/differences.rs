//! Derivatives against finite differences, for tests.

/// Compares derivatives of a function with central differences of fourth order.
///
/// # Arguments
/// * `function` – the value and its derivative with respect to each sample
/// * `at` – the samples that are changed
/// * `limits` – change of a sample, and tolerance relative to the largest derivative
pub fn assert_derivative(
    function: impl Fn(&[f64]) -> (f64, Vec<f64>),
    samples: &[f64],
    at: &[usize],
    [change, tolerance]: [f64; 2],
) {
    let (_, derivative) = function(samples);
    let largest = derivative.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    for &index in at {
        let value = |steps: f64| {
            let mut changed = samples.to_vec();
            changed[index] += steps * change;
            function(&changed).0
        };
        let expected = (8.0 * (value(1.0) - value(-1.0)) - (value(2.0) - value(-2.0))) / (12.0 * change);
        let error = (derivative[index] - expected).abs() / largest;
        assert!(error < tolerance, "sample {index}: {} instead of {expected}, {error:e}", derivative[index]);
    }
}
