//! Parsers of option values, which reject invalid values during argument parsing.

use clap::ValueEnum;
use craton::config::{DEVICES_ALLOWED, DeviceNames, MOST_DEVICES, MOST_THREADS};
use craton::process::{Direction, MOST_POLES, MapAxis};

/// A device, or several separated by commas.
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

/// Two frequencies [Hz], separated by a comma.
pub fn band(text: &str) -> Result<[f64; 2], String> {
    let band = pair(text).filter(|[low, high]| 0.0 < *low && low < high);
    band.ok_or_else(|| "give two frequencies above 0 Hz, the lower first, as in 0.01,0.1".to_owned())
}

/// A duration [s].
pub fn seconds(text: &str) -> Result<f64, String> {
    positive(text).ok_or_else(|| "give a time above 0 s, as in 0.5".to_owned())
}

/// A time [s] of either sign.
pub fn time(text: &str) -> Result<f64, String> {
    finite(text).ok_or_else(|| "give a time in seconds, as in -1.5".to_owned())
}

/// A factor of either sign.
pub fn signed_factor(text: &str) -> Result<f64, String> {
    let factor = finite(text).filter(|&factor| factor != 0.0);
    factor.ok_or_else(|| "give a factor other than 0, as in -1 or 1e9".to_owned())
}

/// A decimation factor.
pub fn decimation(text: &str) -> Result<usize, String> {
    let factor = text.parse().ok().filter(|&factor: &usize| factor >= 2);
    factor.ok_or_else(|| "give a whole number from 2 to the number of samples, as in 5".to_owned())
}

/// A number of poles.
pub fn poles(text: &str) -> Result<usize, String> {
    up_to(MOST_POLES, text)
}

/// The fraction of a trace that a taper covers at each end.
pub fn taper(text: &str) -> Result<f64, String> {
    let part = positive(text).filter(|&part| part <= 0.5);
    part.ok_or_else(|| "give a fraction above 0 and up to 0.5, as in 0.05".to_owned())
}

/// The height of an upward continuation [m].
pub fn height(text: &str) -> Result<f64, String> {
    let height = finite(text).filter(|&height| height >= 0.0);
    height.ok_or_else(|| "give a height of 0 m or more, as in 500; continuation downwards is not supported".to_owned())
}

/// An axis of a map.
pub fn map_axis(text: &str) -> Result<MapAxis, String> {
    match text {
        "x" => Ok(MapAxis::X),
        "y" => Ok(MapAxis::Y),
        "z" => Ok(MapAxis::Z),
        _ => Err("give x (east), y (north) or z (up)".to_owned()),
    }
}

/// Inclination and declination [degrees].
pub fn angles(text: &str) -> Result<Direction, String> {
    let angles = pair(text)
        .filter(|[inclination, declination]| (5.0..=90.0).contains(&inclination.abs()) && declination.abs() <= 360.0);
    let [inclination, declination] = angles.ok_or_else(|| {
        "give inclination (5 to 90 degrees up or down) and declination (-360 to 360 degrees), as in 62.5,-3".to_owned()
    })?;
    Ok(Direction { inclination, declination })
}

/// The padding of a map.
pub fn padding(text: &str) -> Result<f64, String> {
    let part = finite(text).filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| "give a fraction of the map from 0 to 1, as in 0.5".to_owned())
}

/// A position in the model, x and y [m].
pub fn place(text: &str) -> Result<[f64; 2], String> {
    pair(text).ok_or_else(|| "give x (east) and y (north) in metres, as in 1500,-2000".to_owned())
}

/// A speed [m/s].
pub fn speed(text: &str) -> Result<f64, String> {
    positive(text).ok_or_else(|| "give a speed above 0 m/s, as in 3000".to_owned())
}

/// A factor.
pub fn factor(text: &str) -> Result<f64, String> {
    positive(text).ok_or_else(|| "give a factor above 0, as in 5000".to_owned())
}

/// Two times, separated by a comma.
pub fn window(text: &str) -> Result<[f64; 2], String> {
    let window = pair(text).filter(|[from, to]| from < to);
    window.ok_or_else(|| "give two times in seconds, the earlier first, as in 0,8.5".to_owned())
}

fn pair(text: &str) -> Option<[f64; 2]> {
    text.split_once(',').and_then(|(first, second)| Some([finite(first)?, finite(second)?]))
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

/// A program whose set-ups can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Program {
    /// SPECFEM3D Cartesian.
    Specfem,
}
