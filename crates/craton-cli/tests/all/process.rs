//! Seismograms processed from the command line.

use std::path::Path;

use assert_cmd::Command;

/// Output of the command in a folder: standard output if `code` is 0, standard error otherwise.
fn output_of(code: i32, folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("craton").expect("the command is built");
    command.arg("process").args(arguments).current_dir(folder);
    command.env("COLUMNS", "100").env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    let result = command.assert().code(code);
    let output = result.get_output();
    let text = if code == 0 { &output.stdout } else { &output.stderr };
    String::from_utf8(text.clone()).expect("text").replace("\n  │ ", " ")
}

/// A folder with the folder `in`, which contains two traces that rise from 0 to 1 from 2 s.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let from = folder.path().join("in");
    std::fs::create_dir(&from).expect("a folder");
    let sample = |n: usize| format!("{:.6} {:.9e}\n", n as f64 * 0.02, (n as f64 * 0.02 - 2.0).clamp(0.0, 1.0));
    let header = "# position: 300 400 0\n# start_time: 0\n# dt: 0.02\n";
    let text: String = std::iter::once(header.to_owned()).chain((0..501).map(sample)).collect();
    for component in ["X", "Y"] {
        std::fs::write(from.join(format!("XX.S1.velocity.{component}.txt")), &text).expect("written");
    }
    folder
}

#[test]
fn operations_keep_their_order_and_may_be_repeated() {
    let folder = folder();
    let arguments = "in -o out --scale -2 --differentiate --decimate 2 --integrate --bandpass 0.1,5 --integrate --shift=-1 --rotate \
        --lowpass 2 --scale 3 --event-position 0,-10 --poles 3 --causal --cut -1,8.5 --detrend --demean --taper 0.1 \
        --convolve-triangle 0.5 --convolve-gaussian 0.25 --resample 0.05 --highpass 0.5";
    let table = output_of(0, folder.path(), &arguments.split_whitespace().collect::<Vec<_>>());
    insta::assert_snapshot!("process", table);
    for component in ["R", "T"] {
        assert!(folder.path().join(format!("out/XX.S1.displacement.{component}.txt")).is_file());
    }
}

#[test]
fn existing_files_are_kept_without_overwrite() {
    let folder = folder();
    let arguments = ["in", "--output", "out", "--lowpass", "2", "--quiet"];
    assert_eq!(output_of(0, folder.path(), &arguments), "");
    assert!(output_of(2, folder.path(), &arguments).contains("pass `--overwrite`"));
    output_of(0, folder.path(), &[&arguments[..], &["--overwrite"]].concat());
    let sac = output_of(0, folder.path(), &["in", "--output", "sac", "--format", "sac"]);
    assert!(sac.contains("2 files written to sac"), "{sac}");
}

#[test]
fn errors_name_file_option_value_range_and_remedy() {
    let folder = folder();
    let message = |arguments: &[&str]| output_of(2, folder.path(), &[&["in", "--output", "out"], arguments].concat());
    insta::assert_snapshot!("process_refusal", message(&["--decimate", "5", "--lowpass", "5"]));
    assert!(message(&[]).contains("nothing to do: no operation and no --format is given"));
    assert!(message(&["--rotate"]).contains("--event-position 0,0"));
    assert!(message(&["--scale", "2", "--event-position", "0,0"]).contains("--rotate"));
    assert!(message(&["--decimate", "501"]).contains("between 2 and 500"));
    assert!(!folder.path().join("out").exists());
}
