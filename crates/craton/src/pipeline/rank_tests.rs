//! An error on one rank is reported by all ranks.

use std::sync::Arc;

use craton_comm::{Ranks, thread_ranks};
use craton_device::Workers;

use super::into_folder;
use super::prepare::{Discretised, Placed, PlacementReport};
use super::running_solver::Started;
use super::tests::Case;
use crate::device::Device;
use crate::error::Error;
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
