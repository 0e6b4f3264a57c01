//! Guarantees of ranks, tested for MPI processes, and the end of a run when one rank fails.
//!
//! When cargo starts this program, the program starts itself again under mpirun, where each process is a rank.
#![allow(clippy::print_stdout, clippy::print_stderr)] // the program has no test harness and prints its own report

use craton_comm::{CommError, Ranks, launched_ranks};
use craton_mpi::Mpi;
use craton_testkit::ranks::keep_all_promises;
use std::process::{Command, ExitCode, Output, Stdio};

/// A way in which the last rank fails while the others wait for it.
struct Fault {
    name: &'static str,
    act: fn(Mpi),
    /// Exit code of the run
    status: i32,
}

const FAULTS: [Fault; 5] = [
    Fault { name: "aborts", act: |ranks| ranks.abort(7), status: 7 },
    Fault { name: "panics", act: |_ranks| panic!("the last rank has panicked"), status: 101 },
    Fault { name: "panics during an exchange", act: panic_during_exchange, status: 101 },
    Fault { name: "returns early", act: drop, status: 1 },
    Fault { name: "crashes", act: |_ranks| std::process::abort(), status: 134 },
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["rank"] => check_guarantees(),
        ["foreign-launcher"] => report_foreign_launcher(),
        ["rank", fault] => fail(fault),
        _ => start_all(),
    }
    ExitCode::SUCCESS
}

/// One rank of a run without failures; sends messages whole and in pieces.
fn check_guarantees() {
    let ranks = Mpi::init().expect("MPI starts");
    assert_eq!(Mpi::init().unwrap_err(), CommError::StartedTwice);
    assert_eq!(launched_ranks(), Some(ranks.count()));
    keep_all_promises(&ranks);
    let ranks = ranks.in_pieces_of(1000);
    keep_all_promises(&ranks);
    ranks.finish().expect("all ranks finish");
}

/// One rank of a run whose last rank fails; the others wait for it.
fn fail(fault: &str) {
    let ranks = Mpi::init().expect("MPI starts");
    let fault = FAULTS.iter().find(|known| known.name == fault).expect("the fault is known");
    if ranks.rank() + 1 == ranks.count() {
        (fault.act)(ranks);
    } else {
        let outcome = ranks.all_gather(&[]);
        unreachable!("a rank continued without the last one: {outcome:?}");
    }
}

fn panic_during_exchange(ranks: Mpi) {
    let mut buffer = [0];
    let mut incoming = [craton_comm::Incoming { rank: 0, tag: 0, bytes: &mut buffer }];
    let _ = ranks.exchange(&[], &mut incoming, &mut || panic!("the last rank has panicked during an exchange"));
}

/// Checks the error of a process that the mpirun of another MPI started as one of four.
fn report_foreign_launcher() {
    let message = Mpi::init().unwrap_err().to_string();
    assert!(message.starts_with("4 ranks were started, but MPI finds 1: "), "{message}");
}

fn start_all() {
    for count in [1, 2, 4] {
        let output = mpirun(count, &["rank"]);
        assert!(output.status.success(), "{count} ranks: {}", text(&output));
        println!("{count} ranks satisfy all guarantees");
    }
    for Fault { name: fault, status, .. } in FAULTS {
        let output = mpirun(3, &["rank", fault]);
        assert_eq!(output.status.code(), Some(status), "a rank {fault}: {}", text(&output));
        assert!(!text(&output).contains("continued without"), "a rank {fault}: {}", text(&output));
        println!("a rank that {fault} ends the others");
    }
    let foreign = run(this_program().arg("foreign-launcher").env("MV2_COMM_WORLD_SIZE", "4"));
    assert!(foreign.status.success(), "the mpirun of another MPI: {}", text(&foreign));
    println!("the mpirun of another MPI is reported");
}

/// Runs this program as `count` ranks; the time limit is for a run that hangs.
fn mpirun(count: usize, words: &[&str]) -> Output {
    let mut command = Command::new("mpirun");
    command
        .args(["-n", &count.to_string()])
        .arg(this_program().get_program())
        .args(words)
        .env("MPIEXEC_TIMEOUT", "120");
    run(&mut command)
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().expect("this program has a path"))
}

fn run(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}
