//! Python bindings: the native module `craton._craton` of the Python package `craton`.
//!
//! The Python side of the package (`python/craton`) converts arguments and results; this module computes. Its classes take TOML text and
//! named arrays and return arrays.
//!
//! | file | content |
//! |---|---|
//! | `problem` | `Problem`: the text and the data of a scenario, a survey or a gravity problem |
//! | `inputs` | arrays and texts instead of files |
//! | `values` | Python values as TOML, and back |
//! | `computing` | computation on another thread, while Python handles signals and callbacks |
//! | `simulation`, `survey`, `gravity` | the three kinds of computations |
//! | `prisms`, `operators`, `layers` | sums over prisms, tesseroids, magnetised prisms and smooth layers as linear operators |
//! | `errors` | exceptions |

#![forbid(unsafe_code)]

mod computing;
mod errors;
mod gravity;
mod inputs;
mod layers;
mod operators;
mod prisms;
mod problem;
mod simulation;
mod survey;
mod values;

/// The native part of the package `craton`.
#[pyo3::pymodule(name = "_craton")]
mod native {
    #[pymodule_export]
    use super::gravity::compute_gravity;
    #[pymodule_export]
    use super::inputs::Data;
    #[pymodule_export]
    use super::layers::LayerSums;
    #[pymodule_export]
    use super::operators::{MagneticSums, TesseroidSums};
    #[pymodule_export]
    use super::prisms::PrismSums;
    #[pymodule_export]
    use super::problem::Problem;
    #[pymodule_export]
    use super::simulation::{Checkpoint, Simulation};
    #[pymodule_export]
    use super::survey::Survey;
    #[pymodule_export]
    use super::values::{from_toml, to_toml};

    /// Version of Craton.
    #[pymodule_export]
    // The name of versions in Python.
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
