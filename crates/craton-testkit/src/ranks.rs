//! Conformance tests for rank transports. Every function must be called by all ranks.

use craton_comm::{CommError, Fault, Incoming, LARGEST_TAG, Message, Outgoing, Ranks};
use craton_device::gpu::Gpu;
use std::path::PathBuf;

/// Message of `expect` for exchanges.
const THERE: &str = "all other ranks take part";
/// Message of `expect` for copies.
const DEVICE: &str = "the emulated device uses host memory";

/// Runs all conformance tests.
///
/// # Panics
/// If a test fails.
pub fn keep_all_promises(ranks: &dyn Ranks) {
    gathers(ranks);
    broadcasts(ranks);
    exchanges(ranks);
    exchanges_in_place(ranks);
    keeps_order(ranks);
    steps(ranks);
    progresses_during_work(ranks);
    rejects_invalid_addresses(ranks);
    reduces(ranks);
    reports_disagreement(ranks);
    reports_failure(ranks);
}

/// Bytes that identify their sender: rank `rank` sends `rank + length` of them.
fn own_bytes(rank: usize, length: usize) -> Vec<u8> {
    (0..rank + length).map(|i| (7 * rank + i) as u8).collect()
}

fn gathers(ranks: &dyn Ranks) {
    for length in [0, 1, 1000] {
        let expected: Vec<Vec<u8>> = (0..ranks.count()).map(|rank| own_bytes(rank, length)).collect();
        let own = own_bytes(ranks.rank(), length);
        assert_eq!(ranks.all_gather(&own), Ok(expected.clone()));
        for receiver in 0..ranks.count() {
            let is_it = ranks.rank() == receiver;
            assert_eq!(ranks.gather_on(receiver, &own), Ok(is_it.then(|| expected.clone())));
        }
    }
}

fn broadcasts(ranks: &dyn Ranks) {
    for length in [0, 1, 10_000] {
        for sender in 0..ranks.count() {
            let sent = own_bytes(sender, length);
            let is_it = ranks.rank() == sender;
            let mut bytes = if is_it { sent.clone() } else { b"placeholder to be overwritten".to_vec() };
            ranks.broadcast_from(sender, &mut bytes).expect(THERE);
            assert_eq!(bytes, sent);
        }
    }
}

/// The bytes that `from` sends to `to` at `step`.
fn message(from: usize, to: usize, step: usize, length: usize) -> Vec<u8> {
    (0..length).map(|i| (i + 3 * from + 5 * to + 11 * step) as u8).collect()
}

/// Sends a message to every rank, including this one, and checks all received messages.
fn exchange_all(ranks: &dyn Ranks, step: usize, length: usize) {
    let (own, count) = (ranks.rank(), ranks.count());
    let sent: Vec<Vec<u8>> = (0..count).map(|to| message(own, to, step, length)).collect();
    let mut places = vec![vec![0; length]; count];
    let tag = |from: usize, to: usize| (from * count + to) as u16;
    let outgoing: Vec<Outgoing<'_>> =
        sent.iter().enumerate().map(|(to, bytes)| Outgoing { rank: to, tag: tag(own, to), bytes }).collect();
    let mut incoming: Vec<Incoming<'_>> = places
        .iter_mut()
        .enumerate()
        .map(|(from, bytes)| Incoming { rank: from, tag: tag(from, own), bytes })
        .collect();
    let mut worked = 0;
    ranks.exchange(&outgoing, &mut incoming, &mut || worked += 1).expect(THERE);
    assert_eq!(worked, 1);
    for (from, bytes) in places.iter().enumerate() {
        assert_eq!(*bytes, message(from, own, step, length), "from rank {from}");
    }
}

fn exchanges(ranks: &dyn Ranks) {
    for length in [0, 1, 100_000] {
        exchange_all(ranks, 0, length);
    }
}

/// Device-to-device exchange, if the ranks support it: the memory of the emulated device is host memory, which all ranks can access.
fn exchanges_in_place(ranks: &dyn Ranks) {
    let Some((devices, gpu)) = ranks.on_devices().zip(Gpu::emulated_for_tests()) else { return };
    let (own, count) = (ranks.rank(), ranks.count());
    let (next, previous) = ((own + 1) % count, (own + count - 1) % count);
    for length in [0, 1, 100_000] {
        let sent = gpu.upload(&message(own, next, 0, length)).expect(DEVICE);
        let mut place = gpu.upload(&vec![0_u8; length + 2]).expect(DEVICE);
        let outgoing = [Message { rank: next, tag: 1, bytes: sent.lend(0..length) }];
        let mut incoming = [Message { rank: previous, tag: 1, bytes: place.lend_mut(1..length + 1) }];
        gpu.mark().and_then(|mark| mark.wait()).expect(DEVICE);
        devices.exchange_in_place(&outgoing, &mut incoming).expect(THERE);
        let expected = [&[0][..], &message(previous, own, 0, length), &[0]].concat();
        assert_eq!(place.download().expect(DEVICE), expected, "{length} bytes");
    }
    let sent = gpu.upload(&[1_u8; 4]).expect(DEVICE);
    let outgoing = [Message { rank: count, tag: 0, bytes: sent.lend(0..4) }];
    assert_eq!(devices.exchange_in_place(&outgoing, &mut []), Err(CommError::NoSuchRank { rank: count, count }));
}

