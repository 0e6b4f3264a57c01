//! What the tests share.

use std::fmt::{Debug, Display};

/// Asserts that something was refused, and that the message holds each fragment (file and line, what is wrong, what to
/// do).
pub fn assert_refused<T: Debug>(result: Result<T, impl Debug + Display>, fragments: &[&str]) {
    let message = result.expect_err("this input must be refused").to_string();
    for fragment in fragments {
        assert!(message.contains(fragment), "`{fragment}` is not in: {message}");
    }
}
