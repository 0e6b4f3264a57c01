//! Checks of the computing resources.

use crate::config::{BadDevice, Compute, DEVICES_ALLOWED, DeviceNames, MOST_DEVICES};
use crate::error::Problem;
use crate::key_path::KeyPath;

/// Problems of the devices.
pub fn compute(compute: &Compute, path: &KeyPath) -> Option<Problem> {
    if let Some(devices) = compute.devices.filter(|devices| !(1..=MOST_DEVICES).contains(devices)) {
        let problem = Problem::new(path.key("devices"), "is out of range").value(devices);
        return Some(problem.allowed(format!("1 to {MOST_DEVICES}")));
    }
    device(&compute.device, path)
}

/// Problems of device names, in any format.
///
/// # Arguments
/// * `path` – the table with the key `device`
pub fn device(names: &DeviceNames, path: &KeyPath) -> Option<Problem> {
    let error = names.choice().err()?;
    let problem = Problem::new(path.key("device"), error.to_string());
    Some(match error {
        BadDevice::Unknown(_) | BadDevice::None => problem.allowed(DEVICES_ALLOWED),
        BadDevice::Listed(_) | BadDevice::Twice(_) => {
            problem.hint("list distinct GPUs, or set the number of devices with compute.devices")
        }
    })
}