fn keeps_order(ranks: &dyn Ranks) {
    let (own, count) = (ranks.rank(), ranks.count());
    let (next, previous) = ((own + 1) % count, (own + count - 1) % count);
    let outgoing = [1, 2, 3].map(|n| [n; 10]);
    let outgoing = outgoing.each_ref().map(|bytes| Outgoing { rank: next, tag: LARGEST_TAG, bytes });
    let mut places = [[0; 10]; 3];
    let mut incoming = places.each_mut().map(|bytes| Incoming { rank: previous, tag: LARGEST_TAG, bytes });
    ranks.exchange(&outgoing, &mut incoming, &mut || ()).expect(THERE);
    assert_eq!(places, [1, 2, 3].map(|n| [n; 10]));
}

fn steps(ranks: &dyn Ranks) {
    for step in 0..200 {
        exchange_all(ranks, step, 64);
    }
    gathers(ranks);
}

/// The root works until all other ranks have sent their large messages; without progress of the messages during the work, the test would never end.
fn progresses_during_work(ranks: &dyn Ranks) {
    let shared = ranks.is_root().then(|| tempfile::tempdir().expect("a temporary folder"));
    let mut path = shared.as_ref().map_or_else(Vec::new, |folder| folder.path().display().to_string().into_bytes());
    ranks.broadcast(&mut path).expect(THERE);
    let folder = PathBuf::from(String::from_utf8(path).expect("the root has sent valid UTF-8"));
    let sign = |rank: usize| folder.join(rank.to_string());
    let large = vec![1; 4_000_000];
    if ranks.is_root() {
        let mut places = vec![vec![0; large.len()]; ranks.count() - 1];
        let place = |(i, bytes)| Incoming { rank: i + 1, tag: 0, bytes };
        let mut incoming: Vec<Incoming<'_>> = places.iter_mut().map(Vec::as_mut_slice).enumerate().map(place).collect();
        let is_sent = |rank| sign(rank).exists();
        ranks.exchange(&[], &mut incoming, &mut || while !(1..ranks.count()).all(is_sent) {}).expect(THERE);
        assert!(places.iter().all(|place| *place == large));
    } else {
        ranks.exchange(&[Outgoing { rank: 0, tag: 0, bytes: &large }], &mut [], &mut || ()).expect(THERE);
        std::fs::write(sign(ranks.rank()), "sent").expect("the folder of the root is writable");
    }
}

fn rejects_invalid_addresses(ranks: &dyn Ranks) {
    let count = ranks.count();
    let send = |rank, tag| ranks.exchange(&[Outgoing { rank, tag, bytes: &[1] }], &mut [], &mut || ());
    assert_eq!(send(count, 0), Err(CommError::NoSuchRank { rank: count, count }));
    assert_eq!(send(0, LARGEST_TAG + 1), Err(CommError::Tag { tag: LARGEST_TAG + 1 }));
}

fn reduces(ranks: &dyn Ranks) {
    let (own, count) = (ranks.rank() as f64, ranks.count() as f64);
    assert_eq!(ranks.least(own + 3.0), Ok(3.0));
    assert_eq!(ranks.greatest(own + 3.0), Ok(count + 2.0));
    assert_eq!(ranks.sums(&[1.0, own]), Ok(vec![count, count * (count - 1.0) / 2.0]));
    let poisoned = if ranks.rank() == ranks.count() - 1 { f64::NAN } else { 1.0 };
    assert!(ranks.least(poisoned).is_ok_and(f64::is_nan), "a NaN is not lost");
    assert!(ranks.greatest(poisoned).is_ok_and(f64::is_nan), "a NaN is not lost");
}

fn reports_disagreement(ranks: &dyn Ranks) {
    let last = ranks.count() - 1;
    let same = || ("version", "1.2.3".to_owned());
    let differing = || ("scenario", if ranks.rank() == last { "b" } else { "a" }.to_owned());
    assert_eq!(ranks.agree(&[same()]), Ok(()));
    let outcome = ranks.agree(&[same(), differing()]);
    if last == 0 {
        return assert_eq!(outcome, Ok(()));
    }
    let message = outcome.expect_err("the last rank differs").to_string();
    assert!(message.starts_with("the ranks of this run differ in scenario: rank 0 on "), "{message}");
    assert!(message.contains("has `a`, but "), "{message}");
    assert!(message.contains(&format!("rank {last} on ")) && message.contains("has `b`;"), "{message}");
    let unknown = if ranks.is_root() { vec![same()] } else { vec![same(), differing()] };
    assert!(ranks.agree(&unknown).is_err(), "a fact missing on the root counts too");
}

fn reports_failure(ranks: &dyn Ranks) {
    assert_eq!(ranks.confirm(Ok(())), Ok(()));
    let last = ranks.count() - 1;
    let fault = || Fault { message: "the disk is full".to_owned(), code: 7 };
    let error =
        ranks.confirm(if ranks.rank() == last { Err(fault()) } else { Ok(()) }).expect_err("the last rank has failed");
    assert!(matches!(error, CommError::Failed { code: 7, .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.starts_with(&format!("rank {last} on ")), "{message}");
    assert!(message.ends_with(": the disk is full"), "{message}");
}
