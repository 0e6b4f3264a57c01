//! Random sequences of operations agree with a simple model of the journal.

use super::{CPU, done, numbers, on, open};
use craton_run::Journal;
use craton_run::journal::{Failed, Status};
use proptest::prelude::*;
use std::path::Path;

const PIECES: u32 = 6;
const WORKERS: usize = 3;

#[derive(Clone, Debug)]
enum Operation {
    Take(usize),
    Finish(Vec<u32>),
    Fail(u32),
    Release(Vec<u32>),
    Forget(u32),
    /// The worker leaves, and a new one replaces it.
    Restart,
}

/// State of a piece in the model, with the index of its holder.
#[derive(Clone, Debug, PartialEq)]
enum Model {
    Free,
    Held(usize),
    Done,
    Failed,
}

fn operations() -> impl Strategy<Value = Vec<(usize, Operation)>> {
    let pieces = || prop::collection::vec(0..PIECES, 0..4);
    let operation = prop_oneof![
        3 => (1..4_usize).prop_map(Operation::Take),
        2 => pieces().prop_map(Operation::Finish),
        2 => (0..PIECES).prop_map(Operation::Fail),
        1 => pieces().prop_map(Operation::Release),
        1 => (0..PIECES).prop_map(Operation::Forget),
        1 => Just(Operation::Restart),
    ];
    prop::collection::vec((0..WORKERS, operation), 0..40)
}

/// Pieces of the model, and how often each failed.
struct Pieces {
    status: Vec<Model>,
    failures: Vec<usize>,
}

impl Pieces {
    fn held_by(&self, piece: u32, worker: usize) -> bool {
        self.status[piece as usize] == Model::Held(worker)
    }

    /// Applies the operation to the journal and to the model.
    fn run(&mut self, folder: &Path, workers: &mut [Option<Journal>], worker: usize, operation: &Operation) {
        let journal = workers[worker].as_ref().unwrap();
        match operation {
            Operation::Take(count) => {
                let taken = numbers(journal.take(*count, &on(CPU)).unwrap());
                let is_free = |piece: u32| self.status[piece as usize] == Model::Free;
                let free = (0..PIECES).filter(|&piece| is_free(piece)).count();
                assert!(taken.len() <= *count && taken.is_empty() == (free == 0) && taken.is_sorted());
                assert!(taken.iter().all(|&piece| is_free(piece)), "{taken:?} of {:?}", self.status);
                taken.iter().for_each(|&piece| self.status[piece as usize] = Model::Held(worker));
            }
            Operation::Finish(pieces) => {
                let results: Vec<_> = pieces.iter().map(|&piece| done(piece)).collect();
                let lost = journal.finish(&results).unwrap();
                let expected: Vec<u32> = pieces.iter().copied().filter(|&piece| !self.held_by(piece, worker)).collect();
                assert_eq!(lost, expected);
                for &piece in pieces.iter().filter(|piece| !expected.contains(piece)) {
                    self.status[piece as usize] = Model::Done;
                }
            }
            &Operation::Fail(piece) => {
                journal.fail(&[Failed { piece, code: 1, reason: "" }]).unwrap();
                if self.held_by(piece, worker) {
                    self.failures[piece as usize] += 1;
                    let over = self.failures[piece as usize] == 2;
                    self.status[piece as usize] = if over { Model::Failed } else { Model::Free };
                }
            }
            Operation::Release(pieces) => {
                journal.release(pieces).unwrap();
                self.free(|piece, status| pieces.contains(&piece) && *status == Model::Held(worker));
            }
            &Operation::Forget(forgotten) => {
                journal.forget(&[forgotten]).unwrap();
                if matches!(self.status[forgotten as usize], Model::Done | Model::Failed) {
                    self.failures[forgotten as usize] = 0;
                    self.status[forgotten as usize] = Model::Free;
                }
            }
            Operation::Restart => {
                workers[worker] = None;
                workers[worker] = Some(open(folder, PIECES));
                self.free(|_, status| *status == Model::Held(worker));
            }
        }
    }

    fn free(&mut self, which: impl Fn(u32, &Model) -> bool) {
        for (piece, status) in (0..).zip(&mut self.status) {
            if which(piece, status) {
                *status = Model::Free;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn random_operations_agree_with_the_model(operations in operations()) {
        let folder = tempfile::tempdir().unwrap();
        let mut workers: Vec<_> = (0..WORKERS).map(|_| Some(open(folder.path(), PIECES))).collect();
        let mut model = Pieces { status: vec![Model::Free; PIECES as usize], failures: vec![0; PIECES as usize] };
        for (worker, operation) in &operations {
            model.run(folder.path(), &mut workers, *worker, operation);
        }
        let place_of = |number| workers.iter().position(|journal| journal.as_ref().unwrap().worker() == number);
        // A worker that joins later reads the same state from the file.
        let late = open(folder.path(), PIECES);
        for journal in workers.iter().flatten().chain([&late]) {
            for (piece, state) in journal.states().unwrap().iter().enumerate() {
                let status = match state.status {
                    Status::Free => Model::Free,
                    Status::Taken { worker, .. } => Model::Held(place_of(worker).unwrap()),
                    Status::Done { checksum, .. } => {
                        prop_assert_eq!(checksum, done(piece as u32).checksum);
                        Model::Done
                    }
                    Status::Failed => Model::Failed,
                };
                prop_assert_eq!(&status, &model.status[piece]);
                prop_assert_eq!(state.failures.len(), model.failures[piece]);
            }
        }
    }
}
