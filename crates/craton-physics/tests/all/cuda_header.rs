//! The committed CUDA headers match the ones printed from the laws.

use craton_physics::cuda::{laws_header, staggered_header};

#[test]
fn committed_headers_are_fresh() {
    for (path, text) in
        [("craton-sem/kernels/laws.cuh", laws_header()), ("craton-fd/kernels/staggered.cuh", staggered_header())]
    {
        let committed = std::fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR")));
        assert!(
            committed.unwrap_or_default() == text,
            "{path} does not hold the laws as they are; run `cargo xtask generate` and commit it"
        );
    }
}

#[test]
fn header_does_not_depend_on_what_was_traced_before() {
    let first = laws_header();
    assert_eq!(first, laws_header());
    assert_eq!(first, std::thread::spawn(laws_header).join().unwrap());
}
