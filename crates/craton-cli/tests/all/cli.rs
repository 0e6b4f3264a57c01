//! The command line: output, streams and exit codes.

use std::path::Path;

use assert_cmd::Command;

fn craton(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("craton").expect("the command is built");
    command.args(arguments).env("COLUMNS", "100").env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command
}

/// Output of the command: standard output if `code` is 0, standard error otherwise.
fn output_of(code: i32, arguments: &[&str]) -> String {
    let result = craton(arguments).assert().code(code);
    let output = result.get_output();
    let text = if code == 0 { &output.stdout } else { &output.stderr };
    String::from_utf8(text.clone()).expect("text")
}

/// A folder with one trace: a pulse of the given height.
fn folder_of_trace(folder: &Path, height: f64) {
    std::fs::create_dir_all(folder).expect("a folder");
    let sample = |index: usize| {
        let t = index as f64 * 0.02;
        format!("{t:.6} {:.9e}\n", height * (t - 2.0) * (-4.0 * (t - 2.0).powi(2)).exp())
    };
    let text: String = (0..200).map(sample).collect();
    std::fs::write(folder.join("XX.S1.velocity.Z.txt"), text).expect("written");
}

#[test]
fn help_of_every_command() {
    let help = output_of(0, &["--help"]);
    insta::assert_snapshot!("help", help);
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.contains(&"compare"), "{commands:?}");
    for command in commands {
        insta::assert_snapshot!(format!("help_{command}"), output_of(0, &[command, "--help"]));
    }
}

#[test]
fn without_a_command_the_help_is_shown() {
    assert!(output_of(2, &[]).contains("Usage: craton <COMMAND>"));
}

#[test]
fn an_unknown_command_is_reported_with_the_nearest_one() {
    assert!(output_of(2, &["plott"]).contains("'plot'"));
}

#[test]
fn schema_reference_and_completions_are_printed() {
    assert!(output_of(0, &["schema"]).contains("\"title\": \"Craton scenario\""));
    assert!(output_of(0, &["reference"]).starts_with("# The scenario file\n"));
    assert!(output_of(0, &["completions", "bash"]).contains("complete -F"));
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man/man1");
    output_of(0, &["man", pages.to_str().expect("text")]);
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).expect("a page");
    assert!(page("craton.1").starts_with(".ie"), "{}", page("craton.1"));
    for command in ["run", "check", "mesh", "resume", "compare", "plot"] {
        assert!(page("craton.1").contains(&format!("craton\\-{command}(1)")), "{command}");
        assert!(page(&format!("craton-{command}.1")).contains(".SH SYNOPSIS"), "{command}");
    }
    std::fs::write(folder.path().join("file"), "").expect("written");
    assert!(
        output_of(1, &["man", folder.path().join("file").to_str().expect("text")])
            .contains("cannot write the manual pages to")
    );
}

#[test]
fn an_invalid_number_of_threads_is_reported_with_its_range() {
    for threads in ["0", "-1", "5000", "9223372036854775807", "two"] {
        let message = output_of(2, &["check", "it.toml", &format!("--threads={threads}")]);
        assert!(message.contains("give a whole number from 1 to 4096"), "{message}");
    }
}

#[test]
fn a_misfit_above_the_limit_exits_with_1() {
    let folder = tempfile::tempdir().expect("a folder");
    let (test, reference) = (folder.path().join("a"), folder.path().join("b"));
    folder_of_trace(&test, 1.03);
    folder_of_trace(&reference, 1.0);
    let paths = [test.to_str().expect("text"), reference.to_str().expect("text")];
    let table = output_of(0, &["compare", paths[0], paths[1], "--limit", "0.04"]);
    insta::assert_snapshot!("compare", table);
    craton(&["compare", paths[0], paths[1], "--limit", "0.02"]).assert().code(1);
}

#[test]
fn bad_usage_and_bad_input_exit_with_2() {
    let window_message = output_of(2, &["compare", "a", "b", "--window", "5,1"]);
    assert!(window_message.contains("give two times in seconds, the earlier first, as in 0,8.5"), "{window_message}");
    let folder_message = output_of(2, &["plot", "no_such_folder"]);
    assert!(folder_message.contains("cannot read no_such_folder"), "{folder_message}");
    assert!(folder_message.contains("help: give a results folder"), "{folder_message}");
}

#[test]
fn plot_writes_pictures_and_prints_their_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    folder_of_trace(folder.path(), 1.0);
    let from = folder.path().to_str().expect("text");
    let picture = folder.path().join("spectra_velocity.png");
    assert_eq!(output_of(0, &["plot", from, "spectra"]), format!("{}\n", picture.display()));
    assert!(picture.is_file());
}

#[test]
#[cfg(target_os = "linux")]
fn a_memory_limit_of_the_process_is_reported_before_the_run() {
    let loh1 = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/loh1/loh1.toml");
    let craton = assert_cmd::cargo::cargo_bin("craton");
    for option in ["-v", "-d"] {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit {option} 200000 && exec \"$0\" check \"$1\" --threads 2 --device cpu --set method.sem.max_frequency=10")]);
        let result = shell.arg(&craton).arg(loh1).env("NO_COLOR", "1").assert().code(2);
        let message = String::from_utf8(result.get_output().stderr.clone()).expect("text");
        let message = message.replace("  │ ", "").replace('\n', " ");
        assert!(
            message.contains(&format!("is available to this job (limit `ulimit {option}` of each process")),
            "{message}"
        );
        assert!(message.contains("or raise the limit"), "{message}");
    }
}

#[cfg(not(feature = "mpi"))]
#[test]
fn without_mpi_only_a_single_rank_is_accepted() {
    craton(&["schema"]).env("PMI_SIZE", "1").assert().code(0);
    let refused = craton(&["schema"]).env("PMI_SIZE", "3").assert().code(2);
    let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(message.contains("without MPI but started as 3 ranks"), "{message}");
}
