//! Runs on several ranks: the results of one, and errors that all ranks report.

use std::sync::Arc;

use craton_comm::{Ranks, thread_ranks};
use craton_device::Workers;

use super::into_folder;
use super::prepare::{Discretised, Placed, PlacementReport};
use super::running_solver::Started;
use super::tests::{Case, bytes_in};
use crate::device::Device;
use crate::error::Error;
use crate::options::MeshOptions;
use crate::setup::Setup;
use crate::simulation::Discrete;
use crate::time_axis::TimeAxis;

/// A discretised model whose solver is built before another error occurs.
struct Failing<E: ?Sized>(Box<E>);

impl Discretised for Failing<dyn Discretised> {
    fn place(self: Box<Self>, setup: &Setup, axis: &TimeAxis) -> Result<(Box<dyn Placed>, PlacementReport), Error> {
        let (placed, report) = self.0.place(setup, axis)?;
        Ok((Box::new(Failing(placed)), report))
    }
}

impl Placed for Failing<dyn Placed> {
    fn start(
        self: Box<Self>,
        device: &Device,
        axis: &TimeAxis,
        workers: Arc<Workers>,
    ) -> Result<Box<dyn Started>, Error> {
        drop(self.0.start(device, axis, workers)?);
        Err(Error::InLayer { name: "only one".to_owned(), position: [1.0, 2.0, 3.0] })
    }
}

/// Prepares the solver on a rank; it fails on rank `broken`.
fn failed(case: &Case, ranks: &Arc<dyn Ranks>, broken: usize) -> Error {
    let session = case.session("cpu", &case.folder.path().join(format!("broken_{broken}")), ranks);
    let mut discrete = Discrete::new(session).unwrap();
    if ranks.rank() == broken {
        discrete.earth.earth = Box::new(Failing(discrete.earth.earth));
    }
    into_folder(discrete.place().unwrap(), &mut ()).unwrap_err()
}

#[test]
fn an_error_on_one_rank_ends_all_ranks_with_its_message() {
    const BY_FD: &str = "method={ fd = { max_frequency = 8.0, points_per_wavelength = 5.0 } }";
    for method in [BY_FD, "method.sem.element_size=45.0"] {
        let case = &Case::new(&["duration=0.05", "output.snapshots={}", method]);
        for broken in [0, 1] {
            std::thread::scope(|scope| {
                for rank in thread_ranks(2) {
                    let ranks: Arc<dyn Ranks> = Arc::new(rank);
                    scope.spawn(move || {
                        let error = failed(case, &ranks, broken);
                        assert!(error.to_string().contains("only one at x = 1"), "{method}, {broken}: {error}");
                        assert!(error.is_known_to_all_ranks(), "{method}, {broken}: {error}");
                        // All ranks are at the same stage, and can finish together.
                        ranks.finish().unwrap();
                    });
                }
            });
        }
    }
}

/// A mesh of another program, a finite fault, attenuation and a fibre.
const FOREIGN: &str = r#"
duration = 0.1
[domain]
mesh.file = "mesh.vtu"
projection.utm = { zone = 32, origin = { longitude = 11.0, latitude = 46.0 } }
[model.mesh]
fields = { vp = "vp [m/s]", vs = "vs [m/s]", rho = "rho [kg/m^3]", qmu = "rho [kg/m^3]" }
[attenuation]
reference_frequency = 1.0
[[source]]
srf = "fault.srf"
[receivers]
quantities = ["velocity", "strain"]
stations = [{ code = "XX.IN", position = [20.0, 75.0, -225.0] }]
fibre = [{ name = "F", path = [[-300.0, -200.0, -100.0], [300.0, 250.0, -150.0]], gauge_length = 40.0, spacing = 30.0 }]
[method.sem]
max_frequency = 12.0
absorbing.cpml.elements = 1
[output]
directory = "results"
"#;

/// The box whose mesh is taken.
const BOX: &str = r#"
duration = 0.1
[domain]
x = [-400.0, 400.0]
y = [-400.0, 400.0]
z = [-600.0, 0.0]
[model.layered]
layers = [{ vp = 2500.0, vs = 1200.0, rho = 2100.0 }, { top = -200.0, vp = 3500.0, vs = 2000.0, rho = 2500.0 }]
[[source]]
position = [110.0, -60.0, -330.0]
moment_tensor = { xx = 1.0e14 }
time_function.gaussian = { sigma = 0.05, centre = 0.1 }
[receivers]
stations = [{ code = "XX.IN", position = [20.0, 75.0, -225.0] }]
[method.sem]
max_frequency = 12.0
[output]
directory = "results"
"#;

/// Two points that slip one after the other.
const FAULT: &str = "2.0\nPOINTS 2
11.0 46.0 0.35 40 60 1.0e8 0.02 0.02 2.0e5 2.4\n30 10 5 0 0 0 0\n0 20 60 20 0
11.001 46.0005 0.30 40 60 1.0e8 0.06 0.02 2.0e5 2.4\n30 0 0 10 5 0 0\n0 20 60 20 0
";

#[test]
fn meshes_faults_and_fibres_are_bit_identical_on_all_ranks() {
    let case = Case::new(&["compute.partition=metis"]);
    let folder = case.folder.path();
    std::fs::write(folder.join("box.toml"), BOX).unwrap();
    let options = MeshOptions { directory: Some(folder.to_owned()), ..MeshOptions::default() };
    crate::write_mesh(&folder.join("box.toml"), &options).unwrap();
    std::fs::write(folder.join("box.toml"), FOREIGN).unwrap();
    std::fs::write(folder.join("fault.srf"), FAULT).unwrap();
    let [alone, on_ranks, in_parts] = [case.run("cpu"), case.run_on(3, "cpu"), case.run_on(2, "cpu*2")];
    let files = |results: &std::path::Path| bytes_in(results, &["seismograms"]);
    assert_eq!(files(&alone).len(), 10);
    assert!(files(&alone) == files(&on_ranks) && files(&alone) == files(&in_parts));
}
