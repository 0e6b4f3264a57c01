//! Prints traced results as a C++ function.

use std::collections::HashMap;

use crate::expr::{Expr, Node};

/// The scalar type of a printed function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `float`
    Float,
    /// `double`
    Double,
}

impl Scalar {
    /// The type's name in C++.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// A constant with the fewest decimals that represent it exactly.
    fn literal(self, value: f64) -> String {
        assert!(value.is_finite(), "a law has finite constants, not {value}");
        match self {
            Self::Float => format!("{:?}f", value as f32),
            Self::Double => format!("{value:?}"),
        }
    }
}

/// An argument of a printed function: a scalar, or an array of fixed shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// Its lengths, the slowest index first; none for a scalar.
    pub shape: Vec<usize>,
}

impl Argument {
    /// An argument of a name and a shape.
    pub fn new(name: &'static str, shape: &[usize]) -> Self {
        Self { name, shape: shape.to_vec() }
    }

    /// The C++ text of each of its values, the last index fastest.
    pub fn elements(&self) -> Vec<String> {
        let mut elements = vec![self.name.to_owned()];
        for &length in &self.shape {
            let with_index = |element: String| (0..length).map(move |i| format!("{element}[{i}]"));
            elements = elements.into_iter().flat_map(with_index).collect();
        }
        elements
    }

    /// Its values as inputs of a law, the last index fastest.
    pub fn values(&self) -> Vec<Expr> {
        self.elements().iter().map(|element| Expr::input(element)).collect()
    }

    /// The lengths in C++, such as `[3][3]`.
    pub(super) fn lengths(&self) -> String {
        self.shape.iter().map(|length| format!("[{length}]")).collect()
    }

    /// Its declaration as an input.
    fn as_input(&self, scalar: Scalar) -> String {
        let (scalar, name, lengths) = (scalar.name(), self.name, self.lengths());
        if self.shape.is_empty() { format!("{scalar} {name}") } else { format!("const {scalar} (&{name}){lengths}") }
    }

    /// Its declaration as an output.
    fn as_output(&self, scalar: Scalar) -> String {
        format!("{} (&{}){}", scalar.name(), self.name, self.lengths())
    }
}

/// A straight-line C++ function that computes traced results.
///
/// It has one line per operation. Each operation occurs once, and the numbers follow the order in which
/// the results need them, independent of what was traced before. All results are written at the end, so
/// an output may be the same array as an input.
///
/// # Arguments
/// * `scalar` – type of every value
/// * `name` – the function's name
/// * `inputs` – its inputs, in the order of its arguments; `results` use no other
///   [inputs](Expr::input)
/// * `outputs` – its outputs, after the inputs
/// * `results` – the values of all `outputs`, one after the other, the last index fastest
///
/// # Panics
/// If the number of `results` is not that of the values of `outputs`.
pub fn print_cuda(scalar: Scalar, name: &str, inputs: &[Argument], outputs: &[Argument], results: &[Expr]) -> String {
    let read = inputs.iter().map(|argument| argument.as_input(scalar));
    let written = outputs.iter().map(|argument| argument.as_output(scalar));
    let arguments: Vec<_> = read.chain(written).collect();
    let mut body = Body { scalar, values: HashMap::new(), lines: Vec::new() };
    let values: Vec<_> = results.iter().map(|&result| body.value(result)).collect();
    let targets: Vec<_> = outputs.iter().flat_map(Argument::elements).collect();
    assert_eq!(targets.len(), values.len(), "one result for each value of the outputs");
    for (target, value) in targets.iter().zip(values) {
        body.lines.push(format!("    {target} = {value};\n"));
    }
    format!("CRATON_LAW void {name}({}) {{\n{}}}\n", arguments.join(", "), body.lines.concat())
}

/// The lines of a function, and the C++ expression of each value computed so far.
struct Body {
    scalar: Scalar,
    values: HashMap<Expr, String>,
    lines: Vec<String>,
}

impl Body {
    /// The C++ expression of a value; adds the lines that compute it.
    fn value(&mut self, expr: Expr) -> String {
        if let Some(text) = self.values.get(&expr) {
            return text.clone();
        }
        let text = match expr.node() {
            Node::Input(name) => name,
            Node::Constant(bits) => self.scalar.literal(f64::from_bits(bits)),
            Node::Operation(name, operands) => self.operation(name, &operands),
        };
        self.values.insert(expr, text.clone());
        text
    }

    /// Adds the line that computes an operation, after those of its operands; returns the name of its result.
    fn operation(&mut self, name: &str, operands: &[Expr]) -> String {
        let operands: Vec<_> = operands.iter().map(|&operand| self.value(operand)).collect();
        let number = self.lines.len();
        let (scalar, operands) = (self.scalar.name(), operands.join(", "));
        self.lines.push(format!("    const {scalar} t{number} = op::{name}({operands});\n"));
        format!("t{number}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::Real;

    #[test]
    fn common_parts_are_printed_once_and_numbered_by_need() {
        let [x, y] = ["v[0]", "v[1]"].map(Expr::input);
        let unused = x / y;
        let sum = x + y;
        let results = [sum * sum, sum.mul_add(x, Expr::constant(0.1))];
        let (input, output) = (Argument::new("v", &[2]), Argument::new("w", &[2]));
        let text = print_cuda(Scalar::Float, "f", &[input], &[output], &results);
        assert_ne!(unused, sum);
        assert_eq!(
            text,
            "CRATON_LAW void f(const float (&v)[2], float (&w)[2]) {\n    \
             const float t0 = op::add(v[0], v[1]);\n    \
             const float t1 = op::mul(t0, t0);\n    \
             const float t2 = op::fma(t0, v[0], 0.1f);\n    \
             w[0] = t1;\n    \
             w[1] = t2;\n}\n"
        );
    }

    #[test]
    fn a_scalar_is_passed_by_value_and_returned_by_reference() {
        let (input, output) = (Argument::new("a", &[]), Argument::new("b", &[]));
        let text = print_cuda(Scalar::Double, "root", &[input], &[output], &[Expr::input("a").sqrt()]);
        assert!(text.starts_with("CRATON_LAW void root(double a, double (&b)) {\n"), "{text}");
    }
}
