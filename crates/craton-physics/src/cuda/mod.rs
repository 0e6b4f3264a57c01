//! The printer that turns the laws into a CUDA header.

mod functions;
#[cfg(test)]
mod host;
mod print;
mod staggered;

pub use print::{Argument, Scalar, print_cuda};

use functions::{DeviceFunction, Visitor, visit_all};
use staggered::visit_staggered;

/// The operations that printed functions call.
const OPERATIONS: &str = include_str!("operations.cuh");

/// The text of `crates/craton-sem/kernels/laws.cuh`: every law in `float` and in `double`.
///
/// The file is committed; `cargo xtask generate` regenerates it.
pub fn laws_header() -> String {
    let mut header = Header(OPERATIONS.to_owned() + "\nnamespace craton {\n");
    visit_all(&mut header);
    header.0 + "\n}  // namespace craton\n"
}

/// The text of `crates/craton-fd/kernels/staggered.cuh`: the laws on a staggered grid, in `float` and in `double`.
pub fn staggered_header() -> String {
    let mut header = Header(OPERATIONS.to_owned() + "\nnamespace craton {\n");
    visit_staggered(&mut header);
    header.0 + "\n}  // namespace craton\n"
}

/// The text of a header, function by function.
struct Header(String);

impl Visitor for Header {
    fn visit<F: DeviceFunction>(&mut self) {
        self.0 += &format!("\n// {}\n", F::SUMMARY);
        self.0 += &[Scalar::Float, Scalar::Double].map(printed::<F>).join("\n");
    }
}

/// The text of one function, from one call of its law with tracing inputs.
fn printed<F: DeviceFunction>(scalar: Scalar) -> String {
    let inputs: Vec<_> = F::inputs().iter().flat_map(Argument::values).collect();
    let results = F::evaluate(&inputs);
    print_cuda(scalar, &F::name(), &F::inputs(), &F::outputs(), &results)
}
