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

#[test]
fn maps_are_filtered_and_both_kinds_of_operations_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let values = (0..8).map(|y| (0..10).map(|x| format!("{} ", (x * y) % 7)).collect::<String>());
    let grid = format!(
        "ncols 10\nnrows 8\nxllcorner 0\nyllcorner 0\ncellsize 100\n{}\n",
        values.collect::<Vec<_>>().join("\n")
    );
    std::fs::write(folder.path().join("map.asc"), grid).expect("written");
    let message =
        |code, arguments: &str| output_of(code, folder.path(), &arguments.split_whitespace().collect::<Vec<_>>());
    let done = message(0, "map.asc --output out --pole 60,-3 --magnetisation -20,100 --upward 50 --tilt");
    assert!(
        done.contains("reduce to the pole: inclination 60, declination -3; magnetisation inclination -20"),
        "{done}"
    );
    assert!(done.contains("upward by 50 m\ntilt angle\n\n1 map processed\nout/map.asc\nout/map.png"), "{done}");
    assert!(folder.path().join("out/map.asc").is_file() && folder.path().join("out/map.png").is_file());
    for (arguments, expected) in [
        ("map.asc --output both --upward 50 --lowpass 2", "operations on maps and on seismograms"),
        ("map.asc --output down --upward -50", "continuation downwards is not supported"),
        ("map.asc --output axis --derivative w", "give x (east), y (north) or z (up)"),
        ("map.asc --output flat --pole 2,0", "inclination (5 to 90 degrees up or down)"),
        ("map.asc --output wide --upward 5 --padding 3", "give a fraction of the map from 0 to 1"),
        ("map.asc --output alone --lowpass 2 --padding 1", "belong to operations on maps"),
    ] {
        let refused = message(2, arguments);
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
}
