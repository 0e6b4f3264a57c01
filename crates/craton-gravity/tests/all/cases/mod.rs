//! The cases of `validation/references/gravity`: fields to fifty digits.

use std::path::Path;

use craton_gravity::{GRAVITATIONAL_CONSTANT, Prism};

use crate::common::{attraction, difference, prism, tensor};

/// A prism, a point and the fields there.
pub struct Case {
    pub prism: Prism,
    pub point: [f64; 3],
    pub exact: [f64; 10],
}

impl Case {
    /// Relative errors of potential, attraction and tensor; near the centre of a prism, where the attraction vanishes, relative to G times density times the
    /// shortest side.
    pub fn errors(&self, fields: &[f64; 10]) -> [f64; 3] {
        let error = difference(fields, &self.exact);
        let shortest = self.prism.bounds().map(|[low, high]| high - low).into_iter().fold(f64::INFINITY, f64::min);
        let least = GRAVITATIONAL_CONSTANT * self.prism.density.abs() * shortest;
        [
            (error[0] / self.exact[0]).abs(),
            attraction(&error) / attraction(&self.exact).max(least),
            tensor(&error) / tensor(&self.exact),
        ]
    }
}

/// The rows of a table in `validation/references/gravity`, read from the repository, or from the working directory if the repository is not there.
pub fn rows(name: &str) -> Vec<Vec<String>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = if own.is_dir() { own.join("../..") } else { Path::new(".").to_owned() };
    let text = std::fs::read_to_string(root.join("validation/references/gravity").join(name)).expect("the reference");
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The numbers of a row.
pub fn numbers(row: &[String]) -> Vec<f64> {
    row.iter().map(|word| word.parse().expect("a number")).collect()
}

/// All cases.
pub fn cases() -> Vec<Case> {
    let case = |row: Vec<f64>| Case {
        prism: prism(row[..6].try_into().expect("six bounds"), row[6]),
        point: row[7..10].try_into().expect("three coordinates"),
        exact: row[10..].try_into().expect("ten fields"),
    };
    rows("prisms.csv").iter().map(|row| case(numbers(row))).collect()
}
