//! A small run by spectral elements.

/// A box of 8 elements with one receiver, recorded for a duration [s], with a wavelet of a frequency [Hz].
pub fn small_run(duration: f64, frequency: f64) -> String {
    format!(
        r#"
duration = {duration:?}
[domain]
x = [0.0, 400.0]
y = [0.0, 400.0]
z = [-400.0, 0.0]
[model.layered]
layers = [{{ top = 0.0, vp = 3500.0, vs = 2000.0, rho = 2500.0 }}]
[[source]]
position = [150.0, 150.0, -200.0]
force = [0.0, 0.0, 1.0e9]
time_function.ricker = {{ frequency = {frequency:?} }}
[receivers]
stations = [{{ code = "XX.A", position = [200.0, 300.0, 0.0] }}]
[method.sem]
max_frequency = 4.0
element_size = 200.0
degree = 2
[output]
directory = "results"
"#
    )
}
