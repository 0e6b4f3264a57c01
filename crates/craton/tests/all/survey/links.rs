//! Symbolic links in results folders are replaced, never followed.

use std::os::unix::fs::symlink;

use super::*;

#[test]
fn partial_gathers_that_are_links_are_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    files(
        folder.path(),
        &free().replace("order = 16", "order = 4").replace("max_frequency = 50.0", "max_frequency = 25.0"),
    );
    let [results, outside] = ["results", "outside"].map(|name| folder.path().join(name));
    for several in [false, true] {
        let _ = std::fs::remove_dir_all(&results);
        let _ = std::fs::remove_dir_all(&outside);
        std::fs::create_dir(&results).expect("a folder");
        std::fs::create_dir(&outside).expect("a folder");
        std::fs::write(outside.join("mine"), "mine").expect("written");
        let (quantities, link, target) = match several {
            false => ("receivers.quantities=['pressure']", "gathers.segy.partial", outside.join("mine")),
            true => ("receivers.quantities=['pressure', 'velocity_z']", "gathers.partial", outside.clone()),
        };
        symlink(target, results.join(link)).expect("a link");
        for name in ["run.json", ".craton-files"] {
            symlink(outside.join("mine"), results.join(name)).expect("a link");
        }
        surveyed(folder.path(), &options(folder.path(), &["duration=0.02", quantities]));
        assert_eq!(std::fs::read_to_string(outside.join("mine")).expect("a file"), "mine");
        assert_eq!(std::fs::read_dir(&outside).expect("a folder").count(), 1);
        assert!(!results.join(link).exists());
    }
}

#[test]
fn overwriting_leaves_alone_what_lies_behind_a_link() {
    let folder = tempfile::tempdir().expect("a folder");
    files(
        folder.path(),
        &free().replace("order = 16", "order = 4").replace("max_frequency = 50.0", "max_frequency = 25.0"),
    );
    let options = options(folder.path(), &["duration=0.02"]);
    surveyed(folder.path(), &options);
    let [results, outside] = ["results", "outside"].map(|name| folder.path().join(name));
    std::fs::create_dir(&outside).expect("a folder");
    std::fs::write(outside.join("notes"), "mine").expect("written");
    symlink(&outside, results.join("link")).expect("a link");
    let list = std::fs::read_to_string(results.join(".craton-files")).expect("a list");
    std::fs::write(results.join(".craton-files"), format!("{list}link/notes\n")).expect("written");
    surveyed(folder.path(), &options);
    assert_eq!(std::fs::read_to_string(outside.join("notes")).expect("a file"), "mine");
}
