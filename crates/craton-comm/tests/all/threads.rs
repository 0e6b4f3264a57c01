//! Guarantees of [`craton_comm::Ranks`], tested for threads of one process and for a single rank.

use craton_comm::{CommError, Incoming, Ranks, Solo, ThreadRank, on_threads, thread_ranks};
use craton_testkit::ranks::keep_all_promises;

#[test]
fn a_single_rank_satisfies_all_guarantees() {
    keep_all_promises(&Solo);
}

#[test]
fn ranks_on_threads_satisfy_all_guarantees() {
    for count in [1, 2, 3, 4, 8] {
        let numbers = on_threads(count, |ranks| {
            keep_all_promises(&ranks);
            ranks.finish().unwrap();
            ranks.rank()
        });
        assert!(numbers.into_iter().eq(0..count));
    }
}

#[test]
fn waiting_for_a_rank_that_has_ended_is_an_error() {
    for count in [2, 3, 8] {
        let wait = |ranks: ThreadRank| if ranks.rank() == 1 { Ok(Vec::new()) } else { ranks.all_gather(&[1]) };
        let outcomes = on_threads(count, wait);
        assert!(outcomes.iter().filter(|outcome| matches!(outcome, Err(CommError::Lost { .. }))).count() == count - 1);
        assert!(count > 2 || outcomes[0] == Err(CommError::Lost { rank: 1 }), "{outcomes:?}");
    }
}

#[test]
fn a_message_arrives_after_its_sender_has_ended() {
    let mut ranks = thread_ranks(2);
    let (last, first) = (ranks.pop().unwrap(), ranks.pop().unwrap());
    first.broadcast(&mut b"the end".to_vec()).unwrap();
    drop(first);
    let mut bytes = Vec::new();
    last.broadcast(&mut bytes).unwrap();
    assert_eq!(bytes, b"the end");
    assert_eq!(last.broadcast(&mut bytes), Err(CommError::Lost { rank: 0 }));
}

#[test]
fn a_message_of_the_wrong_length_is_rejected_with_both_lengths() {
    let outcomes = on_threads(2, |ranks| {
        let sent = [craton_comm::Outgoing { rank: 0, tag: 5, bytes: &[1, 2, 3] }];
        let mut buffer = [0; 4];
        let mut awaited = [Incoming { rank: 1, tag: 5, bytes: &mut buffer }];
        let (outgoing, incoming) =
            if ranks.is_root() { (&sent[..0], &mut awaited[..]) } else { (&sent[..], &mut awaited[..0]) };
        ranks.exchange(outgoing, incoming, &mut || ())
    });
    assert_eq!(outcomes[0], Err(CommError::Length { rank: 1, tag: 5, expected: 4, found: 3 }));
    assert_eq!(outcomes[1], Ok(()));
}

#[test]
#[should_panic(expected = "rank 2 ended the run with status 3")]
fn an_aborting_rank_ends_the_others() {
    let mut ranks = thread_ranks(3);
    let third = ranks.pop().unwrap();
    std::thread::scope(|scope| {
        for rank in ranks {
            scope.spawn(move || assert!(rank.finish().is_err()));
        }
        third.abort(3)
    });
}
