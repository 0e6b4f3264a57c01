//! Values of options: what cannot be worked with is refused together with what can.

use craton::config::{DEVICES_ALLOWED, DeviceNames, MOST_DEVICES, MOST_THREADS};

/// A device, or several with commas between.
pub fn device(text: &str) -> Result<DeviceNames, String> {
    text.parse().map_err(|error| format!("{error}; allowed: {DEVICES_ALLOWED}"))
}

/// A number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    up_to(MOST_THREADS, text)
}

/// A number of devices.
pub fn devices(text: &str) -> Result<usize, String> {
    up_to(MOST_DEVICES, text)
}

/// A misfit.
pub fn misfit(text: &str) -> Result<f64, String> {
    let misfit = finite(text).filter(|&misfit| misfit >= 0.0);
    misfit.ok_or_else(|| "give a misfit of 0 or more, as in 0.01 for one per cent".to_owned())
}

/// A frequency [Hz].
pub fn frequency(text: &str) -> Result<f64, String> {
    positive(text).ok_or_else(|| "give a frequency above 0 Hz, as in 4.5".to_owned())
}

/// A speed [m/s].
pub fn speed(text: &str) -> Result<f64, String> {
    positive(text).ok_or_else(|| "give a speed above 0 m/s, as in 3000".to_owned())
}

/// A factor.
pub fn factor(text: &str) -> Result<f64, String> {
    positive(text).ok_or_else(|| "give a factor above 0, as in 5000".to_owned())
}

/// Two times with a comma between.
pub fn window(text: &str) -> Result<[f64; 2], String> {
    let times = text.split_once(',').and_then(|(from, to)| Some([finite(from)?, finite(to)?]));
    let window = times.filter(|[from, to]| from < to);
    window.ok_or_else(|| "give two times in seconds, the earlier first, as in 0,8.5".to_owned())
}

fn up_to(most: usize, text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("give a whole number from 1 to {most}"))
}

fn positive(text: &str) -> Option<f64> {
    finite(text).filter(|&number| number > 0.0)
}

fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}
