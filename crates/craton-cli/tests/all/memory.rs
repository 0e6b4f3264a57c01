//! Memory that the system denies.

use assert_cmd::Command;

#[test]
#[cfg(target_os = "linux")]
fn denied_memory_is_an_error_with_a_cure() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "1 0\n".repeat(4_000_000)).expect("written");
    let craton = assert_cmd::cargo::cargo_bin("craton");
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 200000 && exec \"$0\" compare a.txt a.txt"]).arg(&craton).current_dir(folder.path());
    let result = shell.env("NO_COLOR", "1").assert().code(1);
    let message = String::from_utf8(result.get_output().stderr.clone()).expect("text");
    assert!(message.contains("the system denies") && message.contains("use smaller files"), "{message}");
    assert!(!message.contains("max_frequency"), "{message}");
}
