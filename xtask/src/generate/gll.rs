//! Compile-time tables of degree 4 for kernels.

use craton_numerics::gll::Gll;
use craton_numerics::lagrange;
use craton_sem_kernels::short_waves;

/// Smaller entries are rounding errors of zero.
const ZERO: f64 = 1e-12;

/// The header: constants of degree 4 in single precision.
pub fn header() -> String {
    let gll = Gll::new(4).expect("degree 4 is one of the rule's");
    let control = [-1.0, 0.0, 1.0];
    let derivative: Vec<Vec<f64>> = lagrange::derivative_matrix(&gll.points).chunks(5).map(<[f64]>::to_vec).collect();
    let shape = gll.points.iter().map(|&x| lagrange::basis(&control, x)).collect::<Vec<_>>();
    let short: Vec<Vec<f64>> = (0..5).map(|i| (0..5).map(|m| short_waves(&gll, i, m)).collect()).collect();
    let slope = gll.points.iter().map(|&x| lagrange::basis_derivative(&control, x)).collect::<Vec<_>>();
    [
        "// Generated from crate craton-numerics by `cargo xtask generate`: degree 4, for kernels that know their tables when they are compiled.\n\n\
         #pragma once\n\nnamespace craton {\nnamespace gll4 {\n\n"
            .to_owned(),
        list("point", "Gauss-Lobatto-Legendre points.", &gll.points),
        list("weight", "Their weights.", &gll.weights),
        table("derivative", "Derivative of basis function m at point i.", &derivative),
        table("shape", "Quadratic shape function of control node m at point i.", &shape),
        table("slope", "Its derivative.", &slope),
        table("short_waves", "Quadratic form of the two highest Legendre polynomials along a line, weights included.", &short),
        "\n}  // namespace gll4\n}  // namespace craton\n".to_owned(),
    ]
    .concat()
}

fn list(name: &str, what: &str, values: &[f64]) -> String {
    let values = row(values);
    format!(
        "// {what}\nCRATON_LAW constexpr float {name}(int i) {{\n    constexpr float table[5] = {values};\n    return table[i];\n}}\n"
    )
}

fn table(name: &str, what: &str, rows: &[Vec<f64>]) -> String {
    let (height, width) = (rows.len(), rows[0].len());
    let rows: Vec<String> = rows.iter().map(|values| row(values)).collect();
    format!(
        "// {what}\nCRATON_LAW constexpr float {name}(int i, int m) {{\n    constexpr float table[{height}][{width}] = {{{}}};\n    \
         return table[i][m];\n}}\n",
        rows.join(", ")
    )
}

/// Values in braces, with as many digits as single precision has.
fn row(values: &[f64]) -> String {
    let literal = |&value: &f64| format!("{:?}f", if value.abs() < ZERO { 0.0 } else { value as f32 });
    format!("{{{}}}", values.iter().map(literal).collect::<Vec<_>>().join(", "))
}
