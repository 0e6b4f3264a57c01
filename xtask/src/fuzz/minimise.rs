//! Shortens an input as long as its fault remains.

use super::execute::Bench;
use super::fault::Fault;
use anyhow::Result;

/// Largest number of executions.
const MOST_EXECUTIONS: usize = 1000;

/// Removes chunks of an input, first halves, then smaller ones, as long as the execution has the same fault.
///
/// # Errors
/// As [`Bench::execute`].
pub fn minimised(bench: &Bench, input: &[u8], fault: &Fault) -> Result<Vec<u8>> {
    let mut least = input.to_vec();
    let mut executions = 0;
    let mut size = least.len().div_ceil(2);
    while size > 0 {
        let mut end = least.len();
        while end > 0 && executions < MOST_EXECUTIONS {
            let start = end.saturating_sub(size);
            let shorter = [&least[..start], &least[end..]].concat();
            executions += 1;
            if bench.execute(&shorter)?.outcome.is_err_and(|found| found.is_same(fault)) {
                least = shorter;
            }
            end = start;
        }
        size /= 2;
    }
    Ok(least)
}
