//! What computes.

use crate::config::{BadDevice, Compute, DEVICES_ALLOWED};
use crate::error::Problem;
use crate::key_path::KeyPath;

/// What is wrong with the devices.
pub fn compute(compute: &Compute, path: &KeyPath) -> Option<Problem> {
    let error = compute.device.choice().err()?;
    let problem = Problem::new(path.key("device"), error.to_string());
    Some(match error {
        BadDevice::Unknown(_) => problem.allowed(DEVICES_ALLOWED),
        BadDevice::Several(_) => problem.hint("name one of them"),
    })
}
