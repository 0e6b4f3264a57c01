//! Error output for mistakes in a scenario.

use assert_cmd::Command;

/// The output of `craton check` for LOH.1 with one line replaced.
fn refusal(right: &str, wrong: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let loh1 = include_str!("../../../../examples/loh1/loh1.toml");
    assert!(loh1.contains(right), "{right}");
    std::fs::write(folder.path().join("loh1.toml"), loh1.replacen(right, wrong, 1)).expect("written");
    let mut command = Command::cargo_bin("craton").expect("the command is built");
    command.args(["check", "loh1.toml"]).current_dir(folder.path()).env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    let result = command.assert().code(2);
    String::from_utf8(result.get_output().stderr.clone()).expect("text")
}

#[test]
fn an_unknown_key_is_shown_in_its_line_with_the_nearest_known_one() {
    insta::assert_snapshot!(refusal("max_frequency = 5.0", "max_frequency = 5.0\ndegre = 4"));
}

#[test]
fn a_wrong_type_is_shown_in_its_line() {
    insta::assert_snapshot!(refusal("duration = 9.0", "duration = \"9.0\""));
}

#[test]
fn all_mistakes_are_shown_at_once() {
    insta::assert_snapshot!(refusal("vs = 2000.0, rho = 2600.0", "vs = 3900.0, rho = -2600.0, q = 3"));
}
