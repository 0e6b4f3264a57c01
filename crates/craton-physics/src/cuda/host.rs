//! Test of the header compiled for the host: its results must be bit-identical to those of the Rust laws.

use std::fs;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::path::Path;
use std::process::{Command, Stdio};

use super::functions::{DeviceFunction, Visitor, visit_all};
use super::print::{Argument, Scalar};
use super::staggered::visit_staggered;
use super::{laws_header, printed, staggered_header};
use crate::real::Real;

/// Random points at which each function is compared.
const CASES: usize = 64;

/// A scalar with fused multiply-add on every CPU, as on a GPU.
#[derive(Clone, Copy)]
struct Fused<F>(F);

macro_rules! fused {
    ($float:ty) => {
        impl Add for Fused<$float> {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl Sub for Fused<$float> {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl Mul for Fused<$float> {
            type Output = Self;
            fn mul(self, other: Self) -> Self {
                Self(self.0 * other.0)
            }
        }
        impl Div for Fused<$float> {
            type Output = Self;
            fn div(self, other: Self) -> Self {
                Self(self.0 / other.0)
            }
        }
        impl Neg for Fused<$float> {
            type Output = Self;
            fn neg(self) -> Self {
                Self(-self.0)
            }
        }
        impl Real for Fused<$float> {
            fn constant(value: f64) -> Self {
                Self(Real::constant(value))
            }
            fn mul_add(self, a: Self, b: Self) -> Self {
                Self(<$float>::mul_add(self.0, a.0, b.0))
            }
            fn sqrt(self) -> Self {
                Self(Real::sqrt(self.0))
            }
            fn recip(self) -> Self {
                Self(Real::recip(self.0))
            }
            fn abs(self) -> Self {
                Self(Real::abs(self.0))
            }
            fn select_less(a: Self, b: Self, if_less: Self, otherwise: Self) -> Self {
                Self(Real::select_less(a.0, b.0, if_less.0, otherwise.0))
            }
        }
    };
}

fused!(f32);
fused!(f64);

/// Every operation of the scalar, on its own and nested.
struct EveryOperation;

impl DeviceFunction for EveryOperation {
    const SUMMARY: &'static str = "Every operation.";

    fn name() -> String {
        "every_operation".to_owned()
    }

    fn inputs() -> Vec<Argument> {
        vec![Argument::new("v", &[3])]
    }

    fn outputs() -> Vec<Argument> {
        vec![Argument::new("w", &[12])]
    }

    fn evaluate<R: Real>(inputs: &[R]) -> Vec<R> {
        let (a, b, c) = (inputs[0], inputs[1], inputs[2]);
        let third = R::constant(1.0 / 3.0);
        let nested = (a * third - b / c).mul_add(R::constant(-1.0e-7), c);
        vec![
            a + b,
            a - b,
            a * b,
            a / b,
            -a,
            a.mul_add(b, c),
            a.abs().sqrt(),
            a.recip(),
            a.min(b),
            a.max(b),
            R::select_less(nested, c, a, -b),
            nested,
        ]
    }
}

/// The C++ program under construction, its input, and its expected output.
#[derive(Default)]
struct Driver {
    functions: String,
    calls: String,
    input: Vec<u8>,
    expected: Vec<(String, Vec<u8>)>,
    random: u64,
}

impl Driver {
    /// A number in [-1, 1), the same in each run: a step of the SplitMix64 generator.
    fn next(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as i64 as f64 / 2.0_f64.powi(63)
    }

    /// Adds the calls of a function, for both scalars.
    fn add_call<F: DeviceFunction>(&mut self) {
        let declare = |argument: &Argument| format!("R {}{};", argument.name, argument.lengths());
        let transfer = |verb: &str, a: &Argument| format!("{verb}(&{0}, sizeof {0});", a.name);
        let arguments = [F::inputs(), F::outputs()].concat();
        let names: Vec<_> = arguments.iter().map(|argument| argument.name).collect();
        let join = |lines: Vec<String>| lines.join(" ");
        let name = F::name();
        self.functions += &format!(
            "template <class R> void run_{name}() {{ for (int k = 0; k < {CASES}; ++k) {{\n\
             {}\n{}\ncraton::{name}({});\n{}\n}} }}\n",
            join(arguments.iter().map(declare).collect()),
            join(F::inputs().iter().map(|a| transfer("take", a)).collect()),
            names.join(", "),
            join(F::outputs().iter().map(|a| transfer("give", a)).collect()),
        );
        self.calls += &format!("run_{name}<float>();\nrun_{name}<double>();\n");
    }

    /// The whole program.
    fn program(&self) -> String {
        format!(
            "#include <cstdio>\n#include <cstdlib>\n#include \"laws.cuh\"\n#include \"staggered.cuh\"\n{}\n\
             static void take(void* to, std::size_t n) {{ if (fread(to, 1, n, stdin) != n) exit(3); }}\n\
             static void give(const void* from, std::size_t n) {{ fwrite(from, 1, n, stdout); }}\n\
             {}int main() {{\n{}return 0;\n}}\n",
            namespaced::<EveryOperation>(),
            self.functions,
            self.calls
        )
    }
}

/// A function printed in both scalars, in the namespace of the header.
fn namespaced<F: DeviceFunction>() -> String {
    let [float, double] = [Scalar::Float, Scalar::Double].map(printed::<F>);
    format!("namespace craton {{\n{float}{double}}}\n")
}

impl Visitor for Driver {
    fn visit<F: DeviceFunction>(&mut self) {
        self.add_call::<F>();
        let count = F::inputs().iter().map(|argument| argument.elements().len()).sum();
        let (mut floats, mut doubles) = (Vec::new(), Vec::new());
        for _ in 0..CASES {
            let values: Vec<f64> = (0..count).map(|_| self.next()).collect();
            self.input.extend(values.iter().flat_map(|&v| (v as f32).to_ne_bytes()));
            let single: Vec<_> = values.iter().map(|&v| Fused(v as f32)).collect();
            floats.extend(F::evaluate(&single).iter().flat_map(|v| v.0.to_ne_bytes()));
        }
        for _ in 0..CASES {
            let values: Vec<f64> = (0..count).map(|_| self.next()).collect();
            self.input.extend(values.iter().flat_map(|v| v.to_ne_bytes()));
            let double: Vec<_> = values.iter().map(|&v| Fused(v)).collect();
            doubles.extend(F::evaluate(&double).iter().flat_map(|v| v.0.to_ne_bytes()));
        }
        self.expected.push((F::name() + " in float", floats));
        self.expected.push((F::name() + " in double", doubles));
    }
}

/// The system's C++ compiler, if it has one.
fn compiler() -> Option<&'static str> {
    let works = |name: &&str| {
        let mut version = Command::new(name);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    };
    ["c++", "g++", "clang++"].into_iter().find(works)
}

/// The output of the program.
fn answer(compiler: &str, folder: &Path, driver: &Driver) -> Vec<u8> {
    let [source, program, input] = ["driver.cpp", "driver", "input"].map(|name| folder.join(name));
    fs::write(folder.join("laws.cuh"), laws_header()).unwrap();
    // Both begin with the same operations, which a program may define only once.
    let staggered = staggered_header().split_once("}  // namespace craton\n").unwrap().1.to_owned();
    fs::write(folder.join("staggered.cuh"), staggered).unwrap();
    fs::write(&source, driver.program()).unwrap();
    fs::write(&input, &driver.input).unwrap();
    let flags = ["-std=c++17", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"];
    let compiled = Command::new(compiler).args(flags).arg(&source).arg("-o").arg(&program).output();
    let compiled = compiled.unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(&program).stdin(fs::File::open(&input).unwrap()).output().unwrap();
    assert!(ran.status.success(), "{:?}", ran.status);
    ran.stdout
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that could not run must say so")]
fn header_on_the_host_is_bit_identical_to_the_laws() {
    let Some(compiler) = compiler() else {
        eprintln!("NOT RUN: no C++ compiler (c++, g++, clang++) on this system");
        return;
    };
    let mut driver = Driver::default();
    visit_all(&mut driver);
    visit_staggered(&mut driver);
    driver.visit::<EveryOperation>();
    let folder = tempfile::tempdir().unwrap();
    let answer = answer(compiler, folder.path(), &driver);
    let mut rest = answer.as_slice();
    for (name, expected) in &driver.expected {
        let (got, after) = rest.split_at(expected.len());
        assert!(got == expected, "{name} differs");
        rest = after;
    }
    assert!(rest.is_empty());
}
