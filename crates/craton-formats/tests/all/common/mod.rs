//! Shared by the tests.

use std::fmt::{Debug, Display};

/// Asserts that a result is an error whose message contains each fragment (file and line, problem, hint).
pub fn assert_refused<T: Debug>(result: Result<T, impl Debug + Display>, fragments: &[&str]) {
    let message = result.expect_err("this input must be refused").to_string();
    for fragment in fragments {
        assert!(message.contains(fragment), "`{fragment}` is not in: {message}");
    }
}
