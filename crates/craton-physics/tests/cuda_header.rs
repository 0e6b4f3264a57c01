//! The committed CUDA header is the one that the laws print.

use craton_physics::cuda::laws_header;

#[test]
fn committed_header_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../craton-sem/kernels/laws.cuh");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == laws_header(),
        "{path} does not hold the laws as they are; run `cargo xtask generate` and commit it"
    );
}

#[test]
fn header_does_not_depend_on_what_was_traced_before() {
    let first = laws_header();
    assert_eq!(first, laws_header());
    assert_eq!(first, std::thread::spawn(laws_header).join().unwrap());
}
