//! What is printed is safe to show, and what cannot be printed is a failure.

use std::process::Stdio;

use assert_cmd::Command;

/// A prism, seen from a point.
const PRISM: &str = "title = 'TITLE'\n[[body]]\nprisms.rows = [[-20.0, 30.0, -15.0, 10.0, -80.0, -30.0, 1000.0]]\n\
                     [points.list]\nfile = 'points.csv'\n[output]\ndirectory = 'results'\npictures = false\n";

fn folder(title: &str, points: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let title = title.replace('\u{1b}', "\\u001b").replace('\u{7}', "\\u0007");
    let problem = PRISM.replace("'TITLE'", &format!("\"{title}\""));
    std::fs::write(folder.path().join("g.toml"), problem).expect("written");
    std::fs::write(folder.path().join("points.csv"), points).expect("written");
    folder
}

fn craton(folder: &tempfile::TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("craton").expect("the command is built");
    command.args(arguments).current_dir(folder.path()).env_remove("RUST_BACKTRACE");
    command
}

#[test]
fn control_characters_of_files_are_escaped() {
    let folder = folder("\u{1b}]0;x\u{7}", "x,y,z\n1,2,\u{1b}]0_x\u{7}\n");
    // Colours of the report itself are no reason to let others pass.
    for colour in [("NO_COLOR", "1"), ("FORCE_COLOR", "1")] {
        let result = craton(&folder, &["check", "g.toml"]).env(colour.0, colour.1).assert().code(2);
        let said = String::from_utf8(result.get_output().stderr.clone()).expect("text");
        assert!(said.contains("\\u{1b}]0_x\\u{7}") && !said.contains('\u{1b}') && !said.contains('\u{7}'), "{said:?}");
    }
    std::fs::write(folder.path().join("points.csv"), "x,y,z\n1,2,3\n").expect("written");
    for arguments in [["check", "g.toml"], ["gravity", "g.toml"]] {
        let result = craton(&folder, &arguments).assert().code(0);
        let output = result.get_output();
        let all = [&output.stdout[..], &output.stderr].concat();
        assert!(!all.contains(&0x1b) && !all.contains(&7), "{}", String::from_utf8_lossy(&all));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure_and_a_closed_pipe_is_none() {
    let folder = folder("a prism", "x,y,z\n1,2,3\n");
    for arguments in [&["check", "g.toml"][..], &["reference"], &["completions", "bash"], &["--version"], &["--help"]] {
        let run = |output: Stdio| {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_craton"));
            command.args(arguments).current_dir(folder.path()).stdout(output).stderr(Stdio::piped());
            command.spawn().expect("a process")
        };
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let output = run(full.into()).wait_with_output().expect("an end");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(1) && said.contains("cannot write to standard output"),
            "{arguments:?} {said}"
        );
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = run(writer.into()).wait_with_output().expect("an end");
        assert_eq!(output.status.code(), Some(0), "{arguments:?} {}", String::from_utf8_lossy(&output.stderr));
    }
}
