//! What fails on one rank alone is told by all of them.

use std::sync::Arc;

use craton_comm::{Ranks, thread_ranks};
use craton_device::Workers;

use super::prepare::{Discretised, PlacementReport, Prepared};
use super::running_solver::RunningSolver;
use super::session::Scalar;
use super::tests::Case;
use super::{TimeAxis, set_in_motion};
use crate::device::Device;
use crate::error::Error;
use crate::setup::Setup;

/// An Earth whose solver is made, and then something else fails.
struct Failing<T: Scalar>(Box<dyn Discretised<T>>);

impl<T: Scalar> Discretised<T> for Failing<T> {
    fn place(&mut self, setup: &Setup, axis: &TimeAxis) -> Result<PlacementReport, Error> {
        self.0.place(setup, axis)
    }

    fn start(
        self: Box<Self>,
        device: &Device,
        axis: &TimeAxis,
        workers: Arc<Workers>,
    ) -> Result<RunningSolver<T>, Error> {
        drop(self.0.start(device, axis, workers)?);
        Err(Error::InLayer { name: "only one".to_owned(), position: [1.0, 2.0, 3.0] })
    }
}

/// Sets a case in motion on a rank; the solver cannot be made on rank `broken`.
fn failed(case: &Case, ranks: &Arc<dyn Ranks>, broken: usize) -> Error {
    let mut session = case.session("cpu", &case.folder.path().join(format!("broken_{broken}")), ranks);
    let workers = Arc::new(Workers::new(session.setup.threads).unwrap());
    let mut prepared: Prepared<f32> = session.prepared(&workers).unwrap();
    if ranks.rank() == broken {
        prepared.discretised = Box::new(Failing(prepared.discretised));
    }
    set_in_motion(session, prepared, workers).unwrap_err()
}

#[test]
fn a_solver_that_cannot_be_made_on_one_rank_ends_all_with_its_words() {
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
                        // All stand at the same place, and can leave together.
                        ranks.finish().unwrap();
                    });
                }
            });
        }
    }
}
