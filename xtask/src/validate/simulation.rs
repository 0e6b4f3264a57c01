//! Simulations of `validation/scenarios`; each runs once, even if several cases use it.

use crate::shell::root;
use anyhow::{Context, Result, bail, ensure};
use craton::config::DeviceNames;
use craton::options::RunOptions;
use craton::traces::{self, Trace};
use craton::{RunStatus, Scenario, Setup};
use craton_acquisition::Quantity;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Folders of the scenarios of the validation and of the examples, from the root of the workspace.
const FOLDER: &str = "validation/scenarios";
const EXAMPLES: &str = "examples";

/// A scenario with changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Simulation {
    scenario: &'static str,
    /// Whether it is an example, in a folder of its name.
    is_example: bool,
    changes: Vec<String>,
    method: &'static str,
}

impl Simulation {
    /// A scenario by the name of its file, without the extension.
    pub fn of(scenario: &'static str) -> Self {
        Self { scenario, is_example: false, changes: Vec::new(), method: "sem" }
    }

    /// An example by its name, by spectral elements with these keys of `method.sem`; written as text alone.
    pub fn of_example(scenario: &'static str, keys: &str) -> Self {
        let changes = [format!("method={{ sem = {{ {keys} }} }}"), "output.seismograms=['text']".to_owned()].into();
        Self { scenario, is_example: true, changes, method: "sem" }
    }

    /// Sets keys: `key=value`, as for `--set`.
    pub fn with(mut self, changes: &[&str]) -> Self {
        self.changes.extend(changes.iter().map(|&change| change.to_owned()));
        self
    }

    /// Uses finite differences, with these keys of `method.fd`.
    pub fn by_fd(mut self, keys: &str) -> Self {
        self.changes.push(format!("method={{ fd = {{ {keys} }} }}"));
        self.method = "fd";
        self
    }

    /// Uses the finite differences of the scenario unchanged.
    pub fn by_fd_as_it_is(mut self) -> Self {
        self.method = "fd";
        self
    }

    /// Numerical method.
    pub fn method(&self) -> &'static str {
        self.method
    }

    fn file(&self) -> PathBuf {
        let folder = if self.is_example { Path::new(EXAMPLES).join(self.scenario) } else { FOLDER.into() };
        folder.join(self.scenario).with_extension("toml")
    }

    /// The scenario, checked.
    ///
    /// # Errors
    /// An invalid scenario.
    pub fn setup(&self) -> Result<Setup> {
        Ok(Setup::new(&Scenario::read(&root().join(self.file()), &self.changes)?)?)
    }

    fn run(&self, device: &DeviceNames) -> Result<Outcome> {
        let setup = self.setup()?;
        let folder = tempfile::tempdir()?;
        let mut overrides = self.changes.clone();
        overrides.push(format!("output.directory={}", folder.path().display()));
        let device = Some(device.clone());
        let options = RunOptions { overrides, device, overwrite: true, ..RunOptions::default() };
        let report = craton::run(&self.file(), &options)?;
        if report.status != RunStatus::Complete {
            bail!("interrupted");
        }
        let record: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.path().join("run.json"))?)?;
        let figure = |name: &str| record["figures"][name].as_f64().with_context(|| format!("the record lacks {name}"));
        Ok(Outcome {
            setup,
            traces: traces::read_folder(folder.path())?,
            resolved_frequency: figure("resolved_frequency_hz")?,
            size: match self.method {
                "fd" => format!("{} cells", figure("cells")?),
                _ => format!("{} elements", figure("elements")?),
            },
            steps: figure("steps")?,
        })
    }
}

/// Result of a simulation.
pub struct Outcome {
    /// The scenario, checked.
    pub setup: Setup,
    /// Frequency up to which every element has the requested points per wavelength [Hz].
    pub resolved_frequency: f64,
    /// Size of the problem: number of elements or cells.
    pub size: String,
    /// Number of steps.
    pub steps: f64,
    traces: Vec<Trace>,
}

impl Outcome {
    /// The components of a seismogram: x, y, z, or the pressure.
    ///
    /// # Errors
    /// A receiver or a quantity that was not recorded.
    pub fn seismogram(&self, code: &str, quantity: Quantity) -> Result<Vec<&Trace>> {
        let own = |trace: &&Trace| trace.name.station == code && trace.name.quantity == Some(quantity);
        let component = |name: &str| self.traces.iter().filter(own).find(|trace| trace.name.component == name);
        let names = quantity.components(self.setup.axis_names);
        let all: Option<_> = names.iter().copied().map(component).collect();
        all.with_context(|| format!("no {quantity:?} of the components {} at {code}", names.join(", ")))
    }
}

/// All simulations of a validation, on one device.
pub struct Simulations {
    device: DeviceNames,
    /// Keys that replace those of all simulations by spectral elements.
    changes: Vec<String>,
    done: RefCell<BTreeMap<Simulation, Rc<Outcome>>>,
}

impl Simulations {
    /// Creates an empty set of simulations for a device.
    pub fn on(device: DeviceNames) -> Self {
        Self { device, changes: Vec::new(), done: RefCell::default() }
    }

    /// Sets keys of all simulations by spectral elements.
    pub fn with(self, changes: &[&str]) -> Self {
        Self { changes: changes.iter().map(|&change| change.to_owned()).collect(), ..self }
    }

    /// Creates an empty set of simulations for the CPU cores of this machine.
    pub fn on_cores() -> Self {
        Self::on(DeviceNames::One("cpu".to_owned()))
    }

    /// Whether they run on CPU cores.
    pub fn are_on_cores(&self) -> bool {
        self.device == Self::on_cores().device
    }

    /// Runs a simulation, unless it has already run.
    ///
    /// # Errors
    /// Those of the run.
    pub fn outcome(&self, simulation: &Simulation) -> Result<Rc<Outcome>> {
        if let Some(outcome) = self.done.borrow().get(simulation) {
            return Ok(Rc::clone(outcome));
        }
        let mut changed = simulation.clone();
        if simulation.method == "sem" {
            changed.changes.extend(self.changes.iter().cloned());
        }
        let outcome = Rc::new(changed.run(&self.device)?);
        ensure!(!outcome.traces.is_empty(), "{} recorded nothing", simulation.scenario);
        self.done.borrow_mut().insert(simulation.clone(), Rc::clone(&outcome));
        Ok(outcome)
    }
}
