//! What the tests share.

use std::fmt::{Debug, Display};

use craton_formats::FormatError;

/// Asserts that the reader refused, and that its message holds each fragment (file and line, what is wrong, what to
/// do).
pub fn assert_refused<T: Debug>(result: Result<T, FormatError>, fragments: &[&str]) {
    assert_not_made(result, fragments);
}

/// As [`assert_refused`], where no file is known yet.
pub fn assert_not_made<T: Debug>(result: Result<T, impl Debug + Display>, fragments: &[&str]) {
    let message = result.expect_err("this input must be refused").to_string();
    for fragment in fragments {
        assert!(message.contains(fragment), "`{fragment}` is not in: {message}");
    }
}
