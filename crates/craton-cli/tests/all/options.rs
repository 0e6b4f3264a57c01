//! Invalid numbers on the command line.

use assert_cmd::Command;

/// The message of the command for invalid arguments.
fn refusal(arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("craton").expect("the command is built");
    command.args(arguments).env("COLUMNS", "100").env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    let result = command.assert().code(2);
    String::from_utf8(result.get_output().stderr.clone()).expect("text")
}

const PROCESS: &[&str] = &["process", "a", "--output", "b"];

#[test]
fn invalid_numbers_are_reported_with_value_and_allowed_range() {
    let misfit = "give a misfit of 0 or more, as in 0.01";
    let frequency = "give a frequency above 0 Hz, as in 4.5";
    let times = "give two times in seconds, the earlier first, as in 0,8.5";
    let not_positive: &[&str] = &["nan", "inf", "-inf", "-1", "0", "1e999", "x", ""];
    let not_counts: &[&str] = &["nan", "inf", "-1", "0", "1.5", "1e3", "99999", "x", ""];
    let no_windows: &[&str] = &["nan,1", "0,nan", "0,inf", "-inf,1", "5,1", "1,1", "1", "1,2,3", ",", ""];
    let cases: &[(&[&str], &str, &[&str], &str)] = &[
        (&["compare", "a", "b"], "--limit", &["nan", "inf", "-inf", "-1", "-1e-9", "x", ""], misfit),
        (&["compare", "a", "b"], "--lowpass", not_positive, frequency),
        (&["plot", "a"], "--lowpass", not_positive, frequency),
        (&["plot", "a"], "--reduction-speed", not_positive, "give a speed above 0 m/s, as in 3000"),
        (&["compare", "a", "b"], "--window", no_windows, times),
        (&["plot", "a"], "--window", no_windows, times),
        (&["run", "a.toml"], "--threads", not_counts, "give a whole number from 1 to 4096"),
        (&["check", "a.toml"], "--threads", not_counts, "give a whole number from 1 to 4096"),
        (&["resume", "a"], "--threads", not_counts, "give a whole number from 1 to 4096"),
        (&["run", "a.toml"], "--devices", not_counts, "give a whole number from 1 to 64"),
        (&["check", "a.toml"], "--devices", not_counts, "give a whole number from 1 to 64"),
        (&["resume", "a"], "--devices", not_counts, "give a whole number from 1 to 64"),
        (PROCESS, "--lowpass", not_positive, frequency),
        (PROCESS, "--highpass", not_positive, frequency),
        (PROCESS, "--bandpass", &["2,1", "1,1", "0,1", "-1,2", "1", "nan,1", ""], "the lower first, as in 0.01,0.1"),
        (PROCESS, "--decimate", &["0", "1", "-2", "1.5", "x", ""], "give a whole number from 2"),
        (PROCESS, "--resample", not_positive, "give a time above 0 s, as in 0.5"),
        (PROCESS, "--convolve-gaussian", not_positive, "give a time above 0 s, as in 0.5"),
        (PROCESS, "--convolve-triangle", not_positive, "give a time above 0 s, as in 0.5"),
        (
            PROCESS,
            "--taper",
            &["0", "-0.1", "0.51", "nan", "x", ""],
            "give a fraction above 0 and up to 0.5, as in 0.05",
        ),
        (PROCESS, "--cut", no_windows, times),
        (PROCESS, "--shift", &["nan", "inf", "x", ""], "give a time in seconds, as in -1.5"),
        (PROCESS, "--scale", &["0", "nan", "inf", "x", ""], "give a factor other than 0"),
        (PROCESS, "--poles", &["0", "17", "-1", "2.5", "x", ""], "give a whole number from 1 to 16"),
        (PROCESS, "--event-position", &["1", "nan,0", "x,y", ""], "as in 1500,-2000"),
        (&["gravity", "a.toml"], "--devices", not_counts, "give a whole number from 1 to 64"),
    ];
    for &(command, option, values, allowed) in cases {
        for value in values {
            let message = refusal(&[command, &[option, value]].concat());
            assert!(message.contains(&format!("'{value}' for '{option} ")), "{option} {value}: {message}");
            assert!(message.contains(allowed), "{option} {value}: {message}");
        }
    }
}

#[test]
fn windows_and_corners_outside_the_traces_are_reported_with_their_range() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace: String = (0..50).map(|index| format!("{:.2} {index}\n", 0.02 * f64::from(index))).collect();
    std::fs::write(folder.path().join("XX.S1.velocity.Z.txt"), trace).expect("written");
    let folder = folder.path().to_str().expect("text");
    for command in [&["plot", folder][..], &["compare", folder, folder]] {
        let message = refusal(&[command, &["--lowpass", "30"]].concat());
        assert!(message.contains("30 Hz must lie above 0 and below the Nyquist frequency 25"), "{message}");
        let message = refusal(&[command, &["--window", "100,200"]].concat());
        assert!(message.contains("100") && message.contains("0.98"), "{message}");
    }
}
